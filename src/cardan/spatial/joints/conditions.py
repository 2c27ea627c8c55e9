"""The conditions that make up joints: coincident points, parallel axes (Haug 9.4.7 to 9.4.10).

Labels name the constrained motion: 'x' keeps b's point at x = 0, 'turn z' prevents rotation of b about the z axis of a.
"""

from __future__ import annotations

from cardan.model.element import Equation
from cardan.spatial.body import AnyMarker
from cardan.spatial.measures import component, dot, gap, rotation_component


def coincide(a: AnyMarker, b: AnyMarker) -> tuple[Equation, ...]:
    """The points of a and b coincide: a ball. Written in global axes, where small gaps do the least harm."""
    return tuple(Equation(axis, gap(a, b, axis).parts()) for axis in "xyz")


def on_origin(a: AnyMarker, b: AnyMarker, axes: str) -> tuple[Equation, ...]:
    """Coordinates of b's point in the axes of a are zero: x and y keep it on a line, z in a plane."""
    return tuple(Equation(axis, component(a, b, axis).parts()) for axis in axes)


def parallel(a: AnyMarker, b: AnyMarker, axis_b: str = "z") -> tuple[Equation, ...]:
    """An axis of b stays parallel to the z axis of a, in the same or the opposite direction: parallel-1."""
    return (
        Equation("turn y", dot(a, b, "x", axis_b).parts()),
        Equation("turn x", dot(a, b, "y", axis_b).parts()),
    )


def aligned(a: AnyMarker, b: AnyMarker) -> tuple[Equation, ...]:
    """All axes of b stay parallel to those of a: the rotation vector from a to b is zero."""
    return tuple(Equation(f"turn {axis}", rotation_component(a, b, axis).parts()) for axis in "xyz")
