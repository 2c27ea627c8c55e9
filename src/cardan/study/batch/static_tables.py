"""The tables and memory with which a thread finds equilibria: see `static_search`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import bodies_of, vectors
from cardan.analysis.equilibria.imbalance import Sizes, StaticPlace, static_tables
from cardan.analysis.equilibria.potential import NODES, WEIGHTS, Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.numerics.compiled.block import allocated, block, replaced, zeros
from cardan.numerics.compiled.record import Record
from cardan.results.compiled_reading import Reading, with_geometry
from cardan.study.batch.tables import gathered, views
from cardan.system.cartesian.numbers import with_storage
from cardan.system.forces import force_table
from cardan.system.system import System


class StaticPlan(Record):
    """Numbers of the analysis."""

    time: float
    closed: float  # how exactly the start closes
    tolerance: float  # of balance
    searches: int  # 0: the stated position must be an equilibrium


class Trust(Record):
    """How far the quadratic model of the energy holds."""

    radius: float  # largest step
    shift: float  # of the stiffness
    usual: float  # size of forces
    error: float  # of joints
    rank: int  # of J


class StaticModel(NamedTuple):
    """The energy near a position as a quadratic function, and the basis of free motions."""

    H: np.ndarray = zeros("n", "n")
    Q: np.ndarray = zeros("n", "n")
    R: np.ndarray = zeros("n", "m")
    lengths: np.ndarray = zeros("m")
    order: np.ndarray = zeros("m", dtype=np.int64)
    product: np.ndarray = zeros("n", "n")
    S: np.ndarray = zeros("free", "free")  # Q2^T H Q2
    T: np.ndarray = zeros("free", "free")  # memory,
    L: np.ndarray = zeros("free", "free")  # and for factors
    first: np.ndarray = zeros("n")  # the least step that closes the rows
    y: np.ndarray = zeros("m")
    w: np.ndarray = zeros("free")
    step: np.ndarray = zeros("n")
    more: np.ndarray = zeros("n")
    correction: np.ndarray = zeros("n")


class Energy(NamedTuple):
    """The potential energy: springs along laws, weights along coordinates of mass centers, and functions by
    quadrature."""

    law: np.ndarray  # [laws, 3]: stiffness, rest, and constant force
    turned: np.ndarray  # int64[laws, 1]: measure below that is the angle of a torque, or -1
    curved: np.ndarray  # uint8[laws]: whether a force depends on its measure otherwise
    body: np.ndarray  # int64[measures, 2]: body and axis of a weight along a measure below; -1: none
    geometry: Any  # of these measures
    frames: np.ndarray
    z: np.ndarray
    jac: np.ndarray
    reference: np.ndarray
    nodes: np.ndarray  # of quadrature between 0 and 1,
    weights: np.ndarray  # and their weights


class StaticWorkspace(NamedTuple):
    """All tables and memory of one thread; numbers that parameters change stand in `flat`."""

    flat: np.ndarray
    place: np.ndarray  # uint32: where the numbers of a sample go in `flat`
    plan: Any
    soft: Any  # `Bodies` with the rows that the first position must close,
    bodies: Any  # and with all rows
    statics: Any  # `StaticTables`
    floating: np.ndarray  # uint32: rows whose offset is what the first position gives
    start: np.ndarray
    turns: np.ndarray
    unit: np.ndarray
    angular: np.ndarray  # float64: 1 for angles
    columns: np.ndarray
    zero: np.ndarray  # one for each row
    step: np.ndarray  # numbered as v
    moves: np.ndarray  # [groups, speeds]: 1 for coordinates that differences move together
    steps: np.ndarray
    found: np.ndarray
    entry: np.ndarray  # int64[entries, 3]: row and column of H, and group
    here: Any
    there: Any
    model: Any
    energy: Any
    drift: np.ndarray
    trust: Any
    times: np.ndarray
    q: np.ndarray  # [1, ..]: what outputs read
    v: np.ndarray
    record_turns: np.ndarray
    loads: np.ndarray
    reading: Any


class PotentialTables(NamedTuple):
    """What the potential energy reads besides the measures of a model; without laws if no energy is needed."""

    geometry: Any
    law: np.ndarray  # float64[laws, 3]: stiffness, rest, constant force
    turned: np.ndarray
    curved: np.ndarray
    body: np.ndarray
    width: int  # columns of jac


def potential_tables(potential: Potential | None, statics: Statics) -> PotentialTables:
    """The tables of a potential energy."""
    system = statics.system
    if potential is None:
        base = system.width * (1 + len(system.bodies))
        geometry = system.space.geometry(system.number, (), system.contact_coordinates, base)
        count = len(system.laws)
        none = np.full((count, 1), -1), np.zeros(count, np.uint8), np.zeros((0, 2), np.int64)
        return PotentialTables(geometry, np.zeros((count, 3)), *none, system.space.row_length(()))
    law = np.column_stack([potential.stiffness, potential.free, potential.constant]).reshape(-1, 3)
    curved = [
        w.curve is not None or w.function is not None or (w.signal is not None and w.at_rest) for w in system.laws
    ]
    return PotentialTables(
        potential.geometry,
        law.astype(float),
        np.array(potential.turned, np.int64).reshape(-1, 1),
        np.array(curved, np.uint8),
        np.array(potential.weighed, np.int64).reshape(-1, 2),
        potential.jac.shape[1],
    )


def static_workspace(design: Any, varied: np.ndarray, plan: StaticPlan, rank: int, tables: Reading) -> Any:
    """Tables and memory for one thread; `design` is that of the first sample."""
    system, energy_tables, arrays = design.system, design.energy_tables, design.arrays()
    flat = gathered(arrays)
    storage = views(flat, arrays)
    geometry, rows = with_storage(system.geometry, storage), with_storage(system.rows, storage)
    weights, start, turns = (next(storage) for _ in range(3))
    read = with_storage(design.geometry, storage)
    unit, size = next(storage), next(storage)
    forces, matter, gravity = with_storage(design.loads.forces, storage), next(storage), next(storage)
    energy = _energy(system, energy_tables, with_storage(energy_tables.geometry, storage), next(storage))
    time = float(plan.time)
    statics, n, m, laws = Statics(system, time), system.coordinates, system.row_count, len(system.laws)
    housed = replace(system, geometry=geometry, rows=rows, weights=weights, start=start)
    work, scratch = replaced(housed.work(), unit=unit), replaced(vectors(system), size=size)
    given = {"winding": system.winding, "work": work, "vectors": scratch}
    loops = static_tables(housed, (forces, force_table(system, (), ())), (laws, 0), matter, work)
    return block(
        StaticWorkspace(
            flat=flat,
            place=varied.astype(np.uint32),
            plan=plan,
            soft=bodies_of(housed, (~system.floating).astype(np.uint8), **given),
            bodies=bodies_of(housed, np.ones(m, np.uint8), **given),
            statics=replaced(loops, gravity=gravity),
            floating=np.flatnonzero(system.floating).astype(np.uint32),
            start=start,
            turns=turns,
            unit=unit,
            angular=statics.angular.astype(float),
            columns=system.columns.astype(np.uint32),
            zero=np.zeros(m),
            step=system.speeds(),
            moves=(statics.steps != 0.0).astype(float),
            steps=np.zeros_like(statics.steps),
            found=np.zeros_like(statics.steps),
            entry=np.column_stack(statics.pattern).astype(np.int64),
            here=_place(system, energy_tables, laws),
            there=_place(system, energy_tables, laws),
            model=allocated(StaticModel, {"n": n, "m": m, "free": n - rank}),
            energy=energy,
            drift=np.zeros(n),
            trust=Trust(radius=0.25, rank=rank),
            times=np.array([time]),
            q=system.start[None].copy(),
            v=system.speeds()[None],
            record_turns=np.zeros((1, system.winding.size)),
            loads=np.zeros((1, laws + m)),
            reading=with_geometry(tables, read),
        )
    )


def _energy(system: System, energy_tables: PotentialTables, geometry: Any, law: np.ndarray) -> Any:
    count = energy_tables.body.shape[0]
    return block(
        Energy(
            law=law,
            turned=energy_tables.turned,
            curved=energy_tables.curved,
            body=energy_tables.body,
            geometry=geometry,
            frames=np.zeros((geometry.body.size, system.space.marker_columns)),
            z=np.zeros((count, 3)),
            jac=np.zeros((count, energy_tables.width)),
            reference=np.full(count, np.nan),
            nodes=0.5 * (1.0 + NODES),
            weights=0.5 * WEIGHTS,
        )
    )


def _place(system: System, energy_tables: PotentialTables, laws: int) -> Any:
    n, m = system.coordinates, system.row_count
    return allocated(
        StaticPlace,
        {
            "measures": len(system.measures),
            "m": m,
            "n": n,
            "laws": laws,
            "energies": laws + energy_tables.body.shape[0],
        },
        q=system.start.copy(),
        reference=system.reference.copy(),
        sizes=Sizes(),
    )
