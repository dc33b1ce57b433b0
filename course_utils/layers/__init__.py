"""The layers that the lectures teach, as Keras layers for every backend (keras.ops only)."""

from importlib import import_module

_HOMES = {
    "BahdanauAttention": "attention",
    "ClassToken": "patches",
    "CoupledLSTMCell": "recurrent",
    "FixedSize": "fixed_size",
    "GMLPBlock": "gmlp",
    "LearnedPositions": "positions",
    "LuongAttention": "attention",
    "MixerBlock": "mixer",
    "MultiHeadAttention": "multi_head",
    "PatchEmbedding": "patches",
    "PeepholeLSTMCell": "recurrent",
    "ScaledDotProductAttention": "attention",
    "SinusoidalPositions": "positions",
    "SpatialGatingUnit": "gmlp",
    "TinyAttention": "gmlp",
    "TransformerDecoderBlock": "transformer",
    "TransformerEncoderBlock": "transformer",
}

__all__ = list(_HOMES)


def __getattr__(name: str):
    """Import on first use: Keras starts its backend when it is imported."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(
        f"course_utils.layers has no {name!r}; its layers are: {', '.join(_HOMES)}"
    )


def __dir__():
    return __all__
