"""Gear-slider: three gears on a movable arm, and a slider whose stroke can be shifted while it runs.

A small gear on the shaft A drives, through an idler, a large gear that carries the crank pin of the slider. The large
gear is mounted on a link whose angle sets the position of the stroke (Haug, section 5.5, in m): try `-p
link_angle=0.5`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Constant, Distance, Driver, Gear, Model, Ramp, Revolute, Translational

TIMES = (0.0, 1.0, 401)
SHOW = ("slider.x", "slider.vx")
VARIATION = {"link_angle": (-0.1047, 0.0, 0.5236)}  # Haug 5.5


def build(link_angle: float = 0.0, speed: float = 4.0 * math.pi) -> Model:
    """Gears of radius 0.2, 0.1 and 0.4; two drivers: the shaft and the angle of the link."""
    model = Model("gear-slider")
    ground = model.ground
    shaft = model.add(Body(), name="pinion")
    idler = model.add(Body(position=(0.3, 0.0)), name="idler")
    wheel = model.add(Body(position=(0.6, 0.4)), name="wheel")
    link = model.add(Body(position=(0.6, -0.4)), name="link")
    slider = model.add(Body(position=(1.4928, 0.2)), name="slider")
    hinge = model.add(Revolute(ground.at(0.0, 0.0), shaft.at(0.0, 0.0)), name="A")
    model.add(Revolute(wheel.at(0.0, 0.0), link.at(0.0, 0.8)), name="B")
    pivot = model.add(Revolute(ground.at(0.6, -0.4), link.at(0.0, 0.0)), name="C")
    mesh = math.atan2(0.4, 0.3)  # the direction from the idler to the wheel
    model.add(Gear(shaft.at(), idler.at(), 0.2, 0.1, angle_a=0.0, angle_b=math.pi), name="mesh 1")
    model.add(Gear(idler.at(), wheel.at(), 0.1, 0.4, angle_a=mesh, angle_b=mesh + math.pi), name="mesh 2")
    model.add(Distance(shaft.at(), idler.at(), 0.3), name="arm 1")
    model.add(Distance(idler.at(), wheel.at(), 0.5), name="arm 2")
    model.add(Distance(wheel.at(0.2, 0.2), slider.at(), 0.8), name="rod")
    model.add(Translational(ground.at(0.0, 0.2), slider.at()), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    model.add(Driver(pivot.angle, Constant(link_angle)), name="setting")
    return model


# The wheel makes half the turns of the pinion: at 0.25 s a quarter, so the pin (0.2, 0.2)' stands at (0.4, 0.6).
HEADLINE = Headline(
    "position of the slider after a quarter turn of the wheel",
    "m",
    lambda run: run.at(0.25)["slider"].position[0],
    expected=0.4 + math.sqrt(0.8**2 - 0.4**2),
    tolerance=1e-9,
)
