"""Every command says what it does, refuses what it does not know, and prints anywhere."""

import os
import runpy
import subprocess
import sys

import pytest

from tools.shows import ROOT
from tools.source import lectures

LECTURE = lectures()[-1].stem
STARTED = '\nif __name__ == "__main__":'
FILES = [path for name in ("tools", "benchmarks") for path in (ROOT / name).rglob("*.py")]
COMMANDS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in FILES
    if STARTED in path.read_text(encoding="utf-8")
)
EARLY = [name for name in COMMANDS if name.startswith(("benchmarks.", "tools.make_data."))]


def call(module, argument, monkeypatch, capfd):
    """Return the exit code and the two outputs of `python -m module argument`."""
    if module in EARLY:  # which is answered before anything slow is imported
        command = [sys.executable, "-m", module, argument]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=20)
        return done.returncode, done.stdout, done.stderr
    monkeypatch.setattr(sys, "argv", [module, argument])
    monkeypatch.setattr(subprocess, "Popen", None)  # nothing may be started
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    return ended.value.code or 0, *capfd.readouterr()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("module", COMMANDS)
def test_help_says_what_a_command_does_and_an_unknown_argument_is_refused(
    module, monkeypatch, capfd
):
    code, printed, errors = call(module, "--help", monkeypatch, capfd)
    named = module.removesuffix(".__main__")
    first = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8").split("\n")[0]
    assert (code, errors) == (0, "")
    assert first.strip('"') in printed and f"usage: python -m {named} " in printed
    code, printed, errors = call(module, "--nonsense", monkeypatch, capfd)
    assert (code, printed) == (2, "") and f"usage: python -m {named} " in errors


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize(
    ("module", "choice"),
    [
        ("tools.__main__", "colab-zip"),
        ("tools.full", LECTURE),
        ("tools.lab", "'progress'"),
        ("tools.lecturer", LECTURE),
        ("tools.nbval", LECTURE),
        ("tools.nbgrader", LECTURE),
        ("tools.notebook", LECTURE),
        ("tools.slides", LECTURE),
        ("benchmarks.peers", "Vision Transformer"),
        ("benchmarks.kills", "int"),
    ],
)
def test_a_wrong_argument_is_answered_with_the_choices(module, choice, monkeypatch, capfd):
    code, printed, errors = call(module, "nonsense", monkeypatch, capfd)
    assert (code, printed) == (2, "") and choice in errors and "'nonsense'" in errors


@pytest.mark.slow
def test_commands_start_without_a_backend():
    names = ", ".join(name for name in COMMANDS if name not in EARLY)
    script = f"import sys, {names}; print({{'keras', 'tensorflow', 'jax'}} & set(sys.modules))"
    command = [sys.executable, "-c", script]
    assert subprocess.check_output(command, encoding="utf-8", cwd=ROOT) == "set()\n"


@pytest.mark.parametrize("start", ["import course_utils", "import tools"])
def test_what_a_terminal_cannot_show_is_printed_as_a_question_mark(start):
    lines = "for name in ('ascii', 'cp437', 'cp1252', 'utf-8'):\n"
    lines += "    sys.stdout.reconfigure(encoding=name, errors=sys.stdout.errors)\n"
    lines += "    print('→ é فا \\udc80', flush=True)\n"
    script = f"import sys\n{start}\n{lines}print('→ é', file=sys.stderr)"
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, cwd=ROOT
    )
    assert done.stderr == b"\\u2192 \\xe9\n"
    assert done.stdout.splitlines() == [
        b"? ? ?? ?",
        b"? \x82 ?? ?",
        b"? \xe9 ?? ?",
        "→ é فا ?".encode(),
    ]
