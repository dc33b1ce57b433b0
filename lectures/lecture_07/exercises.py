"""Exercises of lecture 07: a Vision Transformer part by part, its training, a bug, its cost."""

from functools import cache, partial

import keras
import numpy as np
from keras import ops
from scipy.ndimage import zoom

from course_utils import data, errors, layers, models
from course_utils.checks import (
    fresh,
    kept_back,
    layer_outputs,
    learns_alike,
    predicted,
    require_alike,
    require_learning,
    require_loss,
    require_no_penalty,
    step,
    vectors,
    watched_training,
)
from course_utils.exercises import Wrong, exercise, require
from lectures import lecture_07
from lectures.lecture_07 import from_patches, to_patches
from lectures.lecture_07.digits import digit_vit


def _run_patches(Layer, embed_dim, patch, images):
    layer = Layer(embed_dim, patch)
    require(layer(images) is not None, "`call` returned None: is a `return` missing?")
    require(layer.weights, "make the layers in build: made in call, they are new each time")
    shapes = [tuple(weight.shape) for weight in layer.weights]
    require_learning(layer)
    order = "make E first, then b: the next cell reads `E, b = embed.get_weights()`"
    require(len(shapes) != 2 or len(shapes[0]) > 1, order)
    tokens = ops.convert_to_numpy(_drawn_patches(layer)(images))
    _keeps_images_apart(layer, images)
    for (rows, columns), kept in (
        ((1, 0), "a row is left over"),
        ((0, 1), "a column is left over"),
    ):
        # So many that a reshape would not fail either, if it mixed their pixels.
        count = images.shape[1] * images.shape[2]
        shape = images.shape[1] + rows, images.shape[2] + columns, images.shape[3]
        try:
            layer(np.ones((count, *shape), "float32"))
        except Exception:
            continue
        return tokens, kept
    return tokens, "refused"


def _keeps_images_apart(layer, images):
    """Refuse a number of tokens kept from `build`: -1 would then be another batch."""
    taller = np.concatenate([images, images], axis=1)
    try:
        count = len(layer(taller))
    except Exception:  # to refuse another size mixes nothing
        return
    told = "S follows from the images that `call` gets, not from those of `build`: an image of "
    told += "twice the height became two"
    require(count == len(images), told)


def _drawn_patches(layer):
    draw = np.random.default_rng(0)
    for weight in sorted(layer.weights, key=lambda weight: -np.prod(weight.shape)):  # E, then b
        weight.assign(draw.normal(0, 0.5, weight.shape))
    return layer


def _new_patches(Layer):
    layer = Layer(5, patch=2)
    layer(np.zeros((2, 4, 6, 1), "float32"))  # makes its weights
    return _drawn_patches(layer)


def _open_batch(layer, *shape):
    """Refuse a layer that needs the number of images when a model is built of it."""
    inputs = keras.Input(shape)
    try:
        # Batches of two sizes: Keras compiles one function, in which the number is open.
        keras.Model(inputs, layer(inputs)).predict(np.ones((3, *shape)), 2, verbose=0)
    except Exception as error:
        told = "the numbers are right, but it fails where the number of images is open (None)"
        raise Wrong(f"{told}: {errors.in_words(error)}") from error


def _channels_first(images, p):
    """The patches as one column of squares, within which the channels come first."""
    batch, height, width, c = images.shape
    split = ops.reshape(images, (batch, height // p, p, width // p, p, c))
    return ops.reshape(ops.transpose(split, (0, 1, 3, 5, 2, 4)), (batch, -1, p, c))


PROJECTED = "self.projection(images)"


@exercise(
    "07.1",
    layers.PatchEmbedding,
    mistakes=[
        (PROJECTED, "self.projection(ops.reshape(images, (len(images), -1, self.patch, "
         "images.shape[-1])))",
         "a direct reshape gives stripes: split both sides and swap the inner axes"),
        (PROJECTED, f"ops.swapaxes({PROJECTED}, 1, 2)",
         "patches come row by row, not column by column"),
        ("=self.patch", "=self.patch, use_bias=False", "the bias b is missing"),
        ("=self.patch", '=self.patch, activation="relu"',
         "the projection is linear: no activation"),
        ("=self.patch", "=1", "windows must not overlap: strides=self.patch"),
        ("self.check(images.shape)", "", "images whose sides the patch does not divide are not "
         "refused: self.check(images.shape) in call"),
        ("self.embed_dim, self.patch", "self.embed_dim, 1",
         "a window is as large as a patch: self.patch"),
        (f"self.flatten({PROJECTED})", PROJECTED,
         "the grid of tokens has to become one sequence: reshape to (batch, S, embed_dim)"),
        ("((-1, self.embed_dim)", "((self.embed_dim, -1)",
         "tokens come before channels: (batch, S, embed_dim)"),
    ],
    compares=("the tokens", "images whose sides the patch does not divide"),
    takes=9,
    level=3,
    hints=["A convolution whose stride is as long as its window sees each patch exactly once.",
           "Conv2D(self.embed_dim, self.patch, strides=self.patch), then reshape its grid to "
           "(-1, S, embed_dim). Or as in to_patches, with ops, and a Dense layer."],
    reasoning="A window that moves by its own width is a patch; the kernel, flattened, is E.",
    solved="Reshape and Dense, or a strided convolution: both are the same function.",
    properties=[
        lambda Layer: _open_batch(Layer(5, patch=2), 4, 6, 1),
        learns_alike(layers.PatchEmbedding, _new_patches, (4, 6, 1)),
    ],
    run=_run_patches,
)  # fmt: skip
def images_to_cut(draw):
    for embed_dim, p, *shape in ((5, 2, 2, 4, 6, 1), (4, 3, 3, 6, 9, 2)):
        yield embed_dim, p, vectors(draw, *shape)


def _run_token(Layer, x):
    layer = Layer()
    layer(x)  # makes its weights
    trainable = sum(int(np.prod(weight.shape)) for weight in layer.trainable_weights)
    require_no_penalty(layer)
    zero = not any(ops.convert_to_numpy(weight).any() for weight in layer.weights)
    return layer_outputs(Layer, x), trainable, "0 at first" if zero else "not 0 at first"


JOINED = "ops.concatenate([token, x], axis=1)"


@exercise(
    "07.2",
    layers.ClassToken,
    mistakes=[
        ("[token, x]", "[x, token]", "the token stands in front, not at the end"),
        (JOINED, "x + token", "the token is one more token; it is not added"),
        ("[token, x]", "[token, x[:, 1:]]",
         "no patch is replaced: there are S + 1 tokens afterwards"),
        ("[0], 1,", "[0], x.shape[1],", "axis=1", "axis=-1",
         "join along the tokens, axis 1, not along the channels"),
        (JOINED, "x", "join the token and the patches: ops.concatenate"),
        ('self.add_weight(shape=(x_shape[-1],), initializer="zeros", name="token")',
         "ops.zeros(x_shape[-1:])", "the token has to be learned: self.add_weight"),
        ('"zeros"', '"ones"', 'the token is 0 at first: initializer="zeros"'),
        ("ops.shape(x)[0], 1,", "1, 1,",
         "repeat the token for every image of the batch, ops.shape(x)[0] times"),
        ("(x_shape[-1],)", "(x_shape[0], 1, x_shape[-1])",
         "one vector for all images: its shape has nothing to do with the batch"),
    ],
    compares=("the tokens", "the number of trained weights", "the token"),
    takes=5,
    level=2,
    hints=["build: self.token = self.add_weight(shape=…, initializer=…).",
           "ops.broadcast_to(self.token, (ops.shape(x)[0], 1, x.shape[-1])), ops.concatenate."],
    reasoning="One vector, repeated for every image; its gradient is the sum over the batch.",
    solved="An input that no image changes: what it becomes, it has read from the patches.",
    properties=[
        lambda Layer: _open_batch(Layer(), 2, 3),
        learns_alike(layers.ClassToken, lambda Layer: fresh(Layer, (), (2, 2, 3)), (2, 3)),
    ],
    run=_run_token,
)  # fmt: skip
def tokens(draw):
    for batch, S, C in ((1, 2, 3), (3, 4, 2)):
        yield (vectors(draw, batch, S, C),)


SETTINGS = {"channels": 2, "patch": 2, "embed_dim": 4, "num_heads": 2, "mlp_dim": 5}
SETTINGS |= {"image": (4, 6), "num_layers": 2, "classes": 3, "name": "reader"}
OTHERS = {"channels": 1, "patch": 3, "embed_dim": 6, "num_heads": 3, "mlp_dim": 4, "classes": 4}
OTHERS |= {"num_layers": 3}


@cache
def _redrawn(answer, pool, positions, image, channels):
    few = {"num_layers": 1} if pool == "mean" else {}
    few |= OTHERS if channels == OTHERS["channels"] else {}
    model = answer(**SETTINGS | few | {"pool": pool, "positions": positions, "image": image})
    require(isinstance(model, keras.Model), "return a keras.Model(images, logits)")
    require(model.name == "reader", "the model's name is not used: keras.Model(…, name=name)")
    require_learning(model)
    draw = np.random.default_rng(0)
    for weight in model.weights:  # E may be the kernel of a convolution or of a Dense layer
        weight.assign(draw.normal(0, 0.5, weight.shape))
    return model


def _run_model(answer, pool, positions, images):
    height, width = images.shape[1:3]
    image = height if height == width else (height, width)
    model = _redrawn(answer, pool, positions, image, images.shape[-1])
    return model.count_params(), model(images)


def _trains(answer):
    images, logits = np.ones((3, 4, 6, 2), "float32"), np.eye(3)
    images[1:, ::2] = 0

    def after(one):
        return step(_redrawn.__wrapped__(one, "class", "learned", (4, 6), 2), images, logits)

    require_alike(partial(after, answer), partial(after, models.vision_transformer))


def _refuses(answer):
    for name, choices in (("pool", ("class", "mean")), ("positions", ("learned", "none"))):
        try:
            answer(**SETTINGS | {name: "other"})
        except ValueError:
            continue
        except Exception:  # refused, but not by a ValueError
            pass
        raise Wrong(f'{name}="other" raises no ValueError: one_of("{name}", {name}, {choices})')


def _no_dropout(answer):
    model, images = answer(**SETTINGS), np.ones((2, 4, 6, 2), "float32")
    outputs = [ops.convert_to_numpy(model(images, training=on)) for on in (False, True)]
    require(np.allclose(*outputs), "training changes the outputs: there is no dropout here")


def _usable_below(answer):
    """Later cells read what the blocks read, and take the positions to a larger grid."""
    settings = SETTINGS | {"image": 4}
    model, larger = answer(**settings), answer(**settings | {"image": 8})
    functional = "use the functional API, keras.Model(images, logits): later cells read what "
    require(getattr(model, "inputs", None), functional + "enters the blocks")
    blocks = [one for one in model.layers if isinstance(one, layers.TransformerEncoderBlock)]
    require(
        len(blocks) == settings["num_layers"],
        "the blocks have to be layers of the model itself, not inside a Sequential: later "
        "cells look for them in model.layers",
    )
    tables = [weight for weight in model.weights if weight.path.endswith("/table")]
    require(len(tables) == 1, "use LearnedPositions: a later cell resizes its table")
    lecture_07.attention_weights(model, np.ones((1, 4, 4, 2), "float32"))
    lecture_07.take_weights(larger, model)


def _float32(answer):
    policy = keras.config.dtype_policy()
    try:
        keras.config.set_dtype_policy("mixed_bfloat16")  # as on a GPU
        logits = answer(**SETTINGS).outputs[0].dtype
    finally:
        keras.config.set_dtype_policy(policy)
    told = "on a GPU, where layers compute in 16 bits, the logits have to be float32"
    require(logits == "float32", told + ': Dense(classes, dtype="float32")')


EARLY = (
    '"patches")(images)',
    '"patches")(images)\n'
    '    x = LearnedPositions(x.shape[1])(x) if positions == "learned" else x',
)
NORM = 'x = new_norm("final_norm")(x)'
FIRST, MEAN = "ops.take(x, 0, axis=1)", "ops.mean(x, axis=1)"


@exercise(
    "07.3",
    models.vision_transformer,
    mistakes=[
        ('if positions == "learned"', "if False",
         "the positions are missing, or their result is not used"),
        (*EARLY, 'if positions == "learned":', "if False:",
         "add the positions after the class token: it has one of its own"),
        ('if pool == "class":', "if False:", 'pool="class" needs the class token in front'),
        (NORM, "", "the last LayerNorm, after the blocks, is missing"),
        (FIRST, MEAN, 'with pool="class" the head reads the class token alone: x[:, 0]'),
        (FIRST, "x[:, -1]", "the class token is the first one: x[:, 0]"),
        ('new_norm("final_norm")', "keras.layers.LayerNormalization()",
         "the last LayerNorm has an epsilon of its own: new_norm"),
        (FIRST, "x", "the head reads one vector per image: x[:, 0], or the mean"),
        (MEAN, "x[:, 0]", 'pool="mean" asks for the mean of all tokens'),
        ('if pool == "class":', "if True:", 'with pool="mean" there is no class token'),
        ('if positions == "learned":', "if True:", 'positions="none" leaves the positions out'),
        ('"activation": "gelu"', '"activation": "relu"', 'the blocks\' activation is "gelu"'),
        ("x = TransformerEncoderBlock", "first = first if number else TransformerEncoderBlock",
         "**block)(x)", "**block)\n        x = first(x)",
         "each block has weights of its own: make a new one each time"),
        ("(images, logits,", "(images, ops.softmax(logits),",
         "return logits, without a softmax"),
    ],
    compares=("the number of parameters", "the logits"),
    takes=10,
    level=3,
    hints=["keras.Input, PatchEmbedding, ClassToken, LearnedPositions(x.shape[1]), the blocks.",
           'TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, activation="gelu"), then '
           'new_norm("final_norm"), x[:, 0] or ops.mean(x, axis=1), Dense(classes).'],
    reasoning="Everything between the patches and the head is the encoder of lecture 6.",
    solved="From here on the notebook trains this network: patches, token and model of yours.",
    properties=[_refuses, _trains, _no_dropout, _usable_below, _float32],
    run=_run_model,
)  # fmt: skip
def networks(draw):
    for pool, positions, *shape in (
        ("class", "learned", 2, 4, 6, 2),
        ("mean", "learned", 2, 4, 6, 2),
        ("mean", "none", 1, 4, 4, 2),
        ("class", "none", 2, 4, 6, 2),
        ("class", "learned", 3, 6, 6, 1),
    ):
        yield pool, positions, vectors(draw, *shape)


def _reads(train, digits):
    """Train a new network with a student's function, which gets half of validation."""
    given, unseen = kept_back(digits)
    limits = {"batches": 500, "batch_size": 64}
    with watched_training(given, unseen=unseen, called="digits", **limits) as training:
        model = digit_vit()
        answer = train(model, given)
        if answer is model:
            told = "the loss is not the cross-entropy of logits: from_logits=True"
            require_loss(model, told, words=False, classes=10)
        training.trained(answer, model)
    logits = predicted(model, digits.val.inputs, (10,), "logits")
    right = (logits.argmax(axis=1) == digits.val.targets).mean()
    training.reaches(float(right), 0.92, "validation accuracy")


FIT = (
    "model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=26, verbose=0)"
)


@exercise(
    "07.4",
    lecture_07.train_reader,
    mistakes=[
        (lambda model, digits: {}, "return the model that you got"),
        ('model.compile(optimizer, loss, metrics=["accuracy"])', "", FIT, "",
         "compile the model first"),
        ("from_logits=True", "", FIT, "", "the loss is not the cross-entropy of logits"),
        (FIT, "", "the model is not trained"),
        ("batch_size=64", "batch_size=256", "and 64 are allowed"),
    ],
    takes=8,
    level=3,
    hints=["AdamW(schedules.WarmupCosine(learning_rate, steps=494)) from 0.001 to 0.01.",
           "model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=26)."],
    reasoning="With a warm-up and a falling learning rate, a wide range of peaks works.",
    solved="500 batches are enough for it to read digits that it never got.",
    trains=_reads,
    limit=900,
)  # fmt: skip
def handwritten(draw):
    yield data.load_digits()


def _how_far(answer, model, images, patch, order):
    far = answer(model, images, patch, order)
    require(not isinstance(far, bool | np.bool_), "say how far the logits move, not whether")
    return far


SIDES = "*images.shape[1:3]"
TOGETHER = f"from_patches(patches, {SIDES}, patch)"
CHANGE = "np.abs(after - before)"
LARGEST = f"float({CHANGE}.max())"


@exercise(
    "07.5",
    lecture_07.moved_by_shuffling,
    mistakes=[
        ("[:, order]", "[:, np.argsort(order)]",
         "at position s stands patch order[s]: patches[:, order]"),
        ("[:, order]", "", "nothing was shuffled: patches[:, order]"),
        (CHANGE, "(after - before)", "a logit may also fall: take np.abs"),
        ("max()", "mean()", "the largest change, not the mean"),
        (LARGEST, f"{CHANGE}.max(axis=1)", "one number: the largest over images and classes"),
        ("model(x)", "ops.softmax(model(x))", "compare the logits, not probabilities"),
        ("model(x)", "ops.max(model(x), axis=1)",
         "compare logit by logit: first the differences, then the largest"),
        ("model(x)", "ops.argmax(model(x), axis=1)", LARGEST, "np.mean(after != before)",
         "say how far the logits move, not how many predictions change"),
        ("[:, order]", "[order]", "the patches are the second axis: patches[:, order]"),
        (LARGEST, f"bool({LARGEST} > 1e-5)", "say how far the logits move, not whether"),
        ("to_patches(images, patch)", "images.reshape(to_patches(images, patch).shape)",
         TOGETHER, "patches.reshape(images.shape)",
         "a reshape alone shuffles stripes, not patches: to_patches and from_patches"),
        (SIDES, "images.shape[1], images.shape[1]",
         "images need not be square: from_patches(patches, height, width, patch)"),
    ],
    compares="the largest change of a logit",
    takes=7,
    level=3,
    hints=["to_patches(images, patch) is (batch, S, …): index its second axis with order.",
           "from_patches(patches, height, width, patch); then compare the logits."],
    reasoning="If the order does not matter, no information about it reaches the logits.",
    solved="Four lines, no training, and they work on any model of images.",
    run=_how_far,
)  # fmt: skip
def readers(draw):
    for falls, (height, width, c, p) in enumerate(((2, 4, 1, 2), (6, 9, 2, 3))):
        # As many images as patches, so that an index on the wrong axis raises nothing.
        images = draw.random((height * width // p**2, height, width, c))
        table = draw.normal(size=(height * width * c, 3)).astype("float32")
        order = np.roll(np.arange(height * width // p**2), 1 + falls)  # not its own inverse

        def model(images, training=None, table=table):
            flat = np.array(images, "float32").reshape(len(images), -1)
            return ops.convert_to_tensor(np.tanh(flat @ table))

        model.predict = lambda images, *size, of=model, **how: np.asarray(of(images))
        shuffled = from_patches(to_patches(images, p)[:, order], height, width, p)
        found = np.array(model(shuffled) - model(images))
        # The logit that moves most rises in the first case, and falls in the second.
        if (found.max() >= -found.min()) == bool(falls):
            table *= -1
        yield model, images, p, order


def stretched(rows, count):
    steps = (np.arange(count) + 0.5) * len(rows) / count - 0.5
    return np.stack([np.interp(steps, np.arange(len(rows)), one) for one in rows.T], axis=1)


def cornered(plane, new):
    return zoom(plane, (new[0] / len(plane), new[1] / plane.shape[1], 1), order=1)


RESIZED = 'ops.image.resize(grid, new_grid, data_format="channels_last")'


@exercise(
    "07.6",
    lecture_07.interpolate_positions,
    mistakes=[
        (RESIZED, "stretched(positions[extra:], new_grid[0] * new_grid[1])",
         "you stretched the list, not the plane: vertical neighbours are lost"),
        (lambda x, old, new, extra: stretched(x, extra + new[0] * new[1]),
         "the extra rows were stretched with the others: set them aside first"),
        ("positions[:extra], ", "", "the extra rows in front are missing"),
        ("[positions[:extra], moved", "[moved, positions[:extra]",
         ".astype(positions.dtype)", "", "the extra rows come first"),
        ("positions[:extra]", "positions[:1]",
         "there may be more than one row in front: positions[:extra]"),
        ("moved = ops.image", "return ops.image",
         "flatten the new grid to rows, and put the extra rows in front"),
        ("to_numpy(moved)", "to_numpy(moved).swapaxes(0, 1)", "flatten the new grid by rows"),
        ("(*old_grid,", "(*old_grid[::-1],", "rows and columns of the old grid are mixed up"),
        ("new_grid, d", 'new_grid, "nearest", d', "nearest; use bilinear"),
        ("new_grid, d", 'new_grid, "bicubic", d', "bicubic; use bilinear"),
        ("new_grid, d", "new_grid, antialias=True, d",
         "antialias=True blurs where the grid shrinks: leave it out"),
        (RESIZED, "cornered(grid, new_grid)",
         "corners are aligned here, as in the paper's own code; this exercise aligns the "
         "centres of the patches"),
        ("new_grid, d", "new_grid[::-1], d", "rows and columns of the new grid are mixed up"),
    ],
    compares="the positions",
    takes=7,
    level=3,
    hints=["The rows in front belong to no patch: set them aside and put them back at the end.",
           "Reshape the rest to (rows, columns, embed_dim): an image that ops.image.resize can "
           "enlarge. Then flatten the grid again."],
    reasoning="Position vectors on a grid are an image of embed_dim channels: resize it.",
    solved="A class token has no position in the plane; all others are interpolated in it.",
)  # fmt: skip
def positions(draw):
    for old, new, extra, embed_dim in (
        ((1, 2), (1, 3), 1, 4),
        ((4, 3), (2, 5), 1, 3),
        ((3, 2), (4, 7), 2, 5),
        ((2, 2), (3, 3), 0, 2),
        ((4, 5), (2, 3), 1, 2),
    ):
        rows = extra + old[0] * old[1]
        yield draw.normal(size=(rows, embed_dim)).round(1), old, new, extra


HEAD, NETWORK = "embed_dim * classes", "2 * T * embed_dim * mlp_dim"


@exercise(
    "07.7",
    lecture_07.multiplications,
    mistakes=[
        ("num_layers * ", "", "that is one block: there are num_layers of them"),
        ("S * p", "num_layers * S * p", HEAD, f"num_layers * {HEAD}",
         "num_layers counts for the blocks alone, not for the projection and the head"),
        ("S * p", "2 * S * p", "num_layers * ", "2 * num_layers * ", HEAD, f"2 * {HEAD}",
         "count multiplications alone, not multiplications and additions"),
        ("S + 1", "S", "the class token passes through the blocks, too: S + 1 tokens"),
        (") ** 2", ")", "there are (image // patch)² patches"),
        ("2 * T * T", "T * T", "token pairs enter two products: QKᵀ, and the weights times V"),
        ("T * T", "T", "every token meets every token: (S + 1)² pairs"),
        ("4 * T", "3 * T", "attention has four matrices: query, key, value and output"),
        (NETWORK, "T * embed_dim * mlp_dim", "the network has two matrices"),
        ("4 * T", "4", NETWORK, "2 * embed_dim * mlp_dim",
         "that counts parameters: every token passes through the matrices"),
        (HEAD, f"T * {HEAD}", "the head reads one token"),
        (HEAD, "(embed_dim + 1) * classes",
         "channels * embed_dim", "channels * embed_dim + S * embed_dim",
         "T * embed_dim * embed_dim", "T * (embed_dim + 1) * embed_dim",
         NETWORK, f"({NETWORK} + T * (mlp_dim + embed_dim))",
         "a bias is added: it takes no multiplications"),
    ],
    compares="the counts",
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
        classes = int(draw.integers(3, 12))
        yield image, channels, patch, 4 * heads, int(draw.integers(5, 20)), heads - 1, classes
