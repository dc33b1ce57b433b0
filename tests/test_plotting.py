import base64
import re

import numpy as np
import pytest

from course_utils import figures, plotting
from lectures.lecture_01.plots import bars, curves
from lectures.lecture_07b import heatmap
from tools import result_plots, results


@pytest.fixture
def shown(monkeypatch):
    """Catch what is displayed: a list of outputs, by their MIME types."""
    import IPython.display

    outputs = []
    monkeypatch.setattr(IPython.display, "display", lambda data, raw: outputs.append(data))
    return outputs


@pytest.fixture
def drawn(monkeypatch):
    """Catch the matplotlib figures that would be shown."""
    drawings = []
    monkeypatch.setattr(plotting, "show", lambda drawing, alt: drawings.append(drawing))
    return drawings


def named_looks(drawing):
    """Return {name: looks of its markers}, of a drawing's legends and of all its panels."""
    legends = [*drawing.legends, *filter(None, (one.get_legend() for one in drawing.axes))]
    explained, plotted = {}, {}
    for legend in legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            explained.setdefault(text.get_text(), set()).add(_look(handle))
    for axis in drawing.axes:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            plotted.setdefault(name, set()).add(_look(handle))
    return explained, plotted


def _look(line):
    return line.get_color(), line.get_marker()


def agrees(drawing):
    """Whether each name has one look, no other name has it, and the legends show just that."""
    explained, plotted = named_looks(drawing)
    looks = [look for found in plotted.values() for look in found]
    return explained == plotted and len(set(looks)) == len(looks) == len(plotted)


def test_every_picture_carries_its_alt_text_where_readers_show_it(shown):
    bars({"counting": {"plain": 0.99, "negation": 0.02}}, chance=0.5)
    heatmap(np.eye(2), ["a", "b"], ["c", "d"], alt='A "unit" matrix.')
    curves({"accuracy": [0.5, 0.75], "val_accuracy": [0.5, 0.625]})
    texts = [data["text/html"] for data in shown]
    assert re.search(r'<img alt="[^"]*negation 0\.02\.', texts[0])
    assert 'alt="A &quot;unit&quot; matrix."' in texts[1]
    assert re.search(r'<img alt="[^"]*from 0\.50 to 0\.75', texts[2])
    assert 'width="605" height="352"' in texts[2] and "max-width: 100%" in texts[2]
    for data in shown:
        assert set(data) == {"text/html", "text/plain"}  # the bytes are kept once
        [content] = re.findall(r'src="data:image/png;base64,([^"]+)"', data["text/html"])
        assert base64.b64decode(content).startswith(b"\x89PNG")


@pytest.mark.parametrize("seed", range(20))
def test_dots_have_the_colour_that_the_legend_gives_their_name(drawn, seed):
    draw = np.random.default_rng(seed)
    names = [f"series {number}" for number in range(draw.integers(2, 12))]
    panels = {
        f"panel {number}": {
            name: {"one": draw.random(3), "two": draw.random(2)}
            for name in draw.permutation(names)[: draw.integers(1, len(names) + 1)]
        }
        for number in range(draw.integers(2, 4))
    }
    plotting.dots(panels, "accuracy")
    [drawing] = drawn
    explained, plotted = named_looks(drawing)
    assert set(plotted) == {name for series in panels.values() for name in series}
    assert agrees(drawing)
    places = {}  # of a series' first dot, within its column
    for axis in drawing.axes:
        for line, name in zip(*axis.get_legend_handles_labels(), strict=True):
            assert np.all(np.abs(line.get_xdata()[:3]) < 0.5)
            places.setdefault(name, set()).add(line.get_xdata()[0])
    assert all(len(found) == 1 for found in places.values())


def test_dots_of_one_series_need_no_legend(shown):
    plotting.dots({title: {"a run": {"plain": [0.9]}} for title in "ab"}, "accuracy")
    assert "a, a run, plain: 0.9; b, a run, plain: 0.9." in shown[0]["text/html"]


@pytest.mark.parametrize("long", (4, 12, 20))
def test_a_legend_is_as_wide_as_its_plot_at_most(drawn, long):
    names = [f"{number} {'n' * long}" for number in range(4)]
    plotting.dots({"": {name: {"a": [0.5]} for name in names}}, "accuracy")
    [drawing] = drawn
    drawing.draw_without_rendering()
    [legend] = drawing.legends
    assert [text.get_text() for text in legend.get_texts()] == names
    reach = legend.get_window_extent()
    assert reach.x0 >= 0 and reach.x1 <= drawing.bbox.x1


def test_dots_outside_the_limits_widen_them_in_every_panel(drawn):
    panels = {"low": {"a run": {"": [-0.5]}}, "high": {"a run": {"": [0.9, 2.0]}}}
    plotting.dots(panels, "tokens a word")
    assert [axis.get_ylim() for axis in drawn[0].axes] == [(-0.5, 2.0)] * 2
    plotting.dots(panels, "tokens a word", limits=(-1, 3))
    assert [axis.get_ylim() for axis in drawn[1].axes] == [(-1, 3)] * 2


def test_a_series_keeps_its_colour_where_a_panel_lacks_the_one_before(drawn):
    runs = {"plain": [0.9]}
    plotting.dots(
        {"recorded": {"bigrams": runs, "SimpleRNN": runs}, "live": {"SimpleRNN": runs}}, "acc"
    )
    first, second = drawn[0].axes
    assert [line.get_color() for line in first.lines] == list(plotting.COLOURS[:2])
    assert [line.get_color() for line in second.lines] == [plotting.COLOURS[1]]


def test_every_page_s_plot_has_the_colours_of_its_legend():
    wrong, checked = [], 0
    for path, plot in results.plots().items():
        if plot.kind == "dots":  # rows of one colour, named on the axis
            continue
        drawing, axis = plotting.figure()
        result_plots.DRAWN[plot.kind](axis, plot)
        names = set(named_looks(drawing)[1])
        wrong += [] if agrees(drawing) and names == set(map(str, plot.data)) else [path.stem]
        checked += 1
    assert wrong == [] and checked > 40


def two_panels(names, colours, legend):
    drawing, axes = plotting.figure(columns=2)
    for axis, panel, used in zip(axes, names, colours, strict=True):
        for name, colour in zip(panel, used, strict=True):
            axis.plot([0, 1], color=colour, label=name)
    if legend:
        axes[0].legend()
    return drawing


@pytest.mark.parametrize(
    ("names", "colours", "legend", "said"),
    [
        (("ab", "ab"), (("red", "blue"), ("blue", "red")), True, "'a' has one colour"),
        (("ab", "bc"), (("red", "blue"), ("blue", "red")), True, "no legend explains c"),
        (("ab", "ab"), (("red", "red"), ("red", "red")), True, "'a' and 'b' look the same"),
        (("ab", "ab"), (("red", "blue"), ("red", "blue")), False, "no legend explains a, b"),
    ],
)
def test_a_plot_whose_legend_misleads_is_refused(shown, names, colours, legend, said):
    with pytest.raises(ValueError, match=said):
        plotting.show(two_panels(names, colours, legend), "Two panels.")
    assert shown == []


def test_what_cannot_be_told_apart_or_says_nothing_is_refused():
    drawing, _ = plotting.figure()
    with pytest.raises(ValueError, match="alt"):
        plotting.show(drawing, " ")
    many = {f"model {number}": {"plain": [0.5]} for number in range(29)}
    with pytest.raises(ValueError, match="28 series"):
        plotting.dots({"": many}, "accuracy")
    with pytest.raises(ValueError, match="7 models; it got 29"):
        bars(many)


def test_the_same_picture_has_the_same_bytes(shown):
    for _ in range(2):
        bars({"counting": {"plain": 0.99}})
    assert shown[0] == shown[1]


def test_shown_drawing_is_labelled_for_screen_readers(shown, monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "LECTURES", tmp_path)
    folder = tmp_path / "lecture_00" / "drawings"
    folder.mkdir(parents=True)
    size = 'width="90" height="40"'
    text = f"<svg {size}><title>A &amp; B</title><desc>Two letters.</desc></svg>"
    (folder / "00_letters.svg").write_text(text, encoding="utf-8")
    figures.show("00_letters")
    assert f'alt="A &amp; B. Two letters." {size}' in shown[0]["text/html"]
    assert shown[0]["text/plain"] == "[A & B]"


def test_unknown_drawing_names_the_choices():
    with pytest.raises(ValueError, match="there are"):
        figures.show("99_nothing")


def test_a_profile_of_two_runs_draws_the_line_between_them():
    figure, axis = plotting.figure(4, 3)
    plot = result_plots.Plot(
        "", "", "profile", "", {"series": {"1": [1.0, 4.0], "2": [2.0, 3.0]}}
    )
    result_plots.draw_profile(axis, plot)
    assert axis.lines[-1].get_ydata().tolist() == [2.5, 2.5]
