"""Draw runs, images and panels: white background, colour-blind-safe, always with alt text."""

import io

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from course_utils import figures
from course_utils.figures import COLOURS, GREY

GUIDE = {"color": GREY, "linestyle": "--", "linewidth": 1}
"""How a line looks that is no series, such as what guessing gives."""

MARKERS = ("o", "s", "^", "D")
"""The shape of a series' markers: the next one begins where the colours are used up."""

PIXELS = 110
"""How many pixels of a page an inch of a figure takes."""

LETTERS = 11
"""The size in points of a plot's smallest letters: on a slide at least 16 of its 720 pixels."""

_STYLE = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E3E6EB",
    "axes.axisbelow": True,
    "font.size": LETTERS,
    "legend.frameon": False,
}


def figure(width=7.0, height=3.2, columns=1, rows=1):
    """Return a new (figure, axes) in the course's style; sizes in inches."""
    with matplotlib.rc_context(_STYLE):
        drawing = Figure(figsize=(width, height), layout="constrained")
        axes = drawing.subplots(rows, columns)
    return drawing, axes


def draw_image(axis, image):
    """Draw an image, (height, width, 1) as ink on paper or (height, width, 3), in [0, 1]."""
    axis.imshow(image.squeeze(), cmap="gray_r", vmin=0, vmax=1)
    frame(axis)


def frame(axis):
    """Leave only a thin frame around what `imshow` drew."""
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
    axis.spines[:].set(visible=True, color="#BBBBBB")


def show_images(images, titles, alt, width=1.25, height=1.55):
    """Show images in a row, each under its title; the size of one in inches."""
    drawing, axes = figure(width * len(images), height, columns=len(images))
    for axis, image, title in zip(np.atleast_1d(axes), images, titles, strict=True):
        draw_image(axis, image)
        axis.set_title(title, fontsize=11)
    show(drawing, alt)


def show(drawing, alt):
    """Show a matplotlib figure in the notebook; alt says what it shows, in a few sentences."""
    from IPython.display import display

    display(forms(drawing, alt), raw=True)


def forms(drawing, alt):
    """Return a matplotlib figure in the forms that a notebook keeps, by their MIME types.

    Text of less than `LETTERS` points is enlarged to them, for the last row of a classroom.
    Raises ValueError where `alt` is empty, and where the legend would mislead: a name has two
    colours, two names of a panel look the same, or a panel has a name that no legend explains.
    """
    if not alt or not alt.strip():
        raise ValueError("a figure needs alt text: say what it shows in a sentence")
    _refuse_wrong_legend(drawing)
    for text in drawing.findobj(Text):
        text.set_fontsize(max(LETTERS, text.get_fontsize()))
    with matplotlib.rc_context(_STYLE):
        file = io.BytesIO()
        # More dots than its width says, because slides enlarge it.
        drawing.savefig(file, format="png", dpi=144, metadata={"Software": None})
    width, height = (round(inches * PIXELS) for inches in drawing.get_size_inches())
    as_html = figures.as_image("image/png", file.getvalue(), alt, width, height)
    return as_html | {"text/plain": f"[{alt}]"}


def _refuse_wrong_legend(drawing):
    """Raise ValueError where a name means one thing in a panel and another in a legend."""
    shared = {text.get_text() for one in _legends(drawing) for text in one.get_texts()}
    colours = {}
    for axis in drawing.axes:
        own = axis.get_legend()
        explained = {text.get_text() for text in own.get_texts()} if own else shared
        handles, names = axis.get_legend_handles_labels()
        if missing := set(names) - explained:
            raise ValueError(f"no legend explains {', '.join(sorted(missing))}")
        looks = {}
        for line, name in zip(handles, names, strict=True):
            if not isinstance(line, Line2D):
                continue
            colour = matplotlib.colors.to_hex(line.get_color())
            if colours.setdefault(name, colour) != colour:
                raise ValueError(f"{name!r} has one colour in one panel, another in the next")
            same = colour, line.get_marker(), line.get_linestyle()
            if looks.setdefault(same, name) != name:
                raise ValueError(f"{looks[same]!r} and {name!r} look the same")


def _legends(drawing):
    of_panels = [axis.get_legend() for axis in drawing.axes]
    return [*filter(None, of_panels), *drawing.legends]


def dots(panels, ylabel, xlabel="", chance=None, limits=(0, 1.05), yscale="linear"):
    """Draw every run as a dot, so that outcomes that fall into groups are seen as such.

    panels: `{title: {series: {setting: values}}}`, one panel per title, one colour per
    series (the same in all panels), a column of dots for each setting. chance: where the dashed
    line of guessing lies. limits: of the vertical axis, widened to hold every dot. Raises
    ValueError for more series than `look` can tell apart.
    """
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    looks = {name: look(index) for index, name in enumerate(names)}
    step = min(0.24, 0.8 / len(names))
    settings = [values for series in panels.values() for values in series.values()]
    found = [value for values in settings for runs in values.values() for value in runs]
    limits = min(limits[0], *found), max(limits[1], *found)
    most = max(map(len, settings))
    width = min(9.8, 1 + len(panels) * max(2.2, 0.9 * most))
    drawing, axes = figure(max(4.5, width), 3.2, columns=len(panels))
    drawn, described = {}, []
    for axis, (title, series) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        columns = list(dict.fromkeys(name for values in series.values() for name in values))
        for name, values in series.items():
            offset, x, y = step * (names.index(name) - (len(names) - 1) / 2), [], []
            for column, runs in values.items():
                spread = np.linspace(-step / 3, step / 3, len(runs)) if len(runs) > 1 else [0]
                x.extend(columns.index(column) + offset + np.array(spread))
                y.extend(runs)
                place = ", ".join(filter(None, map(str, (title, name, column))))
                reached = dict.fromkeys(f"{value:.3g}" for value in (min(runs), max(runs)))
                described.append(f"{' '.join(place.split())}: {' to '.join(reached)}")
            style = {"linestyle": "none", "markersize": 5, "alpha": 0.7, "clip_on": False}
            label = name if len(names) > 1 else None
            [line] = axis.plot(x, y, label=label, **looks[name], **style)
            drawn.setdefault(name, line)
        if chance is not None:
            axis.axhline(chance, **GUIDE)
        axis.set_xticks(range(len(columns)), columns)
        axis.set(xlabel=xlabel, xlim=(-0.5, len(columns) - 0.5), ylim=limits, yscale=yscale)
        axis.set_title(title, fontsize=11)
        if yscale == "log" and limits[1] < 10 * limits[0]:  # 3, not 3 · 10⁰
            axis.yaxis.set_minor_formatter("{x:g}")
        if len(panels) > 1 and axis is not axes[0]:
            axis.set_yticklabels([])
    np.atleast_1d(axes)[0].set_ylabel(ylabel)
    if len(names) > 1:
        for across in range(min(4, len(drawn)), 0, -1):  # as many as fit the drawing's width
            legend = drawing.legend(
                drawn.values(), drawn, loc="outside lower center", ncols=across
            )
            if across == 1 or legend.get_window_extent().width <= drawing.bbox.width:
                break
            legend.remove()
    show(drawing, f"Dots, one per run: {ylabel}. {'; '.join(described)}.")


def look(index):
    """Return the colour and marker of series number `index`, as `plot` takes them.

    Raises ValueError where there are more series than can be told apart.
    """
    if index >= len(COLOURS) * len(MARKERS):
        raise ValueError(
            f"a plot tells {len(COLOURS) * len(MARKERS)} series apart; this one has more"
        )
    marker, colour = divmod(index, len(COLOURS))
    return {"color": COLOURS[colour], "marker": MARKERS[marker]}
