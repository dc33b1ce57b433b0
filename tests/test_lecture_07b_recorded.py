"""What lab 07b says about its recorded runs, and where its captioner comes from."""

import numpy as np
import pytest

from course_utils import models, results

LECTURE = "07b_lab_image_to_text"


def recorded(model, dataset, metric="exact_match"):
    return [run["metrics"][metric] for run in results.load(LECTURE, model, dataset)]


def test_four_digits_need_no_attention_and_nine_do():
    one_vector, looking = (
        {grid: recorded(name, f"digits_{grid}x{grid}") for grid in (2, 3)}
        for name in ("conv_gru", "conv_gru_attention")
    )
    assert min(one_vector[2]) > max(looking[2])
    assert np.mean(one_vector[2]) == pytest.approx(0.94, abs=0.005)
    assert np.mean(looking[2]) == pytest.approx(0.90, abs=0.005)
    assert sorted(value > 0.001 for value in one_vector[3]) == [False, False, True]
    assert max(one_vector[3]) == pytest.approx(0.5, abs=0.05) and max(one_vector[3]) < min(
        looking[3]
    )
    stuck = np.sort(recorded("conv_gru", "digits_3x3", "val_loss"))[1:]
    assert stuck == pytest.approx(0.9 * np.log(10), abs=0.005)


def test_exact_match_is_nearly_the_power_of_digit_accuracy():
    for name, digits, canvases in (("conv_gru_attention", 0.953, 0.65), ("vit", 0.982, 0.85)):
        found = np.mean(recorded(name, "digits_3x3", "digit_accuracy"))
        assert found == pytest.approx(digits, abs=0.001)
        assert found**9 == pytest.approx(canvases, abs=0.01)
        assert np.mean(recorded(name, "digits_3x3")) == pytest.approx(canvases, abs=0.01)


def test_without_positions_there_is_no_order():
    assert max(recorded("vit_no_positions", "digits_2x2")) < 0.05
    assert np.mean(recorded("vit_no_positions", "digits_2x2", "digit_accuracy")) == (
        pytest.approx(0.28, abs=0.01)
    )


@pytest.mark.parametrize(
    ("task", "exact", "known"),
    [("mnist_2x2", 0.948, 0.985), ("mnist_2x2_turned", 0.949, 0.976)],
)
def test_digits_of_mnist_miss_their_bar_by_less_than_chance(task, exact, known):
    found = recorded("vit", task)
    assert np.mean(found) == pytest.approx(exact, abs=0.0005)
    three_seeds = (0.95 * 0.05 / 3_000) ** 0.5
    assert three_seeds == pytest.approx(0.004, abs=0.0005)
    assert 0 < 0.95 - np.mean(found) < three_seeds
    assert np.mean(recorded("vit", task, "exact_known_digits")) == pytest.approx(
        known, abs=0.001
    )
    digits = np.mean(recorded("vit", task, "digit_accuracy"))
    assert digits**4 == pytest.approx(np.mean(found), abs=0.005)


def test_twice_the_steps_bring_turned_digits_over_the_bar():
    found = recorded("vit", "mnist_2x2_turned_longer")
    assert np.mean(found) == pytest.approx(0.957, abs=0.0005) and min(found) > 0.95
    assert np.mean(found) - 0.95 < 2 * (0.95 * 0.05 / 3_000) ** 0.5
    assert np.mean(recorded("vit", "mnist_2x2_turned_longer", "exact_known_digits")) == (
        pytest.approx(0.988, abs=0.001)
    )


def test_turned_digits_are_learned_less_by_heart():
    losses = [
        np.mean(recorded("vit", task, "val_loss")) for task in ("mnist_2x2", "mnist_2x2_turned")
    ]
    assert losses == pytest.approx([0.046, 0.042], abs=0.0005)
    changes = np.subtract(recorded("vit", "mnist_2x2_turned"), recorded("vit", "mnist_2x2"))
    assert sorted(np.sign(np.round(changes, 4))) == [-1, 0, 1]


def test_one_reader_of_nine_digits_looks_elsewhere_and_reads_as_well():
    largest = recorded("vit", "digits_3x3", "largest")
    exact = recorded("vit", "digits_3x3")
    odd = int(np.argmin(largest))
    assert largest[odd] == pytest.approx(0.90, abs=0.005)
    assert all(value > 0.995 for value in np.delete(largest, odd))
    assert exact[odd] > np.mean(exact) - 0.02


def test_the_shipped_captioner_is_small_and_that_of_a_recorded_run():
    path = models.SHIPPED / "captioner.npz"
    assert path.stat().st_size < 1_000_000
    made = models.provenance("captioner")
    assert (results.RESULTS / f"{made['run']}.json").is_file()
    assert all(
        array.dtype == np.float32 for array in models.load_pretrained("captioner").values()
    )


def test_captions_of_new_pairs_hardly_ever_come_out():
    assert min(recorded("captioner", "shapes", "exact_known_pairs")) > 0.95
    assert max(recorded("captioner", "shapes", "exact_new_pairs")) < 0.1


def test_nineteen_scattered_canvases_in_twenty_are_read():
    exact = recorded("vit", "scattered")
    assert min(exact) > 0.95 and np.mean(exact) == pytest.approx(0.96, abs=0.005)
    by_count = [np.mean(recorded("vit", "scattered", f"exact_{n}_digits")) for n in range(1, 5)]
    assert by_count == pytest.approx([0.988, 0.959, 0.961, 0.941], abs=0.0006)
    assert by_count[0] ** np.arange(1, 5) == pytest.approx(
        [0.988, 0.976, 0.964, 0.953], abs=0.001
    )


def test_scattered_canvases_are_learned_later_than_the_grid():
    after = {
        name: recorded("vit", name, "exact_step_1000") for name in ("scattered", "digits_2x2")
    }
    assert (min(after["scattered"]), max(after["scattered"])) == pytest.approx((0.20, 0.31))
    assert (min(after["digits_2x2"]), max(after["digits_2x2"])) == pytest.approx((0.80, 0.90))
