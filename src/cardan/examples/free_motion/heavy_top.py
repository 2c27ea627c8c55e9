r"""Heavy top: released with its axis at rest, it falls, precesses and rises again to its initial height.

            z |   / axis          u = cos of the angle between axis and vertical
              |  O                1 - u1^2 = 2 k (u0 - u1),   k = (C n)^2 / (4 A m g l):    the lowest point
              | /
        ======o======             C: inertia about the axis, A: across, at the pivot; n: the spin

The faster the spin, the less it falls: the precession begins with a cusp at the height of release, and the axis nutates
n times per turn. The lowest point is found as an event: the rate of the height of the tip passes through zero. `-p
spin=60` is a slow top, which falls far.
"""

from __future__ import annotations

import math
from typing import Any

from cardan import Event
from cardan.examples import Headline
from cardan.spatial import Body, Model, Point, Spherical, matter, rotation, z

ANALYSIS = "simulate"
TIMES = (0.0, 1.0, 1001)
SHOW = ("tip.x", "tip.y", "tip.z", "foot.fz")
TILT, DISTANCE, RADIUS, MASS = math.radians(40.0), 0.08, 0.05, 0.4


def options(model: Any) -> dict[str, Any]:
    lowest = Event(z(model["tip"].marker), 0.0, "rising", of_rate=True, action=note, name="lowest")
    return {"events": [lowest]}


def note(snapshot: Any) -> None:
    """The run goes on as if nothing had happened."""


def build(spin: float = 120.0, tilt: float = TILT) -> Model:
    """A disk on a shaft without mass; the body's z axis is the axis of the top, its origin the pivot."""
    model = Model("heavy-top", gravity=(0.0, 0.0, -9.81))
    turned = rotation.from_axis_angle((0, 1, 0), tilt)
    disk = matter.disk(RADIUS, mass=MASS).moved((0.0, 0.0, DISTANCE))
    rim = [_rim(2.0 * math.pi * k / 36) for k in range(37)]
    drawn = [[(0.0, 0.0, 0.0), (0.0, 0.0, 1.4 * DISTANCE)], rim]
    top = model.add(Body(mass=disk, orientation=turned, angular_velocity_b=(0.0, 0.0, spin), outline=drawn), name="top")
    model.add(Spherical(model.ground.at(), top.at()), name="foot")
    model.add(Point(top.at(0.0, 0.0, 1.4 * DISTANCE)), name="tip")
    return model


def _rim(around: float) -> tuple[float, float, float]:
    return RADIUS * math.cos(around), RADIUS * math.sin(around), DISTANCE


# energy and both momenta: (u0 - u) (1 - u^2 - 2 k (u0 - u)) = 0 where the axis turns back
_C, _A = MASS * RADIUS**2 / 2, MASS * RADIUS**2 / 4 + MASS * DISTANCE**2
_K = (_C * 120.0) ** 2 / (4.0 * _A * MASS * 9.81 * DISTANCE)
HEADLINE = Headline(
    "cosine of the tilt at the lowest point",
    "",
    lambda run: float(run.events[0].snapshot["tip"].position[2]) / (1.4 * DISTANCE),
    expected=_K - math.sqrt(_K**2 - 2.0 * _K * math.cos(TILT) + 1.0),
    tolerance=1e-8,
)
