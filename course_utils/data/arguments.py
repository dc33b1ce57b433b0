"""Checks of arguments that the loaders share: a ValueError names what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real


def one_of(name: str, value, allowed: Sequence[str]) -> None:
    """Raise ValueError unless value is among the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"unknown {name} {value!r}: choose one of {choices}")


def whole_number(name: str, value, at_least: int) -> None:
    """Raise ValueError unless value is an int of at least so much."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ValueError(
            f"{name} has to be a whole number of at least {at_least}, got {value!r}"
        )


def not_negative(name: str, value) -> None:
    """Raise ValueError unless value is a number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not value >= 0:
        raise ValueError(f"{name} has to be a number of at least 0, got {value!r}")


def true_or_false(name: str, value) -> None:
    """Raise ValueError unless value is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} has to be True or False, got {value!r}")


def share(name: str, value) -> None:
    """Raise ValueError unless value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} has to be a share between 0 and 1, got {value!r}")


def word_range(name: str, value) -> None:
    """Raise ValueError unless value is a pair (fewest, most) of numbers of words."""
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    whole = pair and all(isinstance(n, Integral) and not isinstance(n, bool) for n in value)
    if not whole or not 0 <= value[0] <= value[1]:
        raise ValueError(
            f"{name} has to be a pair (fewest, most) of whole numbers of words "
            f"with 0 <= fewest <= most, got {value!r}"
        )
