"""An input of another size is refused by name after right ones, too, and wherever it comes in.

TensorFlow compiles a second graph, with open sizes, for an input of a second shape.
"""

import keras
import numpy as np
import pytest

from course_utils import layers, models
from lectures import lecture_07b

VIT = {"patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 8, "num_layers": 1, "classes": 3}
CANVAS = {"side": 8, "patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12}
TEXT = {"embed_dim": 8, "mlp_dim": 8, "num_layers": 1, "max_length": 6}


def images(side):
    return np.zeros((2, side, side, 1), "float32")


def ids(tokens):
    return np.ones((2, tokens), "int32")


def canvas(side):
    return {"image": images(side), "ids": ids(5)}


def alone(layer, size=(6, 8)):
    inputs = keras.Input(size)
    return keras.Model(inputs, layer(inputs))


def vectors(tokens):
    return np.zeros((2, tokens, 8), "float32")


SIZES = {
    "vit": (lambda: models.vision_transformer(8, 1, **VIT), images, 8, (9, 4)),
    "mixer": (lambda: models.mixer_model(8, 1, 4, 8, 4, 8, 1, 3), images, 8, (9, 4)),
    "gmlp": (lambda: models.gmlp_model(8, 1, 4, 8, 8, 1, 3), images, 8, (12,)),
    "gmlp_text": (lambda: models.gmlp_text(20, **TEXT), ids, 6, (5, 7)),
    "toeplitz": (lambda: models.gmlp_text(20, **TEXT, toeplitz=True), ids, 6, (7,)),
    "mixer block": (lambda: alone(layers.MixerBlock(8, 8)), vectors, 6, (5,)),
    "gmlp block": (lambda: alone(layers.GMLPBlock(8)), vectors, 6, (7,)),
    "canvas encoder": (
        lambda: alone(lecture_07b.CanvasEncoder(**CANVAS), (8, 8, 1)),
        images,
        8,
        (9, 4),
    ),
    "convnet to text": (
        lambda: lecture_07b.ConvnetToText(14, True, (4, 6), 5, 8),
        canvas,
        8,
        (12,),
    ),
}
CANNOT = "built for .* and cannot take|layer: expected|cannot be cut into patches"


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_another_size_is_refused_by_a_call_and_by_predict_after_right_ones(name):
    make, inputs, right, wrong = SIZES[name]
    model = make()
    model.predict(inputs(right), verbose=0)
    for size in wrong:
        with pytest.raises(ValueError, match=CANNOT):
            model(inputs(size))
    with pytest.raises(ValueError, match=CANNOT):
        model.predict(inputs(wrong[0]), verbose=0)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fit", "evaluate"])
@pytest.mark.parametrize("name", ["mixer", "gmlp_text"])
def test_another_size_is_refused_by_fit_and_evaluate_after_right_ones(name, how):
    make, inputs, right, (wrong, *_) = SIZES[name]
    model = make()
    outputs = model(inputs(right))
    model.compile("sgd", keras.tree.map_structure(lambda _: "mse", outputs))
    targets = keras.tree.map_structure(lambda one: np.zeros(one.shape), outputs)
    getattr(model, how)(inputs(right), targets, verbose=0)
    with pytest.raises(ValueError, match=CANNOT):
        getattr(model, how)(inputs(wrong), targets, verbose=0)


LENGTHS = {
    "sinusoidal": lambda: alone(layers.SinusoidalPositions(6), (None, 8)),
    "learned": lambda: alone(layers.LearnedPositions(6), (None, 8)),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_a_longer_text_than_the_positions_is_refused_after_right_ones(name):
    model = LENGTHS[name]()
    for tokens in (4, 5, 6):
        model.predict(vectors(tokens), verbose=0)
    with pytest.raises(ValueError, match="7 tokens, but there are only 6 positions: cut it"):
        model(vectors(7))
    # A graph of TensorFlow has errors of its own.
    with pytest.raises(Exception, match="tokens, but there are only 6 positions: cut it"):
        model.predict(vectors(7), verbose=0)
