"""The build executes a lecture, checks it, and replaces a notebook only when all went well."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from tools import notebook as tool
from tools.source import KEPT

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parent / "odd" / "sample_lecture.py"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    [outcome] = tool.build([SAMPLE], folder)
    assert outcome.error is None
    return outcome


def changed(tmp_path, old, new):
    """Write the sample lecture with `old` replaced by `new`."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / SAMPLE.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def code_cells(path):
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def printed(path):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    return "".join(output.get("text", "") for output in outputs)


def test_cells_run_in_the_quick_profile_and_leave_no_trace_of_machine_or_time(built):
    assert "quick 1\n" in printed(built.notebook)
    assert "('one', 3)\n('two', 3)\n2\n" in printed(built.notebook)
    assert built.headline == "words counted 2"
    cells = code_cells(built.notebook)
    assert all(len(cell.outputs) <= 1 for cell in cells)
    assert {key for cell in cells for key in cell.metadata} <= set(KEPT)
    notebook = nbformat.read(built.notebook, 4)
    assert set(notebook.metadata) == {"kernelspec", "language_info", "made_from", "title"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert str(Path.cwd()) not in built.notebook.read_text(encoding="utf-8")
    outputs = {cell.source.split("\n")[-1]: cell.outputs for cell in cells}
    assert outputs["print(time.time())"] == []
    assert outputs['{}["missing"]'][0].traceback == ["KeyError: 'missing'"]


def test_twice_built_is_the_same_to_the_byte(built, tmp_path):
    tool.build([SAMPLE], tmp_path)
    assert (tmp_path / built.notebook.name).read_bytes() == built.notebook.read_bytes()


@pytest.fixture
def no_kernel(monkeypatch):
    monkeypatch.delattr(tool, "execute")


def test_instructors_get_solutions_and_fresh_outputs(built, tmp_path, monkeypatch, no_kernel):
    monkeypatch.setattr(tool, "NOTEBOOKS", built.notebook.parent)
    [outcome] = tool.build([SAMPLE], tmp_path, "instructor")
    cells = {cell.source: cell.outputs for cell in code_cells(outcome.notebook)}
    [exercise] = [source for source in cells if "return 2 * number" in source]
    [check] = [source for source in cells if "not solved yet" in source]
    assert cells[exercise] == cells[check] == []
    assert "quick 1\n" in printed(outcome.notebook)
    assert outcome.headline == built.headline
    path = changed(tmp_path, 'print("what it is about:")', 'print("about")')
    [outcome] = tool.build([path], tmp_path / "into", "instructor")
    assert "make notebook" in outcome.error
    assert not outcome.notebook.exists()


@pytest.mark.parametrize(
    ("place", "new", "word"),
    [
        (5, "1 / 0", "ZeroDivisionError"),
        (5, "import warnings; warnings.warn('careful')", "careful"),
        (5, "import os; os._exit(1)", "kernel died"),
        (5, "", "number 5, not None"),
        (7, "pass", "raised nothing"),
    ],
)
def test_failing_cell_is_named_and_leaves_the_old_notebook(tmp_path, capsys, place, new, word):
    tag = {5: "nbval-check-output", 7: "raises-exception"}[place]
    cell = SAMPLE.read_text(encoding="utf-8").split(f'tags=["{tag}"]\n')[1].split("\n\n# %%")[0]
    path = changed(tmp_path, cell, new)
    into = tmp_path / "into"
    into.mkdir()
    old = into / "sample_lecture.ipynb"
    old.write_text("old", encoding="utf-8")
    assert tool.main([str(path), "--into", str(into)]) == 1
    said = capsys.readouterr().out
    assert re.search(word, said) and (f"    {new}\n" in said or f"({new})" in said)
    assert old.read_text(encoding="utf-8") == "old"
    assert [file.name for file in into.iterdir()] == [old.name]


def test_what_rules_forbid_stops_the_build_before_it_runs(tmp_path, no_kernel):
    path = changed(tmp_path, ' slideshow={"slide_type": "slide"} name="start"', "")
    path.write_text(
        path.read_text(encoding="utf-8").replace("# Small and quick: what", "# ![](x.png)"),
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="cell .* has no slide.*\n.* alt text") as refused:
        tool.build([path], tmp_path)
    for place in (f"{path}: cell ", "(import os)", "(# A sample lecture)"):
        assert place in str(refused.value)


def test_cell_that_takes_too_long_is_named(tmp_path, monkeypatch):
    path = changed(tmp_path, "print(time.time())", "time.sleep(30)")
    monkeypatch.setattr(tool, "TIMEOUT", 1)
    [outcome] = tool.build([path], tmp_path)
    assert "code cell 6 of 10" in outcome.error and "longer" in outcome.error


def test_failure_starts_no_further_lecture(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "JOBS", 1)
    bad = tmp_path / "a_bad.py"
    head = 'slideshow={"slide_type": "slide"} tags='
    text = f'# %% [markdown] {head}["title"]\n# # Bad\n# %% {head}["headline"]\n1 / 0\n'
    bad.write_text(text, encoding="utf-8")
    first, second = tool.build([bad, SAMPLE], tmp_path)
    assert "ZeroDivisionError" in first.error
    assert second.note == "not run"
    assert not second.notebook.exists()


@pytest.fixture
def copied(built, tmp_path):
    """A folder with the sample's notebook, and the build's note that it is as it was made."""
    return Path(shutil.copytree(built.notebook.parent, tmp_path / "run"))


def test_nothing_is_run_or_written_where_nothing_changed(copied, capsys, no_kernel):
    notebook = copied / "sample_lecture.ipynb"
    before = notebook.stat().st_mtime_ns
    assert tool.main([str(SAMPLE), "--into", str(copied)]) == 0
    said = capsys.readouterr().out
    assert "not run" in said and "words counted 2" in said
    assert notebook.stat().st_mtime_ns == before


def test_a_dry_build_says_what_would_run_and_why_and_writes_nothing(
    copied, tmp_path, capsys, no_kernel, monkeypatch
):
    def said(path, into):
        assert tool.main([str(path), "--into", str(into), "--dry"]) == 0
        return capsys.readouterr().out

    assert said(SAMPLE, copied).endswith("sample_lecture.ipynb  keep its outputs\n")
    text = changed(tmp_path, "# # A sample lecture", "# # A simple lecture")
    assert said(text, copied).endswith("  keep its outputs\n")
    code = changed(tmp_path, "print(time.time())", "time.time()")
    assert said(code, copied).endswith("  run: code cells\n")
    named = changed(tmp_path, 'hash("text")', 'hash("word")')  # its id stays as it is
    assert said(named, copied).endswith("  run: code cells\n")
    closure = tool.closure
    monkeypatch.setattr(tool, "closure", lambda code: closure(code) | {"data/new.csv": "1"})
    assert said(SAMPLE, copied).endswith("  run: data/new.csv\n")
    assert said(SAMPLE, tmp_path / "none").endswith("  run: it is not built yet\n")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("old", "new", "fresh"),
    [
        ("# # A sample lecture", "# # A simple lecture", ['    "# A simple lecture\\n",']),
        ("# filled by the", "# later by the", []),
        ("print(counted.calls)", "# So\nprint(counted.calls)", ['    "# So\\n",']),
    ],
)
def test_an_edit_of_text_changes_it_alone(copied, tmp_path, no_kernel, old, new, fresh):
    path = tmp_path / SAMPLE.name
    path.write_text(SAMPLE.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    before = (copied / "sample_lecture.ipynb").read_text(encoding="utf-8").splitlines()
    [outcome] = tool.build([path], copied)
    assert outcome.error is None
    after = outcome.notebook.read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line not in before] == fresh
    assert len(after) == len(before) + new.count("\n")


def test_an_edit_of_code_is_run_and_what_somebody_wrote_is_kept(copied, tmp_path):
    notebook = nbformat.read(copied / "sample_lecture.ipynb", 4)
    notebook.cells[-1].source = "the answers of a student"
    nbformat.write(notebook, copied / "sample_lecture.ipynb")
    [same] = tool.build([SAMPLE], copied)
    assert "edited by you" in same.note
    [run] = tool.build([changed(tmp_path, "words counted {", "counted: {")], copied)
    assert run.headline == "counted: 2"
    assert "sample_lecture-yours-1.ipynb" in run.note
    kept = nbformat.read(copied / "sample_lecture-yours-1.ipynb", 4)
    assert kept.cells[-1].source == "the answers of a student"


def test_a_drawing_is_exchanged_without_running():
    cells = [nbformat.v4.new_code_cell('cu.figures.show("01_lookup")') for _ in range(2)]
    old = [nbformat.v4.new_output("stream", text="old")]
    cells[1].update(id=cells[0].id, execution_count=3, outputs=old)
    fresh, built = [nbformat.v4.new_notebook(cells=[cell]) for cell in cells]
    tool.graft(fresh, built)
    [output] = fresh.cells[0].outputs
    assert "<img" in output.data["text/html"]
    assert fresh.cells[0].execution_count == 3


def test_folder_that_cannot_be_written_is_refused_before_the_slow_work(tmp_path, capsys):
    (tmp_path / "file").touch()
    for into in (tmp_path / "file", tmp_path / "file" / "inside"):
        assert tool.main([str(SAMPLE), "--into", str(into)]) == 1
        said = capsys.readouterr()
        assert str(into) in said.err and "running" not in said.out


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_interrupt_ends_the_build_and_its_kernels_at_once(tmp_path):
    here = tmp_path / "pid"
    write = f"pathlib.Path({str(here)!r}).write_text(str(os.getpid())); time.sleep(300)"
    path = changed(tmp_path, "print(time.time())", f"import os, pathlib; {write}")
    # A shell that starts tests in the background has them ignore the signal.
    heed = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    build = "runpy.run_module('tools.notebook', run_name='__main__', alter_sys=True)"
    program = f"import runpy, signal; {heed}; {build}"
    command = [sys.executable, "-c", program, path, "--into", tmp_path / "into"]
    options = {"cwd": tool.ROOT, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **options) as process:
        wait_until(lambda: here.is_file() and here.read_text(encoding="utf-8"))
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 130
        finally:
            process.kill()
    kernel = int(here.read_text(encoding="utf-8"))
    wait_until(lambda: not alive(kernel))
    assert list((tmp_path / "into").iterdir()) == []


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
