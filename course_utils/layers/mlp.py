"""MLP-Mixer's and gMLP's blocks, whose weights belong to positions."""

import keras
import numpy as np
from keras import ops

from course_utils.data.base import not_negative, one_of
from course_utils.layers.attention import ScaledDotProductAttention, all_of, causal_mask
from course_utils.layers.transformer import new_norm

REASON = (
    "the weights that mix tokens belong to positions, one row for each: there are none for "
    "further positions, and leaving some out is not what was trained. Cut, pad or resize the "
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
    """Raise ValueError unless x has the number of tokens that the layer was built for.

    TensorFlow leaves a size open where a graph has met two: one of them was not that number.
    """
    if x.shape[1] != built:
        given = x.shape[1] or "another number"
        raise ValueError(
            f"this layer was built for {built} tokens and cannot take {given}: {REASON}"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class FixedSize(keras.layers.Layer):
    """Hands its input on, if it has the one size that the model after it can take.

    Call: x (batch, *size) → the same. size: (tokens,) for ids, (height, width, channels) for
    images. Raises ValueError for another size, and says why it cannot be taken.
    """

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = tuple(size)
        self.supports_masking = True

    def check(self, shape):
        """Raise ValueError unless shape, (batch, …), has the size.

        TensorFlow leaves a side open where a graph has met two: one of them does not fit.
        """
        got = tuple(shape)[1:]
        if got == self.size:
            return
        reason = REASON
        if len(got) == 3 and got[:2] == self.size[:2]:
            reason = "the patches' matrix has one row for each number of a patch"
        built = times(self.size)
        given = "another size" if None in got else times(got)
        raise ValueError(f"this model was built for {built} and cannot take {given}: {reason}")

    def call(self, x):
        self.check(x.shape)
        return x

    def compute_output_shape(self, shape):
        """The size, where the input leaves its sides open until there are values."""
        sides = zip(shape[1:], self.size, strict=False)
        known = [want if have is None else have for have, want in sides]
        self.check((shape[0], *known, *shape[1 + len(self.size) :]))
        return (shape[0], *self.size)


def times(size):
    """A size in words: 64 tokens, or 32 × 32 × 3."""
    sides = " × ".join(str(side) for side in size)
    return f"{sides} tokens" if len(size) == 1 else f"images of {sides}"


class MixerParts(keras.layers.Layer):
    """The widths and the two norms of a Mixer block; `MixerBlock` adds what mixes."""

    def __init__(self, token_mlp_dim, channel_mlp_dim, **kwargs):
        super().__init__(**kwargs)
        self.token_mlp_dim, self.channel_mlp_dim = token_mlp_dim, channel_mlp_dim
        self.token_norm = new_norm("token_norm")
        self.channel_norm = new_norm("channel_norm")


@keras.saving.register_keras_serializable(package="course_utils")
class MixerBlock(MixerParts):
    """Mix the tokens, then the channels, each after a LayerNorm and added to what it read.

        U = X + W_2 σ(W_1 LayerNorm(X))        Y = U + σ(LayerNorm(U) W_3) W_4

    Call: x (batch, S, C) → (batch, S, C), for the number of tokens S that it was built with.

    token_mlp_dim: D_S, the hidden units of token mixing, chosen apart from S. channel_mlp_dim:
    D_C, those of channel mixing. σ is the exact GELU. The norms are `self.token_norm` and
    `self.channel_norm`, over the channels of a token.
    Raises ValueError for another number of tokens than it was built for.

    Source: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021),
    equation 1 and figure 1.
    """

    def build(self, x_shape):
        """Make the two networks for x_shape = (batch, S, C).

        `self.token_mixing` and `self.channel_mixing` are made by `two_layers(name, hidden,
        width)`: Dense(hidden), GELU, Dense(width), which work on the last axis.
        """
        self.tokens, channels = tokens_of(x_shape), x_shape[-1]
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, self.tokens)
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, channels)
        self.token_mixing.build((None, channels, self.tokens))
        for part in (self.token_norm, self.channel_norm, self.channel_mixing):
            part.build(x_shape)

    def call(self, x):
        """Return Y; `ops.swapaxes(x, 1, 2)` exchanges the axes of tokens and channels."""
        check_tokens(self.tokens, x)
        columns = ops.swapaxes(self.token_norm(x), 1, 2)
        u = x + ops.swapaxes(self.token_mixing(columns), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


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


class GateParts(keras.layers.Layer):
    """The weights of a gate: `self.W` (S, S), `self.b` (S,) and `self.norm`."""

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

    def compute_output_shape(self, z_shape):
        if self.gate == "split":
            check_halves("width", z_shape[-1])
            return (*z_shape[:-1], z_shape[-1] // 2)
        return tuple(z_shape)


@keras.saving.register_keras_serializable(package="course_utils")
class SpatialGatingUnit(GateParts):
    """gMLP's gate: Z_1 ⊙ (W norm(Z_2) + b), with Z_1 and Z_2 the halves of Z's channels.

    Call: z (batch, S, D) → (batch, S, D/2). `self.W` (S, S) works along the tokens: row i is
    about output token i. `self.b` (S,) has one number per token; `self.norm` works on channels.
    W starts uniform within ±spread, by default 0.0001 / S, and b at one: Z_1 passes unchanged.

    Lab 8b has the rest. gate: with f(Z) = W norm(Z) + b, "linear" returns f(Z), "additive"
    Z + f(Z), "multiplicative" Z ⊙ f(Z), each (batch, S, D); b then starts at one where it
    multiplies, else at zero, and a linear gate's spread is √(3 / S). causal: nothing above W's
    diagonal counts. toeplitz: W[i, j] = t[i − j + S − 1]. attended, shaped like f, is added to
    it; mask (batch, S), True = a real token: W reads zeros at pads.
    Raises ValueError for an unknown gate, a spread under 0, an odd D to split, another S.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 2.1, equations 2 to 4; the
    gates: section 4.1, table 3; Toeplitz W: what section 4.1 sees the learned W resemble.
    """

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
        """Return W as it multiplies the tokens: a tensor (S, S), row i about output token i.

        S is `self.tokens`. `self.W` is (S, S) and free, unless self.toeplitz: then it is t, one
        weight a distance, with W[i, j] = t[i − j + S − 1], so that t is (2S − 1,). With
        self.causal nothing above the diagonal counts, and a Toeplitz t is (S,), with
        W[i, j] = t[i − j]. The result has to stay differentiable.
        """
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.where(distance >= 0, W, 0.0) if self.causal else W


@keras.saving.register_keras_serializable(package="course_utils")
class TinyAttention(keras.layers.Layer):
    """One small head of attention, whose output is added inside a gate: aMLP.

    Call: x (batch, S, C), the block's input after its norm; mask (batch, S), True = a real
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
        """Return (batch, S, output_dim), a vector for each token of x (batch, S, C).

        `self.query_key_value(x)` holds query, key and value side by side, (batch, S, 3 · d_k).
        `self.attention(query, value, key, attention_mask)` is lecture 6's scaled dot product;
        `self.output_projection` follows it. `all_of(masks)` joins a list of boolean masks that
        fit (batch, queries, keys), and is None for an empty list. mask (batch, S) is True at
        real tokens: no token attends to a pad. With `self.causal`, none attends to a
        later one: `causal_mask(S, S)` is (S, S), True on and below the diagonal.
        """
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))

    def compute_output_shape(self, x_shape):
        return (*x_shape[:-1], self.output_dim)


class GMLPParts(keras.layers.Layer):
    """The parts of a gMLP block: `norm`, `U`, `gate`, `V`, and `attention`, None by default."""

    # Lab texts put a student's own layer in its place: GMLPBlock.attention_layer = …
    attention_layer = TinyAttention

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
        self.gate = self.gate_layer(gate, causal, toeplitz, spread, name="gate")
        if gate == "split":
            check_halves("mlp_dim", mlp_dim)
        self.norm = new_norm("norm")
        self.U = keras.layers.Dense(mlp_dim, activation="gelu", name="U")
        self.attention = None
        if tiny_attention:
            width = mlp_dim // 2 if gate == "split" else mlp_dim
            self.attention = self.attention_layer(
                width, tiny_attention, causal, name="attention"
            )
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

    def compute_output_shape(self, x_shape):
        return x_shape


@keras.saving.register_keras_serializable(package="course_utils")
class GMLPBlock(GMLPParts):
    """Z = σ(norm(X) U), Z̃ = gate(Z), Y = X + Z̃ V.

    Call: x (batch, S, C) → (batch, S, C), for the S that it was built with. Parts: `norm`; `U`,
    a Dense layer to mlp_dim = D channels with its GELU; `gate`; `V`, a Dense layer back to C.

    Lab 8b has the rest. mask (batch, S), True = a real token: pads change no real token.
    tiny_attention: the width of the one head of aMLP, whose output the gate adds; 0: none.
    gate, causal, toeplitz, spread: as in `SpatialGatingUnit`. dropout: the share of the block's
    output that training sets to 0, before X is added.
    Raises ValueError for an unknown gate, an odd D to split, another S than it was built for.

    Source: Liu et al., "Pay attention to MLPs" (2021), equation 1 and figure 1.
    """

    # Looked up where the class is defined: in a notebook that is the student's own layer.
    gate_layer = SpatialGatingUnit

    def call(self, x, mask=None):
        y = self.norm(x)
        attended = None if self.attention is None else self.attention(y, mask=mask)
        z = self.gate(self.U(y), attended, mask=mask)
        return x + self.dropout(self.V(z))
