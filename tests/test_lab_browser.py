"""JupyterLab in a real browser: what a student sees before and after Run All."""

import os
import shutil
import sys

import pytest

from tools import glossary
from tools.lint_slides import browser
from tools.shows import ROOT
from tools.source import titles
from tools.visit import LECTURE, jupyter, run_all


@pytest.mark.slow
def test_untrusted_drawings_show_run_all_prints_no_error_and_terms_lead_to_the_glossary(
    tmp_path,
):
    shutil.copy(ROOT / "notebooks" / f"{LECTURE}.ipynb", tmp_path)
    (tmp_path / glossary.PAGE).write_text(glossary.entries(titles()), encoding="utf-8")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ServerApp.root_dir", str(tmp_path), "--port-retries=50"]
    home = {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    with browser() as running, jupyter(command, tmp_path, environment | home) as address:
        assert run_all(running, address) == 0
