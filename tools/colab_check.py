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
from pathlib import Path

from tools.colab_cell import ROOT, Setting, first_cell, setting
from tools.colab_zip import write_zip
from tools.command_line import parser

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
    about = '"""Stands in for Colab\'s own package."""\n'
    (package / "__init__.py").write_text(about, encoding="utf-8")
    (package / "drive.py").write_text(DRIVE, encoding="utf-8")


def find_python(version: str = PYTHON) -> Path | None:
    """Return an interpreter of that version from PATH or pyenv, None where there is none."""
    homes = [os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv", "/opt/pyenv"]
    places = [Path(found)] if (found := shutil.which(f"python{version}")) else []
    for home in filter(None, homes):
        places += sorted(Path(home, "versions").glob(f"{version}.*/bin/python"), reverse=True)
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    for place in places:
        result = subprocess.run(
            [place, "-c", question], check=False, capture_output=True, encoding="utf-8"
        )
        if result.stdout.strip() == version:
            return place
    return None


def uv(*arguments: str) -> str:
    """Run uv, which never may download a Python, and return what it printed."""
    from uv import find_uv_bin

    command = [find_uv_bin(), "--no-progress", "--no-python-downloads", *arguments]
    options = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    result = subprocess.run(command, check=False, cwd=BUILD, **options)
    if result.returncode != 0:
        raise RuntimeError(f"uv {' '.join(arguments[:2])} failed:\n{result.stderr.strip()}")
    return result.stdout


def replica(python: Path) -> Path:
    """Return the replica's interpreter; an environment already made with these pins is kept."""
    environment, stamp = BUILD / "environment", BUILD / "environment" / "pins.txt"
    interpreter = environment / "bin" / "python"
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == PINS):
        BUILD.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(environment, ignore_errors=True)
        uv("venv", "--python", str(python), str(environment))
        requirements = BUILD / "pins.txt"
        requirements.write_text(PINS, encoding="utf-8")
        uv("pip", "install", "--python", str(interpreter), "-r", str(requirements))
        packages = next(environment.glob("lib/python*/site-packages"))
        write_stand_in(packages)
        # Colab's kernels have google.colab loaded before the first cell runs.
        loads = "import google.colab\n"
        (packages / "colab_stand_in.pth").write_text(loads, encoding="utf-8")
        stamp.write_text(PINS, encoding="utf-8")
    return interpreter


def versions(interpreter: Path) -> dict[str, str]:
    """Return name → version of everything installed in the replica."""
    lines = uv("pip", "freeze", "--python", str(interpreter)).splitlines()
    return dict(line.split("==", 1) for line in lines if "==" in line)


def publish() -> Setting:
    """Clone the checkout's HEAD into a bare repository that carries the release's tag."""
    published = BUILD / "published.git"
    shutil.rmtree(published, ignore_errors=True)
    git = ["git", "-c", "advice.detachedHead=false"]
    subprocess.run([*git, "clone", "-q", "--bare", str(ROOT), str(published)], check=True)
    release = setting().release
    subprocess.run([*git, "-C", str(published), "tag", "-f", release, "HEAD"], check=True)
    return Setting(published.as_uri(), release)


def run_notebook(path: Path, cell: str, interpreter: Path, content: Path) -> float:
    """Execute a notebook from an empty folder, its first code cell replaced; return seconds.

    Raises RuntimeError when a cell fails, and when the notebook's own first cell is not the one
    that the setting asks for.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)
    first = next(one for one in notebook.cells if one.cell_type == "code")
    if first.source != first_cell(path.stem):
        raise RuntimeError(f"{path.name}: its first cell is out of date; run make notebooks")
    first.source = cell
    empty = content / "empty"
    shutil.rmtree(empty, ignore_errors=True)
    empty.mkdir(parents=True)
    client = NotebookClient(notebook, km=kernel(interpreter), kernel_name="colab", timeout=900)
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "KERAS_BACKEND"}
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in hidden and not name.startswith("COURSE_")
    }
    environment["COURSE_CONTENT"] = str(content)
    start = time.monotonic()
    with (BUILD / "kernel.log").open("w", encoding="utf-8") as log:
        try:
            client.execute(env=environment, cwd=str(empty), stdout=log, stderr=log)
        except CellExecutionError as error:
            lines = str(error).rstrip().splitlines()[-15:]
            raise RuntimeError("\n".join([f"{path.name} failed:", *lines])) from None
    return time.monotonic() - start


def kernel(interpreter: Path):
    """Return a manager of kernels that run in the replica."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    folder = BUILD / "kernels" / "colab"
    folder.mkdir(parents=True, exist_ok=True)
    argv = [str(interpreter), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    description = {"argv": argv, "display_name": "Colab's replica", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(description), encoding="utf-8")
    specs = KernelSpecManager(kernel_dirs=[str(folder.parent)])
    return AsyncKernelManager(kernel_name="colab", kernel_spec_manager=specs)


def check(notebooks: list[Path]) -> None:
    """Run the notebooks by the archive and by a clone; print a line each."""
    python = find_python()
    if python is None:
        print(f"colab-check: no Python {PYTHON} here (PATH, pyenv): nothing was checked.")
        return
    interpreter = replica(python)
    before = versions(interpreter)
    print(f"replica of Colab: {python}, {len(before)} packages", flush=True)
    ways = {"course.zip": Setting("", setting().release), "clone": publish()}
    for way, course in ways.items():
        content = BUILD / f"content-{way}"
        shutil.rmtree(content, ignore_errors=True)
        content.mkdir(parents=True)
        if not course.repository:
            shutil.copy(write_zip(), content)
        for path in notebooks:
            seconds = run_notebook(path, first_cell(path.stem, course), interpreter, content)
            print(f"  {way:12}{path.stem:24}{seconds:6.1f} s", flush=True)
    after = versions(interpreter)
    changed = {name: after.get(name) for name in before if after.get(name) != before[name]}
    if changed:
        raise RuntimeError(f"the notebooks changed installed packages: {changed}")
    print(f"installed on the way: {', '.join(sorted(set(after) - set(before))) or 'nothing'}")
    print("nothing that was installed before has changed")


def main() -> None:
    """Check every notebook, or say in one line what went wrong."""
    parser("tools.colab_check", __doc__).parse_args()
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    if not notebooks:
        sys.exit("colab-check: notebooks/ is empty; run make notebooks first")
    try:
        check(notebooks)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"colab-check: {error}")


if __name__ == "__main__":
    main()
