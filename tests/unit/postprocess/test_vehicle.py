"""What a vehicle did: attitude and side slip of stated motions, the tires of the example, its page and its table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, VehicleMotion, mobility, simulate
from cardan.examples import load
from cardan.examples.cars import compact
from cardan.spatial import Body, Model, rotation

YAW, PITCH, ROLL = 0.4, 0.15, -0.25


def _turned(forward, up):
    """A free body turned by yaw, pitch, roll from where its forward axis is x and its up axis z."""
    (c, s), (cp, sp), (cr, sr) = ((math.cos(a), math.sin(a)) for a in (YAW, PITCH, ROLL))
    rz, ry = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    own = np.column_stack([forward, np.cross(up, forward), up])
    return rz @ ry @ rx @ own.T


@pytest.mark.parametrize(("forward", "up"), [((1, 0, 0), (0, 0, 1)), ((0, 1, 0), (0, 0, 1)), ((0, 0, -1), (0, 1, 0))])
def test_attitude(forward, up):
    """R = Rz Ry Rx, whatever the axes of the body; the velocity 0.1 to the left of forward."""
    model = Model("thrown", gravity=(0.0, 0.0, -9.81))
    slip = 0.1
    velocity = (20.0 * math.cos(YAW + slip), 20.0 * math.sin(YAW + slip), 3.0)
    turn = rotation.euler_parameters(_turned(forward, up), "it")
    body = Body(mass=1.0, inertia=(1.0, 1.0, 1.0), orientation=turn, velocity=velocity, angular_velocity=(0, 0, 0))
    model.add(body, name="body")
    car = VehicleMotion(simulate(model, 0.2, output=0.1), "body", forward=forward, up=up)
    for name, expected in (("yaw", YAW), ("pitch", PITCH), ("roll", ROLL), ("side_slip", slip), ("speed", 20.0)):
        assert getattr(car, name) == pytest.approx(expected, abs=1e-12), name
    assert car.lateral_acceleration == pytest.approx(0.0, abs=1e-9) and car.yaw_rate == pytest.approx(0.0, abs=1e-12)
    assert car.path[-1] == pytest.approx(0.2 * np.array(velocity[:2]), abs=1e-9)
    assert car.tires == {}


def test_yaw_counts_turns_and_lateral_acceleration_points_inward():
    """A body on a circle: speed w r, acceleration w^2 r to the left."""
    from cardan.spatial import Driver, Ramp, Revolute

    model = Model("round")
    body = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, -5.0, 0.0)), name="body")
    hinge = model.add(Revolute.between(model.ground, body, at=(0, 0, 0), z=(0, 0, 1)), name="hinge")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    car = VehicleMotion(simulate(model, 7.0, output=0.05), body)
    assert car.yaw == pytest.approx(2.0 * car.times, abs=1e-9) and car.yaw[-1] > 2.0 * math.pi
    assert car.speed == pytest.approx(10.0, abs=1e-9) and car.yaw_rate == pytest.approx(2.0, abs=1e-9)
    assert car.lateral_acceleration == pytest.approx(20.0, abs=1e-8) and car.side_slip == pytest.approx(0.0, abs=1e-9)


def test_vehicle_of_the_example():
    model = load("vehicle").build()
    report = mobility(model)
    assert (len(model.bodies), report.degrees_of_freedom, report.redundant) == (18, 15, ())
    run = simulate(model, 2.5, output=0.05, rtol=1e-6)
    car = VehicleMotion(run, "chassis")
    assert list(car.tires) == [f"{end} {side} tire" for end in ("front", "rear") for side in ("left", "right")]
    table = car.table()
    assert table["front left tire.load"][0] == pytest.approx(compact.load("front"), rel=1e-12)
    left, right = (table[f"front {side} tire.load"] for side in ("left", "right"))
    worst = int(np.argmax(car.lateral_acceleration))  # to the left: the right side is pressed down, the car leans right
    assert right[worst] > 4500.0 > 3000.0 > left[worst] and car.roll[worst] > math.radians(2.0)
    side = sum(tire.side[worst] for tire in car.tires.values())
    assert side == pytest.approx(
        compact.MASS * car.lateral_acceleration[worst], rel=0.05
    )  # the unsprung parts do not roll
    assert {len(column) for column in table.values()} == {len(run)}
    assert "lateral acceleration up to" in repr(car)
    figure = car.plot()
    assert [panel.get_ylabel() for panel in figure.axes][1:3] == ["angle in degrees", "lateral acceleration in m/s2"]


def test_torsion_bars_keep_it_upright():
    roll = {}
    for bars in (0.0, 1.0):
        run = simulate(load("vehicle-lane-change").build(bars=bars), 4.0, output=0.05, rtol=1e-5)
        roll[bars] = abs(VehicleMotion(run, "chassis").roll).max()
    assert roll[1.0] < 0.7 * roll[0.0]


def test_bad_input():
    model = Model("thrown")
    body = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="body")
    run = simulate(model, 0.1, output=0.1)
    with pytest.raises(ModelError, match="must be two directions, not parallel"):
        VehicleMotion(run, body, forward=(0, 0, 2))
    with pytest.raises(ModelError, match="the run of a VehicleMotion must be a Trajectory"):
        VehicleMotion(model, body)
    with pytest.raises(ModelError, match="a tire of a VehicleMotion must be a Tire or BookTire"):
        VehicleMotion(run, body, [body])
    with pytest.raises(ModelError, match="no element called 'car'"):
        VehicleMotion(run, "car")
