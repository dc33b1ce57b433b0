"""Models that several lectures use, published sizes, and what comes trained with the course."""

from course_utils.models.mlp import MLP_SIZES, gmlp, gmlp_model, gmlp_text, mixer, mixer_model
from course_utils.models.transformer import (
    TRANSFORMER_SIZES,
    VIT_SIZES,
    Transformer,
    transformer,
    transformer_encoder,
    vision_transformer,
    vit,
)
from course_utils.results import SHIPPED, load_pretrained, save_pretrained

SIZES = {"transformer": TRANSFORMER_SIZES, "vit": VIT_SIZES, **MLP_SIZES}
