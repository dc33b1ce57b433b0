"""Canvases of digits: what is said is what is drawn, and test digits were never trained on."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_utils import data
from course_utils.data import END, PAD, START, captions
from course_utils.data import images as images_module
from course_utils.data.canvases_drawing import draw_canvases

# One plain picture a digit: every pixel says which digit it is, and where in the digit it lies.
PLAIN = (np.arange(1, 17).reshape(1, 4, 4, 1) + 20 * np.arange(10)[:, None, None, None]).astype(
    "uint8"
)


@pytest.fixture(scope="module")
def canvases():
    return data.load_canvases(count=2_000)


def cells(pictures, grid):
    """(canvases, grid², side, side), row by row."""
    count, side = len(pictures), pictures.shape[1] // grid
    cut = pictures.reshape(count, grid, side, grid, side).swapaxes(2, 3)
    return cut.reshape(count, grid**2, side, side)


@pytest.mark.parametrize("grid", [1, 2, 3])
def test_the_answer_reads_the_cells_row_by_row(grid):
    pictures, answers = data.make_canvases(PLAIN, np.arange(10), 50, grid=grid)
    assert pictures.shape == (50, 4 * grid, 4 * grid, 1) and pictures.dtype == np.uint8
    for row, answer in zip(cells(pictures, grid), answers, strict=True):
        assert answer == " ".join(str(cell[0, 0] // 20) for cell in row)
        assert all((cell == PLAIN[cell[0, 0] // 20, ..., 0]).all() for cell in row)
    assert set("".join(answers)) >= set("0123456789")


def test_shifted_digits_stay_in_their_cells():
    pictures, answers = data.make_canvases(PLAIN, np.arange(10), 300, shift=1)
    framed = np.pad(PLAIN[..., 0], ((0, 0), (1, 1), (1, 1)))
    seen = set()
    for row, answer in zip(cells(pictures, 2), answers, strict=True):
        for cell, digit in zip(row, answer.split(), strict=True):
            matches = [
                (down, right)
                for down, right in np.ndindex(3, 3)
                if (framed[int(digit), down : down + 4, right : right + 4] == cell).all()
            ]
            assert len(matches) == 1
            seen.add(matches[0])
    assert len(seen) == 9


def test_a_larger_cell_holds_the_digit_in_its_middle():
    pictures, _ = data.make_canvases(PLAIN, np.arange(10), 20, cell=8)
    inner = cells(pictures, 2)[:, :, 2:6, 2:6]
    assert (inner > 0).all() and inner.astype(int).sum() == pictures.astype(int).sum()


def test_scattered_digits_are_whole_and_anywhere_in_their_cells():
    made = draw_canvases(PLAIN, np.arange(10), 500, grid=2, cell=6, scattered=True)
    numbers, corners, filled = set(), set(), set()
    for row, answer, places in zip(
        cells(made.pictures, 2), made.answers, made.cells, strict=True
    ):
        found = [(place, cell) for place, cell in enumerate(row) if cell.any()]
        assert places.tolist() == [place for place, _ in found] + [-1] * (4 - len(found))
        for (place, cell), digit in zip(found, answer.split(), strict=True):
            top, left = (values.min() for values in np.nonzero(cell))
            picture = np.zeros_like(cell)
            picture[top : top + 4, left : left + 4] = PLAIN[int(digit), ..., 0]
            assert (picture == cell).all()
            corners.add((top, left))
            if len(found) == 1:
                filled.add(place)
        numbers.add(len(found))
    assert numbers == {1, 2, 3, 4} and len(corners) == 9 and filled == {0, 1, 2, 3}


@pytest.mark.parametrize(("side", "cell"), [(8, 12), (28, 36)])
def test_scattered_cells_are_larger_by_themselves(side, cell):
    digits = np.ones((2, side, side, 1), "uint8")
    assert data.make_canvases(digits, [0, 1], 1, scattered=True)[0].shape[1] == 2 * cell


def test_the_seed_decides():
    again = [data.make_canvases(PLAIN, np.arange(10), 30, seed=seed) for seed in (0, 0, 1)]
    assert np.array_equal(again[0][0], again[1][0]) and list(again[0][1]) == list(again[1][1])
    assert list(again[0][1]) != list(again[2][1])


def test_the_parts_and_what_a_decoder_reads_and_says(canvases):
    assert [len(canvases.split(part)) for part in ("train", "val", "test")] == [
        2_000,
        500,
        1_000,
    ]
    words = canvases.vocabulary.words
    assert words[:4] == ["<pad>", "<unknown>", "<sos>", "<eos>"]
    assert (words.index("<sos>"), words.index("<eos>")) == (START, END)
    assert words[4:] == list("0123456789")
    part = canvases.test
    assert part.inputs["image"].shape == (1_000, 16, 16, 1)
    assert part.inputs["image"].dtype == np.float32
    assert part.inputs["ids"].shape == part.targets.shape == part.weights.shape == (1_000, 5)
    assert part.inputs["ids"].dtype == part.targets.dtype == np.int32
    assert (part.inputs["ids"][:, 0] == START).all() and (part.targets[:, -1] == END).all()
    assert np.array_equal(part.inputs["ids"][:, 1:], part.targets[:, :-1])
    assert (part.weights == 1).all()
    for row in range(20):
        assert canvases.vocabulary.decode(part.targets[row, :4]) == part.columns["answer"][row]
    assert part.columns["alignment"].tolist() == [[0, 1, 2, 3, -1]] * 1_000


def test_scattered_answers_are_padded_and_pads_weigh_nothing():
    part = data.load_canvases(count=300, scattered=True).train
    assert part.inputs["image"].shape == (300, 24, 24, 1)
    said = np.array([len(answer.split()) for answer in part.columns["answer"]])
    assert set(said) == {1, 2, 3, 4}
    assert np.array_equal(part.weights.sum(axis=1), said + 1)
    assert np.array_equal(part.weights > 0, part.targets != PAD)
    assert (part.targets[np.arange(300), said] == END).all()
    assert np.array_equal((part.inputs["ids"] != PAD).sum(axis=1), said + 1)
    assert np.array_equal((part.columns["alignment"] >= 0).sum(axis=1), said)
    for row, places in zip(
        cells(part.inputs["image"], 2), part.columns["alignment"], strict=True
    ):
        assert np.flatnonzero(row.any(axis=(1, 2))).tolist() == places[places >= 0].tolist()


def test_a_test_canvas_holds_no_digit_that_was_trained_on():
    dataset, digits = data.load_canvases(count=500, shift=0), data.load_digits()
    seen = {
        part: {
            cell.tobytes()
            for cell in cells(dataset.split(part).inputs["image"], 2).reshape(-1, 8, 8)
        }
        for part in ("train", "val", "test")
    }
    given = {
        part: {digit.tobytes() for digit in digits.split(part).inputs}
        for part in ("train", "val", "test")
    }
    assert all(seen[part] <= given[part] for part in seen)
    assert not given["train"] & given["test"] and not given["val"] & given["test"]


def test_another_seed_draws_other_canvases(canvases):
    again, other = data.load_canvases(count=100), data.load_canvases(count=100, seed=1)
    assert np.array_equal(again.val.targets, canvases.val.targets)
    assert not np.array_equal(other.val.targets, canvases.val.targets)
    scattered = data.load_canvases(count=500, scattered=True)
    cells_of = [part.columns["alignment"] for part in (scattered.train, scattered.val)]
    assert not np.array_equal(*cells_of)


def test_mnist_is_asked_for_as_bytes_and_comes_as_floats(monkeypatch):
    asked = {}

    def load_images(name, **settings):
        asked.update(settings, name=name)
        part = SimpleNamespace(inputs=PLAIN.repeat(7, 1).repeat(7, 2), targets=np.arange(10))
        return SimpleNamespace(
            split=lambda name: part,
            class_names=tuple("0123456789"),
            source="where MNIST is from",
            licence="its licence",
        )

    monkeypatch.setattr(images_module, "load_images", load_images)
    dataset = data.load_canvases("mnist", count=30)
    assert asked == {"name": "mnist", "dtype": "uint8"}
    pictures = dataset.train.inputs["image"]
    assert pictures.shape == (30, 56, 56, 1) and pictures.dtype == np.float32
    assert 0.7 < pictures.max() <= 196 / 255 + 1e-6
    assert "where MNIST is from" in dataset.source and dataset.licence == "its licence"


def test_captions_refuse_what_they_cannot_say():
    vocabulary = captions.caption_vocabulary(["1", "2"])
    with pytest.raises(ValueError, match="'1 3'"):
        captions.teacher_forced(["1 3"], vocabulary)
    with pytest.raises(ValueError, match="3 tokens"):
        captions.teacher_forced(["1 2"], vocabulary, length=2)
    ids, targets, weights = captions.teacher_forced(["1 2", "2"], vocabulary)
    assert ids.tolist() == [[2, 4, 5], [2, 5, 0]] and targets.tolist() == [[4, 5, 3], [5, 3, 0]]
    assert weights.tolist() == [[1, 1, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "letters"},
        {"count": 0},
        {"grid": 0},
        {"shift": -1},
        {"scattered": "nope"},
        {"seed": -1},
    ],
)
def test_a_wrong_argument_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        data.load_canvases(**wrong)


@pytest.mark.parametrize(
    ("images", "labels", "settings", "said"),
    [
        (PLAIN[..., 0], np.arange(10), {}, "images have to be"),
        (PLAIN[:, :3], np.arange(10), {}, "images have to be"),
        (PLAIN, np.arange(9), {}, "labels have to be"),
        (PLAIN, np.arange(10), {"cell": 3}, "cell"),
        (PLAIN, np.arange(10), {"seed": -1}, "seed"),
    ],
)
def test_wrong_digits_are_refused(images, labels, settings, said):
    with pytest.raises(ValueError, match=said):
        data.make_canvases(images, labels, 5, **settings)
