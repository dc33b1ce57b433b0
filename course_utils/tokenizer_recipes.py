"""How each kind of the library `tokenizers` is put together, and kept the same in every run."""

from __future__ import annotations

import json
import os

SPECIAL = ("<pad>", "<unknown>", "<sos>", "<eos>", "<mask>")


def library(name="tokenizers"):
    # Several threads would make the order of sums, and so a Unigram model, a matter of chance.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(
            f"this needs the library {name}, which is not installed: run `pip install {name}` "
            "and start again"
        ) from error


def recipe(kind, size):
    """The library's tokenizer, still empty, and its trainer."""
    module = library()
    from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

    unknown = SPECIAL[1]
    common = {"vocab_size": size, "special_tokens": list(SPECIAL), "show_progress": False}
    blanks = {"replacement": "▁", "prepend_scheme": "never"}
    if kind.startswith("byte_bpe"):
        inner = module.Tokenizer(models.BPE())
        if kind == "byte_bpe_lower":
            inner.normalizer = normalizers.Lowercase()
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        return inner, trainers.BpeTrainer(initial_alphabet=alphabet, **common)
    if kind.startswith("wordpiece"):
        inner = module.Tokenizer(models.WordPiece(unk_token=unknown))
        inner.normalizer = normalizers.BertNormalizer(lowercase=kind == "wordpiece")
        inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        inner.decoder = decoders.WordPiece()
        return inner, trainers.WordPieceTrainer(**common)
    if kind == "unigram":
        inner, trainer = module.Tokenizer(models.Unigram()), trainers.UnigramTrainer
        trainer = trainer(unk_token=unknown, **common)
    else:
        inner = module.Tokenizer(models.BPE(unk_token=unknown))
        trainer = trainers.BpeTrainer(**common)
    inner.pre_tokenizer = pre_tokenizers.Metaspace(**blanks)
    inner.decoder = decoders.Metaspace(**blanks)
    return inner, trainer


def later_characters(inner, texts):
    """WordPiece's alphabet inside words, "##a" and so on, sorted.

    The library numbers these in the order of a hash table, which differs from run to run, and
    ties between merges are broken by number.
    """
    normal = inner.normalizer.normalize_str
    words = {word for text in texts for word in normal(text).split()}
    split = inner.pre_tokenizer.pre_tokenize_str
    later = {letter for word in words for piece, _ in split(word) for letter in piece[1:]}
    return [f"##{letter}" for letter in sorted(later)]


def in_order(inner):
    """A Unigram model whose pieces are numbered by score, then by spelling.

    The library adds up scores in the order of a hash table, so that their last digits differ
    from run to run, and with them the order of pieces that score alike.
    """
    state = json.loads(inner.to_str())
    pieces = state["model"]["vocab"]
    first = pieces[: len(SPECIAL)]
    state["model"]["vocab"] = first + sorted(
        pieces[len(SPECIAL) :], key=lambda piece: (-round(piece[1], 6), piece[0])
    )
    return library().Tokenizer.from_str(json.dumps(state))


def without_further_special(inner):
    state = json.loads(inner.to_str())
    state["added_tokens"] = [
        token for token in state["added_tokens"] if token["content"] in SPECIAL
    ]
    return library().Tokenizer.from_str(json.dumps(state))
