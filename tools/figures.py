"""The figures of the prose, each with its proof beside it.

A figure is, outside of code and formulas: a decimal; a percentage; "39 of 40"; a multiple
("three times", "twice as"); a share ("less than half"); a number of points, runs, seeds or
samples; a number after a metric ("a perplexity of 12"). Other whole numbers are sizes and
settings, which the code beside them shows.

It is proved if the number stands in a claim of its section (`tools.claims`), in its `given`, or
in the output of one of its cells that the tests compare. A section reaches from one heading of
the first or second level to the next. In a sheet the summary and each question are a section,
and the numbers of a question are its own, unless it speaks of what was recorded or of the
lecture. A page's figures stand in claims of its lecture.
"""

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from tools import sheets
from tools.shows import ROOT

SMALL = "two three four five six seven eight nine ten eleven twelve".split()
WORDS = {word: number for number, word in enumerate(SMALL, 2)} | {"one and a half": 1.5}
WORDS |= {f"{word} and a half": number + 0.5 for number, word in enumerate(SMALL, 2)}
WORDS |= {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100}
SHARES = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10}
PARTS = SHARES | {"twice": 2}
NO_PROSE = re.compile(
    r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)|<!--.*?-->"
    r"|Keras \d\.\d+|\b0\d\w?\.\d|\(\d points?\b",
    re.DOTALL,
)
LONGEST_FIRST = "|".join(sorted(WORDS, key=len, reverse=True))
ONE = rf"(?:(?<![\w.])\d[\d,]*(?:\.\d+)?|\b(?:{LONGEST_FIRST})\b)"
MANY = rf"{ONE}(?:\s?%)?(?:(?:, and|,| to| or| and| against)\s{ONE}(?:\s?%)?)*"
METRICS = "perplexity|BLEU|loss|error|accuracy|cosine|correlation|score|F1|standard deviation"
ABOUT = "(?: about| nearly| only| at least| at most)?"
PART = "|".join(SHARES)
KINDS = {
    "percent": rf"{MANY}(?<=%)",
    "share": rf"(?:{ONE}|\b[Oo]ne)(?: (?:runs?|seeds?|sentences?|reviews?))? (?:of|in)"
    rf" (?:the |all )?(?:{ONE})(?!\.\d)",
    "points": rf"(?<!the ){MANY} points?\b",
    "times": rf"{MANY}[ -](?:times|fold|BLEU)\b|\b(?:twice|half) as\b|\bfactors? of{ABOUT} {ONE}",
    "runs": rf"{MANY}(?: \w+)? (?:seeds|runs|samples)\b",
    "spread": rf"± {ONE}",
    "metric": rf"\b(?:{METRICS}) (?:of|is|was|near|to|from|at|below|above){ABOUT} {MANY}(?: points?)?",
    "part": rf"\b(?:more|less|fewer|about|nearly|over) (?:than )?(?:a |one )?(?:{PART})\b"
    r"(?! an? (?:minute|hour))",
    "parts": rf"\b(?:a|one) (?:{PART}) of\b",
    "decimal": r"(?<![\w.])\d[\d,]*\.\d+(?![\w.]*\w)",
}
FIGURES = re.compile(
    "|".join(f"(?P<{kind}>{form})".replace(" ", r"\s") for kind, form in KINDS.items())
)
TOLD = re.compile(r"\b[Rr]ecorded|(?:[Tt]his|[Tt]he) (?:lecture|lab)'s|[Ii]n (?:this|the) (?:lecture|lab)\b|\b[Oo]ur\b")


@dataclass(frozen=True)
class Figure:
    """A figure of the prose, and the sets of numbers any of which proves it."""

    line: int
    said: str
    ways: tuple


@dataclass
class Section:
    """What a section says, the claims in it, and the numbers that its cells print."""

    heading: str
    figures: list = field(default_factory=list)
    claims: list = field(default_factory=list)
    printed: str = ""

    def unproved(self):
        """Return the figures that nothing proves."""
        known = set().union(*map(numbers, self.claims))
        shown = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", self.printed)
        known |= {value(number) for number in shown}
        return [one for one in self.figures if not any(known.issuperset(w) for w in one.ways)]


def value(said: str) -> float:
    """Return a number in digits or words."""
    return _rounded((WORDS | PARTS).get(" ".join(said.split())) or said.replace(",", ""))


def figures(text: str, line: int = 1) -> list[Figure]:
    """Return the figures of prose whose first line has that number in its file."""
    prose = NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found = []
    for match in FIGURES.finditer(prose):
        said = re.findall(rf"({ONE}|\b(?:{'|'.join(PARTS)})\b)(\s?%)?", match[0])
        pairs = [(value(one), mark) for one, mark in said if value(one)]  # 0 says nothing
        values = [one for one, _ in pairs]
        if match.lastgroup == "share":
            ways = [({*values} - {1}, {_rounded(([1] + values)[-2] / values[-1])})]
        elif "point" in match[0]:
            ways = [({one}, {_rounded(one / 100)}) for one in values]
        elif "%" in match[0]:  # "69 to 82 %" are two
            ways = [({_rounded(one / 100)}, *([] if mark else [{one}])) for one, mark in pairs]
        else:
            ways = [({one},) for one in values]
        at = line + prose.count("\n", 0, match.start())
        found += [Figure(at, " ".join(match[0].split()), way) for way in ways]
    return found


def numbers(claim: str) -> set[float]:
    """Return the numbers that a claim compares with; tolerances are none."""
    tree, found = ast.parse(claim), set()
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "near":
            del node.args[2:]
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            if all(isinstance(side, ast.Constant) for side in (node.left, node.right)):
                found.add(_rounded(node.left.value / node.right.value))
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            found.add(_rounded(node.value))
    return found


def _rounded(number):
    return round(float(number), 9)


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


def in_text(source: Path) -> list[Section]:
    """Return the sections of a lecture's text."""
    above, found = None, [Section("")]
    printed = _printed(ROOT / "notebooks" / f"{source.stem}.ipynb")
    for kind, line, text in cells(source.read_text(encoding="utf-8")):
        if kind == "markdown":
            if title := re.match("##? (.+)", text):
                found.append(Section(title[1], printed=printed.get(title[1], "")))
            found[-1].figures += figures(text, line)
        elif kind == "raw":
            if above != "markdown":
                raise ValueError(f"{source.stem}: claims stand below text: {text[:60]}")
            found[-1].claims += expressions(text)
        above = kind
    return found


def expressions(text: str) -> list[str]:
    """Return the expressions that stand below each other."""
    return [ast.get_source_segment(text, one) for one in ast.parse(text).body]


def _printed(notebook):
    """What the compared cells of a notebook print, by the heading above them."""
    found, title = {}, ""
    if not notebook.is_file():
        return found
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if heading := re.match("##? (.+)", "".join(cell["source"])):
            title = heading[1] if cell["cell_type"] == "markdown" else title
        if "nbval-check-output" in cell["metadata"].get("tags", ()):
            for output in cell["outputs"]:
                text = output.get("text") or output.get("data", {}).get("text/plain", "")
                found[title] = found.get(title, "") + "".join(text) + "\n"
    return found


def in_sheet(source: Path) -> list[Section]:
    """Return the summary and the questions of a lecture's sheet, as far as figures need proof."""
    text = source.with_name("sheet.md").read_text(encoding="utf-8")
    found = []
    starts = [m.start() for m in re.finditer(r"^(?:##? |\d+\. )", text, re.MULTILINE)]
    part = ""
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        own = text[start:end]
        part = own.splitlines()[0] if own.startswith("#") else part
        if part == "## Summary" or TOLD.search(own):
            section = Section(own.splitlines()[0])
            section.figures = figures(own, text.count("\n", 0, start) + 1)
            section.claims = [
                one for c in sheets.CLAIMS.findall(own) for one in expressions(dedent(c))
            ]
            found.append(section)
    return found
