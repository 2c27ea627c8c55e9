"""Named parameters: numbers of a model, addressed by name, for sensitivities, studies and optimizations.

    "rod.mass"   "rod.center.x"   "spring.stiffness"   "pin.b.x"   "spring.a.y"   "coupler.length"   "gravity.y"
    "pid.kp"     "law.gain"       "wire.c"

The first word is an element (or gravity), the others are its fields, the markers a and b, the components x, y, z of
points, xx, xy, .. of tensors, or the numeric arguments of a user function. A model is not modified permanently:
`changed(model, values)` changes parameters within its block, and tables compiled there contain the new values. Machine
code depends only on the sizes of tables, so one compilation serves all values.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import Code
from cardan.model.device import Device, Sampler
from cardan.model.element import Element
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model

AXES = "xyz"


@dataclass(frozen=True)
class Location:
    """The location of a number: an attribute of an object or, with an index, a component of it."""

    holder: Any
    attribute: str
    index: tuple[int, ...] = ()

    def read(self) -> float:
        value = getattr(self.holder, self.attribute)
        return float(np.array(value, float)[self.index]) if self.index else float(value)

    def write(self, number: float) -> None:
        value: Any = number
        if self.index:
            table = np.array(getattr(self.holder, self.attribute), float)
            table[self.index] = number
            if table.ndim == 2:  # an inertia tensor is symmetric
                table[self.index[::-1]] = number
            value = tuple(map(tuple, table.tolist())) if table.ndim == 2 else tuple(table.tolist())
        object.__setattr__(self.holder, self.attribute, value)

    def same(self, other: Location) -> bool:
        return self.holder is other.holder and (self.attribute, self.index) == (other.attribute, other.index)


@dataclass(frozen=True)
class PairLocation(Location):
    """A number in the (name, number) pairs of an element."""

    def read(self) -> float:
        return float(getattr(self.holder, self.attribute)[self.index[0]][1])

    def write(self, number: float) -> None:
        pairs = list(getattr(self.holder, self.attribute))
        pairs[self.index[0]] = pairs[self.index[0]][0], number
        object.__setattr__(self.holder, self.attribute, tuple(pairs))


@dataclass(frozen=True, eq=False)
class Parameter:
    """A number of a model under a name; a tied parameter changes several numbers, each by its factor."""

    name: str
    places: tuple[tuple[float, Location], ...]

    @property
    def value(self) -> float:
        """The value in the model."""
        factor, place = self.places[0]
        return place.read() / factor

    @property
    def is_length(self) -> bool:
        """Whether it is a coordinate of a point, whose scale is the size of the model even if it is zero."""
        return all(isinstance(place.holder, Marker) or place.attribute == "center" for _, place in self.places)

    def size(self, length: float) -> float:
        """What a change of it is compared with, in a model of this length."""
        value = abs(self.value)
        return max(value, length) if self.is_length else value or 1.0

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<parameter {self.name} = {self.value:g}>"


ParameterName = str | Parameter  # a path, such as "spring.stiffness", or a result of parameter() or tied()
Parameters = ParameterName | Iterable[ParameterName]


def parameter(of: Model | Element | Marker, path: str, name: str | None = None) -> Parameter:
    """The number at `path` of an element, a marker or a model.

    >>> from cardan import parameter
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> rod = model.add(Body(mass=2.0, inertia=0.1), name="rod")
    >>> pin = model.add(Revolute(model.ground.at(), rod.at(0, 0.5)), name="pin")
    >>> parameter(rod, "mass"), parameter(pin, "b.y"), parameter(model, "gravity.y")
    (<parameter rod.mass = 2>, <parameter pin.b.y = 0.5>, <parameter gravity.y = -9.81>)
    """
    check.instance(of, (Element, Marker, Model), "the owner of a parameter", hint="an element, a marker or a model")
    check.instance(path, str, "the path of a parameter", hint="'stiffness' or 'a.x', for example")
    if isinstance(of, Model):
        found = _of_model(of, path)
        return found if name is None else Parameter(name, found.places)
    title = of.name or of.title if isinstance(of, Element) else str(of)
    return Parameter(name or f"{title}.{path}", ((1.0, _place(of, path.split("."), title)),))


def tied(name: str, *parts: Parameter | tuple[float, Parameter]) -> Parameter:
    """One parameter that changes several: each part is a parameter, or (factor, parameter). Its value is that of the
    first part divided by its factor; the others change by their factors times its change.

    For example, the length of a rod with a centered mass center: tied("length", pin_x, (0.5, center_x)).
    """
    check.instance(name, str, "the name of a tied parameter")
    places: list[tuple[float, Location]] = []
    for part in parts:
        factor, one = part if isinstance(part, tuple) and len(part) == 2 else (1.0, part)
        check.instance(one, Parameter, f"a part of '{name}'", hint="create one with parameter(element, path)")
        factor = check.number(factor, f"a factor of '{name}'")
        if factor == 0.0:
            raise ModelError(f"'{name}' ties {one.name} with the factor 0, which never changes it; omit it")
        places += [(factor * inner, place) for inner, place in one.places]
    if not places:
        raise ModelError(f"'{name}' ties no parameters; list some")
    return Parameter(name, tuple(places))


def parameters_of(model: Model, stated: Parameters, what: str) -> list[Parameter]:
    """The parameters in a user's list, checked: paths, or parameters of this model, each once."""
    if not isinstance(stated, str | Parameter | Iterable) or (isinstance(stated, np.ndarray) and stated.ndim == 0):
        raise ModelError(f"the parameters of {what} must be a list of names, got {check.describe(stated)}")
    listed = [stated] if isinstance(stated, str | Parameter) else list(stated)
    if not listed:
        raise ModelError(f"{what} needs parameters; list some, such as 'spring.stiffness'")
    found = []
    reached = {number for element in (model, model.ground, *model) for number in _reached(element)}
    for item in listed:
        if isinstance(item, str):
            item = _of_model(model, item)
        check.instance(item, Parameter, f"a parameter of {what}", hint="'spring.stiffness', or parameter(spring, ..)")
        for _, place in item.places:
            if id(place.holder) not in reached:
                raise ModelError(f"'{item.name}', a parameter of {what}, is not a number of model '{model.name}'")
        found.append(item)
    for k, one in enumerate(found):
        for other in found[:k]:
            if one.name == other.name or any(p.same(o) for _, p in one.places for _, o in other.places):
                raise ModelError(f"'{other.name}' and '{one.name}' of {what} are the same number; list it once")
    return found


@contextmanager
def changed(model: Model, values: Mapping[Parameter, float], check: bool = True) -> Iterator[Model]:
    """The model with other parameter values within the block; invalid values are rejected.

    Finite-difference steps are not checked (`check=False`): a damping of zero may become slightly negative.
    """
    with varied(model, [*values]) as state:
        for element in state(values):
            if check:
                element.check()
        yield model


@contextmanager
def varied(
    model: Model, parameters: Sequence[Parameter]
) -> Iterator[Callable[[Mapping[Parameter, float]], list[Element]]]:
    """A function that changes parameter values repeatedly within the block, without checks.

    It returns the elements affected by a change.
    """
    holders = {id(place.holder): place.holder for one in parameters for _, place in one.places}
    touched = [e for e in (model.ground, *model) if not holders.keys().isdisjoint(_reached(e))]
    made = [part for element in touched for part in vars(element).values() if isinstance(part, Device | Sampler)]
    kept = [(thing, dict(vars(thing))) for thing in (*holders.values(), *touched, *made)]

    def restore() -> None:
        for thing, state in reversed(kept):
            vars(thing).clear()
            vars(thing).update(state)

    def state(values: Mapping[Parameter, float]) -> list[Element]:
        restore()
        _write(values, touched)
        return touched

    try:
        yield state
    finally:
        restore()


def moved(model: Model, places: Iterable[tuple[Marker, Any]]) -> Model:
    """A copy of a model with markers moved to other points of their bodies.

    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> rod = model.add(Body(mass=2.0, inertia=0.1), name="rod")
    >>> pin = model.add(Revolute(model.ground.at(), rod.at(0, 0.5)), name="pin")
    >>> moved(model, [(pin.b, (0.0, 0.8))])["pin"].b.place, pin.b.place
    ((0.0, 0.8), (0.0, 0.5))
    """
    listed = [(marker, check.vector(place, len(marker.place), f"the position of {marker}")) for marker, place in places]
    made, twins = copy.deepcopy((model, [marker for marker, _ in listed]))
    values = {
        parameter(twin, axis): x
        for twin, (_, place) in zip(twins, listed, strict=True)
        for axis, x in zip(AXES, place, strict=False)
    }
    _write(values, [*made])
    for element in made:
        element.check()
    return made


def _write(values: Mapping[Parameter, float], touched: Iterable[Element]) -> None:
    """Set parameter values, and update what elements derive from them."""
    for one, value in values.items():
        step = value - one.value
        for factor, place in one.places:
            place.write(place.read() + factor * step)
    for element in touched:
        _derive(element)


def _derive(element: Element) -> None:
    """Update what an element derives from its fields; devices keep their identity, since others may read them."""
    kind = type(element)
    for name in [n for n in vars(element) if isinstance(getattr(kind, n, None), cached_property)]:
        del vars(element)[name]
    derived = [f.name for f in fields(element) if not f.init and f.name != "name"]
    if not derived or not hasattr(element, "__post_init__"):
        return
    before = {name: vars(element).get(name) for name in derived}
    element.__post_init__()
    for name, old in before.items():
        new = vars(element).get(name)
        if isinstance(old, Device | Sampler) and isinstance(new, type(old)):
            _renew(old, new)
        elif not isinstance(old, Code) or not isinstance(new, Code) or old.stated != new.stated:
            continue
        object.__setattr__(element, name, old)


def _renew(old: Device | Sampler, new: Device | Sampler) -> None:
    """Copy the numbers of another device; compiled code and the held values of a sampler stay."""
    names = {"parameters", "period", "offset"} if isinstance(old, Sampler) else {*vars(new)}
    if old.code.stated == new.code.stated:
        names -= {"function", "code"}
    for name in names:
        object.__setattr__(old, name, getattr(new, name))


def _of_model(model: Model, path: str) -> Parameter:
    """The number at 'element.field..' or 'gravity.y'."""
    words = path.split(".")
    if words[0] == "gravity" and "gravity" not in model:
        return Parameter(path, ((1.0, _place(model, words, f"model '{model.name}'")),))
    for k in range(len(words) - 1, 0, -1):  # names of elements may contain dots
        name = ".".join(words[:k])
        if name in model or name == "ground":
            return Parameter(path, ((1.0, _place(model[name], words[k:], name)),))
    if path in model:
        inner = [*_arguments(model[path]), *_numbers_and_parts(model[path])]
        raise ModelError(f"'{path}' is an element, not a number; its parameters: {_listed(path, inner)}")
    near = get_close_matches(words[0], ["gravity", *(element.name for element in model)], 1)
    hint = f"did you mean '{'.'.join([near[0], *words[1:]])}'?" if near else "write 'element.field'"
    raise ModelError(f"model '{model.name}' has no parameter called '{path}'; {hint}")


def _place(holder: Any, words: Sequence[str], title: str) -> Location:
    """Follow the words to a number."""
    thing = holder
    for k, word in enumerate(words):
        names = _numbers_and_parts(thing)
        stands = isinstance(thing, Marker) and thing.contact_coordinate is None
        if word in AXES and stands and word not in names:
            return _component(thing, "point", [word], title)
        if word not in names and word in ("a", "b") and isinstance(getattr(thing, "measure", None), Readable):
            thing = thing.measure  # the ends of the measure of a spring
            names = _numbers_and_parts(thing)
        named = _arguments(thing)
        if word in named:
            return named[word]
        if word not in names:
            names = [*named, *names]
            near = get_close_matches(word, names, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(names) or 'none'}"
            raise ModelError(f"{title} has no parameter '{'.'.join(words)}'; {hint}")
        value = getattr(thing, word)
        if value is None:
            raise ModelError(f"'{'.'.join(words)}' of {title} is not set and cannot be a parameter; set it")
        if _is_number(value):
            if words[k + 1 :]:
                raise ModelError(f"'{'.'.join(words[: k + 1])}' of {title} is a single number: omit '{words[-1]}'")
            return Location(thing, word)
        if _is_table(value):
            return _component(thing, word, words[k + 1 :], title)
        thing = value
    inner = _listed(words[-1], _numbers_and_parts(thing))
    raise ModelError(f"'{'.'.join(words)}' of {title} is not a number; choose one of: {inner}")


def _listed(name: str, fields: Sequence[str]) -> str:
    return ", ".join(f"{name}.{field}" for field in fields) or "none"


def _component(thing: object, attribute: str, rest: Sequence[str], title: str) -> Location:
    table = np.array(getattr(thing, attribute), float)
    axes = AXES[: table.shape[0]]
    names = [*axes] if table.ndim == 1 else [a + b for a in axes for b in axes]
    if len(rest) != 1 or rest[0] not in names:
        raise ModelError(f"{attribute} of {title} has components: append one of {', '.join(names)} after a dot")
    return Location(thing, attribute, tuple(AXES.index(letter) for letter in rest[0]))


def _numbers_and_parts(thing: object) -> list[str]:
    """The fields of an object that are numbers, points, or parts that contain such."""
    if isinstance(thing, Model):
        return ["gravity"]
    if not is_dataclass(thing):
        return []
    stated = [f.name for f in fields(thing) if f.init and hasattr(thing, f.name)]
    kinds = (str, bool, Element) if not isinstance(thing, Element) else (str, bool)
    return [n for n in stated if n != "outline" and not isinstance(getattr(thing, n), kinds)]


def _arguments(thing: object) -> dict[str, Location]:
    """The numeric arguments of the function of a user-defined element, by name."""
    values = getattr(thing, "parameters", None)
    if not is_dataclass(thing) or not isinstance(values, tuple | list) or not values:
        return {}
    if all(isinstance(pair, tuple) and len(pair) == 2 for pair in values):
        return {name: PairLocation(thing, "parameters", (k,)) for k, (name, _) in enumerate(values)}
    function = getattr(thing, "function", None)
    if not callable(function):
        return {}
    names = list(inspect.signature(function).parameters)[-len(values) :]
    return {name: Location(thing, "parameters", (k,)) for k, name in enumerate(names)}


def _reached(thing: object, depth: int = 4) -> Iterator[int]:
    """An object and all its fields, recursively, by id; fields of other elements are excluded."""
    yield id(thing)
    if depth == 0 or isinstance(thing, Model):
        return
    parts = thing if isinstance(thing, tuple | list) else ()
    if is_dataclass(thing):
        parts = [getattr(thing, f.name, None) for f in fields(thing)]
    for part in parts:
        if part is not None and not isinstance(part, Element | str | float | int):
            yield from _reached(part, depth - 1)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_table(value: object) -> bool:
    try:
        return not isinstance(value, str) and np.array(value, float).ndim in (1, 2)
    except (TypeError, ValueError):
        return False
