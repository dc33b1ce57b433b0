"""What was trained beforehand and comes with the course."""

import json
from datetime import UTC, datetime

import numpy as np

from course_utils import results, saving, session
from course_utils.models.transformer import transformer_encoder
from course_utils.tokenizers import LibraryTokenizer

SHIPPED = results.RESULTS / "shipped"


def load_pretrained(name):
    """The arrays of a shipped file, by their names."""
    results.check_name("name", name)
    path = SHIPPED / f"{name}.npz"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.npz"))) or "none"
        raise ValueError(f"no shipped file {name!r}; there are: {names}")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def save_pretrained(name, arrays, run, **settings):
    """Write a shipped file and what made it in the full profile with seed 0; else do nothing.

    arrays: `{name: array}`, text as a unicode array. run: what made it, a recorded run's name
    with its lecture. Returns the path or None. Raises ValueError for an array of objects, a
    name that is no file's, and settings that JSON cannot hold.
    """
    results.check_name("name", name)
    settings = results.plain_settings(settings)
    for key, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{key} is an array of objects; ship text as a unicode array")
    if session.profile() != "full" or results.session_seed() != 0:
        return None
    path = results.folder() / "shipped" / f"{name}.npz"
    with saving.whole(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)
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
    results.write(path.with_suffix(".json"), made)
    return path


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
