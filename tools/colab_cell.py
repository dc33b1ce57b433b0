"""The notebooks' first cell and the Colab badges, both fed by course.toml.

`python -m tools.colab_cell` writes what README.md says between its two markers: run it after
the setting has changed.
"""

import re
from pathlib import Path

from tools.command_line import parser
from tools.course import ADDRESS, ROOT, Course, course

BEGIN, END = "<!-- colab: begin -->", "<!-- colab: end -->"
PICTURE = "https://colab.research.google.com/assets/colab-badge.svg"

IMPORTS = """\
# On Colab this cell fetches the course and installs what is missing. Elsewhere: nothing.
# @markdown quick: small data, a minute or two. full: as recorded{minutes}.
profile = "quick"  # @param ["quick", "full"]
import os
import shutil{subprocess}
import sys
from pathlib import Path

if "google.colab" in sys.modules:
    os.environ["COURSE_PROFILE"] = profile
    course = Path(os.environ.get("COURSE_CONTENT", "/content")) / "course"
"""

CLONE = """\
    if not (course / "requirements.txt").is_file():
        shutil.rmtree(course, ignore_errors=True)
        fetch = ["git", "-c", "http.lowSpeedLimit=300", "-c", "http.lowSpeedTime=30", "clone"]
        fetch += ["--depth", "1", "--branch", "{release}", "{repository}", str(course)]
        result = subprocess.run(fetch, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"The course could not be fetched:\\n{{result.stderr.strip()}}")
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
    fetch, needs = UNPACK, ""
    if where.repository:
        fetch, needs = CLONE.format(**vars(where)), "\nimport subprocess"
    head = IMPORTS.format(subprocess=needs, minutes=full_minutes(lecture))
    return (head + fetch + IMPORT).rstrip("\n")


def badge(lecture: str, where: Course | None = None) -> str | None:
    """Return the Markdown badge that opens `lecture` in Colab; None while nothing is public."""
    where = where or course()
    if not where.repository:
        return None
    name = ADDRESS.fullmatch(where.repository)[1]
    return (
        f"[![Open in Colab]({PICTURE})](https://colab.research.google.com/github/"
        f"{name}/blob/{where.release}/notebooks/{lecture}.ipynb)"
    )


def readme_block(root: Path = ROOT) -> str:
    """Return what README.md says about Colab between its two markers."""
    where = course(root)
    lectures = sorted(path.stem for path in (root / "lectures").glob("*/[0-9]*.py"))
    if where.repository:
        lines = [f"- {lecture}: {badge(lecture, where)}" for lecture in lectures]
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
    """Write README.md's words on Colab."""
    parser("tools.colab_cell", __doc__).parse_args()
    readme = ROOT / "README.md"
    text = filled(readme.read_text(encoding="utf-8"), readme_block())
    readme.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
