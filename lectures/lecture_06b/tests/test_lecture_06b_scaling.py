"""Lab 06b: the power law's fit, and the windows that models of all sizes read."""

import numpy as np
import pytest

from lectures.lecture_06b import sizes
from lectures.lecture_06b.scaling import extrapolate

pytest.importorskip("tokenizers")


def test_an_exact_power_law_is_found_and_continued():
    parameters = np.array([2_000, 500, 90_000, 11_000])
    found = extrapolate(parameters, 7.5 * parameters**-0.11, 1_000_000)
    assert np.allclose(found, (7.5, 0.11, 7.5 * 1e6**-0.11))


def test_scatter_is_weighed_in_logarithms():
    # One model a factor above the line and one a factor below it, on either side of the middle.
    parameters, factor = np.array([1e2, 1e3, 1e4, 1e5]), np.array([1.1, 1 / 1.1, 1 / 1.1, 1.1])
    k, alpha, _ = extrapolate(parameters, 5 * parameters**-0.2 * factor, 1e6)
    assert np.allclose((k, alpha), (5, 0.2))


def test_every_part_reads_reviews_of_its_own(monkeypatch):
    words = "never seen such a dull film about the sea and two old doctors in it".split()
    draw = np.random.default_rng(0)
    texts = [f"{number} " + " ".join(draw.choice(words, 60)) for number in range(60)]
    monkeypatch.setattr(sizes.imdb, "read", lambda part: (np.array(texts, object), None))
    for name, value in (("READ", 40), ("VALIDATION", 10), ("TEST", 10), ("STEPS", 2)):
        monkeypatch.setattr(sizes, name, value)
    tokenizer, parts = sizes.characters_read_once.__wrapped__()
    ids, targets = parts["train"]
    assert ids.shape == (2 * sizes.BATCH, sizes.TOKENS) and ids.max() < len(tokenizer)
    assert np.array_equal(targets[:, :-1], ids[:, 1:]) and not targets[:, -1].any()
    rows = {name: {row.tobytes() for row in part[0]} for name, part in parts.items()}
    assert not rows["train"] & (rows["val"] | rows["test"])
    assert not rows["val"] & rows["test"]
