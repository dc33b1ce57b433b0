"""Exercises of lab 07b: a reader of canvases, built, trained, and asked where it looks."""

import keras
import numpy as np
from keras import ops

from course_utils import data
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_07b, lecture_07b_images
from course_utils.lectures.lecture_07b import CanvasEncoder


def shifted(start=2, end=3, last=False, copy=False):
    """`inputs_and_targets` with other signs, or with <eos> at another place."""

    def wrong(tokens):
        rows, counts = np.arange(len(tokens)), (tokens != 0).sum(axis=1)
        ids, targets = np.pad(tokens, ((0, 0), (1, 0))), np.pad(tokens, ((0, 0), (0, 1)))
        ids[:, 0], targets[rows, -1 if last else counts] = start, end
        return (targets, targets) if copy else (ids, targets)

    return wrong


def _ends(change):
    """`inputs_and_targets` whose targets are made of a padded row and its count of words."""

    def wrong(tokens):
        padded, counts = np.pad(tokens, ((0, 0), (0, 1))), (tokens != 0).sum(axis=1)
        targets = [change(row, count) for row, count in zip(padded, counts, strict=True)]
        return shifted()(tokens)[0], np.array(targets)

    return wrong


def _real_places(answer, tokens):
    """What an answer returns; where the target is a pad, any id may be read."""
    pair = answer(tokens.copy())
    require(isinstance(pair, tuple | list) and len(pair) == 2, "return (ids, targets)")
    ids, targets = (np.asarray(part) for part in pair)
    whole = ids.dtype.kind in "iu" and targets.dtype.kind in "iu"
    require(whole, 'ids are whole numbers: .astype("int32")')
    if ids.shape == targets.shape:
        ids = np.where(np.arange(ids.shape[1]) > (tokens != 0).sum(axis=1)[:, None], 0, ids)
    return ids, targets


@exercise(
    "07b.1",
    lecture_07b_images.inputs_and_targets,
    mistakes=[
        (shifted(copy=True), "both rows are equal: it would learn to copy and read no image"),
        (lambda x: (shifted()(x)[0],) * 2,
         "both rows are equal: it would learn to copy and read no image"),
        (shifted(end=0), "no target is <eos>, 3: it never learns to stop"),
        (shifted(last=True), "<eos> follows the last word directly; pads come after it"),
        (shifted(start=0), "the decoder's first input is <sos>, 2: nothing is written yet"),
        (lambda x: (x, shifted()(x)[1]), "ids need <sos> in front: shape (texts, k + 1)"),
        (lambda x: (np.pad(x, ((0, 0), (0, 1))), shifted()(x)[1]),
         "ids begin with <sos>, 2, and the words follow it"),
        (lambda x: (shifted()(x)[0], x), "targets need <eos> at the end: shape (texts, k + 1)"),
        (lambda x: shifted()(x)[::-1], "the two are exchanged: (ids, targets)"),
        (lambda x: (shifted()(x)[0], shifted(end=2)(x)[1]), "<sos> is given, never written"),
        (lambda x: (shifted()(x)[0], np.insert(shifted()(x)[1][:, :-1], 0, 2, axis=1)),
         "targets begin with the first word: <sos> is given, never written"),
        (_ends(lambda row, count: np.where(np.arange(len(row)) < count, row, 3)),
         "<eos> comes once, and pads stay 0"),
        (_ends(lambda row, count: np.where(
            np.arange(len(row)) == min(count + 1, len(row) - 1), 3, row)),
         "<eos> follows the last word directly; pads come after it"),
        (_ends(lambda row, count: np.where(np.arange(len(row)) == count - 1, 3, row)),
         "<eos> follows the last word and does not replace it"),
    ],
    takes=5,
    level=2,
    hints=["Rows differ in length.", "How many words has each row? That is where <eos> goes."],
    reasoning="Both are the same words, shifted by one step against each other.",
    solved="Shifted by one step: what it reads, and what it should write next.",
    run=_real_places,
)  # fmt: skip
def captions(draw):
    for texts, k in ((2, 3), (5, 4)):
        tokens = draw.integers(4, 14, size=(texts, k))
        tokens[np.arange(k) >= draw.integers(1, k, size=(texts, 1))] = 0
        tokens[-1] = draw.integers(4, 14, size=k)
        yield (tokens,)


def encoder(call=None, **changes):
    """A class like CanvasEncoder with another call, or with other layers of these names."""

    class Encoder(CanvasEncoder):
        def make_layers(self):
            super().make_layers()
            for name, make in changes.items():
                setattr(self, name, make(self))

    if call:
        Encoder.call = call
    return Encoder


def _blocks(layer, x, count=None):
    for block in layer.blocks[:count]:
        x = block(x)
    return x


def _blocks_of(layer, mlp_dim=None, **how):
    kind, sizes = lecture_07b.TransformerEncoderBlock, (layer.embed_dim, layer.num_heads)
    return [kind(*sizes, mlp_dim or layer.mlp_dim, **how) for _ in range(layer.num_layers)]


def _one_block_twice(layer):
    return _blocks_of(layer, activation="gelu")[:1] * layer.num_layers


def _norm_each(layer, images):
    x = layer.positions(layer.patches(images))
    for block in layer.blocks:
        x = layer.norm(block(x))
    return x


def _positions_twice(layer, images):
    x = layer.patches(images)
    return layer.norm(_blocks(layer, x + layer.positions(x)))


def _residual_twice(layer, images):
    x = layer.positions(layer.patches(images))
    for block in layer.blocks:
        x = x + block(x)
    return layer.norm(x)


def _pooled(layer, images):
    return ops.mean(CanvasEncoder.call(layer, images), axis=1)


def _encoded(Encoder, images, patch, embed_dim, num_layers):
    layer = Encoder(images.shape[1], patch, embed_dim, 2, 7, num_layers)
    made = [getattr(layer, name, None) for name in ("patches", "positions", "blocks", "norm")]
    require(all(made), "make_layers has to set self.patches, positions, blocks and norm")
    require(
        len(layer.blocks) == num_layers, f"self.blocks holds {num_layers} blocks, one a layer"
    )
    tokens = (images.shape[1] // patch) ** 2
    require(
        getattr(layer.positions, "max_length", tokens) == tokens,
        f"{tokens} patches need {tokens} positions: (side / patch)²",
    )
    layer(images)  # makes the weights
    for number, part in enumerate((made[0], made[1], *layer.blocks, made[3])):
        draw = np.random.default_rng(number)
        part.set_weights([draw.normal(0, 0.5, weight.shape) for weight in part.weights])
    encoded, trained = (layer(images, training=on) for on in (False, True))
    require(encoded is not None, "call returned None: is a `return` missing?")
    encoded, trained = map(ops.convert_to_numpy, (encoded, trained))
    require(np.allclose(encoded, trained), "training changes the vectors: no dropout here")
    return encoded


@exercise(
    "07b.2",
    CanvasEncoder,
    mistakes=[
        (encoder(lambda s, x: s.norm(_blocks(s, s.patches(x)))), "the positions are not added"),
        (encoder(lambda s, x: s.norm(s.positions(_blocks(s, s.patches(x))))),
         "add the positions before the blocks: attention needs them"),
        (encoder(lambda s, x: s.norm(s.positions(s.patches(x)))), "the blocks are not used"),
        (encoder(lambda s, x: s.norm(_blocks(s, s.positions(s.patches(x)), 1))),
         "run all the blocks, one after another"),
        (encoder(lambda s, x: _blocks(s, s.positions(s.patches(x)))), "the norm is missing"),
        (encoder(lambda s, x: _blocks(s, s.norm(s.positions(s.patches(x))))),
         "the norm comes last, after the blocks"),
        (encoder(_norm_each), "self.norm comes once, at the end"),
        (encoder(norm=lambda s: keras.layers.LayerNormalization()),
         "the norm's epsilon is 1e-6, not Keras' default"),
        (encoder(lambda s, x: s.positions(s.norm(_blocks(s, s.patches(x))))),
         "positions come before the blocks: attention needs them"),
        (encoder(_positions_twice), "self.positions(x) returns x with the positions added"),
        (encoder(_residual_twice), "a block adds its input itself: x = block(x)"),
        (encoder(lambda s, x: s.norm(s.blocks[-1](s.positions(s.patches(x))))),
         "each block reads what the one before returns"),
        (encoder(lambda s, x: CanvasEncoder.call(s, x)[:, 0]),
         "keep all patches, not the first alone"),
        (encoder(_pooled), "keep all patches: the mean is a classifier's way"),
        (encoder(blocks=_one_block_twice), "that is one block used repeatedly: make new ones"),
        (encoder(blocks=lambda s: _blocks_of(s)), 'the blocks have activation="gelu"'),
        (encoder(blocks=lambda s: _blocks_of(s, activation="gelu", norm="post")),
         'the blocks are pre-norm, which is their default'),
        (encoder(blocks=lambda s: _blocks_of(s, 4 * s.embed_dim, activation="gelu")),
         "the blocks' feed-forward networks have self.mlp_dim units"),
        (encoder(lambda s, x: ops.reshape(CanvasEncoder.call(s, x), (len(x), -1))),
         "keep a vector for each patch: (batch, S, embed_dim)"),
    ],
    takes=8,
    level=3,
    hints=[
        "How many patches are there? As many positions are learned: (side / patch)².",
        "x = self.positions(self.patches(images)), then every block, then self.norm(x).",
    ],
    reasoning="It is lecture 7's network up to its head; every patch keeps its own vector.",
    solved="Sixteen vectors, one a patch: the memory that the decoder attends to.",
    run=_encoded,
)  # fmt: skip
def canvases(draw):
    for side, patch, embed_dim, num_layers in ((6, 3, 4, 2), (8, 2, 6, 3)):
        images = draw.random((2, side, side, 1)).astype("float32")
        yield images, patch, embed_dim, num_layers


def loss(combine=lambda losses, real: ops.sum(losses * real) / ops.sum(real), logits=True):
    """A `masked_loss` that combines the losses (batch, T) and what is real otherwise."""

    def wrong(targets, scores):
        entropy = keras.losses.sparse_categorical_crossentropy
        losses = entropy(targets, scores, from_logits=logits)
        return combine(losses, ops.cast(ops.not_equal(targets, 0), losses.dtype))

    return wrong


def loss_of(real):
    """A `masked_loss` that takes other targets for real."""

    def wrong(targets, logits):
        kept = np.where(real(ops.convert_to_numpy(targets)), targets, 0)
        return lecture_07b.masked_loss(ops.convert_to_tensor(kept), logits)

    return wrong


def _scalar(answer, targets, logits):
    """The loss for targets as floats, which is how Keras hands them on, and as integers."""
    logits = ops.convert_to_tensor(logits)
    kinds = [ops.convert_to_tensor(targets.astype(kind)) for kind in ("float32", "int32")]
    found = [answer(kind, logits) for kind in kinds]
    require(found[0] is not None, "your function returned None: is a `return` missing?")
    tensor = "return a tensor, computed by Keras: training needs its gradient"
    require(ops.is_tensor(found[0]), tensor)
    return [ops.convert_to_numpy(one) for one in found]


@exercise(
    "07b.3",
    lecture_07b.masked_loss,
    mistakes=[
        (loss(lambda losses, real: ops.mean(losses)), "pads are counted: mask them"),
        (loss(lambda losses, real: ops.mean(losses * real)),
         "divide by the number of real tokens, not by all"),
        (loss(lambda losses, real: ops.sum(losses * real)), "the sum is not divided"),
        (loss(lambda losses, real: ops.sum(losses * real) / losses.shape[0]),
         "divide by the number of real tokens, not of texts"),
        (loss(lambda losses, real: ops.sum(losses * real) / losses.shape[1]),
         "divide by the number of real tokens, not by T"),
        (loss(lambda losses, real: ops.sum(losses) / ops.sum(real)),
         "the losses of pads are in the sum: multiply by the mask first"),
        (lambda targets, logits: lecture_07b.masked_loss(targets, logits) * ops.sum(
            ops.cast(targets != 0, "float32")) / ops.sum(ops.cast(targets, "float32")),
         "divide by the sum of the mask, not of the ids"),
        (lambda targets, logits: loss(lambda losses, real: ops.mean(losses))(
            targets, logits * ops.cast(targets != 0, "float32")[..., None]),
         "mask the losses, not the logits"),
        (loss(lambda losses, real: ops.mean(ops.sum(losses * real, 1) / ops.sum(real, 1))),
         "a mean of the texts' means: short texts would weigh as much as long ones"),
        (loss(lambda losses, real: ops.sum(losses * real, 1) / ops.sum(real, 1)),
         "return one number for the whole batch"),
        (loss(lambda losses, real: losses * real), "return one number: sum, then divide"),
        (loss(lambda losses, real: ops.sum(losses * (1 - real)) / ops.sum(1 - real)),
         "that is the loss of the pads: targets that are not 0 are real"),
        (loss(logits=False), "there was no softmax yet: from_logits=True"),
        (loss_of(lambda targets: (targets != 0) & (targets != 3)),
         "every id but 0 is real, <eos> too"),
        (loss_of(lambda targets: targets > 3), "every id but 0 is real, <eos> too"),
        (lambda targets, logits: -lecture_07b.masked_loss(targets, logits),
         "the sign is wrong: the loss is minus the log of a probability"),
    ],
    takes=6,
    level=2,
    hints=[
        "keras.losses.sparse_categorical_crossentropy(…, from_logits=True): (batch, T).",
        "Multiply by a mask of ones and zeros, sum, and divide by the sum of the mask.",
    ],
    reasoning="A mean over real tokens does not change when a text gets more pads.",
    solved="More pads change nothing, and every real token weighs the same.",
    run=_scalar,
)  # fmt: skip
def scores(draw):
    for texts, T, words in ((2, 3, 4), (3, 5, 6)):
        targets = draw.integers(1, words, size=(texts, T))
        targets[np.arange(T) >= np.arange(2, 2 + texts)[:, None]] = 0
        yield targets, draw.normal(size=(texts, T, words)).astype("float32")


def decode(read=lambda k: k, fed=None, stop=True, keep=0, start=2, first=0, spare=0):
    """A `greedy` that reads other positions, feeds other tokens, or ends otherwise."""

    def wrong(logits_of, texts, max_length):
        ids = np.full((texts, max_length + 1), spare, "int32")
        ids[:, 0] = start
        written = np.zeros((texts, max_length), "int32")
        for k in range(max_length):
            tokens = logits_of(ids[:, :-1])[:, read(k)].argmax(axis=-1)
            ended = (written[:, :k] == 3).any(axis=1) & stop
            written[:, k] = np.where(ended, keep, tokens)
            ids[:, k + 1] = fed if fed else written[:, k]
        return np.roll(ids, -1, axis=1)[:, :-1] if first == 0 else ids[:, :-1]

    return wrong


def _late(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length), "int32")
    ids[:, 0] = 2
    for k in range(1, max_length):
        ids[:, k] = logits_of(ids)[:, k].argmax(axis=-1)
    return ids


def _one_call(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length), "int32")
    ids[:, 0] = 2
    return logits_of(ids).argmax(axis=-1)


def _cut(logits_of, texts, max_length):
    written = decode()(logits_of, texts, max_length)
    written[:, -1] = 0
    return written


def _forgets_the_end(logits_of, texts, max_length):
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        tokens = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
        ids[:, k + 1] = np.where(ids[:, k] == 3, 0, tokens)
    return ids[:, 1:]


def _one_ends_all(logits_of, texts, max_length):
    written = decode()(logits_of, texts, max_length)
    written[:, (written == 3).any(axis=0).argmax() + 1 :] = 0
    return written


def _written(answer, script):
    """What an answer writes for a model that has this script, (texts, T)."""
    calls = []

    def logits_of(ids):
        ids = np.array(ids)
        require(
            ids.shape == script.shape,
            f"ids has to have the shape {script.shape} at every call, not {ids.shape}",
        )
        require((ids[:, 0] == 2).all(), "the first id is <sos>, 2")
        calls.append(ids)
        require(len(calls) <= 50, "it does not stop: max_length steps are enough")
        logits = np.zeros((*ids.shape, 14))
        for text, k in np.ndindex(ids.shape):  # after <sos> or the right token: the script
            right = ids[text, k] == (2 if k == 0 else script[text, k - 1])
            logits[text, k, script[text, k] if right else 6] = 1.0
        return logits

    return np.asarray(answer(logits_of, *script.shape))


@exercise(
    "07b.4",
    lecture_07b.greedy,
    mistakes=[
        (decode(read=lambda k: -1), "step k reads position k: the last one is padding"),
        (decode(read=lambda k: 0), "step k reads position k, not always the first"),
        (decode(fed=9), "feed the model's own tokens"),
        (decode(stop=False), "after its <eos>, 3, a text has 0"),
        (decode(keep=3), "after its <eos> a text has 0, not more <eos>"),
        (decode(start=1), "the first id is <sos>, 2"),
        (decode(first=2), "leave <sos> out of what you return"),
        (decode(first=2, stop=False), "leave <sos> out of what you return"),
        (
            lambda *a: np.insert(decode()(*a), 0, 2, axis=1),
            "leave <sos> out of what you return",
        ),
        (
            _forgets_the_end,
            "a text has ended when <eos> is anywhere in it, not only just before",
        ),
        (_one_ends_all, "one text's <eos> does not end the others"),
        (decode(read=lambda k: k - 1), "step k reads position k, not the one before"),
        (_late, "step k reads position k, and its token goes to position k + 1"),
        (_one_call, "append each token before the next call"),
        (_cut, "max_length tokens are written, and one is missing"),
        (lambda *a: np.where(decode()(*a) == 3, 0, decode()(*a)), "<eos>, 3, is written, too"),
    ],
    takes=8,
    level=3,
    hints=[
        "Always pass ids of one shape; at step k, which position's logits count?",
        "Keep ids with one column more, and pass ids[:, :-1]; write into ids[:, k + 1].",
    ],
    reasoning="Position k is the last one known at step k; its logits choose the next token.",
    solved="Its own tokens in, the logits of the newest position out.",
    run=_written,
)
def scripts(draw):
    for texts, T in ((2, 3), (4, 6)):
        script = draw.integers(7, 14, size=(texts, T))
        script[0, 1], script[1, -1] = 3, 12  # ends early; never ends
        yield (script.astype("int32"),)


def _reads(compile_reader):
    """Train a new reader as a student compiles it; True where it reaches the figure."""
    if compile_reader is lecture_07b.compiled:  # trained in the tests, not at every check
        return True
    keras.utils.set_random_seed(0)
    model = lecture_07b.ImageToText(CanvasEncoder(16), 14, 5)
    require(compile_reader(model, 500) is model, "return the model that you are given")
    require(getattr(model, "optimizer", None) is not None, "compile the model")
    logits, words = np.array([[[0.0, 2.0, 1.0]] * 2]), np.array([[1, 0]])
    found = float(model.compute_loss(y=words, y_pred=ops.convert_to_tensor(logits)))
    require(abs(found - 0.4076) < 1e-3, "the loss is not the masked_loss of 07b.3")
    canvases = lecture_07b_images.load_canvases()
    digits = data.load_digits().train
    fresh = lecture_07b_images.FreshCanvases(digits, canvases.vocabulary)
    model.fit(fresh, epochs=5, verbose=0)
    written = lecture_07b.write(model, canvases.val.inputs["image"], 5)
    reached = (written == canvases.val.targets).all(axis=1).mean()
    require(
        reached >= 0.3,
        f"after 500 batches {reached:.0%} of the validation canvases are right, and 30 % are "
        "asked: try Adam or AdamW, with a learning rate two to four times as large or small",
    )
    return True


def compiling(loss=None, give_back=True):
    """Compile with a loss that is not asked for, or not at all."""

    def wrong(model, steps):
        if loss:
            model.compile("adam", loss)
        return model if give_back else None

    return wrong


@exercise(
    "07b.5",
    lecture_07b.compiled,
    mistakes=[
        (compiling(give_back=False), "return the model that you are given"),
        (compiling(), "compile the model"),
        (compiling(keras.losses.SparseCategoricalCrossentropy(from_logits=True)),
         "the loss is not the masked_loss"),
    ],
    takes=6,
    level=3,
    hints=[
        "keras.optimizers.AdamW(schedule, global_clipnorm=1.0) is a good optimizer.",
        "500 batches are few: try learning rates between 0.002 and 0.006.",
    ],
    reasoning="With few batches the learning rate has to be as large as training bears.",
    solved="500 batches, from nothing but images and the digits on them.",
    run=_reads,
    limit=900,
)  # fmt: skip
def no_arguments(draw):
    yield ()


def summed(split=lambda g, n: (g, n, g, n), axes=(-3, -1), order=lambda x: x, how="sum",
           patches=lambda S, g: round(S**0.5) // g):  # fmt: skip
    """`weights_by_cell` with the patches split otherwise, or cells in another order."""

    def wrong(weights, grid):
        inside = patches(weights.shape[-1], grid)
        parts = weights.reshape(*weights.shape[:-1], *split(grid, inside))
        found = getattr(parts, how)(axis=axes)
        return order(found).reshape(*weights.shape[:-1], grid**2)

    return wrong


@exercise(
    "07b.6",
    lecture_07b.weights_by_cell,
    mistakes=[
        (summed(lambda g, n: (g, g, n, n), (-2, -1)),
         "that is the student's version: a row of patches runs through several cells"),
        (summed(lambda g, n: (n, g, n, g), (-4, -2)), "that sums every second patch"),
        (summed(order=lambda x: x.swapaxes(-2, -1)), "the second cell is the one on the right"),
        (summed(how="mean"), "that is the mean of a cell's patches: sum them"),
        (lambda w, g: summed()(w, g).mean(axis=0), "do not average over the steps"),
        (summed(how="max"), "that is the largest weight of a cell: sum them"),
        (lambda w, g: summed()(w, g).reshape(*w.shape[:-1], g, g),
         "cells are one axis, row by row: reshape to (…, grid²)"),
        (lambda w, g: summed()(w, 2), "use `grid`: it is not always 2"),
        *((summed(patches=wrong), "a cell has √S / grid patches on a side")
          for wrong in (lambda S, g: S // g, lambda S, g: S // g**2)),
        (lambda w, g: summed()(w.reshape(len(w), -1), g),
         "weights may have several axes in front of the patches: weights.shape[:-1]"),
    ],
    takes=7,
    level=3,
    hints=["One row of patches runs through several cells.", "Split both axes of the grid."],
    reasoning="Row of cells, row inside, column of cells, column inside: sum over the inside.",
    solved="Rows of patches run through several cells: split both axes first.",
)  # fmt: skip
def maps(draw):
    for steps, grid, inside in ((1, 2, 1), (3, 2, 2), (5, 3, 2), (4, 2, 4)):
        weights = draw.random((steps, (grid * inside) ** 2)) ** 4
        yield weights / weights.sum(axis=-1, keepdims=True), grid
    yield draw.random((3, 2, 16)), 2  # images, steps, patches


def blanked(
    order=1, value=0, turn=False, count=np.not_equal, average=0, keep=False,
    channels=slice(None),
):  # fmt: skip
    """An `effect_of_blanking` in which something differs."""

    def wrong(write, images, grid):
        before, side, effects = write(images), images.shape[1] // grid, []
        blank = images.copy()
        for row, column in np.ndindex(grid, grid):
            blank = blank if keep else images.copy()
            row, column = (row, column)[::order]
            rows, columns = (slice(side * k, side * k + side) for k in (row, column))
            blank[:, rows, columns, channels] = value
            effects.append(count(write(blank), before).mean(axis=average))
        return np.transpose(effects) if turn else np.array(effects)

    return wrong


def _only_the_cell(write, images, grid):
    keep = np.zeros_like(images)
    before, side, effects = write(images), images.shape[1] // grid, []
    for row, column in np.ndindex(grid, grid):
        rows, columns = (slice(side * k, side * k + side) for k in (row, column))
        only = keep.copy()
        only[:, rows, columns] = images[:, rows, columns]
        effects.append((write(only) != before).mean(axis=0))
    return np.array(effects)


def _whole(axis):
    """An `effect_of_blanking` that blanks whole rows (axis 1) or columns (axis 2) of cells."""

    def wrong(write, images, grid):
        before, side, effects = write(images), images.shape[1] // grid, []
        for cell in np.ndindex(grid, grid):
            blank = images.copy()
            blank.swapaxes(1, axis)[:, side * cell[axis - 1] : side * cell[axis - 1] + side] = 0
            effects.append((write(blank) != before).mean(axis=0))
        return np.array(effects)

    return wrong


def _against_the_last(write, images, grid):
    before, side, effects = write(images), images.shape[1] // grid, []
    for row, column in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, side * row : side * row + side, side * column : side * column + side] = 0
        written = write(blank)
        effects.append((written != before).mean(axis=0))
        before = written
    return np.array(effects)


def _effects(answer, images, grid):
    kept = images.copy()

    def write(images):  # a reader that reads cell t + 1 at step t, and a bit of the one before
        images = np.asarray(images).sum(axis=-1)
        side = images.shape[1] // grid
        cells = images.reshape(len(images), grid, side, grid, side).sum(axis=(2, 4))
        cells = cells.reshape(len(images), -1)
        cells = np.roll(cells, -1, axis=1) + 0.4 * cells
        return np.pad((10 * cells).astype(int) % 7, ((0, 0), (0, 1)), constant_values=3)

    effects = np.asarray(answer(write, images, grid))
    require(np.array_equal(kept, images), "the images were changed: blank a copy")
    return effects


@exercise(
    "07b.7",
    lecture_07b.effect_of_blanking,
    mistakes=[
        (blanked(order=-1), "cells are counted row by row"),
        (blanked(value=1), "a blank cell holds 0, no ink"),
        (blanked(turn=True), "a row for each cell, a column for each step"),
        (blanked(count=np.equal), "count the steps that write another token"),
        (blanked(average=1), "average over the images; each step has its own share"),
        (blanked(average=None), "each step has its own share: a row of T numbers"),
        (blanked(keep=True), "blank one cell at a time: start again from the whole images"),
        (_only_the_cell, "blank this cell, not all the others"),
        (blanked(channels=0), "blank all channels of the cell"),
        (
            lambda write, images, grid: blanked()(write, images, grid) * len(images),
            "those are counts: divide by the number of images",
        ),
        (
            blanked(count=lambda after, before: np.abs(after - before)),
            "count the steps that differ, not by how much the ids do",
        ),
        (_whole(1), "blank one cell, not its whole row"),
        (_whole(2), "blank one cell, not its whole column"),
        (lambda *given: blanked()(*given)[:, :-1], "all T steps, <eos> too"),
        (
            lambda *given: blanked()(*given).reshape(given[2], given[2], -1),
            "cells are one axis, row by row: (grid², T)",
        ),
        (_against_the_last, "compare with what is written for the whole image"),
    ],
    takes=8,
    level=3,
    hints=[
        "side = images.shape[1] // grid; loop over np.ndindex(grid, grid).",
        "blank[:, row * side : (row + 1) * side, column * side : (column + 1) * side] = 0",
    ],
    reasoning="One cell is taken away, all else stays: what changes depends on that cell.",
    solved="A map says where the weight is; this says what the output depends on.",
    run=_effects,
)
def inked(draw):
    for count, side, grid, channels in ((3, 4, 2, 1), (8, 6, 2, 1), (5, 6, 3, 3)):
        yield draw.random((count, side, side, channels)), grid


def asked(offset=0, target=1, swap=True, put=0, share=np.mean, all_places=False):
    """A `share_after` that looks at other positions, or leaves the colour out."""

    def answer(logits_of, ids, place, colour=None):
        given = ids.copy()
        if colour is not None and swap:
            given[:, place + put] = colour
        said = logits_of(given).argmax(axis=-1)
        if all_places:
            return (said[:, :-1] == ids[:, 1:]).mean()
        said = said[:, place + offset]
        return share(said == ids[:, place + target])

    return answer


def _a_row(logits_of, ids, place, colour=None):
    given = ids.copy()
    if colour is not None:
        given[place] = colour
    return (logits_of(given)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


def _everywhere(logits_of, ids, place, colour=None):
    given = ids if colour is None else np.where(ids == ids[:, [place]], colour, ids)
    return (logits_of(given)[:, place].argmax(axis=-1) == ids[:, place + 1]).mean()


def _shares(answer, ids, place, colour):
    kept = ids.copy()

    def logits_of(given):  # says the true next word, but a colour's favourite word after it
        given = np.asarray(given)
        logits = np.zeros((*given.shape, 12))
        following = np.roll(kept, -1, axis=1)
        odd = (np.cumsum(given, axis=1) * np.arange(1, len(given) + 1)[:, None]) % 5 < 2
        following = np.where(odd, (given + 3) % 12, following)
        np.put_along_axis(logits, following[..., None], 3.0, axis=-1)
        return logits

    share = answer(logits_of, ids, place, colour)
    require(share is not None, f"returned None for colour={colour}: is a `return` missing?")
    share = np.asarray(share)
    require(np.array_equal(kept, ids), "ids were changed: exchange the colour in a copy")
    return share


@exercise(
    "07b.8",
    lecture_07b.share_after,
    mistakes=[
        (asked(swap=False), "the colour was not exchanged"),
        (asked(offset=1), "the logits at the colour's place choose the shape"),
        (asked(offset=-1, target=0), "that is the colour: ask for the word after it"),
        (asked(target=0), "compare with the shape, ids[:, place + 1]"),
        (asked(offset=-1), "those logits choose the colour: the colour's own choose the shape"),
        (lambda logits_of, ids, place, colour=None: asked()(logits_of, ids, place, colour)
         * len(ids), "that is a count: divide by the number of images"),
        (lambda *a: 1 - asked()(*a), "that is the share of the others"),
        (asked(all_places=True), "ask for the word after the colour alone, not for all words"),
        (_a_row, "the places are the second axis: ids[:, place]"),
        (asked(share=lambda right: right), "return one number, the share: take the mean"),
        (lambda logits_of, ids, place, colour=None: asked()(logits_of, ids, 2, colour),
         "use `place`: it is not always 2"),
        (asked(put=-1), "the colour stands at `place`, not before it"),
        (_everywhere, "exchange the colour at `place` alone"),
    ],
    takes=8,
    level=3,
    hints=["Copy ids, and set column `place`.", "Which logits choose the token after it?"],
    reasoning="The prefix is forced, so that only the image can tell the true shape.",
    solved="An intervention on the text, as blanking is one on the image.",
    run=_shares,
)  # fmt: skip
def prefixes(draw):
    for texts, place, colour in ((6, 2, None), (6, 2, 7), (9, 1, 5), (10, 3, 4)):
        yield draw.integers(4, 12, size=(texts, 6)), place, colour
