"""The library behind the course "from word embeddings to gMLP, in Keras".

`import course_utils as cu` costs nothing: each module loads when it is first used, and the
backend (TensorFlow or JAX) starts with `cu.start()`.
"""

import importlib
import os
from pathlib import Path

from course_utils.session import full_precision, start

# TensorFlow reads it once, when Keras imports it: the first cell imports this module before.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

ROOT = Path(__file__).resolve().parent.parent

_MODULES = (
    "checks",
    "colab",
    "data",
    "decoding",
    "exercises",
    "figures",
    "layers",
    "models",
    "numpy_ref",
    "plotting",
    "results",
    "schedules",
    "tokenizers",
    "training",
    "translation",
)

__all__ = ["ROOT", "full_precision", "start"]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"course_utils.{name}")
    raise AttributeError(
        f"course_utils has no {name!r}; its modules are: {', '.join(_MODULES)}"
    )


def __dir__():
    return sorted([*__all__, *_MODULES])
