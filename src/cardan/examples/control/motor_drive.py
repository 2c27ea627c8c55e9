r"""Motor drive: a PID controller with limits turns a wheel to its target angle by an electric motor.

                 r   e   +-----+  V   R, L           L i' = V - R i - k w
        aim  ----->(-)-->| PID |---->(M)====O        J w' = k i
                    ^    +-----+            |
                    '------- angle ---------'        V is limited to 24 V; the integral does not wind up

The controller, the coil and the wheel are integrated together. At the end the wheel is at its target and at rest: all
work of the motor has been dissipated. `-p kp=200` saturates longer.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import PID, Body, ElectricMotor, Model, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 5.0, 501)
SHOW = ("wheel.angle", "wheel.angular_velocity")
AIM = 1.5


def build(aim: float = AIM, kp: float = 60.0, ki: float = 150.0, kd: float = 6.0, limit: float = 24.0) -> Model:
    """`aim` in rad, gains in V per rad, V per rad s and V per rad/s, `limit` in V."""
    model = Model("motor-drive")
    rim = [(0.1 * math.cos(k * math.pi / 18), 0.1 * math.sin(k * math.pi / 18)) for k in range(37)]
    wheel = model.add(Body(mass=matter.disk(0.1, mass=2.0), outline=rim), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    pid = model.add(PID(hinge.angle, aim, kp, ki, kd, limits=(-limit, limit)), name="pid")
    model.add(ElectricMotor(hinge.angle, pid, resistance=1.5, inductance=0.004, torque_constant=0.15), name="motor")
    return model


HEADLINE = Headline(
    "angle in the end", "rad", lambda run: float(run[run.model["hinge"].angle].value[-1]), expected=AIM, tolerance=1e-4
)
