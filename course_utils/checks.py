"""What the checks of several exercises share: layers under equal weights, trainings, parts.

An `inputs`, a `run` or a `trains` of `course_utils.exercises.exercise` is made of these.
"""

import dataclasses
import inspect
from collections import Counter
from functools import cache, partial

import keras
import numpy as np
from keras import layers, ops

from course_utils import errors
from course_utils.exercises import Wrong, require
from course_utils.watching import watched_training  # noqa: F401 (of declarations)


def vectors(draw, *shape):
    """Draw an array of float32, which is what layers compute in."""
    return draw.normal(size=shape).astype("float32")


def redrawn(layer, spread=0.5, seed=0):
    """Draw all weights of a built layer or model, and return it.

    Two whose weights have the same shapes get the same numbers, in whatever order they were
    made; of weights of one shape, those that were made first.
    """
    draw = np.random.default_rng(seed)
    shapes = sorted(tuple(weight.shape) for weight in layer.weights)
    return give_weights(layer, [draw.normal(0, spread, shape) for shape in shapes])


def give_weights(layer, arrays):
    """Set a built layer's or model's weights, in whatever order they were made; return it.

    An array goes to a weight of its shape, of several to the one that was made first.
    """
    left = list(arrays)
    for weight in layer.weights:
        found = [np.shape(one) == tuple(weight.shape) for one in left].index(True)
        weight.assign(left.pop(found))
    return layer


@cache
def ready(Layer, settings, *shapes):
    """Return `Layer(*settings)`, built for inputs of these shapes, with its weights drawn.

    Example:
        >>> ready(TransformerEncoderBlock, (8, 2, 16), x.shape)(x, mask=mask)
    """
    inner = (getattr(Layer, name) for name in dir(Layer))
    made_of = Layer.__init__, Layer.build, *(one for one in inner if inspect.isclass(one))
    key = made_of, str(inspect.signature(Layer.call)), settings, shapes
    if key in _built:  # building takes most of the time, and only other methods differ
        layer = object.__new__(Layer)
        vars(layer).update(vars(_built[key]))
        return layer
    _built[key] = layer = fresh(Layer, settings, *shapes)
    return layer


_built = {}


def fresh(Layer, settings, *shapes):
    """Return `Layer(*settings)` as `ready` does, but a new one, which may be trained."""
    layer = Layer(*settings)
    layer.build(*shapes)
    return redrawn(layer)


def show_dropout(layer):
    """Let each dropout in a layer square what it gets, so that one sees where it acts.

    Layers that are `ready` share their parts, and so does what is shown of these.
    """
    for inner in layer._flatten_layers():
        if isinstance(inner, keras.layers.Dropout):
            inner.call = _squared
    return layer


def _squared(inputs, **options):
    return ops.square(inputs)


def called(layer, *inputs, **masks):
    """Return what a layer gives; refuse None by name before Keras sees it.

    Of a None with a mask Keras 3.15 keeps the mask, and then trips over each None that it gets.
    """
    inputs = [ops.convert_to_tensor(one) for one in inputs]
    output = layer.call(*inputs, **masks)
    require(output is not None, "`call` returned None: is a `return` missing?")
    return layer(*inputs, **masks)


def layer_outputs(build, *inputs, **masks):
    """Return what a layer made by `build()` gives on `inputs`, its weights drawn.

    Example:
        >>> @exercise("07.2", ClassToken, run=layer_outputs, mistakes=[…], …)
        ... def tokens(draw):
        ...     yield vectors(draw, 2, 5, 3)
    """
    layer = build()
    layer(*inputs, **masks)  # makes the weights
    return called(redrawn(layer), *inputs, **masks)


def symbolic(build, advice="use `ops` alone, no NumPy, on tensors"):
    """Return a property: what `build(answer)` returns works where Keras compiles, too.

    Example:
        >>> properties=[symbolic(lambda Layer: ready(Layer, (), (2, 3, 8)))]
    """

    def holds(answer):
        call = build(answer)
        try:
            layers.Lambda(call)(keras.Input(batch_shape=(2, 3, 8)))
        except Exception:  # whatever a student's code raises
            require(False, f"the numbers are right, but it cannot be compiled: {advice}")

    return holds


class _Calls(layers.Layer):
    """A layer that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, *inputs):
        return self.function(*inputs)


def open_shapes(build, *shapes, advice=""):
    """Return a property: what `build(answer)` returns runs where batch and lengths are open.

    Args:
        build: function of the answer that returns what is called, such as a built layer.
        shapes: of its inputs, without the batch; None is a length that stays open.
        advice: what to do, in place of what the error tells.

    Example:
        >>> properties=[open_shapes(lambda Layer: ready(Layer, (8, 2), (2, 3, 8)), (None, 8))]
    """

    def holds(answer):
        call, told = build(answer), ""
        try:
            _Calls(call)(*(keras.Input(shape) for shape in shapes))
        except Exception as error:  # whatever a student's code raises
            told = advice or errors.in_words(error) or type(error).__name__
        open_ = "the numbers are right, but a model cannot be built of it, where the number of "
        require(not told, f"{open_}examples and their length are open (None): {told}")

    return holds


def learns_alike(reference, build, *shapes):
    """Return a property: a step of training does to an answer what it does to the reference.

    Whatever computes in NumPy, cuts a gradient, keeps something from one call to the next, adds
    a loss, or acts in training alone is seen by it.

    Args:
        reference: the course's definition.
        build: function of an answer that returns a layer or a model, new and built, with its
            weights drawn, the same for all.
        shapes: of its inputs, without the batch.

    Example:
        >>> properties=[learns_alike(MixerBlock, drawn, (3, 5))]
    """

    def after(answer):
        draw, layer = np.random.default_rng(5), build(answer)
        arrays = [vectors(draw, 3, *shape) for shape in shapes]
        # An answer's own may be open, and it must not be called before the step.
        targets = vectors(draw, *build(reference)(*arrays).shape)
        inputs = [keras.Input(shape) for shape in shapes]
        model = keras.Model(inputs, layer(*(_Below()(one) for one in inputs)))
        return step(model, arrays, targets)

    known = cache(partial(after, reference))
    return lambda answer: require_alike(partial(after, answer), known)


def loss_learns_alike(reference, *shape):
    """Return a property of a loss: its gradient for logits (batch, *shape) is the right one."""

    def after(loss):
        draw = np.random.default_rng(5)
        logits = vectors(draw, 3, *shape)
        inputs = keras.Input(shape)
        targets = draw.integers(0, shape[-1], (3, *shape[:-1]))
        return step(keras.Model(inputs, _Below()(inputs)), logits, targets, loss)

    known = cache(partial(after, reference))
    return lambda loss: require_alike(partial(after, loss), known)


class _Below(keras.layers.Layer):
    """Adds a weight to an input: it learns if the layers above hand their gradients on."""

    def build(self, shape):
        self.shift = self.add_weight(shape=shape[1:], initializer="zeros")

    def call(self, inputs):
        return inputs + self.shift


def step(model, inputs, targets, loss="mse"):
    """What a model gives after a compiled step of training, and its weights, by size and sum.

    The step comes first: what keeps something of it fails in the call.
    """
    model.compile(keras.optimizers.SGD(0.05), loss, jit_compile=False)
    model.train_on_batch(inputs, targets)
    outputs = ops.convert_to_numpy(model(inputs))
    # A kernel may have another shape and the same numbers.
    weights = [ops.convert_to_numpy(weight).ravel() for weight in model.weights]
    return [outputs, *sorted(weights, key=lambda one: (one.size, float(one.sum())))]


def require_alike(answer, reference):
    """Require that two functions, of an answer and of the reference, return the same `step`."""
    told = "the numbers are right, but it does not train as it should: its weights learn "
    told += "otherwise. Compute with `ops` on tensors and weights; keep nothing from one call "
    told += "to the next; leave out what acts in training or on the loss alone"
    right = reference()
    try:
        mine = answer()
    except Exception as error:  # whatever a student's code raises
        raise Wrong(f"{told} ({errors.in_words(error)})", told) from error
    alike = len(mine) == len(right) and all(
        one.shape == other.shape and np.allclose(one, other, 1e-3, 1e-4)
        for one, other in zip(mine, right, strict=True)
    )
    require(alike, told)


def parts(found, told, count=2):
    """Return the parts of a tuple or list that has to have `count` of them, or refuse it.

    Example:
        >>> words, score = parts(search(step), "return two: the words and the score")
    """
    require(isinstance(found, tuple | list) and len(found) == count, told)
    return tuple(found)


def require_weights(model, shapes, ordered=False):
    """Require weights of exactly these shapes, in any order or, `ordered`, in this one.

    All of them have to learn, and nothing but the model's outputs may count in its loss.
    """
    found, wanted = [tuple(weight.shape) for weight in model.weights], list(shapes)
    extra = list((Counter(found) - Counter(wanted)).elements())
    missing = list((Counter(wanted) - Counter(found)).elements())
    told = f"not {extra[0]}" if extra else "and it is missing"
    require(not missing, f"a weight should have the shape {(missing or [0])[0]}, {told}")
    require(not extra, f"a layer is not asked for: it has a weight of the shape {extra[:1]}")
    told = "the weights are right, but a later cell reads them in the order of the shapes "
    require(not ordered or found == wanted, f"{told}{wanted}: make them in that order")
    require_learning(model)


def require_learning(layer):
    """Require a built layer or model whose weights all learn, by its outputs alone."""
    learns = len(layer.trainable_weights) == len(layer.weights)
    require(learns, "some weights do not learn: trainable=False, here or in a layer")
    require_no_penalty(layer)


def require_no_penalty(layer):
    """Require a built layer or model without a loss of its own."""
    require(not layer.losses, "a regularizer, which is not asked for, adds to every loss")


def predicted(model, inputs, shape, told):
    """Return what a trained model predicts, judged from outside; refuse another shape.

    Args:
        model: any `keras.Model`, also a subclass, and one without Input.
        inputs: those of new examples.
        shape: of the output for one example, such as (24, 2).
        told: what that is: "two quantiles for 24 hours".
    """
    require(isinstance(model, keras.Model), "return the trained model")
    found = np.asarray(model.predict(inputs, batch_size=200, verbose=0))
    wanted, given = (", ".join(map(str, one)) for one in (shape, found.shape[1:]))
    right = f"the output should be (batch, {wanted}), {told}, not (batch, {given})"
    require(found.shape[1:] == tuple(shape), right)
    finite = np.isfinite(found).all()
    require(finite, "the outputs are not finite: take a smaller learning rate, or clipnorm")
    return found


def require_loss(model, told, classes, words=True):
    """Require a compiled model whose loss is the cross-entropy of logits.

    Args:
        model: a student's model.
        told: what is said of another loss.
        classes: how many logits the model gives, which a loss may count on.
        words: whether the targets are words, among which 0 is a pad that does not count, or
            one class per example.
    """
    require(getattr(model, "optimizer", None), "compile the model first, then train it")
    logits, target = three_logits(classes), 1  # a loss of 0.4076
    if words:
        logits, target = [logits, logits], [target, 0]  # a mean of 1.4076 with the pad
    logits, targets = ops.convert_to_tensor(np.array([logits])), np.array([target])
    try:
        losses = model.compute_loss(y=targets, y_pred=logits)
    except ValueError:  # it takes targets as vectors of 0 and 1
        losses = model.compute_loss(y=np.eye(classes)[targets], y_pred=logits)
    loss = float(np.mean(ops.convert_to_numpy(losses)))
    require(abs(loss - 1.4076) > 1e-3 or not words, "pads count in the loss: ignore_class=0")
    require(abs(loss - 0.4076) < 1e-3, told)


def three_logits(classes):
    """Return 0, 2 and 1, and for all further classes logits that give them no probability."""
    return [0.0, 2.0, 1.0, *[-60.0] * (classes - 3)]


def kept_back(data):
    """Return data with half of its validation examples, and the other half as a `Split`.

    A student's function trains on the first and is judged on the second, which it never got.
    Of the training examples one in twenty is left out: who loads them anew is known by it.
    """
    shown, unseen = (data.val.take(slice(start, None, 2)) for start in (0, 1))
    train = data.train.take(np.arange(len(data.train.targets)) % 20 != 7)
    return dataclasses.replace(data, train=train, val=shown), unseen
