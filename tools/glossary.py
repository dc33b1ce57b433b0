"""The glossary, `lectures/glossary.csv`: the page of its terms, and links from the lectures.

Bold text in a lecture is one of three: a term of the glossary where the lecture explains it; a
lead-in or a summary, which ends in a period, a colon or a question mark, or is one of LEADS; or
the name of a lecture. Emphasis is italic.
"""

import csv
import functools
import re

from nbformat import NotebookNode

from tools.shows import ROOT

PAGE = "glossary.md"  # JupyterLab goes to the entry in a text, in a notebook not always
LEADS = ("Predict", "You need", "It takes")
LINK = re.compile(rf"\[(\*\*[^\]]+\*\*)\]\({re.escape(PAGE)}#([^()\s]+)\)")
# Code, formulas, headings and what is a link already stay as they are.
BOLD = re.compile(
    r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*\$|^#+ [^\n]*|\[[^\]]*\]\([^)]*\)"
    r"|\*\*(?P<text>\S.*?)\*\*",
    re.DOTALL | re.MULTILINE,
)


def csv_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of `lectures/<name>.csv` that belong to a lecture of this checkout."""
    folder = ROOT / "lectures"
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        row for row in rows if (folder / f"lecture_{row['lecture']}" / "sheet.md").is_file()
    ]


def term(text: str) -> str | None:
    """Return the term that a bold text names, in the singular or plural, None for a lead-in."""
    said = " ".join(text.split())
    found = _forms().get(said.casefold().rstrip(".:?"))
    lead = said[-1] in ".:?" or said in LEADS or said.startswith(("Lecture ", "Lab "))
    if not found and not lead:
        raise ValueError(
            f"**{said}** is no term of lectures/glossary.csv: give it a row there; or make it "
            f"*italic*, if it is stressed; or end it with a period, a colon or a question mark "
            f"if it is a lead-in"
        )
    return found


def link(notebook: NotebookNode, lecture: str) -> None:
    """Make each term in bold a link to its entry, which JupyterLab finds by its heading."""
    for cell in notebook.cells:
        try:
            if cell.cell_type == "markdown":
                cell.source = BOLD.sub(_linked, cell.source)
        except ValueError as error:
            raise ValueError(f"{lecture}, cell {cell.id}: {error}") from None


def entries(titles: dict[str, str], folder: str = "") -> str:
    """Return the glossary in Markdown, one heading per term, with links to the notebooks."""
    said = "English and Persian; each term with the lecture that explains it."
    lines = ["# Glossary", "", said]
    for row in csv_rows("glossary"):
        lecture = next(name for name in titles if name.startswith(f"{row['lecture']}_"))
        persian = f'<span lang="fa" dir="rtl">{row["persian"]}</span>'
        title = f"[{titles[lecture]}]({folder}{lecture}.ipynb)"
        lines += ["", f"## {row['term']}", "", f"{persian} · {row['meaning']} {title}"]
    return "\n".join(lines) + "\n"


def _linked(found):
    name = found["text"] and term(found["text"])
    return f"[{found[0]}]({PAGE}#{name.replace(' ', '-')})" if name else found[0]


@functools.cache
def _forms():
    forms = {}
    for row in csv_rows("glossary"):
        written = row["term"].casefold()
        plural = re.sub("y$", "ie", written) if written[-2:-1] not in "aeo" else written
        plurals = (f"{plural}s", f"{written}es", re.sub("ix$", "ices", written))
        forms |= dict.fromkeys((written, *plurals), row["term"])
    return forms
