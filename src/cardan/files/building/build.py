"""Building a model from the parsed file: the classes are called as a user would call them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.user_constraint import ConstraintTemplate
from cardan.elements.control.controller import ControllerTemplate
from cardan.elements.control.signals import as_signal
from cardan.elements.control.source import Source
from cardan.errors import CardanError, ModelError
from cardan.files.building.flexible_parts import FlexibleParts
from cardan.files.building.functions import Functions
from cardan.files.building.placement import Placement
from cardan.files.faults import Fault, FileError, SourceLocation
from cardan.files.reading import parsed
from cardan.files.vocabulary.types import Type, vocabulary
from cardan.model.device import Clock, Device, State
from cardan.model.model import Model

if TYPE_CHECKING:
    from yaml import Node


def build(file: parsed.ParsedFile, functions: Functions) -> Builder:
    """The builder with its model; errors of the classes are reported with their place in the file."""
    builder = Builder(file, functions)
    for name in file.elements:
        builder.element(name)
    return builder


class Builder:
    """Builds elements by name, each after those that it refers to."""

    def __init__(self, file: parsed.ParsedFile, functions: Functions) -> None:
        self.file, self.functions = file, functions
        self.space: Any = import_module(f"cardan.{file.space}")
        self.known = vocabulary(file.space)
        start = SourceLocation(file.path)
        self.model: Model = self.guarded(start, lambda: self.space.Model(file.name, gravity=file.gravity))
        self.placement = Placement(self)
        self.results: dict[str, Any] = {}  # of analyses, for later ones
        self.parts = FlexibleParts(planar=file.space == "planar")

    def element(self, name: str) -> Any:
        """An element of the model, built when it is first needed."""
        if name == "ground" or name in self.model:
            return self.model[name]
        entry = self.file.elements[name]
        kind = self.known[entry.type]
        arguments = {key: self.value(value) for key, value in entry.arguments.items()}
        return self.guarded(entry.node, lambda: self.model.add(self._build(kind, arguments, entry), name=name))

    def _build(self, kind: Type, arguments: dict[str, Any], entry: parsed.Element) -> Any:
        if kind.group == "bodies":
            turns = not {"angle", "orientation"}.isdisjoint(kind.arguments)
            return self.thing(kind)(**self.placement.body(arguments, entry.pose, turns))
        if "between" in arguments:
            first, second = arguments.pop("between")
            return self.thing(kind).between(first, second, **self.placement.world(arguments, entry.pose))
        if kind.name in ("constraint", "velocity_constraint"):
            return self._user_constraint(kind, **arguments)
        function = arguments.get("function")
        if isinstance(function, ControllerTemplate):  # its outputs, states and parameters unless the file states them
            declared = {"outputs": function.outputs, "states": function.states}
            declared["parameters"] = tuple(function.defaults.values())
            arguments = {**declared, **arguments, "function": function.function}
        return self.thing(kind)(**arguments)

    def _user_constraint(
        self, kind: Type, function: Callable[..., Any], measures: Any = (), parameters: Any = None, **more: Any
    ) -> Any:
        source = function if isinstance(function, ConstraintTemplate) else self.thing(kind)(function, **more)
        return source(*measures, **(parameters or {}))

    def thing(self, kind: Type) -> Any:
        """The class or function of a type."""
        module, _, path = kind.path.partition(":")
        found: Any = import_module(f"cardan.{module}") if module != "cardan" else import_module("cardan")
        for name in path.split("."):
            found = getattr(found, name)
        return found

    def value(self, value: Any) -> Any:
        """The object of the model for a parsed value."""
        if type(value) in (float, int, str, bool) or value is None:
            return value
        makers: dict[type, Callable[[Any], Any]] = {
            parsed.Object: self._object,
            parsed.Reference: self._reference,
            parsed.Marker: self.placement.marker,
            parsed.Combination: self._combination,
            parsed.AsSignal: self._signal,
            parsed.AttributeOf: self._attribute,
            parsed.UserFunction: self.functions.named,
            parsed.Time: lambda _: Clock(),
        }
        if type(value) in makers:
            return makers[type(value)](value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return tuple(self.value(item) for item in value)

    def _object(self, made: parsed.Object) -> Any:
        if made.type == "times":
            return np.linspace(made.arguments["from"], made.arguments["to"], made.arguments["count"])
        if made.type == "result":
            return self.results[made.arguments["name"]]
        if made.type == "method":
            method = self.thing(vocabulary("methods")[made.arguments["type"]])
            return self.guarded(made.node, lambda: method(**made.arguments["options"]))
        if made.type == "settings":
            return {self.value(key): self.value(value) for key, value in made.arguments["pairs"]}
        if made.type == "ranges":
            return made.arguments
        arguments = {key: self.value(value) for key, value in made.arguments.items()}
        if made.of is not None:
            of = self.value(made.of)
            return self.guarded(made.node, lambda: getattr(of, made.type[1:])(**arguments))
        kind = self.known[made.type]
        if kind.name == "polynomial":
            return self.guarded(made.node, lambda: self.thing(kind)(*arguments["coefficients"]))
        if kind.gives == "part":
            return self.guarded(made.node, lambda: self.parts.part(self.thing(kind), made, arguments))
        if kind.name == "device":
            arguments = _device(arguments)
        elif kind.name == "matter" and "shape" in arguments:
            arguments["shape"] = self.guarded(
                made.node, lambda: _lines(arguments["shape"], self.model.space.dimensions)
            )
        return self.guarded(made.node, lambda: self.thing(kind)(**arguments))

    def _reference(self, reference: parsed.Reference) -> Any:
        element = self.element(reference.name)
        if not reference.offered:
            return element
        return self.guarded(reference.node, lambda: _read(element, reference.offered))

    def _combination(self, combined: parsed.Combination) -> Any:
        left, right = self.value(combined.left), self.value(combined.right)
        if combined.left is None:
            return self.guarded(combined.node, lambda: -right)
        return self.guarded(combined.node, lambda: OPERATIONS[combined.sign](left, right))

    def _signal(self, signal: parsed.AsSignal) -> Any:
        value = self.value(signal.value)
        if isinstance(value, Device):
            return value[0]
        return self.guarded(signal.node, lambda: as_signal(value, "this"))

    def _attribute(self, offered: parsed.AttributeOf) -> Any:
        value = self.value(offered.value)
        return self.guarded(offered.node, lambda: _read(value, offered.name))

    def guarded(self, node: Node, action: Callable[[], Any]) -> Any:
        """Convert an error to a fault at the place of a node."""
        try:
            return action()
        except FileError:
            raise
        except CardanError as error:
            raise FileError([Fault("C601", node.path, node.line, node.column, str(error))]) from error
        except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError, ImportError, OSError) as error:
            message = f"this cannot be built: {' '.join(str(error).split())}"
            raise FileError([Fault("C601", node.path, node.line, node.column, message)]) from error


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _read(thing: object, name: str) -> Any:
    """A property, or an output of a block or of the device of an element."""
    if not name.startswith("_") and isinstance(getattr(type(thing), name, None), property):
        return getattr(thing, name)
    for source in (thing, getattr(thing, "device", None)):
        if isinstance(source, Device | Source):
            return source[name]
    raise ModelError(f"{thing} offers no '{name}'")


def _lines(shape: Any, dimensions: int) -> tuple[Any, ...]:
    """The lines that pictures draw for matter."""
    lines = tuple(np.array(line, float) for line in shape)
    if any(line.ndim != 2 or line.shape[1] != dimensions for line in lines):
        raise ModelError(f"the shape of matter must be lists of points with {dimensions} coordinates")
    return lines


def _device(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a device, with its states as objects."""
    states = tuple(State(name, value) for name, value in arguments.pop("states", {}).items())
    return {**arguments, "states": states}


def profile(on: Any, curve: Any) -> Any:
    """A curve fixed to a body, in the frame of a marker."""
    if len(on.place) == 2:
        return on.body.profile(curve, on.x, on.y, on.angle)
    return on.body.profile(curve, on.point, orientation=on.orientation)
