"""How many parameters a Mixer or a gMLP has, by the equations and without building it.

S tokens, C channels, D_S and D_C units of Mixer's two networks, D units of gMLP's one.

Sources: Tolstikhin et al., "MLP-Mixer" (2021), equation 1 and table 1; Liu et al., "Pay
attention to MLPs" (2021), equations 1 to 4, tables 1, 3 and 4.
"""

from course_utils.data.base import one_of
from course_utils.data.images import patch_grid
from course_utils.numpy_ref.gmlp import GATES

# What the papers print: millions at 224 × 224 with 1,000 classes, and of the text models.
PRINTED = {
    "mixer": {
        "S/32": 19,
        "S/16": 18,
        "B/32": 60,
        "B/16": 59,
        "L/32": 206,
        "L/16": 207,
        "H/14": 431,
    },
    "gmlp": {"Ti": 5.9, "S": 19.5, "B": 73.4},
    "gmlp_text": {"18 blocks": 59, "36 blocks": 102, "72 blocks": 187, "144 blocks": 357},
}

# Assumed. The printed counts themselves tell it: (357 − 59) million / 126 blocks is 2.365
# million a block, and what then remains of 59, 16.4 million, is 512 channels for 32,100 pieces.
WORDS = 32_000


def tokens(image, patch):
    """S, the patches of an image. Raises ValueError where they do not fill it."""
    rows, columns = patch_grid(image, patch)
    return rows * columns


def dense(inputs, units):
    """A matrix and a bias."""
    return inputs * units + units


def mixer_parameters(
    patch,
    embed_dim,
    token_mlp_dim,
    channel_mlp_dim,
    num_layers,
    image=224,
    channels=3,
    classes=1000,
):
    """Count a Mixer's parameters, part by part; their sum is the whole.

    A block has 4C + (2·S·D_S + D_S + S) + (2·C·D_C + D_C + C); in "norms" the last one, 2C, is
    counted as well.

    Args:
        patch, embed_dim, token_mlp_dim, channel_mlp_dim, num_layers: the patches' sides, C,
            D_S, D_C and the number of blocks.
        image, channels, classes: side and channels of the images, and the answers.

    Returns:
        A dictionary from a part's name to its number of parameters.
    """
    S = tokens(image, patch)
    mixing = dense(S, token_mlp_dim) + dense(token_mlp_dim, S)
    return {
        "patches": dense(patch * patch * channels, embed_dim),
        "token mixing": num_layers * mixing,
        "channel mixing": num_layers
        * (dense(embed_dim, channel_mlp_dim) + dense(channel_mlp_dim, embed_dim)),
        "norms": num_layers * 4 * embed_dim + 2 * embed_dim,
        "logits": dense(embed_dim, classes),
    }


def gmlp_blocks(
    S,
    embed_dim,
    mlp_dim,
    num_layers,
    gate="split",
    causal=False,
    toeplitz=False,
    tiny_attention=0,
):
    """Count the parameters of gMLP's blocks, part by part.

    With the split gate a block has 2C + CD + D + D + S² + S + CD/2 + C: U and its bias, the
    gate's norm on D/2 channels, W and b, V, which reads D/2, and its bias.

    Args:
        S, embed_dim, mlp_dim, num_layers: tokens, C, D and the number of blocks.
        gate: "linear", "additive", "multiplicative" or "split".
        causal, toeplitz: W has S² weights (a causal one keeps those that do not count); tied by
            distance 2S − 1, or S if causal.
        tiny_attention: width of the head: C to query, key and value, and back to the gate.

    Returns:
        A dictionary from a part's name to its number of parameters.
    """
    one_of("gate", gate, GATES)
    gated = mlp_dim // 2 if gate == "split" else mlp_dim
    W = (S if causal else 2 * S - 1) if toeplitz else S * S
    attention = dense(embed_dim, 3 * tiny_attention) + dense(tiny_attention, gated)
    return {
        "U": num_layers * dense(embed_dim, mlp_dim),
        "gate": num_layers * (W + S),
        "tiny attention": num_layers * attention if tiny_attention else 0,
        "V": num_layers * dense(gated, embed_dim),
        "norms": num_layers * (2 * embed_dim + 2 * gated),
    }


def gmlp_parameters(
    patch, embed_dim, mlp_dim, num_layers, image=224, channels=3, classes=1000, **settings
):
    """Count the parameters of a gMLP for images, part by part; their sum is the whole.

    Args:
        patch, embed_dim, mlp_dim, num_layers: the patches' sides, C, D and the
            number of blocks.
        image, channels, classes: side and channels of the images, and the answers.
        settings: gate, toeplitz, tiny_attention, as in `gmlp_blocks`.

    Returns:
        A dictionary from a part's name to its number of parameters.
    """
    count = gmlp_blocks(tokens(image, patch), embed_dim, mlp_dim, num_layers, **settings)
    return count | {
        "patches": dense(patch * patch * channels, embed_dim),
        "norms": count["norms"] + 2 * embed_dim,
        "logits": dense(embed_dim, classes),
    }


def gmlp_text_parameters(
    max_length, embed_dim, mlp_dim, num_layers, vocab_size=WORDS, **settings
):
    """Count the parameters of a gMLP for text, part by part; their sum is the whole.

    Args:
        max_length, embed_dim, mlp_dim, num_layers: S, C, D and the number of blocks.
        vocab_size: subword tokens of the vocabulary; one table embeds them and, turned round,
        scores them. settings: gate, causal, toeplitz, tiny_attention, as in `gmlp_blocks`.

    Returns:
        A dictionary from a part's name to its number of parameters, without the scores' bias.
    """
    count = gmlp_blocks(max_length, embed_dim, mlp_dim, num_layers, **settings)
    return count | {
        "embeddings": vocab_size * embed_dim,
        "norms": count["norms"] + 2 * embed_dim,
    }
