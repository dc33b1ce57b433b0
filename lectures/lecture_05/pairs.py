"""Sentences and their translations: the course's own, and real ones from Tatoeba.

There are several editions of Tatoeba's French as packed by manythings.org. The course's
figures were measured on that of 2017-09-29; `Dataset.source` names the edition that was loaded,
and another one is told with a warning. To have that of 2017, put its fra-eng.zip into
<Keras' home>/datasets.
"""

import re
import warnings
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.data.base import (
    END,
    SPECIAL_WORDS,
    START,
    UNKNOWN,
    Dataset,
    Split,
    Vocabulary,
    by_frequency,
    lists,
    one_of,
    pad,
    read_table,
    rows_of,
    whole_ids,
    whole_number,
)
from course_utils.data.download import download, sha256_of
from course_utils.data.files import reading
from course_utils.data.words import find_words, plain

PARTS = ("train", "val", "test")
# All English words of these kinds in the course's own pairs.
NOUNS = (
    "cat cats dog dogs horse horses bird birds cow cows goat goats hen hens spider spiders "
    "house houses church churches flower flowers car cars tree trees bridge bridges "
    "garden gardens boat boats"
).split()
ADJECTIVES = (
    "small old new beautiful black white red green grey strange quiet dangerous".split()
)

STORE = "https://storage.googleapis.com/download.tensorflow.org/data/"
ARCHIVES = {
    "french": ("fra-eng.zip", "fra.txt", None),
    "spanish": (
        "spa-eng.zip",
        "spa.txt",
        "0c4fd7825d3d872488d38c157f784e035edab4f2ff0df25a2a208790ecb5b58f",
    ),
}
MEASURED = "16c4f7d0df9e7c5e6c54cdb0447f3f4a18a55052ff5e2e0b27dd4a06c0e49d04"  # fra-eng.zip
AT_LEAST = 100_000  # pairs
WORDS = 8_000
LONGEST = 25
# How many sources of up to so many words validation and test have each; at most a third of
# those there are, so that training knows long ones too.
HELD_OUT = {8: 700, 13: 700, 18: 480, LONGEST: 120}

MARKS = ("<sos>", "<eos>")
_PRONOUN = (
    r"(?<!-t)-(?:t-)?"
    r"(?:je|tu|il|elle|on|nous|vous|ils|elles|ce|le|la|les|lui|leur|moi|toi|en|y|là)\b"
)
_TOKEN = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)'"  # what French elides
    rf"|-?[^\W_]+(?:(?!{_PRONOUN})['-][^\W_]+)*"  # a word with its apostrophes and hyphens
    r"|[^\w\s]"  # a punctuation mark
)


class Pair(NamedTuple):
    """Tokens of a sentence and of its translation.

    references: all right translations, each a str of tokens; left out in training.
    alignment: None, or for each target token the place of its source token, -1 for none.
    """

    source: list[str]
    target: list[str]
    references: tuple[str, ...] = ()
    alignment: list[int] | None = None


def load_pairs(
    source: str = "embedded",
    source_vocab_size: int | None = None,
    target_vocab_size: int | None = None,
    max_words: int | None = None,
    max_pairs: int | None = None,
) -> Dataset:
    """Load pairs of sentences as word ids, ready for teacher forcing.

    Args:
        source: "embedded", the course's own 12,000 / 400 / 600 English–French pairs by a
            grammar; test sentences are of every length alike. "french" or "spanish", real pairs
            with English from Tatoeba: validation and test have about 2,000 different sources
            each, long ones more often than in training, and no source sentence is in two parts,
            upper case and punctuation disregarded.
        source_vocab_size, target_vocab_size: entries of each vocabulary at most; None takes
            all words of the embedded set, the 8,000 most frequent ones of a real one.
        max_words: leaves out pairs with a longer source or target; None is 25 in a real set.
        max_pairs: training pairs at most, drawn at random, but always the same ones.

    Returns:
        A `Dataset` whose splits have the inputs "source", int32 (pairs, S), and "target", int32
        (pairs, T): <sos> and the translation; and the targets, int32 (pairs, T): the
        translation and <eos>. All are filled with 0 at the end.
        `vocabulary` is {"source": Vocabulary, "target": Vocabulary}, counted in training alone;
        ids 0 to 3 are <pad>, <unknown>, <sos>, <eos> in both.
        Columns: "words", the source's length; "source_text" and "target_text", tokens with
        blanks between them; in validation and test "references", a tuple of all known
        translations; in the embedded set "alignment", int32 (pairs, T): the place of the source
        word that each target word translates, -1 for none.

    Raises:
        ConnectionError: where the real pairs cannot be had.
    """
    one_of("source", source, ("embedded", *ARCHIVES))
    limits = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size}
    limits |= {"max_words": max_words, "max_pairs": max_pairs}
    for name, value in limits.items():
        if value is not None:
            limits[name] = whole_number(name, value, at_least=5 if "vocab" in name else 1)
    source_vocab_size, target_vocab_size, max_words, max_pairs = limits.values()
    if source == "embedded":
        parts, name = _own_pairs(), "english_french"
        origin, licence = "made by the course's own grammar", "CC0"
    else:
        source_vocab_size = source_vocab_size or WORDS
        target_vocab_size = target_vocab_size or WORDS
        max_words = max_words or LONGEST
        lines, origin = _read_archive(source)
        parts = _cut_by_source([tuple(map(tokenize_sentence, line)) for line in lines])
        name = f"tatoeba_{source}"
        licence = "CC BY 2.0 FR, tatoeba.org by way of manythings.org/anki"
    for part, pairs in parts.items():
        if max_words is not None:
            pairs = [pair for pair in pairs if max(map(len, pair[:2])) <= max_words]
        parts[part] = pairs[:max_pairs] if part == "train" else pairs
        if not pairs:
            raise ValueError(f"max_words={max_words!r} leaves a part without any pair")
    dataset = _dataset(name, parts, source_vocab_size, target_vocab_size, origin, licence)
    sides = {"source": dataset.test.inputs["source"], "target": dataset.test.targets}
    unknown = [
        f"{len(dataset.vocabulary[side]):,} {side} words "
        f"({(ids == UNKNOWN).sum() / (ids != 0).sum():.1%} of the test unknown)"
        for side, ids in sides.items()
    ]
    longest = [f"{side}s up to {ids.shape[1]}" for side, ids in sides.items()]
    print(
        f"{name}: {dataset.sizes} pairs for training / validation / test, "
        f"{' words, '.join(longest)}\n{', '.join(unknown)}; {origin}"
    )
    return dataset


def _own_pairs() -> dict[str, list[Pair]]:
    def arrange(table) -> dict[str, list[Pair]]:
        parts: dict[str, list[Pair]] = {part: [] for part in PARTS}
        columns = (table[name] for name in ("split", "english", "french", "alignment"))
        for part, english, french, alignment in zip(*columns, strict=True):
            places = [int(place) for place in alignment.split()]
            parts[part].append(Pair(english.split(), french.split(), (french,), places))
        return parts

    return read_table("english_french.csv.xz", arrange)


def _dataset(name, parts, source_vocab_size, target_vocab_size, origin, licence) -> Dataset:
    vocabulary = {
        "source": sentence_vocabulary((x.source for x in parts["train"]), source_vocab_size),
        "target": sentence_vocabulary((x.target for x in parts["train"]), target_vocab_size),
    }
    source_width = max(len(pair.source) for pairs in parts.values() for pair in pairs)
    target_width = 1 + max(len(pair.target) for pairs in parts.values() for pair in pairs)

    def split(part: str) -> Split:
        pairs = parts[part]
        sources = [vocabulary["source"].encode(pair.source) for pair in pairs]
        targets = [vocabulary["target"].encode(pair.target) for pair in pairs]
        columns = {
            "words": np.array([len(pair.source) for pair in pairs], "int32"),
            "source_text": rows_of(" ".join(pair.source) for pair in pairs),
            "target_text": rows_of(" ".join(pair.target) for pair in pairs),
        }
        if part != "train":
            columns["references"] = rows_of(pair.references for pair in pairs)
        if pairs[0].alignment is not None:
            places = [[place + 1 for place in pair.alignment] for pair in pairs]
            columns["alignment"] = pad(places, target_width) - 1
        inputs = {
            "source": pad(sources, source_width),
            "target": pad([[START, *ids] for ids in targets], target_width),
        }
        return Split(inputs, pad([[*ids, END] for ids in targets], target_width), None, columns)

    return Dataset(name, *map(split, PARTS), vocabulary, source=origin, licence=licence)


def _read_archive(source: str) -> tuple[list[tuple[str, str]], str]:
    """The lines of "french" or "spanish", English first, and where they are from."""
    packed, member, sha256 = ARCHIVES[source]
    path = download(STORE + packed, sha256, folder="datasets")
    with reading(path), zipfile.ZipFile(path) as archive:
        files = {Path(name).name: name for name in archive.namelist()}
        text = archive.read(files[member]).decode()
        about = archive.read(files["_about.txt"]).decode() if "_about.txt" in files else ""
    # Later editions have a third field, which names the authors.
    rows = [line.split("\t") for line in text.splitlines()]
    lines = [(row[0], row[1]) for row in rows if len(row) > 1]
    if len(lines) < AT_LEAST:
        raise ValueError(
            f"{path} has {len(lines):,} pairs, not at least {AT_LEAST:,}: delete it, run again"
        )
    date = re.search(r"\d{4}-\d\d-\d\d", about)
    edition = f"edition of {date[0]}" if date else "edition without a date"
    if source == "french" and sha256_of(path) != MEASURED:
        told = "is another edition than that of 2017-09-29, on which the course measured"
        warnings.warn(f"{path} {told}", stacklevel=3)
    return lines, f"Tatoeba, {packed}, {edition}, {len(lines):,} pairs"


def _cut_by_source(pairs: list[tuple[list[str], list[str]]]) -> dict[str, list[Pair]]:
    """Pairs of tokens as training, validation and test; no source is in two of them.

    What is held out is drawn by a hash of the source's words, so it is the same for every limit
    on lengths and numbers. It has one row per source, whose first translation is the target.
    """
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for source, target in pairs:
        if source and target:
            words = " ".join(token for token in source if is_word(token))
            groups[words].append((" ".join(source), " ".join(target)))
    # The order of a hash is a shuffle that is the same on every machine.
    ordered = sorted(groups, key=_hash)
    length = {key: len(groups[key][0][0].split()) for key in ordered}
    held: dict[str, set[str]] = {"val": set(), "test": set()}
    for least, most in pairwise([0, *HELD_OUT]):
        keys = [key for key in ordered if least < length[key] <= most]
        count = min(HELD_OUT[most], len(keys) // 3)
        held["test"].update(keys[:count])
        held["val"].update(keys[count : 2 * count])
    out = held["test"] | held["val"]
    train = {pair for key in ordered if key not in out for pair in groups[key]}
    drawn = sorted(train, key=lambda pair: _hash("\t".join(pair)))
    parts = {"train": [Pair(source.split(), target.split()) for source, target in drawn]}
    for name, keys in held.items():
        parts[name] = []
        for group in (groups[key] for key in ordered if key in keys):
            source = group[0][0]
            known = tuple(dict.fromkeys(b for a, b in group if a == source))
            parts[name].append(Pair(source.split(), known[0].split(), known))
    return parts


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def tokenize_sentence(text: str) -> list[str]:
    """Return words and punctuation marks in lower case, one token each; see `words.plain`.

    What French elides is a token of its own (`l'arbre`: `l'`, `arbre`), and so is a pronoun
    after a hyphen (`vois-tu`: `vois`, `-tu`). English contractions stay whole: `don't`.
    Tokenised text, with blanks between its tokens, is tokenised into the same tokens.
    """
    return find_words(_TOKEN, plain(text))


def is_word(token: str) -> bool:
    """Whether a token holds a letter or a digit, rather than being a punctuation mark."""
    return any(map(str.isalnum, token))


def sentence_vocabulary(
    token_lists: Iterable[Sequence[str]], size: int | None = None
) -> Vocabulary:
    """Return the most frequent tokens; ids 0 to 3 are <pad>, <unknown>, <sos>, <eos>.

    Args:
        size: entries at most, those four among them.
    """
    rows = lists("token_lists", token_lists, "str")
    counts = Counter(token for tokens in rows for token in tokens)
    room = None if size is None else size - len(SPECIAL_WORDS) - len(MARKS)
    return Vocabulary([*MARKS, *by_frequency(counts)[:room]])


def encode_sentence(text: str, vocabulary: Vocabulary) -> np.ndarray:
    """Return one sentence as a model's source: int32 (1, words).

    A word that the vocabulary does not have becomes 1, <unknown>; a punctuation mark that it
    does not have is left out.
    """
    tokens = tokenize_sentence(text)
    if not any(map(is_word, tokens)):
        raise ValueError(f"there is no word to translate in {text!r}")
    kept = [token for token in tokens if is_word(token) or token in vocabulary]
    return np.array([vocabulary.encode(kept)], "int32")


def decode_sentence(ids: Iterable[int], vocabulary: Vocabulary) -> str:
    """Return the words of these ids up to <eos>, without <sos> and padding."""
    kept = takewhile(lambda number: number != END, whole_ids(ids, len(vocabulary)))
    return vocabulary.decode(number for number in kept if number != START)
