"""One setting feeds the badges, the first cell and README.md; course.zip is small and exact."""

import json
import re
import subprocess
import zipfile

import pytest

from tools import colab_cell, colab_zip, course

ROOT = colab_cell.ROOT


def write_project(root, repository, release="v1"):
    (root / "lectures").mkdir()
    (root / "lectures" / "01_first.py").write_text("")
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    text = text.replace('repository = ""', f'repository = "{repository}"')
    text = re.sub("release = .*", f'release = "{release}"', text)
    (root / "course.toml").write_text(text, encoding="utf-8")
    return colab_cell.setting(root)


def test_an_address_feeds_badge_cell_and_readme(tmp_path):
    setting = write_project(tmp_path, "https://github.com/someone/course.git")
    page = "colab.research.google.com/github/someone/course/blob/v1/notebooks/01_first.ipynb"
    assert page in colab_cell.badge("01_first", setting)
    assert page in colab_cell.readme_block(tmp_path)
    assert setting.repository in colab_cell.first_cell("01_first", setting)
    assert '"--branch", "v1"' in colab_cell.first_cell("01_first", setting)


def test_without_an_address_there_is_no_badge(tmp_path):
    setting = write_project(tmp_path, "")
    assert colab_cell.badge("01_first", setting) is None
    assert colab_cell.PICTURE not in colab_cell.readme_block(tmp_path)
    assert "course.zip" in colab_cell.readme_block(tmp_path)
    assert "course.zip" in colab_cell.first_cell("01_first", setting)


@pytest.mark.parametrize("address", ["http://github.com/a/b", "https://gitlab.com/a/b", "a/b"])
def test_an_address_that_colab_cannot_open_is_refused(address, tmp_path):
    with pytest.raises(ValueError, match="github.com"):
        write_project(tmp_path, address)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('motto = "read"', "motto unknown; the keys are: name, logo"),
        ('accent = "blue"', "write it as #0072b2"),
        ('logo = "none.svg"', "is no SVG or PNG file"),
        ('release = ""', "name a tag"),
        ('dark = "yes"', "write true or false"),
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
    readme, setting = (ROOT / "README.md").read_text(encoding="utf-8"), colab_cell.setting()
    shown = set(re.findall(r"colab\.research\.google\.com/github/[^)\s]+", readme))
    lectures = sorted(path.stem for path in (ROOT / "lectures").glob("*.py"))
    badges = [colab_cell.badge(lecture, setting) for lecture in lectures]
    assert shown == {one.split("(https://")[-1].rstrip(")") for one in badges if one}
    if colab_cell.BEGIN in readme:
        assert colab_cell.filled(readme, colab_cell.readme_block()) == readme
    with pytest.raises(ValueError, match="README.md"):
        colab_cell.filled("no markers", "")


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout of a few tracked files, one of them a notebook with an output."""
    output = {"output_type": "stream", "name": "stdout", "text": ["seen\n"]}
    code = {"cell_type": "code", "source": ["1\n"], "outputs": [output], "execution_count": 3}
    files = {
        "course_utils/__init__.py": "",
        "notebooks/01_first.ipynb": json.dumps({"cells": [code]}),
        "requirements.txt": "numpy\n",
        "tools/notebook.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "-C", str(tmp_path), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "course_utils" / "untracked.py").write_text("")
    return tmp_path


def test_the_archive_holds_the_tracked_course_without_outputs(checkout):
    path = colab_zip.write_zip(checkout)
    first = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        cell = json.loads(archive.read("notebooks/01_first.ipynb"))["cells"][0]
    assert names == ["course_utils/__init__.py", "notebooks/01_first.ipynb", "requirements.txt"]
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert colab_zip.write_zip(checkout).read_bytes() == first


def test_an_archive_that_is_too_large_is_refused(checkout):
    before = colab_zip.write_zip(checkout).read_bytes()
    with pytest.raises(RuntimeError, match="notebooks/01"):
        colab_zip.write_zip(checkout, limit=10)
    assert (checkout / "course.zip").read_bytes() == before
    assert not (checkout / "course.zip.part").exists()


def test_the_course_itself_fits(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the course")
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    path = colab_zip.write_zip(tmp_path / "clone")
    assert path.stat().st_size < colab_zip.LIMIT
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    assert names[-1] == "requirements.txt" and not any("plots" in name for name in names)
