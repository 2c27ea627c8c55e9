"""Lifting of forces and devices: the same laws, devices and samplers on lifted measures.

Contact of Face and Disk      Contact of Face and Ball: gaps and slips are the same while the bodies stay in the plane
Friction, Impact              rebuilt for the lifted joint or measure, since they have equations of their own
blocks, controllers, Sampled  a copy whose device reads lifted signals
others                        `ForceInPlane`
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from cardan.elements.contact.contact import Contact
from cardan.elements.contact.friction import Friction
from cardan.elements.contact.impact import Impact
from cardan.elements.control.sampled import Sampled
from cardan.elements.control.source import Block, Source
from cardan.errors import ModelError
from cardan.model.device import Device, Signal
from cardan.model.element import Constraint, Element
from cardan.model.force import Force, Law, StartRange
from cardan.model.measure import Readable
from cardan.planar.surfaces import Disk, Face as FlatFace
from cardan.spatial import rotation
from cardan.spatial.plane import PlaneInSpace
from cardan.spatial.surfaces import Ball, Face


@dataclass(frozen=True, eq=False)
class ForceInPlane(Force):
    """A planar force in space: the same laws along lifted measures."""

    element: Force
    plane: PlaneInSpace

    @property
    def title(self) -> str:
        return f"{type(self.element).__name__} '{self.name}'"

    @property
    def measure(self) -> Readable:
        """The measure along which the planar force acts, if there is exactly one."""
        return self.plane.readable(self.element.laws()[0].terms[0][1])

    def laws(self) -> tuple[Law, ...]:
        return tuple(self.plane.law(law) for law in self.element.laws())

    def devices(self) -> tuple[Device, ...]:
        return tuple(self.plane.device(device) for device in self.element.devices())

    @property
    def device(self) -> Device:
        """The device of the planar force, on lifted signals."""
        if not isinstance(found := getattr(self.element, "device", None), Device):
            raise AttributeError(f"{type(self.element).__name__} has no device")
        return self.plane.device(found)

    def begins(self) -> tuple[StartRange, ...]:
        return tuple(replace(begin, measure=self.plane.readable(begin.measure)) for begin in self.element.begins())


def lifted_force(element: Any, plane: PlaneInSpace) -> Element:
    """The spatial element for a planar force, block or impact."""
    kind = type(element)
    if kind is Contact:
        return replace(element, a=_surface(element.a, element, plane), b=_surface(element.b, element, plane))
    if kind is Friction:
        return _friction(element, plane)
    if kind is Impact:
        along = None if element.along is None else plane.readable(element.along)
        return replace(element, measure=plane.readable(element.measure), along=along)
    if isinstance(element, Block):
        return _copied(element, device=plane.device(element.device))
    if isinstance(element, Sampled):
        inputs = tuple(plane.signal(signal) for signal in element.sampler.inputs)
        return _copied(element, sampler=replace(element.sampler, inputs=inputs))
    if isinstance(element, Source) or element.samplers() or element.reserve() or element.guards():
        raise ModelError(f"{element.title} cannot be lifted: define it in space")
    return ForceInPlane(element, plane)


def _surface(flat: Any, contact: Contact, plane: PlaneInSpace) -> Any:
    """A circle becomes a ball, a face the one whose z axis is the y axis of the planar marker."""
    if isinstance(flat, Disk):
        return Ball(plane.fixed(flat.marker), flat.radius, flat.hollow)
    if isinstance(flat, FlatFace):
        marker = plane.fixed(flat.marker)
        outward = rotation.from_axes(z=(0.0, 1.0, 0.0), x=(1.0, 0.0, 0.0))
        turned = tuple(rotation.multiply(marker.orientation, outward).tolist())
        return Face(replace(marker, orientation=turned))
    raise ModelError(
        f"{contact.title} cannot be lifted: a {type(flat).__name__} has no counterpart in space; a Face, a Disk and "
        "points have one"
    )


def _friction(flat: Friction, plane: PlaneInSpace) -> Friction:
    """Friction of the lifted joint, which has the same reaction in the plane and none normal to it."""
    assert flat.along is not None
    normal = plane.signal(flat.normal) if isinstance(flat.normal, Signal) else flat.normal
    of: Constraint | Readable | None
    if isinstance(flat.of, Readable):
        of = plane.readable(flat.of)
    elif normal is None:
        of = plane.elements.get(flat.of)
        if of is None:
            raise ModelError(f"{flat.title} cannot be lifted: {flat.of.title} is not part of the lifted model yet")
    else:
        of = plane.readable(flat.along)
    return replace(flat, of=of, along=plane.readable(flat.along), normal=normal)


def _copied(element: Element, **changes: Any) -> Any:
    """A copy of the element, not yet part of a model, with some attributes replaced."""
    made = copy(element)
    for name, value in {"name": "", **changes}.items():
        object.__setattr__(made, name, value)
    return made
