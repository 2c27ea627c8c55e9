"""Contacts of solids with the planes of the world.

    sphere     a ball            box        a point at each corner
    capsule    a ball at each end

Solids touch by the rule of MJCF: a bit of `contype` of one is among those of `conaffinity` of the other. Their friction
is the larger of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.elements.contact.contact import Contact
from cardan.errors import ModelError
from cardan.io.imported import FileModel
from cardan.io.parts import Machine
from cardan.io.solids import Solid
from cardan.model import check
from cardan.spatial.surfaces import Ball, Face

FORBIDDEN = ("a", "b")


def check_contacts(options: Any) -> None:
    """Reject options that no Contact takes."""
    stated = check.instance(options, Mapping, "contacts", hint='{"stiffness": 1e5}')
    if "stiffness" not in stated or any(name in stated for name in FORBIDDEN):
        raise ModelError('contacts= takes arguments of a Contact, at least its stiffness: {"stiffness": 1e5}')


def add_contacts(
    model: FileModel, machine: Machine, options: Mapping[str, Any] | None, named: Callable[..., str]
) -> None:
    """Add the contacts with planes if `options` ask for them; others are noted."""
    touching = {name: [s for s in solids if s.touch is not None] for name, solids in model.solids.items()}
    planes = [solid for solid in touching.pop("ground", []) if solid.kind == "plane"]
    count = sum(map(len, touching.values()))
    if options is None:
        if count + len(planes) > 1:
            machine.left_out.insert(0, f"contacts between its {count + len(planes)} geoms, see contacts=")
        return
    bodies = {body.name: body for body in model.bodies}
    unknown: list[str] = []
    for name, solids in touching.items():
        for solid in solids:
            met = [plane for plane in planes if _meet(plane, solid)]
            balls = _balls(solid) if met else []
            if met and not balls:
                unknown.append(f"{solid.kind} of '{name}'")
            for plane, (number, (point, radius)) in product(met, enumerate(balls)):
                surface = Face(model.ground.at(plane.place.point, orientation=plane.place.turn))
                friction = max(plane.touch[2], solid.touch[2]) if plane.touch and solid.touch else 0.0
                given: dict[str, Any] = {"friction": friction, **options}
                contact = Contact(surface, Ball(bodies[name].at(point), radius), **given)
                called = f"{solid.name or name} contact" + (f" {number + 1}" if len(balls) > 1 else "")
                model.add(contact, name=named(called, "force"))
    if count > 1:
        machine.left_out.insert(0, "contacts between bodies")
    if unknown:
        machine.left_out.insert(0, f"contacts with planes of {', '.join(unknown)}")


def _meet(a: Solid, b: Solid) -> bool:
    """Whether the types and affinities of two solids let them touch."""
    if a.touch is None or b.touch is None:
        return False
    return bool(a.touch[0] & b.touch[1] or b.touch[0] & a.touch[1])


def _balls(solid: Solid) -> list[tuple[NDArray, float]]:
    """Centers, in the frame of the body, and radii of balls that touch a plane as the solid does."""
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
    return [(solid.place.at(point), radius) for point in local]
