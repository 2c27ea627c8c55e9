"""Signals, the inputs of blocks, controllers and actuators: measures and outputs of blocks.

hinge.angle                   the value of a measure                rate(hinge.angle)     its rate
reaction(pin, "x")            a reaction of a joint or driver       time                  the time
pid, pid["error"]             an output of a block                  2.0, Harmonic(...)    a number, a motion
"""

from __future__ import annotations

from typing import Any, TypeAlias

from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import MotionLike, as_motion
from cardan.model.device import Clock, CurveSignal, Device, Multiplier, Output, Rate, Signal, Value
from cardan.model.element import Constraint
from cardan.model.measure import Readable, readable, require_terms, require_value

# type of arguments that are signals
SignalLike: TypeAlias = Signal | Readable | Source | MotionLike

time = Clock()


def rate(measure: Readable) -> Rate:
    """The rate of a measure as a signal."""
    require_terms("rate()", readable(measure, "the argument of rate()"))
    return Rate(measure)


def reaction(element: Constraint, label: str) -> Output:
    """The reaction of an equation of a joint, driver or hold, with the sign of `run[element].force`: on body b.

    `label` is the name of the equation within the element, such as "x" of a Revolute. Events and devices read it.

    >>> from cardan import reaction
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum")
    >>> bob = model.add(Body(mass=1.0), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at()), name="pin")
    >>> upward = reaction(pin, "y")
    """
    check.instance(element, Constraint, "the element of reaction()", hint="use a joint, a driver or a hold")
    labels = [equation.label for equation in element.equations()]
    if label not in labels:
        known = ", ".join(repr(word) for word in labels)
        raise ModelError(f"{element.title} has no equation called {check.short_repr(label)}; it has: {known}")
    return Device(_negative, (Multiplier(element, label),), ("reaction",), name=f"reaction {label}")["reaction"]


def carried(signal: Signal) -> Multiplier | None:
    """The multiplier whose negative is the reaction; None for all other signals."""
    if isinstance(signal, Output) and signal.device.function is _negative:
        (found,) = signal.device.inputs
        return found if isinstance(found, Multiplier) else None
    return None


def as_signal(value: object, what: str) -> Signal:
    """The value as a signal."""
    if isinstance(value, Signal):
        return value
    if isinstance(value, Readable):
        require_terms(what, value)
        require_value(what, value)
        return Value(value)
    if isinstance(value, Source):
        return value.output
    try:
        return CurveSignal(as_motion(value, what))
    except ModelError:
        raise ModelError(
            f"{what} must be a measure, rate(measure), an output of a block, a number or a motion, got "
            f"{check.describe(value)}"
        ) from None


def as_signals(values: Any, what: str) -> tuple[Signal, ...]:
    """Several signals, given as a list, or a single one."""
    if isinstance(values, list | tuple):
        return tuple(as_signal(value, f"input {k + 1} of {what}") for k, value in enumerate(values))
    return (as_signal(values, f"the input of {what}"),)


def _negative(multiplier):
    return -multiplier
