"""The exercises of lecture 08: Mixer's first equation, a count, the gate, larger images."""

import numpy as np

from course_utils.exercises import exercise, within
from course_utils.lectures import lecture_08
from course_utils.lectures.lecture_07 import gelu
from course_utils.lectures.lecture_08 import gelu_tanh, mixer_parameters, norm


def _mix(turn=np.transpose, back=np.transpose, read=norm, act=gelu, out=np.add):
    return lambda x, W_1, W_2: out(x, back(act(turn(read(x)) @ W_1) @ W_2))


def _refill(x):
    return x.reshape(x.shape[::-1])


@exercise(
    "08.1",
    lecture_08.mix_tokens,
    mistakes=[
        (_mix(np.asarray, np.asarray), "transpose norm(x) first: `@` works on the last axis"),
        (_mix(back=np.asarray), "transpose back, to (S, C), before you add x"),
        (_mix(_refill, _refill), "reshape does not transpose, it refills the rows: use .T"),
        (_mix(out=lambda x, y: y), "the residual is missing: add x"),
        (_mix(out=lambda x, y: norm(x) + y), "the residual is x itself, not norm(x)"),
        (_mix(read=np.asarray), "norm is missing: norm(x) goes into the layers"),
        (_mix(read=lambda x: norm(x.T).T), "norm first, then transpose"),
        (_mix(act=np.asarray), "GELU is missing: without it two layers are only one"),
        (_mix(act=lambda y: np.maximum(y, 0)), "that is ReLU: use `gelu`"),
        (_mix(act=gelu_tanh), "that is GELU's approximation by tanh: use `gelu`"),
        (lambda x, W, V: x + gelu(_mix(act=np.asarray)(x, W, V) - x), "GELU comes before W_2"),
        (lambda x, W, V: _mix()(x, V.T, W.T), "W_1 and W_2 are exchanged"),
    ],
    takes=5,
    level=2,
    hints=["Normalise first. On which axis does `@ W_1` work?", "norm(x).T is (C, S)."],
    reasoning="A matrix on the right mixes the last axis. Transposed, that axis is the tokens.",
    solved="Two transpositions turn an MLP over channels into one over tokens.",
)
def _tokens(draw):
    for S, C, D_S in [(3, 2, 4), (4, 6, 3)]:
        yield tuple(draw.normal(size=size) for size in [(S, C), (S, D_S), (D_S, S)])


def _less(part, missing):
    """A count with less in one part; missing: of S, patch, C, D_S, D_C and the blocks."""

    def count(patch, *sizes):
        parts = mixer_parameters(patch, *sizes)
        return parts | {part: parts[part] - missing((224 // patch) ** 2, patch, *sizes)}

    return count


T, C = "token mixing", "channel mixing"
SQUARE = "S is the number of all patches: square 224 / patch"
SHARED = "all tokens share one channel MLP: do not multiply by S"


@exercise(
    "08.2",
    mixer_parameters,
    mistakes=[
        (lambda *a: sum(mixer_parameters(*a).values()), "return a dictionary of the parts"),
        (_less(T, lambda S, p, C, D, H, n: n * (2 * D + 1) * (S - S**0.5)), SQUARE),
        (_less(T, lambda S, p, C, D, H, n: n * (D + S)), "there are biases, D_S and S"),
        (_less(T, lambda S, p, C, D, H, n: n * S), "the second layer has a bias, too: S"),
        (_less(C, lambda S, p, C, D, H, n: n * (H + C)), "there are biases, D_C and C"),
        (_less(C, lambda S, p, C, D, H, n: n * C), "the second layer has a bias, too: C"),
        (_less(C, lambda S, p, C, D, H, n: n * (2 * C * H + H + C) * (1 - S)), SHARED),
        (_less("norms", lambda S, p, C, D, H, n: 2 * C * n), "a block has two LayerNorms"),
        (_less("norms", lambda S, p, C, D, H, n: 2 * C), "one is behind the last block"),
        (_less("norms", lambda S, p, C, D, H, n: C * (2 * n + 1)), "each has gain and shift"),
        (_less("patches", lambda S, p, C, *_: C), "the projection has a bias, too"),
        (_less("patches", lambda S, p, C, *_: 2 * p * p * C), "a patch has three colours"),
        (_less("patches", lambda S, p, C, *_: -S * C), "a Mixer has no position embeddings"),
        (_less("logits", lambda *_: 1000), "the last layer has a bias, too"),
    ],
    takes=10,
    level=3,
    hints=[
        "A dense layer from n to m units has n · m weights and m biases.",
        "Layers: 3 · patch² to C; in a block S to D_S to S and C to D_C to C; C to 1,000.",
    ],
    reasoning="Only token mixing depends on the number of tokens; there are no positions.",
    solved="More tokens, fewer parameters: the projection shrinks by more than W_1, W_2 grow.",
    run=lambda count, *sizes: tuple(sorted(count(*sizes).items())),
)
def _sizes(draw):
    yield 112, 6, 3, 8, 2
    yield 32, 512, 256, 2048, 8
    yield 16, *map(int, draw.integers(20, 40, size=3)), 5


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
    (_gate(f=lambda W, y, b: W.T @ y + b[:, None]), "W is transposed: its rows are outputs"),
]


@exercise(
    "08.3",
    lecture_08.split_gate,
    mistakes=SPLIT_GATE_MISTAKES,
    takes=5,
    level=2,
    hints=["Split the channels, then norm one half.", "b[:, None]: the same for all channels."],
    reasoning="W and b mix the second half over the tokens; the result scales the first half.",
    solved="One half carries the content; the other, mixed over tokens, scales it.",
)
def gates(draw):
    for S, D in [(3, 4), (4, 6)]:
        yield draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


@exercise(
    "08.4",
    lecture_08.new_gate,
    mistakes=[
        (lambda S: (np.zeros((S, S)), np.zeros(S)), "b = 0 shuts the gate: Z_1 · 0"),
        (lambda S: (np.ones((S, S)), np.ones(S)), "W mixes all tokens already: let it be 0"),
        (lambda S: (np.eye(S), np.ones(S)), "the identity adds norm(Z_2) to b: let W be 0"),
        (lambda S: (np.eye(S), np.zeros(S)), "the identity makes norm(Z_2) scale Z_1"),
        (lambda S: (np.ones(S), np.zeros((S, S))), "return W first, then b"),
        (lambda S: (np.zeros((S, S)), 1.0), "b is an array (S,), one number a token"),
        (lambda S: np.zeros((S, S)), "return two arrays, W and b"),
    ],
    takes=3,
    level=1,
    hints=["Z_1 passes if it is multiplied by 1.", "Which W makes W norm(Z_2) + b equal b?"],
    reasoning="With W = 0 and b = 1 the gate is 1: the block starts as a feed-forward network.",
    solved="A new gate passes everything on; mixing tokens is what it has to learn.",
    equal=within(1e-2),
)
def _gate_sizes(draw):
    yield 2
    yield 16


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
    "08.5",
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
    takes=10,
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


def _large(change, divisor=4):
    return lambda W, side: change(W, side) / divisor


CHILDREN = "the four children are no neighbours in the sequence: reshape W to four axes"


@exercise(
    "08.6",
    lecture_08.double_resolution,
    mistakes=[
        (_large(lecture_08.double_resolution, 1 / 4), "four children are summed: divide by 4"),
        (_large(lecture_08.double_resolution, 4), "only columns are summed: divide by 4 once"),
        (_large(lambda W, side: np.kron(W, np.ones((4, 4)))), CHILDREN),
        (_large(lambda W, side: np.kron(W, np.ones((2, 2)))), "it should be (4S, 4S)"),
        (lambda W, side: W, "that is the old resolution: it should be (4S, 4S)"),
    ],
    takes=10,
    level=4,
    hints=["Reshape W to (side, side, side, side).", "Repeat each axis twice. What is summed?"],
    reasoning="Rows and columns are images. Rows are copied; columns are summed, four for one.",
    solved="Both sides of W are grids, so that W can be resized like an image.",
)
def _grids(draw):
    for side in (2, 3):
        yield draw.normal(size=(side**2, side**2)), side
