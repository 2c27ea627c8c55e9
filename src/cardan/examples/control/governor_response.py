r"""Governor under load: starting from steady motion, it is loaded and settles where T = C drop again.

             | spindle              steady_motion() finds the spin at which engine and arms are in balance:
          .--o--.                   11.0 rad/s, arms at 45 degrees, the spring at rest (Haug 12.6)
         /   |   \
        /\   |   /\                 after 1 s a load torque T comes on; the spindle slows down, the arms fall, the
       O  \  |  /  O                collar drops, and the engine answers with C times the drop
           \[ ]/
          collar                    with a softer spring or a larger C it swings for ever: `-p stiffness=1000`
"""

from __future__ import annotations

import math
from typing import Any

from cardan import steady_motion
from cardan.examples import Headline
from cardan.spatial import Action, Body, Distance, Model, Revolute, Spring, Step, Torque, Translational, length

ANALYSIS = "simulate"
TIMES = (0.0, 60.0, 1201)
SHOW = ("collar.y", "spindle.wy", "right ball.y", "spring.force")
# Haug 12.6: three springs, then three gains of the engine
VARIATION = [{"feedback": 12500.0, "stiffness": k} for k in (1000.0, 2000.0, 3000.0)]
VARIATION += [{"feedback": C, "stiffness": 1000.0} for C in (7500.0, 17500.0)]
ARM, CRANK, ROD, SLOPE = 0.16, 0.08, 0.10922, math.sqrt(0.5)
DROP = CRANK * SLOPE + math.sqrt(ROD**2 - (CRANK * SLOPE) ** 2)  # of the collar below the pivot, arms at 45 degrees


def options(model: Any) -> dict[str, Any]:
    return {"start": steady_motion(model, axis=(0, 1, 0)), "rtol": 1e-9}


def build(feedback: float = 12500.0, stiffness: float = 3000.0, load: float = 25.0) -> Model:
    """Haug's tables 12.6.1 to 12.6.5 with g = 9.80 m/s2; `feedback` is C in N, `load` the torque in N m."""
    model = Model("governor-response", gravity=(0.0, -9.80, 0.0))
    spin = {"angular_velocity": (0.0, 11.0, 0.0)}  # an estimate
    drawn = {"outline": [(0.0, -0.2, 0.0), (0.0, 0.0, 0.0)]}
    spindle = model.add(Body(mass=200.0, inertia=(25, 50, 25), position=(0, 0.2, 0), **spin, **drawn), name="spindle")
    square = {"outline": [(-0.03, 0, 0), (0.03, 0, 0)]}
    collar = model.add(
        Body(mass=1.0, inertia=(0.15, 0.125, 0.15), position=(0, 0.2 - DROP, 0), **spin, **square), name="collar"
    )
    up, across = {"z": (0, 1, 0), "x": (0, 0, 1)}, {"z": (0, 0, 1), "x": (1, 0, 0)}
    bearing = model.add(Revolute(model.ground.at(**up), spindle.at(0, -0.2, 0, **up)), name="bearing")
    for name, side in (("right", 1.0), ("left", -1.0)):
        state = {
            "position": (side * ARM * SLOPE, 0.2 - ARM * SLOPE, 0.0),
            "orientation": (0.0, 0.0, -side * math.sin(math.pi / 8)),
            "outline": [(-side * ARM, 0.0, 0.0), (0.0, 0.0, 0.0)],
        }
        ball = model.add(Body(mass=1.0, inertia=(0.1, 0.1, 0.1), **state, **spin), name=f"{name} ball")
        model.add(Revolute(spindle.at(**across), ball.at(-side * ARM, 0, 0, **across)), name=f"{name} arm")
        model.add(Distance(ball.at(-side * CRANK, 0, 0), collar.at(), ROD), name=f"{name} rod")
    model.add(Translational(spindle.at(**up), collar.at(**up)), name="sleeve")
    way = length(spindle.at(), collar.at())
    model.add(Spring(way, stiffness, 30.0, rest_length=DROP), name="spring")
    model.add(Action(bearing.angle, lambda drop: feedback * (drop - DROP), of=(way,)), name="engine")
    model.add(Torque(spindle.at(), (0.0, Step(1.0, 1.2, 0.0, -load), 0.0)), name="load")
    return model


# in the new steady motion engine and load are in balance: C drop = T
HEADLINE = Headline(
    "drop of the collar a minute later",
    "m",
    lambda run: float(run["collar"].position[0, 1] - run["collar"].position[-1, 1]),
    expected=25.0 / 12500.0,
    tolerance=1e-7,
)
