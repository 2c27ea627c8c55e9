r"""A leg with a closed loop: a five-bar linkage under a hip that slides up and down, with a foot on the ground.

         |[ hip ]|
          o     o         two motors turn the thighs
         /       \
        o         o
         \       /
          \     /
           foot          pushes on the ground, y = 0
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from cardan.gym.environment import MechanismEnvironment
from cardan.model.model import Model
from cardan.planar import Actuator, Body, Model as PlanarModel, Point, Revolute, Stop, Translational, y

HIP, THIGH, SHANK = 0.06, 0.2, 0.3  # half the distance of the motors, and lengths, in m
SPREAD = 0.6  # rad: the thighs' angle to the vertical, at first
HIP_HEIGHT, MIN_HEIGHT = 0.45, 0.2  # height of the hip that is rewarded, and at which an episode ends, in m
TORQUE, COST = 12.0, 0.05  # N m at action = 1, and what actions cost


class Leg(MechanismEnvironment):
    """Hold the hip 0.45 m above the ground: reward exp(-(height - 0.45)^2 / 0.05^2) less 0.05 times the mean square of
    the actions.

    Observations are height and vertical speed of the hip, angles and rates of both thighs, and the height of the foot.
    The loop is closed by a pin at the foot; the ground is a stiff spring. An episode ends below 0.2 m or after 500
    steps of 0.01 s.
    """

    inputs: ClassVar[tuple[str, ...]] = ("left motor", "right motor")
    outputs: ClassVar[tuple[str, ...]] = (
        "hip.y", "hip.vy", "left.angle", "left.angle.rate", "right.angle", "right.angle.rate", "sole.y",
    )  # fmt: skip
    scale: ClassVar[tuple[float, ...]] = (TORQUE, TORQUE)
    bounds: ClassVar[tuple[float, ...]] = (2.0, math.inf, math.pi, math.inf, math.pi, math.inf, 2.0)
    duration: ClassVar[float] = 0.01

    def build(self) -> Model:
        model = PlanarModel("leg", gravity=(0.0, -9.81))
        knee_x, drop = HIP + THIGH * math.sin(SPREAD), THIGH * math.cos(SPREAD)
        fall = math.sqrt(SHANK**2 - knee_x**2)
        self.height = height = drop + fall + 0.002
        hip = model.add(Body(mass=3.0, inertia=0.02, position=(0.0, height)), name="hip")
        upward = 0.5 * math.pi
        model.add(Translational(model.ground.at(angle=upward), hip.at(angle=upward)), name="guide")
        feet = []
        for side, name in ((-1.0, "left"), (1.0, "right")):
            tilt = side * SPREAD
            middle = (side * (HIP + 0.5 * (knee_x - HIP)), height - 0.5 * drop)
            thigh = Body(mass=0.4, inertia=0.4 * THIGH**2 / 12.0, position=middle, angle=tilt)
            model.add(thigh, name=f"{name} thigh")
            lean = -side * math.asin(knee_x / SHANK)
            middle = (side * 0.5 * knee_x, height - drop - 0.5 * fall)
            shank = Body(mass=0.3, inertia=0.3 * SHANK**2 / 12.0, position=middle, angle=lean)
            model.add(shank, name=f"{name} shank")
            motor = model.add(Revolute(hip.at(side * HIP, 0.0), thigh.at(0.0, 0.5 * THIGH)), name=name)
            model.add(Revolute(thigh.at(0.0, -0.5 * THIGH), shank.at(0.0, 0.5 * SHANK)), name=f"{name} knee")
            model.add(Actuator(motor.angle, 0.0), name=f"{name} motor")
            feet.append(shank.at(0.0, -0.5 * SHANK))
        model.add(Revolute(*feet), name="foot")
        model.add(Point(feet[0]), name="sole")
        model.add(Stop(y(feet[0]), lower=0.0, stiffness=2e4, damping=60.0), name="ground contact")
        return model

    def start(self, random: np.random.Generator) -> dict[str, float]:
        """The hip is up to 2 cm higher than stated, and moves at up to 0.1 m/s."""
        return {"guide.travel": self.height + random.uniform(0.0, 0.02), "guide.travel.rate": random.uniform(-0.1, 0.1)}

    def reward(self, outputs: np.ndarray, action: np.ndarray) -> float:
        return math.exp(-(((outputs[0] - HIP_HEIGHT) / 0.05) ** 2)) - COST * float(np.mean(action**2))

    def failed(self, outputs: np.ndarray) -> bool:
        return bool(outputs[0] < MIN_HEIGHT)
