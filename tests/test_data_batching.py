"""Batches by length."""

import numpy as np
import pytest

from course_utils.data import Split, length_buckets

LENGTHS = np.random.default_rng(0).integers(1, 41, size=203)


def ragged_split(**more) -> Split:
    """Rows of 40 ids whose real words all equal the number of the row."""
    numbers = np.arange(1, len(LENGTHS) + 1, dtype="int32")[:, None]
    inputs = np.where(np.arange(40) < LENGTHS[:, None], numbers, 0).astype("int32")
    return Split(inputs, (LENGTHS % 2).astype("int32"), **more)


def test_an_epoch_has_every_row_whole_in_few_widths_narrowest_and_widest_first():
    split = ragged_split(weights=np.linspace(0, 2, len(LENGTHS)))
    batches, orders = length_buckets(split, 16), []
    for _ in range(3):
        seen = [batches[k] for k in range(len(batches))]
        assert len(seen) == -(-len(LENGTHS) // 16)
        inputs, targets, weights = zip(*seen, strict=True)
        rows = np.concatenate([part[:, 0] - 1 for part in inputs])
        assert sorted(rows) == list(range(len(LENGTHS)))
        orders.append(rows.tolist())
        whole = np.concatenate([(part != 0).sum(axis=1) for part in inputs])
        assert (whole == LENGTHS[rows]).all()
        assert (np.concatenate(targets) == split.targets[rows]).all()
        assert (np.concatenate(weights) == split.weights[rows]).all()
        counts, widths = zip(*(part.shape for part in inputs), strict=True)
        assert widths[0] == min(widths) and widths[1] == max(widths) == LENGTHS.max()
        assert sum(count < 16 for count in counts) == 1 and len(set(widths)) == 5
        batches.on_epoch_end()
    assert orders[0] != orders[1] != orders[2]


def test_a_zero_between_two_words_is_part_of_the_text():
    inputs, _ = length_buckets(Split(np.array([[5, 0, 6, 0]]), np.zeros(1)), 1)[0]
    assert inputs.tolist() == [[5, 0, 6]]


def test_own_boundaries_a_bucket_for_what_is_longer_and_less_than_one_batch():
    widths = length_buckets(ragged_split(), 8, boundaries=[10, 20]).widths
    assert widths == [10, 20, 40]
    assert length_buckets(ragged_split(), 8, boundaries=[25, 60, 90]).widths == [25, 60]
    batches = length_buckets(ragged_split().take(slice(0, 3)), 16)
    assert len(batches) == 1 and len(batches[0][1]) == 3


def test_arrays_of_the_same_steps_are_trimmed_alike():
    split = ragged_split()
    given = {"words": split.inputs, "first": split.inputs * (np.arange(40) == 0)}
    tagged = Split(given, split.inputs * 2, (split.inputs != 0).astype("float32"))
    together = ("words", "first", "targets", "weights")
    inputs, targets, weights = length_buckets(tagged, 16, same_steps=together)[0]
    assert inputs["words"].shape == inputs["first"].shape == targets.shape == weights.shape
    assert (targets == inputs["words"] * 2).all()
    rows = inputs["words"][:, 0] - 1
    assert ((inputs["words"] != 0).sum(axis=1) == LENGTHS[rows]).all()


def whole(length, *more):
    """An array whose rows hold their number, so that a row can be known again."""
    shape = (len(LENGTHS), length, *more)
    return np.arange(1, len(LENGTHS) + 1).reshape(-1, *[1] * (len(shape) - 1)) * np.ones(shape)


@pytest.mark.parametrize(
    ("length", "named"), [(40, ()), (41, ()), (40, ("targets",)), (40, ("weights",))]
)
def test_only_what_is_named_is_trimmed_whatever_its_length(length, named):
    """As one-hot targets of as many classes as the texts have words."""
    split = ragged_split(weights=whole(length, 3))
    split = Split(split.inputs, whole(length), split.weights)
    same = ("inputs", *named) if named else ()
    for inputs, targets, weights in length_buckets(split, 16, same_steps=same):
        rows, width = inputs[:, 0], inputs.shape[1]
        for name, array in (("targets", targets), ("weights", weights)):
            assert array.shape[1] == (width if name in named else length)
            assert (array.reshape(len(rows), -1) == rows[:, None]).all()


def test_an_input_may_be_called_targets():
    ids = ragged_split().inputs
    split = Split({"source": ids, "targets": ids}, ids)
    for inputs, targets in length_buckets(split, 16, same_steps=("targets",)):
        assert targets.shape[1] == 40 and inputs["targets"].shape == inputs["source"].shape


def test_inputs_of_different_lengths_are_trimmed_each_to_its_own():
    source = ragged_split().inputs
    target = np.where(np.arange(50) < 1 + LENGTHS[:, None] // 2, source[:, :1], 0)
    split = Split({"source": source, "target": target}, target * 2)
    batches = length_buckets(split, 16, same_steps=("target", "targets"))
    shapes = set()
    for k in range(len(batches)):
        inputs, targets = batches[k]
        rows = inputs["source"][:, 0] - 1
        assert ((inputs["source"] != 0).sum(axis=1) == LENGTHS[rows]).all()
        assert ((targets != 0).sum(axis=1) == 1 + LENGTHS[rows] // 2).all()
        assert (targets == inputs["target"] * 2).all()
        width = inputs["source"].shape[1]
        assert targets.shape[1] == 1 + width // 2
        shapes.add((width, targets.shape[1]))
    assert len(shapes) == len(batches.widths) == 5


def test_sizes_may_be_numbers_of_numpy():
    usual = length_buckets(ragged_split(), 16, [10, 40])
    given = length_buckets(ragged_split(), np.int64(16), np.array([10, 40], "int32"))
    assert given.widths == usual.widths and type(given.widths[0]) is int
    assert type(given.batch_size) is int and len(given) == len(usual)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"boundaries": []}, "boundaries"),
        ({"boundaries": [20, 10]}, "increase"),
        ({"boundaries": [10, 10]}, "increase"),
        ({"boundaries": [0, 10]}, "boundaries"),
        ({"same_steps": "inputs"}, "names of arrays"),
        ({"same_steps": ("inputs", "tags")}, "there are: inputs, targets; got"),
        ({"same_steps": ("inputs", "weights")}, "there are: inputs, targets; got"),
        ({"same_steps": ("targets",)}, "an input among them"),
        ({"same_steps": ("inputs", "targets")}, "have one length"),
        ({"split": "train"}, "Split"),
        ({"split": Split(np.array(["some text"], object), np.zeros(1))}, "word ids"),
        ({"split": Split(np.zeros((2, 3), "float32"), np.zeros(2))}, "word ids"),
        ({"split": Split(np.zeros((0, 3), "int32"), np.zeros(0))}, "one row"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        length_buckets(**{"split": ragged_split(), "batch_size": 16, **arguments})
