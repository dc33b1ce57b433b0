"""Exercises of lecture 07: a Vision Transformer part by part, its training, a bug, its cost."""

import contextlib
import io
from functools import cache

import keras
import numpy as np
from keras import ops
from scipy.ndimage import zoom

from course_utils import data, layers, models
from course_utils.data.images import sides
from course_utils.exercises import exercise, layer_outputs, require
from course_utils.layers.transformer import new_norm
from course_utils.lectures import lecture_07
from course_utils.lectures.lecture_07 import from_patches, to_patches


def vectors(draw, *shape):
    return draw.normal(size=shape).astype("float32")


def by_axes(*axes):
    """Split both sides, order the six axes like this, and flatten to (batch, S, p·p·c)."""

    def cut(images, p):
        batch, height, width, c = images.shape
        split = ops.reshape(images, (batch, height // p, p, width // p, p, c))
        rows = height // p * (width // p)
        return ops.reshape(ops.transpose(split, axes), (batch, rows, p * p * c))

    return cut


SQUARES = by_axes(0, 1, 3, 2, 4, 5)


def patching(cut=SQUARES, bias=True, activation=None, check=True, shape=None):
    """A class like PatchEmbedding, by reshape and Dense, in which something differs."""

    class Patches(layers.PatchEmbedding):
        def build(self, images_shape):
            self.projection = keras.layers.Dense(self.embed_dim, activation, bias)

        def call(self, images):
            if check:
                self.check(images.shape)
            size = [side - side % self.patch for side in images.shape[1:3]]
            tokens = self.projection(cut(images[:, : size[0], : size[1]], self.patch))
            return shape(tokens, images, self.patch) if shape else tokens

    return Patches


def convolving(change):
    """A class like PatchEmbedding whose convolution is made with other arguments."""

    class Patches(layers.PatchEmbedding):
        def build(self, images_shape):
            options = {"strides": self.patch, "padding": "valid"} | change
            self.projection = keras.layers.Conv2D(self.embed_dim, self.patch, **options)
            self.flatten = keras.layers.Reshape((-1, self.embed_dim))

    return Patches


def _run_patches(Layer, embed_dim, patch, images):
    tokens = layer_outputs(lambda: Layer(embed_dim, patch), images)
    try:
        Layer(embed_dim, patch)(np.ones((1, 2 * patch + 1, 2 * patch, 1), "float32"))
    except Exception:
        return tokens, "refused"
    return tokens, "the last row is dropped"


@exercise(
    "07.1",
    layers.PatchEmbedding,
    mistakes=[
        (patching(lambda x, p: ops.reshape(x, SQUARES(x, p).shape)),
         "a direct reshape gives stripes: split both sides and swap the inner axes"),
        (patching(by_axes(0, 3, 1, 2, 4, 5)), "patches come row by row, not column by column"),
        (patching(by_axes(0, 1, 3, 4, 2, 5)), "each patch is transposed"),
        (patching(by_axes(0, 1, 3, 5, 2, 4)), "within a patch the channels come last"),
        (patching(by_axes(0, 1, 2, 3, 4, 5)),
         "a direct reshape gives stripes: split both sides and swap the inner axes"),
        (patching(bias=False), "the bias b is missing"),
        (patching(activation="relu"), "the projection is linear: no activation"),
        (patching(activation="gelu"), "the projection is linear: no activation"),
        (convolving({"strides": 1}), "windows must not overlap: strides=self.patch"),
        (convolving({"strides": 1, "padding": "same"}),
         "windows must not overlap: strides=self.patch"),
        (convolving({"use_bias": False}), "the bias b is missing"),
        (patching(check=False), "images whose sides the patch does not divide are not refused: "
         "self.check(images.shape)"),
        (patching(shape=lambda x, images, p: ops.reshape(
            x, (-1, images.shape[1] // p, images.shape[2] // p, x.shape[-1]))),
         "the grid of tokens has to become one sequence: reshape to (batch, S, embed_dim)"),
        (patching(shape=lambda x, images, p: ops.swapaxes(x, 1, 2)),
         "tokens come before channels: (batch, S, embed_dim)"),
    ],
    takes=9,
    level=3,
    hints=[
        "A convolution whose stride is as long as its window sees each patch exactly once.",
        "Conv2D(self.embed_dim, self.patch, strides=self.patch), then reshape its grid to "
        "(batch, S, embed_dim). Or as in to_patches, with ops, and a Dense layer.",
    ],
    reasoning="A window that moves by its own width is a patch; the kernel, flattened, is E.",
    solved="Reshape and Dense, or a strided convolution: both are the same function.",
    run=_run_patches,
)  # fmt: skip
def images_to_cut(draw):
    for height, width, c, p in ((4, 6, 1, 2), (6, 9, 2, 3)):
        yield 5, p, vectors(draw, 2, height, width, c)


def fronting(join, weight=True, initializer="zeros", trainable=True):
    """A class like ClassToken that joins token and tokens otherwise."""

    class Token(layers.ClassToken):
        def build(self, shape):
            options = {"initializer": initializer, "trainable": trainable}
            make = self.add_weight if weight else lambda shape, **_: ops.zeros(shape)
            self.token = make(shape=(1, 1, shape[-1]), **options)

        def call(self, x):
            return join(ops.repeat(ops.convert_to_tensor(self.token), x.shape[0], axis=0), x)

    return Token


def _joined(token, x):
    return ops.concatenate([token, x], axis=1)


def _run_token(Layer, x):
    layer = Layer()
    first = ops.convert_to_numpy(layer(x))
    trainable = sum(weight.shape[-1] for weight in layer.trainable_weights)
    return layer_outputs(Layer, x), trainable, first


@exercise(
    "07.2",
    layers.ClassToken,
    mistakes=[
        (fronting(lambda token, x: ops.concatenate([x, token], axis=1)),
         "the token stands in front, not behind"),
        (fronting(lambda token, x: x + token), "the token is one more token; it is not added"),
        (fronting(lambda token, x: ops.concatenate([token, x[:, 1:]], axis=1)),
         "no patch is replaced: there are S + 1 tokens afterwards"),
        (fronting(lambda token, x: ops.concatenate([token, x], axis=-1)
                  if token.shape[1] == x.shape[1] else ops.concatenate(
                      [ops.repeat(token, x.shape[1], axis=1), x], axis=-1)),
         "join along the tokens, axis 1, not along the channels"),
        (fronting(_joined, weight=False), "the token has to be learned: self.add_weight"),
        (fronting(_joined, trainable=False), "the token has to be trainable"),
        (fronting(_joined, initializer="ones"), "the token is 0 at first"),
        (fronting(_joined, initializer="random_normal"),
         'the token is 0 at first: initializer="zeros"'),
        (fronting(lambda token, x: _joined(ops.mean(x, axis=1, keepdims=True) + token, x)),
         "the token is the same for every image: it does not depend on x"),
    ],
    takes=5,
    level=2,
    hints=[
        "build: self.token = self.add_weight(shape=…, initializer=…).",
        "ops.broadcast_to(self.token, (ops.shape(x)[0], 1, x.shape[-1])), then concatenate.",
    ],
    reasoning="One vector, repeated for every image; its gradient is the sum over the batch.",
    solved="An input that no image changes: what it becomes, it has read from the patches.",
    run=_run_token,
)  # fmt: skip
def tokens(draw):
    for batch, S, C in ((1, 2, 3), (3, 4, 2)):
        yield (vectors(draw, batch, S, C),)


def assembled(
    token=layers.ClassToken, position="after", again=False, last=None, final=True,
    read=lambda x: x[:, 0], activation="gelu", norm="pre", end=lambda x: x,
):  # fmt: skip
    """A function like vision_transformer in which something differs; pool "mean" is right."""

    def wrong(
        image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
        pool="class", positions="learned", name="wrong",
    ):  # fmt: skip
        images = keras.Input((*sides("image", image), channels))
        x = layers.PatchEmbedding(embed_dim, patch)(images)
        learned = positions == "learned"
        if learned and position in ("before", "twice"):
            x = layers.LearnedPositions(x.shape[1])(x)
        x = token()(x) if pool == "class" and token else x
        if learned and position == "after":
            x = layers.LearnedPositions(x.shape[1])(x)
        settings = (embed_dim, num_heads, mlp_dim, 0.0, norm, activation)
        block = layers.TransformerEncoderBlock(*settings)
        for _ in range(num_layers)[:last]:
            block = block if again else layers.TransformerEncoderBlock(*settings)
            x = block(x)
        x = new_norm("final")(x) if final else x
        x = read(x) if pool == "class" else ops.mean(x, axis=1)
        return keras.Model(images, end(keras.layers.Dense(classes, dtype="float32")(x)))

    return wrong


@cache
def _redrawn(answer, settings):
    model = answer(**dict(settings))
    require(isinstance(model, keras.Model), "return a keras.Model(images, logits)")
    draw = np.random.default_rng(0)
    model.set_weights([draw.normal(0, 0.5, weight.shape) for weight in model.weights])
    return model


def _run_model(answer, settings, images):
    model = _redrawn(answer, settings)
    return model.count_params(), ops.convert_to_numpy(model(images))


@exercise(
    "07.3",
    models.vision_transformer,
    mistakes=[
        (assembled(position="none"), "the positions are missing, or their result is not used"),
        (assembled(position="before"),
         "add the positions after the class token: it has one of its own"),
        (assembled(token=None), 'pool="class" needs the class token in front'),
        (assembled(final=False), "the last LayerNorm, after the blocks, is missing"),
        (assembled(read=lambda x: ops.mean(x, axis=1)),
         'with pool="class" the head reads the class token alone: x[:, 0]'),
        (assembled(read=lambda x: x[:, -1]), "the class token stands first, not last"),
        (assembled(read=lambda x: ops.mean(x[:, 1:], axis=1)),
         'with pool="class" the head reads the class token alone: x[:, 0]'),
        (assembled(read=lambda x: x), "the head reads one vector an image, not all tokens"),
        (assembled(activation="relu"), 'the blocks\' activation is "gelu"'),
        (assembled(norm="post"), 'the blocks are pre-norm: norm="pre", their default'),
        (assembled(again=True), "each block has weights of its own: make a new one each time"),
        (assembled(last=1), "there are num_layers blocks, one after another"),
        (assembled(end=ops.softmax), "return logits, without a softmax"),
        (assembled(end=lambda x: keras.layers.Activation("relu")(x)),
         "return logits, without an activation"),
    ],
    takes=10,
    level=3,
    hints=[
        "keras.Input, PatchEmbedding, ClassToken, LearnedPositions(x.shape[1]), the blocks.",
        'TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu") in a loop; '
        'then new_norm("final_norm"), x[:, 0] or ops.mean(x, axis=1), Dense(classes).',
    ],
    reasoning="Everything between the patches and the head is the encoder of lecture 6.",
    solved="From here on the notebook trains this network: patches, token and model of yours.",
    run=_run_model,
)  # fmt: skip
def networks(draw):
    shape = {"image": (4, 6), "channels": 2, "patch": 2, "embed_dim": 4, "num_heads": 2}
    shape |= {"mlp_dim": 5, "num_layers": 2, "classes": 3}
    bag = {"image": 4, "pool": "mean", "positions": "none"}
    for options, width in (({}, 6), ({"pool": "mean"}, 6), (bag, 4)):
        yield tuple((shape | options).items()), vectors(draw, 2, 4, width, 2)


@cache
def _digits():
    with contextlib.redirect_stdout(io.StringIO()):
        return data.load_digits()


def _reads(train):
    """Train a new network with a student's function; True where it reaches the figure."""
    if train is lecture_07.train_reader:  # trained in the tests, not at every check
        return True
    digits = _digits()
    keras.utils.set_random_seed(0)
    model = lecture_07.digit_vit()
    trained = train(model, digits)
    require(trained is model, "train the model that you are given, and return it")
    require(getattr(model, "optimizer", None) is not None, "compile the model, then fit it")
    logits = ops.convert_to_tensor(np.array([[0.0, 2.0, 1.0]]))
    loss = float(np.mean(model.compute_loss(y=np.array([1]), y_pred=logits)))
    require(
        abs(loss - 0.4076) < 0.02,
        "the loss is not the cross-entropy of logits: SparseCategoricalCrossentropy with "
        "from_logits=True",
    )
    steps = int(model.optimizer.iterations)
    require(steps > 0, "the model has been compiled, but not trained: call fit")
    require(steps <= 500, f"that were {steps} batches, more than 500")
    named = model.predict(digits.val.inputs, verbose=0).argmax(axis=1)
    reached = float((named == digits.val.targets).mean())
    require(
        reached >= 0.95,
        f"{reached:.1%} of the validation digits are correct, and 95 % are asked: try another "
        "learning rate, larger or smaller by a factor of two to four",
    )
    return True


def compiled(loss=None, batches=0):
    """Compile with a loss and train so many batches, on blank images."""

    def train(model, digits):
        if loss:
            model.compile("adam", loss)
        for _ in range(batches):
            model.train_on_batch(np.zeros((1, 8, 8, 1)), np.zeros(1))
        return model

    return train


CROSS_ENTROPY = keras.losses.SparseCategoricalCrossentropy


@exercise(
    "07.4",
    lecture_07.train_reader,
    mistakes=[
        (lambda model, digits: {}, "train the model that you are given, and return it"),
        (compiled(), "compile the model, then fit it"),
        (compiled(CROSS_ENTROPY()), "the loss is not the cross-entropy of logits"),
        (compiled(CROSS_ENTROPY(from_logits=True)), "call fit"),
        (compiled(CROSS_ENTROPY(from_logits=True), 1), "try another learning rate"),
    ],
    takes=8,
    level=3,
    hints=[
        "AdamW(schedules.WarmupCosine(learning_rate, steps=494)) from 0.001 to 0.01.",
        "model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=26).",
    ],
    reasoning="With a warm-up and a falling learning rate, a wide range of peaks works.",
    solved="26 epochs on 1,200 digits.",
    run=_reads,
    limit=900,
)
def no_arguments(draw):
    yield ()


def moving(order=lambda order: order, size=lambda change: np.abs(change).max(), cut=to_patches,
           join=from_patches, only=slice(None)):  # fmt: skip
    """A `moved_by_shuffling` in which something differs."""

    def wrong(model, images, patch, given):
        patches = cut(images, patch)[:, order(given)]
        shuffled = join(patches, *images.shape[1:3], patch)
        before, after = (ops.convert_to_numpy(model(x[only])) for x in (images, shuffled))
        return size(after - before)

    return wrong


def _stripes(images, patch):
    return images.reshape(to_patches(images, patch).shape)


@exercise(
    "07.5",
    lecture_07.moved_by_shuffling,
    mistakes=[
        (moving(np.argsort), "at position s stands patch order[s]: patches[:, order]"),
        (moving(lambda order: order[::-1]), "use the order that is given"),
        (moving(lambda order: np.sort(order)), "nothing was shuffled: patches[:, order]"),
        (moving(size=lambda change: change.max()), "a logit may also fall: take np.abs"),
        (moving(size=lambda change: np.abs(change).mean()), "the largest change, not the mean"),
        (moving(size=lambda change: np.abs(change).sum()), "the largest change, not the sum"),
        (moving(size=lambda change: np.abs(change).max(axis=1)),
         "one number: the largest over all images and classes"),
        (moving(size=lambda change: bool(np.abs(change).max() > 1e-5)),
         "say how far the logits move, not whether"),
        (moving(size=lambda change: np.abs(change).max(axis=1).mean()),
         "the largest over all images, not the mean over them"),
        (moving(only=slice(1)), "shuffle all images, not only the first"),
        (moving(cut=_stripes, join=lambda x, h, w, p: x.reshape(len(x), h, w, -1)),
         "a reshape alone shuffles stripes, not patches: to_patches and from_patches"),
        (moving(join=lambda x, h, w, p: x.reshape(len(x), h, w, -1)),
         "put the patches together with from_patches, not by a reshape"),
        (lambda model, images, patch, order: moving()(
            model, images.swapaxes(1, 2), patch, order),
         "height and width are mixed up"),
    ],
    takes=7,
    level=3,
    hints=[
        "to_patches(images, patch) is (batch, S, …): index its second axis with order.",
        "from_patches(patches, height, width, patch); then compare the logits.",
    ],
    reasoning="If the order does not matter, no information about it reaches the logits.",
    solved="Four lines, no training, and they work on any model of images.",
)  # fmt: skip
def readers(draw):
    for height, width, c, p in ((2, 4, 1, 2), (6, 4, 2, 2)):
        images = draw.random((3, height, width, c))
        table = draw.normal(size=(height * width * c, 3))
        order = np.roll(np.arange(height * width // p**2), 1)  # not its own inverse
        change = moving(size=lambda change: change)
        table = table.astype("float32")

        def model(images, table=table):
            flat = np.array(images, "float32").reshape(len(images), -1)
            return ops.convert_to_tensor(np.tanh(flat @ table))

        found = change(model, images, p, order)
        if found.max() >= -found.min():  # the logit that moves most should fall
            table *= -1
        yield model, images, p, order


def moved(read=ops.image.resize, turn=1, keep=1.0):
    """`interpolate_positions` that reads the plane otherwise, or turns or scales parts."""

    def wrong(positions, old, new, extra):
        plane = np.array(read(positions[extra:].reshape(*old[::turn], -1), new))
        return np.concatenate([keep * positions[:extra], plane.reshape(new[0] * new[1], -1)])

    return wrong


def stretched(rows, count):
    steps = (np.arange(count) + 0.5) * len(rows) / count - 0.5
    return np.stack([np.interp(steps, np.arange(len(rows)), one) for one in rows.T], axis=1)


def cornered(plane, new):
    return zoom(plane, (new[0] / len(plane), new[1] / plane.shape[1], 1), order=1)


@exercise(
    "07.6",
    lecture_07.interpolate_positions,
    mistakes=[
        (moved(lambda x, new: stretched(x.reshape(-1, x.shape[-1]), new[0] * new[1])),
         "you stretched the list, not the plane: vertical neighbours are lost"),
        (lambda x, old, new, extra: stretched(x, extra + new[0] * new[1]),
         "the extra rows were stretched with the others: set them aside first"),
        (lambda *given: moved()(*given)[given[-1] :], "the extra rows in front are missing"),
        (lambda *given: np.roll(moved()(*given), -given[-1], 0), "the extra rows come first"),
        (moved(keep=0.0), "the extra rows have to stay as they are"),
        (moved(turn=-1), "rows and columns of the old grid are mixed up"),
        (moved(lambda x, new: ops.image.resize(x, new, "bicubic")), "bicubic; use bilinear"),
        (moved(lambda x, new: ops.image.resize(x, new, "nearest")), "nearest; use bilinear"),
        (moved(cornered), "corners are aligned here, as in the paper's own code; this exercise "
         "aligns the centres of the patches"),
        (lambda x, old, new, extra: moved()(x, old, new[::-1], extra),
         "rows and columns of the new grid are mixed up"),
    ],
    takes=7,
    level=3,
    hints=[
        "The rows in front belong to no patch: set them aside and put them back at the end.",
        "Reshape the rest to (rows, columns, embed_dim): an image that ops.image.resize can "
        "enlarge. Then flatten the grid again.",
    ],
    reasoning="Position vectors on a grid are an image of embed_dim channels: resize it.",
    solved="A class token has no position in the plane; all others are interpolated in it.",
)  # fmt: skip
def positions(draw):
    for old, new, extra in (((1, 2), (1, 3), 1), ((2, 3), (4, 3), 1), ((3, 2), (4, 7), 2)):
        yield draw.normal(size=(extra + old[0] * old[1], 4)).round(1), old, new, extra


def counting(part, change):
    """`multiplications` with one part changed: change(its right value, S, the arguments)."""

    def wrong(*given):
        count = lecture_07.multiplications(*given)
        S = (given[0] // given[2]) ** 2
        return count | {part: int(change(count[part], S, given))}

    return wrong


def _everywhere(change):
    def wrong(*given):
        count = lecture_07.multiplications(*given)
        return {part: change(part, value, given) for part, value in count.items()}

    return wrong


BLOCKS = ("attention matrices", "token pairs", "feed-forward")


@exercise(
    "07.7",
    lecture_07.multiplications,
    mistakes=[
        (_everywhere(lambda part, value, given: value // given[5] if part in BLOCKS else value),
         "that is one block: there are num_layers of them"),
        (_everywhere(lambda part, value, given: 2 * value),
         "count multiplications alone, not multiplications and additions"),
        (lambda *g: lecture_07.multiplications(*g) | {
            part: value // ((g[0] // g[2]) ** 2 + 1) * (g[0] // g[2]) ** 2 if part != BLOCKS[1]
            else g[5] * 2 * (g[0] // g[2]) ** 4 * g[3]
            for part, value in lecture_07.multiplications(*g).items() if part in BLOCKS},
         "the class token passes through the blocks, too: S + 1 tokens"),
        (counting("token pairs", lambda n, S, g: n // 2),
         "token pairs enter two products: QKᵀ, and the weights times V"),
        (counting("token pairs", lambda n, S, g: n // (S + 1)),
         "every token meets every token: (S + 1)² pairs"),
        (counting("token pairs", lambda n, S, g: n // g[3]),
         "a pair takes a product of two vectors with C numbers, over all heads together"),
        (counting("token pairs", lambda n, S, g: g[5] * 2 * S * S * g[3]),
         "the class token is a token, too: (S + 1)² pairs"),
        (counting("attention matrices", lambda n, S, g: n * 3 // 4),
         "attention has four matrices: query, key, value and output"),
        (counting("attention matrices", lambda n, S, g: n // (S + 1)),
         "every token passes through the four matrices"),
        (counting("feed-forward", lambda n, S, g: n // 2), "the network has two matrices"),
        (counting("feed-forward", lambda n, S, g: n // (S + 1)),
         "the network works on every token"),
        (counting("projection", lambda n, S, g: n // S * (S + 1)),
         "the class token is not projected: S patches"),
        (counting("projection", lambda n, S, g: n // S), "every patch is projected"),
        (counting("projection", lambda n, S, g: n // g[1]),
         "a patch has patch · patch · channels numbers"),
        (counting("head", lambda n, S, g: n * (S + 1)), "the head reads one token"),
    ],
    takes=8,
    level=3,
    hints=[
        "S = (image // patch)², and S + 1 tokens in the blocks. A token times a matrix (C, C) "
        "takes C² multiplications.",
        "QKᵀ is (T, C) times (C, T) over all heads together, the weights times V are (T, T) "
        "times (T, C): T²·C each.",
    ],
    reasoning="A matrix costs its size for every token; only the pairs grow with T squared.",
    solved="Up to T = 2·C + M tokens the matrices cost more than the pairs.",
    equal=lambda given, expected: given == expected,
)  # fmt: skip
def sizes(draw):
    for image, channels, patch in ((8, 1, 2), (12, 3, 4)):
        heads = int(draw.integers(2, 5))
        yield image, channels, patch, 4 * heads, int(draw.integers(5, 20)), heads - 1, 7
