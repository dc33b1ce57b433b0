"""Fill a lecture's `shows=` and `builds=` cells with a definition's source."""

import ast
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
STUB = "...  # your code here"


def shown(name: str, root: Path = ROOT) -> str:
    """Return the source of `name`, letter for letter, under a comment that names its file.

    Args:
        name: a definition with its module, such as `course_utils.layers.attention.Attention`;
            `….Attention.call` gives one method, moved to the left margin.
        root: the folder that the module's name starts from.
    """
    path, nodes = _found(name, root)
    return _source(path, nodes[-1], root)


def built(name: str, root: Path = ROOT, solved: bool = False) -> str:
    """Return the definition that an exercise asks for: signature and docstring, no body.

    Of a class the bodies of all methods are left out; `….Attention.call` gives the class
    without the body of that one method. Where it is solved, the bodies stay in.
    """
    path, nodes = _found(name, root)
    if solved:
        return _source(path, nodes[-2:][0], root)
    return _changed(path, nodes, lambda body, indent: [indent + STUB])


def marked(name: str) -> str:
    """Return the solution of an exercise, in nbgrader's marks what `built` leaves out."""
    begin, end = "### BEGIN SOLUTION", "### END SOLUTION"
    return _changed(
        *_found(name, ROOT), lambda body, indent: [indent + begin, *body, indent + end]
    )


def _changed(path, nodes, change):
    """A definition, or the class of a method, with other lines for the bodies asked for."""
    outer, asked = nodes[-2:][0], nodes[-1]
    methods = [one for one in asked.body if isinstance(one, ast.FunctionDef)]
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in reversed(methods if isinstance(asked, ast.ClassDef) else [asked]):
        documented = ast.get_docstring(node) is not None
        first = node.body[0].end_lineno if documented else node.body[0].lineno - 1
        body = lines[first : node.end_lineno]
        text = "\n".join(change(body, " " * node.body[0].col_offset))
        lines[first : node.end_lineno] = [text] + [None] * (len(body) - 1)
    kept = lines[_first_line(outer) - 1 : outer.end_lineno]
    return dedent("\n".join(line for line in kept if line is not None))


def _found(name: str, root: Path) -> tuple[Path, list[ast.AST]]:
    """Return the file of a definition, and the definitions that lead to it, itself last."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        folder = root.joinpath(*parts[:length])
        files = [folder.with_suffix(".py"), folder / "__init__.py"]
        if path := next(filter(Path.is_file, files), None):
            break
    else:
        raise ValueError(f"{name!r}: write package.module.definition, of a module that exists")
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    for part in parts[length:]:
        choices = _definitions(nodes[-1])
        if part not in choices:
            known = ", ".join(choices)
            raise ValueError(f"{name!r}: there is no {part!r} in {path}; there is {known}")
        nodes.append(choices[part])
    return path, nodes[1:]


def _source(path: Path, node: ast.AST, root: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    source = dedent("\n".join(lines[_first_line(node) - 1 : node.end_lineno]))
    return f"# {path.relative_to(root).as_posix()}\n{source}"


def _first_line(node: ast.AST) -> int:
    return min(one.lineno for one in [node, *getattr(node, "decorator_list", [])])


def _definitions(node: ast.AST) -> dict[str, ast.stmt]:
    """Return the functions, classes and constants that a module or a class defines, by name."""
    found = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.ClassDef):
            found[item.name] = item
        elif isinstance(item, ast.Assign):
            found |= {part.id: item for part in item.targets if isinstance(part, ast.Name)}
    return found
