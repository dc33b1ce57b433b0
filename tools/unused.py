"""Which public names of course_utils nobody uses, and which imports go in a circle.

A name is used when a lecture, a tool or a benchmark reaches it, directly or through what these
use; tests do not count.
"""

import ast
import re

import jupytext

from tools import colab_cell
from tools.shows import ROOT

PACKAGE = "course_utils"
OFFERED = """
import course_utils as cu
cu.exercises.check, cu.exercises.hint, cu.exercises.solution
"""
"""What students call when they want to, and what exercises on layers are declared with."""


class Module:
    """One file: what it defines at the top, and what the names in it stand for."""

    def __init__(self, name: str, source: str, package: bool = False):
        self.name, self.tree = name, ast.parse(source)
        self.package = name if package else name.rpartition(".")[0]
        self.definitions = {}
        self.bound = {}
        for node in self.tree.body:
            for defined in _defined(node):
                self.definitions[defined] = node
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    first = item.name.partition(".")[0]
                    self.bound[item.asname or first] = item.name if item.asname else first
            elif isinstance(node, ast.ImportFrom):
                for item in node.names:
                    self.bound[item.asname or item.name] = f"{node.module}.{item.name}"

    def references(self, node: ast.AST) -> set[str]:
        """Return the dotted names, from the top of a package, that `node` mentions.

        Exercises hold code in strings, too: the edits that are their mistakes.
        """
        found, edits = set(), self.name.startswith(f"{PACKAGE}.exercises.")
        for part in ast.walk(node):
            if edits and isinstance(part, ast.Constant) and isinstance(part.value, str):
                named = set(re.findall(r"\w+", part.value)) & self.definitions.keys()
                found |= {f"{self.name}.{name}" for name in named}
            if isinstance(part, ast.Attribute | ast.Name):
                dotted = _dotted(part)
                if not dotted:
                    continue
                first, _, rest = dotted.partition(".")
                if first in self.bound:
                    found.add(f"{self.bound[first]}.{rest}".rstrip("."))
                elif first in self.definitions:
                    found.add(f"{self.name}.{dotted}")
        return found


def modules() -> dict[str, Module]:
    """Return course_utils' modules by their dotted names."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package else parts)
        found[name] = Module(name, path.read_text(encoding="utf-8"), package)
    return found


def users() -> list[Module]:
    """Return what may use the library: lectures (with what they show), tools, benchmarks."""
    found = [Module("offered", OFFERED), Module("colab", colab_cell.first_cell(""))]
    for path in sorted((ROOT / "lectures").glob("*/[0-9]*.py")):
        cells = jupytext.read(path, fmt="py:percent").cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        named = [cell.metadata.get(key) for cell in cells for key in ("shows", "builds")]
        code += [f"import {PACKAGE}\n{name}" for name in named if name]
        found.append(Module(path.stem, "\n\n".join(code)))
    for folder in ("tools", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            found.append(Module(f"{folder}.{path.stem}", path.read_text(encoding="utf-8")))
    return found


def unused_names(known: dict[str, Module], using: list[Module]) -> list[str]:
    """Return the public definitions of the library that no user reaches."""
    reached, waiting = set(), set()
    for user in using:
        waiting |= user.references(user.tree)
    for module in known.values():
        for node in module.tree.body:
            loose = isinstance(node, ast.Expr) or (
                isinstance(node, ast.FunctionDef) and node.decorator_list
                and module.name.startswith(f"{PACKAGE}.exercises")
            )  # fmt: skip
            if loose:
                waiting |= module.references(node)
    while waiting:
        target = _resolved(waiting.pop(), known)
        if target is None or target in reached:
            continue
        reached.add(target)
        name, definition = target
        waiting |= known[name].references(known[name].definitions[definition])
    return sorted(
        f"{name}.{definition}"
        for name, module in known.items()
        for definition, node in module.definitions.items()
        if not definition.startswith("_")
        and (name, definition) not in reached
        and not (
            isinstance(node, ast.FunctionDef)
            and node.decorator_list
            and name.startswith(f"{PACKAGE}.exercises")
        )  # fmt: skip
    )


def circles(known: dict[str, Module]) -> list[str]:
    """Return the groups of modules that import one another, and imports inside functions."""
    needs = {}
    for name, module in known.items():
        needs[name] = set()
        for node in ast.walk(module.tree):
            for target in _imported(node):
                while target and target not in known:
                    target = target.rpartition(".")[0]
                if target and target != name and not name.startswith(f"{target}."):
                    needs[name].add(target)
    found = []
    for name in needs:
        for other in needs[name]:
            if name < other and name in _reachable(other, needs):
                found.append(f"{name} and {other} import each other")
    for name, module in known.items():
        for function in ast.walk(module.tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if any(target.startswith(PACKAGE) for target in _imported(node)):
                    found.append(f"{name}.{function.name} imports {ast.unparse(node)!r}")
    return sorted(found)


def _reachable(start, needs):
    seen, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += needs.get(name, ())
    return seen


def _imported(node):
    if isinstance(node, ast.Import):
        return [item.name for item in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{item.name}" for item in node.names]
    return []


def _defined(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return [
            part.id
            for target in targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name)
        ]
    return []


def _dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def _resolved(dotted, known):
    """Return (module, definition) for a dotted name, through what packages import again."""
    for _ in range(5):
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            name, rest = ".".join(parts[:length]), parts[length:]
            if name in known:
                module = known[name]
                break
        else:
            return None
        if rest[0] in module.definitions:
            return name, rest[0]
        if rest[0] not in module.bound:
            return None
        dotted = ".".join([module.bound[rest[0]], *rest[1:]])
    return None
