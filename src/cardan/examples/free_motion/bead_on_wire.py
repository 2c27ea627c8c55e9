"""Bead on a wire: a user-defined constraint, written as a plain Python function.

The wire is the parabola y = c x^2. No built-in joint covers it; the function below is the whole constraint, and it runs
in the compiled loop with exact derivatives. The bead is driven back and forth along x.
"""

from __future__ import annotations

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Fixed, Harmonic, Hold, Model, angle, constraint, x, y

TIMES = (0.0, np.pi, 401)
SHOW = ("bead.y", "bead.ay")


@constraint
def parabola(x, y, c=1.5):
    """y = c x^2"""
    return y - c * x * x


def build(steepness: float = 1.5, amplitude: float = 0.5, frequency: float = 2.0) -> Model:
    """A bead at the lowest point of the wire."""
    model = Model("bead-on-wire")
    ground = model.ground
    reach = np.linspace(-1.2, 1.2, 61) * amplitude
    wire = model.add(Body(outline=np.stack([reach, steepness * reach**2], axis=1)), name="wire")
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    ball = 0.05 * amplitude * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    bead = model.add(Body(outline=ball), name="bead")
    model.add(Fixed(ground.at(), wire.at()), name="clamp")
    model.add(parabola(x(bead.at()), y(bead.at()), c=steepness), name="shape")
    model.add(Hold(angle(ground.at(), bead.at()), 0.0), name="upright")
    model.add(Driver(x(bead.at()), Harmonic(amplitude, frequency)), name="push")
    return model


# y'' = 2 c (x'^2 + x x''), and x'' = 0 at the bottom
HEADLINE = Headline(
    "upward acceleration of the bead at the bottom",
    "m/s2",
    lambda run: run["bead"].acceleration[0, 1],
    expected=2.0 * 1.5 * (0.5 * 2.0) ** 2,
    tolerance=1e-9,
)
