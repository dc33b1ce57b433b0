"""Questions on short reviews, whose answer is a span of the review.

A review does two of three things: it names two persons and what they did, judges two things
about the film, or says when it was seen, with whom, or where it is set. The question asks for
one of these facts. They come in any order, and the review always holds two spans of the right
sort (two persons, two verdicts, two days): who cannot tell who did what is right half of the
time. `baselines` has what comes of position and of frequent words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import numpy as np

from course_utils.data.base import Dataset, Split
from course_utils.data.entities import rows_of
from course_utils.data.entities_grammar import FIRST_NAMES, Namer, check_sizes
from course_utils.data.made import assemble
from course_utils.data.reviews import (
    DAMNING,
    FILM_SUBJECTS,
    NEGATORS,
    NEUTRAL,
    PRAISING,
    SLOTS,
)

SIZES = {"train": 8_000, "val": 300, "test": 500}
NAMES = 120
SEED = 0
# The square brackets hold the answer.
CREDITS = (
    ("who directed it", "[{name}] directed it"),
    ("who directed it", "it was directed by [{name}]"),
    ("who wrote it", "[{name}] wrote it"),
    ("who wrote it", "it was written by [{name}]"),
    ("who sings in it", "[{name}] sings in it"),
    ("who plays the {hero}", "[{name}] plays the {hero}"),
    ("who plays the {hero}", "the {hero} is played by [{name}]"),
)
# Beside each, a sentence with another span of the same sort, which is no answer.
CIRCUMSTANCES = (
    ("who came with us", "we saw it with [{person}]", "{other} had read about it"),
    ("who came with us", "[{person}] came with us", "{other} had bought the tickets"),
    ("when did we see it", "we saw it on a [{day}]", "the tickets were sold on a {other}"),
    ("when did we see it", "it was a [{day}] when we saw it", "we never go out on a {other}"),
    ("where is it set", "it is set in a small town [{place}]", "we live in a house {other}"),
    ("where is it set", "the story begins [{place}]", "the cinema is {other}"),
)
FILLER = tuple(
    sentence
    for sentence in NEUTRAL
    if not any(slot in sentence for slot in ("{day}", "{person}", "{place}", "{hero}"))
    and not sentence.startswith("we never go out")
)


def load_questions(sizes: dict[str, int] = SIZES, seed: int = SEED) -> Dataset:
    """Span answering: a review, a question, and where in the review the answer stands.

    Each part: inputs {"text", "question"}, object arrays of lists of str, lower case, a full
    stop being a word of its own; targets int32 (reviews, 2), the first and the last word of
    the answer, both inclusive; columns "question_kind" (the question without what differs from
    review to review) and "answer" (the words of the span, as str). Reviews have 20 to 45 words,
    questions 3 to 6. Half of the names in val and test occur in no training review.

    Raises ValueError for other parts than train, val and test, or sizes and seeds that are no
    whole numbers.
    """
    check_sizes(sizes, seed)
    write = Namer(Random(seed))
    pools = write.pools({"train": NAMES, "val": NAMES, "test": NAMES})
    made: set[str] = set()
    splits = {}
    # The test part first, so that it is the same for any size of the others.
    for part in reversed(SIZES):
        names = pools["train"] if part == "train" else pools["train"] + pools[part]
        splits[part] = _split(write, sizes[part], names, made)
    return assemble("questions", splits, "as words")


def baselines(dataset: Dataset) -> dict[str, float]:
    """Shares of test answers (both ends right) found without reading; chosen on training.

    "position": always the most frequent span (start, end) for this kind of question.
    "word": the answer most frequent for this kind of question, if the review holds it.
    """
    train, test = dataset.train, dataset.test
    places: dict[str, Counter] = defaultdict(Counter)
    answers: dict[str, Counter] = defaultdict(Counter)
    columns = train.columns
    for kind, span, answer in zip(
        columns["question_kind"], train.targets.tolist(), columns["answer"], strict=True
    ):
        places[kind][tuple(span)] += 1
        answers[kind][answer] += 1
    hits = {"position": 0, "word": 0}
    for row, kind in enumerate(test.columns["question_kind"]):
        answer = test.columns["answer"][row]
        text = f" {' '.join(test.inputs['text'][row])} "
        span = tuple(test.targets[row].tolist())
        hits["position"] += places[kind].most_common(1)[0][0] == span
        guesses = (found for found, _ in answers[kind].most_common() if f" {found} " in text)
        hits["word"] += next(guesses, None) == answer
    return {name: float(hit / len(test)) for name, hit in hits.items()}


def token_span(span, word_ids) -> tuple[int, int]:
    """The span's first and last piece, where the words of a text were cut into pieces.

    span: first and last word, inclusive. word_ids: for each piece the place of its word, None
    for a piece that is no part of the text (special ones, the question).

    Raises ValueError where the span was cut off.
    """
    first, last = int(span[0]), int(span[1])
    if first not in word_ids or last not in word_ids:
        raise ValueError(f"no piece of the words {first} to {last} is left in the text")
    behind = len(word_ids) - 1 - list(word_ids)[::-1].index(last)
    return list(word_ids).index(first), behind


def _example(write: Namer, names: list[str]):
    """One example: words of the text, of the question, span, kind of question."""
    asking = write.sample([_credits, _verdicts, _circumstances], 2)
    (facts, others), (more_facts, more_others) = (ask(write, names) for ask in asking)
    kind, question, asked = write.choose(facts)
    others += [sentence for _, _, sentence in facts + more_facts if sentence is not asked]
    others += more_others
    if write.random() < 0.5:
        others.append(write.choose(FILLER).format(number=write.choose(SLOTS["number"])).lower())
    others = [sentence.replace("[", "").replace("]", "") for sentence in others]
    sentences = write.sample([*others, asked], len(others) + 1)
    marked = " ".join(f"{sentence} ." for sentence in sentences).split()
    start = next(place for place, word in enumerate(marked) if word.startswith("["))
    end = next(place for place, word in enumerate(marked) if word.endswith("]"))
    words = [word.strip("[]") for word in marked]
    return words, question.split(), (start, end), kind


def _credits(write: Namer, names: list[str]):
    """Two facts (kind, question, sentence) on persons, and no other sentences."""
    slots = {"hero": write.choose(SLOTS["hero"])}
    kinds: list[str] = []
    facts = []
    for name in write.sample(names, 2):
        kind, sentence = write.choose([fact for fact in CREDITS if fact[0] not in kinds])
        kinds.append(kind)
        slots["name"] = f"{write.choose(FIRST_NAMES)} {name}".lower()
        facts.append((kind.format(hero="…"), kind.format(**slots), sentence.format(**slots)))
    return facts, []


def _verdicts(write: Namer, names: list[str]):
    """Two facts on the film, one praise and one blame, and no other sentences."""
    facts = []
    words = write.sample([write.choose(PRAISING), write.choose(DAMNING)], 2)
    for subject, adjective in zip(write.sample(FILM_SUBJECTS, 2), words, strict=True):
        if write.random() < 0.4:
            adjective = f"{write.choose(NEGATORS)} {adjective}"
        if write.random() < 0.5:
            asked = f"what was {adjective}", f"[the {subject}] was {adjective}"
            facts.append(("what was …", *asked))
        else:
            asked = f"how was the {subject}", f"the {subject} was [{adjective}]"
            facts.append(("how was the …", *asked))
    return facts, []


def _circumstances(write: Namer, names: list[str]):
    """One fact on when, where or with whom, and a sentence that is no answer."""
    question, sentence, decoy = write.choose(CIRCUMSTANCES)
    slot = next(slot for slot in ("day", "person", "place") if f"{{{slot}}}" in sentence)
    value, other = (word.lower() for word in write.sample(SLOTS[slot], 2))
    return [(question, question, sentence.format(**{slot: value}))], [decoy.format(other=other)]


def _split(write: Namer, size: int, names: list[str], made: set[str]) -> Split:
    rows = []
    while len(rows) < size:
        row = _example(write, names)
        text = " ".join(row[0])
        if text not in made:
            made.add(text)
            rows.append(row)
    texts, questions, spans, kinds = zip(*rows, strict=True)
    answers = [" ".join(text[a : b + 1]) for text, (a, b) in zip(texts, spans, strict=True)]
    return Split(
        {"text": rows_of(texts), "question": rows_of(questions)},
        np.array(spans, "int32"),
        columns={"question_kind": np.array(kinds), "answer": np.array(answers, object)},
    )
