"""Datasets, words, series and batches. Loaders return a `Dataset` of three `Split`s."""

from importlib import import_module

_HOMES = {
    "Corpus": "imdb",
    "Dataset": "dataset",
    "END": "text",
    "LengthBuckets": "buckets",
    "PAD": "text",
    "START": "text",
    "Series": "series",
    "Split": "dataset",
    "UNKNOWN": "text",
    "Vocabulary": "text",
    "cutmix": "augment",
    "cut_windows": "series",
    "decode_sentence": "pairs_text",
    "encode_sentence": "pairs_text",
    "length_buckets": "buckets",
    "load_choices": "tasks",
    "load_days": "series",
    "load_digits": "digits",
    "load_entities": "tasks",
    "load_images": "images",
    "load_pairs": "pairs",
    "load_phrases": "phrases",
    "load_questions": "tasks",
    "load_reviews": "reviews",
    "load_rte": "sentence_pairs",
    "load_reviews_corpus": "imdb",
    "load_reviews_unlabelled": "reviews",
    "load_sentence_pairs": "sentence_pairs",
    "load_series": "series",
    "load_summaries": "tasks",
    "random_flip": "augment",
    "pad": "text",
    "color_jitter": "augment",
    "shared_runs": "phrases",
    "random_translate": "augment",
    "tokenize": "text",
    "tokenize_sentence": "pairs_text",
    "training_scale": "series",
    "random_rotate": "augment",
    "unlabelled_reviews": "reviews_unlabelled",
    "random_affine": "augment",
    "window_pairs": "series",
}
_MODULES = ("english_french_grammar", "reviews_grammar")

__all__ = list(_HOMES) + list(_MODULES)


def __getattr__(name: str):
    """Import on first use: what one lecture loads should not cost the others anything."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
