"""Lifting: a planar model becomes a spatial one that moves identically.

                  planar                                   in space
    Body                                     Body, its z' axis along the normal of the plane
    Revolute, Translational, Fixed           the spatial joint of that name
    Distance, Gear, RackPinion               the same element, which exists in both spaces
    Hold, Driver, Coupler, user constraints  the same on lifted measures
    slots, cams, any other constraint        `InPlane`: the planar equations on lifted measures
    forces, blocks, controllers              the same laws and devices on lifted measures: see `lift_forces`
    bodies not kept in the plane by joints   a `Planar` joint to ground, "plane of '<body>'"

Spatial joints also constrain motion out of the plane, so each closed loop has three redundant constraints, which
`mobility` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cardan.elements.constraints.distance import Distance
from cardan.elements.constraints.driver import Coupler, Driver, Hold
from cardan.elements.constraints.gear import Gear
from cardan.elements.constraints.rack_pinion import RackPinion
from cardan.elements.constraints.user_constraint import UserConstraint
from cardan.elements.contact.impact import Impact
from cardan.elements.gauge import Gauge
from cardan.elements.point import Point
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.element import Constraint, Element, Equation, Limit
from cardan.model.force import Force
from cardan.model.measure import Readable
from cardan.planar.body import Body as FlatBody
from cardan.planar.joints.fixed import Fixed as FlatFixed
from cardan.planar.joints.revolute import Revolute as FlatRevolute
from cardan.planar.joints.translational import Translational as FlatTranslational
from cardan.planar.model import Model as FlatModel
from cardan.spatial import rotation
from cardan.spatial.body import Marker
from cardan.spatial.joints.cylindrical import Translational
from cardan.spatial.joints.directions import Planar
from cardan.spatial.joints.fixed import Fixed
from cardan.spatial.joints.revolute import Revolute
from cardan.spatial.lift_forces import lifted_force
from cardan.spatial.model import Model
from cardan.spatial.plane import PlaneInSpace

KEEPING = (FlatRevolute, FlatTranslational, FlatFixed)  # their spatial counterparts keep one body in the other's plane


def lift(
    model: FlatModel,
    *,
    origin: Vector = (0.0, 0.0, 0.0),
    x: Vector = (1.0, 0.0, 0.0),
    z: Vector = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> Model:
    """A planar model as a spatial one, in the plane through `origin` with the normal `z` and the x axis `x`.

    The model keeps its name unless another is given; elements keep their names, and joints their coordinates.
    Bodies get the inertia of a thin plate in the plane, of which only the moment about the normal matters. Angles
    include full turns, as in the plane.

    >>> from cardan import mobility
    >>> from cardan.examples import load
    >>> from cardan.spatial import lift
    >>> report = mobility(lift(load("four-bar").build(), z=(0, -1, 0)))
    >>> report.degrees_of_freedom, len(report.redundant)
    (1, 3)
    """
    return laid(model, origin, x, z, name)[0]


def laid(
    model: FlatModel,
    origin: Vector = (0.0, 0.0, 0.0),
    x: Vector = (1.0, 0.0, 0.0),
    z: Vector = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> tuple[Model, PlaneInSpace]:
    """The lifted model, and the plane that maps every planar measure and signal to its spatial one."""
    if not isinstance(model, FlatModel):
        given = check.describe(model)
        raise ModelError(f"the model for lift() must be a planar Model, got {given}; cardan.planar.Model creates one")
    for body in model.bodies:
        if body.modal_coordinates:
            raise ModelError(f"{body.title} is flexible and cannot be lifted; use a spatial FlexibleBody with its part")
        if not body.has_orientation:
            raise ModelError(f"{body.title} cannot be lifted: state a spatial {type(body).__name__} in a spatial model")
    lifted = Model(model.name if name is None else name)
    lifted.display = model.display
    plane = PlaneInSpace(origin, x, z, model.ground, lifted.ground)
    lifted.gravity = tuple(plane.vector(*model.gravity).tolist())
    for element in model:
        there = plane.add(element) if isinstance(element, FlatBody) else _lifted(element, plane)
        plane.elements[element] = lifted.add(there, name=element.name)
    for body in _loose(model):
        lifted.add(Planar(plane.frame, plane.body(body).at()), name=f"plane of '{body.name}'")
    return lifted, plane


@dataclass(frozen=True, eq=False)
class InPlane(Constraint):
    """A planar constraint that acts in a plane in space: its own equations, on lifted measures.

    It offers the coordinates of the planar element, such as `.travel` of a slot or `.contact` of a cam.
    """

    element: Constraint
    plane: PlaneInSpace

    @property
    def title(self) -> str:
        return self.element.title

    @property
    def carries(self) -> bool:  # type: ignore[override]
        return self.element.carries

    @property
    def drives(self) -> bool:  # type: ignore[override]
        return self.element.drives

    def bodies(self) -> tuple[RigidBody, ...]:
        return tuple(self.plane.body(body) for body in self.element.bodies())

    def equations(self) -> tuple[Equation, ...]:
        return tuple(self.plane.equation(equation) for equation in self.element.equations())

    def limits(self) -> tuple[Limit, ...]:
        return tuple(replace(limit, measure=self.plane.measure(limit.measure)) for limit in self.element.limits())

    def contact_coordinates(self) -> tuple[Any, ...]:
        return tuple(self.plane.contact(coordinate) for coordinate in self.element.contact_coordinates())

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        def flat_pose(body: RigidBody) -> np.ndarray:
            if body is self.plane.flat_ground:
                return np.zeros(3)
            return np.array(self.plane.flat_pose(pose(self.plane.body(body))))

        return self.element.contact_start(flat_pose)

    def coordinates(self) -> dict[str, Readable]:
        return {name: self.plane.readable(measure) for name, measure in self.element.coordinates().items()}

    def __getattr__(self, name: str) -> Readable:
        """A coordinate that the planar element offers."""
        element = None if name.startswith("_") else self.__dict__.get("element")  # not yet set while copying
        measure = getattr(element, name, None)
        if not isinstance(measure, Readable):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        return self.plane.readable(measure)


def _lifted(element: Element, plane: PlaneInSpace) -> Element:
    """The spatial element for a planar one. Exact classes only: a user's subclass may constrain more."""
    kind = type(element)
    if kind in (FlatRevolute, FlatFixed, FlatTranslational, Distance, Gear, RackPinion):
        return _joint(element, plane)
    if isinstance(element, Hold | Driver | Coupler) and kind in (Hold, Driver, Coupler):
        return replace(element, measure=plane.readable(element.measure))
    if isinstance(element, UserConstraint):
        return replace(element, measures=tuple(plane.measure(measure.parts()[0][1]) for measure in element.measures))
    if isinstance(element, Gauge):
        return Gauge(plane.readable(element.measure))
    if isinstance(element, Point):
        return replace(element, marker=plane.marker(element.marker))
    if isinstance(element, Constraint):
        return InPlane(element, plane)
    if isinstance(element, Force | Impact):
        return lifted_force(element, plane)
    raise ModelError(f"{element.title} cannot be lifted: lift() supports bodies, constraints, forces and points")


def _joint(joint: Any, plane: PlaneInSpace) -> Constraint:
    a, b = plane.fixed(joint.a), plane.fixed(joint.b)
    match joint:
        case FlatRevolute():
            return Revolute(a, b)
        case FlatFixed():
            return Fixed(a, b)
        case FlatTranslational():
            return Translational(_along_x(a), _along_x(b))
        case _:
            return replace(joint, a=a, b=b)


def _along_x(marker: Marker) -> Marker:
    """Spatial joints act along z: the x axis of a lifted marker becomes z, and the normal becomes x."""
    turned = rotation.multiply(marker.orientation, rotation.from_axes(z=(1.0, 0.0, 0.0), x=(0.0, 0.0, 1.0)))
    return replace(marker, orientation=tuple(turned.tolist()))


def _loose(model: FlatModel) -> Iterable[FlatBody]:
    """One body of each group that joints connect to each other, but not to ground."""
    group: dict[FlatBody, FlatBody] = {body: body for body in (model.ground, *model.bodies)}

    def first(body: FlatBody) -> FlatBody:
        while group[body] is not body:
            body = group[body]
        return body

    for element in model:
        if isinstance(element, KEEPING) and type(element) in KEEPING:
            a, b = first(element.a.body), first(element.b.body)
            keep, join = (b, a) if b is model.ground else (a, b)
            group[join] = keep
    return [body for body in model.bodies if group[body] is body]
