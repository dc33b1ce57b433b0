"""Make a lecture's self-test a page on which it is taken: a click, the reason, the score.

The page needs nothing else and no server. What was chosen is kept in the browser.
"""

import hashlib
from html import escape
from pathlib import Path
from string import Template

from latex2mathml.converter import convert

from course_utils import saving
from tools import sheets, slides_cells
from tools.course import course
from tools.slides import read
from tools.source import lectures, number


class _MathML:
    """Formulas in a form that browsers set by themselves, so that the page needs no Node."""

    def place(self, tex: str, display: bool) -> str:
        mathml = convert(tex, display="block" if display else "inline")
        return mathml.replace("<math ", f'<math alttext="{escape(tex)}" ', 1)


def form(sheet: sheets.Sheet, lecture: str) -> str:
    """Return a self-test as HTML, which self-test.js makes one that can be taken."""
    lines = [
        f'<div class="self-test" data-lecture="{lecture}">',
        '<div class="score" hidden><p role="status"></p>',
        '<button type="button">Start again</button></div>',
        "<noscript><p>Taking this test needs JavaScript; its answers stand in the lecture's "
        "sheet.</p></noscript>",
        "<ol>",
    ]
    for place, one in enumerate(sheet.self_test, start=1):
        key = hashlib.sha256(f"{one.asked}{one.right}".encode()).hexdigest()[:12]
        lines += [
            f'<li data-key="{key}" data-right="{one.right}">',
            _html(one.stem),
            f'<div class="choices" role="group" aria-label="Choices of question {place}">',
        ]
        for letter, choice in one.choices.items():
            said = _html(choice).removeprefix("<p>").removesuffix("</p>")
            lines.append(
                f'<button type="button" data-choice="{letter}"><span class="told"></span>'
                f"{letter}) {said}</button>"
            )
        lines += [
            '</div><div class="why" tabindex="-1" hidden>',
            f'<p><strong class="verdict"></strong></p>{_html(one.reason)}</div></li>',
        ]
    return "\n".join([*lines, "</ol>", "</div>"])


def page(source: Path) -> str:
    """Return the page of a lecture's self-test."""
    about, sheet = course(), sheets.read(source)
    return Template(read("self-test.html")).substitute(
        title=f"{number(source)} · {escape(sheet.title)}: self-test",
        course=escape(about.name),
        language=about.language,
        accent=about.accent,
        licence=_html(about.licence),
        questions=form(sheet, source.stem),
        style=read("self-test.css"),
        script=read("self-test.js"),
    )


def write(into: Path) -> None:
    """Write the pages of all lectures into a folder."""
    for source in lectures():
        with saving.whole(into / f"{source.stem}.html") as beside:
            beside.write_text(page(source), encoding="utf-8", newline="\n")


def _html(text):
    return slides_cells.markdown(text, _MathML()).strip()
