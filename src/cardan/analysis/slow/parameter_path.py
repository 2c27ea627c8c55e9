"""Equilibria along a parameter: the numbers of a compiled model follow it, and `Follower` follows the equilibrium.

    F(q, lambda, p) = 0,        [[H, J^T], [J, 0]] [dq/dp; dlambda/dp] = -F_p

The numbers in the tables are those of `compile` for each value. Almost all are constant or straight lines in p, which
`law_of` reads from a few designs and proves at others; otherwise the model is compiled for each value. The path is
followed along s = |p - p_1|.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.equilibria.equilibrium import at_rest
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.progress import Progress
from cardan.analysis.slow.sequence import Sequence, reject_unsupported, static_loads
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameter, ParameterName, changed, parameters_of
from cardan.numerics.compiled.settings import COMPILED
from cardan.numerics.functions.function import compile_function
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.parameter_path import ParameterPath, ParameterSnap, PathPoint, restated
from cardan.results.steady.quasi_static import Snap
from cardan.system.cartesian.numbers import floats, law_of, probes, structure
from cardan.system.compile import compile
from cardan.system.forces import force_table
from cardan.system.system import System

INSIDE = 0.4142135623730950  # of the range: where tables are laid out


class ParameterStatics(Statics):
    """Statics whose tables follow a parameter, from the first of its `values` on; `sense` is 1 or -1.

    `system` has a value between, at which no points coincide by chance.
    """

    timed = False

    def __init__(self, system: System, time: float, parameter: Parameter, values: np.ndarray) -> None:
        super().__init__(system, time)
        self.parameter, self.first = parameter, float(values[0])
        self.sense = 1.0 if values[-1] > values[0] else -1.0
        self.now = np.nan
        self.form = _form(system, self.forces[0])
        self.arrays = _arrays(system, self.forces[0], self.matter, self.gravity)
        self.numbers = np.concatenate([array.ravel() for array in self.arrays])
        low, high = np.array([values.min()]), np.array([values.max()])
        designs = probes(low, high)
        tables = [self._compiled(float(design[0]), strict=False) for design in designs]
        self.rule = law_of(designs, tables, [1.0] * len(tables), lambda *_: None)
        if self.rule is not None and (self.rule.powers or self.rule.cosines or self.rule.sines):
            self.rule = None  # rare: compiled for each value
        changing = np.zeros(self.numbers.size, bool)
        if self.rule is not None:
            changing[self.rule.varied] = True
        self._own(changing)
        self.go_to(0.0)

    def value(self, s: float) -> float:
        """The parameter at s."""
        return self.first + self.sense * s

    def where(self, time: float) -> str:
        return f"{self.parameter.name} = {self.value(time):.9g}"

    def go_to(self, time: float) -> None:
        if self.rule is not None:
            self.now, found = time, self.rule.numbers(np.array([[self.value(time)]]))[0]
        elif time == self.now:
            return
        else:
            self.now = np.nan  # unless the model compiles
            compiled = self._compiled(self.value(time))
            assert compiled is not None
            changing = self.owned | (compiled != self.numbers)
            if changing.sum() > self.owned.sum():
                self._own(changing)
            self.now, found = time, compiled[self.owned]
        first = 0
        for array, places in self.written:
            array[places] = found[first : first + places.size]
            first += places.size

    def follow_lines(self) -> tuple[np.ndarray, ...]:
        place, base, slope, address, argument, out = super().follow_lines()
        if self.rule is None or not COMPILED:
            self.writer = compile_function(self._write, 1, derivatives="interpreted")
            address[0] = self.writer.address
            return place, base, slope, address, argument, out
        place = np.concatenate([array.ctypes.data + 8 * places.astype(np.uint64) for array, places in self.written])
        slope = self.rule.slopes[:, 0]
        base = self.rule.base + (self.first - self.rule.p0[0]) * slope
        return place.astype(np.uint64), base, self.sense * slope, address, argument, out

    def _write(self, s: float) -> float:
        """Go to s, called by compiled loops."""
        self.go_to(s)
        return 0.0

    def _own(self, changing: np.ndarray) -> None:
        """Write these numbers from now on; the others are constant."""
        self.owned, self.written = changing, []
        first = 0
        for array in self.arrays:
            places = np.flatnonzero(changing[first : first + array.size])
            if places.size:
                self.written.append((array.reshape(-1), places))
            first += array.size

    @contextmanager
    def ordinary(self) -> Iterator[Statics]:
        with changed(self.system.model, {self.parameter: self.value(self.now)}, check=False) as model:
            system = self.system
            yield Statics(restated(system, model, self.time, system.start, system.reference[system.winding]), self.time)

    def _compiled(self, value: float, strict: bool = True) -> np.ndarray | None:
        """The numbers of the model with a value of the parameter; None, or an error, if its tables have another
        structure."""
        base = self.system
        with changed(base.model, {self.parameter: value}, check=False) as model:
            system = restated(base, model, self.time, base.start, base.reference[base.winding])
            forces = force_table(system, list(system.laws), system.devices, self.states, self.multipliers)
            matter = system.matter()
            gravity = np.array(model.gravity, float)
        if _form(system, forces) == self.form:
            return np.concatenate([array.ravel() for array in _arrays(system, forces, matter, gravity)])
        if strict:
            raise SimulationError(
                f"'{model.name}' has another structure with {self.parameter.name} = {value:g}: quasi_static() cannot "
                "follow it there",
                time=self.time,
            )
        return None


def along_parameter(
    model: Model,
    values: Any,
    parameter: ParameterName,
    *,
    method: str,
    start: Snapshot | None,
    stops: bool,
    time: float,
    progress: bool | None,
) -> ParameterPath:
    """The equilibria at `values` of a parameter, which increase or decrease."""
    check.instance(parameter, (str, Parameter), "the parameter of quasi_static()", hint="it follows one")
    (chosen,) = parameters_of(model, parameter, "quasi_static()")
    grid = _checked(model, chosen, values)
    with changed(model, {chosen: float(grid[0])}):
        begin = None if start is None else start.as_start(model)
        system = compile(model, forces=True, time=time, start=begin)
        q, reference = assembled(system, time)
    inside = float(grid[0] + INSIDE * (grid[-1] - grid[0]))
    with changed(model, {chosen: inside}, check=False):
        system = restated(system, model, time, q, reference[system.winding])
    with changed(model, {chosen: float(grid[0])}, check=False):
        statics = ParameterStatics(system, time, chosen, grid)
        reject_unsupported(statics)
        ways = Ways(statics)
        stated = ways.start(q, reference)
        report = statics.rank(stated.point)
    with Progress("quasi_static", grid.size, progress) as bar:
        s = np.abs(grid - grid[0])
        run = Sequence(statics, ways, stated, s, bar, stops=stops, partial=_path, report=report)
        run.go(method)
    return _path(run, grid.size)


def _checked(model: Model, chosen: Parameter, values: Any) -> np.ndarray:
    """The values of the parameter, all of which the model accepts."""
    grid = np.array([check.number(value, f"a value of {chosen.name}") for value in np.atleast_1d(values).tolist()])
    steps = np.diff(grid)
    if grid.size < 2 or not (np.all(steps > 0.0) or np.all(steps < 0.0)):
        raise ModelError(
            f"the values of {chosen.name} in quasi_static() must be at least two that increase or decrease, got "
            f"{check.short_repr(values)}"
        )
    for value in (grid[0], grid[-1]):
        with changed(model, {chosen: float(value)}):
            pass
    return grid


def _path(run: Sequence, count: int) -> ParameterPath:
    """The result at the first values."""
    statics = run.statics
    assert isinstance(statics, ParameterStatics)
    system = statics.system
    stable, reasons = run.follower.stability(count)
    values, lowest = statics.first + statics.sense * run.grid, run.follower.lowest / system.length**2
    record = run.follower.record
    points = [
        PathPoint(
            float(values[k]), record.q[k], record.turns[k], statics.sense * record.v[k], stable[k], reasons[k],
            float(lowest[k]),
        )
        for k in range(count)
    ]  # fmt: skip
    snaps = [_snap(statics, snap) for snap in run.snaps]
    return ParameterPath(
        system, statics.parameter, statics.time, points, snaps, find_loads=static_loads, find_rest=_rest
    )


def _snap(statics: ParameterStatics, snap: Snap) -> ParameterSnap:
    return ParameterSnap(statics.value(snap.time), statics.parameter.name, *snap[1:])


def _rest(system: System, time: float, q: np.ndarray, turns: np.ndarray) -> Equilibrium:
    """The equilibrium at a position of a system, with its forces and stability."""
    statics, reference = Statics(system, time), system.turned(turns)
    place = Place(q, reference, statics.at(q, reference))
    statics.usual = place.point.size
    return at_rest(statics, place, "quasi-static", reference)


def _form(system: System, forces: Any) -> bytes:
    return structure(system.geometry) + structure(system.rows) + structure(forces)


def _arrays(system: System, forces: Any, matter: np.ndarray, gravity: np.ndarray) -> list[np.ndarray]:
    """All numbers that a parameter may change."""
    return [*floats(system.geometry), *floats(system.rows), *floats(forces), matter, gravity]
