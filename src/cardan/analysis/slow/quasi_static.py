"""quasi_static(model, times): the sequence of equilibria of a mechanism whose drivers and loads change slowly."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.driven.kinematics import driven_motion
from cardan.analysis.equilibria.equilibrium import BALANCED, METHODS, SEARCHES, found_equilibrium
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.states import has_devices
from cardan.analysis.equilibria.statics import DENSE, Statics
from cardan.analysis.loads.cartesian import loads_of, warn_of_pulling
from cardan.analysis.progress import Progress
from cardan.analysis.slow.follower import Follower, Stop
from cardan.analysis.unsupported import refuse_impacts
from cardan.errors import CardanError, CardanWarning, Interrupted, ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.steady.quasi_static import QuasiStatic, Snap
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.system import System

AT_SNAP = ("continue", "stop")
MOST_SEARCHES = 100  # searches for another equilibrium in one run


def quasi_static(
    model: Model,
    times: ArrayLike,
    *,
    method: str = "auto",
    start: Snapshot | None = None,
    at_snap: str = "continue",
    progress: bool | None = None,
) -> QuasiStatic:
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
    check.instance(model, Model, "the model of quasi_static()")
    check.choice(method, METHODS, "the method of quasi_static()")
    check.choice(at_snap, AT_SNAP, "at_snap of quasi_static()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    grid = check.times(times)
    refuse_impacts(model, "quasi_static()")
    system = compile(model, forces=True, time=float(grid[0]), start=None if start is None else start.as_start(model))
    q, reference = assembled(system, float(grid[0]))
    statics = Statics(system, float(grid[0]))
    _refuse(system, statics)
    ways = Ways(statics)
    stated = ways.start(q, reference)
    report = statics.rank(stated.point)
    assert report.null_space is not None
    if not report.null_space.shape[1]:
        return _driven(model, grid, start, progress)
    with Progress("quasi_static", grid.size, progress) as bar:
        run = _Run(statics, ways, stated, grid, at_snap == "stop", bar)
        run.follower.rank = statics.size - report.null_space.shape[1]
        run.set_aside = tuple(redundancy.row for redundancy in report.redundant)
        try:
            run.go(method)
        except KeyboardInterrupt:
            if not run.found:
                raise
            raise run.interrupted() from None
        result = run.result(grid.size)
    _warn(result)
    return result


class _Run:
    """The equilibria found so far."""

    def __init__(
        self, statics: Statics, ways: Ways, stated: Place, grid: np.ndarray, stops: bool, bar: Progress
    ) -> None:
        self.statics, self.ways, self.stated, self.grid, self.stops, self.bar = statics, ways, stated, grid, stops, bar
        span = float(grid[-1] - grid[0])
        spacing = float(np.diff(grid).min(initial=np.inf))
        self.follower = Follower(statics, ways, span or 1.0, spacing if grid.size > 1 else 1.0, float(grid[-1]))
        self.found: list[Stop] = []
        self.snaps: list[Snap] = []
        self.searches = 0
        self.set_aside: tuple[int, ...] = ()

    def go(self, method: str) -> None:
        follower = self.follower
        stop = follower.stop(self._searched(self.stated, method), float(self.grid[0]))
        follower.was_stable = stop.stable
        self.found.append(stop)
        for k, time in enumerate(self.grid[1:].tolist()):
            self.bar.show(k)
            following = follower.follow(stop, time)
            while following is None:
                following = follower.follow(self._jumped(follower.end), time)
            stop = following
            self.found.append(stop)

    def _searched(self, place: Place, method: str) -> Place:
        """The equilibrium near a position at the present time."""
        found = found_equilibrium(self.statics, place, self.ways, method, SEARCHES, BALANCED, self.bar)
        reference = place.reference.copy()
        reference[self.statics.system.winding] = found.turns
        return Place(found.q, reference, self.statics.at(found.q, reference))

    def _jumped(self, end: Stop) -> Stop:
        """The equilibrium after a jump."""
        follower, name = self.follower, self.statics.system.model.name
        self.searches += 1
        if self.searches > MOST_SEARCHES:
            raise self._ended(
                f"the equilibrium of '{name}' cannot be followed beyond t = {end.time:.9g} s: it ended "
                f"{MOST_SEARCHES} times before; forces jump, or loads change too fast for the output times",
                end.time,
            )
        try:
            time, begin = follower.snap_start(end)
            there = self._searched(begin, "auto")
        except SimulationError as error:
            raise self._ended(
                f"the equilibrium of '{name}' ends at t = {end.time:.9g} s, and no other was found: {error}", end.time
            ) from error
        snap = follower.snap_between(end, there)
        if snap is not None and self.stops:
            raise self._ended(f"the equilibrium of '{name}' ends: it would jump at {snap}", end.time)
        if snap is not None:
            self.snaps.append(snap)
        if time <= end.time:
            raise self._ended(f"the equilibrium of '{name}' cannot be followed beyond t = {end.time:.9g} s", end.time)
        follower.length = np.inf
        stop = follower.stop(there, time)
        follower.was_stable = stop.stable
        return stop

    def interrupted(self) -> Interrupted:
        partial = self.result(len(self.found))
        time = float(partial.times[-1])
        stop = Interrupted(
            f"interrupted at t = {time:.6g} s: .partial is the result so far", time=time, partial=partial
        )
        partial.stopped = stop
        return stop

    def _ended(self, words: str, time: float) -> SimulationError:
        partial = self.result(len(self.found))
        error = SimulationError(words, time=time, partial=partial)
        partial.stopped = error
        return error

    def result(self, count: int) -> QuasiStatic:
        """The result at the first output times."""
        system, found = self.statics.system, self.found[:count]
        width, unit = system.width, self.statics.unit
        v, a = np.zeros((2, count, width + unit.size))
        for k, stop in enumerate(found):
            v[k, width:], a[k, width:] = stop.rates.velocity * unit, stop.rates.acceleration * unit
        run = QuasiStatic(
            *(system, self.grid[:count], np.array([stop.place.q for stop in found]), v, a),
            iterations=np.array([stop.iterations for stop in found]),
            steps=np.array([stop.steps for stop in found]),
            set_aside=self.set_aside,
            analysis="quasi-static analysis",
            turns=np.array([stop.place.reference[system.winding] for stop in found]),
        )
        run.stable, run.reasons = tuple(stop.stable for stop in found), tuple(stop.reason for stop in found)
        run.lowest_stiffness = np.array([stop.tangent.lowest for stop in found]) / system.length**2
        run.snaps = list(self.snaps)
        run.loads, run.find_loads = static_loads(run), static_loads
        return run


def static_loads(run: Trajectory) -> Loads:
    """The forces of a sequence of positions without inertia, with all rates zero."""
    still = np.zeros_like(run.v)
    resting = Trajectory(run.system, run.times, run.q, still, still, set_aside=run.set_aside, turns=run.turns)
    resting.bifurcations = run.bifurcations
    return loads_of(resting)


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


def _refuse(system: System, statics: Statics) -> None:
    """Reject what cannot be followed."""
    name = system.model.name
    if has_devices(statics) or system.samplers:
        raise ModelError(
            f"quasi_static() does not support states of devices and sampled controllers, which '{name}' has: use "
            "equilibrium() at each time"
        )
    if system.on_velocities.any():
        row = int(np.flatnonzero(system.on_velocities)[0])
        raise ModelError(
            f"quasi_static() does not support velocity constraints, such as {system.row_name(row)} of '{name}': the "
            "position depends on the path; use simulate()"
        )
    if statics.size > DENSE:
        raise ModelError(
            f"quasi_static() supports up to {DENSE} coordinates, and '{name}' has {statics.size}: use equilibrium() "
            "at each time"
        )


def _warn(run: QuasiStatic) -> None:
    """Warn about jumps and about contacts that pull."""
    if run.snaps:
        times = ", ".join(map(str, run.snaps))
        warnings.warn(
            f"'{run.model.name}' jumps to another equilibrium at {times}: a real motion depends on inertia there; use "
            "simulate() for it",
            CardanWarning,
            stacklevel=3,
        )
    if run.loads is not None:
        warn_of_pulling(run, run.loads)
