"""sketch(snapshot): the mechanism at one instant, drawn as in textbooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.point import Point
from cardan.model.measure import Readable
from cardan.view import style
from cardan.view.shapes.loads import draw_loads
from cardan.view.shapes.stress import AS_IT_IS, Deformed, deformed_look, draw_legend
from cardan.view.stage.labels import write_names
from cardan.view.stage.scene import POINT, Scene, sized_drawing, world_points
from cardan.view.stage.stage import View, poses, stage_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.results.snapshot import Snapshot
    from cardan.results.trajectory import Trajectory

SAMPLED_SHAPES = 10_000  # examined to find the room that a motion needs
MARGIN = 0.06  # around it
FAR = {2: 12.0, 3: 6.0}  # in sizes of the mechanism: beyond this way pictures follow it, as pages do
TRACE = 4.5  # layer of the paths of points


def sketch(
    snapshot: Any,
    ax: Any = None,
    *,
    run: Any = None,
    names: bool = True,
    trace: bool = True,
    title: str | None = None,
    elev: float | None = None,
    azim: float | None = None,
    deformation: float = 1.0,
    stress: bool = True,
) -> Any:
    """Draw a mechanism at one instant and return the axes, those of space in three dimensions.

    With `run=`, the result that the instant belongs to, rails are as long as the travel of their sliders, the axes
    have room for the whole motion unless it is long, and `trace` draws the paths of the named points. `title` is by
    default the model's name and the time; "" omits it. The viewpoint of a spatial mechanism is `elev` degrees
    above the xy plane and `azim` degrees from the x axis.

    `deformation` magnifies the deformation of flexible bodies; `stress` colors those with stress modes by their von
    Mises stress.
    """
    look = deformed_look(snapshot.as_trajectory() if run is None else run, deformation, stress)
    scene = make_scene(snapshot, ax, run, (elev, azim), look)
    if look.limit > 0.0:
        draw_legend(scene.ax, look.limit)
    if run is not None and trace:
        draw_traces(scene.ax, run)
    heading = f"{snapshot.model.name}, t = {snapshot.time:.3g} s" if title is None else title
    scene.ax.set_title(heading, fontsize=11, color=style.INK)
    draw_loads(scene, snapshot, names)
    if names:
        figure: Any = scene.ax.figure
        figure.draw_without_rendering()  # names are placed on the page: the layout must be final
        write_names(scene, snapshot)
    return scene.ax


def make_scene(
    snapshot: Snapshot,
    ax: Axes | None = None,
    run: Trajectory | None = None,
    view: View = (None, None),
    look: Deformed = AS_IT_IS,
) -> Scene:
    """The mechanism in axes that have room for it, or for the whole run."""
    stage = stage_of(snapshot.system.space)
    source = snapshot.as_trajectory() if run is None else run
    low, high = room(snapshot, source, look.scale)
    if travels_far(snapshot, source):
        low, high = room(snapshot, snapshot.as_trajectory(), look.scale)
    if ax is None:
        ax = stage.new_axes(style.new_figure(*style.figure_size(stage.extent(low, high, view))))
    stage.prepare(ax, low, high, view, snapshot.model.display)
    return Scene(ax, snapshot, reach_of(source), look)


def travels_far(snapshot: Snapshot, run: Trajectory) -> bool:
    """Whether a mechanism travels so far that it would be a dot in a picture of the whole motion."""
    if len(run) < 2:
        return False
    whole, own = (np.ptp(np.stack(room(snapshot, each)), axis=0).max() for each in (run, snapshot.as_trajectory()))
    return bool(whole > FAR[run.system.space.dimensions] * own)


def draw_traces(ax: Any, run: Trajectory, **look: Any) -> list[Any]:
    """The paths of the named points with `trace`."""
    lines = []
    for k, point in enumerate(traced(run)):
        path = run[point].position
        options = {"color": style.CURVES[(k + 1) % len(style.CURVES)], "linewidth": 1.3, "zorder": TRACE} | look
        lines += ax.plot(*path.T, **options)
    return lines


def traced(run: Trajectory) -> list[Point]:
    return [element for element in run.model if isinstance(element, Point) and element.trace]


def reach_of(run: Trajectory) -> Any:
    """The range of a measure in a result."""

    def reach(measure: Readable) -> tuple[float, float]:
        values = np.asarray(run[measure].value)
        return float(values.min()), float(values.max())

    return reach


def room(snapshot: Snapshot, run: Trajectory, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the room that a result takes, with a margin."""
    return with_margin(*bounds(snapshot, run, scale))


def bounds(snapshot: Snapshot, run: Trajectory, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray, float]:
    """The corners of the box around everything drawn in a result, and the size of symbols."""
    stage = stage_of(snapshot.system.space)
    picture, _ = sized_drawing(stage, snapshot.model, poses(snapshot), reach_of(run))
    count = int(np.clip(SAMPLED_SHAPES // (1 + len(picture.shapes)), 8, 60))
    chosen = np.unique(np.linspace(0, len(run) - 1, min(count, len(run))).astype(int))
    places = [poses(run.at(run.times[k]), scale) for k in chosen] + [poses(snapshot, scale)]
    points = np.vstack([world_points(picture, where) for where in places])
    if len(points) == 0:  # nothing has a shape: origins of bodies are all there is
        points = np.array([where[id(body)][0] for where in places for body in snapshot.system.bodies])
    return points.min(axis=0), points.max(axis=0), picture.unit


def with_margin(low: np.ndarray, high: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
    size = float((high - low).max())
    size = size if size > POINT else 1.0
    pad = MARGIN * size + unit
    # a mechanism on a line still gets room for its names
    extra = np.maximum(0.25 * size - (high - low), 0.0) / 2.0
    return low - pad - extra, high + pad + extra
