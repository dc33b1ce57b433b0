"""What course.toml sets: the course's name and looks, and where it is published."""

import base64
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from tools.shows import ROOT

ADDRESS = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
KINDS = {".svg": "svg+xml", ".png": "png"}
LICENCE = {  # what each covers, in words that course.toml may translate
    "text and figures": "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)",
    "code": "MIT",
}
KEYS = {  # of a deck, and what each does: the words that course.toml may translate
    "→": "next",
    "S": "speaker view",
    "O": "overview",
    "F": "full screen",
    "E": "without the exercises",
    "?": "all keys",
}


@dataclass(frozen=True)
class Course:
    """The settings; `logo` is the address of an embedded picture, or ""."""

    name: str
    authors: str
    aids: str
    logo: str
    accent: str
    dark: bool
    language: str
    repository: str
    release: str
    words: dict[str, str]

    @property
    def licence(self) -> str:
        """The course, its authors and what may be done with it, as a line of Markdown."""
        name = f"[{self.name}]({self.repository})" if self.repository else self.name
        terms = "; ".join(f"{self.words[what]}: {terms}" for what, terms in LICENCE.items())
        return f"{name}, {self.words['by']} {self.authors}. {terms[0].upper()}{terms[1:]}."


def course(root: Path = ROOT) -> Course:
    """Read course.toml.

    Raises:
        ValueError: for what is no TOML, a key that is unknown or missing, a logo that is not
            there and an address that Colab cannot open; says what is possible.
    """
    path = root / "course.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name} is no TOML: {error}") from None
    for part, given, known in (
        ("", table, [field.name for field in fields(Course)]),
        (", [words]", table.get("words", {}), [*KEYS.values(), "by", *LICENCE]),
    ):
        if wrong := ", ".join(sorted(set(given) ^ set(known))):
            known = ", ".join(known)
            raise ValueError(
                f"{path.name}{part}: {wrong} unknown or missing; the keys are: {known}"
            )
    repository, logo = table["repository"], root / table["logo"]
    if repository and not ADDRESS.fullmatch(repository):
        raise ValueError(
            f"{path.name}: repository = {repository!r}: Colab opens notebooks from "
            "https://github.com/<owner>/<name> only (or leave it empty)"
        )
    if table["logo"]:
        if not logo.is_file() or logo.suffix not in KINDS:
            raise ValueError(f"{path.name}: logo = {table['logo']!r} is no SVG or PNG file")
        data = base64.b64encode(logo.read_bytes()).decode()
        table["logo"] = f"data:image/{KINDS[logo.suffix]};base64,{data}"
    return Course(**table)
