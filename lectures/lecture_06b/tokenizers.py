"""Tokenizers trained on texts, with one small interface.

The work is done by two libraries, `tokenizers` and `sentencepiece`; characters and whole words
need neither. The first ids are the same everywhere: 0 <pad>, 1 <unknown>, 2 <sos>, 3 <eos>,
4 <mask>.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable

import numpy as np
import sentencepiece
import tokenizers as library

from course_utils.data import base
from course_utils.data.base import UNKNOWN, Vocabulary, one_of, pad, tokenize, whole_number

# Several threads would make the order of sums, and so a Unigram model, a matter of chance.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

SPECIAL = ("<pad>", "<unknown>", "<sos>", "<eos>", "<mask>")
START, MASK = SPECIAL.index("<sos>"), SPECIAL.index("<mask>")
KINDS = {
    "characters": "characters",
    "words": "words, lower-cased",
    "bpe": "BPE on characters",
    "byte_bpe": "BPE on bytes",
    "byte_bpe_lower": "BPE on bytes, lower-cased",
    "wordpiece": "WordPiece, lower-cased",
    "wordpiece_cased": "WordPiece",
    "unigram": "Unigram (tokenizers)",
    "sentencepiece": "Unigram (sentencepiece)",
    "sentencepiece_bytes": "the same, byte fallback, no normalising",
}

RULES = {  # where a text is split before merges are learned
    "blanks": r" ?[^ ]+| +",
    "GPT-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}


def train(kind: str, texts: Iterable[str], size: int = 1_000) -> Tokenizer:
    """Train a tokenizer on texts.

    Args:
        kind: one of the `KINDS`.
        texts: any iterable of str.
        size: entries of the vocabulary at most, the five special ones among them; characters
            take as many as the texts have, and a larger alphabet (all 256 bytes of byte_bpe)
            stays whole.

    Raises:
        ValueError: for another kind, a size that is too small, texts without a character.
    """
    one_of("kind", kind, tuple(KINDS))
    size = whole_number("size", size, at_least=len(SPECIAL) + 1)
    texts = list(map(str, base.texts("texts", texts)))
    if not any(char.isprintable() and not char.isspace() for text in texts for char in text):
        raise ValueError("a tokenizer needs texts to be trained on, got none but blank ones")
    if kind in ("characters", "words"):
        return _Listed.trained(kind, texts, size)
    others = _SentencePiece if kind.startswith("sentencepiece") else LibraryTokenizer
    return others.trained(kind, texts, size)


def _one_text(text) -> str:
    if not isinstance(text, str):
        raise ValueError(f"a text has to be a str, got {text!r}")
    return str(text)  # Python's own, which the libraries want, of NumPy's


def _check_size(kind, size, least):
    """A Unigram model has a piece for every character, from which it can build all texts."""
    if size < least:
        raise ValueError(
            f"size has to be at least {least} for {kind!r} of these texts, got {size}"
        )


class Tokenizer:
    """What all tokenizers share; `kind` is one of the `KINDS`, `len()` the vocabulary.

    All raise ValueError for what is no str, and for ids that are not in the vocabulary.
    """

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's pieces, without special ones; 1 for what is unknown."""
        return self._ids(_one_text(text))

    def tokens(self, text: str) -> list[str]:
        """Return the pieces of a text as the vocabulary has them."""
        return self._tokens(_one_text(text))

    def text(self, ids: Iterable[int]) -> str:
        """Return the text of these ids."""
        return self._text(base.whole_ids(ids, len(self)))

    def of_words(self, words: Iterable[str]) -> tuple[list[int], list[int]]:
        """Cut words one by one: return the ids, and for each the place of its word."""
        cut = [self.ids(word) for word in base.texts("words", words)]
        places = [place for place, ids in enumerate(cut) for _ in ids]
        return [number for ids in cut for number in ids], places

    def encode(self, texts: Iterable[str], length: int) -> np.ndarray:
        """Return int32 (texts, length): <sos>, then a text's first pieces, then 0."""
        rows = [[START, *self.ids(text)] for text in base.texts("texts", texts)]
        return pad(rows, length, keep="first")


class _Listed(Tokenizer):
    """Characters or whole words, looked up in a list."""

    def __init__(self, kind, entries):
        self.kind = kind
        self.entries = [*SPECIAL, *entries]
        self.index = {entry: number for number, entry in enumerate(self.entries)}

    @classmethod
    def trained(cls, kind, texts, size):
        if kind == "characters":
            return cls(kind, sorted(set().union(*texts)))
        room = size - len(SPECIAL) + 2  # the vocabulary counts two special words of its own
        return cls(kind, Vocabulary.from_texts(map(tokenize, texts), room).words[2:])

    def __len__(self):
        return len(self.entries)

    def _ids(self, text):
        pieces = text if self.kind == "characters" else tokenize(text)
        return [self.index.get(piece, UNKNOWN) for piece in pieces]

    def _text(self, ids):
        return ("" if self.kind == "characters" else " ").join(self.entries[n] for n in ids)

    def _tokens(self, text):
        return [self.entries[number] for number in self._ids(text)]


class LibraryTokenizer(Tokenizer):
    """One of the library `tokenizers`: BPE, byte-level BPE, WordPiece or Unigram."""

    def __init__(self, kind, inner):
        self.kind, self.inner = kind, inner
        inner.encode_special_tokens = True  # "<pad>" in a text is text

    @classmethod
    def trained(cls, kind, texts, size):
        if kind == "unigram":
            _check_size(kind, size, len(set().union(*texts)) + len(SPECIAL))
        inner, trainer = _recipe(kind, size)
        if kind.startswith("wordpiece"):
            trainer.special_tokens = [*SPECIAL, *_later_characters(inner, texts)]
        inner.train_from_iterator(texts, trainer)
        return cls(kind, _in_order(inner, kind))

    @classmethod
    def from_json(cls, kind: str, text: str) -> LibraryTokenizer:
        """Return the tokenizer that `to_json` wrote."""
        return cls(kind, library.Tokenizer.from_str(text))

    def to_json(self) -> str:
        """Return the whole tokenizer as text, in the library's own format."""
        return self.inner.to_str()

    def __len__(self):
        return self.inner.get_vocab_size()

    def _ids(self, text):
        found = self.inner.encode(text, add_special_tokens=False).ids
        # A Unigram model takes "<pad>" in a text for the piece of that name.
        return [number if number >= len(SPECIAL) else UNKNOWN for number in found]

    def _text(self, ids):
        return self.inner.decode(ids, skip_special_tokens=False)

    def _tokens(self, text):
        return self.inner.encode(text, add_special_tokens=False).tokens


def byte_pairs(of_bytes: bool, rule: str, texts: Iterable[str], size: int) -> Tokenizer:
    """Train BPE on bytes or characters of words that one of the `RULES` separates."""
    common = {"vocab_size": size, "special_tokens": list(SPECIAL), "show_progress": False}
    inner = library.Tokenizer(library.models.BPE(unk_token=None if of_bytes else SPECIAL[1]))
    steps = [library.pre_tokenizers.Split(library.Regex(RULES[rule]), "isolated")]
    if of_bytes:
        bytes_of = library.pre_tokenizers.ByteLevel
        steps.append(bytes_of(add_prefix_space=False, use_regex=False))
        common["initial_alphabet"] = bytes_of.alphabet()
    inner.pre_tokenizer = library.pre_tokenizers.Sequence(steps)
    inner.decoder = library.decoders.ByteLevel() if of_bytes else library.decoders.Fuse()
    inner.train_from_iterator(texts, library.trainers.BpeTrainer(**common))
    return LibraryTokenizer("bpe", inner)


def _recipe(kind, size):
    """The library's tokenizer, still empty, and its trainer."""
    decoders, models, normalizers = library.decoders, library.models, library.normalizers
    pre_tokenizers, trainers = library.pre_tokenizers, library.trainers
    unknown = SPECIAL[1]
    common = {"vocab_size": size, "special_tokens": list(SPECIAL), "show_progress": False}
    if kind.startswith("byte_bpe"):
        inner = library.Tokenizer(models.BPE())
        if kind == "byte_bpe_lower":
            inner.normalizer = normalizers.Lowercase()
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        return inner, trainers.BpeTrainer(initial_alphabet=alphabet, **common)
    if kind.startswith("wordpiece"):
        inner = library.Tokenizer(models.WordPiece(unk_token=unknown))
        inner.normalizer = normalizers.BertNormalizer(lowercase=kind == "wordpiece")
        inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        inner.decoder = decoders.WordPiece()
        return inner, trainers.WordPieceTrainer(**common)
    if kind == "unigram":
        inner = library.Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(unk_token=unknown, **common)
    else:
        inner = library.Tokenizer(models.BPE(unk_token=unknown))
        trainer = trainers.BpeTrainer(**common)
    blanks = {"replacement": "▁", "prepend_scheme": "never"}
    inner.pre_tokenizer = pre_tokenizers.Metaspace(**blanks)
    inner.decoder = decoders.Metaspace(**blanks)
    return inner, trainer


def _later_characters(inner, texts):
    """WordPiece's alphabet inside words, "##a" and so on, sorted.

    The library numbers these in the order of a hash table, which differs from run to run, and
    ties between merges are broken by number.
    """
    normal = inner.normalizer.normalize_str
    words = {word for text in texts for word in normal(text).split()}
    split = inner.pre_tokenizer.pre_tokenize_str
    later = {letter for word in words for piece, _ in split(word) for letter in piece[1:]}
    return [f"##{letter}" for letter in sorted(later)]


def _in_order(inner, kind):
    """A trained tokenizer with the `SPECIAL` tokens alone, the same one in every process.

    The library adds up a Unigram model's scores in the order of a hash table, so that their
    last digits differ from run to run, and with them the order of pieces that score alike:
    they are numbered by rounded score, then by spelling.
    """
    state = json.loads(inner.to_str())
    if kind.startswith("wordpiece"):
        added = state["added_tokens"]
        state["added_tokens"] = [token for token in added if token["content"] in SPECIAL]
    if kind == "unigram":
        pieces = state["model"]["vocab"]
        rest = sorted(pieces[len(SPECIAL) :], key=lambda piece: (-round(piece[1], 6), piece[0]))
        pieces[len(SPECIAL) :] = rest
    return library.Tokenizer.from_str(json.dumps(state))


class _SentencePiece(Tokenizer):
    """One of the library `sentencepiece`."""

    def __init__(self, kind, model):
        self.kind = kind
        self.inner = sentencepiece.SentencePieceProcessor(model_proto=model)

    @classmethod
    def trained(cls, kind, texts, size):
        exact = {"byte_fallback": True, "normalization_rule_name": "identity"}
        exact |= {"remove_extra_whitespaces": False, "add_dummy_prefix": False}
        ids = {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=model,
                vocab_size=size,
                hard_vocab_limit=False,
                # Longer lines would be skipped in silence: 2.7 % of IMDB's reviews.
                max_sentence_length=1 << 20,
                **ids,
                control_symbols=["<mask>"],
                num_threads=1,
                minloglevel=2,
                **(exact if kind == "sentencepiece_bytes" else {}),
            )
        except RuntimeError as error:
            if needed := re.search(r"(\d+) vs (\d+)", str(error)):
                _check_size(kind, size, int(needed[2]))
            raise ValueError(f"{kind!r} finds no character in these texts: {error}") from error
        return cls(kind, model.getvalue())

    def __len__(self):
        return self.inner.get_piece_size()

    def _ids(self, text):
        return self.inner.encode(text)

    def _text(self, ids):
        return self.inner.decode(ids)

    def _tokens(self, text):
        return [self.inner.id_to_piece(number) for number in self._ids(text)]
