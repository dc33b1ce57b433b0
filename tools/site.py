"""Make the course's site: one folder of pages, which any web server or a browser shows.

    python -m tools.site

The lectures are the built notebooks; nothing is executed. Exercises, sheets, glossary,
notation and findings are written here as Markdown; Sphinx makes the pages, the library's
reference, and their search, which works without a network, too.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_utils import explore
from tools import exercises, glossary, self_test, sheets, slides, slides_cells, slides_npm
from tools.command_line import parser
from tools.course import Course, course
from tools.rules import named
from tools.shows import ROOT
from tools.source import PROJECT, assemble, heading, lectures, titles

BUILD = ROOT / "build"
INTO, PAGES = BUILD / "site", BUILD / "site-pages"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CONTENTS = [
    "lectures/index",
    "explore/index",
    "exercises",
    "sheets/index",
    "project/project",
    "lectures/presets",
    "glossary",
]
CONTENTS += ["notation", "RESULTS", "library/index", "teach", "FAQ", "CONTRIBUTING"]


def slug(anchor: str) -> str:
    """Return how Sphinx writes the anchor of a heading, which JupyterLab takes as it is."""
    return re.sub(r"[^\w-]", "", anchor.lower())


def notation() -> str:
    """Return the table of symbols in Markdown."""
    lines = ["# Notation", "", "| symbol | meaning | lecture |", "| --- | --- | --- |"]
    for row in glossary.csv_rows("notation"):
        meaning = row["meaning"].replace("|", r"\|")
        symbol = row["symbol"].replace("|", r"\vert ")
        lines.append(f"| ${symbol}$ | {meaning} | {row['lecture']} |")
    return "\n".join(lines)


def exercise_list(titles: dict[str, str]) -> str:
    """Return the exercises of all lectures in Markdown, with level and minutes."""
    lines = [
        "# Exercises",
        "",
        "Every exercise checks itself in its notebook, names the mistake,",
    ]
    lines += ["and has two hints and a solution with its reason."]
    for source in lectures():
        known, text = exercises.declared(source.stem), source.read_text(encoding="utf-8")
        lines += ["", f"## {titles[source.stem]}", ""]
        lines += ["| exercise | level of 5 | minutes |", "| --- | --- | --- |"]
        for name, what in re.findall(r"^# #+ Exercise (\S+) · (.+)$", text, re.MULTILINE):
            level, minutes = known[name]
            lines.append(
                f"| [{name} {what}](lectures/{source.stem}.ipynb) | {level} | {minutes} |"
            )
    return "\n".join(lines)


def inside(text: str, page: Path, repository: str) -> str:
    """Keep of a page's links those that lead into the site or out of the course.

    Others go to the public repository, or, where there is none, become their text. Pictures
    stay.
    """

    def kept(found):
        picture, said, address = found.groups()
        target = address.partition("#")[0]
        if picture or not target or "://" in address:
            return found[0]
        if (PAGES / page.parent / target).exists():
            return found[0]
        name = os.path.normpath(page.parent / target)
        return f"[{said}]({repository}/blob/main/{name})" if repository else said

    return LINK.sub(kept, text)


def as_new(source: Path) -> NotebookNode:
    """Return the built notebook of a lecture; ValueError where it is out of date."""
    path = ROOT / "notebooks" / f"{source.stem}.ipynb"
    notebook = nbformat.read(path, 4)
    old = {(cell.id, cell.source) for cell in notebook.cells}
    for cell in assemble(source).cells:
        if (cell.id, cell.source) not in old:
            raise ValueError(
                f"{path} is older than the lecture ({named(cell)} is missing or different): "
                f"make notebook LECTURE={source.stem}"
            )
    return notebook


def text_of(name: str) -> str:
    """Return a page of the course, without its claims."""
    return sheets.CLAIMS.sub("", (ROOT / name).read_text(encoding="utf-8"))


def write_pages() -> None:
    """Write all that Sphinx reads into build/site-pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    write_static(course())
    called = titles()
    texts = {
        "exercises.md": exercise_list(called),
        "glossary.md": glossary.entries(called, "lectures/"),
        "notation.md": notation(),
        "teach.md": text_of("lectures/syllabus.md").replace("(../", "("),
        "FAQ.md": text_of("FAQ.md").replace("(lectures/syllabus.md)", "(teach.md)"),
        "CONTRIBUTING.md": text_of("CONTRIBUTING.md"),
        "lectures/index.md": index("The lectures", called),
        "lectures/presets.md": text_of("lectures/presets.md").replace("(../notebooks/", "("),
        "sheets/index.md": index("Summaries and self-tests", called),
    }
    (PAGES / "lectures").mkdir()
    moving = []
    for source in lectures():
        title, sheet = called[source.stem], sheets.read(source)
        notebook = page_of(source, title)
        nbformat.write(notebook, PAGES / "lectures" / f"{source.stem}.ipynb")
        further = ""
        if shown := explorables(notebook):
            moving.append(source.stem)
            further = f"\n\n[What moves in this lecture](../explore/{source.stem}.md)"
            link = f"From [the lecture](../lectures/{source.stem}.ipynb)."
            texts[f"explore/{source.stem}.md"] = f"# {title}: explore\n\n{link}\n\n{shown}\n"
        test = f"## Self-test\n\n```{{raw}} html\n{self_test.form(sheet, source.stem)}\n```\n"
        head = f"# {title}: summary and self-test"
        texts[f"sheets/{source.stem}.md"] = f"{head}\n\n{sheet.summary}{further}\n\n{test}"
    texts["explore/index.md"] = index("Explore", moving)
    start = page_of(PROJECT, heading(assemble(PROJECT)))
    nbformat.write(start, PAGES / "lectures" / f"{PROJECT.stem}.ipynb")
    report = text_of("project/report.md")
    below = toctree([f"/lectures/{PROJECT.stem}", "report"], "hidden:")
    project = text_of("project/project.md").replace("(../notebooks/", "(../lectures/")
    project = project.replace("(../lectures/syllabus.md)", "(../teach.md)")
    texts |= {"project/project.md": f"{project}\n{below}", "project/report.md": report}
    shutil.copytree(ROOT / "results" / "plots", PAGES / "results" / "plots")
    pages = {path.stem: path for path in sorted((ROOT / "results").glob("*.md"))}
    for name, path in pages.items():
        texts[f"results/{name}.md"] = path.read_text(encoding="utf-8")
    below = toctree([f"results/{name}" for name in pages], "hidden:")
    findings = text_of("RESULTS.md")
    texts["RESULTS.md"] = f"{findings}\n{below}"
    files = [file for file in (ROOT / "course_utils").rglob("*.py") if file.stem != "__init__"]
    modules = sorted(".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files)
    for module in modules:  # which Sphinx' autodoc fills
        filled = f"```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n```"
        texts[f"library/{module}.md"] = f"# {module}\n\n{filled}\n"
    texts["library/index.md"] = index("The library", modules)
    readme = text_of("README.md").partition("\n## In Colab")[0]
    start = readme.replace("(notebooks/", "(lectures/")
    texts["index.md"] = f"{start}\n{toctree(CONTENTS, 'hidden:')}"
    for name, text in texts.items():
        (PAGES / name).parent.mkdir(exist_ok=True)
        (PAGES / name).write_text(text, encoding="utf-8")
    repository = course().repository.rstrip("/").removesuffix(".git")
    for name, text in texts.items():  # now that it can be seen which pages there are
        (PAGES / name).write_text(inside(text, Path(name), repository), encoding="utf-8")


def write_static(about: Course) -> None:
    """Write Sphinx' settings, styles and scripts."""
    static = PAGES / "_static"
    static.mkdir(parents=True)
    licence = slides_cells.markdown(about.licence, slides_cells.Formulas())
    settings = [
        slides.read("site_conf.py"),
        f"project = html_title = {about.name!r}",
        f"language = {about.language!r}",
        f"html_theme_options['extra_footer'] = {licence!r}",
    ]
    (PAGES / "conf.py").write_text("\n".join(settings), encoding="utf-8")
    colour = f"html {{ --pst-color-primary: {about.accent}; }}\n"
    (static / "site.css").write_text(slides.read("site.css") + colour, encoding="utf-8")
    for name in ("site.js", "self-test.css", "self-test.js"):
        (static / name).write_text(slides.read(name), encoding="utf-8")
    (static / "mathjax").mkdir()
    shutil.copy(slides_npm.modules() / "mathjax" / "es5" / "tex-svg.js", static / "mathjax")


def page_of(source: Path, title: str) -> NotebookNode:
    """Return a lecture's built notebook as a page, under its title with its number."""
    notebook = as_new(source)
    first = notebook.cells[0]
    first.source = f"# {title}\n{first.source.partition(chr(10))[2]}"
    notebook.cells = [one for one in notebook.cells if one.id not in ("colab", "licence")]
    for cell in notebook.cells:
        cell.source = glossary.LINK.sub(
            lambda found: f"[{found[1]}](../glossary.md#{slug(found[2])})", cell.source
        )
    return notebook


def explorables(notebook: NotebookNode) -> str:
    """Return what moves in a built notebook, each as a block of HTML in Markdown."""
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    found = [one.get("data", {}).get("text/html", "") for one in outputs]
    moving = [html for html in found if explore.MARK in html]
    return "\n\n".join(f"```{{raw}} html\n{html}\n```" for html in moving)


def index(title: str, names: Iterable[str]) -> str:
    """Return a page that lists others, in Markdown."""
    return f"# {title}\n\n{toctree(names, 'maxdepth: 1')}"


def toctree(names: Iterable[str], option: str) -> str:
    """Return Sphinx' list of pages, in MyST's Markdown."""
    return "\n".join(["```{toctree}", f":{option}", "", *names, "```"])


def made(pages: Path, into: Path, notes: Path) -> bool:
    """Let Sphinx make a site of pages, and notes for the next time; return success."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2"]
    # It imports the library, which computes nothing for that.
    env = os.environ | {"KERAS_BACKEND": "numpy", "PYTHONPATH": str(ROOT)}
    return not subprocess.run([*command, "-d", notes, pages, into], env=env).returncode


def main() -> None:
    """Write the pages and make the site."""
    parser("tools.site", __doc__).parse_args()
    try:
        write_pages()
    except (slides_npm.MissingTools, ValueError, OSError) as error:
        sys.exit(f"site: {error}")
    if not made(PAGES, INTO, BUILD / "site-doctrees"):
        sys.exit("site: Sphinx' warnings above name the pages (build/site-pages) to fix")
    print(f"Open {INTO / 'index.html'}")


if __name__ == "__main__":
    main()
