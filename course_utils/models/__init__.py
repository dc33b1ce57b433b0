"""Models that several lectures use, published sizes, and what comes trained with the course."""

from course_utils.models.mlp import MLP_SIZES, gmlp, gmlp_model, gmlp_text, mixer, mixer_model
from course_utils.models.pretrained import (
    SHIPPED,
    load_pretrained,
    save_pretrained,
)
from course_utils.models.transformer import (
    TRANSFORMER_SIZES,
    Transformer,
    transformer,
    transformer_encoder,
)
from course_utils.models.vision import VIT_SIZES, vision_transformer, vit

SIZES = {"transformer": TRANSFORMER_SIZES, "vit": VIT_SIZES, **MLP_SIZES}
