"""What must be true of every lecture's notebook; each rule returns what breaks it."""

import ast
import re
from pathlib import Path
from statistics import median

from nbformat import NotebookNode

from tools.closure import code_of
from tools.shows import ROOT

SLIDE_TYPES = ("slide", "subslide", "fragment", "-", "notes", "skip")
TAGS = {
    "answers-prediction",
    "check",
    "exercise",
    "headline",
    "hide-input",
    "nbval-check-output",
    "no-output",
    "raises-exception",
    "small-code",
    "title",
}
MACHINE = re.compile(
    rf"{re.escape(str(ROOT))}|{re.escape(str(Path.home()))}/|/home/|/Users/|/tmp/|ipykernel_"
    r"|site-packages|\bat 0x[0-9a-f]{6,}"
)
RECORDS = re.compile(r"results\.load|recorded\(|\d ± \d")
EMBEDDED = re.compile(r"data:image/[^\"]*")
TIMING = re.compile(
    r"\d+ ?(?:ms|s|us|µs)/(?:step|epoch|sample)|\d+(?:\.\d+)?it/s|ETA:|Wall time"
)


def named(cell: NotebookNode) -> str:
    """Return how a message names a cell: its id, and its first line, which an editor finds."""
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    return f"cell {cell.id} ({first[:60].strip()})"


def metadata(notebook: NotebookNode) -> list[str]:
    """Every cell says what it is on a slide, with known tags; one cell prints the headline."""
    found = []
    for cell in notebook.cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") not in SLIDE_TYPES:
            found.append(
                f'{named(cell)} has no slide_type: slideshow={{"slide_type": …}} says '
                f"one of {', '.join(SLIDE_TYPES)}"
            )
        unknown = set(cell.metadata.get("tags", [])) - TAGS
        if unknown:
            found.append(
                f"{named(cell)} has unknown tags {sorted(unknown)}; known are "
                f"{', '.join(sorted(TAGS))}"
            )
    tagged = [cell.id for cell in notebook.cells if "headline" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        found.append(f"one cell should be tagged headline, but {len(tagged)} are: {tagged}")
    if "title" not in notebook.cells[0].metadata.get("tags", []):
        found.append("the first cell should be tagged title")
    return found


def style(notebook: NotebookNode) -> list[str]:
    """Cells are short, and there is more text than code."""
    found, lengths, words, code = [], [], 0, 0
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
            found.append(f"{named(cell)} has {len(lines)} lines; at most 30")
        wide = [line for line in lines if len(line) > 96]
        found += [f"{named(cell)} has a line of more than 96 columns: {line}" for line in wide]
    if median(lengths) > 8:
        found.append(f"half of the cells have more than 8 lines (median {median(lengths)})")
    if words < 8 * code:
        found.append(f"{words} words for {code} lines of code; 8 words a line at least")
    return found


def executed(notebook: NotebookNode) -> list[str]:
    """Every code cell ran, in order, without stderr, and raised where it should alone."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        if cell.execution_count != number:
            found.append(f"{named(cell)} should be number {number}, not {cell.execution_count}")
        shown = _shown(cell)
        found += [
            f"{named(cell)} wrote to stderr: {output.text}"
            for output in shown
            if output.output_type == "stream" and output.name == "stderr"
        ]
        raised = [f"{one.ename}: {one.evalue}" for one in shown if one.output_type == "error"]
        expected = "raises-exception" in cell.metadata.get("tags", [])
        if bool(raised) != expected:
            said = raised[0] if raised else "nothing, though it is tagged raises-exception"
            found.append(f"{named(cell)} raised {said}")
    return found


def reproducible(notebook: NotebookNode) -> list[str]:
    """No output names this machine or how long something took live."""
    found = []
    for cell in notebook.cells:
        for text in _texts(cell):
            for pattern, what in ((MACHINE, "the machine"), (TIMING, "a live timing")):
                match = pattern.search(text)
                if match:
                    found.append(f"{named(cell)} shows {what}: {match[0]}")
    return found


def alternative_texts(notebook: NotebookNode) -> list[str]:
    """Every picture says what it shows, to those who cannot see it."""
    found = []
    for cell in notebook.cells:
        for output in _shown(cell):
            kinds = output.get("data", {})
            for kind in ("image/png", "image/jpeg", "image/svg+xml"):
                if kind in kinds:
                    found.append(
                        f"{named(cell)} shows a picture as {kind}, whose alternative text no "
                        "page gives; show it by cu.plotting.show(drawing, alt) or, of "
                        "drawings/, by cu.figures.show(name)"
                    )
        markup = "".join([cell.source if cell.cell_type == "markdown" else "", *_html(cell)])
        for picture in re.findall(r"<img\b[^>]*>", markup):
            if not re.search(r"\balt=[\"'][^\"']+", picture):
                found.append(f'{named(cell)} has an <img> without alt text; write alt="…"')
        if re.search(r"!\[\s*\]\(", markup):
            found.append(
                f"{named(cell)} has a Markdown picture without alt text; say in its brackets "
                "what it shows"
            )
    return found


def plotted(notebook: NotebookNode) -> list[str]:
    """No slide shows recorded runs as a table alone: an audience sees a spread, not digits."""
    slides = [[]]
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("slide", "subslide"):
            slides.append([])
        if kind not in ("skip", "notes"):
            slides[-1].append(cell)
    found = []
    for cells in slides:
        texts = {cell.id: cell.source + "".join(_html(cell)) for cell in cells}
        if any("<img" in text for text in texts.values()):
            continue
        found += [
            f"cell {name} shows a slide with a table of records; draw dots or curves"
            for name, text in texts.items()
            if "<table" in text and RECORDS.search(text)
        ]
    return found


def full_precision(notebook: NotebookNode) -> list[str]:
    """A cell that computes in full float32 also builds its layers so: they keep their dtype."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type != "code" or "with cu.full_precision()" not in cell.source:
            continue
        tree = ast.parse(cell.source)
        blocks = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.With)
            and any(ast.unparse(item) == "cu.full_precision()" for item in node.items)
        ]
        inside = {part for block in blocks for part in ast.walk(block)}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and call not in inside:
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                if name[:1].isupper():
                    what = ast.unparse(call.func)
                    found.append(
                        f"{named(cell)} builds {what} outside of `with cu.full_precision()`"
                    )
    return found


def _shown(cell: NotebookNode) -> list[NotebookNode]:
    """What a cell shows on a slide, where the answer to a prediction is not hidden."""
    return cell.metadata.get("answer", cell.get("outputs", []))


def _html(cell: NotebookNode) -> list[str]:
    shown = [one.get("data", {}) for one in _shown(cell)]
    return [data["text/html"] for data in shown if "text/html" in data]


def _texts(cell: NotebookNode) -> list[str]:
    texts = []
    for output in cell.get("outputs", []):
        texts += [output.get("text", ""), output.get("evalue", "")]
        data = output.get("data", {})
        # The bytes of a picture may spell anything.
        texts += [EMBEDDED.sub("", str(text)) for text in data.values()]
    return texts
