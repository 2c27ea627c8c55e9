"""The tables of one stepper: where its inputs are written, how its outputs are read, and its integrator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.advance import LARGEST
from cardan.analysis.forward.state import Run
from cardan.analysis.stepping.inputs import Entry, Input, driver_places
from cardan.analysis.stepping.kernels import Control, Entries, Station, tree_bodies
from cardan.analysis.stepping.outputs import StepOutput, hint_of, parts_in
from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.indirect import pointer_to
from cardan.results.columns import Columns
from cardan.results.compiled_reading import reading


class OutputPlan:
    """Which outputs machine code reads, and which Python."""

    def __init__(self, run: Run, outputs: Sequence[StepOutput], columns: Columns) -> None:
        self.forces: list[tuple[int, int]] = []
        parts = [parts_in(run, one, columns, self.forces) for one in outputs]
        self.compiled = [k for k, part in enumerate(parts) if part is not None]
        self.interpreted = [k for k, part in enumerate(parts) if part is None]
        self.tables = reading(run.system, [part for part in parts if part is not None], 1, lambda m: hint_of(run, m))


def station_of(
    run: Run,
    inputs: Sequence[Input],
    values: np.ndarray,
    applied: np.ndarray,
    entries: Sequence[Sequence[Entry]],
    plan: OutputPlan,
) -> Any:
    """The block of a stepper that stands where its run stands; inputs and outputs have the order of the user."""
    system, machine, circuit = run.system, run.machine, run.machine.forces.circuit
    flat = [(k, *entry) for k, found in enumerate(entries) for entry in found]
    drivers = driver_places(inputs, system, machine.rows)
    joint = run.mechanism is not run.machine
    q, v, a = np.zeros((1, system.start.size)), np.zeros((1, system.speeds().size)), np.zeros((1, system.speeds().size))
    bodies = pointer_to(tree_bodies, run.mechanism, run.record.y, run.record.a, q, v, a) if joint else 0
    control = Control(most=LARGEST, needs_forces=bool(plan.forces), bodies=bodies)
    station = Station(
        mechanism=run.operations,
        method=run.integrator,
        stepper=run.stepper,
        record=run.record,
        tree=opaque(run.mechanism),
        control=control,
        inputs=values,
        applied=applied.copy(),
        entries=Entries(
            input=np.array([line[0] for line in flat], np.uint32),
            table=np.array([line[1] for line in flat], np.uint32),
            place=np.array([line[2] for line in flat], np.uint32),
            base=np.array([line[3] for line in flat], float),
            slope=np.array([line[4] for line in flat], float),
        ),
        driver_input=np.array([line[0] for line in drivers], np.uint32),
        driver_order=np.array([line[1] for line in drivers], np.uint32),
        driver_place=np.array([line[2] for line in drivers], np.uint32),
        force_motions=machine.forces.motions.parameters,
        force_linear=machine.forces.linear.reshape(-1),
        signal_motions=circuit.motions.parameters,
        signal_parameters=circuit.parameter,
        matter=machine.matter.reshape(-1),
        gravity=machine.gravity,
        states=run.stepper.y,
        driver_motions=machine.rows.motions.parameters,
        reading=block(plan.tables),
        force=np.array(plan.forces, np.uint32).reshape(-1, 2),
        strength=machine.strength,
        signals=circuit.signals,
        multipliers=machine.multipliers,
        q=q,
        v=v,
        a=a,
        forces=np.zeros((1, len(plan.forces))),
        outputs=np.zeros((1, len(plan.compiled))),
    )
    return block(station)
