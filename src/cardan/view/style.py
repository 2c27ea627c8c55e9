"""The style of all pictures: one palette, one line width, axes in the background."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

from cardan.display_units import DisplayUnits
from cardan.errors import ModelError
from cardan.model import check
from cardan.view.inline import pyplot, show_once

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cardan.model.body import RigidBody

INK = "#2b2f36"  # outlines, pins, text
GROUND = "#6b7280"  # what does not move
FAINT = "#e7e9ee"  # grids
PAPER = "#ffffff"
ACCENT = "#c8102e"  # drivers

# Colors differ for readers with any kind of color vision: see tests/unit/view/test_colors.py.
# fill and outline of each body in turn
BODIES = (
    ("#8fb8de", "#2f6399"),
    ("#f2b880", "#b1651b"),
    ("#8fcfae", "#2c7a57"),
    ("#d98583", "#933b39"),
    ("#b3a84f", "#6b6320"),
    ("#a294d8", "#574a9a"),
    ("#8fe3de", "#257f7b"),
    ("#c58fae", "#7d4766"),
)
CURVES = ("#2f6399", "#e08214", "#12a08f", "#7a1747", "#8b5fd0", "#533f00", "#b79964", "#8e9bd6")

# what acts on a body: by kind, joints and forces in turn
KINDS = {"weight": "#7b6442", "inertia": "#6a5acd", "driver": ACCENT, "foundation": GROUND}
OTHERS = ("#2f6399", "#3d8b47", "#d07a1e", "#2b7f86", "#c04f9a", "#a4443d")

# von Mises stress from zero to its largest value
STRESS = ("#3a55c8", "#2aa6d6", "#3fbf7f", "#f2c230", "#d7301f")

DARKER = 0.55  # outlines of bodies with a color of their own
LEGEND = 62  # letters in a row of a legend, lines counting as five
LINK = 8.0  # pt, width of a link
LINE = 1.4  # pt, width of outlines


def colors_of(body: RigidBody, number: int) -> tuple[str, str]:
    """Fill and outline of a body: its own color, or that of its number in the palette; -1 is the ground."""
    if fill := check.color_code(body.color, f"the color of {body.title}"):
        return fill, "#" + "".join(f"{round(DARKER * int(fill[k : k + 2], 16)):02x}" for k in (1, 3, 5))
    return ("#d5d9e0", GROUND) if number < 0 else BODIES[number % len(BODIES)]


def force_colors(cut: Iterable[Any]) -> dict[str, str]:
    """The color of each load on a body, by its name."""
    free = cycle(OTHERS)
    return {acting.name: KINDS.get(acting.kind) or next(free) for acting in cut}


def figure_size(extent: Any) -> tuple[float, float]:
    """Inches, wide enough to read and in proportion to the mechanism."""
    longest = 6.4
    width, height = longest * extent / extent.max()
    return max(float(width), 3.6) + 0.6, max(float(height), 2.0) + 0.7


def new_figure(width: float, height: float) -> Figure:
    """A figure of width x height inches: shown by pyplot if it is in use and in notebooks; otherwise the figure needs
    no display."""
    need_matplotlib()
    if (plt := pyplot()) is not None:
        return plt.figure(figsize=(width, height), layout="constrained", FigureClass=figure_class())
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = figure_class()(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@cache
def figure_class() -> Any:
    """Figures in which names are plain text, $ signs do not mark formulas; notebooks show them once."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    class PlainFigure(Figure):
        def draw(self, renderer: Any) -> None:
            for text in self.findobj(Text):
                if "$" in text.get_text() and not text.get_text().startswith("$\\mathdefault"):  # powers of ten at axes
                    text.set_parse_math(False)
            super().draw(renderer)

        def _ipython_display_(self) -> None:
            show_once(self)

    return PlainFigure


def need_matplotlib() -> None:
    """Raise an error that names the missing package."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'cardan[plot]'") from error


def quiet(ax: Axes) -> Axes:
    """Axes in the background: a faint grid, no box."""
    if not hasattr(ax, "set_axisbelow"):
        raise ModelError(
            f"a picture is drawn into axes of matplotlib, got {check.short_repr(ax)}; leave ax out, and write the "
            "picture by .figure.savefig(path) of what is returned"
        )
    ax.set_axisbelow(True)
    ax.grid(True, color=FAINT, linewidth=0.8)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(GROUND)
    ax.tick_params(colors=GROUND, labelsize=9)
    return color(ax)


def unit_axis(axis: Any, name: str, unit: str, display: DisplayUnits, bins: int | Literal["auto"] = "auto") -> None:
    """Numbers and a label of an axis, in the units in which the model shows results; data are in `unit`, of SI."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    factor, shown = display.shown(unit)

    class ShownLocator(MaxNLocator):
        def tick_values(self, vmin: float, vmax: float) -> Any:
            return np.asarray(super().tick_values(factor * vmin, factor * vmax)) / factor

    if factor != 1.0:
        axis.set_major_formatter(lambda value, _: f"{factor * value:g}")
    if factor != 1.0 or bins != "auto":
        axis.set_major_locator(ShownLocator(bins, steps=[1, 2, 2.5, 5, 10]))
    axis.set_label_text(f"{name} [{shown}]", fontsize=9, color=GROUND)


def legend_above(ax: Any) -> Any:
    """A legend in rows above the axes, where it does not cover curves."""
    words = [str(line.get_label()) for line in ax.lines if not str(line.get_label()).startswith("_")]
    longest = max((len(word) for word in words), default=1)
    columns = max(min(len(words), LEGEND // (longest + 5)), 1)
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.1}
    return ax.legend(frameon=False, fontsize=9, ncols=columns, columnspacing=1.4, handlelength=1.6, **place)


def color(ax: Axes) -> Axes:
    """Curves in the colors of this module."""
    from cycler import cycler

    ax.set_prop_cycle(cycler(color=CURVES))
    return ax
