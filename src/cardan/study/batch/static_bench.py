"""The memory of one thread that finds equilibria, and the tables of the potential energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import vectors
from cardan.analysis.equilibria.imbalance import Scratch
from cardan.analysis.equilibria.potential import NODES, WEIGHTS, Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.numerics.compiled.block import block
from cardan.results.compiled_reading import Reading, with_geometry
from cardan.study.batch.linear_samples import LinearBench
from cardan.study.batch.loads import load_tables
from cardan.study.batch.static_tables import Energy, StaticBench, StaticModel, StaticPlace
from cardan.system.cartesian.masses import mass_table
from cardan.system.cartesian.numbers import rehoused
from cardan.system.forces import force_table
from cardan.system.system import System


class Beside(NamedTuple):
    """What the potential energy reads beside the measures of a model; without laws if no energy is needed."""

    geometry: Any
    law: np.ndarray  # float64[laws, 3]: stiffness, rest, constant force
    turned: np.ndarray
    curved: np.ndarray
    body: np.ndarray
    width: int  # columns of jac


def beside_of(potential: Potential | None, statics: Statics) -> Beside:
    """The tables of a potential energy."""
    system = statics.system
    if potential is None:
        base = system.width * (1 + len(system.bodies))
        geometry = system.space.geometry(system.number, (), system.contact_coordinates, base)
        count = len(system.laws)
        none = np.full((count, 1), -1), np.zeros(count, np.uint8), np.zeros((0, 2), np.int64)
        return Beside(geometry, np.zeros((count, 3)), *none, system.space.row_length(()))
    law = np.column_stack([potential.stiffness, potential.free, potential.constant]).reshape(-1, 3)
    curved = [
        w.curve is not None or w.function is not None or (w.signal is not None and w.at_rest) for w in system.laws
    ]
    return Beside(
        potential.geometry,
        law.astype(float),
        np.array(potential.turned, np.int64).reshape(-1, 1),
        np.array(curved, np.uint8),
        np.array(potential.weighed, np.int64).reshape(-1, 2),
        potential.jac.shape[1],
    )


def static_bench(design: Any, varied: np.ndarray, plan: np.ndarray, rank: int, tables: Reading) -> Any:
    """Tables and memory for one thread; `design` is that of the first sample."""
    system, beside = design.system, design.beside
    arrays = design.arrays()
    flat = np.concatenate([array.ravel() for array in arrays])
    house = _views(flat, arrays)
    geometry, rows = rehoused(system.geometry, house), rehoused(system.rows, house)
    weights, start, turns = (next(house) for _ in range(3))
    read = rehoused(design.geometry, house)
    unit, size = next(house), next(house)
    loads = load_tables(system)
    forces, matter, gravity = rehoused(loads.forces, house), next(house), next(house)
    energy = _energy(system, beside, rehoused(beside.geometry, house), next(house))
    statics, n, m = Statics(system, float(plan[0])), system.coordinates, system.row_count
    laws = len(system.laws)
    housed = replace(system, geometry=geometry, rows=rows, weights=weights, start=start)
    work, scratch = housed.work(), vectors(system)
    out, weight, push, rest, step = (system.speeds() for _ in range(5))
    bench = StaticBench(
        flat=flat,
        place=varied.astype(np.uint32),
        plan=plan,
        geometry=geometry,
        rows=rows,
        solver=system.solver,
        weights=weights,
        closing=(~system.floating).astype(np.uint8),
        active=np.ones(m, np.uint8),
        floating=np.flatnonzero(system.floating).astype(np.uint32),
        start=start,
        turns=turns,
        winding=system.winding,
        unit=unit,
        angular=statics.angular.astype(float),
        columns=system.columns.astype(np.uint32),
        forces=forces,
        none=force_table(system, (), ()),
        matter=matter,
        gravity=gravity,
        factors=np.ones(2),
        work=block(getattr(work, "tables", work)._replace(unit=unit)),
        vectors=block(getattr(scratch, "tables", scratch)._replace(size=size)),
        scratch=block(Scratch(out, weight, push, rest, step, system.start.copy(), np.zeros(laws), np.zeros(0))),
        step=system.speeds(),
        moves=(statics.steps != 0.0).astype(float),
        steps=np.zeros_like(statics.steps),
        found=np.zeros_like(statics.steps),
        entry=np.column_stack(statics.pattern).astype(np.int64),
        here=_place(system, beside, laws),
        there=_place(system, beside, laws),
        model=_model(n, m, n - rank),
        energy=energy,
        drift=np.zeros(n),
        trust=np.array([0.25, 0.0, 0.0, 0.0, float(rank)]),
        times=plan[:1].copy(),
        q=system.start[None].copy(),
        v=system.speeds()[None],
        record_turns=np.zeros((1, system.winding.size)),
        loads=np.zeros((1, laws + m)),
        reading=with_geometry(tables, read),
    )
    return block(bench)


def linear_bench(system: System, bench: Any) -> Any:
    """The same with memory for linearizations."""
    n, free = system.coordinates, bench.model.S.shape[0]
    M_r, K_r, C_r = (np.zeros((free, free)) for _ in range(3))
    K, C = (np.zeros((n, n)) for _ in range(2))
    mass = mass_table(system)
    return block(LinearBench(bench, mass, K, C, np.zeros(n), M_r, K_r, C_r, np.zeros(free)))


def _energy(system: System, beside: Beside, geometry: Any, law: np.ndarray) -> Any:
    count = beside.body.shape[0]
    return block(
        Energy(
            law=law,
            turned=beside.turned,
            curved=beside.curved,
            body=beside.body,
            geometry=geometry,
            frames=np.zeros((geometry.body.size, system.space.marker_columns)),
            z=np.zeros((count, 3)),
            jac=np.zeros((count, beside.width)),
            reference=np.full(count, np.nan),
            nodes=0.5 * (1.0 + NODES),
            weights=0.5 * WEIGHTS,
        )
    )


def _place(system: System, beside: Beside, laws: int) -> Any:
    n, m = system.coordinates, system.row_count
    return block(
        StaticPlace(
            q=system.start.copy(),
            reference=system.reference.copy(),
            z=np.zeros(len(system.measures)),
            phi=np.zeros(m),
            J=np.zeros((m, n)),
            force=np.zeros(n),
            multipliers=np.zeros(m),
            residual=np.zeros(n),
            strengths=np.zeros(laws),
            energies=np.zeros(laws + beside.body.shape[0]),
            numbers=np.zeros(3),
        )
    )


def _model(n: int, m: int, free: int) -> Any:
    square, reduced = (np.zeros((n, n)) for _ in range(3)), (np.zeros((free, free)) for _ in range(3))
    H, Q, product = square
    S, T, L = reduced
    first, step, more, correction = (np.zeros(n) for _ in range(4))
    return block(
        StaticModel(
            H=H,
            Q=Q,
            R=np.zeros((n, m)),
            lengths=np.zeros(m),
            order=np.zeros(m, np.int64),
            product=product,
            S=S,
            T=T,
            L=L,
            first=first,
            y=np.zeros(m),
            w=np.zeros(free),
            step=step,
            more=more,
            correction=correction,
            zero=np.zeros(m),
        )
    )


def _views(flat: np.ndarray, like: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Parts of one flat array in the shapes of others."""
    place = 0
    for array in like:
        yield flat[place : place + array.size].reshape(array.shape)
        place += array.size
