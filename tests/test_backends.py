"""Every model on one backend: finite, pads, no leaks, steps, empty rows, reloading.

    KERAS_BACKEND=jax COURSE_BACKENDS=build/backends python -m pytest -q tests/test_backends.py

Weights are drawn by NumPy, so that each backend has the same. A saved model and its outputs
stay in COURSE_BACKENDS/<backend>/; a later run on another backend loads them and compares.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from course_utils import full_precision, models
from course_utils.layers.mlp import GATES
from course_utils.models.mlp import gmlp_text
from tools.source import LECTURES

WORDS, LENGTH, LONGEST, PADS = 50, 20, 30, 6
CLOSE = 1e-5  # of the largest output


@dataclass
class Case:
    """A model, its inputs, and what has to hold of it.

    pads, follows: the input (its name; "" for the only one) to which pads may be added, and
    whose later tokens may not change earlier outputs. tokens: one output a token of `pads`.
    """

    make: Callable
    inputs: Callable
    pads: str | None = None
    tokens: bool = False
    follows: str | None = None


def texts(words=WORDS, length=LENGTH):
    """Rows of ids, 0 after the last: int32 (6, length)."""
    ids = np.random.default_rng(0).integers(5, words, size=(6, length)).astype("int32")
    ids[:, 0] = 2
    return ids * (np.arange(length) < np.array([20, 17, 11, 9, 8, 2])[:, None])


def real(*shape):
    return np.random.default_rng(1).normal(size=shape).astype("float32")


def pair():
    return {"source": texts(), "target": np.maximum(texts()[::-1, :9], 3)}


def reader(layer):
    """A recurrent layer that reads ids and ends in a probability."""
    ids = keras.Input((None,), dtype="int32")
    x = layer(keras.layers.Embedding(WORDS, 8, mask_zero=True)(ids))
    return keras.Model(ids, keras.layers.Dense(1, activation="sigmoid")(x))


def sequence_of(layer):
    sequence = keras.Input((81, 5))
    return keras.Model(sequence, keras.layers.Dense(4, activation="softmax")(layer(sequence)))


SIZE = {"embed_dim": 16, "num_heads": 2, "mlp_dim": 24, "num_layers": 2, "max_length": LONGEST}
TEXT = {"embed_dim": 8, "mlp_dim": 12, "num_layers": 2, "max_length": LENGTH}
VIT = {"patch": 4, "embed_dim": 12, "num_heads": 3, "mlp_dim": 20, "num_layers": 2}
VIT["classes"] = 7
CANVAS = {"side": 8, "patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12}


def encoder(**settings):
    return models.transformer_encoder(WORDS, **SIZE | settings)


def reads(make):
    """A model of ids with one answer a text."""
    return Case(make, texts, pads="")


def writes(make, pads=None, follows=None):
    """A model of ids with an answer a token."""
    return Case(make, texts, pads, tokens=pads is not None, follows=follows)


def translates(make):
    return Case(make, pair, "source", False, "target")


CASES = {}


def of(number):
    """Collect the cases of a lecture; of one that was removed there are none."""

    def collect(cases):
        if (LECTURES / f"lecture_{number}" / "__init__.py").is_file():
            found = cases(import_module(f"lectures.lecture_{number}"))
            CASES.update((f"{number} {name}", case) for name, case in found)

    return collect


@of("01")
def embeddings(lecture):
    yield "averaging", reads(lambda: lecture.averaging_network(WORDS))
    words = [texts()[:, 0], texts()]
    yield "skip-gram", Case(lambda: lecture.skip_gram_model(WORDS, 8), lambda: words)


@of("02")
def simple_rnn(lecture):
    yield "simple_rnn", reads(lambda: lecture.review_model(WORDS))
    yield "writer", writes(lambda: lecture.build_writer(WORDS), follows="")


@of("03")
def gated(lecture):
    from lectures.lecture_03.cells import LSTMCell

    for name, (layer, _) in lecture.IMDB_READERS.items():
        yield name, reads(lambda layer=layer: reader(layer()))
    yield "LSTMCell", reads(lambda: reader(keras.layers.RNN(LSTMCell(5))))


@of("03b")
def forecasting(lecture):
    hours = real(3, lecture.HOURS)
    for name, body in lecture.BODIES.items():
        yield name, Case(lambda body=body: lecture.forecaster(body(), 5.0), lambda: hours)


@of("03c")
def memory(lecture):
    from lectures.lecture_03c.cells import CoupledLSTMCell, PeepholeLSTMCell

    for cell in (PeepholeLSTMCell, CoupledLSTMCell):
        yield cell.__name__, reads(lambda cell=cell: reader(keras.layers.RNN(cell(5))))
    for name in ("SimpleRNN", "LSTM 3", "GRU 3"):
        layer, _ = lecture.CELLS[name]
        yield name, Case(lambda layer=layer: sequence_of(layer(8)), lambda: real(3, 81, 5))


@of("04")
def convolution(lecture):
    for name, network in lecture.NETWORKS.items():
        yield name, reads(partial(network, WORDS))
    for name in ("slides_network", "conv_gru"):
        yield f"imdb {name}", reads(partial(lecture.imdb_network, name, WORDS, 16))
    motion = real(3, 12, 12, 12, 1)
    for name, body in lecture.MEMORIES.items():
        yield name, Case(lambda body=body: lecture.motion_net(body()), lambda: motion)


@of("05")
def attention(lecture):
    from lectures.lecture_05.translators import RecurrentTranslator

    kinds = lecture.TRANSLATORS | {
        "reversed": {"attention": "general", "reverse": True},
        "feeding": {"attention": "dot", "feed": True},
    }
    for name, settings in kinds.items():
        sizes = {"embed_dim": 6, "units": 8} | settings
        yield name, translates(partial(RecurrentTranslator, WORDS, WORDS, **sizes))


@of("06")
def transformers(lecture):
    yield "review_reader", reads(partial(lecture.review_reader, WORDS, 16, 2, 24, 2, LONGEST))
    yield "encoder", writes(encoder, "")
    yield "encoder, causal", writes(partial(encoder, causal=True), "", "")
    kinds = {"pre": {}, "post": {"norm": "post"}, "shared": {"shared": True}}
    for name, settings in kinds.items():
        make = partial(models.Transformer, WORDS, WORDS, **SIZE, **settings)
        yield f"Transformer, {name}", translates(make)


@of("06b")
def pretraining(lecture):
    from lectures.lecture_06b.pretraining import PretrainingModel

    def classifier(pool):
        return lecture.sequence_classifier(encoder(), 3, pool)

    for pool in lecture.POOLS:
        yield f"classifier {pool}", reads(partial(classifier, pool))
    causal = writes(lambda: lecture.language_model(encoder(causal=True)), "", "")
    yield "language model", causal
    yield "adapters", writes(lambda: lecture.add_adapters(encoder()), "")
    places = np.tile([[1, 3, 2]], (6, 1)).astype("int32")
    masked = {"ids": texts(), "positions": places}

    def model(*more):
        return PretrainingModel(encoder(), *more)

    yield "masked words", Case(model, lambda: masked, "ids")
    yield "next sentence", Case(partial(model, True), lambda: masked, "ids")


@of("06c")
def heads(lecture):
    yield "tokens", writes(lambda: lecture.token_classifier(encoder(), 3), "")
    yield "span", writes(lambda: lecture.span_answerer(encoder()), "")
    two = np.stack([texts(), texts()[::-1]], axis=1)
    yield "choices", Case(lambda: lecture.choice_scorer(encoder(), 2), lambda: two)


@of("06d")
def decoders(lecture):
    for name, changes in lecture.ARMS.items():
        make = partial(lecture.Decoder, WORDS, 16, 4, 2, **lecture.OLD | changes)
        yield name, writes(make, "", "")


@of("07")
def vision(lecture):
    from lectures.lecture_07.digits import digit_convnet, digit_vit

    networks = {"digits": digit_vit, "convnet": digit_convnet, "suspect": lecture.suspect_vit}
    for name, make in networks.items():
        yield name, Case(make, lambda: real(3, 8, 8, 1))
    for pool in ("class", "mean"):
        make = partial(models.vision_transformer, (8, 12), 3, pool=pool, **VIT)
        yield f"ViT, {pool}", Case(make, lambda: real(3, 8, 12, 3))


@of("07b")
def image_to_text(lecture):
    canvas = {"image": real(3, 8, 8, 1), "ids": texts(14, 8)[:3, :5]}

    def written(make):
        return Case(make, lambda: canvas, follows="ids")

    def with_encoder(layers):
        return lecture.ImageToText(lecture.CanvasEncoder(**CANVAS), 14, 8, layers)

    for layers in (1, 2):
        yield f"ImageToText, {layers}", written(partial(with_encoder, layers))
    for attends in (False, True):
        make = partial(lecture.ConvnetToText, 14, attends, (4, 6), 5, 8)
        yield f"ConvnetToText, {attends}", written(make)


@of("08")
def mixers(lecture):
    yield "Mixer", Case(lecture.digit_mixer, lambda: real(3, 8, 8, 1))
    yield "gMLP", Case(lecture.digit_gmlp, lambda: real(3, 8, 8, 1))


@of("08b")
def gmlp_of_texts(lecture):
    kinds = {f"gate {gate}": {"gate": gate} for gate in GATES}
    kinds |= {"causal": {"causal": True}, "tied": {"causal": True, "toeplitz": True}}
    kinds |= {"tiny attention": {"tiny_attention": 4}}
    kinds |= {"all": {"causal": True, "toeplitz": True, "tiny_attention": 4}}
    for name, settings in kinds.items():
        make = partial(gmlp_text, WORDS, **TEXT, **settings)
        yield f"gMLP, {name}", writes(make, follows="" if "causal" in settings else None)
    for name, settings in (("recaller", {}), ("recaller, attention", {"num_heads": 2})):
        yield name, Case(partial(lecture.recaller, 6, **settings), lambda: texts(40, 7))


POOLING = (
    "01 averaging", "04 text_convnet", "04 phrase_5", "04 dilated", "06 review_reader",
    "06b classifier mean", "06c span", "05 general",
)  # fmt: skip


def ask(model, inputs):
    """The model's outputs as a list of NumPy arrays, in float64."""
    found = keras.tree.flatten(model(inputs, training=False))
    return [np.asarray(ops.convert_to_numpy(one), "float64") for one in found]


def apart(some, others):
    """The largest difference, as a share of the largest output."""
    pairs = list(zip(some, others, strict=True))
    scale = max(1.0, *(np.abs(one).max(initial=0) for one, _ in pairs))
    return max(np.abs(one - other).max(initial=0) for one, other in pairs) / scale


def changed(inputs, name, change):
    return change(inputs) if name == "" else inputs | {name: change(inputs[name])}


def built(case):
    """A model with all weights drawn, its inputs and outputs."""
    keras.utils.set_random_seed(0)
    model, inputs = case.make(), case.inputs()
    ask(model, inputs)
    draw = np.random.default_rng(2)  # biases too: zeros would hide a mistake
    drawn = [
        draw.normal(size=w.shape) / (w.shape[-2] ** 0.5 if w.ndim > 1 else 2)
        for w in model.get_weights()
    ]
    model.set_weights(drawn)
    outputs = ask(model, inputs)
    assert all(np.isfinite(one).all() for one in outputs)
    return model, inputs, outputs


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_model_holds_what_is_asked_of_every_model(name, tmp_path):
    case = CASES[name]
    with full_precision():
        model, inputs, outputs = built(case)
        if case.pads is not None:
            pads_count_nothing(case, model, inputs, outputs)
        if case.follows is not None:
            nothing_leaks(case, model, inputs, outputs)
        reloads(name, model, inputs, outputs, os.environ.get("COURSE_BACKENDS", tmp_path))
        an_empty_row_spoils_nothing(model, inputs, outputs)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in POOLING if name in CASES])
def test_a_row_without_a_real_token_spoils_no_output_and_no_gradient(name):
    with full_precision():
        an_empty_row_spoils_nothing(*built(CASES[name]))


def pads_count_nothing(case, model, inputs, outputs):
    ids = inputs if case.pads == "" else inputs[case.pads]

    def answers(outputs):
        return [one[:, : ids.shape[1]][ids != 0] for one in outputs] if case.tokens else outputs

    more = changed(inputs, case.pads, lambda ids: np.pad(ids, ((0, 0), (0, PADS))))
    assert apart(answers(outputs), answers(ask(model, more))) < CLOSE
    if not (case.tokens and case.follows is not None):  # there no token sees what follows
        words = ask(model, changed(inputs, case.pads, lambda ids: np.where(ids, ids, 7)))
        assert apart(answers(outputs), answers(words)) > 1e-4


def nothing_leaks(case, model, inputs, outputs):
    def later(ids):
        ids = ids.copy()
        ids[:, 4] = np.where(ids[:, 4] == 5, 6, 5)
        return ids

    after = ask(model, changed(inputs, case.follows, later))
    assert apart([one[:, :4] for one in outputs], [one[:, :4] for one in after]) < CLOSE
    assert apart(outputs, after) > 1e-4
    if hasattr(model, "step"):
        assert apart([stepped(model, inputs, case.follows)], outputs) < 10 * CLOSE


def stepped(model, inputs, follows):
    """The outputs of a decoder that is given one token at a time, and keeps a state."""
    ids = inputs if follows == "" else inputs[follows]
    rest = [] if follows == "" else [inputs[name] for name in inputs if name != follows]
    state, found = model.start(*rest or [len(ids)], ids.shape[1]), []
    for position in range(ids.shape[1]):
        logits, state = model.step(ids[:, position], position, state)
        found.append(ops.convert_to_numpy(logits))
    return np.stack(found, axis=1).astype("float64")


def an_empty_row_spoils_nothing(model, inputs, outputs):
    """A row of pads alone, or a black image; the model is trained by it."""

    def emptied(array):
        array = array.copy()
        array[1] = 0
        return array

    def mean_square(truth, output):
        return ops.mean(ops.square(output))

    inputs = keras.tree.map_structure(emptied, inputs)
    found = ask(model, inputs)
    assert all(np.isfinite(one).all() for one in found)
    rows = [[np.delete(one, 1, axis=0) for one in some] for some in (outputs, found)]
    assert apart(*rows) < CLOSE
    if model.trainable_weights:
        losses = keras.tree.map_structure(lambda _: mean_square, model(inputs))
        model.compile(keras.optimizers.SGD(1e-3), losses, run_eagerly=True)
        zeros = keras.tree.map_structure(lambda one: np.zeros(one.shape), model(inputs))
        model.train_on_batch(inputs, zeros)
        assert all(np.isfinite(weight).all() for weight in model.get_weights())


def reloads(name, model, inputs, outputs, folder):
    """Save here; what was saved here and by other backends gives the saved outputs."""
    stem = name.replace(" ", "-").replace(",", "")
    # Only the weights are saved where a class is a student's own, not registered, and where a
    # layer is inside an encoder and beside it: Keras makes two of it when it loads.
    kind, package = type(model), type(model).__module__.split(".")[0]
    whole = package == "keras" or keras.saving.get_registered_name(kind) != kind.__name__
    whole = whole and name not in ("06b adapters", "06b language model")
    suffix = ".keras" if whole else ".weights.h5"
    own = Path(folder, keras.backend.backend())
    own.mkdir(parents=True, exist_ok=True)
    (model.save if whole else model.save_weights)(own / (stem + suffix))
    np.savez(own / stem, *outputs)
    for path in sorted(Path(folder).glob(f"*/{stem}{suffix}")):
        if whole:
            again = keras.models.load_model(path, compile=False)
        else:
            again = CASES[name].make()
            ask(again, inputs)
            again.load_weights(path)
        with np.load(path.with_name(f"{stem}.npz")) as arrays:
            theirs = [arrays[f"arr_{number}"] for number in range(len(arrays.files))]
        assert apart(ask(again, inputs), theirs) < CLOSE, f"saved by {path.parent.name}"
