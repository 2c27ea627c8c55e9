"""A compiled model: everything that an analysis needs, as arrays, and the names that its messages need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from cardan.errors import CardanError, ModelError, SimulationError
from cardan.model.device import Device, Sampler
from cardan.model.element import Constraint, Equation
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.force import Corner, Force, Guard, Law, Repetition
from cardan.model.matter.added_inertia import AddedInertia
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space
from cardan.model.surfaces.surface_pair import NO_GAP, touches_of
from cardan.numerics.compiled.block import allocated, numbers_of, replaced
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.curves.arcs import BENT, LARGEST_BEND
from cardan.numerics.linalg.ldlt import values_size
from cardan.numerics.linalg.small_lu import small_lu
from cardan.system.circuit import States, Wiring, states_of
from cardan.system.evaluate import functions
from cardan.system.tables import Rows, Solver, Work

MAX_DENSE_SQUARE = 30  # coordinates up to which a square J is factorized itself: above it the sparse way is faster

# Units of coordinates, blocks of rows with the units they touch, and the unit that each block carries (or -1).
Structure = tuple[list[Sequence[int]], list[tuple[list[int], list[int]]], list[int]]


@dataclass(frozen=True, repr=False)
class System:
    """What `compile` makes of a model. Ground is body 0; vectors numbered as v begin with its `width` zeros."""

    model: Model
    bodies: tuple[Any, ...]  # moving bodies
    number: dict[int, int]  # id(body) -> number
    contact_coordinates: tuple[Any, ...]  # places of contact, then modal coordinates, after the bodies
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
    forces: tuple[Force, ...] = ()  # the element of each law
    laws: tuple[Law, ...] = ()  # applied forces
    columns: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # see `compile.columns_of`
    masses: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), int))  # see `cartesian.softness.mass_entries`
    added: tuple[AddedInertia, ...] = ()  # of rotors
    devices: tuple[Device, ...] = ()  # each after those that it reads
    device_owners: tuple[Any, ...] = ()  # the element of each, None for those of events
    samplers: tuple[Sampler, ...] = ()
    sampler_owners: tuple[Any, ...] = ()  # the element of each
    states: States = field(default_factory=lambda: states_of((), ()))
    misfits: dict[int, float] = field(default_factory=dict)  # of redundant rows: see `absorb`
    absorbing: dict[int, tuple[np.ndarray, float]] = field(default_factory=dict)  # their coefficients and offsets

    def __repr__(self) -> str:
        return f"<system of '{self.model.name}': {self.coordinates} coordinates, {self.row_count} equations>"

    def __reduce__(self) -> Any:
        """A copy, also one in another process, owns its tables: addresses and numbers by identity are made anew."""
        from cardan.system.compile import remade

        made = ("number", "geometry", "rows")
        stated = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in made}
        return remade, (stated, numbers_of(self.geometry), numbers_of(self.rows))

    def with_markers(self, local: np.ndarray, offset: np.ndarray) -> System:
        """The same system with other markers in bodies and offsets of rows, in tables of its own."""
        geometry, rows = replaced(self.geometry, local=local.copy()), replaced(self.rows, offset=offset.copy())
        return replace(self, geometry=geometry, rows=rows)

    def absorb(self, misfits: dict[int, float]) -> None:
        """Let the offsets of redundant rows absorb their misfits, phi at the assembled position.

        The other rows imply these. They stay empty in `rows`: motions are found without them, and no rank decision
        depends on the precision of the data. `complete_rows` contains them, for reactions and violations.
        """
        for row, misfit in misfits.items():
            entries = slice(self.rows.start[row], self.rows.start[row + 1])
            self.misfits[row] = misfit
            self.absorbing[row] = self.rows.coefficient[entries].copy(), float(self.rows.offset[row]) + misfit
            self.rows.coefficient[entries] = self.rows.offset[row] = 0.0

    @property
    def named_misfits(self) -> dict[tuple[str, str], float]:
        """Misfits by element and label, for another system of the same model."""
        return {(self.elements[self.owner[r]].name, self.equations[r].label): gap for r, gap in self.misfits.items()}

    @property
    def complete_rows(self) -> Rows:
        """All rows, those that absorb a misfit included; a copy if there are any."""
        if not self.misfits:
            return self.rows
        coefficient, offset = self.rows.coefficient.copy(), self.rows.offset.copy()
        for row, (own, absorbed) in self.absorbing.items():
            coefficient[self.rows.start[row] : self.rows.start[row + 1]], offset[row] = own, absorbed
        found: Rows = replaced(self.rows, coefficient=coefficient, offset=offset)
        return found

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

    @cached_property
    def wiring(self) -> Wiring:
        """Where devices find what they read."""
        rows = {(id(self.elements[k]), self.equations[r].label): r for r, k in enumerate(self.owner.tolist())}
        return Wiring({measure: k for k, measure in enumerate(self.measures)}, rows, self.states)

    @property
    def readers(self) -> tuple[Device | Sampler, ...]:
        """All that reads signals, in the order of a circuit."""
        return (*self.devices, *self.samplers)

    @property
    def driving(self) -> np.ndarray:
        """Which rows belong to drivers."""
        return np.array([self.elements[k].drives for k in self.owner], bool)

    @property
    def on_velocities(self) -> np.ndarray:
        """Which rows are equations on velocities: they take no part where positions are closed."""
        return np.array([equation.velocity for equation in self.equations], bool)

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
        """How exactly a mechanism can close, relative to its length: far from the origin digits are lost."""
        poses = self.start[: self.start.size - len(self.contact_coordinates)].reshape(-1, self.space.stored)
        far = float(np.max(np.abs(poses[:, : self.space.dimensions])))
        return 16.0 * float(np.finfo(float).eps) * max(1.0, far / self.length)

    @property
    def unit(self) -> np.ndarray:
        """A displacement by the model's length, or 1 rad, in each coordinate."""
        return self.length / np.sqrt(self.weights)

    def matter(self) -> np.ndarray:
        """Masses, mass centers and inertias of all bodies; those of the ground are zero."""
        found = self.space.matter((self.model.ground, *self.bodies))
        found[0] = 0.0
        return found

    def turned(self, turns: np.ndarray) -> np.ndarray:
        """The memory of turns with these values of the angles that have one."""
        reference = self.reference.copy()
        reference[self.winding] = turns
        return reference

    def functions(self) -> list[Any]:
        """The functions of users in motions, constraints, forces and devices."""
        stated: tuple[Any, ...] = (*self.equations, *self.laws)
        found = [part.function for part in stated if part.function is not None]
        motions = [part.motion for part in stated if part.motion is not None]
        found += [term.function for motion in motions for term in motion.terms() if term.function is not None]
        return found + [device.code(device.parameters, device.name) for device in self.devices]

    def speeds(self) -> np.ndarray:
        """A zero vector numbered as v."""
        return np.zeros(self.width + self.coordinates)

    def stated_speeds(self) -> np.ndarray:
        """The velocities that the user stated."""
        v = self.speeds()
        for k, body in enumerate(self.bodies, start=1):
            v[self.width * k : self.width * (k + 1)] = self.space.twist(body)
        for body, first in deformed_bodies(self.contact_coordinates).values():
            first += self.width * (1 + len(self.bodies))
            v[first : first + len(body.deformation_rate)] = body.deformation_rate
        return v

    def guards(self) -> tuple[tuple[Force, Guard], ...]:
        """The gaps that forces guard, each with its force."""
        return tuple((force, guard) for force in self._each_force() for guard in force.guards())

    def corners(self) -> tuple[Corner, ...]:
        """The values of measures at which forces set in."""
        return tuple(corner for force in self._each_force() for corner in force.corners())

    def repetitions(self) -> tuple[Repetition, ...]:
        """The measures over which forces repeat."""
        return tuple(repetition for force in self._each_force() for repetition in force.repetitions())

    def _each_force(self) -> Iterable[Force]:
        return {id(force): force for force in self.forces}.values()  # one may have several laws

    def work(self, active: np.ndarray | None = None) -> Work:
        """Scratch memory for one thread. With the rows that will be `active`, J itself is factorized if it is small."""
        longest = int(np.diff(self.rows.argument_start).max(initial=0))
        parameters = int(np.diff(self.rows.parameter_start).max(initial=0))
        pattern, *parts = self.square(active)
        jac = np.zeros((len(self.measures), self.columns.shape[1]))
        sizes = {
            "markers": self.geometry.body.size,
            "columns": self.space.marker_columns,
            "nz": len(self.measures),
            "ne": self.rows.measure.size,
            "nr": self.row_count,
            "n": self.solver.place.size,
            "values": values_size(self.solver.pattern),
            "lower": self.solver.pattern.Li.size,
            "arguments": longest + parameters,
            "rates": longest,
            "results": longest + 4,
        }
        square = dict(zip(("target", "source", "factor", "entry"), parts, strict=True), square=small_lu(pattern))
        work: Work = allocated(Work, sizes, jac=jac, flat=jac.reshape(-1), unit=self.unit, **square)
        if self.rows.function.size:
            self.rows.call[0] = pointer_to(functions, self.rows, 0.0, np.int64(0), work)
        return work

    def square(self, active: np.ndarray | None) -> tuple[np.ndarray, ...]:
        """The pattern of J of the active rows and its contributions, if it is small and square.

        Those of constant coefficient that are alone in their place come first: they are just written there.
        """
        n, solver = self.coordinates, self.solver
        if active is None or n > MAX_DENSE_SQUARE or int(active.sum()) != n:
            return np.zeros((0, 0)), *(np.zeros(0, np.uint32) for _ in range(2)), np.zeros(0), np.zeros(0, np.uint32)
        place = np.cumsum(active, dtype=np.int64) - 1
        kept = np.flatnonzero(active[solver.row])
        row, column = solver.row[kept], solver.column[kept].astype(int) - self.width
        target = place[row] * n + column
        plain = ~np.isin(row, self.rows.function)
        alone = plain & (np.bincount(target[plain], minlength=n * n)[target] == 1)
        alone &= ~np.isin(target, target[~plain])
        order = np.concatenate([np.flatnonzero(alone), np.flatnonzero(~alone)])
        kept, target, row, column = kept[order], target[order], row[order], column[order]
        pattern = np.zeros(n * n)
        pattern[target] = 1
        pattern[target[: alone.sum()]] = 2  # written, not added to
        factor = self.length / np.sqrt(self.weights[column]) / self.rows.scale[row]
        factor[: alone.sum()] *= self.rows.coefficient[solver.entry[kept[: alone.sum()]]]
        source = solver.measure[kept].astype(np.int64) * self.columns.shape[1] + solver.part[kept]
        entry = solver.entry[kept[alone.sum() :]]
        return pattern.reshape(n, n), target.astype(np.uint32), source.astype(np.uint32), factor, entry

    def jacobian(self, work: Work) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
        """J as evaluated last: rows, columns (coordinates), values, shape."""
        values = work.coefficient[self.solver.entry] * work.jac[self.solver.measure, self.solver.part]
        rows, columns = self.solver.row.astype(int), self.solver.column.astype(int) - self.width
        return rows, columns, values, (self.row_count, self.coordinates)

    def jacobian_matrix(self, work: Work) -> Any:
        """J as evaluated last, as a sparse matrix."""
        from scipy.sparse import csr_array

        rows, columns, values, shape = self.jacobian(work)
        return csr_array((values, (rows, columns)), shape=shape)

    def dense_jacobian(self, work: Work) -> np.ndarray:
        """J as evaluated last, as an array."""
        rows, columns, values, shape = self.jacobian(work)
        found: np.ndarray = np.bincount(rows * shape[1] + columns, values, shape[0] * shape[1]).reshape(shape)
        return found

    def rows_of(self, element: Constraint) -> np.ndarray:
        """The numbers of an element's equations."""
        return np.array([r for r, k in enumerate(self.owner) if self.elements[k] is element], np.uint32)

    @property
    def listed(self) -> tuple[Constraint, ...]:
        """The elements that results show: all but those that are part of bodies."""
        return tuple(element for element in self.elements if element.listed)

    @property
    def own_columns(self) -> np.ndarray:
        """The coordinates, by number, without the rotations of bodies that have no orientation."""
        angular = np.array(self.space.angular)
        kept = [body.has_orientation | ~angular for body in self.bodies]
        return np.flatnonzero(np.concatenate([*kept, np.ones(len(self.contact_coordinates), bool)]))

    @property
    def listed_rows(self) -> np.ndarray:
        """The equations of listed elements, by number."""
        return np.array([r for r, k in enumerate(self.owner.tolist()) if self.elements[k].listed], int)

    @property
    def implied_rows(self) -> int:
        """The number of equations that are part of bodies: so many fewer coordinates have these bodies."""
        return self.row_count - self.listed_rows.size

    def row_name(self, row: int) -> str:
        """How messages call an equation: 'C' (x)."""
        return f"'{self.elements[self.owner[row]].name}' ({self.equations[row].label})"

    def coordinate_name(self, coordinate: int) -> str:
        """How messages call a coordinate: angle of 'crank'."""
        body, place = divmod(coordinate, self.width)
        if body < len(self.bodies):
            return f"{self.space.coordinate_names[place]} of '{self.bodies[body].name}'"
        return self.contact_coordinates[coordinate - self.width * len(self.bodies)].name

    def state_name(self, place: int) -> str:
        """How messages call a state: 'i' of pid 'lift'."""
        owner, name = self.states.owner[place], self.states.name[place]
        if isinstance(owner, Device):
            pairs = zip(self.devices, self.device_owners, strict=True)
            element = next((e for device, e in pairs if device is owner), None)
            title = owner.title if element is None else element.title
        else:
            samplings = zip(self.samplers, self.sampler_owners, strict=True)
            element = next((e for sampler, e in samplings if any(owner is held for held in sampler.held)), None)
            title = "" if element is None else element.title
        return f"'{name}' of {title}" if title else f"'{name}'"

    def failure(self, status: int, time: float, partial: Any = None, work: Work | None = None) -> CardanError:
        """The error behind a status that `evaluate` returned; `work` has the arguments of the function."""
        if status <= -BENT:
            return self._bent_too_far(self.measures[-status - BENT], time, partial)
        if status <= -NO_GAP:
            touch = touches_of(self.measures)[-status - NO_GAP]
            pairs = zip(self.forces, self.laws, strict=True)
            users = dict.fromkeys(f.name for f, law in pairs if any(m.touch is touch for m in law.measures()))
            message = f"at t = {time:.6g} s {touch.lost(self.geometry.touches.scratch.tolist())}"
            return SimulationError(message, time=time, elements=tuple(users), partial=partial)
        if status < 0:
            message = f"at t = {time:.6g} s a cam profile returned no finite point"
            return SimulationError(message, time=time, partial=partial)
        element, equation = self.elements[self.owner[status - 1]], self.equations[status - 1]
        reason, cause = "returned no finite value, or its function raised an exception", None
        if equation.motion is not None:
            try:
                equation.motion(time)
            except CardanError as error:
                reason, cause = f"has no motion there: {error}", error.__cause__
        if equation.function is not None and work is not None:
            given = work.arguments[: equation.function.arguments + len(equation.function.parameters)].tolist()
            reason, cause = f"cannot be evaluated: {equation.function.failure(given)}", equation.function.raised(given)
        return SimulationError(
            f"at t = {time:.6g} s {element.title} {reason}",
            time=time,
            elements=(element.name,),
            partial=partial,
            cause=cause,
        )

    def pose_columns(self, body: Any) -> Any:
        """The columns of q that place a body, its modal coordinates last if it is flexible."""
        stored, k = self.space.stored, self.body_number(body)
        if not body.modal_coordinates:
            return slice(stored * k, stored * (k + 1))
        first = deformed_bodies(self.contact_coordinates)[id(body)][1] + stored * (1 + len(self.bodies))
        return np.concatenate([stored * k + np.arange(stored), first + np.arange(len(body.modal_coordinates))])

    def _bent_too_far(self, measure: Measure, time: float, partial: Any) -> CardanError:
        """The error for a beam, or another user of a helix, whose ends are rotated too far relative to each other."""
        pairs = zip(self.forces, self.laws, strict=True)
        users: list[Any] = [force for force, law in pairs if measure in law.measures()]
        rows = zip(self.owner.tolist(), self.equations, strict=True)
        users += [self.elements[k] for k, equation in rows if measure in (m for _, m in equation.terms)]
        limit, who = math.degrees(LARGEST_BEND), users[0].title if users else str(measure)
        message = (
            f"at t = {time:.6g} s the axes of {who} turn by more than {limit:.0f} deg from end a to end b, farther "
            "than one element can bend or twist: use more and shorter elements; if it is not bent so far, correct "
            "the orientation of its ends"
        )
        return SimulationError(message, time=time, elements=tuple(e.name for e in users[:1]), partial=partial)

    def body_number(self, body: Any) -> int:
        if id(body) not in self.number:
            raise ModelError(f"body '{body.name}' is not part of model '{self.model.name}'")
        return self.number[id(body)]
