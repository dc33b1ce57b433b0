"""Programs that a system may lack, or keep elsewhere: a browser, Node."""

import os
from types import SimpleNamespace

import pytest

from tools import lint_slides, slides_npm

CHROME = "Google/Chrome/Application/chrome.exe"
EDGE = "Microsoft/Edge/Application/msedge.exe"
MAC = "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine with nothing on PATH, whose folders for programs lie in `tmp_path`."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for name in ("PROGRAMFILES", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


@pytest.mark.parametrize(
    ("system", "file"),
    [
        ("win32", f"PROGRAMFILES/{CHROME}"),
        ("win32", f"PROGRAMFILES/{EDGE}"),
        ("darwin", f"HOME/{MAC}"),
        ("linux", "path/chromium"),
        ("linux", "path/microsoft-edge"),
    ],
)
def test_a_browser_is_found_where_its_system_keeps_it(bare, monkeypatch, system, file):
    monkeypatch.setattr(lint_slides.sys, "platform", system)
    found = program(bare / file)
    assert lint_slides.chromium() == found
    monkeypatch.setenv("CHROMIUM", program(bare / "mine"))
    assert lint_slides.chromium() == str(bare / "mine")


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("win32", "winget install Google.Chrome"),
        ("darwin", "brew install --cask google-chrome"),
        ("linux", "apt-get install chromium"),
        ("freebsd14", "CHROMIUM=/path/to/it"),
    ],
)
def test_what_to_install_is_said_for_each_system(bare, monkeypatch, system, said):
    monkeypatch.setattr(lint_slides.sys, "platform", system)
    monkeypatch.setattr(lint_slides, "places", list)
    with pytest.raises(lint_slides.NoBrowser, match=said):
        lint_slides.chromium()
    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    with pytest.raises(lint_slides.NoBrowser, match="CHROMIUM=/nowhere/chrome is no program"):
        lint_slides.chromium()


@pytest.mark.parametrize(("system", "folder"), [("nt", "Scripts"), ("posix", "bin")])
def test_node_comes_from_where_its_system_has_programs(bare, monkeypatch, system, folder):
    fake = SimpleNamespace(name=system, environ=os.environ, pathsep=os.pathsep)
    monkeypatch.setattr(slides_npm, "os", fake)
    monkeypatch.setattr(slides_npm, "BUILD", bare / "npm")
    installed = bare / "node" / folder
    monkeypatch.setattr(slides_npm, "_run", lambda command: None)  # a wheel without programs
    search_path = slides_npm.search_path.__wrapped__
    with pytest.raises(slides_npm.MissingTools, match="no node .* from nodejs.org"):
        search_path()
    both = [installed / name for name in ("node", "npm")]
    monkeypatch.setattr(slides_npm, "_run", lambda command: list(map(program, both)))
    assert search_path().startswith(f"{installed}{os.pathsep}")
