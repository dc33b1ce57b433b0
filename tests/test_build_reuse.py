"""A notebook is run again when anything it came from has changed, and only then."""

import pytest

from tools import reuse

FILES = ("course_utils/a.py", "data/set.csv.gz", "results/01/run.json", "requirements.lock")


@pytest.fixture
def checkout(tmp_path):
    for name in (*FILES, "lectures/01_one.py", "pyproject.toml", "tools/build.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def key(checkout, audience="student"):
    return reuse.key(checkout / "lectures" / "01_one.py", audience, checkout)


@pytest.mark.parametrize("name", [*FILES, "lectures/01_one.py", "tools/build.py"])
def test_key_follows_the_file(checkout, name):
    before = key(checkout)
    assert key(checkout) == before
    (checkout / name).write_text("changed")
    assert key(checkout) != before


def test_key_follows_new_files_and_names(checkout):
    before = key(checkout)
    (checkout / "course_utils" / "b.py").touch()
    added = key(checkout)
    (checkout / "course_utils" / "b.py").rename(checkout / "course_utils" / "c.py")
    assert len({before, added, key(checkout)}) == 3


def test_key_follows_face_and_backend(checkout, monkeypatch):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    before = key(checkout)
    assert key(checkout, "instructor") != before
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    assert key(checkout) != before


def test_key_overlooks_what_running_leaves_behind(checkout):
    before = key(checkout)
    for name in (
        "course_utils/__pycache__/a.pyc",
        "data/cache/imdb.tar",
        "build/x",
        "README.md",
    ):
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert key(checkout) == before


def test_damaged_note_counts_as_none(tmp_path):
    notebook = tmp_path / "01_one.ipynb"
    built = reuse.Built("key", "bytes", 1.0, "headline")
    reuse.remember(notebook, built)
    assert reuse.remembered(notebook) == built
    (tmp_path / ".built" / "01_one.json").write_text('{"key": ')
    assert reuse.remembered(notebook) is None
