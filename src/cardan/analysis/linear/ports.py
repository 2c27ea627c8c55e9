"""Inputs and outputs of a linearization, as the user names them.

Inputs       a force element             an addition to its force or torque, one input for each of its laws
             a driver                    its motion f, with rate and acceleration as columns of their own: f, f', f''
             a block or one of its outputs   an addition to that signal
             (element, "x")              the end of the element that is fixed in ground moves along an axis; for a tire,
                                         ("z") the height of the road: h, h', h''
Outputs      a measure                   its value                rate(measure)                  its rate
             (measure, "acceleration")   its second derivative    reaction(joint, "x")           a joint reaction
             a force element             its forces               a block or one of its outputs  that signal
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardan.elements.control.signals import rate
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Output, Signal, Value
from cardan.model.element import Constraint, Element
from cardan.model.force import Force, Law
from cardan.model.measure import Measure, Readable, require_terms
from cardan.model.model import Model, measure_name
from cardan.system.system import System

Input = Force | Constraint | Source | Output | str | tuple[Element, str]
Inputs = Input | Sequence[Input]
Reading = Readable | Signal | Force | Source | str | tuple[Readable, str]
Readings = Reading | Sequence[Reading]

LAW, DRIVER, SIGNAL, SUPPORT = "law", "driver", "signal", "support"
VALUE, READ, ACCELERATION, STRENGTH = "value", "signal", "acceleration", "strength"


@dataclass(frozen=True)
class Port:
    """One input or output: its name, its type, the object itself and, of several, its index."""

    name: str
    kind: str
    what: Any
    place: int = 0

    @property
    def orders(self) -> int:
        """The number of columns of an input: itself, its rate, its acceleration."""
        return 3 if self.kind in (DRIVER, SUPPORT) else 1


def is_swept(port: Port) -> bool:
    """Whether an output depends only on positions and speeds: a measure or its rate."""
    return port.kind == VALUE or (port.kind == READ and isinstance(port.what, Value))


def inputs_of(model: Model, stated: Inputs) -> list[Port]:
    """All inputs, checked."""
    return _each_once([port for item in _listed(stated, "inputs") for port in _input(model, item)], "inputs")


def outputs_of(model: Model, stated: Readings) -> list[Port]:
    """All outputs, checked."""
    return _each_once([port for item in _listed(stated, "outputs") for port in _output(model, item)], "outputs")


def _each_once(ports: list[Port], what: str) -> list[Port]:
    names = [port.name for port in ports]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise ModelError(f"'{twice}' is listed twice in {what} of linearize(); list it once")
    return ports


def watched(ports: Sequence[Port]) -> list[Law]:
    """Laws that make the system evaluate the inputs of outputs."""
    found = [Law(port.what.parts()) for port in ports if port.kind in (VALUE, ACCELERATION)]
    signals = [port.what for port in ports if port.kind == READ]
    found += [Law(tuple((1.0, m) for m in signal.measures())) for signal in signals]
    return found + [Law((), signal=signal) for signal in signals if signal.sources()]


def _input(model: Model, item: Any) -> list[Port]:
    if isinstance(item, str):
        item = _named(model, item, "an input")
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Element):
        return [_support(model, *item)]
    if isinstance(item, Output):
        return [Port(_name(model, item), SIGNAL, item)]
    if isinstance(item, Source):
        _require(model, item, "an input")
        if not isinstance(item.output, Output):
            raise ModelError(f"{item.title} has a sampled signal: use the force that it drives as the input")
        return [Port(item.name, SIGNAL, item.output)]
    if isinstance(item, Force):
        _require(model, item, "an input")
        return _laws(item, LAW)
    if isinstance(item, Constraint):
        _require(model, item, "an input")
        if not item.drives:
            raise ModelError(f"{item.title} in inputs prescribes no motion; a Driver does, a joint is not an input")
        return [Port(item.name, DRIVER, item)]
    raise ModelError(
        "an input of linearize() must be a force, a driver, a block or one of its outputs, or (element, axis), got "
        f"{check.describe(item)}; an Actuator(measure, 0.0) in the model is a force along a measure"
    )


def _support(model: Model, element: Any, axis: Any) -> Port:
    """The end of an element that is fixed in ground."""
    _require(model, element, "an input")
    axes = "xyz"[: model.space.dimensions]
    check.choice(axis, tuple(axes), f"the axis along which the ground under {element.title} moves")
    measures = measures_of(element)
    if not any(marker.body is model.ground for m in measures for marker in m.markers()):
        raise ModelError(f"{element.title} in inputs has no end on ground that could move along {axis}")
    return Port(f"{element.name}.{axis}", SUPPORT, element, axes.index(axis))


def measures_of(element: Any) -> list[Measure]:
    """All measures along which an element acts or that it reads."""
    if isinstance(element, Constraint):
        return [m for equation in element.equations() for _, m in equation.terms]
    return [m for law in element.laws() for m in law.measures()]


def _output(model: Model, item: Any) -> list[Port]:
    if isinstance(item, str):
        item = _named(model, item, "an output")
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Readable):
        check.choice(item[1], ("rate", "acceleration"), f"the quantity of {item[0]}")
        require_measure(model, item[0], "an output")
        if item[1] == "rate":
            return [Port(f"rate of {item[0]}", READ, rate(item[0]))]
        if any(m.kind in Measure.TOUCHES for _, m in item[0].parts()):
            raise ModelError(f"the acceleration of {item[0]} is not available for contact surfaces")
        return [Port(f"acceleration of {measure_name(model, item[0])}", ACCELERATION, item[0])]
    if isinstance(item, Readable):
        require_measure(model, item, "an output")
        return [Port(measure_name(model, item), VALUE, item)]
    if isinstance(item, Source):
        _require(model, item, "an output")
        return [Port(item.name, READ, item.output)]
    if isinstance(item, Signal):
        return [Port(_name(model, item), READ, item)]
    if isinstance(item, Force):
        _require(model, item, "an output")
        return _laws(item, STRENGTH)
    raise ModelError(
        "an output of linearize() must be a measure, rate(measure), (measure, 'acceleration'), reaction(joint, label), "
        f"a force, a block or one of its outputs, got {check.describe(item)}"
    )


def law_number(system: System, port: Port) -> int:
    """The number of the law of a port among those of the system."""
    return _laws_of(system, port.what)[port.place]


def port_of_law(system: System, name: str, kind: str, law: int) -> Port:
    """The port of a law with this number."""
    element = system.forces[law]
    return Port(name, kind, element, _laws_of(system, element).index(law))


def _laws_of(system: System, element: Any) -> list[int]:
    return [k for k, force in enumerate(system.forces) if force is element]


def _laws(element: Force, kind: str) -> list[Port]:
    laws = element.laws()
    if not laws:
        raise ModelError(f"{element.title} applies no force that could be read or changed")
    if len(laws) == 1:
        return [Port(element.name, kind, element)]
    names = [law.label or (law.terms[0][1].axes if law.terms else "") or str(k) for k, law in enumerate(laws)]
    if len(set(names)) < len(names):
        names = [str(k) for k in range(len(laws))]
    return [Port(f"{element.name}.{name}", kind, element, k) for k, name in enumerate(names)]


def _name(model: Model, signal: Signal) -> str:
    """The name of a signal: that of its block, if it belongs to one."""
    for element in model.forces:
        for device in element.devices():
            if isinstance(signal, Output) and signal.device is device:
                return f"{element.name}.{device.outputs[signal.place]}"
    if isinstance(signal, Output):
        read = [getattr(s, "element", None) for s in signal.device.inputs]
        whose = next((f" of {e.title}" for e in read if e is not None), "")
        return f"{signal.device.name}{whose}" if whose else f"{signal.device.title} {signal.place}"
    return f"rate of {measure_name(model, signal.of)}" if isinstance(signal, Value) else type(signal).__name__.lower()


def _named(model: Model, name: str, what: str) -> Any:
    """An element by its name, or a coordinate of a joint: "pin", "pin.angle"."""
    if name in model:
        return model[name]
    owner, _, offered = name.rpartition(".")
    joint = model[owner] if owner in model else None
    if isinstance(joint, Constraint):
        known = joint.coordinates()
        if offered in known:
            return known[offered]
        there = ", ".join(f"'{owner}.{one}'" for one in known) or "none"
        raise ModelError(f"{what} of linearize() is called '{name}'; {joint.title} offers {there}")
    raise ModelError(
        f"{what} of linearize() is called '{name}', which is not in model '{model.name}'; use the name of an element, "
        "or of a joint coordinate such as 'pin.angle'"
    )


def _require(model: Model, element: Any, what: str) -> None:
    if element not in model:
        raise ModelError(f"{element.title}, {what} of linearize(), is not part of model '{model.name}'; add it")


def require_measure(model: Model, measure: Readable, what: str) -> None:
    """Require a measure of bodies of the model."""
    require_terms(f"{what} of linearize()", measure)
    for _, part in measure.parts():
        for marker in part.markers():
            if marker.body not in model and marker.body is not model.ground:
                raise ModelError(f"{measure}, {what} of linearize(), refers to a body that is not in '{model.name}'")


def _listed(stated: Any, what: str) -> list[Any]:
    if isinstance(stated, str | tuple) or not isinstance(stated, Sequence):
        if isinstance(stated, tuple) and not (len(stated) == 2 and isinstance(stated[1], str)):
            return list(stated)
        return [stated]
    return list(stated)
