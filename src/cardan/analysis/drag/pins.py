"""Markers on one pin, which move together when a joint is moved.

  o===== a link          all markers of a body at the point of the joint: other joints, ends of springs, gears;
 /|\\                     but not guide lines through the pivot
--+--------  a guide
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Element
from cardan.model.marker import Marker
from cardan.model.model import Model

COINCIDENT_PINS = 1e-12  # relative to the size of a body: closer points coincide


def on_pin(model: Model, marker: Any, place: Any) -> list[tuple[Any, Any]]:
    """The markers on one pin with the marker of a joint, each with its new position, as input of `moved`."""
    found = {id(marker): marker}
    for element in model:
        for other in _markers_in(element):
            if other.body is marker.body and other.contact_coordinate is None and not _guides(element, other):
                if float(np.abs(np.subtract(other.place, marker.place)).max()) <= COINCIDENT_PINS * max(
                    1.0, marker.arm
                ):
                    found[id(other)] = other
    return [(each, place) for each in found.values()]


def _guides(element: Any, marker: Marker) -> bool:
    """Whether a marker is a line along which its joint slides."""
    if not isinstance(element, TwoMarkerJoint) or marker is not element.a:
        return False
    steps = element.steps()
    if steps is not None:
        return [step.kind for step in steps] == ["slide"]
    return any(measure.kind == "component" for equation in element.equations() for _, measure in equation.terms)


def _markers_in(thing: Any, depth: int = 6) -> Iterator[Any]:
    """The markers among the fields of an element."""
    if isinstance(thing, Marker):
        yield thing
    elif depth and (is_dataclass(thing) or isinstance(thing, tuple | list)):
        parts = thing if isinstance(thing, tuple | list) else [getattr(thing, f.name, None) for f in fields(thing)]
        for part in parts:
            if not isinstance(part, Element | str | float | int):
                yield from _markers_in(part, depth - 1)
