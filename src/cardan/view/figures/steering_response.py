"""steering_response_figure(test): gain, phase and coherence of a vehicle over the frequency of steering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = {"yaw_rate": "yaw rate in 1/s", "lateral_acceleration": "lateral acceleration in m/s\u00b2 per rad"}


def steering_response_figure(test: Any) -> Figure:
    """A figure of a `SteeringResponse`."""
    figure = style.new_figure(9.6, 6.4)
    panels = figure.subplots(3, 2, sharex=True)
    for column, (name, label) in enumerate(SHOWN.items()):
        curves = (test.gain(name), label), (np.degrees(test.phase(name)), "phase in degrees")
        for row, (values, words) in enumerate((*curves, (test.coherence[name], "coherence"))):
            panel = panels[row, column]
            style.quiet(panel)
            panel.plot(test.frequencies, values)
            panel.set_ylabel(words, color=style.INK, fontsize=9)
        panels[2, column].set_ylim(0.0, 1.05)
        panels[2, column].set_xlabel("frequency in Hz", color=style.INK, fontsize=9)
    return figure
