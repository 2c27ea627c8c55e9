"""cornering_figure(test): a steady cornering test on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def cornering_figure(test: Any) -> Figure:
    """A figure of a `Cornering`: handling diagram, steering angle, side slip and roll, and stability."""
    figure = style.new_figure(9.6, 6.4)
    panels = figure.subplots(2, 2)
    side = test.lateral_acceleration
    slowest = np.array([values.real.max() for values in test.eigenvalues])
    curves = [
        ("steering angle beyond L/R in degrees", {"": np.degrees(test.understeer)}),
        ("steering angle in degrees", {"": np.degrees(test.steering_angle)}),
        ("angle in degrees", {"side slip": np.degrees(test.side_slip), "roll": np.degrees(test.roll)}),
        ("largest real part of eigenvalues in 1/s", {"": slowest}),
    ]
    for panel, (name, lines) in zip(panels.flat, curves, strict=True):
        style.quiet(panel)
        for label, values in lines.items():
            panel.plot(side, values, marker=".", label=label)
        panel.set_ylabel(name, color=style.INK, fontsize=9)
        panel.set_xlabel("lateral acceleration in m/s\u00b2", color=style.INK, fontsize=9)
        if len(lines) > 1:
            panel.legend(fontsize=8, frameon=False)
    panels.flat[3].axhline(0.0, color=style.INK, linewidth=0.8)
    return figure
