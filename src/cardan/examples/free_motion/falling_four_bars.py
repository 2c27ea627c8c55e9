r"""Falling four-bars: equal bars that pass through singular configurations again and again.

        o-------o-------o   --> 1 m/s          theta'' = k sin(theta),   k = g ((n + 1)/2 + n) / ((n + 1)/3 + n)
        |       |       |
        |       |       |                      tip of the first bar: (sin theta, cos theta)
        ^       ^       ^

Every bar is 1 m and 1 kg. As long as it stays a row of parallelograms it moves as one pendulum, which starts upright
and turns over. Twice in each turn all bars are in line; there one degree of freedom becomes n + 1, the Jacobian loses
rank, and accelerations computed from it are dominated by rounding. The run passes through: ranks are frozen, and errors
across the joints are projected away. `-p n=40` is a row of forty (MBS benchmark A02).
"""

from __future__ import annotations

import math

from scipy.special import ellipj, ellipk

from cardan.examples import Headline
from cardan.planar import Body, Model, Point, Revolute, matter

ANALYSIS = "simulate"
TIMES = (0.0, 10.0, 1001)
SHOW = ("tip.x", "tip.y", "bar 1.angular_velocity")


def build(n: int = 2) -> Model:
    """n four-bars; bodies begin at a pin."""
    model = Model("falling-four-bars", gravity=(0.0, -9.81))
    bar, drawn = matter.rod(1.0, mass=1.0).moved((0.5, 0.0)), [(0.0, 0.0), (1.0, 0.0)]
    upright, couplers = [], []
    for i in range(n + 1):
        stated = Body(mass=bar, position=(float(i), 0.0), angle=math.pi / 2, angular_velocity=-1.0, outline=drawn)
        upright.append(model.add(stated, name=f"bar {i + 1}"))
        if i < n:
            stated = Body(mass=bar, position=(float(i), 1.0), velocity=(1.0, 0.0), outline=drawn)
            couplers.append(model.add(stated, name=f"coupler {i + 1}"))
    for i, body in enumerate(upright):
        model.add(Revolute(model.ground.at(float(i), 0.0), body.at()), name=f"foot {i + 1}")
    for i, body in enumerate(couplers):
        model.add(Revolute(upright[i].at(1.0, 0.0), body.at()), name=f"left {i + 1}")
        model.add(Revolute(body.at(1.0, 0.0), upright[i + 1].at(1.0, 0.0)), name=f"right {i + 1}")
    model.add(Point(upright[0].at(1.0, 0.0)), name="tip")
    return model


# theta = pi + 2 psi, psi' = sqrt((1/4 + k) (1 - m sin^2 psi)) with m = k / (1/4 + k), where psi is the amplitude of
# sqrt(1/4 + k) t - K(m), and sin(theta) = -2 sn cn
_K = 9.81 * (3 / 2 + 2) / (3 / 3 + 2)
_M = _K / (0.25 + _K)
_SN, _CN, _, _ = ellipj(math.sqrt(0.25 + _K) * 10.0 - ellipk(_M), _M)
HEADLINE = Headline(
    "x of the tip after 10 s",
    "m",
    lambda run: float(run["tip"].position[-1, 0]),
    expected=float(-2.0 * _SN * _CN),
    tolerance=1e-6,
)
