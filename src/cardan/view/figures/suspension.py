"""axle_page(motion): kinematics and compliance of an axle, on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def axle_page(motion: Any) -> Figure:
    """A figure of an `AxleMotion`: toe, camber, caster, track, roll center and vertical force."""
    figure = style.new_figure(9.6, 7.2)
    panels = figure.subplots(3, 2)
    x, label = motion.run.times, "part of the sweep"
    if motion.kind in ("parallel", "opposite"):
        x, label = 1000.0 * motion.left.travel, "travel of the left wheel in mm"
    sides = {"left": motion.left, "right": motion.right}
    curves: list[tuple[str, dict[str, Any]]] = [
        (f"{name} in degrees", {side: np.degrees(getattr(wheel, name)) for side, wheel in sides.items()})
        for name in ("toe", "camber", "caster")
    ]
    curves.append(("track in mm", {"": 1000.0 * motion.track}))
    curves.append(("height of the roll center in mm", {"": 1000.0 * motion.roll_center_height}))
    curves.append(("vertical force in N", {side: wheel.force for side, wheel in sides.items()}))
    for panel, (name, lines) in zip(panels.flat, curves, strict=True):
        style.quiet(panel)
        for side, values in lines.items():
            panel.plot(x, values, label=side)
        panel.set_ylabel(name, color=style.INK, fontsize=9)
        panel.set_xlabel(label, color=style.INK, fontsize=9)
        if len(lines) > 1:
            panel.legend(fontsize=8, frameon=False)
    return figure
