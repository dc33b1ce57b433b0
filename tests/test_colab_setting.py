"""One setting feeds the badges, the first cell and README.md; course.zip is small and exact."""

import json
import re
import subprocess
import zipfile

import pytest

from tools import colab_cell, colab_zip, course

ROOT = colab_cell.ROOT


def write_project(root, repository, release="v1"):
    folder = root / "lectures" / "lecture_01"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "01_first.py").write_text("", encoding="utf-8")
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    text = text.replace('repository = ""', f'repository = "{repository}"')
    text = re.sub("release = .*", f'release = "{release}"', text)
    (root / "course.toml").write_text(text, encoding="utf-8")
    return course.course(root)


def test_an_address_feeds_badge_cell_and_readme_and_without_one_there_is_no_badge(tmp_path):
    setting = write_project(tmp_path, "https://github.com/someone/course.git")
    page = "colab.research.google.com/github/someone/course/blob/v1/notebooks/01_first.ipynb"
    assert page in colab_cell.badge("01_first", setting)
    assert page in colab_cell.readme_block(tmp_path)
    assert setting.repository in colab_cell.first_cell("01_first", setting)
    assert '"--branch", "v1"' in colab_cell.first_cell("01_first", setting)
    setting = write_project(tmp_path, "")
    assert colab_cell.badge("01_first", setting) is None
    assert colab_cell.PICTURE not in colab_cell.readme_block(tmp_path)
    assert "course.zip" in colab_cell.readme_block(tmp_path)
    assert "course.zip" in colab_cell.first_cell("01_first", setting)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('motto = "read"', "motto unknown or missing; the keys are: name, authors, aids"),
        ('logo = "none.svg"', "is no SVG or PNG file"),
        ('repository = "http://github.com/a/b"', "https://github.com/<owner>"),
        ('repository = "https://gitlab.com/a/b"', "https://github.com/<owner>"),
        ("dark = ", "course.toml is no TOML"),
    ],
)
def test_what_course_toml_cannot_mean_is_told(line, said, tmp_path):
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    key = line.partition(" ")[0]
    text = re.sub(rf"^{key} = .*\n", "", text, flags=re.MULTILINE)
    (tmp_path / "course.toml").write_text(f"{line}\n{text}", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(said)):
        course.course(tmp_path)


def test_the_readme_follows_the_setting():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert colab_cell.filled(readme, colab_cell.readme_block()) == readme
    with pytest.raises(ValueError, match="README.md"):
        colab_cell.filled("no markers", "")


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout of a few tracked files, one of them a notebook with an output."""
    code = {"cell_type": "code", "source": ["1"], "outputs": ["seen"], "execution_count": 3}
    files = {
        "course_utils/__init__.py": "",
        "data/words.csv": "",
        "lectures/lecture_01/__init__.py": "",
        "lectures/lecture_01/tests/test_one.py": "",
        "notebooks/01_first.ipynb": json.dumps({"cells": [code]}),
        "requirements.txt": "numpy\n",
        "results/plots/01.png": "",
        "results/runs.json": "",
        "tools/notebook.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "-C", str(tmp_path), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "course_utils" / "untracked.py").write_text("", encoding="utf-8")
    return tmp_path


def test_the_archive_holds_the_tracked_course_without_outputs_and_has_a_limit(checkout):
    path = colab_zip.write_zip(checkout)
    first = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        cell = json.loads(archive.read("notebooks/01_first.ipynb"))["cells"][0]
    parts = ["course_utils/__init__.py", "data/words.csv", "lectures/lecture_01/__init__.py"]
    parts += ["notebooks/01_first.ipynb", "results/runs.json", "requirements.txt"]
    assert names == parts
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert colab_zip.write_zip(checkout).read_bytes() == first
    with pytest.raises(RuntimeError, match="notebooks/01"):
        colab_zip.write_zip(checkout, limit=10)
    assert path.read_bytes() == first
    assert not list(checkout.glob("*.part"))


def test_the_course_itself_fits(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the course")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    assert colab_zip.write_zip(tmp_path / "clone").stat().st_size < colab_zip.LIMIT
