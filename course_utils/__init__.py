"""The library of the course "from word embeddings to gMLP, in Keras".

`import course_utils as cu` costs nothing: each module loads when it is first used, and the
backend (TensorFlow, JAX or torch) starts with `cu.start()`.
"""

import importlib
import os
import pkgutil
import sys
from pathlib import Path

from course_utils.session import full_precision, start

# TensorFlow reads it once, when Keras imports it: the first cell imports this module before.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

ROOT = Path(__file__).resolve().parent.parent

__all__ = ["ROOT", "full_precision", "start"]


def _print_anywhere():
    """Print a question mark for what a terminal cannot show, as many on Windows cannot.

    The streams of notebooks show everything, and cannot be set.
    """
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) == "strict" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _modules():
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def __getattr__(name):
    if name in _modules():
        return importlib.import_module(f"course_utils.{name}")
    raise AttributeError(
        f"course_utils has no {name!r}; its modules are: {', '.join(_modules())}"
    )


def __dir__():
    return [*__all__, *_modules()]


_print_anywhere()
