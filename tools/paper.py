"""Pages that are printed, too: sheets, exam papers with head and room to write, their PDFs."""

import base64
from collections.abc import Collection
from html import escape
from math import ceil
from pathlib import Path

from pygments.formatters import HtmlFormatter

from tools import lint_slides, sheets, site, slides
from tools import slides_cells as cells
from tools.course import course
from tools.shows import ROOT
from tools.source import PROJECT

PAGES = {  # of the course, each with the name that it has in the folder
    "syllabus": ROOT / "lectures" / "syllabus.md",
    "project": PROJECT.with_name("project.md"),
    "report": PROJECT.with_name("report.md"),
}
MINUTES = 2  # of an exam, for a point
COLUMNS = 14  # of the table of points that fit beside each other
FIELDS = ("Name", "Student number", "Date")
# Tags and an outline: what a screen reader, and who looks for a section, goes by.
PRINTED = {"prefer_css_page_size": True, "tagged": True, "outline": True}
# Chromium tags no MathML in a PDF: there each formula is a figure that is called by its words.
# The frame of a picture would be a second figure, and one without a name.
SAID = """() => {
  for (const formula of document.querySelectorAll("mjx-container")) {
    const [picture, spoken] = formula.children;
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", spoken.firstElementChild.getAttribute("alttext"));
    picture.removeAttribute("aria-hidden");
    spoken.remove();
  }
  for (const frame of document.querySelectorAll("figure")) frame.setAttribute("role", "none");
}"""


def page(title: str, text: str) -> str:
    """Return a page that needs nothing else, of Markdown that may hold HTML."""
    formulas = cells.Formulas()
    body, errors = formulas.filled(cells.markdown(text, formulas))
    if errors:
        raise slides.SlidesFailed(f"{title}: {'; '.join(errors)}")
    licence = cells.markdown(course().licence, formulas)
    styles = slides.read("page.css") + HtmlFormatter().get_style_defs("pre")
    framed = f"<header>{escape(course().name)}</header>\n<main>\n{body}</main>\n"
    framed += f"<footer>{licence}</footer>"
    return slides.whole_page(title, framed, body, styles, "light")


def offline(path: Path, into: Path, names: Collection[str]) -> str:
    """Return a page of the course whose pictures are in it, and whose links lead into `into`.

    names: the pages that will lie there. A link to what is not there becomes its text.
    """

    def kept(found):
        picture, said, address = found.groups()
        if picture:
            data = base64.b64encode((path.parent / address).read_bytes()).decode()
            return f"![{said}](data:image/png;base64,{data})"
        name = Path(address).stem
        there = [f"{name}.html"] * (name in names)
        there += [
            one for one in (f"{name}.ipynb", f"{name}/deck.html") if (into / one).exists()
        ]
        if "://" in address:
            return found[0]
        return f"[{said}]({there[0]})" if there else said

    return site.LINK.sub(kept, sheets.CLAIMS.sub("", path.read_text(encoding="utf-8")))


def write_pages(names: Collection[str], into: Path) -> None:
    """Write pages of the course as HTML that needs nothing else."""
    into.mkdir(parents=True, exist_ok=True)
    for name in names:
        html = page(name.capitalize(), offline(PAGES[name], into, names))
        (into / f"{name}.html").write_text(html, encoding="utf-8")


def worth(points: int) -> str:
    """Return the points of a question or an exercise, as they stand in its heading."""
    return f'<span class="points">({points} point{"s" * (points != 1)})</span>'


def whole(*parts: str) -> str:
    """Return parts of Markdown that no page break may divide."""
    return "\n\n".join(['<div class="whole">', *parts, "</div>"])


def head(asked: list[sheets.Question]) -> str:
    """Return the head of an exam paper, below its title: who, how long, with what, points."""
    points = [question.points for question in asked]
    columns = [*(f"{k}" for k in range(1, len(asked) + 1)), "Total"]
    due = [*map(str, points), str(sum(points))]
    each = ceil(len(columns) / ceil(len(columns) / COLUMNS))
    starts = range(0, len(columns), each)
    marks = "\n".join(_marks(columns[k : k + each], due[k : k + each]) for k in starts)
    fields = "\n".join(f'<p class="field">{name}</p>' for name in FIELDS)
    return f"""<div class="head">
{fields}
<p><b>Time:</b> {MINUTES * sum(points)} minutes. <b>Aids:</b> {escape(course().aids)}.
<b>Total:</b> {sum(points)} points in {len(asked)} questions.</p>
{marks}
</div>"""


def _marks(columns, due):
    numbers = "".join(f'<th scope="col">{name}</th>' for name in columns)
    return f"""<table class="marks">
<tr><th scope="row">Question</th>{numbers}</tr>
<tr><th scope="row">Points</th>{"".join(f"<td>{one}</td>" for one in due)}</tr>
<tr><th scope="row">Reached</th>{"<td></td>" * len(due)}</tr>
</table>"""


def questions(asked: list[sheets.Question], answers: bool) -> str:
    """Return numbered questions in Markdown, with answers or, for points, room to write."""
    parts = []
    for number, one in enumerate(asked, start=1):
        text = [f"## Question {number} {worth(one.points) if one.points else ''}", one.stem]
        if one.choices:
            rows = [f"- {letter}) {choice}" for letter, choice in one.choices.items()]
            text += ['<div class="choices">', "\n".join(rows), "</div>"]
        if answers:
            text.append(f'<div class="answer">\n\n{one.answer}\n\n</div>')
        elif one.points:
            text.append(f'<div class="room" style="--points: {one.points}"></div>')
        # The first one's room may go on overleaf: page 1 would hold nothing but the head.
        overleaf = [text.pop()] if number == 1 and one.points and not answers else []
        parts += [whole(*text), *overleaf]
    return "\n\n".join(parts)


def print_pdf(running, html: Path, path: Path, query: str = "") -> None:
    """Print a page, or a deck opened with one of reveal's queries."""
    if query:
        shown, _, _ = lint_slides.opened(running, html, query)
        shown.locator(".pdf-page").first.wait_for()
    else:
        shown, _, _ = lint_slides.watched(running)
        shown.goto(html.resolve().as_uri())
    shown.evaluate(SAID)
    shown.pdf(path=path, **PRINTED, print_background=bool(query))
    shown.context.close()
