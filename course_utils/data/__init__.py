"""Datasets, words, series and batches. Loaders return a `Dataset` of three `Split`s."""

from importlib import import_module

_HOMES = {
    "Corpus": "imdb",
    "Dataset": "dataset",
    "END": "text",
    "IGNORE": "entities",
    "LengthBuckets": "buckets",
    "PAD": "text",
    "START": "text",
    "Series": "series",
    "Split": "dataset",
    "UNKNOWN": "text",
    "Vocabulary": "text",
    "align_tags": "entities",
    "cutmix": "augment",
    "cut_windows": "series",
    "decode_sentence": "pairs_text",
    "encode_sentence": "pairs_text",
    "length_buckets": "buckets",
    "load_canvases": "canvases",
    "load_choices": "choices",
    "load_days": "series",
    "load_digits": "digits",
    "load_entities": "entities",
    "load_images": "images",
    "load_motion": "motion",
    "load_pairs": "pairs",
    "load_phrases": "phrases",
    "load_questions": "questions",
    "load_reviews": "reviews",
    "load_reviews_corpus": "imdb",
    "load_reviews_unlabelled": "reviews",
    "load_sentence_pairs": "sentence_pairs",
    "load_series": "series",
    "load_shapes": "shapes",
    "load_summaries": "summaries",
    "look_up_tags": "entities",
    "make_canvases": "canvases",
    "random_flip": "augment",
    "pad": "text",
    "token_span": "questions",
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
