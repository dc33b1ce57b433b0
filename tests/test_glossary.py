"""The glossary and the lectures' terms: each in bold where it is explained, and linked."""

import re

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from tools import glossary
from tools.source import assemble, lectures

NUMBERS = {source.stem.partition("_")[0]: source for source in lectures()}
PERSIAN = re.compile(r"[\u0600-\u06ff\u200c ()\-]+")


def test_the_terms_of_glossary_and_lectures_belong_together():
    rows = glossary.csv_rows("glossary")
    terms = [row["term"].casefold() for row in rows]
    assert terms == sorted(set(terms)) and len(terms) > 200
    texts, bold = {}, {}
    for number, source in NUMBERS.items():
        texts[number] = re.sub(r"[*`\s#]+", " ", source.read_text(encoding="utf-8")).casefold()
        for cell in assemble(source).cells:  # which refuses bold text that is no term
            for _, anchor in glossary.LINK.findall(cell.source):
                bold.setdefault(anchor, []).append(number)
    for row in rows:
        assert PERSIAN.fullmatch(row["persian"]), row
        assert row["meaning"].endswith("."), row
        stem = row["term"].casefold().rstrip("s").removesuffix("y")  # entities, entity
        assert stem in texts[row["lecture"]], row
        first = bold.get(row["term"].replace(" ", "-"), [row["lecture"]])[0]
        assert row["lecture"] == first, row


def linked(text):
    notebook = new_notebook(cells=[new_markdown_cell(text, id="here")])
    glossary.link(notebook, "09_lecture")
    return notebook.cells[0].source


def test_terms_become_links_and_all_else_stays():
    link = "[**forget\ngates**](glossary.md#forget-gate)"
    assert linked("The **forget\ngates** of an *LSTM*.") == f"The {link} of an *LSTM*."
    assert glossary.LINK.sub(r"\1", link) == "**forget\ngates**"
    same = (
        "## The **LSTM**\n**Predict** `2**3**4`, $a**b**$, [**LSTM**](x). **Lab 3b**, **Why?**"
    )
    assert linked(same) == same


def test_other_bold_text_names_its_cell_and_the_choices():
    with pytest.raises(ValueError, match=r"09_lecture, cell here: .*never.*row.*italic.*lead"):
        linked("This is **never** so.")
