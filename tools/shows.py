"""Fill a lecture's `shows=` and `builds=` cells with a definition's source."""

import ast
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]


def shown(name: str, root: Path = ROOT) -> str:
    """Return the source of `name`, letter for letter, under a comment that names its file.

    Args:
        name: a definition with its module, such as `course_utils.layers.attention.Attention`;
            `….Attention.call` gives one method, moved to the left margin.
        root: the folder that the module's name starts from.

    Raises:
        ValueError: when there is no such module or no such definition in it.
    """
    path, nodes = _found(name, root)
    return f"# {path.relative_to(root).as_posix()}\n{_source(path, nodes[-1])}"


def built(name: str, root: Path = ROOT, solved: bool = False) -> str:
    """Return the definition that an exercise asks for: signature and docstring, no body.

    Of a class the bodies of all methods are left out; `….Attention.call` gives the class
    without the body of that one method.

    Args:
        name: as for `shown`.
        root: the folder that the module's name starts from.
        solved: True to leave the bodies in.

    Raises:
        ValueError: when there is no such module or no such definition in it.
    """
    path, nodes = _found(name, root)
    outer = nodes[-2] if len(nodes) > 1 and isinstance(nodes[-2], ast.ClassDef) else nodes[-1]
    if solved:
        return f"# {path.relative_to(root).as_posix()}\n{_source(path, outer)}"
    open_ones = [node for node in ast.walk(nodes[-1]) if isinstance(node, ast.FunctionDef)] or [
        nodes[-1]
    ]
    if isinstance(open_ones[0], ast.Assign):
        raise ValueError(f"builds={name!r}: name a function, a class or a method")
    inner = {node for one in open_ones for node in ast.walk(one) if node is not one}
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in sorted(set(open_ones) - inner, key=lambda node: -node.lineno):
        documented = ast.get_docstring(node) is not None
        first = node.body[0].end_lineno if documented else node.body[0].lineno - 1
        stub = " " * node.body[0].col_offset + "...  # your code here"
        lines[first : node.end_lineno] = [stub] + [None] * (node.end_lineno - first - 1)
    kept = lines[_first_line(outer) - 1 : outer.end_lineno]
    return dedent("\n".join(line for line in kept if line is not None))


def _found(name: str, root: Path) -> tuple[Path, list[ast.AST]]:
    """Return the file of a definition, and the definitions that lead to it, itself last."""
    path, inside = _module(name, root)
    node, names, nodes = ast.parse(path.read_text(encoding="utf-8")), [], []
    for part in inside:
        choices = _definitions(node)
        if part not in choices:
            where = ".".join([str(path.relative_to(root)), *names])
            raise ValueError(
                f"{name!r}: {where} defines no {part!r}; it defines {', '.join(choices)}"
            )
        node, names = choices[part], [*names, part]
        nodes.append(node)
    return path, nodes


def _source(path: Path, node: ast.AST) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dedent("\n".join(lines[_first_line(node) - 1 : node.end_lineno]))


def _first_line(node: ast.AST) -> int:
    return min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])


def _module(name: str, root: Path) -> tuple[Path, list[str]]:
    """Return the file of the longest part of `name` that is a module, and what is left over."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        folder = root.joinpath(*parts[:length])
        for path in (folder.with_suffix(".py"), folder / "__init__.py"):
            if path.is_file():
                return path, parts[length:]
    raise ValueError(f"{name!r}: write package.module.definition, of a module that exists")


def _definitions(node: ast.AST) -> dict[str, ast.stmt]:
    """Return the functions, classes and constants that a module or a class defines, by name."""
    found = {}
    for item in getattr(node, "body", []):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[item.name] = item
        elif isinstance(item, ast.Assign):
            found |= {part.id: item for part in item.targets if isinstance(part, ast.Name)}
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = item
    return found
