"""Lab 06c's cheap rivals: logistic regressions on features that a person wrote.

How strongly each is regularised is chosen on validation, by the measure that is reported.
"""

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from lectures.lecture_06c import best_span, span_f1

STRENGTHS = (1.0, 10.0, 100.0)
SENTENCES = 2_500  # or reviews, of those to train on


def regressions(rows, targets, strengths=STRENGTHS):
    """One fit for each strength: a function from rows of features to (classes, scores).

    rows: the names of a row's features, a list of str each.
    """
    counter = DictVectorizer()
    known = counter.fit_transform(dict.fromkeys(row, 1.0) for row in rows)

    def answers(model):
        def answer(rows):
            new = counter.transform(dict.fromkeys(row, 1.0) for row in rows)
            return model.predict(new), model.decision_function(new)

        return answer

    for C in strengths:
        yield answers(LogisticRegression(C=C, max_iter=150, tol=1e-3).fit(known, targets))


def window(words, place, reach=3):
    """What stands at up to `reach` words from a word and how it is written; its own ends."""
    found = []
    for step in range(-reach, reach + 1):
        word = words[place + step] if 0 <= place + step < len(words) else ""
        found += [f"{step} {word.lower()}", f"{step} {shape(word)}"]
    own = words[place].lower()
    return [*found, f"starts {own[:3]}", f"ends {own[-2:]}", f"ends {own[-3:]}"]


def shape(word):
    """The kinds of a word's letters, repeated ones once: "Velmora" is Xx, "1990" is d."""
    kinds = ["d" if c.isdigit() else "x" if c.islower() else "X" if c.isalpha() else c
             for c in word]  # fmt: skip
    return "".join(kind for kind, before in zip(kinds, ["", *kinds], strict=False)
                   if kind != before)  # fmt: skip


def linear_tags(data, strengths=STRENGTHS, sentences=SENTENCES):
    """The tags of the test sentences, by a regression on each word's `window`.

    sentences: how many to train on.
    """

    def rows(part):
        return [window(words, place) for words in part.inputs for place in range(len(words))]

    def tags(answer, part):
        ends = np.cumsum([len(words) for words in part.inputs])[:-1]
        found = np.split(answer(rows(part))[0], ends)
        return [[data.class_names[tag] for tag in row] for row in found]

    def reached(answer):
        true = [[data.class_names[tag] for tag in row] for row in data.val.targets]
        return span_f1(true, tags(answer, data.val))

    train = data.train.take(slice(sentences))
    fits = regressions(rows(train), np.concatenate(train.targets), strengths)
    return tags(max(fits, key=reached), data.test)


def span_features(text, question, place, asked=True):
    """The words from 5 before to 3 after a word, and which of them the question holds.

    asked: whether each feature also stands beside the question's first two words.
    """
    found = []
    for step in range(-5, 4):
        word = text[place + step] if 0 <= place + step < len(text) else ""
        found += [f"{step} {word}", f"{step} {word in question}"]
    kind = " ".join(question[:2])
    return [*found, *(f"{kind}: {name}" for name in found)] if asked else found


def linear_spans(data, asked=True):
    """Exact match on the test reviews, by one regression for starts and one for ends."""

    def rows(part):
        pairs = zip(part.inputs["text"], part.inputs["question"], strict=True)
        return [span_features(text, question, place, asked)
                for text, question in pairs for place in range(len(text))]  # fmt: skip

    def exact(answers, part):
        lengths = np.array([len(text) for text in part.inputs["text"]])
        allowed = np.arange(lengths.max()) < lengths[:, None]
        scores, features = np.zeros((2, *allowed.shape)), rows(part)
        for score, answer in zip(scores, answers, strict=True):
            score[allowed] = answer(features)[1]
        return float((best_span(*scores, allowed) == part.targets).all(axis=1).mean())

    train = data.train.take(slice(SENTENCES))
    features = rows(train)
    ends = [[int(place == one) for text, one in zip(train.inputs["text"], side, strict=True)
             for place in range(len(text))] for side in train.targets.T]  # fmt: skip
    fits = zip(*(regressions(features, np.array(one)) for one in ends), strict=True)
    return exact(max(fits, key=lambda pair: exact(pair, data.val)), data.test)


def pairs_of_words(text, ending):
    """Each word of the review beside each word of the ending."""
    return [f"{one} {other}" for one in text for other in ending]


def verdict_on(text, subject):
    """The words of a review's verdict on a subject: "the plot was never dull ."."""
    start = text.index(subject) + 2
    return text[start : text.index(".", start)]


def adjectives(text, ending):
    """The adjective that the review gives the ending's subject, beside that of the ending."""
    return [f"{verdict_on(text, ending[-2])[-1]} {ending[-1]}"]


def verdicts(text, ending):
    """The same with the "not", "never" or "hardly" before the review's adjective."""
    return [f"{' '.join(verdict_on(text, ending[-2]))} {ending[-1]}"]


def linear_choices(data, features):
    """Exact match on the test reviews: which ending has the best score?"""

    def rows(part):
        pairs = zip(part.inputs["text"], part.inputs["endings"], strict=True)
        return [features(text, ending) for text, endings in pairs for ending in endings]

    def exact(answer, part):
        scores = answer(rows(part))[1].reshape(len(part), -1)
        return float((scores.argmax(axis=1) == part.targets).mean())

    fits_ = np.eye(data.train.inputs["endings"].shape[1], dtype=int)[data.train.targets]
    fits = regressions(rows(data.train), fits_.ravel())
    return exact(max(fits, key=lambda answer: exact(answer, data.val)), data.test)
