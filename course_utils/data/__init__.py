"""Datasets, words, series and batches. Loaders return a `Dataset` of three `Split`s."""

from importlib import import_module

_HOMES = {
    "Corpus": "imdb",
    "Dataset": "dataset",
    "LengthBuckets": "buckets",
    "PAD": "text",
    "Series": "series",
    "Split": "dataset",
    "UNKNOWN": "text",
    "Vocabulary": "text",
    "cut_windows": "windows",
    "length_buckets": "buckets",
    "load_days": "series",
    "load_motion": "motion",
    "load_reviews": "reviews",
    "load_reviews_corpus": "imdb",
    "load_reviews_unlabelled": "reviews",
    "load_series": "series",
    "pad": "text",
    "read_series": "series",
    "tokenize": "text",
    "training_scale": "windows",
    "window_pairs": "windows",
}
_MODULES = ("reviews_grammar",)

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
