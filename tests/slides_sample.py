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


def printed(text):
    """Return what a cell prints, as its output."""
    return v4.new_output("stream", name="stdout", text=text)


def shown(kind, data):
    """Return an output of some MIME type."""
    return v4.new_output("display_data", {kind: data})


def picture(data, alt):
    """Return the output of a plot, whose PNG is `data` in base 64."""
    return shown("text/html", f'<img alt="{alt}" src="data:image/png;base64,{data}">')


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
        markdown("## Exercise 1: think", tags=["exercise"]),
        code("def double(number):\n    ...  # your code here", tags=["exercise"]),
        *more,
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return v4.new_notebook(cells=cells, metadata={"title": "A sample lecture"})
