import base64

import numpy as np
import pytest

from course_utils import figures, plotting
from course_utils.lectures.lecture_07b import heatmap


@pytest.fixture
def shown(monkeypatch):
    import IPython.display

    outputs = []

    def display(data, metadata=None, raw=False):
        outputs.append((data, metadata))

    monkeypatch.setattr(IPython.display, "display", display)
    return outputs


def test_every_picture_carries_its_alt_text(shown):
    plotting.bars({"counting": {"plain": 0.99, "negation": 0.02}}, chance=0.5)
    heatmap(np.eye(2), ["a", "b"], ["c", "d"], alt="A unit matrix.")
    plotting.curves({"accuracy": [0.5, 0.75], "val_accuracy": [0.5, 0.625]})
    alts = [metadata["image/png"]["alt"] for _, metadata in shown]
    assert "negation 0.02" in alts[0]
    assert alts[1] == "A unit matrix."
    assert "from 0.50 to 0.75" in alts[2]
    for data, _ in shown:
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


def test_a_picture_without_alt_text_is_refused():
    drawing, _ = plotting.figure()
    with pytest.raises(ValueError, match="alt"):
        plotting.show(drawing, " ")


def test_the_same_picture_has_the_same_bytes(shown):
    for _ in range(2):
        plotting.bars({"counting": {"plain": 0.99}})
    assert shown[0] == shown[1]


def test_shown_drawing_is_labelled_for_screen_readers(shown, monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "DRAWINGS", tmp_path)
    text = "<svg><title>A &amp; B</title><desc>Two letters.</desc></svg>"
    (tmp_path / "00_letters.svg").write_text(text, encoding="utf-8")
    figures.show("00_letters")
    assert 'alt="A &amp; B. Two letters."' in shown[0][0]["text/html"]


def test_unknown_drawing_names_the_choices():
    with pytest.raises(ValueError, match="there are"):
        figures.show("99_nothing")
