"""The sizes that papers print, and the models built to them."""

from course_utils.data.arguments import one_of
from course_utils.models.mlp_sizes import MLP_SIZES
from course_utils.models.vision_sizes import VIT

SIZES = {
    # Vaswani et al. (2017), table 3; one vocabulary of about 37,000 byte pairs, section 5.1.
    "transformer": {
        "base": {
            "embed_dim": 512,
            "num_heads": 8,
            "mlp_dim": 2048,
            "num_layers": 6,
            "dropout": 0.1,
        },
        "big": {
            "embed_dim": 1024,
            "num_heads": 16,
            "mlp_dim": 4096,
            "num_layers": 6,
            "dropout": 0.3,
        },
    },
    "vit": VIT,
    **MLP_SIZES,
}


def transformer(size, vocab_size=37_000, max_length=512, shared=True):
    """The paper's Transformer, "base" or "big": post-norm, one matrix for all embeddings.

    Raises ValueError for another size, naming those that are published.
    """
    from course_utils.models.encoder_decoder import Transformer

    one_of("size", size, tuple(SIZES["transformer"]))
    settings = SIZES["transformer"][size]
    return Transformer(
        vocab_size,
        vocab_size,
        max_length=max_length,
        norm="post",
        shared=shared,
        name=size,
        **settings,
    )
