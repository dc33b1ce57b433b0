"""JupyterLab in a real browser: what a student sees before and after Run All."""

import os
import sys

import nbformat
import pytest

from tools.lint_slides import browser
from tools.shows import ROOT
from tools.visit import LECTURE, jupyter, run_all

DRAWING = 'img[src^="data:image/svg+xml"]'


@pytest.mark.slow
def test_untrusted_drawings_show_and_run_all_prints_no_error(tmp_path):
    built = nbformat.read(ROOT / "notebooks" / f"{LECTURE}.ipynb", 4)
    shown = sum("cu.figures.show(" in cell.source for cell in built.cells)
    nbformat.write(built, tmp_path / f"{LECTURE}.ipynb")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ServerApp.root_dir", str(tmp_path), "--port-retries=50"]
    home = {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    with browser() as running, jupyter(command, tmp_path, environment | home) as address:
        seen = f"document.querySelectorAll('{DRAWING}').length == {shown}"
        assert run_all(running, address(f"{LECTURE}.ipynb"), seen) == 0
