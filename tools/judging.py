"""Judge a notebook's definitions in a process of its own, by the declarations of this course.

The process starts in an empty folder, without a network and without leave to write elsewhere
or to start programs; the parent ends it when it takes too long or too much memory. What a
definition does to the course's own code is seen and named, and counts for nothing.
"""

import __future__

import ast
import contextlib
import inspect
import json
import linecache
import multiprocessing
import os
import queue
import re
import secrets
import stat
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import keras  # noqa: F401 (the processes start with it)
import psutil

from course_utils import errors, exercises
from tools import scopes
from tools.submissions import Answers

SECONDS = 20  # of a processor, for an answer to an exercise; a training has its own limit
WAITS = 8  # times as long by the clock, for who sleeps, and since a machine may be busy
START = 300  # seconds that a process may take to start
MEMORY = 4_000_000_000  # bytes more than a process has when it starts to judge
WATCHED = ("builtins", "numpy", "keras", "course_utils", "lectures", "tools", "math", "json")
# What leads from an answer to the code that judges it, to the solution, or out of its folder:
# no answer needs it. WORDS count in strings as well, MODULES and CALLS where they are code.
WORDS = frozenset(
    "f_back f_locals f_globals f_builtins tb_frame gi_frame cr_frame ag_frame _getframe "
    "currentframe _current_frames __subclasses__ __globals__ __builtins__ __closure__ __code__ "
    "__defaults__ __kwdefaults__ __dict__ __setattr__ __array_interface__ __array_struct__ "
    "getsource getsourcelines attrgetter methodcaller _posixsubprocess gfile".split()
)
MODULES = frozenset(
    "builtins checks ctypes differences exercises gc importlib inspect judging lectures "
    "multiprocessing os pathlib resource shutil signal socket sqlite3 subprocess sys threading "
    "urllib watching h5py".split()
)
CALLS = frozenset(
    "__import__ breakpoint compile delattr eval exec globals locals open vars".split()
)
STATES = ("solved", "not yet", "open", "missing", "stopped", "refused")


@dataclass(frozen=True)
class Judged:
    """What was found of an exercise: its state, one of `STATES`, and what a student is told."""

    identifier: str
    state: str
    message: str
    mistake: str | None = None
    source: str = ""
    seconds: float = 0.0


def read(lecture: str, cells: list[str]) -> list[Judged]:
    """Say of each exercise what can be said without running it; a state of "" where it has to.

    In the main thread: Python 3.11 parses in one thread at a time (CPython issue 106905).
    """
    answers = Answers(cells)
    return [
        _unread(answers, identifier, exercises.find(identifier).reference.__name__)
        for identifier in exercises.identifiers(lecture)
    ]


def judge(lecture: str, cells: list[str], found: list[Judged]) -> list[Judged]:
    """Judge the exercises of a lecture in a notebook's code cells; `found` comes from `read`.

    A process that has to be ended is followed by another one, which begins with the next
    exercise.
    """
    todo, done = [one.identifier for one in found if one.state == ""], {}
    while todo:
        solved = [identifier for identifier, one in done.items() if one.state == "solved"]
        done |= _in_a_process(lecture, cells, todo, solved)
        todo = [identifier for identifier in todo if identifier not in done]
    return [done.get(one.identifier, one) for one in found]


def _unread(answers, identifier, name):
    """What can be said of an answer without running it; a state of "" where it has to run."""
    definition = answers.of(identifier, name)
    if definition is None:
        if told := answers.told_broken(name):
            return Judged(identifier, "not yet", f"{identifier}: the cell is no Python, {told}")
        return Judged(
            identifier, "missing", f"{identifier}: there is no `{name}` in the notebook"
        )
    return Judged(identifier, "", "", source=answers.text(*definition))


def _in_a_process(lecture, cells, todo, solved):
    """Judge exercises in a new process until all are done or it ends; return what was found."""
    ways = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
    context.set_forkserver_preload([__name__])
    ours, theirs = context.Pipe(duplex=False)
    key = secrets.token_hex(16)
    found, at, message = {}, todo[0], None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arguments = theirs, key, folder, lecture, cells, todo, solved
        process = context.Process(target=_judge_all, args=arguments, daemon=True)
        # A fork may inherit a lock that nobody opens any more.
        starting = threading.Thread(target=process.start, daemon=True)
        starting.start()
        starting.join(START)
        if not process.pid:
            raise RuntimeError(f"no process started within {START} seconds")
        theirs.close()
        memory, ends, spent = MEMORY, time.monotonic() + START, float("inf")
        heard = queue.SimpleQueue()
        # Of its own: on half a message, which an answer may send, it waits for ever.
        threading.Thread(target=_listen, args=(ours, heard), daemon=True).start()
        while not message:
            with contextlib.suppress(queue.Empty):
                said = heard.get(timeout=0.1)
                if said is None:
                    break
                if said.pop("key", None) != key:
                    message = "it writes where the grader does"
                elif "limit" in said:
                    at, ends = said["at"], time.monotonic() + WAITS * said["limit"]
                    spent = _seconds(process) + said["limit"]
                    memory = MEMORY + _memory(process) if memory == MEMORY else memory
                else:
                    found[at] = Judged(**said)
                    ends, spent = time.monotonic() + START, float("inf")
                    if found[at].state == "refused":
                        break
                continue
            if _seconds(process) > spent:
                message = "it did not end in time: does a loop never end?"
            elif time.monotonic() > ends:
                message = "it waits, or this machine was too busy: grade it again"
            elif _memory(process) > memory:
                message = f"it took more than {MEMORY / 1e9:.0f} GB of memory"
            elif not process.is_alive() and heard.empty():
                break
        process.kill()
        process.join(START)
    if not message and len(found) < len(todo) and at not in found:
        message = "it ended the process that judges it"
    if message:
        found[at] = Judged(at, "stopped", f"{at}: not yet: {message}.")
    return found


def _listen(connection, heard):
    """Hand on what a process says; None at the end, and where it says what is not ours."""
    with contextlib.suppress(EOFError, OSError, ValueError, RecursionError):
        while isinstance(said := json.loads(connection.recv_bytes(1_000_000)), dict):
            heard.put(said)
    heard.put(None)


def _memory(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).memory_info().rss
    return 0


def _seconds(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        times = psutil.Process(process.pid).cpu_times()
        return times.user + times.system
    return 0


def _judge_all(connection, key, folder, lecture, cells, todo, solved):
    """Judge exercises one after the other, and send what is found of each."""

    def send(**said):
        connection.send_bytes(json.dumps({"key": key, **said}).encode())

    os.chdir(folder)
    tempfile.tempdir, sys.dont_write_bytecode = folder, True
    _say_nothing()
    _hang_up(connection.fileno())
    answers, scope = Answers(cells), _without_ways_out(scopes.names(lecture))
    # The parent ends what takes too long, by the processor's time: a busy machine is no loop.
    exercises._ended_after = lambda seconds: contextlib.nullcontext()
    identifiers = exercises.identifiers(lecture)
    before = _own_code()
    refused = _confine(folder)
    for identifier in identifiers:
        asked = exercises.find(identifier)
        name = asked.reference.__name__
        if identifier not in todo:
            if identifier in solved:
                with contextlib.suppress(Exception):
                    answer = _define(answers, identifier, name, scope)
                    scope[name] = exercises._accepted[identifier] = answer
            continue
        limit = asked.limit if asked.trains else SECONDS
        send(at=identifier, limit=limit)
        began = time.monotonic()
        state, message, mistake = "not yet", "", None
        try:
            answer = _define(answers, identifier, name, scope)
        except Reaching as error:
            refused.append(str(error))
        except BaseException as error:
            told = errors.in_words(error)
            state, message = "not yet", f"{identifier}: not yet: the cell stops: {told}."
        else:
            found = exercises.judge(identifier, answer)
            state, message, mistake = found.state, found.message, found.mistake
            if state == "solved":
                scope[name] = answer
        if told := refused or _changed(before):
            state, mistake = "refused", None
            message = f"{identifier}: refused: the answer does what none has to: {told[0]}."
        send(
            identifier=identifier,
            state=state,
            message=message,
            mistake=mistake,
            source=answers.text(*answers.of(identifier, name)),
            seconds=time.monotonic() - began,
        )
        if state == "refused":
            return


def _without_ways_out(scope):
    """Drop modules that no answer needs: a notebook's first cell imports some."""
    modules = {name for name, one in scope.items() if getattr(one, "__name__", "") in MODULES}
    ways = modules | {name for name, one in scope.items() if one is Path}
    return {name: one for name, one in scope.items() if name not in ways}


class Reaching(Exception):
    """An answer names what leads to the code that judges it."""


def _words(statement):
    """What a statement names of `WORDS`, `MODULES` and `CALLS`."""
    found = set()
    for part in ast.walk(statement):
        if isinstance(part, ast.Attribute):
            found |= {part.attr} & (WORDS | MODULES)
        elif isinstance(part, ast.Name):
            found |= {part.id} & (WORDS | CALLS)
            found |= {"setattr"} & {part.id} if not _on_self(statement, part) else set()
        elif isinstance(part, ast.alias):
            found |= set(part.name.split(".")) & (WORDS | MODULES)
        elif isinstance(part, ast.ImportFrom):
            found |= set((part.module or "").split(".")) & (WORDS | MODULES)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found |= set(re.findall(r"\w+", part.value)) & WORDS
    return found


def _takes(name, statements):
    """Whether code imports a name, or takes it from a module."""
    parts = [part for one in statements for part in ast.walk(one)]
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute)}
    return name in attributes | {part.name for part in parts if isinstance(part, ast.alias)}


def _on_self(statement, name):
    """Whether a `setattr` sets an attribute of the layer itself."""
    calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
    call = next((one for one in calls if one.func is name), None)
    return bool(call and call.args and getattr(call.args[0], "id", "") == "self")


def _define(answers, identifier, name, scope):
    """Run the definition of an answer and what it needs; return the answer.

    `scope` stays as it is: later exercises build on the course's own where this one is wrong.
    """
    statements = answers.needed(
        identifier, name, set(scope) - {name, answers.called(identifier, name)}
    )
    named = set().union(*map(_words, statements))
    if "lectures" in named and not _takes(name, statements):  # something else of the course
        named.remove("lectures")
    if named:
        raise Reaching(f"it names `{min(named)}`")
    own = dict(scope)
    flags = __future__.annotations.compiler_flag if answers.postponed else 0
    for statement in statements:
        text = ast.unparse(statement)
        file = f"<answer {identifier} {name} {statement.lineno}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec", flags), own)
    return own[answers.called(identifier, name)]


def _say_nothing():
    """Nothing that an answer prints is read."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _hang_up(ours):
    """Close what leads to the process that starts the processes of all students."""
    for number in range(3, 256) if os.name == "posix" else ():
        with contextlib.suppress(OSError):
            kind = os.fstat(number).st_mode
            if number != ours and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
                os.close(number)


def _own_code():
    """What the course's and its libraries' names stand for, and the code behind them."""
    found = {}
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] not in WATCHED:
            continue
        for name, value in list(vars(module).items()):
            if callable(value):
                _keep(found, f"{module_name}.{name}", value)
    for identifier in exercises.identifiers():
        for name, value in vars(exercises.find(identifier)).items():
            if name not in ("mistakes", "cases", "names"):  # computed when they are needed
                _keep(found, f"{identifier}.{name}", value)
    return found


def _keep(found, name, value):
    found[name] = value, getattr(value, "__code__", None)
    own = getattr(value, "__module__", None) or ""
    if inspect.isclass(value) and own.partition(".")[0] in ("course_utils", "lectures"):
        for part, method in vars(value).items():
            if inspect.isfunction(method):
                found[f"{name}.{part}"] = method, method.__code__


def _changed(before):
    now = _own_code()
    return [
        f"it changes {name}"
        for name, (value, code) in before.items()
        if name not in now or now[name][0] is not value or now[name][1] is not code
    ]


def _confine(folder):
    """Forbid network, programs and files elsewhere; return what was tried, filled later."""
    tried, root = [], os.path.realpath(folder)
    never = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn")
    never += ("os.system", "os.kill", "os.startfile", "pty.", "ftplib.", "urllib.", "winreg.")
    look = ("gc.get_", "sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile")
    look += ("code.__new__", "object.__setattr__", "object.__delattr__", "ctypes.")
    paths = {"os.remove": 1, "os.rename": 2, "os.rmdir": 1, "os.mkdir": 1, "os.link": 2}
    paths |= {"os.symlink": 2, "os.truncate": 1, "os.chmod": 1, "shutil.rmtree": 1}

    def by_answer(itself):
        frame = sys._getframe(2)
        if itself:  # libraries look at frames, too
            return frame.f_code.co_filename.startswith("<answer")
        while frame:
            if frame.f_code.co_filename.startswith("<answer"):
                return True
            frame = frame.f_back
        return False

    def outside(path):
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        place = os.path.realpath(os.fsdecode(path))
        return place not in (root, os.devnull) and not place.startswith(root + os.sep)

    busy = []

    def hook(event, arguments):
        if busy:  # what the hook itself does
            return
        busy.append(True)
        try:
            forbidden = None
            if event.startswith(never):
                tried.append(event)
                raise PermissionError(f"an answer may not do this: {event}")
            if event == "open" and _writes(arguments) and outside(arguments[0]):
                forbidden = f"it writes to {arguments[0]}"
            elif event in paths and any(map(outside, arguments[: paths[event]])):
                forbidden = f"{event} of {arguments[0]}"
            elif event.startswith(look):
                forbidden = event
            if forbidden and by_answer(itself=event.startswith(look)):
                tried.append(forbidden)
                raise PermissionError(f"an answer may not do this: {forbidden}")
        finally:
            busy.clear()

    sys.addaudithook(hook)
    return tried


def _writes(arguments):
    _, mode, flags = arguments
    if isinstance(mode, str):
        return bool(set(mode) & set("wax+"))
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
