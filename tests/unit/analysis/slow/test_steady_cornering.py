"""Steady cornering: the single-track model in closed form, its critical speed, a car on four tires, rejected input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, SimulationError, planar as flat, steady_cornering
from cardan.examples.vehicles.vehicle import build
from folding import folded

A, B, M = 1.2, 1.4, 1500.0  # m, m, kg: the axles before and behind the mass center, and the mass
CF, CR = 80e3, 100e3  # N/rad: side force over slip angle of both axles


def gradient(front=CF, rear=CR):
    return M * (B * rear - A * front) / ((A + B) * front * rear)


def bicycle(speed, front=CF, rear=CR, limit=1e9):
    """A car with one wheel at each axle; side forces approach a limit."""

    def side_force(stiffness):
        return lambda x, y, forward, aside: -limit * math.tanh(stiffness * aside / forward / limit)

    model = flat.Model("bicycle")
    car = model.add(flat.Body(mass=M, inertia=2500.0, velocity=(speed, 0)), name="car")
    wheel = model.add(flat.Body(mass=0.0, inertia=0.0, position=(A, 0), velocity=(speed, 0)), name="wheel")
    fork = model.add(flat.Revolute(car.at(A, 0), wheel.at()), name="fork")
    steering = model.add(flat.Hold(fork.angle, 0.01), name="steering")
    road = model.ground.at()
    for marker, stiffness, name in ((wheel.at(), front, "front"), (car.at(-B, 0), rear, "rear")):
        slips = flat.velocity_along(road, marker, "x"), flat.velocity_along(road, marker, "y")
        model.add(flat.Action(slips[1], side_force(stiffness), of=slips), name=name)
    drive = model.add(flat.Load(car.at(-B, 0), (1.0, 0.0), "body"), name="drive")
    return model, steering, drive


def test_understeer_gradient_of_the_single_track_model():
    """K = m (b C_r - a C_f) / (l C_f C_r), up to squares of the angles, below 0.01 rad here."""
    model, steering, drive = bicycle(20.0)
    test = steady_cornering(
        model, model["car"], steering=steering, drive=drive, speed=20.0, wheelbase=A + B,
        lateral_acceleration=[0.1, 0.2, 0.3, 0.4],
    )  # fmt: skip
    assert test.understeer_gradient == pytest.approx(np.full(4, gradient()), rel=1e-3)
    assert test.radius == pytest.approx(400.0 / test.lateral_acceleration)
    # side slip of the mass center: b / R - m_r a_y / C_r with the mass m_r = m a / l on the rear axle
    slip = B / test.radius - M * A / (A + B) / CR * test.lateral_acceleration
    assert test.side_slip == pytest.approx(slip, abs=1e-5)
    assert test.stable.all() and not test.reason


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_critical_speed(factor):
    """A car with stiffer front tires oversteers: unstable above v = sqrt(-l / K). The slowest eigenvalue changes its
    sign there; 5 % of the speed are far more than the effect of a lateral acceleration of 0.05 m/s2."""
    stiff, soft = 120e3, 80e3
    speed = factor * math.sqrt((A + B) / -gradient(stiff, soft))
    model, steering, drive = bicycle(speed, stiff, soft)
    test = steady_cornering(
        model, model["car"], steering=steering, drive=drive, speed=speed, wheelbase=A + B, lateral_acceleration=0.05
    )
    assert test.stable.tolist() == [factor < 1.0]
    assert test.symmetry[0].size == 3


def test_a_car_at_a_constant_radius():
    """The lateral acceleration follows the speed; the car of the example understeers."""
    model = build(speed=20.0, steer=0.0, transient=False)
    wheels = [model[f"{end} {side} spin"] for end in ("front", "rear") for side in ("left", "right")]
    test = steady_cornering(
        model, model["chassis"], steering=model["steering"], drive=model["drive"], spinning=wheels,
        speed=[20.0, 20.5], radius=200.0, wheelbase=2.6, steering_ratio=0.12,
    )  # fmt: skip
    assert test.lateral_acceleration == pytest.approx([2.0, 2.10125])
    assert test.stable.all() and all(known.size == 7 for known in test.symmetry)
    assert np.all(test.understeer > 0.0) and np.all(test.roll > 0.0)
    assert "2 turns" in repr(test) and test.plot() is not None


def test_the_test_ends_where_tires_give_way():
    """Side forces are limited to 4 kN: 2.7 m/s2 at most."""
    model, steering, drive = bicycle(20.0, limit=2000.0)
    with pytest.warns(CardanWarning, match=r"ends at 2 m/s2: no turn was found at 20 m/s and a radius of 80 m"):
        test = steady_cornering(
            model, model["car"], steering=steering, drive=drive, speed=20.0, wheelbase=A + B,
            lateral_acceleration=[1.0, 2.0, 5.0],
        )  # fmt: skip
    assert test.speed.size == 2 and "no steady motion" in test.reason


@folded(
    "options, message",
    [
        ({}, "either lateral_acceleration=.* or radius"),
        ({"lateral_acceleration": [1.0], "radius": 100.0}, "either lateral_acceleration=.* or radius"),
        ({"lateral_acceleration": [2.0, 1.0]}, "must grow"),
        ({"lateral_acceleration": [0.0, 1.0]}, "must not be zero"),
        ({"radius": 0.0}, "must not be zero"),
        ({"radius": 100.0, "speed": [20.0, 10.0]}, "must grow"),
        ({"radius": 100.0, "speed": -1.0}, "must be positive"),
        ({"radius": 100.0, "steering_ratio": 0.0}, "steering_ratio.*must not be zero"),
        ({"radius": 100.0, "wheelbase": 0.0}, "wheelbase.*positive"),
    ],
)
def test_rejected(options, message):
    model, steering, drive = bicycle(20.0)
    stated = {"speed": 20.0, "wheelbase": 2.6} | options
    with pytest.raises(ModelError, match=message):
        steady_cornering(model, model["car"], steering=steering, drive=drive, **stated)


def test_eigenvalues_of_symmetry_that_are_missing_are_reported(monkeypatch):
    """None is found where they would have to be exact to the last digit."""
    monkeypatch.setattr("cardan.analysis.slow.steady_cornering.SYMMETRY_DISTANCE", -1.0)
    model, steering, drive = bicycle(20.0)
    with pytest.warns(CardanWarning, match="fewer eigenvalues of symmetry .* with 0 spinning"):
        steady_cornering(
            model, model["car"], steering=steering, drive=drive, speed=20.0, wheelbase=2.6, lateral_acceleration=0.1
        )


def test_no_turn_at_all():
    model, steering, drive = bicycle(20.0, limit=10.0)
    with pytest.raises(SimulationError, match="no steady turn of 'bicycle' was found at 20 m/s"):
        steady_cornering(
            model, model["car"], steering=steering, drive=drive, speed=20.0, wheelbase=2.6, lateral_acceleration=5.0
        )
