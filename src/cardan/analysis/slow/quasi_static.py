"""quasi_static(model, times): the sequence of equilibria of a mechanism whose drivers and loads change slowly."""

from __future__ import annotations

from typing import TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.driven.kinematics import driven_motion
from cardan.analysis.equilibria.equilibrium import METHODS
from cardan.analysis.equilibria.place import Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.loads.cartesian import warn_of_pulling
from cardan.analysis.progress import Progress
from cardan.analysis.slow.parameter_path import along_parameter
from cardan.analysis.slow.sequence import Sequence, reject_unsupported, static_loads
from cardan.analysis.unsupported import reject_impacts, warn_of_limits
from cardan.errors import CardanError, Interrupted, ModelError, warn
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import ParameterName
from cardan.results.snapshot import Snapshot
from cardan.results.steady.parameter_path import ParameterPath
from cardan.results.steady.quasi_static import QuasiStatic
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile

AT_SNAP = ("continue", "stop")


class _Options(TypedDict, total=False):
    """What all sequences take."""

    method: str
    start: Snapshot | None
    at_snap: str
    time: float
    progress: bool | None


@overload
def quasi_static(
    model: Model, times: ArrayLike, *, parameter: None = ..., **options: Unpack[_Options]
) -> QuasiStatic: ...


@overload
def quasi_static(
    model: Model, times: ArrayLike, *, parameter: ParameterName, **options: Unpack[_Options]
) -> ParameterPath: ...


def quasi_static(
    model: Model,
    times: ArrayLike,
    *,
    method: str = "auto",
    start: Snapshot | None = None,
    at_snap: str = "continue",
    parameter: ParameterName | None = None,
    time: float = 0.0,
    progress: bool | None = None,
) -> QuasiStatic | ParameterPath:
    """Follow the equilibrium of a mechanism while its drivers and loads change with time, without inertia.

    The first equilibrium is that of `equilibrium(model, method=..., start=..., time=times[0])`. Each of the others is
    followed from the one before it. Forces are those at the time with all rates zero: dampers have no effect. If
    drivers fix all degrees of freedom, the positions are those of `kinematics`, and the forces those of
    `inverse_dynamics` without inertia (kineto-statics).

    The result is a trajectory with forces: `run[spring].force`, `run[joint].force`, all columns, tables and plots.
    `run[measure].rate` is the derivative of a measure by time along the sequence. `run.stable` is the stability at each
    output time, `run.lowest_stiffness` the lowest curvature of the energy.

    Where an equilibrium ends (at a fold) or becomes unstable (at a bifurcation), the mechanism jumps to another one,
    found as by `equilibrium`: `run.snaps` lists these times, and a warning names them. `at_snap="stop"` raises an error
    instead, with the results so far in `.partial`.

    With `parameter="spring.stiffness"`, or another name as in `sensitivities`, `times` are values of this parameter
    instead, which increase or decrease, and drivers and loads stay at `time`. The result is a `ParameterPath`:
    `path["lever.angle"]`, `path[joint].force`, `path.slope("lever.angle")` for derivatives by the parameter.

    >>> import numpy as np
    >>> from cardan import quasi_static
    >>> from cardan.planar import Body, Load, Model, Ramp, Revolute, Spring
    >>> model = Model("lever")
    >>> lever = model.add(Body(), name="lever")
    >>> hinge = model.add(Revolute(model.ground.at(), lever.at()), name="hinge")
    >>> spring = model.add(Spring(hinge.angle, 10.0, rest_angle=0.0), name="spring")
    >>> pull = model.add(Load(lever.at(1, 0), (0.0, Ramp(5.0))), name="pull")
    >>> run = quasi_static(model, np.linspace(0.0, 2.0, 21))
    >>> phi = run[lever].angle
    >>> bool(np.allclose(10.0 * phi, 5.0 * run.times * np.cos(phi), rtol=0, atol=1e-9)), set(run.stable)
    (True, {True})
    """
    _check(model, method, at_snap, start)
    if parameter is not None:
        time = check.number(time, "the time of quasi_static()")
        stops = at_snap == "stop"
        path = along_parameter(
            model, times, parameter, method=method, start=start, stops=stops, time=time, progress=progress
        )
        _warn_of_jumps(path)
        return path
    if time != 0.0:
        raise ModelError("time= of quasi_static() belongs to parameter=: omit it, or state the parameter that changes")
    grid = check.times(times)
    system = compile(model, forces=True, time=float(grid[0]), start=None if start is None else start.as_start(model))
    q, reference = assembled(system, float(grid[0]))
    statics = Statics(system, float(grid[0]))
    reject_unsupported(statics)
    ways = Ways(statics)
    stated = ways.start(q, reference)
    report = statics.rank(stated.point)
    assert report.null_space is not None
    if not report.null_space.shape[1]:
        return _driven(model, grid, start, progress)
    with Progress("quasi_static", grid.size, progress) as bar:
        run = Sequence(statics, ways, stated, grid, bar, stops=at_snap == "stop", partial=_result, report=report)
        run.go(method)
        result = _result(run, grid.size)
    _warn_of_jumps(result)
    warn_of_limits(result)
    assert result.loads is not None
    warn_of_pulling(result, result.loads)
    return result


def _check(model: Model, method: str, at_snap: str, start: Snapshot | None) -> None:
    check.instance(model, Model, "the model of quasi_static()")
    check.choice(method, METHODS, "the method of quasi_static()")
    check.choice(at_snap, AT_SNAP, "at_snap of quasi_static()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    reject_impacts(model, "quasi_static()")


def _result(run: Sequence, count: int) -> QuasiStatic:
    """The result at the first output times."""
    system, follower, record = run.statics.system, run.follower, run.follower.record
    result = QuasiStatic(
        *(system, run.grid[:count], record.q[:count], record.v[:count], record.a[:count]),
        iterations=record.iterations[:count],
        steps=record.steps[:count],
        set_aside=run.set_aside,
        analysis="quasi-static analysis",
        turns=record.turns[:count],
    )
    result.stable, result.reasons = follower.stability(count)
    result.lowest_stiffness = follower.lowest[:count] / system.length**2
    result.snaps = list(run.snaps)
    result.loads, result.find_loads = static_loads(result), static_loads
    return result


def _driven(model: Model, grid: np.ndarray, start: Snapshot | None, progress: bool | None) -> QuasiStatic:
    """Kineto-statics: drivers determine the motion, and the reactions balance the forces."""
    try:
        motion = driven_motion(model, grid, "quasi_static", start, progress=progress, forces=True).run
    except (CardanError, Interrupted) as stop:
        if isinstance(stop.partial, Trajectory) and len(stop.partial):
            stop.partial = _balanced(stop.partial)
            stop.partial.stopped = stop
        raise
    run = _balanced(motion)
    assert run.loads is not None
    warn_of_pulling(run, run.loads)
    return run


def _balanced(motion: Trajectory) -> QuasiStatic:
    """The forces without inertia along a driven motion."""
    run = QuasiStatic(motion.system, motion.times, motion.q, motion.v, motion.a, motion.iterations, motion.steps)
    run.set_aside, run.turns, run.analysis = motion.set_aside, motion.turns, "quasi-static analysis"
    run.jumps, run.bifurcations = motion.jumps, motion.bifurcations
    run.loads, run.find_loads = static_loads(run), static_loads
    return run


def _warn_of_jumps(run: QuasiStatic | ParameterPath) -> None:
    if run.snaps:
        places = ", ".join(map(str, run.snaps))
        warn(
            f"'{run.model.name}' jumps to another equilibrium at {places}: a real motion depends on inertia there; use "
            "simulate() for it"
        )
