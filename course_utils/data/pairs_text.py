"""Sentences to translate: tokens with punctuation, a vocabulary with <sos> and <eos>."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from course_utils.data.arguments import whole_number
from course_utils.data.text import END, SPECIAL_WORDS, START, Vocabulary

MARKS = ("<sos>", "<eos>")
_APOSTROPHES = str.maketrans("’‘ʼ‐‑", "'''--", "\u200b\xad")
_PRONOUN = re.compile(
    r"(?<=[^\W_])(?<!-t)-((?:t-)?"
    r"(?:je|tu|il|elle|on|nous|vous|ils|elles|ce|le|la|les|lui|leur|moi|toi|en|y|là)\b)"
)
_TOKEN = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)'"  # what French elides
    r"|-?[^\W_]+(?:['-][^\W_]+)*"  # a word with its apostrophes and hyphens
    r"|[^\w\s]"  # a punctuation mark
)


def tokenize_sentence(text: str) -> list[str]:
    """Words and punctuation marks in lower case, one token each.

    What French elides is a token of its own (`l'arbre`: `l'`, `arbre`), and so is a pronoun
    behind a hyphen (`vois-tu`: `vois`, `-tu`). English contractions stay whole: `don't`.
    Tokenised text, with blanks between its tokens, is tokenised into the same tokens.
    """
    plain = unicodedata.normalize("NFC", text.lower()).translate(_APOSTROPHES)
    return _TOKEN.findall(_PRONOUN.sub(r" -\1", plain) if "-" in plain else plain)


def is_word(token: str) -> bool:
    """Whether a token holds a letter or a digit, rather than being a punctuation mark."""
    return any(map(str.isalnum, token))


def sentence_vocabulary(
    token_lists: Iterable[Sequence[str]], size: int | None = None
) -> Vocabulary:
    """The most frequent tokens; ids 0 to 3 are <pad>, <unknown>, <sos>, <eos>.

    size: at most so many entries, those four among them; None takes every token.
    """
    counts = Counter(token for tokens in token_lists for token in tokens)
    ranked = sorted(counts, key=lambda token: (-counts[token], token))
    if size is not None:
        whole_number("vocabulary size", size, at_least=len(SPECIAL_WORDS) + len(MARKS) + 1)
        ranked = ranked[: size - len(SPECIAL_WORDS) - len(MARKS)]
    return Vocabulary([*MARKS, *ranked])


def encode_sentence(text: str, vocabulary: Vocabulary) -> np.ndarray:
    """One sentence as a model's source: int32 (1, words).

    A word that the vocabulary does not have becomes 1, <unknown>; a punctuation mark that it
    does not have is left out. Raises ValueError for a sentence without a single word.
    """
    tokens = tokenize_sentence(text)
    if not any(map(is_word, tokens)):
        raise ValueError(f"there is no word to translate in {text!r}")
    kept = [token for token in tokens if is_word(token) or token in vocabulary]
    return np.array([vocabulary.encode(kept)], "int32")


def decode_sentence(ids: Iterable[int], vocabulary: Vocabulary) -> str:
    """The words of these ids up to <eos>, without <sos> and padding."""
    kept: list[int] = []
    for number in ids:
        if number == END:
            break
        if number != START:
            kept.append(number)
    return vocabulary.decode(kept)
