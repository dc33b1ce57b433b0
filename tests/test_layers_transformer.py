"""Positions, blocks and the models made of them: leaks, caches, precision."""

import keras
import numpy as np
import pytest
from redrawn import Redrawn, in_policy, scrambled, unmoved

from course_utils import layers, models
from lectures.lecture_05.translators import RecurrentTranslator
from lectures.lecture_06 import sinusoidal_positions, transformer_parameters

WORDS, DIM, HEADS, HIDDEN, LENGTH = 50, 8, 2, 12, 30
RECURRENT = {
    "plain": {},
    "bahdanau": {"attention": "bahdanau"},
    "general reversed": {"attention": "general", "reverse": True},
}
TRANSFORMERS = {
    "pre": {},
    "post": {"norm": "post", "num_layers": 1},
    "shared": {"shared": True, "num_layers": 1},
}
KINDS = [*RECURRENT, *TRANSFORMERS]
SIZES = {"embed_dim": DIM, "num_heads": HEADS, "mlp_dim": HIDDEN, "num_layers": 2}
SIZES |= {"max_length": LENGTH}


def make(kind, dropout=0.5):
    """A model with all weights drawn again; the recurrent ones have no dropout."""
    keras.utils.set_random_seed(0)
    if kind in RECURRENT:
        model = RecurrentTranslator(WORDS, WORDS, 6, DIM, **RECURRENT[kind])
    else:
        settings = SIZES | TRANSFORMERS[kind]
        model = models.Transformer(WORDS, WORDS, dropout=dropout, **settings)
    ids = np.ones((1, 3), "int32")
    ask(model, ids, ids)
    return scrambled(model)


def ask(model, source, target):
    """Logits (batch, T, words)."""
    return np.array(model({"source": source, "target": target}))


@pytest.fixture(scope="module")
def made():
    """Each kind of model once."""
    kept = {}

    def give(kind):
        if kind not in kept:
            kept[kind] = make(kind)
        return kept[kind]

    return give


@pytest.fixture
def texts(texts):
    """The same texts, at most ten words long: (6, 10)."""
    return texts[:, :10]


@pytest.fixture
def target(texts):
    """<sos> and up to eight words: (6, 9)."""
    return np.pad(texts[::-1, :8], ((0, 0), (1, 0)), constant_values=2)


def pad(ids, pads):
    return np.pad(ids, ((0, 0), (0, pads)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_follows_changes_no_earlier_answer_with_dropout_on(kind, made, texts, target):
    model = made(kind)
    changed = target.copy()
    changed[:, 5] = (target[:, 5] + 7) % WORDS
    ways = [lambda *ids: ask(model, *ids)]
    if kind not in RECURRENT:
        redrawn = Redrawn(model)
        ways.append(lambda *ids: ask(redrawn, *ids))
    answers = []
    longer = ask(model, texts, pad(target, 15))[:, :9]
    assert np.abs(longer - ask(model, texts, target)).max() < 1e-5
    for way in ways:
        before, after = way(texts, target), way(texts, changed)
        assert np.array_equal(before[:, :5], after[:, :5])
        assert np.abs(before[:, 5] - after[:, 5]).max(axis=-1).min() > 1e-4
        answers.append(before)
    assert len(answers) == 1 or np.abs(answers[0] - answers[1]).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("kind", ["bahdanau", "pre"])
def test_half_precision_gives_no_nan_and_logits_in_full(kind, policy, texts, target):
    with in_policy(policy):
        model = make(kind)
        logits = ask(model, texts, target)
    assert logits.dtype == np.float32 and np.isfinite(logits).all()
    assert np.abs(logits - ask(model, pad(texts, 15), target)).max() < 0.05
    state = model.start(texts, 12)
    first, _ = model.step(target[:, 0], 0, state)
    assert np.abs(logits[:, 0] - np.array(first)).max() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bahdanau", "general reversed", "pre"])
def test_every_weight_learns_from_real_words_alone(kind, texts, target):
    model = make(kind, dropout=0.0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.SGD(1.0), loss, run_eagerly=True)
    before = model.get_weights()
    model.train_on_batch({"source": texts, "target": target}, np.roll(target, -1, axis=1))
    assert unmoved(model, before) == []


@pytest.mark.parametrize("kind", ["pre", "post"])
def test_an_alignment_is_what_the_last_block_weighs_with(
    kind, made, texts, target, monkeypatch
):
    model, weights = made(kind), []
    across = model.decoder[-1].cross_attention
    attend = across.attend

    def remember(*given):
        found = attend(*given)
        weights.append(np.array(found[1]))
        return found

    monkeypatch.setattr(across, "attend", remember)
    ask(model, texts, target)
    found = np.array(model.alignment(texts, target))
    assert found.shape == (6, HEADS, 9, 10)
    assert np.abs(found - weights[0]).max() < 1e-6
    encoded, mask = map(np.array, model.encode(texts))  # arrays carry no mask of Keras'
    hidden = np.array(model.decoder[-1].cross_weights(encoded, encoded, mask))
    assert not hidden[np.broadcast_to(~mask[:, None, None], hidden.shape)].any()


def test_dropout_drops_where_a_batch_is_trained_on(made, texts, target):
    model = made("pre")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.0), loss, run_eagerly=True)
    inputs = {"source": texts, "target": target}
    tested = model.test_on_batch(inputs, texts[:, :9])
    assert abs(model.train_on_batch(inputs, texts[:, :9]) - tested) > 1e-3


@pytest.mark.parametrize("causal", [False, True])
def test_the_encoder_hands_out_its_layers(causal, texts):
    encoder = scrambled(models.transformer_encoder(WORDS, causal=causal, **SIZES))
    states = np.stack([np.array(state) for state in encoder(texts)])
    assert states.shape == (3, 6, 10, DIM)
    assert np.abs(np.diff(states, axis=0)).max(axis=(1, 2, 3)).min() > 1e-3
    changed = texts.copy()
    changed[:3, 7] = (texts[:3, 7] + 9) % (WORDS - 2) + 2
    after = np.stack([np.array(state) for state in encoder(changed)])
    moved = np.abs(states - after)[1:, :3].max(axis=-1) > 1e-5
    assert moved[:, :, 7].all()
    assert moved[:, :, :7].any() != causal


def vectors(tokens=7, seed=0):
    shape = (2, tokens, DIM)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("learned", [True, False])
def test_positions_add_their_table_from_any_start(learned):
    x, kind = vectors(), layers.LearnedPositions if learned else layers.SinusoidalPositions
    layer = kind(30)
    layer(x)
    assert layer.count_params() == (30 * DIM if learned else 0)
    table = scrambled(layer).get_weights()[0] if learned else sinusoidal_positions(30, DIM)
    for start in (0, 4, np.int32(4)):
        found = np.array(layer(x, start=start))
        assert np.abs(found - (x + table[start : start + 7])).max() < 1e-5


def test_positions_need_no_trial_call_to_know_their_shape():
    layer = layers.SinusoidalPositions(30)
    assert layer.compute_output_shape((None, None, DIM)) == (None, None, DIM)
    with pytest.raises(ValueError, match="31 tokens"):
        layer.compute_output_shape((None, 31, DIM))


@pytest.mark.parametrize("kind", TRANSFORMERS)
def test_more_tokens_than_positions_are_refused(kind, made, texts, target):
    model = made(kind)
    with pytest.raises(ValueError, match="31 tokens, but there are only 30 positions"):
        ask(model, texts, pad(target, 22))
    with pytest.raises(ValueError, match="31 tokens, but there are only 30 positions"):
        model.start(texts, 31)


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: models.Transformer(9, 9, num_layers=0), "num_layers has to be a whole number"),
        (lambda: models.Transformer(9, 8, shared=True), "one vocabulary"),
        (lambda: models.transformer_encoder(9, positions="none"), "'sinusoidal', 'learned'"),
        (lambda: models.transformer_encoder(9, num_layers=0), "num_layers"),
        (lambda: RecurrentTranslator(9, 9, attention="luong"), "'bahdanau', 'dot'"),
        (lambda: RecurrentTranslator(9, 9, feed=True), "feed"),
        (lambda: models.transformer("huge"), "'base', 'big'"),
    ],
)
def test_wrong_arguments_are_told_what_is_allowed(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()


def test_published_sizes_are_the_papers():
    table_3 = {"base": [512, 8, 2048, 6, 0.1], "big": [1024, 16, 4096, 6, 0.3]}
    sizes = models.SIZES["transformer"]
    assert {size: list(sizes[size].values()) for size in sizes} == table_3


@pytest.mark.parametrize("shared", [True, False])
def test_a_model_has_the_parameters_of_the_formula(shared):
    """Ours has biases on W^Q, W^K, W^V, W^O and, where it is not shared, on the output."""
    model = models.Transformer(WORDS, WORDS, norm="post", shared=shared, **SIZES)
    model.build()
    parts = transformer_parameters(DIM, HIDDEN, 2, WORDS, shared=shared, attention_bias=True)
    assert model.count_params() == sum(parts.values()) + (0 if shared else WORDS)
    pre = models.Transformer(WORDS, WORDS, shared=shared, **SIZES)
    pre.build()
    assert pre.count_params() - model.count_params() == 2 * 2 * DIM
