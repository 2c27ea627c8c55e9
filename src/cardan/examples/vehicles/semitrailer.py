r"""Semitrailer: a tractor steers to and fro at 0.4 Hz, and its trailer swings wider than it does.

      .--.----.------------------.        from above: q = (y, psi_1, psi_2), rows Y of an axle's sideways displacement
     [|  |  o |   trailer     || |
      '--'----'------------------'        M q'' + sum C/v Y Y^T q' - sum C Y psi^T q = C_f Y_f delta
     front  fifth wheel    axles of the trailer

A single-track model with linear side forces C (psi - y'/v) at each axle; the fifth wheel is a revolute. The lateral
acceleration of the trailer over that of the tractor is the rearward amplification: dangerous above 2. `-p speed=30` is
faster, `-p trailer_stiffness=5e5` are worn tires of the trailer: it swings longer. The sum over axles above, solved at
i w, is the closed form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Harmonic, Model, Revolute, Spring, velocity_along

ANALYSIS = "simulate"
TIMES = (0.0, 15.0, 1501)
SHOW = ("tractor.ay", "trailer.ay", "fifth wheel.angle")
SPEED, HERTZ, STEER = 25.0, 0.4, 0.004  # m/s, Hz, rad
TRACTOR, TRAILER = (7500.0, 20e3), (24e3, 250e3)  # kg, kg m2
FRONT, REAR, FIFTH = 1.2, -2.4, -2.1  # x of axles and fifth wheel from the tractor's mass center
BEHIND, AXLES = 5.5, 8.0  # from the fifth wheel to the trailer's mass center and to its axles
STIFFNESS = {"front": 330e3, "rear": 900e3, "trailer": 1.1e6}  # N/rad of all tires of an axle


def build(speed: float = SPEED, steer: float = STEER, trailer_stiffness: float = STIFFNESS["trailer"]) -> Model:
    """`steer` is the amplitude of the steering angle."""
    model = Model("semitrailer")
    go: dict[str, Any] = {"velocity": (speed, 0.0)}
    cab = [[(-3.2, -1.2), (2.4, -1.2), (2.4, 1.2), (-3.2, 1.2), (-3.2, -1.2)], [(0.4, -1.2), (0.4, 1.2)]]
    tractor = model.add(Body(*TRACTOR, outline=cab, **go), name="tractor")
    box = [(BEHIND + x, y) for x, y in ((1.5, -1.25), (1.5, 1.25), (-11.5, 1.25), (-11.5, -1.25), (1.5, -1.25))]
    trailer = model.add(Body(*TRAILER, position=(FIFTH - BEHIND, 0.0), outline=[box], **go), name="trailer")
    wheels = model.add(Body(0.0, 0.0, position=(FRONT, 0.0), outline=[[(-0.5, 0), (0.5, 0)]], **go), name="wheels")
    fork = model.add(Revolute(tractor.at(FRONT, 0.0), wheels.at()), name="fork")
    model.add(Driver(fork.angle, Harmonic(steer, 2.0 * math.pi * HERTZ)), name="steering")
    model.add(Revolute(tractor.at(FIFTH, 0.0), trailer.at(BEHIND, 0.0)), name="fifth wheel")
    places = {"front": wheels.at(), "rear": tractor.at(REAR, 0.0), "trailer": trailer.at(BEHIND - AXLES, 0.0)}
    for name, place in places.items():
        stiffness = trailer_stiffness if name == "trailer" else STIFFNESS[name]
        aside = velocity_along(model.ground.at(), place, "y")
        model.add(Spring(aside, damping=stiffness / speed), name=f"{name} tires")
    return model


def linear_model(speed: float, trailer_stiffness: float = STIFFNESS["trailer"]) -> tuple[np.ndarray, ...]:
    """M, D, K and the column of the steering angle of M q'' + D q' + K q = f delta."""
    places = {"front": (1.0, FRONT, 0.0), "rear": (1.0, REAR, 0.0), "trailer": (1.0, FIFTH, -AXLES)}
    headings = {"front": (0.0, 1.0, 0.0), "rear": (0.0, 1.0, 0.0), "trailer": (0.0, 0.0, 1.0)}
    center = np.array((1.0, FIFTH, -BEHIND))
    M = np.diag([TRACTOR[0], TRACTOR[1], TRAILER[1]]) + TRAILER[0] * np.outer(center, center)
    D, K = np.zeros((3, 3)), np.zeros((3, 3))
    for name, stated in STIFFNESS.items():
        stiffness, Y = (trailer_stiffness if name == "trailer" else stated), np.array(places[name])
        D += stiffness / speed * np.outer(Y, Y)
        K -= stiffness * np.outer(Y, headings[name])
    return M, D, K, STIFFNESS["front"] * np.array(places["front"])


def rearward_amplification(speed: float = SPEED, hertz: float = HERTZ) -> float:
    """The lateral acceleration of the trailer over that of the tractor, at their mass centers."""
    M, D, K, f = linear_model(speed)
    s = 2j * math.pi * hertz
    q = np.linalg.solve(s * s * M + s * D + K, f)
    return float(abs(q @ (1.0, FIFTH, -BEHIND)) / abs(q[0]))


def measured(run: Any) -> float:
    """The same, from the last four periods."""
    last = run.times > run.times[-1] - 4.0 / HERTZ + 1e-9
    wave = np.exp(-2j * math.pi * HERTZ * run.times[last])
    sizes = [abs(run[name].acceleration[last, 1] @ wave) for name in ("trailer", "tractor")]
    return float(sizes[0] / sizes[1])


# angles of the truck reach 0.02 rad: squares are missing in the linear model
HEADLINE = Headline("rearward amplification at 0.4 Hz", "", measured, rearward_amplification(), 2e-3)
