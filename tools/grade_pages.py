"""The pages that `tools.grade` writes: one of the class, and one of feedback a student."""

import difflib
import functools
import inspect
import io
import itertools
import re
import tokenize
from collections import Counter
from html import escape

from course_utils import exercises
from tools import glossary, source
from tools.exercises import HEADING

LONG = 40  # tokens, from which on an answer tells whose it is
ALIKE = 0.95
SIGNS = {"solved": "✓", "not yet": "✗"}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; color: #1a1a1a; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid #ccc;
  vertical-align: top }
td.number { text-align: right }
pre { background: #f4f4f4; padding: .6rem; overflow-x: auto; font-size: 14px }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem }
.pair pre { white-space: pre-wrap }
"""


def pages(rows: list[dict], solutions: bool) -> dict[str, str]:
    """Return all pages by their names; `rows` are those of `tools.grade.grade`."""
    students = {}
    for row in rows:
        students.setdefault(row["student"], []).append(row)
    names = {student: f"students/{_file_name(student)}.html" for student in students}
    for student, count in Counter(names.values()).items():
        if count > 1:  # two names that differ in signs alone
            same = [one for one in names if names[one] == student]
            names |= {one: f"{student[:-5]}-{k}.html" for k, one in enumerate(same, start=1)}
    found = {names[one]: feedback(one, mine, solutions) for one, mine in students.items()}
    return found | {"class.html": of_class(students, names)}


def of_class(students: dict[str, list[dict]], pages: dict[str, str]) -> str:
    """Return the page of the class: points, exercises, mistakes, answers that are alike."""
    rows = [row for mine in students.values() for row in mine]
    judged = [row for row in rows if row["exercise"]]
    parts = ["<h1>The class</h1>", "<h2>Students</h2>", _table(
        ("student", "points", "of", "notes"),
        [
            (
                f'<a href="{escape(pages[name])}">{escape(name)}</a>',
                sum(row["points"] for row in mine),
                sum(row["minutes"] for row in mine),
                "<br>".join(escape(note) for note in _notes(mine)),
            )
            for name, mine in students.items()
        ],
    )]  # fmt: skip
    looked_at = [
        (
            escape(row["student"]),
            escape(row["exercise"] or row["place"]),
            escape(row["mistake"]),
        )
        for row in rows
        if row["state"] in ("refused", "stopped", "unreadable")
    ]
    parts += ["<h2>To look at by hand</h2>"]
    parts += [_table(("student", "exercise or file", "what was found"), looked_at)]
    by_exercise = {}
    for row in judged:
        by_exercise.setdefault(row["exercise"], []).append(row)
    parts += ["<h2>Exercises</h2>", _table(
        ("exercise", "solved", "not yet", "open or missing", "stopped or refused"),
        [
            (escape(name), *(
                sum(row["state"] in states for row in mine)
                for states in (("solved",), ("not yet",), ("open", "missing"),
                               ("stopped", "refused"))
            ))
            for name, mine in sorted(by_exercise.items())
        ],
    )]  # fmt: skip
    mistakes = Counter((row["exercise"], row["mistake"]) for row in judged if row["mistake"])
    shown = [
        (escape(name), count, escape(mistake), _slide(name))
        for (name, mistake), count in mistakes.most_common()
    ]
    parts += ["<h2>Mistakes by frequency</h2>"]
    parts += [_table(("exercise", "students", "mistake", "the slide to show again"), shown)]
    parts += ["<h2>Answers that are alike</h2>", _copied(judged)]
    parts += ["<p>A hint and no verdict: short and likely answers are left out, and two "
              "students who worked together may have been allowed to.</p>"]  # fmt: skip
    for one, other, shared in alike(judged):
        both = f"{escape(one)} and {escape(other)}"
        parts.append(f"<h3>{both}: {len(shared)} of their answers</h3>")
        for left, right in shared:
            parts.append(f"<p>{escape(left['exercise'])}</p><div class='pair'>")
            parts += [f"<pre>{escape(part['answer'])}</pre>" for part in (left, right)]
            parts.append("</div>")
    return _page("The class", parts)


def feedback(student: str, rows: list[dict], solutions: bool) -> str:
    """Return a student's page: what is solved, what is wrong, and a hint."""
    parts = [f"<h1>{escape(student)}</h1>"]
    total, most = (sum(row[key] for row in rows) for key in ("points", "minutes"))
    parts.append(f"<p>{total} of {most} points. {' '.join(map(escape, _notes(rows)))}</p>")
    parts.append("<p>✓ solved · ✗ not yet right · ○ open, missing or not judged</p>")
    for row in rows:
        if not row["exercise"]:
            parts.append(f"<p>{escape(row['place'])}: {escape(row['message'])}</p>")
            continue
        sign = SIGNS.get(row["state"], "○")
        called = _titles(row["exercise"].partition(".")[0])[row["exercise"]]
        parts.append(
            f"<h2>{sign} {escape(row['exercise'])} {escape(called)}, "
            f"{row['points']} of {row['minutes']} points</h2>"
        )
        message = row["message"].removeprefix(f"{row['exercise']}: ")
        message = message.removeprefix("not yet: ")
        parts.append(f'<p style="white-space: pre-wrap">{escape(message)}</p>')
        if row["answer"] and row["state"] != "open":
            parts.append(f"<details><summary>Your answer</summary><pre>{escape(row['answer'])}"
                         "</pre></details>")  # fmt: skip
        asked = exercises.find(row["exercise"])
        if row["state"] != "solved":
            parts.append(f"<p>Hint: {escape(asked.hints[0])}</p>")
            if solutions:
                text = inspect.getsource(asked.reference).rstrip()
                parts.append(f"<pre>{escape(text)}</pre><p>{escape(asked.reasoning)}</p>")
    return _page(student, parts)


def alike(rows: list[dict]) -> list[tuple[str, str, list]]:
    """Return pairs of students with answers that are alike: (one, other, pairs of rows).

    Names, spaces and comments count, the course's text does not; what more than a few students
    wrote alike is what one writes.
    """
    found, by_exercise = {}, {}
    for row in rows:
        tokens = _tokens(row["answer"])
        if row["state"] in ("solved", "not yet") and len(tokens) >= LONG:
            by_exercise.setdefault(row["exercise"], []).append((row, tokens))
    for answers in by_exercise.values():
        often = Counter(" ".join(tokens) for _, tokens in answers)
        few = max(3, len(answers) // 10)
        for (one, mine), (other, theirs) in itertools.combinations(answers, 2):
            if often[" ".join(mine)] > few or one["student"] == other["student"]:
                continue
            matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
            if matcher.real_quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                found.setdefault((one["student"], other["student"]), []).append((one, other))
    return sorted(((*pair, both) for pair, both in found.items()), key=lambda one: -len(one[2]))


def _copied(rows):
    """Say who wrote what `cu.exercises.solution` shows."""
    found = {}
    for row in rows:
        tokens = _tokens(row["answer"])
        own = inspect.getsource(exercises.find(row["exercise"]).reference)
        if row["state"] == "solved" and len(tokens) >= LONG and tokens == _tokens(own):
            found.setdefault(row["exercise"], []).append(row["student"])
    told = [f"{name}: {', '.join(students)}" for name, students in sorted(found.items())]
    return f"<p>As the course's own solution: {escape('; '.join(told) or 'none')}.</p>"


def _tokens(text):
    try:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        kept = (one for one in tokens if one.type != tokenize.STRING)
        return [one.string for one in kept if one.string.strip()]
    except (tokenize.TokenError, SyntaxError):
        return []


@functools.cache
def _cells(number):
    (path,) = (one for one in source.lectures() if source.number(one) == number)
    return source.assemble(path).cells


@functools.cache
def _titles(number):
    """The titles of a lecture's exercises."""
    texts = (cell.source for cell in _cells(number) if cell.cell_type == "markdown")
    found = (one for text in texts for one in HEADING.finditer(text))
    return {one[1]: one[0].partition(" · ")[2] for one in found}


def _slide(identifier):
    """The title and the first sentence of the part in which an exercise stands."""
    title = text = ""
    for cell in _cells(identifier.partition(".")[0]):
        if cell.cell_type != "markdown":
            continue
        if any(found[1] == identifier for found in HEADING.finditer(cell.source)):
            break
        if heading := re.match(r"##+ (.+)\n*((?s:.*))", cell.source):
            title, text = heading[1], heading[2]
        elif not text and cell.metadata.get("slideshow", {}).get("slide_type") != "notes":
            text = cell.source
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = glossary.LINK.sub(r"\1", text).replace("**", "")
    sentence = re.split(r"(?<=[.!?:])\s", " ".join(text.split()))[0]
    return f"<b>{escape(title)}</b><br>{escape(sentence)}"


def _notes(rows):
    return list(dict.fromkeys(note for row in rows for note in row["notes"]))


def _file_name(student):
    return re.sub(r"[^\w.-]+", "_", student).strip("._") or "student"


def _table(head, rows):
    lines = "".join(
        "<tr>"
        + "".join(
            f'<td class="number">{cell}</td>' if isinstance(cell, int) else f"<td>{cell}</td>"
            for cell in row
        )
        + "</tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in head)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def _page(title, parts):
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )
