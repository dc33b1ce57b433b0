"""Lecture 06: NumPy, ours and Keras' own are equal; its models: pads, time, cache, reload."""

import keras
import numpy as np
import pytest
from defined import defined

import course_utils as cu
from course_utils import layers
from course_utils.lectures import lecture_05b, lecture_06
from course_utils.lectures.lecture_06 import (
    causal_attention_mask,
    decoder_mask,
    encoder_block,
    feed_forward,
    frequencies,
    layer_norm,
    merge_heads,
    multi_head,
    residual,
    rotation,
    scaled_dot_product,
    sinusoidal_positions,
    split_heads,
)

SETTINGS = ("READER", "IMDB", "EMBEDDED", "REAL", "WRITER")
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


def test_masks_that_tensors_carry_count_as_in_keras():
    """An Embedding's masks: pads among the keys get nothing, in all three."""
    ids = np.array([[5, 6, 7, 8, 9, 4, 3], [3, 4, 5, 6, 0, 0, 0], [7, 8, 0, 0, 0, 0, 0]])
    embedding = keras.layers.Embedding(10, DIM, mask_zero=True)
    x = embedding(ids)
    ours, theirs, weights = attention_pair()
    arrays, kept = np.array(x), ids != 0
    for causal in (False, True):
        reference = decoder_mask(ids) if causal else (ids != 0)[:, None]
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
    with pytest.raises(ValueError, match="num_heads=3"):
        split_heads(x, 3)


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
    assert np.allclose(np.linalg.det(R), 1)


def test_positions_have_one_length_and_products_by_distance_alone():
    table = sinusoidal_positions(60, 16)
    assert np.allclose((table**2).sum(axis=1), 8)
    products = table @ table.T
    for apart in (1, 5, 30):
        assert np.ptp(np.diagonal(products, apart)) < 1e-9


def test_layer_norm_is_keras_own():
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
    weights = {"attention": heads_of(block.attention)}
    if hasattr(block, "cross_attention"):
        weights["cross"] = heads_of(block.cross_attention)
    parts = ("attention_norm", "cross_norm", "feed_forward", "feed_forward_norm")
    own = [name for name in parts if hasattr(block, name)]
    return block, weights | {name: getattr(block, name).get_weights() for name in own}


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("mask", ["none", "padding"])
def test_an_encoder_block_is_the_references(norm, mask):
    block, weights = block_pair("Encoder", norm=norm)
    x = tokens(T)
    keywords, reference = masks_for(mask, QUERY_LENGTHS, T)
    if "value_mask" in keywords:
        keywords = {"mask": keywords["value_mask"]}
    ours = encoder_block(x, weights, HEADS, reference, norm)
    assert distance(ours, block(x, **keywords)) < 1e-5
    with pytest.raises(ValueError, match="'pre', 'post'"):
        encoder_block(x, weights, HEADS, norm="behind")


def decoder_block(x, weights, encoded=None, mask=True, encoded_mask=None, norm="pre"):
    """The reference of the decoder's block: without `encoded`, GPT's."""
    mask = causal_attention_mask(x.shape[-2]) & mask

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
    block, weights = block_pair("Decoder", norm=norm)
    x, encoded = tokens(T), tokens(S, seed=3)
    mask = real(VALUE_LENGTHS, S) if masked else None
    reference = mask[:, None] if masked else None
    ours = decoder_block(x, weights, encoded, encoded_mask=reference, norm=norm)
    assert distance(ours, block(x, encoded, encoded_mask=mask)) < 1e-5


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_decoder_block_without_a_source_is_the_references(norm):
    block, weights = block_pair("Decoder", norm=norm, cross=False)
    x = tokens(T)
    ours = decoder_block(x, weights, norm=norm)
    assert distance(ours, block(x)) < 1e-5
    look_back = encoder_block(x, weights, HEADS, causal_attention_mask(T), norm)
    assert distance(ours, look_back) < 1e-6
    pads = real(QUERY_LENGTHS, T)[:, None]
    masked = decoder_block(x, weights, mask=pads, norm=norm)
    kept = real(QUERY_LENGTHS, T)
    assert distance(ours[kept], masked[kept]) < 1e-6  # a pad is always later than a word


def paper(size):
    row = lecture_06.PAPER[size]
    return {key: row[key] for key in ("embed_dim", "mlp_dim", "num_layers")}


@pytest.mark.parametrize(
    ("size", "shared", "unshared"),
    [("base", 63_045_632, 100_933_632), ("big", 214_171_648, 289_947_648)],
)
def test_parameters_by_formula_come_near_what_the_paper_prints(size, shared, unshared):
    count = sum(lecture_06.transformer_parameters(**paper(size)).values())
    assert count == shared
    assert np.isclose(count, lecture_06.PAPER[size]["printed"]["parameters"], rtol=0.04)
    apart = lecture_06.transformer_parameters(**paper(size), shared=False)
    assert sum(apart.values()) == unshared
    assert apart["output"] == lecture_06.WORDS * lecture_06.PAPER[size]["embed_dim"]
    biased = sum(lecture_06.transformer_parameters(**paper(size), attention_bias=True).values())
    assert biased - count == 18 * 4 * lecture_06.PAPER[size]["embed_dim"]


@pytest.mark.parametrize("size", ["base", "big"])
def test_the_papers_operations_are_hours_times_machines_and_bound_the_formula(size):
    row = lecture_06.PAPER[size]
    bound = lecture_06.machine_operations(row["hours"])
    assert np.isclose(bound, row["printed"]["operations"], rtol=0.01)
    parts = lecture_06.training_operations(**paper(size), steps=row["steps"])
    assert 0.25 * bound < sum(parts.values()) < 0.5 * bound
    assert parts["pairs"] < 0.01 * sum(parts.values())
    longer = lecture_06.training_operations(**paper(size), steps=row["steps"], length=300)
    assert np.isclose(longer["pairs"], 10 * parts["pairs"])


WORDS = 50
PADS = (1, 2, 3, 7, 50)
STEPS = 48


@pytest.fixture(scope="module")
def lecture():
    return defined("06_transformer", SETTINGS, **(vars(layers) | vars(lecture_06)))


@pytest.fixture(params=["the reviews' reader", "IMDB's reader"])
def reader(request, lecture):
    keras.utils.set_random_seed(0)
    shape = lecture["READER" if "reviews" in request.param else "IMDB"]
    return lecture["review_reader"](WORDS, **shape)


@pytest.fixture
def translator(lecture):
    keras.utils.set_random_seed(0)
    sides = dict.fromkeys(("source", "target"), range(WORDS))
    pairs = cu.data.Dataset("pairs", None, None, None, vocabulary=sides, source="tests")
    model = lecture["translator"](pairs, lecture["EMBEDDED"])
    model.build()
    return model


@pytest.fixture
def writer(lecture):
    keras.utils.set_random_seed(0)
    model = cu.models.LanguageModel(WORDS, **lecture["WRITER"])
    model.build()
    return model


def texts(least=2):
    draw = np.random.default_rng(0)
    lengths = np.append(draw.integers(1, STEPS, size=14), [STEPS, 1])
    ids = draw.integers(least, WORDS, size=(16, STEPS)).astype("int32")
    return ids * (np.arange(STEPS) < lengths[:, None])


def targets(count=16, width=20):
    """Rows that begin with <sos> and have no pads: int32 (count, width)."""
    ids = np.random.default_rng(1).integers(4, WORDS, size=(count, width)).astype("int32")
    ids[:, 0] = cu.data.START
    return ids


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def moved(model, ids):
    """Largest change of a verdict for each number of pads added."""
    longer = [np.pad(ids, ((0, 0), (0, pads))) for pads in (0, *PADS)]
    before, *after = [array(model(rows)) for rows in longer]
    return [np.abs(chances - before).max() for chances in after]


def test_pads_change_no_verdict(reader):
    assert max(moved(reader, texts())) < 1e-5


def test_without_masks_every_number_of_pads_changes_verdicts(lecture):
    unmasked = lecture["review_reader"](WORDS, **lecture["READER"], masked=False)
    assert min(moved(unmasked, texts())) > 1e-4


def test_pads_change_no_logits_of_the_translator(translator):
    source, target = texts(), targets()
    before = array(translator({"source": source, "target": target}))
    wider = np.pad(source, ((0, 0), (0, 7))), np.pad(target, ((0, 0), (0, 3)))
    after = array(translator({"source": wider[0], "target": wider[1]}))
    assert np.abs(after[:, :20] - before).max() < 1e-4


def test_a_later_word_changes_no_earlier_logits(translator, writer):
    source, target = texts(4)[:4], targets(4)
    changed = target.copy()
    changed[:, 9] = 5 + (target[:, 9] == 5)
    for run in (lambda ids: translator({"source": source, "target": ids}), writer):
        before, after = array(run(target)), array(run(changed))
        assert np.abs(before[:, :9] - after[:, :9]).max() < 1e-5
        assert np.abs(before[:, 9:] - after[:, 9:]).max(axis=-1).min() > 1e-6


@pytest.mark.slow
def test_writing_with_and_without_the_cache_gives_the_same_words(lecture, translator):
    source = texts(4)
    cached = lecture["write_cached"](translator, source, 20)
    again = lecture["write_again"](translator, source, 20)
    assert cached.shape == again.shape == (16, 20)
    assert np.array_equal(cached, again)
    assert len(np.unique(cached)) > 3


def test_the_writer_steps_to_the_same_logits(writer):
    ids = targets(2, 12)
    whole, state = array(writer(ids)), writer.start(2, 12)
    for position in range(12):
        logits, state = writer.step(ids[:, position], position, state)
        assert np.abs(array(logits) - whole[:, position]).max() < 1e-4


@pytest.mark.slow
def test_saved_models_reload_with_equal_outputs(reader, translator, writer, tmp_path):
    pair = {"source": texts(), "target": targets()}
    for model, given in ((reader, texts()), (translator, pair), (writer, texts())):
        before = array(model(given))
        model.save(tmp_path / "model.keras")
        again = keras.models.load_model(tmp_path / "model.keras")
        assert np.array_equal(array(again(given)), before)


@pytest.mark.slow
def test_gradients_are_read_off_one_step_of_descent(lecture):
    keras.utils.set_random_seed(0)
    ids = texts()
    found = {
        wiring: lecture["gradient_norms"](WORDS, ids, 6, wiring)
        for wiring in ("no residual", "residual", "pre-norm", "post-norm")
    }
    first = {wiring: norms["feed-forward, first block"] for wiring, norms in found.items()}
    assert first["no residual"] < first["pre-norm"] < first["residual"]


@pytest.mark.slow
def test_benchmarks_write_the_same_words_in_all_three_ways(monkeypatch):
    from benchmarks import attention_cost, cached_decoding

    monkeypatch.setattr(cached_decoding, "LENGTH", 8)
    source = targets(3, 8)
    model = cached_decoding.translator(16, 1)
    written = [way() for way in cached_decoding.ways(model, source).values()]
    assert all(np.array_equal(words, written[0]) for words in written)
    assert written[0].shape == (3, 8)
    for make in attention_cost.LAYERS.values():
        step = attention_cost.step(make, 16)
        losses = [float(np.asarray(step())) for _ in range(8)]
        assert losses[-1] < losses[0]


def test_real_pairs_are_the_same_task_with_the_same_budget_as_in_lecture_5(lecture):
    for name in ("pairs", "vocab_size", "epochs"):
        assert lecture["REAL"][name] == lecture_05b.REAL[name]


def test_tokens_grow_alike_in_post_norm(lecture):
    likeness = lecture["likeness"]
    assert likeness("post", 24) > 0.99
    assert likeness("pre", 24) < 0.9
    assert likeness("post", 2) < 0.7


@pytest.mark.slow
def test_the_shipped_translator_translates(lecture):
    pairs = cu.data.load_pairs()
    lecture["pairs"] = pairs
    model = lecture["shipped_translator"]()
    some = pairs.test.take(slice(100))
    found = cu.translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
    assert cu.translation.exact_match(found, some.columns["references"]) > 0.9
