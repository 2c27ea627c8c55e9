"""What a sketch shows of each element: shapes fixed in bodies, in the manner of textbooks.

      o=========o   link       /o\\  pin in the ground      [ o ]   slider on a rail
                              /////                       =========
                                                          /////////
Pure geometry: points in the frame of a body and the kind of line they are; `scene.py` turns them into artists. Bodies
with an outline are drawn by it, others as links through everything that is attached to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from cardan.elements.distance import Distance
from cardan.elements.driver import Driver, Hold
from cardan.elements.gear import Gear
from cardan.elements.point import Point
from cardan.elements.rack_pinion import RackPinion
from cardan.model.element import Element
from cardan.model.measure import Measure, Readable
from cardan.model.motion import Constant
from cardan.planar.body import Body, Marker, Outline
from cardan.planar.cams.flat import CamFlat
from cardan.planar.cams.follower import PointFollower
from cardan.planar.cams.pair import CamPair
from cardan.planar.cams.roller import CamRoller
from cardan.planar.joints.fixed import Fixed
from cardan.planar.joints.revolute import Revolute
from cardan.planar.joints.revolute_translational import RevoluteTranslational
from cardan.planar.joints.translational import Translational

REPLACED = ("box", "channel", "face", "rack", "disk", "spoke", "spine")  # by the outline of a body that has one

Reach = Callable[[Readable], tuple[float, float]]  # the least and the largest value of a measure


@dataclass(frozen=True)
class Shape:
    """Points in the frame of a body, and what they are: a name in `scene.KINDS`."""

    kind: str
    body: Body
    points: np.ndarray


@dataclass(frozen=True)
class Rod:
    """A straight line between two markers: a massless rod, or an actuator."""

    kind: str
    a: Any
    b: Any


@dataclass
class Drawing:
    """The shapes of a model. `unit` is the size of symbols in m."""

    ground: Body
    unit: float
    reach: Reach
    shapes: list[Shape] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    names: list[tuple[str, Any]] = field(default_factory=list)  # of joints and points, and the marker they stand at
    nodes: dict[int, list[tuple[float, float]]] = field(default_factory=dict)  # id(body): what is attached to it

    def add(self, kind: str, body: Body, points: Any) -> None:
        if body.outline is not None and kind in REPLACED:
            return
        self.shapes.append(Shape(kind, body, np.atleast_2d(np.asarray(points, float))))

    def attach(self, *markers: Marker) -> None:
        for marker in markers:
            self.nodes.setdefault(id(marker.body), []).append((marker.x, marker.y))

    def spine(self, body: Body, ends: np.ndarray) -> None:
        """A straight part of a body, such as a slotted arm; the rest of the body holds its middle."""
        if body is not self.ground:
            self.add("spine", body, ends)
            self.attach(Marker(body, *ends.mean(axis=0)))

    def pin(self, *markers: Marker) -> None:
        """A pin through markers that lie at one point, with its support if one of them is on the ground."""
        self.attach(*markers)
        grounded = [marker for marker in markers if marker.body is self.ground]
        for marker in grounded[:1]:
            self._support(marker)
        self.add("pin", markers[0].body, (markers[0].x, markers[0].y))

    def rail(self, marker: Marker, low: float, high: float, drop: float) -> None:
        """A hatched line along the x axis of a marker on the ground, `drop` units beside it."""
        side = -1.0 if math.cos(marker.angle) > -1e-9 else 1.0
        across = side * drop * self.unit
        self.add("rail", marker.body, along(marker, [(low, across), (high, across)]))
        self.add("hatch", marker.body, along(marker, hatching(low, high, across, side * self.unit, self.unit)))

    def _support(self, marker: Marker) -> None:
        u = self.unit
        foot = Marker(marker.body, marker.x, marker.y - 1.9 * u)
        self.add("support", marker.body, [(marker.x, marker.y), *along(foot, [(-1.1 * u, 0.0), (1.1 * u, 0.0)])])
        self.add("rail", marker.body, along(foot, [(-1.7 * u, 0.0), (1.7 * u, 0.0)]))
        self.add("hatch", marker.body, along(foot, hatching(-1.7 * u, 1.7 * u, 0.0, -u, u)))


def drawing(model: Any, unit: float, reach: Reach) -> Drawing:
    """All shapes of a planar model, those of its bodies first."""
    result = Drawing(model.ground, unit, reach)
    for element in model:
        symbol(element, result)
    symbols, result.shapes = result.shapes, []
    for body in model.bodies:
        _draw_body(body, result, [shape for shape in symbols if shape.body is body])
    result.shapes += symbols
    return result


def along(marker: Any, points: Any) -> np.ndarray:
    """Points of a marker's axes in the frame of its body."""
    c, s = math.cos(marker.angle), math.sin(marker.angle)
    return np.asarray(points, float).reshape(-1, 2) @ np.array([[c, s], [-s, c]]) + (marker.x, marker.y)


def hatching(low: float, high: float, start: float, depth: float, spacing: float) -> np.ndarray:
    """Slanted strokes below a line, one broken line of points."""
    if spacing <= 0.0 or high <= low:
        return np.zeros((0, 2))
    count = min(max(int((high - low) / (0.55 * spacing)), 2), 200)
    tops = np.linspace(low, high, count + 1)[1:]
    size = 0.6 * abs(depth)
    strokes = np.full((count, 3, 2), np.nan)
    strokes[:, 0] = np.stack([tops, np.full(count, start)], axis=1)
    strokes[:, 1] = np.stack([tops - size, np.full(count, start + 0.6 * depth)], axis=1)
    return strokes.reshape(-1, 2)


def circle(radius: float) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, 97)
    return radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _draw_body(body: Body, drawing: Drawing, symbols: list[Shape]) -> None:
    """Its outline, or a link through the points at which something is attached."""
    if body.outline is not None:
        for line in body.outlines():
            points = np.asarray(line, float)
            closed = len(points) > 2 and np.allclose(points[0], points[-1])
            drawing.add("area" if closed else "outline", body, points)
        return
    nodes = np.unique(np.array(drawing.nodes.get(id(body), np.zeros((0, 2)))).round(12), axis=0)
    areas = [shape.points for shape in symbols if shape.kind in ("area", "ring", "disk")]
    if len(nodes) == 0 or any(_covers(area, nodes) for area in areas):
        return
    if len(nodes) == 1:
        if not any(shape.kind in ("box", "face", "area", "disk", "rack", "spine") for shape in symbols):
            drawing.add("bar", body, nodes)
        return
    spread = nodes - nodes.mean(axis=0)
    _, sizes, directions = np.linalg.svd(spread, full_matrices=False)
    if len(nodes) == 2 or sizes[1] < 0.02 * sizes[0]:
        place = spread @ directions[0]
        drawing.add("bar", body, nodes[[int(np.argmin(place)), int(np.argmax(place))]])
    else:
        from scipy.spatial import ConvexHull

        drawing.add("plate", body, nodes[ConvexHull(nodes).vertices])


def _covers(area: np.ndarray, nodes: np.ndarray) -> bool:
    """Whether all nodes lie within the circle around an area."""
    center = 0.5 * (area.min(axis=0) + area.max(axis=0))
    return bool(np.hypot(*(nodes - center).T).max() <= 1.02 * np.hypot(*(area - center).T).max())


@singledispatch
def symbol(element: Element, drawing: Drawing) -> None:
    """Add what a sketch shows of an element; nothing for most conditions."""


@symbol.register
def _(pin: Revolute, drawing: Drawing) -> None:
    drawing.pin(pin.a, pin.b)
    drawing.names.append((pin.name, pin.a))


@symbol.register
def _(weld: Fixed, drawing: Drawing) -> None:
    drawing.attach(weld.a, weld.b)
    drawing.add("weld", weld.b.body, (weld.b.x, weld.b.y))


@symbol.register
def _(rod: Distance, drawing: Drawing) -> None:
    drawing.pin(rod.a)
    drawing.pin(rod.b)
    drawing.rods.append(Rod("rod", rod.a, rod.b))


@symbol.register
def _(point: Point, drawing: Drawing) -> None:
    drawing.attach(point.marker)
    drawing.add("point", point.marker.body, (point.marker.x, point.marker.y))
    drawing.names.append((point.name, point.marker))


@symbol.register
def _(guide: Translational, drawing: Drawing) -> None:
    u = drawing.unit
    rail, block = (guide.b, guide.a) if guide.b.body is drawing.ground else (guide.a, guide.b)
    low, high = drawing.reach(Measure("component", rail, block, "x"))
    drawing.attach(block)
    corners = [(-1.3 * u, -0.8 * u), (1.3 * u, -0.8 * u), (1.3 * u, 0.8 * u), (-1.3 * u, 0.8 * u)]
    drawing.add("box", block.body, along(block, corners))
    if rail.body is drawing.ground:
        drawing.rail(rail, low - 2.2 * u, high + 2.2 * u, drop=0.8)
    else:
        drawing.spine(rail.body, along(rail, [(low - 1.6 * u, 0.0), (high + 1.6 * u, 0.0)]))


@symbol.register
def _(slot: RevoluteTranslational, drawing: Drawing) -> None:
    u = drawing.unit
    low, high = drawing.reach(slot.travel)
    line = along(slot.a, [(low - u, slot.offset), (high + u, slot.offset)])
    drawing.spine(slot.a.body, line)
    drawing.add("channel", slot.a.body, line)
    drawing.pin(slot.b)
    drawing.names.append((slot.name, slot.b))


@symbol.register
def _(gear: Gear, drawing: Drawing) -> None:
    for marker, radius, kind in (
        (gear.a, gear.radius_a, "ring" if gear.internal else "disk"),
        (gear.b, gear.radius_b, "disk"),
    ):
        drawing.attach(marker)
        drawing.add(kind, marker.body, along(marker, circle(radius)))
        inner = 0.9 if kind == "ring" else 0.0
        drawing.add("spoke", marker.body, along(marker, [(inner * radius, 0.0), (radius, 0.0)]))


@symbol.register
def _(rack: RackPinion, drawing: Drawing) -> None:
    radius = abs(rack.radius)
    low, high = drawing.reach(Measure("component", rack.a, rack.b, "x"))
    low, high = min(low - 1.2 * radius, 0.0), max(high + 1.2 * radius, 0.0)
    side = -1.0 if rack.radius > 0.0 else 1.0  # the material lies away from the pinion
    depth = side * 1.6 * drawing.unit
    drawing.attach(rack.b)
    drawing.add("disk", rack.b.body, along(rack.b, circle(radius)))
    drawing.add("spoke", rack.b.body, along(rack.b, [(0.0, 0.0), (radius, 0.0)]))
    if rack.a.body is drawing.ground:
        drawing.add("rail", rack.a.body, along(rack.a, [(low, 0.0), (high, 0.0)]))
        drawing.add("hatch", rack.a.body, along(rack.a, hatching(low, high, 0.0, side * drawing.unit, drawing.unit)))
    else:
        drawing.add("rack", rack.a.body, along(rack.a, [(low, 0.0), (high, 0.0), (high, depth), (low, depth)]))


@symbol.register
def _(cam: CamRoller, drawing: Drawing) -> None:
    _outline(cam.cam, drawing, "ring" if cam.inside else "area")
    drawing.add("disk", cam.b.body, along(cam.b, circle(cam.radius)))
    drawing.pin(cam.b)


@symbol.register
def _(pair: CamPair, drawing: Drawing) -> None:
    _outline(pair.a, drawing, "area")
    _outline(pair.b, drawing, "area")


@symbol.register
def _(cam: CamFlat, drawing: Drawing) -> None:
    points = _outline(cam.cam, drawing, "area")
    half = 0.6 * float(np.ptp(points, axis=0).max())
    low, high = (-half, half) if cam.length is None else cam.length
    drawing.add("face", cam.b.body, along(cam.b, [(low, 0.0), (high, 0.0)]))
    drawing.attach(cam.b)


@symbol.register
def _(follower: PointFollower, drawing: Drawing) -> None:
    _outline(follower.slot, drawing, "channel")
    drawing.pin(follower.b)
    drawing.names.append((follower.name, follower.b))


@symbol.register
def _(driver: Driver, drawing: Drawing) -> None:
    rate = float(driver.motion.derivatives(0.0)[1])
    _condition(driver.measure, "rod" if isinstance(driver.motion, Constant) else "actuator", drawing, rate < 0.0)


@symbol.register
def _(hold: Hold, drawing: Drawing) -> None:
    _condition(hold.measure, "rod", drawing)


def _condition(measure: Readable, kind: str, drawing: Drawing, backward: bool = False) -> None:
    """A driven or held distance is a rod; a driven angle is an arrow around its first marker."""
    parts = measure.parts()
    if len(parts) != 1:
        return
    single = parts[0][1]
    if single.kind == "length" and isinstance(single.a, Marker) and isinstance(single.b, Marker):
        drawing.pin(single.a)
        drawing.pin(single.b)
        drawing.rods.append(Rod(kind, single.a, single.b))
    elif single.kind == "angle" and kind == "actuator":
        drawing.add("arrow", single.a.body, along(single.a, _arrow(drawing.unit) * (1.0, -1.0 if backward else 1.0)))


def _arrow(unit: float) -> np.ndarray:
    """A good half turn around a point, counter-clockwise, with a head."""
    turn = np.linspace(-0.3 * np.pi, 0.8 * np.pi, 40)
    arc = 1.9 * unit * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    tip, heading = arc[-1], turn[-1] + 0.42 * np.pi  # against the end of the arc, which bends away from its tangent
    barbs = [
        tip - 0.7 * unit * np.array([math.cos(heading + spread), math.sin(heading + spread)]) for spread in (0.5, -0.5)
    ]
    return np.vstack([arc, barbs[0], tip, barbs[1]])


def _outline(outline: Outline, drawing: Drawing, kind: str) -> np.ndarray:
    points = along(outline, outline.curve.outline())
    drawing.add(kind, outline.body, points)
    return points
