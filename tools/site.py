"""Make the course's site: one folder of pages, which any web server or a browser shows.

    python -m tools.site

The lectures are the built notebooks; nothing is executed. Exercises, sheets, glossary,
notation, findings and the library's reference are written here as Markdown; Sphinx makes the
pages and their search, which works without a network, too.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools import exercises, glossary, sheets, slides, slides_cells, slides_npm
from tools.command_line import parser
from tools.course import course
from tools.rules import named
from tools.shows import ROOT
from tools.source import assemble, lectures, titles

BUILD = ROOT / "build"
INTO, PAGES = BUILD / "site", BUILD / "site-pages"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CONTENTS = ["lectures/index", "exercises", "sheets/index", "glossary", "notation", "RESULTS"]
CONTENTS += ["library/index", "teach", "CONTRIBUTING"]


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
    for lecture, title in titles.items():
        text = lectures([lecture])[0].read_text(encoding="utf-8")
        known = exercises.declared(lecture)
        lines += [
            "",
            f"## {title}",
            "",
            "| exercise | level of 5 | minutes |",
            "| --- | --- | --- |",
        ]
        for name, what in re.findall(r"^# #+ Exercise (\S+) · (.+)$", text, re.MULTILINE):
            level, minutes = known[name]
            link = f"[{name} {what}](lectures/{lecture}.ipynb)"
            lines.append(f"| {link} | {level} | {minutes} |")
    return "\n".join(lines)


def self_tests(sheet: sheets.Sheet) -> str:
    """Return a self-test in Markdown, its answers folded."""
    lines = []
    for number, one in enumerate(sheet.self_test, start=1):
        lines += [f"**{number}.** {one.asked}", "", "<details><summary>Answer</summary>", ""]
        lines += [one.answer, "", "</details>", ""]
    return "\n".join(lines)


def reference(path: Path) -> str:
    """Return a module's public definitions in Markdown, each with its docstring as written."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = [f"# {'.'.join(path.relative_to(ROOT).with_suffix('').parts)}", ""]
    lines += ["```text", ast.get_docstring(tree) or "", "```", ""]
    for item in tree.body:
        if not isinstance(item, ast.FunctionDef | ast.ClassDef) or item.name.startswith("_"):
            continue
        lines += _entry(item, item.name, 2)
        if isinstance(item, ast.ClassDef):
            for part in item.body:
                if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                    lines += _entry(part, f"{item.name}.{part.name}", 3)
    return "\n".join(lines)


def _entry(item, name, level):
    if not ast.get_docstring(item):
        return []
    arguments = ast.unparse(item.args) if isinstance(item, ast.FunctionDef) else ""
    if isinstance(item, ast.ClassDef):
        made = [part for part in item.body if getattr(part, "name", "") == "__init__"]
        arguments = ast.unparse(made[0].args).removeprefix("self").lstrip(", ") if made else ""
    text = [f"{name}({arguments})", "", ast.get_docstring(item)]
    return [f"{'#' * level} {name}", "", "```text", *text, "```", ""]


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
    """Return the built notebook of a lecture.

    Raises:
        ValueError: where its text or code is another than the lecture's.
    """
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


def write_pages() -> None:
    """Write all that Sphinx reads into build/site-pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    (PAGES / "_static").mkdir(parents=True)
    about = course()
    licence = slides_cells.markdown(about.licence, slides_cells.Formulas())
    settings = [
        slides.read("site_conf.py"),
        f"project = html_title = {about.name!r}",
        f"language = {about.language!r}",
        f"html_theme_options['extra_footer'] = {licence!r}",
    ]
    (PAGES / "conf.py").write_text("\n".join(settings), encoding="utf-8")
    colour = f"html {{ --pst-color-primary: {about.accent}; }}\n"
    static = {"site.css": slides.read("site.css") + colour, "site.js": slides.read("site.js")}
    for name, text in static.items():
        (PAGES / "_static" / name).write_text(text, encoding="utf-8")
    script = slides_npm.modules() / "mathjax" / "es5" / "tex-svg.js"
    (PAGES / "_static" / "mathjax").mkdir()
    shutil.copy(script, PAGES / "_static" / "mathjax")
    called = titles()
    names = list(called)
    (PAGES / "lectures").mkdir()
    for source in lectures():
        name, notebook = source.stem, as_new(source)
        first = notebook.cells[0]
        first.source = f"# {called[name]}\n{first.source.partition(chr(10))[2]}"
        notebook.cells = [
            cell for cell in notebook.cells if cell.id not in ("colab", "licence")
        ]
        for cell in notebook.cells:
            cell.source = glossary.LINK.sub(
                lambda found: f"[{found[1]}](../glossary.md#{slug(found[2])})", cell.source
            )
        nbformat.write(notebook, PAGES / "lectures" / f"{name}.ipynb")
    shutil.copytree(ROOT / "results" / "plots", PAGES / "results" / "plots")
    texts = {
        "exercises.md": exercise_list(called),
        "glossary.md": glossary.entries(called, "lectures/"),
        "notation.md": notation(),
        "RESULTS.md": (ROOT / "RESULTS.md").read_text(encoding="utf-8"),
        "teach.md": (ROOT / "lectures" / "syllabus.md").read_text(encoding="utf-8"),
        "CONTRIBUTING.md": (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    }
    for source in lectures():
        name, sheet = source.stem, sheets.read(source)
        head = f"# {called[name]}: summary and self-test\n\n{sheet.summary}\n\n## Self-test\n\n"
        texts[f"sheets/{name}.md"] = head + self_tests(sheet)
    for path in sorted((ROOT / "results").glob("*.md")):
        texts[f"results/{path.name}"] = path.read_text(encoding="utf-8")
    modules = [
        path
        for path in sorted((ROOT / "course_utils").rglob("*.py"))
        if path.name != "__init__.py"
    ]
    for path in modules:
        texts[f"library/{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}.md"] = (
            reference(path)
        )
    texts["library/index.md"] = index(
        "The library", [name[8:-3] for name in texts if name[:8] == "library/"]
    )
    texts["sheets/index.md"] = index("Summaries and self-tests", names)
    texts["lectures/index.md"] = index("The lectures", names)
    texts["RESULTS.md"] += "\n" + toctree(
        [name[:-3] for name in texts if name[:8] == "results/"], "hidden:"
    )
    texts["index.md"] = f"{start_page()}\n{toctree(CONTENTS, 'hidden:')}"
    repository = about.repository.rstrip("/").removesuffix(".git")
    for name, text in texts.items():
        (PAGES / name).parent.mkdir(exist_ok=True)
        (PAGES / name).write_text(text, encoding="utf-8")
    for name, text in texts.items():
        (PAGES / name).write_text(inside(text, Path(name), repository), encoding="utf-8")


def index(title: str, names: list[str]) -> str:
    """Return a page that lists others, in Markdown."""
    return f"# {title}\n\n{toctree(names, 'maxdepth: 1')}"


def toctree(names: list[str], option: str) -> str:
    """Return Sphinx' list of pages, in MyST's Markdown."""
    return "\n".join(["```{toctree}", f":{option}", "", *names, "```"])


def start_page() -> str:
    """Return what README.md says up to Colab, its links to lectures leading into the site."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition("\n## In Colab")[0].replace("(notebooks/", "(lectures/")


def made(pages: Path, into: Path, notes: Path) -> bool:
    """Let Sphinx make a site of pages; returns whether it did so without a warning.

    notes: the folder in which it keeps what it has read, for the next time.
    """
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2"]
    return not subprocess.run([*command, "-d", str(notes), str(pages), str(into)]).returncode


def main() -> None:
    """Write the pages and make the site."""
    parser("tools.site", __doc__).parse_args()
    try:
        write_pages()
    except (slides_npm.MissingTools, ValueError, OSError) as error:
        sys.exit(f"site: {error}")
    if not made(PAGES, INTO, BUILD / "site-doctrees"):
        sys.exit("site: Sphinx' warnings above name the pages (build/site-pages) to mend")
    print(f"Open {INTO / 'index.html'}")


if __name__ == "__main__":
    main()
