"""Fill a lecture's `shows=` cells with a definition's source, letter for letter."""

import ast
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]


def shown(name: str, root: Path = ROOT) -> str:
    """Return the source of `name` under a comment that names its file.

    Args:
        name: a definition with its module, such as `course_utils.layers.attention.Attention`;
            `….Attention.call` gives one method, moved to the left margin.
        root: the folder that the module's name starts from.

    Raises:
        ValueError: when there is no such module or no such definition in it.
    """
    path, inside = _module(name, root)
    source = path.read_text(encoding="utf-8")
    node, names = ast.parse(source), []
    for part in inside:
        choices = _definitions(node)
        if part not in choices:
            where = ".".join([str(path.relative_to(root)), *names])
            raise ValueError(
                f"shows={name!r}: {where} defines no {part!r}; it defines {', '.join(choices)}"
            )
        node, names = choices[part], [*names, part]
    first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
    lines = source.splitlines()[first - 1 : node.end_lineno]
    return f"# {path.relative_to(root).as_posix()}\n" + dedent("\n".join(lines))


def _module(name: str, root: Path) -> tuple[Path, list[str]]:
    """Return the file of the longest part of `name` that is a module, and what is left over."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        folder = root.joinpath(*parts[:length])
        for path in (folder.with_suffix(".py"), folder / "__init__.py"):
            if path.is_file():
                return path, parts[length:]
    raise ValueError(
        f"shows={name!r}: write package.module.definition, of a module that exists"
    )


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
