"""What must be true of every lecture's notebook; each rule returns what breaks it."""

import ast
import functools
import re
from pathlib import Path
from statistics import median

from nbformat import NotebookNode

from tools.closure import code_of
from tools.shows import ROOT

SLIDE_TYPES = ("slide", "subslide", "fragment", "-", "notes", "skip")
TAGS = set(
    "answers-prediction check exercise headline hide-input lead nbval-check-output no-output "
    "raises-exception slide-output title".split()
)
MACHINE = re.compile(
    rf"{re.escape(str(ROOT))}|{re.escape(str(Path.home()))}/|/home/|/Users/|/tmp/|ipykernel_"
    r"|site-packages|\bat 0x[0-9a-f]{6,}"
)
RECORDS = re.compile(r"results\.load|recorded\(|\d ± \d")
EMBEDDED = re.compile(r"data:image/[^\"]*")
TIMING = re.compile(
    r"\d+ ?(?:ms|s|us|µs)/(?:step|epoch|sample)|\d+(?:\.\d+)?it/s|ETA:|Wall time"
)


def _rule(finds):
    """Let a rule that yields faults return them as a list."""
    return functools.wraps(finds)(lambda notebook: list(finds(notebook)))


def named(cell: NotebookNode) -> str:
    """Return how a message names a cell: its id, and its first line, which an editor finds."""
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    return f"cell {cell.id} ({first[:60].strip()})"


@_rule
def metadata(notebook):
    """Every cell says what it is on a slide, with known tags; one cell prints the headline."""
    for cell in notebook.cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") not in SLIDE_TYPES:
            known = ", ".join(SLIDE_TYPES)
            yield f'{named(cell)} has no slide_type: slideshow={{"slide_type": …}} says {known}'
        if unknown := sorted(set(cell.metadata.get("tags", [])) - TAGS):
            known = ", ".join(sorted(TAGS))
            yield f"{named(cell)} has unknown tags {unknown}; known are {known}"
    tagged = [cell.id for cell in notebook.cells if "headline" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        yield f"one cell should be tagged headline, but {len(tagged)} are: {tagged}"
    if "title" not in notebook.cells[0].metadata.get("tags", []):
        yield "the first cell should be tagged title"


@_rule
def style(notebook):
    """Cells are short, and there is more text than code."""
    lengths, words, code = [], 0, 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
        if cell.cell_type != "code" or cell.id == "colab" or "shows" in cell.metadata:
            continue
        # Of an exercise the text is the docstring.
        source = code_of(cell.source) if "builds" in cell.metadata else cell.source
        lines = source.splitlines()
        lengths.append(len(lines))
        code += sum(bool(line.strip()) for line in lines)
        if len(lines) > 30:
            yield f"{named(cell)} has {len(lines)} lines; at most 30"
        for line in lines:
            if len(line) > 96:
                yield f"{named(cell)} has a line of more than 96 columns: {line}"
    if median(lengths) > 8:
        yield f"half of the cells have more than 8 lines (median {median(lengths)})"
    if words < 8 * code:
        yield f"{words} words for {code} lines of code; 8 words a line at least"


@_rule
def executed(notebook):
    """Every code cell ran, in order, without stderr, and raised where it should alone."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        if cell.execution_count != number:
            yield f"{named(cell)} should be number {number}, not {cell.execution_count}"
        raised = "nothing, though it is tagged raises-exception"
        for output in _shown(cell):
            if output.output_type == "stream" and output.name == "stderr":
                yield f"{named(cell)} wrote to stderr: {output.text}"
            if output.output_type == "error":
                raised = f"{output.ename}: {output.evalue}"
        expected = "raises-exception" in cell.metadata.get("tags", [])
        if expected == raised.startswith("nothing,"):
            yield f"{named(cell)} raised {raised}"


@_rule
def reproducible(notebook):
    """No output names this machine or how long something took live."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            texts = [output.get("text", ""), output.get("evalue", "")]
            texts += map(str, output.get("data", {}).values())
            # The bytes of a picture may spell anything.
            said = EMBEDDED.sub("", "\n".join(texts))
            for pattern, what in ((MACHINE, "the machine"), (TIMING, "a live timing")):
                if match := pattern.search(said):
                    yield f"{named(cell)} shows {what}: {match[0]}"


@_rule
def alternative_texts(notebook):
    """Every picture says what it shows, to those who cannot see it."""
    for cell in notebook.cells:
        for kind in {kind for output in _shown(cell) for kind in output.get("data", {})}:
            if kind.startswith("image/"):
                yield (
                    f"{named(cell)} shows a picture as {kind}, whose alternative text no "
                    "page gives; show it by cu.plotting.show(drawing, alt) or, of "
                    "drawings/, by cu.figures.show(name)"
                )
        markup = _html(cell) + (cell.source if cell.cell_type == "markdown" else "")
        for picture in re.findall(r"<img\b[^>]*>", markup):
            if not re.search(r"\balt=[\"'][^\"']+", picture):
                yield f'{named(cell)} has an <img> without alt text; write alt="…"'
        if re.search(r"!\[\s*\]\(", markup):
            yield f"{named(cell)} has a Markdown picture without alt text: ![what it shows](…)"


@_rule
def plotted(notebook):
    """No slide shows recorded runs as a table alone: an audience sees a spread, not digits."""
    slides = [[]]
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("slide", "subslide"):
            slides.append([])
        if kind not in ("skip", "notes"):
            slides[-1].append((cell.id, cell.source + _html(cell)))
    for cells in slides:
        if not any("<img" in text for _, text in cells):
            for name, text in cells:
                if "<table" in text and RECORDS.search(text):
                    yield f"cell {name} shows records as a table alone; draw dots or curves"


@_rule
def full_precision(notebook):
    """A cell that computes in full float32 also builds its layers so: they keep their dtype."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or "with cu.full_precision()" not in cell.source:
            continue
        nodes = list(ast.walk(ast.parse(cell.source)))
        blocks = [one for one in nodes if isinstance(one, ast.With)]
        blocks = [one for one in blocks if "cu.full_precision()" in map(ast.unparse, one.items)]
        inside = {part for block in blocks for part in ast.walk(block)}
        for call in nodes:
            if isinstance(call, ast.Call) and call not in inside:
                what = ast.unparse(call.func)
                if what.rpartition(".")[2][:1].isupper():
                    yield f"{named(cell)} builds {what} outside of `with cu.full_precision()`"


def _shown(cell: NotebookNode) -> list[NotebookNode]:
    """What a cell shows on a slide, where the answer to a prediction is not hidden."""
    return cell.metadata.get("answer", cell.get("outputs", []))


def _html(cell: NotebookNode) -> str:
    return "".join(output.get("data", {}).get("text/html", "") for output in _shown(cell))
