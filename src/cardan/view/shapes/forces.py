"""What a sketch shows of forces: loads, ropes, belts, beams, surfaces that touch.

 .--.______              o==~==o                 (o)
(    )    ( )  belt        beam               ---------  ball on a face
 '--'------
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.elements.contact.contact import Contact
from cardan.elements.forces.bushing import Bushing
from cardan.elements.forces.load import Load
from cardan.elements.forces.torque import Torque
from cardan.elements.ropes.belt import Belt
from cardan.elements.ropes.cable import Cable
from cardan.elements.ropes.capstan import Capstan
from cardan.elements.ropes.pulley import Pulley, Rope
from cardan.model.surfaces.round_surfaces import FlatSurface, RoundSurface
from cardan.view.shapes.drawing import Drawing, Strand, symbol
from cardan.view.shapes.lines import circle

PIECES = 8  # of the line of a beam


@symbol.register
def _(load: Load, drawing: Drawing) -> None:
    drawing.attach(load.marker)


@symbol.register
def _(torque: Torque, drawing: Drawing) -> None:
    drawing.attach(torque.marker)


@symbol.register
def _(bushing: Bushing, drawing: Drawing) -> None:
    drawing.pin(bushing.a, bushing.b)
    drawing.names.append((bushing.name, bushing.a))


@symbol.register
def _(cable: Cable, drawing: Drawing) -> None:
    for point in cable.points:
        drawing.pin(point)
    _rope(drawing, [(point, 0.0) for point in cable.points])


@symbol.register
def _(rope: Capstan, drawing: Drawing) -> None:
    for point in (rope.a, rope.drum, rope.b):
        drawing.pin(point)
    _rope(drawing, [(point, 0.0) for point in (rope.a, rope.drum, rope.b)])


@symbol.register
def _(rope: Rope, drawing: Drawing) -> None:
    stops: list[tuple[Any, float]] = []
    for stop in rope.path:
        if isinstance(stop, Pulley):
            marker, radius = stop.marker, -stop.radius if stop.clockwise else stop.radius
        else:
            marker, radius = stop, 0.0
        stops.append((marker, radius))
        drawing.pin(marker)
        if radius:
            drawing.add("disk", marker.body, drawing.along(marker, circle(abs(radius))))
    _rope(drawing, stops)


@symbol.register
def _(belt: Belt, drawing: Drawing) -> None:
    for marker, radius in ((belt.a, belt.radius_a), (belt.b, belt.radius_b)):
        drawing.attach(marker)
        drawing.add("disk", marker.body, drawing.along(marker, circle(radius)))
        drawing.add("spoke", marker.body, drawing.along(marker, [(0.0, 0.0), (radius, 0.0)]))
    other = -belt.radius_b if belt.crossed else belt.radius_b
    _rope(drawing, [(belt.a, belt.radius_a), (belt.b, other)], closed=True)


@symbol.register
def _(touch: Contact, drawing: Drawing) -> None:
    pair = touch.pair
    for surface in (touch.a, touch.b):
        if isinstance(surface, RoundSurface):
            drawing.attach(surface.marker)
            if surface.radius and not surface.hollow:
                drawing.ball(surface.marker, surface.radius)
        elif isinstance(surface, FlatSurface):
            other = pair.b if pair.a is surface.marker else pair.a
            drawing.faces.setdefault(surface.marker, []).append(other)
        else:
            drawing.surface(surface)


def beam(element: Any, drawing: Drawing) -> None:
    """A smooth line between both ends, along their x axes."""
    ends = element.a, element.b
    drawing.hold(element.a)
    drawing.hold(element.b)
    forward = (element.length, 0.0, 0.0)[: len(element.a.place)]
    along = [drawing.along(end, [forward])[0] - end.place for end in ends]
    drawing.strands.append(Strand(tuple((end, 0.0) for end in ends), tangents=(along[0], along[1])))


def _rope(drawing: Drawing, stops: list[tuple[Any, float]], closed: bool = False) -> None:
    """A strand; pulleys turn about the z axis of their markers."""
    axle = None
    if len(stops[0][0].place) == 3:
        first = next((marker for marker, radius in stops if radius), stops[0][0])
        axle = (first.body, drawing.along(first, [(0.0, 0.0, 1.0)])[0] - first.place)
    drawing.strands.append(Strand(tuple(stops), closed, axle))


def beam_points(ends: np.ndarray, tangents: np.ndarray) -> np.ndarray:
    """The cubic curve between two points with these derivatives there: almost an arc, as a beam."""
    s = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
    a, b = ends
    bent = s * (1.0 - s) * ((1.0 - s) * (tangents[0] - (b - a)) - s * (tangents[1] - (b - a)))
    return np.asarray(a + s * (b - a) + bent)


def strand_points(centers: np.ndarray, radii: np.ndarray, normal: np.ndarray | None, closed: bool) -> np.ndarray:
    r"""The line of a rope around circles.

    The center c of a circle of radius r lies r to the left of the rope, r < 0: to the right. From one to the next

        D = c_j - c_i,    angle of the span = angle of D - asin((r_j - r_i) / |D|)

    In space it is computed in the plane normal to `normal`, and moved to the heights of the centers.
    """
    if normal is None:
        return _around(centers, radii, closed)[:, :2]
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = np.cross(first, normal)
    x /= np.linalg.norm(x)
    y = np.cross(normal, x)
    line = _around(np.stack([centers @ x, centers @ y], axis=1), radii, closed)
    heights = (centers @ normal)[line[:, 2].astype(int)]
    return np.asarray(line[:, :1] * x + line[:, 1:2] * y + heights[:, None] * normal)


def _around(centers: np.ndarray, radii: np.ndarray, closed: bool) -> np.ndarray:
    """Points of the plane, and to which stop each belongs."""
    count = len(centers)
    spans = [(k, (k + 1) % count) for k in range(count if closed else count - 1)]
    ways = [_span(centers[j] - centers[i], radii[j] - radii[i]) for i, j in spans]
    line = [] if closed else [(*centers[0], 0.0)]
    for k, (_, j) in enumerate(spans):
        following = ways[(k + 1) % len(ways)] if closed or k + 1 < len(ways) else ways[k]
        turn = (following - ways[k]) % (2.0 * math.pi) if radii[j] > 0.0 else -((ways[k] - following) % (2.0 * math.pi))
        for angle in ways[k] + np.linspace(0.0, turn, 25 if radii[j] else 1):
            place = centers[j] - radii[j] * np.array([-math.sin(angle), math.cos(angle)])
            line.append((*place, float(j)))
    return np.array(line + line[:1] if closed else line)


def _span(way: np.ndarray, rise: float) -> float:
    far = float(np.hypot(*way))
    lean = math.asin(min(max(rise / far, -1.0), 1.0)) if far else 0.0
    return math.atan2(way[1], way[0]) - lean
