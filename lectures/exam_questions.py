"""Exam questions that compute: functions of a generator, in each lecture's `exam.py`.

A question is declared with its points, of two minutes each (`tools.paper.MINUTES`):

    @question(points=4)
    def padded_length(draw):
        steps, width = whole(draw, 20, 90, count=2)
        ...
        return Question(asked, answer, given={"steps": steps, "width": width}, result=(length,))

`tools.exam` makes papers of them. Their text is Markdown with formulas in TeX.
"""

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

LETTERS = "abcd"
TEXTS = ("asked", "answer")
TRIES = 10_000


FUNCTIONS = {
    "ln": (r"\ln", np.log),
    "exp": (r"\exp", np.exp),
    "tanh": (r"\tanh", np.tanh),
    "sigma": (r"\sigma", lambda x: 1 / (1 + np.exp(-x))),
    "cos": (r"\cos", np.cos),
    "sin": (r"\sin", np.sin),
}


class DrawAgain(Exception):
    """What was drawn makes no good question: a tie, or wrong answers that are equal."""


@dataclass(frozen=True)
class Question:
    """A question with drawn numbers, in Markdown.

    Attributes:
        asked: the question.
        answer: the way to the result, with the points of each part: "(1 point)".
        given: what was drawn, by name; a second computation needs nothing else.
        result: what a right answer states: numbers, words, or lists of them.
        choices: four results as they are shown, or none.
        right: the letter of the right choice.
        points: what the question is worth.
    """

    asked: str
    answer: str
    given: dict
    result: tuple
    choices: tuple[str, ...] = ()
    right: str = ""
    points: int = 0


def question(points: int) -> Callable:
    """Declare a function of a `numpy.random.Generator` as an exam question.

    It is called again, on further numbers, as long as it raises `DrawAgain`.
    """

    def declare(write):
        @functools.wraps(write)
        def drawn(draw: np.random.Generator) -> Question:
            for _ in range(TRIES):
                try:
                    one = write(draw)
                except DrawAgain:
                    continue
                texts = {name: _paragraphs(getattr(one, name)) for name in TEXTS}
                return replace(one, points=points, **texts)
            raise RuntimeError(f"{write.__module__}.{write.__name__}: nothing fits")

        drawn.points = points
        return drawn

    return declare


def _paragraphs(text):
    """Take the indentation away; a line that begins with a sign goes on with a formula."""
    return re.sub(r"\n(?=([-+*>]|\d+[.)]) )", " ", inspect.cleandoc(text))


def offer(draw: np.random.Generator, one: Question, mistakes: Sequence) -> Question:
    """Return the question with four choices: its first result and three mistakes.

    Args:
        draw: chooses three of the mistakes, and the order.
        one: the question without choices.
        mistakes: (wrong result, what leads to it) of typical mistakes, at least three.

    Raises:
        DrawAgain: where fewer than three differ from the right result and each other.
    """
    meanings = {}
    for value, meaning in mistakes:
        meanings.setdefault(f"${num(value)}$", meaning)
    right = f"${num(one.result[0])}$"
    meanings.pop(right, None)
    if len(meanings) < 3:
        raise DrawAgain
    choices = mixed(draw, [right, *some(draw, list(meanings), 3)])
    wrong = [
        f"{letter}) {meanings[shown]}"
        for letter, shown in zip(LETTERS, choices, strict=True)
        if shown != right
    ]
    letter = LETTERS[choices.index(right)]
    answer = f"**{letter})** {one.answer} Wrong: {'; '.join(wrong)}."
    return replace(one, answer=answer, choices=tuple(choices), right=letter)


def whole(draw: np.random.Generator, low: int, high: int, step: int = 1, count: int = 0):
    """Draw low, low + step, … up to high: a number, or a list of `count` numbers."""
    found = draw.integers(0, (high - low) // step + 1, count or None)
    return (low + step * found).tolist() if count else int(low + step * found)


def tenths(draw: np.random.Generator, low: float, high: float, step: float = 0.1, count=0):
    """Draw multiples of a decimal step from low to high: a number, or a list of `count`."""
    found = draw.integers(round(low / step), round(high / step) + 1, count or None)
    return (
        [round(n * step, 6) for n in found.tolist()] if count else round(int(found) * step, 6)
    )


def one_of(draw: np.random.Generator, options: Sequence):
    """Draw one of the options."""
    return options[int(draw.integers(len(options)))]


def some(draw: np.random.Generator, options: Sequence, count: int) -> list:
    """Draw `count` different ones of the options, in any order."""
    return [options[place] for place in draw.permutation(len(options))[:count]]


def mixed(draw: np.random.Generator, options: Sequence) -> list:
    """Return the options in any order."""
    return some(draw, options, len(options))


def shares(draw: np.random.Generator, count: int, parts: int) -> list[float]:
    """Draw `count` positive probabilities, all multiples of 1/parts, that sum to 1."""
    cuts = np.sort(draw.permutation(parts - 1)[: count - 1] + 1)
    return (np.diff([0, *cuts, parts]) / parts).round(6).tolist()


def num(value) -> str:
    """Return a number in TeX: whole, exact to four decimals, or rounded to three digits."""
    value = float(value)
    if abs(value) < 1e-12 or abs(value) > 0.5 and abs(value - round(value)) < 1e-9:
        return f"{round(value):,}".replace(",", "{,}")
    if abs(value - round(value, 4)) < 1e-9 and abs(value) >= 1e-3:
        return f"{value:,.4f}".rstrip("0").replace(",", "{,}")
    if abs(value) >= 1e7 or abs(value) < 1e-3:
        digits, _, power = f"{value:.2e}".partition("e")
        return rf"{digits} \cdot 10^{{{int(power)}}}"
    if abs(value) < 0.1:
        return f"{value:.3g}"
    digits = 4 if 0.9 < abs(value) < 1 else 3  # its powers need them
    return f"{value:,.{digits}f}".replace(",", "{,}")


def signed(value) -> str:
    """Return a number in TeX for the middle of a sum: + 2, - 2."""
    return f"- {num(-value)}" if value < 0 else f"+ {num(value)}"


def factor(value) -> str:
    """Return a number in TeX for the middle of a product: in brackets where it is negative."""
    return f"({num(value)})" if value < 0 else num(value)


def row(values) -> str:
    """Return a list of numbers or words in TeX: (1, 2, 3)."""
    return f"({listed(values)})"


def listed(values) -> str:
    """Return numbers in TeX, with commas between."""
    return r",\, ".join(one if isinstance(one, str) else num(one) for one in values)


def matrix(rows) -> str:
    """Return a matrix in TeX."""
    lines = r" \\ ".join(" & ".join(map(num, one)) for one in rows)
    return rf"\begin{{pmatrix}} {lines} \end{{pmatrix}}"


def frac(upper, lower) -> str:
    """Return a fraction in TeX of two numbers or formulas."""
    shown = (one if isinstance(one, str) else num(one) for one in (upper, lower))
    return r"\frac{{{}}}{{{}}}".format(*shown)


def products(left, right) -> str:
    """Return the sum of products of two lists in TeX: 1 · 2 + 3 · 4."""
    return " + ".join(
        rf"{factor(a)} \cdot {factor(b)}" for a, b in zip(left, right, strict=True)
    )


def known(**tables) -> str:
    """Return values of functions in TeX that a question gives to begin with, each one once.

    known(tanh=[0.5, 1], ln=[2]): the names are those of `FUNCTIONS`, with where they are asked.
    """
    shown = []
    for name, at in tables.items():
        tex, function = FUNCTIONS[name]
        shown += [f"${tex}{braced(x)} = {num(function(x))}$" for x in sorted(set(at))]
    return f"({', '.join(shown)})"


def braced(value) -> str:
    """Return a number in TeX as an argument of a function, or as an exponent."""
    return f"({num(value)})"
