"""initial_conditions() and consistent_velocities(): states that fulfil what is asked, and words where none does."""

import math
import warnings

import numpy as np
import pytest

from bad_input import one_sentence
from cardan import AssemblyError, CardanWarning, ModelError, initial_conditions, kinematics
from cardan.analysis.assembly.initial_conditions import consistent_velocities
from cardan.planar import Body, Coupler, Distance, Driver, Model, Ramp, Revolute, Translational, length, x, y
from cardan.spatial import (
    Body as Body3,
    Model as Model3,
    Revolute as Revolute3,
    Spherical as Spherical3,
    dot as dot3,
    x as x3,
    y as y3,
    z as z3,
)
from cardan.system.compile import compile
from folding import folded

NEAR = 1e-9  # equations are closed to 1e-11 of a size of about one


def double_pendulum(**lower):
    model = Model("double pendulum")
    one = model.add(Body(mass=1.0, inertia=0.1, angle=-1.0), name="one")
    two = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, -0.9), angle=-0.5, **lower), name="two")
    top = model.add(Revolute(model.ground.at(), one.at()), name="top")
    knee = model.add(Revolute(one.at(1, 0), two.at()), name="knee")
    return model, one, two, top, knee


def test_any_mixture():
    """Positions by a joint coordinate and a point, velocities by another point and another joint."""
    model, one, two, top, knee = double_pendulum()
    tip = two.at(1, 0)
    start = initial_conditions(model, {x(tip): 1.0, top.angle: -1.2}, {y(tip): 0.5, knee.angle: -1.0}, time=0.7)
    assert abs(start[one].angle + 1.2) < NEAR and abs(start[x(tip)].value - 1.0) < NEAR
    assert abs(start[two].angle + math.acos(1.0 - math.cos(1.2))) < NEAR
    assert abs(start[y(tip)].rate - 0.5) < NEAR and abs(start[knee].angle.rate + 1.0) < NEAR
    assert start.violation < 1e-11 and not start.a.any() and start.time == 0.7
    w1, w2 = start[one].angular_velocity, start[two].angular_velocity
    assert abs(w2 - w1 + 1.0) < NEAR  # in closed form: y' = cos(phi1) w1 + cos(phi2) w2
    assert abs(math.cos(1.2) * w1 + math.cos(start[two].angle) * w2 - 0.5) < NEAR


def test_positions_alone_mean_rest():
    model, one, two, top, knee = double_pendulum(angular_velocity=3.0)
    start = initial_conditions(model, {top.angle: 0.3, knee.angle: 0.4})
    assert not np.any(start.v) and abs(start[two].angle - 0.7) < NEAR


def test_bodies_keep_what_was_stated():
    model, one, two, *_ = double_pendulum(angular_velocity=3.0)
    start = initial_conditions(model, {one: None, two: None}, {one: None, two: None})
    assert abs(start[one].angle + 1.0) < NEAR and abs(start[two].angle + 0.5) < NEAR
    assert abs(start[two].angular_velocity - 3.0) < NEAR and abs(start[one].angular_velocity) < NEAR


def test_drivers_count_and_move():
    """A driver takes one of two degrees of freedom; its rate is in the velocities found."""
    model, one, two, top, knee = double_pendulum()
    model.add(Driver(top.angle, Ramp(2.0, -1.0)), name="motor")
    start = initial_conditions(model, {knee.angle: 0.3}, {two: None}, time=0.5)
    assert abs(start[one].angle) < NEAR and abs(start[one].angular_velocity - 2.0) < NEAR
    assert abs(start[two].angular_velocity) < NEAR
    rest = initial_conditions(model, {knee.angle: 0.3}, time=0.5)
    assert abs(rest[knee].angle.rate) < NEAR and abs(rest[two].angular_velocity - 2.0) < NEAR
    still = initial_conditions(model)
    assert abs(still[one].angular_velocity - 2.0) < NEAR


def test_fully_driven_needs_nothing():
    model, one, two, top, knee = double_pendulum()
    model.add(Driver(top.angle, Ramp(2.0, -1.0)), name="motor")
    model.add(Driver(knee.angle, Ramp(1.0, 0.5)), name="other motor")
    start = initial_conditions(model, {}, {})
    run = kinematics(model, [0.0])
    assert np.abs(start.q - run.q[0]).max() < NEAR and np.abs(start.v - run.v[0]).max() < NEAR


def test_redundant_joints_are_no_obstacle():
    model = Model("swing")
    beam = model.add(Body(mass=4.0, inertia=1.0, position=(0.3, -0.9)), name="beam")
    for u in (-1, 0, 1):
        model.add(Distance(model.ground.at(u, 0), beam.at(u, 0), 1.0), name=f"rod {u}")
    start = initial_conditions(model, {x(beam.at()): 0.6}, {x(beam.at()): 0.8})
    assert np.abs(start[beam].position - (0.6, -0.8)).max() < NEAR
    assert np.abs(start[beam].velocity - (0.8, 0.6)).max() < NEAR and abs(start[beam].angular_velocity) < NEAR


def test_floating_offsets_and_turns():
    """A coupler without a value keeps that of the position found; angles are on the turn asked for."""
    model, one, two, top, knee = double_pendulum()
    model.add(Coupler(top.angle + 2.0 * knee.angle), name="belt")
    start = initial_conditions(model, {top.angle: 0.2}, {top.angle: 2.0})
    assert abs(start[knee].angle.rate + 1.0) < NEAR and start.violation < 1e-10
    model = Model3("drum")
    drum = model.add(Body3(mass=1.0, inertia=(1, 1, 1)), name="drum")
    hinge = model.add(Revolute3(model.ground.at(), drum.at()), name="hinge")
    start = initial_conditions(model, {hinge.angle: 20.0}, {hinge.angle: 1.5})
    assert abs(start[hinge].angle.rate - 1.5) < NEAR and abs(start[drum].angular_velocity[2] - 1.5) < NEAR
    assert abs(math.sin(start[hinge].angle.value - 20.0)) < NEAR


def test_in_space():
    model = Model3("ball")
    bob = model.add(Body3(mass=1.0, inertia=(1, 1, 1), position=(0.9, 0.3, 0.1)), name="bob")
    model.add(Spherical3.between(model.ground, bob, at=(0, 0, 0)), name="ball")
    level = dot3(model.ground.at(), bob.at(), "z", "z")
    places = {x3(bob.at()): 0.8, z3(bob.at()): 0.1, level: 0.9}
    start = initial_conditions(model, places, {y3(bob.at()): 1.0, z3(bob.at()): 0.0, level: 0.0})
    assert np.abs(start[bob].position - (0.8, math.sqrt(0.26), 0.1)).max() < NEAR
    assert abs(start[level].value - 0.9) < NEAR and abs(start[level].rate) < NEAR
    # on the sphere: x x' + y y' + z z' = 0
    assert np.abs(start[bob].velocity - (-math.sqrt(0.26) / 0.8, 1.0, 0.0)).max() < NEAR


CASES = {
    "too few": ({"top": 1.0}, None, ModelError, ("2 degrees of freedom", "positions", "1", "'two'", "knee.angle")),
    "none": ({}, None, ModelError, ("2 degrees of freedom", "positions", "none")),
    "too many": (
        {"top": 1.0, "knee": 1.0, "x": 0.3},
        None,
        ModelError,
        ("2 degrees of freedom", "depends on", "'top'"),
    ),
    "the same twice": ({"top": 1.0, "twice": 2.0}, None, ModelError, ("2 angle", "depends on angle(ground")),
    "out of reach": ({"top": 1.0, "tip": 30.0}, None, AssemblyError, ("contradict each other", "= 30", "do not close")),
    "too few rates": ({"top": 1.0, "knee": 1.0}, {"top": 1.0}, ModelError, ("velocities", "1", "'two'")),
    "no rates": ({"top": 1.0, "knee": 1.0}, {}, ModelError, ("velocities", "none")),
    "dependent rates": ({"top": 1.0, "knee": 1.0}, {"top": 1.0, "x": 2.0}, ModelError, ("velocities", "depends on")),
    "stretched": ({"top": 1.0, "knee": 0.0}, {"top": 1.0, "span": 1.0}, ModelError, ("velocities", "length")),
}


@folded("case", CASES)
def test_rejections(case):
    positions, velocities, kind, words = CASES[case]
    model, one, two, top, knee = double_pendulum()
    named = {
        "top": top.angle,
        "knee": knee.angle,
        "x": x(two.at()),
        "tip": x(two.at(1, 0)),
        "twice": 2.0 * top.angle,
        "span": length(model.ground.at(), two.at(1, 0)),
    }
    asked = [None if given is None else {named[k]: v for k, v in given.items()} for given in (positions, velocities)]
    with pytest.raises(kind) as caught:
        initial_conditions(model, *asked)
    one_sentence(str(caught.value))
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ([1.0], ("positions", "dictionary", "list")),
        ({"top": 1.0}, ("positions", "measure", "'top'")),
        ({None: 1.0}, ("positions", "measure", "None")),
    ],
)
def test_wrong_input(positions, words):
    model, one, *_ = double_pendulum()
    with pytest.raises(ModelError) as caught:
        initial_conditions(model, positions)
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


def test_wrong_values():
    model, one, two, top, knee = double_pendulum()
    other = double_pendulum()
    for given, words in (
        ({one: 3.0}, ("'one'", "None", "3.0")),
        ({top.angle: "up"}, ("value", "positions", "'up'")),
        ({top.angle: math.nan}, ("value", "nan")),
        ({other[1]: None}, ("'one'", "not a moving body")),
        ({other[3].angle: 1.0}, ("not part of model",)),
        ({model.ground: None}, ("ground", "not a moving body")),
    ):
        with pytest.raises(ModelError) as caught:
            initial_conditions(model, given)
        assert not [word for word in words if word not in str(caught.value)], str(caught.value)


def test_nearest_velocities():
    """Stated velocities that do not fit are changed as little as possible, and this is said."""
    model = Model("slide")
    block = model.add(
        Body(mass=1.0, inertia=1.0, position=(1, 0), velocity=(2.0, 1.0), angular_velocity=0.0), name="block"
    )
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    with pytest.warns(CardanWarning, match=r"'guide' .* 1 m/s.* y of 'block', from 1 to 0"):
        start = initial_conditions(model)
    assert np.abs(start.v - (0, 0, 0, 2, 0, 0)).max() < NEAR
    system = compile(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # zero velocities, and such that fit, are no cause for words
        assert not consistent_velocities(system, system.start, system.speeds(), 0.0, system.reference).any()
        fitting = np.array([0, 0, 0, 2.0, 0, 0])
        found = consistent_velocities(system, system.start, fitting, 0.0, system.reference)
    assert np.abs(found - fitting).max() < NEAR


def test_velocities_that_contradict():
    """Two drivers that agree in position, but not in velocity."""
    model, one, two, top, knee = double_pendulum()
    model.add(Driver(top.angle, Ramp(2.0, -1.0)), name="motor")
    model.add(Driver(2.0 * top.angle, Ramp(3.0, -2.0)), name="rival")
    for given in ((), ({knee.angle: 0.5}, {knee.angle: 0.0})):
        with pytest.raises(ModelError, match="(motor|rival)' .* contradicts .* velocity") as caught:
            initial_conditions(model, *given)
        one_sentence(str(caught.value))
