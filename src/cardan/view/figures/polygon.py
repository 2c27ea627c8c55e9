"""polygon_page(polygon): the mechanism with its velocities or accelerations, and beside it their polygon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style
from cardan.view.sketch import make_scene
from cardan.view.stage.arrows import arrow, number, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.postprocess.polygon import Polygon

COLORS = {
    "turning": "#2f6399",
    "sliding": "#3d8b47",
    "normal": "#2f6399",
    "tangential": "#d07a1e",
    "Coriolis": style.ACCENT,
}
ABSOLUTE = "#2b2f36"
POLYGON_ARROW = 0.3  # the longest arrow in the sketch, in terms of the mechanism
NEGLIGIBLE = 1e-6  # of the largest: not drawn


def polygon_page(polygon: Polygon, ax: Axes | None = None, *, sketch: bool = True) -> Any:
    """A figure of a `Polygon`; with `ax` the polygon alone is drawn there and the axes are returned."""
    if ax is not None:
        return _polygon(polygon, ax)
    figure = style.new_figure(10.2 if sketch else 5.4, 4.8)
    axes = figure.subplots(1, 2 if sketch else 1, squeeze=False)[0]
    if sketch:
        _mechanism(polygon, axes[0])
    _polygon(polygon, axes[-1])
    return figure


def _mechanism(polygon: Polygon, ax: Axes) -> None:
    """The sketch with an arrow at every point."""
    scene = make_scene(polygon.snapshot, ax)
    size = float(np.ptp(np.array([ax.get_xlim(), ax.get_ylim()]), axis=1).max())
    largest = _largest(polygon)
    seen = [*np.array([ax.get_xlim(), ax.get_ylim()]).T]
    for corner in polygon.corners:
        tip = corner.point + POLYGON_ARROW * size / largest * corner.value
        if np.hypot(*corner.value) > NEGLIGIBLE * largest:
            arrow(scene.ax, corner.point, tip, style.ACCENT)
            seen.append(tip)
        word(ax, corner.point, corner.name, ABSOLUTE, -corner.value)
    places = np.array(seen)
    ax.set_xlim(places[:, 0].min(), places[:, 0].max())
    ax.set_ylim(places[:, 1].min(), places[:, 1].max())
    ax.set_title(f"{polygon.model.name}, t = {polygon.time:.4g} s", fontsize=11, color=style.INK)


def _polygon(polygon: Polygon, ax: Axes) -> Any:
    style.quiet(ax)
    largest, drawn, display = _largest(polygon), set(), polygon.model.display
    for corner in polygon.corners:  # from the pole to every corner
        ax.plot(*np.stack([np.zeros(2), corner.value]).T, color="#9aa1ad", linewidth=1.0, zorder=3.0)
    middle = np.mean([np.zeros(2), *(corner.value for corner in polygon.corners)], axis=0)
    for side in polygon.sides:
        if side.size <= NEGLIGIBLE * largest:
            continue
        color = COLORS[side.kind]
        arrow(ax, side.start, side.start + side.vector, color, dashed=side.kind == "tangential", width=1.6)
        if side.kind not in drawn:
            ax.plot([], [], color=color, linestyle="--" if side.kind == "tangential" else "-", label=side.kind)
            drawn.add(side.kind)
        at = side.start + 0.5 * side.vector
        if side.kind == "Coriolis":
            word(ax, at, f"Coriolis {number(*display.values(side.size, polygon.unit))}", color, at - middle)
    _letters(ax, polygon, middle)
    if polygon.missing:
        note = f"without {', '.join(repr(name) for name, _ in polygon.missing)}"
        ax.text(0.02, 0.02, note, transform=ax.transAxes, fontsize=8.0, color=style.GROUND)
    if drawn:
        ax.legend(frameon=False, fontsize=8.5, loc="best")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.14)
    letter = "v" if polygon.quantity == "velocity" else "a"
    style.unit_axis(ax.xaxis, f"{letter}x", polygon.unit, display)
    style.unit_axis(ax.yaxis, f"{letter}y", polygon.unit, display)
    ax.set_title(f"{polygon.quantity} polygon", fontsize=11, color=style.INK)
    return ax


def _letters(ax: Axes, polygon: Polygon, middle: np.ndarray) -> None:
    """Lowercase letters at the corners; coincident corners share one label."""
    near = 1e-3 * _largest(polygon)
    groups: list[tuple[np.ndarray, list[str]]] = [(np.zeros(2), ["o"])]
    for corner in polygon.corners:
        for place, names in groups:
            if np.hypot(*(place - corner.value)) < near:
                names.append(_small(corner.name))
                break
        else:
            groups.append((corner.value, [_small(corner.name)]))
    for place, names in groups:
        ax.plot(*place, "o", color=style.INK, markersize=4.0, zorder=9.0)
        word(ax, place, ", ".join(names), style.INK, place - middle)


def _small(name: str) -> str:
    return name.lower() if len(name.rstrip("'")) == 1 else name


def _largest(polygon: Polygon) -> float:
    return max((float(np.hypot(*corner.value)) for corner in polygon.corners), default=0.0) or 1.0
