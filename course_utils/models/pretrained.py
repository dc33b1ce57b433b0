"""What was trained beforehand and comes with the course."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from course_utils import results, session
from course_utils.models.transformer import transformer_encoder
from course_utils.tokenizers import LibraryTokenizer

SHIPPED = results.RESULTS / "shipped"


def load_pretrained(name):
    """Return the arrays of a shipped file, by their names.

    Raises:
        ValueError: for a name that is not shipped, listing those that are.
    """
    path = SHIPPED / f"{name}.npz"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.npz"))) or "none"
        raise ValueError(f"no shipped file {name!r}; there are: {names}")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def provenance(name):
    """Return which run made a shipped file, with seed, date, settings, hardware and versions.

    Raises:
        ValueError: for a name that is not shipped, listing those that are.
    """
    load_pretrained(name)
    return json.loads((SHIPPED / f"{name}.json").read_text(encoding="utf-8"))


def save_pretrained(name, arrays, run, **settings):
    """Write a shipped file and its provenance in the full profile with seed 0; else do nothing.

    Args:
        name: of the file, in lower case with underscores.
        arrays: `{name: array}`; text as a unicode array, never as objects.
        run: the recorded run that made it, `<lecture>/<model>-<dataset>-seed0`.
        settings: whatever else tells how: data, dimensions, epochs, …

    Returns:
        The file's path, or None.

    Raises:
        ValueError: for an array of objects, which could only be stored with pickle.
    """
    for key, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{key} is an array of objects; ship text as a unicode array")
    if session.profile() != "full" or results.session_seed() != 0:
        return None
    folder = Path(os.environ.get("COURSE_RESULTS", results.ROOT / "build" / "results"))
    path = folder / "shipped" / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part.npz")
    np.savez_compressed(beside, **arrays)
    beside.replace(path)
    made = {
        "name": name,
        "run": run,
        "seed": 0,
        "date": datetime.now(UTC).date().isoformat(),
        "settings": settings,
        "arrays": {key: [*array.shape, str(array.dtype)] for key, array in arrays.items()},
        "hardware": results.hardware(),
        "versions": results.versions(),
    }
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    return path


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
