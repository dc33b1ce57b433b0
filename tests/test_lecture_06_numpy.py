"""Heads, positions, norms, masks and costs in NumPy, ours and Keras' own: the same numbers."""

import numpy as np
import pytest

from course_utils import layers
from course_utils.numpy_ref import transformer_cost as cost
from course_utils.numpy_ref.attention import (
    causal_mask,
    decoder_mask,
    merge_heads,
    multi_head,
    padding_mask,
    scaled_dot_product,
    softmax,
    split_heads,
)
from course_utils.numpy_ref.positions import frequencies, rotation, sinusoidal_positions
from course_utils.numpy_ref.transformer import (
    decoder_block,
    encoder_block,
    feed_forward,
    layer_norm,
)

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
    import keras

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
def test_heads_looking_at_their_own_sentence_are_equal_three_times(mask):
    x = tokens(T)
    ours, theirs, weights = attention_pair()
    keywords, reference = masks_for(mask, QUERY_LENGTHS, T)
    expected, alpha = multi_head(x, x, weights, HEADS, reference)
    for layer in (ours, theirs):
        found, scores = layer(x, x, return_attention_scores=True, **keywords)
        assert distance(expected, found) < 1e-5
        assert distance(alpha, scores) < 1e-5
        assert distance(expected, layer(x, x, **keywords)) < 1e-5


@pytest.mark.parametrize("mask", ["none", "padding", "own"])
@pytest.mark.parametrize("own_keys", [False, True])
def test_heads_looking_at_another_sentence_are_equal_three_times(mask, own_keys):
    x, encoded = tokens(T), tokens(S, seed=3)
    ours, theirs, weights = attention_pair()
    keywords, reference = masks_for(mask, VALUE_LENGTHS, S)
    if own_keys:
        keys = tokens(S, seed=4)
        theirs_found = theirs(x, encoded, keys, **keywords)
        assert distance(ours(x, encoded, keys, **keywords), theirs_found) < 1e-5
        return
    expected, alpha = multi_head(x, encoded, weights, HEADS, reference)
    for layer in (ours, theirs):
        found, scores = layer(x, encoded, return_attention_scores=True, **keywords)
        assert distance(expected, found) < 1e-5
        assert distance(alpha, scores) < 1e-5


def test_masks_that_tensors_carry_count_as_in_keras():
    """An Embedding's masks: pads among the keys get nothing, in all three."""
    import keras

    ids = np.array([[5, 6, 7, 8, 9, 4, 3], [3, 4, 5, 6, 0, 0, 0], [7, 8, 0, 0, 0, 0, 0]])
    embedding = keras.layers.Embedding(10, DIM, mask_zero=True)
    x = embedding(ids)
    ours, theirs, weights = attention_pair()
    arrays, kept = np.array(x), ids != 0
    for causal in (False, True):
        reference = decoder_mask(ids) if causal else padding_mask(ids)
        expected, _ = multi_head(arrays, arrays, weights, HEADS, reference)
        for layer in (ours, theirs):
            found = np.array(layer(x, x, use_causal_mask=causal))
            assert distance(expected[kept], found[kept]) < 1e-5


def test_one_head_is_scaled_dot_product_attention():
    query, values = tokens(T), tokens(S, seed=3)
    mask = real(VALUE_LENGTHS, S)[:, None]
    for used in (None, mask):
        ours, alpha = scaled_dot_product(query, values, values, used)
        found, scores = layers.ScaledDotProductAttention()(
            query, values, attention_mask=used, return_attention_scores=True
        )
        assert distance(ours, found) < 1e-5
        assert distance(alpha, scores) < 1e-5
        identity, nothing = np.eye(DIM, dtype="float32"), np.zeros(DIM, "float32")
        one_head = multi_head(query, values, [identity, nothing] * 4, 1, used)[0]
        assert distance(ours, one_head) < 1e-5


def test_the_notes_example_by_hand():
    X = np.array([[1.0, 0, 1, 0], [0, 1, 1, 1]])
    W_Q = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
    Q = K = X @ W_Q
    assert np.array_equal(Q, [[1, 0, 1], [1, 1, 1]])
    assert np.array_equal(Q @ K.T, [[2, 2], [2, 3]])
    cosine = (Q @ K.T) / np.outer(np.linalg.norm(Q, axis=1), np.linalg.norm(K, axis=1))
    assert np.allclose(np.diag(cosine), 1)
    found, alpha = scaled_dot_product(Q, K, np.eye(2))
    assert np.allclose(alpha[0], 0.5)
    share = np.exp(1 / np.sqrt(3))
    assert np.allclose(alpha[1], [1 / (1 + share), share / (1 + share)])
    assert np.array_equal(found, alpha)


def test_a_row_that_may_look_at_nothing_gives_zeros_without_a_warning():
    x = tokens(T)
    mask = np.ones((BATCH, T, T), bool)
    mask[1, 2] = False
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        found, alpha = scaled_dot_product(x, x, x, mask)
    assert not found[1, 2].any() and not alpha[1, 2].any()
    assert np.allclose(alpha[1, 3].sum(), 1)


def test_splitting_into_heads_keeps_a_tokens_channels_together():
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    heads = split_heads(x, 2)
    assert heads.shape == (2, 2, 3, 2)
    assert np.array_equal(heads[1, 1, 2], x[1, 2, 2:])
    assert np.array_equal(merge_heads(heads), x)
    assert np.array_equal(split_heads(x[0], 2), heads[0])
    with pytest.raises(ValueError, match="got embed_dim=4, num_heads=3"):
        split_heads(x, 3)


def test_a_batch_is_the_sentences_one_by_one():
    x = tokens(T)
    weights = attention_pair()[2]
    mask = real(QUERY_LENGTHS, T)[:, None] & causal_mask(T)
    together, alpha = multi_head(x, x, weights, HEADS, mask)
    for i in range(BATCH):
        alone, its_alpha = multi_head(x[i], x[i], weights, HEADS, mask[i])
        assert distance(together[i], alone) < 1e-6
        assert distance(alpha[i], its_alpha) < 1e-6


def test_masks():
    assert np.array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    ids = np.array([[4, 5, 0], [6, 0, 0]])
    assert np.array_equal(padding_mask(ids), [[[1, 1, 0]], [[1, 0, 0]]])
    assert decoder_mask(ids).shape == (2, 3, 3)
    assert np.array_equal(decoder_mask(ids)[0], [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    assert np.array_equal(decoder_mask(ids[1]), [[1, 0, 0]] * 3)


def entropy(weights):
    return float(-(weights * np.log(np.maximum(weights, 1e-300))).sum(axis=-1).mean())


def test_the_square_root_keeps_the_softmax_soft_at_any_width():
    draw = np.random.default_rng(0)
    plain, scaled = {}, {}
    for embed_dim in (4, 64, 512):
        query, keys = (
            draw.normal(size=(200, 1, embed_dim)),
            draw.normal(size=(200, 32, embed_dim)),
        )
        scores = query @ np.swapaxes(keys, -1, -2)
        assert np.isclose(scores.var(), embed_dim, rtol=0.1)
        plain[embed_dim], scaled[embed_dim] = (
            entropy(softmax(scores)),
            entropy(softmax(scores / embed_dim**0.5)),
        )
    assert plain[4] > 2 and plain[64] < 0.7 and plain[512] < 0.3
    assert all(2.8 < value < np.log(32) for value in scaled.values())


def test_positions_are_the_papers_formula():
    table = sinusoidal_positions(50, 16)
    assert table.shape == (50, 16)
    for position, channel in [(0, 0), (0, 1), (3, 4), (49, 15), (17, 8)]:
        angle = position / 10000 ** (2 * (channel // 2) / 16)
        expected = np.cos(angle) if channel % 2 else np.sin(angle)
        assert np.isclose(table[position, channel], expected)
    assert np.array_equal(frequencies(2), [1.0])


@pytest.mark.parametrize("k", [0, 1, 7, -5])
def test_moving_a_position_is_a_rotation(k):
    table = sinusoidal_positions(60, 16)
    R = rotation(16, k)
    moved = table[10:40] @ R.T
    assert distance(moved, table[10 + k : 40 + k]) < 1e-9
    assert np.allclose(R @ R.T, np.eye(16))
    assert np.allclose(np.linalg.det(R), 1)


def test_positions_have_one_length_and_products_by_distance_alone():
    table = sinusoidal_positions(60, 16)
    assert np.allclose((table**2).sum(axis=1), 8)
    products = table @ table.T
    for apart in (1, 5, 30):
        assert np.ptp(np.diagonal(products, apart)) < 1e-9


@pytest.mark.parametrize("embed_dim", [0, 1, 7])
def test_positions_want_an_even_width(embed_dim):
    with pytest.raises(ValueError, match="even"):
        sinusoidal_positions(4, embed_dim)


def test_layer_norm_is_keras_own():
    import keras

    x = tokens(T) * 3 + 1
    layer = keras.layers.LayerNormalization(epsilon=1e-6)
    layer.build(x.shape)
    layer.set_weights(list(np.random.default_rng(2).normal(size=(2, DIM))))
    ours = layer_norm(x, *layer.get_weights())
    assert distance(ours, layer(x)) < 1e-5
    plain = layer_norm(x, 1, 0)
    assert np.allclose(plain.mean(axis=-1), 0, atol=1e-6)
    assert np.allclose(plain.std(axis=-1), 1, atol=1e-4)


def test_the_feed_forward_network_is_two_dense_layers_and_alone_with_each_token():
    import keras

    net = keras.Sequential([keras.layers.Dense(11, activation="relu"), keras.layers.Dense(DIM)])
    net.build((None, T, DIM))
    x, weights = tokens(T), net.get_weights()
    assert distance(feed_forward(x, *weights), net(x)) < 1e-5
    assert distance(feed_forward(x, *weights)[:, 2], feed_forward(x[:, 2], *weights)) < 1e-6


def heads_of(attention):
    parts = (attention.query, attention.key, attention.value, attention.output_projection)
    return [w for part in parts for w in part.get_weights()]


def block_pair(kind, **settings):
    """A block with weights drawn anew, biases and gains too, and these for the reference."""
    block = getattr(layers, f"Transformer{kind}Block")(DIM, HEADS, 11, **settings)
    shapes = [(None, T, DIM), (None, S, DIM)]
    block.build(*shapes[: 1 if kind == "Encoder" or not settings.get("cross", True) else 2])
    draw = np.random.default_rng(5)
    block.set_weights([draw.normal(size=w.shape) / 2 for w in block.get_weights()])
    weights = {
        "attention": heads_of(block.attention),
        "attention_norm": block.attention_norm.get_weights(),
        "feed_forward": block.feed_forward.get_weights(),
        "feed_forward_norm": block.feed_forward_norm.get_weights(),
    }
    if hasattr(block, "cross_attention"):
        weights["cross"] = heads_of(block.cross_attention)
        weights["cross_norm"] = block.cross_norm.get_weights()
    return block, weights


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("mask", ["none", "padding", "own"])
def test_an_encoder_block_is_the_references(norm, mask):
    block, weights = block_pair("Encoder", norm=norm)
    x = tokens(T)
    keywords, reference = masks_for(mask, QUERY_LENGTHS, T)
    if "value_mask" in keywords:
        keywords = {"mask": keywords["value_mask"]}
    ours = encoder_block(x, weights, HEADS, reference, norm)
    assert distance(ours, block(x, **keywords)) < 1e-5


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_decoder_block_is_the_references(norm, masked):
    block, weights = block_pair("Decoder", norm=norm)
    x, encoded = tokens(T), tokens(S, seed=3)
    mask = real(VALUE_LENGTHS, S) if masked else None
    reference = mask[:, None] if masked else None
    ours = decoder_block(x, weights, HEADS, encoded, encoded_mask=reference, norm=norm)
    assert distance(ours, block(x, encoded, encoded_mask=mask)) < 1e-5


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_decoder_block_without_a_source_is_the_references(norm):
    block, weights = block_pair("Decoder", norm=norm, cross=False)
    x = tokens(T)
    ours = decoder_block(x, weights, HEADS, norm=norm)
    assert distance(ours, block(x)) < 1e-5
    look_back = encoder_block(x, weights, HEADS, causal_mask(T), norm)
    assert distance(ours, look_back) < 1e-6
    pads = real(QUERY_LENGTHS, T)[:, None]
    masked = decoder_block(x, weights, HEADS, mask=pads, norm=norm)
    kept = real(QUERY_LENGTHS, T)
    assert distance(ours[kept], masked[kept]) < 1e-6  # a pad is always later than a word


def test_a_blocks_norm_is_pre_or_post():
    _, weights = block_pair("Encoder")
    with pytest.raises(ValueError, match="'pre', 'post'"):
        encoder_block(tokens(T), weights, HEADS, norm="behind")


def paper(size):
    row = cost.PAPER[size]
    return {key: row[key] for key in ("embed_dim", "mlp_dim", "num_layers")}


@pytest.mark.parametrize(
    ("size", "shared", "unshared"),
    [("base", 63_045_632, 100_933_632), ("big", 214_171_648, 289_947_648)],
)
def test_parameters_by_formula_come_near_what_the_paper_prints(size, shared, unshared):
    count = sum(cost.parameters(**paper(size)).values())
    assert count == shared
    assert np.isclose(count, cost.PAPER[size]["printed"]["parameters"], rtol=0.04)
    apart = cost.parameters(**paper(size), shared=False)
    assert sum(apart.values()) == unshared
    assert apart["output"] == cost.WORDS * cost.PAPER[size]["embed_dim"]
    biased = sum(cost.parameters(**paper(size), attention_bias=True).values())
    assert biased - count == 18 * 4 * cost.PAPER[size]["embed_dim"]


@pytest.mark.parametrize("size", ["base", "big"])
def test_the_papers_operations_are_hours_times_machines_and_bound_the_formula(size):
    row = cost.PAPER[size]
    bound = cost.machine_operations(row["hours"])
    assert np.isclose(bound, row["printed"]["operations"], rtol=0.01)
    parts = cost.training_operations(**paper(size), steps=row["steps"])
    assert 0.25 * bound < sum(parts.values()) < 0.5 * bound
    assert parts["pairs"] < 0.01 * sum(parts.values())
    longer = cost.training_operations(**paper(size), steps=row["steps"], length=300)
    assert np.isclose(longer["pairs"], 10 * parts["pairs"])


def test_attention_is_cheaper_than_recurrence_where_sentences_are_shorter_than_wide():
    def operations(kind, length):
        return cost.layer_cost(kind, length, 512)["operations"]

    assert operations("attention", 511) < operations("recurrent", 511)
    assert operations("attention", 512) == operations("recurrent", 512)
    assert operations("attention", 513) > operations("recurrent", 513)
    assert operations("convolution", 100) == 3 * operations("recurrent", 100)
    assert cost.layer_cost("recurrent", 100, 512)["in turn"] == 100
    near = cost.layer_cost("restricted attention", 100, 512, reach=10)
    assert near == {"operations": 10 * 100 * 512, "in turn": 1, "path": 10}
    assert np.isclose(cost.layer_cost("convolution", 81, 512)["path"], 4)
    with pytest.raises(ValueError, match="recurrent"):
        cost.layer_cost("pooling", 10, 10)
