r"""A pole on a cart, balanced by a force on the cart.

     o
    /  angle          force = 10 N times the action
   /
==[___]==> force
  o   o
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from cardan.gym.environment import MechanismEnvironment
from cardan.model.model import Model
from cardan.planar import Actuator, Body, Model as PlanarModel, Revolute, Translational

TRACK, LEAN = 2.4, math.radians(12.0)  # m and rad at which an episode ends
CART, POLE, HALF_LENGTH, GRAVITY = 1.0, 0.1, 0.5, 9.8  # masses in kg, half the length in m, m/s^2


class CartPole(MechanismEnvironment):
    """Balance a pole: observations are travel, its rate, angle and its rate; the reward is 1 per step.

    Masses, lengths, limits and starts are those of Barto, Sutton and Anderson (1983), with a force of any size up to
    10 N. An episode ends at 2.4 m, at 12 degrees or after 500 steps of 0.02 s.
    """

    inputs: ClassVar[tuple[str, ...]] = ("drive",)
    outputs: ClassVar[tuple[str, ...]] = ("rail.travel", "rail.travel.rate", "pin.angle", "pin.angle.rate")
    scale: ClassVar[tuple[float, ...]] = (10.0,)
    bounds: ClassVar[tuple[float, ...]] = (2.0 * TRACK, math.inf, 2.0 * LEAN, math.inf)

    def build(self) -> Model:
        model = PlanarModel("cart-pole", gravity=(0.0, -GRAVITY))
        cart = model.add(Body(mass=CART, inertia=0.01), name="cart")
        pole = model.add(Body(mass=POLE, inertia=POLE * HALF_LENGTH**2 / 3.0, position=(0.0, HALF_LENGTH)), name="pole")
        rail = model.add(Translational(model.ground.at(), cart.at()), name="rail")
        model.add(Revolute(cart.at(), pole.at(0.0, -HALF_LENGTH)), name="pin")
        model.add(Actuator(rail.travel, 0.0), name="drive")
        return model

    def start(self, random: np.random.Generator) -> dict[str, float]:
        """All four observations are uniform in [-0.05, 0.05]."""
        return dict(zip(self.outputs, random.uniform(-0.05, 0.05, 4).tolist(), strict=True))

    def reward(self, outputs: np.ndarray, action: np.ndarray) -> float:
        return 1.0

    def failed(self, outputs: np.ndarray) -> bool:
        return bool(abs(outputs[0]) > TRACK or abs(outputs[2]) > LEAN)
