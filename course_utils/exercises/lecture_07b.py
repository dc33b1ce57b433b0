"""Exercises of lab 07b: teacher forcing, exact match, greedy decoding, maps, captions."""

import numpy as np

from course_utils.exercises import exercise
from course_utils.lectures import lecture_07b


def shifted(start=2, end=3, last=False, read_end=False, copy=False):
    """`inputs_and_targets` with other signs, or with <eos> at another place."""

    def wrong(tokens):
        rows, counts = np.arange(len(tokens)), (tokens != 0).sum(axis=1)
        places = np.full(len(tokens), -1) if last else counts
        ids, targets = np.pad(tokens, ((0, 0), (1, 1))), np.pad(tokens, ((0, 0), (0, 1)))
        ids[:, 0], targets[rows, places] = start, end
        ids[rows, counts + 1] = 3 if read_end else 0
        return (targets, targets) if copy else (ids[:, :-1], targets)

    return wrong


@exercise(
    "07b.1",
    lecture_07b.inputs_and_targets,
    mistakes=[
        (shifted(copy=True), "both rows are equal: it would learn to copy, and read no image"),
        (shifted(end=0), "no target is <eos>, 3: it never learns to stop"),
        (shifted(last=True), "<eos> follows the last word directly; pads come after it"),
        (shifted(start=0), "the decoder's first input is <sos>, 2: nothing is written yet"),
        (shifted(read_end=True), "the decoder reads <eos>: no harm, but 0 is asked for there"),
        (lambda x: (x, shifted()(x)[1]), "ids need <sos> in front: shape (texts, k + 1)"),
        (lambda x: shifted()(x)[::-1], "the two are exchanged: (ids, targets)"),
        (lambda x: (shifted()(x)[0], shifted(end=2)(x)[1]), "<sos> is given, never written"),
    ],
    takes=8,
    level=2,
    hints=["Rows differ in length.", "How many words has each row? That is where <eos> goes."],
    reasoning="Both are the same words, shifted by one step against each other.",
    solved="Shifted by one step: what it reads, and what it should write next.",
)
def digits(draw):
    for texts, k in ((2, 3), (5, 4)):
        tokens = draw.integers(4, 14, size=(texts, k))
        tokens[np.arange(k) >= draw.integers(1, k, size=(texts, 1))] = 0
        tokens[-1] = draw.integers(4, 14, size=k)
        yield (tokens,)


def share(counted, whole=True):
    """The share of texts right (or of tokens), where `counted` says which places count."""

    def wrong(written, targets):
        counts, same = counted(written, targets), written == targets
        return (same | ~counts).all(axis=1).mean() if whole else same[counts].mean()

    return wrong


@exercise(
    "07b.2",
    lecture_07b.exact_match,
    mistakes=[
        (share(lambda w, t: t >= 0), "what follows <eos> was compared, too: it does not count"),
        (share(lambda w, t: t > 3), "<eos> counts as well: some texts write a digit too many"),
        (share(lambda w, t: (t > 0) & (w != 3)), "a written <eos> is ignored: it stops early"),
        (share(lambda w, t: t > 3, whole=False), "that is digit accuracy: judge whole texts"),
        (share(lambda w, t: t > 0, whole=False), "that is token accuracy: judge whole texts"),
        (lambda w, t: 1 - lecture_07b.exact_match(w, t), "that is the share of wrong texts"),
        (lambda w, t: len(w) * lecture_07b.exact_match(w, t), "divide by the number of texts"),
        (lambda w, t: ((w == t) | (t == 0)).all(axis=1), "a mean over the texts is missing"),
    ],
    takes=8,
    level=2,
    hints=["What follows <eos> in `written` is arbitrary.", "In `targets` it is always 0."],
    reasoning="If all real targets agree, <eos> does, too, and nothing after it is read.",
    solved="A text is right up to its <eos>, or wrong: 96 % of digits are 85 % of canvases.",
)
def texts(draw):
    for texts in (2, 15):
        _, targets = lecture_07b.inputs_and_targets(next(digits(draw))[0].repeat(texts, 0))
        written = targets.copy()
        for row, length in enumerate((targets != 0).sum(axis=1)):
            written[row, length:] = draw.integers(4, 14, size=targets.shape[1] - length)
            if row % 3 == 0:  # no end where one should be
                written[row, length - 1] = 5
            elif row % 3 == 1 and row % 2:  # stops too early, or another digit
                written[row, 0] = 3 if row % 4 == 1 else 18 - written[row, 0]
        yield written, targets


def decode(read=lambda step: step, fed=None, end=3, keep=False, start=2, most=0, spare=0):
    """`read_out` that reads at other positions, feeds other tokens, or ends otherwise."""

    def wrong(logits_of, max_length):
        ids, written = np.full((1, max_length), spare), []
        ids[0, 0] = start
        for step in range(max_length - most):
            token = int(logits_of(ids)[0, read(step)].argmax())
            written += [token] * (keep or token != end)
            if token == end:
                break
            ids[0, min(step + 1, max_length - 1)] = fed or token
        return written

    return wrong


def growing(logits_of, max_length):
    ids = [2]
    while len(ids) <= max_length and ids[-1] != 3:
        ids.append(int(logits_of(np.array([ids]))[0, -1].argmax()))
    return [token for token in ids[1:] if token != 3]


def observed(answer, script, max_length):
    """What an answer returns for a model that writes this script, and the ids it was given."""
    given = []

    def logits_of(ids):
        ids = np.array(ids)
        if len(given) > 50:
            raise RuntimeError("it does not stop: bound the loop by max_length")
        given.append(ids.tolist())
        logits = np.zeros((1, ids.shape[-1], 14))
        for place in range(ids.shape[-1]):  # where padding is read, nonsense comes out
            known = (ids[0, 1 : place + 1] != 0).all()
            logits[0, place, script[place] if known else 6] = 5.0
        return logits

    return {
        "written": np.ravel(answer(logits_of, max_length)).tolist(),
        "ids at each call": given,
    }


@exercise(
    "07b.3",
    lecture_07b.read_out,
    mistakes=[
        (decode(read=lambda step: -1), "step k reads position k: the last is padding"),
        (decode(read=lambda step: 0), "step k reads position k, not always the first"),
        (decode(fed=9), "feed the model's own tokens: true ones would be teacher forcing"),
        (decode(keep=True), "<eos> is a signal, not a digit: leave it out"),
        (decode(end=-1), "it goes on after <eos>, 3: stop there"),
        (decode(most=1), "max_length tokens can be written: the last needs no place in ids"),
        (decode(start=1), "the first id is <sos>, 2, at every step"),
        (decode(spare=9), "what is not written yet has to be 0 in ids"),
        (growing, "ids has to have the shape (1, max_length) at every call: compiled once"),
    ],
    takes=12,
    level=3,
    hints=["Always pass ids of the same shape.", "At step k, which position's logits count?"],
    reasoning="Position k is the last that is known at step k; its logits choose token k + 1.",
    solved="Its own tokens in, the logits of the newest position, and a bound on the length.",
    run=observed,
)
def scripts(draw):
    yield [3, 5, 5, 5], 4
    yield [*draw.permutation(np.arange(7, 14))[:4].tolist(), 3, 6], 6
    yield [*draw.integers(7, 14, size=4).tolist()], 4


def summed(split=lambda g, n: (g, n, g, n), axes=(-3, -1), order=lambda x: x, mean=False):
    """`weights_by_cell` with the patches split otherwise, or cells in another order."""

    def wrong(weights, grid):
        inside = round(weights.shape[-1] ** 0.5) // grid
        parts = weights.reshape(*weights.shape[:-1], *split(grid, inside))
        found = (parts.mean if mean else parts.sum)(axis=axes)
        return order(found).reshape(*weights.shape[:-1], grid**2)

    return wrong


@exercise(
    "07b.4",
    lecture_07b.weights_by_cell,
    mistakes=[
        (summed(lambda g, n: (g, g, n, n), (-2, -1)), "a row of patches runs through cells"),
        (summed(lambda g, n: (n, g, n, g), (-4, -2)), "that sums every second patch"),
        (summed(order=lambda x: x.swapaxes(-2, -1)), "the second cell is the one on the right"),
        (summed(mean=True), "that is the mean of a cell's patches: sum them"),
        (lambda w, g: summed()(w, g).mean(axis=0), "do not average over the steps"),
        (lambda w, g: summed()(w, g) / len(w), "do not divide: each row has to add up to 1"),
    ],
    takes=8,
    level=3,
    hints=["One row of patches runs through several cells.", "Split both axes of the grid."],
    reasoning="Row of cells, row inside, column of cells, column inside: sum over the inside.",
    solved="Rows of patches run through several cells: split both axes first.",
)
def maps(draw):
    for steps, grid, inside in ((1, 2, 1), (3, 2, 2), (5, 3, 2), (4, 2, 4)):
        weights = draw.random((steps, (grid * inside) ** 2)) ** 4
        yield weights / weights.sum(axis=-1, keepdims=True), grid


def told(**other):
    """`caption_settings` with other values: functions of pictures, targets, vocabulary."""
    return lambda *given: (
        lecture_07b.caption_settings(*given) | {key: of(*given) for key, of in other.items()}
    )


@exercise(
    "07b.5",
    lecture_07b.caption_settings,
    mistakes=[
        (told(vocab_size=lambda p, t, v: len({*map(tuple, t)})), "the classes are words"),
        (told(vocab_size=lambda p, t, v: len(v) - 4), "<pad> and the other three count, too"),
        (told(vocab_size=lambda p, t, v: t.max() + 1), "words that no target has count, too"),
        (told(max_length=lambda p, t, v: (t > 3).sum(1).max()), "<eos> needs a step, too"),
        (told(max_length=lambda p, t, v: (t > 0).sum(1).max()), "the arrays have T steps"),
        (told(image=lambda p, t, v: p.shape[1:]), "image: height and width, no channels"),
        (told(image=lambda p, t, v: p.shape[1]), "image: these images are not square"),
        (told(patch=lambda p, t, v: 8), "patch may stay: other images are patches, too"),
    ],
    takes=5,
    level=1,
    hints=["A caption is written word by word.", "How many classes has one step?"],
    reasoning="The encoder reads patches and the decoder writes words, whatever they show.",
    solved="New sizes, new words; the same encoder, decoder, loss and loop.",
)
def captions(draw):
    for texts, words, steps in ((3, 9, 6), (7, 12, 9)):
        tokens = draw.integers(4, words - 1, size=(texts, steps - 1))
        tokens[:, steps - 3 :] = 0
        _, targets = lecture_07b.inputs_and_targets(tokens)
        vocabulary = ["<pad>", "<unknown>", "<sos>", "<eos>", *map(str, range(words - 4))]
        yield np.zeros((texts, 24, 40, 3), "float32"), targets, vocabulary
