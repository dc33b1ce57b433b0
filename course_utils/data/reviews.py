"""Film reviews with a verdict: the course's own, and IMDB's."""

from __future__ import annotations

import numpy as np

from course_utils.data import reviews_file
from course_utils.data.arguments import one_of, whole_number
from course_utils.data.dataset import Dataset, Split
from course_utils.data.reviews_grammar import SIZES
from course_utils.data.text import Vocabulary, pad, tokenize

CLASS_NAMES = ("negative", "positive")


def load_reviews(
    source: str = "embedded",
    form: str = "ids",
    vocab_size: int = 10_000,
    length: int | None = None,
    keep: str = "last",
    **grammar,
) -> Dataset:
    """Film reviews, with target 1 for praise and 0 for blame (int32).

    source: "embedded", the course's own 4,000 / 400 / 2,000 made by a grammar, with the column
        "phenomenon"; or "imdb", 20,000 / 5,000 / 25,000 real ones through TensorFlow Datasets.
    form: "ids", inputs int32 (reviews, length), or "text", inputs an object array of str.
    vocab_size: entries at most, padding (0) and unknown (1) among them; real words start
        at 2, the most frequent first, counted in the training part alone.
    length: words a review; shorter ones are filled with 0 at the end. None stands for the
        longest training review (embedded only). Texts have no length.
    keep: the end of a longer review which survives, "last" or "first".
    grammar: other settings of the embedded set, those of `reviews_grammar.make_reviews` and
        `seed`; the reviews are then made anew instead of read from data/reviews.csv.gz.

    Raises ValueError for a wrong argument, FileNotFoundError without data/reviews.csv.gz, and
    ConnectionError when IMDB's reviews are neither here nor to be had.
    """
    one_of("source", source, ("embedded", "imdb"))
    one_of("form", form, ("ids", "text"))
    one_of("keep", keep, ("last", "first"))
    whole_number("vocab_size", vocab_size, at_least=3)
    if length is not None:
        whole_number("length", length, at_least=1)
        if form == "text":
            raise ValueError("length goes with form='ids'; texts are not cut")
    if source == "imdb":
        from course_utils.data import imdb

        if grammar:
            raise ValueError(f"{', '.join(grammar)}: only source='embedded' has a grammar")
        if form == "ids" and length is None:
            raise ValueError("source='imdb' needs a length in words, for example length=500")
        dataset = imdb.load(form, vocab_size, length, keep)
    else:
        dataset = _embedded(form, vocab_size, length, keep, grammar)
    print(_summary(dataset, form))
    return dataset


def load_reviews_unlabelled() -> np.ndarray:
    """IMDB's 50,000 reviews without a label: an object array of str, in a fixed order.

    Raises ConnectionError when they are neither here nor to be had.
    """
    from course_utils.data import imdb

    return imdb.read("unsupervised")[0]


def _embedded(form, vocab_size, length, keep, grammar) -> Dataset:
    table = reviews_file.generate(**grammar) if grammar else reviews_file.read()
    texts = {part: table["text"][table["split"] == part] for part in SIZES}
    tokens = {part: [tokenize(text) for text in texts[part]] for part in texts}
    vocabulary = Vocabulary.from_texts(tokens["train"], vocab_size)
    if length is None:
        length = max(len(words) for words in tokens["train"])

    def split(part: str) -> Split:
        rows = table["split"] == part
        if form == "text":
            inputs = texts[part]
        else:
            inputs = pad([vocabulary.encode(words) for words in tokens[part]], length, keep)
        return Split(
            inputs, table["label"][rows], columns={"phenomenon": table["phenomenon"][rows]}
        )

    return Dataset(
        "reviews",
        split("train"),
        split("val"),
        split("test"),
        vocabulary,
        CLASS_NAMES,
        "made by course_utils.data.reviews_grammar",
        "CC0",
    )


def _summary(dataset: Dataset, form: str) -> str:
    parts = (dataset.train, dataset.val, dataset.test)
    sizes = " / ".join(f"{len(part):,}" for part in parts)
    shape = f"{dataset.train.inputs.shape[1]} words each" if form == "ids" else "as text"
    return (
        f"{dataset.name}: {sizes} for training / validation / test, {shape}\n"
        f"{len(dataset.vocabulary):,} words in the vocabulary; {dataset.source}"
    )
