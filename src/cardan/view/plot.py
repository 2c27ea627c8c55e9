"""plot(run, what, ...): curves over time or over each other, paths of points, several runs in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.deprecation import renamed_arguments
from cardan.errors import ModelError
from cardan.view import style
from cardan.view.curves import PlottedCurve, curves
from cardan.view.stage.stage import stage_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cardan.model.space import Space
    from cardan.results.trajectory import Trajectory


@renamed_arguments(path="as_path")
def plot(
    run: Any,
    *what: Any,
    against: Any = None,
    as_path: bool = False,
    quantity: str = "value",
    runs: Sequence[Any] = (),
    labels: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Plot curves and return the axes; quantities of different units have separate axes, returned as an array.

    `what` are names of columns ("slider.ax"), or bodies, points, joints, drivers and measures, or their names.
    `quantity` is "value", "rate", "acceleration" or "violation". Curves are plotted over time, or over the quantity
    `against`; with `as_path=True` y is plotted over x, in space z over both, to scale. `runs` are
    further results in the same axes, `labels` the names of all results; a dictionary of results by label in place of
    `run` does the same.
    """
    results = _labelled(run, runs, labels)
    if not what:
        raise ModelError("a plot needs something to show, for example plot(run, 'slider.x')")
    drawn = {label: [c for item in what for c in curves(each, item, quantity)] for label, each in results.items()}
    if as_path:
        return _draw_paths(results, drawn, ax)
    across = {label: _across(each, against) for label, each in results.items()}
    groups = _by_unit(next(iter(drawn.values())))
    axes = _panels(len(groups), ax)
    for panel, places in zip(axes, groups.values(), strict=True):
        for label, found in drawn.items():
            for k in places:
                _draw(panel, across[label].values, found[k], _legend(found[k], label, len(results), len(places)))
        _dress(panel, [found[k] for found in drawn.values() for k in places], quantity)
    axes[-1].set_xlabel(next(iter(across.values())).label, color=style.INK)
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _labelled(run: Trajectory, runs: Sequence[Any], labels: Sequence[str] | None) -> dict[str, Any]:
    """The results by label."""
    if isinstance(run, Mapping):
        return dict(run)
    every = [run, *runs]
    if labels is None:
        labels = [each.model.name for each in every]
        if len(set(labels)) < len(labels):
            labels = [f"run {k}" for k in range(1, len(every) + 1)]
    if len(labels) != len(every):
        raise ModelError(f"{len(every)} results need {len(every)} labels, got {len(labels)}")
    return dict(zip(labels, every, strict=True))


def _across(run: Trajectory, against: Any) -> PlottedCurve:
    if against is None:
        return PlottedCurve("time", "s", run.times)
    found = curves(run, against)
    if len(found) != 1:
        names = ", ".join(curve.name for curve in found)
        raise ModelError(f"curves run against one quantity, this is {len(found)}: {names}; name one of them")
    return found[0]


def _by_unit(found: Sequence[PlottedCurve]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for k, curve in enumerate(found):
        groups.setdefault(curve.unit, []).append(k)
    return groups


def _panels(count: int, ax: Any) -> list[Any]:
    """Axes below each other that share the horizontal one."""
    if ax is None:
        figure = style.new_figure(6.4, 1.6 + 1.9 * count)
        axes = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
        figure.align_ylabels(axes)
    else:
        axes = list(np.ravel(np.array(ax, dtype=object)))
    if len(axes) != count:
        raise ModelError(f"these curves have {count} different units and need as many axes, got {len(axes)}")
    return [style.quiet(panel) if not panel.lines else panel for panel in axes]


def _draw(panel: Axes, across: np.ndarray, curve: PlottedCurve, label: str) -> None:
    panel.plot(across, curve.values, linewidth=1.8, solid_joinstyle="round", label=label)


def _legend(curve: PlottedCurve, label: str, runs: int, names: int) -> str:
    if runs == 1:
        return curve.title
    return label if names == 1 else f"{curve.name}, {label}"


def _dress(panel: Any, found: Sequence[PlottedCurve], quantity: str) -> None:
    """Labels, a legend where there is more than one curve, a logarithmic scale for violations."""
    names = list(dict.fromkeys(curve.name for curve in found))
    unit = f"[{found[0].unit}]" if found[0].unit else ""
    words = found[0].title if len(names) == 1 else common_word(names)  # the legend says the rest
    gap = "\n" if len(words) + len(unit) > 22 else " "
    panel.set_ylabel(f"{words}{gap}{unit}".strip(), color=style.INK)
    if len(panel.lines) > 1:
        style.legend_above(panel)
    if quantity == "violation" and any(np.any(line.get_ydata() > 0.0) for line in panel.lines):
        panel.set_yscale("log")
    panel.margins(x=0.01)  # the line at the edge is not clipped


def common_word(names: Sequence[str]) -> str:
    """What names have in common: "force" of "A.force" and "B.force", "slider" of "slider.x" and "slider.y"."""
    for part in (2, 0):
        words = {name.rpartition(".")[part] for name in names}
        if len(words) == 1 and all("." in name for name in names):
            return words.pop()
    return ""


def _draw_paths(results: Mapping[str, Any], drawn: Mapping[str, list[PlottedCurve]], ax: Any) -> Any:
    """y over x, in space z over both, to scale."""
    first = next(iter(drawn.values()))
    space = next(iter(results.values())).system.space
    axes = "xyz"[: space.dimensions]
    if len(first) % len(axes) or any(curve.name[-1] != axes[k % len(axes)] for k, curve in enumerate(first)):
        raise ModelError("as_path=True plots bodies and points, which have x and y; use against= for other quantities")
    lines = [
        (_path_name(found[k], label, len(results), len(found) > len(axes)), found[k : k + len(axes)])
        for label, found in drawn.items()
        for k in range(0, len(found), len(axes))
    ]
    panel = _path_axes(space, [[curve.values for curve in line] for _, line in lines], ax)
    for text, line in lines:
        panel.plot(*(curve.values for curve in line), linewidth=1.8, label=text)
    for k, axis in enumerate(axes):
        label = f"{axis} [{first[k].unit}]" if len(first) > len(axes) else first[k].label
        panel.set(**{f"{axis}label": label})
    if len(panel.lines) > 1:
        style.legend_above(panel)
    return panel


def _path_name(curve: PlottedCurve, label: str, runs: int, many: bool) -> str:
    name = curve.name.rpartition(".")[0]
    return name if runs == 1 else (f"{name}, {label}" if many else label)


def _path_axes(space: Space, paths: list[list[np.ndarray]], ax: Axes) -> Any:
    """Axes to scale: of the plane as large as given, of space with room for the paths."""
    if space.dimensions == 2:
        (panel,) = _panels(1, ax)
        panel.set_aspect("equal", adjustable="datalim")
        return panel
    points = np.hstack([np.array(path) for path in paths])
    low, high = points.min(axis=1), points.max(axis=1)
    size = float((high - low).max()) or 1.0
    spare = (
        np.maximum(0.2 * size - (high - low), 0.0) / 2.0 + 0.02 * size
    )  # a path along an axis is still seen in space
    room = low - spare, high + spare
    stage = stage_of(space)
    panel = (
        ax
        if ax is not None
        else stage.new_axes(style.new_figure(*style.figure_size(stage.extent(*room, (None, None)))))
    )
    if not panel.lines:
        stage.prepare(panel, *room, (None, None))
    return panel
