"""Classifiers of images without attention: MLP-Mixer and gMLP."""

import keras

from course_utils.data.arguments import whole_number
from course_utils.data.patch_grid import patch_grid, sides
from course_utils.layers.mlp import FixedSize, GMLPBlock, MixerBlock
from course_utils.layers.transformer import new_norm
from course_utils.layers.vision import PatchEmbedding


def mixer_model(
    image,
    channels,
    patch,
    embed_dim,
    token_mlp_dim,
    channel_mlp_dim,
    num_layers,
    classes,
    dropout=0.0,
    name="mixer",
):
    """A Keras model: images (batch, height, width, channels) → logits (batch, classes).

    image: its side, or (height, width), divisible by patch; S = height · width / patch².
    embed_dim: C, the channels of a token. token_mlp_dim, channel_mlp_dim, dropout: as in
    `MixerBlock`. There are no positions: token mixing has weights of its own for each place.

    Raises ValueError for settings that do not fit, and for images of another size.

    Source: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021), figure 1.
    """

    def block(number):
        return MixerBlock(token_mlp_dim, channel_mlp_dim, dropout, name=f"block_{number}")

    return classifier(image, channels, patch, embed_dim, num_layers, classes, block, name)


def gmlp_model(
    image,
    channels,
    patch,
    embed_dim,
    mlp_dim,
    num_layers,
    classes,
    gate="split",
    toeplitz=False,
    tiny_attention=0,
    dropout=0.0,
    spread=None,
    name="gmlp",
):
    """A Keras model: images (batch, height, width, channels) → logits (batch, classes).

    image: its side, or (height, width), divisible by patch; S = height · width / patch².
    embed_dim: C, the channels of a token. mlp_dim, gate, toeplitz, tiny_attention, dropout,
    spread: as in `GMLPBlock`. There are no positions: W has weights of its own for each place.

    Raises ValueError for settings that do not fit, and for images of another size.

    Source: Liu et al., "Pay attention to MLPs" (2021), sections 2 and 3.
    """

    def block(number):
        return GMLPBlock(
            mlp_dim,
            gate,
            toeplitz=toeplitz,
            tiny_attention=tiny_attention,
            dropout=dropout,
            spread=spread,
            name=f"block_{number}",
        )

    return classifier(image, channels, patch, embed_dim, num_layers, classes, block, name)


def classifier(image, channels, patch, embed_dim, num_layers, classes, block, name):
    """Patches, blocks made by block(number), then norm, mean over the tokens, logits."""
    for label, number in (
        ("channels", channels),
        ("num_layers", num_layers),
        ("classes", classes),
    ):
        whole_number(label, number, at_least=1)
    patch_grid(image, patch)
    # The sides are left open here, so that FixedSize can say why another size does not do.
    images = keras.Input((None, None, channels), name="images")
    x = FixedSize((*sides("image", image), channels), name="size")(images)
    x = PatchEmbedding(embed_dim, patch, name="patches")(x)
    for number in range(num_layers):
        x = block(number)(x)
    x = new_norm("final_norm")(x)
    x = keras.layers.GlobalAveragePooling1D(name="mean")(x)
    logits = keras.layers.Dense(classes, dtype="float32", name="logits")(x)
    return keras.Model(images, logits, name=name)
