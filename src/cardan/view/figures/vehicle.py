"""vehicle_page(motion): the motion of a vehicle on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def vehicle_page(motion: Any) -> Figure:
    """A figure of a `VehicleMotion`: its path, attitude, acceleration, and the loads and slip angles of all tires."""
    if len(motion.run) == 0:
        raise ModelError(f"the result of '{motion.run.model.name}' holds no instant to show")
    figure = style.new_figure(9.6, 7.2)
    panels = figure.subplots(3, 2)
    for panel in panels.flat:
        style.quiet(panel)
    degrees = {name: np.degrees(getattr(motion, name)) for name in ("roll", "pitch", "yaw", "side_slip")}
    path, angles, side, loads, slips, forces = panels.flat
    path.plot(*motion.path.T)
    _dress(path, "y in m", "x in m")
    tires = motion.tires.items()
    drawn: tuple[tuple[Any, dict[str, Any], str], ...] = (
        (angles, {name.replace("_", " "): values for name, values in degrees.items()}, "angle in degrees"),
        (side, {"": motion.lateral_acceleration}, "lateral acceleration in m/s2"),
        (loads, {name: tire.load for name, tire in tires}, "load in N"),
        (slips, {name: np.degrees(tire.slip_angle) for name, tire in tires}, "slip angle in degrees"),
        (forces, {name: tire.side for name, tire in tires}, "side force in N"),
    )
    for panel, lines, label in drawn:
        for name, values in lines.items():
            panel.plot(motion.times, values, label=name)
        _dress(panel, label, "time in s")
        if len(lines) > 1 and panel in (angles, loads):
            panel.legend(fontsize=8, frameon=False)
    return figure


def _dress(panel: Axes, y: str, x: str) -> None:
    panel.set_ylabel(y, color=style.INK, fontsize=9)
    panel.set_xlabel(x, color=style.INK, fontsize=9)
