"""Studies of simulate in the compiled loop: the same numbers as one by one, whatever varies."""

from __future__ import annotations

import numpy as np
import pytest

import cardan.spatial as space
from cardan import parameter, study, tied
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Contact,
    Disk,
    Driver,
    Face,
    Fixed,
    Impact,
    Model,
    Ramp,
    Revolute,
    Sampled,
    Spring,
    Translational,
    length,
    y,
)
from cardan.study import random_samples
from cardan.study.batch.simulation import simulation_batch_of
from cardan.study.job import Job
from cardan.study.outputs import outputs_of
from cardan.study.runner import Runner

# Parts of numbers that follow parameters are added up in another order: rounding, grown along the run.
SAME = {"rtol": 1e-8, "atol": 1e-9}


def slider_crank(driven: bool = False) -> Model:
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
    if driven:
        model.add(Driver(pin.angle, Ramp(8.0, 0.4)), name="motor")
    return model


def compared(model, ranges, outputs, **options):
    """All samples of the compiled loop against those of the ordinary analysis."""
    plan = random_samples(ranges, 6, seed=3)
    job = Job(model, plan.keys, "simulate", outputs_of(outputs), options)
    batch = simulation_batch_of(job, *plan.bounds())
    assert batch is not None
    values = plan.values(0, 6)
    expected = [job.sample(row) for row in values]
    assert not any(reason for _, reason in expected)
    found = [np.zeros((6, *np.shape(part))) for part in expected[0][0]]
    left, _ = batch.run(batch.worker(), values, found)
    assert not left.any()
    for k in range(len(found)):
        np.testing.assert_allclose(found[k], [one[k] for one, _ in expected], **SAME)


def test_dimensions_masses_and_springs():
    """The crank's length changes the size of the mechanism, and where it closes."""
    ranges = {
        "B.a.x": (0.08, 0.12),
        "spring.stiffness": (150.0, 250.0),
        "rod.mass": (0.4, 0.6),
        "gravity.y": (-12.0, -8.0),
    }
    outputs = ["slider.x", "slider.ax:peak", "A.angle:last", "A.angle.rate:rms"]
    compared(slider_crank(), ranges, outputs, until=0.5, output=0.02)


def test_velocities_that_follow_from_a_driver():
    compared(
        slider_crank(driven=True), {"motor.motion.rate": (5.0, 9.0)}, ["slider.vx", "C.angle"], until=0.4, output=0.05
    )


@pytest.mark.parametrize("spin", [0.0, 3.0])
def test_velocities_that_do_not_fit_the_driver(spin):
    """A rod swings from a driven slider-crank: velocities left at zero follow, that of the rod is kept if stated."""
    model = slider_crank(driven=True)
    rod = Body(mass=0.2, inertia=0.001, position=(0.4, -0.1), angle=-0.5 * np.pi, angular_velocity=spin)
    swing = model.add(rod, name="swing")
    model.add(Revolute(model["slider"].at(), swing.at(-0.1, 0.0)), name="D")
    ranges = {"motor.motion.rate": (5.0, 9.0), "swing.mass": (0.1, 0.3)}
    compared(model, ranges, ["slider.vx", "swing.angle", "swing.x"], until=0.4, output=0.05)


def test_offsets_known_up_to_full_turns():
    """A weight that is fixed to a pendulum two turns on: parameters that leave the turn alone are served."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(Body(mass=1.0, inertia=0.02), name="rod")
    weight = model.add(Body(mass=2.0, inertia=0.01, position=(0.3, 0.0), angle=4.0 * np.pi + 0.1), name="weight")
    model.add(Revolute(model.ground.at(), rod.at(-0.1, 0.0)), name="pin")
    model.add(Fixed(rod.at(0.3, 0.0), weight.at()), name="weld")
    compared(model, {"weight.mass": (1.0, 3.0), "weld.a.x": (0.2, 0.4)}, ["weight.angle"], until=0.5, output=0.1)
    turned = parameter(model["weight"], "angle")  # between 3 and 5 quarter turns from the rod, it is on another turn
    plan = random_samples({turned: (2.0, 11.0)}, 6, seed=3)
    why: list[str] = []
    job = Job(model, plan.keys, "simulate", outputs_of(["weight.angle"]), {"until": 0.5, "output": 0.1})
    assert simulation_batch_of(job, *plan.bounds(), why=why) is None
    assert "turn" in why[0]


@pytest.mark.parametrize("method", ["radau", "rk5"])
def test_other_methods(method):
    ranges = {"B.a.x": (0.09, 0.11), "spring.damping": (1.0, 3.0)}
    compared(slider_crank(), ranges, ["slider.x"], until=0.2, output=[0.1, 0.2], method=method, rtol=1e-7)


def test_states_of_controllers():
    model = Model("cart")
    cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
    guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    pid = model.add(PID(guide.travel, setpoint=0.1, kp=60.0, ki=40.0, kd=15.0), name="pid")
    model.add(Actuator(guide.travel, pid), name="drive")
    compared(model, {"pid.setpoint": (0.1, 0.3), "pid.ki": (20.0, 60.0)}, ["guide.travel"], until=0.5, output=0.1)


def falling(radius: float = 0.1) -> Model:
    """A ball on elastic ground, and one above it."""
    model = Model("balls", gravity=(0.0, -9.81))
    low = model.add(Body(mass=1.0, inertia=0.004, position=(0.0, 0.1)), name="low")
    high = model.add(Body(mass=0.5, inertia=0.002, position=(0.01, 0.35), velocity=(0.0, -1.0)), name="high")
    floor = model.add(Contact(Face(model.ground.at()), Disk(low.at(), radius), stiffness=1e5), name="floor")
    model.add(Contact(Disk(low.at(), radius), Disk(high.at(), 0.1), stiffness=1e5, friction=0.2), name="hit")
    assert floor.gap is not None
    return model


def test_contacts():
    ranges = {"hit.stiffness": (0.8e5, 1.2e5), "low.mass": (0.9, 1.1)}
    compared(falling(), ranges, ["low.y", "high.vy", "high.angle"], until=0.2, output=0.02, method="dop853")


def test_bodies_that_overlap_at_the_start_are_left_to_the_ordinary_analysis():
    """Its message says how deep they are inside each other."""
    model = falling()
    plan = random_samples({parameter(model["low"], "position.y"): (0.05, 0.15)}, 8, seed=3)
    found = study(model, plan, "simulate", ["low.y:last"], until=0.05, output=0.05)
    heights = plan.values(0, 8)[:, 0]
    deep = heights < 0.1 - 1e-9
    assert deep.any() and not deep.all()
    for k in range(8):
        assert ("inside each other" in (found.samples.reasons[k] or "")) == bool(deep[k])


def test_turns_in_space():
    """An angle of several turns is counted: the rotor spins up by a constant torque."""
    model = space.Model("rotor", gravity=(0.0, 0.0, -9.81))
    rotor = model.add(space.Body(mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=(0, 0, 20.0)), name="rotor")
    hinge = model.add(space.Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(space.Actuator(hinge.angle, 3.0), name="torque")
    compared(model, {"torque.signal": (1.0, 4.0)}, ["hinge.angle"], until=2.0, output=0.5)


def test_a_study_uses_the_loop_and_leaves_the_rest():
    """Cranks longer than the rod lock up or fail to close: their reasons are those of simulate."""
    model = slider_crank()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    plan = random_samples({rod: (0.03, 0.2)}, 12, seed=2)
    found = study(model, plan, "simulate", ["slider.x:last"], until=0.3, output=0.1, threads=2)
    job = Job(model, plan.keys, "simulate", outputs_of(["slider.x:last"]), {"until": 0.3, "output": 0.1})
    for k, row in enumerate(plan.values(0, 12)):
        expected, reason = job.sample(row)
        assert found.samples.reasons[k] == reason
        if expected is not None:
            np.testing.assert_allclose(found["slider.x:last"][k], expected[0], **SAME)


def switching(kind: str) -> Model:
    model = Model("ball", gravity=(0.0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0)), name="ball")
    if kind == "impact":
        model.add(Impact(y(ball.at()), restitution=0.5), name="floor")
    else:
        computer = model.add(Sampled(_held, [y(ball.at())], period=0.1), name="computer")
        model.add(Actuator(y(ball.at()), computer), name="drive")
    return model


def _held(height):
    return -height


@pytest.mark.parametrize("kind", ["impact", "sampler"])
def test_models_that_switch_run_one_by_one(kind):
    plan = random_samples({"ball.mass": (1.0, 2.0)}, 3, seed=1)
    job = Job(switching(kind), plan.keys, "simulate", outputs_of(["ball.y"]), {"until": 0.2, "output": 0.1})
    runner = Runner(job, plan, [(3,)])
    assert not runner.native and "switches, samples or rolls" in runner.why[0]


def test_a_study_says_why_it_runs_one_by_one():
    plan = random_samples({"ball.mass": (1.0, 2.0)}, 2, seed=1)
    options = {"until": 0.2, "output": 0.1, "progress": False}
    found = study(switching("sampler"), plan, "simulate", ["ball.y:last"], **options)
    assert "samples ran one by one: the model switches, samples or rolls" in repr(found)


def test_outputs_of_every_step_run_one_by_one():
    plan = random_samples({"rod.mass": (0.4, 0.6)}, 3, seed=1)
    job = Job(slider_crank(), plan.keys, "simulate", outputs_of(["slider.x:last"]), {"until": 0.2})
    assert not Runner(job, plan, [()]).native
