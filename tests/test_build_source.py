"""A lecture's source becomes a notebook's cells: ids, shown definitions, stubs."""

from dataclasses import replace
from pathlib import Path

import pytest

from tools import lab, source
from tools.shows import shown
from tools.source import AUDIENCES, PARTS, assemble, lectures

SAMPLE = Path(__file__).parent / "odd" / "sample_lecture.py"
LIBRARY = SAMPLE.with_name("sample_library.py").read_text(encoding="utf-8")


def cells(path=SAMPLE, audience="student"):
    return {cell.id: cell for cell in assemble(path, audience).cells}


def with_cell(tmp_path, text):
    path = tmp_path / "planted.py"
    path.write_text(SAMPLE.read_text(encoding="utf-8") + "\n# %% " + text, encoding="utf-8")
    return path


def test_definitions_are_shown_letter_for_letter_with_decorators_methods_at_the_margin():
    file, code = shown("tests.odd.sample_library.counted").split("\n", 1)
    assert file == "# tests/odd/sample_library.py" and code in LIBRARY
    assert code.startswith("@_plain\n@numbered(\n    start=0,\n)\ndef counted(word):")
    assert code.endswith("# A comment stays where it is.\n    return word, len(word)")
    method = shown("tests.odd.sample_library.Pair.swap").split("\n", 1)[1]
    assert method.startswith("@property\ndef swap(self):\n    ")
    assert method.endswith("\n    return Pair(self.second, self.first)")
    assert shown("tests.odd.sample_library.Pair").splitlines()[1] == "class Pair:"
    assert shown("tools.source.LECTURES") == '# tools/source.py\nLECTURES = ROOT / "lectures"'


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [
        ("tests.odd.sample_library.count", "# filled by the build", "counted"),
        ("tests.odd.sample_library.Pair.turn", "# filled by the build", "swap"),
        ("tests.no_library.counted", "# filled by the build", "module"),
        ("counted", "# filled by the build", "module"),
        ("tests.odd.sample_library.counted", "counted(1)", "no code of its own"),
    ],
)
def test_a_wrong_name_and_code_beside_it_are_refused(tmp_path, name, code, word):
    path = with_cell(tmp_path, f'shows="{name}" name="wrong"\n{code}\n')
    with pytest.raises(ValueError, match=f"planted, cell wrong: .*{word}"):
        assemble(path)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_instructors_alone_see_solutions_and_notes_and_who_gets_none_is_told_so(audience):
    found, seen = cells(audience=audience), audience == "instructor"
    everything = "\n".join(cell.source for cell in found.values())
    assert ("2 * number" in everything) == ("nobody will ever give" in everything) == seen
    assert ("COURSE_SOLUTIONS" in found["colab"].source) == (audience == "handout")


@pytest.mark.parametrize("given", [True, False])
def test_a_course_that_gives_no_solutions_says_so_in_students_notebooks_and_in_the_lab(
    given, monkeypatch
):
    setting = replace(source.course(), solutions=given)
    for module in (source, lab):
        monkeypatch.setattr(module, "course", lambda: setting)
    kept = {audience: cells(audience=audience)["colab"].source for audience in AUDIENCES}
    assert ("COURSE_SOLUTIONS" in kept["student"]) == (not given)
    assert "COURSE_SOLUTIONS" not in kept["instructor"]
    assert lab.quiet({}).get("COURSE_SOLUTIONS") == (None if given else "0")


def test_an_edit_of_code_changes_its_own_id_alone(tmp_path):
    path = tmp_path / SAMPLE.name
    path.write_text(
        SAMPLE.read_text(encoding="utf-8").replace(
            "    print(counted(", "    (print)(counted("
        ),
        encoding="utf-8",
    )
    ids = zip(cells(), cells(path), strict=True)
    assert sum(old != new for old, new in ids) == 1


def test_two_equal_cells_have_two_ids(tmp_path):
    path = with_cell(tmp_path, "\npass\n\n# %%\npass\n")
    ids = [cell.id for cell in assemble(path).cells]
    assert len(set(ids)) == len(ids) and "start" in ids


def test_badge_and_colab_cell_follow_the_title(monkeypatch):
    notebook = assemble(SAMPLE)
    assert "title" in notebook.cells[0].metadata.tags
    assert "google.colab" in notebook.cells[1].source
    monkeypatch.setattr("tools.source.colab_cell.badges", lambda lecture: f"badge of {lecture}")
    _, badge, cell = assemble(SAMPLE).cells[:3]
    assert badge.source == "badge of sample_lecture" and "google.colab" in cell.source
    assert badge.metadata.slideshow.slide_type == cell.metadata.slideshow.slide_type == "skip"


def written(folder, name):
    """A lecture's folder with nothing in it but what has to be there."""
    place = folder / f"lecture_{name.partition('_')[0]}"
    place.mkdir()
    for part in (f"{name}.py", *PARTS):
        (place / part).touch()
    return place


def test_unknown_lecture_is_refused_with_the_names(tmp_path):
    for name in ("01_one", "02_two"):
        written(tmp_path, name)
    with pytest.raises(ValueError, match="no lecture '03_three'.*01_one, 02_two"):
        lectures(["03_three"], tmp_path)
    for given, found in (([], ["01_one", "02_two"]), (["02_two"], ["02_two"])):
        assert [path.stem for path in lectures(given, tmp_path)] == found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda place: (place / "09_one.py").unlink(), "holds one text, 09_<name>.py; .* none"),
        (lambda place: (place / "09_two.py").touch(), "there is 09_one.py and 09_two.py"),
        (lambda place: place.rename(place.with_name("lecture_10")), "09_one.py: name it 10_"),
        (lambda place: place.rename(place.with_name("lecture_nine")), "name it lecture_NN"),
        (lambda place: (place / "sheet.md").unlink(), "has no sheet.md: write one"),
        (lambda place: (place / "exercises.py").unlink(), "has no exercises.py: write one"),
    ],
)
def test_a_folder_that_is_no_lecture_is_named_with_what_to_do(tmp_path, change, said):
    written(tmp_path, "08_whole")
    place = written(tmp_path, "09_one")
    (tmp_path / "lecture_07" / "__pycache__").mkdir(parents=True)  # git left it: no lecture
    assert [path.stem for path in lectures(folder=tmp_path)] == ["08_whole", "09_one"]
    change(place)
    with pytest.raises(ValueError, match=f"lecture_.*{said}"):
        lectures(folder=tmp_path)


USE = 'cu.exercises.use("99.1", scaled)\n'
DECLARED = """
@exercise("99.1", scaled, takes=7, level=2)
def numbers(draw):
    yield 1.0
"""
TOOLS = '''
class Scale:
    """A layer."""

    def build(self, shape):
        self.scale = 1

    def call(self, x):
        """Return x, scaled.

        Shape (batch, units) in and out.
        """
        y = self.scale * x
        return y


def scaled(
    x,
):
    return 2 * x
'''


@pytest.fixture
def planted(tmp_path):
    """A project of its own, with one exercise; its lecture has the cells that are given."""
    folder = tmp_path / "lectures" / "lecture_99"
    folder.mkdir(parents=True)
    (folder / "exercises.py").write_text(DECLARED, encoding="utf-8")
    (tmp_path / "tools99.py").write_text(TOOLS, encoding="utf-8")

    def build(text, audience="student"):
        path = tmp_path / "99_planted.py"
        path.write_text(
            f'# %% [markdown] tags=["title"]\n# # Title\n\n# %% {text}', encoding="utf-8"
        )
        notebook = assemble(path, audience, root=tmp_path)
        return {cell.id: cell.source for cell in notebook.cells}

    return build


def test_an_exercise_leaves_the_body_out_and_one_on_a_method_that_body_alone(planted):
    cell = 'builds="tools99.scaled" name="built"\n# filled by the build\n'
    assert planted(cell)["built"] == "def scaled(\n    x,\n):\n    ...  # your code here"
    assert planted(cell, "instructor")["built"].endswith("\n):\n    return 2 * x")
    source = planted(cell.replace("scaled", "Scale.call"))["built"]
    assert "self.scale = 1" in source and "(batch, units)" in source
    assert source.endswith('"""\n        ...  # your code here')
    assert planted(cell.replace("scaled", "Scale"))["built"].count("your code here") == 2


def test_level_and_minutes_come_from_the_declaration(planted, tmp_path):
    cell = '[markdown] name="asked"\n# ## Exercise 99.1 · Scale\n#\n# Do it.\n'
    assert planted(cell)["asked"] == "## Exercise 99.1 · Scale\n\n●●○○○ · 7 minutes\n\nDo it."
    declaration = tmp_path / "lectures" / "lecture_99" / "exercises.py"
    declaration.write_text(DECLARED.replace("takes=7", "takes=None"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"exercises.py, line \d+: exercise 99.1 .*takes="):
        planted(cell)


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ('builds="tools99.scale" name="wrong"\n# filled by the build\n', "scaled"),
        ('name="wrong"\ncu.exercises.use("99.2", scaled)\n', "declare it"),
        (f'name="first"\n{USE}\n# %% name="wrong"\n{USE}', "cell first already"),
    ],
)
def test_a_wrong_exercise_names_the_cell_and_what_to_do(planted, text, telling):
    with pytest.raises(ValueError, match=f"99_planted, cell wrong: .*{telling}"):
        planted(text)
