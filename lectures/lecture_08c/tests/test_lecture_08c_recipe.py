"""Lab 8c: the gate of the run log, augmentations, plans, the zero start, the student's code."""

import keras
import numpy as np
import pytest

from course_utils import data, layers, results
from lectures import lecture_08c
from lectures.lecture_07.augment import random_translate
from lectures.lecture_08c import exercises as exercises_08c
from lectures.lecture_08c import record
from lectures.lecture_08c.record import ALL_PLANS, Photographs, Plan, RunLog
from tools.claims import Records

USUAL = Plan("", "Mixer", 1, 0.001)


def test_the_log_shows_validation_and_opens_the_test_part_once_a_network(capsys):
    log = RunLog()
    shown = [str(cell) for row in log.table().cells() for cell in row]
    tested = Records(record.LECTURE).recorded("mixer_long", record.CIFAR)
    assert not any(f"{one:.4f}" in cell for one in tested for cell in shown)
    assert log.curve("mixer-20").shape == (3, 20)
    first = log.reveal_test("mixer-60")
    assert first == tested.tolist() == log.reveal_test("mixer-60")
    with pytest.raises(ValueError, match="mixer-60"):
        log.reveal_test("mixer-60-zero")
    log.reveal_test("gmlp-60")
    assert "mixer-60, gmlp-60" in capsys.readouterr().out
    with pytest.raises(ValueError, match="gmlp-60"):
        log.validation("gmlp-61")


@pytest.mark.parametrize("name", ALL_PLANS)
def test_a_plan_says_what_its_runs_recorded(name):
    plan = ALL_PLANS[name]
    about = Records(record.LECTURE)
    epochs = about.about(plan.record, record.CIFAR, "epochs")
    rates = about.about(plan.record, record.CIFAR, "rate")
    assert set(epochs) == {plan.epochs} and set(rates) == {plan.learning_rate}
    assert len(epochs) == (1 if name in record.SWEEP else 3)


def test_every_recorded_run_on_photographs_belongs_to_a_plan():
    recorded = {
        run["model"] for run in results.load(record.LECTURE, dataset="cifar10_recompressed")
    }
    assert recorded == {plan.record for plan in ALL_PLANS.values()}


def test_more_equal_models_inflate_the_choice_by_test_alone():
    few, many = (lecture_08c.select(count, 0.8, 10_000) for count in (2, 10))
    deviation = (0.8 * 0.2 / 10_000) ** 0.5
    assert many[0] == pytest.approx(0.8 + 1.54 * deviation, abs=2e-4)
    assert few[0] < many[0] and few[1] == pytest.approx(0.8, abs=2e-4)
    assert many[1] == pytest.approx(0.8, abs=2e-4)


def test_the_shift_is_the_librarys_and_the_programs_show_their_bugs():
    images = np.random.default_rng(0).random((20, 7, 9, 2), "float32")
    assert np.array_equal(
        lecture_08c.random_shift(images, 3, 5), random_translate(images, 3, 5)
    )
    white = np.ones((4_000, 32, 32, 1), "float32")
    wrapped, right, shared = (
        np.round(lecture_08c.rim_sides(pipeline(white, 1)), 2)
        for pipeline in (lecture_08c.pipeline_a, lecture_08c.pipeline_b, lecture_08c.pipeline_c)
    )
    assert wrapped.tolist() == [0, 1, 0]
    assert np.abs(right - [0.44, 0.11, 0.44]).max() < 0.03
    assert shared[2] == 0 and shared[0] > 0.85


def test_photographs_move_both_ways_unless_the_plan_has_the_bug():
    white = data.Split(np.full((1_000, 32, 32, 3), 255, "uint8"), np.arange(1_000) % 10)
    sides = {}
    for bug in (False, True):
        for epoch in range(6):  # until a batch is not mixed
            batches = Photographs(white, 1_000, USUAL._replace(bug=bug))
            batches.epoch = epoch
            images, shares = batches[0]
            if set(np.unique(shares)) == {0, 1}:
                break
        sides[bug] = lecture_08c.rim_sides(images[..., :1] + 2)
    assert min(sides[False][0], sides[False][2]) > 0.35
    assert sides[True][2] == 0 and sides[True][0] > 0.8


def test_photographs_are_changed_anew_each_epoch_in_training_only():
    images = np.random.default_rng(0).integers(0, 256, (10, 32, 32, 3)).astype("uint8")
    split = data.Split(images, np.arange(10))
    moved, still = Photographs(split, 4, USUAL), Photographs(split, 4)
    assert len(moved) == 3 and sum(len(moved[k][0]) for k in range(3)) == 10
    first, before = moved[0][0], still[0][0]
    assert first.dtype == np.float32 and -2 <= first.min() < first.max() <= 2
    assert np.array_equal(first, moved[0][0])
    assert before == pytest.approx((images[:4] / 255 - 0.5) * 4, abs=5e-7)
    moved.on_epoch_end()
    still.on_epoch_end()
    assert not np.array_equal(first, moved[0][0]) and np.array_equal(before, still[0][0])
    strong = Photographs(split, 4, USUAL._replace(strong=True))
    assert not np.array_equal(strong[0][0], Photographs(split, 4, USUAL)[0][0])


def test_mixed_photographs_have_the_labels_of_what_they_show():
    grey = np.repeat(np.arange(25, 251, 25, dtype="uint8"), 32 * 32 * 3)
    batches = Photographs(data.Split(grey.reshape(10, 32, 32, 3), np.arange(10)), 10, USUAL)
    mixed = 0
    for batches.epoch in range(20):
        images, shares = batches[0]
        for image, row in zip(np.rint((images + 2) / 4 * 255).astype(int), shares, strict=True):
            classes = {25 * (one + 1) for one in np.flatnonzero(row)}
            assert classes >= set(np.unique(image)) - {0} and row.sum() == pytest.approx(1)
            for one in classes:  # black rims take at most four of 32 rows and columns
                area, share = np.mean(image[..., 0] == one), row[one // 25 - 1]
                assert share - 0.25 < area < share + 0.01
            mixed += len(classes) == 2
    assert 40 < mixed < 160


def test_the_slides_networks_are_of_one_size():
    counts = [
        record.cifar_model(USUAL._replace(network=network)).count_params()
        for network in ("Mixer", "gMLP")
    ]
    assert counts == [4_493_066, 4_417_738]


def test_a_zero_start_learns_its_last_matrix_first():
    keras.utils.set_random_seed(0)
    usual = lecture_08c.digit_mixer()
    keras.utils.set_random_seed(0)
    model = lecture_08c.zero_start(lecture_08c.digit_mixer())
    pairs = zip(usual.get_weights(), model.get_weights(), strict=True)
    assert sum(not np.array_equal(*pair) for pair in pairs) == 3
    blocks = [layer for layer in model.layers if isinstance(layer, layers.MixerBlock)]

    def kernels(place):
        kernels = (block.token_mixing.layers[place].kernel for block in blocks)
        return [keras.ops.convert_to_numpy(kernel) for kernel in kernels]

    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    images = np.random.default_rng(0).normal(size=(10, 8, 8, 1)).astype("float32")
    first = kernels(0)
    model.train_on_batch(images, np.arange(10))
    assert all(np.any(kernel) for kernel in kernels(-1))
    assert all(map(np.array_equal, kernels(0), first))
    model.train_on_batch(images, np.arange(10))
    assert not any(map(np.array_equal, kernels(0), first))


@pytest.mark.weekly
def test_a_training_without_augmentation_stays_below_the_figure_that_the_exercise_asks():
    digits = data.load_digits(100)
    keras.utils.set_random_seed(0)
    plain = lecture_08c.digit_mixer()
    run = lecture_08c.train_on_images(plain, digits, 0.008, epochs=5)
    assert max(run.history["val_accuracy"]) < exercises_08c.BAR


def test_a_network_is_calibrated_where_its_probabilities_are_frequencies():
    draw = np.random.default_rng(0)
    logits = draw.normal(0, 2, (20_000, 5))
    targets = (logits + draw.gumbel(size=logits.shape)).argmax(axis=1)
    errors = [lecture_08c.calibration_error(one * logits, targets) for one in (0.5, 1, 2)]
    assert errors[1] < 0.01 and min(errors[0], errors[2]) > 0.08
    sure = np.array([[9.0, -40.0], [9.0, -40.0], [0.0, 0.2]])
    low = 1 / (1 + np.exp(-0.2))  # a bin of its own; the sure ones share the last
    found = lecture_08c.calibration_error(sure, np.array([0, 1, 1]))
    assert found == pytest.approx(2 / 3 * 0.5 + (1 - low) / 3)


def test_mixed_digits_are_what_the_recipe_says():
    digits = data.load_digits(100).train
    plain, mixed = (record.MixedDigits(digits, 0, None, mix) for mix in (False, True))
    assert np.array_equal(plain[0][1].argmax(axis=1), plain[0][1] @ np.arange(10))
    kinds = {len(np.unique(mixed[step][1])) for step in range(20)}
    assert 2 in kinds and max(kinds) > 2
    assert all(np.allclose(mixed[step][1].sum(axis=1), 1) for step in range(20))
