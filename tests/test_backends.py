"""Every model on one backend: finite, pads, no leaks, steps, empty rows, reloading.

    KERAS_BACKEND=jax COURSE_BACKENDS=build/backends python -m pytest -q tests/test_backends.py

Weights are drawn by NumPy, so that each backend has the same. A saved model and its outputs
stay in COURSE_BACKENDS/<backend>/; a later run on another backend loads them and compares.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from course_utils import full_precision, models
from course_utils.layers.mlp import GATES
from course_utils.models.mlp import gmlp_text
from lectures import (
    lecture_01,
    lecture_02,
    lecture_03,
    lecture_03b,
    lecture_03c,
    lecture_04,
    lecture_05,
    lecture_06,
    lecture_06b,
    lecture_06c,
    lecture_06d,
    lecture_07,
    lecture_07b,
    lecture_08,
    lecture_08b,
)
from lectures.lecture_03.cells import LSTMCell
from lectures.lecture_03c.cells import CoupledLSTMCell, PeepholeLSTMCell
from lectures.lecture_05.translators import RecurrentTranslator
from lectures.lecture_06b import pretraining
from lectures.lecture_06c.language_model import LanguageModel
from lectures.lecture_07.digits import digit_convnet, digit_vit

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
VIT = {
    "patch": 4,
    "embed_dim": 12,
    "num_heads": 3,
    "mlp_dim": 20,
    "num_layers": 2,
    "classes": 7,
}
CANVAS = {"side": 8, "patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12}


def encoder(**settings):
    return models.transformer_encoder(WORDS, **SIZE | settings)


def readers():
    """Models of ids with one answer a text."""
    kinds = {"01 averaging": lambda: lecture_01.averaging_network(WORDS)}
    kinds["02 simple_rnn"] = lambda: lecture_02.review_model(WORDS)
    for name, (layer, _) in lecture_03.IMDB_READERS.items():
        kinds[f"03 {name}"] = lambda layer=layer: reader(layer())
    for cell in (LSTMCell, PeepholeLSTMCell, CoupledLSTMCell):
        kinds[f"03 {cell.__name__}"] = lambda cell=cell: reader(keras.layers.RNN(cell(5)))
    for name, network in lecture_04.NETWORKS.items():
        kinds[f"04 {name}"] = lambda network=network: network(WORDS)
    for name in ("slides_network", "conv_gru"):
        kinds[f"04 imdb {name}"] = lambda name=name: lecture_04.imdb_network(name, WORDS, 16)
    kinds["06 review_reader"] = lambda: lecture_06.review_reader(WORDS, 16, 2, 24, 2, LONGEST)
    for pool in lecture_06b.POOLS:
        kinds[f"06b classifier {pool}"] = lambda pool=pool: lecture_06b.sequence_classifier(
            encoder(), 3, pool
        )
    kinds["06c bi-LSTM"] = lambda: lecture_06c.lstm_classifier(encoder(), 3, "mean", 0.0)
    return {name: Case(make, texts, pads="") for name, make in kinds.items()}


def writers():
    """Models of ids with an answer a token."""
    both, causal = {"pads": "", "tokens": True}, {"follows": ""}
    cases = {
        "02 writer": Case(lambda: lecture_02.build_writer(WORDS), texts, **causal),
        "06 encoder": Case(encoder, texts, **both),
        "06 encoder, causal": Case(lambda: encoder(causal=True), texts, **both, **causal),
        "06b language model": Case(
            lambda: lecture_06b.language_model(encoder(causal=True)), texts, **both, **causal
        ),
        "06b adapters": Case(lambda: lecture_06b.add_adapters(encoder()), texts, **both),
        "06c tokens": Case(lambda: lecture_06c.token_classifier(encoder(), 3), texts, **both),
        "06c span": Case(lambda: lecture_06c.span_answerer(encoder()), texts, **both),
    }
    for positions in ("sinusoidal", "learned"):
        cases[f"06 LanguageModel, {positions}"] = Case(
            lambda positions=positions: LanguageModel(WORDS, positions=positions, **SIZE),
            texts,
            **both,
            **causal,
        )
    for name, changes in lecture_06d.ARMS.items():
        wiring = lecture_06d.OLD | changes
        cases[f"06d {name}"] = Case(
            lambda wiring=wiring: lecture_06d.Decoder(WORDS, 16, 4, 2, **wiring),
            texts,
            **both,
            **causal,
        )
    kinds = {f"gate {gate}": {"gate": gate} for gate in GATES}
    kinds |= {"causal": {"causal": True}, "tied": {"causal": True, "toeplitz": True}}
    kinds |= {"tiny attention": {"tiny_attention": 4}}
    kinds |= {"all": {"causal": True, "toeplitz": True, "tiny_attention": 4}}
    for name, settings in kinds.items():
        follows = causal if settings.get("causal") else {}
        cases[f"08b gMLP, {name}"] = Case(
            lambda settings=settings: gmlp_text(WORDS, **TEXT, **settings),
            texts,
            **follows,
        )
    return cases


def translators():
    """Models of a source and a target."""
    recurrent = lecture_05.TRANSLATORS | {
        "reversed": {"attention": "general", "reverse": True},
        "feeding": {"attention": "dot", "feed": True},
    }
    makes = {
        f"05 {name}": lambda settings=settings: RecurrentTranslator(
            WORDS, WORDS, **{"embed_dim": 6, "units": 8} | settings
        )
        for name, settings in recurrent.items()
    }
    for name, settings in {
        "pre": {},
        "post": {"norm": "post"},
        "shared": {"shared": True},
    }.items():
        makes[f"06 Transformer, {name}"] = lambda settings=settings: models.Transformer(
            WORDS, WORDS, **SIZE, **settings
        )
    return {name: Case(make, pair, "source", False, "target") for name, make in makes.items()}


def others():
    """Models of images, windows, sequences, pairs of inputs."""
    ids, image = texts(14, 8)[:3, :5], real(3, 8, 8, 1)
    canvas, places = {"image": image, "ids": ids}, np.tile([[1, 3, 2]], (6, 1)).astype("int32")
    masked = {"ids": texts(), "positions": places}
    cases = {
        "01 skip-gram": Case(
            lambda: lecture_01.skip_gram_model(WORDS, 8), lambda: [texts()[:, 0], texts()]
        ),
        "06b masked words": Case(
            lambda: pretraining.PretrainingModel(encoder()), lambda: masked, "ids"
        ),
        "06b next sentence": Case(
            lambda: pretraining.PretrainingModel(encoder(), True), lambda: masked, "ids"
        ),
        "06c choices": Case(
            lambda: lecture_06c.choice_scorer(encoder(), 2),
            lambda: np.stack([texts(), texts()[::-1]], axis=1),
        ),
        "07 digits": Case(digit_vit, lambda: image),
        "07 convnet": Case(digit_convnet, lambda: image),
        "07 suspect": Case(lecture_07.suspect_vit, lambda: image),
        "08 Mixer": Case(lecture_08.digit_mixer, lambda: image),
        "08 gMLP": Case(lecture_08.digit_gmlp, lambda: image),
        "08b recaller": Case(lambda: lecture_08b.recaller(6), lambda: texts(40, 7)),
        "08b recaller, attention": Case(
            lambda: lecture_08b.recaller(6, num_heads=2), lambda: texts(40, 7)
        ),
        "08b classifier": Case(lambda: lecture_08b.classifier_of_words(WORDS, **TEXT), texts),
        "08b contexts": Case(
            lambda: lecture_08b.classifier_of_contexts(8, LENGTH, 8, 2, 12, 0.1),
            lambda: real(6, LENGTH, 8) * (texts() > 0)[..., None],
        ),
    }
    for pool in ("class", "mean"):
        cases[f"07 ViT, {pool}"] = Case(
            lambda pool=pool: models.vision_transformer((8, 12), 3, pool=pool, **VIT),
            lambda: real(3, 8, 12, 3),
        )
    for number in (1, 2):
        cases[f"07b ImageToText, {number}"] = Case(
            lambda number=number: lecture_07b.ImageToText(
                lecture_07b.CanvasEncoder(**CANVAS), 14, 8, number
            ),
            lambda: canvas,
            follows="ids",
        )
    for attention in (False, True):
        cases[f"07b ConvnetToText, {attention}"] = Case(
            lambda attention=attention: lecture_07b.ConvnetToText(14, attention, (4, 6), 5, 8),
            lambda: canvas,
            follows="ids",
        )
    for name, body in lecture_03b.BODIES.items():
        cases[f"03b {name}"] = Case(
            lambda body=body: lecture_03b.forecaster(body(), 5.0),
            lambda: real(3, lecture_03b.HOURS),
        )
    for name in ("SimpleRNN", "LSTM 3", "GRU 3"):
        layer, bias = lecture_03c.CELLS[name]
        cases[f"03c {name}"] = Case(
            lambda layer=layer: sequence_of(layer(8)), lambda: real(3, 81, 5)
        )
    for name, memory in lecture_04.MEMORIES.items():
        cases[f"04 {name}"] = Case(
            lambda memory=memory: lecture_04.motion_net(memory()),
            lambda: real(3, 12, 12, 12, 1),
        )
    return cases


CASES = readers() | writers() | translators() | others()
POOLING = (
    "01 averaging", "04 text_convnet", "04 phrase_5", "04 dilated", "06 review_reader",
    "06b classifier mean", "06c bi-LSTM", "06c span", "05 general", "08b contexts",
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


@pytest.mark.parametrize("name", POOLING)
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
