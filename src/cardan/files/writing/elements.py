"""Elements and other objects of a model as plain data: the inverse of `reading` and `building`.

The signature of a class determines how it is written: each argument is the attribute of the same name, written as its
kind. Numbers keep all digits.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.elements.constraints.user_constraint import UserConstraint
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.files.vocabulary.describe import snake
from cardan.files.vocabulary.kind import Kind, parse_kind
from cardan.files.vocabulary.types import Type, vocabulary
from cardan.files.writing.flexible import PartWriter, interface_text, marker_of_flexible
from cardan.files.writing.signals import Expression, SignalWriter, quoted, text_of
from cardan.model.curves.motion import Function, Motion, MotionSum, ScaledMotion
from cardan.model.device import Signal
from cardan.model.element import Element
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model

RENAMED = {("curve_through", "points"): "nodes"}  # attributes with another name than the argument
OWN_VELOCITY = "velocity constraint"


class Writer:
    """Writes the elements of one model."""

    def __init__(
        self,
        model: Model,
        functions: dict[str, Any],
        tied: Mapping[Any, str] | None = None,
        parts: PartWriter | None = None,
    ) -> None:
        self.model, self.functions, self.tied = model, functions, tied or {}
        self.parts = parts or PartWriter()
        self.space = model.space.name
        self.known = vocabulary(self.space)
        self.signals = SignalWriter(self)
        self.offered: dict[Measure, str] = {}  # by elements written so far, which keeps their order

    def _offers(self, element: Element) -> dict[str, str]:
        found = self.type_of(element, quiet=True)
        return found.offers if found is not None else {}

    def element(self, element: Element) -> dict[str, Any]:
        """An element as a mapping with its type; later elements can refer to the measures that it offers."""
        found = self._element(element)
        for name, unit in self._offers(element).items():
            if unit != "signal" and isinstance(getattr(element, name), Measure):
                self.offered.setdefault(getattr(element, name), f"{quoted(element.name)}.{name}")
        return found

    def _element(self, element: Element) -> dict[str, Any]:
        if isinstance(element, UserConstraint):
            return self._user_constraint(element)
        kind = self.type_of(element)
        assert kind is not None
        if kind.name == "flexible_body":
            return {"type": kind.name, **self._flexible(kind, element)}
        if kind.group == "bodies":
            return {"type": kind.name, **self._body(kind, element)}
        return {"type": kind.name, **self.arguments(kind, element)}

    def type_of(self, thing: object, quiet: bool = False) -> Type | None:
        """The type of an object in model files."""
        name = {"PlanarMatter": "matter", "SpatialMatter": "matter"}.get(
            type(thing).__name__, snake(type(thing).__name__)
        )
        if isinstance(thing, UserConstraint):
            name = "velocity_constraint" if thing.source.word == OWN_VELOCITY else "constraint"
        if name in self.known and (self.known[name].gives != "element" or isinstance(thing, Element)):
            return self.known[name]
        if quiet:
            return None
        title = thing.title if isinstance(thing, Element) else type(thing).__name__
        raise ModelError(f"{title} of model '{self.model.name}' cannot be written to a file: its class is not public")

    def arguments(self, kind: Type, thing: Any) -> dict[str, Any]:
        """The arguments of an object, without those that have their default."""
        if kind.name == "knife_edge" and thing.a is None:  # a blade on ground is stated as `a` alone
            return {"a": self.marker(thing.b)} | ({"axis": thing.axis} if thing.axis != "y" else {})
        defaults = inspect.signature(type(thing)).parameters
        found = {}
        for name, argument in kind.arguments.items():
            value = getattr(thing, RENAMED.get((kind.name, name), name))
            if name in defaults and _same(value, defaults[name].default):
                continue
            if value is None:
                continue
            found[name] = self.value(parse_kind(argument.kind), value, (thing, name))
        return found

    def _body(self, kind: Type, body: Any) -> dict[str, Any]:
        found = self.arguments(kind, body)
        if len(body.shape):  # matter, with the lines that pictures draw
            matter = {"type": "matter", "mass": found.pop("mass"), "shape": _extended(body.shape)}
            matter |= {name: found.pop(name) for name in ("center", "inertia") if name in found}
            found = {"mass": matter, **found}
        if "orientation" in found:
            found["orientation"] = self.orientation(body.parameters, body.turned)
        return found

    def _flexible(self, kind: Type, body: Any) -> dict[str, Any]:
        """A flexible body: its part and the choice of modes as they were stated, and its state without zeros."""
        rest = {name: argument for name, argument in kind.arguments.items() if name not in body.stated._fields}
        zero = tuple(name for name in ("deformation", "deformation_rate") if not any(getattr(body, name)))
        found = self.arguments(kind._replace(arguments={n: a for n, a in rest.items() if n not in zero}), body)
        if "orientation" in found:
            found["orientation"] = self.orientation(body.parameters, body.turned)
        return {"part": self.parts.part(body), **self.parts.choice(body), **found}

    def _user_constraint(self, element: UserConstraint) -> dict[str, Any]:
        source = element.source
        found = {
            "type": "velocity_constraint" if source.word == OWN_VELOCITY else "constraint",
            "function": self.function(source, source.name),
            "measures": [self.measure(measure) for measure in element.measures],
        }
        return found | ({"parameters": dict(element.parameters)} if element.parameters else {})

    def value(self, wanted: Kind, value: object, place: tuple[Any, str] | None = None) -> Any:
        """A value as its kind."""
        for one in (wanted, *wanted.others):
            if self._is(one, value):
                return self._one(one, value, place)
        return self._one(wanted, value, place)

    def _is(self, wanted: Kind, value: object) -> bool:
        """Whether a value is of one of several kinds."""
        listed = isinstance(value, list | tuple | np.ndarray) and not isinstance(value, Measure)
        tests = {
            "number": _is_number(value),
            "flag": isinstance(value, bool),
            "element": isinstance(value, Element),
            "measure": isinstance(value, Readable),
            "list": listed,
            "motion": isinstance(value, Motion) or _is_number(value) or (callable(value) and not listed),
            "marker": isinstance(value, Marker),
            "matter": hasattr(value, "inertia") and not isinstance(value, Element),
        }
        return tests.get(wanted.name, True)

    def _one(self, wanted: Kind, value: Any, place: tuple[Any, str] | None) -> Any:
        kind = wanted.name
        if kind in ("number", "numbers", "components", "point", "powers", "integer"):
            return self._numbers(value, place)
        if kind == "extended":
            return _extended(value)
        if kind == "list":
            assert wanted.inner is not None
            if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
                return self.value(wanted.inner, value)
            return [None if item is None else self.value(wanted.inner, item) for item in value]
        if kind == "curves":
            return [None if curve is None else self.motion(curve) for curve in value]
        if kind == "mapping":
            return {name: float(item) for name, item in dict(value).items()}
        if kind in ("flag", "text"):
            return value
        if kind == "element":
            return value.name if isinstance(value, Element) else value
        if kind == "function":
            return self.function(value)
        if kind == "marker":
            return self.marker(value)
        if kind == "measure":
            return self.measure(value)
        if kind == "signal":
            return self.signals.signal(value)
        if kind == "motion":
            return self.motion(value)
        if kind == "outline":
            return self._outline(value)
        if kind == "orientation":
            return _plain(value)
        return self.made(value)

    def _numbers(self, value: Any, place: tuple[Any, str] | None, index: tuple[int, ...] = ()) -> Any:
        if isinstance(value, bool):
            return value
        if _is_number(value):
            tied = self.tied.get((id(place[0]), place[1], index)) if place is not None else None
            return Expression(tied) if tied is not None else int(value) if isinstance(value, int) else float(value)
        return [self._numbers(item, place, (*index, k)) for k, item in enumerate(value)]

    # objects

    def made(self, thing: Any) -> Any:
        """An object as a mapping with its type."""
        kind = self.type_of(thing)
        assert kind is not None
        if kind.name == "road" and thing.packed[0] == 0.0:
            return {"type": "road.flat", **({"name": thing.name} if thing.name != "road" else {})}
        return {"type": kind.name, **self.arguments(kind, thing)}

    def function(self, function: Any, name: str = "") -> str:
        """The name of a function, added to `functions`."""
        from cardan.model.curves.function_code import function_name

        plain = name or function_name(function)
        plain = plain if plain.isidentifier() and not plain.startswith("_") else "function"
        count = 1
        while True:
            free = plain if count == 1 else f"{plain}_{count}"
            if self.functions.setdefault(free, function) is function:
                return free
            count += 1

    def marker(self, marker: Any) -> Any:
        """A marker as {body: point}, with axes if they are rotated."""
        body = marker.body.name
        if marker.body.modal_coordinates:
            return marker_of_flexible(self, marker)
        if self.space == "planar":
            point = [self._numbers(getattr(marker, axis), (marker, axis)) for axis in "xy"]
            more = {"angle": self._numbers(marker.angle, (marker, "angle"))} if marker.angle else {}
        else:
            point = self._numbers(marker.point, (marker, "point"))
            turned = tuple(marker.orientation) != (1.0, 0.0, 0.0, 0.0)
            counted = marker.turned if marker.body.turned is not None else None
            turned = turned or any(counted or ())
            more = {"orientation": self.orientation(marker.orientation, counted)} if turned else {}
        if more:
            return {body: {"at": point, **more}}
        return {body: point} if any(point) else body

    def orientation(self, parameters: Any, turned: Any) -> Any:
        """Euler parameters, with turns if they are counted."""
        if not any(turned or ()):
            return list(parameters)
        return Expression(f"with_turns({text_of(list(parameters))}, {text_of(list(turned))})")

    def marker_text(self, marker: Marker) -> str:
        """A marker as text."""
        found = self.marker(marker)
        if isinstance(found, str):
            return quoted(found)
        ((body, stated),) = found.items()
        point, more = (stated.pop("at", ()), stated) if isinstance(stated, dict) else (stated, {})
        if isinstance(point, str):  # an interface
            point = (Expression(interface_text(point)),)
            if not more:
                return f"{quoted(body)}@{point[0]}"
        inside = [text_of(value) for value in point] + [f"{name}={text_of(value)}" for name, value in more.items()]
        return f"{quoted(body)}@({', '.join(inside)})"

    def measure(self, measure: Readable) -> Expression:
        """A measure as text."""
        parts = measure.parts()
        single = isinstance(measure, Measure)
        if not parts:
            raise ModelError("a measure whose terms cancel cannot be written to a file")
        texts = [self._measure(part) for _, part in parts]
        if single:
            return Expression(texts[0])
        words: list[str] = []
        for (factor, _), text in zip(parts, texts, strict=True):
            sign = ("-" if factor < 0.0 else "") if not words else ("- " if factor < 0.0 else "+ ")
            words.append(f"{sign}{text_of(abs(factor))}*{text}")
        return Expression(" ".join(words))

    def _measure(self, measure: Measure) -> str:
        if measure in self.offered:
            return self.offered[measure]
        if measure.kind == "modal":
            coordinate: Any = measure.b.contact_coordinate
            return f"modal_coordinate({quoted(coordinate.body.name)}, {coordinate.index + 1})"
        ends = [self.marker_text(marker) for marker in measure.markers()]
        words = {"coordinate": measure.axes, "rotation": "rotation_component", "helix": "helix_component"}
        word = "helix_length" if measure.axes == "u" else words.get(measure.kind, measure.kind)
        paired = measure.a is not None
        plain = measure.near is None and measure.touch is None and word in self.known
        if plain and (measure.kind != "coordinate" or not paired):
            axes = [] if measure.kind == "coordinate" or measure.axes == "u" else [repr(axis) for axis in measure.axes]
            return f"{word}({', '.join([*ends, *axes])})"
        return self._any_measure(measure, ends)

    def _any_measure(self, measure: Measure, ends: list[str]) -> str:
        """A measure that only joints use, with all its arguments."""
        if measure.touch is not None:
            raise ModelError(f"{measure} belongs to a pair of surfaces that is not in the model")
        named = [f"kind={measure.kind!r}", f"b={ends[-1]}", *([f"a={ends[0]}"] if measure.a is not None else [])]
        named += [f"axes={measure.axes!r}"] if measure.axes else []
        named += [f"near={text_of(measure.near)}"] if measure.near is not None else []
        return f"measure({', '.join(named)})"

    def motion(self, motion: Any) -> Any:
        """A number, a motion or a function of time."""
        if _is_number(motion):
            return float(motion)
        if isinstance(motion, MotionSum | ScaledMotion):
            return Expression(self.motion_text(motion))
        if not isinstance(motion, Motion):
            return {"type": "function", "f": self.function(motion)}
        return self.made(motion)

    def motion_text(self, motion: Motion) -> str:
        """A motion as text."""
        if isinstance(motion, MotionSum):
            return " + ".join(self.motion_text(part) for part in motion.motions)
        if isinstance(motion, ScaledMotion):
            return f"{text_of(motion.factor)}*({self.motion_text(motion.motion)})"
        if isinstance(motion, Function):
            return f"function({self.function(motion.f)})"
        found = self.made(motion)
        name = found.pop("type")
        if name == "polynomial":
            return f"{name}({', '.join(text_of(value) for value in found['coefficients'])})"
        return f"{name}({', '.join(f'{key}={text_of(value)}' for key, value in found.items())})"

    def _outline(self, outline: Any) -> dict[str, Any]:
        frame = getattr(outline, "frame", None)
        if frame is None:
            frame = outline.body.at(outline.x, outline.y, outline.angle)
        return {"on": self.marker(frame), "curve": self.made(outline.curve)}


def _extended(value: Any) -> Any:
    """Numbers; those that are not finite become words."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_extended(item) for item in value]
    return float(value) if math.isfinite(value) else str(float(value))


def _plain(value: object) -> Any:
    return np.asarray(value, float).tolist()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def _same(value: object, default: Any) -> bool:
    """Whether a value equals its default."""
    if value is default:
        return True
    if isinstance(value, Element | Signal | Readable | Source):
        return False
    if isinstance(value, tuple | list | np.ndarray) and isinstance(default, tuple):
        return len(value) == len(default) and all(_same(one, other) for one, other in zip(value, default, strict=True))
    if _is_number(value) and _is_number(default):
        return bool(value == default)
    return type(value) is type(default) and bool(value == default)
