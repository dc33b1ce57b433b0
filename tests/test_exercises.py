"""Every declared exercise: its reference is right, its stub is open, its mistakes are named."""

import contextlib
import functools
import gc
import inspect
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
import weakref

import keras
import numpy as np
import pytest
from answers import tier

from course_utils import checks, exercises, progress
from course_utils.data.base import Dataset, Split
from tools import source
from tools.shows import ROOT, built

ALL = exercises.identifiers()


def typed(source, name, scope, cell="<cell>"):
    """What a cell with this text defines under a name."""
    linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
    scope = dict(scope)
    exec(compile(source, cell, "exec"), scope)
    return scope[name]


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ALL)
def test_the_reference_is_right(identifier, capsys, monkeypatch):
    monkeypatch.setattr(exercises, "_refuse_own", lambda answer, reference: None)
    reference = exercises.find(identifier).reference
    assert exercises.use(identifier, reference) is reference
    assert f"{identifier}: correct" in capsys.readouterr().out


def test_a_kept_refusal_lets_go_of_the_model():
    """Of a class's notebooks, and of these tests, hundreds are refused in one process."""
    seen = []

    def outcome(answer, case):
        model = keras.Sequential([])
        seen.append(weakref.ref(model))
        raise exercises.Wrong("not trained", "no call of fit")

    asked = types.SimpleNamespace(cases=[()], limit=10, outcome=outcome, reference=None)
    kept = exercises._new_outcome(asked, None, 0)
    gc.collect()
    assert (str(kept), kept.mistake, seen[0]()) == ("not trained", "no call of fit", None)


@pytest.mark.parametrize("identifier", [one for one in ALL if exercises.find(one).trains])
def test_the_check_of_a_training_calls_the_answer(identifier):
    """The check trains no reference, which would show a mistake in its code."""

    class Called(Exception):
        pass

    asked = exercises.find(identifier)

    @functools.wraps(asked.reference)
    def answer(*arguments, **named):
        raise Called

    with pytest.raises(Called):
        asked.trains(answer, *asked.cases[0])


@pytest.mark.parametrize("identifier", ALL)
def test_the_courses_own_definition_is_no_answer(identifier, capsys):
    """After a refusal the student's name is bound to it, and the check cell is run again."""
    verdict = exercises.judge(identifier, exercises.find(identifier).reference)
    assert verdict.state == "open"
    assert "run the cell with your definition again" in verdict.message
    assert identifier not in progress.entries()


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


@pytest.mark.parametrize("identifier", [pytest.param(one, marks=tier(one)) for one in ALL])
def test_every_mistake_is_refused_by_its_own_name(identifier, capsys):
    asked = exercises.find(identifier)
    assert len(asked.mistakes) >= 2
    assert exercises.faults(identifier) == []
    meanings = [meaning for _, meaning in asked.mistakes]
    for wrong, meaning in asked.mistakes:
        assert exercises.use(identifier, wrong) is asked.reference
        said = " ".join(capsys.readouterr().out.split())
        assert f"{identifier}: not yet" in said
        told = " ".join(meaning.split()).casefold() in said.casefold()
        assert told or meanings.count(meaning) > 1, meaning


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ALL)
def test_an_answer_in_float32_is_right(identifier, capsys):
    asked = exercises.find(identifier)
    if inspect.isclass(asked.reference):
        pytest.skip("a layer computes in float32 as it is")
    parts = keras.tree.flatten([asked.cases, exercises._outcomes(asked, asked.reference)])
    if np.float64 not in [getattr(part, "dtype", None) for part in parts]:
        pytest.skip("neither its arguments nor its results are float64")

    def single(value):
        if isinstance(value, tuple):
            return tuple(map(single, value))
        return np.float32(value) if getattr(value, "dtype", None) == np.float64 else value

    def answer(*arguments):
        return single(asked.reference(*map(single, arguments)))

    answer.__signature__ = inspect.signature(asked.reference)  # names of arguments count

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


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    monkeypatch.setattr(progress, "_session", {})
    monkeypatch.setattr(progress, "_unsaved", set())


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
        compares=("the products", "the sum"),
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
        (lambda x, factor: (factor * x + 9, x.mean()), "the sum: that is the mean"),
        (lambda x, factor: np.split(x, 7), "seven parts"),
        (lambda x, factor: np.split(x, 9), "`(lambda x, factor: np.split(x, 9), "),
        (lambda x, factor: json.loads("{"), "`(lambda x, factor: json.loads("),
        (
            lambda x, factor: (factor * x[:, None], x.sum()),
            "the products have the shape (2, 1), and (2,) is expected (for x=",
        ),
        (lambda x, factor: (factor * x / 0, x.sum()), "not finite"),
        (lambda x, factor: (factor * x + 1, x.sum()), "every number is 1 too large"),
        (lambda x, factor: (x * factor, x.sum(), x.sort())[:2], "changes an argument in place"),
        (lambda x, factor: (factor * x, x.sum() + 9), "the sum is "),
        (lambda x, factor: 2 * factor, "return 2 results: the products, the sum; you returned"),
        (lambda x, factor: (factor * x, x.mean(), 0), "the products, the sum; you returned 3"),
        (lambda x, factor: (None, x.sum()), "the products are None: is a `return` missing?"),
        (lambda x, factor: (x @ np.ones((9, 2)), 0), "columns meet 9 rows"),
        (lambda x: (x, x.sum()), "`scaled(x, factor)` is asked for; yours takes 1 positional"),
        (3.0, "function"),
    ],
)
def test_a_wrong_answer_is_told_why(scaled, answer, telling, capsys):
    assert exercises.use("99.1", answer) is scaled
    assert telling in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "huge",
    [
        np.ones((400, 300)),
        "word " * 5_000,
        [["film"] * 40] * 300,
        [np.ones(7)] * 900,
        {"key": np.ones((50, 50))},
        object(),
    ],
    ids=lambda huge: type(huge).__name__,
)
def test_no_answer_makes_a_long_message(scaled, huge):
    def raises(x, factor):
        raise ValueError(f"{huge}\n" * 30)

    for answer in (lambda x, factor: huge, lambda x, factor: (huge, huge), raises):
        found = exercises.judge("99.1", answer)
        assert found.state == "not yet"
        lines = exercises._filled(found.message).splitlines()
        assert len(lines) <= 12 and max(map(len, lines)) <= 96
    told = exercises._short("a line\n" * 90)
    assert len(told.splitlines()) == 12 and told.endswith("…")


def test_an_error_of_the_check_is_not_told_as_the_students(scaled):
    mine = typed(RIGHT, "scaled", {"np": np})

    def check():
        return mine(np.ones(2), 2).output_shape

    found = exercises.errors.explained(raised(check), mine, scaled)
    assert found.startswith("what your code gives fails when it is used")


def raised(call):
    try:
        call()
    except Exception as error:
        return error


def test_checks_build_with_what_was_accepted(scaled, monkeypatch):
    monkeypatch.setattr(exercises, "_accepted", {})
    assert exercises.accepted("99.1") is scaled
    exercises.judge("99.1", lambda x, factor: (0, 0))
    assert exercises.accepted("99.1") is scaled
    mine = typed(RIGHT, "scaled", {"np": np})
    exercises.judge("99.1", mine)
    assert exercises.accepted("99.1") is mine


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ALL)
def test_each_part_of_a_result_has_a_name(identifier):
    asked = exercises.find(identifier)
    parts = exercises._parts(exercises._outcomes(asked, asked.reference))
    assert len(asked.names) == max(1, parts)
    assert not any(name.startswith("result") for name in asked.names)


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
    mistakes, run = [(Shift, "you added")], checks.layer_outputs
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
    assert exercises.judge("99.2", type("Scale", (reference,), {})).state == "open"


def test_what_is_kept_back_is_what_the_student_does_not_get():
    split = Split(np.arange(7), np.arange(7))
    shown, unseen = checks.kept_back(Dataset("any", split, split, split))
    assert (*shown.val.inputs, *unseen.inputs) == (0, 2, 4, 6, 1, 3, 5)
    assert len(shown.train) == 7


def test_weights_are_alike_in_whatever_order_they_were_made():
    shapes = {"w": (4, 2), "b": (2,)}

    class Affine(keras.layers.Layer):
        def __init__(self, order):
            super().__init__()
            self.order = order

        def build(self, shape):
            for name in self.order:
                setattr(self, name, self.add_weight(shape=shapes[name]))

        def call(self, x):
            return x @ self.w + self.b

    x = checks.vectors(np.random.default_rng(0), 3, 4)
    one, other = (
        checks.layer_outputs(lambda order=order: Affine(order), x) for order in ("wb", "bw")
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("call", "telling"),
    [
        (lambda x: keras.ops.reshape(x, (-1, 3)), None),
        (lambda x: keras.ops.reshape(x, (x.shape[0], x.shape[1] * 3)), "ops.shape(x)"),
        (lambda x: np.tanh(x), "use keras.ops"),
    ],
)
def test_what_is_called_has_to_run_where_shapes_are_open(call, telling):
    holds = checks.open_shapes(lambda answer: answer, (None, 3))
    if telling is None:
        holds(call)
        return
    with pytest.raises(exercises.Wrong, match=re.escape(telling)) as refused:
        holds(call)
    assert "are open (None)" in str(refused.value)


@pytest.mark.parametrize(
    ("shapes", "telling"),
    [
        ([(3, 4)], "a layer is not asked for"),
        ([(3, 5), (4,)], "should have the shape (3, 5), not (3, 4)"),
        ([(3, 4), (4,), (4, 1)], "(4, 1), and it is missing"),
    ],
)
def test_other_weights_are_refused_by_their_shape(shapes, telling):
    layer = keras.layers.Dense(4)
    layer.build((None, 3))
    checks.require_weights(layer, [(3, 4), (4,)], ordered=True)
    checks.require_weights(layer, [(4,), (3, 4)])
    with pytest.raises(exercises.Wrong, match="in another order|in the order of the shapes"):
        checks.require_weights(layer, [(4,), (3, 4)], ordered=True)
    with pytest.raises(exercises.Wrong, match=re.escape(telling)):
        checks.require_weights(layer, shapes)


def test_a_lecture_names_each_of_its_exercises_once():
    for path in source.lectures():
        text = path.read_text(encoding="utf-8")
        for identifier in exercises.identifiers(source.number(path)):
            asked = rf'exercises\.(?:use|check)\("{identifier}"'
            assert len(re.findall(asked, text)) == 1, identifier


WRONG = "def scaled(x, factor):\n    return factor + x, x.sum()\n"
RIGHT = "def scaled(x, factor):\n    return x * factor, np.sum(x)\n"
STUB = "def scaled(x, factor): ...\n"
RAISES = "def scaled(x, factor):\n    return factor / 0\n"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("first", [STUB, WRONG, RAISES, "1 / 0\n"])
def test_a_check_cell_run_again_does_not_check_the_courses_own(
    scaled, first, strict, monkeypatch, capsys
):
    cells = {"np": np, "scaled": exercises.use("99.1", None)}
    if strict:
        monkeypatch.setenv("COURSE_STRICT", "1")

    def run_definition(source):
        with contextlib.suppress(ZeroDivisionError):  # the name keeps what it had
            cells["scaled"] = typed(source, "scaled", cells)

    def run_check():
        try:
            cells["scaled"] = exercises.use("99.1", cells["scaled"])
        except AssertionError as refusal:
            print(refusal)

    run_definition(first)
    run_check()
    kept = progress.entries()
    assert "correct" not in capsys.readouterr().out
    if strict:  # the cell has raised, so the name is still bound to the student's
        cells["scaled"] = scaled
    for _ in range(2):
        run_check()
        said = " ".join(capsys.readouterr().out.split())
        assert "this is the course's own definition" in said and "correct" not in said
    assert progress.entries() == kept
    assert kept.get("99.1", {}).get("state") == (
        "not yet" if first in (WRONG, RAISES) else None
    )
    run_definition(RIGHT)
    for _ in range(2):
        run_check()
        assert "99.1: correct" in capsys.readouterr().out
    assert progress.entries()["99.1"]["state"] == "solved"


def test_a_solution_that_was_read_and_typed_counts(scaled):
    source = textwrap.dedent(inspect.getsource(scaled))
    assert exercises.judge("99.1", typed(source, "scaled", {})).state == "solved"


def test_what_stands_for_the_courses_own_is_refused_too(scaled):
    @functools.wraps(scaled)
    def wrapped(x, factor):
        return scaled(x, factor)

    copy = types.FunctionType(scaled.__code__, {}, "mine")
    for own in (functools.partial(scaled), functools.partial(wrapped), wrapped, copy):
        assert exercises.judge("99.1", own).state == "open"


@pytest.mark.parametrize("called", ["scaled", "course.scaled"])
def test_what_calls_the_courses_own_is_no_answer(scaled, called):
    scope = {"scaled": scaled, "course": types.ModuleType("course")}
    scope["course"].scaled = scaled
    exec(f"def mine(x, factor): return {called}(x, factor)", scope)
    verdict = exercises.judge("99.1", scope["mine"])
    assert verdict.state == "open" and "calls the course's own" in verdict.message


def test_a_verdict_knows_the_mistake(scaled, capsys):
    verdict = exercises.judge("99.1", lambda x, factor: (factor + x, x.sum()))
    assert (verdict.state, verdict.mistake) == ("not yet", "you added the factor")
    verdict = exercises.judge("99.1", lambda x, factor: (factor * x + 9, x.mean()))
    assert verdict.mistake == "that is the mean"
    assert exercises.judge("99.1", lambda x, factor: (0, 0)).mistake is None
    kept = {"state": "not yet", "mistakes": ["you added the factor", "that is the mean"]}
    assert progress.entries() == {"99.1": kept}


def test_a_notebook_shows_a_verdict_with_sign_words_and_colour(scaled, monkeypatch):
    shown, shell = [], types.SimpleNamespace(get_ipython=lambda: True)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    module = types.SimpleNamespace(display=lambda forms, raw: shown.append(forms))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    answers = (None, lambda x, factor: "`<x>`", typed(RIGHT, "scaled", {"np": np}))
    for answer, sign in zip(answers, "○✗✓", strict=True):
        exercises.use("99.1", answer)
        forms = shown.pop()
        assert forms["text/plain"].startswith(f"{sign} 99.1: ")
        assert f"<b>{sign}</b> 99.1: " in forms["text/html"] and "<x>" not in forms["text/html"]
    assert len(set(exercises.STATES.values())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("seconds", [0, 0.001, 600])
def test_an_answer_without_an_end_is_ended(scaled, in_thread, seconds):
    if seconds == 600 and (in_thread or not hasattr(signal, "setitimer")):
        pytest.skip("only a signal ends what sleeps")
    object.__setattr__(exercises.find("99.1"), "limit", 0.3)
    found = []

    def endless(x, factor):
        while True:
            time.sleep(seconds)

    def judged():
        found.append(exercises.judge("99.1", endless).message)

    if in_thread:
        thread = threading.Thread(target=judged)
        thread.start()
        thread.join(60)
    else:
        judged()
    assert "did not finish within 0.3 seconds" in found[0]


def test_a_block_that_waits_for_others_has_longer(monkeypatch):
    wall, computed = [0.0], [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: wall[0])
    monkeypatch.setattr(time, "process_time", lambda: computed[0])
    over = exercises._clock(30)
    for wall[0], computed[0], told in (
        (29, 29, False), (31, 31, True), (119, 29, False), (121, 1, True)
    ):  # fmt: skip
        assert over() == told


WAYS = [exercises._watch, *([exercises._alarm] if hasattr(signal, "setitimer") else [])]


@pytest.mark.parametrize("limited", WAYS)
def test_a_limit_ends_its_block_and_nothing_after_it(limited):
    """The blocks last about as long as they may: what is raised, is raised inside."""
    ended = 0
    for number in range(300):
        try:
            with limited(0.0005):
                time.sleep(0.0015 + 0.000003 * number)
        except exercises._TooLong:
            ended += 1
        for _ in range(200):  # where it was raised before
            pass
    time.sleep(0.01)
    assert ended < 300


@pytest.mark.parametrize(
    ("asked", "meant"), [("2.1", "02.1"), (2.1, "02.1"), ("3b.1", "03b.1"), (" 02.1", "02.1")]
)
@pytest.mark.parametrize("function", [exercises.hint, exercises.solution, exercises.find])
def test_a_number_that_is_written_otherwise_is_guessed(function, asked, meant):
    with pytest.raises(ValueError, match=f"do you mean '{meant}'"):
        function(asked)


@pytest.mark.parametrize("asked", [None, 7, "", "seven", "02", ["02.1"]])
def test_what_names_no_exercise_is_told_with_the_choices(asked):
    with pytest.raises(ValueError, match=r"no exercise .* are: .*0\d"):
        exercises.hint(asked)


def test_without_solutions_no_sentence_leads_to_them(scaled, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_SOLUTIONS", "0")
    monkeypatch.setattr(exercises, "_hints_given", {})
    exercises.solution("99.1")
    assert "exercises.hint" in capsys.readouterr().out
    for _ in range(2):
        exercises.hint("99.1")
    assert "solution" not in capsys.readouterr().out
    exercises.solution("99.1")
    assert "exercises.hint" not in capsys.readouterr().out


@pytest.fixture
def file(monkeypatch, tmp_path):
    """The progress file of a student's folder, which knows two exercises."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "progress.json"
    path.write_text(
        '{"01.1": "solved", "01.3": {"state": "not yet", "mistakes": ["a"]}}', encoding="utf-8"
    )
    return path


def states():
    return {name: entry["state"] for name, entry in progress.entries().items()}


KNOWN = {"01.1": "solved", "01.3": "not yet"}


def test_progress_is_kept_beside_the_students_notebooks_only(monkeypatch, tmp_path, scaled):
    monkeypatch.chdir(tmp_path)
    exercises.check("99.1", typed(RIGHT, "scaled", {"np": np}))
    assert list(tmp_path.iterdir()) == []
    assert states() == {"99.1": "solved"}


def test_progress_goes_on_in_the_next_session(file, monkeypatch):
    progress.remember("01.2", "not yet", "b")
    progress.remember("01.3", "solved")
    monkeypatch.setattr(progress, "_session", {})
    assert states() == KNOWN | {"01.2": "not yet", "01.3": "solved"}
    assert progress.entries()["01.3"]["mistakes"] == ["a"]
    row = exercises.progress().rows[0]
    assert (row["solved"], row["not yet"]) == (2, "01.2")
    assert row["open"].startswith("01.4")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_progress_in_any_encoding_is_read(file, encoding, capsys):
    file.write_text(file.read_text(encoding="utf-8"), encoding=encoding)
    progress.remember("01.2", "solved")
    assert states() == KNOWN | {"01.2": "solved"}
    assert json.loads(file.read_text(encoding="utf-8")).keys() == states().keys()
    assert capsys.readouterr().out == ""


def test_progress_that_was_cut_is_set_aside(file, capsys):
    whole = file.read_bytes()
    for length in range(1, len(whole)):
        progress._session.clear()
        progress.remember("01.9", "solved")
        file.write_bytes(whole[:length])
        assert states() == {"01.9": "solved"}
        assert f"kept as progress-damaged-{length}.json" in capsys.readouterr().out
        assert file.with_name(f"progress-damaged-{length}.json").read_bytes() == whole[:length]
        progress.remember("01.2", "solved")
        assert json.loads(file.read_bytes()).keys() == {"01.2", "01.9"}


@pytest.mark.parametrize("content", ["[]", "3", "[" * 100_000, "\0", "{'a': 1}"])
def test_progress_of_another_kind_is_set_aside(file, content, capsys):
    file.write_text(content, encoding="utf-8")
    progress.remember("01.2", "solved")
    assert states() == {"01.2": "solved"}
    assert file.with_name("progress-damaged-1.json").read_text(encoding="utf-8") == content
    assert "progress-damaged-1.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    "entry", [None, 1, [], {}, {"state": 3}, {"state": "x", "mistakes": 1}]
)
def test_an_entry_that_says_nothing_counts_as_open(file, entry):
    file.write_text(json.dumps({"01.1": entry, "01.2": "solved"}), encoding="utf-8")
    assert states() == {"01.2": "solved"}
    progress.remember("01.1", "solved")
    assert states() == {"01.1": "solved", "01.2": "solved"}


@pytest.mark.parametrize("damaged", [False, True])
def test_a_full_disk_stops_nothing_and_is_made_up_for(file, damaged, monkeypatch, capsys):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    before = b"{" if damaged else file.read_bytes()
    file.write_bytes(before)
    with monkeypatch.context() as patched:
        patched.setattr(progress.results, "write", full)
        progress.remember("01.2", "solved")
        assert capsys.readouterr().out.count("\n") == 1
        assert states()["01.2"] == "solved"
        assert file.read_bytes() == before
    progress.remember("01.4", "solved")
    expected = {} if damaged else KNOWN
    assert states() == expected | {"01.2": "solved", "01.4": "solved"}
    assert json.loads(file.read_bytes()).keys() == states().keys()


def test_two_kernels_lose_nothing_of_each_other(file):
    program = (
        "import sys\nfrom course_utils import progress\n"
        "for number in range(20):\n    progress.remember(f'{sys.argv[1]}.{number}', 'solved')\n"
    )
    command = [sys.executable, "-c", program]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    kernels = [subprocess.Popen([*command, name], env=environment) for name in ("02", "03")]
    assert [kernel.wait() for kernel in kernels] == [0, 0]
    both = [f"{name}.{number}" for name in ("02", "03") for number in range(20)]
    assert states() == KNOWN | dict.fromkeys(both, "solved")


def test_an_older_state_is_not_put_back(file):
    progress.remember("01.1", "not yet")
    file.write_text('{"01.1": "solved"}', encoding="utf-8")  # by another kernel
    progress.remember("01.2", "solved")
    assert states() == {"01.1": "solved", "01.2": "solved"}
