"""The figures of a report, as SVG that is the same for the same input."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.results.columns import coordinates_of
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria
from cardan.results.steady.load_path import LoadPath
from cardan.view import style
from cardan.view.figures.equilibria import overview_of
from cardan.view.figures.overview import shown_instant
from cardan.view.plot import plot
from cardan.view.report.content import Block, Figure
from cardan.view.sketch import sketch
from cardan.view.stage.stage import stage_of

if TYPE_CHECKING:
    from cardan.model.element import Constraint
    from cardan.postprocess.free_body import FreeBody
    from cardan.results.linear.modes import Modes
    from cardan.results.trajectory import Trajectory

SALT = "cardan"  # of the names inside an SVG, which matplotlib otherwise generates at random
MAX_CURVES = 6  # joints or bodies whose curves are shown unless others are requested


def mechanism(run: Trajectory) -> Figure:
    """The sketch where a seventh of the motion is done: links are then rarely in line. Of a snapshot, the sketch."""
    if isinstance(run, Snapshot):
        return Figure(svg(sketch(run, title="").figure), "The mechanism")
    snapshot, shown = shown_instant(run)
    figure = sketch(snapshot, run=shown, title="").figure
    return Figure(svg(figure), f"The mechanism at t = {snapshot.time:.4g} s, with the paths of its named points")


def curves(run: Any, show: Any) -> list[Block]:
    """The requested quantities, else the coordinates of joints and drivers, else the bodies."""
    if len(run) < 2:
        return []
    asked = show
    if not asked:
        asked = [*coordinates_of(run.system)][:MAX_CURVES] or [body.name for body in run.system.bodies[:MAX_CURVES]]
    axes = plot(run, *asked)
    names = ", ".join(str(getattr(name, "name", name)) for name in asked)
    return [Figure(svg(np.ravel(np.array(axes, dtype=object))[0].figure), f"{names} over time")]


def rests(found: Any, show: Any) -> Figure:
    """Equilibria side by side, or a load over what it moves."""
    asked = [show] if isinstance(show, str) else list(show)
    if isinstance(found, LoadPath):
        table = found.table()
        return Figure(svg(overview_of(found, *(name for name in asked if name in table))), "The load path")
    several = isinstance(found, Equilibria) and len(found) > 1
    return Figure(svg(overview_of(found)), "The mechanism at rest", wide=several)


def mode(modes: Modes, number: int) -> Figure:
    """The mechanism at both ends of a mode."""
    shown = [modes.snapshot(number, phase=phase) for phase in (0.0, np.pi)]
    stage = stage_of(shown[0].system.space)
    page = style.new_figure(7.2, 2.8)
    grid = page.add_gridspec(1, 2)
    for k, snapshot in enumerate(shown):
        sketch(snapshot, stage.new_axes(page, grid[0, k]), names=False, title="")
    return Figure(svg(page), modes.title(number))


def figure(axes: Any, caption: str) -> Figure:
    """A picture that a result has drawn of itself."""
    panel = np.ravel(np.array(axes, dtype=object))[0]
    return Figure(svg(getattr(panel, "figure", panel)), caption)


def reactions(run: Trajectory, found: Any, polar: int) -> list[Block]:
    """The size of all reactions over time, and the load diagrams of the most loaded pins."""
    blocks: list[Block] = []
    heaviest = sorted(found, key=lambda bearing: -bearing.largest)
    if len(run) > 1:
        figure = style.new_figure(6.8, 3.4)
        ax = style.quiet(figure.add_subplot())
        for bearing in heaviest[: len(style.CURVES)]:
            size = np.linalg.norm(bearing.reaction.force, axis=1)
            ax.plot(run.times, size, linewidth=1.6, label=bearing.name)
            color = ax.lines[-1].get_color()
            ax.plot(bearing.time, bearing.largest, "o", color=color, markersize=4.0, label="_peak")  # not in the legend
        ax.set_xlabel("time [s]", color=style.INK)
        ax.set_ylabel("force [N]", color=style.INK)
        ax.margins(x=0.01)
        style.legend_above(ax)
        blocks.append(Figure(svg(figure), "Size of the reaction in the joints, the largest value marked"))
    pins = [b for b in heaviest if len(b.joint.a.place) == 2 and _turns(b.joint) and b.largest > 0.0]
    for bearing in pins[:polar] if len(run) > 2 else []:
        caption = f"Load on {bearing.name}: pin frame and journal frame; the dashed circle is the mean"
        blocks.append(Figure(svg(bearing.draw()), caption))
    return blocks


def free_body(cut: FreeBody) -> Figure:
    caption = f"{cut.body.name} cut free at t = {cut.time:.4g} s, and its forces tip to tail"
    return Figure(svg(cut.draw()), caption)


def svg(figure: Any) -> bytes:
    """A figure as SVG without a date, its letters as outlines: it looks alike everywhere."""
    from matplotlib import rc_context

    page = io.BytesIO()
    settings: Any = {"svg.hashsalt": SALT, "svg.fonttype": "path", "path.simplify": True}
    with rc_context(settings):
        figure.savefig(page, format="svg", metadata={"Date": None, "Creator": None}, transparent=False)
    return page.getvalue()


def _turns(joint: Constraint) -> bool:
    steps = joint.steps()
    return steps is not None and [step.kind for step in steps] == ["turn"]
