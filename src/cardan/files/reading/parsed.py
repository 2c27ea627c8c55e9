"""The content of a model file as plain data, which `building` turns into a model.

Numbers are in SI. Everything else is text, a tuple, a dictionary, or one of the classes below; each has the node from
which it was read, and errors of the model's classes are reported at that place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cardan.files.faults import Fault
from cardan.files.text.nodes import TextNode


class Object(NamedTuple):
    """An object of a type of the vocabulary; `of` is the object of which a method is called."""

    type: str
    arguments: dict[str, Any]
    node: TextNode
    of: Any = None


class Reference(NamedTuple):
    """An element of the model, or a measure or signal that it offers."""

    name: str
    offered: str
    node: TextNode


class Marker(NamedTuple):
    """A marker; `method` is `at`, `world` or `marker` of the body."""

    body: str
    method: str
    arguments: dict[str, Any]
    node: TextNode
    pose: Any = None


class Combination(NamedTuple):
    """left sign right, of measures, motions, signals or matter; left may be a number, or None for a sign alone."""

    sign: str
    left: Any
    right: Any
    node: TextNode


class AsSignal(NamedTuple):
    """A value that is read as a signal."""

    value: Any
    node: TextNode


class AttributeOf(NamedTuple):
    """An attribute of an object."""

    value: Any
    name: str
    node: TextNode


class UserFunction(NamedTuple):
    """A function of the user's module."""

    name: str
    node: TextNode


class Time(NamedTuple):
    """The time, as a signal."""

    node: TextNode


class Pose(NamedTuple):
    """The frame of an instance of an assembly in the frame around it."""

    position: tuple[float, ...]
    turn: Any  # an angle in the plane, an orientation in space, or None
    outer: Any  # the pose of the instance around it, or None
    node: TextNode


class Element(NamedTuple):
    """An element of the model."""

    name: str
    type: str
    arguments: dict[str, Any]
    node: TextNode
    pose: Pose | None = None


class Analysis(NamedTuple):
    """An analysis of the file."""

    name: str
    type: str
    arguments: dict[str, Any]
    node: TextNode


class ParsedFile(NamedTuple):
    """The whole content of a file."""

    path: str
    name: str
    space: str
    gravity: tuple[float, ...] | None
    parameters: dict[str, float]
    elements: dict[str, Element]
    outputs: dict[str, Any]
    analyses: list[Analysis]
    show: tuple[str, ...]
    lift: dict[str, Any] | None = None  # the plane of a lifted model
    display: dict[str, str] | None = None  # units in which results are shown
    warnings: tuple[Fault, ...] = ()


def references(value: object) -> list[Reference]:
    """All elements that a value refers to."""
    if isinstance(value, Reference):
        return [value]
    if isinstance(value, Marker):
        return [Reference(value.body, "", value.node), *references(value.arguments)]
    if isinstance(value, UserFunction | Time | Pose):
        return []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [found for item in items for found in references(item)]
