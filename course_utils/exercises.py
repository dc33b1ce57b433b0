"""Exercises: students' definitions are tested, explained, and used by the rest of a notebook.

An exercise is declared once, in `lectures/lecture_<number>/exercises.py`. Its answer key
is a definition of the course (the reference). Its mistakes are edits of that definition's text,
or functions: they are run on the same inputs as the student's, so that a wrong answer is told
by name.

    @exercise(
        "03.3",
        forget_bias,
        mistakes=[
            ("np.log(gate / (1 - gate))", "gate", "that is the gate; find the bias"),
            (lambda half_life: 0.0, "a bias of 0 halves c at every step"),
        ],
        takes=5,
        level=2,
        hints=["First find the gate f with fⁿ = 0.5.", "Then the bias whose sigmoid is f."],
        reasoning="The gate is the n-th root of 0.5; the bias is its logit.",
        solved="A gate of 0.986 sounds like nearly everything; fifty steps on, half is gone.",
    )
    def half_lives(draw):
        yield from ((50,), (7,))

The decorated function yields the arguments of one call after another, drawn from the
`numpy.random.Generator` that it is given; if it draws, it is asked with more than one seed.
What the checks of several exercises share is in `course_utils.checks`.
"""

import contextlib
import copy
import ctypes
import dis
import html
import importlib
import inspect
import io
import os
import re
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from course_utils import differences, errors, results
from course_utils import progress as kept_progress
from course_utils.differences import same, within  # noqa: F401 (of declarations)
from course_utils.figures import COLOURS

SEEDS = (0, 1)
WIDTH, LINES = 96, 12  # of a message
IDLE = set("RESUME NOP LOAD_CONST POP_TOP RETURN_VALUE RETURN_CONST COPY_FREE_VARS".split())

SIGNS = {"solved": "✓", "not yet": "✗", "open": "○"}
STATES = {"solved": COLOURS[2], "not yet": COLOURS[1], "open": "#767676"}

_exercises = {}
_accepted = {}  # the student's own definitions, by exercise
_hints_given = {}


class Wrong(Exception):
    """An answer that is not right yet; the text explains the mistake.

    `mistake` is its meaning, without this answer's numbers; None where it has no name.
    """

    def __init__(self, explanation, mistake=None):
        super().__init__(explanation)
        self.mistake = mistake


class NotSolved(Exception):
    """An answer that nobody has written yet; the text says what is to do."""


@dataclass(frozen=True)
class Verdict:
    """What a check found: `state` is "solved", "not yet" or "open"; see `Wrong.mistake`."""

    identifier: str
    state: str
    message: str
    mistake: str | None = None


@dataclass(frozen=True, eq=False)
class Exercise:
    """A declared exercise.

    Args:
        identifier: lecture and number, such as "03.2".
        reference: the library's definition, a function or a layer's class.
        inputs: the decorated function, which draws the inputs of the check.
        declared: the mistakes, the likeliest first, each a tuple that ends in what it means.
            Before that stands a wrong definition, or what is replaced in the reference's text
            and by what: ("x + y", "y", "the residual is missing"), with several edits one
            after the other.
        takes: minutes that a student needs.
        level: how hard it is, 1 to 5.
        hints: two sentences; `hint` gives one more per call.
        reasoning: why the solution is as it is.
        solved: one sentence that a right answer earns: what to take from the exercise.
        properties: functions of the answer that call `require` on what must hold of it besides,
            such as that pads change nothing.
        run: function of an answer and one call's arguments that returns what is compared.
        trains: in place of `run`, a function of the same that trains with the answer and calls
            `require` on what comes out. The reference is not trained: tests do that.
        compares: what the results are called, in words of the text, a name for each where `run`
            or the reference gives a tuple: ("the tokens", "the number of parameters").
        equal: function of a given and an expected result; by default all numbers in them agree
            to four digits.
        limit: seconds that one call may take, so that an endless loop ends.
    """

    identifier: str
    reference: Callable
    inputs: Callable
    declared: list
    takes: int
    level: int
    hints: list
    reasoning: str
    solved: str
    properties: list = ()
    run: Callable = lambda answer, *arguments: answer(*arguments)
    trains: Callable | None = None
    compares: str | tuple = "the result"
    equal: Callable = same
    limit: float = 30

    def outcome(self, answer, arguments):
        """Return what an answer gives for one call's arguments."""
        if not self.trains:
            return self.run(answer, *arguments)
        if answer is not self.reference:
            self.trains(answer, *arguments)
        return True

    @cached_property
    def names(self):
        """What each part of a result is called."""
        named = (self.compares,) if isinstance(self.compares, str) else self.compares
        parts = _parts(_outcomes(self, self.reference))
        return named if len(named) >= parts else [f"result {i + 1}" for i in range(parts)]

    @cached_property
    def mistakes(self):
        """Pairs (wrong definition, what it means); the edits are made here."""
        return [
            (_edited(self, *wrong) if isinstance(wrong[0], str) else wrong[0], meaning)
            for *wrong, meaning in self.declared
        ]

    @cached_property
    def cases(self):
        """The drawn inputs, a tuple of arguments each, smallest first."""
        drawn = []
        for seed in SEEDS:
            draw = np.random.default_rng(seed)
            before = draw.bit_generator.state
            with contextlib.redirect_stdout(io.StringIO()):  # the lecture says what it loads
                drawn += self.inputs(draw)
            if draw.bit_generator.state == before:
                break  # nothing was drawn: another seed would give the same again
        tuples = [one if isinstance(one, tuple) else (one,) for one in drawn]
        return sorted(tuples, key=_size)


def exercise(identifier, reference, *, mistakes, **settings):
    """Declare an `Exercise`; the decorated function draws the inputs of its check.

    Raises:
        ValueError: for an identifier that is declared twice.
    """

    def register(inputs):
        known = _exercises.get(identifier)
        if known and known.inputs.__code__ != inputs.__code__:  # a module may be reloaded
            raise ValueError(
                f"exercise {identifier} is declared twice; give one another number"
            )
        _exercises[identifier] = Exercise(identifier, reference, inputs, mistakes, **settings)
        return inputs

    return register


def use(identifier, answer):
    """Test a student's definition; return it if it is right, else the course's own.

    Args:
        identifier: the exercise, such as "06.3".
        answer: the student's function or class.

    Raises:
        ValueError: for an exercise that does not exist.
        AssertionError: with COURSE_STRICT=1, when the answer is not right.
    """
    reference = find(identifier).reference
    found = judge(identifier, answer)
    if found.state == "solved":
        _show(found)
        return answer
    _show(found, f"The course's own {reference.__name__} is used below.")
    _register_again(reference)
    return reference


def check(identifier, answer):
    """Print whether `answer` solves the exercise, and if not, why; raise as `use` does."""
    _show(judge(identifier, answer))


def judge(identifier, answer):
    """Return the `Verdict` on an answer, and keep it (`course_utils.progress`).

    An answer that is open changes nothing that is kept: the stub, and the course's own
    definition, which bears the student's name after a refusal.
    Raises AssertionError with COURSE_STRICT=1, when the answer is not right.
    """
    asked = find(identifier)
    try:
        _refuse_own(answer, asked.reference)
        _judge(asked, answer)
        if told := _other_arguments(answer, asked.reference, bool(asked.trains)):
            raise Wrong(told, told)
        if _calls(answer, asked.reference):
            own = f"the course's own `{asked.reference.__name__}`"
            raise NotSolved(f"your code calls {own}: write what it does.")
    except NotSolved as stub:
        found = Verdict(identifier, "open", f"{identifier}: {stub}")
    except Wrong as wrong:
        message = _short(f"{identifier}: not yet: {_ended(str(wrong))}")
        found = Verdict(identifier, "not yet", message, wrong.mistake)
    else:
        message = f"{identifier}: correct. {asked.solved}"
        found = Verdict(identifier, "solved", message)
        if _accepted.get(identifier) is not answer:
            _accepted[identifier] = answer
            _kept_outcome.cache_clear()  # checks of later exercises build with it
    if found.state != "open":
        kept_progress.remember(identifier, found.state, found.mistake)
    if found.state != "solved" and os.environ.get("COURSE_STRICT") == "1":
        raise AssertionError(found.message)
    return found


def accepted(identifier):
    """Return the student's definition that solved an exercise in this session, else ours.

    For checks of what is built with it.
    """
    return _accepted.get(identifier, find(identifier).reference)


def hint(identifier):
    """Print the exercise's first hint; a further one with every further call."""
    hints = find(identifier).hints
    given = min(_hints_given.get(identifier, 0) + 1, len(hints))
    _hints_given[identifier] = given
    for number, text in enumerate(hints[:given], start=1):
        _say(f"Hint {number} of {len(hints)}: {text}")
    if given == len(hints) and _solutions_shown():
        print(f'That was the last; cu.exercises.solution("{identifier}") shows a solution.')
    elif given == len(hints):
        print("That was the last hint.")


def solution(identifier):
    """Print the library's own definition, which solves the exercise, and why it is so.

    With COURSE_SOLUTIONS=0, which a lecturer's notebooks can set, only the hints are given.
    """
    asked = find(identifier)
    if not _solutions_shown():
        print(f"{identifier}: your lecturer keeps the solutions.")
        if _hints_given.get(identifier, 0) < len(asked.hints):
            print(f'For a hint: cu.exercises.hint("{identifier}").')
        return
    print(inspect.getsource(asked.reference).rstrip())
    print()
    _say(asked.reasoning)


def _solutions_shown():
    return os.environ.get("COURSE_SOLUTIONS") != "0"


def progress():
    """Return a table of the lectures: which exercises are solved, not yet right, and open.

    Kept from session to session where `progress.json` lies, in the folder of the notebooks.
    """
    known, rows = kept_progress.entries(), {}
    for identifier in identifiers():
        lecture = identifier.partition(".")[0]
        row = rows.setdefault(
            lecture, {"lecture": lecture, "solved": 0, "not yet": [], "open": []}
        )
        state = known[identifier]["state"] if identifier in known else "open"
        if state == "solved":
            row["solved"] += 1
        else:
            row[state].append(identifier)
    return results.Table(
        row | {state: ", ".join(row[state]) or "–" for state in ("not yet", "open")}
        for row in rows.values()
    )


def require(condition, explanation):
    """Refuse the answer with `explanation` unless `condition` holds."""
    if not condition:
        raise Wrong(explanation, explanation)


def find(identifier):
    """Return a declared `Exercise`; raise ValueError, with the choices, where there is none."""
    # 2.1, "2.1" and "03B.2" are what people write for "02.1" and "03b.2".
    meant = re.sub(r"^(\d)(?!\d)", r"0\1", str(identifier).strip().lower())
    known = identifiers(meant.partition(".")[0])
    if identifier not in known or not isinstance(identifier, str):
        what = "its exercises" if known else "the lectures with exercises"
        choices = known or lectures()
        guess = f"; do you mean {meant!r}?" if meant in known else ";"
        raise ValueError(f"no exercise {identifier!r}{guess} {what} are: {', '.join(choices)}")
    return _exercises[identifier]


def identifiers(lecture=None):
    """Return the identifiers of a lecture's exercises ("03"), or of all lectures', in order."""
    for number in lectures():
        if lecture in (None, number):
            importlib.import_module(f"lectures.lecture_{number}.exercises")
    return sorted(name for name in _exercises if lecture in (None, name.partition(".")[0]))


def lectures():
    """Return the numbers of the lectures with exercises, in order."""
    found = (results.ROOT / "lectures").glob("lecture_*/exercises.py")
    return sorted(path.parent.name.removeprefix("lecture_") for path in found)


def faults(identifier):
    """Return what is wrong with a declaration: mistakes that equal the reference."""
    asked, found = find(identifier), []
    for wrong, meaning in asked.mistakes:
        try:
            _judge(asked, wrong)
        except Wrong:
            continue
        found.append(f"the mistake “{meaning}” equals the reference on all inputs: draw others")
    return found


@dataclass(frozen=True)
class _Raised:
    """The outcome of a call that raised: two such outcomes are equal if the errors are."""

    error: str
    told: str = field(compare=False)


def _ended(text):
    return text if text[-1] in ".?!\n" else f"{text}."


def _show(found, fallback=""):
    """Show a verdict: in a notebook with a colour, everywhere with a sign and in words."""
    hint = f'For a hint: cu.exercises.hint("{found.identifier}").'
    further = [line for line in ("" if found.state == "solved" else hint, fallback) if line]
    lines = [_filled(f"{SIGNS[found.state]} {found.message}"), *map(_filled, further)]
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not shell:
        print("\n".join(lines))
        return
    from IPython.display import display

    words = re.sub("`([^`\n]+)`", r"<code>\1</code>", html.escape(found.message, quote=False))
    small = "".join(
        f"<div><small>{html.escape(line, quote=False)}</small></div>" for line in further
    )
    style = f"border-left: 6px solid {STATES[found.state]}; padding: 2px 0 2px 12px"
    page = (
        f'<div style="{style}"><div style="white-space: pre-wrap">'
        f"<b>{SIGNS[found.state]}</b> {words}</div>{small}</div>"
    )
    display({"text/plain": "\n".join(lines), "text/html": page}, raw=True)


def _say(message):
    print(_filled(message))


def _filled(message):
    # What shows a matrix keeps its lines.
    fill = {"width": WIDTH, "break_on_hyphens": False}
    return "\n".join(textwrap.fill(line, **fill) for line in message.splitlines())


def _short(message):
    """The message, or as much of it as fits into `LINES` lines."""
    lines = _filled(message).splitlines()
    return message if len(lines) <= LINES else "\n".join([*lines[: LINES - 1], "…"])


def _judge(asked, answer):
    if answer is None or answer is ...:
        raise NotSolved("not solved yet.")
    _refuse_stub(answer, asked.reference)
    if not callable(answer):
        raise Wrong(f"this should be a function, but it is {answer!r}")
    given, expected = _outcomes(asked, answer), _outcomes(asked, asked.reference)
    for outcome in expected:
        if isinstance(outcome, _Raised):  # else every answer that raises, too, were right
            raise RuntimeError(f"{asked.identifier}: the course's own answer raised {outcome}")
    if not _all_equal(asked, given, expected):
        raise _explained(asked, given, expected)
    arrays = "NumPy array" in (inspect.getdoc(asked.reference) or "")
    if unlike := differences.unlike(given, expected, arrays):
        raise Wrong(f"the numbers are right, but {unlike}")
    for holds in asked.properties:
        try:
            holds(answer)
        except Wrong:
            raise
        except Exception as error:  # whatever a student's code raises, or its result causes
            raise Wrong(errors.explained(error, answer, asked.reference)) from error


def _explained(asked, given, expected):
    """Name the mistake that gives the same wrong results; else show the smallest difference."""
    case, mine, right = next(
        one
        for one in zip(asked.cases, given, expected, strict=True)
        if not _equal(asked, *one[1:])
    )
    meaning, place = _mistake(asked, given, expected)
    if isinstance(mine, _Raised):
        return Wrong(
            f"{_ended(mine.told)} {_capital(meaning)}" if meaning else mine.told, meaning
        )
    if meaning:
        single = case and not isinstance(right, tuple | dict)
        example = f" ({_difference(asked, case, mine, right)})" if single else ""
        example = example if len(example) < 120 else ""
        return Wrong(f"{place}{meaning}{example}", meaning)
    if mine is None:
        return Wrong("your function returned None: is a `return` missing?")
    return Wrong(_difference(asked, case, mine, right))


def _capital(text):
    """The text as a sentence of its own; names such as h_t or `mask` stay as they are."""
    word = text.split()[0]
    return text[0].upper() + text[1:] if word == "a" or word.isalpha() and word[1:] else text


def _mistake(asked, given, expected):
    """The meaning of the mistake that gives the same results, or one: then also which."""
    told = []
    for wrong, meaning in asked.mistakes:
        outcomes = []
        try:
            for number, mine in enumerate(given):
                outcomes.append(_outcome(asked, wrong, number))
                if not _anything_equal(asked, mine, outcomes[-1]):
                    break  # the other cases need not be computed
            else:
                if _all_equal(asked, given, outcomes):
                    return meaning, ""
                told.append((outcomes, meaning))
        except Wrong:  # its exercise's `run` tells it by name
            continue
    if _parts(given) != _parts(expected):  # which of them is which?
        return None, ""
    for part in range(_parts(expected)):
        mine, right = [one[part] for one in given], [one[part] for one in expected]
        for outcomes, meaning in told:
            if _parts(outcomes) != _parts(given + expected):
                continue  # its parts mean something else
            wrong = [one[part] for one in outcomes]
            if _all_equal(asked, mine, wrong) and not _all_equal(asked, wrong, right):
                return meaning, f"{asked.names[part]}: "
    return None, ""


def _anything_equal(asked, one, other):
    """Whether two outcomes are equal, or one result of theirs is."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return any(map(asked.equal, one, other))
    return _equal(asked, one, other)


def _parts(outcomes):
    return min(len(one) if isinstance(one, tuple) else 0 for one in outcomes)


def _difference(asked, case, given, expected):
    """Say what was compared, how it differs, and for which arguments."""
    if not case and not isinstance(expected, tuple | dict):  # it would be the solution
        return f"{differences.shown(given)} is not right"
    name = asked.names[0]
    if isinstance(expected, tuple):
        if not isinstance(given, tuple | list) or len(given) != len(expected):
            came = len(given) if isinstance(given, tuple | list) else 1
            return (
                f"return {len(expected)} results: {', '.join(asked.names)}; you returned {came}"
            )
        pairs = zip(asked.names, given, expected, strict=True)
        name, given, expected = next(one for one in pairs if not asked.equal(*one[1:]))
    if isinstance(expected, dict):
        if not isinstance(given, dict) or given.keys() != expected.keys():
            return differences.told(name, given, expected)
        key = next(key for key in expected if not asked.equal(given[key], expected[key]))
        name, given, expected = f"{name} under the key {key!r}", given[key], expected[key]
    told = differences.told(name, given, expected)
    return f"{told}{_call(asked, case)}"


def _call(asked, case):
    if not case:
        return ""
    own = Exercise.run is asked.run
    named = inspect.signature(asked.reference if own else asked.run).parameters.values()
    names = [one.name if one.kind is one.POSITIONAL_OR_KEYWORD else "" for one in named]
    skipped = 0 if own else 1  # the answer itself
    return f" (for {differences.arguments(names[skipped:], case)})"


def _outcomes(asked, answer):
    return [_outcome(asked, answer, number) for number in range(len(asked.cases))]


@cache
def _undecorated(definition):
    """The text of a definition; a layer's decorator would register an edited one for saving."""
    source = textwrap.dedent(inspect.getsource(definition))
    return re.search(r"(?ms)^(class|def) .*", source)[0]


def _edited(asked, *edits):
    """The reference with some of its text replaced: edits are old, new, old, new, …"""
    name, source = asked.reference.__name__, _undecorated(asked.reference)
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in source:
            raise ValueError(
                f"exercise {asked.identifier}: a mistake replaces {old!r}, which {name} does "
                "not contain: follow the change of the library"
            )
        source = source.replace(old, new)
    scope = {**asked.inputs.__globals__, **vars(inspect.getmodule(asked.reference))}
    exec(source, scope)
    return scope[name]


def _outcome(asked, answer, number):
    """What an answer gives in one case; what is declared is computed once."""
    declared = answer is asked.reference or any(answer is wrong for wrong, _ in asked.mistakes)
    compute = _kept_outcome if declared else _new_outcome
    outcome = compute(asked, answer, number)
    if isinstance(outcome, Wrong):
        raise copy.copy(outcome)
    return outcome


def _new_outcome(asked, answer, number):
    """The result of a call, or the `Wrong` or `_Raised` in which it ended."""
    case = asked.cases[number]
    copied = copy.deepcopy(case)
    try:
        # A verdict names what overflows; the inputs may do so on purpose.
        with _ended_after(asked.limit), np.errstate(all="ignore"):
            result = asked.outcome(answer, copied)
    except Wrong as wrong:
        return copy.copy(wrong)  # without the traceback, whose frames hold trained models
    except _TooLong:
        slow = f"your code did not finish within {asked.limit} seconds: does a loop never end?"
        return Wrong(slow)
    except Exception as error:  # whatever a student's code raises
        told = errors.explained(error, answer, asked.reference)
        return _Raised(errors.in_words(error), told)
    for was, now in zip(case, copied, strict=True):
        if isinstance(was, np.ndarray | list | dict) and not same(now, was, 0):
            told = "your code changes an argument in place: work on a copy of it"
            return Wrong(told, told)
    return None if result is ... else _plain(result)


_kept_outcome = cache(_new_outcome)


class _TooLong(BaseException):
    """Raised inside code that takes too long; no `except Exception` catches it."""


@contextlib.contextmanager
def _ended_after(seconds):
    """Raise `_TooLong` in the block when it has had so long, but never after it.

    Beside other programs a block takes longer than it computes: it may take four times as long.
    """
    main = threading.current_thread() is threading.main_thread()
    with _alarm(seconds) if main and hasattr(signal, "setitimer") else _watch(seconds):
        yield


@contextlib.contextmanager
def _alarm(seconds):
    """A signal ends what sleeps, too."""
    over = _clock(seconds)

    def stop(*_):
        if over():
            raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    # Again and again: what is raised while an object is deleted is lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, min(1, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)


@contextlib.contextmanager
def _watch(seconds):
    """On Windows, and in a thread: a second thread raises, as soon as Python code runs."""
    this, ended, lock = threading.get_ident(), threading.Event(), threading.Lock()
    raise_in, over = ctypes.pythonapi.PyThreadState_SetAsyncExc, _clock(seconds)

    def watch():
        while not ended.wait(seconds):
            if over():
                with lock:
                    if not ended.is_set():
                        raise_in(ctypes.c_ulong(this), ctypes.py_object(_TooLong))
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            ended.set()
            raise_in(ctypes.c_ulong(this), None)  # it may have been raised, but not arrived


def _clock(seconds):
    """Return a function that tells whether so much was computed, or four times that taken."""
    began, computed = time.monotonic(), time.process_time()

    def over():
        took = time.monotonic() - began
        return time.process_time() - computed >= seconds or took >= 4 * seconds

    return over


def _plain(result):
    """Turn tensors of any library into arrays, inside tuples, lists and dictionaries too."""
    if isinstance(result, dict):
        return {key: _plain(value) for key, value in result.items()}
    if isinstance(result, tuple | list):
        plain = [_plain(part) for part in result]
        return tuple(plain) if isinstance(result, tuple) else plain
    if not hasattr(result, "__array__") or isinstance(result, np.ndarray | np.generic):
        return result
    keras = sys.modules.get("keras")
    array = keras.ops.convert_to_numpy(result) if keras else np.asarray(result)
    return array.view(differences.Tensor)


def _equal(asked, one, other):
    if isinstance(one, _Raised) or isinstance(other, _Raised):
        return type(one) is type(other) and one == other
    return one is not None and other is not None and asked.equal(one, other)


def _all_equal(asked, given, expected):
    return all(_equal(asked, *pair) for pair in zip(given, expected, strict=True))


def _size(value):
    """How many numbers and other things there are in arguments or a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return sum(map(_size, value))
    return getattr(value, "size", 1)


def _refuse_stub(answer, reference):
    if not (inspect.isclass(answer) and inspect.isclass(reference)):
        if _does_nothing(answer):
            raise NotSolved("not solved yet.")
        return
    methods = {name for name, one in vars(reference).items() if inspect.isfunction(one)}
    asked = {name for name in methods if not _does_nothing(vars(reference)[name])}
    written = {name for name in asked if not _does_nothing(vars(answer).get(name))}
    if written < asked:
        rest = ", ".join(f"`{name}`" for name in sorted(asked - written))
        still = f"not solved yet; still to write: {rest}." if written else "not solved yet."
        raise NotSolved(still)


def _refuse_own(answer, reference):
    """Refuse the reference itself, under whatever name or wrapper; a typed copy counts."""
    while wrapped := getattr(answer, "__wrapped__", getattr(answer, "func", None)):
        answer = wrapped
    codes, own = _codes(answer), _codes(reference)
    inherited = inspect.isclass(answer) and reference in answer.__bases__
    if answer is reference or (codes <= own and (codes or inherited)):
        raise NotSolved(
            "this is the course's own definition, not yours: run the cell with your definition "
            "again, without an error, and then this cell."
        )


def _other_arguments(answer, reference, training=False):
    """Say where a function's arguments are others than later cells pass or leave out.

    The defaults of a training, such as its epochs, are the student's choice: cells pass theirs.
    """
    if not (inspect.isfunction(answer) and inspect.isfunction(reference)):
        return ""
    mine, asked = (inspect.signature(one).parameters for one in (answer, reference))
    if any(one.kind is one.VAR_KEYWORD for one in mine.values()):
        return ""
    for name, one in asked.items():
        if one.default is one.empty:
            continue
        if name not in mine:
            return f"the numbers are right, but later cells name the argument `{name}`"
        plain = isinstance(one.default, int | float | str | tuple | None)
        if plain and not training and repr(mine[name].default) != repr(one.default):
            kept = f"`{name}={one.default!r}`"
            return f"the numbers are right, but leave {kept}: later cells rely on it"
    return ""


def _calls(answer, reference):
    """Whether a function or a class's methods name the reference, alone or in its module."""
    found = vars(answer).values() if inspect.isclass(answer) else [answer]
    for one in filter(inspect.isfunction, found):
        named = [one.__globals__[name] for name in one.__code__.co_names
                 if name in one.__globals__]  # fmt: skip
        inside = [vars(module).get(name) for module in filter(inspect.ismodule, named)
                  for name in one.__code__.co_names]  # fmt: skip
        if any(this is reference for this in named + inside):
            return True
    return False


def _codes(definition):
    """The identities of the compiled bodies of a function or of a class's methods."""
    found = vars(definition).values() if inspect.isclass(definition) else [definition]
    return {id(one.__code__) for one in found if inspect.isfunction(one)}


def _does_nothing(function):
    """Whether a function's body is at most its docstring and `...`."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    done = {step.opname for step in dis.get_instructions(code)}
    constants = {one for one in code.co_consts if one not in (None, ..., function.__doc__)}
    return not constants and done <= IDLE


def _register_again(reference):
    """Put the library's layer back under its saved name, which a student's class had taken."""
    keras = sys.modules.get("keras")
    if inspect.isclass(reference) and keras:
        name = keras.saving.get_registered_name(reference)
        keras.saving.get_custom_objects()[name] = reference
