"""The hand of a page: tables for dragging, on those of an analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED, assembled
from cardan.analysis.assembly.closing import vectors
from cardan.elements.constraints.driver import Driver
from cardan.numerics.compiled.block import block
from cardan.results.trajectory import Trajectory
from cardan.solving.hand_kernels import Hand, HandControl
from cardan.system.compile import compile
from cardan.system.system import System


class HandTables:
    """A mechanism that can be dragged, and nothing else: where an analysis cannot be repeated in a page."""

    def __init__(self, run: Trajectory) -> None:
        first = run.at(float(run.times[0]))
        self.system = system = compile(run.model, time=first.time, start=first.as_start(run.model))
        q, reference = assembled(system, first.time)
        tables = system.geometry, system.rows, system.solver, system.weights, system.work(), vectors(system)
        self.hand: Any = hand_of(system, tables, q, reference, first.time)


STEPS = 12  # of dragging, at most, before the page draws again


def hand_of(system: System, tables: tuple[Any, ...], start: np.ndarray, turns: np.ndarray, time: float) -> Any:
    """The block of a hand; `tables` are geometry, rows, solver, weights, work and vectors that it shares."""
    geometry, rows, solver, weights, work, vectors = tables
    active = (~system.on_velocities).astype(np.uint8)
    for element in system.elements:
        if isinstance(element, Driver):
            active[system.rows_of(element)] = 0
    axes, speeds, unknowns = system.space.dimensions, system.speeds().size, solver.place.size
    control = HandControl(
        body=1, steps=STEPS, time=time, closed=CLOSED, length=system.length, stored=system.space.stored
    )
    return block(
        Hand(
            control=control,
            point=np.zeros(axes),
            target=np.zeros(axes),
            q=start.copy(),
            reference=turns.copy(),
            geometry=geometry,
            rows=rows,
            solver=solver,
            weights=weights,
            active=active,
            winding=system.winding,
            work=work,
            vectors=vectors,
            metric=weights.copy(),
            step=np.zeros(speeds),
            trial=start.copy(),
            best=start.copy(),
            turns=turns.copy(),
            best_turns=turns.copy(),
            P=np.zeros((axes, system.width)),
            along=np.zeros((axes, unknowns)),
            small=np.zeros((axes, axes)),
            small_right=np.zeros(axes),
            pivot=np.zeros(axes, np.int64),
        )
    )
