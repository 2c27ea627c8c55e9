"""The single-track car with linear tires: a planar model, and its linear equations in closed form.

m (vy' + v r) = Ff + Fr,   J r' = a Ff - b Fr,   Ff = -C_f ((vy + a r) / v - delta),   Fr = -C_r (vy - b r) / v
"""

from __future__ import annotations

import numpy as np
from scipy import signal

from cardan.planar import Body, Driver, Model, Revolute, Spring, velocity_along

A, B, M, J = 1.2, 1.4, 1500.0, 2500.0  # m, m, kg, kg m2
CF, CR = 80e3, 100e3  # N/rad
INPUTS = ("yaw_rate", "lateral_acceleration", "side_slip")


def single_track(speed: float, wheel_inertia: float = 0.0) -> Model:
    """Its front wheel is a body without mass, turned by 'steering'."""
    model = Model("single track")
    car = model.add(Body(mass=M, inertia=J, velocity=(speed, 0.0)), name="car")
    wheel = model.add(Body(mass=0.0, inertia=wheel_inertia, position=(A, 0.0), velocity=(speed, 0.0)), name="wheel")
    fork = model.add(Revolute(car.at(A, 0.0), wheel.at()), name="fork")
    model.add(Driver(fork.angle, 0.0), name="steering")
    for name, at, stiffness in (("front", wheel.at(), CF), ("rear", car.at(-B, 0.0), CR)):
        model.add(Spring(velocity_along(model.ground.at(), at, "y"), damping=stiffness / speed), name=name)
    return model


def linear_car(speed: float) -> signal.StateSpace:
    """From the steering angle to yaw rate, lateral acceleration and side slip."""
    v = speed
    matrix = np.array([
        [-(CF + CR) / (M * v), -v - (A * CF - B * CR) / (M * v)],
        [-(A * CF - B * CR) / (J * v), -(A * A * CF + B * B * CR) / (J * v)],
    ])  # fmt: skip
    entry = np.array([[CF / M], [A * CF / J]])
    side = matrix[0] + np.array([0.0, v])  # vy' + v r
    return signal.StateSpace(
        matrix, entry, np.array([[0.0, 1.0], side, [1.0 / v, 0.0]]), np.array([[0.0], [CF / M], [0.0]])
    )
