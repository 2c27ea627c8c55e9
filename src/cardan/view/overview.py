"""overview(run): the mechanism and its curves on one page."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.view import style
from cardan.view.curves import curves
from cardan.view.plot import plot
from cardan.view.sketch import room, sketch


def overview(run: Any, *what: Any, time: float | None = None) -> Any:
    """A figure: the mechanism at one instant, its traces, and `what` over time (see `plot`).

    Without `time` the mechanism is shown where a seventh of the motion is done: links are then seldom in line.
    """
    if len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' holds no instant to show")
    instant = run.times[0] + (run.times[-1] - run.times[0]) / 7.0 if time is None else time
    snapshot = run.at(instant)
    low, high = room(snapshot, run)
    width, height = 5.6 * (high - low) / float((high - low).max())
    panels = len({curve.unit for item in what for curve in curves(run, item)})
    if panels == 0:
        sketch(snapshot, ax := style.new_figure(max(width, 3.6) + 0.6, max(height, 2.2) + 0.7).add_subplot(), run=run)
        return ax.figure
    figure = style.new_figure(max(width, 3.0) + 5.0, max(height + 0.8, 0.9 + 1.7 * panels, 3.4))
    figure.get_layout_engine().set(w_pad=0.1)
    ratio = [max(width, 3.0), 4.2]
    grid = figure.add_gridspec(panels, 2, width_ratios=ratio)
    right = [figure.add_subplot(grid[k, 1]) for k in range(panels)]
    for panel in right[:-1]:
        panel.sharex(right[-1])
        panel.tick_params(labelbottom=False)
    plot(run, *what, ax=np.array(right, dtype=object))
    for panel in right:
        panel.axvline(instant, color=style.GROUND, linewidth=0.9, linestyle=(0, (4, 3)))
    sketch(snapshot, figure.add_subplot(grid[:, 0]), run=run)
    return figure
