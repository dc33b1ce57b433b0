"""Text is UTF-8 with LF wherever it is read or written, whatever the system's own choice is."""

import ast
import subprocess

import pytest

from tools.shows import ROOT


def opens_text(call):
    """Whether a call opens a file as text, or has the text of a process decoded."""
    name = getattr(call.func, "attr", "open" if getattr(call.func, "id", "") == "open" else "")
    settings = {setting.arg: setting.value for setting in call.keywords}
    if name == "open":
        modes = [*call.args, *filter(None, [settings.get("mode")])]
        return not any("b" in str(getattr(mode, "value", "")) for mode in modes)
    texts = [settings.get(key) for key in ("text", "universal_newlines")]
    decodes = any(getattr(one, "value", None) is True for one in texts)
    return decodes or name in ("read_text", "write_text")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["benchmarks", "course_utils", "tools", "tests"])
def test_every_text_names_its_encoding(folder):
    unnamed = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and opens_text(node):
                named = {setting.arg for setting in node.keywords} & {"encoding", None}  # **
                unnamed += [] if named else [f"{path.relative_to(ROOT)}:{node.lineno}"]
    assert unnamed == []


def test_git_gives_every_system_the_same_bytes():
    command = ["git", "-C", str(ROOT), "ls-files", "--eol"]
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    rows = subprocess.check_output(command, encoding="utf-8").splitlines()
    kept = {row.partition("\t")[2]: row.split() for row in rows}
    assert all("eol=lf" in row or "attr/-text" in row for row in kept.values())
    assert not [name for name, row in kept.items() if row[0] in ("i/crlf", "i/mixed")]
    assert kept["data/reviews.csv.xz"][0] == "i/-text"
