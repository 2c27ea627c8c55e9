"""inverse_kinematics(model, targets): positions of a mechanism at which measures have given values.

    Phi(q) = 0      z(q) = target      low <= w(q) <= high

Each correction is the least displacement of all bodies that closes joints and targets together: a redundant mechanism
moves as little as possible. A limit that would be passed becomes an equation at its end. Along a path each position
starts from the one before; where the mechanism would move too far at once, the way to the next target is divided.

The first position is found in Cartesian coordinates, where bodies may be placed anywhere, those after it in joint
coordinates by one compiled loop (`following`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.task_space.following import DIVISIONS, MAX_SPACING
from cardan.analysis.task_space.target_rows import TargetRows, target_row
from cardan.errors import AssemblyError, Interrupted, ModelError, SimulationError
from cardan.model import check
from cardan.model.measure import ByMeasure, Readable, readable
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory

RESTARTS = 24  # further estimates for the first position
SLICE = 5000  # targets between two looks at the keyboard
WORTHWHILE = 20  # targets that the compiled loop must reach for it to be prepared again behind one that it does not

Limits = ByMeasure[Sequence[float]]


@overload
def inverse_kinematics(
    model: Model,
    targets: ByMeasure[float],
    *,
    limits: Limits | None = ...,
    start: Snapshot | None = ...,
    times: None = ...,
    tolerance: float = ...,
) -> Snapshot: ...
@overload
def inverse_kinematics(
    model: Model,
    targets: ByMeasure[ArrayLike],
    *,
    limits: Limits | None = ...,
    start: Snapshot | None = ...,
    times: ArrayLike | None = ...,
    path: bool = ...,
    tolerance: float = ...,
) -> Trajectory: ...
def inverse_kinematics(
    model: Model,
    targets: ByMeasure[float] | ByMeasure[ArrayLike],
    *,
    limits: Limits | None = None,
    start: Snapshot | None = None,
    times: ArrayLike | None = None,
    path: bool = True,
    tolerance: float = 1e-11,
) -> Snapshot | Trajectory:
    """The position at which each measure in `targets` has its value; for lists of values a path of such positions.

    Targets are measures of any kind: coordinates of points, angles, lengths, combinations. Drivers of the model are
    released. `limits` are (low, high) of measures, such as joint angles, None where unlimited. The search begins at
    `start`, by default at the stated position, and selects a solution near it; a path continues from each position to
    the next without jumps. With `path=False` each position after the first is sought from the first instead: what is
    found for a target does not depend on its neighbors in the list. The result is a snapshot, or a trajectory without
    velocities at `times` (0, 1, 2, ...).

    Raises `AssemblyError` if targets cannot be reached, with the deviation of each, and `SimulationError` on a path,
    with the positions up to there in `.partial`.

    >>> import math
    >>> from cardan import inverse_kinematics
    >>> from cardan.planar import Body, Model, Revolute, x, y
    >>> model = Model("arm")
    >>> upper = model.add(Body(angle=0.2), name="upper")
    >>> fore = model.add(Body(position=(1, 0.2), angle=0.5), name="fore")
    >>> shoulder = model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    >>> elbow = model.add(Revolute(upper.at(1, 0), fore.at()), name="elbow")
    >>> hand = fore.at(1, 0)
    >>> found = inverse_kinematics(model, {x(hand): 1.0, y(hand): 1.0})
    >>> [round(math.degrees(found[joint.angle].value)) for joint in (shoulder, elbow)]
    [0, 90]
    >>> run = inverse_kinematics(model, {x(hand): [1.0, 0.5], y(hand): [1.0, 1.5]}, start=found)
    >>> run[y(hand)].value.round(9).tolist()
    [1.0, 1.5]
    """
    check.instance(model, Model, "the model of inverse_kinematics()")
    if start is not None:
        check.instance(start, Snapshot, "start of inverse_kinematics()", hint="assemble() gives one")
    measures, values, single = _targets(targets)
    bounds = _limits(limits)
    tolerance = check.positive(tolerance, "the tolerance of inverse_kinematics()")
    if single and times is not None:
        raise ModelError("inverse_kinematics() of one position has no times; pass lists of values as targets")
    stamps = np.arange(float(len(values))) if times is None else check.times(times)
    if stamps.size != len(values):
        raise ModelError(f"inverse_kinematics() has {len(values)} values of each target, but {stamps.size} times")
    check.flag(path, "path of inverse_kinematics()")
    for measure, column in zip(measures, values.T, strict=True):
        for value in {float(column.min()), float(column.max())}:
            target_row(measure, value).check()
    rows = TargetRows(model, measures, bounds, start, tolerance)
    positions, turns = np.zeros((len(values), rows.q.size)), np.zeros((len(values), len(rows.winding)))
    _begin(rows, values[0])
    positions[0], turns[0] = rows.q, rows.reference[rows.winding]
    if single:
        time = 0.0 if start is None else start.time
        return Snapshot(rows.plain, time, positions[0], turns=turns[0])
    done = 1
    try:
        for count in (_march if path else _scatter)(rows, values, stamps, positions, turns):
            done = count
    except KeyboardInterrupt:
        raise _interrupted(_path(rows, stamps[:done], positions[:done], turns[:done])) from None
    return _path(rows, stamps, positions, turns)


def _march(
    rows: TargetRows, values: np.ndarray, times: np.ndarray, positions: np.ndarray, turns: np.ndarray
) -> Iterator[int]:
    """Positions along a path, from the first on; in Cartesian coordinates where joint coordinates do not get on.

    Yields how many there are, from time to time: the compiled loop cannot be interrupted.
    """
    compiled, k = True, 1
    while k < len(values):
        if compiled:
            begun, end = k, min(k + SLICE, len(values))
            k = rows.follow(values[:end], positions, turns, True, k)
            compiled = k - begun > WORTHWHILE
            yield k
            if k == end:
                continue
        if not _continue(rows, values[k - 1], values[k]):
            partial = _path(rows, times[:k], positions[:k], turns[:k])
            raise SimulationError(
                f"the path of '{rows.plain.model.name}' cannot continue from t = {times[k - 1]:g} to {times[k]:g}: "
                f"{rows.reason(values[k])}; a path must not cross singular configurations, limits or the workspace",
                time=float(times[k - 1]),
                partial=partial,
            )
        positions[k], turns[k] = rows.q, rows.reference[rows.winding]
        k += 1
        yield k


def _scatter(
    rows: TargetRows, values: np.ndarray, times: np.ndarray, positions: np.ndarray, turns: np.ndarray
) -> Iterator[int]:
    """Positions that are all sought from the first; yields how many there are, from time to time."""
    home, k = (rows.q.copy(), rows.reference.copy()), 1
    while k < len(values):
        end = min(k + SLICE, len(values))
        k = rows.follow(values[:end], positions, turns, False, k)
        rows.q, rows.reference = home[0].copy(), home[1].copy()
        yield k
        if k == end:
            continue
        if not _continue(rows, values[0], values[k]):
            rows.q, rows.reference = home[0].copy(), home[1].copy()
            _begin(rows, values[k], f" at t = {times[k]:g}")
        positions[k], turns[k] = rows.q, rows.reference[rows.winding]
        rows.q, rows.reference = home[0].copy(), home[1].copy()
        k += 1


def _begin(rows: TargetRows, wanted: np.ndarray, when: str = "") -> None:
    """A position on its own, nearest to the estimate; from scattered estimates if that fails."""
    q, reference = rows.q.copy(), rows.reference.copy()
    random = np.random.default_rng(0)
    if rows.reach(q, reference, wanted):
        return
    rows.q, rows.reference = q.copy(), reference.copy()
    if _continue(rows, rows.values(), wanted):
        return
    for attempt in range(1, RESTARTS + 1):
        if rows.reach(q, reference, wanted, scatter=0.15 * attempt, random=random):
            return
    rows.q, rows.reference = q, reference
    raise AssemblyError(
        f"'{rows.plain.model.name}' does not reach its targets{when}: {rows.reason(wanted)}; check the values, the "
        "limits and the start",
        partial=rows.snapshot(),
    )


def _continue(rows: TargetRows, last: np.ndarray, wanted: np.ndarray) -> bool:
    """Move from one target to the next in steps that are short enough; False if that is not possible."""
    done, share = 0.0, 1.0
    while done < 1.0:
        q, reference = rows.q.copy(), rows.reference.copy()
        to = min(1.0, done + share)
        if rows.reach(q, reference, last + to * (wanted - last)) and rows.distance(q) <= MAX_SPACING:
            done, share = to, min(1.0, 2.0 * share)
            continue
        rows.q, rows.reference = q, reference
        share *= 0.5
        if share < 2.0**-DIVISIONS:
            return False
    return True


def _path(rows: TargetRows, times: np.ndarray, q: np.ndarray, turns: np.ndarray) -> Trajectory:
    """Positions as a trajectory without velocities."""
    still = np.zeros((times.size, rows.plain.speeds().size))
    run = Trajectory(rows.plain, times, q, still, still.copy(), analysis="inverse kinematics", turns=turns)
    run.moves = False
    return run


def _interrupted(partial: Trajectory) -> Interrupted:
    time = float(partial.times[-1])
    stop = Interrupted(f"interrupted at t = {time:.6g}: .partial is the path so far", time=time, partial=partial)
    partial.stopped = stop
    return stop


def _targets(targets: Any) -> tuple[list[Readable], np.ndarray, bool]:
    """The measures, one row of values for each position, and whether there is a single position."""
    check.instance(targets, Mapping, "the targets of inverse_kinematics()", hint="{x(hand): 1.0, y(hand): 0.5}")
    if not targets:
        raise ModelError("inverse_kinematics() has no targets; pass measures and values, {x(hand): 1.0}")
    measures = [readable(measure, "a target of inverse_kinematics()") for measure in targets]
    lists: list[list[float]] = []
    single = True
    for measure, stated in targets.items():
        listed = stated.tolist() if isinstance(stated, np.ndarray | np.number) else stated
        if _plain(listed):
            single = False
            lists.append(listed)
        elif isinstance(listed, Sequence) and not isinstance(listed, str):
            single = False
            lists.append([check.number(value, f"a target of {measure}") for value in listed])
        else:
            lists.append([check.number(listed, f"the target of {measure}")])
    count = max(len(values) for values in lists)
    for measure, values in zip(measures, lists, strict=True):
        if len(values) not in (1, count) or not values:
            raise ModelError(
                f"{measure} has {len(values)} target values, others have {count}: a path needs as many of each"
            )
    table = [values * count if len(values) == 1 else values for values in lists]
    return measures, np.array(table).T, single


def _plain(listed: Any) -> bool:
    """Whether these are finite numbers, which need no closer look."""
    return isinstance(listed, list) and set(map(type, listed)) <= {float, int} and all(map(math.isfinite, listed))


def _limits(limits: Any) -> dict[Readable, tuple[float, float]]:
    stated = {} if limits is None else check.instance(limits, Mapping, "limits of inverse_kinematics()")
    found = {}
    for measure, pair in stated.items():
        readable(measure, "a measure in limits of inverse_kinematics()")
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ModelError(f"the limits of {measure} must be (low, high), got {check.describe(pair)}")
        low, high = (-math.inf if pair[0] is None else pair[0]), (math.inf if pair[1] is None else pair[1])
        low, high = (side if math.isinf(side) else check.number(side, f"a limit of {measure}") for side in (low, high))
        if not low < high:
            raise ModelError(f"the limits of {measure} must rise, got {low:g} to {high:g}")
        found[measure] = (low, high)
    return found
