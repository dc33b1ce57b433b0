"""The exercises of lab 06b, for test_exercises.py: their solutions and plausible mistakes."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.checks.lecture_06b_scores import SENTENCES, _span_mistakes
from course_utils.numpy_ref.spans import spans

SPECIAL, MASK = (0, 1, 2, 3), 4


def tokens_a_word(ids, texts, divide=lambda texts: sum(len(text.split()) for text in texts)):
    return (np.asarray(ids) != 0).sum() / divide(texts)


def merge_once(pieces, left, right, step=2, first_only=False):
    joined, place = [], 0
    while place < len(pieces):
        if pieces[place : place + 2] == [left, right]:
            joined.append(left + right)
            if first_only:
                return joined + pieces[place + 2 :]
            place += step
        else:
            joined.append(pieces[place])
            place += 1
    return joined


def mask_tokens(ids, special, mask_id, chance, noise, never=True):
    chosen = chance < 0.15
    if never:
        chosen &= ~np.isin(ids, special)
    targets = np.where(chosen, ids, -1)
    inputs = np.where(chosen & (chance < 0.12), mask_id, ids)
    inputs = np.where(chosen & (chance >= 0.12) & (chance < 0.135), noise, inputs)
    return inputs, targets


def replaced_first(*given):
    inputs, targets = mask_tokens(*given)
    return inputs, np.where(targets == -1, -1, inputs)


def all_masked(ids, special, mask_id, chance, noise):
    targets = mask_tokens(ids, special, mask_id, chance, noise)[1]
    return np.where(targets == -1, ids, mask_id), targets


def loss_at_changed(ids, *rest):
    inputs, targets = mask_tokens(ids, *rest)
    return inputs, np.where(inputs == ids, -1, targets)


def span_f1(true, predicted, key=lambda span: span, one_by_one=False):
    found = [
        ({key(s) for s in spans(right)}, {key(s) for s in spans(guess)})
        for right, guess in zip(true, predicted, strict=True)
    ]
    if one_by_one:
        return np.mean([2 * len(r & g) / max(len(r) + len(g), 1) for r, g in found])
    hits = sum(len(right & guess) for right, guess in found)
    total = sum(len(right) + len(guess) for right, guess in found)
    return 2 * hits / total if total else 0.0


def unguarded(true, predicted):
    found = [(spans(r), spans(g)) for r, g in zip(true, predicted, strict=True)]
    hits = sum(len(right & guess) for right, guess in found)
    return 2 * hits / sum(len(right) + len(guess) for right, guess in found)


def f1_of_sets(true, predicted):
    right, guess = (set().union(*map(spans, rows)) for rows in (true, predicted))
    return 2 * len(right & guess) / max(len(right) + len(guess), 1)


def recall(true, predicted):
    hits = sum(
        len(spans(right) & spans(guess)) for right, guess in zip(true, predicted, strict=True)
    )
    return hits / max(sum(len(spans(right)) for right in true), 1)


def token_accuracy(true, predicted):
    return np.mean(np.concatenate(true) == np.concatenate(predicted))


def draw(labels, count, seed):
    generator = np.random.default_rng(seed)
    return np.concatenate(
        [
            generator.choice(np.flatnonzero(labels == label), count // 2, replace=False)
            for label in (0, 1)
        ]
    )


def compare(arms, labels, count, seed, rows_of=draw, chosen_on="val_accuracy", read="test"):
    rows = rows_of(labels, count, seed)
    table = {}
    for name, train in arms.items():
        history = train(rows)
        best = int(np.argmax(history[chosen_on]))
        table[name] = history[f"{read}_accuracy"][best]
    return table


def draw_for_each_arm(arms, labels, count, seed):
    generator = np.random.default_rng(seed)
    table = {}
    for name, train in arms.items():
        history = train(draw(labels, count, int(generator.integers(1000))))
        table[name] = history["test_accuracy"][int(np.argmax(history["val_accuracy"]))]
    return table


def unbalanced(labels, count, seed):
    return np.random.default_rng(seed).choice(len(labels), count, replace=False)


def the_first(labels, count, seed):
    return np.concatenate([np.flatnonzero(labels == label)[: count // 2] for label in (0, 1)])


def last_epoch(arms, labels, count, seed):
    rows = draw(labels, count, seed)
    return {name: train(rows)["test_accuracy"][-1] for name, train in arms.items()}


SOLUTIONS = {
    "06b.1": tokens_a_word,
    "06b.2": merge_once,
    "06b.3": mask_tokens,
    "06b.4": span_f1,
    "06b.5": compare,
}

WRONG = [
    ("06b.1", lambda ids, t: (ids != 0).sum() / sum(map(len, t)), "not of characters"),
    ("06b.1", lambda ids, t: ids.size / sum(len(x.split()) for x in t), "padding (id 0)"),
    ("06b.1", lambda ids, t: (ids != 0).sum() / len(t), "tokens a text"),
    ("06b.1", lambda ids, t: 1 / tokens_a_word(ids, t), "words a token"),
    (
        "06b.1",
        lambda ids, t: np.mean(
            [tokens_a_word(row, [x]) for row, x in zip(ids, t, strict=True)]
        ),
        "count as much as a long one",
    ),
    ("06b.1", lambda ids, t: (ids > 3).sum() / 8, "only 0 is padding"),
    ("06b.1", lambda ids, t: (len(np.unique(ids)) - 1) / 8, "occurs twice"),
    (
        "06b.2",
        lambda p, a, b: " ".join(p).replace(f"{a} {b}", a + b).split(),
        "only whole pieces",
    ),
    ("06b.2", lambda p, a, b: "".join(p).replace(a + b, f" {a + b} "), "one string"),
    ("06b.2", lambda p, a, b: merge_once(p, a, b, step=1), "stay the same"),
    ("06b.2", lambda p, a, b: merge_once(p, a, b, first_only=True), "not only the first"),
    ("06b.2", lambda p, a, b: [x for x in merge_once(p, a, b) if a + b == x], "stay the same"),
    ("06b.2", lambda p, a, b: 7, "a list of pieces"),
    ("06b.3", replaced_first, "hold the mask"),
    ("06b.3", lambda ids, *rest: (mask_tokens(ids, *rest)[0], ids), "copying"),
    ("06b.3", lambda *given: mask_tokens(*given, never=False), "never chosen"),
    ("06b.3", all_masked, "all chosen places are masked"),
    ("06b.3", loss_at_changed, "they have a target"),
    ("06b.3", lambda ids, *rest: mask_tokens(ids, *rest)[0], "return two arrays"),
    ("06b.3", lambda i, s, m, c, n: mask_tokens(i, s, m, c * 0.5, n), "not chosen"),
    ("06b.4", token_accuracy, "token accuracy"),
    ("06b.4", recall, "precision is"),
    ("06b.4", lambda t, p: span_f1(t, p, key=lambda s: s[:2]), "the type has to be right"),
    ("06b.4", lambda t, p: span_f1(t, p, key=lambda s: s[1:]), "begins or ends too early"),
    (
        "06b.4",
        lambda t, p: span_f1(t, p, key=lambda s: (s[0], s[2])),
        "begins or ends too early",
    ),
    ("06b.4", lambda t, p: span_f1(t, p, one_by_one=True), "a mean over sentences"),
    ("06b.4", unguarded, "ZeroDivisionError"),
    ("06b.4", f1_of_sets, "fell together"),
    ("06b.5", draw_for_each_arm, "different examples"),
    ("06b.5", lambda *given: compare(*given, chosen_on="test_accuracy"), "on the test set"),
    ("06b.5", lambda *given: compare(*given, read="val"), "report the test accuracy"),
    ("06b.5", last_epoch, "val_accuracy is highest"),
    ("06b.5", lambda *given: compare(*given, rows_of=unbalanced), "half of each label"),
    ("06b.5", lambda *given: compare(*given, rows_of=the_first), "another seed"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="padding"):
        checks.check("06b.1", lambda ids, texts: ids.size / 8)


def test_the_known_mistakes_of_span_f1_give_different_figures():
    true, predicted = ([tags.split() for tags in rows] for rows in zip(*SENTENCES, strict=True))
    explained = {
        round(float(value), 6): text for value, text in _span_mistakes(true, predicted)
    }
    assert round(span_f1(true, predicted), 6) == 0.4 and 0.4 not in explained
    assert len(explained) >= 6
