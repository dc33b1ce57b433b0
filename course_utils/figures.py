"""Show the course's own drawings: SVG files whose title and description are the alt text."""

import base64
import re
from html import escape, unescape
from pathlib import Path

DRAWINGS = Path(__file__).resolve().parent / "drawings"


def show(name):
    """Show the drawing `name`, such as "01_lookup"; a ValueError lists those there are."""
    from IPython.display import display

    display(bundle(name), raw=True)


def bundle(name):
    """Return a drawing in the forms that a notebook keeps, by their MIME types.

    It is an <img>: of a notebook that it does not trust yet, JupyterLab shows that, but no SVG.
    """
    path = DRAWINGS / f"{name}.svg"
    if not path.is_file():
        raise ValueError(f"no drawing {name!r}; there are: {', '.join(names())}")
    svg = path.read_text(encoding="utf-8")
    label = escape(alternative_text(svg), quote=True)
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    return {
        "text/html": f'<img alt="{label}" src="{source}">',
        "text/plain": f"[{_title(svg)}]",
    }


def names():
    """Return the names of all drawings."""
    return sorted(path.stem for path in DRAWINGS.glob("*.svg"))


def alternative_text(svg):
    """Return the drawing's title and description, for those who cannot see it."""
    description = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.DOTALL)
    if not _title(svg) or not description:
        raise ValueError("a drawing needs both <title> and <desc>")
    return unescape(f"{_title(svg)}. {' '.join(description[1].split())}")


def _title(svg):
    title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)
    return " ".join(title[1].split()) if title else ""
