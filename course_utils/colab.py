"""What the notebooks' first cell does on Colab and Kaggle once the course is there."""

import importlib
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"


def missing(requirements: str) -> list[str]:
    """Return the lines of a requirements file whose package is not installed at all.

    A package that is there in another version than asked for counts as installed: Colab's own
    packages fit one another, and exchanging one of them under a running kernel breaks it.
    """
    from packaging.requirements import Requirement

    absent = []
    for line in requirements.splitlines():
        line = line.partition("#")[0].strip()
        if not line:
            continue
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate():
            continue
        try:
            found = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            absent.append(line)
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            print(f"{requirement.name} {found} is kept; the course was tried with {line}.")
    return absent


def installed() -> list[str]:
    """Return `name==version` for everything installed, as pip's constraints want it."""
    from packaging.version import InvalidVersion, Version

    pins = set()
    for distribution in metadata.distributions():
        try:
            pins.add(f"{distribution.metadata['Name']}=={Version(distribution.version)}")
        except (InvalidVersion, TypeError):  # the system's own packages: pip cannot read these
            continue
    return sorted(pins)


def install(lines: list[str]) -> None:
    """Install the requirements in `lines` and change nothing that is already there.

    Raises RuntimeError with pip's last words when that is impossible.
    """
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder, "constraints.txt")
        constraints.write_text("\n".join(installed()), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--constraint"]
        command += [str(constraints), *lines]
        options = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
        result = subprocess.run(command, check=False, **options)
    if result.returncode != 0:
        words = "\n".join(result.stderr.strip().splitlines()[-5:])
        raise RuntimeError(f"Could not install {', '.join(lines)}:\n{words}")
    importlib.invalidate_caches()


def prepare() -> None:
    """On Colab and Kaggle install what the course needs and does not find; else do nothing."""
    if "google.colab" not in sys.modules and "KAGGLE_KERNEL_RUN_TYPE" not in os.environ:
        return
    lines = missing(REQUIREMENTS.read_text(encoding="utf-8"))
    if lines:
        install(lines)
    print(f"The course is ready; installed: {', '.join(lines) or 'nothing, all was there'}.")
