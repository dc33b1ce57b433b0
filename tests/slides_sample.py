"""Make a small lecture for the tests of the decks, its outputs given instead of executed."""

import base64

from nbformat import v4

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
SQUARE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 40">'
    b'<rect width="40" height="40" fill="#0072B2"/></svg>'
)
SOURCE = f"data:image/svg+xml;base64,{base64.b64encode(SQUARE).decode()}"
DRAWING = f'<img alt="A square" src="{SOURCE}">'


def markdown(source, kind="slide", tags=()):
    """Return a Markdown cell on a slide of the given kind."""
    metadata = {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return v4.new_markdown_cell(source, metadata=metadata)


def code(source, outputs=(), kind="-", tags=()):
    """Return a code cell with outputs."""
    metadata = {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))


def contract():
    """Return what an exercise's slide asks for."""
    metadata = {"slideshow": {"slide_type": "-"}, "tags": ["contract"]}
    asked = '<div class="source"><pre>def double(number):</pre></div>'
    return v4.new_raw_cell(asked, metadata=metadata)


def printed(text):
    """Return what a cell prints, as its output."""
    return v4.new_output("stream", name="stdout", text=text)


def shown(kind, data):
    """Return an output of some MIME type."""
    return v4.new_output("display_data", {kind: data})


def picture(data, alt, width=770, height=350):
    """Return the output of a plot, whose PNG is `data` in base 64."""
    shape = f'width="{width}" height="{height}"'
    return shown("text/html", f'<img alt="{alt}" {shape} src="data:image/png;base64,{data}">')


def drawing(label, size, width):
    """Return the output of a drawing: a label of some size in a box of some width."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 90" width="900" height="90" '
        f'font-family="sans-serif"><rect x="100" y="20" width="{width}" height="50"/>'
        f'<text x="{100 + width / 2}" y="50" font-size="{size}" text-anchor="middle">{label}'
        "</text></svg>"
    )
    source = base64.b64encode(svg.encode()).decode()
    return shown("text/html", f'<img alt="A box" src="data:image/svg+xml;base64,{source}">')


def lecture(*more):
    """Return a lecture in which nothing is wrong, with `more` cells at its end."""
    cells = [
        markdown("# A sample\n\nIt promises *nothing*.", tags=["title"]),
        markdown("Say **hello**; $a_t$ is near 1.", kind="notes"),
        markdown("## The idea\n\n- first $h_t = W x_t$\n- second → third"),
        markdown("- a thought that comes on a key", kind="fragment"),
        markdown("$$\\nabla_U = \\sum_t \\delta_t h_{t-1}^\\top$$", kind="subslide"),
        markdown("## Code"),
        code("shape = (2, 3)\nprint(shape)", [printed("(2, 3)\n")]),
        code("hidden = 1", [shown("text/html", DRAWING)], tags=["hide-input"]),
        code("import os", kind="skip"),
        markdown("## A table\n\n| model | parameters |\n|---|---|\n| SimpleRNN | 430 |"),
        markdown("## Exercise 02.1 · One step\n\n4 minutes"),
        contract(),
        markdown("## Exercise 02.1 · One step: a solution", kind="subslide"),
        code("def double(number):\n    return 2 * number"),
        markdown("It is twice the number.", kind="-", tags=["why"]),
        *more,
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return v4.new_notebook(cells=cells, metadata={"title": "A sample lecture"})
