r"""Inverted pendulum: a controller sampled at 100 Hz keeps a rod upright on a cart.

             o           u_k = -K (x, x', phi, phi')       at t = 0, T, 2 T, ...
            /
           / phi         the force u_k is held until the next sample
        ==[___]==> u
          o   o

The controller is plain Python, called exactly at its sampling times. The gains K place all poles of the linearized
system at -4 1/s; the sampled controller brings the rod upright as well. `-p period=0.1` lets it fall.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Actuator, Body, Model, Point, Revolute, Sampled, Translational, rate

ANALYSIS = "simulate"
TIMES = (0.0, 5.0, 501)
SHOW = ("tip.x", "cart.x")
CART, ROD, HALF, G = 1.0, 0.2, 0.5, 9.81


def build(period: float = 0.01, lean: float = 0.2) -> Model:
    """`period` of the computer in s, `lean` of the rod at first in rad."""
    model = Model("inverted-pendulum", gravity=(0.0, -G))
    frame = [(-0.2, -0.06), (0.2, -0.06), (0.2, 0.06), (-0.2, 0.06), (-0.2, -0.06)]
    cart = model.add(Body(mass=CART, inertia=0.01, outline=frame), name="cart")
    place = -HALF * math.sin(lean), HALF * math.cos(lean)
    rod = model.add(Body(mass=ROD, inertia=ROD * HALF**2 / 3.0, position=place, angle=lean), name="rod")
    rail = model.add(Translational(model.ground.at(), cart.at()), name="rail")
    pin = model.add(Revolute(cart.at(), rod.at(0.0, -HALF)), name="pin")
    model.add(Point(rod.at(0.0, HALF)), name="tip")
    gains = _gains(4.0)

    def law(x: float, v: float, phi: float, speed: float) -> float:
        return -(gains[0] * x + gains[1] * v + gains[2] * phi + gains[3] * speed)

    seen = [rail.travel, rate(rail.travel), pin.angle, rate(pin.angle)]
    computer = model.add(Sampled(law, seen, period=period), name="computer")
    model.add(Actuator(rail.travel, computer), name="motor")
    return model


def _gains(pole: float) -> tuple[float, float, float, float]:
    """K that makes the characteristic polynomial of the linearized system (s + pole)^4.

    Small angles, phi to the left:  (M + m) x'' - m l phi'' = u  and  e phi'' - x'' = g phi,  e = 4/3 l; so

        a x'' = u + c phi,   e phi'' = b phi + u / a          a = M + m/4,  c = 3/4 m g,  b = g + c/a
        s^4 + (k4 + e k2) s^3 / (a e) + ((k3 + e k1) / a - b) s^2 / e - g (k2 s + k1) / (a e)
    """
    a, e = CART + ROD / 4.0, 4.0 * HALF / 3.0
    b = G + 0.75 * ROD * G / a
    k1, k2 = -(pole**4) * a * e / G, -4.0 * pole**3 * a * e / G
    return k1, k2, a * (6.0 * pole**2 * e + b) - e * k1, 4.0 * pole * a * e - e * k2


HEADLINE = Headline(
    "how far the tip is off in the end",
    "m",
    lambda run: float(abs(run["tip"].position[-1, 0])),
    expected=0.0,
    tolerance=1e-4,
)
