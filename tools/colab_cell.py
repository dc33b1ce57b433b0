"""The notebooks' first cell and the badges that open them, both fed by course.toml.

Colab and Kaggle open a notebook alone, and its first cell fetches the course; Binder
(`.binder/`) and Codespaces (`.devcontainer/`) install it. While no address is public, there is
Colab alone, which takes the course from course.zip.

`python -m tools.colab_cell` writes what README.md says between its two markers: run it after
the setting has changed.
"""

import re
from pathlib import Path

from tools.command_line import parser
from tools.course import ADDRESS, ROOT, Course, course

BEGIN, END = "<!-- colab: begin -->", "<!-- colab: end -->"
COLAB, KAGGLE = '"google.colab" in sys.modules', '"KAGGLE_KERNEL_RUN_TYPE" in os.environ'
BADGES = {  # what opens a notebook: (its picture, the address)
    "Colab": (
        "https://colab.research.google.com/assets/colab-badge.svg",
        "https://colab.research.google.com/github/{name}/blob/{release}/notebooks/{lecture}.ipynb",
    ),
    "Kaggle": (
        "https://kaggle.com/static/images/open-in-kaggle.svg",
        "https://kaggle.com/kernels/welcome?src="
        "https://github.com/{name}/blob/{release}/notebooks/{lecture}.ipynb",
    ),
    "Binder": (
        "https://mybinder.org/badge_logo.svg",
        "https://mybinder.org/v2/gh/{name}/{release}?urlpath=lab/tree/notebooks/{lecture}.ipynb",
    ),
}
CODESPACES = (
    "[![Open in GitHub Codespaces](https://github.com/codespaces/badge.svg)]"
    "(https://codespaces.new/{name}) holds the whole course: open a notebook, or run `make lab`"
)

IMPORTS = """\
# On {places} this cell fetches the course and installs what is missing. Elsewhere: nothing.
# @markdown quick: small data, a minute or two. full: as recorded{minutes}.
profile = "quick"  # @param ["quick", "full"]
import os
import shutil{subprocess}
import sys
from pathlib import Path

if {there}:
    os.environ["COURSE_PROFILE"] = profile
    course = Path(os.environ.get("COURSE_CONTENT", {content})) / "course"
"""

CLONE = """\
    if not (course / "requirements.txt").is_file():
        shutil.rmtree(course, ignore_errors=True)
        fetch = ["git", "-c", "http.lowSpeedLimit=300", "-c", "http.lowSpeedTime=30", "clone"]
        fetch += ["--depth", "1", "--branch", "{release}", "{repository}", str(course)]
        result = subprocess.run(fetch, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError("The course could not be fetched (on Kaggle: Settings, "
                f"Turn on internet):\\n{{result.stderr.strip()}}")
"""

UNPACK = """\
    if not (course / "requirements.txt").is_file():
        found = list(course.parent.glob("course*.zip"))
        if not found:
            from google.colab import drive
            drive.mount(str(course.with_name("drive")))
            found = list(course.parent.glob("drive/MyDrive/course*.zip"))
        if not found:
            raise FileNotFoundError("No course.zip here. Upload it to the folder /content "
                "(folder symbol on the left) or put it into My Drive; run this cell again.")
        archive = max(found, key=os.path.getmtime)
        try:
            shutil.unpack_archive(archive, course)
        except shutil.ReadError:
            raise RuntimeError(f"{archive} is not complete. Is the upload still running? "
                "Wait for its end and run this cell again, or upload it again.") from None
"""

IMPORT = """\
    sys.path.insert(0, str(course))
try:
    from course_utils import colab
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("No course_utils here. On Colab: is course.zip the right one? "
        "Elsewhere: start with `make lab`, or `pip install -e .` in the checkout.") from error
colab.prepare()
"""


def full_minutes(lecture: str) -> str:
    """Return what README.md's table says of the full profile, "" where it does not."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    row = rf"\(notebooks/{lecture}\.ipynb\).*\| (\d+ min) \|$"
    minutes = re.search(row, readme, re.MULTILINE)
    return f", {minutes[1]} on two CPU cores" if minutes else ""


def first_cell(lecture: str, where: Course | None = None) -> str:
    """Return the first code cell of a lecture's notebook, without a trailing newline."""
    where = where or course()
    fetch, content = UNPACK, '"/content"'
    said = {"places": "Colab", "there": COLAB, "subprocess": ""}
    if where.repository:
        fetch, content = CLONE.format(**vars(where)), f'{content} if {COLAB} else "/tmp"'
        said = {"places": "Colab and Kaggle", "there": f"{COLAB} or {KAGGLE}"}
        said["subprocess"] = "\nimport subprocess"
    head = IMPORTS.format(content=content, minutes=full_minutes(lecture), **said)
    return (head + fetch + IMPORT).rstrip("\n")


def badges(lecture: str, where: Course | None = None) -> str | None:
    """Return the Markdown badges that open `lecture`; None while nothing is public."""
    where = where or course()
    if not where.repository:
        return None
    said = {"name": ADDRESS.fullmatch(where.repository)[1], "release": where.release}
    return " ".join(
        f"[![Open in {place}]({picture})]({address.format(lecture=lecture, **said)})"
        for place, (picture, address) in BADGES.items()
    )


def readme_block(root: Path = ROOT) -> str:
    """Return what README.md says about the badges between its two markers."""
    where = course(root)
    lectures = sorted(path.stem for path in (root / "lectures").glob("*/[0-9]*.py"))
    if where.repository:
        name = ADDRESS.fullmatch(where.repository)[1]
        lines = [f"- {CODESPACES.format(name=name)}"]
        lines += [f"- {lecture}: {badges(lecture, where)}" for lecture in lectures]
    else:
        lines = [
            "`make colab-zip` writes `course.zip`. Give it to students with `notebooks/`: they",
            "put `course.zip` into the top folder of their Drive, open a notebook at",
            "colab.research.google.com, run its first cell, and allow the access to Drive",
            "(all of it) that the cell asks for. If you do not want that, upload `course.zip`",
            "to `/content`, again for each notebook and session: each has its own machine.",
        ]
    return "\n".join([BEGIN, *lines, END])


def filled(readme: str, block: str) -> str:
    """Return `readme` with `block` between its markers; ValueError when a marker is missing."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        raise ValueError(f"README.md needs one line {BEGIN} and, below it, one line {END}")
    before, after = readme.split(BEGIN)[0], readme.split(END)[1]
    return before + block + after


def main() -> None:
    """Write README.md's words on the badges."""
    parser("tools.colab_cell", __doc__).parse_args()
    readme = ROOT / "README.md"
    text = filled(readme.read_text(encoding="utf-8"), readme_block())
    readme.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
