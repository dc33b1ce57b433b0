"""Vision Transformers, and the sizes of them that papers print."""

import keras
from keras import ops

from course_utils.data.base import one_of, whole_number
from course_utils.data.images import sides
from course_utils.layers.transformer import LearnedPositions, TransformerEncoderBlock, new_norm
from course_utils.layers.vision import ClassToken, PatchEmbedding

VIT_SIZES = {
    size: {
        "patch": int(size.partition("/")[2]),
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "mlp_dim": 4 * embed_dim,
        "num_layers": num_layers,
    }
    for size, embed_dim, num_heads, num_layers in (
        # Touvron et al., "DeiT" (2021), table 1; named so by Steiner et al., "How to train your
        # ViT?" (2021).
        ("Ti/16", 192, 3, 12),
        ("S/16", 384, 6, 12),
        # Dosovitskiy et al., "An image is worth 16x16 words" (2021), table 1.
        ("B/32", 768, 12, 12),
        ("B/16", 768, 12, 12),
        ("L/32", 1024, 16, 24),
        ("L/16", 1024, 16, 24),
        ("H/14", 1280, 16, 32),
    )
}


def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    """A Keras model: images (batch, height, width, channels) → logits float32 (batch, classes).

    Args:
        image: its side, or (height, width). channels: of its pixels. patch: side of a patch.
        embed_dim, num_heads, mlp_dim: of each of the num_layers encoder blocks, which are
            pre-norm with activation="gelu".
        classes: how many logits the Dense layer at the end gives.
        pool: what that layer reads after the last LayerNorm: "class", a class token, or
            "mean", the mean of all tokens, without a class token.
        positions: "learned", or "none" to leave them out.
        name: of the model.

    Raises ValueError for settings that do not fit.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 4.
    """
    whole_number("num_layers", num_layers, at_least=1)
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels), name="images")
    x = PatchEmbedding(embed_dim, patch, name="patches")(images)
    if pool == "class":
        x = ClassToken(name="class_token")(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1], name="positions")(x)
    for number in range(num_layers):
        block = {"activation": "gelu", "name": f"block_{number}"}
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, **block)(x)
    x = new_norm("final_norm")(x)
    x = ops.take(x, 0, axis=1) if pool == "class" else ops.mean(x, axis=1)
    logits = keras.layers.Dense(classes, dtype="float32", name="logits")(x)
    return keras.Model(images, logits, name=name)


def vit(size, image=224, classes=1000):
    """A Vision Transformer of a published size, such as "B/16", for colour images."""
    one_of("size", size, tuple(VIT_SIZES))
    name = f"vit_{size.replace('/', '_')}"
    return vision_transformer(image, 3, classes=classes, name=name, **VIT_SIZES[size])
