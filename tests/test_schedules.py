"""The learning rates: their values, beside Keras' own where it has the same."""

import keras
import pytest

from course_utils.schedules import WarmupCosine
from lectures.lecture_06b.on_imdb import WarmupStableDecay


@pytest.mark.parametrize("warmup_steps", [0, 1, 30])
def test_the_cosine_has_the_values_of_keras(warmup_steps):
    more = {"warmup_target": 3e-3, "warmup_steps": warmup_steps} if warmup_steps else {}
    theirs = keras.optimizers.schedules.CosineDecay(
        0.0 if warmup_steps else 3e-3, 200 - warmup_steps, **more
    )
    ours = WarmupCosine(3e-3, 200, warmup_steps)
    again = WarmupCosine.from_config(ours.get_config())
    for step in (0, 1, 7, 29, 30, 31, 100, 199, 200, 300):
        assert float(ours(step)) == pytest.approx(float(theirs(step)), rel=1e-5, abs=1e-9)
        assert float(again(step)) == float(ours(step))


def test_the_rate_rises_stays_and_falls_to_nothing():
    rate = WarmupStableDecay(2e-3, 1_000, warmup_steps=100, falling=0.3)
    found = [float(rate(step)) for step in (0, 49, 99, 400, 699, 850, 1_000, 1_200)]
    assert found == pytest.approx([2e-5, 1e-3, 2e-3, 2e-3, 2e-3, 1e-3, 0, 0], abs=1e-8)
    again = WarmupStableDecay.from_config(rate.get_config())
    assert float(again(850)) == float(rate(850))


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ((2e-3, 100, 100), "steps"),
        ((2e-3, 100, 0.1), "warmup_steps"),
        (("a", 100), "learning_rate"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(settings, name):
    with pytest.raises(ValueError, match=name):
        WarmupCosine(*settings)
