"""Derivatives of a stepper: the exact linear equations about its present state, with its inputs and outputs.

x' = A x + B u,    y = C x + D u           a directional derivative of the outputs is D du
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cardan.analysis.forward.state import Run, snapshot
from cardan.analysis.linear.linearize import linear_equations
from cardan.analysis.linear.point import point_at
from cardan.analysis.linear.ports import ACCELERATION, DRIVER, LAW, READ, STRENGTH, VALUE, Port, port_of_law, watched
from cardan.analysis.stepping.inputs import Input, adapted, driver_places
from cardan.analysis.stepping.outputs import StepOutput
from cardan.analysis.unsupported import reject_impacts
from cardan.elements.control.signals import rate, reaction
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model.measure import Readable
from cardan.results.columns import Columns
from cardan.results.linear.linearization import Linearization
from cardan.system.system import System

NUMBERS_OF_CUBIC = 11  # numbers of a driver's cubic, its factor and header included


def linearized(
    run: Run, inputs: Sequence[Input], values: np.ndarray, outputs: Sequence[StepOutput], columns: Columns
) -> Linearization:
    """The linear equations about the present state, while the model has the values of its parameters."""
    system = run.system
    reject_impacts(system.model, "linearize()")
    entering = [_input(system, one) for one in inputs]
    leaving = [_output(system, one, columns) for one in outputs]
    now = [replace(one, start=float(value)) for one, value in zip(inputs, values, strict=True)]
    from_run = driver_places(inputs, system, run.machine.rows)

    def adapt(other: System) -> System:
        """The forces and the motions of drivers as they are now."""
        found = adapted(other, now, run.now)
        to = driver_places(inputs, found, found.rows)
        for (_, _, source), (_, _, target) in zip(from_run, to, strict=True):
            numbers = run.machine.rows.motions.parameters[source : source + NUMBERS_OF_CUBIC]
            found.rows.motions.parameters[target : target + NUMBERS_OF_CUBIC] = numbers
        return found

    point = point_at(system.model, snapshot(run), run.now, watched(leaving), adapt)
    return linear_equations(point, entering, leaving)


def _input(system: System, one: Input) -> Port:
    if one.law is not None:
        return port_of_law(system, one.name, LAW, one.law)
    if one.driver is not None:
        return Port(one.driver.name, DRIVER, one.driver)
    raise ModelError(
        f"derivatives with respect to '{one.name}' are not available: linearize() of a stepper takes forces and "
        "drivers; sensitivities() computes derivatives with respect to numbers of a model"
    )


def _output(system: System, one: StepOutput, columns: Columns) -> Port:
    if one.measure is not None:
        return _of_measure(one.name, one.measure, one.level)
    if one.signal is not None:
        return Port(one.name, READ, one.signal)
    column = columns[one.column]
    if column.measure is not None:
        return _of_measure(one.name, *column.measure)
    if column.law is not None:
        return port_of_law(system, one.name, STRENGTH, column.law)
    if column.constraint_force is not None:
        constraint = column.constraint_force
        return Port(one.name, READ, reaction(constraint, constraint.equations()[0].label))
    if column.signal is not None and isinstance(column.signal[0], Source):
        return Port(one.name, READ, column.signal[0][column.signal[1]])
    raise ModelError(f"derivatives of '{one.name}' are not available: use a measure, a force or a signal as the output")


def _of_measure(name: str, measure: Readable, level: int) -> Port:
    if level == 1:
        return Port(name, READ, rate(measure))
    return Port(name, ACCELERATION if level else VALUE, measure)
