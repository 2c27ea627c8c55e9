"""Where mechanisms of space are stated: bodies placed in the world or on each other, all of it moved as a pose says.

a = stage.wrist()                              a marker that moves in every direction, and turns many times
b = stage.mounted("link", a, LOOSE.at(-0.3, 0.1, 0.05), shift=(0.2, 0, 0), turn=(0.4, 0.3, -0.2))
ball = stage.add("ball", Spherical(a, b))      b is a marker of the new body 'link'
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.spatial import Body, Driver, Marker, Model, Ramp, Revolute, lift, rotation
from catalog import PlanarStage
from stage import Stage

LOOSE = Body()  # markers of a body that is not there yet: `stage.mounted` makes it
Pose = tuple[float, float, float, float, float, float]
Vector = tuple[float, float, float]
SKEW = (0.3, -0.5, 1.0)


class SpatialStage(Stage):
    """A pose is a displacement x, y, z and a rotation vector."""

    here = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    poses = ((1.0, -2.0, 0.5, 0.3, -0.8, 1.9), (-0.4, 0.1, 2.0, -2.9, 0.4, 0.2), (0.0, 0.0, 0.0, math.pi, 0.0, 0.0))

    def __init__(self, name: str, seed: int = 0, pose: Pose | None = None) -> None:
        super().__init__(Model(name), seed, pose)

    @staticmethod
    def motion_of(pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        return rotation.matrix(rotation.from_rotation_vector(pose[3:])), np.array(pose[:3])

    def on(self, body: Body, *point: Any, **axes: Any) -> Marker:
        """A marker of a body at a point of the world, with axes in world directions, before all of it is moved."""
        stated = LOOSE.at(*point, **axes)
        place, parameters = self._moved(stated.place, stated.orientation)
        return body.world(place, orientation=parameters)

    def ground(self, *point: Any, **axes: Any) -> Marker:
        return self.on(self.empty.ground, *point, **axes)

    def body(self, name: str, *position: float, turn: Vector = (0.0, 0.0, 0.0)) -> Body:
        """A body at a point of the world, turned by a rotation vector."""
        place, parameters = self._moved(position or (0.0, 0.0, 0.0), rotation.from_rotation_vector(turn))
        return self.keep(name, Body(mass=1.0, inertia=(0.1, 0.2, 0.3), position=place, orientation=parameters))

    def mounted(self, name: str, a: Marker, b: Marker, shift: Vector = (0, 0, 0), turn: Vector = (0, 0, 0)) -> Marker:
        """The marker b, stated on `LOOSE`, on a new body that stands where b is a shifted and turned, in a's axes."""
        target = beside(a, *shift, turn=turn)
        frame = target.body.parameters
        parameters = rotation.multiply(_product(frame, target.orientation), rotation.inverse(np.array(b.orientation)))
        place = np.array(target.body.position) + _turned(frame, target.place) - _turned(parameters, b.place)
        body = self.keep(name, Body(mass=1.0, inertia=(0.1, 0.2, 0.3), position=place, orientation=parameters))
        return body.at(b.place, orientation=b.orientation)

    def rocker(self, name: str, at: Vector, axis: Vector, turn: float) -> Body:
        """A body that turns freely about its own z axis."""
        hinge = self.ground(at, z=axis)
        shaft = self.mounted(name, hinge, LOOSE.at(), turn=(0.0, 0.0, turn))
        self.add(f"{name}-hinge", Revolute(hinge, shaft))
        return shaft.body

    def crank(
        self, motion: Any = None, name: str = "crank", at: Vector = (0, 0, 0), axis: Vector = SKEW, turn: float = 0.4
    ) -> Body:
        """A body that turns about its own z axis as a motion says."""
        body = self.rocker(name, at, axis, turn)
        driven = Driver(self.hinge(name).angle, Ramp(1.3, start=turn) if motion is None else motion)
        self.add(f"{name}-motor", driven)
        return body

    def hinge(self, name: str) -> Revolute:
        return next(element for stated, element in self._elements if stated == f"{name}-hinge")

    def hand(self) -> Body:
        """A body on two driven hinges with skew axes: it tumbles, 1.3 rad about one and 7 rad about the other."""
        arm = self.crank(name="arm")
        socket = arm.at(0.3, 0.05, 0.1, z=(0.2, 1.0, 0.3))
        palm = self.mounted("hand", socket, LOOSE.at(-0.05, 0.0, 0.02, z=(1.0, 0.1, 0.0)), turn=(0.0, 0.0, 0.3))
        wrist = self.add("wrist", Revolute(socket, palm))
        self.add("wrist-motor", Driver(wrist.angle, Ramp(-7.0, start=0.3)))
        return palm.body

    def wrist(self) -> Marker:
        """A marker that tumbles, beside its body's origin and turned against its axes."""
        return self.hand().at(0.2, self.vary(-0.1), 0.1, z=(0.5, 1.0, -0.3))

    def _moved(self, place: Any, parameters: Any) -> tuple[Any, Any]:
        A, r = self.motion_of(self.pose)
        turned = _product(rotation.from_rotation_vector(self.pose[3:]), parameters)
        return tuple((A @ np.array(place, float) + r).tolist()), turned


class LiftedStage(SpatialStage):
    """A mechanism stated in the plane, on `flat`, and lifted into a plane that leans."""

    def __init__(self, name: str, seed: int = 0, pose: Pose | None = None) -> None:
        super().__init__(name, seed, pose)
        self.flat = PlanarStage(name, seed)

    def model(self, backwards: bool = False) -> Model:
        A, r = self.motion_of(self.pose)
        return lift(self.flat.model(backwards), origin=r, x=A @ (0.8, 0.0, -0.6), z=A @ (0.6, 0.0, 0.8))


def beside(marker: Marker, *shift: float, turn: Vector = (0.0, 0.0, 0.0)) -> Marker:
    """A marker of the same body, displaced and turned, both in the axes of the first."""
    place = np.array(marker.place) + _turned(marker.orientation, (*shift, 0.0, 0.0, 0.0)[:3])
    return marker.body.at(place, orientation=_product(marker.orientation, rotation.from_rotation_vector(turn)))


def _turned(p: Any, vector: Any) -> np.ndarray:
    return rotation.rotate(np.array(p, float), np.array(vector, float))


def _product(p: Any, q: Any) -> np.ndarray:
    return rotation.multiply(np.array(p, float), np.array(q, float))
