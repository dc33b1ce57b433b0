"""Lab 08b: gates on text, W tied by distance, causal W, recall with and without attention.

Sources: Liu, Dai, So and Le, "Pay attention to MLPs" (2021), section 4; associative recall:
Arora et al., "Zoology: measuring and improving recall in efficient language models" (2023).
"""

from typing import NamedTuple

import keras
import numpy as np
from keras import layers, ops

from course_utils import data, models, plotting, training
from course_utils.data.download import download
from course_utils.schedules import WarmupCosine
from lectures.lecture_06b import pretraining, tokenizers
from lectures.lecture_08 import gmlp_block_parameters, norm

LECTURE = "08b_lab_gmlp_text"

# What the paper prints of its models for text, in millions.
PRINTED = {"18 blocks": 59, "36 blocks": 102, "72 blocks": 187, "144 blocks": 357}

# Assumed. The printed counts themselves tell it: (357 − 59) million / 126 blocks is 2.365
# million per block, and what then remains of 59, 16.4 million, is 512 channels for 32,100
# tokens.
VOCAB_SIZE = 32_000

LENGTH, MASKED_POSITIONS, BATCHES = 64, 10, 1_500
TEXT_MODEL = {"max_length": LENGTH, "embed_dim": 64, "num_layers": 2}
# Widths that give all of them nearly the same number of parameters.
GATES_TRIED = {
    "linear": {"gate": "linear", "mlp_dim": 144},
    "additive": {"gate": "additive", "mlp_dim": 144},
    "multiplicative": {"gate": "multiplicative", "mlp_dim": 144},
    "split": {"mlp_dim": 192},
    "split_toeplitz": {"mlp_dim": 192, "toeplitz": True},
}
PLAYS = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)

DIGITS, RECALL_BATCHES = 8, 2_000
# How far from a character its neighbours stand, the nearest first.
AROUND, BEFORE = (-1, 1, -2, 2, -3, 3, -4, 4), (0, -1, -2, -3, -4, -5, -6, -7)
RECALL_MODEL = {"embed_dim": 32, "num_layers": 2, "mlp_dim": 64}
RECALL_ARMS = {
    "gmlp": {"mlp_dim": 108},
    "gmlp_wide": {"num_layers": 1, "mlp_dim": 240},
    "gmlp_tiny": {"tiny_attention": 16},
    "transformer": {"num_layers": 1, "mlp_dim": 128, "num_heads": 4},
}


def initial_weights(gate, S, draw):
    """W and b of a new gate for S tokens, sampled so that training can start.

    f(Z) = W norm(Z) + b. An additive gate, Z + f(Z), a multiplicative one, Z ⊙ f(Z), and a
    split one, Z_1 ⊙ f(Z_2), return Z (or Z_1) within 0.01. A linear gate returns f(Z): other
    numbers for each token, of about the size of those in norm(Z); its b adds nothing.

    Args:
        gate: "linear", "additive", "multiplicative" or "split".
        S: the number of tokens.
        draw: a `numpy.random.Generator`.

    Returns:
        A pair of NumPy arrays: W (S, S) and b (S,).
    """
    size = (3 / S) ** 0.5 if gate == "linear" else 1e-4 / S
    b = np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)
    return draw.uniform(-size, size, (S, S)), b


def toeplitz(t):
    """One weight for each distance: W (S, S) with W[i, j] = t[i − j + S − 1].

    t: an array (2S − 1,).
    """
    S = (len(t) + 1) // 2
    return t[np.arange(S)[:, None] - np.arange(S) + S - 1]


def states_of(encoder):
    """Return encode(ids, scale=1): the last states (S, C) of ids (S,), every W times scale.

    encoder: a gMLP of `cu.models.gmlp_text`, which is left as it was.
    """
    gates = [layer.gate for layer in encoder.layers if hasattr(layer, "gate")]

    def encode(ids, scale=1):
        kept = [ops.convert_to_numpy(gate.W) for gate in gates]
        for gate, W in zip(gates, kept, strict=True):
            gate.W.assign(W * scale)
        states = ops.cast(encoder(ids[None])[-1][0], "float32")
        for gate, W in zip(gates, kept, strict=True):
            gate.W.assign(W)
        return ops.convert_to_numpy(states)

    return encode


def reads_future(encode, ids, vocab_size):
    """Say whether the state of any token depends on a later token.

    Args:
        encode: a function encode(ids, scale) from ids (S,) to states (S, C), both NumPy arrays.
            Every W of the model is multiplied by scale: 10,000 brings a new W from about a
            millionth to about a hundredth.
        ids: (S,), from 1 to vocab_size − 1; not to be changed.
        vocab_size: the number of ids, 0 for padding included.

    Returns:
        True if replacing any one token by another id (not 0) changes the state of a token
        before it in any channel; else False.
    """
    before = encode(ids, 1e4)
    for place in range(1, len(ids)):
        other = np.array(ids)
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 1e4) != before)[:place].any():
            return True
    return False


def causal_gate(z, W, b):
    """The split gate, in which no token reads a later one: Z_1 ⊙ (W norm(Z_2) + b).

    What stands above W's diagonal, given or not, counts as 0.

    Args:
        z: (S, D). Z_1 is the first half of the channels.
        W: (S, S), whose row i is about output token i.
        b: (S,), one number a token.

    Returns:
        A NumPy array (S, D/2).
    """
    half = z.shape[1] // 2
    return z[:, :half] * (np.tril(W) @ norm(z[:, half:]) + b[:, None])


def block_weights(block):
    """The weights of a Keras `GMLPBlock` as `lecture_08.gmlp_block` takes them."""

    def numbers(layer):
        return [ops.convert_to_numpy(weight) for weight in layer.weights]

    (U, b_U), (V, b_V), gate = numbers(block.U), numbers(block.V), block.gate
    weights = {"norm": numbers(block.norm), "gate_norm": numbers(gate.norm)}
    weights |= {"U": U, "b_U": b_U, "V": V, "b_V": b_V}
    weights |= {"W": ops.convert_to_numpy(gate.W), "b": ops.convert_to_numpy(gate.b)}
    if block.attention is not None:
        weights["attention"] = numbers(block.attention)
    return weights


def diagonal_means(W):
    """The mean of every diagonal of W (S, S): (2S − 1,), as `toeplitz` takes them.

    Entry k is about the distance i − j = k − (S − 1).
    """
    S = len(W)
    return np.array([np.diagonal(W, -distance).mean() for distance in range(1 - S, S)])


def show_gates(matrices, alt):
    """Show each W of `{title: W}`, and beside it the mean weight up to 12 tokens away."""
    figure, axes = plotting.figure(5 * len(matrices), 3.3, columns=2 * len(matrices))
    axes[0].get_gridspec().set_width_ratios([1.4, 1] * len(matrices))
    for (title, W), left, right in zip(matrices.items(), axes[::2], axes[1::2], strict=True):
        limit = np.quantile(np.abs(W), 0.995) or 1.0
        left.imshow(W, cmap="RdBu_r", vmin=-limit, vmax=limit)
        left.grid(False)
        left.set(title=title, xlabel="input token j")
        distances = np.arange(-12, 13)
        # Turned round, so that what stands to the right of token i is drawn to the right.
        means = diagonal_means(W)[len(W) - 1 - distances]
        right.bar(distances, means, color=plotting.COLOURS[0])
        right.set(title="mean weight", xlabel="j − i")
    axes[0].set(ylabel="output token i")
    plotting.show(figure, alt)


def gmlp_text_parameters(
    max_length, embed_dim, mlp_dim, num_layers, vocab_size=VOCAB_SIZE, **settings
):
    """Count the parameters of a gMLP for text, without the scores' bias.

    One table embeds the vocabulary and, transposed, scores it. settings: gate, toeplitz and
    tiny_attention, as in `lecture_08.gmlp_block_parameters`.
    """
    block = gmlp_block_parameters(max_length, embed_dim, mlp_dim, **settings)
    return vocab_size * embed_dim + num_layers * block + 2 * embed_dim


class Text(NamedTuple):
    """A tokenizer, and rows of ids (rows, 64) for training, validation and test."""

    tokenizer: tokenizers.Tokenizer
    train: np.ndarray
    val: np.ndarray
    test: np.ndarray
    source: str


def text_of(texts, source):
    """Characters in rows of 64: the first 90 % train, 5 % each are validation and test.

    texts: a str, which is cut where 90 % and 95 % end, or a list of str.
    """
    cuts = [0, int(0.9 * len(texts)), int(0.95 * len(texts)), len(texts)]
    parts = [texts[start:stop] for start, stop in zip(cuts, cuts[1:], strict=False)]
    parts = [[part] if isinstance(part, str) else part for part in parts]
    tokenizer = tokenizers.train("characters", parts[0])
    rows = [pretraining.windows(tokenizer, part, LENGTH) for part in parts]
    for part in rows:
        np.random.default_rng(0).shuffle(part)
    known = {row.tobytes() for row in rows[0]}  # a few sentences of the course's own come twice
    rows = [rows[0], *(part[[row.tobytes() not in known for row in part]] for part in rows[1:])]
    return Text(tokenizer, rows[0], rows[1][:256], rows[2][:1_024], source)


def plays():
    """Return tiny Shakespeare as a `Text`."""
    path = download(*PLAYS, name="tinyshakespeare.txt")
    return text_of(path.read_text(encoding="utf-8"), "tiny Shakespeare")


def optimizer(learning_rate, batches):
    """AdamW, clipped to a norm of 1: a warm-up of 100 batches, then a cosine down to 0."""
    schedule = WarmupCosine(learning_rate, batches, min(100, batches // 4))
    return keras.optimizers.AdamW(schedule, weight_decay=0.01, global_clipnorm=1.0)


def read_text(text, settings, learning_rate, seed=0, batches=BATCHES, objective="masked"):
    """Train a new gMLP on characters, batches of 32 rows; return the model and its `Run`.

    objective: "masked" predicts ten masked characters per row, "causal" every next character.
    settings: those of `cu.models.gmlp_text` that differ from `TEXT_MODEL`.
    """
    keras.utils.set_random_seed(seed)
    encoder = models.gmlp_text(len(text.tokenizer), **TEXT_MODEL | settings)
    model = pretraining.PretrainingModel(encoder, name="characters")
    model.compile(optimizer(learning_rate, batches), pretraining.word_loss())
    parts = [rows_of(text, part, objective, seed, 50) for part in ("train", "val")]
    epochs = batches // 50
    how = {"monitor": "val_loss", "source": text.source, "resume": False}
    return model, training.fit(model, parts, epochs, **how)


def rows_of(text, part, objective="masked", seed=0, steps=None):
    """Batches of a part of a `Text` for `PretrainingModel`."""
    count = MASKED_POSITIONS if objective == "masked" else None
    how = {"vocab_size": len(text.tokenizer), "objective": objective, "count": count}
    Batches = pretraining.PretrainingBatches
    if part == "train":
        return Batches(text.train, **how, seed=seed, steps=steps)
    return Batches(getattr(text, part), **how, batch_size=128, shuffle=False)


def neighbours(batches, offsets):
    """What stands around the characters that `rows_of` asks for, and these themselves.

    Returns int (examples, offsets + 1): what the model sees at each offset from a position, 0
    beyond the row, and last what is asked there.
    """
    reach, found = max(map(abs, offsets)), []
    for number in range(len(batches)):
        inputs, asked = batches[number]
        ids = np.pad(inputs["ids"], ((0, 0), (reach, reach)))
        places = inputs["positions"] + reach
        seen = [np.take_along_axis(ids, places + offset, axis=1) for offset in offsets]
        found.append(np.stack([*seen, asked], axis=-1)[asked > 0])
    return np.concatenate(found)


def counted_losses(train, held_out, strengths):
    """Predict characters by counting what was asked between the same neighbours.

    Lecture 2's interpolation, p ← (c + strength · T · p) / (N + strength · T), from no
    neighbour to all of them; strength was 1 there.

    train, held_out: arrays of `neighbours`, the nearest first.
    Returns the mean losses on held_out in nats, (strengths, neighbours + 1): for each strength
    those by 0, 1, … neighbours.
    """
    parts, size = (train, held_out), 1 + max(train.max(), held_out.max())
    known, seen = (np.zeros(len(part), int) for part in parts)  # the contexts as numbers
    strengths, losses = np.array(strengths)[:, None], []
    p = np.full((len(strengths), len(held_out)), 1 / len(np.unique(train[:, -1])))
    for used in range(train.shape[1]):
        pairs = known * size + train[:, -1]
        N, c = counts_of(known, seen), counts_of(pairs, seen * size + held_out[:, -1])
        prior = strengths * counts_of(np.unique(pairs) // size, seen)
        p = np.where(N > 0, (c + prior * p) / np.maximum(N + prior, 1), p)
        losses.append(-np.log(p).mean(axis=1))
        known, seen = known * size + train[:, used], seen * size + held_out[:, used]
    return np.stack(losses, axis=1)


def counts_of(values, asked):
    """How often each of `asked` stands among `values`, all whole numbers."""
    found, counts = np.unique(values, return_counts=True)
    at = np.searchsorted(found, asked).clip(max=len(found) - 1)
    return np.where(found[at] == asked, counts[at], 0)


def matrices(encoder):
    """Every block's W as it multiplies the tokens, arrays (S, S)."""
    gates = [layer.gate for layer in encoder.layers if hasattr(layer, "gate")]
    return [ops.convert_to_numpy(gate.matrix()) for gate in gates]


def with_and_without_future(model, rows):
    """The loss of the next token at some positions, the later text shown, and hidden by pads.

    Returns {"future_shown": …, "future_hidden": …}, in nats.
    """
    rows = rows[(rows > 0).all(axis=1)]
    found = {"future_shown": [], "future_hidden": []}
    for place in (7, 23, 39, 55):
        hidden = np.where(np.arange(rows.shape[1]) <= place, rows, 0)
        asked = np.full((len(rows), 1), place, "int32")
        for name, ids in {"future_shown": rows, "future_hidden": hidden}.items():
            inputs = {"ids": ids, "positions": asked}
            logits = model.predict(inputs, batch_size=128, verbose=0)
            loss = pretraining.word_loss()(rows[:, place + 1 : place + 2], logits)
            found[name].append(float(loss))
    return {name: float(np.mean(losses)) for name, losses in found.items()}


def recall_rows(count, names, moves, generator):
    """Rows of pairs (name, digit) in random order, then a name whose digit is asked.

    A row holds each name once. A pair is one token, 1 + digit + 8 · name, the question another
    one, 1 + 8 · names + name. moves: the question is about any pair; else always about the
    third.

    Returns ids, int32 (count, names + 1), and digits from 0 to 7, int32 (count,).
    """
    told = generator.random((count, names)).argsort(axis=1)
    digits = generator.integers(0, DIGITS, told.shape)
    place = generator.integers(0, names, count) if moves else np.full(count, 2)
    rows = np.arange(count)
    question = 1 + DIGITS * names + told[rows, place]
    ids = np.column_stack([1 + digits + DIGITS * told, question])
    return ids.astype("int32"), digits[rows, place].astype("int32")


class RecallBatches(keras.utils.PyDataset):
    """Batches of 64 new rows of `recall_rows`, `steps` per epoch."""

    def __init__(self, names, moves, seed=0, steps=500):
        super().__init__()
        self.names, self.moves, self.seed, self.steps, self.epoch = names, moves, seed, steps, 0
        self.batch_size = 64

    def __len__(self):
        return self.steps

    def __getitem__(self, step):
        generator = np.random.default_rng([self.seed, self.epoch, step])
        return recall_rows(self.batch_size, self.names, self.moves, generator)

    def on_epoch_end(self):
        self.epoch += 1


def recaller(names, num_heads=None, **settings):
    """A model for `recall_rows`: ids (batch, names + 1) → logits (batch, 8) of the question.

    settings: those of `cu.models.gmlp_text` that differ from `RECALL_MODEL`; with num_heads,
    those of `cu.models.transformer_encoder`.
    """
    vocab_size = 1 + (DIGITS + 1) * names
    settings = RECALL_MODEL | {"max_length": names + 1} | settings
    if num_heads:
        encoder = models.transformer_encoder(vocab_size, num_heads=num_heads, **settings)
    else:
        encoder = models.gmlp_text(vocab_size, **settings)
    ids = keras.Input((names + 1,), dtype="int32")
    logits = layers.Dense(DIGITS, dtype="float32")(encoder(ids)[-1][:, -1])
    return keras.Model(ids, logits, name="recaller")


def make_recaller(names):
    """Make a gMLP that recalls a pair wherever it stands, and choose its learning rate.

    `recaller(names, **settings)` makes one; the settings are those of `cu.models.gmlp_text`, by
    default two blocks of 32 channels with D = 64 and no attention; `tiny_attention` is the d_k
    of a head in each block. `train_recaller(model, names, True, learning_rate, batches=1_000)`
    trains it.

    Args:
        names: how many names there are; a row holds each of them once.

    Returns:
        The untrained model, of at most 23,000 parameters for 32 names, and the learning rate
        with which those 1,000 batches bring it to an accuracy of 0.65 on 32 names.
    """
    return recaller(names, tiny_attention=16), 8e-3


def question_attention(model, ids):
    """How much the question attends to each pair: (blocks, rows, names + 1), summing to 1.

    model: of `recaller`; a block without tiny attention is left out. ids: of `recall_rows`.
    """
    encoder = next(layer for layer in model.layers if isinstance(layer, keras.Model))
    blocks = [layer for layer in encoder.layers if hasattr(layer, "gate")]
    found = []
    for block, states in zip(blocks, encoder(ids), strict=False):  # the last state is no input
        if block.attention is None:
            continue
        query_key_value = block.attention.query_key_value(block.norm(states))
        query, key, _ = ops.split(ops.cast(query_key_value, "float32"), 3, axis=-1)
        scores = ops.einsum("bd,bkd->bk", query[:, -1], key) / block.attention.key_dim**0.5
        found.append(ops.convert_to_numpy(ops.softmax(scores)))
    return np.reshape(found, (-1, *ids.shape))


def show_question_attention(weights, asked):
    """Show weights (blocks, rows, names + 1), and a frame around each asked pair (rows,)."""
    figure, axes = plotting.figure(9, 0.6 + 1.7 * len(weights), rows=len(weights))
    for number, (axis, shown) in enumerate(zip(np.atleast_1d(axes), weights, strict=True)):
        axis.imshow(shown, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axis.scatter(asked, range(len(asked)), 90, marker="s", facecolors="none",
                     edgecolors=plotting.COLOURS[1], linewidths=2)  # fmt: skip
        axis.grid(False)
        axis.set(title=f"block {number}", ylabel="row", yticks=[])
    axis.set(xlabel="position; the question stands last")
    told = "For some rows, how much the question attends to each pair, a panel for each block; "
    plotting.show(figure, told + "a frame stands around the pair that is asked for.")


def train_recaller(model, names, moves, learning_rate, seed=0, batches=RECALL_BATCHES):
    """Train on batches of 64 new rows, always in the same way; return the `Run`.

    AdamW, gradients clipped to a norm of 1, a warm-up of 100 batches, then a cosine down to 0.
    """
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer(learning_rate, batches), loss, metrics=["accuracy"])
    val = data.Split(*recall_rows(1_024, names, moves, np.random.default_rng(1_001)))
    parts = RecallBatches(names, moves, seed, batches // 5), val
    return training.fit(model, parts, 5, batch_size=512, source="generated", resume=False)
