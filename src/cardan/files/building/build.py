"""From what a file states to the model: the classes are called as a user would call them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from cardan.elements.constraints.user_constraint import OwnElement
from cardan.elements.control.controller import OwnController
from cardan.elements.control.signals import as_signal
from cardan.errors import CardanError, ModelError
from cardan.files.building.functions import Functions
from cardan.files.building.placing import Placed
from cardan.files.faults import Fault, FileError, Place
from cardan.files.reading import parsed as stated
from cardan.files.vocabulary.types import Type, vocabulary
from cardan.model.device import Clock, Device, State
from cardan.model.model import Model


def build(sheet: stated.Sheet, functions: Functions) -> Builder:
    """The builder with its model; what a class refuses is told with its place."""
    builder = Builder(sheet, functions)
    for name in sheet.elements:
        builder.element(name)
    return builder


class Builder:
    """Makes elements by name, each after those that it needs."""

    def __init__(self, sheet: stated.Sheet, functions: Functions) -> None:
        self.sheet, self.functions = sheet, functions
        self.space: Any = import_module(f"cardan.{sheet.space}")
        self.known = vocabulary(sheet.space)
        start = Place(sheet.path)
        self.model: Model = self.guarded(start, lambda: self.space.Model(sheet.name, gravity=sheet.gravity))
        self.placed = Placed(self)
        self.results: dict[str, Any] = {}  # of analyses, for those that follow

    def element(self, name: str) -> Any:
        """An element of the model, made and added where this has not happened yet."""
        if name == "ground" or name in self.model:
            return self.model[name]
        entry = self.sheet.elements[name]
        kind = self.known[entry.type]
        arguments = {key: self.value(value) for key, value in entry.arguments.items()}
        return self.guarded(entry.node, lambda: self.model.add(self._make(kind, arguments, entry), name=name))

    def _make(self, kind: Type, arguments: dict[str, Any], entry: stated.Element) -> Any:
        if kind.group == "bodies":
            return self.thing(kind)(**self.placed.body(arguments, entry.pose))
        if "between" in arguments:
            first, second = arguments.pop("between")
            stated_at = self.placed.world(arguments, entry.pose)
            return self.thing(kind).between(first, second, **stated_at)
        if kind.name in ("constraint", "velocity_constraint"):
            return self._own(kind, **arguments)
        function = arguments.get("function")
        if isinstance(function, OwnController):  # its function, and what it says of it unless the file says it
            told = {"function": function.function, "outputs": function.outputs, "states": function.states}
            arguments = {
                **told,
                "parameters": tuple(function.defaults.values()),
                **arguments,
                "function": told["function"],
            }
        return self.thing(kind)(**arguments)

    def _own(self, kind: Type, function: Any, measures: Any = (), parameters: Any = None, **more: Any) -> Any:
        source = function if isinstance(function, OwnElement) else self.thing(kind)(function, **more)
        return source(*measures, **(parameters or {}))

    def thing(self, kind: Type) -> Any:
        """The class or function behind a type."""
        module, _, path = kind.of.partition(":")
        found: Any = import_module(f"cardan.{module}") if module != "cardan" else import_module("cardan")
        for name in path.split("."):
            found = getattr(found, name)
        return found

    def value(self, value: Any) -> Any:
        """What a stated value is in the model."""
        if type(value) in (float, int, str, bool) or value is None:
            return value
        makers: dict[type, Callable[[Any], Any]] = {
            stated.Made: self._made,
            stated.Reference: self._reference,
            stated.MarkerAt: self.placed.marker,
            stated.Combined: self._combined,
            stated.AsSignal: self._signal,
            stated.Offered: self._offered,
            stated.Own: lambda own: self.functions.named(own),
            stated.Clock: lambda _: Clock(),
        }
        if type(value) in makers:
            return makers[type(value)](value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return tuple(self.value(item) for item in value)

    def _made(self, made: stated.Made) -> Any:
        if made.type == "times":
            return np.linspace(made.arguments["from"], made.arguments["to"], made.arguments["count"])
        if made.type == "result":
            return self.results[made.arguments["name"]]
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
        if kind.name == "device":
            arguments = _device(arguments)
        elif kind.name == "matter" and "shape" in arguments:
            arguments["shape"] = self.guarded(
                made.node, lambda: _lines(arguments["shape"], self.model.space.dimensions)
            )
        return self.guarded(made.node, lambda: self.thing(kind)(**arguments))

    def _reference(self, reference: stated.Reference) -> Any:
        element = self.element(reference.name)
        if not reference.offered:
            return element
        return self.guarded(reference.node, lambda: _read(element, reference.offered))

    def _combined(self, combined: stated.Combined) -> Any:
        left, right = self.value(combined.left), self.value(combined.right)
        if combined.left is None:
            return self.guarded(combined.node, lambda: -right)
        return self.guarded(combined.node, lambda: OPERATIONS[combined.sign](left, right))

    def _signal(self, signal: stated.AsSignal) -> Any:
        value = self.value(signal.value)
        if isinstance(value, Device):
            return value[0]
        return self.guarded(signal.node, lambda: as_signal(value, "this"))

    def _offered(self, offered: stated.Offered) -> Any:
        value = self.value(offered.value)
        return self.guarded(offered.node, lambda: _read(value, offered.name))

    def guarded(self, node: Any, action: Callable[[], Any]) -> Any:
        """What a class refuses becomes a fault at its place."""
        try:
            return action()
        except FileError:
            raise
        except CardanError as error:
            raise FileError([Fault("C601", node.path, node.line, node.column, str(error))]) from error
        except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError, ImportError, OSError) as error:
            sentence = f"this cannot be made: {' '.join(str(error).split())}"
            raise FileError([Fault("C601", node.path, node.line, node.column, sentence)]) from error


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _read(thing: Any, name: str) -> Any:
    """A property, or an output of a block or of an element's device."""
    if not name.startswith("_") and isinstance(getattr(type(thing), name, None), property):
        return getattr(thing, name)
    for source in (thing, getattr(thing, "device", None)):
        if isinstance(source, Device) or (source is thing and hasattr(thing, "__getitem__")):
            return source[name]
    raise ModelError(f"{thing} offers nothing called '{name}'")


def _lines(shape: Any, dimensions: int) -> tuple[Any, ...]:
    """What pictures show of matter: lines of points."""
    lines = tuple(np.array(line, float) for line in shape)
    if any(line.ndim != 2 or line.shape[1] != dimensions for line in lines):
        raise ModelError(f"the shape of matter must be lists of points with {dimensions} coordinates")
    return lines


def _device(arguments: dict[str, Any]) -> dict[str, Any]:
    """Its states as they are in the model."""
    states = tuple(State(name, value) for name, value in arguments.pop("states", {}).items())
    return {**arguments, "states": states}


def profile(on: Any, curve: Any) -> Any:
    """A curve fixed in a body, in the frame of a marker."""
    if len(on.place) == 2:
        return on.body.profile(curve, on.x, on.y, on.angle)
    return on.body.profile(curve, on.point, orientation=on.orientation)
