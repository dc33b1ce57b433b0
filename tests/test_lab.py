"""A student's own copies of the notebooks: what is replaced, and what never is."""

import json
import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import copies, lab

EXERCISE = "## Exercise 01.1 · Count\n\n●●○○○ · 7 minutes\n\nCount."
ONE, NEW = "01_one.ipynb", "01_one-new.ipynb"


def course(folder, code="x = 1", shown=""):
    """Write two notebooks and a glossary as a version of the course has them."""
    folder.mkdir(exist_ok=True)
    for name in ("01_one", "02_two"):
        texts = [new_markdown_cell(f"# {name}", id="a"), new_markdown_cell(EXERCISE, id="b")]
        last = new_code_cell(code, id="c")
        last.outputs = [nbformat.v4.new_output("stream", text=shown)]
        nbformat.write(new_notebook(cells=[*texts, last]), folder / f"{name}.ipynb")
    (folder / "glossary.md").write_text(f"# Glossary\n{code}", encoding="utf-8")
    return folder


@pytest.fixture
def work(tmp_path):
    """The folder of a student who has started `make lab` once."""
    assert lab.prepare(course(tmp_path / "notebooks"), tmp_path / "work") == lab.START
    return tmp_path / "work"


def update(work, code="x = 2", shown=""):
    """Bring the next version of the course; return the first cell of the start page."""
    start = lab.prepare(course(work.parent / "notebooks", code, shown), work)
    return nbformat.read(work / start, 4).cells[0].source


def last_cell(path):
    return nbformat.read(path, 4).cells[-1].source


def save_as_jupyterlab(path):
    """Save a notebook as JupyterLab does one that was only opened, run and closed."""
    notebook = nbformat.read(path, 4)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="run")]
    notebook.cells[-1].execution_count = 3
    notebook.cells.append(new_code_cell(""))
    path.write_text(json.dumps(notebook, indent=4), encoding="utf-8", newline="\r\n")


def work_in(path):
    notebook = nbformat.read(path, 4)
    notebook.cells[-1].source += "\nmine"
    nbformat.write(notebook, path)


def kept(work, name=ONE):
    """The earlier copies of a notebook, the oldest first."""
    return sorted(
        work.glob(f"{name[:-6]}-before-*.ipynb"), key=lambda path: path.stat().st_mtime
    )


def test_what_was_only_opened_is_replaced_and_what_was_worked_in_kept(work):
    for name in (ONE, lab.START, "02_two.ipynb"):
        save_as_jupyterlab(work / name)
    work_in(work / "02_two.ipynb")
    (work / "progress.json").write_text('{"01.1": "solved"}', encoding="utf-8")
    page = update(work, "x = 2")
    assert last_cell(work / ONE) == last_cell(work / "02_two.ipynb") == "x = 2"
    assert "x = 2" in (work / "glossary.md").read_text(encoding="utf-8")
    (before,) = kept(work, "02_two.ipynb")
    assert last_cell(before) == "\nmine"  # in a cell that was added
    assert "solved" in (work / "progress.json").read_text(encoding="utf-8")
    assert not kept(work) and not list(work.glob("*-new*"))
    for told in (page, update(work, "x = 2")):  # until the earlier copy is deleted
        assert f"({before.name})" in told and ONE not in told.split("|")[0]
    before.unlink()
    assert "02_two.ipynb" not in update(work, "x = 2").split("|")[0]


def test_of_each_version_that_was_worked_in_the_copy_is_kept(work):
    for code in ("x = 2", "x = 3"):
        work_in(work / ONE)
        page = update(work, code)
    assert [last_cell(path) for path in kept(work)] == ["x = 1\nmine", "x = 2\nmine"]
    assert last_cell(work / ONE) == "x = 3" and f"({kept(work)[-1].name})" in page


def test_outputs_of_a_run_stay_while_the_course_does_and_its_new_outputs_arrive(work):
    save_as_jupyterlab(work / ONE)
    work_in(work / "02_two.ipynb")
    ran = (work / ONE).read_bytes()
    assert "update" not in update(work, "x = 1").split("|")[0].split(lab.ADVICE)[0]
    assert (work / ONE).read_bytes() == ran
    page = update(work, "x = 1", shown="a better plot")
    assert "a better plot" in (work / ONE).read_text(encoding="utf-8")
    assert "-new" not in page and last_cell(work / "02_two.ipynb") == "x = 1\nmine"


def test_notes_in_the_start_page_are_kept(work):
    work_in(work / lab.START)
    work_in(work / ONE)
    assert lab.prepare(course(work.parent / "notebooks", "x = 3"), work) == "START-new.ipynb"
    assert last_cell(work / lab.START).endswith("mine")


def test_a_copy_that_the_note_does_not_know_is_not_overwritten(work):
    (work / copies.NOTE).unlink()
    (work / "02_two.ipynb").write_bytes((work / ONE).read_bytes())
    page, (before,) = update(work), kept(work, "02_two.ipynb")
    assert f"({before.name})" in page
    assert "# 01_one" in before.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "note",
    [b"{", b"[]", b'{"01_one.ipynb": 3}', b"\xff\x00", b'{"01_one.ipynb": [1, 2, 3]}'],
    ids=range(5),
)
def test_a_damaged_note_loses_nothing(work, note):
    work_in(work / ONE)
    (work / copies.NOTE).write_bytes(note)
    page, (before,) = update(work, "x = 2"), kept(work)
    assert last_cell(before) == "x = 1\nmine" and f"({before.name})" in page
    assert last_cell(work / ONE) == "x = 2"
    update(work, "x = 3")
    assert last_cell(work / ONE) == "x = 3"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_another_encoding_of_a_note_or_a_copy_changes_nothing(work, encoding):
    for name in (copies.NOTE, ONE):
        text = (work / name).read_text(encoding="utf-8")
        (work / name).write_text(text, encoding=encoding)
    update(work, "x = 2")
    assert last_cell(work / ONE) == "x = 2" and not (work / NEW).exists()


DAMAGED = {
    "half written": lambda path: path.write_bytes(b'{"cells": [{"cell_type": "code", "sou'),
    "foreign": lambda path: path.write_bytes(b'{"worksheets": []}'),
    "folder": lambda path: path.mkdir(),
    "link to nowhere": lambda path: path.symlink_to("nowhere.ipynb"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_cannot_be_read_stays_and_the_course_version_lies_beside(work, damage):
    (work / ONE).unlink()
    DAMAGED[damage](work / ONE)
    before = (work / ONE).lstat()
    for code in ("x = 1", "x = 2"):
        page = update(work, code)
        assert f"`{ONE}` cannot be read and stays as it is" in page
        assert last_cell(work / NEW) == code
    assert (work / ONE).lstat() == before


def test_a_link_is_followed_and_a_deleted_copy_comes_again(work):
    elsewhere = work.parent / "elsewhere.ipynb"
    (work / ONE).rename(elsewhere)
    (work / ONE).symlink_to(elsewhere)
    (work / "02_two.ipynb").unlink()
    update(work, "x = 2")
    assert (work / ONE).is_symlink() and last_cell(elsewhere) == "x = 2"
    assert last_cell(work / "02_two.ipynb") == "x = 2"


def test_a_full_disk_leaves_each_file_whole_and_is_told(work, monkeypatch):
    def full(path, content):
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(lab, "WORK", work)
    monkeypatch.setattr(lab, "ROOT", work.parent)
    monkeypatch.setattr(lab.copies.Path, "write_bytes", full)
    names = sorted(os.listdir(work))
    course_text = (work / ONE).read_bytes()
    nbformat.write(
        new_notebook(cells=[new_markdown_cell("# new")]), work.parent / "notebooks" / ONE
    )
    with pytest.raises(SystemExit, match=r"cannot be written \(.*No space left on device"):
        lab.main([])
    assert sorted(os.listdir(work)) == names and (work / ONE).read_bytes() == course_text


def test_a_damaged_notebook_of_the_course_replaces_nothing(work):
    (work.parent / "notebooks" / ONE).write_bytes(b"<<<<<<< HEAD")
    with pytest.raises(ValueError, match="git checkout notebooks/01_one.ipynb"):
        lab.prepare(work.parent / "notebooks", work)
    assert last_cell(work / ONE) == "x = 1"


def test_start_page_has_its_kernel_lists_exercises_and_stays_in_the_folder(work):
    work_in(work / ONE)
    page = update(work)
    assert page.index(kept(work)[0].name) < page.index("| lecture |")
    assert f"[01 01_one]({ONE}) | 1 | 7 |" in page
    for name in lab.re.findall(r"\]\(([^)]+)\)", page):
        assert (work / name).is_file()
    start = nbformat.read(work / lab.START, 4)
    assert start.metadata.kernelspec.name == "python3" and start.metadata.language_info
    assert "progress()" in start.cells[1].source
