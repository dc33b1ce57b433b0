"""Each rule of tools/rules.py finds the fault that it is there for."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import rules

EXACT = "with cu.full_precision():\n    layer(x)"
SLIDE = {"slideshow": {"slide_type": "slide"}}


@pytest.fixture
def notebook():
    """A notebook that keeps every rule."""
    plot = '<img alt="a curve" src="data:image/png;base64,9/home/3ms/step">'
    outputs = [
        new_output("stream", name="stdout", text="accuracy 0.75 after 12 s an epoch\n"),
        new_output("display_data", {"text/html": plot}),
        new_output("display_data", {"text/html": '<table><img alt="a bar" src="x"></table>'}),
    ]
    inside = "with cu.full_precision():\n    layers.Dense(2)(x)" + "\n" * 40
    error = new_output("error", ename="OSError", evalue="gone", traceback=[])
    raising = SLIDE | {"shows": "a.b", "tags": ["raises-exception"]}
    cells = [
        new_markdown_cell("# Title\n" + "word " * 40, metadata=SLIDE | {"tags": ["title"]}),
        new_code_cell("1\n2", metadata=SLIDE, execution_count=1, outputs=outputs),
        new_code_cell(inside, metadata=raising, execution_count=2, outputs=[error]),
        new_code_cell("3", metadata=SLIDE | {"tags": ["headline"]}, execution_count=3),
    ]
    return new_notebook(cells=cells)


def output(kind, **content):
    return lambda notebook: notebook.cells[1].outputs.append(new_output(kind, **content))


def printed(text):
    return output("stream", name="stdout", text=text)


def shown(kind, data):
    return output("display_data", data={kind: data})


def changed(index, **content):
    return lambda notebook: notebook.cells[index].update(content)


def marked(index, **metadata):
    return lambda notebook: notebook.cells[index].metadata.update(metadata)


def tabled(text, figures):
    table = new_output("display_data", {"text/html": f"<table><td>{figures}</td></table>"})
    return lambda notebook: notebook.cells[3].update(source=text, outputs=[table])


FAULTS = [
    (rules.metadata, marked(1, slideshow={"slide_type": "slid"}), "slide_type"),
    (rules.metadata, marked(1, tags=["nbval-chek-output"]), "unknown tags"),
    (rules.metadata, marked(1, tags=["headline"]), "2 are"),
    (rules.metadata, marked(3, tags=[]), "0 are"),
    (rules.metadata, marked(0, tags=[]), "tagged title"),
    (rules.style, changed(1, source="\n".join(["1"] * 31)), "at most 30"),
    (rules.style, changed(1, source="x" * 97), "96 columns"),
    (rules.style, changed(1, source="\n".join(["1"] * 16)), "median"),
    (rules.style, changed(0, source="word " * 23), "23 words for 3 lines"),
    (rules.executed, changed(1, execution_count=None), "number 1"),
    (rules.executed, changed(3, execution_count=9), "number 3"),
    (rules.executed, output("stream", name="stderr", text="careful"), "stderr: careful"),
    (rules.executed, output("error", ename="OSError", evalue="", traceback=[]), "OSError"),
    (rules.reproducible, printed("saved in /tmp/x"), "machine: /tmp/"),
    (rules.reproducible, printed(f"read {rules.ROOT}"), "machine"),
    (rules.reproducible, shown("text/plain", "<f at 0x7f31d0c2a>"), "machine: at 0x"),
    (rules.reproducible, printed("12/12 - 3ms/step"), "timing: 3ms/step"),
    (rules.reproducible, printed("12s/epoch"), "timing: 12s/epoch"),
    (rules.full_precision, changed(1, source=f"layers.Dense(2)\n{EXACT}"), "Dense outside"),
    (rules.full_precision, changed(1, source=f"with z:\n Dense(2)\n{EXACT}"), "Dense outside"),
    (rules.alternative_texts, shown("image/png", "…"), "as image/png"),
    (rules.alternative_texts, shown("image/svg+xml", "<svg><g/></svg>"), "as image/svg+xml"),
    (rules.alternative_texts, shown("text/html", '<img src="x">'), "<img>"),
    (rules.alternative_texts, changed(0, source="![](x.png)"), "Markdown picture"),
    (rules.plotted, tabled("1", "0.7 ± 0.1"), "records as a table"),
    (rules.plotted, tabled("cu.results.load('a')", "0.7"), "records as a table"),
]


@pytest.mark.parametrize(
    ("rule", "plant", "word"), FAULTS, ids=[f"{f[0].__name__}-{f[2]}" for f in FAULTS]
)
def test_planted_fault_is_found(notebook, rule, plant, word):
    assert rule(notebook) == []
    plant(notebook)
    found = rule(notebook)
    assert any(word in fault for fault in found), found
