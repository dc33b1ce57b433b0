"""Render a lecture's cells as the HTML of slides: text, maths, code and outputs."""

import ast
import base64
import re
import subprocess
import sys
import textwrap
from html import escape

from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_utils import explore, plotting
from tools import slides_npm
from tools.source import DRAWN

LABEL = 16  # pixels of 720 that a label in a figure has at least
WIDEST = 87  # characters that fit on a slide at the size of code
PLACE = "\ue000{}\ue001"  # stands for a formula until all of a deck are typeset at once


class Formulas:
    """The formulas of a deck, in the order of their places in its text."""

    def __init__(self):
        self.found: list[tuple[str, bool]] = []

    def place(self, tex: str, display: bool) -> str:
        """Keep a formula and return what stands for it in the meantime."""
        self.found.append((tex.strip(), display))
        return PLACE.format(len(self.found) - 1)

    def filled(self, html: str) -> tuple[str, list[str]]:
        """Return `html` with every formula in its place, and what is wrong in their TeX."""
        set_ones = slides_npm.typeset(self.found)
        both = zip(set_ones, self.found, strict=True)
        errors = [f"{one['error']} in {tex!r}" for one, (tex, _) in both if one["error"]]
        filled = re.sub(PLACE.format(r"(\d+)"), lambda m: set_ones[int(m[1])]["html"], html)
        return filled, errors


class _Renderer(IPythonRenderer):
    def __init__(self, formulas):
        super().__init__(escape=False, exclude_anchor_links=True)
        self.formulas = formulas

    def inline_math(self, body):
        return self.formulas.place(body, display=False)

    def block_math(self, body):
        return self.formulas.place(body, display=True)

    def latex_environment(self, name, body):
        return self.formulas.place(rf"\begin{{{name}}}{body}\end{{{name}}}", display=True)


def markdown(source: str, formulas: Formulas) -> str:
    """Render Markdown; its formulas go to `formulas`."""
    return MarkdownWithMath(renderer=_Renderer(formulas)).render(source)


def code(source: str) -> str:
    """Render Python with highlighting; what is too wide for a slide is broken into lines."""
    source = narrow(source)
    return highlight(source, PythonLexer(), HtmlFormatter(cssclass="source"))


def narrow(source: str) -> str:
    """Break lines of code that are too wide for a slide, as ruff does; comments come first."""
    rows = [part for row in source.splitlines() for part in _comment(row)]
    if max(map(len, rows), default=0) <= WIDEST:
        return "\n".join(rows)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    command += ["--line-length", str(WIDEST)]
    given = {"input": "\n".join(rows), "encoding": "utf-8"}
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, **given).stdout.rstrip()


def _comment(row):
    """A line that is too wide: its comment, in as many lines as it needs, and its code."""
    found = re.match(r"( *)(.*?)(# .*)$", row) if len(row) > WIDEST else None
    if not found or not (found[2] == "" or found[2].endswith("  ")):
        return [row]
    indent, code, comment = found.groups()
    wrapped = textwrap.wrap(comment, WIDEST - len(indent), subsequent_indent="# ")
    return [*(indent + line for line in wrapped), *([indent + code.rstrip()] if code else [])]


def brief(source: str) -> str:
    """Keep of each docstring the first line only: the rest is for readers of the notebook."""
    lines = source.splitlines()
    defined = [one for one in ast.walk(ast.parse(source)) if hasattr(one, "name")]
    for one in sorted(defined, key=lambda one: -one.lineno):
        if not ast.get_docstring(one):
            continue
        first, last = one.body[0].lineno - 1, one.body[0].end_lineno
        if last - first > 1 or len(lines[first]) > WIDEST:
            kept = lines[first].rstrip().removesuffix('"""')
            indent = kept[: len(kept) - len(kept.lstrip())]
            lines[first:last] = textwrap.wrap(f'{kept}"""', WIDEST, subsequent_indent=indent)
    return "\n".join(lines)


def cell(node: NotebookNode, formulas: Formulas) -> str:
    """Render one cell: its text, or its code (unless tagged hide-input) and its outputs.

    Of text tagged `lead` the first paragraph is for the slide, and of a cell tagged
    `slide-output` what it prints; the rest is for those who read the notebook.
    """
    tags = node.metadata.get("tags", [])
    if "lead" in tags:
        inner = markdown(
            re.match(r"(#[^\n]*\n\n)?.*?(?=\n\n|$)", node.source, re.S)[0], formulas
        )
    elif node.cell_type == "markdown":
        inner = markdown(node.source, formulas)
    elif node.cell_type == "raw":
        inner = node.source
    else:
        # The line that fetches a drawing is for those who read the notebook.
        hidden = {"hide-input", "slide-output"} & set(tags) or DRAWN.fullmatch(
            node.source.strip()
        )
        source = brief(node.source) if "shows" in node.metadata else node.source
        shown = "" if hidden else code(re.sub(r"\n{3,}", "\n\n", source))
        outputs = "".join(output(one, formulas) for one in joined(node.outputs))
        if "answers-prediction" in tags:
            outputs = f'<div class="fragment">{outputs}</div>'
        inner = shown + outputs
        tags = [*tags, "hide-input"] if hidden and "hide-input" not in tags else tags
    classes = " ".join(["cell", node.cell_type, *tags])
    return f'<div class="{classes}" data-cell="{node.id}">{inner}</div>\n'


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join what a cell printed in several pieces."""
    pieces = []
    for one in outputs:
        if pieces and pieces[-1].output_type == one.output_type == "stream":
            one = NotebookNode(one, text=pieces.pop().text + one.text)
        pieces.append(one)
    return pieces


def output(node: NotebookNode, formulas: Formulas) -> str:
    """Render an output in the best form that it has."""
    if node.output_type == "stream":
        return _text(node.text)
    if node.output_type == "error":
        message = strip_ansi(f"{node.ename}: {node.evalue}")
        return f'<pre class="output error">{escape(message)}</pre>\n'
    data = node.data
    if data.get("text/html", "").startswith("<img "):
        return figure(data["text/html"])
    if explore.MARK in data.get("text/html", ""):
        # On paper its picture stands, of which the page must know how small it may become.
        return re.sub("<img [^>]*>", lambda found: figure(found[0]), data["text/html"], count=1)
    if "text/html" in data:
        return f'<div class="output html">{data["text/html"]}</div>\n'
    if "text/markdown" in data:
        return f'<div class="output">{markdown(data["text/markdown"], formulas)}</div>\n'
    return _text(data.get("text/plain", ""))


def figure(image: str) -> str:
    """Frame a plot or drawing, with the scale from which on its labels can be read."""
    drawing = re.search(r"data:image/svg\+xml;base64,([^\"]*)", image)
    kind, smallest = "plot", plotting.LETTERS * plotting.PIXELS / 72
    if drawing:
        sizes = re.findall(
            r'<text[^>]* font-size="([\d.]+)"', base64.b64decode(drawing[1]).decode()
        )
        kind, smallest = "drawing", min(map(float, sizes), default=LABEL)
    return f'<figure class="{kind}" data-legible="{LABEL / smallest:.3f}">{image}</figure>\n'


def _text(text):
    return f'<pre class="output">{escape(strip_ansi(text).rstrip())}</pre>\n' if text else ""
