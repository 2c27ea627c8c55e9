"""Reactions, accelerations and forces along motions, and parameters of controllers and of users' functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import (
    ModelError,
    assemble,
    gradient,
    linearize,
    motion_sensitivities,
    parameter,
    reaction,
    sensitivities,
    simulate,
)
from cardan.model.parameter import changed
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Distance,
    Model,
    Revolute,
    Spring,
    constraint,
    controller,
    rate,
    x,
    y,
)


def pendulum() -> Any:
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=2.0, inertia=0.3, position=(0.8, 0.0)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at(-0.8, 0.0)), name="pin")
    return model, bob, pin


def compared(model: Any, names: list[str], outputs: list[Any], read: Any, *, until: float = 0.6) -> np.ndarray:
    """Derivatives against differences of runs, of the fourth order; all instants."""
    s = motion_sensitivities(simulate(model, until, output=until / 3, rtol=1e-10), names, outputs)
    for k, name in enumerate(names):
        one, found = parameter(model, name), []
        h = 1e-3 * max(abs(one.value), 0.1)
        for step in (h, -h, 2.0 * h, -2.0 * h):
            with changed(model, {one: one.value + step}):
                found.append(read(simulate(model, until, output=until / 3, rtol=1e-11)))
        difference = (8.0 * (found[0] - found[1]) - (found[2] - found[3])) / (12.0 * h)
        size = np.abs(difference).max()
        np.testing.assert_allclose(s.derivatives[:, :, k], difference, rtol=1e-6, atol=1e-6 * size)
    return s.derivatives


def test_reaction_and_acceleration_of_a_pendulum() -> None:
    """What the pin carries goes with the mass where the inertia does; the acceleration then does not follow it."""
    model, bob, pin = pendulum()
    outputs = [reaction(pin, "y"), (x(bob.at()), "acceleration"), pin.angle]

    def read(run: Any) -> np.ndarray:
        return np.stack([run[pin].force[:, 1], run[bob].acceleration[:, 0], run[pin.angle].value], axis=1)

    found = compared(model, ["bob.mass", "bob.inertia"], outputs, read)
    run = simulate(model, 0.6, output=0.2, rtol=1e-10)
    both = found[:, :, 0] * 2.0 + found[:, :, 1] * 0.3  # all matter by one factor
    np.testing.assert_allclose(both[:, 0], run[pin].force[:, 1], rtol=1e-7)
    np.testing.assert_allclose(both[:, 1:], 0.0, atol=1e-6)
    s = motion_sensitivities(run, ["bob.mass"])
    np.testing.assert_allclose(s.accelerations[bob][:, 0, 0], found[:, 1, 0], rtol=1e-6)


def test_force_of_a_spring_and_reaction_of_a_loop() -> None:
    """A four-bar whose crank swings on a spring: force and reaction follow stiffness and length of the rod."""
    model = Model("loop", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=1.0, inertia=0.1, position=(0.3, 0.4), angle=math.atan2(0.4, 0.3)), name="crank")
    rocker = model.add(Body(mass=2.0, inertia=0.4, position=(1.3, 0.4), angle=math.atan2(0.4, 0.3)), name="rocker")
    pivot = model.add(Revolute(model.ground.at(), crank.at(-0.5, 0.0)), name="pivot")
    model.add(Revolute(model.ground.at(1.0, 0.0), rocker.at(-0.5, 0.0)), name="post")
    model.add(Distance(crank.at(0.5, 0.0), rocker.at(0.5, 0.0), 1.0), name="rod")
    spring = model.add(Spring(pivot.angle, 30.0, 0.5, rest_angle=0.5), name="spring")
    outputs = [spring, reaction(pivot, "x")]

    def read(run: Any) -> np.ndarray:
        return np.stack([run[spring].force, run[pivot].force[:, 0]], axis=1)

    compared(model, ["spring.stiffness", "rod.length"], outputs, read, until=0.2)


def drive() -> Any:
    model = Model("drive")
    wheel = model.add(Body(mass=1.0, inertia=0.5), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    pid = model.add(PID(hinge.angle, 1.0, 20.0, 5.0, 3.0), name="pid")
    model.add(Actuator(hinge.angle, -(-1.0 * pid)), name="motor")  # devices behind devices
    return model, hinge


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")  # the loop is linear: where it stands does not matter
def test_gains_of_a_controller_are_parameters() -> None:
    """Of the motion, and of the closed loop's eigenvalues: J s^3 + kd s^2 + kp s + ki = 0."""
    model, hinge = drive()

    def read(run: Any) -> np.ndarray:
        return np.asarray(run[hinge.angle].value)[:, None]

    found = compared(model, ["pid.kp", "pid.ki", "pid.kd", "pid.setpoint"], [hinge.angle], read)
    assert (np.abs(found[-1, 0]) > 1e-3).all()
    with changed(model, {parameter(model, "pid.kp"): 30.0}):
        roots = linearize(model).eigenvalues()
    expected = np.roots([0.5, 3.0, 30.0, 5.0])
    assert np.allclose(np.sort_complex(roots), np.sort_complex(expected))
    before = np.sort_complex(np.roots([0.5, 3.0, 20.0, 5.0]))
    assert np.allclose(np.sort_complex(linearize(model).eigenvalues()), before)


@controller
def centring(angle, speed, gain=40.0, damping=2.0):
    return -gain * math.sin(angle) - damping * speed


def test_numbers_of_a_users_controller() -> None:
    model = Model("centred")
    wheel = model.add(Body(mass=1.0, inertia=0.5, angle=0.7), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    law = model.add(centring(hinge.angle, rate(hinge.angle), gain=30.0), name="law")
    model.add(Actuator(hinge.angle, law), name="motor")
    compared(model, ["law.gain", "law.damping"], [hinge.angle], lambda run: run[hinge.angle].value[:, None])
    with pytest.raises(ModelError, match="law has no parameter 'gian'; did you mean 'gain'"):
        parameter(model, "law.gian")


@constraint
def parabola(x, y, c=1.5):
    return y - c * x * x


def test_numbers_of_a_users_constraint() -> None:
    """A bead on y = c x^2: what of dy/dc its assembled place has, the wire closing by the least displacement."""
    model = Model("wire", gravity=(0.0, -9.81))
    bead = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0.5)), name="bead")
    model.add(parabola(x(bead.at()), y(bead.at()), c=2.0), name="wire")
    s = sensitivities(assemble(model), ["wire.c"], [x(bead.at()), y(bead.at())])
    slope = 2.0 * 2.0 * 0.5  # dy/dx along the wire; the normal is (-slope, 1)
    opened = 0.5**2 / (1.0 + slope**2)
    np.testing.assert_allclose(s.derivatives[:, 0], [-slope * opened, opened], rtol=1e-9)
    compared(model, ["wire.c"], [x(bead.at())], lambda run: run[bead].position[:, :1], until=0.3)


def test_functionals_that_cannot_be_differentiated_are_named() -> None:
    """abs takes the complex step away: without a word the gradient would be zero."""
    model, _, pin = pendulum()
    run = simulate(model, 0.3)
    for running, final in ((lambda y, t: np.abs(y[0]), None), (None, lambda y: abs(y[0]))):
        with pytest.raises(ModelError, match="returns real numbers for complex ones, as abs does"):
            gradient(run, "bob.mass", pin.angle, running, final)
    with pytest.raises(ModelError, match="must return one finite number"):
        gradient(run, "bob.mass", pin.angle, final=lambda y: y[0] * math.nan)
    assert gradient(run, "bob.mass", pin.angle, lambda y, t: 3.0).value == pytest.approx(0.9)
