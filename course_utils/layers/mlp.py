"""MLP-Mixer's and gMLP's blocks, whose weights belong to positions."""

import keras
import numpy as np
from keras import ops

from course_utils.data.base import not_negative, one_of
from course_utils.layers.attention import ScaledDotProductAttention, all_of, causal_mask
from course_utils.layers.transformer import new_norm

REASON = (
    "the weights that mix tokens belong to places, one row for each: there are none for "
    "further ones, and to leave some out is not what was trained. Cut, pad or resize the "
    "input, or build a model of the new size"
)


def tokens_of(shape):
    if len(shape) != 3 or shape[1] is None:
        raise ValueError(
            "mixing over tokens needs a shape (batch, tokens, channels) with a fixed number of "
            f"tokens, got {tuple(shape)}"
        )
    return shape[1]


def check_tokens(built, x):
    if isinstance(x.shape[1], int) and x.shape[1] != built:
        raise ValueError(
            f"this layer was built for {built} tokens and cannot take {x.shape[1]}: {REASON}"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class FixedSize(keras.layers.Layer):
    """Hands its input on, if it has the one size that the model behind it can take.

    Call: x (batch, *size) → the same. size: (tokens,) for ids, (height, width, channels) for
    images. Raises ValueError for another size, and says why it cannot be taken.
    """

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = tuple(size)
        self.supports_masking = True

    def check(self, shape):
        """Raise ValueError unless shape, (batch, …), fits; unknown sides are let through."""
        got = tuple(shape)[1:]
        pairs = zip(got, self.size, strict=False)
        if len(got) == len(self.size) and all(have in (None, want) for have, want in pairs):
            return
        reason = REASON
        if len(got) == 3 and got[:2] == self.size[:2]:
            reason = "the patches' matrix has one row for each number of a patch"
        built, given = times(self.size), times(got)
        raise ValueError(f"this model was built for {built} and cannot take {given}: {reason}")

    def call(self, x):
        self.check(x.shape)
        return ops.reshape(x, (ops.shape(x)[0], *self.size))

    def compute_output_shape(self, shape):
        self.check(shape)
        return (shape[0], *self.size)


def times(size):
    """A size in words: 64 tokens, or 32 × 32 × 3."""
    sides = " × ".join(str(side) for side in size)
    return f"{sides} tokens" if len(size) == 1 else f"images of {sides}"


@keras.saving.register_keras_serializable(package="course_utils")
class MixerBlock(keras.layers.Layer):
    """U = X + W_2 σ(W_1 LayerNorm(X)), along the tokens; Y = U + W_4 σ(W_3 LayerNorm(U)).

    Call: x (batch, S, C) → (batch, S, C), for the number of tokens S that it was built with.

    token_mlp_dim: D_S, the units between W_1 and W_2, chosen apart from S. channel_mlp_dim:
    D_C, between W_3 and W_4; σ is the exact GELU. dropout: the share of each network's output
    that training sets to 0.
    Raises ValueError for another number of tokens than it was built for, since W_1 and W_2 have
    one row, or column, for each place; and for settings that do not fit.

    Source: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021),
    equation 1 and figure 1.
    """

    def __init__(self, token_mlp_dim, channel_mlp_dim, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.token_mlp_dim, self.channel_mlp_dim = token_mlp_dim, channel_mlp_dim
        self.token_norm = new_norm("token_norm")
        self.channel_norm = new_norm("channel_norm")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")

    def build(self, x_shape):
        self.tokens, channels = tokens_of(x_shape), x_shape[-1]
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, self.tokens)
        self.token_mixing.build((None, channels, self.tokens))
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, channels)
        self.channel_mixing.build(x_shape)
        self.token_norm.build(x_shape)
        self.channel_norm.build(x_shape)

    def call(self, x):
        check_tokens(self.tokens, x)
        x = x + self.dropout(self.mix_tokens(self.token_norm(x)))
        return x + self.dropout(self.channel_mixing(self.channel_norm(x)))

    def mix_tokens(self, x):
        """Dense works on the last axis, so the tokens are laid there, and back again."""
        return ops.swapaxes(self.token_mixing(ops.swapaxes(x, 1, 2)), 1, 2)

    def compute_output_shape(self, x_shape):
        return x_shape


def two_layers(name, mlp_dim, width):
    """Dense, σ, Dense on the last axis, of `width`."""
    hidden = keras.layers.Dense(mlp_dim, activation="gelu", name="hidden")
    output = keras.layers.Dense(width, name="output")
    return keras.Sequential([hidden, output], name=name)


GATES = ("linear", "additive", "multiplicative", "split")


def check_halves(name, width):
    """Raise ValueError for a width that cannot be split."""
    if width % 2:
        raise ValueError(
            f"the split gate needs an even {name}, got {width}: one half gates the other"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class SpatialGatingUnit(keras.layers.Layer):
    """The gate s(Z) with f(Z) = W · norm(Z) + b along the tokens; row i of W: output token i.

        linear: f(Z)    additive: Z + f(Z)    multiplicative: Z ⊙ f(Z)    split: Z_1 ⊙ f(Z_2)

    Call: z (batch, S, D); attended, shaped like f, is added to it (tiny attention); mask
    (batch, S), True = a real token: W reads zeros at pads. Returns (batch, S, D), for the split
    gate (batch, S, D/2), with Z_1 and Z_2 the halves of every token's channels.

    gate: as above. causal: no token reads a later one: what is above W's diagonal does not
    count. toeplitz: W[i, j] = t[i − j + S − 1], one weight a distance: 2S − 1 of them, or S if
    causal. spread: W is drawn evenly from −spread to spread; by default 0.0001 / S, so that
    with b = 1 a fresh gate lets Z, or Z_1, pass; √(3 / S) for the linear gate, which near zero
    would let nothing pass. b starts at one where it multiplies, else at zero.
    Raises ValueError for an unknown gate, a spread under 0, an odd D to split, another S than
    it was built for.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 2.1, equations 2 to 4; the
    gates: section 4.1, table 3; Toeplitz W: what section 4.1 sees the learned W resemble.
    """

    def __init__(self, gate="split", causal=False, toeplitz=False, spread=None, **kwargs):
        super().__init__(**kwargs)
        one_of("gate", gate, GATES)
        if spread is not None:
            not_negative("spread", spread)
        self.gate, self.causal, self.toeplitz, self.spread = gate, causal, toeplitz, spread
        self.norm = new_norm("norm")
        self.supports_masking = True

    def build(self, z_shape):
        S = self.tokens = tokens_of(z_shape)
        spread = (3 / S) ** 0.5 if self.gate == "linear" else 1e-4 / S
        spread = spread if self.spread is None else self.spread
        distances = S if self.causal else 2 * S - 1
        self.W = self.add_weight(
            shape=(distances,) if self.toeplitz else (S, S),
            initializer=keras.initializers.RandomUniform(-spread, spread),
            name="t" if self.toeplitz else "W",
        )
        start = "ones" if self.gate in ("multiplicative", "split") else "zeros"
        self.b = self.add_weight(shape=(S,), initializer=start, name="b")
        self.norm.build(self.compute_output_shape(z_shape))

    def call(self, z, attended=None, mask=None):
        check_tokens(self.tokens, z)
        passed, read = ops.split(z, 2, axis=-1) if self.gate == "split" else (z, z)
        read = self.norm(read)
        if mask is not None:
            # Not a product: 0 · NaN, or 0 · infinity, in a pad would reach the real tokens.
            read = ops.where(ops.cast(mask, "bool")[..., None], read, 0.0)
        f = ops.matmul(self.matrix(), read) + ops.expand_dims(self.b, -1)
        if attended is not None:
            f = f + attended
        if self.gate == "linear":
            return f
        return passed + f if self.gate == "additive" else passed * f

    def matrix(self):
        """W as it multiplies the tokens: (S, S)."""
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.where(distance >= 0, W, 0.0) if self.causal else W

    def compute_output_shape(self, z_shape, attended_shape=None):
        if self.gate == "split":
            check_halves("width", z_shape[-1])
            return (*z_shape[:-1], z_shape[-1] // 2)
        return tuple(z_shape)


@keras.saving.register_keras_serializable(package="course_utils")
class TinyAttention(keras.layers.Layer):
    """One small head of attention, whose output is added inside a gate: aMLP.

    Call: x (batch, S, C), the block's input behind its norm; mask (batch, S), True = a real
    token, taken from x where it has one. Returns (batch, S, output_dim).

    output_dim: the gate's width: D, or D/2 for the split gate. key_dim: d_k, of query, key,
    value, which stand side by side in `query_key_value`. causal: no token looks at a later one.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 4.3, aMLP.
    """

    def __init__(self, output_dim, key_dim=64, causal=False, **kwargs):
        super().__init__(**kwargs)
        self.output_dim, self.key_dim, self.causal = output_dim, key_dim, causal
        self.query_key_value = keras.layers.Dense(3 * key_dim, name="query_key_value")
        self.attention = ScaledDotProductAttention(name="attention")
        self.output_projection = keras.layers.Dense(output_dim, name="output")
        self.supports_masking = True

    def build(self, x_shape):
        self.query_key_value.build(x_shape)
        self.output_projection.build((*x_shape[:-1], self.key_dim))

    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))

    def compute_output_shape(self, x_shape):
        return (*x_shape[:-1], self.output_dim)


@keras.saving.register_keras_serializable(package="course_utils")
class GMLPBlock(keras.layers.Layer):
    """Z = σ(norm(X) U), Z̃ = s(Z), Y = X + Z̃ V: what is added is X as it came, not its norm.

    Call: x (batch, S, C); mask (batch, S), True = a real token, taken from x where it has one:
    pads then change no real token. Returns (batch, S, C), for the S that it was built with.

    mlp_dim: D, the width of Z; the split gate hands D/2 on to V, the others D. gate, causal,
    toeplitz, spread: as in `SpatialGatingUnit`. tiny_attention: the width of the one head of
    aMLP (64 in the paper); 0: none. dropout: the share of the block's output, before X is
    added, that training sets to 0. σ is the exact GELU.
    Raises ValueError for an unknown gate, an odd D to split, another S than it was built for.

    Source: Liu et al., "Pay attention to MLPs" (2021), equation 1 and figure 1.
    """

    def __init__(
        self,
        mlp_dim,
        gate="split",
        causal=False,
        toeplitz=False,
        tiny_attention=0,
        dropout=0.0,
        spread=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.gate = SpatialGatingUnit(gate, causal, toeplitz, spread, name="gate")
        if gate == "split":
            check_halves("mlp_dim", mlp_dim)
        self.norm = new_norm("norm")
        self.U = keras.layers.Dense(mlp_dim, activation="gelu", name="U")
        self.attention = None
        if tiny_attention:
            width = mlp_dim // 2 if gate == "split" else mlp_dim
            self.attention = TinyAttention(width, tiny_attention, causal, name="attention")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")
        self.supports_masking = True

    def build(self, x_shape):
        tokens_of(x_shape)
        z_shape = (*x_shape[:-1], self.U.units)
        self.norm.build(x_shape)
        self.U.build(x_shape)
        self.gate.build(z_shape)
        if self.attention is not None:
            self.attention.build(x_shape)
        self.V = keras.layers.Dense(x_shape[-1], name="V")
        self.V.build(self.gate.compute_output_shape(z_shape))

    def call(self, x, mask=None):
        y = self.norm(x)
        attended = None if self.attention is None else self.attention(y, mask=mask)
        z = self.gate(self.U(y), attended, mask=mask)
        return x + self.dropout(self.V(z))

    def compute_output_shape(self, x_shape):
        return x_shape
