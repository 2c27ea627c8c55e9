"""What a file states, read and judged, but not yet made: plain data that `build` turns into a model.

Numbers are in SI. Everything else is a word, a tuple, or one of the classes below; each knows the node that it was read
from, so that what a class refuses is told with its place in the file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cardan.files.faults import Fault
from cardan.files.text.nodes import Node


class Made(NamedTuple):
    """An object of a type of the vocabulary with its arguments; `of` is what a method is called on."""

    type: str
    arguments: dict[str, Any]
    node: Node
    of: Any = None


class Reference(NamedTuple):
    """An element of the model, or something that it offers."""

    name: str
    offered: str
    node: Node


class MarkerAt(NamedTuple):
    """A point of a body with axes, as `body.at`, `body.world` or `body.marker` take it."""

    body: str
    way: str
    arguments: dict[str, Any]
    node: Node
    pose: Any = None


class Combined(NamedTuple):
    """left sign right, of measures, motions, signals or matter; left may be a number, or None for a sign alone."""

    sign: str
    left: Any
    right: Any
    node: Node


class AsSignal(NamedTuple):
    """What is read as a signal."""

    value: Any
    node: Node


class Offered(NamedTuple):
    """An attribute of something made in place."""

    value: Any
    name: str
    node: Node


class Own(NamedTuple):
    """A function of the user's module."""

    name: str
    node: Node


class Clock(NamedTuple):
    """The time, as a signal."""

    node: Node


class Pose(NamedTuple):
    """Where an instance of an assembly stands: its frame in the frame around it."""

    position: tuple[float, ...]
    turn: Any  # an angle in the plane, an orientation in space, or None
    outer: Any  # the pose of the instance around it, or None
    node: Node


class Element(NamedTuple):
    """An element of the model under its name."""

    name: str
    type: str
    arguments: dict[str, Any]
    node: Node
    pose: Pose | None = None


class Analysis(NamedTuple):
    """An analysis that the file asks for."""

    name: str
    type: str
    arguments: dict[str, Any]
    node: Node


class Sheet(NamedTuple):
    """All that a file states."""

    path: str
    name: str
    space: str
    gravity: tuple[float, ...] | None
    parameters: dict[str, float]
    elements: dict[str, Element]
    outputs: dict[str, Any]
    analyses: list[Analysis]
    show: tuple[str, ...]
    lift: dict[str, Any] | None = None  # where in space a planar model is laid
    doubts: tuple[Fault, ...] = ()  # what is no fault, but should be looked at


def references(value: Any) -> list[Reference]:
    """All elements that a value names."""
    found: list[Reference] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Reference]) -> None:
    if isinstance(value, Reference):
        found.append(value)
    elif isinstance(value, MarkerAt):
        found.append(Reference(value.body, "", value.node))
        _collect(value.arguments, found)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, tuple) and not isinstance(value, Own | Clock | Pose):
        for item in value:
            _collect(item, found)
