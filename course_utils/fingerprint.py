"""A digest of what decides how a training goes, equal in every process that does the same."""

import contextlib
import functools
import hashlib
import json
import re
import sys
import sysconfig
import types
import warnings
from pathlib import Path

import joblib
import keras
import numpy as np

from course_utils import results

NUMBERS = (bool, int, float, complex, np.generic)
PLAIN = (*NUMBERS, str, bytes)
# Where methods, properties, partial functions and compiled ones keep what they call.
INSIDE = ("func", "args", "keywords", "fget", "fset", "fdel")
INSIDE += ("__func__", "__self__", "__wrapped__", "python_function")


# What training and tracking add to a model.
STATE = re.compile("built$|compiled$|stop_training$|history$|_self_|_jax_|_(eval_)?epoch_iter")


class Fingerprint:
    """Collects what decides how a training goes; no other experiment has the same digest.

    Of the code count all files of the library, and each function and class outside the
    installed packages that is reached, with its defaults, closures and global values: joblib
    and pickle know a function by its name alone, and refuse a lambda.
    """

    def __init__(self, *things):
        """things: data sets, callbacks and settings, as they are before the training."""
        self.found, self.seen = [_library(), results.session_seed()], {}
        self._read(things, PLAIN)

    def digest(self, model):
        """Return 16 hexadecimal digits; the model is compiled and has its starting weights."""
        # Keras has no public way to list the layers inside layers.
        self._read([*model._flatten_layers(), model.optimizer, *model.metrics], ())
        self._read([model.loss, _architecture(model), _compiled(model)], PLAIN)
        self._read([model.get_weights(), keras.backend.backend()], PLAIN)
        return hashlib.sha256(json.dumps(self.found).encode()).hexdigest()[:16]

    def _read(self, thing, kinds):
        """Read what is reached from a thing; kinds: the classes of plain values that count."""
        if thing is None or isinstance(thing, PLAIN):
            if kinds and isinstance(thing, (*kinds, type(None))):
                self.found.append(f"{type(thing).__name__} {thing!r}")
        elif id(thing) not in self.seen:
            self.seen[id(thing)] = thing  # kept, so that no other one gets its id
            self._read_new(thing, kinds)

    def _read_new(self, thing, kinds):
        if isinstance(thing, dict):
            for pair in thing.items():
                self._read(pair, kinds)
        elif isinstance(thing, list | tuple):
            self.found += [len(thing)] if kinds else []
            for value in thing:
                self._read(value, kinds)
        elif isinstance(thing, set | frozenset):  # in another order in another process
            self._read(sorted(thing, key=repr), kinds)
        elif isinstance(thing, types.FunctionType):
            self._read_function(thing, kinds)
        elif isinstance(thing, type):
            self._read_class(thing, kinds)
        elif not isinstance(thing, types.ModuleType | keras.Variable | keras.KerasTensor):
            self._read_object(thing, kinds)

    def _read_function(self, function, kinds):
        if _installed(function.__globals__.get("__name__")):
            self._read_as_a_whole(function, kinds)
            return
        self.found.append(_code(function.__code__))
        self._read([function.__defaults__, function.__kwdefaults__], PLAIN)
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # an empty one
                self._read(cell.cell_contents, PLAIN)
        self._read_names(function.__globals__, list(_names(function.__code__)))

    def _read_names(self, scope, names):
        """Read what names mean in a scope, and in the modules of the user's own therein."""
        for name in names:
            value = scope.get(name)
            if isinstance(value, types.ModuleType):
                if not _installed(value.__name__) and id(value) not in self.seen:
                    self.seen[id(value)] = value
                    self._read_names(vars(value), names)
                    del self.seen[id(value)]  # other functions take other names from it
            elif name in scope:
                self._read(value, PLAIN)

    def _read_class(self, kind, kinds):
        if _installed(kind.__module__):
            self._read_as_a_whole(kind, kinds)
            return
        self.found.append(kind.__qualname__)
        self._read(kind.__bases__, PLAIN)
        for name, value in vars(kind).items():
            if not name.startswith("__") or isinstance(value, types.FunctionType):
                self._read((name, value), PLAIN)

    def _read_object(self, thing, kinds):
        """Read an object's class and what it holds.

        What the numbers in Keras' layers and optimizers are stands in their configuration.
        """
        kind = type(thing)
        if not _installed(kind.__module__):
            kinds = PLAIN
        elif not kind.__module__.startswith("keras."):
            self._read_installed(thing, kinds)
            return
        elif isinstance(thing, keras.callbacks.Callback):
            kinds = NUMBERS
        elif isinstance(thing, keras.layers.Layer | keras.optimizers.Optimizer):
            kinds = ()
        self._read(kind, kinds)
        for name, value in getattr(thing, "__dict__", {}).items():
            if _counts(name, kind):
                self._read((name, value), kinds)

    def _read_installed(self, thing, kinds):
        inside = [getattr(thing, name) for name in INSIDE if hasattr(thing, name)]
        inside = [value for value in inside if not isinstance(value, types.ModuleType)]
        if inside:
            self._read(inside, kinds)
        else:
            self._read_as_a_whole(thing, kinds)

    def _read_as_a_whole(self, thing, kinds):
        """Take what belongs to an installed package, such as an array, for its pickled self."""
        if kinds:
            try:
                self.found.append(joblib.hash(thing))
            except Exception:  # pickling raises whatever an object likes
                self.found.append(f"{type(thing).__module__}.{type(thing).__qualname__}")


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
def _installed(module):
    """Whether the module of this name belongs to Python or to a package, not to the user."""
    top = str(module).split(".")[0]
    if top in ("keras", keras.backend.backend()) or top in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None or top == "__main__":
        return top in sys.stdlib_module_names
    parents = Path(file).parents
    packages = any(one.name in ("site-packages", "dist-packages") for one in parents)
    return packages or Path(sysconfig.get_path("stdlib")) in parents


def _counts(name, kind):
    """Whether an attribute of a class's objects is their own, and not Keras'."""
    return name not in _names_of_keras(kind) and not STATE.match(name)


@functools.cache
def _names_of_keras(kind):
    """The attributes that Keras itself gives to the objects of a class, such as their name."""
    model = keras.Sequential([keras.Input((1,))])
    model.compile("sgd", "mse")
    samples = {
        keras.Model: model,
        keras.layers.Layer: keras.layers.Layer(),
        keras.metrics.Metric: keras.metrics.Metric(),
        keras.losses.Loss: keras.losses.Loss(),
        keras.callbacks.Callback: keras.callbacks.Callback(),
        keras.utils.PyDataset: keras.utils.PyDataset(),
    }
    found = [vars(one) for base, one in samples.items() if issubclass(kind, base)]
    return {name for names in found for name in names}


@functools.cache
def _library():
    """A digest of the modules of the library; a lecture's text is none."""
    whole = hashlib.sha256()
    for folder in ("course_utils", "lectures"):
        for path in sorted((results.ROOT / folder).rglob("*.py")):
            if path.stem.isidentifier():
                whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()


def _architecture(model):
    try:
        return _stable(lambda: model.to_json(default=_kind))
    except Exception:  # each layer may have its own reason to refuse
        layers = [_settings(layer) for layer in model._flatten_layers()]
        return _stable(lambda: json.dumps(layers, default=_kind))


def _compiled(model):
    """The optimizer's step and learning rate, and what the model was compiled with."""
    numbers = model.optimizer.iterations, model.optimizer.learning_rate
    try:
        config = _stable(lambda: json.dumps(model.get_compile_config(), default=_kind))
    except Exception:  # as of a lambda whose source is lost
        config = _stable(lambda: json.dumps(_settings(model.optimizer), default=_kind))
    return [config, *(float(keras.ops.convert_to_numpy(number)) for number in numbers)]


def _stable(configuration):
    """Call for a configuration, as JSON; leave out what differs between processes.

    Keras writes lambdas with their file and line, and numbers the names that it chooses:
    dense_7 is dense in a fresh kernel.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of lambdas
        text = configuration()
    without_lambdas = re.sub(r'"(?:[A-Za-z0-9+/=]+\\n)+"', '"lambda"', text)
    return re.sub(r"_\d+\b", "", without_lambdas)


def _kind(thing):
    return type(thing).__qualname__


def _settings(thing):
    """The class of an object without a configuration, and the numbers and strings it shows."""
    own = {name: value for name, value in vars(thing).items() if _counts(name, type(thing))}
    plain = {name: value for name, value in own.items() if isinstance(value, PLAIN)}
    return {"": _kind(thing), **{name: plain[name] for name in plain if name[0] != "_"}}
