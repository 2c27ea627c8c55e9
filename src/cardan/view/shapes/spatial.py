"""What a sketch shows of the joints of space.

        |  axis              (o)                 ____
      =[ ]=   hinge       ===/ \\   ball        /__ /|    slider on its rail
        |                    /////              |__|/===

A hinge is a barrel along its axis, a ball a dot, a universal joint a cross of two arms in the colors of its shafts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.rolling import Rolling
from cardan.model.measure import Measure
from cardan.spatial import rotation
from cardan.spatial.body import Marker
from cardan.spatial.joints.bevel_gear import BevelGear
from cardan.spatial.joints.composite import (
    RevoluteCylindrical,
    RevoluteRevolute,
    RevoluteSpherical,
    RevoluteTranslational,
)
from cardan.spatial.joints.curve import PointOnCurve
from cardan.spatial.joints.cylindrical import Cylindrical, Screw, Translational
from cardan.spatial.joints.directions import Parallel, Perpendicular, Planar, PointInPlane, PointOnLine
from cardan.spatial.joints.fixed import Fixed, Orientation
from cardan.spatial.joints.revolute import Revolute
from cardan.spatial.joints.rolling import RollingBall
from cardan.spatial.joints.spherical import Spherical
from cardan.spatial.joints.universal import ConstantVelocity, Universal
from cardan.spatial.joints.worm_gear import WormGear
from cardan.spatial.lifting import InPlane
from cardan.spatial.surfaces import Mesh
from cardan.view.shapes import actuators  # noqa: F401  symbols of motors and stops
from cardan.view.shapes.drawing import Drawing, Rod, reach_of_all, symbol
from cardan.view.shapes.gears import bevel_teeth
from cardan.view.shapes.lines import circle, hatching, is_flat, straight_ends
from cardan.view.shapes.teeth import toothed_wheel

if TYPE_CHECKING:
    from cardan.model.body import RigidBody

AZIMUTH = -58.0  # degrees, default viewpoint; supports face it
UP = np.array([0.0, 0.0, 1.0])
ASIDE = np.array([-math.sin(math.radians(AZIMUTH)), math.cos(math.radians(AZIMUTH)), 0.0])  # to the right of the eye


class SpaceDrawing(Drawing):
    """The shapes of a spatial model."""

    area = "panel"  # translucent

    def along(self, marker: Any, points: Any) -> np.ndarray:
        flat = np.atleast_2d(np.asarray(points, float))
        space = np.pad(flat, ((0, 0), (0, 3 - flat.shape[1])))
        turned: np.ndarray = space @ rotation.matrix(np.array(marker.orientation)).T
        return turned + marker.place

    def support(self, marker: Marker, hanging: bool = False) -> None:
        """A triangle on hatched ground below the point, or above it, facing the eye."""
        u = self.unit
        frame = marker.body.at(*marker.place, x=ASIDE, y=-UP if hanging else UP)
        self.add("support", marker.body, self.along(frame, [(0.0, 0.0), (-0.9 * u, -1.9 * u), (0.9 * u, -1.9 * u)]))
        self._hatched(frame, -1.4 * u, 1.4 * u, -1.9 * u)

    def link(self, body: RigidBody, nodes: np.ndarray, solid: bool) -> None:
        """A bar, a flat plate, or spokes from the middle to all points; a lone point is joined to the body's origin."""
        if len(nodes) == 1 and not solid and np.any(np.abs(nodes) > 1e-9 + 0.5 * self.unit):
            nodes = np.vstack([nodes, np.zeros(3)])
        if len(nodes) == 1:
            if not solid:
                self.dot(body, nodes[0])
        elif (ends := straight_ends(nodes)) is not None:
            self.add("bar", body, ends)
        elif is_flat(nodes):
            self.add("panel", body, _hull(nodes))
        else:
            for node in nodes:
                self.add("bar", body, [nodes.mean(axis=0), node])

    def ball(self, marker: Any, radius: float) -> None:
        """Three circles, in one shape."""
        rim = np.vstack([np.pad(circle(radius), ((0, 0), (0, 1))), np.full((1, 3), np.nan)])
        circles = np.vstack([np.roll(rim, turn, axis=1) for turn in range(3)])[:-1]
        self.add("sphere", marker.body, self.along(marker, circles))

    def surface(self, surface: Any) -> None:
        if isinstance(surface, Mesh):
            corners = np.asarray(surface.vertices, float)[np.asarray(surface.triangles, int)]
            faces = np.concatenate([corners, np.full((len(corners), 1, 3), np.nan)], axis=1).reshape(-1, 3)[:-1]
            self.add("matter", surface.marker.body, self.along(surface.marker, faces))

    def face(self, marker: Any, others: list[Any]) -> None:
        self.sheet(marker, others, 5.0 * self.unit)

    def sheet(self, marker: Marker, others: list[Any], margin: float) -> None:
        """The part of the xy plane of a marker over which other points move."""
        (left, right), (bottom, top) = (reach_of_all(self, marker, others, axis) for axis in "xy")
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)] + margin * np.array(
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        )
        self.add("sheet", marker.body, self.along(marker, corners))

    def hinge(self, marker: Marker, *others: Marker, length: float = 1.0) -> None:
        """A barrel along the z axis of a marker, and its axis; if another marker shares the axis, its body has the
        barrel, and that of the first the two lugs beside it."""
        u = self.unit * length
        self.hold(marker, *others)
        self.axis(marker, -2.2 * u, 2.2 * u)
        ends = [(0.0, 0.0, -0.9 * u), (0.0, 0.0, 0.9 * u)]
        if others:
            self.add("lugs", marker.body, self.along(marker, ends))
        inner = others[0] if others else marker
        self.add("barrel", inner.body, self.along(inner, ends))

    def axis(self, marker: Marker, low: float, high: float) -> None:
        self.add("axis", marker.body, self.along(marker, [(0.0, 0.0, low), (0.0, 0.0, high)]))

    def block(self, marker: Marker) -> None:
        """A cuboid that slides along the z axis of a marker."""
        half, faces = self.unit * np.array([0.8, 0.8, 1.3]), []
        for axis in range(3):
            for side in (-1.0, 1.0):
                corners = np.insert([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)], axis, side, axis=1)
                faces += [*(corners * half), np.full(3, np.nan)]
        self.add("box", marker.body, self.along(marker, faces))

    def rail(self, marker: Marker, low: float, high: float) -> None:
        """What a slider runs on along the z axis of a marker: hatched ground, or a straight part of a body."""
        if marker.body is not self.ground:
            self.spine(marker.body, self.along(marker, [(0.0, 0.0, low), (0.0, 0.0, high)]))
            return
        direction = rotation.matrix(np.array(marker.orientation))[:, 2]
        upright = abs(float(direction @ UP)) > 0.99
        frame = marker.body.at(*marker.place, x=direction, y=-ASIDE if upright else UP)
        self.add("guide", marker.body, self.along(frame, [(low, 0.0), (high, 0.0)]))
        self._hatched(frame, low, high, -0.8 * self.unit)

    def _hatched(self, frame: Marker, low: float, high: float, level: float) -> None:
        """A line on hatched ground; pages show supports and rails as solids instead."""
        self.add("sole", frame.body, self.along(frame, [(low, level), (high, level)]))
        strokes = hatching(low, high, level, -self.unit, self.unit)
        self.add("soil", frame.body, self.along(frame, strokes) if len(strokes) else np.zeros((0, 3)))


def _hull(nodes: np.ndarray) -> np.ndarray:
    """The corners of a flat set of points, in turn."""
    from scipy.spatial import ConvexHull

    spread = nodes - nodes.mean(axis=0)
    _, _, directions = np.linalg.svd(spread, full_matrices=False)
    return nodes[ConvexHull(spread @ directions[:2].T).vertices]


@symbol.register
def _(hinge: Revolute, drawing: SpaceDrawing) -> None:
    drawing.hinge(hinge.a, hinge.b)
    drawing.names.append((hinge.name, hinge.a))


@symbol.register
def _(ball: Spherical, drawing: SpaceDrawing) -> None:
    drawing.pin(ball.a, ball.b)
    drawing.names.append((ball.name, ball.a))


@symbol.register
def _(cross: Universal, drawing: SpaceDrawing) -> None:
    drawing.hold(cross.a, cross.b)
    for marker in (cross.a, cross.b):
        ends = [(0.0, 0.0, -1.2 * drawing.unit), (0.0, 0.0, 1.2 * drawing.unit)]
        drawing.add("arm", marker.body, drawing.along(marker, ends))
    drawing.names.append((cross.name, cross.a))


@symbol.register
def _(joint: ConstantVelocity, drawing: SpaceDrawing) -> None:
    drawing.pin(joint.a, joint.b)
    for marker in (joint.a, joint.b):
        drawing.add("spoke", marker.body, drawing.along(marker, circle(1.2 * drawing.unit)))
    drawing.names.append((joint.name, joint.a))


@symbol.register
def _(sleeve: Cylindrical, drawing: SpaceDrawing) -> None:
    u = drawing.unit
    low, high = drawing.reach(sleeve.travel)
    drawing.hold(sleeve.a)
    drawing.attach(sleeve.b)
    drawing.axis(sleeve.a, min(low, 0.0) - 2.5 * u, max(high, 0.0) + 2.5 * u)
    drawing.add("barrel", sleeve.b.body, drawing.along(sleeve.b, [(0.0, 0.0, -1.3 * u), (0.0, 0.0, 1.3 * u)]))
    drawing.names.append((sleeve.name, sleeve.b))


@symbol.register
def _(screw: Screw, drawing: SpaceDrawing) -> None:
    symbol.dispatch(Cylindrical)(screw, drawing)
    low, high = drawing.reach(screw.travel)
    low, high = min(low, 0.0) - 1.5 * drawing.unit, max(high, 0.0) + 1.5 * drawing.unit
    turns = min(max((high - low) / abs(screw.pitch), 3.0), 30.0)
    phase = np.linspace(0.0, math.copysign(2.0 * np.pi * turns, screw.pitch), 24 * math.ceil(turns))
    thread = np.stack([np.cos(phase), np.sin(phase), np.zeros_like(phase)], axis=1) * 0.45 * drawing.unit
    thread[:, 2] = np.linspace(low, high, len(phase))
    drawing.add("spoke", screw.a.body, drawing.along(screw.a, thread))


@symbol.register
def _(guide: Translational, drawing: SpaceDrawing) -> None:
    rail, block = (guide.b, guide.a) if guide.b.body is drawing.ground else (guide.a, guide.b)
    low, high = drawing.reach(Measure("component", rail, block, "z"))
    drawing.attach(block)
    drawing.block(block)
    drawing.rail(rail, low - 2.2 * drawing.unit, high + 2.2 * drawing.unit)


@symbol.register
def _(weld: Fixed, drawing: SpaceDrawing) -> None:
    drawing.attach(weld.a, weld.b)
    drawing.add("weld", weld.b.body, weld.b.place)


@symbol.register(Parallel)
@symbol.register(Perpendicular)
@symbol.register(Orientation)
def _(directions: Any, drawing: SpaceDrawing) -> None:
    """The axes that are held to each other."""
    for marker in (directions.a, directions.b):
        drawing.attach(marker)
        drawing.axis(marker, -3.0 * drawing.unit, 3.0 * drawing.unit)
    drawing.names.append((directions.name, directions.b))


@symbol.register
def _(tube: PointOnLine, drawing: SpaceDrawing) -> None:
    low, high = drawing.reach(tube.travel)
    drawing.rail(tube.a, low - 1.6 * drawing.unit, high + 1.6 * drawing.unit)
    drawing.pin(tube.b)
    drawing.names.append((tube.name, tube.b))


@symbol.register
def _(plane: PointInPlane, drawing: SpaceDrawing) -> None:
    drawing.sheet(plane.a, [plane.b], 2.0 * drawing.unit)
    if isinstance(plane, Planar):
        drawing.attach(plane.b)
        drawing.add("spoke", plane.b.body, drawing.along(plane.b, circle(drawing.unit)))
    else:
        drawing.pin(plane.b)
    drawing.names.append((plane.name, plane.b))


@symbol.register
def _(wheel: Rolling, drawing: SpaceDrawing) -> None:
    """The rim of a wheel with a spoke; of a ball three circles."""
    drawing.sheet(wheel.a, [wheel.b], 1.2 * wheel.radius)
    drawing.attach(wheel.b)
    if isinstance(wheel, RollingBall):
        drawing.ball(wheel.b, wheel.radius)
    else:
        drawing.add("disk", wheel.b.body, drawing.along(wheel.b, circle(wheel.radius)))
    drawing.add("spoke", wheel.b.body, drawing.along(wheel.b, [(0.0, 0.0), (wheel.radius, 0.0)]))
    drawing.names.append((wheel.name, wheel.b))


@symbol.register
def _(bead: PointOnCurve, drawing: SpaceDrawing) -> None:
    drawing.add("outline", bead.wire.body, drawing.along(bead.wire.frame, bead.wire.curve.outline()))
    drawing.pin(bead.b)
    drawing.names.append((bead.name, bead.b))


@symbol.register
def _(flat: InPlane, drawing: SpaceDrawing) -> None:
    """The outlines of lifted cams, and the pins that run in lifted slots."""
    for contact in flat.contact_coordinates():
        line = contact.outline.curve.outline()
        drawing.add("outline", contact.outline.body, drawing.along(contact.outline.frame, line))
    measures = [measure for equation in flat.equations() for _, measure in equation.terms]
    for marker in dict.fromkeys(measure.b for measure in measures if measure.b.contact_coordinate is None):
        drawing.attach(marker)
        drawing.add("pin", marker.body, marker.place)


@symbol.register
def _(rod: RevoluteSpherical, drawing: SpaceDrawing) -> None:
    drawing.hinge(rod.a)
    drawing.pin(rod.b)
    drawing.rods.append(Rod("rod", rod.a, rod.b))


@symbol.register
def _(rod: RevoluteRevolute, drawing: SpaceDrawing) -> None:
    drawing.hinge(rod.a)
    drawing.hinge(rod.b)
    drawing.rods.append(Rod("rod", rod.a, rod.b))


@symbol.register(RevoluteCylindrical)
@symbol.register(RevoluteTranslational)
def _(joint: Any, drawing: SpaceDrawing) -> None:
    low, high = drawing.reach(joint.travel)
    drawing.hinge(joint.a)
    drawing.attach(joint.b)
    drawing.axis(joint.b, min(low, 0.0) - 2.5 * drawing.unit, max(high, 0.0) + 2.5 * drawing.unit)
    drawing.names.append((joint.name, joint.a))


@symbol.register
def _(pair: BevelGear, drawing: SpaceDrawing) -> None:
    """Wheels on the pitch circles of two cones with a common apex, where the shafts meet.

    sigma is the angle between the shafts, and the half angle of cone a

        tan(gamma_a) = sin(sigma) / (R_b / R_a + cos(sigma))
    """
    a, b = pair.a, pair.b
    cosine = drawing.reach(Measure("dot", a, b, "zz"))[0]
    if abs(cosine) > 0.999:
        return
    sine = math.sqrt(1.0 - cosine**2)
    # The markers stand h_a and h_b beyond the apex: z_a . d = h_b cos - h_a and z_b . (-d) = h_a cos - h_b.
    seen_a, seen_b = (drawing.reach(Measure("component", *ends, "z"))[0] for ends in ((a, b), (b, a)))
    heights = np.array([seen_a + cosine * seen_b, seen_b + cosine * seen_a]) / -(sine**2)
    gammas = [math.atan2(sine, 1.0 / ratio + cosine) for ratio in _ratios(pair)]
    side = float(max(abs(heights) / np.cos(gammas)))
    if pair.teeth is not None:  # the markers stand at the apex, and radii are stated
        side = pair.radius_a / math.sin(gammas[0])
    elif side < 1e-6 * drawing.unit:
        side = 4.0 * drawing.unit
    outlines = bevel_teeth(pair, [side * math.sin(gamma) for gamma in gammas], drawing)
    for marker, height, gamma, outline in zip((a, b), heights, gammas, outlines, strict=True):
        level = math.copysign(side * math.cos(gamma), height if abs(height) > 1e-6 * side else 1.0) - height
        rim = np.column_stack([outline, np.full(len(outline), level)])
        drawing.attach(marker)
        drawing.add("disk", marker.body, drawing.along(marker, rim))
        drawing.add("spoke", marker.body, drawing.along(marker, [(0.0, 0.0, level), rim[0]]))


def _ratios(pair: BevelGear) -> tuple[float, float]:
    return pair.radius_a / pair.radius_b, pair.radius_b / pair.radius_a


@symbol.register
def _(pair: WormGear, drawing: SpaceDrawing) -> None:
    """The thread of the worm over a third of the wheel, and the wheel on its pitch circle."""
    half = 0.6 * pair.radius_b
    height = np.linspace(-half, half, 1 + 24 * max(1, math.ceil(2.0 * half / pair.lead)))
    turned = (-1.0 if pair.left_handed else 1.0) * 2.0 * math.pi / pair.lead * height
    thread = np.column_stack([pair.radius_a * np.cos(turned), pair.radius_a * np.sin(turned), height])
    drawing.attach(pair.a)
    drawing.add("spoke", pair.a.body, drawing.along(pair.a, thread))
    around = np.linspace(0.0, 2.0 * math.pi, 49)
    for level in (-half, half):
        rim = np.column_stack(
            [pair.radius_a * np.cos(around), pair.radius_a * np.sin(around), np.full(around.size, level)]
        )
        drawing.add("disk", pair.a.body, drawing.along(pair.a, rim))
    drawing.attach(pair.b)
    count = max(6, round(2.0 * math.pi * pair.radius_b / pair.lead))
    drawing.add("disk", pair.b.body, drawing.along(pair.b, toothed_wheel(pair.radius_b, min(count, 80), 0.0)))
    drawing.add("spoke", pair.b.body, drawing.along(pair.b, [(0.0, 0.0), (0.9 * pair.radius_b, 0.0)]))
