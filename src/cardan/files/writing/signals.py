"""Signals as plain data: outputs of blocks, rates, reactions, and arithmetic of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cardan.elements.control.sampled import Sampled
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model.device import Clock, CurveSignal, Device, Held, Multiplier, Output, Rate, Signal, Value
from cardan.model.element import Element
from cardan.model.measure import Readable

if TYPE_CHECKING:
    from cardan.files.writing.elements import Writer


class SignalWriter:
    """Writes signals by the names of their elements."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.devices: dict[int, Element] = {}  # the element of each device
        self.held: dict[int, str] = {}
        for element in writer.model:
            device = getattr(element, "device", None)
            if isinstance(device, Device):
                self.devices[id(device)] = element
            if isinstance(element, Sampled):
                self.held[id(element.output)] = quoted(element.name)
                for held in element.sampler.held[1:]:
                    self.held[id(held)] = f"{quoted(element.name)}.{quoted(held.name)}"
            for name, unit in writer._offers(element).items():
                value = getattr(element, name, None) if unit == "signal" and name != "*" else None
                if isinstance(value, Held):
                    self.held.setdefault(id(value), f"{quoted(element.name)}.{name}")

    def signal(self, value: object) -> Any:
        """A signal as a number, a name, a text or a mapping."""
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, Readable):
            return self.writer.measure(value)
        if isinstance(value, Source):
            return self.signal(value.output)
        if not isinstance(value, Signal):
            return self.writer.motion(value)
        if isinstance(value, CurveSignal) and isinstance(value.at, Clock):
            return self.writer.motion(value.motion)
        if isinstance(value, Output) and id(value.device) not in self.devices and self._arithmetic(value) is None:
            return self._device(value)
        return Expression(self.text(value))

    def text(self, value: object) -> str:
        """A signal as text."""
        if isinstance(value, Rate):
            return f"rate({self.writer.measure(value.of)})"
        if isinstance(value, Value):
            return str(self.writer.measure(value.of))
        if isinstance(value, Clock):
            return "time"
        if isinstance(value, Held) and id(value) in self.held:
            return self.held[id(value)]
        if isinstance(value, CurveSignal) and isinstance(value.at, Clock):
            return self.writer.motion_text(value.motion)
        if isinstance(value, Output):
            owner = self.devices.get(id(value.device))
            if owner is not None:
                first = isinstance(owner, Source) and value.place == 0
                return quoted(owner.name) + ("" if first else f".{quoted(value.device.outputs[value.place])}")
            found = self._arithmetic(value)
            if found is not None:
                return found
        if isinstance(value, int | float):
            return text_of(float(value))
        raise ModelError(
            f"the signal {value} cannot be written to a file: it does not belong to an element of the model"
        )

    def _arithmetic(self, value: Output) -> str | None:
        """A scaled signal, a sum, or a reaction()."""
        device = value.device
        first = device.inputs[0] if device.inputs else None
        if isinstance(first, Multiplier) and device.outputs == ("reaction",):
            return f"reaction({quoted(first.element.name)}, {first.label!r})"
        if device.name == "gain" and len(device.parameters) == 1:
            return f"{text_of(device.parameters[0])}*({self.text(first)})"
        if device.name == "sum" and device.outputs == ("output",):
            parts = [self.text(signal) for signal in device.inputs] + [
                f"constant({text_of(p)})" for p in device.parameters
            ]
            return f"({' + '.join(parts)})"
        return None

    def _device(self, value: Output) -> dict[str, Any]:
        device = value.device
        if value.place != 0 or any(state.scale != 1.0 for state in device.states):
            raise ModelError(f"{device.title} cannot be written to a file; use a Controller instead")
        found: dict[str, Any] = {
            "type": "device",
            "function": self.writer.function(device.function),
            "inputs": [self.signal(signal) for signal in device.inputs],
            "outputs": list(device.outputs),
        }
        if device.states:
            found["states"] = {state.name: state.start for state in device.states}
        if device.parameters:
            found["parameters"] = list(device.parameters)
        return found | ({"name": device.name} if device.name else {})


class Expression(str):
    """A text of the grammar, as opposed to a plain word."""


def quoted(name: str) -> str:
    """A name, in quotes if it contains spaces or signs."""
    if all(part.isidentifier() for part in name.split(".")):
        return name
    if "'" in name and '"' in name:
        raise ModelError(f"the name {name!r} cannot be written to a file: it contains both kinds of quotes")
    return f'"{name}"' if "'" in name else f"'{name}'"


def text_of(value: Any) -> str:
    """A number, a word, a list or an object inside a text."""
    if isinstance(value, dict):
        named = ", ".join(f"{key}={text_of(item)}" for key, item in value.items() if key != "type")
        return f"{value['type']}({named})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(text_of(item) for item in value)}]"
    if isinstance(value, str):
        return value if isinstance(value, Expression) else repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not math.isfinite(value):
        raise ModelError(f"{value} cannot be written to a file")
    return repr(value)
