"""MLP-Mixer and gMLP, for images and for text, and the sizes that papers print."""

from functools import partial

import keras
from keras import ops

from course_utils.data.base import one_of, whole_number
from course_utils.data.images import patch_grid, sides
from course_utils.layers.mlp import FixedSize, GMLPBlock, MixerBlock
from course_utils.layers.transformer import new_norm
from course_utils.layers.vision import PatchEmbedding
from course_utils.models.transformer import token_embedding


def mixer_model(
    image,
    channels,
    patch,
    embed_dim,
    token_mlp_dim,
    channel_mlp_dim,
    num_layers,
    classes,
    block=MixerBlock,
    name="mixer",
):
    """A Keras model: images (batch, height, width, channels) → logits (batch, classes).

    image: its side, or (height, width), divisible by patch; S = height · width / patch².
    embed_dim: C, the channels of a token. token_mlp_dim, channel_mlp_dim: as in `MixerBlock`.
    block: that class, or one like it. There are no position embeddings: every weight of token
    mixing belongs to a position already.

    Source: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021), figure 1.
    """
    block = partial(block, token_mlp_dim, channel_mlp_dim)
    return classifier(image, channels, patch, embed_dim, num_layers, classes, block, name)


def gmlp_model(
    image,
    channels,
    patch,
    embed_dim,
    mlp_dim,
    num_layers,
    classes,
    spread=None,
    block=GMLPBlock,
    name="gmlp",
):
    """A Keras model: images (batch, height, width, channels) → logits (batch, classes).

    image: its side, or (height, width), divisible by patch; S = height · width / patch².
    embed_dim: C, the channels of a token. mlp_dim, spread: as in `GMLPBlock`. block: that
    class, or one like it. There are no position embeddings: W's rows belong to positions.

    Source: Liu et al., "Pay attention to MLPs" (2021), sections 2 and 3.
    """
    block = partial(block, mlp_dim, spread=spread)
    return classifier(image, channels, patch, embed_dim, num_layers, classes, block, name)


def classifier(image, channels, patch, embed_dim, num_layers, classes, block, name):
    """Patches, blocks made by block(name=…), then norm, mean over the tokens, logits."""
    whole_number("num_layers", num_layers, at_least=1)
    patch_grid(image, patch)
    # The sides are left open here, so that FixedSize can say why another size does not do.
    images = keras.Input((None, None, channels), name="images")
    x = FixedSize((*sides("image", image), channels), name="size")(images)
    x = PatchEmbedding(embed_dim, patch, name="patches")(x)
    for number in range(num_layers):
        x = block(name=f"block_{number}")(x)
    x = new_norm("final_norm")(x)
    x = keras.layers.GlobalAveragePooling1D(name="mean")(x)
    logits = keras.layers.Dense(classes, dtype="float32", name="logits")(x)
    return keras.Model(images, logits, name=name)


MLP_SIZES = {
    # Tolstikhin et al., "MLP-Mixer" (2021), table 1.
    "mixer": {
        size: {
            "patch": int(size.partition("/")[2]),
            "embed_dim": embed_dim,
            "token_mlp_dim": embed_dim // 2,
            "channel_mlp_dim": 4 * embed_dim,
            "num_layers": num_layers,
        }
        for sizes, embed_dim, num_layers in (
            ("S/32 S/16", 512, 8),
            ("B/32 B/16", 768, 12),
            ("L/32 L/16", 1024, 24),
            ("H/14", 1280, 32),
        )
        for size in sizes.split()
    },
    # Liu et al., "Pay attention to MLPs" (2021), table 1; patches of 16 × 16. S and B also
    # leave out blocks at random in training (they survive with 0.95 and 0.80): not built here.
    "gmlp": {
        size: {"patch": 16, "embed_dim": dim, "mlp_dim": 6 * dim, "num_layers": 30}
        for size, dim in (("Ti", 128), ("S", 256), ("B", 512))
    },
    # The same, section 4.2, table 4: masked language models by depth, with the split gate.
    "gmlp_text": {
        f"{num_layers} blocks": {"max_length": 128, "embed_dim": 512}
        | {"mlp_dim": 3072, "num_layers": num_layers}
        for num_layers in (18, 36, 72, 144)
    },
}


def mixer(size, image=224, classes=1000):
    """MLP-Mixer as published: "S/32", "S/16", "B/32", "B/16", "L/32", "L/16" or "H/14"."""
    one_of("size", size, tuple(MLP_SIZES["mixer"]))
    return mixer_model(image, 3, classes=classes, **MLP_SIZES["mixer"][size])


def gmlp(size, image=224, classes=1000):
    """gMLP for images as published: "Ti", "S" or "B"."""
    one_of("size", size, tuple(MLP_SIZES["gmlp"]))
    return gmlp_model(image, 3, classes=classes, **MLP_SIZES["gmlp"][size])


def gmlp_text(
    vocab_size,
    max_length=64,
    embed_dim=64,
    mlp_dim=256,
    num_layers=2,
    gate="split",
    causal=False,
    toeplitz=False,
    tiny_attention=0,
    dropout=0.0,
    spread=None,
    name="encoder",
):
    """A Keras model: token ids → num_layers + 1 states, (batch, max_length, embed_dim).

    The first are the embeddings, the last is normalised. Input: int (batch, max_length), 0
    after the last token; pads change no real token. The heads of lab 6b and
    `PretrainingModel` of lab 6b take it like a `transformer_encoder`.

    max_length: S, the tokens of every row: unlike attention, W takes no other number.
    embed_dim: C. mlp_dim, gate, causal, toeplitz, tiny_attention, dropout, spread: as in
    `GMLPBlock`. There are no positions: W has weights for each place.
    Raises ValueError for settings that do not fit, and for rows of another length.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 4.
    """
    whole_number("max_length", max_length, at_least=1)
    whole_number("num_layers", num_layers, at_least=1)
    # The length is left open here, so that FixedSize can say why another does not do.
    ids = keras.Input((None,), dtype="int32", name="ids")
    fixed = FixedSize((max_length,), dtype="int32", name="length")(ids)
    padding_mask = ops.not_equal(fixed, 0)
    x = token_embedding(vocab_size, embed_dim, "tokens")(fixed)
    x = keras.layers.Rescaling(embed_dim**0.5, name="scale")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(num_layers):
        settings = (mlp_dim, gate, causal, toeplitz, tiny_attention, dropout, spread)
        x = GMLPBlock(*settings, name=f"block_{number}")(x, mask=padding_mask)
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)
