"""Every declared exercise: its reference is right, its stub is open, its mistakes are named."""

import inspect
import re
from pathlib import Path

import keras
import numpy as np
import pytest

from course_utils import exercises
from tools.shows import ROOT, built

FILES = (ROOT / "course_utils" / "exercises").glob("lecture_*.py")
LECTURES = sorted(path.stem.removeprefix("lecture_") for path in FILES)
ALL = [name for lecture in LECTURES for name in exercises.identifiers(lecture)]


@pytest.mark.parametrize("identifier", ALL)
def test_the_reference_is_right(identifier, capsys):
    reference = exercises.find(identifier).reference
    assert exercises.use(identifier, reference) is reference
    assert f"{identifier}: correct" in capsys.readouterr().out


@pytest.mark.parametrize("identifier", ALL)
def test_the_stub_is_open_and_the_notebook_goes_on(identifier, capsys):
    reference = exercises.find(identifier).reference
    name = f"{reference.__module__}.{reference.__qualname__}"
    scope = dict(vars(inspect.getmodule(reference)))
    exec(built(name), scope)
    stub = scope[reference.__name__]
    assert stub is not reference
    assert exercises.use(identifier, stub) is reference
    assert "not solved yet" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ALL)
def test_every_mistake_is_refused_by_its_own_name(identifier, capsys):
    asked = exercises.find(identifier)
    assert len(asked.mistakes) >= 2
    assert exercises.faults(identifier) == []
    meanings = [meaning for _, meaning in asked.mistakes]
    for wrong, meaning in asked.mistakes:
        assert exercises.use(identifier, wrong) is asked.reference
        said = " ".join(capsys.readouterr().out.split())
        assert f"{identifier}: not yet" in said
        assert " ".join(meaning.split()) in said or meanings.count(meaning) > 1, meaning


@pytest.mark.parametrize("identifier", ALL)
def test_an_answer_in_float32_is_right(identifier, capsys):
    asked = exercises.find(identifier)
    if inspect.isclass(asked.reference):
        pytest.skip("a layer computes in float32 as it is")
    cases = asked.cases
    parts = keras.tree.flatten([cases, exercises._outcomes(asked, asked.reference, cases)])
    if np.float64 not in [getattr(part, "dtype", None) for part in parts]:
        pytest.skip("neither its arguments nor its results are float64")

    def single(value):
        if isinstance(value, tuple):
            return tuple(map(single, value))
        return np.float32(value) if getattr(value, "dtype", None) == np.float64 else value

    def answer(*arguments):
        return single(asked.reference(*map(single, arguments)))

    assert exercises.use(identifier, answer) is answer, capsys.readouterr().out


@pytest.mark.parametrize("identifier", ALL)
def test_it_says_what_it_takes_and_how_it_is_solved(identifier, capsys, monkeypatch):
    asked = exercises.find(identifier)
    assert 1 <= asked.level <= 5 and 1 <= asked.takes <= 30 and len(asked.hints) == 2
    for number in (1, 2):
        exercises.hint(identifier)
        assert f"Hint {number} of 2" in capsys.readouterr().out
    exercises.solution(identifier)
    assert asked.reference.__name__ in capsys.readouterr().out
    monkeypatch.setenv("COURSE_SOLUTIONS", "0")
    exercises.solution(identifier)
    assert "def " not in capsys.readouterr().out


@pytest.fixture
def scaled(monkeypatch):
    """A small exercise of its own: `scaled(x, factor)` and the sum of `x`."""
    monkeypatch.setattr(exercises, "_exercises", {})

    def scaled(x, factor):
        """Return the product and the sum."""
        return factor * x, x.sum()

    @exercises.exercise(
        "99.1",
        scaled,
        mistakes=[
            ("factor * x", "factor + x", "you added the factor"),
            (lambda x, factor: (factor * x, x.mean()), "that is the mean"),
            (lambda x, factor: (np.split(x, 7), 0), "seven parts"),
        ],
        takes=1,
        level=1,
        hints=["Multiply.", "Then add up."],
        reasoning="Because.",
        solved="Good.",
    )
    def vectors(draw):
        yield draw.normal(size=5), 3.0
        yield draw.normal(size=2), -2.0

    return scaled


@pytest.mark.parametrize(
    ("answer", "telling"),
    [
        (lambda x, factor: print(end=""), "returned None"),
        (lambda x, factor: (factor + x, x.sum() + 1), "you added the factor"),
        (lambda x, factor: (factor * x, x.mean()), "that is the mean"),
        (lambda x, factor: (factor * x + 9, x.mean()), "result 2: that is the mean"),
        (lambda x, factor: np.split(x, 7), "seven parts"),
        (lambda x, factor: np.split(x, 9), "`(lambda x, factor: np.split(x, 9), "),
        (lambda x, factor: (factor * x[:, None], x.sum()), "shape (2,), not (2, 1)"),
        (lambda x, factor: (factor * x / 0, x.sum()), "not finite"),
        (lambda x, factor: (factor * x + 1, x.sum()), "expected [-"),
        (lambda x, factor: (x * factor, x.sum(), x.sort())[:2], "changes an argument in place"),
        (3.0, "function"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_wrong_answer_is_told_why(scaled, answer, telling, capsys):
    assert exercises.use("99.1", answer) is scaled
    assert telling in " ".join(capsys.readouterr().out.split())


def test_strict_refusals_raise(scaled, monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="99.1"):
        exercises.use("99.1", None)


def test_a_mistake_that_is_none_is_found(scaled):
    asked = exercises.find("99.1")
    asked.mistakes.append((scaled, "no mistake"))
    assert "no mistake" in exercises.faults("99.1")[0]


def test_an_edit_of_a_text_that_is_gone_names_it(scaled):
    exercises.find("99.1").declared.append(("x.max()", "x.min()", "that is the least"))
    with pytest.raises(ValueError, match=r"99.1: .*'x\.max\(\)'.* scaled"):
        exercises.faults("99.1")


def test_an_unknown_number_and_one_given_twice_are_refused(scaled):
    with pytest.raises(ValueError, match="99.1"):
        exercises.check("99.7", scaled)
    with pytest.raises(ValueError, match="twice"):

        @exercises.exercise(
            "99.1", scaled, mistakes=[], takes=1, level=1, hints=[], reasoning="", solved=""
        )
        def other(draw):
            yield ()


def test_a_layer_is_compared_with_the_same_weights(monkeypatch, capsys):
    import keras

    monkeypatch.setattr(exercises, "_exercises", {})

    @keras.saving.register_keras_serializable(package="tests")
    class Scale(keras.layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight(shape=(shape[-1],))

        def call(self, x):
            return x * self.scale

    reference = Scale

    class Shift(Scale):
        def call(self, x):
            return x + self.scale

    texts = {"takes": 1, "level": 1, "hints": [], "reasoning": "", "solved": ""}
    mistakes, run = [(Shift, "you added")], exercises.layer_outputs
    exercises.exercise("99.2", reference, mistakes=mistakes, run=run, **texts)(
        lambda draw: iter([draw.normal(size=(2, 3)).astype("float32")])
    )

    @keras.saving.register_keras_serializable(package="tests")
    class Scale(keras.layers.Layer):  # the student's, under the same name
        def build(self, shape):
            self.scale = self.add_weight(shape=(shape[-1],))

        def call(self, x): ...

    assert exercises.use("99.2", Scale) is reference
    assert "`call`" in capsys.readouterr().out  # `build` is written
    assert keras.saving.get_registered_object("tests>Scale") is reference
    assert exercises.use("99.2", Shift) is reference
    assert "you added" in capsys.readouterr().out


def test_a_lecture_names_each_of_its_exercises_once():
    for path in (Path(ROOT) / "lectures").glob("*.py"):
        number = path.stem.partition("_")[0]
        text = path.read_text(encoding="utf-8")
        for identifier in exercises.identifiers(number):
            asked = rf'exercises\.(?:use|check)\("{identifier}"'
            assert len(re.findall(asked, text)) == 1, identifier


def test_progress_is_kept_beside_the_students_notebooks_only(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exercises, "_states", {})
    exercises.check("01.1", exercises.find("01.1").reference)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "progress.json").write_text(
        '{"01.2": "solved", "01.3": "not yet"}', encoding="utf-8"
    )
    exercises.check("01.1", lambda *arguments: 1)
    monkeypatch.setattr(exercises, "_states", {})  # as in the next session
    row = exercises.progress().rows[0]
    assert (row["solved"], row["not yet"]) == (1, "01.1, 01.3")
    assert row["open"].startswith("01.4")
