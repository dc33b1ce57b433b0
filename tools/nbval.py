"""Run the committed notebooks as a student's Run All would; compare the outputs marked stable.

python -m tools.nbval [NOTEBOOK …]
"""

import subprocess
import sys
from pathlib import Path

from tools.execute import QUICK, environment
from tools.shows import ROOT


def main(notebooks: list[str]) -> int:
    """Run the notebooks, all of `notebooks/` where none is named; returns pytest's code."""
    profile = ROOT / "build" / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    # nbval has no option for it: without it TensorFlow's messages count as a cell's stderr.
    (profile / "ipython_kernel_config.py").write_text(
        "get_config().IPKernelApp.capture_fd_output = False\n"
    )
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env"]
    command += ["--nbval-cell-timeout=1200", "-n", "2", "--dist", "loadfile"]
    command += notebooks or [str(Path("notebooks"))]
    env = environment(**QUICK, IPYTHONDIR=str(profile.parent))
    return subprocess.run(command, cwd=ROOT, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
