"""JupyterLab in a real browser: what a student sees before and after Run All."""

import os
import re
import subprocess
import sys

import nbformat
import pytest

from tools import glossary, lint_slides
from tools.shows import ROOT
from tools.source import titles

LECTURE = "02_simple_rnn"
DRAWING = 'img[src^="data:image/svg+xml"]'
IN_VIEW = """term => [...document.querySelectorAll("h2")].some(one => {
    const { top } = one.getBoundingClientRect();
    return one.innerText.startsWith(term) && 0 < top && top < 1000;
})"""
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'


@pytest.fixture
def server(tmp_path):
    """Run JupyterLab as `make lab` does, with a home of its own; yields its address."""
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ServerApp.root_dir", str(tmp_path), "--port-retries=50"]
    home = {"HOME": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment | home
    ) as running:
        for line in running.stderr:
            found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", line)
            if found:
                break
        yield f"{found[1]}/lab/tree/{LECTURE}.ipynb?token={found[2]}"
        running.terminate()
        running.communicate(timeout=30)


@pytest.mark.slow
def test_untrusted_drawings_show_run_all_prints_no_error_and_terms_lead_to_the_glossary(
    server, tmp_path
):
    built = nbformat.read(ROOT / "notebooks" / f"{LECTURE}.ipynb", 4)
    shown = [cell for cell in built.cells if "cu.figures.show(" in cell.source]
    nbformat.write(built, tmp_path / f"{LECTURE}.ipynb")
    (tmp_path / glossary.PAGE).write_text(glossary.entries(titles()), encoding="utf-8")
    with lint_slides.browser() as running:
        page = running.new_page(viewport={"width": 1200, "height": 40_000})  # all cells at once
        page.goto(server)
        seen = f"document.querySelectorAll('{DRAWING}').length == {len(shown)}"
        page.wait_for_function(seen, timeout=60_000)
        page.get_by_text("Run", exact=True).first.click()
        page.get_by_text("Run All Cells", exact=True).first.click()
        page.get_by_text("[*]:").first.wait_for()
        page.wait_for_function("!document.body.innerText.includes('[*]:')", timeout=300_000)
        assert page.locator(STDERR).count() == 0
        page.set_viewport_size({"width": 1200, "height": 1000})
        page.get_by_role("link", name="spectral radius").first.click()
        page.wait_for_function(IN_VIEW, arg="spectral radius")
