"""What a sketch shows of a model: shapes fixed in bodies. Here stands what plane and space share.

Pure geometry: points in the frame of a body and the kind of line they are; `scene.py` turns them into artists. Bodies
with an outline are drawn by it, others as links through everything that is attached to them. `planar.py` and
`spatial.py` know the joints of their vocabulary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.elements.constraints.distance import Distance
from cardan.elements.constraints.driver import Driver, Hold
from cardan.elements.constraints.knife_edge import KnifeEdge
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.forces.spring import Spring
from cardan.elements.point import Point
from cardan.model.curves.motion import Constant, as_motion
from cardan.model.element import Element
from cardan.model.measure import Measure, Readable
from cardan.view.shapes.lines import center_of, covers, is_flat, spiral, straight_ends, surrounds, turning, with_holes
from cardan.view.shapes.skin import Frame, has_skin, nearest_interface

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker
    from cardan.model.model import Model

REPLACED = ("box", "channel", "face", "rack", "disk", "tire", "spoke", "spine")  # by the outline of a body that has one
WHEELS = ("disk", "tire", "spoke")  # not by one of lines only
SOLID = ("box", "face", "area", "disk", "tire", "sphere", "rack", "spine")  # what makes a body visible without a link
AROUND = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}  # the axes that span the plane across an axis

Reach = Callable[[Readable], tuple[float, float]]  # the least and the largest value of a measure


@dataclass(frozen=True)
class Shape:
    """Points in the frame of a body, and what they are: a name in `scene.KINDS`."""

    kind: str
    body: Any
    points: np.ndarray
    element: str = ""  # the element that it is the symbol of, by name; "" for the body itself
    paint: str = ""  # its color, if it is not that of the body
    interface: str = ""  # of a flexible body: what it moves with

    @property
    def frame(self) -> Frame:
        """What it is fixed to."""
        return (id(self.body), self.interface) if self.interface else id(self.body)


@dataclass(frozen=True)
class Rod:
    """A straight line between two markers: a massless rod, an actuator, a spring, a damper, or both side by side."""

    kind: str
    a: Any
    b: Any
    element: str = ""
    barrel: float = 0.0  # m: the length of the cylinder of an actuator; its piston rod moves in and out


@dataclass(frozen=True)
class Strand:
    """A rope from stop to stop, around those with a radius: counter-clockwise, with a negative one clockwise. A belt is
    `closed`. In space the pulleys turn about the `axle`, a body and a direction in it. A beam leaves both of its stops
    along `tangents`, vectors in their bodies as long as the beam."""

    stops: tuple[tuple[Any, float], ...]
    closed: bool = False
    axle: tuple[Any, np.ndarray] | None = None
    tangents: tuple[np.ndarray, np.ndarray] | None = None


@dataclass
class Drawing(ABC):
    """The shapes of a model. `unit` is the size of symbols in m."""

    area: ClassVar[str]  # the kind of a closed outline

    ground: Any
    unit: float
    reach: Reach
    owner: str = ""  # the element whose symbol is being drawn
    shapes: list[Shape] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    strands: list[Strand] = field(default_factory=list)
    names: list[tuple[str, Any]] = field(default_factory=list)  # of joints and points, and the marker they stand at
    faces: dict[Any, list[Any]] = field(default_factory=dict)  # by the marker below which they lie, what may touch them
    nodes: dict[int, list[tuple[float, ...]]] = field(default_factory=dict)  # id(body): what is attached to it
    elements: list[Element] = field(default_factory=list)  # all that are drawn
    teeth: dict[Any, float] = field(default_factory=dict)  # by wheel, the angle of one of its teeth

    @abstractmethod
    def along(self, marker: Any, points: Any) -> np.ndarray:
        """Points of a marker's axes in the frame of its body."""

    @abstractmethod
    def support(self, marker: Any, hanging: bool = False) -> None:
        """What holds a marker of the ground: from below, or from above if something hangs on it."""

    @abstractmethod
    def ball(self, marker: Marker, radius: float) -> None:
        """A round body about a marker."""

    @abstractmethod
    def face(self, marker: Marker, others: list[Any]) -> None:
        """The surface of a half space, or half plane, below a marker, as far as `others` move above it."""

    @abstractmethod
    def surface(self, surface: Any) -> None:
        """The surface of a body that others touch, other than round and flat ones: a rim, or a mesh."""

    @abstractmethod
    def link(self, body: RigidBody, nodes: np.ndarray, solid: bool) -> None:
        """A body without outline, by the points at which something is attached; `solid` if symbols show it already."""

    def add(self, kind: str, body: RigidBody, points: Any) -> None:
        if body.outline is not None and kind in REPLACED and (kind not in WHEELS or _is_solid(body)):
            return
        self.shapes.append(Shape(kind, body, np.atleast_2d(np.asarray(points, float)), self.owner))

    def dot(self, body: RigidBody, place: Any) -> None:
        """A body of which no more than one point is known."""
        self.ball(body.at(*place), 0.6 * self.unit)

    def attach(self, *markers: Any) -> None:
        for marker in markers:
            self.nodes.setdefault(id(marker.body), []).append(marker.place)

    def pin(self, *markers: Any) -> None:
        """A pin or ball through markers that lie at one point, with its support if one of them is on the ground."""
        self.hold(*markers)
        self.add("pin", markers[0].body, markers[0].place)

    def hold(self, *markers: Any, hanging: bool = False) -> None:
        """Attach markers that lie at one point, with a support if one of them is on the ground."""
        self.attach(*markers)
        for marker in [marker for marker in markers if marker.body is self.ground][:1]:
            self.support(marker, hanging)

    def below(self, marker: Marker, other: Any) -> bool:
        """Whether another point is rather below a marker of the ground than above or beside it."""
        if marker.body is not self.ground or other.body is self.ground:
            return False
        axes = ("x", "y", "z")[: len(marker.place)]
        ends = [self.reach(Measure("component", self.ground.at(*marker.place), other, axis)) for axis in axes]
        middle = [0.5 * (low + high) for low, high in ends]
        return middle[-1] < -max(map(abs, middle[:-1]))

    def spine(self, body: RigidBody, ends: np.ndarray) -> None:
        """A straight part of a body, such as a slotted arm; the rest of the body holds its middle."""
        if body is not self.ground:
            self.add("spine", body, ends)
            self.attach(body.at(*ends.mean(axis=0)))


def fill(drawing: Drawing, model: Model, known: Any) -> Drawing:
    """All shapes of a model, those of its bodies first; `known` are the ids of the bodies that took part."""
    drawing.elements = [element for element in model if all(id(body) in known for body in element.bodies())]
    for element in drawing.elements:
        drawing.owner, known_rods = element.name, len(drawing.rods)
        symbol(element, drawing)
        drawing.rods[known_rods:] = [replace(rod, element=element.name) for rod in drawing.rods[known_rods:]]
    drawing.owner = ""
    for marker, others in drawing.faces.items():
        drawing.face(marker, others)
    symbols, drawing.shapes = [_on_interface(shape) for shape in drawing.shapes], []
    for body in (body for body in model.bodies if id(body) in known):
        _draw_body(body, drawing, [shape for shape in symbols if shape.body is body])
    drawing.shapes += symbols
    return drawing


def reach_of_all(drawing: Drawing, marker: Marker, others: list[Any], axis: str) -> tuple[float, float]:
    """The least and the largest value of a coordinate of several points in the axes of a marker."""
    ends = [drawing.reach(Measure("component", marker, other, axis)) for other in others]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _is_solid(body: Any) -> bool:
    """Whether an outline has an area, rather than lines such as those of a shaft, whose gears are still to be drawn."""
    return any(len(line) > 3 and np.allclose(line[0], line[-1]) for line in map(np.asarray, body.outlines()))


def _on_interface(shape: Shape) -> Shape:
    """A symbol on a flexible body moves with the nearest interface."""
    if not shape.body.modal_coordinates or not len(shape.points):
        return shape
    return replace(shape, interface=nearest_interface(shape.body, shape.points))


def _draw_body(body: Any, drawing: Drawing, symbols: list[Shape]) -> None:
    """Its outline, or a link through the points at which something is attached; flexible bodies have their skin."""
    if has_skin(body):
        return
    if body.outline is not None:
        lines = [np.asarray(line, float) for line in body.outlines()]
        areas = [line for line in lines if len(line) > 2 and np.allclose(line[0], line[-1]) and is_flat(line)]
        for rim, holes in with_holes(areas):
            gap = np.full((1, rim.shape[1]), np.nan)
            drawing.add(drawing.area, body, np.vstack([rim, *(part for hole in holes for part in (gap, hole))]))
        for line in lines:
            if not any(line is area for area in areas):
                drawing.add("outline", body, line)
    attached = drawing.nodes.get(id(body), [])
    nodes = np.unique(np.array(attached).reshape(-1, len(body.center)).round(12), axis=0)
    if body.outline is not None:
        _reach_out(body, nodes, drawing)
        return
    faces = [line for line in body.shape if len(line) > 2]
    for face in faces:
        drawing.add("plate" if _has_pins(face, nodes) else "matter", body, face)
    kinds = {shape.kind for shape in symbols}
    if len(nodes) < 2 and not faces and kinds.isdisjoint({*SOLID} - {"spine"}):
        nodes = _ends(body, nodes)
    if not len(nodes):
        return
    nodes = _to_center(body, nodes)
    if faces and not any(covers(np.vstack(faces), node[None]) for node in nodes):
        nodes = np.vstack([nodes, center_of(np.vstack(faces))])  # an arm from the joint to its load
    areas = [*faces, *(shape.points for shape in symbols if shape.kind in ("area", "ring", "disk", "tire", "sphere"))]
    if not any(covers(area, nodes) for area in areas):
        drawing.link(body, nodes, bool(faces) or not kinds.isdisjoint(SOLID))


def _has_pins(face: np.ndarray, nodes: np.ndarray) -> bool:
    """Whether a flat link ends at its pins; it is drawn with room around them."""
    if face.shape[1] != 2 or len(nodes) < 3 or len(face) > len(nodes) + 1:
        return False
    away = np.linalg.norm(face[:, None] - nodes, axis=2).min(axis=1)
    return bool(away.max() < 1e-6 * np.ptp(face, axis=0).max())


def _reach_out(body: RigidBody, nodes: np.ndarray, drawing: Drawing) -> None:
    """Lines from an outline to joints far beside it, such as strings of pendulums, and plates to those near it."""
    lines = [np.asarray(line, float) for line in body.outlines()]
    whole, closed = np.vstack(lines), all(len(line) > 3 and np.allclose(line[0], line[-1]) for line in lines)
    for node in nodes:
        if not covers(whole, node[None]):
            drawing.add("outline", body, [center_of(whole), node])
        elif closed and node.size == 2 and not any(surrounds(line, node, 0.3 * drawing.unit) for line in lines):
            near = np.unique(whole, axis=0)
            corners = near[np.argsort(np.linalg.norm(near - node, axis=1))[:2]]
            drawing.add(drawing.area, body, [node, *corners, node])


def _to_center(body: Any, nodes: np.ndarray) -> np.ndarray:
    """A straight link is drawn as far as its mass center, if that is stated and lies beyond its joints."""
    center = np.array(body.center, float)
    if len(nodes) < 2 or not body.matter.mass or not center.any() or straight_ends(nodes) is None:
        return nodes
    return nodes if straight_ends(np.vstack([nodes, center])) is None else np.vstack([nodes, center])


def _ends(body: Any, nodes: np.ndarray) -> np.ndarray:
    """Points of a body with at most one attachment: the ends of a thin rod, or its center."""
    if body.shape:
        return np.vstack([nodes, *body.shape])
    center = np.array(body.center, float)
    if not body.matter.mass or (len(nodes) and np.linalg.norm(nodes[0] - center) < 1e-9):
        return nodes
    return np.vstack([nodes, center])


@singledispatch
def symbol(element: Element, drawing: Drawing) -> None:
    """Add what a sketch shows of an element; nothing for most conditions."""


@symbol.register
def _(rod: Distance, drawing: Drawing) -> None:
    drawing.pin(rod.a)
    drawing.pin(rod.b)
    drawing.rods.append(Rod("rod", rod.a, rod.b))


@symbol.register
def _(point: Point, drawing: Drawing) -> None:
    drawing.attach(point.marker)
    drawing.add("point", point.marker.body, point.marker.place)
    drawing.names.append((point.name, point.marker))


@symbol.register
def _(blade: KnifeEdge, drawing: Drawing) -> None:
    half = 1.8 * drawing.unit
    ends = [(0.0, -half), (0.0, half)] if blade.axis == "x" else [(-half, 0.0), (half, 0.0)]
    drawing.attach(blade.blade)
    drawing.add("face", blade.blade.body, drawing.along(blade.blade, ends))
    drawing.names.append((blade.name, blade.blade))


@symbol.register
def _(driver: Driver, drawing: Drawing) -> None:
    rate = float(as_motion(driver.motion).derivatives(0.0)[1])
    condition(driver.measure, "rod" if isinstance(driver.motion, Constant) else "actuator", drawing, rate < 0.0)


@symbol.register
def _(hold: Hold, drawing: Drawing) -> None:
    condition(hold.measure, "rod", drawing)


@symbol.register
def _(spring: Spring, drawing: Drawing) -> None:
    parts = spring.measure.parts()
    single = parts[0][1]
    if (
        len(parts) > 1
        or single.a is None
        or single.a.contact_coordinate is not None
        or single.b.contact_coordinate is not None
    ):
        return
    if single.kind == "length":
        drawing.hold(single.a, hanging=drawing.below(single.a, single.b))
        drawing.hold(single.b, hanging=drawing.below(single.b, single.a))
    if single.kind in ("length", "component") and single.a.body is not single.b.body:
        drawing.rods.append(Rod(_spring_kind(spring), single.a, single.b))
    elif single.kind == "angle":
        drawing.add("spoke", single.a.body, drawing.along(single.a, around(single, spiral(drawing.unit))))


def _spring_kind(spring: Spring) -> str:
    damped = bool(spring.damping) or spring.rate_curve is not None
    if not damped:
        return "spring"
    springy = bool(spring.stiffness) or spring.curve is not None or spring.law is not None
    return "spring-damper" if springy else "damper"


def condition(measure: Readable, kind: str, drawing: Drawing, backward: bool = False) -> None:
    """A driven or held distance is a rod; a driven angle is an arrow around its first marker, a driven travel one
    before the slider."""
    parts = measure.parts()
    if len(parts) != 1:
        return
    single = parts[0][1]
    way = -1.0 if backward else 1.0
    if single.a is None:
        return
    if single.kind == "length" and single.a.contact_coordinate is None and single.b.contact_coordinate is None:
        drawing.pin(single.a)
        drawing.pin(single.b)
        drawing.rods.append(
            Rod(kind, single.a, single.b, barrel=_barrel(drawing, single) if kind == "actuator" else 0.0)
        )
    elif single.kind == "angle" and kind == "actuator":
        flat = turning(drawing.unit) * (1.0, way)
        drawing.add("arrow", single.a.body, drawing.along(single.a, around(single, flat)))
    elif single.kind == "component" and kind == "actuator" and _guided(single, drawing):
        drawing.add("arrow", single.b.body, drawing.along(single.b, _pushing(single, drawing.unit, way)))


def _barrel(drawing: Drawing, length: Measure) -> float:
    """The length of a cylinder: more than half the shortest distance of its ends, and as long as the stroke."""
    low, high = drawing.reach(length)
    return min(0.92 * low, max(0.56 * low, 1.1 * (high - low)))


def around(single: Measure, flat: np.ndarray) -> np.ndarray:
    """Points of the plane in which an angle is measured, in the axes of its first marker."""
    if single.a is None or not single.axes or len(single.a.place) == 2:
        return flat
    turned = np.zeros((len(flat), 3))
    turned[:, AROUND[single.axes[0]]] = flat
    return turned


def _guided(single: Measure, drawing: Drawing) -> bool:
    """Whether a slider keeps the direction of its rail: then its own axes give the direction."""
    return any(
        isinstance(e, TwoMarkerJoint) and {e.a, e.b} == {single.a, single.b} and len(e.equations()) > len(e.a.place) - 1
        for e in drawing.elements
    )


def _pushing(single: Measure, unit: float, way: float) -> np.ndarray:
    """A straight arrow beside a slider, along its way."""
    count = len(single.b.place)
    along = way * np.eye(count)["xyz".index(single.axes[0])]
    beside = np.eye(count)[1 if single.axes[0] != "y" else 0]
    tail, tip = -1.6 * unit * along + 1.5 * unit * beside, 1.6 * unit * along + 1.5 * unit * beside
    barbs = [tip - 0.7 * unit * along + side * 0.4 * unit * beside for side in (1.0, -1.0)]
    return np.stack([tail, tip, barbs[0], tip, barbs[1]])
