"""Lecture 07, the Vision Transformer: counting."""


def tokens_and_weights():
    """Return (tokens, weights) of an image of 32×32 with 3 channels, cut into patches of 4×4.

    tokens: how many patches the image has (there is no class token). weights: how many
    parameters the projection x_s E + b to C = 64 channels has. Two whole numbers.
    """
    return (32 // 4) * (32 // 4), 4 * 4 * 3 * 64 + 64


def parameters_of_b16():
    """Return how many parameters ViT-B/16 has for images of 384×384 with 3 channels.

    Patches of 16×16, C = 768, M = 3072, L = 12 blocks, a class token, 1,000 classes. Write the
    whole number as a sum, a part a line: patches, class token and positions; a block, with
    attention, feed-forward network and two LayerNorms; the last LayerNorm; the head.
    """
    C, M, S = 768, 3072, (384 // 16) ** 2
    start = 16 * 16 * 3 * C + C + C + (S + 1) * C
    block = 4 * (C * C + C) + (C * M + M) + (M * C + C) + 2 * 2 * C
    return start + 12 * block + 2 * C + (C * 1000 + 1000)
