"""The command lines of `python -m tools.…` and `python -m benchmarks.…`: all have --help."""

import argparse
import sys


def parser(about: str) -> argparse.ArgumentParser:
    """Return a parser for the module that was started, which shows `about` as it is written."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    return argparse.ArgumentParser(
        f"python -m {started.name}" if started else None,
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def answered(name: str, about: str, **arguments: dict) -> argparse.Namespace | None:
    """Read the command line of a module that is started, not imported.

    Called before the imports that take seconds, so that --help and mistakes need not wait.

    Args:
        name: the module's `__name__`.
        about: its docstring.
        arguments: for each positional argument, what `add_argument` is given.
    """
    if name != "__main__":
        return None
    reading = parser(about)
    for argument, settings in arguments.items():
        reading.add_argument(argument, **settings)
    return reading.parse_args()
