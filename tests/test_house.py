"""The house: what nobody uses, what imports what, spelling, and options that nobody passes."""

import ast
import re
import subprocess
import sys

import pytest

from tools.closure import imports
from tools.shows import ROOT

CODE = ("course_utils", "lectures", "tools", "benchmarks", "tests")
TEXTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "RESULTS.md")
IMPORT_LINTER = "from importlinter.cli import lint_imports_command as run; run()"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FILLED = re.compile(r'(?:shows|builds)="[\w.]*\.(\w+)"')
BY_KERAS = re.compile(
    r"call|inner_loop|compute_\w+|on_\w+"
)  # called by Keras, or as `layer(…)`
OFFERED = {  # to students and readers, of the networks with published sizes
    "gmlp.classes",
    "gmlp.image",
    "transformer.max_length",
    "transformer.vocab_size",
    "vit.classes",
}


def trees(*folders):
    """Yield each Python file of these folders, with its syntax tree."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def run(*command):
    options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    done = subprocess.run([sys.executable, *command], **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_imports_keep_their_contracts():
    run("-c", IMPORT_LINTER, "--no-cache")


def test_a_lecture_imports_nothing_of_a_later_one():
    graph = imports()
    for module in graph.find_descendants("lectures"):
        for imported in graph.find_modules_directly_imported_by(module):
            if imported.startswith("lectures."):
                earlier, own = (name.split(".")[1] for name in (imported, module))
                assert earlier <= own, f"{module} imports {imported}"


def test_words_are_spelt_as_in_a_dictionary():
    run("-m", "codespell_lib", *CODE, *TEXTS)


@pytest.mark.slow
def test_nothing_is_defined_that_nobody_uses(tmp_path):
    """Of an exercise the mistakes, which are text, and of a lecture what it shows are uses."""
    used = set()
    for path, tree in trees("lectures"):
        defined = {node.name for node in ast.walk(tree) if isinstance(node, FUNCTIONS)}
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        said = " ".join(text for text in texts if isinstance(text, str))
        used |= defined & set(re.findall(r"\w+", said))
        used |= set(FILLED.findall(path.read_text(encoding="utf-8")))
    (tmp_path / "used.py").write_text("\n".join(used), encoding="utf-8")
    run("-m", "vulture", *CODE[:-1], "tests/test_notebooks.py", str(tmp_path))


def without_encoding(tree):
    """Yield the lines that read or write text in whatever encoding the machine has."""
    for node in (part for part in ast.walk(tree) if isinstance(part, ast.Call)):
        name = ast.unparse(node.func).split(".")[-1]
        said = {one.arg: ast.unparse(one.value) for one in node.keywords}
        text = isinstance(node.func, ast.Attribute) and (name, len(node.args)) in (
            ("read_text", 0),
            ("write_text", 1),
        )
        text |= name in ("run", "Popen", "check_output") and "text" in said
        if ast.unparse(node.func) == "open":
            text = "b" not in said.get("mode", "".join(map(ast.unparse, node.args[1:2])))
        if text and not said.keys() & {"encoding", None}:
            yield node.lineno


@pytest.mark.slow
def test_text_is_utf_8_on_every_system():
    wrong = "a.read_text()\nopen(b)\nopen(b, 'rb')\nrun(c, text=True)\na.write_text(b, **d)"
    assert list(without_encoding(ast.parse(wrong))) == [1, 2, 4]
    for path, tree in trees(*CODE):
        assert not list(without_encoding(tree)), path


def options(tree):
    """Yield (function or class, parameter, place among the arguments) of what has a default."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    owners = {part: node.name for node in classes for part in node.body}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and not BY_KERAS.fullmatch(node.name):
            name = owners.get(node) if node.name == "__init__" else node.name
            given = node.args.posonlyargs + node.args.args
            first = len(given) - len(node.args.defaults)
            for place, argument in enumerate(given[first:], first - (node in owners)):
                yield name, argument.arg, place
            for argument, default in zip(
                node.args.kwonlyargs, node.args.kw_defaults, strict=True
            ):
                if default:
                    yield name, argument.arg, 99


def calls(code):
    """Return, by function or class, the keywords that calls pass and how many arguments.

    A class is called by its subclasses, too, and `partial(f, …)` calls `f`.
    """
    found, bases = {}, {}
    for node in (part for tree in code for part in ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            bases[node.name] = [ast.unparse(base).split(".")[-1] for base in node.bases]
        if isinstance(node, ast.Call):
            names, arguments = [ast.unparse(node.func).split(".")[-1]], node.args
            if names == ["partial"]:
                names, arguments = [ast.unparse(arguments[0]).split(".")[-1]], arguments[1:]
            names += bases.get(names[0], [])
            starred = any(isinstance(one, ast.Starred) for one in arguments)
            for name in names:
                keywords, count = found.get(name, (set(), 0))
                keywords = keywords | {one.arg for one in node.keywords}  # of ** None
                found[name] = keywords, max(count, 99 if starred else len(arguments))
    return found


def never_passed(code, using):
    """Return the options of some code that no call passes: "function.parameter"."""
    found = calls(using)
    for name, parameter, place in {option for tree in code for option in options(tree)}:
        keywords, count = found.get(name, (set(), 0))
        if name[0].isupper():  # by way of super()
            keywords = keywords | found.get("__init__", (set(), 0))[0]
        if not keywords & {parameter, None} and count <= place:
            yield f"{name}.{parameter}"


@pytest.mark.slow
def test_no_option_is_left_that_nobody_passes():
    ours = [
        tree
        for path, tree in trees("course_utils", "lectures", "tools")
        if not path.match("lecture_*/exercises.py")  # called by the engine, and from text
        and "tests" not in path.parts
    ]
    exercises = [tree for path, tree in trees("lectures") if path.name == "exercises.py"]
    checked = {
        ast.unparse(node.args[1]).split(".")[-1]
        for node in (part for tree in exercises for part in ast.walk(tree))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "exercise"
    }  # with arguments that the check draws
    found = set(never_passed(ours, [tree for _, tree in trees(*CODE)]))
    assert {one for one in found if one.split(".")[0] not in checked} == OFFERED


def test_an_option_that_nobody_passes_is_found():
    code = "def f(a, b=1, *, c=2, d=3): ...\nclass A:\n    def __init__(self, e=1, g=2): ...\n"
    used = "class B(A): ...\nB(e=2)\npartial(f, 1, c=3)(2)\n"
    found = never_passed([ast.parse(code)], [ast.parse(code + used)])
    assert sorted(found) == ["A.g", "f.b", "f.d"]
