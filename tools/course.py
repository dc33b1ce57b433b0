"""What course.toml sets: the course's name and looks, and where it is published."""

import base64
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from tools.shows import ROOT

ADDRESS = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
KINDS = {".svg": "svg+xml", ".png": "png"}
WRITTEN = {"dark": (bool, "true or false"), "words": (dict, "a [words] table")}
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
        ValueError: for what is no TOML, a key that is unknown or missing, a value of another
            kind, a logo that is not there, a colour, an address or a release that is none; says
            what is possible.
    """
    path = root / "course.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name} is no TOML: {error}") from None
    known = [field.name for field in fields(Course)]
    _same_keys(f"{path.name}", table, known)
    for name, value in table.items():
        kind, written = WRITTEN.get(name, (str, 'text in "quotes"'))
        if not isinstance(value, kind):
            raise ValueError(f"{path.name}: {name} = {value!r}; write {written}")
    _same_keys(f"{path.name}, [words]", table["words"], [*KEYS.values(), "by", *LICENCE])
    logo = root / table["logo"] if table["logo"] else None
    if logo and (not logo.is_file() or logo.suffix not in KINDS):
        raise ValueError(
            f"{path.name}: logo = {table['logo']!r} is no SVG or PNG file in {root}"
        )
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", table["accent"]):
        raise ValueError(f"{path.name}: accent = {table['accent']!r}; write it as #0072b2")
    repository, release = table["repository"].strip(), table["release"].strip()
    if repository and not ADDRESS.fullmatch(repository):
        raise ValueError(
            f"{path.name}: repository = {repository!r}: Colab opens notebooks from "
            "https://github.com/<owner>/<name> only (or leave it empty)"
        )
    if not re.fullmatch(r"[\w./-]+", release):
        raise ValueError(f"{path.name}: release = {release!r}: name a tag")
    picture = ""
    if logo:
        data = base64.b64encode(logo.read_bytes()).decode()
        picture = f"data:image/{KINDS[logo.suffix]};base64,{data}"
    changed = {"logo": picture, "repository": repository, "release": release}
    return Course(**table | changed)


def _same_keys(where, table, known):
    for what, names in (
        ("unknown", set(table) - set(known)),
        ("missing", set(known) - set(table)),
    ):
        if names:
            raise ValueError(
                f"{where}: {', '.join(sorted(names))} {what}; the keys are: {', '.join(known)}"
            )
