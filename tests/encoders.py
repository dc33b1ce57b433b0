"""A small encoder and rows of ids for it, which the tests of several labs use."""

import keras
import numpy as np

from lectures.lecture_06b.tokenizers import START

WORDS, LENGTH = 60, 20


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def small_encoder(causal=False, num_layers=2, **more):
    from course_utils.models import transformer_encoder

    keras.utils.set_random_seed(0)
    return transformer_encoder(WORDS, 16, 2, 32, num_layers, LENGTH, causal=causal, **more)


def some_ids(rows=6, seed=0):
    """Rows <sos> first, 0 behind the last of 6 to 16 tokens."""
    draw = np.random.default_rng(seed)
    ids = draw.integers(5, WORDS, size=(rows, LENGTH)).astype("int32")
    ids[:, 0] = START
    lengths = draw.integers(6, LENGTH - 3, size=(rows, 1))
    return ids * (np.arange(LENGTH) < lengths)
