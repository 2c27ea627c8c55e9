r"""Door: a gust throws it open against its stop; closer and friction bring it to rest.

    hinge                          opening   J w^2 / 2 = k phi^2 / 2 + M phi + k_s d^2 / 2,   phi = stop + d
      o=============== leaf        closing   the closer's damper works one way only, as its valve lets it
       \_ closer    ) stop         the end   where k phi <= M it sticks

The closer is a spring with an additional user law, `law=`, the stop a spring that only pushes, and the friction M that
of a pin under a known load; with sticks=True it truly sticks, and events report when. `-p gust=1` opens it by less.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Friction, Model, Revolute, Spring, Stop, matter

ANALYSIS = "simulate"
TIMES = (0.0, 8.0, 401)
SHOW = ("hinge.angle", "hinge.angle.rate")
WIDTH, HEIGHT, MASS, GUST = 0.9, 2.0, 30.0, 4.0
CLOSER, DAMPING = 12.0, 20.0  # N m/rad, N m s/rad
STOP, RUBBER = 1.8, 2e3  # rad, N m/rad
MU, PIN, PRESSED = 0.2, 0.01, 400.0


def build(gust: float = GUST) -> Model:
    """`gust` is the angular velocity that it leaves the door with, in rad/s."""
    model = Model("door", gravity=(0.0, 0.0, -9.81))
    leaf = matter.box(WIDTH, 0.04, HEIGHT, mass=MASS).moved((WIDTH / 2, 0.0, HEIGHT / 2))
    door = model.add(Body(mass=leaf, angular_velocity=(0.0, 0.0, gust)), name="leaf")
    hinge = model.add(Revolute(model.ground.at(), door.at()), name="hinge")

    def valve(angle: float, rate: float) -> float:
        return DAMPING * rate if rate < 0.0 else 0.0

    model.add(Spring(hinge.angle, CLOSER, rest_angle=0.0, law=valve), name="closer")
    model.add(Stop(hinge.angle, lower=0.0, upper=STOP, stiffness=RUBBER), name="stop")
    model.add(Friction(hinge.angle, MU, radius=PIN, normal=PRESSED, sticks=True), name="pin")
    return model


def _widest() -> float:
    """phi from the balance of energy, a quadratic equation in d."""
    inertia, torque = MASS * (WIDTH**2 / 3.0 + 0.04**2 / 12.0), MU * PIN * PRESSED
    left = 0.5 * inertia * GUST**2 - 0.5 * CLOSER * STOP**2 - torque * STOP
    k, m = RUBBER + CLOSER, CLOSER * STOP + torque
    return STOP + (math.sqrt(m * m + 2.0 * k * left) - m) / k


HEADLINE = Headline(
    "angle at which it turns round",
    "rad",
    lambda run: float(run.events[0].snapshot[run.model["hinge"].angle].value),  # where friction first comes to rest
    expected=_widest(),
    tolerance=1e-7,
)
