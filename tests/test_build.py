"""The build executes a lecture, checks it, and replaces a notebook only when all went well."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import nbformat
import pytest

from tools import build as tool
from tools.execute import LectureFailed

SAMPLE = Path(__file__).with_name("sample_lecture.py")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    [outcome] = tool.build([SAMPLE], folder)
    assert outcome.error is None
    return outcome


def changed(tmp_path, old, new):
    """Write the sample lecture with `old` replaced by `new`."""
    text = SAMPLE.read_text()
    assert text.count(old) == 1
    path = tmp_path / SAMPLE.name
    path.write_text(text.replace(old, new))
    return path


def code_cells(path):
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def printed(path):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    return "".join(output.get("text", "") for output in outputs)


def test_every_cell_ran_in_the_quick_profile_with_one_thread(built):
    cells = code_cells(built.notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert "quick 1\n" in printed(built.notebook)
    assert "('one', 3)\n('two', 3)\n2\n" in printed(built.notebook)


def test_twice_built_is_the_same_to_the_byte(built, tmp_path):
    tool.build([SAMPLE], tmp_path)
    assert (tmp_path / built.notebook.name).read_bytes() == built.notebook.read_bytes()


def test_outputs_are_coalesced_and_carry_no_trace_of_the_machine(built):
    cells = code_cells(built.notebook)
    assert all(len(cell.outputs) <= 1 for cell in cells)
    assert {key for cell in cells for key in cell.metadata} == {"slideshow", "tags", "shows"}
    notebook = nbformat.read(built.notebook, 4)
    assert set(notebook.metadata) == {"kernelspec", "language_info", "title"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert str(Path.cwd()) not in built.notebook.read_text()


def test_cell_that_times_something_keeps_no_output(built):
    [cell] = [cell for cell in code_cells(built.notebook) if "time.time()" in cell.source]
    assert cell.outputs == []
    assert cell.execution_count


def test_expected_error_keeps_its_last_line_only(built):
    [cell] = [cell for cell in code_cells(built.notebook) if '{}["missing"]' in cell.source]
    assert cell.outputs[0].traceback == ["KeyError: 'missing'"]


def test_headline_is_the_last_line_of_its_cell(built):
    assert built.headline == "words counted 2"
    assert "words counted 2" in tool.report([built])
    assert built.notebook.name in tool.report([built])


def test_stub_runs_and_the_solution_passes_strictly(built, tmp_path):
    assert "not solved yet" in printed(built.notebook)
    [outcome] = tool.build([SAMPLE], tmp_path, "instructor")
    assert outcome.error is None
    assert "correct" in printed(outcome.notebook)
    assert "for instructors only" in printed(outcome.notebook)


def test_wrong_solution_fails_in_the_instructor_notebook_alone(tmp_path):
    path = changed(tmp_path, "return 2 * number", "return 3 * number")
    assert tool.build([path], tmp_path)[0].error is None
    assert "AssertionError" in tool.build([path], tmp_path, "instructor")[0].error


@pytest.mark.parametrize(
    ("new", "word"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import warnings; warnings.warn('careful')", "stderr:\n.*careful"),
        ("import os; os._exit(1)", "kernel died"),
        ("", "it is empty"),
    ],
)
def test_failing_cell_is_named_and_leaves_the_old_notebook(tmp_path, capsys, new, word):
    path = changed(tmp_path, 'print("for instructors only")', new)
    into = tmp_path / "into"
    into.mkdir()
    old = into / "sample_lecture.ipynb"
    old.write_text("old")
    assert tool.main([str(path), "--instructor", "--into", str(into)]) == 1
    said = capsys.readouterr().out
    assert "sample_lecture failed: code cell 10 of 11" in said
    assert f"begins\n    {new}" in said
    assert re.search(word, said)
    assert "is as it was before" in said
    assert old.read_text() == "old"
    assert [file.name for file in into.iterdir()] == [old.name]


def test_expected_error_that_does_not_come_is_a_failure(tmp_path):
    [outcome] = tool.build([changed(tmp_path, '{}["missing"]', "pass")], tmp_path)
    assert "raised nothing" in outcome.error


def test_cell_that_takes_too_long_is_named(tmp_path, monkeypatch):
    path = changed(tmp_path, "print(time.time())", "time.sleep(30)")
    monkeypatch.setattr(tool, "TIMEOUT", 1)
    [outcome] = tool.build([path], tmp_path)
    assert "code cell 6 of 10" in outcome.error
    assert "longer than 1 second" in outcome.error


def test_failure_starts_no_further_lecture(tmp_path):
    bad = tmp_path / "a_bad.py"
    bad.write_text('# %% [markdown] tags=["title"]\n# # Bad\n# %%\n1 / 0\n')
    first, second = tool.build([bad, SAMPLE], tmp_path, jobs=1)
    assert "ZeroDivisionError" in first.error
    assert second.note == "not run"
    assert not second.notebook.exists()


def test_second_run_reuses_what_has_not_changed_and_says_so(tmp_path, capsys):
    arguments = [str(SAMPLE), "--reuse", "--into", str(tmp_path)]
    assert tool.main(arguments) == 0
    notebook = tmp_path / "sample_lecture.ipynb"
    first, then = capsys.readouterr().out, notebook.stat().st_mtime_ns
    assert "unchanged" not in first
    assert tool.main(arguments) == 0
    second = capsys.readouterr().out
    assert "unchanged, not run again" in second
    assert "words counted 2" in second
    assert notebook.stat().st_mtime_ns == then


def test_change_in_the_source_is_built_again_and_keeps_what_somebody_wrote(tmp_path):
    path = changed(tmp_path, "words counted {", "words counted: {")
    [first] = tool.build([path], tmp_path / "run", reusing=True)
    first.notebook.write_text("the answers of a student")
    [second] = tool.build([path], tmp_path / "run", reusing=True)
    assert "edited by you" in second.note
    path.write_text(SAMPLE.read_text())
    [third] = tool.build([path], tmp_path / "run", reusing=True)
    assert third.headline == "words counted 2"
    assert "sample_lecture-yours-1.ipynb" in third.note
    kept = tmp_path / "run" / "sample_lecture-yours-1.ipynb"
    assert kept.read_text() == "the answers of a student"


def test_folder_that_cannot_be_written_is_refused_before_the_slow_work(tmp_path, capsys):
    (tmp_path / "file").touch()
    for into in (tmp_path / "file", tmp_path / "file" / "inside"):
        assert tool.main([str(SAMPLE), "--into", str(into)]) == 1
        said = capsys.readouterr()
        assert f"cannot write into {into}" in said.err
        assert "running" not in said.out


def test_notebook_that_cannot_be_replaced_is_said_and_nothing_is_left_beside(tmp_path):
    in_the_way = tmp_path / "sample.ipynb"
    in_the_way.mkdir()
    with pytest.raises(LectureFailed, match="cannot write .*sample.ipynb"):
        tool.write(nbformat.v4.new_notebook(), in_the_way)
    assert list(tmp_path.iterdir()) == [in_the_way]


def test_unknown_lecture_is_said(capsys):
    assert tool.main(["99_none"]) == 1
    assert "no lecture '99_none'" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_interrupt_ends_the_build_and_its_kernels_at_once(tmp_path):
    here = tmp_path / "pid"
    waiting = (
        f"import os, time, pathlib; pathlib.Path({str(here)!r}).write_text(str(os.getpid()))"
    )
    path = changed(tmp_path, "print(time.time())", f"{waiting}; time.sleep(300)")
    command = [sys.executable, "-m", "tools.build", path, "--into", tmp_path / "into"]
    # A shell that starts tests in the background has them ignore the signal.
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    options = {"cwd": tool.ROOT, "stderr": subprocess.PIPE, "text": True, "preexec_fn": heeds}
    with subprocess.Popen(command, **options) as process:
        wait_until(lambda: here.is_file() and here.read_text())
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 130
        finally:
            process.kill()
        assert "Stopped." in process.stderr.read()
    kernel = int(here.read_text())
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
