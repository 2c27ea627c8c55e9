"""Contacts of solids with the planes of the world.

    sphere     a ball            box        a point at each corner
    capsule    a ball at each end

Solids touch by the rules of MJCF: a bit of `contype` of one is among those of `conaffinity` of the other, and no
<exclude> names their bodies. Friction is that of the solid of higher `priority`, or else the larger of both; there is
none if `condim` is 1. Bodies without joints to the world belong to the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.elements.contact.contact import Contact
from cardan.errors import ModelError
from cardan.io.building.closures import Carriers
from cardan.io.imported import FileModel
from cardan.io.parts import Machine
from cardan.io.pose import Pose
from cardan.io.solids import Solid, Touch
from cardan.model import check
from cardan.spatial.surfaces import Ball, Face

FORBIDDEN = ("a", "b")


def check_contacts(options: Any) -> None:
    """Reject options that no Contact takes."""
    stated = check.instance(options, Mapping, "contacts", hint='{"stiffness": 1e5}')
    if "stiffness" not in stated or any(name in stated for name in FORBIDDEN):
        raise ModelError('contacts= takes arguments of a Contact, at least its stiffness: {"stiffness": 1e5}')


def add_contacts(
    model: FileModel,
    machine: Machine,
    carriers: Carriers,
    options: Mapping[str, Any] | None,
    named: Callable[..., str],
) -> None:
    """Add the contacts with planes if `options` ask for them; others are noted."""
    still = _still(machine)
    links = [(None, machine.world), *((link.name, link) for link in machine.links)]
    touching = [(name, solid) for name, link in links for solid in link.solids if solid.touch]
    planes = [(name, solid) for name, solid in touching if name in still and solid.kind == "plane"]
    if options is None:
        if len(touching) > 1:
            machine.left_out.insert(0, f"contacts between its {len(touching)} geoms, see contacts=")
        return
    unknown: list[str] = []
    moving = [(name, solid) for name, solid in touching if name not in still]
    for name, solid in moving:
        met = [(floor, plane) for floor, plane in planes if _meet(plane, solid) and {floor, name} not in machine.apart]
        body, place = carriers[name]
        balls = _balls(solid, place) if met else []
        if met and not balls:
            unknown.append(f"{solid.kind} of '{name}'")
        for (floor, plane), (number, (point, radius)) in product(met, enumerate(balls)):
            ground, frame = carriers[floor]
            seat = frame.then(plane.place)
            surface = Face(ground.at(seat.point, orientation=seat.turn))
            given: dict[str, Any] = {"friction": _friction(plane.touch, solid.touch), **options}
            contact = Contact(surface, Ball(body.at(point), radius), **given)
            called = f"{solid.name or name} contact" + (f" {number + 1}" if len(balls) > 1 else "")
            model.add(contact, name=named(called, "force"))
    if moving and len(touching) - len(planes) > 1:
        machine.left_out.insert(0, "contacts between bodies")
    if unknown:
        machine.left_out.insert(0, f"contacts with planes of {', '.join(unknown)}")


def _still(machine: Machine) -> set[str | None]:
    """The names of links that are fixed in the world, whose own is None."""
    found: set[str | None] = {None}
    for link in machine.links:  # parents first
        if link.parent in found and not link.joints:
            found.add(link.name)
    return found


def _meet(plane: Solid, solid: Solid) -> bool:
    """Whether the types and affinities of two solids let them touch."""
    a, b = plane.touch, solid.touch
    return bool(a and b and (a.kinds & b.partners or b.kinds & a.partners))


def _friction(a: Touch | None, b: Touch | None) -> float:
    """Of two solids the one of higher priority decides, or else the larger number of both."""
    assert a is not None
    assert b is not None
    first = max(a.priority, b.priority)
    decide = [touch for touch in (a, b) if touch.priority == first]
    return max(touch.friction for touch in decide) if max(touch.directions for touch in decide) > 1 else 0.0


def _balls(solid: Solid, place: Pose) -> list[tuple[NDArray, float]]:
    """Centers, in the frame of the body that carries the link at `place`, and radii of balls that touch a plane as the
    solid does."""
    if solid.kind == "sphere":
        local, radius = [(0.0, 0.0, 0.0)], solid.sizes[0]
    elif solid.kind == "capsule":
        radius, length = solid.sizes
        local = [(0.0, 0.0, side * length / 2.0) for side in (1.0, -1.0)]
    elif solid.kind == "box":
        radius, half = 0.0, 0.5 * np.array(solid.sizes)
        local = [tuple(half * signs) for signs in product((1.0, -1.0), repeat=3)]
    else:
        return []
    seat = place.then(solid.place)
    return [(seat.at(point), radius) for point in local]
