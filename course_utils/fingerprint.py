"""A digest of what decides how a training goes, equal in every process that does the same."""

import contextlib
import functools
import hashlib
import json
import re
import sys
import types
import warnings
from pathlib import Path

import joblib
import keras
import numpy as np

from course_utils import results

PLAIN = (bool, int, float, complex, np.generic, str, bytes, type(None))
# Where methods, properties, partial functions and compiled ones keep what they call.
INSIDE = ("func", "args", "keywords", "fget", "__func__", "__self__", "__wrapped__")
INSIDE += ("python_function",)
# What training and tracking add to a model.
STATE = re.compile("built$|compiled$|stop_training$|history$|_self_|_jax_|_(eval_)?epoch_iter")


class Fingerprint:
    """Collects what decides how a training goes; no other experiment has the same digest.

    All files of the library count as they are. Of what a notebook defines, each function and
    class that is reached counts, with its defaults, closures and global values: joblib and
    pickle know a function by its name alone, and refuse a lambda.
    """

    def __init__(self, *things):
        """things: data sets, callbacks and settings, as they are before the training."""
        self.found, self.seen = [_library(), results.session_seed()], {}
        self._read(things)

    def digest(self, model):
        """Return 16 hexadecimal digits; the model is compiled and has its starting weights."""
        with contextlib.suppress(Exception):  # a lambda has no configuration
            self.found.append(_stable(model.get_compile_config()))
        self._read([model, model.optimizer, model.metrics], values=False)
        weights = [
            *model.get_weights(),
            int(keras.ops.convert_to_numpy(model.optimizer.iterations)),
        ]
        self._read([model.loss, weights, keras.backend.backend()])
        return hashlib.sha256(json.dumps(self.found).encode()).hexdigest()[:16]

    def _read(self, thing, values=True):
        """Read what is reached from a thing; plain values and arrays count if `values`."""
        if isinstance(thing, PLAIN):
            self.found += [f"{type(thing).__name__} {thing!r}"] if values else []
        elif id(thing) not in self.seen:
            self.seen[id(thing)] = thing  # kept, so that no other one gets its id
            self._read_new(thing, values)

    def _read_new(self, thing, values):
        if isinstance(thing, dict):
            self._read(list(thing.items()), values)
        elif isinstance(thing, list | tuple):
            self.found += [len(thing)] if values else []
            for one in thing:
                self._read(one, values)
        elif isinstance(thing, set | frozenset):  # in another order in another process
            self._read(sorted(thing, key=repr), values)
        elif isinstance(thing, types.FunctionType) and _own(thing.__globals__.get("__name__")):
            self._read_function(thing)
        elif isinstance(thing, type) and _own(thing.__module__):
            self._read([thing.__qualname__, thing.__bases__])
            for name, one in vars(thing).items():
                if not name.startswith("__") or isinstance(one, types.FunctionType):
                    self._read((name, one))
        elif not isinstance(thing, types.ModuleType | keras.Variable | keras.KerasTensor):
            self._read_object(thing, values)

    def _read_function(self, function):
        self.found.append(_code(function.__code__))
        self._read([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # an empty one
                self._read(cell.cell_contents)
        self._read_names(function.__globals__, list(_names(function.__code__)))

    def _read_names(self, scope, names):
        """Read what names mean in a scope, and in the modules of the user's own therein."""
        for name in names:
            value = scope.get(name)
            if isinstance(value, types.ModuleType):
                if _own(value.__name__) and id(value) not in self.seen:
                    self.seen[id(value)] = value
                    self._read_names(vars(value), names)
                    del self.seen[id(value)]  # other functions take other names from it
            elif name in scope:
                self._read(value)

    def _read_object(self, thing, values):
        """Read an object's class and what it holds; Keras' own say it by `get_config`."""
        kind, own = type(thing), getattr(thing, "__dict__", {})
        own = {name: value for name, value in own.items() if not STATE.match(name)}
        if _own(kind.__module__):
            names = _names_of_keras(kind)
            self._read([kind, {name: own[name] for name in own if name not in names}])
        elif kind.__module__.startswith("keras."):
            if isinstance(thing, keras.layers.Layer | keras.optimizers.Optimizer):
                self.found += [kind.__qualname__, _settings(thing, own)]
                values = False  # they stand in the configuration
            self._read(own, values)
        elif inside := [getattr(thing, name) for name in INSIDE if hasattr(thing, name)]:
            self._read(inside, values)
        elif values:
            try:
                self.found.append(joblib.hash(thing))
            except Exception:  # pickling raises whatever an object likes
                self.found.append(f"{kind.__module__}.{kind.__qualname__}")


def _code(code):
    """What a function does; lines, files and the names of its variables do not count."""
    return [code.co_code.hex(), list(code.co_names), [_constant(one) for one in code.co_consts]]


def _constant(value):
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, frozenset):  # in another order in another process
        return sorted(map(repr, value))
    return [_constant(one) for one in value] if isinstance(value, tuple) else repr(value)


def _names(code):
    """The names that a function and those within it look up: globals and attributes."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _names(one)


@functools.cache
def _own(module):
    """Whether the module of this name is the user's, not of Python or of a package."""
    top = str(module).split(".")[0]
    if top == "__main__":
        return True
    if top in ("keras", keras.backend.backend()) or top in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


@functools.cache
def _names_of_keras(kind):
    """The attributes that Keras itself gives to the objects of a class, such as their name."""
    model = keras.Sequential([keras.Input((1,))])
    model.compile("sgd", "mse")
    bases = (keras.layers.Layer, keras.metrics.Metric, keras.losses.Loss)
    bases += (keras.callbacks.Callback, keras.utils.PyDataset)
    samples = {keras.Model: model} | {base: base() for base in bases}
    found = [vars(one) for base, one in samples.items() if issubclass(kind, base)]
    return {name for names in found for name in names}


@functools.cache
def _library():
    """A digest of the modules that a training may call: no texts, tests or exercises."""
    whole = hashlib.sha256()
    for folder in ("course_utils", "lectures"):
        for path in sorted((results.ROOT / folder).rglob("*.py")):
            called = path.stem.isidentifier() and "tests" not in path.parts
            if called and path.name not in ("exercises.py", "page.py"):
                whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()


def _settings(thing, own):
    """Return the configuration of an object of Keras, or the plain values that it shows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of lambdas
            return _stable(thing.get_config())
    except Exception:  # each layer inside may have its own reason to refuse
        shown = {name: value for name, value in own.items() if isinstance(value, PLAIN)}
        return _stable({name: shown[name] for name in shown if name[0] != "_"})


def _stable(config):
    """Return a configuration as JSON, without what differs between processes.

    Keras writes lambdas with their file and line, and numbers the names that it chooses:
    dense_7 is dense in a fresh kernel.
    """
    text = json.dumps(config, default=lambda thing: type(thing).__qualname__)
    without_lambdas = re.sub(r'"(?:[A-Za-z0-9+/=]+\\n)+"', '"lambda"', text)
    return re.sub(r"_\d+\b", "", without_lambdas)
