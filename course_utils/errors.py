"""What an error says to a student: the line of their own, and the cause without internals."""

import builtins
import inspect
import re
import textwrap
import traceback
import types

_SIZES = r"(?:\d+|None|\?)"
_SHAPE = re.compile(rf"[(\[]\s*({_SIZES}(?:\s*,\s*{_SIZES})*)?\s*,?\s*[)\]]")
_SYMBOLIC = "Symbolic|symbolic|KerasTensor|Tracer"
_ATTRIBUTES = "as_list|shape|dtype|ndim|T|rank|get_shape|mean|sum|max|reshape|set_shape"
MISSING = "None, where a tensor is expected: is a `return` missing?"
OPEN = (
    "None, where a number is expected: a `return` is missing, or a size that a model leaves "
    "open is taken from x.shape (take ops.shape(x), or -1 in a reshape)"
)
_SAID = [  # what an error's text holds, and the same in words
    (r"as a Python `bool`", "a tensor is neither true nor false while a model is built: "
     "ops.where, or `is None`"),
    (r"expects \d+ input\(s\), but it received (\d+) input",
     "a list of {} tensors, where one tensor is expected"),
    (r"Tensor' object is not callable", "a tensor, where a function or a layer is called"),
    (r"Cannot convert .* to EagerTensor of dtype (\w+)",
     "a tensor of {} meets a number with decimals: ops.cast makes them alike"),
    (r"must have the same dtype, got tf\.(\w+) != tf\.(\w+)",
     "a tensor of {} meets one of {}: ops.cast makes them alike"),
    (r"EagerTensor'? object has no attribute '(\w+)'",
     "a tensor has no `{}`: use keras.ops, which compute with tensors"),
    (rf"'(tuple|list|dict)' object has no attribute '(?:{_ATTRIBUTES})'",
     "a {}, where one tensor is expected"),
    (rf"'NoneType' object has no attribute '(?:{_ATTRIBUTES})'|Got 'None'", MISSING),
    (r"None values not supported|"
     r"'NoneType' and '|' and 'NoneType'|of \(None, .* to Tensor|of \(.*, None.* to Tensor|"
     r"'NoneType' object cannot be interpreted", OPEN),
    (_SYMBOLIC, "NumPy and Python's own functions cannot compute with a tensor that has no "
     "numbers yet, as when a model is built: use keras.ops"),
    (r"Input to reshape is a tensor with (\d+) values, but the requested shape has (\d+)",
     "a reshape turns {} numbers into {}"),
    (r"does not have enough dimensions \(has (\d)",
     "a matrix product meets something of {} axes"),
    (r"size (\d+) is different from (\d+)", "in a matrix product {1} columns meet {0} rows"),
    (r"Received a label value of (-?\d+) which is outside the valid range of \[0, (\d+)\)",
     "a target is {}, and there are {} classes, counted from 0: should it count in the loss?"),
    (r"indices\[.*\] = (-?\d+) is not in \[0, (\d+)\)",
     "an index of {} meets an axis of {} places, counted from 0"),
    (r"got multiple values for argument '(\w+)'",
     "the argument `{0}` is given twice, or by its place where Keras fills it in: write {0}=…"),
    (r"not enough values to unpack \(expected (\d+), got 0\)",
     "{} values are expected and there are none; a layer that is not built has no weights yet"),
    (r"Cannot unstack (\d+) tensors into a TensorArray of static size (\d+)",
     "a recurrent layer reads {1} steps, and its mask has {0}"),
    (r"scan got values with different leading axis sizes: (\d+), (\d+)",
     "a recurrent layer reads {} steps, and its mask has {}"),
    (r"cardinality is ambiguous", "inputs and targets have different numbers of rows"),
    (r"expected to be an? (\w+) tensor but is an? (\w+) tensor",
     "a tensor of {} meets one of {}: ops.cast makes them alike"),
    (r"requested dtype (\w+) for Tensor with dtype (\w+)",
     "a tensor of {} meets one of {}: ops.cast makes them alike"),
]  # fmt: skip
_INTERNAL = re.compile(
    r"\{\{.*?\}\}|\[Op:.*|\bname: .*| at 0x[0-9a-f]+|<(?:tf\.Tensor|KerasTensor)[^>]*>|"
    r"Exception encountered when calling .*|Graph execution error:|Detected at node.*|"
    r"<stack traces.*|File \".*|Arguments received by (?s:.*)|\[\[.*?\]\]"
)


def in_words(error):
    """Return what an error says, in one sentence without a backend's internals."""
    text = str(error)
    if "\x1b[1m" in text:  # what Keras shows in bold; around it are all arguments
        text = text.rpartition("\x1b[1m")[2].partition("\x1b[0m")[0]
    text = text if len(text) < 6_000 else f"{text[:3_000]}\n{text[-3_000:]}"
    if "in user code:" in text:  # TensorFlow tells the way through compiled functions first
        text = text.strip().rpartition("\n\n")[2]
    # What Keras says before the error that it met adds nothing.
    text = re.sub(r"\x1b\[\d+m", "", text).rpartition("Error encountered:")[2]
    for pattern, words in _SAID:
        if found := re.search(pattern, text):
            return words.format(*found.groups())
    if re.search("shape|imension|broadcast|ncompatible", text):
        shapes = [_shape(one) for one in _SHAPE.findall(re.sub(r"\w+\[\d+\]", "", text))]
        if len(shapes := list(dict.fromkeys(shapes))) == 2:
            return f"shapes {shapes[0]} and {shapes[1]} do not fit"
    lines = [line.strip() for line in _INTERNAL.sub("", text).splitlines()]
    first = next((line for line in lines if re.search(r"\w", line)), "")
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z`'\"(])", first)[0]
    first = textwrap.shorten(first, 200, placeholder=" …").rstrip(".")
    kind = type(error).__name__
    return f"{kind}: {first}".rstrip(": ") if hasattr(builtins, kind) else first or kind


def _shape(sizes):
    parts = re.findall(r"\w+|\?", sizes)
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})".replace("?", "None")


def explained(error, answer, asked):
    """Return a sentence on an error: the student's line, the call, or what a check met.

    Args:
        error: what was raised while a check ran.
        answer: the student's function or class.
        asked: the reference, which has the signature that is asked for.

    Raises RuntimeError for what only the check's own code can have caused.
    """
    own = _globals(answer)
    frames = traceback.walk_tb(error.__traceback__)
    lines = zip(frames, traceback.extract_tb(error.__traceback__), strict=True)
    theirs = [said.line for (frame, _), said in lines if frame.f_globals is own]
    if theirs:
        return f"your code stops in the line `{theirs[-1]}`: {in_words(error)}"
    module = isinstance(getattr(error, "obj", None), types.ModuleType)
    if module or isinstance(error, NameError | ImportError):
        told = f"the check of `{asked.__name__}` failed, and not your answer: {error}"
        raise RuntimeError(told) from error
    call = re.search(r"([\w<>]+)\(\) ((?:takes|missing|got an unexpected).*)", str(error))
    named = {getattr(answer, "__name__", "__call__"), *dir(answer)}
    if isinstance(error, TypeError) and call and call[1] in named:
        wanted = getattr(asked, call[1], asked) if inspect.isclass(asked) else asked
        told = f"`{wanted.__name__}{inspect.signature(wanted)}` is asked for; yours"
        return f"{told} {call[2]}"
    return f"what your code gives fails when it is used: {in_words(error)}"


def _globals(answer):
    """The names of the place where a function, a class or a callable object was written."""
    while wrapped := getattr(answer, "__wrapped__", getattr(answer, "func", None)):
        answer = wrapped
    kind = answer if inspect.isclass(answer) else type(answer)
    # Of a bound method and of np.vectorize what is inside.
    inside = (getattr(answer, name, None) for name in ("__func__", "pyfunc"))
    found = [answer, *inside, *vars(kind).values()]
    return next((one.__globals__ for one in found if inspect.isfunction(one)), None)
