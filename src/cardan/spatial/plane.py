r"""A plane in space, and the geometry of a planar model placed in it.

          n (normal)   y
          |  _________/___          r = origin + R (x, y, 0),     A = R Rz(phi),     R = [x y n]
          | /   . body   /
          |/___/________/           A lifted body keeps its own x' and y' axes in the plane, z' along the normal; a
        origin ---- x               lifted marker likewise. So every planar measure keeps its kind, axes and value.

Ground has the global frame in either space: what is fixed to it is moved to the plane once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import CurveSignal, Device, Multiplier, Output, Signal, Value
from cardan.model.element import Equation
from cardan.model.force import Law
from cardan.model.marker import Marker as BaseMarker
from cardan.model.measure import Combination, Measure, Readable
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.planar.body import Body as FlatBody, Marker as FlatMarker, require_marker as require_flat_marker
from cardan.spatial import rotation
from cardan.spatial.body import AnyMarker, Body, Marker, Outline

NORMAL = (0.0, 0.0, 1.0)


class PlaneInSpace:
    """The plane of a planar model in space, with its lifted bodies and contacts."""

    def __init__(self, origin: Any, x: Any, z: Any, flat_ground: FlatBody, ground: Body) -> None:
        self.origin = np.array(check.vector(origin, 3, "the origin of the plane"))
        axes = {name: check.vector(axis, 3, f"the {name} axis of the plane") for name, axis in (("x", x), ("z", z))}
        self.parameters: np.ndarray = rotation.from_axes(**axes, what="the plane")
        self.matrix: np.ndarray = rotation.matrix(self.parameters)
        self.flat_ground, self.ground = flat_ground, ground
        self.elements: dict[Any, Any] = {}  # planar bodies already lifted, with their spatial ones
        self._bodies: dict[RigidBody, Body] = {}
        self._contacts: dict[ContactCoordinate, ContactCoordinate] = {}
        self._devices: dict[int, tuple[Device, Device]] = {}  # by identity, with the planar one to keep it alive

    @property
    def frame(self) -> Marker:
        """The ground marker whose xy plane this is."""
        return self.ground.at(self.origin, orientation=self.parameters)

    def point(self, x: float, y: float) -> np.ndarray:
        """The global position of a point in the plane."""
        return self.origin + self.vector(x, y)

    def vector(self, x: float, y: float) -> np.ndarray:
        """A vector in the plane, in global components."""
        return self.matrix @ (x, y, 0.0)

    def add(self, flat: FlatBody) -> Body:
        """Add the spatial body for a planar one."""
        lines = [np.insert(np.asarray(line, float).reshape(-1, 2), 2, 0.0, axis=1) for line in flat.outlines()]
        body = Body(
            mass=flat.matter.mass if flat.mass is not None else None,
            inertia=None if flat.inertia is None else (flat.inertia / 2.0, flat.inertia / 2.0, flat.inertia),
            center=(*flat.center, 0.0),
            inertia_at=flat.inertia_at,
            position=_floats(self.point(*flat.position)),
            orientation=self._turned(flat.angle),
            velocity=_floats(self.vector(*flat.velocity)),
            angular_velocity=_floats(flat.angular_velocity * self.matrix[:, 2]),
            outline=lines or None,
            color=flat.color,
        )
        self._bodies[flat] = body
        return body

    def body(self, flat: RigidBody) -> Body:
        """The spatial body for a planar one."""
        if flat is self.flat_ground:
            return self.ground
        try:
            return self._bodies[flat]
        except KeyError:
            raise ModelError(f"{flat.title} is not part of the lifted model; add the body to it first") from None

    def marker(self, flat: BaseMarker) -> AnyMarker:
        """The spatial marker: its x and y axes in the plane, its z axis along the normal."""
        if isinstance(flat, ContactMarker):
            return self.running(flat)
        return self.fixed(require_flat_marker(flat, "a lifted marker"))

    def fixed(self, flat: FlatMarker) -> Marker:
        """A body-fixed marker."""
        body = self.body(flat.body)
        if body is self.ground:
            return Marker(body, _floats(self.point(*flat.place)), self._turned(flat.angle))
        return Marker(body, (*flat.place, 0.0), _turn(flat.angle))

    def _turned(self, angle: float) -> Any:
        """The axes of the plane rotated about its normal, full turns included."""
        return rotation.with_turns(rotation.multiply(self.parameters, _turn(angle)), angle * self.matrix[:, 2])

    def running(self, flat: ContactMarker) -> ContactMarker:
        """The marker that moves along an outline."""
        return ContactMarker(self.contact(flat.contact))

    def contact(self, flat: ContactCoordinate) -> ContactCoordinate:
        """The internal coordinate of a contact: the same curve, in the xy plane of the lifted frame."""
        if flat not in self._contacts:
            outline = flat.outline
            frame = self.fixed(FlatMarker(outline.body, outline.x, outline.y, outline.angle))
            self._contacts[flat] = ContactCoordinate(Outline(frame, outline.curve), flat.label, flat.element)
        return self._contacts[flat]

    def measure(self, flat: Measure) -> Measure:
        """The same measure between lifted markers; a global coordinate is one in the frame of the plane."""
        b = self.marker(flat.b)
        if flat.kind == "coordinate" and flat.a is None:
            return Measure("component", self.frame, b, flat.axes)
        kind = "spin" if flat.kind == "turn" else flat.kind  # about the normal, which is the markers' z axis
        return Measure(kind, None if flat.a is None else self.marker(flat.a), b, flat.axes, flat.near)

    def readable(self, flat: Readable) -> Readable:
        """A measure or a combination of measures."""
        return self.measure(flat) if isinstance(flat, Measure) else Combination(self.terms(flat.parts()))

    def terms(self, flat: tuple[tuple[float, Measure], ...]) -> tuple[tuple[float, Measure], ...]:
        """The terms of an equation or a combination."""
        return tuple((k, self.measure(part)) for c, m in flat for k, part in _points_apart(c, m))

    def equation(self, flat: Equation) -> Equation:
        """The same equation on lifted measures."""
        terms = tuple((c, self.measure(m)) for c, m in flat.terms) if flat.function else self.terms(flat.terms)
        return replace(flat, terms=terms)

    def law(self, flat: Law) -> Law:
        """The same force along lifted measures."""
        terms = tuple((c, self.measure(m)) for c, m in flat.terms)
        arguments = tuple((self.measure(m), level) for m, level in flat.arguments)
        signal = None if flat.signal is None else self.signal(flat.signal)
        return replace(flat, terms=terms, arguments=arguments, signal=signal)

    def signal(self, flat: Signal) -> Signal:
        """The same signal of lifted measures and devices."""
        if isinstance(flat, Value):
            return replace(flat, of=Combination(tuple((c, self.measure(m)) for c, m in flat.of.parts())))
        if isinstance(flat, Output):
            return Output(self.device(flat.device), flat.place)
        if isinstance(flat, Multiplier):
            return self._carried(flat)
        if isinstance(flat, CurveSignal):
            return replace(flat, at=self.signal(flat.at))
        return flat

    def _carried(self, flat: Multiplier) -> Multiplier:
        """The reaction of an element, if it has the same equation in space."""
        there = self.elements.get(flat.element)
        if there is not None and (type(there) is type(flat.element) or getattr(there, "element", None) is flat.element):
            return Multiplier(there, flat.label)
        for here, there in self.elements.items():  # the closed contact of an Impact
            if getattr(here, "closed", None) is flat.element:
                return Multiplier(there.closed, flat.label)
        raise ModelError(
            f"lift() does not lift devices that read the reaction '{flat.label}' of {flat.element.title}: in space it "
            "is not the same equation"
        )

    def device(self, flat: Device) -> Device:
        """The spatial device for a planar one."""
        if id(flat) not in self._devices:
            lifted = replace(flat, inputs=tuple(self.signal(signal) for signal in flat.inputs))
            self._devices[id(flat)] = flat, lifted
        return self._devices[id(flat)][1]

    def flat_pose(self, pose: np.ndarray) -> tuple[float, float, float]:
        """x, y and angle in the plane of a spatial body."""
        x, y, _ = self.matrix.T @ (pose[:3] - self.origin)
        e0, _, _, e3 = rotation.multiply(rotation.inverse(self.parameters), pose[3:7])
        return float(x), float(y), 2.0 * math.atan2(e3, e0)


def _turn(angle: float) -> np.ndarray:
    """A rotation about the normal."""
    parameters: np.ndarray = rotation.from_axis_angle(NORMAL, angle)
    return parameters


def _points_apart(coefficient: float, flat: Measure) -> tuple[tuple[float, Measure], ...]:
    """The gap between two points along an axis of the plane as the difference of their coordinates."""
    if flat.kind != "coordinate" or flat.a is None:
        return ((coefficient, flat),)
    return (coefficient, replace(flat, a=None)), (-coefficient, replace(flat, a=None, b=flat.a))


def _floats(values: np.ndarray) -> Any:
    return tuple(float(value) for value in values)
