"""The course's own film reviews, made by a small grammar: each verdict hangs on one phenomenon.

    plain     three verdicts that agree:          "The plot was clever and …"
    negation  two verdicts, each negated:         "The plot was never dull and …"
    turn      two opposite verdicts far apart, of which the later counts
    far       one verdict at the start, then many sentences about something else,
              some of which praise or damn popcorn, seats or the weather

Praise and blame are common words that fit a film as well as a cup of coffee, so that the
adjective alone never tells what is judged. Neutral sentences use the negators too, so that a
negator alone gives nothing away. The default set is kept in data/reviews.csv.xz.
"""

import math
from collections.abc import Mapping
from random import Random

import numpy as np

from course_utils.data.base import (
    Dataset,
    Split,
    Vocabulary,
    one_of,
    pad,
    read_table,
    share,
    tokenize,
    whole_number,
)

GRAMMAR = {
    "mixture": {"plain": 0.4, "negation": 0.2, "turn": 0.2, "far": 0.2},
    "before": (0, 12),
    "after": (0, 10),
    "after_turn": (6, 12),
    "far": (60, 105),
    "distractors": 0.35,
}
SIZES = {"train": 4_000, "val": 400, "test": 2_000}
TURN = (40, 55)  # words between the two verdicts

PRAISING = (
    "wonderful superb charming brilliant fresh excellent lovely splendid delightful great"
).split()
DAMNING = "awful dull clumsy boring weak stale terrible dreadful poor tedious".split()
NEGATORS = ("not", "never", "hardly")

FILM_SUBJECTS = "acting plot script music ending camera dialogue cast editing direction".split()
OTHER_SUBJECTS = "popcorn seat hall carpet poster weather bus coffee".split()

SLOTS = {
    "day": ("Monday", "Tuesday", "Friday"),
    "person": ("my sister", "my brother", "an old friend"),
    "hero": ("teacher", "doctor", "sailor"),
    "place": ("by the sea", "in the north", "near the border"),
    "number": ("two", "three", "four"),
}

NEUTRAL = (
    "we saw it on a {day} with {person}",
    "{person} had bought the tickets on {day}",
    "the cinema was half full",
    "we sat in row {number} on the left",
    "it runs for about {number} hours",
    "it is set in a small town {place}",
    "the story follows a {hero} and her son",
    "a {hero} finds {number} letters in a drawer",
    "then a {hero} moves into the house {place}",
    "it was not cold that night",
    "we never go out on a {day}",
    "there was hardly a queue at the door",
    "it is not the first film about a {hero}",
    "I had never been to that cinema before",
    "there were hardly {number} people behind us",
    "we walked home afterwards",
)


def load_reviews(
    form: str = "ids",
    vocab_size: int = 10_000,
    length: int | None = None,
    keep: str = "last",
    **grammar,
) -> Dataset:
    """Load the course's own 4,000 / 400 / 2,000 reviews, with target 1 for praise (int32).

    Column "phenomenon" says what a reader has to master.

    Args:
        form: "ids", inputs int32 (reviews, length), or "text", inputs an object array of str.
        vocab_size: entries at most, padding (0) and unknown (1) among them; real words start
            at 2, the most frequent first, counted in the training part alone.
        length: words per review, filled with 0 at the end; None for the longest in training.
        keep: the end of a longer review which survives, "last" or "first".
        grammar: settings of `make_reviews`, with which the reviews are made again.

    Raises:
        ValueError: for a wrong argument.
        FileNotFoundError: without data/reviews.csv.xz.
    """
    vocab_size, length = check_form(form, vocab_size, length, keep)
    table = make_table(**grammar) if grammar else read_reviews()
    rows = {part: table["split"] == part for part in SIZES}
    tokens = {part: list(map(tokenize, table["text"][rows[part]])) for part in SIZES}
    vocabulary = Vocabulary.from_texts(tokens["train"], vocab_size)
    length = length or max(map(len, tokens["train"]))

    def split(part: str) -> Split:
        inputs = table["text"][rows[part]]
        if form == "ids":
            inputs = pad([vocabulary.encode(words) for words in tokens[part]], length, keep)
        phenomena = table["phenomenon"][rows[part]]
        return Split(inputs, table["label"][rows[part]], columns={"phenomenon": phenomena})

    source, names = "made by course_utils.data.reviews", ("negative", "positive")
    dataset = Dataset("reviews", *map(split, SIZES), vocabulary, names, source, "CC0")
    shape = f"{length} words each" if form == "ids" else "as text"
    return dataset.announce(f", {shape}\n{len(vocabulary):,} words in the vocabulary; {source}")


def check_form(form: str, vocab_size, length, keep: str) -> tuple[int, int | None]:
    """Check the arguments of a loader of reviews; return vocab_size and length as ints."""
    one_of("form", form, ("ids", "text"))
    one_of("keep", keep, ("last", "first"))
    vocab_size = whole_number("vocab_size", vocab_size, at_least=3)
    if length is not None:
        length = whole_number("length", length, at_least=1)
        if form == "text":
            raise ValueError("length goes with form='ids'; texts are not cut")
    return vocab_size, length


def read_reviews() -> dict[str, np.ndarray]:
    """Read the kept reviews as columns: split, label (int32), phenomenon, text."""

    def arrange(table) -> dict[str, np.ndarray]:
        return {
            "split": np.array(table["split"]),
            "label": np.array(table["label"], int).astype("int32"),
            "phenomenon": np.array(table["phenomenon"]),
            "text": np.array(table["text"], object),
        }

    return read_table("reviews.csv.xz", arrange)


def make_table(**grammar) -> dict[str, np.ndarray]:
    """Make the columns of `read_reviews`; without a setting, those that are kept."""
    reviews = make_reviews(sum(SIZES.values()), seed=0, **grammar)
    return {"split": np.repeat(list(SIZES), list(SIZES.values())), **reviews}


def make_reviews(count: int, seed: int, **grammar) -> dict[str, np.ndarray]:
    """Make reviews, no text twice; the same arguments always give the same reviews.

    Ranges are pairs (fewest, most) of words. They are filled with whole sentences, so that the
    last one may run a few words over.

    Args:
        grammar: some of `GRAMMAR`:
            mixture: the share of each phenomenon; one that is left out gets none.
            before, after: ranges around the verdicts of plain and negated reviews.
            after_turn: range after the second verdict of a turn.
            far: range after the only verdict of a far review.
            distractors: the share of sentences in it that judge popcorn, seats or the like.

    Returns:
        The columns label (int32, 1 praises), phenomenon and text (object array of str).

    Raises:
        ValueError: for a wrong setting, and where so many texts cannot differ.
    """
    for name in grammar:
        one_of("setting of the grammar", name, tuple(GRAMMAR))
    settings = GRAMMAR | grammar
    mixture = _checked_mixture(settings["mixture"])
    distractors = share("distractors", settings["distractors"])
    before, after, after_turn, far = (
        _checked_range(name, settings[name])
        for name in ("before", "after", "after_turn", "far")
    )
    write = _Writer(seed)

    def review(phenomenon: str, label: int) -> list[str]:
        if phenomenon == "far":
            return [write.verdict(label), *write.filler(far, distractors)]
        if phenomenon == "turn":
            first, second = write.verdict(1 - label), write.verdict(label)
            return [first, *write.filler(TURN), second, *write.filler(after_turn)]
        negated = phenomenon == "negation"
        verdict = f"{write.verdict(label, negated)} and {write.verdict(label, negated)}"
        sentences = [*write.filler(before), verdict, *write.filler(after)]
        return sentences if negated else [*sentences, write.verdict(label)]

    made: dict[str, tuple[int, str]] = {}
    for _ in range(100 + 20 * count):
        if len(made) == count:
            break
        phenomenon = write.draw(mixture)
        label = int(write.random() < 0.5)
        sentences = review(phenomenon, label)
        text = " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
        made.setdefault(text, (label, phenomenon))
    if len(made) < count:
        raise ValueError(f"too few different reviews for {count}: ask for longer filler")
    labels, phenomena = zip(*made.values(), strict=True)
    return {
        "label": np.array(labels, "int32"),
        "phenomenon": np.array(phenomena),
        "text": np.array(list(made), object),
    }


def _checked_mixture(mixture: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(mixture, Mapping):
        raise ValueError(f"mixture has to be a dict of phenomenon to share, got {mixture!r}")
    for name in mixture:
        one_of("phenomenon", name, tuple(GRAMMAR["mixture"]))
    mixture = {name: share(f"mixture[{name!r}]", value) for name, value in mixture.items()}
    if not math.isclose(sum(mixture.values()), 1, abs_tol=1e-6):
        raise ValueError(f"the shares of mixture have to sum to 1, got {mixture!r}")
    return mixture


def _checked_range(name: str, value) -> tuple[int, ...]:
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    words = tuple(whole_number(name, count, at_least=0) for count in value) if pair else ()
    if not pair or words[0] > words[1]:
        raise ValueError(f"{name} has to be a pair (fewest, most) of words, got {value!r}")
    return words


class Drawer:
    """Draws with `random`, the one method of Random of which Python says that it stays."""

    def __init__(self, seed: int | str):
        self.random = Random(seed).random

    def choose(self, options):
        return options[int(self.random() * len(options))]


class _Writer(Drawer):
    """Draws clauses and sentences."""

    def draw(self, shares: Mapping[str, float]) -> str:
        """One phenomenon, by the given shares."""
        point = self.random()
        for name, size in shares.items():
            if size and point < size:
                return name
            point -= size
        return next(name for name in reversed(shares) if shares[name])

    def verdict(self, label: int, negated: bool = False) -> str:
        """A clause about the film: label 1 praises, if negated by denying a fault."""
        clause = f"the {self.choose(FILM_SUBJECTS)} was"
        if negated:
            clause = f"{clause} {self.choose(NEGATORS)}"
        praising_words = bool(label) != negated
        return f"{clause} {self.choose(PRAISING if praising_words else DAMNING)}"

    def filler(self, length_range: tuple[int, int], distractors: float = 0.05) -> list[str]:
        """Sentences that give no verdict on the film: so many words, or a few more.

        distractors: the share of sentences that judge something that is no part of the film.
        """
        low, high = length_range
        wanted = low + int(self.random() * (high - low + 1))
        sentences: list[str] = []
        neutral: list[str] = []
        length = 0
        while length < wanted:
            if not neutral:
                neutral = list(NEUTRAL)
            if self.random() < distractors:
                subject = self.choose(OTHER_SUBJECTS)
                sentence = f"the {subject} was {self.choose(PRAISING + DAMNING)}"
            else:
                # Each at most once until all have been used: a review that says the same
                # sentence twice in a row reads badly.
                fillings = {slot: self.choose(words) for slot, words in SLOTS.items()}
                sentence = neutral.pop(int(self.random() * len(neutral))).format(**fillings)
            sentences.append(sentence)
            length += len(sentence.split())
        return sentences
