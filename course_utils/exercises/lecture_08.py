"""Exercises of lecture 08: Mixer and gMLP in Keras, who reaches whom, a bug, a training."""

import keras
import numpy as np
from keras import ops

from course_utils import layers
from course_utils.data.images import load_digits
from course_utils.exercises import exercise, require
from course_utils.layers.mlp import two_layers
from course_utils.lectures import lecture_08
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
            for part in (self.token_norm, self.channel_norm):
                part.build(x_shape)

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


def first(**changes):
    return lambda b, x: _second(b, _first(b, x, **changes))


def second(**changes):
    return lambda b, x: _second(b, _first(b, x), **changes)


TOKENS = "token mixing goes from S numbers to D_S and back to S"
CHANNELS = "channel mixing goes from C numbers to D_C and back to C"


def run_mixer(Block, D_S, D_C, x):
    block = Block(D_S, D_C)
    block.build(x.shape)
    (_, S, C), draw = x.shape, np.random.default_rng(0)
    for name, path, asked in (
        ("token_mixing", TOKENS, [D_S, S]),
        ("channel_mixing", CHANNELS, [D_C, C]),
    ):
        network = getattr(block, name, None)
        require(network is not None, f"self.{name} is missing: make it in `build`")
        units = [layer.units for layer in getattr(network, "layers", [])]
        said = f"{path}: here two_layers({name!r}, {asked[0]}, {asked[1]}), and not {units}"
        require(units in ([], asked), said)
    block(x)  # makes weights that `build` has left out
    for name in PARTS:
        part = getattr(block, name)
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
        (mixer(first(there=lambda y: turned(y), read=lambda b, x: b.token_norm(turned(x)),
                     back=unchanged)), "norm the channels first, then swap the axes"),
        (mixer(lambda b, x: b.channel_norm(_first(b, x) + b.channel_mixing(_first(b, x)))),
         "the norm comes before each network, not behind the sum"),
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
    (_gate(f=lambda W, y, b: W @ y), "b is missing"),
    (_gate(f=lambda W, y, b: W @ y + b), "b has one number a token: b[:, None]"),
    (_gate(f=lambda W, y, b: W @ (y + b[:, None])), "add b after the product with W"),
    (
        _gate(f=lambda W, y, b: 1 / (1 + np.exp(-W @ y - b[:, None]))),
        "no sigmoid: the gate is W norm(Z_2) + b itself",
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
    for S, D in [(3, 4), (4, 6)]:
        yield draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


def in_keras(gate):
    """A class like SpatialGatingUnit that computes gate(z, W, b) of each example in NumPy."""

    class Unit(layers.SpatialGatingUnit):
        def call(self, z, attended=None, mask=None):
            weights = [ops.convert_to_numpy(weight) for weight in (self.W, self.b)]
            return np.stack([gate(one, *weights) for one in ops.convert_to_numpy(z)])

    return Unit


def in_ops(cut=-1, mixed=lambda W, y, b: ops.matmul(W, y) + b[:, None]):
    """The same with Keras' operations, for mistakes that raise an error."""

    class Unit(layers.SpatialGatingUnit):
        def call(self, z, attended=None, mask=None):
            z_1, z_2 = ops.split(z, 2, axis=cut)
            return z_1 * mixed(self.W, self.norm(z_2), self.b)

    return Unit


def run_gate(Unit, z, W, b):
    unit = Unit()
    batch = np.stack([z, z[::-1]]).astype("float32")
    unit.build(batch.shape)
    unit.W.assign(W)
    unit.b.assign(b)
    return ops.convert_to_numpy(unit(ops.convert_to_tensor(batch)))


@exercise(
    "08.2",
    layers.SpatialGatingUnit,
    mistakes=[
        (in_ops(mixed=lambda W, y, b: ops.matmul(W, y) + b),
         "b has one number a token: self.b[:, None]"),
        (in_ops(mixed=lambda W, y, b: ops.matmul(y, W) + b[:, None]),
         "W stands on the left: ops.matmul(self.W, …) mixes tokens"),
        (in_ops(cut=1), "split the channels, the last axis, not the tokens"),
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
        (gmlp(gate=lambda b, z: b.gate(ops.gelu(z, approximate=False))),
         "self.U has its GELU already"),
        (gmlp(out=lambda b, z, x: ops.gelu(b.V(z), approximate=False)), "no GELU behind V"),
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
    block(x)
    draw = np.random.default_rng(0)
    for part in (block.norm, block.U, block.gate, block.V):
        part.set_weights([draw.normal(0.2, 0.5, weight.shape) for weight in part.weights])
    return ops.convert_to_numpy(block(x))


def _random(x, token):
    return np.random.default_rng(token + 9).normal(size=x.shape[1])


def _changed(d):
    return (np.abs(d) > 1e-4).any(axis=1)


def _table(seen=_changed, new=_random, out=np.transpose):
    """A table of influences; d: how much a replaced token changed, (S, C)."""

    def table(block, x):
        before, columns = block(x), []
        for token in range(len(x)):
            replaced = x.copy()
            replaced[token] = new(x, token)
            columns.append(seen(block(replaced) - before))
        return out(columns)

    return table


@exercise(
    "08.4",
    lecture_08.influence,
    mistakes=[
        (_table(out=np.asarray), "transposed: row i is the output token"),
        (_table(lambda d: (np.abs(d) > 1e-4).all(axis=1)), "one channel is enough: not `all`"),
        (_table(lambda d: np.abs(d[:, 0]) > 1e-4), "look at all channels, not at one"),
        (_table(lambda d: (d > 1e-4).any(axis=1)), "channels may decrease: take np.abs first"),
        (_table(lambda d: np.abs(d.mean(axis=1)) > 1e-4), "changes cancel in a mean"),
        (_table(lambda d: np.abs(d).max(axis=1)), "say whether it is more than 0.0001"),
        (_table(out=lambda t: np.transpose(t) & ~np.eye(4, dtype=bool)), "keep the diagonal"),
        (_table(new=lambda x, token: x[token] + 1), "LayerNorm removes a constant"),
    ],
    takes=6,
    level=3,
    hints=["Replace one token of a copy at a time.", "np.abs(…).max(axis=1) is (S,)."],
    reasoning="Replacing input token j fills column j; random numbers survive a LayerNorm.",
    solved="One replacement at a time shows for any block which tokens reach which.",
)
def _blocks(draw):
    x = draw.normal(size=(4, 3)) ** 3  # not the numbers of a generator with the same seed

    def one_channel(channel):
        """Token 3 reads token 1, and whatever replaces it lowers one channel."""
        at = np.eye(4)[3][:, None] * np.eye(3)[channel]
        return lambda y: y + np.tanh(2 * norm(y)) - at * np.abs(norm(y)[1] - norm(x)[1]).sum()

    yield lambda y: y + 0.5 * np.roll(norm(y), 1, axis=0), x
    yield one_channel(0), x
    yield one_channel(1), x


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
    count = model.count_params()
    require(count <= 60_000, f"{count:,} parameters, and 60,000 are allowed")
    steps = int(model.optimizer.iterations) if model.optimizer else 0
    require(steps > 0, "the model is not trained: call train_on_images")
    require(steps <= 500, f"that were {steps} batches, and 500 are allowed")
    val = digits.val
    reached = float((model.predict(val.inputs, verbose=0).argmax(axis=1) == val.targets).mean())
    require(
        reached >= 0.95,
        f"accuracy on the validation digits is {reached:.2f}, and 0.95 is asked: try another "
        "learning rate, larger or smaller by a factor of two to four",
    )
    return True


def untrained(classes=10, embed_dim=8, block=True):
    images = keras.Input((8, 8, 1))
    x = layers.PatchEmbedding(embed_dim, 2)(images)
    x = layers.GMLPBlock(4 * embed_dim)(x) if block else x
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(images, keras.layers.Dense(classes)(x))


@exercise(
    "08.5",
    lecture_08.train_gmlp,
    mistakes=[
        (lambda *given: {}, "return the trained model"),
        (lambda *given: untrained(classes=4), "should give logits (batch, 10)"),
        (lambda *given: untrained(block=False), "no layer of the model has a gate"),
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
    """What learns, by name, and whether each gate lets its first half pass."""
    keras.utils.set_random_seed(1)
    shape = {"image": 4, "channels": 1, "patch": 2, "classes": 3, "num_layers": 2}
    model = lecture_08.gmlp_model(**shape, embed_dim=4, mlp_dim=6, spread=0.1)
    held = hold(model, learn_W, learn_b)
    require(isinstance(held, keras.Model), "return the model")
    units = [block.gate for block in held.layers if hasattr(block, "gate")]
    require(held is model, "change the model that you are given, and return it")
    learning = sorted(weight.path for weight in held.trainable_variables)
    starts = [(np.ptp(unit.W.numpy()) > 0, float(np.mean(unit.b.numpy()))) for unit in units]
    return learning, starts


def _frozen(block):
    block.trainable = False


def _gate_frozen(block):
    block.gate.trainable = block.gate.W.trainable and block.gate.b.trainable


def _shut(block):
    if not block.gate.b.trainable:
        block.gate.b.assign(np.zeros(block.gate.b.shape))


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
        (holding(W=lambda gate, learn: None), "W learns where it should not: trainable"),
        (holding(b=lambda gate, learn: None), "b learns where it should not: trainable"),
        (holding(ask=lambda W, b: (b, W)), "W and b are exchanged"),
        (holding(ask=lambda W, b: (not W, not b)), "that is the wrong way round: True learns"),
        (holding(blocks=lambda model: [layer for layer in model.layers
                                       if hasattr(layer, "gate")][:1]),
         "hold the gates of all blocks"),
        (holding(also=_frozen), "only W and b are held: the blocks' U and V learn"),
        (holding(also=_gate_frozen), "only W and b are held: the gate's norm learns"),
        (holding(also=_shut), "a b that does not learn stays at 1"),
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
    for learn_W in (False, True):
        for learn_b in (False, True):
            yield learn_W, learn_b


def _large(change, divisor=4):
    return lambda W, side: change(W, side) / divisor


CHILDREN = "the four children are no neighbours in the sequence: reshape W to four axes"


@exercise(
    "08.7",
    lecture_08.double_resolution,
    mistakes=[
        (_large(lecture_08.double_resolution, 1 / 4), "four children are summed: divide by 4"),
        (_large(lecture_08.double_resolution, 4), "only columns are summed: divide by 4 once"),
        (_large(lambda W, side: np.kron(W, np.ones((4, 4)))), CHILDREN),
        (_large(lambda W, side: np.kron(W, np.ones((2, 2)))), "it should be (4S, 4S)"),
        (lambda W, side: W, "that is the old resolution: it should be (4S, 4S)"),
    ],
    takes=6,
    level=4,
    hints=["Reshape W to (side, side, side, side).", "Repeat each axis twice. What is summed?"],
    reasoning="Rows and columns are images. Rows are copied; columns are summed, four for one.",
    solved="Both sides of W are grids, so that W can be resized like an image.",
)
def _grids(draw):
    for side in (2, 3):
        yield draw.normal(size=(side**2, side**2)), side


def less(part, missing):
    """A count with less in one part; missing: of S, C, D_S and D_C."""

    def count(*sizes):
        parts = mixer_block_parameters(*sizes)
        return parts | {part: parts[part] - missing(*sizes)}

    return count


T, C_, N = "token mixing", "channel mixing", "norms"
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
        (less(T, lambda S, C, D, H: (2 * S * D + D + S) - (2 * C * D + D + C)),
         "token mixing maps S numbers to D_S and back, not C"),
        (less(C_, lambda S, C, D, H: H + C), "channel mixing: there are biases, D_C and C"),
        (less(C_, lambda S, C, D, H: C), "channel mixing: the second layer has a bias, too: C"),
        (less(C_, lambda S, C, D, H: H), "channel mixing: the first bias, D_C, is missing"),
        (less(C_, lambda S, C, D, H: C * H), "channel mixing has two matrices"),
        (less(C_, lambda S, C, D, H: (2 * C * H + H + C) * (1 - S)), SHARED),
        (less(N, lambda S, C, D, H: 2 * C), "a block has two LayerNorms"),
        (less(N, lambda S, C, D, H: 4 * C - 2), "a norm has C gains and C shifts"),
        (less(N, lambda S, C, D, H: 4 * C - 2 * C - 2 * S), "both norms are over C channels"),
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
    run=lambda count, *sizes: count(*sizes),
)  # fmt: skip
def block_sizes(draw):
    yield 3, 5, 2, 7
    yield tuple(map(int, draw.integers(20, 40, size=4)))
