"""The page about presets: its code runs from top to bottom, without a network."""

import re

import pytest

from tools.shows import ROOT

PAGE = ROOT / "lectures" / "presets.md"


@pytest.mark.weekly
def test_the_code_of_the_page_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where it saves its presets
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(blocks), PAGE.name, "exec"), {})
