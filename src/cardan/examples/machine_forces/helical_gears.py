"""Helical gears: a reduction stage whose teeth load the bearings of both shafts.

Each shaft has a locating bearing, which also carries the axial force, and a floating one. The teeth press along their
line of action: besides the tangential force that transmits the torque, a radial force pushes the shafts apart and an
axial force pushes along them. The load reverses after one turn of the pinion: the teeth change flanks, so the axial
force changes its direction, but the radial force does not.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Gear, Harmonic, Model, Point, PointOnLine, Ramp, Spherical, Torque, angle

TIMES = (0.0, 0.08, 401)
SHOW = ("mesh teeth.tangential", "mesh teeth.radial", "mesh teeth.axial")
ANALYSIS = "inverse_dynamics"


def build(
    pinion: float = 0.03,
    wheel: float = 0.09,
    pressure_angle: float = math.radians(20.0),
    helix_angle: float = math.radians(15.0),
    torque: float = 120.0,
    speed: float = 50.0 * math.pi,
    span: float = 0.12,
) -> Model:
    """Shafts along z, bearings `span` apart, the gears in the middle."""
    model = Model("helical-gears")
    shafts = {}
    for name, radius, place in (("pinion", pinion, 0.0), ("wheel", wheel, pinion + wheel)):
        outline = [(0.0, 0.0, -0.6 * span), (0.0, 0.0, 0.6 * span)]
        mass = 7850.0 * math.pi * radius**2 * 0.03
        moments = (0.25 * mass * radius**2, 0.25 * mass * radius**2, 0.5 * mass * radius**2)
        shaft = model.add(Body(mass, moments, position=(place, 0.0, 0.0), outline=outline), name=name)
        left, right = -0.5 * span, 0.5 * span
        model.add(Spherical(model.ground.at(place, 0.0, left), shaft.at(0.0, 0.0, left)), name=f"{name} locating")
        model.add(PointOnLine(model.ground.at(place, 0.0, right), shaft.at(0.0, 0.0, right)), name=f"{name} floating")
        shafts[name] = shaft
    teeth = {"pressure_angle": pressure_angle, "helix_angle": helix_angle}
    mesh = Gear(shafts["pinion"].at(), shafts["wheel"].at(), pinion, wheel, **teeth)
    model.add(mesh, name="mesh")
    model.add(Driver(angle(model.ground.at(), shafts["pinion"].at()), Ramp(speed)), name="motor")
    load = Harmonic(torque, 0.5 * speed, phase=0.5 * math.pi)
    model.add(Torque(shafts["wheel"].at(), (0.0, 0.0, load)), name="load")
    model.add(Point(shafts["wheel"].at(wheel, 0.0, 0.0)), name="tooth")
    return model


# Moments about the locating bearing of the pinion: half of F_t and of F_r, and F_a at the pitch radius.
_FT = 120.0 / 0.09
_FR, _FA = _FT * math.tan(math.radians(20.0)) / math.cos(math.radians(15.0)), _FT * math.tan(math.radians(15.0))
HEADLINE = Headline(
    "largest force on the floating bearing of the pinion",
    "N",
    lambda run: float((run["pinion floating.fx"] ** 2 + run["pinion floating.fy"] ** 2).max() ** 0.5),
    expected=math.hypot(0.5 * _FT, 0.5 * _FR + _FA * 0.03 / 0.12),
    tolerance=1e-8,
)
