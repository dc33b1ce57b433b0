"""Exercises of lecture 08: Mixer and gMLP in Keras, who reaches whom, a bug, a training."""

import keras
import numpy as np
from keras import ops

from course_utils import layers
from course_utils.data.images import load_digits
from course_utils.exercises import exercise, require
from course_utils.layers.mlp import two_layers
from course_utils.lectures import lecture_08
from course_utils.lectures.lecture_06 import layer_norm
from course_utils.lectures.lecture_07 import gelu
from course_utils.lectures.lecture_08 import mixer_block_parameters, norm

PARTS = ("token_norm", "token_mixing", "channel_norm", "channel_mixing")


def mixer(
    sums=lambda b, x: _second(b, _first(b, x)),
    widths=lambda S, C, D_S, D_C: (D_S, S, D_C, C),
):
    """A class like MixerBlock with another call(block, x), or other widths of the networks."""

    class Block(layers.MixerBlock):
        def build(self, x_shape):
            _, S, C = x_shape
            sizes = widths(S, C, self.token_mlp_dim, self.channel_mlp_dim)
            self.token_mixing = two_layers("token_mixing", *sizes[:2])
            self.channel_mixing = two_layers("channel_mixing", *sizes[2:])

        def call(self, x):
            return sums(self, x)

    return Block


def turned(x):
    return ops.swapaxes(x, 1, 2)


def unchanged(x):
    return x


def refilled(x):
    return ops.reshape(x, (-1, x.shape[2], x.shape[1]))


def _first(
    b, x, there=turned, back=turned, kept=lambda b, x: x, read=lambda b, x: b.token_norm(x)
):
    return kept(b, x) + back(b.token_mixing(there(read(b, x))))


def _second(b, u, kept=lambda b, u: u, read=lambda b, u: b.channel_norm(u)):
    return kept(b, u) + b.channel_mixing(read(b, u))


def plain(b, x):
    return x


def exact_gelu(x):
    return ops.gelu(x, approximate=False)


def columns_mixed(b, u):
    return u + turned(b.channel_mixing(turned(b.channel_norm(u))))


def first(**changes):
    return lambda b, x: _second(b, _first(b, x, **changes))


def second(**changes):
    return lambda b, x: _second(b, _first(b, x), **changes)


TOKENS = "token mixing goes from S numbers to D_S and back to S"
CHANNELS = "channel mixing goes from C numbers to D_C and back to C"
NORM_FIRST = "the norm comes before each network, not behind it"
NO_GELU = "no GELU behind a network: its own stands between the two Dense layers"
NO_RETURN = "`call` returned None: is a `return` missing?"


def run_mixer(Block, D_S, D_C, x):
    block = Block(D_S, D_C)
    block.build(x.shape)
    _, S, C = x.shape
    for name, path, asked in (
        ("token_mixing", TOKENS, [D_S, S]),
        ("channel_mixing", CHANNELS, [D_C, C]),
    ):
        network = getattr(block, name, None)
        require(network is not None, f"self.{name} is missing: make it in `build`")
        inside = getattr(network, "layers", [])
        units = [layer.units for layer in inside if hasattr(layer, "units")]
        said = f"{path}: here two_layers({name!r}, {asked[0]}, {asked[1]}), and not {units}"
        require(units in ([], asked), said)
    require(block(x) is not None, NO_RETURN)  # it makes weights that `build` has left out
    for number, name in enumerate(PARTS):
        part, draw = getattr(block, name), np.random.default_rng(number)
        part.set_weights([draw.normal(0.2, 0.5, w.shape) for w in part.weights])
    return ops.convert_to_numpy(block(x))


@exercise(
    "08.1",
    layers.MixerBlock,
    mistakes=[
        (mixer(first(there=unchanged, back=unchanged)),
         "token mixing has to work along the tokens: Dense works on the last axis, so swap "
         "the axes before it, and back behind it"),
        (mixer(first(back=unchanged)), "swap the axes back before you add x"),
        (mixer(first(there=ops.transpose, back=ops.transpose)),
         "the batch stays first: exchange axes 1 and 2 alone, ops.swapaxes(x, 1, 2)"),
        (mixer(lambda b, x: columns_mixed(b, _first(b, x))),
         "channel mixing works on the last axis, the channels: swap nothing there"),
        (mixer(first(there=refilled, back=refilled)),
         "reshape does not transpose, it refills the rows: ops.swapaxes(x, 1, 2)"),
        (mixer(widths=lambda S, C, D, E: (D, C, E, C)), TOKENS),
        (mixer(widths=lambda S, C, D, E: (E, S, E, C)), TOKENS),
        (mixer(widths=lambda S, C, D, E: (S, D, E, C)), TOKENS),
        (mixer(widths=lambda S, C, D, E: (D, S, E, S)), CHANNELS),
        (mixer(widths=lambda S, C, D, E: (D, S, D, C)), CHANNELS),
        (mixer(first(kept=lambda b, x: 0)), "the first residual is missing: x + …"),
        (mixer(second(kept=lambda b, u: 0)), "the second residual is missing: u + …"),
        (mixer(lambda b, x: _second(b, _first(b, x, kept=lambda b, x: 0),
                                    kept=lambda b, u: 0)), "both residuals are missing"),
        (mixer(first(kept=lambda b, x: b.token_norm(x))), "add x itself, not its norm"),
        (mixer(second(kept=lambda b, u: b.channel_norm(u))), "add u itself, not its norm"),
        (mixer(first(back=lambda y: turned(exact_gelu(y)))), NO_GELU),
        (mixer(lambda b, x: (lambda u: u + exact_gelu(b.channel_mixing(b.channel_norm(u))))(
            _first(b, x, back=lambda y: turned(exact_gelu(y))))), NO_GELU),
        (mixer(lambda b, x: x + _second(b, _first(b, x))),
         "u holds x already: x is added once too often"),
        (mixer(lambda b, x: x + _second(b, _first(b, x)) - _first(b, x)),
         "the second residual adds u, not x"),
        (mixer(lambda b, x: _first(b, x) + _second(b, x) - x),
         "channel mixing reads u, the result of token mixing"),
        (mixer(lambda b, x: _first(b, x) + _second(b, x)),
         "channel mixing reads u, and x is added once too often"),
        (mixer(lambda b, x: _first(b, _second(b, x))), "token mixing comes first"),
        (mixer(lambda b, x: _first(b, x)), "channel mixing is missing"),
        (mixer(lambda b, x: _second(b, x)), "token mixing is missing"),
        (mixer(first(read=plain)), "token mixing reads LayerNorm(x): self.token_norm"),
        (mixer(second(read=plain)), "channel mixing reads LayerNorm(u): self.channel_norm"),
        (mixer(second(read=lambda b, u: b.token_norm(u))),
         "the second half has a norm of its own: self.channel_norm"),
        (mixer(lambda b, x: _second(b, _first(b, x, read=lambda b, x: b.channel_norm(x)),
                                    read=lambda b, u: b.token_norm(u))),
         "the two norms are exchanged"),
        (mixer(lambda b, x: _second(b, _first(b, x, read=plain), read=plain)),
         "both norms are missing: each network reads a LayerNorm"),
        (mixer(first(there=unchanged, read=lambda b, x: b.token_norm(turned(x)))),
         "norm the channels first, then swap the axes"),
        (mixer(lambda b, x: b.channel_norm(_second(b, _first(b, x), read=plain))), NORM_FIRST),
        (mixer(lambda b, x: b.channel_norm(
            _second(b, b.token_norm(_first(b, x, read=plain)), read=plain))), NORM_FIRST),
        (mixer(lambda b, x: (lambda u: u + b.channel_norm(b.channel_mixing(u)))(
            x + b.token_norm(turned(b.token_mixing(turned(x)))))), NORM_FIRST),
    ],
    takes=10,
    level=3,
    hints=[
        "S is x_shape[1]: two_layers('token_mixing', self.token_mlp_dim, S) returns S numbers.",
        "ops.swapaxes(self.token_norm(x), 1, 2) is (batch, C, S); swap back before you add x.",
    ],
    reasoning="Swapped, the last axis is the tokens, so a Dense layer mixes them; twice two "
    "Dense layers and two residual connections are the whole block.",
    solved="An MLP over channels becomes one over tokens by two swaps of the axes.",
    run=run_mixer,
)  # fmt: skip
def images_of_tokens(draw):
    for S, C, D_S, D_C in ((3, 5, 4, 7), (6, 4, 3, 8)):
        yield D_S, D_C, draw.normal(size=(2, S, C)).astype("float32")


def _cut(z):
    return z[:, : z.shape[1] // 2], z[:, z.shape[1] // 2 :]


def _gate(out=lambda a, c, f: a * f, read=norm, cut=_cut, f=lambda W, y, b: W @ y + b[:, None]):
    """A split gate; a, c: Z_1 and Z_2."""
    return lambda z, W, b: out(*cut(z), f(W, read(cut(z)[1]), b))


NO_ACTIVATION = "no activation: the gate is W norm(Z_2) + b itself"
SPLIT_GATE_MISTAKES = [
    (_gate(lambda a, c, f: c * f), "Z_2 gates itself: Z_1 has to pass"),
    (_gate(cut=lambda z: _cut(z)[:1] * 2), "Z_1 gates itself: mix Z_2"),
    (_gate(cut=lambda z: _cut(z)[::-1]), "the halves are exchanged: Z_1 passes"),
    (_gate(cut=lambda z: (z[:, ::2], z[:, 1::2])), "Z_1 is the first half, not every second"),
    (_gate(cut=lambda z: np.array_split(z, 2)), "split the channels, not the tokens"),
    (_gate(cut=lambda z: (z, z)), "split the channels: Z_1 and Z_2 are (S, D/2)"),
    (_gate(read=np.asarray), "norm(Z_2) is what W mixes: norm is missing"),
    (_gate(read=np.asarray, cut=lambda z: _cut(norm(z))), "split first, then norm Z_2 alone"),
    (_gate(cut=lambda z: _cut(norm(z))), "Z_1 passes as it is: split first, then norm Z_2"),
    (_gate(lambda a, c, f: norm(a) * f), "Z_1 passes as it is, without norm"),
    (_gate(lambda a, c, f: f), "nothing is gated: multiply by Z_1"),
    (_gate(lambda a, c, f: a + f), "that is a sum: a gate multiplies"),
    (_gate(lambda a, c, f: a + a * f), "Z_1 is added once more: b starts at 1 already"),
    (
        lambda z, W, b: W @ (_cut(z)[0] * norm(_cut(z)[1])) + b[:, None],
        "W mixes Z_2 alone: multiply by Z_1 behind it",
    ),
    (
        _gate(read=np.asarray, f=lambda W, y, b: norm(W @ y) + b[:, None]),
        "norm comes before W, not behind it",
    ),
    (
        _gate(read=np.asarray, f=lambda W, y, b: norm(W @ y + b[:, None])),
        "norm comes before W, not behind it",
    ),
    (
        _gate(f=lambda W, y, b: gelu(W @ y + b[:, None])),
        NO_ACTIVATION,
    ),
    (_gate(f=lambda W, y, b: W @ y), "b is missing"),
    (_gate(f=lambda W, y, b: W @ y + b), "b has one number a token: b[:, None]"),
    (_gate(f=lambda W, y, b: W @ (y + b[:, None])), "add b after the product with W"),
    (
        _gate(f=lambda W, y, b: 1 / (1 + np.exp(-W @ y - b[:, None]))),
        NO_ACTIVATION,
    ),
    (_gate(f=lambda W, y, b: np.tanh(W @ y + b[:, None])), NO_ACTIVATION),
    (
        lambda z, W, b: _cut(z)[0] * (W @ norm(_cut(z)[1])) + b[:, None],
        "b belongs inside the gate: Z_1 multiplies the whole sum W norm(Z_2) + b",
    ),
    (
        _gate(
            f=lambda W, y, b: np.exp(W) / np.exp(W).sum(axis=1, keepdims=True) @ y + b[:, None]
        ),
        "no softmax: W is used as it is",
    ),
    (_gate(f=lambda W, y, b: W.T @ y + b[:, None]), "W is transposed: its rows are outputs"),
]


def gates(draw):
    for S, D in [(3, 8), (4, 10)]:  # of two channels a norm leaves only 1 and -1
        yield draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


def in_keras(gate):
    """A class like SpatialGatingUnit that computes gate(z, W, b) of each example in NumPy."""

    class Unit(layers.SpatialGatingUnit):
        def call(self, z, attended=None, mask=None):
            weights = [ops.convert_to_numpy(weight) for weight in (self.W, self.b)]
            return np.stack([gate(one, *weights) for one in ops.convert_to_numpy(z)])

    return Unit


def in_ops(
    cut=-1, mixed=lambda W, y, b: ops.matmul(W, y) + b[:, None], out=lambda z_1, f: z_1 * f
):
    """The same with Keras' operations, for mistakes that raise an error."""

    class Unit(layers.SpatialGatingUnit):
        def call(self, z, attended=None, mask=None):
            z_1, z_2 = ops.split(z, 2, axis=cut)
            return out(z_1, mixed(self.W, self.norm(z_2), self.b))

    return Unit


def run_gate(Unit, z, W, b):
    unit = Unit()
    batch = np.stack([z, z[::-1]]).astype("float32")
    unit.build(batch.shape)
    unit.W.assign(W)
    unit.b.assign(b)
    gated = unit(ops.convert_to_tensor(batch))
    require(gated is not None, NO_RETURN)
    return ops.convert_to_numpy(gated)


@exercise(
    "08.2",
    layers.SpatialGatingUnit,
    mistakes=[
        (in_ops(mixed=lambda W, y, b: ops.matmul(W, y) + b),
         "b has one number a token: self.b[:, None]"),
        (in_ops(mixed=lambda W, y, b: ops.matmul(y, W) + b[:, None]),
         "W stands on the left: ops.matmul(self.W, …) mixes tokens"),
        (in_ops(cut=1), "split the channels, the last axis, not the tokens"),
        (in_ops(cut=0),
         "split the channels first, ops.split(z, 2, axis=-1): self.norm is made for D/2"),
        (in_ops(mixed=lambda W, y, b: W * y + b[:, None]),
         "W mixes the tokens by a matrix product: ops.matmul(self.W, …)"),
        (in_ops(out=lambda z_1, f: ops.concatenate([z_1, z_1 * f], axis=-1)),
         "return the gated half alone: (batch, S, D/2)"),
        (in_ops(out=ops.matmul), "Z_1 multiplies element by element: z_1 * …"),
        *((in_keras(wrong), said) for wrong, said in SPLIT_GATE_MISTAKES),
    ],
    takes=6,
    level=2,
    hints=[
        "z_1, z_2 = ops.split(z, 2, axis=-1); only z_2 is normalised and mixed.",
        "ops.matmul(self.W, self.norm(z_2)) is (batch, S, D/2); self.b[:, None] is (S, 1).",
    ],
    reasoning="W on the left mixes the tokens of the second half; the result, plus one number "
    "a token, scales the first half.",
    solved="One half carries the content; the other, mixed over the tokens, scales it.",
    run=run_gate,
)  # fmt: skip
def gate_inputs(draw):
    yield from gates(draw)


def block_like(call):
    """A class like GMLPBlock with another call(block, x, mask)."""
    return type("Block", (layers.GMLPBlock,), {"call": call})


def gmlp(kept=plain, read=lambda b, x: b.norm(x), gate=lambda b, z: b.gate(z), out=None):
    def call(self, x, mask=None):
        z = gate(self, self.U(read(self, x)))
        return kept(self, x) + (out(self, z, x) if out else self.V(z))

    return block_like(call)


@exercise(
    "08.3",
    layers.GMLPBlock,
    mistakes=[
        (gmlp(kept=lambda b, x: 0), "the residual is missing: x + …"),
        (gmlp(kept=lambda b, x: b.norm(x)), "the residual is x as it came, not its norm"),
        (gmlp(read=plain), "the norm is missing: U reads self.norm(x)"),
        (gmlp(gate=lambda b, z: z[..., : z.shape[-1] // 2]), "the gate is missing: self.gate"),
        (gmlp(gate=lambda b, z: z), "V reads what the gate returns: norm, U, gate, V"),
        (block_like(lambda self, x, mask=None: x + self.V(self.U(self.gate(self.norm(x))))),
         "U comes before the gate"),
        (gmlp(out=lambda b, z, x: z), "V is missing: it narrows to C channels again"),
        (gmlp(gate=lambda b, z: z * b.gate(z)), "self.gate has multiplied by Z_1 already"),
        (gmlp(gate=lambda b, z: z[..., : z.shape[-1] // 2] * b.gate(z)),
         "self.gate has multiplied by Z_1 already"),
        (gmlp(kept=lambda b, x: x + b.norm(x)), "only x is added, not its norm as well"),
        (gmlp(gate=lambda b, z: b.gate(exact_gelu(z))),
         "self.U has its GELU already"),
        (gmlp(gate=lambda b, z: b.gate(ops.gelu(z))), "self.U has its GELU already"),
        (gmlp(out=lambda b, z, x: exact_gelu(b.V(z))), "no GELU behind V"),
        (gmlp(gate=lambda b, z: exact_gelu(b.gate(z))), "no GELU behind the gate"),
        (gmlp(gate=lambda b, z: ops.gelu(b.gate(z))), "no GELU behind the gate"),
        (block_like(lambda self, x, mask=None: x + self.U(self.gate(self.V(self.norm(x))))),
         "the order is norm, U, gate, V"),
        (block_like(lambda self, x, mask=None: (lambda z: z + self.V(self.gate(z)))(
            self.U(self.norm(x)))), "add x, what the block reads, not z"),
        (gmlp(out=lambda b, z, x: b.norm(b.V(z))), "the norm stands before U, not behind V"),
        (block_like(lambda self, x, mask=None: self.norm(x + self.V(self.gate(self.U(x))))),
         "the norm stands before U, not behind the sum"),
        (gmlp(kept=lambda b, x: 2 * x), "x is added once too often"),
    ],
    takes=4,
    level=1,
    hints=["Four parts in a row: norm, U, gate, V.", "return x + self.V(self.gate(…))"],
    reasoning="U and V do the work of a feed-forward network; only the gate mixes tokens.",
    solved="One network, one residual: there is no second half for the channels.",
    run=lambda Block, D, x: _scrambled_output(Block(D), x),
)  # fmt: skip
def block_inputs(draw):
    for S, C, D in ((3, 5, 4), (6, 4, 10)):
        yield D, draw.normal(size=(2, S, C)).astype("float32")


def _scrambled_output(block, x):
    require(block(x) is not None, NO_RETURN)
    draw = np.random.default_rng(0)
    for part in (block.norm, block.U, block.gate, block.V):
        part.set_weights([draw.normal(0.2, 0.5, weight.shape) for weight in part.weights])
    return ops.convert_to_numpy(block(x))


def _random(x, token):
    return np.random.default_rng(token + 9).normal(size=x.shape[1])


def _changed(d):
    return (np.abs(d) > 1e-4).any(axis=1)


def _table(
    seen=_changed,
    new=_random,
    out=np.transpose,
    minus=lambda before, x, replaced: before,
    moved=np.subtract,
):
    """A table of influences; d: how much a replaced token changed, (S, C)."""

    def table(block, x):
        before, columns = block(x), []
        for token in range(len(x)):
            replaced = x.copy()
            replaced[token] = new(x, token)
            columns.append(seen(moved(block(replaced), minus(before, x, replaced))))
        return out(columns)

    return table


def _never_restored(block, x):
    before, replaced, columns = block(x), x.copy(), []
    for token in range(len(x)):
        replaced[token] = _random(x, token)
        columns.append(_changed(block(replaced) - before))
    return np.transpose(columns)


def _one_channel_replaced(x, token):
    return np.append(_random(x, token)[:1], x[token, 1:])


def _channel_replaced(block, x):
    before, columns = block(x), []
    for token in range(len(x)):
        replaced = x.copy()
        replaced[:, token] = np.random.default_rng(token).normal(size=len(x))
        columns.append(_changed(block(replaced) - before))
    return np.transpose(columns)


def run_influence(influence, block, x):
    table = np.asarray(influence(block, x))
    said = "say whether a token changes by more than 0.0001: True or False, not by how much"
    require(table.dtype == object or np.isin(table, (0, 1)).all(), said)
    return table


NUMBERS_EACH = (
    "random numbers, one for each channel: a token may be 0 already, and LayerNorm makes 0 of "
    "equal numbers"
)
UNDONE = "LayerNorm undoes a sum and a factor: replace the token by random numbers"
SIGN = "channels may rise or fall: take np.abs first"
EACH_CHANNEL = (
    "compare the largest change of a single channel: in a mean, a sum or a norm changes cancel "
    "or add up"
)
OTHER_OUTPUT = "compare with block(x), the output before the replacement"


@exercise(
    "08.4",
    lecture_08.influence,
    mistakes=[
        (_table(out=np.asarray), "transposed: row i is the output token"),
        (_table(lambda d: (np.abs(d) > 1e-4).all(axis=1)), "one channel is enough: not `all`"),
        (_table(lambda d: np.abs(d[:, 0]) > 1e-4), "look at all channels, not at one"),
        (_table(lambda d: (d > 1e-4).any(axis=1)), SIGN),
        (_table(lambda d: (-d > 1e-4).any(axis=1)), SIGN),
        (_table(lambda d: np.abs(d.mean(axis=1)) > 1e-4), EACH_CHANNEL),
        (_table(lambda d: d.mean(axis=1) > 1e-4), EACH_CHANNEL),
        (_table(lambda d: np.abs(d.sum(axis=1)) > 1e-4), EACH_CHANNEL),
        (_table(lambda d: np.abs(d).mean(axis=1) > 1e-4), EACH_CHANNEL),
        (_table(lambda d: np.abs(d).sum(axis=1) > 1e-4), EACH_CHANNEL),
        (_table(lambda d: np.linalg.norm(d, axis=1) > 1e-4), EACH_CHANNEL),
        (_table(lambda equal: ~equal.all(axis=1), moved=np.isclose),
         "np.isclose and np.allclose have limits of their own: np.abs(…) > 0.0001"),
        (_table(lambda d: np.abs(d).max(axis=1)), "True or False, not by how much"),
        (_table(lambda d: (d != 0).any(axis=1)), "only what exceeds 0.0001 counts"),
        (_table(lambda d: (np.abs(d) > 0.01).any(axis=1)), "0.0001 is the limit, not more"),
        (_table(lambda d: (np.abs(d) > 1e-3).any(axis=1)), "0.0001 is the limit, not more"),
        (_table(lambda d: (np.abs(d) > 1e-4).any(axis=0)),
         "axis=1 runs over the channels: one result for each output token"),
        (_table(lambda d: (np.abs(d) > 1e-4).any()), "one result a token: axis=1"),
        (_table(out=lambda t: np.transpose(t) & ~np.eye(4, dtype=bool)), "keep the diagonal"),
        (_table(new=lambda x, token: x[token] + 1), UNDONE),
        (_table(new=lambda x, token: 2 * x[token]), UNDONE),
        (_table(new=lambda x, token: 0), NUMBERS_EACH),
        (_table(new=lambda x, token: 0.5), NUMBERS_EACH),
        (_table(new=_one_channel_replaced), "replace all channels of the token"),
        (_table(minus=lambda before, x, replaced: x), OTHER_OUTPUT),
        (_table(minus=lambda before, x, replaced: replaced), OTHER_OUTPUT),
        (_never_restored, "one token at a time: copy x anew inside the loop"),
        (_channel_replaced, "x[j] is token j; x[:, j] is a channel"),
    ],
    takes=6,
    level=3,
    hints=["Replace one token of a copy at a time.", "np.abs(…).max(axis=1) is (S,)."],
    reasoning="Replacing input token j fills column j; random numbers survive a LayerNorm.",
    solved="One replacement at a time shows for any block which tokens reach which.",
    run=run_influence,
)  # fmt: skip
def _blocks(draw):
    x = draw.normal(size=(4, 3)) ** 3  # not the numbers of a generator with the same seed
    x[2] = 0
    at_3 = np.eye(4)[3][:, None]

    def read(y):
        return layer_norm(y, 1, 0)

    def differs(y, token):
        return np.abs(y[token] - x[token]) > 1e-6

    def one_channel(channel, by):
        """Token 3 reads token 1: whatever replaces it changes one channel, always alike."""
        at = by * at_3 * np.eye(3)[channel]
        return lambda y: read(y) + at * (np.abs(read(y)[1] - read(x)[1]) > 1e-6).any()

    def little(y):
        """Token 3 reads token 1 a little, and token 0 once all its channels change.

        What token 0 reads of token 2 is below the limit in each channel, and above it in their
        norm.
        """
        lower = 2e-4 * np.eye(3)[0] * differs(y, 1).any() + 0.05 * differs(y, 0).all()
        small = 7e-5 * np.eye(4)[0][:, None] * differs(y, 2).any()
        return read(y) + 1e-6 * np.tanh(y).sum() + small - at_3 * lower

    yield lambda y: read(y) + 0.5 * np.roll(read(y), 1, axis=0), x
    yield one_channel(0, -1), x
    yield one_channel(1, 1), x
    yield little, x


def tried(train):
    """Train a student's gMLP and say what is missing; True where it reaches the figure."""
    if train is lecture_08.train_gmlp:  # trained in the tests, not at every check
        return True
    keras.utils.set_random_seed(0)
    digits = load_digits()
    model = train(layers.GMLPBlock, digits)
    require(isinstance(model, keras.Model), "return the trained model")
    said = f"the model should give logits (batch, 10), not {model.output_shape}"
    require(model.output_shape == (None, 10), said)
    blocks = [layer for layer in model.layers if hasattr(layer, "gate")]
    require(blocks, "build it of GMLPBlock: no layer of the model has a gate")
    fine = all(block.gate.tokens == 16 for block in blocks)
    require(fine, "cut patches of 2×2 pixels: they make 16 tokens")
    once = all(len(block._inbound_nodes) == 1 for block in blocks)
    require(once, "one block is used several times: make a new one in each round of the loop")
    count = model.count_params()
    require(count <= 60_000, f"{count:,} parameters, and 60,000 are allowed")
    optimizer = getattr(model, "optimizer", None)
    steps = int(optimizer.iterations) if optimizer else 0
    require(steps > 0, "the model is not trained: call train_on_images")
    require(steps <= 500, f"{steps} batches, and 500 are allowed")
    logits = model.predict(digits.val.inputs, verbose=0)
    require(
        not np.allclose(logits.sum(axis=1), 1, atol=1e-3),
        "these are probabilities: return logits, no softmax, since the loss computes it",
    )
    reached = float((logits.argmax(axis=1) == digits.val.targets).mean())
    named = model.predict(digits.train.inputs, verbose=0).argmax(axis=1)
    seen = float((named == digits.train.targets).mean())
    require(
        seen > reached - 0.02,
        "the model knows the validation digits better than the training digits: train it on "
        "`digits` as they are",
    )
    require(
        reached >= 0.95,
        f"accuracy on the validation digits is {reached:.2f}, and 0.95 is asked: try another "
        "learning rate, larger or smaller by a factor of two to four",
    )
    return True


def untrained(classes=10, embed_dim=8, uses=1, patch=2):
    images = keras.Input((8, 8, 1))
    x = layers.PatchEmbedding(embed_dim, patch)(images)
    block = layers.GMLPBlock(4 * embed_dim)
    for _ in range(uses):
        x = block(x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(images, keras.layers.Dense(classes)(x))


@exercise(
    "08.5",
    lecture_08.train_gmlp,
    mistakes=[
        (lambda *given: {}, "return the trained model"),
        (lambda *given: untrained(classes=4), "should give logits (batch, 10)"),
        (lambda *given: untrained(uses=0), "no layer of the model has a gate"),
        (lambda *given: untrained(uses=2), "one block is used several times"),
        (lambda *given: untrained(patch=4), "cut patches of 2×2 pixels"),
        (lambda *given: untrained(embed_dim=200), "60,000 are allowed"),
        (lambda *given: untrained(), "the model is not trained"),
    ],
    takes=7,
    level=3,
    hints=[
        "PatchEmbedding(48, 2), GMLPBlock(192) four times, then as in the Mixer's cell.",
        "With warm-up AdamW bears more than 0.001: try 0.002, 0.004, 0.008.",
    ],
    reasoning="500 batches are few, so the learning rate has to be as large as training bears.",
    solved="Everything below that is trained is trained on your blocks.",
    run=tried,
    limit=300,
)
def no_arguments(draw):
    yield ()


def holding(
    blocks=lambda model: [layer for layer in model.layers if hasattr(layer, "gate")],
    W=lambda gate, learn: setattr(gate.W, "trainable", learn),
    b=lambda gate, learn: setattr(gate.b, "trainable", learn),
    zero=lambda W, learn_W: learn_W,
    also=lambda block: None,
    out=lambda model: model,
    ask=lambda learn_W, learn_b: (learn_W, learn_b),
):
    """A `hold` in which something differs."""

    def hold(model, learn_W, learn_b):
        learn_W, learn_b = ask(learn_W, learn_b)
        for block in blocks(model):
            W(block.gate, learn_W)
            b(block.gate, learn_b)
            also(block)
            if not zero(block.gate.W, learn_W):
                block.gate.W.assign(np.zeros(block.gate.W.shape))
        return out(model)

    return hold


def run_hold(hold, learn_W, learn_b):
    """What learns, and how W and b start, for each gate."""
    keras.utils.set_random_seed(1)
    shape = {"image": 4, "channels": 1, "patch": 2, "classes": 3, "num_layers": 2}
    model = lecture_08.gmlp_model(**shape, embed_dim=4, mlp_dim=6, spread=0.1)
    others = len(model.trainable_variables) - 2 * shape["num_layers"]  # all but W and b
    held = hold(model, learn_W, learn_b)
    require(isinstance(held, keras.Model), "return the model")
    require(held is model, "change the model that you are given, and return it")
    units = [block.gate for block in held.layers if hasattr(block, "gate")]
    weights = [weight for unit in units for weight in (unit.W, unit.b)]
    said = "W and b stay weights: change their numbers by gate.W.assign(…)"
    require(all(isinstance(weight, keras.Variable) for weight in weights), said)
    learning = [weight.path for weight in held.trainable_variables]
    gates = {weight.path for weight in weights}
    still = sum(path not in gates for path in learning)
    require(
        still == others,
        f"only W and b are held: {still} of the model's {others} other weights learn. Set "
        "gate.W.trainable and gate.b.trainable, not that of a layer",
    )
    return {
        "learning W": [unit.W.path in learning for unit in units],
        "learning b": [unit.b.path in learning for unit in units],
        "W at 0": [not np.ptp(ops.convert_to_numpy(unit.W)) for unit in units],
        "mean of b": [float(ops.mean(unit.b)) for unit in units],
    }


def _frozen(block):
    block.trainable = False


def _gate_frozen(block):
    block.gate.trainable = block.gate.W.trainable and block.gate.b.trainable


def _one_switch(block):
    block.gate.trainable = block.gate.W.trainable or block.gate.b.trainable


def _rebound(block):
    block.gate.W = np.zeros(block.gate.W.shape)


def _shut(block):
    if not block.gate.b.trainable:
        block.gate.b.assign(np.zeros(block.gate.b.shape))


ONLY_W_AND_B = "only W and b are held"
NOTHING = (
    "nothing is held: `model.layers` holds the blocks, and the gates are inside them, "
    "as block.gate"
)


@exercise(
    "08.6",
    lecture_08.hold,
    mistakes=[
        (holding(blocks=lambda model: []), NOTHING),
        (holding(zero=lambda W, learn: True), "a W that does not learn is set to 0"),
        (holding(zero=lambda W, learn: False), "a W that learns keeps its start near 0"),
        (holding(zero=lambda W, learn: not learn),
         "W is set to 0 where it does not learn, not where it does"),
        (holding(W=lambda gate, learn: None), "W learns where it should not: trainable"),
        (holding(b=lambda gate, learn: None), "b learns where it should not: trainable"),
        (holding(ask=lambda W, b: (b, W)), "W and b are exchanged"),
        (holding(ask=lambda W, b: (not W, not b)), "that is the wrong way round: True learns"),
        (holding(W=lambda gate, learn: setattr(gate.W, "trainable", not learn),
                 b=lambda gate, learn: setattr(gate.b, "trainable", not learn)),
         "that is the wrong way round: True learns"),
        (holding(blocks=lambda model: [layer for layer in model.layers
                                       if hasattr(layer, "gate")][:1]),
         "hold the gates of all blocks"),
        (holding(also=_frozen), ONLY_W_AND_B),
        (holding(also=_gate_frozen), ONLY_W_AND_B),
        (holding(also=_one_switch), ONLY_W_AND_B),
        (holding(also=_shut), "a b that does not learn stays at 1"),
        (holding(also=_rebound), "W and b stay weights"),
        (lambda model, *learned: model.get_layer("gate"), "the gates are inside the blocks"),
        (lambda model, *learned: [layer.W for layer in model.layers if hasattr(layer, "gate")],
         "W and b belong to layer.gate"),
        (holding(W=lambda gate, learn: setattr(gate, "trainable", learn)), ONLY_W_AND_B),
        (holding(out=lambda model: None), "return the model"),
    ],
    takes=5,
    level=3,
    hints=[
        "Print [layer.name for layer in model.layers]: is a gate among them?",
        "For each layer with a `gate`: layer.gate.W.trainable = learn_W, and so on.",
    ],
    reasoning="`model.layers` lists the outermost layers alone. The loop found no gate in it, "
    "and a loop over nothing raises no error.",
    solved="Check an ablation before you train it: count what is trainable in each row.",
    run=run_hold,
)  # fmt: skip
def rows(draw):
    learn_W = bool(draw.integers(2))  # one seed draws False, the other True
    yield learn_W, False
    yield learn_W, True


def _large(rows=lambda W, side: _as_grid(W, side), columns=None, divisor=4):
    """A W enlarged by one function along its rows, by another one along its columns."""
    columns = columns or rows
    return lambda W, side: columns(rows(W, side).T, side).T / divisor


def _as_grid(W, side):
    grid = W.reshape(side, side, -1).repeat(2, axis=0).repeat(2, axis=1)
    return grid.reshape(4 * side**2, -1)


def _repeated(W, side):
    return W.repeat(4, axis=0)


def _tiled(W, side):
    return np.tile(W, (4, 1))


def _grid_tiled(W, side):
    return np.tile(W.reshape(side, side, -1), (2, 2, 1)).reshape(4 * side**2, -1)


def _one_child(W, side):
    large = np.zeros((2 * side, 2 * side, W.shape[1]))
    large[::2, ::2] = W.reshape(side, side, -1)
    return large.reshape(4 * side**2, -1)


def _own_kind(W, side):
    parts = np.einsum("ijkl,ac,bd->iajbkcld", W.reshape([side] * 4), np.eye(2), np.eye(2))
    return parts.reshape(4 * side**2, -1)


CHILDREN = "the four children are no neighbours in the sequence: reshape W to four axes"
ALL_FOUR = "it should be (4S, 4S): rows and columns both, each as a grid of twice the side"


def run_larger(enlarge, W, side):
    large, size = np.asarray(enlarge(W, side)), 4 * len(W)
    require(large.shape == (size, size), f"{ALL_FOUR}: here {(size, size)}, not {large.shape}")
    return large


ALIKE = "all four children of a token contribute alike, and all four receive"


@exercise(
    "08.7",
    lecture_08.double_resolution,
    mistakes=[
        (_large(divisor=1), "four children are summed: divide by 4"),
        (_large(divisor=16), "only columns are summed: divide by 4 once"),
        (_large(divisor=2), "four children are summed, not two: divide by 4"),
        (_large(divisor=1 / 4), "four children are summed: divide by 4, do not multiply"),
        *((_large(rows, columns, divisor), CHILDREN)
          for rows, columns in ((_repeated, _repeated), (_repeated, _as_grid),
                                (_as_grid, _repeated), (_tiled, _tiled),
                                (_grid_tiled, _grid_tiled))
          for divisor in (4, 1, 16)),
        (_large(_one_child, divisor=1), ALIKE),
        (_large(_as_grid, _one_child, divisor=1), ALIKE),
        (_own_kind, ALIKE),
        (lambda W, side: np.kron(W, np.eye(4)), ALIKE),
        (lambda W, side: np.kron(np.eye(4), W), ALIKE),
        (lambda W, side: _large()(W, side).T, "transposed: a row of W is an output token"),
        (_large(lambda W, side: W.repeat(2, axis=0)), ALL_FOUR),
        (_as_grid, ALL_FOUR),
        (lambda W, side: W, ALL_FOUR),
    ],
    takes=6,
    level=4,
    hints=["Reshape W to (side, side, side, side).", "Repeat each axis twice. What is summed?"],
    reasoning="Rows and columns are images. Rows are copied; columns are summed, four for one.",
    solved="Both sides of W are grids, so that W can be resized like an image.",
    run=run_larger,
)  # fmt: skip
def _grids(draw):
    for side in (2, 3):
        yield draw.normal(size=(side**2, side**2)), side


def less(part, missing):
    """A count with less in one part; missing: of S, C, D_S and D_C."""

    def count(*sizes):
        parts = mixer_block_parameters(*sizes)
        return parts | {part: parts[part] - missing(*sizes)}

    return count


T, C_, N = PARTS_COUNTED = "token mixing", "channel mixing", "norms"


def run_count(count, *sizes):
    """The three counts, so that a mistake in one of them is named whatever the others are."""
    counted = count(*sizes)
    require(isinstance(counted, dict), "return a dictionary of the three parts")
    keys = f"the dictionary's keys are {', '.join(map(repr, PARTS_COUNTED))}"
    require(set(counted) == set(PARTS_COUNTED), keys)
    return tuple(counted[part] for part in PARTS_COUNTED)


ONCE = "the channels share one token network: do not multiply by C"
SHARED = "the tokens share one channel network: do not multiply by S"


@exercise(
    "08.8",
    mixer_block_parameters,
    mistakes=[
        (lambda *a: sum(mixer_block_parameters(*a).values()),
         "return a dictionary of the three parts"),
        (less(T, lambda S, C, D, H: D + S), "token mixing: there are biases, D_S and S"),
        (less(T, lambda S, C, D, H: S), "token mixing: the second layer has a bias, too: S"),
        (less(T, lambda S, C, D, H: D), "token mixing: the first layer has a bias, too: D_S"),
        (less(T, lambda S, C, D, H: S * D), "token mixing has two matrices"),
        (less(T, lambda S, C, D, H: (2 * S * D + D + S) * (1 - C)), ONCE),
        (less(T, lambda S, C, D, H: S - C), "token mixing: the last bias has S numbers"),
        (less(T, lambda S, C, D, H: S - D), "token mixing: the last bias has S numbers"),
        (less(T, lambda S, C, D, H: D - S), "token mixing: the first bias has D_S numbers"),
        (less(T, lambda S, C, D, H: S * D + D + S), "token mixing: two matrices, two biases"),
        (less(T, lambda S, C, D, H: S * D + S), "token mixing: a second Dense layer, D_S to S"),
        (less(T, lambda S, C, D, H: (2 * S * D + D + S) - (2 * S * H + H + S)),
         "token mixing has D_S hidden units, channel mixing D_C"),
        (less(T, lambda S, C, D, H: (2 * S * D + D + S) - (2 * C * D + D + C)),
         "token mixing maps S numbers to D_S and back, not C"),
        (less(T, lambda S, C, D, H: (D * S + S) - (D * C + C)),
         "token mixing maps S numbers to D_S and back, not C"),
        (less(C_, lambda S, C, D, H: H + C), "channel mixing: there are biases, D_C and C"),
        (less(C_, lambda S, C, D, H: C - H), "channel mixing: the last bias has C numbers"),
        (less(C_, lambda S, C, D, H: H - C), "channel mixing: the first bias has D_C numbers"),
        (less(C_, lambda S, C, D, H: C * H + H + C),
         "channel mixing: two matrices, two biases"),
        (less(C_, lambda S, C, D, H: C * H + C),
         "channel mixing: a second Dense layer, D_C to C"),
        (less(C_, lambda S, C, D, H: (2 * C * H + H + C) - (2 * S * H + H + S)),
         "channel mixing maps C numbers to D_C and back, not S"),
        (less(C_, lambda S, C, D, H: (H * C + C) - (H * S + S)),
         "channel mixing maps C numbers to D_C and back, not S"),
        (less(C_, lambda S, C, D, H: C), "channel mixing: the second layer has a bias, too: C"),
        (less(C_, lambda S, C, D, H: H), "channel mixing: the first bias, D_C, is missing"),
        (less(C_, lambda S, C, D, H: C * H), "channel mixing has two matrices"),
        (less(C_, lambda S, C, D, H: (2 * C * H + H + C) * (1 - S)), SHARED),
        (less(N, lambda S, C, D, H: 2 * C), "two LayerNorms, each of C gains and C shifts"),
        (less(N, lambda S, C, D, H: 3 * C), "two LayerNorms, each of C gains and C shifts"),
        (less(N, lambda S, C, D, H: 4 * C - 2), "a norm has C gains and C shifts"),
        (less(N, lambda S, C, D, H: 4 * C - 4), "a norm has C gains and C shifts"),
        (less(N, lambda S, C, D, H: 4 * C - 2 * C - 2 * S), "both norms are over C channels"),
        (less(N, lambda S, C, D, H: 4 * C - 4 * S), "the norms are over C channels"),
        (less(N, lambda S, C, D, H: 4 * C), "the norms have weights, too"),
        (less(N, lambda S, C, D, H: 4 * C - 4 * S * C), "the tokens share a norm's gain"),
    ],
    takes=4,
    level=2,
    hints=[
        "Dense from n to m units: n · m weights and m biases.",
        "S to D_S to S; C to D_C to C; and two LayerNorms with gain and shift.",
    ],
    reasoning="Only token mixing depends on the number of tokens.",
    solved="The table below counts the published sizes with your function.",
    run=run_count,
)  # fmt: skip
def block_sizes(draw):
    yield 3, 5, 2, 7
    yield tuple(map(int, draw.integers(20, 40, size=4)))
