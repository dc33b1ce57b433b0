"""The encoder that comes with the course, pre-trained on IMDB's reviews, and its file."""

import json

import numpy as np

from course_utils.models import load_pretrained, transformer_encoder
from lectures.lecture_06b.tokenizers import LibraryTokenizer


def pack(encoder, tokenizer, settings):
    """The arrays of a shipped encoder: weights in float16, tokenizer and settings as JSON text.

    encoder: what `transformer_encoder(**settings)` made; its weights are stored in the order of
    `get_weights`, as "weight_000" and so on. tokenizer: a `LibraryTokenizer`.
    """
    again = transformer_encoder(**settings)
    shapes = [[weight.shape for weight in model.get_weights()] for model in (encoder, again)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"these settings do not make this encoder: {settings}")
    if settings["vocab_size"] < len(tokenizer):
        words = settings["vocab_size"]
        raise ValueError(f"the tokenizer has {len(tokenizer):,} tokens, the encoder {words:,}")
    weights = enumerate(encoder.get_weights())
    arrays = {f"weight_{number:03}": weight.astype("float16") for number, weight in weights}
    state = {"kind": tokenizer.kind, "json": tokenizer.to_json()}
    texts = {"settings": json.dumps(settings)}
    texts |= {"tokenizer": json.dumps(state, ensure_ascii=False)}
    return arrays | {name: np.array(text) for name, text in texts.items()}


def unpack(arrays):
    """(tokenizer, encoder) out of the arrays that `pack` made."""
    state = json.loads(str(arrays["tokenizer"]))
    settings = json.loads(str(arrays["settings"]))
    encoder = transformer_encoder(**settings)
    names = sorted(name for name in arrays if name.startswith("weight_"))
    encoder.set_weights([arrays[name].astype("float32") for name in names])
    return LibraryTokenizer.from_json(state["kind"], state["json"]), encoder


def load_encoder():
    """The shipped encoder, pre-trained on IMDB's reviews (lab 06b), and its tokenizer.

    Returns (tokenizer, encoder): `tokenizer.encode(texts, length)` gives int32 (texts, length);
    the encoder, num_layers + 1 hidden states (texts, length, channels), the embeddings first.
    """
    return unpack(load_pretrained("imdb_encoder"))
