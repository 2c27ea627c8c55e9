"""cam_page(design): outline, motion of the follower, pressure angle and curvature of a designed cam, on one page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def cam_page(design: Any) -> Figure:
    """A figure of a `CamDesign`: curves over the angle of the cam in degrees."""
    figure = style.new_figure(10.4, 7.6)
    grid = figure.add_gridspec(4, 2, width_ratios=(1.25, 1.0))
    _outline(design, figure.add_subplot(grid[:3, 0]))
    swings, angles = design.follower.swings, np.degrees(design.angles)
    scale, unit = (math.degrees(1.0), "deg") if swings else (1e3, "mm")
    curves: list[tuple[str, Any]] = [
        (f"lift [{unit}]", scale * design.svaj[0]),
        (f"velocity [{unit}/rad]", scale * design.svaj[1]),
        (f"acceleration [{unit}/rad²]", scale * design.svaj[2]),
        (f"jerk [{unit}/rad³]", scale * design.svaj[3]),
    ]
    for k, (label, values) in enumerate(curves):
        _curve(design, figure.add_subplot(grid[k, 1]), angles, values, label, last=k == 3)
    panel = figure.add_subplot(grid[3, 0])
    _curve(design, panel, angles, np.degrees(design.pressure_angle), "pressure angle [deg]", last=True)
    face = math.isnan(design.follower.roller)
    largest, smallest = math.degrees(design.largest_pressure_angle), 1e3 * design.smallest_radius
    words = f"pressure angle at most {largest:.3g}°, smallest convex radius {smallest:.4g} mm"
    if face:
        low, high = design.face
        words += f", face from {1e3 * low:.4g} to {1e3 * high:.4g} mm"
    figure.suptitle(words + (", undercut" if design.undercut else ""), fontsize=11, color=style.INK)
    return figure


def _outline(design: Any, panel: Axes) -> None:
    """The cam at angle 0 with its base circle, and the path of a roller's center in the frame of the cam."""
    x, y = 1e3 * design.outline.T
    panel.fill(x, y, facecolor=style.BODIES[0][0], edgecolor=style.BODIES[0][1], linewidth=style.LINE, alpha=0.75)
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    base = 1e3 * design.base_radius
    panel.plot(base * np.cos(turn), base * np.sin(turn), color=style.GROUND, linewidth=0.8, linestyle="--")
    panel.plot(0.0, 0.0, "+", color=style.INK, markersize=9.0)
    if design.undercut:
        wrong = np.isin(design.angles, design.undercut)
        panel.plot(x[wrong], y[wrong], ".", color=style.ACCENT, markersize=4.0, label="undercut")
        panel.legend(fontsize=8, frameon=False)
    style.quiet(panel)
    panel.set_aspect("equal")
    panel.set_xlabel("x [mm], axes of the cam", color=style.INK, fontsize=9)
    panel.set_ylabel("y [mm]", color=style.INK, fontsize=9)


def _curve(design: Any, panel: Axes, angles: Any, values: Any, label: str, last: bool) -> None:
    style.quiet(panel)
    panel.plot(angles, values, color=style.CURVES[0], linewidth=1.6)
    for edge in np.degrees(design.law.edges):
        panel.axvline(edge % 360.0, color=style.FAINT, linewidth=0.8, zorder=0)
    panel.set_xlim(0.0, 360.0)
    panel.set_xticks(range(0, 361, 60))
    panel.set_ylabel(label, color=style.INK, fontsize=9)
    if last:
        panel.set_xlabel("angle of the cam [deg]", color=style.INK, fontsize=9)
    else:
        panel.tick_params(labelbottom=False)
