"""Checks of lab 06b: span F1, and a fair comparison with few labels."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import number
from course_utils.numpy_ref import spans

# True tags and predicted ones.
SENTENCES = [
    ("B-person I-person O B-film O O", "B-person I-person O B-place O O"),
    ("B-person O O B-place I-place O O", "B-person O O B-place O O O"),
    ("O B-film I-film I-film O", "O B-film I-film I-film O"),
    ("B-person O O O", "B-person O O O"),
    ("O O O B-organisation", "O O O B-film"),
    ("O O B-film I-film O O", "O O O B-film O O"),
    ("O B-place O O O", "O B-person O O O"),
    ("O O O O O O B-film", "O O O B-film O O O"),
]


@exercise("06b.4", solved="Report it beside always-O, whose span F1 is 0.")
def span_f1(answer):
    """F1 over whole spans."""
    true, predicted = (
        [tags.split() for tags in column] for column in zip(*SENTENCES, strict=True)
    )
    got = number(call(answer, [t[:] for t in true], [t[:] for t in predicted]))
    truth = spans.span_f1(true, predicted)
    why = f"it is {truth:.3f} (4 of 10 true and of 10 predicted spans), and you have {got:.3f}"
    for value, explanation in _span_mistakes(true, predicted):
        require(abs(got - truth) < 1e-3 or abs(got - value) > 1e-3, f"{why}: {explanation}")
    require(abs(got - truth) < 1e-3, f"{why}: 2 · hits / (true spans + predicted spans)")
    nothing = ["O"] * len(true[0])
    for right, guess, telling in [
        (true[4], predicted[4], "no span is right"),
        (true[0], nothing, "none is predicted"),
        (nothing, nothing, "there is none and none is predicted"),
    ]:
        got = number(call(answer, [right[:]], [guess[:]]))
        require(abs(got) < 1e-6, f"where {telling}, F1 is 0, and you have {got:.3f}")
    fewer = [*true[:-1], ["O"] * len(true[-1])]
    got = number(call(answer, [t[:] for t in fewer], [t[:] for t in predicted]))
    truth = spans.span_f1(fewer, predicted)
    require(
        abs(got - truth) < 1e-3,
        f"with 9 true spans, 10 predicted ones and 4 hits F1 is {truth:.3f}, and you have "
        f"{got:.3f}: precision is 4/10, recall 4/9; F1 is 2 · 4 / (9 + 10)",
    )


def _span_mistakes(true, predicted):
    """Pairs (value, explanation) of known mistakes."""
    pairs = [
        (t, p)
        for right, guess in zip(true, predicted, strict=True)
        for t, p in zip(right, guess, strict=True)
    ]
    yield (
        np.mean([t == p for t, p in pairs]),
        "that is token accuracy, and most tokens are O: always O scores well in it",
    )
    inside = sum(t != "O" for t, _ in pairs), sum(p != "O" for _, p in pairs)
    hits = sum(t == p != "O" for t, p in pairs)
    yield (
        2 * hits / sum(inside),
        "you count single tags: a span with one end wrong, half of it right, has found nothing",
    )
    found = [
        (spans.spans(right), spans.spans(guess))
        for right, guess in zip(true, predicted, strict=True)
    ]
    total = sum(len(right) + len(guess) for right, guess in found)
    ends = "a span that begins or ends too early or too late is wrong: both ends have to match"
    for key, explanation in [
        (lambda s: (s[0], s[2]), ends),
        (
            lambda s: (s[1], s[2]),
            ends,
        ),
        (lambda s: s[:2], "the type has to be right as well as the two ends"),
    ]:
        hits = [len({*map(key, right)} & {*map(key, guess)}) for right, guess in found]
        yield 2 * sum(hits) / total, explanation
    overlapping = sum(
        any(a[2] == b[2] and a[0] <= b[1] and b[0] <= a[1] for b in guess)
        for right, guess in found
        for a in right
    )
    yield 2 * overlapping / total, "spans that only overlap are no hit: both ends have to match"
    yield (
        np.mean([2 * len(r & g) / max(len(r) + len(g), 1) for r, g in found]),
        "that is a mean over sentences: count hits and spans of all, then divide once",
    )
    right, guess = set().union(*(r for r, _ in found)), set().union(*(g for _, g in found))
    yield (
        2 * len(right & guess) / (len(right) + len(guess)),
        "equal spans of two sentences fell together: they are two spans, so count by sentence",
    )


@exercise(
    "06b.5", solved="Same rows, same rule of choice: what differs now is the start alone."
)
def compare(answer):
    """A fair comparison with few labels."""
    generator = np.random.default_rng(1)
    labels = (generator.random(600) < 0.8).astype(int)  # far more of one label
    histories = {
        "scratch": {"val_accuracy": [0.5, 0.6, 0.55], "test_accuracy": [0.61, 0.57, 0.55]},
        "masked": {"val_accuracy": [0.7, 0.6, 0.65], "test_accuracy": [0.66, 0.69, 0.64]},
        "causal": {"val_accuracy": [0.5, 0.55, 0.62], "test_accuracy": [0.63, 0.58, 0.6]},
    }

    def run(count, seed):
        seen = {}

        def arm(name):
            def train(rows):
                seen.setdefault(name, []).append(np.asarray(rows))
                return {key: list(values) for key, values in histories[name].items()}

            return train

        table = call(
            answer, {name: arm(name) for name in histories}, labels.copy(), count, seed
        )
        return table, seen

    table, seen = run(40, 0)
    require(
        isinstance(table, dict) and set(table) == set(histories),
        f"return a dict with one accuracy an arm: {', '.join(histories)}",
    )
    require(set(seen) == set(histories), "every arm has to be trained, `train(rows)`")
    require(
        all(len(calls) == 1 for calls in seen.values()),
        "every arm is trained once: whoever may try twice has an advantage",
    )
    rows = {name: calls[0] for name, calls in seen.items()}
    first = rows["scratch"]
    require(first.ndim == 1, "rows are places in `labels`, one after the other: shape (count,)")
    require(
        first.dtype.kind in "iu" and len(first) == 40,
        f"an arm was given {len(first)} rows of type {first.dtype}: it should be 40 whole "
        "numbers, the places of the chosen examples",
    )
    require(
        all(np.array_equal(np.sort(first), np.sort(other)) for other in rows.values()),
        "the arms were given different examples: draw the rows once, before the loop, or the "
        "luck of the draw is compared",
    )
    require(
        len(np.unique(first)) == 40, "some example was drawn twice: draw with replace=False"
    )
    require(first.min() >= 0 and first.max() < 600, "rows go from 0 to len(labels) - 1")
    require(
        labels[first].sum() == 20,
        f"{labels[first].sum()} of the 40 rows have the label 1: half of each label, so that "
        "40 examples do not tell by chance which is the commoner one",
    )
    again, other = run(40, 0)[1]["scratch"][0], run(40, 1)[1]["scratch"][0]
    require(
        np.array_equal(np.sort(first), np.sort(again)), "the same seed has to draw the same"
    )
    require(
        not np.array_equal(np.sort(first), np.sort(other)),
        "another seed has to draw other rows: use `np.random.default_rng(seed)`",
    )
    for name, history in histories.items():
        got = number(table[name])
        validation, test = history["val_accuracy"], history["test_accuracy"]
        best = int(np.argmax(validation))
        why = f"{name} should get {test[best]}, and you have {got:.4g}"
        require(
            abs(got - max(test)) > 1e-6,
            f"{why}: that is the best epoch on the test set: then it is no test any more; "
            "choose the epoch by val_accuracy",
        )
        require(
            abs(got - max(validation)) > 1e-6,
            f"{why}: choose by validation, but report the test accuracy of that epoch",
        )
        require(
            abs(got - test[best]) < 1e-6,
            f"{why}: the test accuracy of the epoch whose val_accuracy is highest",
        )
