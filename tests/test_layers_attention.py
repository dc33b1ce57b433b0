"""The attention layers inside models: masks, leaks, saving, half precision, wrong arguments."""

import numpy as np
import pytest
from redrawn import Redrawn, scrambled

from course_utils import layers

WORDS, DIM, HEADS = 50, 8, 4
KINDS = ["scaled", "bahdanau", "dot", "general", "concat", "multi_head", "multi_head causal"]


def layer_for(kind):
    if kind == "scaled":
        return layers.ScaledDotProductAttention()
    if kind == "bahdanau":
        return layers.BahdanauAttention(DIM)
    if kind.startswith("multi_head"):
        return layers.MultiHeadAttention(DIM, HEADS, dropout=0.5)
    return layers.LuongAttention(DIM, score=kind)


def model_for(kind):
    """Six target words look at a source of any length; pads of the source are masked."""
    import keras

    keras.utils.set_random_seed(0)
    source = keras.Input((None,), dtype="int32", name="source")
    target = keras.Input((6,), dtype="int32", name="target")
    embedding = keras.layers.Embedding(WORDS, DIM, mask_zero=True, name="embedding")
    keys, query = embedding(source), embedding(target)
    layer = layer_for(kind)
    if kind == "scaled":
        real = keras.ops.not_equal(source, 0)[:, None]
        found = layer(query, keys, attention_mask=real)
    elif kind == "multi_head causal":
        found = layer(query, query, use_causal_mask=True)
        found = layer(found, keys)
    else:
        found = layer(query, keys)
    output = keras.layers.Dense(3, dtype="float32", name="output")(found)
    model = keras.Model({"source": source, "target": target}, output)
    return scrambled(model)


def inputs(texts, pads=0):
    return {"source": np.pad(texts, ((0, 0), (0, pads))), "target": texts[::-1, :6] + 1}


def call(model, *arguments, **keywords):
    return np.array(model(*arguments, **keywords))


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_a_saved_model_reloads_with_equal_outputs_and_pads_change_nothing(
    kind, texts, tmp_path
):
    import keras

    model = model_for(kind)
    before = call(model, inputs(texts))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(before, call(again, inputs(texts)))
    for pads in (1, 50):
        assert np.abs(before - call(model, inputs(texts, pads))).max() < 1e-5
    other = np.where(texts == 0, 7, texts)  # words where the pads were: they do count
    assert np.abs(before - call(model, inputs(texts) | {"source": other})).max() > 1e-3


def test_a_layer_is_remade_from_its_config(kind):
    layer = layer_for(kind)
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.name == layer.name


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_gives_no_nan_under_a_mask(kind, policy, texts):
    import keras

    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        model = model_for(kind)
        layer = next(part for part in model.layers if type(part).__module__.startswith("cou"))
    finally:
        keras.config.set_dtype_policy(before)
    texts[3] = 0  # a source without a word
    output = call(model, inputs(texts))
    assert layer.compute_dtype == policy.removeprefix("mixed_")
    assert all("float32" in str(w.dtype) for w in layer.trainable_weights)
    assert np.isfinite(output).all()
    assert np.abs(output - call(model, inputs(texts, pads=50))).max() < 0.02


def test_every_weight_learns(kind, texts):
    import keras

    model = model_for(kind)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.5), loss, run_eagerly=True)
    before = [w.copy() for w in model.get_weights()]
    model.train_on_batch(inputs(texts), texts[:, :6] % 3)
    names = [w.path for w in model.weights]
    still = [
        name
        for name, a, b in zip(names, before, model.get_weights(), strict=True)
        if np.array_equal(a, b)
    ]
    # One bias for all keys moves every score of a row alike: the softmax does not see it.
    assert [name for name in still if "key/bias" not in name and "seed" not in name] == []


def vectors(tokens=7, seed=0):
    shape = (2, tokens, DIM)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def multi_head(dropout=0.0):
    layer = layers.MultiHeadAttention(DIM, HEADS, dropout=dropout)
    layer.build((None, None, DIM), (None, None, DIM))
    return scrambled(layer) if not dropout else layer


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_later_token_changes_nothing_before_it(dropout):
    layer = multi_head(dropout)
    look = Redrawn(layer) if dropout else layer
    x = vectors()
    changed = x.copy()
    changed[:, 5] += 1
    arguments = {"use_causal_mask": True, "return_attention_scores": True}
    before, after = look(x, x, **arguments), look(changed, changed, **arguments)
    plain = look(x, x, use_causal_mask=True)
    assert np.allclose(before[0], plain, atol=1e-6)
    assert np.array_equal(np.array(before[0])[:, :5], np.array(after[0])[:, :5])
    assert np.array_equal(np.array(before[1])[:, :, :5], np.array(after[1])[:, :, :5])
    assert not np.triu(np.array(before[1]), 1).any()
    assert np.abs(np.array(before[0])[:, 5:] - np.array(after[0])[:, 5:]).max() > 1e-3


def test_dropout_works_in_training_alone_and_leaves_the_returned_weights_whole():
    layer, x = multi_head(dropout=0.5), vectors()
    assert np.array_equal(layer(x, x), layer(x, x))
    assert not np.array_equal(layer(x, x, training=True), layer(x, x, training=True))
    _, weights = layer(x, x, training=True, return_attention_scores=True)
    assert np.allclose(np.array(weights).sum(axis=-1), 1, atol=1e-5)


def test_without_scaling_the_scores_are_larger_by_the_root():
    x = vectors()
    _, plain = layers.ScaledDotProductAttention(scale=False)(
        x / DIM**0.25, x / DIM**0.25, return_attention_scores=True
    )
    _, scaled = layers.ScaledDotProductAttention()(x, x, return_attention_scores=True)
    assert np.allclose(plain, scaled, atol=1e-5)


def test_a_query_that_may_look_at_nothing_gets_zeros():
    x = vectors()
    mask = np.ones((2, 7, 7), bool)
    mask[1, 3] = False
    found, weights = layers.ScaledDotProductAttention()(
        x, x, attention_mask=mask, return_attention_scores=True
    )
    assert not np.array(found)[1, 3].any() and not np.array(weights)[1, 3].any()
    layer = multi_head()
    bias = layer.output_projection.get_weights()[1]
    for scores in (False, True):
        found = layer(x, x, attention_mask=mask, return_attention_scores=scores)
        found = np.array(found[0] if scores else found)
        assert np.allclose(found[1, 3], bias, atol=1e-6)
        assert np.isfinite(found).all()


@pytest.mark.parametrize("shape", [(7, 7), (1, 7), (2, 7, 7), (2, 1, 7), (1, 7, 7), (7, 1)])
def test_a_mask_may_leave_out_the_batch_or_stand_for_all(shape):
    x, layer = vectors(), multi_head()
    mask = np.random.default_rng(2).random(shape) < 0.7
    whole = np.broadcast_to(mask, (2, 7, 7))
    found = layer(x, x, attention_mask=mask)
    assert np.allclose(found, layer(x, x, attention_mask=whole), atol=1e-6)
    scaled = layers.ScaledDotProductAttention()
    assert np.allclose(
        scaled(x, x, attention_mask=mask), scaled(x, x, attention_mask=whole), atol=1e-6
    )


@pytest.mark.parametrize("shape", [(7, 5), (2, 5, 7), (2, 7, 6), (3, 7, 7), (7,), (2, 7, 7, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_of_the_wrong_shape_is_refused(shape, causal):
    x, mask = vectors(), np.ones(shape, bool)
    with pytest.raises(ValueError, match="the mask has the shape"):
        multi_head()(x, x, attention_mask=mask, use_causal_mask=causal)
    with pytest.raises(ValueError, match="the mask has the shape"):
        layers.ScaledDotProductAttention()(x, x, attention_mask=mask)


@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_of_another_source_is_refused(causal):
    x, mask = vectors(), np.ones((2, 9), bool)
    with pytest.raises(ValueError, match="the mask has the shape"):
        multi_head()(x, x, value_mask=mask, use_causal_mask=causal)
    for layer in (layers.LuongAttention(DIM), layers.BahdanauAttention(DIM)):
        with pytest.raises(ValueError, match="the mask has the shape"):
            layer(x, x, value_mask=mask)


@pytest.mark.parametrize(("embed_dim", "num_heads"), [(8, 3), (7, 2), (4, 8)])
def test_dim_has_to_be_divisible_by_heads(embed_dim, num_heads):
    with pytest.raises(
        ValueError, match=f"divisible by num_heads, got {embed_dim} and {num_heads}"
    ):
        layers.MultiHeadAttention(embed_dim, num_heads)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "MultiHeadAttention",
            {"embed_dim": 0, "num_heads": 1},
            "embed_dim has to be a whole number",
        ),
        (
            "MultiHeadAttention",
            {"embed_dim": 8, "num_heads": 0},
            "num_heads has to be a whole number",
        ),
        (
            "MultiHeadAttention",
            {"embed_dim": 8, "num_heads": 2.0},
            "num_heads has to be a whole number",
        ),
        (
            "MultiHeadAttention",
            {"embed_dim": 8, "num_heads": 2, "dropout": 1.5},
            "share between",
        ),
        ("BahdanauAttention", {"units": 0}, "units has to be a whole number"),
        ("LuongAttention", {"units": -1}, "units has to be a whole number"),
        ("LuongAttention", {"units": 4, "score": "additive"}, "'dot', 'general', 'concat'"),
    ],
)
def test_wrong_arguments_are_told_what_is_allowed(name, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(layers, name)(**arguments)


def test_the_dot_score_wants_states_of_one_width():
    layer = layers.LuongAttention(DIM, score="dot")
    with pytest.raises(ValueError, match="'general' or 'concat'"):
        layer(vectors(), vectors()[..., :5])


def test_a_single_key_gets_all_the_weight_without_a_warning(recwarn):
    x = vectors()
    found = layers.ScaledDotProductAttention()(x, x[:, :1])
    assert np.allclose(found, np.repeat(x[:, :1], 7, axis=1))
    nothing = np.zeros((2, 7, 1), bool)
    masked = layers.ScaledDotProductAttention()(x, x[:, :1], attention_mask=nothing)
    assert not np.array(masked).any()
    assert not [w for w in recwarn if "softmax" in str(w.message)]
