"""What a check tries covers what an answer may do: sizes that vary, NumPy, lost dropout."""

import inspect
import re
import textwrap

import keras
import numpy as np
import pytest

from course_utils import checks, differences, exercises

COMPARED = [one for one in exercises.identifiers() if not exercises.find(one).trains]
LAYERS = [
    one
    for one in COMPARED
    if inspect.isclass(found := exercises.find(one).reference)
    and issubclass(found, keras.layers.Layer)
    and "call" in vars(found)
]
# The text gives these sizes, or what lies in the course has them.
FIXED = {
    "02.6": {(5, "axis 1"), (6, "axis 0")},  # the verdict comes from one neuron
    "03c.4": {(4, "axis 0")},  # "b has two rows"
    "08c.5": {(0, "axis 3")},  # white images of one channel: (images, height, width, 1)
}


def sizes(value):
    """What an answer could have taken for fixed: an array's sizes, a number, an option."""
    if isinstance(value, np.ndarray):
        return {f"axis {axis}": size for axis, size in enumerate(value.shape)}
    scalar = isinstance(value, bool | int | float | str | type(None))
    return {"it": value} if scalar else {}


@pytest.mark.parametrize("identifier", COMPARED)
def test_every_size_takes_two_values(identifier):
    cases, constant = exercises.find(identifier).cases, set()
    for place in range(max(map(len, cases))):
        found = [sizes(case[place]) for case in cases if len(case) > place]
        for name in found[0]:
            if len({repr(one.get(name, "other")) for one in found}) == 1:
                constant.add((place, name))
    assert constant <= FIXED.get(identifier, set())


def edited(reference, old="", new=""):
    """The class as a student's own, with some of its text replaced."""
    source = textwrap.dedent(inspect.getsource(reference))
    source = re.search(r"(?ms)^class .*", source)[0].replace(old, new)
    scope = dict(vars(inspect.getmodule(reference)))
    exec(source, scope)
    return scope[reference.__name__]


def wrapped(identifier, change):
    """The course's own layer, with what its `call` gives changed."""
    answer = edited(exercises.find(identifier).reference)
    call = answer.call

    def changed(self, *inputs, **options):
        return keras.tree.map_structure(change, call(self, *inputs, **options))

    changed.__signature__ = inspect.signature(call)
    answer.call = changed
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("identifier", LAYERS)
def test_numpy_inside_a_layer_is_refused(identifier):
    answer = wrapped(identifier, lambda one: keras.ops.convert_to_tensor(np.array(one)))
    assert exercises.judge(identifier, answer).state == "not yet"


@pytest.mark.slow
@pytest.mark.parametrize("identifier", "03.2 06.4 06.5 07.1 07.2 08.1 08.2 08.3".split())
def test_a_gradient_that_is_cut_is_refused(identifier):
    verdict = exercises.judge(identifier, wrapped(identifier, keras.ops.stop_gradient))
    assert "does not train as it should" in verdict.message


@pytest.mark.parametrize(
    ("given", "expected", "told"),
    [
        ([1.0, 2.0], np.ones(2), "a NumPy array is asked for, not a list"),
        (np.array([1.0, 0.0]), np.array([True, False]), "True and False are asked for"),
        (np.array([1.0, 0.0]), np.array([1, 0]), "whole numbers are asked for"),
        (np.array([1, 0]), np.array([1.0, 0.0]), None),
    ],
)
def test_a_result_of_another_kind_is_named(given, expected, told):
    found = differences.unlike(given, expected)
    assert found is None if told is None else found.startswith(told)


def test_only_where_most_numbers_are_a_little_off_a_constant_or_rounding_is_suspected():
    right = np.random.default_rng(0).normal(size=(5, 4))
    for mine in (right.round(2), right + 0.005 / (1 + right**2)):
        assert "rounding" in differences.related(mine, right)
    cut = np.where(right == right.max(), 0.995 * right.max(), right)
    assert "only the numbers at index" in differences.related(cut, right)
    right[:, :2] = 1
    cut = right + 0.005 * (np.arange(4) < 2)
    assert "at index 0 and 1 of axis 1" in differences.related(cut, right)


def test_an_answers_own_equality_is_not_asked():
    alike = type("Alike", (), {"__eq__": lambda one, other: True})()
    for expected in ("word", None, len):
        assert not differences.same(alike, expected) and differences.same(expected, expected)


@pytest.mark.parametrize(
    "identifier",
    [
        one
        for one in LAYERS
        # Of 08.3 the text asks for four parts without it.
        if "self.dropout(" in inspect.getsource(exercises.find(one).reference) and one != "08.3"
    ],
)
def test_a_lost_dropout_is_refused(identifier):
    answer = edited(exercises.find(identifier).reference, "self.dropout(", "(")
    assert exercises.judge(identifier, answer).state == "not yet"


@pytest.mark.parametrize(
    ("identifier", "settings", "told"),
    [
        ("04.1", "stride, dilation", "leave `stride=1`"),
        ("04.1", "stride=2, dilation=1", "leave `stride=1`"),
        ("04.2", "dilation=2", "leave `dilation=1`"),
        ("04.2", "spread=1", "name the argument `dilation`"),
        ("04.2", "dilation=1, more=None", ""),
        ("04.2", "**settings", ""),
    ],
)
def test_arguments_that_later_cells_leave_out_keep_their_defaults(identifier, settings, told):
    scope = {}
    exec(f"def answer(x, K, b, {settings}): pass", scope)
    reference = exercises.find(identifier).reference
    found = exercises._other_arguments(scope["answer"], reference)
    assert told in found and bool(told) == bool(found)


def test_a_training_may_choose_its_epochs_but_keeps_the_names_of_its_arguments():
    reference = exercises.find("06c.4").reference

    def more(data, tokenizer, epochs=5, head=None):
        pass

    def renamed(data, tokenizer, passes=4, head=None):
        pass

    assert not exercises._other_arguments(more, reference, training=True)
    assert "`epochs`" in exercises._other_arguments(renamed, reference, training=True)


class Kept(keras.layers.Dense):
    """Keeps its first input, which a compiled step must not."""

    def call(self, inputs):
        self.first = getattr(self, "first", inputs)
        return super().call(inputs) + 0 * keras.ops.sum(self.first)


class Untraced(keras.layers.Dense):
    def call(self, inputs):
        return super().call(keras.ops.convert_to_tensor(np.asarray(inputs)))


class Cut(keras.layers.Dense):
    def call(self, inputs):
        return super().call(keras.ops.stop_gradient(inputs))


@pytest.mark.parametrize("Layer", [Kept, Untraced, Cut])
def test_a_step_of_training_is_compiled_and_reaches_the_inputs(Layer):
    def build(one):
        layer = one(4)
        layer.build((None, 3))
        return checks.redrawn(layer)

    alike = checks.learns_alike(keras.layers.Dense, build, (3,))
    alike(type("Own", (keras.layers.Dense,), {}))
    with pytest.raises(exercises.Wrong, match="does not train as it should"):
        alike(Layer)
