"""The layers that the lectures teach, as Keras layers for every backend (keras.ops only)."""

from course_utils.layers.attention import (
    BahdanauAttention,
    LuongAttention,
    MaskedAveragePooling1D,
    MultiHeadAttention,
    ScaledDotProductAttention,
)
from course_utils.layers.mlp import (
    FixedSize,
    GMLPBlock,
    MixerBlock,
    SpatialGatingUnit,
    TinyAttention,
)
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
)
from course_utils.layers.vision import ClassToken, PatchEmbedding
