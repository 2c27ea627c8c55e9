"""Neutral directions: a car on a level road stays where it was placed, whatever its springs do."""

import math

import numpy as np
import pytest

from cardan import equilibrium
from cardan.examples.vehicles import vehicle
from cardan.spatial import Load, Ramp

NEAR = 0.002  # m: wheels that rise by 10 mm on arms of 0.35 m turn the chassis by so much about its wheels


@pytest.mark.parametrize("transient", [True, False])
@pytest.mark.parametrize("steered", [True, False])
def test_a_loaded_car_stays_where_it_was_placed(transient, steered):
    """A load in the plane of symmetry: no displacement across and no yaw; the free ways on the road are named."""
    model = vehicle.build(speed=0.0, steer=Ramp(0.0) if steered else None, transient=transient)
    for body in model.bodies:  # placed 10 mm too high
        object.__setattr__(body, "position", (*body.position[:2], body.position[2] + 0.01))
    chassis = model["chassis"]
    model.add(Load(chassis.at(0.3, 0.0, 0.0), (0.0, 0.0, -800.0)), name="load")
    rest = equilibrium(model)
    moved = np.array(rest[chassis].position) - chassis.position
    w, x, y, z = rest[chassis].orientation
    assert abs(moved[0]) < NEAR and abs(moved[1]) < 1e-5 and moved[2] < -0.01
    assert abs(math.degrees(math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))) < 1e-4
    assert rest.stable is None and "no force resists" in repr(rest)
    if not transient:  # x, y and yaw of the whole, and the turns of four wheels
        assert len(rest.neutral) == 7 and {"x of 'chassis'", "y of 'chassis'"} <= set(rest.neutral)
