"""overview(run): the mechanism and its curves on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.view import style
from cardan.view.curves import curves
from cardan.view.plot import plot
from cardan.view.shapes.stress import peaks_of
from cardan.view.sketch import room, sketch
from cardan.view.stage.stage import stage_of

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

FAR = 15.0  # times its size: a mechanism that travels farther is drawn where it is, not with the room of its journey


def overview(
    run: Trajectory, *what: Any, time: float | None = None, elev: float | None = None, azim: float | None = None
) -> Any:
    """A figure: the mechanism at one instant, its traces, and `what` over time (see `plot`).

    Without `time` the mechanism is shown after a seventh of the motion, when links are rarely in line, or with flexible
    bodies at the largest stress. `elev` and `azim` set the viewpoint of a spatial mechanism (see `sketch`).
    """
    if len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' holds no instant to show")
    snapshot, shown = shown_instant(run, time)
    stage = stage_of(run.system.space)
    low, high = room(snapshot, shown or snapshot.as_trajectory())
    extent = stage.extent(low, high, (elev, azim))
    width, height = 5.6 * extent / float(extent.max())
    panels = len({curve.unit for item in what for curve in curves(run, item)})
    if panels == 0:
        figure = style.new_figure(max(width, 3.6) + 0.6, max(height, 2.2) + 0.7)
        sketch(snapshot, stage.new_axes(figure), run=shown, elev=elev, azim=azim)
        return figure
    figure = style.new_figure(max(width, 3.0) + 5.0, max(height + 0.8, 0.9 + 1.7 * panels, 3.4))
    figure.set_layout_engine("constrained", w_pad=0.1)
    ratio = [max(width, 3.0), 4.2]
    grid = figure.add_gridspec(panels, 2, width_ratios=ratio)
    right = [figure.add_subplot(grid[k, 1]) for k in range(panels)]
    for panel in right[:-1]:
        panel.sharex(right[-1])
        panel.tick_params(labelbottom=False)
    plot(run, *what, ax=np.array(right, dtype=object))
    for panel in right:
        panel.axvline(snapshot.time, color=style.GROUND, linewidth=0.9, linestyle=(0, (4, 3)))
    sketch(snapshot, stage.new_axes(figure, grid[:, 0]), run=shown, elev=elev, azim=azim)
    return figure


def shown_instant(run: Trajectory, time: float | None = None) -> tuple[Any, Any]:
    """The instant that is shown, and the run that determines the limits of the axes; None if the run goes too far.

    After a seventh of the motion links are rarely in line; a peak of stress takes precedence.
    """
    if time is None:
        peaks = max((peaks for _, peaks in peaks_of(run)), key=lambda peaks: float(peaks.value.max()), default=None)
        seventh = run.times[0] + (run.times[-1] - run.times[0]) / 7.0
        time = float(seventh if peaks is None else peaks.time[peaks.point])
    snapshot = run.at(time)
    whole, own = room(snapshot, run), room(snapshot, snapshot.as_trajectory())
    far = np.max(whole[1] - whole[0]) > FAR * np.max(own[1] - own[0])
    return snapshot, None if far else run
