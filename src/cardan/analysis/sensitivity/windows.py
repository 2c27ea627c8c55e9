"""Windows of a run in which deviations are collocated, and the run at their times.

    |  .   .  .   .  |  .   .  .   .  |        s Gauss points in each: order 2 s

The run is repeated from its start, and its method interpolates the times within each step. Joints are not closed
there again: the small errors of the polynomial do not affect the derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.forward.advance import advance, new_run
from cardan.analysis.forward.state import settings_of
from cardan.analysis.linear.ports import Port
from cardan.analysis.sensitivity.slopes import MotionSlopes
from cardan.methods import SHORTHANDS, Method
from cardan.results.simulation import Simulation

MAX_JUMP_EFFECT = 1e-5  # relative to the deviations: allowed effect of a jump of their equations over a window
NEIGHBOR_WINDOWS, STANDS_OUT = 3, 8.0  # number of windows to either side; ratio by which one with a kink exceeds them
SLIVER = 0.01  # relative to a step: shorter parts are not separate windows
PARTS_OF_WINDOW = 8  # parts into which a window with a kink is divided
SUBDIVISIONS = 2  # in which windows with kinks are cut into parts
KINK_DIRECTIONS = 4  # number of directions in which the equations are checked for kinks
REPEATED = ("auto", "dop853", "radau", "rk3", "rk5")  # methods with which a run is repeated; others use "auto"


class Windows(NamedTuple):
    """Windows of a run."""

    starts: np.ndarray  # [windows]
    lengths: np.ndarray  # [windows]
    run: Simulation  # at all their times
    ends: list[int]  # output time at each edge of windows, or -1
    inside: np.ndarray  # [windows, stages]: the times within each


def slopes_along(
    run: Simulation, stages: int, pace: int, ports: Sequence[Port], start: Any, order: int
) -> tuple[Windows, MotionSlopes]:
    """Windows of a run and the slopes at their times, by differences of given order; `follow` adds parameters."""
    cuts = np.zeros(0)
    start = run.options.get("start") if start is None else start
    windows = windows_of(run, stages, pace)
    slopes = MotionSlopes(windows.run, (), ports, start, order)
    for _ in range(SUBDIVISIONS):
        new = kinks(windows, _rates(slopes))
        if not new.size:
            break
        cuts = np.union1d(cuts, new)
        windows = windows_of(run, stages, pace, cuts)
        slopes = MotionSlopes(windows.run, (), ports, start, order)
    return windows, slopes


def _rates(slopes: MotionSlopes) -> np.ndarray:
    """x' of a few deviations of unit size, [times, rows, deviations], relative to that size."""
    unit = slopes.unit[:, None]
    signs = np.cos(np.arange(1, unit.size + 1)[:, None] ** 2 * np.arange(1, KINK_DIRECTIONS + 1))
    found: np.ndarray = slopes.B @ (slopes.left @ (unit * signs)) / unit
    return found


def windows_of(run: Simulation, stages: int, pace: int = 0, cuts: np.ndarray | None = None) -> Windows:
    """The steps of a run, divided at output times or, with a pace, windows of about that many steps, of which only the
    first and last output times are used. They also end at the times `cuts`.
    """
    times = run.times
    if pace:
        taken = np.cumsum(run.steps)
        taken, first = np.unique(taken - taken[0], return_index=True)
        count = max(1, int(np.ceil(taken[-1] / pace)))
        edges = np.interp(np.linspace(0, taken[-1], count + 1), taken, times[first])
        edges[-1] = times[-1]
    else:
        edges = np.union1d(times, _ends(run))
    if cuts is not None:
        edges = np.union1d(edges, cuts)
    shown = np.zeros(edges.size, bool) if pace else np.isin(edges, times)
    shown[[0, -1]] = True
    _, _, c = gauss(stages)
    lengths = np.diff(edges)
    within = edges[:-1, None] + lengths[:, None] * c
    lines = np.concatenate([edges[:-1, None], within], axis=1)
    kept = np.ones(lines.shape, bool)
    kept[:, 0] = shown[:-1]
    places = np.cumsum(kept.reshape(-1)).reshape(kept.shape) - 1
    ends = [*np.where(shown[:-1], places[:, 0], -1).tolist(), int(kept.sum())]
    return Windows(edges[:-1], lengths, _repeated(run, np.append(lines[kept], edges[-1])), ends, places[:, 1:])


def kinks(windows: Windows, rates: np.ndarray) -> np.ndarray:
    """Times at which windows should be divided, because a law has a kink within: x' = A(t) x jumps there.

    `rates` holds A x for some x of unit size, [times, n, x]. Their component along the Legendre polynomial of the
    highest degree that a window resolves is small and changes little from window to window, except in a window with a
    kink, where it exceeds its neighbors and could change deviations by MAX_JUMP_EFFECT.
    """
    stages, count = windows.inside.shape[1], windows.lengths.size
    _, b, c = gauss(stages)
    highest = np.polynomial.legendre.legval(2.0 * c - 1.0, np.eye(stages)[-1])
    weights = b * highest / np.sqrt(np.sum(b * highest**2))
    flat = rates.reshape(len(rates), -1)
    rough = np.abs(np.tensordot(flat[windows.inside], weights, ([1], [0]))).max(axis=1, initial=0.0) * windows.lengths
    around = np.clip(np.arange(count)[:, None] + np.arange(-NEIGHBOR_WINDOWS, NEIGHBOR_WINDOWS + 1), 0, count - 1)
    cut = (rough > MAX_JUMP_EFFECT) & (rough > STANDS_OUT * np.median(rough[around], axis=1))
    shares = np.arange(1, PARTS_OF_WINDOW) / PARTS_OF_WINDOW
    return np.asarray((windows.starts[cut][:, None] + windows.lengths[cut][:, None] * shares).ravel())


def _ends(run: Simulation) -> np.ndarray:
    """The ends of the steps of a run, except those close to an output time."""
    if len(run) == run.stats.steps + 1:
        return np.asarray(run.times)
    ends = _repeated(run, np.zeros(0)).times
    after = np.clip(np.searchsorted(run.times, ends), 1, len(run) - 1)
    away = np.minimum(np.abs(run.times[after] - ends), np.abs(ends - run.times[after - 1]))
    return np.asarray(ends[away > SLIVER * np.gradient(ends)] if ends.size > 1 else ends[:0])


def _repeated(run: Simulation, times: np.ndarray) -> Simulation:
    """The run at other times."""
    system, stats = run.system, run.stats
    reference = system.turned(run.turns[0])
    stated = run.options.get("method")
    own = stated if isinstance(stated, Method) and stated.name == stats.method else None
    method = own or SHORTHANDS[stats.method] if stats.method in REPEATED else SHORTHANDS["auto"]
    state = run.q[0], run.v[0], reference, float(run.times[0])
    again = new_run(system, state, settings_of(run, method))
    again.stepper.y[again.sizes.y - run.states.shape[1] :] = run.states[0]
    again.stepper.flags.outputs_unprojected = 1
    return advance(again, float(run.times[-1]), times, False)


def gauss(stages: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients a, b, c of Gauss collocation: integrals of Lagrange's polynomials."""
    x, w = np.polynomial.legendre.leggauss(stages)
    c, b = 0.5 * (x + 1.0), 0.5 * w
    powers = np.arange(stages)
    lagrange = np.linalg.inv(c[:, None] ** powers)  # [power, stage]
    a = (c[:, None] ** (powers + 1) / (powers + 1)) @ lagrange
    return a, b, c


def products(left: np.ndarray, B: np.ndarray) -> np.ndarray:
    """T^+ B of all pairs of times of windows, [windows, stages m, stages m], from T^+ [windows, stages, m, x] and
    B [windows, stages, x, m]."""
    count, stages, m, size = left.shape
    return left.reshape(count, stages * m, size) @ np.swapaxes(B, 1, 2).reshape(count, size, stages * m)
