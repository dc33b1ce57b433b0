"""What lecture 08 says about its recorded runs."""

import numpy as np
import pytest

from course_utils import results

LECTURE = "08_mixer_gmlp"
WITHOUT_CONVOLUTION = ("gmlp", "mixer", "vit")


def recorded(model, dataset, metric="test_accuracy"):
    return [run["metrics"][metric] for run in results.load(LECTURE, model, dataset)]


def test_with_100_digits_the_order_is_that_of_what_is_assumed():
    found = [recorded(kind, "digits_100") for kind in ("convnet", *WITHOUT_CONVOLUTION)]
    for better, worse in zip(found, found[1:], strict=False):
        assert min(better) > max(worse)
    assert [np.mean(accuracies) for accuracies in found] == (
        pytest.approx([0.90, 0.85, 0.82, 0.77], abs=0.005)
    )


def test_with_1200_digits_only_the_convnet_is_told_apart():
    others = [recorded(kind, "digits_1200") for kind in WITHOUT_CONVOLUTION]
    means = [np.mean(accuracies) for accuracies in others]
    assert np.ptp(means) < max(np.ptp(accuracies) for accuracies in others)
    convnet = recorded("convnet", "digits_1200")
    assert min(convnet) > max(map(max, others))
    assert np.mean(convnet) - max(means) > 0.015


def test_places_bring_most_and_listening_the_rest():
    deaf, placed, whole = (
        recorded(kind, "digits_1200") for kind in ("gmlp_no_gate", "gmlp_no_W", "gmlp")
    )
    assert np.mean(placed) - np.mean(deaf) == pytest.approx(0.20, abs=0.01)
    assert np.mean(whole) - np.mean(deaf) == pytest.approx(0.22, abs=0.005)
    assert np.mean(whole) - np.mean(placed) == pytest.approx(0.014, abs=0.001)
    assert max(placed) < min(whole)


def test_at_four_blocks_the_start_does_not_show():
    paper = recorded("gmlp", "digits_1200")
    for start in ("gmlp_wide_W", "gmlp_b_zero"):
        assert abs(np.mean(recorded(start, "digits_1200")) - np.mean(paper)) < np.ptp(paper)


def test_pre_training_helps_most_whoever_assumes_least():
    def way(kind, name):
        return np.array(recorded(kind, "mnist_to_digits", name))

    gains = {
        kind: {n: way(kind, f"tuned_{n}") - way(kind, f"scratch_{n}") for n in (50, 100, 200)}
        for kind in ("convnet", *WITHOUT_CONVOLUTION)
    }
    assert all(gain.min() > 0 for found in gains.values() for gain in found.values())
    for kind in WITHOUT_CONVOLUTION:
        assert 0.135 < gains[kind][50].mean() < 0.175
        assert 0.045 < gains[kind][200].mean() < 0.075
    assert gains["convnet"][50].mean() == pytest.approx(0.08, abs=0.005)
    assert gains["convnet"][200].mean() == pytest.approx(0.01, abs=0.005)
    for kind in ("mixer", "gmlp"):
        assert way(kind, "tuned_100").mean() > way("convnet", "scratch_100").mean()
        for count, lead in ((50, 0.05), (200, 0.02)):
            ahead = way("convnet", f"tuned_{count}") - way(kind, f"tuned_{count}")
            assert ahead.mean() == pytest.approx(lead, abs=0.005)
