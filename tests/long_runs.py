"""Mechanisms without friction, for runs of any length: what they keep is known."""

from __future__ import annotations

import math

from cardan import planar as plane, spatial as space

G = 9.81


def pendulum() -> plane.Model:
    """A rod of length 1, let go at 120 degrees from the lowest position."""
    model = plane.Model("pendulum", gravity=(0.0, -G))
    angle = math.radians(30.0)
    place = (0.5 * math.cos(angle), 0.5 * math.sin(angle))
    rod = model.add(plane.Body(mass=1.0, inertia=1.0 / 12.0, position=place, angle=angle), name="rod")
    model.add(plane.Revolute(model.ground.at(), rod.at(-0.5, 0.0)), name="pin")
    return model


def double_pendulum() -> plane.Model:
    """Two rods, let go where they lie in line: chaotic."""
    model = plane.Model("double pendulum", gravity=(0.0, -G))
    upper = model.add(plane.Body(mass=1.0, inertia=0.02, position=(0.5, 0.0)), name="upper")
    lower = model.add(plane.Body(mass=0.7, inertia=0.03, position=(1.4, 0.0)), name="lower")
    model.add(plane.Revolute(model.ground.at(), upper.at(-0.5, 0.0)), name="shoulder")
    model.add(plane.Revolute(upper.at(0.5, 0.0), lower.at(-0.4, 0.0)), name="elbow")
    return model


def arm() -> space.Model:
    """Three links on axes askew, the last of them on a ball."""
    model = space.Model("arm", gravity=(0.0, 0.0, -G))
    matter = {"mass": 1.0, "inertia": (0.02, 0.05, 0.06)}
    base = model.add(space.Body(**matter, position=(0.0, 0.0, 0.2)), name="base")
    upper = model.add(space.Body(**matter, position=(0.4, 0.1, 0.4)), name="upper")
    hand = model.add(space.Body(**matter, position=(0.9, 0.1, 0.5)), name="hand")
    model.add(space.Revolute.between(model.ground, base, (0.0, 0.0, 0.0), z=(0.0, 0.0, 1.0)), name="turntable")
    model.add(space.Revolute.between(base, upper, (0.1, 0.0, 0.4), z=(0.0, 1.0, 0.3)), name="shoulder")
    model.add(space.Spherical.between(upper, hand, (0.7, 0.1, 0.4)), name="wrist")
    return model


def four_bar() -> plane.Model:
    """A rocker, a coupler and a rocker that swing: a closed loop that never comes near a position in line."""
    model = plane.Model("swinging four-bar", gravity=(0.0, -G))
    points = [(0.0, 0.0), (0.3, -0.9), (1.3, -0.9), (1.2, 0.0)]
    bodies, names = [model.ground], ("left", "coupler", "right")
    for name, a, b in zip(names, points[:-1], points[1:], strict=True):
        length, angle = math.dist(a, b), math.atan2(b[1] - a[1], b[0] - a[0])
        place = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
        body = plane.Body(mass=length, inertia=length**3 / 12.0, position=place, angle=angle)
        bodies.append(model.add(body, name=name))
    for name, one, two, point in zip("ABCD", bodies, [*bodies[1:], model.ground], points, strict=True):
        model.add(plane.Revolute.between(one, two, point), name=name)
    return model


def heavy_top() -> space.Model:
    """A top on its point, spinning and tilted."""
    model = space.Model("top", gravity=(0.0, 0.0, -G))
    tilt = math.radians(40.0)
    axes = (math.cos(0.5 * tilt), math.sin(0.5 * tilt), 0.0, 0.0)
    place = (0.0, -0.3 * math.sin(tilt), 0.3 * math.cos(tilt))
    top = space.Body(
        mass=1.0, inertia=(0.03, 0.03, 0.05), position=place, orientation=axes, angular_velocity=(0.0, 0.0, 40.0)
    )
    model.add(top, name="top")
    model.add(space.Spherical.between(model.ground, top, (0.0, 0.0, 0.0)), name="point")
    return model
