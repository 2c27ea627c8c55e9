"""Haug, section 12.5: the passenger vehicle, imitated.

Tire data, the curves of the rack and all pictures are lost, and the front suspension as printed does not close at the
printed positions. Chosen were: tires of 2e5 N/m, 6e4 N/rad and mu = 0.7, a strut axis fixed in the wheel assembly, arm
lengths that fit Table 12.5.9, dampers nine times as strong as the printed numbers, and curves of the rack. What the
text says in words is verified; positions at rest agree as far as such choices let them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import VehicleMotion, mobility, simulate
from cardan.spatial import Function, Step
from verification.haug_vehicle import CHASSIS, FRONT, MPH, REAR, TIRE, G, vehicle
from verification.manual import EXACT, Within

DAMPING = 9.0
FRONT_LOAD = G * (37.6 + 0.5 * (1247.5 * 1.29125 + 0.1 * (1.2675 + 1.29125)) / (1.17665 + 1.29125))
REAR_LOAD = G * (43.0 + 0.5 * (1247.5 * 1.17665 - 0.1 * (1.2675 - 1.17665)) / (1.17665 + 1.29125))
RADII = (FRONT[0][2] + FRONT_LOAD / TIRE["stiffness"], REAR[0][2] + REAR_LOAD / TIRE["stiffness"])


def _motion(model, until, output=0.05):
    return VehicleMotion(simulate(model, until, output=output, rtol=1e-6), "chassis", forward=(0, 1, 0))


def test_freedoms(record):
    """Model 2 has 12 degrees of freedom, one rack motion and one rigid body for each wheel assembly."""
    for bars, expected, source in ((True, 12, "section 12.5"), (False, 10, "section 12.5, without two bars")):
        report = mobility(vehicle(bars=bars))
        record("degrees of freedom left by the rack's driver", report.undriven, expected, EXACT, source)
    record.erratum("Table 12.5.1", "the chassis' Iz'z' = 139.9 is less than Ix'x' - Iy'y'; 1399 is used")
    record.erratum("Table 12.5.1", "the moments of both stabilizer bars are no moments of a rigid body")


def test_settles(record):
    """Model 1 let down on its springs: loads by moments of the weights, heights near Table 12.5.9."""
    car = _motion(vehicle(radii=RADII, damping=DAMPING), 10.0, 0.5)
    run = car.run
    words = "the axles move by some millimetres along the car while it settles, 10 N each; rtol 1e-6"
    for end, expected in (("front", FRONT_LOAD), ("rear", REAR_LOAD)):
        load = car.tires[f"{end} right tire"].load[-1]
        record(f"load of a {end} tire, N", load, expected, Within(15.0, words), "moments of the weights", "closed form")
    near = Within(0.01, "the suspension is fitted and the tires are chosen: to the centimetre")
    for body, pose in (("chassis", CHASSIS), ("front right", FRONT), ("rear right", REAR)):
        record(f"height of {body}, m", run[body].position[-1, 2], pose[0][2], near, "Table 12.5.9")
    speeds = np.abs([run[body.name].velocity[-1] for body in run.model.bodies]).max()
    record(
        "speed left after 10 s, m/s",
        speeds,
        0.0,
        Within(1e-3, "it creeps on tires that hold nothing along"),
        "'settles'",
    )


def test_lane_change(record):
    """A lane change at 55 mph by both models: the one with stabilizer bars rolls less."""

    def rack(t):
        s = min(max((t - 0.5) / 2.5, 0.0), 1.0)
        return -0.01 * math.sin(math.pi * s) ** 3 * math.cos(math.pi * s)

    found = {bars: _motion(vehicle(55 * MPH, Function(rack), bars, RADII, DAMPING), 5.0) for bars in (False, True)}
    roll = {bars: math.degrees(abs(car.roll).max()) for bars, car in found.items()}
    record.above("roll of model 1 over that of model 2", roll[False] / roll[True], 1.2, "'model 2 rolls less'")
    for bars, car in found.items():
        words = "the heading comes back where tires are linear; the caps of the inner ones are near"
        turned = float(np.degrees(car.yaw[-1] - car.yaw[0]))
        record(
            f"heading at the end, deg, model {1 + bars}", turned, 0.0, Within(2.0, words), "linear tires", "closed form"
        )
        record.above(f"lateral way, m, model {1 + bars}", -float(car.path[-1, 0]), 2.0, "'lane change'")


@pytest.mark.parametrize("mph", [20, 40, 55])
def test_circle(record, mph):
    """One position of the rack at 20, 40 and 55 mph: at 55 side forces reach mu F, and the speed drops.

    The text adds that the body is not tangent to its path then.
    """
    car = _motion(vehicle(mph * MPH, Step(0.5, 1.5, 0.0, -0.004), False, RADII, DAMPING), 10.0)
    used = min(float((np.abs(t.side) / (TIRE["friction"] * t.load)).max()) for t in car.tires.values())
    lost = float(car.speed[0] - car.speed[-1])
    if mph == 55:
        record(
            "share of mu F that all tires reach",
            used,
            1.0,
            Within(1e-9, "the cap is exact"),
            "'saturates'",
            "statement",
        )
        record.above("speed lost in 10 s, m/s", lost, 3.0, "'drops a lot'")
        record.above("side slip, deg", float(np.degrees(abs(car.side_slip).max())), 3.0, "'not tangent'")
    else:
        record.above("share of mu F that some tire leaves, 1 - used", 1.0 - used, 0.3, f"{mph} mph")
        record.above("speed kept, m/s", float(car.speed[-1]), mph * MPH - 1.0, f"{mph} mph")
