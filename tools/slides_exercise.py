"""What slides show of an exercise: its contract, and of its solution what was asked."""

import ast
import inspect
import re
import textwrap
from html import escape

from tools import slides_cells as cells
from tools.shows import ROOT, built

# x_t, h_{t-1}, W_i also in xW_i; not an argument such as embed_dim.
SYMBOL = re.compile(r"((?<![A-Z_])[A-Z]|(?<![^\W_])(?<!_)[^\W\d_])_(\{[^}]+\}|\w)(?!\w)")
POWER = re.compile(r"\^(\{[^}]+\}|\([^)]+\)|-?[\w.]*\w)")
SECTION = re.compile(r"(Args|Returns|Raises|Source|Sources):")
LEFT_OUT = re.compile(r"\s*(Raises ValueError[^.]*\.|Sources?: .*$|# fmt: skip)", re.DOTALL)
CHECKS = ("check", "check_tokens", "one_of", "whole_number")  # what refuses arguments


def contract(name: str) -> str:
    """Return the HTML of what is asked for: signatures, shapes and formulas of the stub."""
    source = built(name, ROOT)
    outer = ast.parse(source).body[-1]
    if not isinstance(outer, ast.ClassDef):
        return _framed(_signature(source, outer), _told(outer))
    head = f"class {outer.name}({', '.join(map(ast.unparse, outer.bases))}):"
    asked = _asked(outer, name)
    if len(asked) == 1:
        [one] = asked
        documented = ast.get_docstring(one) is not None
        told = _told(outer, brief=documented) + (_told(one) if documented else "")
        return _framed(f"{head}\n    {_signature(source, one, 4)}", told)
    parts = [_framed(head, _told(outer, brief=True))]
    parts += [_framed(_signature(source, one), _told(one)) for one in asked]
    return "".join(parts)


def solution(name: str, later: str = "") -> str:
    """Return what the student had to write, without docstrings and checks of arguments.

    later: words of the cases (`if`) that the exercise does not ask for.
    """
    source = built(name, ROOT, solved=True)
    outer = ast.parse(source).body[-1]
    asked = _asked(outer, name) if isinstance(outer, ast.ClassDef) else [outer]
    return "\n\n".join(_body(source, one, later.split()) for one in asked)


def _asked(outer: ast.ClassDef, name: str) -> list[ast.FunctionDef]:
    """Return the methods of a class that are left open: the named one, or all."""
    methods = [one for one in outer.body if isinstance(one, ast.FunctionDef)]
    return [one for one in methods if one.name == name.rpartition(".")[2]] or methods


def _signature(source: str, node: ast.FunctionDef, indent: int = 0) -> str:
    rows = source.splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
    whole = " ".join(LEFT_OUT.sub("", " ".join(rows)).split())
    whole = whole.replace("( ", "(").replace(", )", ")").replace(",)", ")")
    start = " " * (indent + whole.index("(") + 1)
    return "\n".join(textwrap.wrap(whole, cells.WIDEST - indent, subsequent_indent=start))


def _body(source: str, node: ast.FunctionDef, later: list[str]) -> str:
    first = node.body[0].end_lineno if ast.get_docstring(node) else node.body[0].lineno - 1
    hidden = [one for one in node.body if _refuses(one) or _decides(one, later)]
    left_out = {row for one in hidden for row in range(one.lineno, one.end_lineno + 1)}
    rows = source.splitlines()
    kept = rows[node.lineno - 1 : node.body[0].lineno - 1]
    kept += [
        rows[row - 1] for row in range(first + 1, node.end_lineno + 1) if row not in left_out
    ]
    return re.sub(r"(:\n)\n+", r"\1", textwrap.dedent("\n".join(kept)))


def _refuses(node: ast.stmt) -> bool:
    """Whether a statement only refuses arguments, or only sets the type of one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).removeprefix("self.") in CHECKS
    if isinstance(node, ast.Assign):
        return re.match(r"(\w+) = ops.cast\(\1,", ast.unparse(node)) is not None
    return isinstance(node, ast.If) and [type(one) for one in node.body] == [ast.Raise]


def _decides(node: ast.stmt, words: list[str]) -> bool:
    """Whether a statement is a case of which one of these words speaks."""
    return isinstance(node, ast.If) and any(word in ast.unparse(node.test) for word in words)


def _framed(signature: str, told: str) -> str:
    return f"{cells.code(signature)}{told}"


def _told(node: ast.ClassDef | ast.FunctionDef, brief: bool = False) -> str:
    """Return a docstring as HTML; in brief, its first paragraph and its formulas."""
    parts, blocks = [], re.split(r"\n\s*\n", inspect.cleandoc(ast.get_docstring(node) or ""))
    for number, block in enumerate(blocks):
        found = SECTION.match(block)
        kind = found[1] if found else ""
        formula = block.startswith("    ")
        if isinstance(node, ast.ClassDef) or not kind:
            block = LEFT_OUT.sub("", block)
        if kind.startswith("Source") or block.startswith("Lab "):
            continue
        if brief and number and not formula:
            continue
        if formula:
            rows = [re.sub(" {4,}", "\u2003", row.strip()) for row in block.splitlines()]
            parts.append(f'<p class="formula">{"<br>".join(map(_typeset, rows))}</p>')
            continue
        rest = block[found.end() :] if found else block
        if not rest.strip():
            continue
        if kind == "Args":
            entries = re.split(r"\n {4}(?! )", rest)[1:]
            parts += [f"<p>{_typeset(_argument(one))}</p>" for one in entries]
        else:
            label = f"<b>{kind}:</b> " if kind else ""
            parts.append(f"<p>{label}{_typeset(rest)}</p>")
    return "\n".join(parts)


def _argument(entry: str) -> str:
    """Mark the names that an entry of Args begins with."""
    return re.sub(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?=:)", r"`\1`", entry)


def _typeset(text: str) -> str:
    """Return a docstring's words as HTML: code in backticks, subscripts as subscripts."""
    pieces = re.split(r"`([^`]+)`", " ".join(text.split()))
    for place, piece in enumerate(pieces):
        piece = escape(piece, quote=False)
        if place % 2:
            pieces[place] = f"<code>{piece}</code>"
        else:
            piece = SYMBOL.sub(lambda m: f"{m[1]}<sub>{m[2].strip('{}')}</sub>", piece)
            piece = POWER.sub(lambda m: f"<sup>{m[1].strip('{()}')}</sup>", piece)
            pieces[place] = re.sub(r"\*(\w[^*]*\w)\*", r"<em>\1</em>", piece)
    return "".join(pieces)
