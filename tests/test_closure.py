"""What decides a lecture's outputs is found by reading: modules, names of packages, data."""

import grimp
import pytest

from tools.closure import closure, code_of
from tools.source import assemble, lectures

FILES = {
    "course_utils/__init__.py": "",
    "course_utils/session.py": "def quiet():\n    pass\n",
    "course_utils/late.py": "",
    "course_utils/data/__init__.py": "from course_utils.data import reviews\n",
    "course_utils/data/reviews.py": 'NAME = "reviews.csv.xz"\n',
    "course_utils/data/series.py": "",
    "lectures/__init__.py": "",
    "lectures/lecture_05/__init__.py": "",
    "lectures/lecture_06/__init__.py": "from lectures import lecture_05\n",
    "lectures/lecture_06/exercises.py": "from lectures import lecture_06\n",
    "lectures/lecture_06/page.py": "",
    "lectures/lecture_06/record.py": "",
    "data/reviews.csv.xz": "",
    "data/temperature.csv.xz": "",
    "results/05_attention/run.json": "",
    "results/05_attention.md": "",
    "results/06b_lab/run.json": "",
    "results/shipped/translator_dot.npz": "",
    "results/shipped/captioner.npz": "",
}
ALWAYS = {"course_utils/__init__.py", "course_utils/session.py"}
REVIEWS = {
    "course_utils/data/__init__.py",
    "course_utils/data/reviews.py",
    "data/reviews.csv.xz",
}
SIXTH = {"lectures/lecture_05/__init__.py", "lectures/lecture_06/__init__.py"}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    graph = grimp.ImportGraph()
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".py":
            graph.add_module(
                name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            )
    for importer, imported in (
        ("course_utils.data", "course_utils.data.reviews"),
        ("lectures.lecture_06", "lectures.lecture_05"),
        ("lectures.lecture_06.exercises", "lectures.lecture_06"),
    ):
        graph.add_import(importer=importer, imported=imported)
    monkeypatch.setattr("tools.closure.imports", lambda: graph)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("cu.late", {"course_utils/late.py"}),
        ("cu.data.load_reviews()", REVIEWS),
        ("from course_utils.data import load_reviews as load", REVIEWS),
        (
            "from course_utils.data.reviews import NAME",
            REVIEWS - {"course_utils/data/__init__.py"},
        ),
        ("from course_utils import data as sets", REVIEWS),
        ("import lectures.lecture_06.block.call", SIXTH),
        ("from lectures.lecture_06 import block", SIXTH),
        ("import lectures.lecture_06.record", {"lectures/lecture_06/record.py"}),
        ("'05_attention'", {"results/05_attention/run.json"}),
        ("f'translator_{1}'", {"results/shipped/translator_dot.npz"}),
    ],
)
def test_a_lecture_reaches_what_it_names_and_no_more(checkout, code, more):
    assert set(closure(f"import course_utils as cu\n{code}", checkout)) == ALWAYS | more


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("course_utils/session.py", '"""Said."""\n\n\ndef quiet():  # still\n    pass\n', True),
        ("course_utils/session.py", "def quiet():\n    print()\n", False),
        ("course_utils/late.py", "changed", True),
        ("lectures/lecture_06/__init__.py", "changed", False),
        ("lectures/lecture_06/exercises.py", "changed", True),
        ("lectures/lecture_06/page.py", "changed", True),
        ("data/reviews.csv.xz", "changed", False),
    ],
)
def test_a_hash_follows_code_and_data_but_no_words(checkout, name, text, same):
    code = "import course_utils as cu\nfrom lectures import lecture_06\ncu.data.load_reviews()"
    before = closure(code, checkout)
    (checkout / name).write_text(text, encoding="utf-8")
    assert (closure(code, checkout) == before) == same


def test_words_are_no_code():
    source = 'def f(x):\n    """Say."""\n\n    # why\n    return """a\n\n# b"""  # what\n'
    assert code_of(source) == 'def f(x):\n    return """a\n\n# b"""'
    assert code_of("'shown'") == "'shown'"
    assert code_of("%pip list") == "%pip list"


@pytest.mark.slow
def test_recurrent_networks_do_not_hang_on_vision_and_no_notebook_on_the_words_of_exercises():
    for lecture in lectures():
        cells = [cell for cell in assemble(lecture).cells if cell.cell_type == "code"]
        found = closure("\n".join(cell.source for cell in cells))
        own = lecture.parent.name
        assert f"lectures/{own}/__init__.py" in found
        assert not [name for name in found if name.endswith(f"{own}/exercises.py")]
        if lecture.stem == "02_simple_rnn":
            assert "results/02_simple_rnn/counting-reviews-seed0.json" in found
            assert not [name for name in found if "vision" in name or "07" in name]
