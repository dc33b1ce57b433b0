"""Lab 08b: what it says of a learned W, leaks, sizes that it compares, its recall task."""

import keras
import numpy as np
import pytest

from course_utils import models, plotting
from lectures import lecture_08b
from lectures.lecture_08b import (
    DIGITS,
    GATES_TRIED,
    RECALL_ARMS,
    TEXT_MODEL,
    counted_losses,
    diagonal_means,
    gmlp_text_parameters,
    neighbours,
    reads_future,
    recall_rows,
    recaller,
    states_of,
)


def test_means_by_distance_are_the_weights_of_a_toeplitz_matrix():
    t = np.random.default_rng(0).normal(size=11)
    assert np.allclose(diagonal_means(lecture_08b.toeplitz(t)), t)


def test_what_stands_before_the_middle_is_about_later_tokens():
    right = np.eye(5, k=1)  # each token reads the one to its right
    assert diagonal_means(right).tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_the_figure_draws_the_right_neighbour_on_the_right(monkeypatch):
    figures = []
    monkeypatch.setattr(plotting, "show", lambda figure, alt: figures.append((figure, alt)))
    lecture_08b.show_gates({"one": np.eye(14, k=1), "two": np.ones((14, 14))}, "two gates")
    [(drawing, alt)] = figures
    titles = [axis.get_title() for axis in drawing.axes]
    assert titles == ["one", "mean weight", "two", "mean weight"] and alt
    heights = [bar.get_height() for bar in drawing.axes[1].patches]
    assert heights == [*[0] * 13, 1, *[0] * 11]


def test_the_compared_gates_are_of_one_size():
    sizes = {
        name: gmlp_text_parameters(vocab_size=70, **TEXT_MODEL, **settings)
        for name, settings in GATES_TRIED.items()
    }
    tied = sizes.pop("split_toeplitz")
    assert max(sizes.values()) < 1.02 * min(sizes.values())
    assert sizes["split"] - tied == 2 * (64**2 - 127)


def test_the_arms_of_recall_are_of_one_size():
    sizes = [recaller(32, **settings).count_params() for settings in RECALL_ARMS.values()]
    assert max(sizes) < 1.03 * min(sizes)


def test_a_question_of_recall_has_one_answer():
    for moves in (False, True):
        ids, digits = recall_rows(200, 5, moves, np.random.default_rng(0))
        names, told = np.divmod(ids[:, :-1] - 1, DIGITS)
        assert all(sorted(row) == [0, 1, 2, 3, 4] for row in names.tolist())
        asked = names == ids[:, -1:] - 1 - DIGITS * 5
        assert np.array_equal(told[asked], digits)
        assert set(np.nonzero(asked)[1]) == ({0, 1, 2, 3, 4} if moves else {2})


@pytest.mark.parametrize("settings", [{}, {"toeplitz": True}, {"tiny_attention": 4}])
def test_only_a_causal_gmlp_passes_the_leak_test(settings):
    size = {"vocab_size": 20, "max_length": 6, "embed_dim": 8, "mlp_dim": 16}
    ids = np.array([3, 1, 4, 1, 5, 9])
    for causal in (False, True):
        encode = states_of(models.gmlp_text(**size, **settings, causal=causal))
        assert reads_future(encode, ids, 20) is not causal


@pytest.fixture
def in_16_bits():
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    yield
    keras.config.set_dtype_policy(policy)


def test_a_new_w_hides_its_leak_from_an_exact_comparison_in_16_bits(in_16_bits):
    encoder = models.gmlp_text(20, **TEXT_MODEL | GATES_TRIED["split"])
    encode, ids = states_of(encoder), np.arange(64) % 19 + 1
    weights = encoder.get_weights()
    assert reads_future(encode, ids, 20)
    assert not reads_future(lambda ids, scale: encode(ids), ids, 20)
    assert all(map(np.array_equal, encoder.get_weights(), weights))


def test_counts_predict_what_follows_from_the_nearest_neighbour():
    ids = np.tile([2, 3, 4, 5], 50)
    rows = np.column_stack([ids[1:-1], ids[:-2], ids[2:]])  # the last two, and the next one
    [[none, one, two]] = counted_losses(rows, rows, [1])
    assert none == pytest.approx(np.log(4), rel=0.01) and two < one < 0.05


def test_neighbours_are_those_that_the_model_sees():
    inputs = {"ids": np.array([[7, 8, 9]]), "positions": np.array([[1, 2]])}
    assert neighbours([(inputs, np.array([[5, 0]]))], (-1, 1)).tolist() == [[7, 9, 5]]
    assert neighbours([(inputs, np.array([[5, 6]]))], (0, -2)).tolist() == [
        [8, 0, 5],
        [9, 7, 6],
    ]
