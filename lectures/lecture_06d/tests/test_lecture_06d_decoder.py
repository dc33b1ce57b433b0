"""Lab 06d: each part against an independent implementation, a bug of the cache, sampling."""

import keras
import numpy as np
import pytest

import course_utils as cu
from course_utils.checks import redrawn
from lectures import lecture_06d as lab
from lectures.lecture_06 import scaled_dot_product
from lectures.lecture_06d.record import unrotated

BATCH, T, DIM, HEADS = 2, 6, 16, 4


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


@pytest.mark.parametrize("start", [0, 5])
def test_rotation_is_multiplication_of_complex_numbers(start):
    x, positions = vectors(BATCH, HEADS, T, 8), start + np.arange(T)
    angles = positions[:, None] * 10_000.0 ** (-2 * np.arange(4) / 8)
    expected = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    found = array(lab.rotate(x, positions))
    assert np.allclose(found[..., ::2], expected.real, atol=1e-5)
    assert np.allclose(found[..., 1::2], expected.imag, atol=1e-5)


def test_rms_norm_is_keras_own():
    x = vectors(BATCH, T, DIM) * 3 + 1
    ours, theirs = redrawn_pair(lab.RMSNorm(), keras.layers.RMSNormalization(epsilon=1e-6), x)
    assert np.allclose(array(ours(x)), array(theirs(x)), atol=1e-4)


def redrawn_pair(ours, theirs, x):
    for layer in (ours, theirs):
        layer.build(x.shape)
        redrawn(layer)
    return ours, theirs


def test_swiglu_is_the_formula_in_numpy():
    x, layer = vectors(BATCH, T, DIM), lab.SwiGLU(24)
    layer.build(x.shape)
    gate, up, down = redrawn(layer).get_weights()
    opened = x @ gate
    expected = (opened / (1 + np.exp(-opened)) * (x @ up)) @ down
    assert np.allclose(array(layer(x)), expected, atol=1e-3)


@pytest.mark.parametrize("few", [1, 2, 4])
def test_grouped_attention_is_keras_own_with_the_same_weights(few):
    x, d_k = vectors(BATCH, T, DIM), DIM // HEADS
    ours = lab.GroupedAttention(DIM, HEADS, few, rope=False)
    ours.build(x.shape)
    redrawn(ours)
    theirs = keras.layers.GroupQueryAttention(d_k, HEADS, few, use_bias=False)
    theirs.build(x.shape, x.shape)
    weights = [ours.query, ours.key, ours.value, ours.output_]
    shapes = [w.shape for w in theirs.get_weights()]
    theirs.set_weights(
        [w.get_weights()[0].reshape(s) for w, s in zip(weights, shapes, strict=True)]
    )
    expected = array(theirs(x, x, use_causal_mask=True))
    assert np.allclose(array(ours(x)), expected, atol=1e-4)


def test_an_always_first_position_shows_from_the_second_token_on():
    layer = lab.CachedAttention(DIM, HEADS, 2)
    x = vectors(1, T, DIM)
    whole, cache, differ = array(layer(x)), layer.start(1, T), []
    for place in range(T):
        said, cache = layer.step(x[:, place : place + 1], cache, 0)
        differ.append(np.abs(array(said)[:, 0] - whole[:, place]).max())
    assert differ[0] < 1e-5 and min(differ[1:]) > 1e-4


@pytest.mark.slow
def test_the_arms_differ_in_one_part_and_have_nearly_as_many_weights():
    counts = {}
    for arm, difference in lab.ARMS.items():
        model = lab.Decoder(50, **lab.SHAPE, **(lab.OLD | difference))
        model(np.ones((1, 4), "int32"))
        counts[arm] = model.count_params()
        assert arm == "all four" or len(difference) <= 1
    assert abs(counts["SwiGLU"] / counts["2018"] - 1) < 0.01
    assert counts["2 key-value heads"] < counts["2018"]
    assert counts["rotary positions"] == counts["2018"]


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.5, 0.8), (2.0, 0.6)])
def test_the_nucleus_is_the_smallest_set_that_reaches_top_p(temperature, top_p):
    logits = np.random.default_rng(3).normal(0, 1.5, 7)
    found = lab.next_word_probabilities(logits, temperature, top_p)
    p = np.exp(logits) ** (1 / temperature)
    p /= p.sum()
    kept = found > 0
    assert p[kept].sum() >= top_p - 1e-9 > p[kept].sum() - p[kept].min() - 1e-9
    assert not kept.any() or p[kept].min() > p[~kept].max(initial=0)
    assert np.allclose(found[kept], p[kept] / p[kept].sum())


def test_a_top_p_near_zero_is_greedy():
    assert lab.next_word_probabilities(np.array([0.1, 2.0, -1.0]), 1.0, 1e-9).tolist() == [
        0,
        1,
        0,
    ]


@pytest.mark.parametrize("blocks", [1, 2])
def test_without_positions_two_blocks_tell_an_order_and_one_does_not(blocks):
    model = lab.Decoder(9, 16, 4, blocks, **lab.NEW, attention=unrotated)
    model(np.ones((1, 3), "int32"))
    one, other = array(redrawn(model)(np.array([[5, 6, 7], [6, 5, 7]])))[:, -1]
    assert np.allclose(one, other, atol=1e-4) == (blocks == 1)


def test_counted_losses_are_lecture_2s_interpolation():
    counts = lab.count_words(np.array([[1, 2, 1, 2, 1]]), 2)
    shorter = (2 + 2 / 3) / (5 + 2)  # 2 among all five; two different symbols
    found = lab.counted_losses(counts, np.array([[1, 2], [3, 1]]), 3, 1)
    assert np.isclose(found[0, 0], -np.log((2 + shorter) / 3))
    assert np.isclose(found[1, 0], -np.log((3 + 2 / 3) / 7))  # after 3, which was never seen


def test_token_losses_are_what_perplexity_averages():
    vocabulary, rows = lab.review_rows()
    model, few = lab.Decoder(len(vocabulary), 16, 4, 1, **lab.NEW), rows["val"][:3]
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    mean = lab.token_losses(model, few).mean()
    assert np.isclose(np.exp(mean), lab.perplexity(model, few), rtol=1e-4)


def test_rows_are_one_text_and_the_targets_are_the_next_words():
    vocabulary, rows = lab.review_rows()
    assert {part.shape[1] for part in rows.values()} == {lab.WIDTH + 1}
    assert rows["train"][0, 0] == cu.data.START and rows["train"].max() < len(vocabulary)


def test_each_token_is_computed_by_its_most_probable_expert_alone():
    draw = np.random.default_rng(0)
    x, router, computed = draw.normal(size=(20, 3)), draw.normal(size=(3, 4)), []

    def expert(number):
        return lambda rows: computed.append(len(rows)) or rows * number

    output, shares, loss = lab.mixture_of_experts(x, router, [expert(n) for n in range(4)])
    powers = np.exp(x @ router)
    p = powers / powers.sum(axis=1, keepdims=True)
    best = p.argmax(axis=1)
    assert computed == np.bincount(best, minlength=4).tolist() and sum(computed) == 20
    assert np.allclose(output, x * (best * p.max(axis=1))[:, None])
    assert np.allclose(shares * 20, computed)
    assert np.isclose(loss, 4 * sum(shares[n] * p[:, n].mean() for n in range(4)))


def test_the_balance_loss_is_one_for_equal_shares_and_the_number_of_experts_for_one():
    x, same = np.eye(4), [lambda rows: rows] * 4
    assert np.isclose(lab.mixture_of_experts(x, 5 * np.eye(4), same)[2], 1)
    one = np.array([[900.0, 0, 0, 0]] * 4)
    output, shares, loss = lab.mixture_of_experts(x, one, same)
    assert np.allclose(shares, [1, 0, 0, 0]) and np.isclose(loss, 4) and np.allclose(output, x)


def test_the_gradient_of_the_balance_loss_lowers_the_fullest_experts_logits():
    draw, same = np.random.default_rng(0), [lambda rows: rows] * 4
    x, logits = np.eye(50), draw.normal(size=(50, 4)) * 0.1 + np.array([1.0, 0, 0, 0])

    def loss(logits):
        return lab.mixture_of_experts(x, logits, same)[2]

    up, down = (logits + step * np.array([1.0, 0, 0, 0]) for step in (1e-4, -1e-4))
    assert lab.mixture_of_experts(x, up, same)[1][0] > 0.9
    assert loss(up) > loss(down)


@pytest.mark.parametrize("block", [1, 4, 7, 20, 50])
@pytest.mark.parametrize("scale", [1e-3, 1, 1e4])
def test_attention_by_blocks_is_the_whole_softmax(block, scale):
    q, k, v = np.random.default_rng(1).normal(size=(3, 20, 6))
    whole, _ = scaled_dot_product(scale * q, k, v[:, :5])
    found = lab.attention_by_blocks(scale * q, k, v[:, :5], block)
    assert np.allclose(found, whole, rtol=0, atol=1e-6)
