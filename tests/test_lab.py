"""A student's own copies of the notebooks: what is exchanged, and what never is."""

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from tools import lab

EXERCISE = "## Exercise 01.1 · Count\n\n●●○○○ · 7 minutes\n\nCount."


@pytest.fixture
def notebooks(tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in ("01_one", "02_two"):
        cells = [new_markdown_cell(f"# {name}"), new_markdown_cell(EXERCISE)]
        nbformat.write(new_notebook(cells=cells), folder / f"{name}.ipynb")
    return folder


def test_only_untouched_copies_are_exchanged_and_progress_is_kept(notebooks, tmp_path):
    work = tmp_path / "work"
    (notebooks / "glossary.md").touch()
    assert lab.copy(notebooks, work) == []
    assert (work / "glossary.md").exists()
    (work / "01_one.ipynb").write_text("my answers")
    (work / "progress.json").write_text('{"01.1": "solved"}')
    for path in notebooks.iterdir():
        path.write_text("a newer notebook")
    assert lab.copy(notebooks, work) == ["01_one.ipynb"]
    assert (work / "01_one.ipynb").read_text() == "my answers"
    assert (work / "02_two.ipynb").read_text() == "a newer notebook"
    (work / "01_one.ipynb").rename(work / "mine.ipynb")
    lab.copy(notebooks, work)
    assert (work / "01_one.ipynb").exists() and (work / "mine.ipynb").exists()
    assert "solved" in (work / "progress.json").read_text()


def test_start_page_lists_lectures_exercises_and_what_is_newer(notebooks):
    [table, code] = lab.start_page(notebooks, ["02_two.ipynb"]).cells
    assert "[01 01_one](01_one.ipynb) | 1 | 7 |" in table.source
    assert "`notebooks/02_two.ipynb`" in table.source
    assert "progress()" in code.source
