"""The command lines of `python -m tools.…` and `python -m benchmarks.…`: all have --help."""

import argparse
import ast
import sys
from collections.abc import Collection
from pathlib import Path


def parser(module: str, about: str) -> argparse.ArgumentParser:
    """Return a parser for `python -m module`, which shows `about` as it is written."""
    shown = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(
        f"python -m {module}", description=about, formatter_class=shown, allow_abbrev=False
    )


def one_of(choices: Collection[str]):
    """Return a `type` of `add_argument` for one of these names, however many are given."""

    def named(text):
        if text not in choices:
            known = ", ".join(choices)
            raise argparse.ArgumentTypeError(f"there is no {text!r}; the choices are: {known}")
        return text

    return named


def read_early(**arguments: dict) -> None:
    """Read the command line before a package's modules are imported; they import Keras.

    So --help and mistakes are answered at once. To be called by the package's `__init__`.

    Args:
        arguments: by a module's last name, its positional arguments by their names, each with
            what `add_argument` is given; all other modules take none.
    """
    if sys.argv[0] != "-m":  # which it is until Python has found the module to run
        return
    module = sys.orig_argv[-len(sys.argv)].removeprefix("-m")
    file = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
    if not file.is_file():
        return  # Python says it
    about = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    reading = parser(module, about)
    for name, settings in arguments.get(file.stem, {}).items():
        reading.add_argument(name, **settings)
    reading.parse_args()
