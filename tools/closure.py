"""Which files decide a notebook's outputs: the modules that its code reaches, and their data.

A module counts with all that it imports (grimp reads the imports); the words of an exercise, a
results page and whatever else no import leads to do not. Data, shipped weights and recorded
runs count where a string in that code names their file or folder.
"""

import ast
import functools
import hashlib
import io
import tokenize
from pathlib import Path

import grimp

from tools.shows import ROOT

PACKAGES = ("course_utils", "lectures")
FIRST = ("course_utils", "course_utils.session")  # what each notebook starts with
DATA = ("data", "results")
CACHE = Path("data", "cache")  # what this machine unpacked: another checkout has none
DESCRIBED = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@functools.cache
def code_of(source: str) -> str:
    """Return Python without comments, docstrings and the lines that only held such."""
    try:
        tree = ast.parse(source)
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        return source  # such as a notebook's `%magic`
    lines = source.splitlines()
    idle = {token.start[0] for token in tokens if token.type in (tokenize.COMMENT, tokenize.NL)}
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for text in _docstrings(tree):
        first, last = text.lineno, text.end_lineno
        before = lines[first - 1].encode()[: text.col_offset].decode().rstrip()
        lines[first - 1 : last] = [before] + [""] * (last - first)
        idle |= set(range(first, last + 1))
    return "\n".join(
        line for row, line in enumerate(lines, start=1) if line.strip() or row not in idle
    )


def closure(code: str, root: Path = ROOT) -> dict[str, str]:
    """Return the files that decide what a lecture's code puts out, each with its hash.

    Args:
        code: the lecture's code cells, joined, after the imports of what they show.
        root: the checkout.
    """
    found, texts = {}, _strings(ast.parse(code))
    for module in _reached(ast.parse(code)):
        path, source = _read(root, module)
        found[path] = code_of(source).encode()
        texts |= _strings(ast.parse(source))
    for folder in DATA:
        files = [path for path in (root / folder).rglob("*") if path.is_file()]
        files = [path for path in files if root / CACHE not in path.parents]
        files = [path for path in files if path.suffix != ".md"]  # pages: no code reads them
        found |= {
            path: path.read_bytes().replace(b"\r\n", b"\n")
            for path in files
            if _named(path.relative_to(root / folder), texts)
        }
    hashes = {
        path.relative_to(root).as_posix(): hashlib.sha256(content).hexdigest()
        for path, content in found.items()
    }
    return dict(sorted(hashes.items()))


@functools.cache
def imports() -> grimp.ImportGraph:
    """Return which module of the course imports which."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def _reached(tree):
    """The modules that some code names, and all that these import."""
    graph, found = imports(), set(FIRST)
    for name in _dotted_names(tree):
        while name and name not in graph.modules:
            name = name.rpartition(".")[0]
        found |= {name} - {""}
    for module in list(found):
        found |= graph.find_upstream_modules(module)
    return sorted(found)


def _dotted_names(tree):
    """What some code imports, and the attributes of it that may be modules (`cu.data`)."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {item.asname or item.name: item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {
                item.asname or item.name: f"{node.module}.{item.name}" for item in node.names
            }
    attributes = {
        f"{names[node.value.id]}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    }
    return attributes | set(names.values())


def _read(root, module):
    folder = root.joinpath(*module.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return path, path.read_text(encoding="utf-8")


def _docstrings(tree):
    for node in ast.walk(tree):
        # A string that is all of a cell is no docstring: Jupyter shows its value.
        if isinstance(node, DESCRIBED) and node.body and tree.body != [node.body[0]]:
            first = getattr(node.body[0], "value", None)
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first


def _strings(tree):
    described = set(_docstrings(tree))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in described
    }


def _named(path, texts):
    """Whether a string names a file's folder or itself, or begins a shipped file's name."""
    if path.parts[0] == "shipped":
        return any(len(text) > 4 and path.name.startswith(text) for text in texts)
    return path.parts[0] in texts or path.parts[0].partition(".")[0] in texts
