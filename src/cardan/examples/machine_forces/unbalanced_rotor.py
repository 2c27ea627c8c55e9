"""Unbalanced rotor: a disk that is not perpendicular to its shaft shakes both bearings.

             z |        /
               |       /  disk, tilted
       A o=====|======/=====o B  ---- x          M = m R^2 / 4 sin(tilt) cos(tilt) w^2,   F = M / span
         ^           /      ^
                    /

Its mass center lies on the axis: on two knife edges it rests in any position. But the shaft is not a principal axis,
and the angular momentum rotates with the disk, which requires a torque: a pair of bearing forces that rotate with the
rotor and grow with the square of its speed. In the picture both are upward (B.fy, because the y axis of B is the global
z), and differ from half the weight by as much. `-p offset=0.001` adds a mass center off the axis.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Model, PointOnLine, Ramp, Spherical, angle, matter, rotation

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 0.04, 201)
SHOW = ("A.fz", "B.fy")


def build(
    mass: float = 8.0,
    radius: float = 0.2,
    tilt: float = math.radians(2.0),
    offset: float = 0.0,
    span: float = 0.4,
    speed: float = 100.0 * math.pi,
) -> Model:
    """A thin disk in the middle of a shaft without mass; one bearing holds a point, the other lets it slide."""
    model = Model("unbalanced-rotor", gravity=(0.0, 0.0, -9.81))
    ground = model.ground
    disk = matter.disk(radius, mass=mass).turned(z=(1, 0, 0)).turned(rotation.from_axis_angle((0, 1, 0), tilt))
    rim = [_rim(radius, tilt, offset, 2.0 * math.pi * k / 36) for k in range(37)]
    drawn = [[(-span / 2, 0.0, 0.0), (span / 2, 0.0, 0.0)], rim]
    rotor = model.add(Body(mass=disk.moved((0.0, 0.0, offset)), outline=drawn), name="rotor")
    model.add(Spherical(ground.at(-span / 2, 0.0, 0.0), rotor.at(-span / 2, 0.0, 0.0)), name="A")
    model.add(PointOnLine.between(ground, rotor, at=(span / 2, 0.0, 0.0), z=(1, 0, 0)), name="B")
    turn = angle(ground.at(z=(1, 0, 0)), rotor.at(z=(1, 0, 0)))
    model.add(Driver(turn, Ramp(speed)), name="motor")
    return model


def _rim(radius: float, tilt: float, offset: float, around: float) -> tuple[float, float, float]:
    up = radius * math.cos(around)
    return up * math.sin(tilt), radius * math.sin(around), offset + up * math.cos(tilt)


# F = m R^2 / 4 sin(tilt) cos(tilt) w^2 / span; the weight, which does not turn, is left out
HEADLINE = Headline(
    "force in a bearing that turns with the rotor",
    "N",
    lambda run: 0.5 * float(run["B"].force[:, 0].max() - run["B"].force[:, 0].min()),  # across the shaft, level
    expected=8.0 * 0.2**2 / 4 * math.sin(math.radians(2.0)) * math.cos(math.radians(2.0)) * (100 * math.pi) ** 2 / 0.4,
    tolerance=1e-8,
)
