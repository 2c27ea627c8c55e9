"""Air compressor: six pistons around a shaft, driven by a disk that wobbles but does not rotate.

The rotor carries the disk on a slanted axis; a slot keeps the disk from turning with it. Six rods, each a `Distance`,
join the disk to the pistons (Haug 10.4). The more the disk is slanted, the longer the stroke: `-p swash=0.7`.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Distance, Driver, Hold, Model, Ramp, Revolute, Translational, rotation, x

TIMES = (0.0, 0.1, 361)
SHOW = ("piston 1.y", "piston 4.y", "piston 1.vy")
VARIATION = {"swash": (math.radians(20.0), math.radians(30.0), math.radians(40.0))}  # Haug 10.4.4
RADIUS, ROD = 0.2, 0.5


def build(swash: float = math.radians(30.0), speed: float = 20.0 * math.pi) -> Model:
    """The machine of the book, 600 turns a minute."""
    model = Model("air-compressor")
    ground = model.ground
    turn = np.linspace(0.0, 2.0 * np.pi, 73)
    rim = RADIUS * np.stack([np.sin(turn), 0.0 * turn, np.cos(turn)], axis=1)
    slant = rotation.from_axis_angle((1, 0, 0), -swash)
    rotor = model.add(Body(), name="rotor")
    disk = model.add(Body(position=(0.0, -0.5, 0.0), orientation=slant, outline=rim), name="disk")
    shaft = model.add(Revolute.between(ground, rotor, at=(0, 0, 0), z=(0, 1, 0), x=(1, 0, 0)), name="A")
    model.add(Revolute(rotor.at(0.0, -0.5, 0.0, z=(0.0, math.cos(swash), -math.sin(swash))), disk.at(z=(0, 1, 0))), "B")
    model.add(Hold(x(disk.at(0.0, 0.0, RADIUS)), 0.0), name="slot")
    for k in range(6):
        place = (RADIUS * math.sin(k * math.pi / 3), RADIUS * math.cos(k * math.pi / 3))  # in x and z
        piston = model.add(Body(position=(place[0], -1.0, place[1])), name=f"piston {k + 1}")
        axes = {"z": (0, 1, 0), "x": (1, 0, 0)}
        model.add(Translational(ground.at(place[0], -1.0, place[1], **axes), piston.at(**axes)), f"cylinder {k + 1}")
        model.add(Distance(disk.at(place[0], 0.0, place[1]), piston.at(), ROD), name=f"rod {k + 1}")
    model.add(Driver(shaft.angle, Ramp(speed)), name="motor")
    return model


HEADLINE = Headline(
    "stroke of piston 1: the rise and fall of the rim",
    "m",
    lambda run: float(np.ptp(run["piston 1"].position[:, 1])),
    expected=2.0 * 0.2 * math.sin(math.radians(30.0)),
    tolerance=1e-9,
)
