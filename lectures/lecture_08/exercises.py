"""Exercises of lecture 08: Mixer and gMLP in Keras, who reaches whom, a bug, a training."""

from collections import Counter
from unittest import mock

import keras
import numpy as np
from keras import ops

from course_utils import layers
from course_utils.checks import (
    called,
    kept_back,
    learns_alike,
    predicted,
    redrawn,
    vectors,
    watched_training,
)
from course_utils.data.images import load_digits
from course_utils.exercises import accepted, exercise, require
from lectures import lecture_08
from lectures.lecture_06 import layer_norm

TOKENS = "token mixing goes from S numbers to D_S and back to S"
CHANNELS = "channel mixing goes from C numbers to D_C and back to C"


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
    called(block, x)  # makes weights that `build` has left out
    return drawn_mixer(Block, D_S, D_C, *x.shape[1:])(x)


def drawn_mixer(Block, D_S, D_C, S, C):
    block = Block(D_S, D_C)
    block(np.zeros((2, S, C), "float32"))  # makes its weights
    made = block.token_norm, block.token_mixing, block.channel_norm, block.channel_mixing
    for number, part in enumerate(made):
        redrawn(part, seed=number)
    return block


def _refuses_other_counts(Block):
    block = drawn_mixer(Block, 4, 7, 3, 5)
    told = "the numbers are right, but another number of tokens than the block was built for "
    told += "raises no ValueError: cut and pad nothing"
    for S in (2, 4):
        try:
            block(np.ones((2, S, 5), "float32"))
        except Exception:  # the networks raise, too, if nothing hides the size from them
            continue
        require(False, told)


BACK = "ops.swapaxes(self.token_mixing(columns), 1, 2)"
SECOND = "self.channel_mixing(self.channel_norm(u))"
PLAIN = "self.token_norm(x)", "x", "self.channel_norm(u)", "u"  # no norms


@exercise(
    "08.1",
    layers.MixerBlock,
    mistakes=[
        # Students' `build` need not build the networks; these then take any width.
        ("self.token_mixing.build((None, channels, self.tokens))", "pass",
         "ops.swapaxes", "", "), 1, 2)", "))",
         "token mixing has to work along the tokens: Dense works on the last axis, so swap "
         "the axes before it, and back after it"),
        (BACK, "self.token_mixing(columns)", "swap the axes back before you add x"),
        (", self.channel_mixing)", ")", SECOND,
         "ops.swapaxes(self.channel_mixing(ops.swapaxes(self.channel_norm(u), 1, 2)), 1, 2)",
         "channel mixing works on the last axis, the channels: swap nothing there"),
        ("ops.swapaxes(self.token_norm(x), 1, 2)",
         "ops.reshape(self.token_norm(x), (-1, x.shape[2], x.shape[1]))",
         BACK, "ops.reshape(self.token_mixing(columns), (-1, x.shape[1], x.shape[2]))",
         "reshape does not transpose, it refills the rows: ops.swapaxes(x, 1, 2)"),
        ("token_mlp_dim, self.tokens", "token_mlp_dim, channels", TOKENS),
        ("u = x +", "u =", "the first residual is missing: x + …"),
        ("return u +", "return", "the second residual is missing: u + …"),
        ("return u +", "return x +", "the second residual is u, what token mixing returns"),
        ("u = x +", "u = self.token_norm(x) +", "the residual is x as it came, not its norm"),
        ("return u", "return x + u", "u holds x already: x is added once too often"),
        ("channel_norm(u)", "channel_norm(x)",
         "channel mixing reads u, the result of token mixing"),
        ("channel_norm(u)", "token_norm(u)",
         "the second half has a norm of its own: self.channel_norm"),
        (*PLAIN, "both norms are missing: each network reads a LayerNorm"),
        (*PLAIN[:2], "the norm before token mixing is missing: self.token_norm"),
        (*PLAIN[2:], "the norm before channel mixing is missing: self.channel_norm"),
        (*PLAIN, f"x + {BACK}", f"self.token_norm(x + {BACK})",
         "u + self.channel_mixing(u)", "self.channel_norm(u + self.channel_mixing(u))",
         "the norm comes before each network, not after it"),
    ],
    compares="the output of the block",
    takes=10,
    level=3,
    hints=[
        "S is x_shape[1]: two_layers('token_mixing', self.token_mlp_dim, S) returns S numbers.",
        "ops.swapaxes(self.token_norm(x), 1, 2) is (batch, C, S); swap back before you add x.",
    ],
    reasoning="With the axes swapped the last one is the tokens, so a Dense layer mixes them.",
    solved="An MLP over channels becomes one over tokens by two swaps of the axes.",
    properties=[
        _refuses_other_counts,
        learns_alike(layers.MixerBlock, lambda Block: drawn_mixer(Block, 4, 7, 3, 5), (3, 5)),
    ],
    run=run_mixer,
)  # fmt: skip
def images_of_tokens(draw):
    for batch, S, C, D_S, D_C in ((2, 3, 5, 4, 7), (3, 6, 4, 3, 8)):
        yield D_S, D_C, vectors(draw, batch, S, C)


def run_gate(Unit, z, W, b):
    unit = Unit()
    batch = np.stack([z, z[::-1]]).astype("float32")
    unit.build(batch.shape)
    unit.W.assign(W)
    unit.b.assign(b)
    redrawn(unit.norm)  # its gain and shift count
    return called(unit, batch)


def drawn_unit(Unit):
    unit = Unit()
    unit.build((2, 3, 8))
    return redrawn(unit)


SPLIT = "ops.split(z, 2, axis=-1)"
MIXED = "ops.matmul(self.W, self.norm(z_2))"
BIAS = "self.b[:, None]"
GATE = f"({MIXED} + {BIAS})"


@exercise(
    "08.2",
    lecture_08.SpatialGatingUnit,
    mistakes=[
        (BIAS, "self.b", "b has one number per token: self.b[:, None]"),
        (MIXED, "ops.matmul(self.norm(z_2), self.W)",
         "W stands on the left: ops.matmul(self.W, …) mixes tokens"),
        (SPLIT, "ops.split(z, 2, axis=1)", "split the channels, the last axis, not the tokens"),
        (f"z_1 * {GATE}", f"ops.concatenate([z_1, z_1 * {GATE}], axis=-1)",
         "return the gated half alone: (batch, S, D/2)"),
        (SPLIT, f"{SPLIT}[::-1]", "the halves are exchanged: Z_1 passes"),
        (SPLIT, "z[..., ::2], z[..., 1::2]",
         "the halves are the first D/2 channels and the last D/2"),
        ("self.norm(z_2)", "z_2", "norm(Z_2) is what W mixes: norm is missing"),
        (f"z_1 * {GATE}", f"z_1 * {MIXED} + {BIAS}",
         "b belongs to the gate: Z_1 ⊙ (W norm(Z_2) + b)"),
        (MIXED, "self.norm(ops.matmul(self.W, z_2))", "the norm comes before W, not after it"),
        ("z_1 * (", "z_2 * (", "the gate scales Z_1, not Z_2"),
        ("split(z", "split(self.norm(z)", "Z_1 passes as it is: split first, then norm Z_2"),
        ("z_1 * (", "z_1 + (", "that is a sum: a gate multiplies"),
        ("z_1 * (", "z_1 + z_1 * (", "Z_1 is added once more: b starts at 1 already"),
        (f" + {BIAS}", "", "b is missing"),
        (f"z_1 * {GATE}", GATE, "Z_1 is missing: the gate scales it"),
        (f"z_1 * {GATE}", f"z_1 * ops.sigmoid{GATE}",
         "no activation: the gate is W norm(Z_2) + b itself"),
        (f"z_1 * {GATE}", f"z_1 * ops.tanh{GATE}",
         "no activation: the gate is W norm(Z_2) + b itself"),
        ("matmul(self.W,", "matmul(ops.transpose(self.W),",
         "W is transposed: its rows are outputs"),
    ],
    compares="the output of the gate",
    takes=6,
    level=2,
    hints=["z_1, z_2 = ops.split(z, 2, axis=-1); only z_2 is normalised and mixed.",
           "ops.matmul(self.W, self.norm(z_2)) is (batch, S, D/2); self.b[:, None] is (S, 1)."],
    reasoning="W on the left mixes the tokens of the second half; the result plus b scales the "
    "first half.",
    solved="One half carries the content; the other, mixed over the tokens, scales it.",
    properties=[
        learns_alike(lecture_08.SpatialGatingUnit, drawn_unit, (3, 8)),
    ],
    run=run_gate,
)  # fmt: skip
def gate_inputs(draw):
    for S, D in [(3, 8), (4, 10)]:  # of two channels a norm leaves only 1 and -1
        yield draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


def run_block(Block, D, x):
    return called(drawn_gmlp(Block, D, *x.shape[1:]), x)


def drawn_gmlp(Block, D, S, C):
    block = Block(D)
    block(np.zeros((2, S, C), "float32"))  # makes its weights
    for number, part in enumerate((block.norm, block.U, block.gate, block.V)):
        redrawn(part, seed=number)
    return block


GATED = "self.gate(self.U(self.norm(x)))"


@exercise(
    "08.3",
    lecture_08.GMLPBlock,
    mistakes=[
        ("return x +", "return", "the residual is missing: x + …"),
        ("return x", "return self.norm(x)", "the residual is x as it came, not its norm"),
        ("self.norm(x)", "x", "the norm is missing: U reads self.norm(x)"),
        (GATED, "self.U(self.norm(x))[..., : self.U.units // 2]",
         "the gate is missing: self.gate"),
        (GATED, "self.U(self.gate(self.norm(x)))", "U comes before the gate"),
        (GATED, f"self.U(self.norm(x))[..., : self.U.units // 2] * {GATED}",
         "self.gate has multiplied by Z_1 already"),
        ("self.U(self.norm(x))", "ops.gelu(self.U(self.norm(x)), approximate=False)",
         "self.U has its GELU already"),
        (f"self.V({GATED})", f"ops.gelu(self.V({GATED}), approximate=False)",
         "no GELU after V"),
        (f"self.V({GATED})", f"self.norm(self.V({GATED}))",
         "the norm stands before U, not after V"),
        (f"x + self.V({GATED})", "self.norm(x + self.V(self.gate(self.U(x))))",
         "the norm stands before U, not after the sum"),
    ],
    compares="the output of the block",
    takes=4,
    level=1,
    hints=["Four parts in a row: norm, U, gate, V.", "return x + self.V(self.gate(…))"],
    reasoning="U and V do the work of a feed-forward network; only the gate mixes tokens.",
    solved="One network, one residual: there is no second half for the channels.",
    properties=[
        learns_alike(lecture_08.GMLPBlock, lambda Block: drawn_gmlp(Block, 8, 3, 5), (3, 5)),
    ],
    run=run_block,
)  # fmt: skip
def block_inputs(draw):
    for batch, S, C, D in ((2, 3, 5, 4), (3, 6, 4, 10)):
        yield D, vectors(draw, batch, S, C)


def run_influence(influence, block, x):
    found = influence(block, x)
    table = np.asarray(found)
    said = "say whether a token changes by more than 0.0001: True or False, not by how much"
    require(table.dtype == object or np.isin(table, (0, 1)).all(), said)
    return found


MOVED = "block(replaced) - before"
LARGEST = f"np.abs({MOVED}).max(axis=1)"
RANDOM = "np.random.default_rng([8, token]).normal(size=x.shape[1])"


@exercise(
    "08.4",
    lecture_08.influence,
    mistakes=[
        ("(changes).T", "(changes)", "transposed: row i is the output token"),
        ("np.abs", "", "channels may rise or fall: take np.abs first"),
        (".max(", ".mean(", "compare the largest change of a single channel: in a mean, a sum "
         "or a norm changes cancel or add up"),
        (f"{LARGEST} > 1e-4", "~np.isclose(block(replaced), before).all(axis=1)",
         "np.isclose and np.allclose have limits of their own: np.abs(…) > 0.0001"),
        (" > 1e-4", "", "True or False, not by how much"),
        (" > 1e-4", " > 1e-2", "compare with 0.0001: a small change is one, too"),
        (" > 1e-4", " > 1e-3", "compare with 0.0001: a small change is one, too"),
        (" > 1e-4", " > 0", "compare with 0.0001: a smaller change is rounding"),
        (" > 1e-4", " > 1e-6", "compare with 0.0001: a smaller change is rounding"),
        (" > 1e-4", " > 1e-5", "compare with 0.0001: a smaller change is rounding"),
        ("axis=1", "axis=0", "axis=1 runs over the channels: one result for each output token"),
        ("axis=1", "", "one result per token: axis=1"),
        (RANDOM, "x[token] + 1",
         "LayerNorm undoes a sum and a factor: replace the token by random numbers"),
        (RANDOM, f"x[token] + 0.01 * {RANDOM}",
         "replace the token: noise that is added to it leaves most of it as it was"),
        ("(changes).T", "(changes).T | np.eye(len(x), dtype=bool)",
         "measure the diagonal, too: in some blocks a token does not reach itself"),
        (RANDOM, "0", "random numbers, one for each channel: a token may be 0 already, and "
         "LayerNorm makes 0 of equal numbers"),
        ("- before", "- x", "compare with block(x), the output before the replacement"),
        ("replaced = np.array(x)", "x = replaced = np.array(x)",
         "one token at a time: copy x again inside the loop"),
        ("replaced[token]", "replaced[:, token]", "x.shape[1]", "len(x)",
         "x[j] is token j; x[:, j] is a channel"),
    ],
    compares="the table",
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

        def reads_token_1(y):
            return read(y) + at * (np.abs(read(y)[1] - read(x)[1]) > 1e-6).any()

        return reads_token_1

    def little(y):
        """Token 3 reads token 1 a little, and token 0 once all its channels change.

        What token 0 reads of token 2 is below the limit in each channel, and above it in their
        norm. Token 2 reads token 3 a little in each channel, so that a mean is above it, too.
        """
        lower = 2e-4 * np.eye(3)[0] * differs(y, 1).any() + 0.05 * differs(y, 0).all()
        small = 7e-5 * np.eye(4)[0][:, None] * differs(y, 2).any()
        all_alike = 5e-4 * np.eye(4)[2][:, None] * differs(y, 3).any()
        return read(y) + 1e-6 * np.tanh(y).sum() + small + all_alike - at_3 * lower

    def signs(y):
        """Token i reads the signs of token i − 1, which a little noise does not change."""
        return np.roll(np.sign(read(y)), 1, axis=0)

    def neighbours(y):
        return read(y) + 0.5 * np.roll(read(y), 1, axis=0)

    yield neighbours, x
    yield signs, draw.permuted(np.tile([-1.0, 1.0], (4, 8)), axis=1)
    yield one_channel(0, -1), x
    yield one_channel(1, 1), x
    yield little, x
    yield neighbours, np.tile(draw.normal(size=5), (3, 1))  # all tokens are alike
    for seed in (0, 1, 42):  # which a student may take, too
        yield neighbours, np.random.default_rng(seed).normal(size=(4, 3))


def tried(train, digits):
    """Train a student's gMLP by a function that gets half of the validation digits."""
    given, unseen = kept_back(digits)
    limits = {"batches": 500, "batch_size": 64}
    with watched_training(given, unseen=unseen, called="digits", **limits) as training:
        block = type("GMLPBlock", (accepted("08.3"),), {})
        model = train(block, given)
        logits = predicted(model, digits.val.inputs, (10,), "logits")
        require(
            not np.allclose(logits.sum(axis=1), 1, atol=1e-3),
            "these are probabilities: return logits, no softmax, since the loss computes it",
        )
        require_gmlp(model)
        given_ones = sum(isinstance(layer, block) for layer in model.layers)
        require(given_ones, "build it of the blocks that you are given: the argument `block`")
        training.trained(model)
    right = (logits.argmax(axis=1) == digits.val.targets).mean()
    training.reaches(float(right), 0.92, "validation accuracy")


def require_gmlp(model):
    """Require the parts that the docstring names, where later cells look for them."""
    blocks = [layer for layer in model.layers if hasattr(layer, "gate")]
    inside = any(hasattr(layer, "gate") for layer in model._flatten_layers())
    nested = "the blocks have to be layers of the model itself, not inside a Sequential: later "
    require(blocks or not inside, nested + "cells look for them in model.layers")
    require(blocks, "build it of GMLPBlock: no layer of the model has a gate")
    fine = all(block.gate.tokens == 16 for block in blocks)
    require(fine, "cut patches of 2×2 pixels: they make 16 tokens")
    uses, call = Counter(), keras.Layer.__call__

    def counted(layer, *inputs, **settings):
        uses[id(layer)] += 1
        return call(layer, *inputs, **settings)

    with mock.patch.object(keras.Layer, "__call__", counted):
        model(np.zeros((1, 8, 8, 1), "float32"))
    once = all(uses[id(block)] == 1 for block in blocks)
    require(once, "one block is used several times: make a new one in each round of the loop")
    count = model.count_params()
    require(count <= 60_000, f"{count:,} parameters, and 60,000 are allowed")
    heads = [weight.shape for weight in model.weights if weight.shape[1:] == (10,)]
    means = (blocks[-1].V.units, 10) in heads
    require(means, "the classifier reads the mean over the tokens, not all of them")
    require_readout(model, blocks[-1])


def require_readout(model, block):
    """Require what follows the last block: a LayerNorm of each token, their mean, Dense."""

    def readout(tokens):
        given = ops.convert_to_tensor(tokens)
        with mock.patch.object(block, "call", lambda *inputs, **options: given):
            return model(np.zeros((1, 8, 8, 1), "float32"))

    one, other = vectors(np.random.default_rng(0), 2, 1, 1, block.V.units)
    halves = np.concatenate([np.repeat(part, 8, axis=1) for part in (one, other)], axis=1)
    alone = [np.repeat(part, 16, axis=1) for part in (one, other, 3 * one)]
    mixed, *logits = (ops.convert_to_numpy(readout(tokens)) for tokens in (halves, *alone))
    mean = np.allclose(mixed, (logits[0] + logits[1]) / 2, atol=1e-3)
    require(mean, "after the blocks: a LayerNormalization of each token, then their mean")
    normed = np.allclose(logits[2], logits[0], atol=1e-3)
    require(normed, "after the last block the LayerNormalization is missing")


def untrained(Block, classes=10, embed_dim=8, uses=1):
    images = keras.Input((8, 8, 1))
    x = layers.PatchEmbedding(embed_dim, 2)(images)
    block = Block(4 * embed_dim)
    for _ in range(uses):
        x = block(x)
    x = keras.layers.LayerNormalization(epsilon=1e-6)(x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(images, keras.layers.Dense(classes)(x))


@exercise(
    "08.5",
    lecture_08.train_gmlp,
    mistakes=[
        (lambda *given: {}, "return the trained model"),
        (lambda block, digits: untrained(block, classes=4), "the output should be (batch, 10)"),
        (lambda block, digits: untrained(block, uses=2), "one block is used several times"),
        (lambda block, digits: untrained(block, embed_dim=200), "60,000 are allowed"),
        (lambda block, digits: untrained(block), "the model is not trained"),
    ],
    takes=7,
    level=3,
    hints=[
        "PatchEmbedding(48, 2), GMLPBlock(192) four times, then as in the Mixer's cell.",
        "Try several learning rates, such as 0.001, 0.004 and 0.016.",
    ],
    reasoning="Of six recorded learning rates 0.008 was best on 1,200 digits; 0.001 was worst.",
    solved="Everything below that is trained is trained on your blocks.",
    trains=tried,
    limit=300,
)
def handwritten(draw):
    yield load_digits()


def _kept(W, before):
    if not np.any(W):
        return "0"
    return "as it was" if np.array_equal(W, before) else "other numbers"


def run_hold(hold, num_layers, learn_W, learn_b):
    """What learns, and how W and b start, for each gate."""
    keras.utils.set_random_seed(1)
    block = accepted("08.3")  # the student's own class, which `hold` may ask for
    shape = {"image": 4, "channels": 1, "patch": 2, "classes": 3, "num_layers": num_layers}
    model = lecture_08.gmlp_model(**shape, embed_dim=4, mlp_dim=6, spread=0.1, block=block)
    others = len(model.trainable_variables) - 2 * shape["num_layers"]  # all but W and b
    starts = [ops.convert_to_numpy(one.gate.W) for one in model.layers if hasattr(one, "gate")]
    held = hold(model, learn_W, learn_b)
    require(held is not None, "return the model")
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
    return (
        ["learns" if unit.W.path in learning else "is held" for unit in units],
        ["learns" if unit.b.path in learning else "is held" for unit in units],
        [_kept(unit.W, before) for unit, before in zip(units, starts, strict=True)],
        [ops.convert_to_numpy(unit.b) for unit in units],
    )


HELD = "block.gate.W.trainable, block.gate.b.trainable = learn_W, learn_b"


@exercise(
    "08.6",
    lecture_08.hold,
    mistakes=[
        ("in model.layers", "in []", "nothing is held: ask each of `model.layers` whether "
         "it has a gate (names may differ); a gate is inside a block, block.gate"),
        ("= learn_W, learn_b", "= learn_b, learn_W", "learn_W is about W, learn_b about b"),
        ("if not learn_W", "if False", "a W that does not learn is set to 0"),
        ("if not learn_W", "if True", "a W that learns keeps its start near 0"),
        ("= learn_W,", "= True,", "W learns where it should not: trainable"),
        (", learn_b\n", ", True\n", "b learns where it should not: trainable"),
        ("    return model", "            return model", "hold the gates of all blocks"),
        (HELD, "block.trainable = False", "only W and b are held"),
        (HELD, f"{HELD}\n            block.gate.b.assign(block.gate.b * float(learn_b))",
         "a b that does not learn stays at 1"),
        ("ops.zeros", "ops.ones", "a W that does not learn is set to 0"),
        (lambda model, *learned: model.get_layer("gate"), "the gates are inside the blocks"),
    ],
    compares=(
        "W in each block",
        "b in each block",
        "the start of W in each block",
        "the start of b in each block",
    ),
    takes=5,
    level=3,
    hints=["Print [layer.name for layer in model.layers]: is a gate among them?",
           "For each layer with a `gate`: layer.gate.W.trainable = learn_W, and so on."],
    reasoning="`model.layers` lists the outermost layers alone. The loop found no gate in it, "
    "and a loop over nothing raises no error.",
    solved="Check an ablation before you train it: count what is trainable in each row.",
    run=run_hold,
)  # fmt: skip
def rows(draw):
    learn_W = bool(draw.integers(2))  # one seed draws False, the other True
    yield 2, learn_W, False
    yield 5, learn_W, True


ALL_FOUR = "it should be (4S, 4S): rows and columns both, each as a grid of twice the side"


def run_larger(enlarge, W, side):
    large, size = enlarge(W, side), 4 * len(W)
    shape = np.shape(large)
    require(shape == (size, size), f"{ALL_FOUR}: here {(size, size)}, not {shape}")
    return large


GRID = "W.reshape(side, side, side, side)"
CHILDREN = "the four children are no neighbours in the sequence: reshape W to four axes"


@exercise(
    "08.7",
    lecture_08.double_resolution,
    mistakes=[
        (" / 4", "", "four children are summed: divide by 4"),
        (" / 4", " / 16", "only columns are summed: divide by 4 once"),
        ("range(4)", "range(0)", GRID, "W.repeat(4, axis=0).repeat(4, axis=1)", CHILDREN),
        ("range(4)", "range(0)", GRID, "np.tile(W, (4, 4))", CHILDREN),
        (lambda W, side: np.kron(W, np.eye(4)),
         "all four children of a token contribute alike, and all four receive"),
        (" / 4", ".T / 4", "transposed: a row of W is an output token"),
        (lambda W, side: W.repeat(2, axis=0).repeat(2, axis=1), ALL_FOUR),
        ("range(4)", "(0, 1)", "4 * side**2, 4 * side**2", "4 * side**2, -1", ALL_FOUR),
    ],
    compares="the enlarged W",
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


def run_count(count, S, C, D_S, D_C):
    """The three counts, so that a mistake in one of them is named whatever the others are."""
    counted = count(S, C, D_S, D_C)
    keys = "token mixing", "channel mixing", "norms"
    told = f"return a dictionary with the keys {', '.join(map(repr, keys))}"
    require(isinstance(counted, dict) and set(counted) == set(keys), told)
    return tuple(counted[part] for part in keys)


FOR_TOKENS = "dense(S, D_S) + dense(D_S, S)"
FOR_CHANNELS = "dense(C, D_C) + dense(D_C, C)"


@exercise(
    "08.8",
    lecture_08.mixer_block_parameters,
    mistakes=[
        (FOR_TOKENS, "2 * S * D_S", "token mixing: there are biases, D_S and S"),
        (FOR_TOKENS, f"C * ({FOR_TOKENS})",
         "the channels share one token network: do not multiply by C"),
        ("dense(D_S, S)", "D_S * S + D_S", "token mixing: the last bias has S numbers"),
        (FOR_TOKENS, "dense(C, D_S) + dense(D_S, C)",
         "token mixing maps S numbers to D_S and back, not C"),
        (FOR_CHANNELS, "2 * C * D_C", "channel mixing: there are biases, D_C and C"),
        ("dense(D_C, C)", "D_C * C + D_C", "channel mixing: the last bias has C numbers"),
        (FOR_CHANNELS, f"S * ({FOR_CHANNELS})",
         "the tokens share one channel network: do not multiply by S"),
        ("2 * 2 * C", "2 * C", "two LayerNorms, each of C gains and C shifts"),
        ("2 * 2 * C", "4", "a norm has C gains and C shifts"),
        ("2 * 2 * C", "0", "the norms have weights, too"),
        ("2 * 2 * C", "4 * S * C", "the tokens share a norm's gain"),
    ],
    compares=(
        "the count for token mixing",
        "the count for channel mixing",
        "the count for the norms",
    ),
    takes=4,
    level=2,
    hints=["Dense from n to m units: n · m weights and m biases.",
           "S to D_S to S; C to D_C to C; and two LayerNorms with gain and shift."],
    reasoning="Only token mixing depends on the number of tokens.",
    solved="The table below counts the published sizes with your function.",
    run=run_count,
)  # fmt: skip
def block_sizes(draw):
    yield 3, 5, 2, 7
    yield tuple(map(int, draw.integers(20, 40, size=4)))
