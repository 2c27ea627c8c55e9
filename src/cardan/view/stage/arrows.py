"""Vectors on a page: straight arrows for forces and velocities, round ones for torques, with names beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALO = 2.6  # pt of paper around letters


def arrow(ax: Axes, tail: np.ndarray, tip: np.ndarray, color: str, *, dashed: bool = False, width: float = 1.9) -> Any:
    """An arrow from tail to tip, in the plane or in space; one without length is a dot."""
    if len(tail) == 3:
        return ax.quiver(*tail, *(tip - tail), color=color, linewidth=width, arrow_length_ratio=0.09)
    from matplotlib.patches import FancyArrowPatch

    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11.0, "shrinkA": 0.0, "shrinkB": 0.0}
    line = (0, (4, 2)) if dashed else "-"
    patch = FancyArrowPatch(tuple(tail), tuple(tip), color=color, linewidth=width, linestyle=line, zorder=8.0, **look)
    ax.add_patch(patch)
    ax.update_datalim(np.stack([tail, tip]))
    return patch


def turn(ax: Axes, center: np.ndarray, radius: float, sign: float, color: str, *, dashed: bool = False) -> None:
    """A round arrow about a point of the plane, counter-clockwise for a positive sign."""
    angles = np.radians(np.linspace(-60.0, 200.0, 60))
    points = center + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = points if sign > 0.0 else points[::-1]
    line = (0, (4, 2)) if dashed else "-"
    ax.plot(*points[:-3].T, color=color, linewidth=1.9, linestyle=line, zorder=8.0)
    arrow(ax, points[-6], points[-1], color)


def word(ax: Any, place: np.ndarray, text: str, color: str, away: np.ndarray | None = None) -> Any:
    """Letters beside a point, moved off it in the direction `away`, with paper around them."""
    from matplotlib.patheffects import withStroke

    effects = [withStroke(linewidth=HALO, foreground=style.PAPER)]
    if len(place) == 3:
        return ax.text(*place, text, fontsize=8.5, color=color, path_effects=effects)
    size = 0.0 if away is None else float(np.hypot(*away))
    x, y = (0.0, 0.0) if away is None or size == 0.0 else away / size
    sides = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
    look: dict[str, Any] = {"ha": sides[0][_sign(x)], "va": sides[1][_sign(y)], "fontsize": 8.5, "color": color}
    offset = {"xytext": (5.0 * x, 5.0 * y), "textcoords": "offset points"}
    return ax.annotate(text, tuple(place), **look, **offset, zorder=9.0, path_effects=effects)


def number(value: float, unit: str) -> str:
    """A value of three or four digits with its unit, as a reader says it: 1.24 kN."""
    prefixes = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m")) if unit in ("N", "N m") else ((1.0, ""),)
    for factor, prefix in prefixes:
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}".rstrip()
    return f"{value:.3g} {unit}".rstrip()


def _sign(component: float) -> int:
    return 0 if abs(component) < 0.38 else (1 if component > 0.0 else -1)
