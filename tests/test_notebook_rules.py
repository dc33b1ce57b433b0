"""Each rule of tools/rules.py finds the fault that it is there for."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import rules

PRECISE = "with cu.full_precision():\n    layer(x)"
SLIDE = {"slideshow": {"slide_type": "slide"}}


@pytest.fixture
def notebook():
    """A notebook that keeps every rule."""
    outputs = [
        new_output("stream", name="stdout", text="accuracy 0.75 after 12 s an epoch\n"),
        new_output(
            "display_data", {"image/png": "…"}, metadata={"image/png": {"alt": "a curve"}}
        ),
        new_output("display_data", {"text/html": '<table><img alt="a bar" src="x"></table>'}),
    ]
    return new_notebook(
        cells=[
            new_markdown_cell("# Title\n" + "word " * 40, metadata=SLIDE | {"tags": ["title"]}),
            new_code_cell("1\n2", metadata=SLIDE, execution_count=1, outputs=outputs),
            new_code_cell("\n" * 40, metadata=SLIDE | {"shows": "a.b"}, execution_count=2),
            new_code_cell("3", metadata=SLIDE | {"tags": ["headline"]}, execution_count=3),
        ]
    )


def output(kind, **content):
    return lambda notebook: notebook.cells[1].outputs.append(new_output(kind, **content))


def printed(text):
    return output("stream", name="stdout", text=text)


def shown(kind, data):
    return output("display_data", data={kind: data})


def source(index, text):
    return lambda notebook: notebook.cells[index].update(source=text)


def tabled(text, figures):
    table = new_output("display_data", {"text/html": f"<table><td>{figures}</td></table>"})
    return lambda notebook: notebook.cells[3].update(source=text, outputs=[table])


def numbered(index, count):
    return lambda notebook: notebook.cells[index].update(execution_count=count)


def typed(kind):
    return lambda notebook: notebook.cells[1].metadata.update(slideshow={"slide_type": kind})


def tagged(index, *tags):
    return lambda notebook: notebook.cells[index].metadata.update(tags=list(tags))


FAULTS = [
    (rules.metadata, typed(None), "slide_type"),
    (rules.metadata, typed("slid"), "slide_type"),
    (rules.metadata, tagged(1, "nbval-chek-output"), "unknown tags"),
    (rules.metadata, tagged(1, "headline"), "2 are"),
    (rules.metadata, tagged(3), "0 are"),
    (rules.metadata, tagged(0), "tagged title"),
    (rules.style, source(1, "\n".join(["1"] * 31)), "at most 30"),
    (rules.style, source(1, "x" * 97), "96 columns"),
    (rules.style, source(1, "\n".join(["1"] * 16)), "median"),
    (rules.style, source(0, "word " * 23), "23 words for 3 lines"),
    (rules.executed, numbered(1, None), "number 1"),
    (rules.executed, numbered(3, 9), "number 3"),
    (rules.executed, output("stream", name="stderr", text="careful"), "stderr: careful"),
    (rules.executed, output("error", ename="OSError", evalue="", traceback=[]), "OSError"),
    (rules.reproducible, printed("saved in /tmp/x"), "machine: /tmp/"),
    (rules.reproducible, printed(f"read {rules.ROOT}"), "machine"),
    (rules.reproducible, shown("text/plain", "<f at 0x7f31d0c2a>"), "machine: at 0x"),
    (rules.reproducible, printed("12/12 - 3ms/step"), "timing: 3ms/step"),
    (rules.reproducible, printed("12s/epoch"), "timing: 12s/epoch"),
    (
        rules.full_precision,
        source(1, f"layers.Dense(2)\n{PRECISE}"),
        "layers.Dense outside",
    ),
    (
        rules.full_precision,
        source(1, f"with z:\n Dense(2)\n{PRECISE}"),
        "builds Dense outside",
    ),
    (rules.alternative_texts, shown("image/png", "…"), "without alt text"),
    (rules.alternative_texts, shown("image/svg+xml", "<svg><g/></svg>"), "hides at first"),
    (rules.alternative_texts, shown("text/html", '<img src="x">'), "<img>"),
    (rules.alternative_texts, source(0, "![](x.png)"), "Markdown picture"),
    (rules.plotted, tabled("1", "0.7 ± 0.1"), "table of records"),
    (rules.plotted, tabled("cu.results.load('a')", "0.7"), "table of records"),
]


@pytest.mark.parametrize(
    "rule", dict.fromkeys(fault[0] for fault in FAULTS), ids=lambda rule: rule.__name__
)
def test_good_notebook_keeps_the_rule(notebook, rule):
    nbformat.validate(notebook)
    assert rule(notebook) == []


@pytest.mark.parametrize(
    ("rule", "plant", "word"), FAULTS, ids=[f"{f[0].__name__}-{f[2]}" for f in FAULTS]
)
def test_planted_fault_is_found(notebook, rule, plant, word):
    plant(notebook)
    found = rule(notebook)
    assert any(word in fault for fault in found), found


def test_a_tagged_cell_may_raise_and_layers_are_built_inside_of_full_precision(notebook):
    error = new_output("error", ename="OSError", evalue="gone", traceback=[])
    notebook.cells[1].outputs.append(error)
    notebook.cells[1].metadata["tags"] = ["raises-exception"]
    notebook.cells[1].source = "with cu.full_precision():\n    layers.Dense(2)(x)"
    assert rules.executed(notebook) == rules.full_precision(notebook) == []
