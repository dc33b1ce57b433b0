"""The figures of the prose, each with its proof beside it.

A figure is, outside of code and formulas: a decimal; a percentage; "39 of 40"; a multiple
("three times", "twice as"); a share ("less than half", "two thirds"); a number of points, runs,
seeds or samples; a number after a metric ("a perplexity of 12"); a whole number of thousands.
Smaller whole numbers are settings, which the code beside them shows.

It is proved if the number stands in a claim of its section (`tools.claims`), in its `given`, or
in the output of one of its cells that the tests compare; a thousand also if it stands in the
code of the lecture. What claims call `near` stands as often in the prose. A section reaches
from one heading of the first or second level to the next. In a sheet the summary and each
question are a section, and the numbers of a question are its own, unless it speaks of what was
recorded or of the lecture. A page's figures stand in claims of its lecture's text.
"""

import ast
import functools
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from tools import sheets
from tools.shows import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "project").glob("*.md"))]
COUNTS = "two three four five six seven eight nine ten eleven twelve".split()
COUNTS = {word: number for number, word in enumerate(COUNTS, 2)}
SHARES = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10}
SMALLER = SHARES | {"hundredth": 1 / 100, "thousandth": 1 / 1000}
FRACTIONS = {
    f"{count} {part}s": n * m
    for count, n in COUNTS.items()
    for part, m in SMALLER.items()
    if n * m < 1
}
WORDS = COUNTS | FRACTIONS | {f"{count} and a half": n + 0.5 for count, n in COUNTS.items()}
WORDS |= {"one and a half": 1.5, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40}
WORDS |= {"fifty": 50, "sixty": 60, "eighty": 80, "ninety": 90, "hundred": 100}


def _any(words):
    return "|".join(sorted(words, key=len, reverse=True))


# In these patterns a blank stands for any white space.
ONE = rf"(?:(?<![\w.])\d[\d,]*(?:\.\d+)?|\b(?:{_any(WORDS)})\b)"
MANY = rf"{ONE}(?: ?%)?(?:(?:, and|,| to| or| and| against) {ONE}(?: ?%)?)*"
METRIC = "perplexity|BLEU|loss|error|accuracy|cosine|correlation|score|F1|standard deviation"
NEARLY = "(?: about| nearly| only| at least| at most)?"
KINDS = {
    "percent": rf"{MANY}(?<=%)",
    "of": rf"(?:{ONE}|\bone)(?: (?:runs?|seeds?|sentences?|reviews?))? (?:of|in)"
    rf" (?:the |all )?{ONE}(?!\.\d)",
    "points": rf"(?<!the ){MANY} points?\b",
    "times": rf"{MANY}[ -](?:times|fold|BLEU)\b|\b(?:twice|half) as\b"
    rf"|\bfactors? of{NEARLY} {ONE}",
    "runs": rf"{MANY}(?: \w+)? (?:seeds|runs|samples)\b",
    "spread": rf"± {ONE}",
    "metric": rf"\b(?:{METRIC}) (?:of|is|was|near|to|from|at|below|above){NEARLY} {MANY}"
    "(?: points?)?",
    "share": r"\b(?:more|less|fewer|about|nearly|over) (?:than )?(?:a |one )?"
    rf"(?:{_any(SHARES)})\b(?! an? (?:minute|hour))"
    rf"|\b(?:a|one) (?:{_any(SHARES)}) of\b|\b(?:{_any(FRACTIONS)})\b",
    "decimal": r"(?<![\w.])\d[\d,]*\.\d+(?![\w.]*\w)",
    "thousands": r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d.])",
}
FIGURES = re.compile(
    "|".join(f"(?P<{kind}>{form})" for kind, form in KINDS.items()).replace(" ", r"\s"),
    re.IGNORECASE,
)
NUMBER = re.compile(
    rf"({ONE}|\b(?:{_any(SHARES)}|twice)\b)( ?%)?".replace(" ", r"\s"), re.IGNORECASE
)
NO_PROSE = re.compile(
    r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)|<!--.*?-->"
    r"|Keras \d\.\d+|\b0\d\w?\.\d|\(\d points?\b",
    re.DOTALL,
)
TOLD = re.compile(
    r"\b[Rr]ecorded|\b[Oo]ur\b"
    r"|\b[Tt]h(?:is|e) (?:lecture|lab)'s|\b[Ii]n th(?:is|e) (?:lecture|lab)\b"
)


@dataclass(frozen=True)
class Figure:
    """A figure of the prose, and the sets of numbers any of which proves it."""

    line: int
    said: str
    ways: tuple
    kind: str


@dataclass
class Section:
    """What a section says, its claims, what its cells print, the numbers of the code."""

    heading: str
    prose: str = ""
    figures: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    printed: str = ""
    settings: frozenset = frozenset()

    def unproved(self):
        """Return the figures that nothing proves."""
        known = set().union(*map(numbers, self.claims))
        known |= {value(found[1]) for found in NUMBER.finditer(self.printed)}
        return [
            one
            for one in self.figures
            if not any(way <= known for way in one.ways)
            and not (one.kind == "thousands" and one.ways[0] <= self.settings)
        ]

    def unsaid(self):
        """Return the claims that are near a number more often than the prose gives it."""
        left = Counter(value(found[1]) for found in NUMBER.finditer(_prose(self.prose)))
        found = []
        for claim in self.claims:
            for call in _calls_of_near(ast.parse(claim)):
                for number in _in_words(call.args[1], left):
                    own = number if left[number] or number >= 1 else _rounded(100 * number)
                    left[own] -= 1
                    if left[own] < 0 and own not in (0, 1):  # of 1, "one" may be said
                        found.append(claim)
        return found


def value(said: str) -> float:
    """Return a number in digits or words."""
    words = WORDS | SHARES | {"twice": 2}
    return _rounded(words.get(" ".join(said.lower().split())) or said.replace(",", ""))


def _rounded(number):
    return round(float(number), 9)


def _prose(text):
    """Blank code, formulas and what else is no prose, and keep the lines."""
    return NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def figures(text: str, line: int = 1) -> list[Figure]:
    """Return the figures of prose whose first line has that number in its file."""
    prose, found = _prose(text), []
    for match in FIGURES.finditer(prose):
        pairs = [(value(one), percent) for one, percent in NUMBER.findall(match[0])]
        pairs = [(one, percent) for one, percent in pairs if one]  # 0 says nothing
        values = [one for one, _ in pairs]
        if match.lastgroup == "of":  # "one of five" as 5, "nine in ten" also as 0.9
            ways = [({*values} - {1}, {_rounded(([1] + values)[-2] / values[-1])})]
        elif "point" in match[0]:
            ways = [({one}, {_rounded(one / 100)}) for one in values]
        elif "%" in match[0]:  # of "69 to 82 %" the first has no sign
            ways = [
                ({_rounded(one / 100)},) if percent else ({_rounded(one / 100)}, {one})
                for one, percent in pairs
            ]
        else:
            ways = [({one},) for one in values]
        at = line + prose.count("\n", 0, match.start())
        said = " ".join(match[0].split())
        found += [Figure(at, said, way, match.lastgroup) for way in ways]
    return found


def numbers(claim: str) -> set[float]:
    """Return the numbers that a claim compares with; the tolerance of `near` is none."""
    tree = ast.parse(claim)
    for node in _calls_of_near(tree):
        del node.args[2:]
    return set().union(*map(_constants, ast.walk(tree)))


def _calls_of_near(tree):
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in calls if getattr(node.func, "id", "") == "near"]


def _in_words(node, said):
    """Return the numbers of an expression, of a fraction that is not said itself both sides."""
    found = _constants(node)
    if found and (not isinstance(node, ast.BinOp) or said[min(found)]):
        return list(found)
    return [one for part in ast.iter_child_nodes(node) for one in _in_words(part, said)]


def _constants(node):
    """The number that a node is, or the value of a fraction."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return {_rounded(node.value)}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        sides = [*_constants(node.left), *_constants(node.right)]
        return {_rounded(sides[0] / sides[1])} if len(sides) == 2 else set()
    return set()


def expressions(text: str) -> list[str]:
    """Return the expressions that stand below each other."""
    return [ast.get_source_segment(text, one) for one in ast.parse(text).body]


def cells(text: str):
    """Yield each cell of a lecture's text: its kind, its first line's number, its text."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith("# %%")]
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        kind = re.match(r"# %%(?: \[(\w+)\])?", lines[head])[1] or "code"
        rows = lines[head + 1 : end]
        if kind != "code":
            rows = [row.removeprefix("#").removeprefix(" ") for row in rows]
        yield kind, head + 2, "\n".join(rows)


def places(source: Path) -> dict[Path, list[Section]]:
    """Return the files of a lecture that have figures, with their sections; or a page."""
    if source in PAGES:
        text = source.read_text(encoding="utf-8")
        return {source: [Section(source.stem, text, figures(text), _comments(text))]}
    return {
        source: in_text(source),
        source.with_name("sheet.md"): in_sheet(source),
        source.with_name("page.py"): in_page(source),
    }


@functools.cache
def in_text(source: Path) -> list[Section]:
    """Return the sections of a lecture's text."""
    above, found = None, [Section("")]
    printed = _printed(ROOT / "notebooks" / f"{source.stem}.ipynb")
    settings = _settings(source.parent)
    for kind, line, text in cells(source.read_text(encoding="utf-8")):
        if kind == "markdown":
            if title := re.match("##? (.+)", text):
                shown = printed.get(title[1], "")
                found.append(Section(title[1], printed=shown, settings=settings))
            found[-1].prose += text + "\n"
            found[-1].figures += figures(text, line)
        elif kind == "raw":
            if above != "markdown":
                raise ValueError(f"{source.stem}: claims stand below text: {text[:60]}")
            found[-1].claims += expressions(text)
        above = kind
    return found


def _printed(notebook):
    """What the compared cells of a notebook print, by the heading above them."""
    found, title = {}, ""
    written = json.loads(notebook.read_text(encoding="utf-8")) if notebook.is_file() else {}
    for cell in written.get("cells", ()):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and (heading := re.match("##? (.+)", text)):
            title = heading[1]
        if "nbval-check-output" in cell["metadata"].get("tags", ()):
            for output in cell["outputs"]:
                shown = output.get("text") or output.get("data", {}).get("text/plain", "")
                found[title] = found.get(title, "") + "".join(shown) + "\n"
    return found


def _settings(folder):
    """The whole numbers in the code of a lecture."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")]
    constants = [node for tree in trees for node in ast.walk(tree)]
    constants = [node.value for node in constants if isinstance(node, ast.Constant)]
    return frozenset(_rounded(one) for one in constants if isinstance(one, int))


def _comments(text):
    return [one for found in sheets.CLAIMS.findall(text) for one in expressions(dedent(found))]


@functools.cache
def in_sheet(source: Path) -> list[Section]:
    """Return the summary and those questions of a lecture's sheet whose figures need proof."""
    found, part = [], ""
    settings = _settings(source.parent)
    text = source.with_name("sheet.md").read_text(encoding="utf-8")
    starts = [one.start() for one in re.finditer(r"^(?:##? |\d+\. )", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        own = text[start:end]
        heading = own.partition("\n")[0]
        part = heading if heading.startswith("#") else part
        if part == "## Summary" or TOLD.search(own):
            said = figures(own, text.count("\n", 0, start) + 1)
            found.append(Section(heading, own, said, _comments(own), settings=settings))
    return found


def in_page(source: Path) -> list[Section]:
    """Return the sentences and captions of a lecture's page, with the claims of its text."""
    path = source.with_name("page.py")
    if not path.is_file():
        return []
    text = in_text(source)
    prose = "\n".join(section.prose for section in text)
    claims = [one for section in text for one in section.claims]
    page = Section("page", prose, claims=claims, settings=_settings(source.parent))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in [one for one in ast.walk(tree) if isinstance(one, ast.Dict)]:
        for key, said in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in ("sentence", "caption"):
                strings = [one.value for one in ast.walk(said) if isinstance(one, ast.Constant)]
                page.figures += figures("".join(map(str, strings)), key.lineno)
    return [page]
