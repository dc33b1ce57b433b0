"""Exercises of lab 06b: pre-training."""

import numpy as np

from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_06b
from course_utils.lectures.lecture_06b import balanced_sample, merge, span_f1, spans


def words(texts):
    return sum(len(text.split()) for text in texts)


def ratio(tokens=lambda ids: (ids != 0).sum(), units=words):
    return lambda ids, texts: tokens(ids) / units(texts)


WORDS = "Divide by the number of words in all texts, each as often as it occurs."
SPECIAL = "Only 0 is padding: <unknown>, <sos> and <eos> are tokens like any other."


@exercise(
    "06b.1",
    lecture_06b.tokens_per_word,
    mistakes=[
        (ratio(units=len), "That is tokens per text: divide by the words of all texts."),
        (ratio(units=lambda texts: len("".join(texts))), WORDS),
        (ratio(units=lambda texts: len(set(" ".join(texts).split()))), WORDS),
        (ratio(np.size), "Padding (id 0) is no token: count only ids that are not 0."),
        (lambda ids, texts: 1 / ratio()(ids, texts), "That is words per token."),
        (
            lambda ids, texts: np.mean((ids != 0).sum(1) / [len(t.split()) for t in texts]),
            "A mean of the texts' ratios overrates short texts: add up first, divide once.",
        ),
        *[(ratio(lambda ids, k=k: (ids > k).sum()), SPECIAL) for k in (1, 2, 3, 4)],
        (ratio(lambda ids: len(np.unique(ids[ids > 0]))), "Count repeated tokens again."),
    ],
    takes=4,
    level=1,
    hints=["Which ids are no tokens?", "Add up tokens and words, then divide once."],
    reasoning="One division of two sums gives every word the same weight.",
    solved="Sums first, then one division: the result does not depend on the batching.",
)
def padded_texts(draw):
    texts = ["The ending was the best ending of all", "We saw it.", "Dull"]
    for length in (9, 11):
        ids = draw.integers(5, 9, (3, length))
        ids[:, 0], ids[0, 2:4], ids[1, 3], ids[1, 6:], ids[2, 3:] = 2, (1, 4), 3, 0, 0
        yield ids, texts


def merged(forward=2, often=99):
    """`merge` that moves on by `forward` after a merge, and merges at most `often` times."""

    def changed(pieces, left, right):
        joined, place, times = [], 0, 0
        while place < len(pieces):
            hit = times < often and pieces[place : place + 2] == [left, right]
            joined.append(left + right if hit else pieces[place])
            place, times = place + (forward if hit else 1), times + hit
        return joined

    return changed


@exercise(
    "06b.2",
    merge,
    mistakes=[
        (merged(forward=1), "After a merge move on by two: the right piece is used up."),
        (merged(often=1), "Every occurrence of the pair is joined, not only the first."),
        (lambda pieces, a, b: merge(pieces[::-1], b, a)[::-1], "Go from left to right."),
        (lambda pieces, a, b: "".join(merge(pieces, a, b)), "Return a list of pieces."),
        (
            lambda pieces, a, b: " ".join(pieces).replace(f"{a} {b}", a + b).split(" "),
            "Only whole pieces may be joined: do not replace inside of a string.",
        ),
    ],
    takes=6,
    level=2,
    hints=["By how much does the place move on?", "Compare pieces[place : place + 2]."],
    reasoning="A merge uses up two pieces; comparing whole ones keeps earlier boundaries.",
    solved="A byte-pair tokenizer is this merge, a few thousand times.",
)
def pieces_and_pair(draw):
    cases = "a:a a, a a a:a a, n e w:x y, l o l o w:l o, ab c b c:b c, lo w:lo w"
    for case in cases.split(", "):
        pieces, pair = case.split(":")
        yield pieces.split(), *pair.split()


def hide(ids, special, mask_id, chance, noise, mask=0.12, other=0.135, asked=0.15, turns=1):
    chosen, inputs = (chance < 0.15) & ~np.isin(ids, special), ids
    for bound, new in [(other, noise), (mask, mask_id)][::turns]:
        inputs = np.where(chosen & (chance < bound), new, inputs)
    return inputs, np.where(chosen & (chance < asked), ids, -1)


def late(*given):
    inputs, targets = hide(*given)
    return inputs, np.where(targets >= 0, inputs, -1)


UNCHANGED = "Positions that stay as they are were chosen, too: they have a target."


@exercise(
    "06b.3",
    lecture_06b.hide_tokens,
    mistakes=[
        (lambda *given: hide(*given)[::-1], "The inputs come first, then the targets."),
        (lambda ids, special, *more: hide(ids, [], *more), "Never choose ids in `special`."),
        (late, "The targets were read after the hiding: they hold the ids from before."),
        (lambda *given: hide(*given, asked=0.12), UNCHANGED),
        (lambda *given: hide(*given, asked=0.135), UNCHANGED),
        (lambda *given: hide(*given, mask=0.15), "Mask only where chance < 0.12."),
        (lambda *given: hide(*given, other=0), "From 0.12 to 0.135 the id of `noise` is due."),
        (lambda *given: hide(*given, other=0.15), "From 0.135 on, a chosen id stays."),
        (lambda *given: hide(*given, turns=-1), "The noise has overwritten the masks."),
        (lambda *given: (hide(*given)[0], given[0]), "Copying would pay: -1 if not chosen."),
        (lambda *given: tuple(np.maximum(x, 0) for x in hide(*given)), "It is -1, not 0."),
    ],
    takes=8,
    level=3,
    hints=["Keep the targets before you replace.", "np.isin, then np.where: noise, mask."],
    reasoning="All chosen positions are predicted, so every token needs a good state.",
    solved="One chosen position in ten is predicted although nothing was hidden there.",
)
def rows_to_hide(draw):
    for shape in [(1, 8), (6, 40)]:
        ids, noise = draw.integers(5, 60, shape), draw.integers(60, 99, shape)
        ids[:, 0], ids[::2, -3:] = 2, 0
        chance = draw.choice([0.05, 0.11, 0.125, 0.14, 0.3, 0.9], shape)
        chance[:, :6] = 0.05, 0.11, 0.125, 0.14, 0.3, 0.125
        yield ids, (0, 1, 2, 3), 4, chance, noise


def f1(key=lambda span: span, find=spans, factor=2):
    """F1 over what `find` gives, two being equal where their `key` is."""

    def score(true, predicted):
        found = [[{*map(key, find(row))} for row in tags] for tags in (true, predicted)]
        hits = sum(len(t & p) for t, p in zip(*found, strict=True))
        return factor * hits / max(1, sum(len(row) for tags in found for row in tags))

    return score


def single_tags(tags):
    return {(place, tag) for place, tag in enumerate(tags) if tag != "O"}


def one_set(true, predicted):
    true, predicted = [set().union(*map(spans, tags)) for tags in (true, predicted)]
    return 2 * len(true & predicted) / max(1, len(true) + len(predicted))


ENDS = "A span with one wrong end is wrong: both ends have to match."


@exercise(
    "06b.4",
    span_f1,
    mistakes=[
        (lambda t, p: np.mean(np.concatenate(t) == np.concatenate(p)), "That is accuracy."),
        (f1(find=single_tags), "You count single tags, not spans."),
        (f1(key=lambda span: span[::2]), ENDS),
        (f1(key=lambda span: span[1:]), ENDS),
        (f1(key=lambda span: span[:2]), "The type has to match as well."),
        (f1(factor=1), "A hit is in both sums of spans: it counts twice."),
        (lambda t, p: np.mean([*map(span_f1, zip(t), zip(p))]), "Add up first, divide once."),
        (one_set, "Equal spans of two sentences are two spans: count sentence by sentence."),
    ],
    takes=8,
    level=2,
    hints=["What do two sets of spans share?", "Add up over sentences; divide once."],
    reasoning="This is the harmonic mean of precision and recall, over whole spans.",
    solved="Report it beside always-O, whose span F1 is 0.",
)
def tagged_sentences(draw):
    sentences = """B-film O|O O, O O O|O O O, O B-film I-film I-film|O B-film I-film I-film,
        B-person I-person O B-film O|B-person I-person O B-place O, B-film O O|B-film O O,
        B-person O B-place I-place|B-person O B-place O, O O B-film I-film|O O O B-film,
        O B-place O O O B-film|O B-person O O B-film O, O O B-place I-place|O O O I-place,
        B-film O O|B-film O B-place"""
    pairs = [[tags.split() for tags in pair.split("|")] for pair in sentences.split(",")]
    for some in (pairs[:1], pairs[1:2], pairs[3:5], pairs, pairs[2:]):
        yield tuple(map(list, zip(*some, strict=True)))


LABELS = (np.arange(90) % 5 > 0).astype(int)  # far more of one label
ROWS = "Every arm is given `count` whole numbers, positions in `labels`."
DRAWN_ANEW = "The arms were given different rows: draw them once, before the loop."
TWICE = "Some row was drawn twice: mind the argument `replace` of choice."
HALF = "Half of the rows should have the label 1."
SAME = "Every seed draws the same rows: use np.random.default_rng(seed)."


def trained(answer, histories, seed=0):
    """Return the answer's table, and the rows that it gave to each arm."""
    rows = []
    arms = {
        name: lambda chosen, history=history: rows.append(np.asarray(chosen)) or history
        for name, history in histories.items()
    }
    return answer(arms, LABELS, 20, seed), rows


def draws_fairly(answer):
    history = {"val_accuracy": [0.5], "test_accuracy": [0.5]}
    drawn = [trained(answer, dict.fromkeys("ab", history), seed)[1] for seed in (0, 1, 2, 0)]
    for rows in drawn:
        require(len(rows) == 2, "Every arm is trained once.")
        require(all(row.shape == (20,) and row.dtype.kind in "iu" for row in rows), ROWS)
        require(all(row.min() >= 0 and row.max() < len(LABELS) for row in rows), ROWS)
        require(np.array_equal(*rows), DRAWN_ANEW)
        require(len({*rows[0].tolist()}) == 20, TWICE)
        require(LABELS[rows[0]].sum() == 10, HALF)
    require(np.array_equal(drawn[0], drawn[3]), "The same seed has to draw the same rows.")
    require(not np.array_equal(drawn[0], drawn[1]), SAME)


def compare(best=np.argmax, by="val_accuracy", told="test_accuracy", rows=balanced_sample):
    """`compare_arms` with one part changed."""

    def changed(arms, labels, count, seed):
        runs = {name: train(rows(labels, count, seed)) for name, train in arms.items()}
        return {name: run[told][best(run[by])] for name, run in runs.items()}

    return changed


@exercise(
    "06b.5",
    lecture_06b.compare_arms,
    mistakes=[
        (compare(by="test_accuracy"), "The test set chose the epoch: let validation do it."),
        (compare(told="val_accuracy"), "Choose by validation, but report the test accuracy."),
        (compare(lambda h: -1), "That is the last epoch, not the best in validation."),
        (compare(lambda h: 0), "That is the first epoch, not the best in validation."),
        (compare(np.argmin), "That is the epoch with the worst validation accuracy."),
        (compare(rows=lambda labels, n, seed: balanced_sample(labels, n, None)), DRAWN_ANEW),
        (compare(rows=lambda labels, n, seed: balanced_sample(labels, n, 0)), SAME),
        (compare(rows=lambda y, n, s: balanced_sample(y, n // 2, s).repeat(2)), TWICE),
        (compare(rows=lambda y, n, s: np.random.default_rng(s).choice(90, n, False)), HALF),
    ],
    properties=[draws_fairly],
    run=lambda answer, histories: trained(answer, histories)[0],
    takes=12,
    level=3,
    hints=["What would favour one arm?", "Draw within each label, before the loop."],
    reasoning="Same rows for all: which few labels are drawn can matter more than the method.",
    solved="Same rows, same rule of choice: only the training differs.",
)
def histories(draw):
    a, b, c, d = draw.permutation(20).reshape(4, 5) / 20
    yield {
        "scratch": {"val_accuracy": a.tolist(), "test_accuracy": b.tolist()},
        "masked": {"val_accuracy": c.tolist(), "test_accuracy": d.tolist()},
    }
