r"""Shunting: a wagon strikes a row of wagons, and the impact travels through the row.

        v -->                                       equal masses, restitution e at each pair of buffers:
        [ 0 ]     [ 1 ] [ 2 ] [ 3 ] [ 4 ]           the next one leaves with (1 + e) / 2 of the speed,
        ===================================         the last one with v ((1 + e) / 2)^4

Each pair of buffers is an `Impact` on the distance of two wagons: velocities jump, momentum is conserved, and the lost
energy is accounted for. Faster wagons catch up with slower ones: many more impacts follow. `-p restitution=1` is a
cradle without loss.
"""

from __future__ import annotations

from typing import Any

from cardan.examples import Headline
from cardan.planar import Body, Impact, Model, Translational, x

ANALYSIS = "simulate"
TIMES = (0.0, 6.0, 601)
SHOW = ("wagon0.vx", "wagon1.vx", "wagon2.vx", "wagon3.vx", "wagon4.vx")
SPEED, RESTITUTION, COUNT, LENGTH = 2.0, 0.6, 5, 1.0


def build(speed: float = SPEED, restitution: float = RESTITUTION, gap: float = 0.2) -> Model:
    """`gap` is that between the buffers of wagons that stand."""
    model = Model("shunting")
    box = [(-0.5 * LENGTH, 0.0), (0.5 * LENGTH, 0.0), (0.5 * LENGTH, 0.4), (-0.5 * LENGTH, 0.4), (-0.5 * LENGTH, 0.0)]
    wagons: list[Any] = []
    for k in range(COUNT):
        start = (
            {"position": (-1.0, 0.0), "velocity": (speed, 0.0)} if k == 0 else {"position": (k * (LENGTH + gap), 0.0)}
        )
        wagons.append(model.add(Body(mass=1000.0, inertia=100.0, outline=box, **start), name=f"wagon{k}"))
        model.add(Translational(model.ground.at(), wagons[k].at()), name=f"rail{k}")
    for k in range(COUNT - 1):
        apart = x(wagons[k + 1].at()) - x(wagons[k].at())
        model.add(Impact(apart, restitution, below=LENGTH), name=f"buffers{k}")
    return model


HEADLINE = Headline(
    "speed of the last wagon after the first push",
    "m/s",
    lambda run: float(run.events[COUNT - 2].after["wagon4"].velocity[0]),
    expected=SPEED * (0.5 * (1.0 + RESTITUTION)) ** (COUNT - 1),
    tolerance=1e-12,
)
