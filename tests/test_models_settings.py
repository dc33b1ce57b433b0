"""Sizes of layers and models: NumPy's numbers count as Python's, what is no size is refused."""

import inspect
import json

import keras
import numpy as np
import pytest
from test_layers import ALL

from course_utils import models

pytestmark = pytest.mark.slow

TEXT = {"embed_dim": 8, "num_heads": 2, "mlp_dim": 8, "num_layers": 1, "max_length": 6}
WORDS = {"source_vocab_size": 20, "target_vocab_size": 21}
MODELS = {
    "encoder": (models.transformer_encoder, {"vocab_size": 20, "dropout": 0.1} | TEXT),
    "transformer": (models.Transformer, WORDS | TEXT),
}
LAYERS = ("MultiHeadAttention", "TransformerEncoderBlock", "TransformerDecoderBlock")
LAYERS += ("LearnedPositions", "SinusoidalPositions")
EVERY = {name: case for name, case in ALL.items() if case[0].__name__ in LAYERS} | MODELS


def numpys(value):
    """The same settings with NumPy's numbers."""
    if isinstance(value, dict):
        return {name: numpys(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(map(numpys, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return np.int64(value) if isinstance(value, int) else np.float64(value)


@pytest.mark.parametrize("name", EVERY)
def test_numbers_of_numpy_make_and_save_the_same_as_pythons(name):
    make, settings = EVERY[name]
    texts = []
    for given in (settings, numpys(settings)):
        keras.backend.clear_session()
        made = make(**given)
        texts.append(json.dumps(keras.saving.serialize_keras_object(made)))
        again = keras.saving.deserialize_keras_object(json.loads(texts[-1]))
        assert type(again) is type(made)
    assert texts[0] == texts[1]


SIZES = [
    (name, setting)
    for name, (_, settings) in EVERY.items()
    for setting, value in settings.items()
    if isinstance(value, int) and not isinstance(value, bool) and setting != "tiny_attention"
]


@pytest.mark.parametrize(("name", "setting"), SIZES)
def test_what_is_no_size_is_refused_by_its_name(name, setting):
    make, settings = EVERY[name]
    for wrong in ("64", 0, -1, 2.5, None, np.float64(8)):
        with pytest.raises(ValueError, match=f"{setting}|image"):
            make(**settings | {setting: wrong})


@pytest.mark.parametrize(
    "name", [n for n, (m, _) in EVERY.items() if "dropout" in str(inspect.signature(m))]
)
def test_what_is_no_share_is_no_dropout(name):
    make, settings = EVERY[name]
    for wrong in ("0.1", -0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="dropout"):
            make(**settings | {"dropout": wrong})
