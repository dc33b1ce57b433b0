"""The learning rates: their values, beside Keras' own where it has the same."""

import pytest


@pytest.mark.parametrize("warmup_steps", [1, 30])
def test_the_cosine_has_the_values_of_keras(warmup_steps):
    import keras

    from course_utils.schedules import WarmupCosine

    theirs = keras.optimizers.schedules.CosineDecay(
        0.0, 200 - warmup_steps, warmup_target=3e-3, warmup_steps=warmup_steps
    )
    ours = WarmupCosine(3e-3, 200, warmup_steps)
    for step in (0, 1, 7, 29, 30, 31, 100, 199, 200, 300):
        assert float(ours(step)) == pytest.approx(float(theirs(step)), rel=1e-5, abs=1e-9)


def test_the_cosine_without_a_rise_is_that_of_keras():
    import keras

    from course_utils.schedules import WarmupCosine

    theirs, ours = keras.optimizers.schedules.CosineDecay(0.1, 50), WarmupCosine(0.1, 50, 0)
    assert [float(ours(step)) for step in range(0, 60, 7)] == pytest.approx(
        [float(theirs(step)) for step in range(0, 60, 7)], abs=1e-8
    )
    assert float(ours(0)) == pytest.approx(0.1)


def test_the_cosine_goes_through_its_config_and_refuses_a_rise_that_never_ends():
    from course_utils.schedules import WarmupCosine

    rate = WarmupCosine(2e-3, 1_000, 100)
    assert float(WarmupCosine.from_config(rate.get_config())(400)) == float(rate(400))
    with pytest.raises(ValueError, match="steps .* at least 101"):
        WarmupCosine(2e-3, 100, 100)
    with pytest.raises(ValueError, match="warmup_steps"):
        WarmupCosine(2e-3, 100, 0.1)
    with pytest.raises(ValueError, match="learning_rate"):
        WarmupCosine("a", 100)


def test_the_rate_rises_stays_and_falls_to_nothing():
    from course_utils.schedules import WarmupStableDecay

    rate = WarmupStableDecay(2e-3, 1_000, warmup_steps=100, falling=0.3)
    found = [float(rate(step)) for step in (0, 49, 99, 400, 699, 850, 1_000, 1_200)]
    assert found == pytest.approx([2e-5, 1e-3, 2e-3, 2e-3, 2e-3, 1e-3, 0, 0], abs=1e-8)
    again = WarmupStableDecay.from_config(rate.get_config())
    assert float(again(850)) == float(rate(850))
    with pytest.raises(ValueError, match="falling"):
        WarmupStableDecay(2e-3, 1_000, falling=30)
    with pytest.raises(ValueError, match="steps"):
        WarmupStableDecay(2e-3, 0)
