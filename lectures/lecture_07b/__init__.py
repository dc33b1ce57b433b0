"""Lab 07b, image to text: its models, how they write, and how they are judged.

All models take {"image": (batch, side, side, channels), "ids": int (batch, T)}, the ids
beginning with <sos>, and decode with `start` and `step` as the translators do.
"""

from functools import cache

import keras
import numpy as np
from keras import layers, ops

from course_utils import decoding, models, plotting, schedules
from course_utils.data.base import whole_number
from course_utils.layers.mlp import FixedSize
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.layers.vision import PatchEmbedding
from course_utils.models.transformer import Transformer, token_embedding
from lectures.lecture_05.pairs import decode_sentence
from lectures.lecture_05.translators import BahdanauDecoder, RecurrentTranslator
from lectures.lecture_07b.images import LONGEST, SIDE

LECTURE = "07b_lab_image_to_text"
LEARNING_RATES = (1e-3, 2e-3, 4e-3)
CAPTIONS = {"count": 20_000, "epochs": 10, "learning_rate": 1.5e-3}


class BuiltByCalling:
    """A layer or model that makes its weights by one call on zeros."""

    def build(self, shapes):
        one = {"inputs": shapes} if not isinstance(shapes, dict) else shapes
        zeros = {
            name: ops.zeros((1, *(size or 1 for size in shape[1:])))
            for name, shape in one.items()
        }
        self.call(zeros if isinstance(shapes, dict) else zeros["inputs"])


class EncoderSettings(BuiltByCalling, layers.Layer):
    """The settings of an encoder, as attributes; its layers come from `make_layers`."""

    def __init__(
        self, side, patch=4, embed_dim=64, num_heads=4, mlp_dim=128, num_layers=2, **kwargs
    ):
        super().__init__(**kwargs)
        whole_number("num_layers", num_layers, at_least=1)
        self.side, self.patch, self.num_layers = side, patch, num_layers
        self.embed_dim, self.num_heads, self.mlp_dim = embed_dim, num_heads, mlp_dim
        self.input_spec = keras.InputSpec(ndim=4, axes={1: side, 2: side})
        self.make_layers()

    def get_config(self):
        names = ("side", "patch", "embed_dim", "num_heads", "mlp_dim", "num_layers")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


@keras.saving.register_keras_serializable(package="course_utils")
class CanvasEncoder(EncoderSettings):
    """A Vision Transformer without a head: (batch, side, side, channels) → (batch, S, d).

    The settings are attributes: self.side, self.patch, self.embed_dim (d), self.num_heads,
    self.mlp_dim, self.num_layers.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 4.
    """

    def make_layers(self):
        """Make self.patches, self.positions, self.blocks (a list) and self.norm.

        `PatchEmbedding(embed_dim, patch)`, `LearnedPositions(tokens)`, as many
        `TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu")` as there
        are layers, and a LayerNormalization with epsilon=1e-6.
        """
        self.patches = PatchEmbedding(self.embed_dim, self.patch)
        self.positions = LearnedPositions((self.side // self.patch) ** 2)
        self.blocks = [
            TransformerEncoderBlock(
                self.embed_dim, self.num_heads, self.mlp_dim, activation="gelu"
            )
            for _ in range(self.num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-6)

    def call(self, images):
        """Return a vector for each patch: (batch, S, embed_dim), row by row."""
        x = self.positions(self.patches(images))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


@keras.saving.register_keras_serializable(package="course_utils")
class ImageToText(BuiltByCalling, keras.Model):
    """An encoder for images, and the decoder of lecture 6's `Transformer`, with its methods.

    Call: {"image": (batch, side, side, channels), "ids": int (batch, T)}. Returns logits
    float32 (batch, T, vocab_size): row t is about the token after token t.

    encoder: a layer like `CanvasEncoder`. max_length: the most tokens that are written.

    Source: Li et al., "TrOCR" (2023).
    """

    embed, logits, alignment = Transformer.embed, Transformer.logits, Transformer.alignment
    start, step = Transformer.start, Transformer.step

    def __init__(self, encoder, vocab_size, max_length, num_decoder_layers=1, **kwargs):
        super().__init__(**kwargs)
        self.settings = {"vocab_size": vocab_size, "max_length": max_length}
        self.settings |= {"num_decoder_layers": num_decoder_layers}
        self.reads, self.embed_dim = encoder, encoder.embed_dim
        self.norm, self.shared = "pre", False  # settings that lecture 6's methods read
        self.target_embedding = token_embedding(vocab_size, self.embed_dim, "words")
        self.positions = SinusoidalPositions(max_length)
        self.dropout = layers.Dropout(0.0)
        block = self.embed_dim, encoder.num_heads, encoder.mlp_dim
        self.decoder = [TransformerDecoderBlock(*block) for _ in range(num_decoder_layers)]
        self.decoder_norm = new_norm("decoder_norm")
        self.to_words = layers.Dense(vocab_size, dtype="float32")

    def encode(self, image):
        return self.reads(image), None  # no patch is a pad: nothing to mask

    def call(self, inputs):
        memory, _ = self.encode(inputs["image"])
        x = self.embed(self.target_embedding, inputs["ids"])
        for block in self.decoder:
            x = block(x, memory)
        return self.logits(x)

    def get_config(self):
        encoder = keras.saving.serialize_keras_object(self.reads)
        return {**super().get_config(), **self.settings, "encoder": encoder}

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config["encoder"])
        return cls(**config | {"encoder": encoder})


@keras.saving.register_keras_serializable(package="course_utils")
class ConvnetToText(BuiltByCalling, keras.Model):
    """Two convolutions that read, and the decoder of lecture 5's `RecurrentTranslator`.

    Call: as of `ImageToText`. The whole last feature map makes the decoder's first state; with
    attention=True each place of the map is also a state that Bahdanau's attention reads.

    Sources: Vinyals et al., "Show and tell" (2015), without attention; Xu et al., "Show, attend
    and tell" (2015), with it.
    """

    decode, alignment = RecurrentTranslator.decode, RecurrentTranslator.alignment
    start, step = RecurrentTranslator.start, RecurrentTranslator.step

    def __init__(
        self, vocab_size, attention, filters=(16, 32), embed_dim=32, units=64, **kwargs
    ):
        super().__init__(**kwargs)
        self.settings = {"vocab_size": vocab_size, "attention": attention, "units": units}
        self.settings |= {"filters": tuple(filters), "embed_dim": embed_dim}
        self.attention, self.feed = "bahdanau" if attention else None, False
        how = {"padding": "same", "activation": "relu"}
        self.convolutions = [layers.Conv2D(number, 3, **how) for number in filters]
        self.pool = layers.MaxPooling2D(2)
        self.states = layers.Dense(units)
        self.first = layers.Dense(units, activation="tanh")
        self.target_embedding = layers.Embedding(vocab_size, embed_dim)
        gru = {"return_sequences": True, "return_state": True}
        self.decoder = BahdanauDecoder(units) if attention else layers.GRU(units, **gru)
        self.to_words = layers.Dense(vocab_size, dtype="float32")

    def build(self, shapes):
        self.size = FixedSize(shapes["image"][1:])
        super().build(shapes)

    def call(self, inputs):
        encoded, first, mask = self.encode(inputs["image"])
        return self.decode(inputs["ids"], first, encoded, mask)[0]

    def encode(self, image):
        """States (batch, S, units), the decoder's first (batch, units), mask (batch, S)."""
        x = ops.cast(self.size(image), self.compute_dtype)
        for convolution in self.convolutions:
            x = self.pool(convolution(x))
        places, channels = x.shape[1] * x.shape[2], x.shape[3]
        first = self.first(ops.reshape(x, (-1, places * channels)))
        states = self.states(ops.reshape(x, (-1, places, channels)))
        return states, first, ops.ones_like(states[..., 0], dtype="bool")

    def get_config(self):
        return {**super().get_config(), **self.settings}


def masked_loss(targets, logits):
    """Return the mean cross-entropy of the real tokens, a scalar tensor.

    Args:
        targets: (batch, T), ids as whole numbers or, as Keras hands them on, as floats; 0 is a
            pad.
        logits: (batch, T, vocab_size), no softmax yet.
    """
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    real = ops.cast(ops.not_equal(targets, 0), losses.dtype)
    return ops.sum(losses * real) / ops.maximum(ops.sum(real), 1)


def greedy(logits_of, texts, max_length):
    """Let a model write by itself, always choosing the token with the largest logit.

    Args:
        logits_of: function of ids, int32 (texts, max_length), which returns logits (texts,
            max_length, vocab_size), NumPy: those at position k choose the token after it. It
            needs ids of this one shape at every call; what is not known yet is 0.
        texts: how many texts are written at the same time.
        max_length: how many tokens of each are written at most.

    Returns:
        A NumPy array, int32 (texts, max_length): the written tokens, without <sos> (2), which
        comes first in the ids; <eos> (3) where a text ends, and 0 after it.
    """
    ids = np.zeros((texts, max_length + 1), "int32")
    ids[:, 0] = 2
    for k in range(max_length):
        tokens = logits_of(ids[:, :-1])[:, k].argmax(axis=-1)
        ended = (ids[:, : k + 1] == 3).any(axis=1)
        ids[:, k + 1] = np.where(ended, 0, tokens)
    return ids[:, 1:]


def compile_reader(model, steps):
    """Compile a reader, so that `steps` batches teach it to read; return it.

    The loss is your `masked_loss`. `cu.schedules.WarmupCosine(learning_rate, steps)` is a
    learning rate that rises for 100 steps and then falls to 0.
    """
    optimizer = keras.optimizers.AdamW(
        schedules.WarmupCosine(4e-3, steps), weight_decay=0.02, global_clipnorm=1.0
    )
    model.compile(optimizer, masked_loss)
    return model


@cache
def _forward(model):
    return decoding.compiled(lambda image, ids: model({"image": image, "ids": ids}), model)


def logits_for(model, images):
    """Return the function of ids, int32 (images, T), that gives a model's logits for images."""
    images = ops.convert_to_tensor(images)

    def logits_of(ids):
        logits = _forward(model)(images, ops.convert_to_tensor(np.asarray(ids, "int32")))
        return ops.convert_to_numpy(logits)

    return logits_of


def cross_attention(model, inputs):
    """Attention to the patches, true tokens before, as NumPy: (images, T, S)."""
    if isinstance(model, ConvnetToText):
        weights = model.alignment(inputs["image"], inputs["ids"])
    else:
        weights = ops.mean(model.alignment(inputs["image"], inputs["ids"]), axis=1)
    # In bfloat16, the numbers of a GPU, a sum of thousands stops growing.
    return ops.convert_to_numpy(ops.cast(weights, "float32"))


def weights_by_cell(weights, grid):
    """Return how much of each step's attention falls on each cell of a canvas.

    Args:
        weights: (…, S), attention to the S patches of a square image, row by row.
        grid: cells on each side; every cell is a square of patches.

    Returns:
        A NumPy array (…, grid²): the sum over each cell's patches, cells row by row.
    """
    inside = round(weights.shape[-1] ** 0.5) // grid
    # Row of cells, row inside the cell, column of cells, column inside the cell.
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)


def effect_of_blanking(write, images, grid):
    """Return how often each step writes another token when a cell of the canvas is blank.

    Args:
        write: function of images that returns the written tokens, int (images, T).
        images: (images, side, side, channels); stays as it is.
        grid: cells on each side.

    Returns:
        A NumPy array (grid², T): row c for cell c set to 0, cells row by row; column t the
        share of images in which step t writes another token than for the whole image.
    """
    before, side, effects = write(images), images.shape[1] // grid, []
    for row, column in np.ndindex(grid, grid):
        blank = images.copy()
        blank[:, row * side : (row + 1) * side, column * side : (column + 1) * side] = 0
        effects.append((write(blank) != before).mean(axis=0))
    return np.array(effects)


def share_after(logits_of, ids, place, colour=None):
    """Return how often a captioner names the right shape, with another colour before it or not.

    Args:
        logits_of: function of ids, int (images, T), that returns logits (images, T,
            vocab_size), NumPy: those at position k choose the token after it.
        ids: int (images, T), <sos> and the true captions; stays as it is.
        place: where in `ids` the object's colour stands; its shape comes next.
        colour: the id that every caption gets there, or None: the captions stay true.

    Returns:
        The share of images whose most likely token after the colour is the true shape.
    """
    given = ids.copy()
    if colour is not None:
        given[:, place] = colour
    said = logits_of(given)[:, place].argmax(axis=-1)
    return (said == ids[:, place + 1]).mean()


def edit_table(written, true):
    """How many edits turn the first i tokens of one text into the first j of another.

    written, true: lists of T and S tokens. Returns int (T + 1, S + 1); the last cell is the
    distance of the whole texts. A cell is the cheapest of three: from above, a token is left
    out; from the left, one is put in; from above left, one is kept or replaced.
    """
    table = np.zeros((len(written) + 1, len(true) + 1), int)
    table[:, 0], table[0] = range(len(written) + 1), range(len(true) + 1)
    for i, own in enumerate(written, start=1):
        for j, wanted in enumerate(true, start=1):
            kept = table[i - 1, j - 1] + (own != wanted)
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, kept)
    return table


def judged(written, targets):
    """Compare written with true tokens, both int (texts, T), 0 after <eos> (3).

    Returns {"exact_match": the share of texts without a mistake, "digit_error_rate": all edits
    over all true tokens, "digit_accuracy": the share of true tokens written in their place}.
    """
    pairs = [(own[own > 3], true[true > 3]) for own, true in zip(written, targets, strict=True)]
    edits = sum(edit_table(own, true)[-1, -1] for own, true in pairs)
    return {
        "exact_match": (written == targets).all(axis=1).mean(),
        "digit_error_rate": edits / (targets > 3).sum(),
        "digit_accuracy": (written == targets)[targets > 3].mean(),
    }


def write(model, images, max_length):
    """What a model writes by itself, with `greedy`: int32 (images, max_length)."""
    return greedy(logits_for(model, images), len(images), max_length)


def new_captioner():
    """A fresh reader for the scenes of shapes, which writes captions."""
    return ImageToText(CanvasEncoder(SIDE), 17, 16, name="captioner")


def shipped_captioner():
    """The captioner of the recorded seed 0, which comes with the course."""
    arrays, model = models.load_pretrained("captioner"), new_captioner()
    model({"image": np.zeros((1, SIDE, SIDE, 3), "float32"), "ids": np.ones((1, 1), "int32")})
    model.set_weights([arrays[key] for key in sorted(arrays)])
    return model


def captioned(model, split, vocabulary):
    """Which captions are one of the two true ones: bool (images,)."""
    rows = write(model, split.inputs["image"], LONGEST)
    texts = [decode_sentence(ids, vocabulary) for ids in rows]
    pairs = zip(texts, split.columns["references"], strict=True)
    return np.array([text in references for text, references in pairs])


def draw_maps(image, maps, titles, alt):
    """Draw the image once per step, its attention laid over it in orange: maps (steps, S)."""
    drawing, axes = plotting.figure(2.0 * len(maps), 2.5, columns=len(maps))
    side, end = round(maps.shape[-1] ** 0.5), image.shape[1] - 0.5
    over = {"cmap": "Oranges", "vmin": 0, "vmax": 1.3, "extent": (-0.5, end, end, -0.5)}
    for axis, weights, title in zip(axes, maps, titles, strict=True):
        plotting.draw_image(axis, image)
        strength = np.clip(3 * weights.reshape(side, side), 0, 1)
        axis.imshow(np.ones_like(strength), alpha=0.85 * strength, **over)
        axis.set_title(title, fontsize=11)
    plotting.show(drawing, alt)


def heatmap(matrix, rows, columns, alt, title=None, fmt="%.2f"):
    """Draw a matrix (rows, columns) as coloured cells with their values and names."""
    matrix = np.asarray(matrix, dtype=float)
    drawing, axis = plotting.figure(1.8 + 0.75 * len(columns), 1.1 + 0.42 * len(rows))
    picture = axis.imshow(matrix, aspect="auto", cmap="Blues")
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    axis.grid(False)
    for row, column in np.ndindex(matrix.shape):
        red, green, blue, _ = picture.cmap(picture.norm(matrix[row, column]))
        dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
        text = fmt % matrix[row, column]
        colour = "white" if dark else "black"
        axis.text(column, row, text, ha="center", va="center", color=colour)
    axis.set(title=title or "")
    plotting.show(drawing, alt)
