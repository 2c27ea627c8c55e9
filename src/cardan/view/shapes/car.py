"""The body of a car, drawn around its wheels unless the model states another shape.

            ______
        ___/__|__ \\__         sections along the car, their widths by height; wheel arches are cut out of the sides
       (__(o)____(o)_)

A vehicle is a model with four tires in two axles. Its heaviest body gets the coachwork, in proportion to the wheelbase
and the track, if neither an outline nor a solid shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.tires.book_tire import BookTire
from cardan.elements.tires.tire import Tire
from cardan.view.shapes.drawing import Drawing, Shape
from cardan.view.stage.stage import Poses, moved

if TYPE_CHECKING:
    from cardan.model.model import Model

GAP = np.full((1, 3), np.nan)
CLEARANCE, ARCH = 0.55, 1.2  # height of the sills and radius of the arches, in radii of the wheels
BESIDE = 0.34  # from the middle of a wheel to the side of the car, in radii of the wheels
# The side view from the rear to the front, x from the rear axle and z from the road, in wheelbases.
TOP = (
    (-0.325, 0.150), (-0.345, 0.205), (-0.335, 0.290), (-0.310, 0.345), (-0.230, 0.368), (0.720, 0.360),
    (0.930, 0.332), (1.120, 0.300), (1.250, 0.262), (1.315, 0.215), (1.320, 0.150),
)  # fmt: skip
CABIN = (
    (-0.270, 0.366),
    (-0.075, 0.515),
    (0.060, 0.545),
    (0.250, 0.556),
    (0.420, 0.545),
    (0.520, 0.520),
    (0.800, 0.350),
)
PANES = (
    ((-0.165, 0.383), (-0.045, 0.505), (0.150, 0.533), (0.150, 0.383)),
    ((0.185, 0.383), (0.185, 0.534), (0.405, 0.526), (0.475, 0.505), (0.660, 0.383)),
)
HEIGHTS, WIDTHS = (
    (0.0, 0.22, 0.30, 0.37, 0.56),
    (0.985, 1.0, 0.985, 0.93, 0.70),
)  # of the car, relative to the lower part
LAMPS = {"#f4efdc": ((1.235, 1.300), (0.225, 0.262)), "#9c1c22": ((-0.345, -0.300), (0.262, 0.315))}  # x and z of lamps


@dataclass(frozen=True)
class Wheels:
    """The wheels in the frame of the chassis: the middle of the rear axle on the road, axes, and dimensions."""

    rear: np.ndarray
    axes: np.ndarray  # columns: forward, left, up
    base: float
    track: float
    radius: float

    def place(self, points: Any) -> np.ndarray:
        """Points (x forward, y left, z up) in the frame of the chassis."""
        return self.rear + np.asarray(points, float) @ self.axes.T


def add_coachwork(drawing: Drawing, model: Model, known: Poses) -> None:
    """The body of a car on the chassis of a model with four wheels."""
    tires = [e for e in drawing.elements if isinstance(e, Tire | BookTire)]
    hubs = {id(tire.wheel.body) for tire in tires}
    others = [b for b in model.bodies if id(b) in known and id(b) not in hubs and b.matter.mass]
    if len(tires) != 4 or len(hubs) != 4 or not others:
        return
    chassis = max(others, key=lambda body: body.matter.mass)
    wheels = _wheels(tires, known, chassis)
    if wheels is None or chassis.outline is not None or len(chassis.shape):
        return
    for kind, faces, paint in _parts(wheels):
        joined = np.vstack([part for face in faces for part in (wheels.place(face), GAP)])[:-1]
        drawing.shapes.append(Shape(kind, chassis, joined, paint=paint))


def _wheels(tires: list[Any], known: Poses, chassis: Any) -> Wheels | None:
    """Where the wheels are if they form two axles, else None."""
    place, turn = known[id(chassis)]
    road = np.asarray(drawing_up(tires[0], known))
    up = turn.T @ road
    centers = np.array([turn.T @ (moved(np.array(t.wheel.place), known[id(t.wheel.body)]) - place) for t in tires])
    flat = centers - np.outer(centers @ up, up)
    middle = flat.mean(axis=0)
    # The longer way between wheels is along the car: its sign is that of the body's x axis.
    _, _, ways = np.linalg.svd(flat - middle)
    forward = ways[0] if ways[0] @ np.eye(3)[int(np.argmax(np.abs(ways[0])))] > 0.0 else -ways[0]
    left = np.cross(up, forward)
    x, y = (flat - middle) @ forward, (flat - middle) @ left
    order = np.argsort(x)
    rear, front = order[:2], order[2:]
    if not (y[rear].min() < 0.0 < y[rear].max() and y[front].min() < 0.0 < y[front].max()):
        return None
    radius = float(np.mean([tire.touch.numbers[0] for tire in tires]))
    base, track = float(x[front].mean() - x[rear].mean()), float(np.ptp(y))
    if base < 3.0 * radius:
        return None
    level = centers[rear].mean(axis=0) - y[rear].mean() * left - radius * up
    return Wheels(level, np.column_stack([forward, left, up]), base, track, radius)


def drawing_up(tire: Any, known: Poses) -> np.ndarray:
    """The global direction away from the road of a tire."""
    from cardan.spatial import rotation

    _, turn = known[id(tire.ground.body)]
    return np.asarray(turn @ rotation.matrix(np.array(tire.ground.orientation))[:, 2])


def _parts(wheels: Wheels) -> list[tuple[str, list[np.ndarray], str]]:
    """Kinds, faces (x, y, z) and paints of the parts."""
    top, cabin = wheels.base * np.array(TOP), wheels.base * np.array(CABIN)
    body = [*_across(wheels, top)] + [
        _side(wheels, np.vstack([top, _lower_edge(wheels)]), side) for side in (1.0, -1.0)
    ]
    roof = [*_across(wheels, cabin)] + [_side(wheels, cabin, side) for side in (1.0, -1.0)]
    found = [("coachwork", body + roof, "")]
    out = 0.004 * wheels.base
    panes = [_side(wheels, wheels.base * np.array(pane), side, out) for pane in PANES for side in (1.0, -1.0)]
    for a, b in ((-2, -1), (0, 1)):  # windshield and rear window, within their pillars
        panes.append(_window(wheels, cabin[a], cabin[b], out))
    found.append(("glass", panes, ""))
    for paint, ((low, high), (bottom, top_z)) in LAMPS.items():
        corners = wheels.base * np.array([(low, bottom), (high, bottom), (high, top_z), (low, top_z)])
        found.append(("coachwork", [_side(wheels, corners, side, out) for side in (1.0, -1.0)], paint))
    return found


def _width(wheels: Wheels, z: np.ndarray) -> np.ndarray:
    """Half the width of the car at a height."""
    side = 0.5 * wheels.track + BESIDE * wheels.radius
    return side * np.interp(z / wheels.base, HEIGHTS, WIDTHS)


def _side(wheels: Wheels, profile: np.ndarray, side: float, out: float = 0.0) -> np.ndarray:
    """A line of the side view on one side of the car."""
    x, z = profile.T
    return np.stack([x, side * (_width(wheels, z) + out), z], axis=1)[:: int(side)]


def _across(wheels: Wheels, profile: np.ndarray) -> list[np.ndarray]:
    """Faces from side to side along a line of the side view."""
    left, right = (_side(wheels, profile, 1.0), _side(wheels, profile, -1.0)[::-1])
    return [np.stack([left[k], left[k + 1], right[k + 1], right[k]]) for k in range(len(profile) - 1)]


def _window(wheels: Wheels, low: np.ndarray, high: np.ndarray, out: float) -> np.ndarray:
    """A pane across the car between two points of the side view, somewhat in front of the body."""
    way = high - low
    normal = np.array([-way[1], way[0]]) / np.hypot(*way)
    normal *= out * np.sign(normal[1])
    ends = np.array([low + 0.08 * way, low + 0.92 * way]) + normal
    half = 0.9 * _width(wheels, ends[:, 1])
    rows = [[(x, sign * w, z) for sign in (1.0, -1.0)] for (x, z), w in zip(ends, half, strict=True)]
    return np.array([*rows[0], *rows[1][::-1]])


def _lower_edge(wheels: Wheels) -> np.ndarray:
    """The lower edge of a side from front to rear, with the arches of the wheels."""
    sill, arch = CLEARANCE * wheels.radius, ARCH * wheels.radius
    rise = float(np.arcsin((sill - wheels.radius) / arch))
    turn = np.linspace(rise, np.pi - rise, 15)
    arcs = [
        np.stack([x + arch * np.cos(turn), wheels.radius + arch * np.sin(turn)], axis=1) for x in (wheels.base, 0.0)
    ]
    front, rear = (1.30 * wheels.base, sill), (-0.31 * wheels.base, sill)
    return np.vstack([front, *arcs, rear])
