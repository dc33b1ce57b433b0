"""Run the solved notebooks, a refused solution an error; compare the outputs marked stable.

    python -m tools.nbval [LECTURE …]

The notebooks are the instructors', with the outputs of the committed ones: what follows
an exercise has to print the same on a right solution as on the course's own definition. That
Run All passes on an unsolved notebook, the build of the committed ones has shown.
"""

import subprocess
import sys

from tools import notebook
from tools.command_line import parser
from tools.execute import QUICK, environment
from tools.shows import ROOT
from tools.source import add_lectures, lectures

INTO = ROOT / "build" / "solved"


def main() -> int:
    """Run the notebooks of the named lectures, or of all; return pytest's code."""
    reading = parser("tools.nbval", __doc__)
    add_lectures(reading)
    chosen = reading.parse_args().lectures
    profile = ROOT / "build" / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    # nbval has no option for it: without it TensorFlow's messages count as a cell's stderr.
    (profile / "ipython_kernel_config.py").write_text(
        "get_config().IPKernelApp.capture_fd_output = False\n", encoding="utf-8"
    )
    built = notebook.build(chosen or lectures(), INTO, "instructor")
    if any(outcome.error for outcome in built):
        print(notebook.report(built))
        return 1
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env"]
    command += ["--nbval-cell-timeout=1200", "-n", "3", "--dist", "loadfile"]
    command += [outcome.notebook for outcome in built]
    env = environment(**QUICK, IPYTHONDIR=str(profile.parent), COURSE_STRICT="1")
    return subprocess.run(command, cwd=ROOT, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
