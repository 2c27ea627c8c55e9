"""maneuver_figure(motion), lane_change_figure(test): steering and response of a vehicle over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def maneuver_figure(motion: Any) -> Figure:
    """A figure of a `HandlingMotion`: path, steering, yaw rate, lateral acceleration, side slip, roll, speed."""
    figure = style.new_figure(9.6, 7.2)
    panels = figure.subplots(3, 2)
    t, angles = motion.times, {"side slip": np.degrees(motion.side_slip), "roll": np.degrees(motion.roll)}
    curves: list[tuple[str, str, Any, dict[str, Any]]] = [
        ("x in m", "y in m", motion.path[:, 0], {"": motion.path[:, 1]}),
        ("time in s", "steering angle in degrees", t, {"": np.degrees(motion.steering)}),
        ("time in s", "yaw rate in degrees/s", t, {"": np.degrees(motion.yaw_rate)}),
        ("time in s", "lateral acceleration in m/s\u00b2", t, {"": motion.lateral_acceleration}),
        ("time in s", "angle in degrees", t, angles),
        ("time in s", "speed in m/s", t, {"": motion.speed}),
    ]  # fmt: skip
    for panel, (across, up, x, lines) in zip(panels.flat, curves, strict=True):
        style.quiet(panel)
        for label, values in lines.items():
            panel.plot(x, values, label=label)
        panel.set_xlabel(across, color=style.INK, fontsize=9)
        panel.set_ylabel(up, color=style.INK, fontsize=9)
        if len(lines) > 1:
            panel.legend(fontsize=8, frameon=False)
    return figure


def lane_change_figure(test: Any) -> Figure:
    """A figure of a `LaneChange`: cones, planned path and tracks of all corners above the steering angle, yaw rate and
    lateral acceleration, over x."""
    figure = style.new_figure(9.6, 8.0)
    panels = figure.subplots(4, 1, sharex=True)
    x = test.motion.path[:, 0] - test.origin[0]
    plan, cones = test.planned, test.track.cones()
    for panel in panels:
        style.quiet(panel)
    for corner in np.moveaxis(test.corners, 1, 0):
        panels[0].plot(*corner.T, linewidth=0.8, color=style.INK)
    panels[0].plot(*plan, linestyle="--", linewidth=0.8, label="planned")
    panels[0].plot(x, test.motion.path[:, 1] - test.origin[1], label="driven")
    panels[0].plot(*cones.T, linestyle="", marker="^", color="#d9480f", markersize=5)
    panels[0].legend(fontsize=8, frameon=False)
    curves = (
        ("y in m", None),
        ("steering angle in degrees", np.degrees(test.motion.steering)),
        ("yaw rate in degrees/s", np.degrees(test.motion.yaw_rate)),
        ("lateral acceleration in m/s\u00b2", test.motion.lateral_acceleration),
    )
    for panel, (words, values) in zip(panels, curves, strict=True):
        if values is not None:
            panel.plot(x, values)
        panel.set_ylabel(words, color=style.INK, fontsize=9)
    panels[-1].set_xlabel("x in m", color=style.INK, fontsize=9)
    panels[0].set_xlim(float(x[0]), float(x[-1]))
    return figure
