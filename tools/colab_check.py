"""Run the notebooks in a replica of Colab's image, from an empty folder, in both ways.

The replica is a fresh environment in build/colab/ with Colab's versions of what matters and a
stand-in for google.colab. The course comes once from course.zip and once from a local clone.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from uv import find_uv_bin

from tools.colab_cell import first_cell
from tools.colab_zip import write_zip
from tools.command_line import parser
from tools.course import ROOT, Course, course

BUILD = ROOT / "build" / "colab"
PYTHON = "3.13"
PINS = """
tensorflow==2.20.0
keras==3.13.2
numpy==2.1.3
protobuf==5.29.6
tensorflow-datasets==4.9.10
ipykernel==6.17.1
ipython==7.34.0
importlib_resources
matplotlib
scikit-learn
scipy
pip
"""
DRIVE = '''\
"""Stands in for Colab's drive: My Drive is the folder that COURSE_DRIVE names, else empty."""
import os
from pathlib import Path


def mount(mountpoint):
    home = Path(mountpoint, "MyDrive")
    home.parent.mkdir(parents=True, exist_ok=True)
    if "COURSE_DRIVE" in os.environ:
        home.symlink_to(os.environ["COURSE_DRIVE"], target_is_directory=True)
    else:
        home.mkdir(exist_ok=True)
'''


def write_stand_in(folder: Path) -> None:
    """Put a package google.colab into `folder`, a folder on the Python path."""
    package = folder / "google" / "colab"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (package / "drive.py").write_text(DRIVE, encoding="utf-8")


def uv(*arguments: str) -> str:
    """Run uv, which may never download a Python, and return what it printed."""
    command = [find_uv_bin(), "--no-progress", "--no-python-downloads", *arguments]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if result.returncode != 0:
        raise RuntimeError(f"uv {' '.join(arguments[:2])} failed:\n{result.stderr.strip()}")
    return result.stdout


def replica() -> str:
    """Return the replica's interpreter; an environment already made with these pins is kept."""
    environment, pins = BUILD / "environment", BUILD / "environment" / "pins.txt"
    interpreter = str(environment / "bin" / "python")
    if not (pins.is_file() and pins.read_text(encoding="utf-8") == PINS):
        uv("venv", "--clear", "--python", PYTHON, str(environment))
        (BUILD / "pins.txt").write_text(PINS, encoding="utf-8")
        uv("pip", "install", "--python", interpreter, "-r", str(BUILD / "pins.txt"))
        packages = next(environment.glob("lib/python*/site-packages"))
        write_stand_in(packages)
        # Colab's kernels have google.colab loaded before the first cell runs.
        (packages / "stand_in.pth").write_text("import google.colab\n", encoding="utf-8")
        (BUILD / "pins.txt").replace(pins)
    kernel = BUILD / "kernels" / "colab" / "kernel.json"
    kernel.parent.mkdir(parents=True, exist_ok=True)
    argv = [interpreter, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    described = {"argv": argv, "display_name": "Colab's replica", "language": "python"}
    kernel.write_text(json.dumps(described), encoding="utf-8")
    os.environ["JUPYTER_PATH"] = str(BUILD)  # where it finds kernels/colab
    return interpreter


def publish() -> Course:
    """Clone the checkout's HEAD into a bare repository that carries the release's tag."""
    published, about = BUILD / "published.git", course()
    shutil.rmtree(published, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--bare", ROOT, published], check=True)
    subprocess.run(["git", "-C", published, "tag", "-f", about.release, "HEAD"], check=True)
    return replace(about, repository=published.as_uri())


def run_notebook(path: Path, cell: str, content: Path) -> float:
    """Execute a notebook from an empty folder, its first code cell replaced; return seconds."""
    notebook = nbformat.read(path, as_version=4)
    first = next(one for one in notebook.cells if one.cell_type == "code")
    first.source = cell
    empty = content / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir(parents=True)
    client = NotebookClient(notebook, kernel_name="colab", timeout=900)
    ours = ("COURSE_", "PYTHONPATH", "VIRTUAL_ENV", "KERAS_BACKEND")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
    environment["COURSE_CONTENT"] = str(content)
    start = time.monotonic()
    with (BUILD / "kernel.log").open("w", encoding="utf-8") as log:
        try:
            client.execute(env=environment, cwd=str(empty), stdout=log, stderr=log)
        except CellExecutionError as error:
            last = "\n".join(str(error).rstrip().splitlines()[-15:])
            raise RuntimeError(f"{path.name} failed:\n{last}") from None
    return time.monotonic() - start


def check(notebooks: list[Path]) -> None:
    """Run the notebooks from the archive and from a clone; print one line for each."""
    BUILD.mkdir(parents=True, exist_ok=True)
    freeze = ("pip", "freeze", "--python", replica())
    before = set(uv(*freeze).split())
    print(f"replica of Colab: {len(before)} packages", flush=True)
    ways = {"course.zip": replace(course(), repository=""), "clone": publish()}
    for way, where in ways.items():
        content = BUILD / f"content-{way}"
        shutil.rmtree(content, ignore_errors=True)
        content.mkdir()
        if not where.repository:
            shutil.copy(write_zip(), content)
        for path in notebooks:
            seconds = run_notebook(path, first_cell(path.stem, where), content)
            print(f"  {way:12}{path.stem:24}{seconds:6.1f} s", flush=True)
    after = set(uv(*freeze).split())
    if before - after:
        raise RuntimeError(f"the notebooks changed installed packages: {before - after}")
    print(f"installed on the way: {', '.join(sorted(after - before)) or 'nothing'}; no change")


def main() -> None:
    """Check every notebook, or say in one line what went wrong."""
    parser("tools.colab_check", __doc__).parse_args()
    try:
        check(sorted((ROOT / "notebooks").glob("*.ipynb")))
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"colab-check: {error}")


if __name__ == "__main__":
    main()
