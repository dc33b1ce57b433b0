"""Lab 08b: what its figures say of a learned W, and what it claims by formula."""

import numpy as np
import pytest

from course_utils import plotting_gates
from course_utils.data import sentence_pairs_grammar
from course_utils.numpy_ref import gmlp, mlp_cost

LECTURE = "08b_lab_gmlp_text"


def test_means_by_distance_are_the_weights_of_a_toeplitz_matrix():
    t = np.random.default_rng(0).normal(size=11)
    assert np.allclose(plotting_gates.by_distance(gmlp.toeplitz(t)), t)


def test_what_stands_before_the_middle_is_about_later_tokens():
    W = np.zeros((5, 5))
    W[np.arange(4), np.arange(4) + 1] = 1.0  # each token reads the one to its right
    assert plotting_gates.by_distance(W).tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_diagonals_explain_all_of_a_toeplitz_matrix_and_of_noise_its_number_of_means():
    draw, S = np.random.default_rng(1), 16
    assert plotting_gates.band_share(gmlp.toeplitz(draw.normal(size=31))) == pytest.approx(1)
    shares = [plotting_gates.band_share(draw.normal(size=(S, S))) for _ in range(300)]
    assert np.mean(shares) == pytest.approx((2 * S - 1) / S**2, rel=0.05)


def test_a_permuted_band_is_no_band():
    band = gmlp.toeplitz(np.exp(-np.abs(np.arange(-15, 16.0))))
    shuffled = band[np.random.default_rng(2).permutation(16)]
    assert plotting_gates.band_share(shuffled) < 0.4 < plotting_gates.band_share(band)


@pytest.mark.parametrize("W", [np.ones(4), np.ones((2, 3)), np.zeros((0, 0))])
def test_only_square_matrices_have_diagonals_to_compare(W):
    for function in (plotting_gates.by_distance, plotting_gates.band_share):
        with pytest.raises(ValueError, match="square matrix"):
            function(W)


def test_a_matrix_of_zeros_has_no_share():
    with pytest.raises(ValueError, match="zeros"):
        plotting_gates.band_share(np.zeros((3, 3)))


def test_the_figure_draws_the_right_neighbour_on_the_right():
    W = np.zeros((8, 8))
    W[np.arange(7), np.arange(7) + 1] = 1.0
    _, below = plotting_gates.gate_figure({"one": W}, reach=3).axes
    centres = [bar.get_x() + bar.get_width() / 2 for bar in below.patches]
    heights = [bar.get_height() for bar in below.patches]
    assert np.allclose(centres, [-3, -2, -1, 0, 1, 2, 3])
    assert heights == [0, 0, 0, 0, 1, 0, 0]


def test_a_figure_of_several_gates_has_a_picture_and_bars_for_each():
    drawing = plotting_gates.gate_figure({"a": np.eye(6), "b": np.ones((6, 6))})
    assert [axis.get_title() for axis in drawing.axes] == ["a", "b", "", ""]


def test_the_gates_that_the_lab_compares_are_of_one_size():
    """SIZE and GATES_TRIED of the lecture: the widths that make three blocks alike."""
    shape = {"max_length": 64, "embed_dim": 128, "num_layers": 3, "vocab_size": 70}
    tried = [
        *({"mlp_dim": 288, "gate": gate} for gate in ("linear", "additive", "multiplicative")),
        {"mlp_dim": 384},
        {"mlp_dim": 336, "tiny_attention": 16},
    ]
    sizes = [sum(mlp_cost.gmlp_text_parameters(**shape, **one).values()) for one in tried]
    assert max(sizes) < 1.02 * min(sizes)
    [split] = [size for one, size in zip(tried, sizes, strict=True) if one == {"mlp_dim": 384}]
    tied = mlp_cost.gmlp_text_parameters(**shape, mlp_dim=384, toeplitz=True)
    assert split - sum(tied.values()) == 3 * (64**2 - 127)


def test_the_arms_that_judge_pairs_are_of_one_size():
    shape = {"max_length": 40, "embed_dim": 64, "num_layers": 2, "vocab_size": 200}
    alone = mlp_cost.gmlp_text_parameters(**shape, mlp_dim=352)
    tiny = mlp_cost.gmlp_text_parameters(**shape, mlp_dim=256, tiny_attention=32)
    assert sum(tiny.values()) == pytest.approx(sum(alone.values()), rel=0.03)


@pytest.mark.parametrize("kind", sentence_pairs_grammar.KINDS)
def test_the_labs_rows_hold_every_pair_whole(kind):
    """Rows of 40: 26 places for <sos> and the first text, 14 for <eos> and the second."""
    pairs = sentence_pairs_grammar.make_pairs(kind, {"train": 500}, 0, True)["train"]
    for texts, room in [([p.first for p in pairs], 25), ([p.second for p in pairs], 13)]:
        marks = max(
            sum(text.count(mark) for mark in ".,;") + len(text.split()) for text in texts
        )
        assert marks <= room


def test_waiting_curves_say_what_they_show(monkeypatch):
    shown = []
    monkeypatch.setattr(
        plotting_gates.plotting, "show", lambda figure, alt: shown.append((figure, alt))
    )
    plotting_gates.waiting({"split": [[3.0, 2.0], [3.1, 2.5]], "linear": []}, [3.2], 50, 0.9)
    [(drawing, alt)] = shown
    assert "split: 3.00 to 2.00; split: 3.10 to 2.50" in alt
    drawn = [line for line in drawing.axes[0].lines if len(line.get_xdata())]
    assert drawn[0].get_xdata().tolist() == [50, 100]
    assert drawn[-1].get_ydata()[0] == pytest.approx(0.9 * 3.2)
