"""A lecture is a folder: one is removed and another copied in, and nothing else is edited."""

import os
import shutil
import subprocess
import sys

import pytest

from tools.shows import ROOT
from tools.source import lectures

NEW = "09_sample"
# Where the course is installed, its own folders would stand in for what the copy lacks.
PYTEST = """
import sys, pytest
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.fixture
def checkout(tmp_path):
    """Copy what belongs to the repository, without its last lecture, with the sample's."""
    copy, gone = tmp_path / "checkout", lectures()[-1]
    listed = ["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.check_output(listed, encoding="utf-8").split("\0")
    for name in filter(None, names):
        if gone.parent.name in name or gone.stem in name or not (ROOT / name).is_file():
            continue
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(copy / "tests" / "sample_lecture", copy / "lectures" / "lecture_09")
    subprocess.run(["git", "init", "-q"], cwd=copy, check=True)
    (copy / "build").mkdir()
    (copy / "build" / "npm").symlink_to(ROOT / "build" / "npm")
    (copy / "build" / "node").symlink_to(ROOT / "build" / "node")
    return copy


@pytest.fixture
def run(checkout):
    """Run Python with these arguments in the checkout; return what it printed."""

    def python(*arguments):
        environment = os.environ | {"CHROMIUM": "none", "PYTHONPATH": str(checkout)}
        options = {"capture_output": True, "encoding": "utf-8", "env": environment}
        done = subprocess.run([sys.executable, *arguments], cwd=checkout, **options)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    return python


@pytest.mark.weekly
def test_commands_and_tests_know_the_lectures_that_are_there(npm, checkout, run):
    gone = lectures()[-1]
    # The project links to terms of the lecture that is gone.
    run("-m", "tools.notebook", NEW, "project/project_start.py", "--into", "notebooks")
    run("-m", "tools.slides", NEW)
    deck = (checkout / "build" / "slides" / f"{NEW}.html").read_text(encoding="utf-8")
    assert "Write <code>masked_mean" in deck
    run("-m", "tools.lecturer", NEW)
    assert (checkout / "build" / "lecturer" / NEW / "exam-answers.html").is_file()
    collected = run("-c", PYTEST, "--collect-only", "-qq")
    assert "test_lecture_09_mean" in collected and gone.parent.name not in collected
    run("-m", "ruff", "check", ".")
    run("-c", PYTEST, "-k", f"{NEW} or lecture_09_ or [09_ or [09.", "-m", "not slow")
    run("-c", "from tools import site; site.write_pages()")
    pages = (checkout / "build" / "site-pages" / "exercises.md").read_text(encoding="utf-8")
    assert "The mean of the words" in pages and gone.stem not in pages
