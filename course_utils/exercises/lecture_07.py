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
            options = {"kernel_size": self.patch, "strides": self.patch} | change
            self.projection = keras.layers.Conv2D(self.embed_dim, **options)
            self.flatten = keras.layers.Reshape((-1, self.embed_dim))

    return Patches


def _run_patches(Layer, embed_dim, patch, images):
    layer = Layer(embed_dim, patch)
    require(layer(images) is not None, "call returned None: is a `return` missing?")
    require(layer.weights, "make the layers in build: made in call, they are new each time")
    draw = np.random.default_rng(0)
    for weight in sorted(layer.weights, key=lambda weight: -np.prod(weight.shape)):  # E, then b
        weight.assign(draw.normal(0, 0.5, weight.shape))
    tokens = ops.convert_to_numpy(layer(images))
    try:
        layer(np.pad(images, ((0, 0), (0, 1), (0, 0), (0, 0))))
    except Exception:
        return tokens, "refused"
    return tokens, "the last row is dropped"


def _open_batch(layer, *shape):
    """Refuse a layer that needs the number of images when a model is built of it."""
    inputs = keras.Input(shape)
    try:
        keras.Model(inputs, layer(inputs)).predict(np.ones((3, *shape)), verbose=0)
    except Exception:
        told = "in a model the number of images is still open, and x.shape[0] is None: "
        require(False, told + "ops.shape(x)[0]")


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
         "self.check(images.shape) in call"),
        (convolving({"kernel_size": 1}), "a window is as large as a patch: self.patch"),
        (patching(shape=lambda x, images, p: ops.reshape(
            x, (-1, images.shape[1] // p, images.shape[2] // p, x.shape[-1]))),
         "the grid of tokens has to become one sequence: reshape to (batch, S, embed_dim)"),
        (patching(shape=lambda x, images, p: ops.reshape(x, (len(images), -1))),
         "the grid of tokens has to become one sequence: reshape to (batch, S, embed_dim)"),
        (patching(shape=lambda x, images, p: ops.swapaxes(x, 1, 2)),
         "tokens come before channels: (batch, S, embed_dim)"),
        (patching(shape=lambda x, images, p: ops.reshape(x, (len(images), x.shape[2], -1))),
         "tokens come before channels: (batch, S, embed_dim)"),
        (patching(lambda x, p: SQUARES(x[..., :1], p)),
         "a patch has the numbers of all channels"),
    ],
    takes=9,
    level=3,
    hints=[
        "A convolution whose stride is as long as its window sees each patch exactly once.",
        "Conv2D(self.embed_dim, self.patch, strides=self.patch), then reshape its grid to "
        "(-1, S, embed_dim). Or as in to_patches, with ops, and a Dense layer.",
    ],
    reasoning="A window that moves by its own width is a patch; the kernel, flattened, is E.",
    solved="Reshape and Dense, or a strided convolution: both are the same function.",
    properties=[lambda Layer: _open_batch(Layer(5, patch=2), 4, 6, 1)],
    run=_run_patches,
)  # fmt: skip
def images_to_cut(draw):
    for height, width, c, p in ((4, 6, 1, 2), (6, 9, 2, 3)):
        yield 5, p, vectors(draw, 2, height, width, c)


def fronting(
    join, weight=True, initializer="zeros", trainable=True, repeat=True,
    token_shape=lambda shape: (1, 1, shape[-1]),
):  # fmt: skip
    """A class like ClassToken that makes its token, or joins token and tokens, otherwise."""

    class Token(layers.ClassToken):
        def build(self, shape):
            options = {"initializer": initializer, "trainable": trainable}
            make = self.add_weight if weight else lambda shape, **_: ops.zeros(shape)
            self.token = make(shape=token_shape(shape), **options)

        def call(self, x):
            token = ops.convert_to_tensor(self.token)
            return join(ops.repeat(token, x.shape[0], axis=0) if repeat else token, x)

    return Token


def _joined(token, x):
    return ops.concatenate([token, x], axis=1)


def _run_token(Layer, x):
    layer = Layer()
    require(layer(x) is not None, "call returned None: is a `return` missing?")
    trainable = sum(int(np.prod(weight.shape)) for weight in layer.trainable_weights)
    zero = not any(ops.convert_to_numpy(weight).any() for weight in layer.weights)
    return layer_outputs(Layer, x), trainable, "0 at first" if zero else "not 0 at first"


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
        (fronting(lambda token, x: ops.concatenate(
            [ops.repeat(token[:1], x.shape[1], axis=1), x], axis=0)),
         "join along the tokens, axis 1, not along the batch"),
        (fronting(lambda token, x: x), "join the token and the tokens: ops.concatenate"),
        (fronting(lambda token, x: token), "join the token and the tokens: ops.concatenate"),
        (fronting(_joined, weight=False), "the token has to be learned: self.add_weight"),
        (fronting(_joined, trainable=False), "the token has to be trainable"),
        (fronting(_joined, initializer="ones"), 'the token is 0 at first: initializer="zeros"'),
        (fronting(_joined, repeat=False),
         "repeat the token for every image of the batch, ops.shape(x)[0] times"),
        (fronting(_joined, repeat=False, token_shape=lambda shape: (shape[0], 1, shape[-1])),
         "one vector for all images: its shape has nothing to do with the batch"),
        (fronting(lambda token, x: _joined(token + 0 * x[:, :1], x),
                  token_shape=lambda shape: (1, 1, 1)),
         "the token is a vector of embed_dim numbers, not one number"),
        (fronting(_joined, token_shape=lambda shape: (1, *shape[1:])),
         "it is one token: there are S + 1 afterwards"),
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
    properties=[lambda Layer: _open_batch(Layer(), 2, 3)],
    run=_run_token,
)  # fmt: skip
def tokens(draw):
    for batch, S, C in ((1, 2, 3), (3, 4, 2)):
        yield (vectors(draw, batch, S, C),)


def assembled(
    token=layers.ClassToken, position="after", again=False, last=None, final=True,
    read=lambda x: x[:, 0], mean=lambda x: ops.mean(x, axis=1), activation="gelu", norm="pre",
    bias=True, end=lambda x: x, norm_last=False, hidden=lambda mlp_dim, embed_dim: mlp_dim,
):  # fmt: skip
    """A function like vision_transformer in which something differs."""

    def wrong(
        image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
        pool="class", positions="learned", name="wrong",
    ):  # fmt: skip
        images = keras.Input((*sides("image", image), channels))
        x = layers.PatchEmbedding(embed_dim, patch)(images)
        S, learned = x.shape[1], positions == "learned" or position == "always"
        if learned and position in ("before", "twice"):
            x = layers.LearnedPositions(S)(x)
        x = token()(x) if token and (pool == "class" or token is _Always) else x
        if learned and position not in ("before", "none"):
            x = layers.LearnedPositions(S + 1 if position == "long" else x.shape[1])(x)
        settings = (embed_dim, num_heads, hidden(mlp_dim, embed_dim), 0.0, norm, activation)
        block = layers.TransformerEncoderBlock(*settings)
        for _ in range(num_layers)[:last]:
            block = block if again else layers.TransformerEncoderBlock(*settings)
            x = block(x)
        x = new_norm("final")(x) if final else x
        head = keras.layers.Dense(classes, use_bias=bias, dtype="float32")
        x = read(x) if pool == "class" else mean(x)
        x = new_norm("last")(x) if norm_last else x
        return keras.Model(images, end(head(x)), name=name)

    return wrong


def _flat(x):
    return keras.layers.Flatten()(x)


class _Always(layers.ClassToken):
    """A class token that stands in front with pool="mean", too."""


SETTINGS = {"channels": 2, "patch": 2, "embed_dim": 4, "num_heads": 2, "mlp_dim": 5}
SETTINGS |= {"image": (4, 6), "num_layers": 2, "classes": 3, "name": "reader"}


@cache
def _redrawn(answer, settings):
    model = answer(**dict(settings))
    require(isinstance(model, keras.Model), "return a keras.Model(images, logits)")
    require(model.name == "reader", "the model's name is not used: keras.Model(…, name=name)")
    draw = np.random.default_rng(0)
    model.set_weights([draw.normal(0, 0.5, weight.shape) for weight in model.weights])
    return model


def _run_model(answer, settings, images):
    model = _redrawn(answer, settings)
    return model.count_params(), ops.convert_to_numpy(model(images))


def _refuses(answer):
    for name, choices in (("pool", ("class", "mean")), ("positions", ("learned", "none"))):
        try:
            answer(**SETTINGS | {name: "other"})
        except ValueError:
            continue
        except Exception:  # refused, but not by a ValueError
            pass
        require(
            False, f'{name}="other" raises no ValueError: one_of("{name}", {name}, {choices})'
        )


def _no_dropout(answer):
    model, images = answer(**SETTINGS), np.ones((2, 4, 6, 2), "float32")
    outputs = [ops.convert_to_numpy(model(images, training=on)) for on in (False, True)]
    require(np.allclose(*outputs), "training changes the outputs: there is no dropout here")


def _float32(answer):
    policy = keras.config.dtype_policy()
    try:
        keras.config.set_dtype_policy("mixed_bfloat16")  # as on a GPU
        logits = answer(**SETTINGS).output.dtype
    except Exception as error:
        logits = error
    finally:
        keras.config.set_dtype_policy(policy)
    told = "on a GPU, where layers compute in 16 bits, the logits have to be float32"
    require(logits == "float32", told + ': Dense(classes, dtype="float32")')


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
        *((assembled(**wrong), "the head reads one vector an image: x[:, 0], or the mean")
          for wrong in ({"read": lambda x: x}, {"read": lambda x: x[:, :1]}, {"mean": _flat})),
        (assembled(mean=lambda x: x[:, 0]), 'pool="mean" asks for the mean of all tokens'),
        (assembled(mean=lambda x: ops.max(x, axis=1)),
         'pool="mean" asks for the mean of all tokens'),
        (assembled(mean=lambda x: ops.mean(x, axis=-1)),
         "the mean is taken over the tokens: axis=1"),
        (assembled(_Always), 'with pool="mean" there is no class token'),
        (assembled(_Always, mean=lambda x: ops.mean(x[:, 1:], axis=1)),
         'with pool="mean" there is no class token'),
        (assembled(position="always"), 'positions="none" leaves the positions out'),
        (assembled(position="twice"), "add the positions once, after the class token"),
        (assembled(position="long"),
         "as many positions as tokens, x.shape[1]: with the class token one more"),
        (assembled(bias=False), "the head has a bias"),
        (assembled(activation="relu"), 'the blocks\' activation is "gelu"'),
        (assembled(norm="post"), 'the blocks are pre-norm: norm="pre", their default'),
        (assembled(again=True), "each block has weights of its own: make a new one each time"),
        (assembled(last=1), "there are num_layers blocks, one after another"),
        (assembled(end=ops.softmax), "return logits, without a softmax"),
        (assembled(end=lambda x: keras.layers.Activation("relu")(x)),
         "return logits, without an activation"),
        # The rarer ones last: a check builds a model for each mistake before the one it names.
        (assembled(final=False, norm_last=True),
         "the last LayerNorm comes before the mean over the tokens"),
        (assembled(read=_flat, mean=_flat),
         "the head reads one vector an image: x[:, 0], or the mean"),
        (assembled(read=lambda x: x[0]), "x[0] is the first image: the token is x[:, 0]"),
        (assembled(hidden=lambda mlp_dim, embed_dim: 4 * embed_dim),
         "the blocks' feed-forward networks have mlp_dim units"),
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
    properties=[_refuses, _no_dropout, _float32],
    run=_run_model,
)  # fmt: skip
def networks(draw):
    mean = {"pool": "mean", "num_layers": 1}
    for options, width in (({}, 6), (mean, 6), (mean | {"image": 4, "positions": "none"}, 4)):
        yield tuple((SETTINGS | options).items()), vectors(draw, 2, 4, width, 2)


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
    fit = model.fit

    def fit_by_64(x=None, y=None, batch_size=None, *more, **options):
        require((batch_size or 32) <= 64, f"batches of 64 at most, not {batch_size}")
        return fit(x, y, batch_size, *more, **options)

    model.fit = fit_by_64
    trained = train(model, digits)
    require(trained is model, "train the model that you are given, and return it")
    require(getattr(model, "optimizer", None) is not None, "compile the model, then fit it")
    require(
        abs(_loss_of_an_example(model) - 0.4076) < 0.02,
        "the loss is not the cross-entropy of logits: SparseCategoricalCrossentropy with "
        "from_logits=True",
    )
    steps = int(model.optimizer.iterations)
    require(steps > 0, "the model has been compiled, but not trained: call fit")
    require(steps <= 500, f"that was {steps} batches, more than 500")
    seen, reached = (
        float((model.predict(part.inputs, verbose=0).argmax(axis=1) == part.targets).mean())
        for part in (digits.train, digits.val)
    )
    longer, other = f"train longer than {steps} batches", "try a learning rate of half or twice"
    require(
        reached >= 0.95,
        f"{reached:.1%} of the validation digits are correct, and 95 % are asked: "
        + (longer if steps < 300 else f"{other} that size, or of a quarter or four times"),
    )
    require(seen >= 0.93, f"train on digits.train: of these only {seen:.1%} are correct")
    return True


def _loss_of_an_example(model):
    """The compiled loss where the logits are 0, 2, 1 and the class is 1; 0.4076 if right."""
    logits = ops.convert_to_tensor(np.array([[0.0, 2.0, 1.0]]))
    try:
        loss = model.compute_loss(y=np.array([1]), y_pred=logits)
    except ValueError:  # it wants targets as vectors of 0 and 1
        loss = model.compute_loss(y=np.array([[0.0, 1.0, 0.0]]), y_pred=logits)
    return float(np.mean(loss))


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
        (compiled(CROSS_ENTROPY(from_logits=True), 1), "train longer"),
        (lambda model, digits: model.fit(None, None, 256), "batches of 64 at most"),
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
           join=from_patches, only=slice(None), read=ops.convert_to_numpy,
           pick=lambda patches, order: patches[:, order]):  # fmt: skip
    """A `moved_by_shuffling` in which something differs."""

    def wrong(model, images, patch, given):
        patches = pick(cut(images, patch), order(given))
        shuffled = join(patches, *images.shape[1:3], patch)
        before, after = (read(model(x[only])) for x in (images, shuffled))
        return size(after - before)

    return wrong


def _how_far(answer, *arguments):
    far = answer(*arguments)
    require(not isinstance(far, bool | np.bool_), "say how far the logits move, not whether")
    return far


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
        (moving(size=lambda change: -change.min()), "a logit may also rise: take np.abs"),
        (moving(size=lambda change: np.abs(change).mean()), "the largest change, not the mean"),
        (moving(size=lambda change: np.abs(change).sum()), "the largest change, not the sum"),
        (moving(size=lambda change: np.abs(change).max(axis=1)),
         "one number: the largest over all images and classes"),
        (moving(size=lambda change: np.abs(change).max(axis=0)),
         "one number: the largest over all images and classes"),
        (moving(size=np.linalg.norm), "the largest change of one logit, not the norm of all"),
        (moving(size=lambda change: np.abs(change).min()), "the largest change, not the least"),
        (moving(size=lambda change: (change**2).max()), "the absolute change, not its square"),
        (moving(size=lambda change: np.abs(change).argmax()),
         "say how far the logit moves, not which one: np.max"),
        (moving(read=lambda logits: np.abs(logits)),
         "first the difference, then its absolute value"),
        (moving(read=lambda logits: np.array(ops.softmax(logits))),
         "compare the logits, not probabilities"),
        (moving(read=lambda logits: np.max(logits)),
         "compare logit by logit: first the differences, then the largest"),
        (moving(read=lambda logits: np.max(logits, axis=1)),
         "compare logit by logit: first the differences, then the largest"),
        (moving(read=lambda logits: np.argmax(logits, axis=1), size=lambda c: np.mean(c != 0)),
         "say how far the logits move, not how many predictions change"),
        (lambda model, images, patch, order: moving()(lambda x: x, images, patch, order),
         "compare the logits, model(images), not the images"),
        (moving(pick=lambda patches, order: patches[order]),
         "the patches are the second axis: patches[:, order]"),
        (moving(size=lambda change: bool(np.abs(change).max() > 1e-5)),
         "say how far the logits move, not whether"),
        (moving(size=lambda change: np.abs(change).max(axis=1).mean()),
         "the largest over all images, not the mean over them"),
        (moving(only=slice(1)), "shuffle all images, not only the first"),
        (moving(cut=_stripes, join=lambda x, h, w, p: x.reshape(len(x), h, w, -1)),
         "a reshape alone shuffles stripes, not patches: to_patches and from_patches"),
        (moving(join=lambda x, h, w, p: x.reshape(len(x), h, w, -1)),
         "put the patches together with from_patches, not by a reshape"),
        (moving(join=lambda x, h, w, p: from_patches(x, w, h, p)),
         "height and width are mixed up: from_patches(patches, height, width, patch)"),
        (moving(join=lambda x, h, w, p: from_patches(x, h, h, p)),
         "images need not be square: from_patches(patches, height, width, patch)"),
        (moving(join=lambda x, h, w, p: from_patches(x, w, w, p)),
         "images need not be square: from_patches(patches, height, width, patch)"),
    ],
    takes=7,
    level=3,
    hints=[
        "to_patches(images, patch) is (batch, S, …): index its second axis with order.",
        "from_patches(patches, height, width, patch); then compare the logits.",
    ],
    reasoning="If the order does not matter, no information about it reaches the logits.",
    solved="Four lines, no training, and they work on any model of images.",
    run=_how_far,
)  # fmt: skip
def readers(draw):
    for falls, (height, width, c, p) in enumerate(((2, 4, 1, 2), (6, 4, 2, 2))):
        # As many images as patches, so that an index on the wrong axis raises nothing.
        images = draw.random((height * width // p**2, height, width, c))
        table = draw.normal(size=(height * width * c, 3))
        order = np.roll(np.arange(height * width // p**2), 1)  # not its own inverse
        change = moving(size=lambda change: change)
        table = table.astype("float32")

        def model(images, table=table):
            flat = np.array(images, "float32").reshape(len(images), -1)
            return ops.convert_to_tensor(np.tanh(flat @ table))

        found = change(model, images, p, order)
        # The logit that moves most rises in the first case, and falls in the second.
        if (found.max() >= -found.min()) == bool(falls):
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
        (lambda x, *given: moved()(np.roll(x, given[-1], 0), *given),
         "the extra rows are the first ones, positions[:extra], not the last"),
        (lambda x, old, new, extra: moved()(x, old, new, 1),
         "there may be more than one row in front: positions[:extra]"),
        (lambda x, old, new, extra: moved()(np.delete(x, range(1, extra), 0), old, new, 1),
         "there may be more than one row in front: positions[:extra]"),
        (lambda x, old, new, extra: moved()(x[: 1 + old[0] * old[1]], old, new, 1),
         "there may be more than one row in front: positions[:extra]"),
        (lambda x, *given: np.concatenate([x[: given[-1]], moved()(np.roll(
            x, given[-1], 0), *given)[given[-1] :]]),
         "the extra rows are the first ones: the grid is positions[extra:]"),
        (lambda x, old, new, extra: x, "the grid is not resized: ops.image.resize"),
        (lambda x, old, new, extra: ops.image.resize(x[extra:].reshape(*old, -1), new),
         "flatten the new grid to rows, and put the extra rows in front"),
        (moved(lambda x, new: ops.image.resize(
            x.reshape(x.shape[-1], *x.shape[:2]).transpose(1, 2, 0), new)),
         "the channels are the last axis: reshape(*old_grid, -1)"),
        (moved(lambda x, new: ops.swapaxes(ops.image.resize(x, new), 0, 1)),
         "flatten the new grid row by row"),
        (moved(keep=0.0), "the extra rows have to stay as they are"),
        (moved(turn=-1), "rows and columns of the old grid are mixed up"),
        (moved(lambda x, new: ops.image.resize(x, new, "bicubic")), "bicubic; use bilinear"),
        (moved(lambda x, new: ops.image.resize(x, new, "nearest")), "nearest; use bilinear"),
        (moved(lambda x, new: ops.image.resize(x, new, antialias=True)),
         "antialias=True averages over more than four positions where the grid shrinks"),
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
    for old, new, extra in (((1, 2), (1, 3), 1), ((4, 3), (2, 5), 1), ((3, 2), (4, 7), 2)):
        yield draw.normal(size=(extra + old[0] * old[1], 4)).round(1), old, new, extra


def counting(**changes):
    """`multiplications` with parts changed: part=change(its right value, S, the arguments).

    A name in `changes` stands for the part that begins with it.
    """

    def wrong(*given):
        count, S = lecture_07.multiplications(*given), (given[0] // given[2]) ** 2
        for name, change in changes.items():
            part = next(part for part in count if part.startswith(name))
            count[part] = int(change(count[part], S, given))
        return count

    return wrong


def _everywhere(change):
    def wrong(*given):
        count = lecture_07.multiplications(*given)
        return {part: change(part, value, given) for part, value in count.items()}

    return wrong


def _of_tokens(patches, front):
    """`multiplications` of a sequence of patches(S) patches and `front` tokens before them."""

    def wrong(*given):
        S = (given[0] // given[2]) ** 2
        tokens = patches(S) + front
        count = counting(projection=lambda n, S, g: n // S * patches(S))(*given)
        for part in BLOCKS:
            times = 2 if part == "token pairs" else 1
            count[part] = count[part] // (S + 1) ** times * tokens**times
        return count

    return wrong


BLOCKS = ("attention matrices", "token pairs", "feed-forward")
BIASES = {  # one more number a column of each matrix
    "projection": lambda n, S, g: n + S * g[3],
    "attention": lambda n, S, g: n + g[5] * 4 * (S + 1) * g[3],
    "feed": lambda n, S, g: n + g[5] * (S + 1) * (g[4] + g[3]),
    "head": lambda n, S, g: n + g[6],
}


@exercise(
    "07.7",
    lecture_07.multiplications,
    mistakes=[
        (_everywhere(lambda part, value, given: value // given[5] if part in BLOCKS else value),
         "that is one block: there are num_layers of them"),
        *((counting(**{part: lambda n, S, g: n // g[5]}),
           "that is one block: there are num_layers of them")
          for part in ("attention", "token", "feed")),
        (_everywhere(lambda part, value, given: value if part in BLOCKS else value * given[5]),
         "num_layers counts for the blocks alone, not for the projection and the head"),
        (counting(projection=lambda n, S, g: n * g[5]),
         "num_layers counts for the blocks alone, not for the projection and the head"),
        (counting(head=lambda n, S, g: n * g[5]),
         "num_layers counts for the blocks alone, not for the projection and the head"),
        (_everywhere(lambda part, value, given: 2 * value),
         "count multiplications alone, not multiplications and additions"),
        (_of_tokens(lambda S: S, 0),
         "the class token passes through the blocks, too: S + 1 tokens"),
        (_of_tokens(lambda S: round(S**0.5), 1), "there are (image // patch)² patches"),
        (counting(token=lambda n, S, g: n // 2),
         "token pairs enter two products: QKᵀ, and the weights times V"),
        (counting(token=lambda n, S, g: n // (S + 1)),
         "every token meets every token: (S + 1)² pairs"),
        (counting(token=lambda n, S, g: n // (S + 1) * (S + 2) // 2),
         "every token meets every token: (S + 1)² pairs"),
        (counting(token=lambda n, S, g: n // g[3]),
         "a pair takes a product of two vectors with C numbers, over all heads together"),
        (counting(token=lambda n, S, g: n * g[3]),
         "a pair takes a product of two vectors with C numbers, over all heads together"),
        (counting(token=lambda n, S, g: g[5] * 2 * S * S * g[3]),
         "the class token is a token, too: (S + 1)² pairs"),
        (counting(token=lambda n, S, g: n // (S + 1) * S),
         "the class token is a token, too: (S + 1)² pairs"),
        (counting(attention=lambda n, S, g: n * 3 // 4),
         "attention has four matrices: query, key, value and output"),
        (counting(attention=lambda n, S, g: n // (S + 1)),
         "every token passes through the four matrices"),
        (counting(feed=lambda n, S, g: n // 2), "the network has two matrices"),
        *((counting(feed=wrong), "the two matrices have embed_dim · mlp_dim weights each")
          for wrong in (lambda n, S, g: n // g[4] * g[3], lambda n, S, g: n // g[4] * 4 * g[3],
                        lambda n, S, g: n // (2 * g[3]) * (g[3] + g[4]))),
        (counting(feed=lambda n, S, g: n // (S + 1)), "the network works on every token"),
        (counting(attention=lambda n, S, g: n // (S + 1), feed=lambda n, S, g: n // (S + 1)),
         "that counts parameters: every token passes through the matrices"),
        (counting(projection=lambda n, S, g: n // S * (S + 1)),
         "the class token is not projected: S patches"),
        (counting(projection=lambda n, S, g: n // S), "every patch is projected"),
        (counting(projection=lambda n, S, g: n // g[1]),
         "a patch has patch · patch · channels numbers"),
        (counting(projection=lambda n, S, g: n // g[2]),
         "a patch has patch · patch · channels numbers"),
        (counting(projection=lambda n, S, g: n // g[2] ** 2),
         "a patch has patch · patch · channels numbers"),
        (counting(head=lambda n, S, g: n * (S + 1)), "the head reads one token"),
        (counting(head=lambda n, S, g: n * S), "the head reads one token"),
        *((counting(**biases), "a bias is added: it takes no multiplications") for biases in (
            {"head": BIASES["head"]}, {"projection": BIASES["projection"]},
            {"attention": BIASES["attention"]}, {"feed": BIASES["feed"]}, BIASES)),
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
