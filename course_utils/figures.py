"""Show pictures as every reader of a notebook takes them; the course's own drawings are SVG."""

import base64
import re
from html import escape, unescape
from pathlib import Path

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which people with any kind of colour vision can tell apart."""

GREY = "#555555"
LECTURES = Path(__file__).resolve().parents[1] / "lectures"


def show(name):
    """Show the drawing `name`, such as "NN_lookup"; a ValueError lists those there are."""
    from IPython.display import display

    display(bundle(name), raw=True)


def bundle(name):
    """Return a drawing in the forms that a notebook keeps, by their MIME types."""
    drawings = files()
    if name not in drawings:
        raise ValueError(f"no drawing {name!r}; there are: {', '.join(drawings)}")
    svg = drawings[name].read_text(encoding="utf-8")
    forms = as_image("image/svg+xml", svg.encode(), alternative_text(svg), *_size(svg))
    return forms | {"text/plain": f"[{_title(svg)}]"}


def as_image(kind, content, alt, width, height):
    """Return a picture as HTML, by its MIME type.

    Of an output of kind image/png JupyterLab and Sphinx show no alternative text, and an SVG
    JupyterLab hides in a notebook that it does not trust yet: both they show as an <img>.

    kind, content: the file's MIME type and bytes. width, height: in pixels of the page, on
    which it shrinks where there is less room.
    """
    shape = f'width="{width}" height="{height}" style="max-width: 100%; height: auto"'
    source = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    return {"text/html": f'<img alt="{escape(alt, quote=True)}" {shape} src="{source}">'}


def files():
    """Return the files of all lectures' drawings, by their names."""
    return {path.stem: path for path in sorted(LECTURES.glob("*/drawings/*.svg"))}


def alternative_text(svg):
    """Return the drawing's title and description, for those who cannot see it."""
    description = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.DOTALL)
    if not _title(svg) or not description:
        raise ValueError("a drawing needs both <title> and <desc>")
    return f"{_title(svg)}. {' '.join(unescape(description[1]).split())}"


def _size(svg):
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    if not found:
        raise ValueError('a drawing needs width="…" height="…", in pixels')
    return found.groups()


def _title(svg):
    title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)
    return " ".join(unescape(title[1]).split()) if title else ""
