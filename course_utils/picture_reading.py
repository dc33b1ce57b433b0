"""Readers of canvases while they train and when they are judged: lab 07b's yardsticks."""

import keras
import numpy as np
from keras import ops

from course_utils import decoding, translation
from course_utils.data import Split, decode_sentence, make_canvases, random_rotate
from course_utils.data.captions import teacher_forced
from course_utils.edit_distance import error_rate
from course_utils.models.transformer import Transformer
from course_utils.numpy_ref.cells import weights_by_cell


class FreshCanvases(keras.utils.PyDataset):
    """Batches of 64 canvases of these digits, drawn anew for every epoch.

    turn: every digit is turned by up to so many degrees first, anew each epoch.
    """

    def __init__(self, digits, vocabulary, steps, seed, turn=0, **canvas):
        super().__init__()
        self.digits, self.vocabulary, self.canvas = digits, vocabulary, canvas
        self.turn = turn
        self.steps, self.seed, self.examples = steps, seed, 64 * steps
        self.on_epoch_end()

    def on_epoch_end(self):
        digits, length = self.digits, self.canvas["grid"] ** 2 + 1
        self.seed += 1
        images = (
            random_rotate(digits.inputs, self.turn, self.seed) if self.turn else digits.inputs
        )
        self.images, answers = make_canvases(
            images, digits.targets, self.examples, seed=self.seed, **self.canvas
        )
        self.ids, self.targets, _ = teacher_forced(answers, self.vocabulary, length)

    def __len__(self):
        return self.steps

    def __getitem__(self, number):
        rows = slice(64 * number, 64 * number + 64)
        images = self.images[rows]
        if images.dtype == np.uint8:
            images = np.divide(images, 255, dtype="float32")
        return {"image": images, "ids": self.ids[rows]}, self.targets[rows]


def read(model, images, vocabulary, max_length):
    """What the model writes by itself: a list of texts, such as "3 1 4 1"."""
    return translation.translate(model, images, {"target": vocabulary}, max_length)


def cross_attention(model, inputs):
    """Attention to the places of the picture, true tokens before: (pictures, T, S)."""
    if isinstance(model, Transformer):
        weights = ops.mean(model.alignment(inputs["image"], inputs["ids"]), axis=1)
    else:
        weights = model.weights_for(inputs["image"], inputs["ids"])
    if weights is None:
        return None
    # In bfloat16, the numbers of a GPU, a sum of thousands stops growing.
    return ops.convert_to_numpy(ops.cast(weights, "float32"))


def mass_on_cell(model, split, grid):
    """The share of each digit's attention that lies on the cell it is written in."""
    weights = cross_attention(model, split.inputs)
    if weights is None:
        return {}
    by_cell = weights_by_cell(weights, grid)
    cells = split.columns["alignment"]
    mass = np.take_along_axis(by_cell, np.maximum(cells, 0)[..., None], axis=-1)[..., 0]
    hits = by_cell.argmax(axis=-1) == cells
    return {"mass": mass[cells >= 0].mean(), "largest": hits[cells >= 0].mean()}


class DecodingMonitor(keras.callbacks.Callback):
    """Behind every epoch: what is read without a teacher, and where the reader looks."""

    def __init__(self, split):
        super().__init__()
        self.split, self.exact, self.maps, self.step = split, [], [], None

    def on_epoch_end(self, epoch, logs=None):
        model, targets = self.model, self.split.targets
        self.step = self.step or decoding.compiled(model.step, model)
        length = targets.shape[1]
        written = decoding.greedy(model, self.split.inputs["image"], length, self.step)
        written = np.pad(written, ((0, 0), (0, length - written.shape[1])))
        self.exact.append((written == targets).all(axis=1).mean())
        self.maps.append(cross_attention(model, self.split.inputs))


def without_weights(split):
    """Inputs and targets alone: the loss knows which tokens are real."""
    return Split(split.inputs, split.targets)


def evaluate(model, split, vocabulary, grid):
    """All the figures about what a reader writes by itself."""
    true, length = split.columns["answer"], split.targets.shape[1]
    written = read(model, split.inputs["image"], vocabulary, length)
    pairs = [(own.split(), text.split()) for own, text in zip(written, true, strict=True)]
    places = [own[k : k + 1] == [digit] for own, text in pairs for k, digit in enumerate(text)]
    found = {
        "exact_match": translation.exact_match(written, true),
        "digit_accuracy": np.mean(places),
        "digit_error_rate": error_rate(written, true),
        "next_token": translation.next_word_accuracy(model, without_weights(split)).mean(),
    }
    for count in sorted({len(text) for _, text in pairs}):
        found[f"exact_{count}_digits"] = np.mean([a == b for a, b in pairs if len(b) == count])
    return found | mass_on_cell(model, split, grid)


def exact_on_known_digits(model, fresh, rows=1_000):
    """Exact match on new canvases of the digits that the reader was trained on."""
    images, targets = fresh.images[:rows], fresh.targets[:rows]
    if images.dtype == np.uint8:
        images = np.divide(images, 255, dtype="float32")
    written = read(model, images, fresh.vocabulary, targets.shape[1])
    true = [decode_sentence(ids, fresh.vocabulary) for ids in targets]
    return translation.exact_match(written, true)
