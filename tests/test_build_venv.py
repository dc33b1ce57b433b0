"""`.venv` is made with a Python that works and is new enough, or it is said what is missing."""

import os
import shutil
import subprocess
import sys

import pytest

from tools.shows import ROOT

# What a version manager leaves on the path for a version that it does not run.
SHIM = "#!/bin/sh\necho 'command not found' >&2\nexit 127\n"
FAKE = '#!/bin/sh\ncase "$1" in -c) exit 0;; esac\necho "$(basename "$0") $*"\nexit 1\n'

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no sh; README says how")


def make_venv(folder, programs):
    for name, script in programs.items():
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o755)
    for tool in ("sh", "dirname", "basename"):
        (folder / tool).symlink_to(shutil.which(tool))
    env = {"PATH": str(folder)}
    command = ["/bin/sh", "tools/make_venv.sh"]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")


def test_nothing_fitting_is_said(tmp_path):
    done = make_venv(tmp_path, {"python3.13": SHIM, "python3": SHIM})
    assert (done.returncode, done.stdout) == (1, "")
    assert "python3.13 python3.12 python3.11 python3" in done.stderr


def test_shim_that_starts_nothing_is_passed_over(tmp_path):
    """The fake interpreter passes the question for its version, then refuses to do more."""
    done = make_venv(tmp_path, {"python3.13": SHIM, "python3.11": FAKE, "python3": SHIM})
    assert "python3.11 -m venv --clear .venv" in done.stdout


def test_old_python_does_not_fit():
    text = (ROOT / "tools" / "make_venv.sh").read_text(encoding="utf-8")
    question = text.split("fits='")[1].split("'")[0]
    for version, fits in {(3, 10): 0, (3, 11): 1, (3, 13): 1, (3, 14): 0, (2, 7): 0}.items():
        planted = question.replace("sys.version_info[:2]", str(version))
        assert planted != question
        done = subprocess.run([sys.executable, "-c", planted])
        assert (done.returncode == 0) == bool(fits), version
