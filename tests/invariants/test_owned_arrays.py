"""Arrays and lists passed in are copied: whoever changes them afterwards changes no model."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

import cardan
import cardan.planar as plane
import cardan.spatial as space
from cardan.elements.control.source import Source
from cardan.model.curves.function_code import Code
from cardan.model.stated import Stated, owned
from invariants.population import population

PUBLIC = sorted(
    {
        thing
        for module in (plane, space, plane.matter, space.matter, cardan)
        for name, thing in inspect.getmembers(module)
        if inspect.isclass(thing) and not name.startswith("_") and isinstance(thing, Stated)
    },
    key=lambda kind: f"{kind.__module__}.{kind.__name__}",
)


def parts_of(thing, seen):
    """Everything within an object: entries, fields and attributes, all the way down."""
    if id(thing) in seen or isinstance(thing, str | bytes | int | float | type) or inspect.isroutine(thing):
        return
    seen[id(thing)] = thing
    yield thing
    if isinstance(thing, np.ndarray):
        return
    inner = list(thing.values()) if isinstance(thing, Mapping) else []
    inner += list(thing) if isinstance(thing, list | tuple | set | frozenset) else []
    if type(thing).__module__.startswith("cardan.") and not isinstance(thing, Code):
        inner += vars(thing).values() if "__dict__" in dir(thing) else []
    for part in inner:
        yield from parts_of(part, seen)


def as_array(value):
    """A fresh array of the same numbers, or None: what a user might pass in place of a list."""
    if isinstance(value, list | tuple | np.ndarray) and len(value):
        try:
            array = np.array(value)
        except ValueError:  # lines of unequal length
            return None
        return array if array.dtype.kind in "fi" else None
    return None


def stated(kind, found):
    """The arguments of a dataclass that make an equal object."""
    fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(kind) if field.init}
    taken = inspect.signature(kind).parameters
    return {name: value for name, value in fields.items() if name in taken}


@pytest.fixture(scope="module")
def examples() -> dict[type, list]:
    """Objects of the public classes: all that the models of the population are made of."""
    found: dict[type, list] = {kind: [] for kind in PUBLIC}
    seen: dict[int, object] = {}
    for case in population("catalog", "rolling", "forces"):
        for part in parts_of(case.build(), seen):
            for kind in type(part).__mro__:
                if kind in found and type(part) is kind:
                    found[kind].append(part)
    return found


def _variants(kind, objects) -> Iterator[tuple[dict, list]]:
    """Arguments with arrays in place of what may be arrays, and the arrays."""
    done = set()
    for thing in objects:
        arguments = stated(kind, thing)
        arrays = {name: array for name, value in arguments.items() if (array := as_array(value)) is not None}
        if arrays and tuple(arrays) not in done:
            done.add(tuple(arrays))
            yield {**arguments, **arrays}, list(arrays.values())


def test_objects_share_no_memory_with_their_arguments(examples):
    """Over all public classes: no array that was passed in is found within the object."""
    tried = set()
    for kind, objects in examples.items():
        if not dataclasses.is_dataclass(kind):
            continue
        for arguments, arrays in _variants(kind, objects):
            try:
                made = kind(**arguments)
            except (cardan.CardanError, TypeError, ValueError):  # not a place where an array may stand
                continue
            tried.add(kind.__name__)
            inner = [part for part in parts_of(made, {}) if isinstance(part, np.ndarray)]
            assert not any(np.shares_memory(a, b) for a in arrays for b in inner), kind.__name__
    assert {"Body", "Load", "Spline", "CamFlat", "Mesh", "Marker", "StateSpace", "Bushing"} <= tried, tried


def test_every_public_class_owns_its_arguments():
    """Whatever takes arrays is made by one metaclass: classes that are not stated by users alone may be others."""
    others = {
        name
        for module in (plane, space)
        for name, thing in inspect.getmembers(module)
        if inspect.isclass(thing) and not name.startswith("_") and not isinstance(thing, Stated)
    }
    assert others <= {"Model", "TireData", "MagicFormula", "Section", "Orientation", "Bracket"}
    assert issubclass(Source, cardan.model.element.Element)


@pytest.mark.parametrize(
    "make",
    [
        lambda array: plane.Body(mass=1.0, inertia=1.0, position=array[:2]),
        lambda array: plane.Body(mass=1.0, inertia=1.0, velocity=array[:2]),
        lambda array: plane.Body(mass=1.0, inertia=1.0, center=array[:2]),
        lambda array: space.Body(mass=1.0, position=array),
        lambda array: space.Body(mass=1.0, angular_velocity=array),
        lambda array: space.Body(mass=1.0, inertia=np.outer(array, array) + np.eye(3)),
    ],
)
def test_a_body_stays_where_it_was_stated(make):
    array = np.array([0.1, 0.2, 0.3])
    body, expected = make(array), make(array.copy())
    array[:] = 9.0
    for name in ("position", "velocity", "center", "inertia", "angular_velocity"):
        assert np.array_equal(getattr(body, name), getattr(expected, name))


def test_owned_copies_cannot_be_written():
    inner = np.array([1.0, 2.0])
    copy = owned([inner, (inner, {"a": [inner]})])
    inner[0] = 5.0
    assert copy[0][0] == copy[1][0][0] == copy[1][1]["a"][0][0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        copy[0][0] = 3.0
