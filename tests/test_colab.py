"""The first cell: both ways onto Colab, its messages, and silence everywhere else."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import packaging
import pytest

from course_utils import colab
from tools import colab_cell
from tools.colab_check import write_stand_in
from tools.course import course as settings

ROOT = colab_cell.ROOT


@pytest.fixture
def course(tmp_path):
    """Make a small checkout with a release: course_utils and an installed requirement."""
    checkout = tmp_path / "checkout"
    (checkout / "course_utils").mkdir(parents=True)
    (checkout / "course_utils" / "__init__.py").write_text("", encoding="utf-8")
    shutil.copy(ROOT / "course_utils" / "colab.py", checkout / "course_utils")
    (checkout / "requirements.txt").write_text("packaging\n", encoding="utf-8")
    who = ["-c", "user.name=Course", "-c", "user.email=c@example.org"]
    git = ["git", "-C", str(checkout), *who]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Release"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    return checkout


@pytest.fixture
def run(tmp_path):
    """Run first cells as a kernel in an empty folder would, without the course installed."""
    write_stand_in(tmp_path / "stand_in")
    (tmp_path / "empty").mkdir()
    shutil.copytree(packaging.__path__[0], tmp_path / "stand_in" / "packaging")
    version = tmp_path / "stand_in" / "packaging-25.0.dist-info"
    version.mkdir()
    (version / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: packaging\nVersion: 25.0\n", encoding="utf-8"
    )

    own = {"PATH": os.environ["PATH"], "COURSE_CONTENT": str(tmp_path / "content")}
    own["PYTHONPATH"] = str(tmp_path / "stand_in")

    def run_cell(cell, on_colab=True, times=1, **environment):
        start = "import sys\n" + ("import google.colab\n" if on_colab else "")
        script = start + "source = sys.stdin.read()\n" + "exec(source)\n" * times
        # -S: no site-packages, so that only the stand-ins and what the cell adds are seen.
        command = [sys.executable, "-S", "-c", script]
        where = {"cwd": tmp_path / "empty", "env": own | environment}
        return subprocess.run(
            command, input=cell, capture_output=True, encoding="utf-8", **where
        )

    return run_cell


def archive(course, folder, name="course"):
    folder.mkdir(parents=True)
    return Path(shutil.make_archive(str(folder / name), "zip", course))


NOT_PUBLIC = replace(settings(), repository="", release="v1")
PUBLIC = replace(NOT_PUBLIC, repository="https://github.com/someone/course")
LECTURE = "01_first"


def test_a_public_course_is_cloned_or_it_is_said_what_git_said(course, run):
    ours, missing = (
        colab_cell.first_cell(LECTURE, replace(PUBLIC, repository=course.as_uri(), release=tag))
        for tag in ("v1", "v2")
    )
    failed = run(missing)
    assert failed.returncode and "v2" in failed.stderr.splitlines()[-1]
    result = run(ours, times=2)
    assert result.stderr == "" and result.stdout.count("ready") == 2
    result = run(ours, on_colab=False, KAGGLE_KERNEL_RUN_TYPE="Interactive")
    assert result.stderr == "" and result.stdout.count("ready") == 1


@pytest.mark.parametrize(("place", "name"), [("content", "course (1)"), ("drive", "course")])
def test_an_archive_is_taken_where_it_lies(course, run, tmp_path, place, name):
    archive(course, tmp_path / place, name)
    drive = str(tmp_path / "drive")
    result = run(colab_cell.first_cell(LECTURE, NOT_PUBLIC), times=2, COURSE_DRIVE=drive)
    assert result.stderr == "" and result.stdout.count("ready") == 2
    assert (tmp_path / "content" / "drive").exists() == (place == "drive")


@pytest.mark.parametrize(
    ("found", "said"), [(None, "course.zip"), ("foreign", "course.zip"), ("half", "upload")]
)
def test_without_the_courses_whole_archive_it_is_asked_for(course, run, tmp_path, found, said):
    if found == "foreign":
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "photo.txt").write_text("not the course", encoding="utf-8")
        archive(tmp_path / "other", tmp_path / "content")
    elif found == "half":
        half = archive(course, tmp_path / "content")
        half.write_bytes(half.read_bytes()[:-200])
    result = run(colab_cell.first_cell(LECTURE, NOT_PUBLIC))
    assert result.returncode and said in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_its_field_chooses_the_profile_on_colab_alone(course, run, tmp_path, profile):
    archive(course, tmp_path / "content")
    cell = colab_cell.first_cell(LECTURE, NOT_PUBLIC)
    chosen = cell.replace('profile = "quick"', f'profile = "{profile}"')
    told = chosen + "\nprint(os.environ.get('COURSE_PROFILE'))"
    assert run(told).stdout.splitlines()[-1] == profile
    elsewhere = run(told, on_colab=False, PYTHONPATH=str(course))
    assert elsewhere.stdout.strip() == "None"


@pytest.mark.parametrize("setting", [PUBLIC, NOT_PUBLIC])
def test_elsewhere_it_does_nothing_or_asks_for_the_course(setting, course, run, tmp_path):
    cell = colab_cell.first_cell(LECTURE, setting)
    result = run(cell, on_colab=False, PYTHONPATH=str(course))
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert not (tmp_path / "content").exists()
    assert "ModuleNotFoundError" in run(cell, on_colab=False).stderr.splitlines()[-1]


def test_only_what_is_missing_is_installed(monkeypatch, capsys, tmp_path):
    called = []

    def pip(command, **options):
        constraints = Path(command[command.index("--constraint") + 1]).read_text(
            encoding="utf-8"
        )
        called.append((command[-1], constraints))
        return subprocess.CompletedProcess(command, 0)

    requirements = tmp_path / "requirements.txt"
    requirements.write_text(
        "numpy>=2.0  # arrays\nsurely-absent>=1\npackaging<1\n", encoding="utf-8"
    )
    monkeypatch.setitem(sys.modules, "google.colab", object())
    monkeypatch.setattr(colab, "REQUIREMENTS", requirements)
    monkeypatch.setattr(colab.subprocess, "run", pip)
    colab.prepare()
    (line, constraints), printed = called[0], capsys.readouterr().out
    assert (len(called), line) == (1, "surely-absent>=1")
    assert f"numpy=={__import__('numpy').__version__}" in constraints.splitlines()
    assert "packaging<1" in printed and "surely-absent>=1" in printed


def test_a_failing_installation_says_so(monkeypatch):
    failed = subprocess.CompletedProcess([], 1, stderr="No matching distribution found")
    monkeypatch.setattr(colab.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(RuntimeError, match=r"surely-absent.*\n.*No matching"):
        colab.install(["surely-absent>=1"])
