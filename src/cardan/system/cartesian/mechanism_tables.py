"""The tables of a mechanism in Cartesian coordinates, on which the kernels of `motion` work.

    y = [ q | v | w | c ]      positions, speeds, the work done by nonconservative forces, states of devices

Where a body has no mass, or no inertia about some axis, the mass matrix is singular, although the motion may be
determined by joints. A small mass is then added in the factorization alone, and removed again by refining the solution:
see `cardan.system.cartesian.softness`.

The tables of a partition into independent and dependent coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.device import Device
from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.model.force import Law
from cardan.model.space import mass_blocks
from cardan.numerics.compiled.block import allocated, block, zeros
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.ldlt import values_size
from cardan.numerics.linalg.rank import SQUARE
from cardan.system.balance import column_scale
from cardan.system.cartesian.masses import mass_table
from cardan.system.cartesian.softness import mass_matrices, softness
from cardan.system.forces import force_table
from cardan.system.parallel import Parallel
from cardan.system.system import System

STEPS_PAST_SINGULAR = 8  # steps begun after which a singular position lies behind, or stays
NEGLIGIBLE_ENERGY = 1e-6  # of an energy that is usual for a mechanism of this size and mass
NEGLIGIBLE_GAP = 1e-9  # of a length or rad: a measure so near the end of a stop is at the end


class WorkCounters(Record):
    """Work done by a mechanism, and what it does without."""

    evaluations: int
    factorizations: int
    corrections: int  # of Newton's method
    dropped_rows: int  # at present
    steps_since_drop: int  # steps begun since a row was dropped while contacts press


class Failure(Record):
    """The last failure: its status, and the law or row that caused it, counted from 1."""

    status: int
    law: int
    row: int


class MechanismSettings(Record):
    """Tolerances and options of a mechanism."""

    closure: float  # how exactly joints close after a step
    atol: float  # of positions, relative to the length of the model
    rtol: float  # of speeds
    alpha: float  # of Baumgarte's method
    beta: float
    refinements: float  # of a solution
    acceleration_refinements: float
    project_stages: float  # whether stages project their speeds
    rank_tolerance: float  # squared; 0: the rank is not decided
    needs_rates: float  # whether anything reads the rates of measures
    least_energy: float  # energies below it do not count
    one_correction: float  # a violation that a single correction removes for good: no further check is needed


class MechanismTables(NamedTuple):
    """All that is needed to compute accelerations, and where they are computed."""

    geometry: Any
    rows: Any
    solver: Any
    work: Any
    forces: Any
    events: Any  # laws whose strengths are the values of events
    matter: np.ndarray  # as the space states it, ground without mass
    gravity: np.ndarray
    weights: np.ndarray  # float64[nc]: the metric W
    column_scale: np.ndarray  # float64[nv]: what one unit of a coordinate counts as where ranks are decided,
    rank_weights: np.ndarray  # float64[nc]: and the metric that belongs to it
    size: np.ndarray  # float64[nv]: what one unit of a coordinate counts as, relative to the model's length
    scale: np.ndarray  # float64[states]: the size of a state that counts as one
    mass: np.ndarray  # float64[bodies, entries]: the mass matrix, block by block,
    flat: np.ndarray  # and the same as one row of numbers
    soft: np.ndarray  # float64[nc]: what is added to its diagonal in the factorization
    engaged: np.ndarray  # uint8[nr]: rows of joints that are not released
    reserve: np.ndarray  # uint8[nr]: rows of contacts and of friction, which are in force at times
    testable: np.ndarray  # uint8[n]: unknowns, in the order of elimination, that may turn out dependent
    winding: np.ndarray  # uint32: measures whose turns are remembered
    turns: np.ndarray  # float64: their values at the last evaluation
    guarded: np.ndarray  # uint32: gaps that no step may jump over,
    depth: np.ndarray  # float64: and by how much one may become negative in a step
    corners: Any  # where the forces of stops set in
    reference: np.ndarray  # the turns of angles, as of the last step accepted
    place: np.ndarray  # float64[nq]: positions with their numbers normalized
    spare: np.ndarray  # float64[ny]: y' where it is not wanted
    counters: Any
    failure: Any
    settings: Any
    partition: Any  # into independent and dependent coordinates
    active: np.ndarray = zeros("nr", dtype=np.uint8, value=1.0)  # rows in force
    dropped: np.ndarray = zeros("n", dtype=np.uint8)
    rank_values: np.ndarray = zeros("values")  # the matrix and the factors by which the rank is decided
    rank_lower: np.ndarray = zeros("lower")
    rank_pivots: np.ndarray = zeros("n")
    limit: np.ndarray = zeros(1, value=np.inf)  # the longest step that no turn and no contact forbids
    deepest: np.ndarray = zeros("guards")  # how far each has become negative so far
    force: np.ndarray = zeros("nv")
    strength: np.ndarray = zeros("laws")
    happening: np.ndarray = zeros("events")
    multipliers: np.ndarray = zeros("nr")
    known: np.ndarray = zeros("nr")  # multipliers as they were
    right: np.ndarray = zeros("nr")
    step: np.ndarray = zeros("nv")
    other: np.ndarray = zeros("nv")
    b: np.ndarray = zeros("n")  # right-hand side,
    residual: np.ndarray = zeros("n")  # and what is left of it, in the order of elimination
    latest: np.ndarray = zeros(2, "n")  # accelerations and multipliers found last and before, in that order,
    when: np.ndarray = zeros(2, value=-np.inf)  # and these times


class Corners(NamedTuple):
    """Gaps at + sum_i factor_i z_i that a force sets in at: no step passes their zeros."""

    at: np.ndarray
    close: np.ndarray  # gaps below it count as zero
    start: np.ndarray  # uint32: the first term of each,
    measure: np.ndarray  # uint32: and its terms
    factor: np.ndarray


def mechanism_tables(
    system: System, events: Sequence[Law] = (), *, partitioned: bool = False, scale: np.ndarray | None = None
) -> Any:
    """The block of a system that was compiled with its forces; `partitioned` if an integrator asks for it.

    `scale` are the factors of columns by which ranks are decided, if they are known.
    """
    scale = column_scale(system) if scale is None else scale
    forces = force_table(system, None, moving_devices(system))
    guards = [guard for _, guard in system.guards()]
    nv, nr, n = system.speeds().size, system.row_count, system.solver.place.size
    matter = system.matter()
    mass = mass_table(system)
    mass_blocks(system.geometry, matter, system.start, mass)
    soft, refine = softness(system, mass_matrices(system, mass))
    testable = _testable(system)
    size = _sizes(system)
    return allocated(
        MechanismTables,
        {
            "nr": nr,
            "n": n,
            "values": values_size(system.solver.pattern),
            "lower": system.solver.pattern.Li.size,
            "guards": len(guards),
            "nv": nv,
            "laws": len(system.laws),
            "events": len(events),
        },
        geometry=system.geometry,
        rows=system.rows,
        solver=system.solver,
        work=system.work(),
        forces=forces,
        events=force_table(system, events, (), forces.circuit.states, forces.circuit.multipliers),
        matter=matter,
        gravity=np.array(system.model.gravity, float),
        weights=system.weights,
        column_scale=np.concatenate([np.zeros(system.width), scale]),
        rank_weights=1.0 / scale**2,
        size=size,
        scale=system.states.scale,
        mass=mass,
        flat=mass.reshape(-1),
        soft=soft,
        engaged=np.array([r not in system.misfits for r in range(nr)], np.uint8),
        reserve=np.array([system.elements[k].switched for k in system.owner], np.uint8),
        testable=testable,
        winding=system.winding,
        turns=system.reference[system.winding],
        guarded=np.array([system.measures.index(guard.gap) for guard in guards], np.uint32),
        depth=np.array([min(guard.depth, system.length) for guard in guards], float),
        corners=_corners(system),
        reference=system.reference.copy(),
        place=system.start.copy(),
        spare=np.zeros(system.start.size + nv + len(system.laws) + 2 + system.states.start.size),
        counters=WorkCounters(steps_since_drop=STEPS_PAST_SINGULAR),
        failure=Failure(),
        settings=MechanismSettings(
            refinements=refine,
            # Near singular configurations factors lose digits; a refinement restores them in mechanisms with loops.
            acceleration_refinements=max(refine, int(testable.any())),
            rank_tolerance=SQUARE,
            needs_rates=bool(system.laws or guards or system.rows.velocity.any() or not _only_hinges(system)),
            least_energy=least_energy(system),
        ),
        partition=partition(system, size, partitioned),
    )


def _sizes(system: System) -> np.ndarray:
    """What one unit of each coordinate counts as, relative to the model's length."""
    size = system.speeds()
    size[system.width :] = np.sqrt(system.weights) / system.length
    for k, coordinate in enumerate(system.contact_coordinates, system.width * (1 + len(system.bodies))):
        if isinstance(coordinate, ModalCoordinate):
            size[k] = coordinate.reach / system.length
    return size


def least_energy(system: System) -> float:
    """An energy below which none counts: a small part of what is usual for a mechanism of this size and mass."""
    matter = system.matter()
    pace = system.length + float(np.linalg.norm(system.model.gravity))  # m/s2: once around in a second, or gravity
    return NEGLIGIBLE_ENERGY * (float(matter[1:, 0].sum()) or 1.0) * system.length * pace


def moving_devices(system: System) -> list[Device]:
    """Devices that the motion depends on: not those that events alone look at."""
    pairs = zip(system.devices, system.device_owners, strict=True)
    return [device for device, owner in pairs if owner is not None or device.states]


def _only_hinges(system: System) -> bool:
    """Whether all angles whose turns are remembered are those of hinges: spins of bodies say how fast they turn."""
    hinges = Parallel(system.space, system.elements).angles
    return all(system.measures[k] in hinges for k in system.winding)


def _testable(system: System) -> np.ndarray:
    """Rows that close loops; those of the tree are independent in every position."""
    _, blocks, tree = system.structure
    found = np.zeros(system.solver.place.size, np.uint8)
    for (rows, _), unit in zip(blocks, tree, strict=True):
        if unit < 0:
            found[system.solver.place[system.coordinates + np.array(rows, int)]] = 1
    return found


def _corners(system: System) -> Any:
    """Where the forces of stops set in."""
    corners = system.corners()
    terms = [corner.measure.parts() for corner in corners]
    scales = [1.0 if corner.measure.unit == "rad" else system.length for corner in corners]
    return block(
        Corners(
            at=np.array([corner.side * corner.at for corner in corners], float),
            close=NEGLIGIBLE_GAP * np.array(scales, float),
            start=np.cumsum([0, *map(len, terms)]).astype(np.uint32),
            measure=np.array([system.measures.index(m) for parts in terms for _, m in parts], np.uint32),
            factor=np.array(
                [-corner.side * c for corner, parts in zip(corners, terms, strict=True) for c, _ in parts], float
            ),
        )
    )


# When dependent coordinates are corrected before y' is evaluated: never, always, or where constraints are violated.
NEVER, ALWAYS, IF_VIOLATED = range(3)
MAX_FULL_MATRIX = 50_000_000  # numbers of the full matrix in which pivots are chosen: 400 MB


class PartitionControl(Record):
    """When the factors of a partition are valid, and the options of the hybrid method."""

    factor_time: float
    slow: float  # whether Newton's method converged slowly
    position_tolerance: float  # violations that the hybrid method accepts,
    velocity_tolerance: float
    alpha: float  # and reduces as Baumgarte's method does
    beta: float
    correction: int  # NEVER, ALWAYS or IF_VIOLATED


class Partition(NamedTuple):
    """Which coordinates are independent, and what corrects the others."""

    held: np.ndarray  # uint8[nc]: independent coordinates
    diagonal: np.ndarray  # float64[nc]: the metric in which these are heavy
    control: Any
    first: np.ndarray  # int64[nq]: for each number of a position, the first of the speeds that move it,
    last: np.ndarray  # int64[nq]: and the one behind the last
    unit: np.ndarray  # float64[nq]: what one unit of it counts as, relative to the model's length
    matrix: np.ndarray  # float64[nr, nc]: where pivots are chosen
    lines: np.ndarray  # int64[nr]
    columns: np.ndarray  # int64[nc]
    values: np.ndarray  # matrix and factors of the corrections
    lower: np.ndarray
    pivots: np.ndarray


def partition(system: System, size: np.ndarray, wanted: bool) -> Partition:
    """The tables of a system; those that take much memory are empty unless they are wanted."""
    nr, nc, n = system.row_count, system.coordinates, system.solver.place.size
    if wanted and nr * nc > MAX_FULL_MATRIX:
        raise ModelError(
            f"model '{system.model.name}' is too large for methods 'partition' and 'hybrid', which choose independent "
            f"coordinates in a full matrix of {nr} rows and {nc} columns; use method 'auto'"
        )
    first, last = _moved_by(system)
    turned = 2.0 if system.space.stored > system.width else 1.0  # Euler parameters are half as large as an angle
    unit = size[first] * np.where(last - first > 1, turned, 1.0)
    pattern = system.solver.pattern
    sizes = (values_size(pattern), pattern.Li.size, n) if wanted else (0, 0, 0)
    return Partition(
        held=np.zeros(nc, np.uint8),
        diagonal=np.array(system.weights, float),
        control=PartitionControl(factor_time=np.nan),
        first=first,
        last=last,
        unit=unit,
        matrix=np.zeros((nr, nc) if wanted else (0, 0)),
        lines=np.zeros(nr, np.int64),
        columns=np.zeros(nc, np.int64),
        values=np.zeros(sizes[0]),
        lower=np.zeros(sizes[1]),
        pivots=np.zeros(sizes[2]),
    )


def _moved_by(system: System) -> tuple[np.ndarray, np.ndarray]:
    """The range of speeds that move each number of a position: its own, or all that turn the body."""
    space, bodies = system.space, 1 + len(system.bodies)
    straight = space.dimensions
    first, last = [], []
    for body in range(bodies):
        base = space.width * body
        for k in range(space.stored):
            first.append(base + min(k, straight))
            last.append(base + (k + 1 if k < straight else space.width))
    own = space.width * bodies + np.arange(len(system.contact_coordinates))
    return np.concatenate([first, own]).astype(np.int64), np.concatenate([last, own + 1]).astype(np.int64)
