"""The numbers of a model that a page can change, and their ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.body import RigidBody
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.model.parameter import Parameter, parameters_of
from cardan.system.cartesian.numbers import GOLDEN, Law

MAX_PARAMETERS = 40  # numbers of a page, unless they are stated
RANGE_START, RANGE_END = 0.25, 2.0  # times its value: the range of a number
LIMITS = {"restitution": (0.0, 1.0)}
COORDINATE_RANGE = 0.3  # of the size of the model: the range of a coordinate
DEPTH = 3
RANGE_MARGIN = 1e-3  # of a range


class Range(NamedTuple):
    """A parameter of a page, and between which values it may be changed."""

    parameter: Parameter
    low: float
    high: float


def ranges_of(model: Model, stated: Any, length: float) -> list[Range]:
    """Parameters with their ranges: those stated, as names, parameters or {name: (low, high)}; else candidates."""
    if stated is None:
        listed: list[Parameter] = []
        for name in candidates(model):
            (one,) = parameters_of(model, [name], "a page that solves")
            shared = any(p.same(o) for other in listed for _, p in one.places for _, o in other.places)
            listed += [] if shared else [one]  # joints may share a marker
        return [_range(one, length) for one in listed]
    bounds = stated if isinstance(stated, dict) else {}
    keys = [stated] if isinstance(stated, str | Parameter) else list(stated)
    found = parameters_of(model, keys, "a page that solves") if keys else []
    for one in found:
        if any(is_dataclass(at.holder) and _is_count(at.holder, at.attribute) for _, at in one.places):
            raise ModelError(f"'{one.name}' is a whole number: a page cannot change it; omit it from its parameters")
    return [
        _stated(one, bounds[key]) if key in bounds else _range(one, length)
        for one, key in zip(found, keys, strict=True)
    ]


def unit_of(one: Parameter, model: Model) -> str:
    """The unit of a parameter in SI; "" if it has none or an unknown one."""
    name = one.name
    if one.is_length:
        return "m"
    if name.startswith("gravity."):
        return "m/s2"
    owner, _, path = name.partition(".")
    measure = getattr(model[owner], "measure", None) if owner in model else None
    if path == "mass" or not isinstance(measure, Readable):
        return "kg" if path == "mass" else ""
    force = {"m": "N", "rad": "N m"}.get(measure.unit, "")
    return (
        {
            "motion.rate": f"{measure.unit}/s",
            "motion.start": measure.unit,
            "motion.amplitude": measure.unit,
            "rest_length": "m",
            "rest_angle": "rad",
            "stiffness": f"{force}/{measure.unit}",
            "damping": f"{force} s/{measure.unit}",
        }.get(path, "")
        if force
        else ""
    )


def candidates(model: Model) -> Iterator[str]:
    """Names of numbers: of drivers and forces, gravity, masses, then points of joints, those on the ground first."""
    bodies, others, points = [], [], []
    for element in model:
        for path, value in _numbers(element, DEPTH):
            name = f"{element.name}.{path}"
            if isinstance(element, RigidBody):
                bodies += [name] if path == "mass" and value else []
            elif isinstance(value, Marker):
                points.append((value.body is not model.ground, name))
            elif value:
                others.append(name)
    gravity = [f"gravity.{axis}" for axis, value in zip("xyz", model.gravity, strict=False) if value]
    places = [name for _, name in sorted(points, key=lambda point: point[0])]
    yield from (
        *others,
        *gravity,
        *bodies,
        *(f"{name}.{axis}" for name in places for axis in "xyz"[: len(model.gravity)]),
    )


def _numbers(thing: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Paths to numbers and markers of an element; values of numbers, markers themselves."""
    if depth == 0 or not is_dataclass(thing):
        return
    for one in fields(thing):
        value = getattr(thing, one.name, None)
        if not one.init or isinstance(value, bool | str) or value is None:
            continue
        if isinstance(value, Marker):
            if value.contact_coordinate is None:
                yield one.name, value
        elif isinstance(value, Real):
            if not _is_count(thing, one.name):
                yield one.name, float(value)
        elif is_dataclass(value) and not isinstance(value, Readable | RigidBody):
            yield from ((f"{one.name}.{path}", inner) for path, inner in _numbers(value, depth - 1))


def _is_count(thing: Any, name: str) -> bool:
    """Whether a field is a whole number, such as the teeth of a gear or the order of a polynomial."""
    kinds = next((str(getattr(one.type, "__name__", one.type)) for one in fields(thing) if one.name == name), "")
    return "int" in kinds.split(" | ") and "float" not in kinds.split(" | ")


def _range(one: Parameter, length: float) -> Range:
    value = one.value
    if one.is_length:
        return Range(one, value - COORDINATE_RANGE * length, value + COORDINATE_RANGE * length)
    if value == 0.0:
        return Range(one, -1.0, 1.0)
    low, high = sorted((RANGE_START * value, RANGE_END * value))
    least, most = LIMITS.get(one.name.rpartition(".")[2], (low, high))
    return Range(one, max(low, least), min(high, most))


def _stated(one: Parameter, bounds: Any) -> Range:
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise ModelError(f"the range of '{one.name}' must be two numbers, got {bounds!r}") from None
    if not low < high or not low <= one.value <= high:
        raise ModelError(f"the range of '{one.name}' must contain its value {one.value:g}, got {low:g} to {high:g}")
    return Range(one, low, high)


def beside(ranges: Sequence[Range]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Low, high, and values next to those of the model, at which points that fall together there do not."""
    low, high, value = (
        np.array(column, float).reshape(-1)
        for column in ([r.low for r in ranges], [r.high for r in ranges], [r.parameter.value for r in ranges])
    )
    share = RANGE_MARGIN * (0.5 + np.modf(GOLDEN * (1.0 + np.arange(value.size)))[0])
    return low, high, value + share * np.where(high - value > value - low, high - value, low - value)


def that_follow(ranges: Sequence[Range], follows: Callable[[Sequence[Range]], Law | None], stated: bool) -> list[Range]:
    """The parameters that tables follow together, and that change anything; `follows` returns the law, or None.

    A stated parameter that does not is an error; a candidate is left out.
    """
    law, kept = follows(ranges), list(ranges)
    if law is None:
        kept = [one for one in ranges if follows([one]) is not None]
        if stated and len(kept) < len(ranges):
            raise _rejected(next(one for one in ranges if one not in kept))
        law = follows(kept)
    if law is None:
        together: list[Range] = []
        for one in kept:
            if (found := follows([*together, one])) is not None:
                together, law = [*together, one], found
            elif stated:
                raise ModelError(f"'{one.parameter.name}' cannot be changed together with the other numbers of a page")
        kept = together
    if law is None:
        return []
    effective = [one for one, column in zip(kept, law.slopes.T, strict=True) if column.any()]
    if stated and len(effective) < len(kept):
        idle = next(one for one in kept if one not in effective)
        raise ModelError(f"'{idle.parameter.name}' has no effect on this result: omit it from the parameters of a page")
    return effective if stated else effective[:MAX_PARAMETERS]


def _rejected(one: Range) -> ModelError:
    return ModelError(
        f"'{one.parameter.name}' cannot be changed in a page: between {one.low:g} and {one.high:g} the mechanism "
        "changes its structure, or its tables follow no simple law; state another range"
    )
