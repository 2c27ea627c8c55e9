"""Cams made of circular arcs and straight flanks: the belt around a few circles, with a closed form of the lift."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.planar import Body, CamFlat, CamRoller, Curve, Driver, Model, PointFollower, Ramp, Revolute, Translational


class Belt(NamedTuple):
    """Arc and flank in turn, by arc length: where each ends, and its start, direction there and curvature."""

    ends: np.ndarray
    points: np.ndarray
    directions: np.ndarray
    curvatures: np.ndarray


def belt(circles: np.ndarray) -> Belt:
    """The belt, counter-clockwise, around circles (x, y, r) that all lie on their hull, listed counter-clockwise.

    The outer tangent of two circles at distance d runs in the direction of their centers turned by
    arcsin((r2 - r1) / d), to the right: its outward normal has the same angle less a quarter turn on both circles.
    """
    n, normals = len(circles), []
    for k in range(n):
        (x1, y1, r1), (x2, y2, r2) = circles[k], circles[(k + 1) % n]
        d = math.hypot(x2 - x1, y2 - y1)
        normals.append(math.atan2(y2 - y1, x2 - x1) - math.asin((r2 - r1) / d) - math.pi / 2)
    points, directions, curvatures, lengths = [], [], [], []
    for k in range(n):
        x, y, r = circles[k]
        first, last = normals[k - 1], normals[k]
        turn = (last - first) % (2.0 * math.pi)
        points += [_on(circles[k], first), _on(circles[k], first + turn)]
        directions += [first + math.pi / 2, first + turn + math.pi / 2]
        curvatures += [1.0 / r, 0.0]
        following = _on(circles[(k + 1) % n], last)
        lengths += [r * turn, math.dist(points[-1], following)]
    return Belt(np.cumsum(lengths), np.array(points), np.array(directions), np.array(curvatures))


def curve(shape: Belt, stretch: float = 1.0) -> Curve:
    """The belt as a closed curve over its arc length; with `stretch` u runs faster along every other piece."""
    count = len(shape.ends)
    factors = np.where(np.arange(count) % 2 == 0, 1.0, stretch)
    lengths = np.diff(shape.ends, prepend=0.0)
    ends = np.cumsum(lengths / factors)
    starts = np.concatenate([[0.0], ends[:-1]])
    (px, py), directions, curvatures = shape.points.T.copy(), shape.directions, shape.curvatures

    def outline(u):
        k = 0
        while k < count - 1 and u >= ends[k]:
            k += 1
        s = (u - starts[k]) * factors[k]
        a, c = directions[k], curvatures[k]
        if c > 0.0:
            b = a + c * s
            return px[k] + (math.sin(b) - math.sin(a)) / c, py[k] - (math.cos(b) - math.cos(a)) / c
        return px[k] + s * math.cos(a), py[k] + s * math.sin(a)

    return Curve(outline, (0.0, float(ends[-1])))


def random_belt(random: np.random.Generator) -> Belt:
    """Two to four circles around the origin, which lies well inside all of the belt."""
    n = int(random.integers(2, 5))
    angles = 2.0 * math.pi * (np.arange(n) + 0.3 * random.uniform(-1.0, 1.0, n)) / n
    r = random.uniform(0.4, 0.6, n)
    away = random.uniform(0.3, 0.55, n)
    return belt(np.stack([away * np.cos(angles), away * np.sin(angles), r], axis=1))


def cam_and_roller(outline: Any, radius: float, speed: float = 1.0, kind: str = "roller") -> tuple[Model, Any]:
    """A cam that turns about the origin under a roller on the y axis, its face, or a pin in a slot of this form."""
    model = Model("cam of arcs and flanks", gravity=(0.0, -9.81))
    cam = model.add(Body(mass=1.0, inertia=0.1), name="cam")
    height = 1.2 * float(np.linalg.norm(outline.outline(), axis=1).max()) + radius
    follower = model.add(Body(position=(0.0, height), mass=1.0, inertia=0.1), name="follower")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="hinge")
    model.add(Translational(model.ground.at(0, 0, math.pi / 2), follower.at(0, 0, math.pi / 2)), name="guide")
    if kind == "roller":
        contact = model.add(CamRoller(cam.profile(outline), follower.at(), radius=radius), name="contact")
    elif kind == "slot":
        contact = model.add(PointFollower(cam.profile(outline), follower.at()), name="contact")
    else:
        contact = model.add(CamFlat(cam.profile(outline), follower.at(0, 0, math.pi)), name="contact")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model, contact


def roller_height(shape: Belt, radius: float, turned: float) -> float:
    """Height of the roller's center on the y axis, from the offset curve: where its arcs and flanks meet the axis."""
    best = -math.inf
    c, s = math.cos(turned), math.sin(turned)
    lengths = np.diff(shape.ends, prepend=0.0)
    for (x, y), a, curvature, length in zip(shape.points, shape.directions, shape.curvatures, lengths, strict=True):
        normal = a - math.pi / 2
        px, py = c * x - s * y, s * x + c * y
        if curvature > 0.0:
            r = 1.0 / curvature
            cx, cy = px - r * math.cos(normal + turned), py - r * math.sin(normal + turned)
            if abs(cx) <= r + radius:
                height = cy + math.sqrt((r + radius) ** 2 - cx * cx)
                where = (math.atan2(height - cy, -cx) - normal - turned) % (2.0 * math.pi)
                if where <= length * curvature + 1e-9 or where > 2.0 * math.pi - 1e-9:
                    best = max(best, height)
        else:
            ox, oy = px + radius * math.cos(normal + turned), py + radius * math.sin(normal + turned)
            dx, dy = math.cos(a + turned), math.sin(a + turned)
            along = -ox / dx if dx != 0.0 else math.inf
            if -1e-9 <= along <= length + 1e-9:
                best = max(best, oy + along * dy)
    return best


def _on(circle: np.ndarray, angle: float) -> tuple[float, float]:
    x, y, r = circle
    return x + r * math.cos(angle), y + r * math.sin(angle)
