"""Cut a lecture down to what one statement needs: to record a single model again."""

import ast
import symtable

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell


def cut_down(notebook: NotebookNode, statement: str) -> NotebookNode:
    """Return the notebook with two code cells: what the statement needs, and the statement.

    What it needs are the imports, definitions and assignments of the names that it uses, of
    those that these use, and so on; of several assignments to a name the last one before its
    use. Loops and bare calls are left out.
    """
    code = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    body = ast.parse(code).body
    try:
        wanted = used(statement)
    except SyntaxError as error:
        raise ValueError(f"{statement!r} is no Python: {error}") from None
    bindings = {}
    for place, node in enumerate(body):
        for name in bound(node):
            bindings.setdefault(name, []).append(place)
    known = sorted(wanted & set(bindings))
    if not known:
        raise ValueError(f"{statement!r} uses nothing that the lecture defines")
    chosen, open_names = set(), [(name, len(body)) for name in known]
    while open_names:
        name, before = open_names.pop()
        places = bindings.get(name, [])
        earlier = [place for place in places if place < before]
        place = max(earlier) if earlier else min(places, default=None)
        if place is None or place in chosen:
            continue
        chosen.add(place)
        node = body[place]
        open_names += [(needed, place) for needed in used(ast.unparse(node))]
        if isinstance(node, ast.AugAssign):
            open_names.append((name, place))
    needed = "\n\n".join(ast.unparse(body[place]) for place in sorted(chosen))
    notebook.cells = [new_code_cell(text) for text in (needed, statement)]
    return notebook


def bound(node: ast.stmt) -> set[str]:
    """The names that a statement at the top level binds; none for loops and conditions."""
    if isinstance(node, ast.For | ast.While | ast.If | ast.Try | ast.Expr):
        return set()
    symbols = symtable.symtable(ast.unparse(node), "lecture", "exec").get_symbols()
    return {one.get_name() for one in symbols if one.is_assigned() or one.is_imported()}


def used(code: str) -> set[str]:
    """The global names that some code reads, inside its functions too."""
    top = symtable.symtable(code, "lecture", "exec")
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    tables = list(top.get_children())
    for table in tables:  # which grows by what is inside
        in_class = isinstance(table, symtable.Class)  # there `f = g(f)` reads a global f
        for symbol in table.get_symbols():
            if symbol.is_global() or (in_class and symbol.is_referenced()):
                names.add(symbol.get_name())
        tables += table.get_children()
    return names
