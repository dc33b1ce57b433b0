"""Models that several lectures use, published sizes, and what comes trained with the course."""

from importlib import import_module

_HOMES = {
    "ConvnetToText": "image_to_text",
    "ImageToText": "image_to_text",
    "LanguageModel": "language_model",
    "RecurrentTranslator": "recurrent",
    "SHIPPED": "shipping",
    "SIZES": "sizes",
    "Transformer": "encoder_decoder",
    "at_resolution": "vision_resolution",
    "attention_weights": "vision",
    "gmlp": "mlp_sizes",
    "gmlp_model": "mixer_gmlp",
    "gmlp_text": "text_gmlp",
    "interpolate_positions": "vision_resolution",
    "mixer": "mlp_sizes",
    "mixer_model": "mixer_gmlp",
    "provenance": "shipping",
    "reviews_encoder": "pretrained",
    "save_pretrained": "shipping",
    "load_pretrained": "shipping",
    "transformer": "sizes",
    "transformer_encoder": "encoder",
    "vision_transformer": "vision",
    "vit": "vision",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    """Import on first use: Keras starts its backend when it is imported."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"course_utils.models has no {name!r}; it has: {', '.join(_HOMES)}")


def __dir__():
    return __all__
