"""The encoder that lab 6b pre-trains, in one file with its tokenizer: pack, ship, load."""

import json

import numpy as np

from course_utils.models.encoder import transformer_encoder
from course_utils.models.shipping import load_pretrained, save_pretrained
from course_utils.tokenizers import LibraryTokenizer

NAME = "reviews_encoder"
STANDS_FOR_WEIGHT = "weight_"
# The file was recorded when the encoder's arguments had these names.
RECORDED = {
    "words": "vocab_size",
    "dim": "embed_dim",
    "heads": "num_heads",
    "hidden": "mlp_dim",
    "blocks": "num_layers",
    "length": "max_length",
}


def pack(encoder, tokenizer, settings):
    """The arrays of a shipped encoder: weights in float16, tokenizer and settings as JSON text.

    encoder: what `transformer_encoder(**settings)` made; its weights are stored in the order of
    `get_weights`, as "weight_000" and so on. tokenizer: a `LibraryTokenizer`.
    Raises ValueError where encoder and settings, or encoder and tokenizer, do not fit.
    """
    again = transformer_encoder(**settings)
    shapes = [[weight.shape for weight in model.get_weights()] for model in (encoder, again)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"these settings do not make this encoder: {settings}")
    if settings["vocab_size"] < len(tokenizer):
        raise ValueError(
            f"the tokenizer has {len(tokenizer):,} tokens, "
            f"the encoder {settings['vocab_size']:,}"
        )
    arrays = {
        f"{STANDS_FOR_WEIGHT}{number:03}": weight.astype("float16")
        for number, weight in enumerate(encoder.get_weights())
    }
    state = {"kind": tokenizer.kind, "json": tokenizer.to_json()}
    return arrays | {
        "settings": np.array(json.dumps(settings)),
        "tokenizer": np.array(json.dumps(state, ensure_ascii=False)),
    }


def unpack(arrays):
    """(tokenizer, encoder) out of the arrays that `pack` made."""
    state = json.loads(str(arrays["tokenizer"]))
    settings = json.loads(str(arrays["settings"]))
    settings = {RECORDED.get(name, name): value for name, value in settings.items()}
    encoder = transformer_encoder(**settings)
    names = sorted(name for name in arrays if name.startswith(STANDS_FOR_WEIGHT))
    encoder.set_weights([arrays[name].astype("float32") for name in names])
    return LibraryTokenizer.from_json(state["kind"], state["json"]), encoder


def save_reviews_encoder(encoder, tokenizer, settings, run, **more):
    """Write results/shipped/reviews_encoder.npz; in the full profile, seed 0 only."""
    return save_pretrained(NAME, pack(encoder, tokenizer, settings), run, **settings, **more)


def reviews_encoder():
    """The encoder pre-trained on IMDB's unlabelled reviews, and its tokenizer.

    Returns (tokenizer, encoder): `tokenizer.encode(texts, length)` gives int32 (texts, length),
    <sos> first and 0 behind the last piece; the encoder turns them into num_layers + 1
    hidden states, (texts, length, channels) each, the embeddings first.

    Raises ValueError where it is not shipped, ImportError without the library `tokenizers`.
    """
    return unpack(load_pretrained(NAME))
