"""Walk every slide of a deck in Chromium at 1280×720; say what an audience would see wrong."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.slides import read

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
]
ARGUMENTS += ["--disable-component-update", "--disable-sync", "--disable-quic"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NAMES += ("microsoft-edge", "msedge")
# Installed on Windows and macOS, a browser is not on PATH.
PLACES = {
    "win32": (
        ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"),
        (
            "Google/Chrome/Application/chrome.exe",
            "Chromium/Application/chrome.exe",
            "Microsoft/Edge/Application/msedge.exe",
        ),
    ),
    "darwin": (
        ("", "HOME"),
        tuple(
            f"Applications/{name}.app/Contents/MacOS/{name}"
            for name in ("Google Chrome", "Chromium", "Microsoft Edge")
        ),
    ),
}
INSTALL = {
    "win32": "winget install Google.Chrome",
    "darwin": "brew install --cask google-chrome",
    "linux": "Debian, Ubuntu: apt-get install chromium; Fedora: dnf install chromium",
}
LOCAL = ("file:", "data:", "blob:", "about:")


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


@dataclass(frozen=True)
class Problem:
    """What is wrong, on which slide (counted from 1; 0 is the deck as a whole)."""

    deck: str
    slide: int
    title: str
    text: str

    def __str__(self):
        """Give one line for people."""
        where = f"slide {self.slide} [{self.title}]" if self.slide else "the deck"
        return f"{self.deck}, {where}: {self.text}"


def chromium() -> str:
    """Return the path of Chromium, Chrome or Edge.

    The environment variable CHROMIUM goes first, then PATH, then where Windows and macOS keep
    programs. Raises NoBrowser where there is none; says what to install.
    """
    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else [*NAMES, *places()])), "")
    if named and not found:
        raise NoBrowser(f"CHROMIUM={named} is no program: name a browser's file, or unset it")
    if not found:
        how = INSTALL.get(sys.platform, INSTALL["linux"])
        raise NoBrowser(
            f"no Chromium, Chrome or Edge found ({how}; one elsewhere: CHROMIUM=/path/to/it)"
        )
    return found


def places() -> list[str]:
    """Return where this system installs browsers, whether one is there or not."""
    homes, programs = PLACES.get(sys.platform, ((), ()))
    folders = [os.environ.get(home, "") if home else "/" for home in homes]
    return [str(Path(folder, one)) for one in programs for folder in folders if folder]


@contextmanager
def browser() -> Iterator:
    """Start Chromium; raises NoBrowser where there is none."""
    from playwright.sync_api import sync_playwright

    executable = chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        try:
            yield running
        finally:
            running.close()


def opened(running, deck: Path, query: str = ""):
    """Open a deck; return its page once all is set, and the two lists that fill meanwhile.

    Returns:
        (page, requests to anywhere outside, errors of scripts)
    """
    page, outside, errors = watched(running)
    page.goto(deck.resolve().as_uri() + query)
    page.wait_for_selector("html[data-deck-ready='1']", timeout=60_000)
    return page, outside, errors


def watched(running, inside: tuple[str, ...] = LOCAL):
    """Return an empty page and two lists as `opened` does.

    inside: how addresses begin that it may ask for; it gets none else.
    """
    context = running.new_context(viewport={"width": 1280, "height": 720})
    outside, errors = [], []

    def refuse(route):
        outside.append(route.request.url)
        route.abort()

    context.route(lambda address: not address.startswith(inside), refuse)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, outside, errors


def lint(running, deck: Path, shots: Path | None = None) -> tuple[list[Problem], str]:
    """Look at every slide of a deck.

    Args:
        running: the browser.
        deck: the HTML file.
        shots: a folder for a picture of each slide.

    Returns:
        The problems, and a line on the deck as a whole.
    """
    page, outside, errors = opened(running, deck)
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    look = read("lint.js")
    problems, notes, tight = [], 0, []
    count = page.evaluate("Reveal.getSlides().length")
    for index in range(count):
        seen = page.evaluate(look, index)
        notes += seen["notes"]
        tight += [index + 1] if seen["tight"] else []
        problems += [
            Problem(deck.name, index + 1, seen["title"], one) for one in seen["problems"]
        ]
        if shots:
            shots.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=shots / f"{deck.stem}-{index + 1:02d}.png")
    whole = [f"it asks for {address}" for address in sorted(set(outside))]
    whole += [f"a script fails: {error}" for error in errors]
    if not notes:
        whole.append("it has no speaker notes")
    problems += [Problem(deck.name, 0, "", one) for one in whole]
    page.context.close()
    line = f"{deck.name}: {count} slides, {notes} with notes, {len(problems)} problems"
    if tight:
        line += f" (set tighter: {', '.join(map(str, tight))})"
    return problems, line
