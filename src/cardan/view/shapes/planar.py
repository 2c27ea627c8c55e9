"""What a sketch shows of the joints and cams of the plane, in the manner of textbooks.

o=========o   link       /o\\  pin in the ground      [ o ]   slider on a rail
                        /////                       =========
                                                    /////////
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.model.measure import Measure
from cardan.planar.beam import Beam
from cardan.planar.body import Marker, Outline
from cardan.planar.cams.flat import CamFlat
from cardan.planar.cams.follower import PointFollower
from cardan.planar.cams.pair import CamPair
from cardan.planar.cams.roller import CamRoller
from cardan.planar.joints.fixed import Fixed
from cardan.planar.joints.revolute import Revolute
from cardan.planar.joints.revolute_translational import RevoluteTranslational
from cardan.planar.joints.rolling_wheel import RollingWheel
from cardan.planar.joints.translational import Translational
from cardan.planar.surfaces import Rim
from cardan.view.shapes import actuators  # noqa: F401  symbols of motors and stops
from cardan.view.shapes.drawing import Drawing, reach_of_all, symbol
from cardan.view.shapes.forces import beam
from cardan.view.shapes.gears import plain_wheel
from cardan.view.shapes.lines import circle, hatching, straight_ends

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


class PlaneDrawing(Drawing):
    """The shapes of a planar model."""

    area = "area"

    def along(self, marker: Any, points: Any) -> np.ndarray:
        c, s = math.cos(marker.angle), math.sin(marker.angle)
        turned: np.ndarray = np.asarray(points, float).reshape(-1, 2) @ np.array([[c, s], [-s, c]])
        return turned + (marker.x, marker.y)

    def support(self, marker: Marker, hanging: bool = False) -> None:
        u = self.unit
        foot = Marker(marker.body, marker.x, marker.y - 1.9 * u)
        if hanging:
            foot = Marker(marker.body, marker.x, marker.y + 1.9 * u, math.pi)
        self.add("support", marker.body, [(marker.x, marker.y), *self.along(foot, [(-1.1 * u, 0.0), (1.1 * u, 0.0)])])
        self.add("rail", marker.body, self.along(foot, [(-1.7 * u, 0.0), (1.7 * u, 0.0)]))
        self.add("hatch", marker.body, self.along(foot, hatching(-1.7 * u, 1.7 * u, 0.0, -u, u)))

    def link(self, body: RigidBody, nodes: np.ndarray, solid: bool) -> None:
        if len(nodes) == 1:
            if not solid:
                self.dot(body, nodes[0])
        elif (ends := straight_ends(nodes)) is not None:
            self.add("bar", body, ends)
        else:
            from scipy.spatial import ConvexHull

            self.add("plate", body, nodes[ConvexHull(nodes).vertices])

    def ball(self, marker: Any, radius: float) -> None:
        self.add("disk", marker.body, self.along(marker, circle(radius)))
        self.add("spoke", marker.body, self.along(marker, [(0.0, 0.0), (radius, 0.0)]))

    def surface(self, surface: Any) -> None:
        if isinstance(surface, Rim):
            self.outline(surface.outline, "area" if surface.outline.curve.closed else "outline")

    def face(self, marker: Any, others: list[Any]) -> None:
        low, high = reach_of_all(self, marker, others, "x")
        low, high = low - 5.0 * self.unit, high + 5.0 * self.unit
        self.add("rail", marker.body, self.along(marker, [(low, 0.0), (high, 0.0)]))
        self.add("hatch", marker.body, self.along(marker, hatching(low, high, 0.0, -self.unit, self.unit)))

    def rail(self, marker: Marker, low: float, high: float, drop: float) -> None:
        """A hatched line along the x axis of a marker on the ground, `drop` units beside it."""
        side = -1.0 if math.cos(marker.angle) > -1e-9 else 1.0
        across = side * drop * self.unit
        self.add("rail", marker.body, self.along(marker, [(low, across), (high, across)]))
        self.add("hatch", marker.body, self.along(marker, hatching(low, high, across, side * self.unit, self.unit)))

    def outline(self, outline: Outline, kind: str) -> np.ndarray:
        points = self.along(outline, outline.curve.outline())
        self.add(kind, outline.body, points)
        return points


symbol.register(Beam, beam)


@symbol.register
def _(pin: Revolute, drawing: PlaneDrawing) -> None:
    drawing.pin(pin.a, pin.b)
    drawing.names.append((pin.name, pin.a))


@symbol.register
def _(weld: Fixed, drawing: PlaneDrawing) -> None:
    drawing.attach(weld.a, weld.b)
    drawing.add("weld", weld.b.body, weld.b.place)


@symbol.register
def _(guide: Translational, drawing: PlaneDrawing) -> None:
    u = drawing.unit
    rail, block = (guide.b, guide.a) if guide.b.body is drawing.ground else (guide.a, guide.b)
    low, high = drawing.reach(Measure("component", rail, block, "x"))
    drawing.attach(block)
    corners = [(-1.3 * u, -0.8 * u), (1.3 * u, -0.8 * u), (1.3 * u, 0.8 * u), (-1.3 * u, 0.8 * u)]
    drawing.add("box", block.body, drawing.along(block, corners))
    if rail.body is drawing.ground:
        drawing.rail(rail, low - 2.2 * u, high + 2.2 * u, drop=0.8)
    else:
        drawing.spine(rail.body, drawing.along(rail, [(low - 1.6 * u, 0.0), (high + 1.6 * u, 0.0)]))


@symbol.register
def _(slot: RevoluteTranslational, drawing: PlaneDrawing) -> None:
    u = drawing.unit
    low, high = drawing.reach(slot.travel)
    line = drawing.along(slot.a, [(low - u, slot.offset), (high + u, slot.offset)])
    drawing.spine(slot.a.body, line)
    drawing.add("channel", slot.a.body, line)
    drawing.pin(slot.b)
    drawing.names.append((slot.name, slot.b))


@symbol.register
def _(wheel: RollingWheel, drawing: PlaneDrawing) -> None:
    plain_wheel(wheel, drawing)


@symbol.register
def _(cam: CamRoller, drawing: PlaneDrawing) -> None:
    drawing.outline(cam.cam, "ring" if cam.inside else "area")
    drawing.add("disk", cam.b.body, drawing.along(cam.b, circle(cam.radius)))
    drawing.pin(cam.b)


@symbol.register
def _(pair: CamPair, drawing: PlaneDrawing) -> None:
    drawing.outline(pair.a, "area")
    drawing.outline(pair.b, "area")


@symbol.register
def _(cam: CamFlat, drawing: PlaneDrawing) -> None:
    points = drawing.outline(cam.cam, "area")
    half = 0.6 * float(np.ptp(points, axis=0).max())
    low, high = (-half, half) if cam.length is None else cam.length
    drawing.add("face", cam.b.body, drawing.along(cam.b, [(low, 0.0), (high, 0.0)]))
    drawing.attach(cam.b)


@symbol.register
def _(follower: PointFollower, drawing: PlaneDrawing) -> None:
    drawing.outline(follower.slot, "channel")
    drawing.pin(follower.b)
    drawing.names.append((follower.name, follower.b))
