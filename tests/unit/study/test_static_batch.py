"""Studies of equilibria and linearizations in the compiled loop: the same numbers as one by one, whatever varies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, spatial, study
from cardan.planar import Action, Body, Load, Model, Revolute, Spring, Stop, Torque, Translational, length
from cardan.study import random_samples
from cardan.study.batch.statics import StaticBatch, static_batch_of
from cardan.study.job import Job
from cardan.study.outputs import outputs_of

# Both searches end where forces balance to 1e-12 of the largest; positions have the condition of the stiffness beside.
SAME = {"rtol": 1e-9, "atol": 1e-10}
COUNT = 5


def scale() -> Model:
    """A parallelogram with a pan, held by springs of both kinds: one degree of freedom, three bodies."""
    model = Model("scale", gravity=(0.0, -9.81))
    left = model.add(Body(mass=1.0, inertia=0.02, angle=0.3), name="left")
    right = model.add(Body(mass=1.2, inertia=0.02, position=(0.5, 0.0), angle=0.3), name="right")
    pan = model.add(Body(mass=2.0, inertia=0.1, position=(0.6, 0.1)), name="pan")
    pin = model.add(Revolute(model.ground.at(), left.at()), name="A")
    model.add(Revolute(model.ground.at(0.5, 0.0), right.at()), name="B")
    model.add(Revolute(left.at(0.4, 0.0), pan.at(-0.25, 0.0)), name="C")
    model.add(Revolute(right.at(0.4, 0.0), pan.at(0.25, 0.0)), name="D")
    model.add(Spring(pin.angle, 40.0, damping=0.5, rest_angle=0.5), name="torsion")
    model.add(Spring(length(model.ground.at(0.9, 0.8), pan.at()), 90.0, damping=4.0, rest_length=0.4), name="coil")
    return model


RANGES = {
    "coil.stiffness": (80.0, 120.0),
    "coil.rest_length": (0.35, 0.45),
    "pan.mass": (1.8, 2.4),
    "C.a.x": (0.38, 0.42),
    "gravity.y": (-10.0, -9.0),
}


def compared(model: Any, ranges: Any, analysis: str, outputs: Any, **options: Any) -> StaticBatch:
    """All samples of the compiled loop against those of the ordinary analysis."""
    plan = random_samples(ranges, COUNT, seed=3)
    job = Job(model, plan.keys, analysis, outputs_of(outputs), options)
    batch = static_batch_of(job, *plan.bounds())
    assert batch is not None
    values = plan.values(0, COUNT)
    expected = [job.sample(row) for row in values]
    assert not any(reason for _, reason in expected)
    found = [np.zeros((COUNT, *np.shape(part))) for part in expected[0][0]]
    left, _ = batch.run(batch.worker(), values, found)
    assert not left.any()
    for k in range(len(found)):
        np.testing.assert_allclose(found[k], [one[k] for one, _ in expected], **SAME)
    return batch


def test_positions_and_forces() -> None:
    outputs = ["pan.x", "pan.angle", "left.angle", "coil.force", "torsion.force"]
    batch = compared(scale(), RANGES, "equilibrium", outputs)
    assert batch.law is not None and not batch.called  # no Python between samples


def test_reactions_and_functions() -> None:
    outputs = {"pin": "A.fx", "energy": lambda rest: rest.energy, "stiff": lambda rest: rest.stiffnesses, "arm": "D.fy"}
    assert compared(scale(), RANGES, "equilibrium", outputs).called == [1, 2]


def test_closed_form_of_a_hanging_mass() -> None:
    """x = L + m g / k and w = sqrt(k / m) for every sample."""
    model = Model("mass", gravity=(0.0, -9.81))
    mass = model.add(Body(mass=2.0, inertia=0.1, position=(0.0, -0.6)), name="mass")
    guide = model.add(Translational(model.ground.at(angle=math.pi / 2), mass.at(angle=math.pi / 2)), name="guide")
    model.add(Spring(guide.travel, 100.0, rest_length=-0.5), name="spring")
    plan = random_samples({"spring.stiffness": (50.0, 200.0), "mass.mass": (1.0, 3.0)}, 300, seed=1)
    rest = study(model, plan, "equilibrium", ["mass.y"], progress=False)
    k, m = rest["spring.stiffness"], rest["mass.mass"]
    np.testing.assert_allclose(rest["mass.y"], -0.5 - m * 9.81 / k, rtol=1e-11)
    linear = study(model, plan, "linearize", ["frequencies:first"], at="equilibrium", progress=False)
    np.testing.assert_allclose(linear["frequencies:first"], np.sqrt(k / m), rtol=1e-10)


@pytest.mark.parametrize("at", ["equilibrium", None])
def test_eigenvalues(at: str | None) -> None:
    model = scale()
    if at is None:  # stated where it is in equilibrium without weight: all springs are unstressed
        model = Model("beam")
        beam = model.add(Body(mass=2.0, inertia=0.1), name="pan")
        for k, x in enumerate((-0.3, 0.4)):
            reach = length(model.ground.at(x, -0.5), beam.at(x, 0.0))
            model.add(Spring(reach, 200.0, damping=3.0, rest_length=0.5), name=f"leg {k}")
        side = length(model.ground.at(-0.8, 0.1), beam.at(-0.3, 0.1))
        model.add(Spring(side, 150.0, damping=1.0, rest_length=0.5), name="coil")
    ranges = {"coil.stiffness": (80.0, 120.0), "pan.mass": (1.8, 2.4)}
    outputs = ["eigenvalues.real", "eigenvalues.imag", "frequencies:min", "damping_ratios", "damped_frequencies"]
    assert compared(model, ranges, "linearize", outputs, at=at).law is not None


def test_forces_that_are_functions_of_their_measure() -> None:
    """A progressive spring, a stop that is touched, a constant torque, and a load."""
    model = scale()
    pan, left = model["pan"], model["left"]
    pin = model["A"]
    model.add(Action(pin.angle, lambda angle, rate: -5.0 * angle**3), name="progressive")
    model.add(Stop(pin.angle, upper=0.1, stiffness=200.0), name="stop")
    model.add(Torque(left.at(), 1.5), name="torque")
    model.add(Load(pan.at(), force=(2.0, -1.0)), name="load")
    compared(model, {"pan.mass": (1.8, 2.4), "coil.stiffness": (80.0, 120.0)}, "equilibrium", ["pan.x", "stop.force"])


def test_in_space() -> None:
    """A plate on six springs and a ball joint that is not there: all six coordinates move."""
    model = spatial.Model("platform", gravity=(0.0, 0.0, -9.81))
    plate = model.add(spatial.Body(mass=5.0, inertia=(0.2, 0.3, 0.4), position=(0.0, 0.0, 1.0)), name="plate")
    for k in range(6):
        low, high = 2.0 * math.pi * (k // 2) / 3.0 + 0.5 * (-1) ** k, 2.0 * math.pi * ((k + 1) // 2) / 3.0 - math.pi / 3
        foot = model.ground.at(math.cos(low), math.sin(low), 0.0)
        head = plate.at(0.6 * math.cos(high), 0.6 * math.sin(high), 0.0)
        spring = spatial.Spring(spatial.length(foot, head), 500.0 + 20.0 * k, damping=5.0, rest_length=1.1)
        model.add(spring, name=f"leg {k}")
    ranges = {"plate.mass": (4.0, 6.0), "leg 2.stiffness": (450.0, 600.0)}
    compared(model, ranges, "equilibrium", ["plate.x", "plate.z", "leg 1.force"])
    compared(model, ranges, "linearize", ["frequencies", "damping_ratios"], at="equilibrium")


def test_redundant_joints() -> None:
    model = scale()
    third = model.add(Body(mass=0.5, inertia=0.01, position=(0.25, 0.0), angle=0.3), name="third")
    model.add(Revolute(model.ground.at(0.25, 0.0), third.at()), name="E")
    model.add(Revolute(third.at(0.4, 0.0), model["pan"].at(0.0, 0.0)), name="F")
    ranges = {"pan.mass": (1.8, 2.4), "coil.stiffness": (80.0, 120.0)}
    compared(model, ranges, "equilibrium", ["pan.x", "coil.force", "E.fx"])
    compared(model, ranges, "linearize", ["frequencies"], at="equilibrium")


def test_what_the_loop_cannot_do_runs_one_by_one() -> None:
    """A saddle at the start, a neutral motion, and no energy: the same results and reasons without the loop."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(Body(mass=1.0, inertia=0.1, angle=math.pi / 2, center=(0.5, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(), rod.at()), name="pin")
    plan = random_samples({"rod.mass": (1.0, 2.0), "gravity.y": (-10.0, 0.0)}, 4, seed=2)
    job = Job(model, plan.keys, "equilibrium", outputs_of(["rod.angle"]), {})
    batch = static_batch_of(job, *plan.bounds())
    assert batch is not None
    left, _ = batch.run(batch.worker(), plan.values(0, 4), [np.zeros(4)])
    assert left.all()
    found = study(model, plan, "equilibrium", ["rod.angle"], progress=False)
    np.testing.assert_allclose(np.sin(found["rod.angle"]), -1.0, atol=1e-9)
    free = Model("falling", gravity=(0.0, -9.81))
    free.add(Body(mass=1.0, inertia=0.1), name="stone")
    falls = study(free, {"stone.mass": [1.0, 2.0], "gravity.y": [0.0, -9.81]}, "equilibrium", ["stone.y"])
    assert len(falls.failures) == 2 and all("falls away" in str(reason) for reason in falls.failures.values())


def test_options_that_the_loop_does_not_have() -> None:
    plan = random_samples(RANGES, COUNT, seed=3)
    for analysis, options in (
        ("equilibrium", {"method": "newton"}),
        ("equilibrium", {"coordinates": "joint"}),
        ("equilibrium", {"starts": 1}),
        ("linearize", {"at": "equilibrium", "coordinates": "joint"}),
    ):
        outputs = outputs_of(["frequencies"] if analysis == "linearize" else ["pan.x"])
        assert static_batch_of(Job(scale(), plan.keys, analysis, outputs, options), *plan.bounds()) is None


def test_names_of_outputs_are_checked() -> None:
    with pytest.raises(ModelError, match="an output of lineariz"):
        study(scale(), {"pan.mass": [1.0, 2.0]}, "linearize", ["frequency"], progress=False)
    with pytest.raises(ModelError, match="at= of a study of linearizations"):
        study(scale(), {"pan.mass": [1.0, 2.0]}, "linearize", ["frequencies"], at="rest", progress=False)


def test_threads_change_no_digit() -> None:
    plan = random_samples(RANGES, 200, seed=5)
    one, two = (
        study(scale(), plan, "linearize", ["frequencies:first"], at="equilibrium", threads=n, progress=False)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one["frequencies:first"], two["frequencies:first"])
