"""A planar model that is lifted to space moves identically, in any plane.

    r = origin + R (x, y, 0),    A = R Rz(phi),    omega = phi' n

Both analyses close their equations to 1e-11 of the size of the mechanism, and end their iterations at different places
within that: positions agree to 1e-10 of the size, which the condition of the Jacobian (below 10 here) allows; rates and
accelerations lose a digit each, relative to the largest of the run.
"""

import math

import numpy as np
import pytest

from cardan import LockUp, assemble, kinematics, mobility
from cardan.examples import analysis, load, names
from cardan.planar import Body, Coupler, Driver, Hold, Model, RackPinion, Ramp, Revolute, constraint, x, y
from cardan.spatial import rotation
from cardan.spatial.lifting import lift
from catalog import CASES
from linkages import four_bar, ladder, slider_crank

TIMES = np.linspace(0.0, 1.0, 41)
TILTED = {"origin": (0.3, -0.2, 0.5), "x": (1.0, 0.2, -0.3), "z": (0.4, -0.5, 0.8)}
PARAMETERS = rotation.from_axes(x=TILTED["x"], z=TILTED["z"])
R = rotation.matrix(PARAMETERS)
FREEDOMS_OF_THE_PLANE = 3


def assert_moves_alike(flat, run):
    """Every body of the lifted run stands and moves where the planar one does, seen in the tilted plane.

    Rates are compared relative to the greatest of the whole mechanism: what stands still in it does so to its rounding.
    """
    assert len(run) == len(flat)
    speed, bend = np.abs(flat.v).max(), np.abs(flat.a).max()
    for body in flat.model.bodies:
        there = run[body.name]
        here = flat[body]
        half = 0.5 * here.angle
        turn = np.stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)], axis=1)
        agree(there.position, in_space(here.position) + TILTED["origin"], 1e-10)
        agree(there.matrix, rotation.matrix(rotation.multiply(PARAMETERS, turn)), 1e-10)
        agree(there.velocity, in_space(here.velocity), 1e-9, speed)
        agree(there.angular_velocity, here.angular_velocity[:, None] * R[:, 2], 1e-9, speed)
        agree(there.acceleration, in_space(here.acceleration), 1e-8, bend)
        agree(there.angular_acceleration, here.angular_acceleration[:, None] * R[:, 2], 1e-8, bend)
    assert len(run.system.contact_coordinates) == len(flat.system.contact_coordinates)
    if own := len(flat.system.contact_coordinates):
        for there, here, tolerance in ((run.q, flat.q, 1e-10), (run.v, flat.v, 1e-9), (run.a, flat.a, 1e-8)):
            agree(there[:, -own:], here[:, -own:], tolerance)


def in_space(vectors):
    return np.insert(vectors, 2, 0.0, axis=1) @ R.T


def agree(found, expected, tolerance, size=0.0):
    assert np.abs(found - expected).max() < tolerance * (1.0 + max(size, np.abs(expected).max()))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_catalog_moves_alike(case, seed):
    model = case.model(seed, backwards=seed == 1)
    assert_moves_alike(kinematics(model, TIMES), kinematics(lift(model, **TILTED), TIMES))


DRIVEN = [name for name in names() if analysis(load(name)) in ("kinematics", "inverse_dynamics")]


@pytest.mark.parametrize("name", [name for name in DRIVEN if isinstance(load(name).build(), Model)])
def test_examples_move_alike(name):
    model, (start, end, count) = load(name).build(), load(name).TIMES
    times = np.linspace(start, end, count)
    assert_moves_alike(kinematics(model, times), kinematics(lift(model, **TILTED), times))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_coordinates_are_offered_alike(case):
    """Drivers and joints, slots and cams offer the same coordinates under the same names; angles count their turns from
    the one nearest zero unless a driver asks for another."""
    model = case.model()
    flat, run = kinematics(model, TIMES), kinematics(lift(model, **TILTED), TIMES)
    mechanics = {name for body in model.bodies for name in flat.table() if name.startswith(f"{body.name}.")}
    points = {name for name in flat.table() if name.startswith("corner.")}  # the Point of the catalog: global axes
    counts = {"iterations", "steps"}
    shared = set(flat.table()) - mechanics - points - counts
    for name in shared:
        here, there = flat.table()[name], run.table()[name]
        turns = 2.0 * math.pi * round((here[0] - there[0]) / (2.0 * math.pi)) if name.endswith(".angle") else 0.0
        agree(there + turns, here, 1e-8)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_freedoms_are_those_of_the_plane(case):
    """What each loop of spatial joints holds too much is redundant, and nothing else; a body in a plane is 3 of 6."""
    model = case.model()
    flat, spatial = mobility(model), mobility(lift(model, **TILTED))
    assert spatial.coordinates == flat.coordinates + FREEDOMS_OF_THE_PLANE * len(model.bodies)
    assert spatial.degrees_of_freedom == flat.degrees_of_freedom and spatial.undriven == flat.undriven == 0
    assert spatial.conflicting == spatial.singular == spatial.redundant_drivers == ()
    assert len(spatial.redundant) == spatial.equations - flat.equations - FREEDOMS_OF_THE_PLANE * len(model.bodies)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_a_loop_has_three_redundant_equations(name):
    """Four joints of five equations on three bodies of six speeds, one freedom: 20 - (18 - 1) are too many, all of them
    of the joint that closes the loop, and all across the plane."""
    report = mobility(lift(load(name).build(), **TILTED))
    assert (report.coordinates, report.equations, report.rank, report.degrees_of_freedom) == (18, 20, 17, 1)
    closing, across = {
        "four-bar": ("D", {"z", "turn x", "turn y"}),
        "slider-crank": ("guide", {"x", "turn y", "turn z"}),  # it looks along the guide, its x axis is the normal
    }[name]
    assert set(report.redundant) == {(closing, label) for label in across}
    assert "Redundant: " in str(report)


def test_many_loops():
    """A ladder of 5 four-bars: 11 bodies, 5 loops, 3 redundant equations in each."""
    model = ladder(5)
    report = mobility(lift(model, **TILTED))
    assert report.degrees_of_freedom == 1 and len(report.redundant) == 3 * 5
    assert_moves_alike(kinematics(model, TIMES), kinematics(lift(model, **TILTED), TIMES))


@pytest.mark.parametrize(
    "build",
    [
        lambda: slider_crank(0.5, 0.4, 0.3, Ramp(1.0, start=0.3)),
        lambda: four_bar(0.8, 1.0, 0.7, 1.0, 0.9, Ramp(1.0, start=0.9)),
        lambda: load("four-bar").build(rocker=1.9, height=0.1),
    ],
    ids=["slider-crank", "four-bar", "Haug 5.3"],
)
def test_lock_ups_come_at_the_same_time(build):
    """Both locate a dead point to 1e-9 of the span."""
    times = np.linspace(0.0, 2.0, 101)
    locks = []
    for model in (build(), lift(build(), **TILTED)):
        with pytest.raises(LockUp) as caught:
            kinematics(model, times)
        locks.append(caught.value)
    assert locks[0].time == pytest.approx(locks[1].time, abs=1e-9 * times[-1])
    assert set(locks[0].elements) == set(locks[1].elements)
    assert_moves_alike(*(lock.partial for lock in locks))


@constraint
def drag(one, two, ratio=0.5):
    return two - ratio * one


@pytest.mark.parametrize("turned", [math.pi, 3.5, 7.0, -20.0])
@pytest.mark.parametrize(
    "tie",
    [
        lambda one, two: Coupler(one - 2.0 * two, value=0.3),
        lambda one, two: Hold(one - 2.0 * two, 0.3),
        lambda one, two: Driver(two - 0.5 * one, Ramp(0.1)),
        drag,
    ],
    ids=["Coupler", "Hold", "Driver", "constraint"],
)
def test_turns_count_in_equations(tie, turned):
    """Angles are stated half a turn away and further: half of one, and of one that is a turn on, are two directions."""
    model = Model("tied")
    ground = model.ground
    one, two = (model.add(Body(angle=a), name=name) for name, a in (("one", turned), ("two", 0.5 * turned)))
    hinges = [model.add(Revolute(ground.at(), body.at(0.1, 0.0)), name=f"{body.name} hinge") for body in (one, two)]
    model.add(Hold(y(one.at()) - math.tan(turned) * x(one.at()), 0.0), name="held")  # its direction, not its turn
    model.add(tie(hinges[0].angle, hinges[1].angle), name="tie")
    assert_moves_alike(kinematics(model, TIMES), kinematics(lift(model, **TILTED), TIMES))


@pytest.mark.parametrize("turned", [0.3, math.pi, 4.0, -20.0])
def test_turns_count_on_a_rack(turned):
    model = Model("rack")
    pinion = model.add(Body(position=(0.4, 0.2), angle=turned), name="pinion")
    model.add(RackPinion(model.ground.at(), pinion.at(), radius=0.2, contact=0.35 + 0.2 * turned), name="mesh")
    model.add(Driver(x(pinion.at()), Ramp(0.1, start=0.4)), name="push")
    assert_moves_alike(kinematics(model, TIMES), kinematics(lift(model, **TILTED), TIMES))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_assembles_alike(case):
    """The nearest closed position is the same one, out of the plane there is none nearer."""
    model = case.model(seed=2)
    flat, spatial = assemble(model), assemble(lift(model, **TILTED))
    for body in model.bodies:
        expected = R @ (*flat[body].position, 0.0) + TILTED["origin"]
        agree(spatial[body.name].position, expected, 1e-9)
