"""The sample lecture's mean."""

import numpy as np

from lectures import lecture_09


def test_padding_does_not_change_a_mean():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    padded = np.concatenate([x, np.full((2, 2, 4), 7.0)], axis=1)
    kept = np.repeat([[1, 1, 1, 0, 0]], 2, axis=0)
    np.testing.assert_allclose(lecture_09.masked_mean(padded, kept), x.mean(axis=1))
