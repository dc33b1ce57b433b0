"""The models of Mixer and gMLP: published counts, sizes, heads on text, bad input."""

import keras
import numpy as np
import pytest
from redrawn import scrambled

from course_utils.models import mlp
from course_utils.models.mlp import gmlp_model, gmlp_text, mixer_model
from lectures import lecture_06c as heads
from lectures import lecture_08b
from lectures.lecture_06b import sequence_classifier
from lectures.lecture_06b.pretraining import PretrainingModel
from lectures.lecture_08 import PRINTED, dense, gmlp_block_parameters, mixer_parameters
from lectures.lecture_08b import gmlp_text_parameters

WORDS, LENGTH = 50, 20
SHAPE = {"patch": 2, "embed_dim": 12, "num_layers": 2}
MIXER = SHAPE | {"token_mlp_dim": 5, "channel_mlp_dim": 20}
GMLP = SHAPE | {"mlp_dim": 20}
TEXT = {"max_length": LENGTH, "embed_dim": 8, "mlp_dim": 12, "num_layers": 2}
KINDS = {
    "split": {},
    "linear": {"gate": "linear"},
    "additive toeplitz": {"gate": "additive", "toeplitz": True},
    "causal": {"causal": True},
    "tiny": {"tiny_attention": 4},
    "all": {"causal": True, "toeplitz": True, "tiny_attention": 4},
}
COUNTS = {
    "mixer": {"S/32": 19_104_624, "S/16": 18_528_264, "B/32": 60_293_428, "B/16": 59_880_472}
    | {"L/32": 206_939_264, "L/16": 208_196_168, "H/14": 432_350_952},
    "gmlp": {"Ti": 5_867_328, "S": 19_422_656, "B": 73_075_392},
}


def mixer_total(**sizes):
    return sum(mixer_parameters(**sizes).values())


def gmlp_total(
    patch, embed_dim, mlp_dim, num_layers, image=224, channels=3, classes=1_000, **settings
):
    block = gmlp_block_parameters((image // patch) ** 2, embed_dim, mlp_dim, **settings)
    patches = dense(patch * patch * channels, embed_dim)
    return patches + num_layers * block + 2 * embed_dim + dense(embed_dim, classes)


COUNTERS = {"mixer": mixer_total, "gmlp": gmlp_total}


@pytest.mark.parametrize("family", COUNTS)
def test_published_sizes_have_the_counts_of_the_equations(family):
    for size, settings in mlp.MLP_SIZES[family].items():
        total = COUNTERS[family](**settings)
        assert total == COUNTS[family][size]
        assert total == pytest.approx(PRINTED[family][size] * 1e6, rel=0.03)


def test_published_text_models_are_within_two_percent_of_print():
    for size, settings in mlp.MLP_SIZES["gmlp_text"].items():
        total = gmlp_text_parameters(**settings)
        assert total == pytest.approx(lecture_08b.PRINTED[size] * 1e6, rel=0.02)


def test_the_gates_of_the_papers_table_have_its_sizes():
    """92 million without a split need D = 2,048: with the split gate's 3,072 they have 130."""
    shape = {"max_length": 128, "embed_dim": 512, "num_layers": 36}
    split = gmlp_text_parameters(mlp_dim=3072, **shape)
    assert split == pytest.approx(102e6, rel=0.01)
    for gate in ("linear", "additive", "multiplicative"):
        narrow = gmlp_text_parameters(mlp_dim=2048, gate=gate, **shape)
        assert narrow == pytest.approx(92e6, rel=0.01)
        assert gmlp_text_parameters(mlp_dim=3072, gate=gate, **shape) > 130e6
    tied = gmlp_text_parameters(mlp_dim=3072, toeplitz=True, **shape)
    assert split - tied == 36 * (128**2 - 255)


@pytest.mark.slow
def test_a_published_size_is_built_as_counted():
    assert mlp.gmlp("Ti").count_params() == COUNTS["gmlp"]["Ti"]


def test_other_images_and_classes_are_built_as_counted():
    model = mlp.mixer("S/16", image=32, classes=10)
    sizes = mlp.MLP_SIZES["mixer"]["S/16"]
    assert model.count_params() == mixer_total(image=32, classes=10, **sizes)


MODELS = {"mixer": (mixer_model, MIXER), "gmlp": (gmlp_model, GMLP)}


def image_model(kind):
    """A small classifier of 8 × 8 grey images, all weights drawn again."""
    model, sizes = MODELS[kind]
    return scrambled(model(8, 1, classes=3, **sizes))


def images(side=8, channels=1):
    shape = (4, side, side, channels)
    return np.random.default_rng(0).normal(size=shape).astype("float32")


@pytest.mark.parametrize("kind", ["mixer", "gmlp"])
def test_an_image_model_counts_as_the_formula(kind):
    model = image_model(kind)
    total = COUNTERS[kind](image=8, channels=1, classes=3, **MODELS[kind][1])
    assert model.count_params() == total and model(images()).shape == (4, 3)


def encoder_of(kind, dropout=0.0):
    return scrambled(gmlp_text(WORDS, dropout=dropout, **TEXT, **KINDS[kind]))


def states_of(encoder, ids):
    return np.stack([np.array(state) for state in encoder(ids)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_encoder_is_deaf_to_pads_and_counts_as_the_formula(kind, texts):
    encoder = encoder_of(kind)
    how = {name: value for name, value in KINDS[kind].items() if name != "causal"}
    total = gmlp_text_parameters(vocab_size=WORDS, **TEXT, **how)
    if kind == "all":  # a causal Toeplitz W has no weights for later tokens
        total -= TEXT["num_layers"] * (LENGTH - 1)
    assert encoder.count_params() == total
    before = states_of(encoder, texts)
    for layer in encoder._flatten_layers(include_self=False):
        if isinstance(layer, keras.layers.ReversibleEmbedding):
            table = layer.embeddings.numpy()
            table[0] = 3.0
            layer.embeddings.assign(table)
    assert np.array_equal(before[:, texts != 0], states_of(encoder, texts)[:, texts != 0])
    changed = texts.copy()
    changed[0, 7] = (texts[0, 7] + 9) % (WORDS - 2) + 2
    moved = np.abs(before - states_of(encoder, changed))[-1, 0].max(axis=-1)
    assert moved[7:].min() > 1e-4
    assert not moved[:7].any() if KINDS[kind].get("causal") else moved[:7].min() > 1e-4


def test_heads_and_the_word_guesser_work_on_it(texts):

    encoder = encoder_of("tiny")
    assert sequence_classifier(encoder, 2, pool="mean")(texts).shape == (6, 2)
    assert heads.token_classifier(encoder, 5)(texts).shape == (6, LENGTH, 5)
    assert heads.span_answerer(encoder)(texts)["end"].shape == (6, LENGTH)
    pairs = np.stack([texts, texts[::-1]], axis=1)
    assert heads.choice_scorer(encoder, 2)(pairs).shape == (6, 2)
    guesser = PretrainingModel(encoder)
    places = np.zeros((6, 3), "int32") + [0, 1, 2]
    assert guesser({"ids": texts, "positions": places}).shape == (6, 3, WORDS)


def test_other_lengths_and_images_are_refused_with_the_reason(texts):
    reader = sequence_classifier(encoder_of("split"), 2)
    with pytest.raises(ValueError, match="for 20 tokens and cannot take 19 tokens: "):
        reader(texts[:, :19])
    with pytest.raises(ValueError, match="cannot take images of 12 × 12 × 1: the weights"):
        image_model("mixer")(images(12))
    with pytest.raises(ValueError, match="images of 8 × 8 × 3: the patches' matrix"):
        image_model("mixer")(images(8, 3))


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: mlp.mixer("S/8"), "'S/32', 'S/16', 'B/32', 'B/16', 'L/32', 'L/16', 'H/14'"),
        (lambda: mlp.gmlp("L"), "'L': choose one of 'Ti', 'S', 'B'"),
        (lambda: mixer_model(9, 1, classes=3, **MIXER), "9 is not divisible by 2"),
        (lambda: gmlp_text(9, num_layers=0), "num_layers has to be a whole number"),
    ],
)
def test_wrong_arguments_are_told_what_is_allowed(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()
