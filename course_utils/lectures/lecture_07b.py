"""Lab 07b, image to text: its images and texts, its models, and how they are judged.

Images with texts: canvases of handwritten digits, and scenes of two coloured shapes. Both
models take {"image": (batch, height, width, channels), "ids": int (batch, T)}, the ids
beginning with <sos>, and decode with `start` and `step` as the translators do.
"""

import keras
import numpy as np
from keras import layers, ops
from numpy.lib.stride_tricks import sliding_window_view

from course_utils import data, decoding, plotting, translation
from course_utils.data.base import one_of, true_or_false, whole_number
from course_utils.data.images import check_images, patch_grid, sides
from course_utils.data.translation import MARKS
from course_utils.layers import LuongAttention
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.layers.vision import PatchEmbedding
from course_utils.lectures.lecture_07 import draw_over
from course_utils.models.recurrent import ATTENTIONS, BahdanauDecoder, RecurrentTranslator
from course_utils.models.transformer import Transformer, token_embedding

PARTS = ("train", "val", "test")
VALIDATION, TEST = 500, 1_000

SHAPES = ("circle", "square", "triangle")
# They differ in brightness as well as in hue: no kind of colour blindness merges two.
COLOURS = {
    "black": (0.05, 0.05, 0.05),
    "blue": (0.0, 0.35, 0.70),
    "red": (0.85, 0.22, 0.10),
    "yellow": (0.95, 0.80, 0.20),
}
RELATIONS = ("left of", "right of", "above", "below")
OPPOSITE = (1, 0, 3, 2)  # of the relations
OBJECTS = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)  # sorted
HELD_OUT = ("blue triangle", "red circle")
WORDS = ("a", *COLOURS, *SHAPES, "left", "right", "of", "above", "below")
LONGEST = 9  # "a red circle left of a blue square" and <eos>
SIDE = 32
SQUARE, TRIANGLE = 0.886, 0.68  # half a side and the inner radius, in radii of the circle


def inputs_and_targets(tokens):
    """Return what a decoder reads and what it should write, one step apart.

    Args:
        tokens: int (texts, k): ids of words, 4 or more, with the pad 0 after a text's last.

    Returns:
        (ids, targets), int32 (texts, k + 1) each: <sos> (2) and the words; the words and <eos>
        (3). All that follows is 0.
    """
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return ids.astype("int32"), targets.astype("int32")


def teacher_forced(texts, vocabulary, steps):
    """Return texts, words with blanks between them, as (ids, targets), (texts, steps) each."""
    rows = [vocabulary.encode(text.split()) for text in texts]
    return inputs_and_targets(data.pad(rows, steps - 1))


def caption_vocabulary(words):
    """Return <pad>, <unknown>, <sos>, <eos> with the ids 0 to 3, and then these words."""
    return data.Vocabulary([*MARKS, *words])


def make_canvases(images, labels, count, grid=2, shift=0, scattered=False, seed=0):
    """Compose canvases of grid × grid cells, each with a digit sampled from these.

    images: (digits, side, side, 1). labels: int (digits,), 0 to 9. shift: a digit lies up to so
    many pixels off the middle of its cell, cut off at the rim. seed: one or several numbers.
    scattered: 1 to grid² digits in cells sampled at random, anywhere inside them, the others
    empty; cells are a quarter larger then, rounded up to a multiple of 4.

    Returns (canvases, answers, cells): (count, grid · cell, grid · cell, 1) of the images'
    dtype; object (count,) of the digits in reading order, such as "3 1 4 1"; int32 (count,
    grid²), the cell of each of them, -1 after the last.
    """
    draw, side = np.random.default_rng(seed), images.shape[1]
    cell = -(-side * 5 // 16) * 4 if scattered else side
    chosen = draw.integers(len(images), size=(count, grid**2))
    filled = np.ones(chosen.shape, bool)
    if scattered:
        most = draw.integers(1, grid**2, size=(count, 1), endpoint=True)
        filled = draw.permuted(np.arange(grid**2) < most, axis=1)
        corners = draw.integers(0, cell - side, size=(*chosen.shape, 2), endpoint=True)
    else:
        corners = draw.integers(-shift, shift, size=(*chosen.shape, 2), endpoint=True)
    rim = max(cell - side, shift)
    framed = np.pad(images[..., 0], [(0, 0), (rim, rim), (rim, rim)])
    windows = sliding_window_view(framed, (cell, cell), axis=(1, 2))
    placed = windows[chosen, *(rim - np.moveaxis(corners, -1, 0))]
    placed[~filled] = 0
    canvases = placed.reshape(count, grid, grid, cell, cell).swapaxes(2, 3)
    canvases = canvases.reshape(count, grid * cell, grid * cell, 1)
    rows = zip(labels[chosen], filled, strict=True)
    answers = [" ".join(map(str, row[there])) for row, there in rows]
    order = np.argsort(~filled, axis=1, kind="stable")
    cells = np.where(np.take_along_axis(filled, order, axis=1), order, -1).astype("int32")
    return canvases, np.array(answers, object), cells


def scaled(images):
    """Return images as float32 from 0 to 1, also those of bytes."""
    return np.divide(images, 255, dtype="float32") if images.dtype == np.uint8 else images


def load_canvases(source="digits", grid=2, scattered=False, count=20_000, shift=1, seed=0):
    """Load canvases of grid × grid cells and the digits on them, ready for teacher forcing.

    The digits are split before canvases are made of them: those on the 500 validation and the
    1,000 test canvases were never trained on.

    source: "digits", scikit-learn's, cells of 8 pixels (scattered: 12); or "mnist", of 28 (36),
    through TensorFlow Datasets. count: of the training canvases. grid, scattered, shift: as in
    `make_canvases`. seed: of the canvases; the parts of the digits stay as they are.

    Returns a `Dataset`. Inputs: "image", float32 (canvases, H, W, 1) from 0 to 1, and "ids",
    int32 (canvases, T), <sos> and the digits, T = grid² + 1; targets: the digits and <eos>, 0
    after it. Columns: "answer", the digits as text, such as "3 1 4 1"; "alignment", int32
    (canvases, T), the cell each target is written in (row by row from 0), -1 for none.
    Raises ConnectionError when MNIST is not to be had, ValueError for a wrong argument.
    """
    one_of("source", source, ("digits", "mnist"))
    for name, number in {"count": count, "grid": grid}.items():
        whole_number(name, number, at_least=1)
    for name, number in {"shift": shift, "seed": seed}.items():
        whole_number(name, number, at_least=0)
    true_or_false("scattered", scattered)
    mnist = source == "mnist"
    digits = data.load_images("mnist", dtype="uint8") if mnist else data.load_digits()
    vocabulary = caption_vocabulary(digits.class_names)
    splits = []
    for number, (part, size) in enumerate(zip(PARTS, (count, VALIDATION, TEST), strict=True)):
        own = digits.split(part)
        images, answers, cells = make_canvases(
            own.inputs, own.targets, size, grid, shift, scattered, seed=(seed, number)
        )
        ids, targets = teacher_forced(answers, vocabulary, grid**2 + 1)
        alignment = np.pad(cells, ((0, 0), (0, 1)), constant_values=-1)
        columns = {"answer": answers, "alignment": alignment}
        splits.append(data.Split({"image": scaled(images), "ids": ids}, targets, None, columns))
    side = images.shape[1]
    many = f"1 to {grid**2} digits, scattered" if scattered else f"{grid**2} digits"
    print(
        f"canvases: {count:,} / {VALIDATION:,} / {TEST:,} for training / validation / test, "
        f"{side}×{side} pixels with {many}"
    )
    return data.Dataset(
        f"canvases_{source}" + ("_scattered" if scattered else ""),
        *splits,
        vocabulary,
        source=f"composed by the course; digits: {digits.source}",
        licence=digits.licence,
    )


def load_shapes(count=8_000, seed=0):
    """Load images of two shapes and a caption each, such as "a blue square above a red circle".

    Two captions of every image are true, this one and "a red circle below a blue square". So
    that there is one to learn, the object whose name comes first in the alphabet is named
    first. Judge a written caption by both: `exact_match(written, columns["references"])` of
    `course_utils.translation`. The objects of `HELD_OUT` are in no training or validation
    image, though their colours and shapes are, each with others; in half of the test images
    one object is such a pair, in the other half none.

    count: of the training images; 500 are for validation and 1,000 for the test.
    seed: of everything; nothing is stored. Raises ValueError for a wrong argument.

    Returns a `Dataset`. Inputs: "image", float32 (images, 32, 32, 3) from 0 to 1, and "ids",
    int32 (images, 9), <sos> and the caption; targets: the caption and <eos>, 0 after it.
    Columns: "caption"; "references", a tuple of both true captions; "held_out", bool: one of
    the two objects is a held-out one.
    """
    whole_number("count", count, at_least=1)
    whole_number("seed", seed, at_least=0)
    vocabulary = caption_vocabulary(WORDS)
    held = np.flatnonzero(np.isin(OBJECTS, HELD_OUT))
    splits = []
    for part, size in enumerate((count, VALIDATION, TEST)):
        draw = np.random.default_rng((seed, part))
        new = draw.permutation(np.arange(size) < (size // 2 if part == 2 else 0))
        first, second = sample_objects(new, held, draw)
        relations = draw.integers(len(RELATIONS), size=size)
        both = np.stack([first, second], axis=1)
        captions = captions_of(first, relations, second)
        others = captions_of(second, np.take(OPPOSITE, relations), first)
        references = np.empty(size, object)
        references[:] = list(zip(captions, others, strict=True))
        ids, targets = teacher_forced(captions, vocabulary, LONGEST)
        held_out = np.isin(both, held).any(axis=1)
        columns = {"caption": captions, "references": references, "held_out": held_out}
        colours, shapes = np.divmod(both, len(SHAPES))
        images = draw_scenes(shapes, colours, relations, draw)
        splits.append(data.Split({"image": images, "ids": ids}, targets, None, columns))
    print(
        f"shapes: {count:,} / {VALIDATION:,} / {TEST:,} images for training / validation / "
        f"test, {SIDE}×{SIDE} pixels; held out of training: {', '.join(HELD_OUT)}"
    )
    return data.Dataset(
        "shapes", *splits, vocabulary, source="made by the course", licence="CC0"
    )


def sample_objects(new, held, draw):
    """Sample two different objects a scene, the first in the alphabet first.

    A scene that is `new` has one of the held-out objects, the others have none.
    """
    known = np.setdiff1d(np.arange(len(OBJECTS)), held)
    one = draw.integers(len(known), size=len(new))
    # A step of 1 to len - 1 around the circle of objects never comes back to the same one.
    another = (one + draw.integers(1, len(known), size=len(new))) % len(known)
    one, another = known[one], known[another]
    one = np.where(new, held[draw.integers(len(held), size=len(new))], one)
    return np.minimum(one, another), np.maximum(one, another)


def captions_of(firsts, relations, seconds):
    """Return "a blue square above a red circle" for each scene: object (scenes,)."""
    rows = zip(firsts, relations, seconds, strict=True)
    texts = [f"a {OBJECTS[a]} {RELATIONS[r]} a {OBJECTS[b]}" for a, r, b in rows]
    return np.array(texts, object)


def draw_scenes(shapes, colours, relations, draw):
    """Draw one image a row, float32 (scenes, 32, 32, 3), smooth edges; nothing overlaps.

    shapes, colours: int (scenes, 2), places in `SHAPES`, `COLOURS`. relations: int (scenes,),
    places in `RELATIONS`: where the first object is, seen from the second. `draw` decides on
    radii, 3.8 to 5.2 pixels, and on places, see `centres_of`.
    """
    count = len(shapes)
    radii = draw.uniform(3.8, 5.2, size=(count, 2)).astype("float32")
    centres = centres_of(relations, draw)
    palette = np.array(list(COLOURS.values()), "float32")
    images = np.ones((count, SIDE, SIDE, 3), "float32")
    for start in range(0, count, 1_000):  # as many as fit into a processor's cache
        rows = slice(start, start + 1_000)
        for k in (0, 1):
            covered = cover(shapes[rows, k], centres[rows, k], radii[rows, k])[..., None]
            paint = palette[colours[rows, k]][:, None, None]
            images[rows] += covered * (paint - images[rows])
    return images


def centres_of(relations, draw):
    """Rows and columns of both objects: float32 (scenes, 2, 2).

    They are 13 to 15.5 pixels apart along the relation's direction, up to 3 pixels across it.
    """
    count = len(relations)
    along = draw.uniform(7.5, 10, size=count)
    distance = draw.uniform(13, 15.5, size=count)
    across = draw.uniform(9, 23, size=(count, 1)) + draw.uniform(-1.5, 1.5, size=(count, 2))
    along = np.stack([along, along + distance], axis=1)
    swapped = np.isin(relations, [RELATIONS.index("right of"), RELATIONS.index("below")])
    along[swapped] = along[swapped, ::-1]
    upright = np.isin(relations, [RELATIONS.index("above"), RELATIONS.index("below")])
    row = np.where(upright[:, None], along, across)
    column = np.where(upright[:, None], across, along)
    return np.stack([row, column], axis=-1).astype("float32")


def cover(shapes, centres, radii):
    """How much of each pixel a shape covers: float32 (scenes, 32, 32), 1 inside, 0 outside."""
    middles = np.arange(SIDE, dtype="float32") + 0.5
    down = (middles - centres[:, :1])[:, :, None]
    right = (middles - centres[:, 1:])[:, None, :]
    radii = radii[:, None, None]
    beyond = np.empty((len(shapes), SIDE, SIDE), "float32")  # pixels from the edge, + outside
    circle, square, triangle = (np.flatnonzero(shapes == k) for k in range(3))
    beyond[circle] = np.hypot(down[circle], right[circle]) - radii[circle]
    reach = np.maximum(np.abs(down[square]), np.abs(right[square]))
    beyond[square] = reach - SQUARE * radii[square]
    slope = np.abs(right[triangle]) * np.float32(3**0.5 / 2) - down[triangle] / 2
    inner = TRIANGLE * radii[triangle]
    beyond[triangle] = np.maximum(down[triangle], slope) - inner
    return np.clip(0.5 - beyond, 0, 1)


def check_size(images, shape):
    """Raise ValueError unless these are pictures (batch, *shape)."""
    check_images(images.shape)
    if tuple(images.shape[1:]) != tuple(shape):
        raise ValueError(
            f"the model reads pictures of the shape {tuple(shape)}, got {images.shape[1:]}"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class ImageToText(keras.Model):
    """A Vision Transformer without a head, and the decoder of lecture 6's `Transformer`.

    Call: {"image": (batch, height, width, channels), "ids": int (batch, T)}. Returns logits
    float32 (batch, T, vocab_size): row t is about the token after token t, and sees no later
    one. Only `encode` is new: every patch becomes a token that the decoder attends to.

    image: its side, or (height, width). patch: the side of a patch. embed_dim, num_heads,
    mlp_dim, dropout: as in the blocks. max_length: the most tokens that are written.
    positions: of the patches, "learned", or "none" to see what they do.
    Raises ValueError for settings that do not fit, and for images of another size.

    Sources: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 3;
    Vaswani et al., "Attention is all you need" (2017); both joined: Li et al., "TrOCR" (2023).
    """

    embed, logits, alignment = Transformer.embed, Transformer.logits, Transformer.alignment
    start, step = Transformer.start, Transformer.step

    def __init__(
        self,
        image,
        channels,
        vocab_size,
        patch=4,
        embed_dim=64,
        num_heads=4,
        mlp_dim=128,
        num_encoder_layers=2,
        num_decoder_layers=1,
        max_length=16,
        dropout=0.0,
        positions="learned",
        **kwargs,
    ):
        super().__init__(**kwargs)
        counts = {"channels": channels, "vocab_size": vocab_size}
        counts["num_encoder_layers"] = num_encoder_layers
        counts["num_decoder_layers"] = num_decoder_layers
        for name, number in counts.items():
            whole_number(name, number, at_least=1)
        one_of("positions", positions, ("learned", "none"))
        rows, columns = patch_grid(image, patch)
        block = {"embed_dim": embed_dim, "num_heads": num_heads, "mlp_dim": mlp_dim}
        block["dropout"] = dropout
        image = sides("image", image)
        self.settings = counts | block | {"image": image, "patch": patch}
        self.settings |= {"max_length": max_length, "positions": positions}
        self.image_shape = (*image, channels)
        self.embed_dim, self.norm, self.shared = embed_dim, "pre", False
        self.patches = PatchEmbedding(embed_dim, patch, name="patches")
        learned = positions == "learned"
        self.places = LearnedPositions(rows * columns, name="places") if learned else None
        self.encoder = [
            TransformerEncoderBlock(**block, activation="gelu", name=f"encoder_{number}")
            for number in range(num_encoder_layers)
        ]
        self.encoder_norm = new_norm("encoder_norm")
        self.target_embedding = token_embedding(vocab_size, embed_dim, "target_embedding")
        self.positions = SinusoidalPositions(max_length, name="positions")
        self.dropout = layers.Dropout(dropout, name="dropout")
        self.decoder = [
            TransformerDecoderBlock(**block, name=f"decoder_{number}")
            for number in range(num_decoder_layers)
        ]
        self.decoder_norm = new_norm("decoder_norm")
        self.to_words = layers.Dense(vocab_size, dtype="float32", name="to_words")

    def build(self, input_shape=None):
        tokens = (None, None, self.embed_dim)
        self.patches.build((None, *self.image_shape))
        self.target_embedding.build()
        for layer in (*self.encoder, self.encoder_norm, self.decoder_norm, self.to_words):
            layer.build(tokens)
        for layer in (self.places, self.positions):
            if layer is not None:
                layer.build(tokens)
        for layer in self.decoder:
            layer.build(tokens, tokens)

    def call(self, inputs):
        memory, _ = self.encode(inputs["image"])
        x = self.embed(self.target_embedding, inputs["ids"])
        for block in self.decoder:
            x = block(x, memory)
        return self.logits(x)

    def encode(self, image):
        """What the decoder looks at: patches (batch, S, embed_dim), none of them a pad."""
        check_size(image, self.image_shape)
        x = self.patches(image)
        if self.places is not None:
            x = self.places(x)
        x = self.dropout(x)
        for block in self.encoder:
            x = block(x)
        return self.encoder_norm(x), None

    def get_config(self):
        return {**super().get_config(), **self.settings}


@keras.saving.register_keras_serializable(package="course_utils")
class ConvnetToText(keras.Model):
    """A convnet that reads, and the decoder of lecture 5's `RecurrentTranslator`.

    Call: {"image": (batch, height, width, channels), "ids": int (batch, T)}. Returns logits
    float32 (batch, T, vocab_size). Only `encode` is new: each place of the last feature map is
    a state that may be attended to, and all of them together make the decoder's first state.

    image: its side, or (height, width). filters: of the convolutions (3×3, ReLU), each before
    a pooling that halves both sides. embed_dim, units: of the decoder. attention: None (the
    first state is all that the decoder gets), "bahdanau", or Luong's score "dot" or
    "general". Raises ValueError for settings that do not fit, and for images of another size.

    Sources: Vinyals et al., "Show and tell" (2015), without attention; Xu et al., "Show, attend
    and tell" (2015), with it.
    """

    decode, weights_for = RecurrentTranslator.decode, RecurrentTranslator.weights_for
    start, step = RecurrentTranslator.start, RecurrentTranslator.step

    def __init__(
        self,
        image,
        channels,
        vocab_size,
        filters=(32, 64),
        embed_dim=64,
        units=128,
        attention=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.settings = {"channels": channels, "vocab_size": vocab_size}
        self.settings |= {"embed_dim": embed_dim, "units": units}
        for name, number in self.settings.items():
            whole_number(name, number, at_least=1)
        if attention is not None:
            one_of("attention", attention, ATTENTIONS)
        if not filters:
            raise ValueError("filters has to hold at least one convolution's filters")
        patch_grid(image, 2 ** len(filters))
        image = sides("image", image)
        self.settings |= {"image": image, "filters": tuple(filters), "attention": attention}
        self.image_shape = (*image, channels)
        self.attention, self.feed = attention, False
        how = {"padding": "same", "activation": "relu"}
        self.convolutions = [
            layers.Conv2D(number, 3, **how, name=f"convolution_{place}")
            for place, number in enumerate(filters)
        ]
        self.pool = layers.MaxPooling2D(2, name="pool")
        self.states = layers.Dense(units, name="states")
        self.first = layers.Dense(units, activation="tanh", name="first")
        self.target_embedding = layers.Embedding(vocab_size, embed_dim, name="target_embedding")
        if attention == "bahdanau":
            self.decoder = BahdanauDecoder(units, name="decoder")
        else:
            states = {"return_sequences": True, "return_state": True}
            self.decoder = layers.GRU(units, **states, name="decoder")
            if attention is not None:
                self.attend = LuongAttention(units, attention, name="attend")
        self.vocabulary = layers.Dense(vocab_size, dtype="float32", name="vocabulary")

    def call(self, inputs):
        encoded, first, mask = self.encode(inputs["image"])
        return self.decode(inputs["ids"], first, encoded, mask)[0]

    def encode(self, image):
        """States (batch, S, units), the decoder's first (batch, units), mask (batch, S)."""
        check_size(image, self.image_shape)
        x = ops.cast(image, self.compute_dtype)
        for convolution in self.convolutions:
            x = self.pool(convolution(x))
        places, channels = x.shape[1] * x.shape[2], x.shape[3]
        first = self.first(ops.reshape(x, (-1, places * channels)))
        states = self.states(ops.reshape(x, (-1, places, channels)))
        return states, first, ops.ones_like(states[..., 0], dtype="bool")

    def get_config(self):
        return {**super().get_config(), **self.settings}


class FreshCanvases(keras.utils.PyDataset):
    """Batches of 64 canvases, made anew an epoch, digits rotated by up to `turn` degrees."""

    def __init__(self, digits, vocabulary, steps, seed, turn=0, **canvas):
        super().__init__()
        self.digits, self.vocabulary, self.canvas = digits, vocabulary, canvas
        self.steps, self.seed, self.turn = steps, seed, turn
        self.on_epoch_end()

    def on_epoch_end(self):
        self.seed += 1
        images = self.digits.inputs
        if self.turn:
            images = data.random_rotate(images, self.turn, self.seed)
        self.images, answers, _ = make_canvases(
            images, self.digits.targets, 64 * self.steps, seed=self.seed, **self.canvas
        )
        length = self.canvas["grid"] ** 2 + 1
        self.ids, self.targets = teacher_forced(answers, self.vocabulary, length)

    def __len__(self):
        return self.steps

    def __getitem__(self, number):
        rows = slice(64 * number, 64 * number + 64)
        return {"image": scaled(self.images[rows]), "ids": self.ids[rows]}, self.targets[rows]


def read(model, images, vocabulary, max_length):
    """What the model writes by itself: a list of texts, such as "3 1 4 1"."""
    return translation.translate(model, images, {"target": vocabulary}, max_length)


def cross_attention(model, inputs):
    """Attention to the patches, true tokens before, as NumPy: (images, T, S); None without."""
    if isinstance(model, ImageToText):
        weights = ops.mean(model.alignment(inputs["image"], inputs["ids"]), axis=1)
    else:
        weights = model.weights_for(inputs["image"], inputs["ids"])
    # In bfloat16, the numbers of a GPU, a sum of thousands stops growing.
    return None if weights is None else ops.convert_to_numpy(ops.cast(weights, "float32"))


def weights_by_cell(weights, grid):
    """Return how much of each step's attention falls on each cell of a canvas.

    Args:
        weights: (…, S), attention to the S patches of a square image, row by row.
        grid: cells on each side; every cell is a square of patches.

    Returns:
        (…, grid²): the sum over each cell's patches, cells row by row.
    """
    inside = round(weights.shape[-1] ** 0.5) // grid
    # Row of cells, row inside the cell, column of cells, column inside the cell.
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)


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


def exact_match(written, targets):
    """Return the share of texts that are written without any mistake.

    Args:
        written: int (texts, T), the ids that a model wrote. What follows its <eos> (3) is
            arbitrary and does not count.
        targets: int (texts, T), the right ids, <eos> (3) after the last, then 0.

    Returns:
        A number from 0 to 1. A text is right if all its tokens are, <eos> included.
    """
    return ((written == targets) | (targets == 0)).all(axis=1).mean()


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


def read_out(logits_of, max_length):
    """Let a model write by itself, always choosing the token with the largest logit.

    Args:
        logits_of: function of ids, int (1, max_length), 0 after what is known, which returns
            logits (1, max_length, vocab_size): those at position k choose the token after it.
        max_length: how many tokens are written at most.

    Returns:
        The list of the written ids, without <sos> (2), which comes first in `ids`, and without
        <eos> (3), which ends the text.
    """
    ids = np.zeros((1, max_length), int)
    token, written = 2, []
    for step in range(max_length):
        ids[0, step] = token
        token = int(np.argmax(logits_of(ids)[0, step]))
        if token == 3:
            break
        written.append(token)
    return written


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


def error_rate(written, true):
    """Return all edits of a set over all of its true tokens: word or digit error rate.

    written, true: lists of texts, tokens with blanks between them. The rate can exceed 1: too
    many tokens are errors, too. Raises ValueError for unlike numbers of texts or no true token.
    """
    tokens = sum(len(text.split()) for text in true)
    if isinstance(written, str) or len(written) != len(true) or not tokens:
        raise ValueError(
            "an error rate needs a list of written and a list of true texts, as many of both, "
            f"with at least one true token: got {written!r} and {true!r}"
        )
    pairs = zip(written, true, strict=True)
    return sum(edit_table(own.split(), text.split())[-1, -1] for own, text in pairs) / tokens


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
        "next_token": translation.next_word_accuracy(model, split).mean(),
    }
    for count in sorted({len(text) for _, text in pairs}):
        found[f"exact_{count}_digits"] = np.mean([a == b for a, b in pairs if len(b) == count])
    return found | mass_on_cell(model, split, grid)


def exact_on_known_digits(model, fresh):
    """Exact match on 1,000 new canvases of the digits that the reader was trained on."""
    images, targets = scaled(fresh.images[:1_000]), fresh.targets[:1_000]
    written = read(model, images, fresh.vocabulary, targets.shape[1])
    true = [data.decode_sentence(ids, fresh.vocabulary) for ids in targets]
    return translation.exact_match(written, true)


def caption_settings(pictures, targets, vocabulary):
    """Return the settings of `ImageToText` that other images and other texts change.

    Args:
        pictures: (texts, height, width, channels).
        targets: int (texts, T), a text's ids, <eos> included, then 0.
        vocabulary: list of all words that can be written, <pad> and the like included.

    Returns:
        A dictionary {"image": (height, width), "channels": …, "vocab_size": …, "max_length":
        …}: how many different tokens there are, and how many steps a text takes at most.
    """
    return {
        "image": pictures.shape[1:3],
        "channels": pictures.shape[3],
        "vocab_size": len(vocabulary),
        "max_length": targets.shape[1],
    }


def overlay(axis, image, weights):
    """Draw an image, and the attention to its patches, (S,), over it in orange."""
    side = round(len(weights) ** 0.5)
    draw_over(axis, image, np.clip(3 * weights.reshape(side, side), 0, 1))


def draw_maps(image, maps, titles, alt):
    """Draw the image once a step, its attention laid over it: maps (steps, S)."""
    drawing, axes = plotting.figure(2.0 * len(maps), 2.5, columns=len(maps))
    for axis, weights, title in zip(axes, maps, titles, strict=True):
        overlay(axis, image, weights)
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
