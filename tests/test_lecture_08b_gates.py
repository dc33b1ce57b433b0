"""Lab 08b: what it says of a learned W, sizes that it compares, pairs in its rows."""

import numpy as np
import pytest

from course_utils import plotting
from course_utils.lectures import lecture_08b
from course_utils.lectures import lecture_08b as sentence_pairs
from course_utils.lectures.lecture_08b import band_share, diagonal_means, gmlp_text_parameters


@pytest.fixture
def shown(monkeypatch):
    """What is shown: figures with their alternative texts."""
    figures = []
    monkeypatch.setattr(plotting, "show", lambda figure, alt: figures.append((figure, alt)))
    return figures


def test_means_by_distance_are_the_weights_of_a_toeplitz_matrix():
    t = np.random.default_rng(0).normal(size=11)
    assert np.allclose(diagonal_means(lecture_08b.toeplitz(t)), t)


def test_what_stands_before_the_middle_is_about_later_tokens():
    right = np.eye(5, k=1)  # each token reads the one to its right
    assert diagonal_means(right).tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_diagonals_explain_all_of_a_toeplitz_matrix_and_of_noise_what_chance_gives():
    draw, S = np.random.default_rng(1), 16
    assert band_share(lecture_08b.toeplitz(draw.normal(size=31)))[0] == pytest.approx(1)
    found = np.array([band_share(draw.normal(size=(S, S))) for _ in range(300)])
    assert found[:, 0].mean() == pytest.approx(found[0, 1], rel=0.05)


def test_a_permuted_band_is_no_band():
    band = lecture_08b.toeplitz(np.exp(-np.abs(np.arange(-15, 16.0))))
    shuffled = band[np.random.default_rng(2).permutation(16)]
    assert band_share(shuffled)[0] < 0.4 < band_share(band)[0]


def test_the_figure_draws_the_right_neighbour_on_the_right(shown):
    lecture_08b.show_gates({"one": np.eye(14, k=1), "two": np.ones((14, 14))}, "two gates")
    [(drawing, alt)] = shown
    assert [axis.get_title() for axis in drawing.axes] == ["one", "two", "", ""] and alt
    heights = [bar.get_height() for bar in drawing.axes[2].patches]
    assert heights == [*[0] * 13, 1, *[0] * 11]


def test_the_gates_that_the_lab_compares_are_of_one_size():
    """SIZE and GATES_TRIED of the lecture: the widths that make three blocks alike."""
    shape = {"max_length": 64, "embed_dim": 128, "num_layers": 3, "vocab_size": 70}
    tried = [
        *({"mlp_dim": 288, "gate": gate} for gate in ("linear", "additive", "multiplicative")),
        {"mlp_dim": 384},
        {"mlp_dim": 336, "tiny_attention": 16},
    ]
    sizes = [gmlp_text_parameters(**shape, **one) for one in tried]
    assert max(sizes) < 1.02 * min(sizes)
    [split] = [size for one, size in zip(tried, sizes, strict=True) if one == {"mlp_dim": 384}]
    tied = gmlp_text_parameters(**shape, mlp_dim=384, toeplitz=True)
    assert split - tied == 3 * (64**2 - 127)


def test_the_arms_that_judge_pairs_are_of_one_size():
    shape = {"max_length": 40, "embed_dim": 64, "num_layers": 2, "vocab_size": 200}
    alone = gmlp_text_parameters(**shape, mlp_dim=352)
    tiny = gmlp_text_parameters(**shape, mlp_dim=256, tiny_attention=32)
    assert tiny == pytest.approx(alone, rel=0.03)


@pytest.mark.parametrize("kind", sentence_pairs.KINDS)
def test_the_labs_rows_hold_every_pair_whole(kind):
    """Rows of 40: 26 places for <sos> and the first text, 14 for <eos> and the second."""
    inputs = sentence_pairs.load_sentence_pairs([kind], train=4).test.inputs
    for name, room in (("first", 25), ("second", 13)):
        sizes = [len(text.split()) + sum(map(text.count, ".,")) for text in inputs[name]]
        assert max(sizes) <= room


def test_plateaus_say_what_they_show(shown):
    lecture_08b.show_plateaus({"split": [[3.0, 2.0], [3.1, 2.5]], "linear": []}, [3.2], 50, 0.9)
    [(drawing, alt)] = shown
    assert "split: 3.00 to 2.00; split: 3.10 to 2.50" in alt
    drawn = [line for line in drawing.axes[0].lines if len(line.get_xdata())]
    assert drawn[0].get_xdata().tolist() == [50, 100]
    assert drawn[-1].get_ydata()[0] == pytest.approx(0.9 * 3.2)
