"""A compiled model: everything that an analysis needs, as arrays, and the names that its messages need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import CardanError, ModelError, SimulationError
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space
from cardan.numerics.block import block
from cardan.numerics.ldlt import values_size
from cardan.numerics.small_lu import small_lu
from cardan.system.tables import Rows, Solver, Work


SMALL = 30  # coordinates up to which a square J is factorized itself: above it the sparse way is faster

# Units of coordinates, blocks of rows with the units they touch, and the unit that each block carries (or -1).
Structure = tuple[list[range], list[tuple[list[int], list[int]]], list[int]]


@dataclass(frozen=True)
class System:
    """What `compile` makes of a model. Ground is body 0; vectors numbered as v begin with its `width` zeros."""

    model: Model
    bodies: tuple[Any, ...]  # moving bodies
    number: dict[int, int]  # id(body) -> number
    own: tuple[Any, ...]  # own coordinates, after the bodies
    measures: tuple[Measure, ...]
    elements: tuple[Constraint, ...]
    equations: tuple[Equation, ...]  # one for each row
    owner: np.ndarray  # the element of each row
    length: float  # the model's size: what a displacement or an error is compared with
    geometry: Any
    rows: Rows
    solver: Solver
    structure: Structure
    weights: np.ndarray  # the metric W: 1 for lengths, length^2 for angles
    start: np.ndarray  # q as stated
    reference: np.ndarray  # the turns of multi-turn angles at the start

    @property
    def space(self) -> Space:
        return self.model.space

    @property
    def width(self) -> int:
        return self.space.width

    @property
    def coordinates(self) -> int:
        """How many coordinates are solved for."""
        return self.weights.size

    @property
    def row_count(self) -> int:
        return len(self.equations)

    @property
    def driving(self) -> np.ndarray:
        """Which rows belong to drivers."""
        return np.array([self.elements[k].drives for k in self.owner], bool)

    @property
    def floating(self) -> np.ndarray:
        """Which rows take their offset from the assembled position."""
        return np.array([equation.floating for equation in self.equations], bool)

    @property
    def winding(self) -> np.ndarray:
        """The measures whose turns are remembered, by number."""
        return np.array([k for k, m in enumerate(self.measures) if m.kind in self.space.winding], np.uint32)

    @property
    def rounding(self) -> float:
        """Relative to its length, how exactly a mechanism can close where it stands: far from the origin digits are lost."""
        places = self.start[self.space.stored :] if self.own == () else self.start[self.space.stored : -len(self.own)]
        far = float(np.max(np.abs(places), initial=0.0))
        return 16.0 * float(np.finfo(float).eps) * max(1.0, far / self.length)

    def speeds(self) -> np.ndarray:
        """A zero vector numbered as v."""
        return np.zeros(self.width + self.coordinates)

    def stated_speeds(self) -> np.ndarray:
        """The velocities that the user stated."""
        v = self.speeds()
        for k, body in enumerate(self.bodies, start=1):
            v[self.width * k : self.width * (k + 1)] = self.space.twist(body)
        return v

    def work(self, active: np.ndarray | None = None) -> Work:
        """Scratch memory for one thread. With the rows that will be `active`, J itself is factorized if it is small."""
        nz, nr, n = len(self.measures), self.row_count, self.solver.place.size
        longest = int(np.diff(self.rows.start).max(initial=0))
        parameters = int(np.diff(self.rows.parameter_start).max(initial=0))
        pattern, entry, measure, part, row, column, factor = self._square(active)
        unit = self.length / np.sqrt(self.weights)
        work = Work(
            frames=np.zeros((self.geometry.body.size, self.space.marker_columns)),
            z=np.zeros((nz, 3)),
            jac=np.zeros((nz, 2 * self.width + 2)),
            coefficient=np.zeros(self.rows.measure.size),
            phi=np.zeros(nr),
            rate=np.zeros(nr),
            nu=np.zeros(nr),
            gamma=np.zeros(nr),
            drive=np.zeros(nr),
            values=np.zeros(values_size(self.solver.pattern)),
            lower=np.zeros(self.solver.pattern.Li.size),
            pivots=np.zeros(n),
            scratch=np.zeros(n),
            x=np.zeros(n),
            square=small_lu(pattern),
            entry=entry,
            measure=measure,
            part=part,
            row=row,
            column=column,
            factor=factor,
            unit=unit,
            mode=np.zeros(2, np.int64),
            motion=np.zeros(3),
            arguments=np.zeros(longest + parameters + 2),
            rates=np.zeros(longest + parameters + 2),
            results=np.zeros(longest + 6),
        )
        return block(work)

    def _square(self, active: np.ndarray | None) -> tuple[np.ndarray, ...]:
        """The pattern of J of the active rows and the place of each contribution in it, if it is small and square."""
        n, solver = self.coordinates, self.solver
        if active is None or n > SMALL or int(active.sum()) != n:
            return np.zeros((0, 0)), *(np.zeros(0, np.uint32) for _ in range(5)), np.zeros(0)
        place = np.cumsum(active) - 1
        kept = np.flatnonzero(active[solver.row])
        row, column = place[solver.row[kept]], solver.column[kept].astype(int) - self.width
        pattern = np.zeros((n, n))
        pattern[row, column] = 1
        index = row.astype(np.uint32), column.astype(np.uint32)
        factor = self.length / np.sqrt(self.weights[column]) / self.rows.scale[solver.row[kept]]
        return pattern, solver.entry[kept], solver.measure[kept], solver.part[kept], *index, factor

    def jacobian(self, work: Work) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
        """J as evaluated last: rows, columns (coordinates), values, shape."""
        values = work.coefficient[self.solver.entry] * work.jac[self.solver.measure, self.solver.part]
        shape = (self.row_count, self.coordinates)
        return self.solver.row.astype(int), self.solver.column.astype(int) - self.width, values, shape

    def row_name(self, row: int) -> str:
        """How messages call an equation: 'C' (x)."""
        return f"'{self.elements[self.owner[row]].name}' ({self.equations[row].label})"

    def coordinate_name(self, coordinate: int) -> str:
        """How messages call a coordinate: angle of 'crank'."""
        body, place = divmod(coordinate, self.width)
        if body < len(self.bodies):
            return f"{self.space.coordinate_names[place]} of '{self.bodies[body].name}'"
        return self.own[coordinate - self.width * len(self.bodies)].name

    def failure(self, status: int, time: float, partial: Any = None) -> CardanError:
        """The error behind a status that `evaluate` returned."""
        if status < 0:
            return SimulationError(f"at t = {time:.6g} s a cam profile gave no finite point", time=time, partial=partial)
        element = self.elements[self.owner[status - 1]]
        return SimulationError(
            f"at t = {time:.6g} s {element.title} gave no finite value, or its function raised an exception",
            time=time,
            elements=(element.name,),
            partial=partial,
        )

    def body_number(self, body: Any) -> int:
        try:
            return self.number[id(body)]
        except KeyError:
            raise ModelError(f"body '{body.name}' is not part of model '{self.model.name}'") from None
