"""maneuver_figure(motion): steering and response of a vehicle over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.view import style


def maneuver_figure(motion: Any) -> Any:
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
