"""Studies of inverse dynamics in the compiled loop: the same forces as one by one, whatever varies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import study
from cardan.planar import Actuator, Body, Driver, Load, Model, Ramp, Revolute, Sampled, Spring, Translational, length
from cardan.study import random_samples
from cardan.study.batch.batch import batch_of
from cardan.study.job import Job
from cardan.study.outputs import outputs_of

TIMES = np.linspace(0.0, 1.0, 31)
RANGES = {
    "B.a.x": (0.08, 0.12),
    "rod.mass": (0.4, 0.6),
    "rod.inertia": (0.01, 0.02),
    "spring.stiffness": (150.0, 250.0),
    "gravity.y": (-12.0, -8.0),
}
# Numbers that follow parameters are added up in another order; forces grow rounding by the conditioning of J.
SAME = {"rtol": 1e-9, "atol": 1e-10}


def slider_crank() -> Model:
    model = Model("slider-crank", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=1.0, inertia=0.01, angle=0.4), name="crank")
    rod = model.add(Body(mass=0.5, inertia=0.01, position=(0.2, 0.05)), name="rod")
    slider = model.add(Body(mass=0.8, inertia=0.1, position=(0.4, 0.0)), name="slider")
    pin = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(0.1, 0.0), rod.at(-0.15, 0.0)), name="B")
    model.add(Revolute(rod.at(0.15, 0.0), slider.at()), name="C")
    model.add(Translational(model.ground.at(), slider.at()), name="guide")
    reach = length(model.ground.at(0.6, 0.0), slider.at())
    model.add(Spring(reach, stiffness=200.0, damping=1.0, rest_length=0.2), name="spring")
    model.add(Load(slider.at(), force=(lambda t: 3.0 * math.sin(5.0 * t), 0.0)), name="push")
    model.add(Driver(pin.angle, Ramp(8.0, 0.4)), name="motor")
    return model


def compared(model, ranges, outputs):
    """All samples of the compiled loop against those of the ordinary analysis."""
    plan = random_samples(ranges, 6, seed=3)
    job = Job(model, plan.keys, "inverse_dynamics", outputs_of(outputs), {"times": TIMES})
    batch = batch_of(job, *plan.bounds())
    assert batch is not None and batch.law is not None
    values = plan.values(0, 6)
    expected = [job.sample(row) for row in values]
    assert not any(reason for _, reason in expected)
    found = [np.zeros((6, *np.shape(part))) for part in expected[0][0]]
    left, _ = batch.run(batch.worker(), values, found)
    assert not left.any()
    for k in range(len(found)):
        np.testing.assert_allclose(found[k], [one[k] for one, _ in expected], **SAME)
    return batch


def test_forces_of_drivers_and_springs():
    batch = compared(slider_crank(), RANGES, ["motor.force", "spring.force:peak", "slider.ax", "motor.force:rms"])
    assert not batch.called  # no Python between samples


def test_reactions_are_read_in_the_loop_and_functions_from_the_result():
    outputs = {"pin": "A.fx", "side": "guide.fy:peak", "rod": "C.fy", "twist": "guide.torque", "motor": "motor.force"}
    assert not compared(slider_crank(), RANGES, outputs).called
    assert compared(slider_crank(), RANGES, {"power": lambda run: run["motor"].power, "pin": "A.fx"}).called == [0]


def test_redundant_joints_share_their_loads_as_before():
    """A second guide for the slider: its reactions are those of least norm."""
    model = slider_crank()
    slider = next(body for body in model.bodies if body.name == "slider")
    model.add(Translational(model.ground.at(), slider.at(0.05, 0.0)), name="second")
    compared(model, RANGES, {"motor": "motor.force", "side": "second.fy"})


def test_closed_form_of_an_arm():
    """A slowly turning arm: the torque is m g c cos(phi), for each sample."""
    model = Model("arm", gravity=(0.0, -9.81))
    arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(0.3)), name="motor")
    masses = [1.0, 2.5, 4.0]
    found = study(model, {"arm.mass": masses}, "inverse_dynamics", ["motor.force"], times=TIMES)
    expected = np.outer(masses, 9.81 * 0.5 * np.cos(0.3 * TIMES))
    np.testing.assert_allclose(found["motor.force"], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["sampled", "option"])
def test_what_is_left_to_the_ordinary_analysis(kind):
    model = slider_crank()
    if kind == "sampled":
        pin = next(joint for joint in model.constraints if joint.name == "A")
        controller = model.add(Sampled(lambda angle: -angle, [pin.angle], period=0.1), name="controller")
        model.add(Actuator(pin.angle, controller), name="brake")
    options = {"times": TIMES} | ({"coordinates": "joint"} if kind == "option" else {})
    job = Job(model, ("rod.mass",), "inverse_dynamics", outputs_of(["motor.force"]), options)
    assert batch_of(job, np.array([0.4]), np.array([0.6])) is None
