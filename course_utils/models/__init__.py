"""Models that several lectures use, published sizes, and what comes trained with the course."""

from importlib import import_module

_HOMES = {
    "LanguageModel": "language_model",
    "RecurrentTranslator": "recurrent",
    "SHIPPED": "shipping",
    "SIZES": "sizes",
    "Transformer": "encoder_decoder",
    "provenance": "shipping",
    "reviews_encoder": "pretrained",
    "ship": "shipping",
    "shipped": "shipping",
    "transformer": "sizes",
    "transformer_encoder": "encoder",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    """Import on first use: Keras starts its backend when it is imported."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"course_utils.models has no {name!r}; it has: {', '.join(_HOMES)}")


def __dir__():
    return __all__
