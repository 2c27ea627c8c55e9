"""Steppers: inputs act, any partition of time gives the run of `simulate`, states are exact."""

from __future__ import annotations

import math
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cardan import Event, LockUp, ModelError, initial_conditions, parameter, simulate, stepper
from cardan.analysis.stepping.kernels import take_steps
from cardan.analysis.stepping.together import step_together
from cardan.examples import load
from cardan.integrators.stepper import FINISHED, RUNNING
from cardan.numerics.compiled.settings import COMPILED
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Driver,
    Impact,
    Load,
    Model,
    Ramp,
    Revolute,
    Sampled,
    Spring,
    Translational,
    length,
    rate,
    y,
)

RTOL = 1e-8
BOTH = ("cartesian", "joint")


def cart(mass: float = 2.0, stiffness: float = 0.0) -> Model:
    """A cart on a rail with an actuator, on a spring if a stiffness is stated."""
    model = Model("cart", gravity=(0.0, -9.81))
    body = model.add(Body(mass=mass, inertia=1.0), name="cart")
    guide = model.add(Translational(model.ground.at(), body.at()), name="guide")
    model.add(Actuator(guide.travel, 0.0), name="drive")
    if stiffness:
        spring = Spring(length(model.ground.at(-1.0, 0.0), body.at()), stiffness=stiffness, rest_length=1.0)
        model.add(spring, name="spring")
    return model


def pendulum() -> Model:
    model = Model("pendulum", gravity=(0.0, -9.81))
    rod = model.add(Body(mass=1.5, inertia=0.2, position=(0.5, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(), rod.at(-0.5, 0.0)), name="pin")
    return model


def driven_arm(motion: object = 0.0) -> Model:
    """A pendulum on a driven arm."""
    model = Model("driven arm", gravity=(0.0, -9.81))
    arm = model.add(Body(mass=1.0, inertia=0.1), name="arm")
    bob = model.add(Body(mass=1.0, inertia=0.05, position=(1.0, -0.5)), name="bob")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Revolute(arm.at(1.0, 0.0), bob.at(0.0, 0.5)), name="pin")
    model.add(Driver(hinge.angle, motion), name="motor")
    return model


# --- inputs ---


@pytest.mark.parametrize("coordinates", BOTH)
def test_a_force_is_constant_during_a_step(coordinates):
    """x = F t^2 / (2 m), v = F t / m, then F = -F / 2 from there on."""
    sim = stepper(cart(), ["drive"], ["guide.travel", "guide.travel.rate", "drive.force"], coordinates=coordinates)
    sim["drive"] = 6.0
    np.testing.assert_allclose(sim.step(0.5), [0.375, 1.5, 6.0], rtol=1e-10)
    sim.set(drive=-3.0)
    np.testing.assert_allclose(sim.step(1.0), [0.375 + 1.5 - 0.75, 0.0, -3.0], rtol=1e-10, atol=1e-10)
    assert sim.time == 1.5


def test_an_input_is_the_constant_part_of_a_force():
    """The stated force is its first value; what depends on the state stays: m x'' = F - k x, from F = 4 N."""
    model = cart(mass=2.0, stiffness=50.0)
    model.add(Load(model["cart"].at(), (4.0, 0.0)), name="push")
    sim = stepper(model, ["push.fx", "spring"], ["guide.travel"])
    assert sim.input_names == ("push.fx", "spring") and sim.inputs.tolist() == [4.0, 0.0]
    w = math.sqrt(25.0)
    sim.step(0.3)
    np.testing.assert_allclose(sim["guide.travel"], 4.0 / 50.0 * (1.0 - math.cos(w * 0.3)), rtol=1e-7)
    sim.reset()
    sim["push.fx"], sim["spring"] = 0.0, -4.0  # a spring that pulls by -4 N pushes by 4 N
    sim.step(0.3)
    np.testing.assert_allclose(sim["guide.travel"], 4.0 / 50.0 * (1.0 - math.cos(w * 0.3)), rtol=1e-7)


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("kind", ["", ".rate", ".acceleration"])
def test_a_driver_follows_its_input(coordinates, kind):
    """At the end of each step the driver has the value, or the rate; an acceleration it keeps."""
    sim = stepper(driven_arm(), [f"motor{kind}"], ["motor", "motor.rate", "hinge.angle"], coordinates=coordinates)
    value, speed = 0.0, 0.0
    for target, h in ((0.1, 0.05), (0.3, 0.1), (0.3, 0.1), (-0.2, 0.2)):
        sim[f"motor{kind}"] = target
        found = sim.step(h)
        if kind == "":
            value, speed = target, (target - value) / h
        elif kind == ".rate":
            value, speed = value + 0.5 * h * (speed + target), target
        else:
            value, speed = value + h * speed + 0.5 * h * h * target, speed + h * target
        np.testing.assert_allclose(found, [value, speed, value], rtol=1e-9, atol=1e-12)


def test_a_driver_that_is_not_set_keeps_its_first_value():
    sim = stepper(driven_arm(Ramp(2.0)), ["motor.rate"], ["motor", "motor.rate"])
    assert sim["motor.rate"] == 2.0
    np.testing.assert_allclose(sim.step(0.5), [1.0, 2.0], rtol=1e-10)


def test_parameters_as_inputs():
    """Set point, stiffness, mass and gravity: each acts as in a model that states it."""
    model = cart(stiffness=50.0)
    pid = model.add(PID(model["guide"].travel, setpoint=0.0, kp=60.0, ki=40.0, kd=15.0), name="pid")
    model.add(Actuator(model["guide"].travel, pid), name="servo")
    model.add(Load(model["cart"].at(), (5.0, 0.0)), name="push")
    sim = stepper(model, ["pid.setpoint", "spring.stiffness", parameter(model["cart"], "mass")], ["guide.travel"])
    sim["pid.setpoint"], sim["spring.stiffness"], sim["cart.mass"] = 0.1, 20.0, 3.0
    sim.step(0.2)
    stated = cart(mass=3.0, stiffness=20.0)
    pid = stated.add(PID(stated["guide"].travel, setpoint=0.1, kp=60.0, ki=40.0, kd=15.0), name="pid")
    stated.add(Actuator(stated["guide"].travel, pid), name="servo")
    stated.add(Load(stated["cart"].at(), (5.0, 0.0)), name="push")
    run = simulate(stated, 0.2, output=[0.2])
    np.testing.assert_allclose(sim["guide.travel"], run["guide.travel"][-1], rtol=1e-7)
    assert model["spring"].stiffness == 50.0


def test_gravity_as_an_input():
    sim = stepper(pendulum(), ["gravity.y"], ["pin.angle"])
    sim["gravity.y"] = 0.0
    assert sim.step(1.0).tolist() == [0.0]


# --- the same run as simulate ---


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize(
    ("name", "end", "tolerance"),
    [
        ("double-pendulum", 1.0, 1e-7),
        ("falling-four-bars", 0.5, 1e-6),
        ("bouncing-ball", 1.0, 1e-7),
        ("stick-slip", 1.0, 1e-7),
        ("inverted-pendulum", 0.3, 1e-5),
        ("pick-and-place", 1.0, 1e-5),
        ("motor-drive", 0.5, 1e-5),
        ("heavy-top", 0.5, 1e-6),
        ("door", 0.5, 1e-5),
    ],
)
def test_any_partition_gives_the_run_of_simulate(name, end, tolerance, coordinates):
    """Contacts, friction, impacts, events and samplers included; tolerances allow for the growth of rtol = 1e-8."""
    example = load(name)
    model = example.build()
    options = example.options(model) if hasattr(example, "options") else {}
    options = {key: value for key, value in options.items() if key in ("events", "released", "rtol", "start")}
    run = simulate(model, end, output=[end], coordinates=coordinates, **options)
    counts = ("iterations", "steps")
    names = [c for c in run.columns if c not in counts and not c.endswith(("violation", ".e0", ".e1", ".e2", ".e3"))]
    sim = stepper(model, [], names, coordinates=coordinates, **options)
    cuts = np.sort(np.random.default_rng(1).uniform(0.0, end, 12))
    for duration in np.diff([0.0, *cuts, end]).tolist():
        sim.step(duration)
    expected = np.array([run.columns[name].read(run)[-1] for name in names])
    assert sim.time == pytest.approx(end, rel=1e-13)
    np.testing.assert_allclose(sim.outputs, expected, rtol=tolerance, atol=tolerance)


# --- states ---


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("name", ["double-pendulum", "bouncing-ball", "stick-slip", "inverted-pendulum"])
def test_a_restored_state_continues_with_the_same_bits(name, coordinates):
    model = load(name).build()
    body = model.bodies[0].name
    sim = stepper(model, [], [f"{body}.x", f"{body}.y", f"{body}.vx", f"{body}.ay"], coordinates=coordinates)
    for _ in range(7):
        sim.step(0.031)
    state = sim.save()
    kept = pickle.loads(pickle.dumps(state))
    first = [sim.step(0.02).copy() for _ in range(15)]
    for again in (state, kept):
        sim.restore(again)
        assert np.array_equal(np.array(first), np.array([sim.step(0.02) for _ in range(15)]))


@pytest.mark.skipif(not COMPILED, reason="counts steps of machine code")
def test_limits_of_steps_change_no_bits(monkeypatch):
    """With few steps of the integrator at a time: a loop of machine code takes more of them than that in all, and a
    step that needs more is continued from Python."""
    names, count = ["first.x", "second.y", "second.ax"], 60
    rows, found = np.zeros((count, 0)), np.zeros((count, len(names)))
    plain = stepper(load("double-pendulum").build(), [], names, method="dop853")
    expected = np.array([plain.step(0.01) for _ in range(count)])
    steps = int(plain.run.stepper.counters.steps)
    for most in (30, 1):
        monkeypatch.setattr("cardan.analysis.stepping.station.LARGEST", most)
        sim = stepper(load("double-pendulum").build(), [], names, method="dop853")
        assert steps > 30 and sim.station.control.most == most
        assert np.array_equal(expected, [sim.step(0.01) for _ in range(count)])
        sim.reset()
        status, done = take_steps(sim.station, 0.01, rows, found)
        if most == 30:
            assert (status, done) == (FINISHED, count) and np.array_equal(expected, found)
        else:
            assert status == RUNNING


def test_a_state_contains_inputs_and_other_methods():
    """A stiff spring: `auto` changes to Radau on the way; an earlier state returns to DOP853."""
    model = cart(mass=0.01, stiffness=1e4)
    travel = model["guide"].travel
    model.add(Actuator(travel, -2e3 * _signal(rate(travel))), name="damper")
    sim = stepper(model, ["drive"], ["guide.travel"], rtol=1e-6)
    sim["drive"] = 1.0
    sim.step(1e-3)
    early = sim.save()
    sim["drive"] = 2.0
    first = [sim.step(0.2).copy() for _ in range(5)]
    sim.restore(early)
    assert sim["drive"] == 1.0
    sim["drive"] = 2.0
    assert np.array_equal(np.array(first), np.array([sim.step(0.2) for _ in range(5)]))


def _signal(value):
    return 1.0 * value


def test_another_stepper_of_the_model_restores_a_state():
    one, other = (stepper(pendulum(), [], ["pin.angle"]) for _ in range(2))
    one.step(0.3)
    other.restore(pickle.loads(pickle.dumps(one.save())))
    assert np.array_equal(one.step(0.2), other.step(0.2))


def test_a_state_restored_in_this_process_is_a_copy():
    """Steps of one stepper do not move another one that has restored its state."""
    one, other = (stepper(pendulum(), [], ["pin.angle"]) for _ in range(2))
    one.step(0.3)
    other.restore(one.save())
    first = other.step(0.2)
    assert one.time == 0.3 and other.time == 0.5
    assert np.array_equal(one.step(0.2), first)


@pytest.mark.parametrize("pickled", [False, True])
def test_states_of_other_models_are_rejected(pickled):
    """Another mass, and another list of inputs: neither changes the sizes of tables."""
    state = stepper(cart(2.0), ["drive"], ["guide.travel"]).save()
    state = pickle.loads(pickle.dumps(state)) if pickled else state
    with pytest.raises(ModelError, match="is of another version of 'cart': masses, forces"):
        stepper(cart(5.0), ["drive"], ["guide.travel"]).restore(state)
    with pytest.raises(ModelError, match="has 1 inputs, this stepper has 0"):
        stepper(cart(2.0), [], ["guide.travel"]).restore(state)


def test_reset():
    sim = stepper(cart(), ["drive"], ["guide.travel"])
    sim["drive"] = 5.0
    first = sim.step(0.4)
    assert sim.reset().tolist() == [0.0] and sim["drive"] == 0.0 and sim.time == 0.0
    sim["drive"] = 5.0
    assert np.array_equal(sim.step(0.4), first)


def test_reset_with_parameters_and_with_a_start():
    """Dimensions may change: T = 2 pi sqrt(J / (m g l)) depends on the length of a pendulum."""
    model = pendulum()
    sim = stepper(model, [], ["pin.angle", "pin.angle.rate"])
    sim.reset({"pin.b.x": -0.8, "rod.mass": 3.0})
    sim.step(0.2)
    other = Model("pendulum", gravity=(0.0, -9.81))
    rod = other.add(Body(mass=3.0, inertia=0.2, position=(0.5, 0.0)), name="rod")
    other.add(Revolute(other.ground.at(), rod.at(-0.8, 0.0)), name="pin")
    run = simulate(other, 0.2, output=[0.2])
    np.testing.assert_allclose(sim.outputs, [run["pin.angle"][-1], run["pin.angle.rate"][-1]], rtol=1e-7)
    assert model["pin"].b.place == (-0.5, 0.0)
    start = initial_conditions(model, {model["pin"].angle: -1.0}, {model["pin"].angle: 0.5})
    np.testing.assert_allclose(sim.reset({}, start), [-1.0, 0.5], rtol=1e-12)


def test_reset_with_joint_coordinates():
    """The driven state equals that of initial_conditions; loops are closed again."""
    model = load("double-pendulum").build()
    names = ["A.angle", "B.angle", "A.angle.rate", "B.angle.rate"]
    sim = stepper(model, [], names, coordinates="joint")
    values = [0.3, -0.2, 1.0, 2.0]
    np.testing.assert_allclose(sim.reset(coordinates=dict(zip(names, values, strict=True))), values, rtol=1e-12)
    a, b = model["A"].angle, model["B"].angle
    start = initial_conditions(model, {a: 0.3, b: -0.2}, {a: 1.0, b: 2.0})
    run = simulate(model, 0.2, output=[0.2], start=start)
    np.testing.assert_allclose(sim.step(0.2), [run[name][-1] for name in names], rtol=1e-6)
    with pytest.raises(ModelError, match=r"did you mean 'A\.angle'"):
        sim.reset(coordinates={"A.angel": 0.1})
    with pytest.raises(ModelError, match="coordinates='joint'"):
        stepper(model, [], names).reset(coordinates={"A.angle": 0.1})


# --- derivatives ---


def test_derivatives_with_respect_to_a_force():
    """m x'' = F - k x: d x''/dF = 1/m, and x' = A x + B F with poles +- i sqrt(k / m)."""
    sim = stepper(cart(2.0, 50.0), ["drive"], ["guide.travel", "guide.travel.acceleration", "drive.force"])
    sim["drive"] = 3.0
    sim.step(0.37)
    np.testing.assert_allclose(sim.directional_derivative({"drive": 2.0}), [0.0, 1.0, 2.0], atol=1e-12)
    found = sim.linearize()
    np.testing.assert_allclose(np.sort(found.eigenvalues().imag), [-5.0, 5.0], rtol=1e-9)


@pytest.mark.parametrize("coordinates", BOTH)
def test_derivatives_agree_with_differences(coordinates):
    """Accelerations are linear in forces: differences over a step of 1 ns are exact to rounding."""
    model = load("double-pendulum").build()
    model.add(Actuator(model["A"].angle, 0.0), name="shoulder")
    model.add(Actuator(model["B"].angle, 0.0), name="elbow")
    outputs = ["A.angle.acceleration", "B.angle.acceleration", "B.angle"]
    sim = stepper(model, ["shoulder", "elbow"], outputs, coordinates=coordinates)
    sim["shoulder"], sim["elbow"] = 1.0, -0.5
    sim.step(0.4)
    exact = sim.directional_derivative({"shoulder": 0.3, "elbow": 1.0})
    state, ends = sim.save(), []
    for sign in (1.0, -1.0):
        sim.restore(state)
        sim["shoulder"], sim["elbow"] = 1.0 + sign * 0.3, -0.5 + sign * 1.0
        ends.append(sim.step(1e-9))
    np.testing.assert_allclose(exact, 0.5 * (ends[0] - ends[1]), rtol=1e-6, atol=1e-7)


def test_derivatives_with_respect_to_a_driver():
    """The torque of a driver on a rotor follows its acceleration: T = J f''."""
    model = Model("rotor")
    rotor = model.add(Body(mass=1.0, inertia=0.3), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Driver(hinge.angle, 0.0), name="motor")
    sim = stepper(model, ["motor.acceleration"], ["motor.force"])
    sim["motor.acceleration"] = 2.0
    np.testing.assert_allclose(sim.step(0.1), [0.6], rtol=1e-9)
    found = sim.linearize()
    np.testing.assert_allclose(found.D[0], [0.0, 0.0, 0.3], atol=1e-12)
    np.testing.assert_allclose(sim.directional_derivative({"motor.acceleration": 2.0}), [0.6], rtol=1e-12)


def test_derivatives_that_are_not_available():
    model = cart(stiffness=10.0)
    with pytest.raises(ModelError, match="'spring.stiffness' are not available"):
        stepper(model, ["spring.stiffness"], ["guide.travel"]).linearize()
    with pytest.raises(ModelError, match="'guide.fy' are not available"):
        stepper(model, ["drive"], ["guide.fy"]).linearize()


# --- threads, events, errors ---


def test_threads_give_what_one_after_the_other_gives():
    def run(force: float) -> np.ndarray:
        sim = stepper(cart(stiffness=30.0), ["drive"], ["guide.travel", "spring.force"])
        sim["drive"] = force
        return np.array([sim.step(0.01) for _ in range(200)])

    forces = [1.0, 2.0, -3.0, 0.5]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, forces))
    assert all(np.array_equal(run(force), found) for force, found in zip(forces, together, strict=True))


@pytest.mark.parametrize("threads", [1, 2])
def test_steps_of_many_steppers(threads):
    """Steppers of different models, one of which fails: each as by itself."""
    makes = [lambda: stepper(pendulum(), [], ["pin.angle"]), lambda: stepper(cart(), ["drive"], ["guide.travel"])] * 3
    group, alone = [make() for make in makes], [make() for make in makes]
    group[1]["drive"] = alone[1]["drive"] = 2.0
    group[3]["drive"] = math.nan
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(20):
            errors = step_together(group, 0.01, pool, threads)
    for one in (*alone[:3], *alone[4:]):
        for _ in range(20):
            one.step(0.01)
    assert [k for k, error in enumerate(errors) if error is not None] == [3]
    assert all(np.array_equal(a.outputs, b.outputs) for a, b in zip(group, alone, strict=True) if a is not group[3])


def test_steppers_of_one_model_do_not_share_state():
    model = cart()
    one, other = (stepper(model, ["drive"], ["guide.travel"]) for _ in range(2))
    one["drive"] = 4.0
    assert one.step(1.0)[0] == pytest.approx(1.0) and other.step(1.0)[0] == 0.0


def test_an_event_ends_a_step():
    """A stone falls 1 m in sqrt(2 / g) s; the next step continues from there."""
    model = Model("fall", gravity=(0.0, -9.81))
    stone = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0)), name="stone")
    sim = stepper(model, [], ["stone.y"], events=[Event(y(stone.at()), 0.0, "falling")])
    sim.step(0.4)
    assert not sim.stopped
    sim.step(0.4)
    assert sim.stopped and sim.time == pytest.approx(math.sqrt(2.0 / 9.81), rel=1e-9) and len(sim.events) == 1
    sim.step(0.1)
    assert not sim.stopped and sim["stone.y"] < -0.4


def test_impacts_take_place_inside_steps():
    """A ball from 1 m with restitution 0.5 reaches a quarter of the height, 1.5 t0 after the fall of t0."""
    model = Model("ball", gravity=(0.0, -9.81))
    ball = model.add(Body(mass=1.0, inertia=1.0, position=(0.0, 1.0)), name="ball")
    model.add(Impact(y(ball.at()), restitution=0.5), name="floor")
    sim = stepper(model, [], ["ball.y", "ball.vy"])
    fall = math.sqrt(2.0 / 9.81)
    np.testing.assert_allclose(sim.step(1.5 * fall), [0.25, 0.0], atol=1e-8)


@pytest.mark.parametrize("name", ["double-pendulum", "slider-crank-forces", "spatial-slider-crank", "heavy-top"])
def test_reactions_and_angular_velocities_in_machine_code(name):
    """Forces and torques of all joints, and body.wx .. body.alphaz in space, are those of a run."""
    model = load(name).build()
    run = simulate(model, 0.05, output=0.05, coordinates="cartesian", method="dop853", progress=False)
    turning = ("wx", "wy", "wz", "alphax", "alphay", "alphaz")
    names = [n for n, c in run.columns.items() if c.reaction is not None or n.rpartition(".")[2] in turning]
    sim = stepper(model, outputs=names, coordinates="cartesian", method="dop853")
    assert len(names) >= 6 and not sim.interpreted_outputs
    sim.step(0.05)
    largest = max(abs(run[n][-1]) for n in names)
    for n in names:
        assert abs(sim[n] - run[n][-1]) <= 1e-9 * largest  # the tolerance of the integrator is 1e-8, steps are the same


def test_reactions_contain_the_inputs():
    """m g below the cart, and the force of a hold beside it."""
    model = cart(mass=2.0)
    model.add(Driver(model["guide"].travel, 0.0), name="brake")
    sim = stepper(model, ["drive"], ["guide.fy", "brake.force", "drive.power"])
    sim["drive"] = 7.0
    found = sim.step(0.1)
    np.testing.assert_allclose(np.abs(found[:2]), [2.0 * 9.81, 7.0], rtol=1e-9)


REJECTED = {
    "unknown input": ({"inputs": ["engine"]}, "engine"),
    "joint as input": ({"inputs": ["guide"]}, "neither a force nor a driver"),
    "input twice": ({"inputs": ["drive", "drive"]}, "one input"),
    "unknown column": ({"outputs": ["guide.trvel"]}, "guide.travel"),
    "output twice": ({"outputs": ["cart.x", "cart.x"]}, "twice"),
    "no output": ({"outputs": [3.0]}, "name of a column"),
    "dimension": ({"inputs": ["guide.b.y"]}, "reset"),
    "without effect": ({"inputs": [Sampled]}, "must be a force"),
    "bdf": ({"method": "bdf"}, "bdf"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_rejected_arguments(case):
    options, words = REJECTED[case]
    with pytest.raises(ModelError, match=words):
        stepper(cart(stiffness=10.0), **options)


def test_rejected_steps_change_nothing():
    sim = stepper(cart(), ["drive"], ["guide.travel"])
    for duration in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ModelError, match="positive duration"):
            sim.step(duration)
    sim["drive"] = math.nan
    with pytest.raises(ModelError, match="'drive' must be a finite number"):
        sim.step(0.1)
    with pytest.raises(ModelError, match="its inputs: drive"):
        sim["thrust"] = 1.0
    sim["drive"] = 2.0
    assert sim.step(1.0)[0] == pytest.approx(0.5)


def test_a_step_that_fails_can_be_taken_back():
    """A driver that pulls a linkage apart raises the error of simulate; restore continues before it."""
    model = Model("crank", gravity=(0.0, -9.81))
    crank = model.add(Body(mass=1.0, inertia=0.1), name="crank")
    rod = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(1.0, 0.0), rod.at()), name="B")
    end = rod.at(0.0, 1.0)
    model.add(Driver(y(end), 1.0), name="lift")
    sim = stepper(model, ["lift"], ["rod.y"])
    state = sim.save()
    sim["lift"] = 5.0
    with warnings.catch_warnings(), pytest.raises(LockUp):
        warnings.simplefilter("ignore")
        sim.step(0.1)
    sim.restore(state)
    assert np.isfinite(sim.step(0.01)).all()
