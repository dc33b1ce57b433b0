"""Checks of lab 07b: teacher forcing, exact match, attention by cell, captions."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.data.base import END, PAD, START
from course_utils.numpy_ref.cells import weights_by_cell


@exercise("07b.1", solved="One row twice, a step apart: what it reads, and what it should say.")
def teacher_forced(answer):
    """What the decoder reads and what it should write."""
    digits = np.array([[7, 5, 8, 5], [9, 4, 0, 0], [6, 0, 0, 0]])
    ids, targets = _two(call(answer, digits.copy()))
    ids = array(ids, (3, 5), "the first: ").astype(int)
    targets = array(targets, (3, 5), "the second: ").astype(int)
    right_ids = np.array([[2, 7, 5, 8, 5], [2, 9, 4, 0, 0], [2, 6, 0, 0, 0]])
    right = np.array([[7, 5, 8, 5, 3], [9, 4, 3, 0, 0], [6, 3, 0, 0, 0]])
    last = np.array([[7, 5, 8, 5, 3], [9, 4, 0, 0, 3], [6, 0, 0, 0, 3]])
    require(
        not np.array_equal(ids, targets),
        "what is read and what is to be said are equal: it would learn to copy, its loss "
        "falls, and it reads no picture",
    )
    require(
        (ids[:, 0] == START).all(),
        "what the decoder reads begins with <sos>, 2: before the first digit it has read "
        "nothing else",
    )
    require(
        (targets != START).all(),
        "<sos> is given, never written: it is no target",
    )
    require(
        (targets == END).any(),
        "no target is <eos>, 3: it never learns to stop",
    )
    require(
        not np.array_equal(targets, last),
        "<eos> stands right behind the last digit, before the padding, not in the last column: "
        "else it learns to say pads first",
    )
    require(
        not (ids == END).any(),
        "the decoder never has to read <eos>: nothing is written behind it",
    )
    require(np.array_equal(ids, right_ids), "the first: <sos>, then the digits, 0 behind")
    require(np.array_equal(targets, right), "the second: the digits, <eos>, 0 behind")


def _two(result):
    try:
        ids, targets = result
    except (TypeError, ValueError):
        require(False, "return two things: (ids, targets)")
    return ids, targets


@exercise("07b.2", solved="Right to the end sign, or wrong: .96 a digit is .85 a canvas.")
def exact_match(answer):
    """The share of texts that are right as a whole."""
    rows = [7530, 94653, 83000, 44430, 56300, 96430, 68300]
    targets = np.array([[int(token) for token in f"{row:<05}"] for row in rows])
    written = targets.copy()
    written[0, 3:] = 6, 7  # right: nobody reads on behind <eos>
    written[1, 1:3] = 6, 8  # two digits wrong
    written[2, 1:3] = 8, 3  # one digit too many
    written[3, 2] = 3  # stops too early
    written[4, 3:] = 9, 3  # right
    written[6, 2:4] = 4, 3  # one digit too many
    got = number(call(answer, written.copy(), targets.copy()))
    padding_mask = targets != PAD
    same = written == targets
    digits = padding_mask & (targets != END)
    why = f"three of these seven are right, {3 / 7:.3f}, and you have {got:.3f}"
    mistakes = [
        (
            same.all(axis=1).mean(),
            "the positions behind <eos> were compared, too: a text that is right and then goes "
            "on with anything is right; stop at the end sign",
        ),
        (
            (same | ~digits).all(axis=1).mean(),
            "<eos> has to be right as well: two of these texts write a digit too many",
        ),
        (same[digits].mean(), "that is the accuracy a digit: a text with one wrong is wrong"),
        (
            same[padding_mask].mean(),
            "that is the accuracy a token: a text with one wrong is wrong",
        ),
        (same.mean(), "pads are counted: short texts are flattered, and no text is judged"),
        (1 - 3 / 7, "that is the share of wrong texts"),
        (3.0, "that is the number of right texts: divide by how many there are"),
    ]
    for wrong, explanation in mistakes:
        require(not np.isclose(got, wrong, atol=1e-6), f"{why}: {explanation}")
    require(np.isclose(got, 3 / 7, atol=1e-6), f"{why}: all tokens up to <eos> have to agree")


@exercise("07b.4", solved="Rows of patches run through both cells: split both axes first.")
def cell_mass(answer):
    """Attention put together by the four cells."""
    draw = np.random.default_rng(7)
    for num_heads, side in ((2, 4), (3, 8)):
        weights = draw.random((num_heads, 5, side * side)) ** 4
        weights /= weights.sum(axis=-1, keepdims=True)
        got = array(call(answer, weights.copy()), (5, 4), "a row a step, a column a cell: ")
        mean = weights.mean(axis=0)
        truth = weights_by_cell(mean, 2)
        half = side // 2
        grid = mean.reshape(5, side, side)
        in_turn = mean.reshape(5, 4, half * half).sum(axis=-1)
        mixed = mean.reshape(5, 2, 2, half, half).sum(axis=(-1, -2)).reshape(5, 4)
        columns = grid.reshape(5, 2, half, 2, half).sum(axis=(2, 4)).transpose(0, 2, 1)
        averaged = np.broadcast_to(truth.mean(axis=0), (5, 4))
        crossed = grid.reshape(5, half, 2, half, 2).sum(axis=(1, 3)).reshape(5, 4)
        rows = "the patches stand row by row, and a row runs through two cells: "
        mistakes = [
            ([in_turn, mixed], f"{rows}reshape to (2, g/2, 2, g/2), not (2, 2, g/2, g/2)"),
            ([averaged], "the mean over the steps was taken: each step has a map of its own"),
            (
                [truth * num_heads],
                "the heads were added up: take their mean, and rows sum to 1",
            ),
            ([truth / half**2], "that is the mean a patch: the mass of a cell is a sum"),
            ([columns.reshape(5, 4)], "cells go row by row: the second lies to the right"),
            ([crossed], "every second patch was taken: (2, g/2, 2, g/2), outer cells first"),
            ([weights_by_cell(weights[0], 2)], "that is the first head: take the mean of all"),
        ]
        refuse(got, mistakes)
        require(
            np.allclose(got.sum(axis=1), 1, atol=1e-4),
            "each step's four masses have to add up to 1: all patches belong to a cell",
        )
        require(close(got, truth), "mean of the heads, then a sum over each cell's patches")


@exercise("07b.5", solved="New sizes, new words; the same encoder, decoder, loss and loop.")
def caption_settings(answer):
    """What has to be said anew for pictures with captions."""
    words = ["<pad>", "<unknown>", "<sos>", "<eos>", "a", "red", "blue", "circle", "square"]
    words.append("triangle")  # which no caption has
    captions = [["a", "red", "circle"], ["a", "blue", "square"], ["a"] * 6, ["blue"]] * 4
    captions += [
        ["a", "red", "square"],
        ["red"],
        ["a", "circle"],
        ["square"],
        ["a", "blue"],
    ] * 2
    captions += [["blue", "a"], ["red", "a"], ["circle", "a"], ["square", "a"], ["a", "blue"]]
    targets = np.zeros((len(captions), 9), int)
    for row, caption in zip(targets, captions, strict=True):
        row[: len(caption) + 1] = [*map(words.index, caption), END]
    pictures = np.zeros((len(captions), 24, 40, 3), "float32")
    got = call(answer, pictures, targets, list(words))
    require(isinstance(got, dict), "return a dict: {'image': …, 'channels': …, …}")
    names = {"image", "channels", "vocab_size", "max_length"}
    more = sorted(set(got) - names)
    require(
        not more,
        f"{', '.join(map(str, more))}: not needed. A picture with a caption is still patches, "
        "and what they become is learned: the encoder stays as it is",
    )
    missing = sorted(names - set(got))
    require(not missing, f"there is no {', '.join(missing)}")
    got = got | {name: number(got[name]) for name in ("channels", "vocab_size", "max_length")}
    image = got["image"]
    require(
        not (np.ndim(image) == 1 and len(image) == 3),
        "image: height and width alone; the colours are the channels",
    )
    require(
        np.ndim(image) == 1 and tuple(image) == (24, 40),
        f"image: these pictures are 24 high and 40 wide, not {image}",
    )
    require(got["channels"] == 3, f"channels: these pictures have 3, not {got['channels']}")
    kinds = len({tuple(caption) for caption in captions})
    require(
        got["vocab_size"] != kinds,
        f"words: {kinds} is the number of different captions. With a class for each caption, a "
        "pair of colour and shape that was never trained on has no class",
    )
    signs = "<pad>, <unknown>, <sos> and <eos> have rows of the embedding, too"
    require(got["vocab_size"] != len(words) - 4, f"words: {signs}")
    require(
        got["vocab_size"] != len(np.unique(targets)),
        "words: count the vocabulary, not what these targets hold: <unknown> and <sos> have "
        "rows, too",
    )
    require(
        got["vocab_size"] != targets.max() + 1,
        "words: count the vocabulary; a word that these targets do not hold has a row, too",
    )
    require(
        got["vocab_size"] == len(words), f"words: {len(words)} here, not {got['vocab_size']}"
    )
    longest = max(map(len, captions))
    require(
        got["max_length"] != longest,
        f"length: the longest caption has {longest} words, and <eos> needs a step behind them",
    )
    require(
        got["max_length"] >= targets.shape[1],
        f"length: the arrays have {targets.shape[1]} steps, and you have {got['max_length']}",
    )
    require(
        got["max_length"] == targets.shape[1],
        f"length: {targets.shape[1]} steps are enough, they hold <eos> already",
    )
