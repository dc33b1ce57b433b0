"""Which files decide a notebook's outputs: the modules that its code reaches, and their data.

Found by reading, without importing anything. A module is followed with all that it imports; of
a package's `__init__.py` only the names that are asked for, so that `cu.layers.MixerBlock`
reaches the module of that layer and not all layers. Data, shipped weights and recorded runs
count where a string in that code names their file or folder.
"""

import ast
import hashlib
import io
import tokenize
from pathlib import Path

from tools.part import bound
from tools.shows import ROOT

DATA = ("data", "results")
CACHE = Path("data", "cache")  # what this machine unpacked: another checkout has none
DESCRIBED = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


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


def closure(code: str, lecture: str, root: Path = ROOT) -> dict[str, str]:
    """Return the files that decide what a lecture's code puts out, each with its hash.

    Args:
        code: the lecture's code cells, joined.
        lecture: its name, such as "06_transformer": the library's modules of that number, its
            exercises above all, are reached without being imported by name.
        root: the checkout.
    """
    walk = _Walk(root)
    texts = walk.follow(code, ())
    number = lecture.partition("_")[0]
    for pattern in (f"lecture_{number}.py", f"lecture_{number}_*.py"):
        for path in root.glob(f"course_utils/*/{pattern}"):
            walk.module(path)
    texts |= walk.texts
    found = {path: code.encode() for path, code in walk.code.items()}
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


class _Walk:
    """Modules reached so far: the code of each, and the strings in it."""

    def __init__(self, root):
        self.root, self.code, self.texts = root, {}, set()
        self.packages = {}

    def module(self, path):
        """Take in a module and all that it imports."""
        if path in self.code:
            return
        source = path.read_text(encoding="utf-8")
        self.code[path] = code_of(source)
        self.texts |= self.follow(source, path.relative_to(self.root).parts[:-1])

    def follow(self, source, package):
        """Reach what some code imports and uses; returns the strings in it."""
        tree = ast.parse(source)
        names = _imports(tree, package)
        for target in names.values():
            self.reach(target)
        for target in _used(tree, names):
            self.use(target)
        return _strings(tree)

    def use(self, target):
        """Take in what a dotted name stands for; a package that is handed on, as a whole."""
        package = self.reach(target)
        if package:
            self.whole(package)

    def reach(self, target):
        """Take in what a dotted name stands for; returns the folder where it is a package."""
        folder = self.root
        for part in target:
            if (folder / f"{part}.py").is_file():
                self.module(folder / f"{part}.py")
                return None
            if not (folder / part).is_dir():
                if folder != self.root:
                    self.name(folder, part)
                return None
            folder = folder / part
            self.package(folder)
        return folder

    def package(self, folder):
        """Take in the code of a package's own file, and of its imports what that code uses."""
        path = folder / "__init__.py"
        if folder in self.packages or not path.is_file():
            return
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        names = _imports(tree, folder.relative_to(self.root).parts)
        self.packages[folder] = tree, names
        own = [item for item in tree.body if not _gathers(item)]
        self.code[path] = "\n".join(
            code_of(ast.get_source_segment(source, item)) for item in own
        )
        self.texts |= _strings(tree)
        for target in _used(ast.Module(own, []), names):
            self.use(target)

    def name(self, folder, part):
        """Reach what a package calls by this name; all of it where that is not to be read."""
        tree, names = self.packages.get(folder, (ast.Module([], []), {}))
        if part in names:
            self.reach(names[part])
        elif not any(part in bound(item) for item in tree.body):
            self.whole(folder)

    def whole(self, folder):
        """Take in every module of a package."""
        for path in sorted(folder.rglob("*.py")):
            if path.name == "__init__.py":
                self.package(path.parent)
            else:
                self.module(path)


def _imports(tree, package):
    """Return what each imported name stands for, a tuple of parts a name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                parts = tuple(item.name.split("."))
                found[item.asname or item.name] = parts
                if not item.asname:
                    found[parts[0]] = parts[:1]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            found |= {item.asname or item.name: (*base, item.name) for item in node.names}
    return found


def _used(tree, names):
    """Return the longest dotted names in some code that begin with an imported one."""
    found, inner = set(), set()
    for node in ast.walk(tree):  # from the outside in: a chain is met before its parts
        if node in inner or not isinstance(node, ast.Attribute | ast.Name):
            continue
        parts, base = [], node
        while isinstance(base, ast.Attribute):
            parts.append(base.attr)
            base = base.value
            inner.add(base)
        if isinstance(base, ast.Name) and base.id in names:
            found.add((*names[base.id], *reversed(parts)))
    return found


def _gathers(item):
    """Whether a statement of a package's file only describes it, or imports what it offers."""
    described = isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
    return described or isinstance(item, ast.Import | ast.ImportFrom)


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
