"""Read a lecture's sheet, the `sheet.md` of its folder: summary, self-test, exam.

The self-test and the exam are numbered lists. A question of the self-test has its choices, a)
to d), as a list, and then the right letter in bold with the reason; one of the exam has its
points in front, "(4 points)", and an indented paragraph that begins with "**Answer.**". A
comment "<!-- claims … -->" holds claims, which nobody is shown.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PARTS = ("Summary", "Self-test", "Exam")
QUESTIONS, POINTS = 10, 50
ITEM = re.compile(r"^(\d+)\. ", re.MULTILINE)
RIGHT = re.compile(r"^\*\*([a-d])\)\*\*", re.MULTILINE)
CHOICE = re.compile(r"^- ([a-d])\) ", re.MULTILINE)
CLAIMS = re.compile(r"\n *<!-- claims\n(.*?)\n *-->\n", re.DOTALL)  # see tools.claims
WORTH = re.compile(r"^\((\d+) points?\) ")


@dataclass(frozen=True)
class Question:
    """A question and its answer, in Markdown; `points` of the exam, the letter of a test."""

    asked: str
    answer: str
    points: int = 0
    right: str = ""

    @property
    def stem(self) -> str:
        """The question without its choices."""
        return CHOICE.split(self.asked)[0].strip()

    @property
    def choices(self) -> dict[str, str]:
        """The choices by letter, each in one line."""
        _, *found = CHOICE.split(self.asked)
        texts = (" ".join(text.split()) for text in found[1::2])
        return dict(zip(found[::2], texts, strict=True))

    @property
    def reason(self) -> str:
        """Why the right choice is the right one."""
        return RIGHT.sub("", self.answer).strip()


@dataclass(frozen=True)
class Sheet:
    """What a lecture's sheet holds; `summary` is Markdown."""

    title: str
    summary: str
    self_test: list[Question]
    exam: list[Question]


def read(source: Path) -> Sheet:
    """Return the sheet of a lecture, whose text lies beside it.

    Raises:
        ValueError: where the file lacks a part, or a question has no answer, no points, choices
            without a right one or a wrong number; says which.
    """
    path = source.with_name("sheet.md")
    text = CLAIMS.sub("", path.read_text(encoding="utf-8"))
    title, *parts = re.split(r"^##? (.+)\n", text, flags=re.M)[1:]
    names, texts = parts[1::2], parts[2::2]
    if tuple(names) != PARTS:
        raise ValueError(f"{path}: its parts are {names}, not {', '.join(PARTS)}")
    summary, test, exam = (text.strip() for text in texts)
    sheet = Sheet(
        title,
        summary,
        [_tested(f"{path}, self-test {k}", text) for k, text in _items(test, path)],
        [_examined(f"{path}, exam {k}", text) for k, text in _items(exam, path)],
    )
    points = sum(question.points for question in sheet.exam)
    if points != POINTS:
        raise ValueError(f"{path}: the exam has {points} points, not {POINTS}")
    return sheet


def _items(text, path):
    _, *found = ITEM.split(text)
    numbers = ", ".join(found[::2])
    if found[::2] != [str(number) for number in range(1, QUESTIONS + 1)]:
        raise ValueError(f"{path}: questions numbered {numbers}, not 1 to {QUESTIONS}")
    for number, item in enumerate(found[1::2], start=1):
        yield number, re.sub(r"^ {1,4}", "", item, flags=re.MULTILINE).strip()


def _tested(where, text):
    found, letters = RIGHT.search(text), "".join(CHOICE.findall(text))
    if not found or letters not in ("abc", "abcd") or found[1] not in letters:
        raise ValueError(f"{where}: it needs choices a) to c) or d), then **b)** and a reason")
    return Question(text[: found.start()].strip(), text[found.start() :], right=found[1])


def _examined(where, text):
    worth, (asked, mark, answer) = WORTH.match(text), text.partition("**Answer.**")
    if not worth or not mark:
        raise ValueError(f"{where}: it needs “(4 points) ” in front, and **Answer.** below")
    return Question(asked[worth.end() :].strip(), answer.strip(), int(worth[1]))
