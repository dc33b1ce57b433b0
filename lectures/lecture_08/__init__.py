"""Lecture 08: MLP-Mixer and gMLP in NumPy, their counts, networks for digits, an ablation.

    Mixer   U = X + W_2 σ(W_1 norm(X))        every channel over the tokens
            Y = U + σ(norm(U) W_3) W_4        every token over the channels
    gMLP    Z = σ(norm(X) U + b_U)            Y = X + s(Z) V + b_V
            s(Z) = Z_1 ⊙ f(Z_2)               f(Z_2) = W norm(Z_2) + b

Shapes: X (…, S, C), S tokens of C channels; W_1 (D_S, S), W_2 (S, D_S), W_3 (C, D_C),
W_4 (D_C, C); U (C, D); Z (…, S, D), split along the channels into Z_1 and Z_2 (…, S, D/2);
W (S, S), whose row i is about output token i; b (S,), one number a token; V (D/2, C).

Sources: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021), equation 1
and table 1; Liu, Dai, So and Le, "Pay attention to MLPs" (2021), equations 1 to 4, tables 1, 3
and 4, tiny attention: section 4.3.
"""

import dataclasses

import numpy as np
from keras import ops

from course_utils import layers
from course_utils.layers.mlp import GateParts, GMLPParts
from course_utils.models.mlp import gmlp_model, mixer_model
from lectures.lecture_06 import layer_norm, scaled_dot_product
from lectures.lecture_07 import gelu
from lectures.lecture_07.digits import DIGITS, train_on_images

LECTURE = "08_mixer_gmlp"
MIXER = DIGITS | {"patch": 2, "embed_dim": 64, "num_layers": 3}
MIXER |= {"token_mlp_dim": 32, "channel_mlp_dim": 128}
GMLP = DIGITS | {"patch": 2, "embed_dim": 48, "num_layers": 4, "mlp_dim": 192}

# What the papers print: millions at 224 × 224 with 1,000 classes.
PRINTED = {
    "mixer": {"S/32": 19, "S/16": 18, "B/32": 60, "B/16": 59, "L/32": 206, "L/16": 207}
    | {"H/14": 431},
    "gmlp": {"Ti": 5.9, "S": 19.5, "B": 73.4},
}


def norm(x):
    """Every token to mean 0 and deviation 1 over its channels: LayerNorm, nothing learned."""
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def mixer_block(x, weights):
    """Both mixings, each after a norm of its own and added to what it read: (…, S, C).

    weights: a dictionary: "token_norm" and "channel_norm" hold gain and shift (C,) each,
    "token_mixing" the kernels and biases of two Dense layers over the tokens, W_1ᵀ, b_1, W_2ᵀ,
    b_2, and "channel_mixing" W_3, b_3, W_4, b_4.
    """
    W_1, b_1, W_2, b_2 = weights["token_mixing"]
    W_3, b_3, W_4, b_4 = weights["channel_mixing"]
    y = layer_norm(x, *weights["token_norm"])
    u = x + W_2.T @ gelu(W_1.T @ y + b_1[:, None]) + b_2[:, None]
    y = layer_norm(u, *weights["channel_norm"])
    return u + gelu(y @ W_3 + b_3) @ W_4 + b_4


def influence(block, x):
    """Find out which input tokens change which output tokens.

    Args:
        block: a function from (S, C) to (S, C).
        x: (S, C), not to be changed.

    Returns:
        A boolean NumPy array (S, S): True in row i, column j, where any channel of output token
        i changes by more than 0.0001 when input token j is replaced by random numbers.
    """
    before, changes = block(x), []
    for token in range(len(x)):
        replaced = np.array(x)
        replaced[token] = np.random.default_rng([8, token]).normal(size=x.shape[1])
        changes.append(np.abs(block(replaced) - before).max(axis=1) > 1e-4)
    return np.array(changes).T


def double_resolution(W, side):
    """Enlarge a gate's W to images of twice the side, so that each token becomes 2×2.

    When all four children equal their parent, each child receives what the parent received. The
    four children of a token contribute alike, and receive alike.

    Args:
        W: (S, S), learned for S = side · side tokens, numbered row by row.
        side: the number of tokens along one side.

    Returns:
        A NumPy array (4S, 4S).
    """
    grid = W.reshape(side, side, side, side)
    for axis in range(4):
        grid = np.repeat(grid, 2, axis=axis)
    return grid.reshape(4 * side**2, 4 * side**2) / 4


class SpatialGatingUnit(GateParts):
    """gMLP's gate: Z_1 ⊙ (W LayerNorm(Z_2) + b), with Z_1 and Z_2 the halves of Z's channels.

    Call: z (batch, S, D) → (batch, S, D/2). The weights are there: `self.W` (S, S), whose row i
    is about output token i; `self.b` (S,), one number per token; `self.norm`, a LayerNorm over
    the channels. `course_utils.layers` has it with what lab 8b adds.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 2.1, equation 4.
    """

    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


class GMLPBlock(GMLPParts):
    """gMLP's block: Y = X + gate(σ(LayerNorm(X) U)) V.

    Call: x (batch, S, C) → (batch, S, C). The parts are there: `self.norm`; `self.U`, a Dense
    layer to D channels with its σ; `self.gate`; `self.V`, a Dense layer back to C channels.

    Source: Liu et al., "Pay attention to MLPs" (2021), equation 1 and figure 1.
    """

    gate_layer = SpatialGatingUnit  # the class of `self.gate`: in a notebook, the student's own

    def call(self, x):
        return x + self.V(self.gate(self.U(self.norm(x))))


def spatial_gating_unit(z, norm, W, b, gate="split", attended=0.0, padding_mask=None):
    """What the gate lets through: (…, S, D/2) for "split", else (…, S, D).

        linear: f(Z)    additive: Z + f(Z)    multiplicative: Z ⊙ f(Z)    split: Z_1 ⊙ f(Z_2)

    z: (…, S, D). norm: gain and shift of the norm of what W reads. W: (S, S). b: (S,).
    attended: the tiny attention's output, shaped like f; it is added to f.
    padding_mask: bool (…, S), False at pads, which W then reads as zeros.
    """
    passed, read = np.split(z, 2, axis=-1) if gate == "split" else (z, z)
    read = layer_norm(read, *norm)
    if padding_mask is not None:
        read = np.where(padding_mask[..., None], read, 0)
    f = W @ read + b[:, None] + attended
    if gate == "linear":
        return f
    return passed + f if gate == "additive" else passed * f


def tiny_attention(x, W_qkv, b_qkv, W_O, b_O, mask=None):
    """One small head: x (…, S, C), the block's input after its norm → (…, S, D/2).

    W_qkv (C, 3·width), b_qkv (3·width,): query, key and value side by side. W_O (width, D/2),
    b_O (D/2,). mask: fits (…, S, S), True where a token may be looked at.
    """
    query, keys, values = np.split(x @ W_qkv + b_qkv, 3, axis=-1)
    return scaled_dot_product(query, keys, values, mask)[0] @ W_O + b_O


def gmlp_block(x, weights, gate="split", causal=False, padding_mask=None):
    """Normalise, widen, gate, narrow, and add the input as it came: (…, S, C).

    weights: "norm" and "gate_norm" hold gain and shift; "U", "b_U", "W", "b", "V", "b_V"; with
    tiny attention also "attention", the four that `tiny_attention` takes. causal: only what
    stands on and below W's diagonal counts, and the tiny attention looks back alone.
    gate, padding_mask: as in `spatial_gating_unit`.
    """
    S = x.shape[-2]
    y = layer_norm(x, *weights["norm"])
    attended = 0.0
    if "attention" in weights:
        mask = np.tril(np.ones((S, S), bool)) if causal else np.ones((S, S), bool)
        mask = mask if padding_mask is None else mask & padding_mask[..., None, :]
        attended = tiny_attention(y, *weights["attention"], mask)
    W = np.tril(weights["W"]) if causal else weights["W"]
    z = gelu(y @ weights["U"] + weights["b_U"])
    z = spatial_gating_unit(
        z, weights["gate_norm"], W, weights["b"], gate, attended, padding_mask
    )
    return x + z @ weights["V"] + weights["b_V"]


def dense(inputs, units):
    """The parameters of a dense layer: a matrix and a bias."""
    return inputs * units + units


def mixer_block_parameters(S, C, D_S, D_C):
    """Count the parameters of one `MixerBlock`; `dense(n, m)` counts Dense from n to m units.

    Args:
        S, C: the numbers of tokens and of channels.
        D_S, D_C: the hidden units of token mixing and of channel mixing.

    Returns:
        A dictionary of three whole numbers: "token mixing", "channel mixing", "norms".
    """
    return {
        "token mixing": dense(S, D_S) + dense(D_S, S),
        "channel mixing": dense(C, D_C) + dense(D_C, C),
        "norms": 2 * 2 * C,
    }


def mixer_parameters(
    patch,
    embed_dim,
    token_mlp_dim,
    channel_mlp_dim,
    num_layers,
    image=224,
    channels=3,
    classes=1000,
    block=mixer_block_parameters,
):
    """Count a Mixer's parameters, part by part; block counts those of one block.

    Returns a dictionary: "patches", the projection to C channels; the parts of all blocks, with
    the last LayerNorm among the "norms"; "logits", the classifier.
    """
    counted = block((image // patch) ** 2, embed_dim, token_mlp_dim, channel_mlp_dim)
    parts = {"patches": dense(patch * patch * channels, embed_dim)}
    parts |= {name: num_layers * count for name, count in counted.items()}
    parts["norms"] += 2 * embed_dim
    return parts | {"logits": dense(embed_dim, classes)}


def gmlp_block_parameters(
    S, embed_dim, mlp_dim, gate="split", toeplitz=False, tiny_attention=0
):
    """Count the parameters of one gMLP block of S tokens, C = embed_dim and D = mlp_dim.

    With the split gate: 2C + CD + D + D + S² + S + CD/2 + C, for the norm, U and its bias, the
    gate's norm on D/2 channels, W and b, V, which reads D/2, and its bias. A Toeplitz W has
    2S − 1 weights; tiny_attention is the width of its head.
    """
    gated = mlp_dim // 2 if gate == "split" else mlp_dim
    W = 2 * S - 1 if toeplitz else S * S
    attention = dense(embed_dim, 3 * tiny_attention) + dense(tiny_attention, gated)
    count = dense(embed_dim, mlp_dim) + W + S + dense(gated, embed_dim)
    return count + 2 * embed_dim + 2 * gated + (attention if tiny_attention else 0)


def digit_mixer(block=layers.MixerBlock):
    """A Mixer for digits of 8×8 pixels, made of such blocks: 54,810 parameters."""
    return mixer_model(**MIXER, block=block)


def digit_gmlp(block=layers.GMLPBlock):
    """A gMLP for digits of 8×8 pixels, made of such blocks: 59,322 parameters."""
    return gmlp_model(**GMLP, block=block)


def train_gmlp(block, digits):
    """Assemble a gMLP for digits, train it, and return it.

    The model: images (batch, 8, 8, 1) → logits (batch, 10), at most 60,000 parameters. Like the
    Mixer above: patches of 2×2, blocks, `LayerNormalization(epsilon=1e-6)`, mean, Dense. C = 48
    channels and four blocks of mlp_dim 192 fit.

    Train it by `train_on_images(model, digits, learning_rate)`: 500 batches of 64, AdamW.

    Args:
        block: the class of the blocks, `GMLPBlock`.
        digits: the `Dataset` to train on.
    """
    model = digit_gmlp(block)
    train_on_images(model, digits, 4e-3)
    return model


def hold(model, learn_W, learn_b):
    """Keep W, b or both of a gMLP's gates as they start, before training: W at 0, b at 1.

    Args:
        model: a new gMLP of `GMLPBlock`s, each with its `gate`, which has the weights `W` and
            `b`.
        learn_W, learn_b: whether W learns, and b. All other weights of the model learn.

    Returns:
        The same model.
    """
    for block in model.layers:
        if hasattr(block, "gate"):
            block.gate.W.trainable, block.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                block.gate.W.assign(ops.zeros(block.gate.W.shape))
    return model


def mirrored(digits):
    """Make a task of pairs: does the right half of an image mirror its left half?

    Every left half is that of a real digit. Half of the right halves are its mirror image, the
    others that of another digit of the same part: each half alone tells nothing.

    digits: a `Dataset` of images (images, 8, 8, 1). Returns one of as many images, whose
    targets are 1 for mirrored images and 0 for the others.
    """

    def part(split, number):
        draw = np.random.default_rng([0, number])
        left = split.inputs[:, :, :4]
        same = draw.permutation(len(left)) % 2
        others = left[np.roll(np.arange(len(left)), 1 + draw.integers(len(left) - 1))]
        right = np.where(same[:, None, None, None], left, others)[:, :, ::-1]
        images = np.concatenate([left, right], axis=2)
        return dataclasses.replace(split, inputs=images, targets=same)

    parts = {name: getattr(digits, name) for name in ("train", "val", "test")}
    made = {name: part(split, number) for number, (name, split) in enumerate(parts.items())}
    return dataclasses.replace(digits, **made)


def finds_mirror(W, side):
    """The share of W's rows whose largest entry, by amount, is at the mirror position."""
    mirror = np.arange(side * side).reshape(side, side)[:, ::-1].ravel()
    return float(np.mean(np.abs(W).argmax(axis=1) == mirror))


GATES_HELD = {  # what W and b of the gates do in the four rows of the ablation
    "gmlp_neither": (False, False),
    "gmlp_b": (False, True),
    "gmlp_W": (True, False),
    "gmlp": (True, True),
}


def wrong_in_one(runs, others):
    """Compare two networks digit by digit, seed by seed.

    runs, others: recorded runs of five seeds each, with the rows of the test digits that they
    name wrongly. Returns how many digits the first alone got wrong, and the second alone,
    summed over the seeds.
    """
    pairs = [
        [set(run["metrics"]["wrong"]) for run in pair]
        for pair in zip(runs, others, strict=True)
    ]
    return sum(len(a - b) for a, b in pairs), sum(len(b - a) for a, b in pairs)
