"""Equilibria on one page: several places of rest side by side, or a load over what it moves.

stable, -3.2 J     stable, -1.1 J              factor |    .-.           drawn through where it is stable,
    \\ o               o /                            |  .'   '-.  .'     dashed where it is not,
     \\|               |/                             |.'       '-'       a dot where the load turns back
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.view import style
from cardan.view.sketch import sketch
from cardan.view.stage.stage import stage_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SKETCHES = 6  # sketches in a picture


def overview_of(found: Equilibrium | Equilibria | LoadPath, *names: str) -> Figure:
    """A figure: equilibria side by side, or a load over the columns named, with the mechanism beside them."""
    return _path_overview(found, *names) if isinstance(found, LoadPath) else _rest_overview(_listed(found))


def _listed(found: Equilibrium | Equilibria | LoadPath) -> Sequence[Equilibrium]:
    if isinstance(found, Equilibrium):
        return [found]
    return found.rests if isinstance(found, LoadPath) else list(found)


def _rest_overview(rests: Sequence[Equilibrium]) -> Figure:
    """Equilibria side by side, with what is known of their stability and energy."""
    shown = rests[:MAX_SKETCHES]
    stage = stage_of(shown[0].system.space)
    figure = style.new_figure(4.2 * len(shown) + 0.4, 4.4)
    grid = figure.add_gridspec(1, len(shown))
    for k, rest in enumerate(shown):
        energy = "" if rest.energy is None else f", {rest.energy:.4g} J"
        sketch(rest, stage.new_axes(figure, grid[0, k]), title=f"{rest.verdict}{energy}")
    return figure


def _path_overview(path: LoadPath, *names: str) -> Figure:
    """The mechanism where the load begins, folds and ends, and the load over the columns named."""
    table, unit = path.table(), path.rests[0].as_trajectory().columns.units()
    stops = [(path.factors[0], path.rests[0])]
    stops += list(zip(path.fold_factors, path.folds, strict=True))[:2] + [(path.factors[-1], path.rests[-1])]
    stage = stage_of(path.rests[0].system.space)
    figure = style.new_figure(10.4, max(1.9 * len(stops), 2.4 + 2.6 * len(names)))
    grid = figure.add_gridspec(1, 2, width_ratios=(4.6, 4.8))
    left, right = grid[0].subgridspec(len(stops), 1), grid[1].subgridspec(max(len(names), 1), 1)
    for k, (factor, rest) in enumerate(stops):
        title = f"factor {factor:.3g}, {rest.verdict}"
        sketch(rest, stage.new_axes(figure, left[k]), names=False, title=title).set(xlabel="", ylabel="")
    for k, name in enumerate(names):
        _draw_load(figure.add_subplot(right[k]), path, table[name], f"{name} [{unit.get(name, '')}]")
    return figure


def _draw_load(ax: Any, path: LoadPath, values: np.ndarray, label: str) -> None:
    """The factor over a quantity: dashed where the equilibrium is not stable."""
    style.quiet(ax)
    stable = np.array([s is True for s in path.stable])
    ax.plot(values, np.where(stable, path.factors, np.nan), color=style.CURVES[0], linewidth=1.8)
    beside = ~stable
    beside[1:] |= ~stable[:-1]  # the dashed line meets the other
    beside[:-1] |= ~stable[1:]
    dashed = {"color": style.ACCENT, "linestyle": (0, (3, 2)), "linewidth": 1.8}
    ax.plot(values, np.where(beside, path.factors, np.nan), **dashed)
    for factor in path.fold_factors:
        nearest = int(np.argmin(np.abs(path.factors - factor)))
        ax.plot(values[nearest], factor, "o", color=style.INK, markersize=5)
    ax.set_xlabel(label, color=style.INK)
    ax.set_ylabel("factor of the load", color=style.INK)
