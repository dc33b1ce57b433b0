"""What an error says, in words of a student: no internals of a backend."""

import keras
import numpy as np
import pytest
from keras import layers, ops
from test_answers import INTERNAL

from course_utils import errors

two, other = np.ones((2, 3), "float32"), np.ones((4, 5), "float32")
symbolic = keras.Input((None, 3))


def tensor(array=two):
    return ops.convert_to_tensor(array)


def unpacked(*weights):
    W, U, b = weights


class Calls(layers.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: two + other, "shapes (2, 3) and (4, 5) do not fit"),
        (lambda: tensor() + tensor(other), "shapes (2, 3) and (4, 5) do not fit"),
        (lambda: ops.matmul(tensor(), tensor(other)), "shapes (2, 3) and (4, 5) do not fit"),
        (lambda: two @ other, "3 columns meet 4 rows"),
        (lambda: Calls(lambda x: x + tensor(other))(two), "(2, 3) and (4, 5) do not fit"),
        (lambda: (two, two).shape, "a tuple, where one tensor is expected"),
        (lambda: np.max(symbolic), "use keras.ops"),
        (lambda: symbolic.mean(), "use keras.ops"),
        (lambda: Calls(np.tanh)(symbolic), "use keras.ops"),
        (lambda: 1 + None, "ops.shape(x)"),
        (lambda: layers.Dense(1)(None), "is a `return` missing?"),
        (lambda: "".index("x"), "ValueError: substring not found"),
        (lambda: {}["x"], "KeyError: 'x'"),
        (lambda: layers.GRU(4)(two[None], mask=np.ones((1, 9), bool)), "its mask has 9"),
        (lambda: unpacked(*layers.GRU(4).get_weights()), "not built has no weights"),
    ],
)
def test_an_error_is_told_in_words(call, words):
    with pytest.raises(Exception) as raised:
        call()
    said = errors.in_words(raised.value)
    assert words in said
    assert not INTERNAL.search(said) and len(said) < 230


def test_a_bare_error_still_says_something():
    assert errors.in_words(ValueError()) == "ValueError"
    assert errors.in_words(StopIteration("x\ny")) == "StopIteration: x"


def test_of_a_compiled_function_the_cause_is_told():
    way = 'in user code:\n\n    File "<cell>", line 3, in step  *\n        y = x["words"]\n'
    told = errors.in_words(RecursionError(f"{way}\n    KeyError: 'words'\n"))
    assert told.endswith("KeyError: 'words'") and "user code" not in told


def test_a_line_of_a_library_is_not_the_students():
    source = "import json\ndef answer():\n    return json.loads('{')\n"
    scope = {}
    exec(compile(source, "<cell>", "exec"), scope)
    try:
        scope["answer"]()
    except ValueError as error:
        told = errors.explained(error, scope["answer"], scope["answer"])
    assert "decoder" not in told and told.startswith("your code stops in the line")


WRITTEN = """
import functools
import numpy as np

def function(x):
    return x + no_such_name

class Kind:
    def __call__(self, x):
        return function(x)

    method = __call__

kept = functools.lru_cache(function)
partly = functools.partial(function)
vectorized = np.vectorize(function)
instance = Kind()
method = instance.method
"""


@pytest.mark.parametrize("name", "function kept partly vectorized instance method".split())
def test_an_error_in_any_callable_is_the_students(name):
    scope = {}
    exec(compile(WRITTEN, "<cell>", "exec"), scope)
    with pytest.raises(NameError) as raised:
        scope[name](1)
    told = errors.explained(raised.value, scope[name], len)
    assert told.startswith("your code stops in the line"), told
    with pytest.raises(TypeError) as raised:
        scope["instance"]()
    told = errors.explained(raised.value, scope["instance"], lambda x, y: None)
    assert told.startswith("`<lambda>(x, y)` is asked for; yours missing 1"), told


@pytest.mark.parametrize("mistake", [lambda: ops.no_such_name, lambda: no_such_name])  # noqa: F821
def test_an_error_of_the_check_is_not_told_as_the_students(mistake):
    """Such as what the check's own code looks up in vain, after the student's has returned."""
    scope = {}
    exec("def answer(x):\n    return x\n", scope)
    with pytest.raises(Exception) as raised:
        scope["answer"](mistake)()
    with pytest.raises(RuntimeError, match="failed, and not your answer"):
        errors.explained(raised.value, scope["answer"], scope["answer"])
