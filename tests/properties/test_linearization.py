"""linearize() against simulations: neighboring motions part as the matrices say, at rest, in turns and in motion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import cardan.planar as flat
import cardan.spatial as deep
from cardan import assemble, linearize, simulate, steady_motion
from cardan.examples import load
from cardan.model.space import advance
from properties.test_steady_turns import CF, CR, A, B, M, _bicycle

SMALL = 1e-5


@pytest.mark.parametrize("speed", [10.0, 25.0])
def test_bicycle_straight_ahead(speed):
    """Linear theory of the bicycle model: side slip and yaw rate, two eigenvalues of a matrix known in closed form.

    The others are those of place, course and speed, which nothing brakes: zeros.
    """
    model, *_ = _bicycle(speed, 0.0, 0.0)
    motion = steady_motion(model, 0.0, travel=(speed, 0.0))
    inertia = model["car"].inertia
    theory = [
        [-(CF + CR) / (M * speed), -speed - (A * CF - B * CR) / (M * speed)],
        [-(A * CF - B * CR) / (inertia * speed), -(A**2 * CF + B**2 * CR) / (inertia * speed)],
    ]
    found = linearize(model, motion).eigenvalues()
    for expected in np.linalg.eigvals(np.array(theory)):
        assert np.abs(found - expected).min() < 1e-7 * abs(expected)


@pytest.mark.parametrize("radius", [100.0, -60.0])
def test_car_in_a_turn(radius):
    """A push sideways in a steady turn: the yaw rate of a simulation follows exp(A t), seen from turning axes."""
    speed = 20.0
    model, delta, drive = _bicycle(speed)
    motion = steady_motion(model, body=model["car"], speed=speed, radius=radius, free=[delta, drive])
    model, *_ = _bicycle(speed, motion.values[delta], motion.values[drive])
    yaw = flat.rate(flat.angle(model.ground.at(), model["car"].at()))
    linear = linearize(model, motion, outputs=[yaw])
    x = np.zeros(linear.A.shape[0])
    x[linear.displacements :] = SMALL * np.array([1.0, 2.0, 0.5])
    push = linear.motions.dv @ x
    runs = []
    for sign in (1.0, -1.0):
        start = linear.modes().snapshot(0, size=0.0)
        start.v, start.moves = motion.v.copy(), True
        start.v[linear.motions.system.width :] += sign * push
        runs.append(simulate(model, 2.0, output=0.25, start=start, rtol=1e-11))
    ours = (runs[0]["car"].angular_velocity - runs[1]["car"].angular_velocity) / 2.0
    expected = [(linear.C @ scipy.linalg.expm(linear.A * t) @ x)[0] for t in runs[0].times]
    assert np.allclose(ours, expected, atol=2e-4 * SMALL)


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
def test_road_under_all_wheels_lifts_a_car():
    """Slowly raised by one, the road under four tires lifts the chassis by one; fast, it hardly moves it."""
    model = load("vehicle").build()
    tires = [element for element in model if isinstance(element, deep.Tire)]
    chassis = deep.z(model["chassis"].at())
    linear = linearize(model, inputs=[(tire, "z") for tire in tires], outputs=[chassis])
    slow, fast = linear.frequency_response([1e-3, 300.0])[:, 0]
    assert len(tires) == 4 and slow.sum() == pytest.approx(1.0, abs=1e-6)
    assert abs(fast.sum()) < 0.02


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize("name", ["pendulums", "loop", "pressed"])
def test_deviations_of_a_motion(name):
    """At an instant of a motion: differences of the accelerations of neighboring states, by the simulation's kernels.

    Central differences with steps of 1e-5 err by about 1e-10; those of friction, which turns round within 1e-3 m/s, by
    the square of a hundredth of that.
    """
    model = MECHANISMS[name]()
    run = simulate(model, 0.3, output=0.1, rtol=1e-11)
    linear = linearize(model, (run, 0.3))
    assert linear.about == "motion"
    system, width = linear.motions.system, linear.motions.system.width
    n = linear.displacements
    scale = np.abs(linear.A).max()
    for k in range(2 * n):
        ends = []
        for sign in (1.0, -1.0):
            start = run.at(0.3)
            step = system.speeds()
            step[width:] = sign * SMALL * linear.motions.dq[:, k]
            start.q, start.v = start.q.copy(), start.v.copy()
            advance(system.geometry, start.q, step)
            start.v[width:] += sign * SMALL * linear.motions.dv[:, k]
            ends.append(simulate(model, 0.3 + 1e-9, output=[0.3, 0.3 + 1e-9], start=start, rtol=1e-11).a[0, width:])
        change = (ends[0] - ends[1]) / (2.0 * SMALL)
        unit = system.length / np.sqrt(system.weights)  # in which the free directions are square to each other
        ours = np.linalg.lstsq(linear.motions.dv[:, n:] / unit[:, None], change / unit, rcond=None)[0]
        assert np.abs(ours - linear.A[n:, k]).max() < (1e-4 if name == "pressed" else 1e-6) * max(scale, 1.0)


def _pendulums():
    model = deep.Model("pendulums", gravity=(0, 1, -9.81))
    upper = deep.Body(1.0, (1, 2, 3), center=(0.1, 0.2, 0.3), position=(0.6, 0, -0.8), angular_velocity=(1, 2, 0.5))
    first = model.add(upper, name="first")
    second = model.add(deep.Body(1.0, (1, 2, 3), position=(1.6, 0.3, -0.8)), name="second")
    model.add(deep.Spherical(model.ground.at(), first.at(-0.6, 0, 0.8)), name="ball")
    model.add(deep.Revolute(first.at(0.5, 0.1, 0.2), second.at(-0.5, -0.2, 0.2)), name="hinge")
    stretched = deep.length(model.ground.at(1, 2, 3), second.at(0.5, 0.5, 0.1))
    model.add(deep.Spring(stretched, 3.0, damping=0.7, rest_length=1.0), name="spring")
    return model


def _loop():
    model = _pendulums()
    far = deep.length(model.ground.at(3, 0, 0), model["second"].at(1, 0, 0))
    model.add(deep.Distance(far.a, far.b, float(assemble(model)[far].value)), name="rod")
    return model


def _pressed():
    """A disk rolls and slips on a face, pressed by its weight."""
    model = flat.Model("pressed", gravity=(0, -9.81))
    ball = model.add(flat.Body(mass=1.0, inertia=0.02, position=(0, 0.199), velocity=(1, 0)), name="ball")
    face, disk = flat.Face(model.ground.at()), flat.Disk(ball.at(), 0.2)
    model.add(
        flat.Contact(face, disk, stiffness=1e4, damping=5.0, friction=0.3, allow_penetration=True), name="contact"
    )
    return model


MECHANISMS = {"pendulums": _pendulums, "loop": _loop, "pressed": _pressed}
