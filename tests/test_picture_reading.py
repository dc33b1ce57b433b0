"""How lab 07b trains on canvases drawn anew, and how it judges a reader."""

import keras
import numpy as np
import pytest

from course_utils import data, picture_reading
from course_utils.data.captions import caption_vocabulary

SETTINGS = {"grid": 2, "shift": 1, "scattered": False}


@pytest.fixture(scope="module")
def digits():
    return data.load_digits()


def fresh(part, dtype="float32", **changes):
    inputs = part.inputs if dtype == "float32" else (part.inputs * 255).astype("uint8")
    split = data.Split(inputs, part.targets)
    vocabulary = caption_vocabulary("0123456789")
    return picture_reading.FreshCanvases(split, vocabulary, 3, seed=1, **SETTINGS, **changes)


def test_every_epoch_has_other_canvases_and_rows_agree(digits):
    batches = fresh(digits.train)
    assert len(batches) == 3
    inputs, targets = batches[0]
    assert inputs["image"].shape == (64, 16, 16, 1)
    np.testing.assert_array_equal(inputs["ids"][:, 1:], targets[:, :-1])
    batches.on_epoch_end()
    assert not np.array_equal(batches[0][0]["image"], inputs["image"])


def test_turned_digits_are_others_on_the_same_canvases_and_others_each_epoch(digits):
    batches, upright = fresh(digits.train, turn=20), fresh(digits.train)
    np.testing.assert_array_equal(batches[0][1], upright[0][1])
    turned = batches[0][0]["image"]
    moved = np.abs(turned - upright[0][0]["image"]).mean(axis=(1, 2, 3))
    assert 0.01 < moved.mean() < 0.15
    before = batches.digits.inputs.copy()
    batches.on_epoch_end()
    assert not np.array_equal(batches[0][0]["image"], turned)
    np.testing.assert_array_equal(batches.digits.inputs, before)


def test_bytes_become_numbers_from_0_to_1(digits):
    image = fresh(digits.train, "uint8")[2][0]["image"]
    assert image.dtype == "float32"
    assert 0.5 < image.max() <= 1


def test_judge_counts_canvases_digits_and_edits(monkeypatch):
    canvases = data.load_canvases(count=64).test.take(slice(4))
    true = [text.split() for text in canvases.columns["answer"]]
    wrong = str((int(true[0][0]) + 1) % 10)
    said = [[wrong, *true[0][1:]], true[1][:3], *true[2:]]
    written = [" ".join(digits) for digits in said]
    monkeypatch.setattr(picture_reading, "read", lambda *arguments: written)
    monkeypatch.setattr(picture_reading, "cross_attention", lambda *arguments: None)
    monkeypatch.setattr(
        picture_reading.translation, "next_word_accuracy", lambda *arguments: np.ones(4)
    )
    found = picture_reading.evaluate(None, canvases, None, 2)
    assert found["exact_match"] == 0.5
    assert found["digit_accuracy"] == pytest.approx(14 / 16)
    assert found["digit_error_rate"] == pytest.approx(2 / 16)
    assert found["exact_4_digits"] == 0.5


def test_attention_by_cell_is_summed_in_float32_where_the_model_computes_in_bfloat16():
    class Even:
        def weights_for(self, image, ids):
            return keras.ops.full((2_000, 2, 64), 1 / 64, dtype="bfloat16")

    columns = {"alignment": np.zeros((2_000, 2), int)}
    inputs = dict.fromkeys(("image", "ids"), np.zeros(2_000))
    split = data.Split(inputs, np.zeros((2_000, 2)), columns=columns)
    found = picture_reading.mass_on_cell(Even(), split, 2)
    assert found["mass"] == pytest.approx(0.25)
