"""JupyterLab in a real browser: what a student sees."""

import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager

import nbformat
import pytest

from tools import glossary, lab, self_test, sheets
from tools.lint_slides import browser
from tools.shows import ROOT
from tools.source import lectures, number, titles

pytestmark = pytest.mark.slow

LECTURE = lectures()[0]
ASKED = ".jp-Dialog, .Toastify__toast"
DRAWING = 'img[src^="data:image/svg+xml"]'
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'
IN_VIEW = """term => [...document.querySelectorAll("h2")].some(one => {
    const { top } = one.getBoundingClientRect();
    return one.innerText.startsWith(term) && 0 < top && top < 1000;
})"""
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/lab\S*\?token=(\w+)\s")
IDLE = "document.body.innerText.includes('Python 3 (ipykernel) | Idle')"


@contextmanager
def jupyter(command, folder, environment):
    """Start JupyterLab by a command; yields the address of a notebook, whose name is {}."""
    log = folder / "jupyter.log"  # no pipe, which fills up and stops it
    with log.open("w", encoding="utf-8") as file:
        options = {"cwd": folder, "env": environment}
        options |= {"stdout": subprocess.DEVNULL, "stderr": file}
        running = subprocess.Popen(command, **options)
    try:
        until = time.monotonic() + 180
        while not (found := ADDRESS.search(said := log.read_text(encoding="utf-8"))):
            if running.poll() is not None or time.monotonic() > until:
                pytest.fail(f"JupyterLab does not start:\n{said[-2000:]}")
            time.sleep(0.2)
        yield f"{found[1]}/lab/tree/{{}}?token={found[2]}"
    finally:
        running.terminate()
        try:
            running.wait(timeout=60)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Start JupyterLab as `make lab` does, with an empty home: (browser, address, work)."""
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    monkeypatch.setattr(lab, "PAGES", tmp_path / "pages")
    self_test.write(lab.PAGES / "self-tests")
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment |= {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "config")}
    command = [*lab.jupyterlab(work, lab.START), "--no-browser", "--port-retries=50"]
    with browser() as running, jupyter(command, tmp_path, lab.quiet(environment)) as address:
        yield running, address, work


def test_untrusted_drawings_show_then_all_runs_moves_and_leads_to_the_glossary(
    started,
):
    running, address, work = started
    notebook = ROOT / "notebooks" / f"{LECTURE.stem}.ipynb"
    shutil.copy(notebook, work)
    (work / glossary.PAGE).write_text(glossary.entries(titles()), encoding="utf-8")
    texts = [cell.source for cell in nbformat.read(notebook, 4).cells]
    term = next(filter(None, map(glossary.LINK.search, texts)))[1].strip("*")
    drawings = LECTURE.read_text(encoding="utf-8").count("figures.show(")
    page = running.new_page(viewport={"width": 1200, "height": 40_000})  # all cells at once
    page.goto(address.format(notebook.name))
    shown = f"document.querySelectorAll('{DRAWING}').length == {drawings}"
    page.wait_for_function(shown, timeout=120_000)
    moving = page.locator(".explore")
    moving.locator("img").wait_for(timeout=60_000)
    assert not moving.locator(".stage").count()
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).first.click()
    page.get_by_text("[*]:").first.wait_for(timeout=120_000)
    page.wait_for_function("!document.body.innerText.includes('[*]:')", timeout=300_000)
    assert page.locator(STDERR).count() == 0
    assert moving.locator(".said").inner_text().startswith("Nearest to good")
    typed = moving.locator("input[type=text]")
    typed.fill("")
    typed.press_sequentially("plot")  # no key is taken for a shortcut
    assert typed.input_value() == "plot" and moving.locator("img").is_hidden()
    page.set_viewport_size({"width": 1200, "height": 1000})
    page.get_by_role("link", name=term).first.click()
    page.wait_for_function(IN_VIEW, arg=term)


def test_no_dialog_opens(started):
    running, address, work = started
    course = work.parent / "notebooks"
    course.mkdir()
    assert lab.prepare(course, work) == lab.START
    page = running.new_page()
    page.goto(address.format(lab.START))
    page.locator("th", has_text="their minutes").wait_for(timeout=60_000)
    page.wait_for_function(IDLE, timeout=60_000)
    page.wait_for_timeout(2_000)  # what asks does so a moment after the page is shown
    assert page.locator(ASKED).all_inner_texts() == []


def test_what_an_update_did_stands_in_view_and_its_links_open(started):
    running, address, work = started
    course, name = work.parent / "notebooks", f"{LECTURE.stem}.ipynb"
    course.mkdir()
    shutil.copy(ROOT / "notebooks" / name, course)
    lab.prepare(course, work)
    for path, added in ((work / name, "# mine"), (course / name, "# newer")):
        notebook = nbformat.read(path, 4)
        notebook.cells[-1].source += added
        nbformat.write(notebook, path)
    lab.prepare(course, work)
    (kept,) = work.glob("*-before-*")
    page = running.new_page(viewport={"width": 1200, "height": 800})
    page.goto(address.format(lab.START))
    for link in (name, kept.name):
        page.get_by_role("link", name=link, exact=True).click(timeout=60_000)
        page.get_by_role("tab", name=link, exact=True).wait_for(timeout=60_000)
        page.get_by_role("tab", name=lab.START).click()


def test_a_self_test_opens_from_the_start_page_and_keeps_its_score(started):
    running, address, work = started
    assert lab.prepare(ROOT / "notebooks", work) == lab.START
    page = running.new_page()
    page.goto(address.format(lab.START))
    with page.context.expect_page(timeout=60_000) as opened:
        page.get_by_role("link", name=f"Self-test {number(LECTURE)}", exact=True).click()
    test, right = opened.value, sheets.read(LECTURE).self_test[0].right
    test.locator(f"[data-choice={right}]").first.click()
    test.reload()
    score = test.locator(".score [role=status]").inner_text()
    assert score == "1 right, 1 of 10 answered"
