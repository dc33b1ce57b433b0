"""What a lecture's source defines, without running the lecture."""

import ast

import keras
import numpy as np

import course_utils as cu
from tools.source import LECTURES


def defined(stem, settings=(), **given):
    """A lecture's functions, classes and named settings, by name, beside what is given."""
    source = LECTURES / f"{stem}.py"

    def kept(node):
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
        return definition or getattr(targets[0], "id", "") in settings

    body = [node for node in ast.parse(source.read_text(encoding="utf-8")).body if kept(node)]
    names = {"keras": keras, "layers": keras.layers, "ops": keras.ops, "np": np, "cu": cu}
    names |= given
    exec(compile(ast.Module(body, []), str(source), "exec"), names)
    return names
