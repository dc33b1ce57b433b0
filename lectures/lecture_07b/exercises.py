"""Exercises of lab 07b: a reader of canvases, built, trained, and asked where it looks."""

import warnings

import numpy as np
from keras import ops

from course_utils import data
from course_utils.checks import (
    called,
    loss_learns_alike,
    open_shapes,
    parts,
    redrawn,
    require_learning,
    require_loss,
    vectors,
    watched_training,
)
from course_utils.exercises import accepted, exercise, require
from lectures import lecture_07b
from lectures.lecture_06b.exercises import IN_FIT
from lectures.lecture_07b import CanvasEncoder
from lectures.lecture_07b.images import FreshCanvases, inputs_and_targets, load_canvases


def _pair(answer, tokens):
    ids, targets = parts(answer(tokens.copy()), "return (ids, targets)")
    arrays = isinstance(ids, np.ndarray) and isinstance(targets, np.ndarray)
    require(arrays, "ids and targets are NumPy arrays: np.array(…)")
    whole = ids.dtype.kind in "iu" and targets.dtype.kind in "iu"
    require(whole, 'ids are whole numbers: .astype("int32")')
    return ids, targets


COUNTS = "(tokens != 0).sum(axis=1)"


@exercise(
    "07b.1",
    inputs_and_targets,
    mistakes=[
        ("return ids.", "return targets.",
         "both rows are equal: it would learn to copy and read no image"),
        ("] = 3", "] = 0", "no target is <eos>, 3: it never learns to stop"),
        (COUNTS, "-1", "<eos> follows the last word directly; pads come after it"),
        ("=2)", "=0)", "the decoder's first input is <sos>, 2: nothing is written yet"),
        ("return ids.", "return tokens.", "ids need <sos> in front: shape (texts, k + 1)"),
        (", targets.astype", ", tokens.astype",
         "targets need <eos> at the end: shape (texts, k + 1)"),
        ("return ids.", "return targets.", ", targets.astype", ", ids.astype",
         "the two are exchanged: (ids, targets)"),
        ("return ids", "targets = np.insert(targets[:, :-1], 0, 2, axis=1)\n    return ids",
         "targets begin with the first word: <sos> is given, never written"),
        ("return ids", "targets[targets == 0] = 3\n    return ids",
         "<eos> comes once, and pads stay 0"),
        ("return ids", "ids[:, 1:][targets[:, :-1] == 3] = 3\n    return ids",
         "the decoder reads no <eos>: after the last word its ids are 0"),
        ("return ids", "ids = np.where(ids == 0, 2, ids)\n    return ids",
         "<sos> comes once, in front: after the last word the ids are 0"),
        (COUNTS, f"{COUNTS} - 1", "<eos> follows the last word and does not replace it"),
    ],
    compares=("the ids", "the targets"),
    takes=5,
    level=2,
    hints=["Rows differ in length.", "How many words has each row? That is where <eos> goes."],
    reasoning="Both are the same words, shifted by one step against each other.",
    solved="Shifted by one step: what it reads, and what it should write next.",
    run=_pair,
)  # fmt: skip
def captions(draw):
    for texts, k in ((2, 3), (5, 4)):
        tokens = draw.integers(4, 14, size=(texts, k))
        tokens[np.arange(k) >= draw.integers(1, k, size=(texts, 1))] = 0
        tokens[-1] = draw.integers(4, 14, size=k)
        yield (tokens,)


def _encoded(Encoder, images, patch, embed_dim, num_heads, mlp_dim, num_layers):
    layer = Encoder(images.shape[1], patch, embed_dim, num_heads, mlp_dim, num_layers)
    made = [getattr(layer, name, None) for name in ("patches", "positions", "blocks", "norm")]
    require(all(made), "make_layers has to set self.patches, positions, blocks and norm")
    told = f"self.blocks holds {num_layers} blocks, one per layer"
    require(len(layer.blocks) == num_layers, told)
    tokens = (images.shape[1] // patch) ** 2
    require(
        getattr(layer.positions, "max_length", tokens) == tokens,
        f"{tokens} patches need {tokens} positions: (side / patch)²",
    )
    layer(images)  # makes the weights
    require_learning(layer)
    for number, part in enumerate((made[0], made[1], *layer.blocks, made[3])):
        redrawn(part, seed=number)
    encoded, trained = called(layer, images), layer(images, training=True)
    require(np.allclose(encoded, trained), "training changes the vectors: no dropout here")
    return encoded


def _on_six(Encoder):
    encoder = Encoder(6, 3, 4, 2, 7, 2)
    encoder.build((None, 6, 6, 1))
    return encoder


POSITIONED = "self.positions(self.patches(images))"
SIZES = 'self.mlp_dim, activation="gelu"'


@exercise(
    "07b.2",
    CanvasEncoder,
    mistakes=[
        (POSITIONED, "self.patches(images)", "the positions are not added"),
        ("x = block(x)", "pass", "the blocks are not used"),
        ("self.norm(x)", "x", "the norm is missing"),
        (POSITIONED, f"self.norm({POSITIONED})", "return self.norm(x)", "return x",
         "the norm comes last, after the blocks"),
        ("x = block(x)", "x = self.norm(block(x))", "return self.norm(x)", "return x",
         "self.norm comes once, at the end"),
        ("(epsilon=1e-6)", "()", "the norm's epsilon is 1e-6, not Keras' default"),
        (POSITIONED, f"self.patches(images) + {POSITIONED}",
         "self.positions(x) returns x with the positions added"),
        ("x = block(x)", "x = x + block(x)", "a block adds its input itself: x = block(x)"),
        ("in self.blocks:", "in self.blocks[-1:]:",
         "each block reads what the one before returns"),
        ("self.norm(x)", "ops.mean(self.norm(x), axis=1)",
         "keep all patches: the mean is a classifier's way"),
        ("for _ in range(self.num_layers)\n        ]", "] * self.num_layers",
         "that is one block used repeatedly: make new ones"),
        (SIZES, "self.mlp_dim", 'the blocks have activation="gelu"'),
    ],
    compares="the vectors of the patches",
    takes=8,
    level=3,
    hints=["How many patches are there? As many positions are learned: (side // patch)².",
           "x = self.positions(self.patches(images)), then every block, then self.norm(x)."],
    reasoning="It is lecture 7's network up to its head; every patch keeps its own vector.",
    solved="Sixteen vectors, one per patch: the memory that the decoder attends to.",
    properties=[open_shapes(_on_six, (6, 6, 1))],
    run=_encoded,
)  # fmt: skip
def canvases(draw):
    for shape, *settings in (((2, 6, 6, 1), 3, 4, 2, 7, 2), ((3, 8, 8, 3), 2, 6, 3, 5, 3)):
        yield draw.random(shape).astype("float32"), *settings


TWICE = "from_logits=True computes the softmax: give it the logits, without a softmax before"


def _scalar(answer, targets, logits):
    """The loss for targets as floats, which is how Keras hands them on, and as integers."""
    logits = ops.convert_to_tensor(logits)
    kinds = [ops.convert_to_tensor(targets.astype(kind)) for kind in ("float32", "int32")]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")  # Keras warns, and on TensorFlow undoes the softmax
        found = [answer(kind, logits) for kind in kinds]
    require(not any("Softmax" in str(one.message) for one in said), TWICE)
    require(found[0] is not None, "your function returned None: is a `return` missing?")
    tensor = "return a tensor, computed by Keras: training needs its gradient"
    require(ops.is_tensor(found[0]), tensor)
    return tuple(found)


REAL = "ops.not_equal(targets, 0)"
NUMBER = "ops.maximum(ops.sum(real), 1)"
MEAN = f"ops.sum(losses * real) / {NUMBER}"
LOSSES = "keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)"
POWERS = "ops.exp(logits) / ops.sum(ops.exp(logits), -1, keepdims=True)"
HOT = "ops.one_hot(ops.cast(targets, 'int32'), logits.shape[-1])"
PLAIN = f"-ops.sum(ops.log({POWERS}) * {HOT}, -1)"


@exercise(
    "07b.3",
    lecture_07b.masked_loss,
    mistakes=[
        (MEAN, "ops.mean(losses)", "pads are counted: mask them"),
        (MEAN, "ops.mean(losses * real)", "divide by the number of real tokens, not by all"),
        (f" / {NUMBER}", "", "the sum is not divided"),
        (NUMBER, "losses.shape[0]", "divide by the number of real tokens, not of texts"),
        ("losses * real", "losses",
         "the losses of pads are in the sum: multiply by the mask first"),
        (MEAN, "ops.mean(ops.sum(losses * real, 1) / ops.sum(real, 1))",
         "a mean of the texts' means: short texts would weigh as much as long ones"),
        (MEAN, "losses * real", "return one number: sum, then divide"),
        ("not_equal", "equal", "that is the loss of the pads: targets that are not 0 are real"),
        ("targets, logits, from", "targets, ops.softmax(logits), from", TWICE),
        ("from_logits=True", "", "there was no softmax yet: from_logits=True"),
        (LOSSES, PLAIN, "exp of a logit of 90 is infinite: from_logits=True, or log_softmax"),
        (REAL, "(targets != 0) & (targets != 3)", "every id but 0 is real, <eos> too"),
    ],
    compares=("the loss", "the loss of targets that are whole numbers"),
    takes=6,
    level=2,
    hints=["keras.losses.sparse_categorical_crossentropy(…, from_logits=True): (batch, T).",
           "Multiply by a mask of ones and zeros, sum, and divide by the sum of the mask."],
    reasoning="A mean over real tokens does not change when a text gets more pads.",
    solved="More pads change nothing, and every real token weighs the same.",
    properties=[
        open_shapes(lambda loss: loss, (None,), (None, 6), advice=IN_FIT),
        loss_learns_alike(lecture_07b.masked_loss, 4, 6),
    ],
    run=_scalar,
)  # fmt: skip
def scores(draw):
    for texts, T, words in ((2, 3, 4), (3, 5, 6)):
        targets = draw.integers(1, words, size=(texts, T))
        targets[np.arange(T) >= np.arange(2, 2 + texts)[:, None]] = 0
        logits = vectors(draw, texts, T, words)
        yield targets, logits
        yield targets, logits + 100  # the same probabilities, but exp(100) is infinite


def _written(answer, script):
    """What an answer writes for a model that has this script, (texts, T)."""
    calls = []

    def logits_of(ids):
        ids = np.array(ids)
        told = f"ids has to have the shape {script.shape} at every call, not {ids.shape}"
        require(ids.shape == script.shape, told)
        require((ids[:, 0] == 2).all(), "the first id is <sos>, 2")
        calls.append(ids)
        told = "what is not known yet is 0 in the ids that logits_of gets"
        require(not ids[:, len(calls) :].any(), told)
        require(len(calls) <= 50, "it does not stop: max_length steps are enough")
        logits = np.zeros((*ids.shape, 14))
        for text, k in np.ndindex(ids.shape):  # after <sos> or the right token: the script
            right = ids[text, k] == (2 if k == 0 else script[text, k - 1])
            logits[text, k, script[text, k] if right else 6] = 1.0
        return logits

    return answer(logits_of, *script.shape)


WRITTEN = "np.where(ended, 0, tokens)"


@exercise(
    "07b.4",
    lecture_07b.greedy,
    mistakes=[
        ("[:, k].", "[:, -1].", "step k reads position k: the last one is padding"),
        (WRITTEN, "tokens", "after its <eos>, 3, a text has 0"),
        (WRITTEN, "np.where(ended, 3, tokens)", "after its <eos> a text has 0, not more <eos>"),
        ("[:, 1:]", "[:, :-1]", "leave <sos> out of what you return"),
        ("[:, 1:]", "", "leave <sos> out of what you return"),
        ("(ids[:, : k + 1] == 3).any(axis=1)", "ids[:, k] == 3",
         "a text has ended when <eos> is anywhere in it, not only just before"),
        (".any(axis=1)", ".any()", "one text's <eos> does not end the others"),
        ("[:, k].", "[:, k - 1].", "step k reads position k, not the one before"),
        ("for k in", "return logits_of(ids[:, :-1]).argmax(axis=-1)\n    for k in",
         "write each token into the ids before the next call"),
        ("range(max_length)", "range(max_length - 1)",
         "max_length tokens are written, and one is missing"),
        ("return ids", "ids[ids == 3] = 0\n    return ids", "<eos>, 3, is written, too"),
    ],
    compares="the written tokens",
    takes=8,
    level=3,
    hints=["Always pass ids of one shape; at step k, which position's logits count?",
           "Keep ids with one column more, and pass ids[:, :-1]; write into ids[:, k + 1]."],
    reasoning="Position k is the last one known at step k; its logits choose the next token.",
    solved="Its own tokens in, the logits of the newest position out.",
    run=_written,
)  # fmt: skip
def scripts(draw):
    for texts, T in ((1, 4), (2, 3), (4, 6)):
        script = draw.integers(7, 14, size=(texts, T))
        script[0, 1] = 3  # ends early
        if texts > 1:
            script[1, -1] = 12  # never ends
        yield (script.astype("int32"),)


def _reads(compiling, canvases, digits):
    """Train a new reader as a student compiles it, and see how many canvases it reads."""
    with watched_training() as training:
        model = lecture_07b.ImageToText(accepted("07b.2")(16), 14, 5)
        require(compiling(model, 500) is model, "return the model that you are given")
        require(not training.losses, "compile the model, and no more: the check trains it")
        told = "the loss is not the masked_loss of 07b.3: from_logits=True"
        require_loss(model, told, classes=14)
        model.fit(FreshCanvases(digits, canvases.vocabulary), epochs=5, verbose=0)
    written = lecture_07b.write(model, canvases.val.inputs["image"], 5)
    reached = (written == canvases.val.targets).all(axis=1).mean()
    training.reaches(float(reached), 0.3, "the share of canvases without a mistake")


@exercise(
    "07b.5",
    lecture_07b.compile_reader,
    mistakes=[
        ("return model", "return None", "return the model that you are given"),
        ("model.compile(optimizer, masked_loss)", "", "compile the model"),
        ("masked_loss)", "keras.losses.SparseCategoricalCrossentropy(from_logits=True))",
         "pads count in the loss"),
    ],
    takes=6,
    level=3,
    hints=["keras.optimizers.AdamW(schedule, global_clipnorm=1.0) is a good optimizer.",
           "500 batches are few: try learning rates between 0.002 and 0.006."],
    reasoning="At 0.004, three recorded runs read more than half of the test canvases.",
    solved="500 batches, from nothing but images and the digits on them.",
    trains=_reads,
    limit=900,
)  # fmt: skip
def canvases_and_digits(draw):
    yield load_canvases(), data.load_digits().train


@exercise(
    "07b.6",
    lecture_07b.weights_by_cell,
    mistakes=[
        ("grid, inside, grid, inside", "grid, grid, inside, inside", "(-3, -1)", "(-2, -1)",
         "that is the student's version: a row of patches runs through several cells"),
        ("(-3, -1))", "(-3, -1)).swapaxes(-2, -1)", "the second cell is the one on the right"),
        (".sum", ".mean", "that is the mean of a cell's patches: sum them"),
        ("grid**2", "grid, grid", "cells are one axis, row by row: reshape to (…, grid²)"),
        ("inside =", "grid = 2\n    inside =", "use `grid`: it is not always 2"),
        ("round(weights.shape[-1] ** 0.5) // grid", "weights.shape[-1] // grid**2",
         "a cell has √S / grid patches on a side"),
        ("inside =", "weights = weights.reshape(len(weights), -1)\n    inside =",
         "weights may have several axes in front of the patches: weights.shape[:-1]"),
    ],
    compares="the attention by cell",
    takes=7,
    level=3,
    hints=["One row of patches runs through several cells.", "Split both axes of the grid."],
    reasoning="Her first cell has patches 0 to 15, the two top rows of the canvas. Correct: "
    "row of cells, row inside, column of cells, column inside; sum over the two inside.",
    solved="Rows of patches run through several cells: split both axes first.",
)  # fmt: skip
def maps(draw):
    for steps, grid, inside in ((1, 2, 1), (3, 2, 2), (5, 3, 2), (4, 2, 4)):
        weights = draw.random((steps, (grid * inside) ** 2)) ** 4
        yield weights / weights.sum(axis=-1, keepdims=True), grid
    yield draw.random((3, 2, 16)), 2  # images, steps, patches


def _effects(answer, images, grid):
    kept = images.copy()

    def write(images):  # a reader that reads cell t + 1 at step t, and a bit of the one before
        images = np.asarray(images).sum(axis=-1)
        side = images.shape[1] // grid
        cells = images.reshape(len(images), grid, side, grid, side).sum(axis=(2, 4))
        cells = cells.reshape(len(images), -1)
        cells = np.roll(cells, -1, axis=1) + 0.4 * cells
        return np.pad((10 * cells).astype(int) % 7, ((0, 0), (0, 1)), constant_values=3)

    effects = answer(write, images, grid)
    require(np.array_equal(kept, images), "the images were changed: blank a copy")
    return effects


@exercise(
    "07b.7",
    lecture_07b.effect_of_blanking,
    mistakes=[
        ("row, column in", "column, row in", "cells are counted row by row"),
        ("np.array(effects)", "np.transpose(effects)", "a row per cell, a column per step"),
        ("!=", "==", "count the steps that write another token"),
        ("axis=0", "axis=1", "average over the images; each step has its own share"),
        ("axis=0", "", "each step has its own share: a row of T numbers"),
        ("images.copy()", "blank if effects else images.copy()",
         "blank one cell at a time: start again from the whole images"),
        ("side] = 0", "side, 0] = 0", "blank all channels of the cell"),
        (".mean(", ".sum(", "those are counts: divide by the number of images"),
        ("column * side : (column + 1) * side", ":", "blank one cell, not its whole row"),
        ("effects.append((write(blank) != before)",
         "last, before = before, write(blank)\n        effects.append((last != before)",
         "compare with what is written for the whole image"),
    ],
    compares="the shares by cell and step",
    takes=8,
    level=3,
    hints=["side = images.shape[1] // grid; loop over np.ndindex(grid, grid).",
           "blank[:, row * side : (row + 1) * side, column * side : (column + 1) * side] = 0"],
    reasoning="One cell is taken away, all else stays: what changes depends on that cell.",
    solved="A map says where the weight is; this says what the output depends on.",
    run=_effects,
)  # fmt: skip
def inked(draw):
    for count, side, grid, channels in ((3, 4, 2, 1), (8, 6, 2, 1), (5, 6, 3, 3)):
        yield draw.random((count, side, side, channels)), grid


def _shares(answer, ids, place, colour):
    kept = ids.copy()

    def logits_of(given):  # says the true next word, but a colour's favourite word after it
        given = np.asarray(given)
        logits = np.zeros((*given.shape, 12))
        following = np.roll(kept, -1, axis=1)[:, : given.shape[1]]
        odd = (np.cumsum(given, axis=1) * np.arange(1, len(given) + 1)[:, None]) % 5 < 2
        following = np.where(odd, (given + 3) % 12, following)
        np.put_along_axis(logits, following[..., None], 3.0, axis=-1)
        return logits

    share = answer(logits_of, ids, place, colour)
    require(share is not None, f"returned None for colour={colour}: is a `return` missing?")
    require(np.array_equal(kept, ids), "ids were changed: exchange the colour in a copy")
    return share


@exercise(
    "07b.8",
    lecture_07b.share_after,
    mistakes=[
        ("given[:, place] = colour", "pass", "the colour was not exchanged"),
        (")[:, place]", ")[:, place + 1]", "the logits at the colour's place choose the shape"),
        (")[:, place]", ")[:, place - 1]", "place + 1]", "place]",
         "that is the colour: ask for the word after it"),
        ("place + 1", "place", "compare with the shape, ids[:, place + 1]"),
        (")[:, place]", ")[:, place - 1]",
         "those logits choose the colour: the colour's own choose the shape"),
        (".mean()", ".sum()", "that is a count: divide by the number of images"),
        (")[:, place]", ")[:, :-1]", "place + 1]", "1:]",
         "ask for the word after the colour alone, not for all words"),
        ("given[:, place]", "given[place]", "the places are the second axis: ids[:, place]"),
        ("given =", "place = 2\n    given =", "use `place`: it is not always 2"),
    ],
    compares="the share",
    takes=8,
    level=3,
    hints=["Copy ids, and set column `place`.", "Which logits choose the token after it?"],
    reasoning="The prefix is forced, so that only the image can tell the true shape.",
    solved="An intervention on the text, as blanking is one on the image.",
    run=_shares,
)  # fmt: skip
def prefixes(draw):
    for texts, T, place, colour in ((6, 6, 2, None), (6, 6, 2, 7), (9, 5, 1, 5), (10, 7, 3, 4)):
        yield draw.integers(4, 12, size=(texts, T)), place, colour
