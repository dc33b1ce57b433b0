"""The layers that the lectures teach, as Keras layers for every backend (keras.ops only)."""

from course_utils.layers.attention import (
    BahdanauAttention,
    LuongAttention,
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
from course_utils.layers.pooling import MaskedAveragePooling1D
from course_utils.layers.settings import take_numpy
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
)
from course_utils.layers.vision import ClassToken, PatchEmbedding

take_numpy(
    LearnedPositions,
    MultiHeadAttention,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
)
