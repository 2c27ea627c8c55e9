"""The self-check: each number is what it says, and a spoiled result is flagged by the check that should see it."""

import copy
import math

import numpy as np
import pytest

from cardan import ModelError, equilibrium, inverse_dynamics, kinematics, linearize, simulate, spatial
from cardan.analysis.checks.self_check import self_check
from cardan.analysis.checks.verdict import FLAGGED, GOOD, NOT_UNIQUE, OMITTED
from cardan.case import load_case
from cardan.examples import load
from cardan.planar import Body, Driver, Model, Ramp, Revolute

G = 9.81


@pytest.fixture(scope="module")
def engine():
    example = load("slider-crank-forces")
    return inverse_dynamics(example.build(), np.linspace(*example.TIMES[:2], 41))


@pytest.fixture(scope="module")
def swing():
    """A pendulum that starts level; released from rest its energy is known."""
    model = Model("swing", gravity=(0.0, -G))
    rod = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0)), name="rod")
    model.add(Revolute(model.ground.at(), rod.at()), name="pin")
    return simulate(model, 1.0, output=0.05)


def test_a_sound_result_is_good(engine, swing):
    found = self_check(engine)
    assert found.good
    assert found.names == ("constraints", "rates", "free bodies", "power", "energy", "accuracy", "uniqueness")
    assert [found[name].verdict for name in ("energy", "accuracy")] == [OMITTED, OMITTED]
    moved = self_check(swing)
    assert moved.good
    assert moved["energy"].value == swing.energy.drift
    assert 0.0 < moved["accuracy"].value < 1e-6
    assert "all good" in repr(moved)


def test_a_spoiled_reaction_is_flagged(engine):
    spoiled = copy.copy(engine)
    spoiled.loads = copy.copy(engine.loads)
    spoiled.loads.multipliers = engine.loads.multipliers.copy()
    row = engine.system.rows_of(engine.model["B"])[0]
    largest = max(np.linalg.norm(engine[name].force[5]) for name in "ABC")
    spoiled.loads.multipliers[5, row] += 0.01 * largest
    found = self_check(spoiled)
    assert not found.good
    assert found["free bodies"].verdict == FLAGGED
    assert f"t = {engine.times[5]:.4g} s" in found["free bodies"].words
    # one hundredth of a force too much: so much is left over on the body that it acts on
    assert found["free bodies"].value == pytest.approx(0.01, rel=0.2)
    assert found["constraints"].verdict == GOOD


def test_a_spoiled_driver_is_flagged_by_the_power_too(engine):
    spoiled = copy.copy(engine)
    spoiled.loads = copy.copy(engine.loads)
    spoiled.loads.multipliers = engine.loads.multipliers.copy()
    row = engine.system.rows_of(engine.model["motor"])[0]
    spoiled.loads.multipliers[:, row] *= 1.001
    found = self_check(spoiled)
    assert found["power"].verdict == FLAGGED
    assert found["free bodies"].verdict == FLAGGED


def test_a_spoiled_position_is_flagged(engine):
    spoiled = copy.copy(engine)
    spoiled.__dict__.pop("_residuals", None)
    spoiled.q = engine.q.copy()
    spoiled.q[3, 3 * engine.system.body_number(engine.model["piston"])] += 1e-4
    found = self_check(spoiled)
    assert found["constraints"].verdict == FLAGGED
    # in terms of the model's size, within the factor by which rows are scaled
    assert 1e-5 < found["constraints"].value < 1e-1
    assert "'C' (x)" in found["constraints"].words


def test_a_spoiled_velocity_shows_in_the_energy(swing):
    spoiled = copy.copy(swing)
    spoiled.__dict__.pop("energy", None)
    spoiled.v = swing.v.copy()
    spoiled.v[7] *= 1.01
    found = self_check(spoiled, again=False)
    assert found["energy"].verdict == FLAGGED
    turning = swing["rod"].angular_velocity[7]
    gained = 0.5 * (0.1 + 0.25) * turning**2 * (1.01**2 - 1.0)  # of kinetic energy, about the hinge
    scale = max(swing.energy.kinetic.max(), abs(swing.energy.potential).max())
    assert found["energy"].value == pytest.approx(gained / scale, rel=1e-2)


def test_a_run_that_parts_from_a_tighter_one_is_flagged(swing):
    """Compared with a pendulum that started a little off, the check tells by how much."""
    model = Model("swing", gravity=(0.0, -G))
    rod = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0), angle=0.01), name="rod")
    model.add(Revolute(model.ground.at(), rod.at()), name="pin")
    found = self_check(swing, again=lambda: simulate(model, 1.0, output=0.05))
    assert found["accuracy"].verdict == FLAGGED
    assert found["accuracy"].value >= math.sqrt(2.0) * 2.0 * math.sin(0.005) / math.sqrt(2.0)  # already at the start
    assert self_check(swing, again=False)["accuracy"].verdict == OMITTED


def test_a_run_with_released_joints_and_own_tolerances_is_repeated_as_it_was():
    """The arm of pick-and-place catches a part: joints that begin released, events that engage them."""
    case = load_case("pick-and-place", {})
    found = self_check(case.compute(progress=False, atol=1e-7))
    assert (found["accuracy"].verdict, found.good) == (GOOD, True)
    assert 0.0 < found["accuracy"].value < 1e-4


def test_power_that_is_rounding_is_not_flagged():
    """What turns evenly about an upright axis takes no power; its weight and its inertia act across the motion."""
    model = spatial.Model("door", gravity=(0.0, 0.0, -G))
    leaf = model.add(spatial.Body(25.0, (8.0, 9.0, 1.0), position=(0.4, 0.0, 1.0)), name="leaf")
    hinge = model.add(spatial.Revolute.between(model.ground, leaf, at=(0, 0, 1), z=(0, 0, 1)), name="hinge")
    model.add(spatial.Driver(hinge.angle, Ramp(1.0)), name="motor")
    found = self_check(inverse_dynamics(model, np.linspace(0.0, 1.0, 21)))
    assert found.good
    assert found["power"].value < 1e-9


def test_reactions_left_open_are_not_unique():
    model = Model("board", gravity=(0.0, -G))
    board = model.add(Body(mass=1.0, inertia=0.1), name="board")
    for k, x in enumerate((-0.5, 0.5)):
        model.add(Revolute(model.ground.at(x, 0.0), board.at(x, 0.0)), name=f"pin {k}")
    found = self_check(inverse_dynamics(model, [0.0]))
    assert found["uniqueness"].verdict == NOT_UNIQUE
    assert "pin 0" in found["uniqueness"].words
    assert "pin 1" in found["uniqueness"].words
    assert found.good  # nobody's fault


@pytest.mark.parametrize("rate", ["v", "a"])
def test_rates_that_do_not_belong_to_the_motion_are_flagged(rate):
    """A thousandth too much of all velocities, or of all accelerations, is left over of each step."""
    example = load("four-bar")
    run = kinematics(example.build(), np.linspace(*example.TIMES[:2], 361))
    sound = self_check(run)["rates"]
    assert (sound.verdict, sound.value) == (GOOD, pytest.approx(0.0, abs=1e-6))
    spoiled = copy.copy(run)
    setattr(spoiled, rate, getattr(run, rate) * 1.001)
    found = self_check(spoiled)
    # about: of a point's acceleration only that part is spoiled which bodies' accelerations make
    assert (found["rates"].verdict, found["rates"].value) == (FLAGGED, pytest.approx(1e-3, rel=0.3))
    assert rate == "v" or "accelerations of" in found["rates"].words
    assert found["constraints"].verdict == GOOD


def test_an_equilibrium_is_judged_and_a_spoiled_one_flagged():
    """A thousandth of the weight too much in the pin is left over on the rod."""
    model = Model("hanging", gravity=(0.0, -G))
    rod = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0), angle=-1.0), name="rod")
    model.add(Revolute(model.ground.at(), rod.at()), name="pin")
    rest = equilibrium(model)
    found = self_check(rest)
    assert found.good
    assert found.names == ("constraints", "balance", "free bodies", "power", "uniqueness")
    assert self_check(equilibrium(model, starts=3)).good
    rest.loads.multipliers = rest.loads.multipliers * 1.001
    found = self_check(rest)
    assert found["free bodies"].verdict == FLAGGED
    assert found["free bodies"].value == pytest.approx(1e-3 / 1.001, rel=1e-6)  # in terms of the largest force
    rest.imbalance = 1e-3
    assert self_check(rest)["balance"].verdict == FLAGGED


def test_a_linearization_is_judged_by_the_model_and_by_the_equations_before_reduction():
    """omega^2 = m g c / I about the pin; a stiffness that is a hundredth off misses the accelerations by as much."""
    model = Model("swing", gravity=(0.0, -G))
    rod = model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0.0), angle=-math.pi / 2.0), name="rod")
    model.add(Revolute(model.ground.at(), rod.at()), name="pin")
    linear = linearize(model, equilibrium(model))
    assert linear.modes().frequencies[0] ** 2 == pytest.approx(G * 0.5 / 0.35, rel=1e-9)
    found = self_check(linear)
    assert found.good
    assert [item.verdict for item in found.checks] == [GOOD] * 4
    assert found["slopes"].value < 1e-8
    linear.A = linear.A.copy()
    linear.A[1, 0] *= 1.01
    spoiled = self_check(linear)
    assert (spoiled["slopes"].verdict, spoiled["slopes"].value) == (FLAGGED, pytest.approx(0.01, rel=0.02))
    assert spoiled["modes"].verdict == FLAGGED
    assert self_check(linearize(model, equilibrium(model)).modes()).names == ("joints", "modes")


def test_kinematics_has_constraints_alone():
    model = Model("arm")
    arm = model.add(Body(), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    found = self_check(kinematics(model, [0.0, 1.0]))
    assert found.good
    assert [item.verdict for item in found.checks] == [GOOD, *([OMITTED] * 6)]
    with pytest.raises(ModelError, match="the result of self_check"):
        self_check("run")
    with pytest.raises(ModelError, match="a check must be"):
        found["luck"]
