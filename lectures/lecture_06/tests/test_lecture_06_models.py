"""Lecture 06: NumPy, ours and Keras' own are equal; what a student builds is what runs."""

import keras
import numpy as np
import pytest
from redrawn import scrambled

import course_utils as cu
from course_utils import layers
from course_utils.layers.attention import HeadProjections, masked_softmax
from course_utils.layers.transformer import CachedBlock, Positions, TransformerBlock
from course_utils.models.transformer import TransformerParts
from lectures import lecture_06
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_06 import (
    encoder_block,
    feed_forward,
    frequencies,
    layer_norm,
    multi_head,
    residual,
    rotation,
    sinusoidal_positions,
)
from tools.shows import built

BATCH, T, S, DIM, HEADS = 3, 7, 5, 8, 4
QUERY_LENGTHS, VALUE_LENGTHS = np.array([T, 4, 2]), np.array([S, 3, 1])
MASKS = ["none", "padding", "causal", "both", "own"]


def tokens(count, seed=0):
    shape = (BATCH, count, DIM)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def real(lengths, count):
    return np.arange(count) < lengths[:, None]


def attention_pair():
    """Our layer, Keras' own with the same weights, and these as the reference takes them."""
    ours = layers.MultiHeadAttention(DIM, HEADS)
    theirs = keras.layers.MultiHeadAttention(HEADS, DIM // HEADS)
    ours.build((None, T, DIM), (None, T, DIM))
    theirs.build((None, T, DIM), (None, T, DIM))
    draw = np.random.default_rng(1)
    weights = []
    for part in (ours.query, ours.key, ours.value, ours.output_projection):
        part.set_weights([draw.normal(size=w.shape) for w in part.get_weights()])
        weights += part.get_weights()
    shapes = [w.shape for w in theirs.get_weights()]
    theirs.set_weights([w.reshape(s) for w, s in zip(weights, shapes, strict=True)])
    return ours, theirs, weights


def masks_for(name, lengths, count):
    """(keywords of the layers, the reference's mask) for one case."""
    padding = real(lengths, count)
    own = np.random.default_rng(2).random((BATCH, T, count)) < 0.6
    own[..., 0] = True  # an empty row has a test of its own
    causal = np.tri(T, count, dtype=bool)
    return {
        "none": ({}, None),
        "padding": ({"value_mask": padding}, padding[:, None]),
        "causal": ({"use_causal_mask": True}, causal),
        "both": ({"value_mask": padding, "use_causal_mask": True}, padding[:, None] & causal),
        "own": ({"attention_mask": own}, own),
    }[name]


def distance(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    return np.abs(ours - theirs).max()


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("count", [T, S])
def test_heads_looking_at_their_own_and_another_sentence_are_equal_three_times(mask, count):
    x, values = tokens(T), tokens(count, seed=0 if count == T else 3)
    ours, theirs, weights = attention_pair()
    lengths = QUERY_LENGTHS if count == T else VALUE_LENGTHS
    keywords, reference = masks_for(mask, lengths, count)
    expected, alpha = multi_head(x, values, weights, HEADS, reference)
    for layer in (ours, theirs):
        found, scores = layer(x, values, return_attention_scores=True, **keywords)
        assert distance(expected, found) < 1e-5
        assert distance(alpha, scores) < 1e-5
        assert distance(expected, layer(x, values, **keywords)) < 1e-5
    keys = tokens(count, seed=4)
    assert (
        distance(ours(x, values, keys, **keywords), theirs(x, values, keys, **keywords)) < 1e-5
    )


def test_positions_are_the_papers_formula():
    table = sinusoidal_positions(50, 16)
    assert table.shape == (50, 16)
    for position, channel in [(0, 0), (0, 1), (3, 4), (49, 15), (17, 8)]:
        angle = position / 10000 ** (2 * (channel // 2) / 16)
        expected = np.cos(angle) if channel % 2 else np.sin(angle)
        assert np.isclose(table[position, channel], expected)
    assert np.array_equal(frequencies(2), [1.0])
    for wrong in (0, 1, 7):
        with pytest.raises(ValueError, match="even"):
            sinusoidal_positions(4, wrong)


@pytest.mark.parametrize("k", [0, 1, 7, -5])
def test_moving_a_position_is_a_rotation(k):
    table = sinusoidal_positions(60, 16)
    R = rotation(16, k)
    moved = table[10:40] @ R.T
    assert distance(moved, table[10 + k : 40 + k]) < 1e-9
    assert np.allclose(R @ R.T, np.eye(16))


def test_layer_norm_is_keras_own():
    x = tokens(T) * 3 + 1
    layer = keras.layers.LayerNormalization(epsilon=1e-6)
    layer.build(x.shape)
    layer.set_weights(list(np.random.default_rng(2).normal(size=(2, DIM))))
    ours = layer_norm(x, *layer.get_weights())
    assert distance(ours, layer(x)) < 1e-5


def heads_of(attention):
    parts = (attention.query, attention.key, attention.value, attention.output_projection)
    return [w for part in parts for w in part.get_weights()]


def block_pair(kind, norm):
    """A block with weights drawn again, biases and gains too, and these for the reference."""
    block = getattr(layers, f"Transformer{kind}Block")(DIM, HEADS, 11, norm=norm)
    shapes = [(None, T, DIM), (None, S, DIM)]
    scrambled(block.build(*shapes[: 1 if kind == "Encoder" else 2]) or block)
    weights = {"attention": heads_of(block.attention)}
    if hasattr(block, "cross_attention"):
        weights["cross"] = heads_of(block.cross_attention)
    parts = ("attention_norm", "cross_norm", "feed_forward", "feed_forward_norm")
    own = [name for name in parts if hasattr(block, name)]
    return block, weights | {name: getattr(block, name).get_weights() for name in own}


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_an_encoder_block_is_the_references(norm, masked):
    block, weights = block_pair("Encoder", norm)
    x, mask = tokens(T), real(QUERY_LENGTHS, T) if masked else None
    ours = encoder_block(x, weights, HEADS, mask[:, None] if masked else None, norm)
    assert distance(ours, block(x, mask=mask)) < 1e-5
    own = lecture_06.block_weights(block)
    again = encoder_block(x, own, HEADS, mask[:, None] if masked else None, norm)
    assert distance(ours, again) == 0
    with pytest.raises(ValueError, match="'pre', 'post'"):
        encoder_block(x, weights, HEADS, norm="behind")


def decoder_block(x, weights, encoded=None, mask=True, encoded_mask=None, norm="pre"):
    """The reference of the decoder's block: without `encoded`, GPT's."""
    mask = np.tri(x.shape[-2], dtype=bool) & mask

    parts = {
        "attention": lambda y: multi_head(y, y, weights["attention"], HEADS, mask)[0],
        "cross": lambda y: multi_head(y, encoded, weights["cross"], HEADS, encoded_mask)[0],
        "feed_forward": lambda y: feed_forward(y, *weights["feed_forward"]),
    }
    for name, part in parts.items():
        if name in weights:
            x = residual(x, part, weights[f"{name}_norm"], norm)
    return x


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_decoder_block_is_the_references(norm, masked):
    block, weights = block_pair("Decoder", norm)
    x, encoded = tokens(T), tokens(S, seed=3)
    mask = real(VALUE_LENGTHS, S) if masked else None
    reference = mask[:, None] if masked else None
    ours = decoder_block(x, weights, encoded, encoded_mask=reference, norm=norm)
    assert distance(ours, block(x, encoded, encoded_mask=mask)) < 1e-5


def paper(size):
    row = cu.models.SIZES["transformer"][size]
    return {key: row[key] for key in ("embed_dim", "mlp_dim", "num_layers")}


@pytest.mark.parametrize(
    ("size", "shared", "unshared", "printed"),
    [
        ("base", 63_045_632, 100_933_632, 65e6),
        ("big", 214_171_648, 289_947_648, 213e6),
    ],
)
def test_parameters_by_formula_come_near_what_the_paper_prints(size, shared, unshared, printed):
    count = lecture_06.transformer_parameters(**paper(size))
    assert sum(count.values()) == shared and np.isclose(shared, printed, rtol=0.04)
    assert sum(lecture_06.transformer_parameters(**paper(size), shared=False).values()) == (
        unshared
    )
    feed_forward = count["encoder feed-forward"] + count["decoder feed-forward"]
    assert feed_forward == max(feed_forward, count["embeddings"])


WORDS = 50


@pytest.fixture(scope="module")
def pairs():
    sides = dict.fromkeys(("source", "target"), range(WORDS))
    return cu.data.Dataset("pairs", None, None, None, vocabulary=sides, source="tests")


def texts(least=4, steps=9):
    draw = np.random.default_rng(0)
    ids = draw.integers(least, WORDS, size=(3, steps)).astype("int32")
    return ids * (np.arange(steps) < np.array([[steps], [4], [1]]))


def targets(width=6):
    ids = np.random.default_rng(1).integers(4, WORDS, size=(3, width)).astype("int32")
    ids[:, 0] = cu.data.START
    return ids


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def test_the_derivative_of_the_weights_is_the_formulas_and_the_scale_makes_it_level():
    draw, d = np.random.default_rng(64), 64
    q, K = draw.normal(size=(1, 1, d))[0, 0], draw.normal(size=(1, 32, d))[0]
    for scaled in (False, True):
        alpha = lecture_06.softmax(K @ q / (d**0.5 if scaled else 1.0))
        _, found = lecture_06.sharpness(d, scaled, draws=1)
        assert np.isclose(found[0], np.linalg.norm(np.diag(alpha) - np.outer(alpha, alpha)))
    level = [np.median(lecture_06.sharpness(d, True, 300)[1]) for d in (16, 512)]
    assert np.allclose(level, 0.24, atol=0.02)


def test_without_the_division_scores_are_larger(pairs):
    outputs = []
    for kind in (cu.models.Transformer, lecture_06.UnscaledTransformer):
        keras.utils.set_random_seed(0)
        model = lecture_06.translator(pairs, lecture_06.TRANSLATOR, kind)
        model({"source": texts(), "target": targets()})
        attention = model.encoder[0].attention
        x = tokens(T)[..., :1] * np.ones(64, "float32")
        outputs.append(array(attention(x, x, return_attention_scores=True)[1]))
    scaled, unscaled = (np.log(weights) for weights in outputs)
    differences = (each - each[..., :1] for each in (scaled, unscaled))
    assert np.allclose(*(next(differences) * factor for factor in (4, 1)), atol=1e-2)


def test_without_positions_a_shuffled_sentence_gets_the_same_states_shuffled(pairs):
    ids = np.maximum(texts(), 1)
    order = np.random.default_rng(0).permutation(ids.shape[1])
    for kind, blind in (
        (cu.models.Transformer, False),
        (lecture_06.NoPositionsTransformer, True),
    ):
        keras.utils.set_random_seed(0)
        model = lecture_06.translator(pairs, lecture_06.TRANSLATOR, kind)
        straight, shuffled = (array(model.encode(each)[0]) for each in (ids, ids[:, order]))
        assert np.allclose(shuffled, straight[:, order], atol=1e-2) == blind


def test_without_residuals_a_dead_sublayer_ends_the_signal(pairs):
    for kind, dead in (
        (cu.models.Transformer, False),
        (lecture_06.NoResidualsTransformer, True),
    ):
        model = lecture_06.translator(pairs, lecture_06.TRANSLATOR, kind)
        model.build()
        for block in model.encoder + model.decoder:
            for layer in block.feed_forward.layers:
                layer.set_weights([0 * weight for weight in layer.get_weights()])
        logits = array(model({"source": texts(), "target": targets()}))
        assert bool(np.ptp(logits, axis=1).max() < 1e-6) == dead


def test_a_head_is_looked_into(pairs):
    model = lecture_06.translator(pairs, lecture_06.TRANSLATOR)
    model.build()
    ids = texts()[:1]
    Q, K, _ = lecture_06.inside_head(model, ids, head=2)
    x = model.encoder[0](model.embed(model.source_embedding, ids))
    weights = array(model.encoder[1].attention_weights(x))[0, 2]
    assert distance(lecture_06.softmax(Q @ K.T / 4), weights) < 1e-5


@pytest.mark.slow
def test_a_leak_is_found_and_its_reach_is_told(pairs):
    for kind, ahead in ((cu.models.Transformer, 0), (lecture_06.LeakyTransformer, 2)):
        keras.utils.set_random_seed(0)
        model = lecture_06.translator(pairs, lecture_06.TRANSLATOR, kind)
        assert lecture_06.lookahead(model, texts(), targets()) == ahead
    assert not lecture_06.lookahead(lambda x: 0 * x["target"][..., None], texts(), targets())


def test_gradients_are_read_off_one_step_of_descent():
    ids = np.random.default_rng(0).integers(2, WORDS, (8, 33))
    found = {}
    for wiring in ("no residual", "residual", "pre-norm"):
        keras.utils.set_random_seed(0)
        norms = lecture_06.gradient_norms(WORDS, ids, 3, wiring)
        found[wiring] = norms["feed-forward, first block"]
    assert found["no residual"] < found["pre-norm"] < found["residual"]


def test_the_rest_runs_on_what_a_student_builds():
    """A right attention of another make, put under the lecture's own cells, is called."""
    calls = []

    class ScaledDotProductAttention(layers.ScaledDotProductAttention):
        def call(
            self, query, value, key=None, attention_mask=None, return_attention_scores=False
        ):
            calls.append(query.shape)
            key = value if key is None else key
            scores = keras.ops.einsum("...td,...sd->...ts", query, key)
            weights = masked_softmax(scores / np.sqrt(query.shape[-1]), attention_mask)
            context = keras.ops.einsum("...ts,...sd->...td", weights, value)
            return (context, weights) if return_attention_scores else context

    scope = {"keras": keras, "ops": keras.ops, "np": np}
    for name in (ScaledDotProductAttention, HeadProjections, CachedBlock, Positions):
        scope[name.__name__] = name
    scope |= {"TransformerBlock": TransformerBlock, "TransformerParts": TransformerParts}
    attention, transformer = "course_utils.layers.attention", "course_utils.layers.transformer"
    registered = dict(keras.saving.get_custom_objects())
    for name in (
        f"{attention}.MultiHeadAttention",
        f"{transformer}.SinusoidalPositions",
        f"{transformer}.TransformerEncoderBlock",
        f"{transformer}.TransformerDecoderBlock",
        "course_utils.models.transformer.Transformer",
    ):
        exec(built(name, solved=True), scope)
    keras.saving.get_custom_objects().update(registered)
    models = []
    for kind in (cu.models.Transformer, scope["Transformer"]):
        models.append(kind(WORDS, WORDS, **lecture_06.TRANSLATOR))
        models[-1].build()
    models[1].set_weights(models[0].get_weights())
    given = {"source": texts(), "target": targets()}
    expected = array(models[0](given))
    assert not calls
    assert np.abs(array(models[1](given)) - expected).max() < 1e-5
    assert len(calls) == 2 + 2 * 2  # two encoder blocks, two decoder blocks with two each
    for part in ("encoder", "decoder"):
        assert type(getattr(models[1], part)[0]) is not type(getattr(models[0], part)[0])
    assert type(models[1].positions) is scope["SinusoidalPositions"]


def test_pads_change_verdicts_without_masks():
    shape, _ = lecture_06.READERS["reviews"]
    model = lecture_06.review_reader(WORDS, **shape, masked=False)
    longer = np.pad(texts(), [(0, 0), (0, 7)])
    assert np.abs(array(model(texts())) - array(model(longer))).max() > 1e-4


@pytest.mark.slow
def test_the_shipped_weights_fit_and_translate():
    pairs = load_pairs()
    model = lecture_06.translator(pairs, lecture_06.TRANSLATOR)
    model.build()
    model.set_weights(lecture_06.trained_weights())
    some = pairs.test.take(slice(100))
    said = translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
    assert translation.exact_match(said, some.columns["references"]) > 0.9


@pytest.mark.slow
def test_benchmarks_write_the_same_words_in_all_three_ways(monkeypatch):
    from benchmarks import cached_decoding

    monkeypatch.setattr(cached_decoding, "LENGTH", 8)
    source = np.random.default_rng(1).integers(4, WORDS, size=(3, 8)).astype("int32")
    model = cached_decoding.translator(16, 1)
    written = [way() for way in cached_decoding.ways(model, source).values()]
    assert all(np.array_equal(words, written[0]) for words in written)
