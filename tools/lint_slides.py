"""Walk every slide of a deck in Chromium at 1280×720; say what an audience would see wrong."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tools.slides import read

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge")
CHANNELS = ("chrome", "msedge")  # Playwright knows where Windows and macOS keep them
LOCAL = ("file:", "data:", "blob:", "about:")
# Nothing is on its way to another colour or place.
STILL = "* { transition: none !important; animation: none !important }"
MISSING = (
    "no Chromium, Chrome or Edge found: install one (Debian, Ubuntu: apt-get install chromium; "
    "Windows: winget install Google.Chrome; macOS: brew install --cask google-chrome), or name "
    "one that lies elsewhere: CHROMIUM=/path/to/it"
)


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


class Problem(NamedTuple):
    """What is wrong, on which slide (counted from 1; 0 is the deck as a whole)."""

    deck: str
    slide: int
    title: str
    text: str

    def __str__(self):
        """Give one line for people."""
        where = f"slide {self.slide} [{self.title}]" if self.slide else "the deck"
        return f"{self.deck}, {where}: {self.text}"


@contextmanager
def browser() -> Iterator:
    """Start the browser that CHROMIUM names, one on PATH, or an installed Chrome or Edge.

    Raises:
        NoBrowser: where there is none; says what to install.
    """
    from playwright.sync_api import Error, sync_playwright

    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else NAMES)), None)
    if named and not found:
        raise NoBrowser(f"CHROMIUM={named} is no program: name a browser's file, or unset it")
    ways = [{"executable_path": found}] if found else [{"channel": one} for one in CHANNELS]
    with sync_playwright() as playwright:
        for way in ways:
            try:
                running = playwright.chromium.launch(args=ARGUMENTS, **way)
            except Error:
                if found:
                    raise
                continue
            try:
                yield running
            finally:
                running.close()
            return
    raise NoBrowser(MISSING)


def opened(running, deck: Path, query: str = ""):
    """Open a deck; return what `watched` does, once all of the deck is set."""
    page, outside, errors = watched(running)
    page.goto(deck.resolve().as_uri() + query)
    page.wait_for_selector("html[data-deck-ready='1']", timeout=60_000)
    return page, outside, errors


def watched(running):
    """Return an empty page that gets nothing from outside, and two lists that fill meanwhile.

    Returns:
        (page, requests to anywhere outside, errors of scripts)
    """
    context = running.new_context(viewport={"width": 1280, "height": 720})
    outside, errors = [], []

    def refuse(route):
        outside.append(route.request.url)
        route.abort()

    context.route(lambda address: not address.startswith(LOCAL), refuse)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page, outside, errors


def lint(running, deck: Path) -> tuple[list[Problem], list[bool]]:
    """Return what is wrong with a deck, and of each slide whether it has speaker notes."""
    page, outside, errors = opened(running, deck)
    page.add_style_tag(content=STILL)
    look, problems, notes = read("lint.js"), [], []
    for index in range(page.evaluate("Reveal.getSlides().length")):
        seen = page.evaluate(look, index)
        notes.append(seen["notes"])
        problems += [
            Problem(deck.name, index + 1, seen["title"], one) for one in seen["problems"]
        ]
    whole = [f"it asks for {address}" for address in sorted(set(outside))]
    whole += [f"a script fails: {error}" for error in errors]
    if not any(notes):
        whole.append("it has no speaker notes")
    page.context.close()
    return [*problems, *(Problem(deck.name, 0, "", one) for one in whole)], notes
