"""What decides a lecture's outputs is found by reading: modules, names of packages, data."""

import pytest

from tools.closure import closure, code_of
from tools.source import assemble, lectures

FILES = {
    "course_utils/__init__.py": "from course_utils import session, late\n\nsession.quiet()\n",
    "course_utils/session.py": "def quiet():\n    pass\n",
    "course_utils/late.py": "",
    "course_utils/figures.py": "",
    "course_utils/data/__init__.py": (
        "from course_utils.data.reviews import load_reviews\n"
        "from course_utils.data.series import load_series\n\n\n"
        "def both():\n    return load_series\n"
    ),
    "course_utils/data/reviews.py": 'from . import files\n\nNAME = "reviews.csv.xz"\n',
    "course_utils/data/series.py": "",
    "course_utils/data/files.py": "",
    "course_utils/layers/__init__.py": "",
    "course_utils/layers/attention.py": "",
    "course_utils/exercises/lecture_06.py": "from course_utils.layers import attention\n",
    "course_utils/exercises/lecture_06b.py": "",
    "data/reviews.csv.xz": "",
    "data/temperature.csv.xz": "",
    "results/05_attention/run.json": "",
    "results/05_attention.md": "",
    "results/06b_lab/run.json": "",
    "results/shipped/translator_dot.npz": "",
    "results/shipped/captioner.npz": "",
}
IMPORTED = ("__init__", "session", "data/__init__", "data/series")
ALWAYS = {f"course_utils/{name}.py" for name in IMPORTED}
REVIEWS = {"course_utils/data/reviews.py", "course_utils/data/files.py", "data/reviews.csv.xz"}
TABLE = "course_utils/data/__init__.py"


@pytest.fixture
def checkout(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("cu.data.load_series()", set()),
        ("cu.data.load_reviews()", REVIEWS),
        ("from course_utils.data import load_reviews as load\ncu.data.both", REVIEWS),
        ("from course_utils.data import reviews\ncu.data.both", REVIEWS),
        ("getattr(cu.data, 'load_' + 'reviews')", REVIEWS),
        ("cu.data.no_such_name", REVIEWS),
        ("import course_utils.figures\ncu.data.both", {"course_utils/figures.py"}),
        ("cu.data.both, '05_attention'", {"results/05_attention/run.json"}),
        ("cu.data.both, f'translator_{1}'", {"results/shipped/translator_dot.npz"}),
    ],
)
def test_a_lecture_reaches_what_it_names_and_no_more(checkout, code, more):
    found = closure(f"import course_utils as cu\n{code}", "09_none", checkout)
    assert set(found) == ALWAYS | more


def test_a_lectures_own_exercises_count_without_being_imported(checkout):
    found = closure("", "06_transformer", checkout)
    assert "course_utils/exercises/lecture_06.py" in found
    assert "course_utils/layers/attention.py" in found
    assert "course_utils/exercises/lecture_06b.py" not in found


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("course_utils/session.py", '"""Said."""\n\n\ndef quiet():  # still\n    pass\n', True),
        ("course_utils/session.py", "def quiet():\n    print()\n", False),
        (TABLE, '"""Said."""\n' + FILES[TABLE], True),
        (TABLE, FILES[TABLE] + "print()\n", False),
        ("course_utils/late.py", "changed", True),
        ("data/reviews.csv.xz", "changed", False),
    ],
)
def test_a_hash_follows_code_and_data_but_no_words(checkout, name, text, same):
    code = "import course_utils as cu\ncu.data.load_reviews()"
    before = closure(code, "09_none", checkout)
    (checkout / name).write_text(text, encoding="utf-8")
    assert (closure(code, "09_none", checkout) == before) == same


def test_words_are_no_code():
    source = 'def f(x):\n    """Say."""\n\n    # why\n    return """a\n\n# b"""  # what\n'
    assert code_of(source) == 'def f(x):\n    return """a\n\n# b"""'
    assert code_of("'shown'") == "'shown'"
    assert code_of("%pip list") == "%pip list"


def test_recurrent_networks_do_not_hang_on_pictures():
    [lecture] = lectures(["02_simple_rnn"])
    cells = [cell for cell in assemble(lecture).cells if cell.cell_type == "code"]
    found = closure("\n".join(cell.source for cell in cells), lecture.stem)
    assert "course_utils/lectures/lecture_02.py" in found
    assert "results/02_simple_rnn/counting-reviews-seed0.json" in found
    assert not [name for name in found if "vision" in name or "07" in name]
