"""How a result differs from the expected one: what was compared, and no page of numbers."""

import re
import textwrap

import numpy as np

WIDTH = 60  # columns that a value takes in a sentence


class Tensor(np.ndarray):
    """The numbers of a tensor, which students' further NumPy code could not use."""


def numbers(value):
    """Return a result as an array of float64; None where it is no array of numbers."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return array.astype(float) if array.dtype.kind in "biuf" else None


def same(given, expected, tolerance=1e-4):
    """Say whether two results are equal: numbers within `tolerance`, all else exactly."""
    if isinstance(expected, dict):
        alike = isinstance(given, dict) and given.keys() == expected.keys()
        return alike and all(same(given[key], expected[key], tolerance) for key in expected)
    right = numbers(expected)
    if right is not None:
        mine = numbers(given)
        alike = mine is not None and mine.shape == right.shape
        return alike and np.allclose(mine, right, tolerance, tolerance / 10, equal_nan=True)
    if isinstance(expected, tuple | list):
        alike = isinstance(given, tuple | list) and len(given) == len(expected)
        return alike and all(map(within(tolerance), given, expected))
    if isinstance(expected, np.ndarray):
        return same(np.asarray(given).tolist(), expected.tolist(), tolerance)
    alike = type(expected).__eq__(expected, given)  # an answer's own `__eq__` is not asked
    return alike is not NotImplemented and bool(alike)


def within(tolerance):
    """Return a comparison like `same` with another relative tolerance."""
    return lambda given, expected: same(given, expected, tolerance)


def told(name, given, expected):
    """Say of one result how it differs.

    Args:
        name: what was compared, such as "the number of parameters".
        given, expected: the results, which differ.
    """
    mine, right = numbers(given), numbers(expected)
    listed = isinstance(expected, str | list | tuple | set)
    if isinstance(expected, dict):
        return _of_keys(name, given, expected)
    if given is None:
        return f"{name} {_verb(name)} None: is a `return` missing?"
    if listed:
        return _of_lists(name, given, expected)
    if right is None:
        return _both(name, given, expected)
    if mine is None:
        return f"{name} {_verb(name)} {shown(given)}, and {_kind(right)} is expected"
    if mine.shape != right.shape:
        several = isinstance(given, list | tuple) and isinstance(expected, np.ndarray | list)
        return _both(name, given, expected) if several else _of_shapes(name, mine, right)
    if not np.isfinite(mine).all() and np.isfinite(right).all():
        return f"{name} {_verb(name, 'contain')} numbers that are not finite (nan or inf)"
    relation = related(mine, right)
    if all(np.asarray(one).dtype.kind in "iu" for one in (given, expected)):
        mine, right = mine.astype(int), right.astype(int)
    return f"{_of_arrays(name, mine, right)}{'; ' * bool(relation)}{relation}"


def unlike(given, expected, arrays=False):
    """Say where equal results differ in kind, so that later cells could not use them.

    arrays: whether the text asks for NumPy arrays by name, which excludes tensors.
    """
    if isinstance(expected, dict):
        given, expected = list(given.values()), [expected[key] for key in given]
    if isinstance(expected, list | tuple) and isinstance(given, list | tuple):
        pairs = zip(given, expected, strict=False)
        return next(filter(None, (unlike(*pair, arrays) for pair in pairs)), None)
    if isinstance(expected, np.ndarray) and isinstance(given, list | tuple):
        return f"a NumPy array is asked for, not {_article(type(given).__name__)}"
    if arrays and isinstance(given, Tensor) and type(expected) is np.ndarray:
        return "a NumPy array is asked for, not a tensor: keras.ops.convert_to_numpy makes one"
    mine, right = numbers(given), numbers(expected)
    if mine is None or right is None:
        return None
    if isinstance(expected, np.ndarray) and expected.dtype == bool != np.asarray(given).dtype:
        return "True and False are asked for (bool): numbers select other places of an array"
    if np.asarray(expected).dtype.kind != "i":
        return None
    return "whole numbers are asked for (int)" if np.asarray(given).dtype.kind == "f" else None


def related(mine, right):
    """Say how all numbers of one array follow from another's, or where alone they differ."""
    near = dict(rtol=1e-3, atol=1e-6)
    wrong = ~np.isclose(mine, right, **near)
    if right.size < 2 or not np.isfinite(mine).all():
        return ""
    if np.allclose(mine, -right, **near):
        return "the sign is the other way round"
    off = np.abs(mine - right)
    if off.max() < 0.01 * np.abs(right).max() and (off > 0.1 * off.max()).mean() > 0.5:
        return (
            "the differences are small, below a hundredth of the largest number: a constant, "
            "such as an epsilon, rounding, or float16?"
        )
    if right.all() and np.ptp(factor := mine / right) < 1e-3 * abs(factor.flat[0]):
        return f"every number is {factor.flat[0]:.4g} times the expected one"
    if np.ptp(more := mine - right) < 1e-3 * abs(more.flat[0]):
        size = "large" if more.flat[0] > 0 else "small"
        return f"every number is {abs(more.flat[0]):.4g} too {size}"
    for axis in range(right.ndim):
        if right.shape[axis] > 1 and np.allclose(mine, np.flip(right, axis), **near):
            return f"the order along axis {axis} is reversed"
    square = right.ndim > 1 and right.shape[-1] == right.shape[-2]
    if square and np.allclose(mine, right.swapaxes(-1, -2), **near):
        return "the last two axes are exchanged"
    if np.allclose(np.sort(mine, None), np.sort(right, None), **near):
        return "these are the expected numbers in another order"
    for axis in range(right.ndim) if right.ndim > 1 else ():
        places = np.unique(np.nonzero(wrong)[axis]).tolist()
        if len(places) <= 2 and len(places) <= right.shape[axis] / 2:
            where = " and ".join(map(str, places))
            return f"only the numbers at index {where} of axis {axis} are wrong"
    return ""


def arguments(names, case):
    """Name one call's arguments, with values where these are short, else with shapes."""
    named = [*names, *[""] * len(case)][: len(case)]
    most = 24 if sum(getattr(value, "size", 1) for value in case) <= 24 else 1
    parts = [_argument(name, value, most) for name, value in zip(named, case, strict=True)]
    return textwrap.shorten(", ".join(filter(None, parts)), 240, placeholder=", …")


def shown(value):
    """Return a value in at most `WIDTH` columns, numbers with four digits."""
    if isinstance(value, tuple | list) and len(value) <= 12:
        text = ", ".join(map(shown, value))
        text = f"({text})" if isinstance(value, tuple) else f"[{text}]"
    elif isinstance(value, float | np.floating):
        text = f"{value:.4g}"
    elif isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, suppress_small=True, separator=", ")
    elif callable(value):
        text = getattr(value, "__name__", type(value).__name__)
    else:
        text = repr(value)
    text = re.sub(r"\s+", " ", text)
    if len(text) > WIDTH:
        size = f" of {len(value)} entries" if hasattr(value, "__len__") else ""
        shape = getattr(value, "shape", None)
        size = f" of the shape {tuple(shape)}" if shape is not None else size
        text = f"{_article(type(value).__name__)}{size}"
    return text


def _argument(name, value, most):
    if getattr(value, "size", 0) > most:
        return f"{name or 'an array'} {tuple(value.shape)}"
    return f"{name}={shown(value)}" if name else shown(value)


def _verb(name, verb="be"):
    """The verb in the number of a name's main noun: "the losses", "the state after t steps"."""
    main = re.split(r" (?:of|after|at|for|with|in|on|per|from|while|that) |,", name)[0]
    many = " and " in main or main.endswith("s") and not main.endswith(("ss", "us", "is", "as"))
    if verb == "be":
        return "are" if many else "is"
    if verb == "have":
        return "have" if many else "has"
    return verb if many else f"{verb}s"


def _article(word):
    word = word.replace("ndarray", "array").replace("Tensor", "tensor")
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _kind(right):
    return f"an array of the shape {right.shape}" if right.ndim else "a number"


def _both(name, given, expected):
    return f"{name} {_verb(name)} {shown(given)}, and {shown(expected)} is expected"


def _of_shapes(name, mine, right):
    one = f"{name} {_verb(name)} one number" if not mine.ndim else ""
    has = one or f"{name} {_verb(name, 'have')} the shape {mine.shape}"
    return f"{has}, and {right.shape if right.ndim else 'one number'} is expected"


def _of_arrays(name, mine, right):
    if right.size <= 12 and right.ndim < 2:
        digits = next(d for d in (4, 6, 9) if d == 9 or _text(mine, d) != _text(right, d))
        mine, right = _text(mine, digits), _text(right, digits)
        return f"{name} {_verb(name)} {mine}, and {right} is expected"
    if right.ndim == 2 and right.shape[0] <= 4 and right.shape[1] <= 6:
        return f"{name} {_verb(name)}\n{_text(mine)}\nand this is expected:\n{_text(right)}"
    far = np.abs(mine - right)
    at = tuple(np.argwhere(far > 0.1 * far.max())[0].tolist())
    pair = f"{_text(mine[at])}, and {_text(right[at])} is expected"
    return f"{name} {_verb(name, 'differ')}, first at {list(at)}: {pair}"


def _text(value, digits=4):
    if np.ndim(value) == 0:
        if float(value).is_integer() and abs(value) < 1e12:
            return f"{int(value)}"
        return f"{float(value):.{digits}g}"
    return np.array2string(value, precision=digits, suppress_small=True, separator=", ")


def _of_keys(name, given, expected):
    if not isinstance(given, dict):
        keys = shown(list(expected))
        return f"{name} {_verb(name)} {shown(given)}, and a dict is expected, with keys: {keys}"
    if missing := expected.keys() - given.keys():
        return f"{name} {_verb(name, 'lack')} the key {shown(min(missing, key=repr))}"
    extra = min(given.keys() - expected.keys(), key=repr)
    return f"{name} {_verb(name, 'have')} the key {shown(extra)}, which does not belong there"


def _of_lists(name, given, expected):
    kind = next(one for one in (str, list, tuple, set) if isinstance(expected, one))
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(given, (list, tuple) if kind in (list, tuple) else kind):
        return f"{name} {_verb(name)} {shown(given)}, and {_article(kind.__name__)} is expected"
    if kind is set:
        lacking, extra = expected - given, given - expected
        what, word = (lacking, "lacks") if lacking else (extra, "has too much:")
        return f"{name}: the set {word} {shown(min(what, key=repr))}"
    if max(len(repr(given)), len(repr(expected))) <= WIDTH:
        return _both(name, given, expected)
    place = next(
        (i for i, pair in enumerate(zip(given, expected, strict=False)) if not same(*pair)),
        min(len(given), len(expected)),
    )
    where = "" if place == min(len(given), len(expected)) else _at(given, expected, place)
    if len(given) != len(expected):
        count = f"{name} {_verb(name, 'have')} {len(given)} entries, and {len(expected)}"
        return f"{count} are expected{'; they differ ' * bool(where)}{where}"
    return f"{name} {_verb(name, 'differ')} {where}"


def _at(given, expected, place):
    if isinstance(expected, str):
        mine, right = (one[max(0, place - 10) : place + 20] for one in (given, expected))
        return f"from character {place} on: …{mine}… in place of …{right}…"
    mine, right = shown(given[place]), shown(expected[place])
    return f"first at index {place}: {mine}, and {right} is expected"
