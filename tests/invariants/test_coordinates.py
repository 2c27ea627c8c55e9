"""Joint and Cartesian coordinates give the same motion, reactions and degrees of freedom, whatever is redundant."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import CardanError, CardanWarning, equilibrium, inverse_dynamics, kinematics, linearize, mobility, simulate
from invariants.generator import random_mechanism

BOTH = ("cartesian", "joint")


def both(analysis, build, *arguments, **options):
    """What an analysis finds of fresh models in either choice of coordinates: results, or the words of an error."""
    found = []
    for coordinates in BOTH:
        try:
            found.append(analysis(build(), *arguments, coordinates=coordinates, progress=False, **options))
        except CardanError as error:
            found.append(error)
    return found


def agree(one, two, tolerance, names=("q", "v", "a")):
    """Equal numbers, relative to the largest of their kind."""
    for name in names:
        a, b = getattr(one, name), getattr(two, name)
        assert a.shape == b.shape
        if name == "q" and one.system.space.dimensions == 3:
            b = _with_signs_of(a, b, 1 + len(one.system.bodies))
        assert np.abs(a - b).max(initial=0.0) <= tolerance * (1.0 + np.abs(a).max(initial=0.0)), name


def _with_signs_of(a, b, bodies):
    """Positions b with Euler parameters of the sign that they have in a: both signs are the same orientation."""
    b = b.copy()
    for k in range(bodies):
        e = slice(7 * k + 3, 7 * k + 7)
        b[..., e] *= np.where(np.sum(a[..., e] * b[..., e], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return b


def test_random_mechanisms(invariant_seeds):
    """Errors of both runs are about a hundred times the tolerance of 1e-10; accelerations amplify them by the stiffness
    of springs, some hundred 1/s^2. Reactions of driven mechanisms follow from positions that are closed to 1e-11."""
    for seed in invariant_seeds:
        mechanism = random_mechanism(seed)
        driven = mechanism.driven

        def build(seed=seed):
            return random_mechanism(seed).model

        if driven:
            one, two = both(inverse_dynamics, build, np.linspace(0.0, 0.5, 6))
        else:
            one, two = both(simulate, build, 0.2, output=0.1, rtol=1e-10)
        assert isinstance(one, CardanError) == isinstance(two, CardanError), (seed, one, two)
        if isinstance(one, CardanError):
            continue
        agree(one, two, 1e-6)
        if driven:
            scale = 1.0 + np.abs(one.loads.multipliers).max(initial=0.0)
            assert np.abs(one.loads.multipliers - two.loads.multipliers).max(initial=0.0) <= 1e-7 * scale, seed


def rails(count):
    """A body on parallel rails along gravity's component of 3 m/s^2."""
    model = plane.Model("rails", gravity=(3.0, -9.81))
    body = model.add(plane.Body(mass=1.0, inertia=1.0), name="slider")
    for k in range(count):
        model.add(plane.Translational(model.ground.at(0, 0.1 * k), body.at(0, 0.1 * k)), name=f"rail {k}")
    return model


def door(hinges, angle=0.25):
    """A door whose hinge line is tilted; its center hangs lowest at atan(2) = 1.107 rad from where it is at angle 0."""
    model = space.Model("door", gravity=(1.0, 2.0, -9.0))
    c, s = math.cos(angle), math.sin(angle)
    body = model.add(
        space.Body(
            mass=2.0,
            inertia=(0.1, 0.2, 0.3),
            position=(0.5 * c, 0.5 * s, 0.5),
            orientation=(math.cos(angle / 2), 0, 0, math.sin(angle / 2)),
        ),
        name="door",
    )
    for k in range(hinges):
        model.add(space.Revolute(model.ground.at(0, 0, k), body.at(-0.5, 0, k - 0.5)), name=f"hinge {k}")
    return model


def four_bar(turns=(0.3, 0.6, 0.9)):
    """A planar four-bar of real hinges in space, with body frames turned about the hinge axis: three equations of its
    loop are redundant."""
    model = space.Model("four-bar", gravity=(0.0, -9.81, 0.0))
    points = [(0.0, 0.0), (0.3, 1.0), (2.0, 1.4), (2.0, 0.0)]
    bodies = [model.ground]
    for k, turn in enumerate(turns):
        (x0, y0), (x1, y1) = points[k], points[k + 1]
        place = (0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.0)
        orientation = (math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2))
        bodies.append(
            model.add(
                space.Body(mass=1.0 + k, inertia=(0.1, 0.1, 0.1), position=place, orientation=orientation),
                name=f"bar {k}",
            )
        )
    bodies.append(model.ground)
    for k, (x, y) in enumerate(points):
        model.add(
            space.Revolute.between(bodies[k], bodies[k + 1], (x, y, 0.0), z=(0, 0, 1), x=(1, 0, 0)), name=f"hinge {k}"
        )
    return model


@pytest.mark.parametrize("method, step", [("auto", None), ("dop853", None), ("radau", None), ("symplectic", 1e-3)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_body_on_parallel_rails(count, method, step):
    """x = g t^2 / 2, which all methods integrate exactly; x' = g t."""
    run = simulate(rails(count), 1.0, output=[1.0], method=method, step=step, coordinates="joint", progress=False)
    assert run.q[-1][3] == pytest.approx(1.5, rel=1e-10)
    assert run.v[-1][3] == pytest.approx(3.0, rel=1e-10)


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("hinges", [1, 2, 3])
def test_a_door_comes_to_rest(hinges, coordinates):
    """Its center hangs as far along gravity (1, 2) as it can: atan(2)."""
    model = door(hinges)
    rest = equilibrium(model, coordinates=coordinates, progress=False)
    x, y = rest[next(iter(model.bodies))].position[:2]
    assert math.atan2(y, x) == pytest.approx(math.atan(2.0), abs=1e-9)


@pytest.mark.parametrize("method, step", [("auto", None), ("radau", None), ("symplectic", 1e-3)])
def test_redundant_loops_of_turned_frames_move(method, step):
    """The same motion as with frames that are not turned, to the tolerance of 1e-9, or to the second-order error of
    steps of 1 ms, about (1e-3)^2 times the fifth power of 5 rad/s over its frequency."""
    plain = simulate(four_bar((0.0, 0.0, 0.0)), 0.5, output=[0.5], rtol=1e-9, progress=False)
    rtol = {} if step else {"rtol": 1e-9}
    turned = simulate(
        four_bar(), 0.5, output=[0.5], method=method, step=step, coordinates="joint", progress=False, **rtol
    )
    assert np.abs(plain.v[-1]).max() > 1.0
    tolerance = 1e-4 if step else 1e-6
    for k in range(1, 4):  # velocities of origins do not depend on frames
        assert turned.v[-1][6 * k : 6 * k + 3] == pytest.approx(plain.v[-1][6 * k : 6 * k + 3], abs=tolerance)


def test_reactions_of_redundant_joints_are_those_of_least_norm():
    def build():
        model = four_bar()
        model.add(space.Driver(next(e for e in model.constraints).angle, space.Ramp(1.0)), name="motor")
        return model

    one, two = both(inverse_dynamics, build, np.linspace(0.0, 0.3, 4))
    agree(one, two, 1e-8)
    assert np.abs(one.loads.multipliers - two.loads.multipliers).max() <= 1e-8 * np.abs(one.loads.multipliers).max()
    first, second = both(kinematics, build, np.linspace(0.0, 0.3, 4))
    agree(first, second, 1e-8)


@pytest.mark.parametrize("build", [lambda: rails(3), lambda: door(2, math.atan(2.0)), four_bar])
def test_eigenvalues_do_not_depend_on_coordinates(build):
    """A linearization at rest; the four-bar is not at rest, so its positions are brought there first."""
    if build is four_bar:
        model = four_bar()
        at = equilibrium(model, progress=False)
        found = [linearize(model, at=at, coordinates=c) for c in BOTH]
    else:
        found = [linearize(build(), coordinates=c) for c in BOTH]
    one, two = (np.sort_complex(each.eigenvalues()) for each in found)
    assert one.size == two.size == 2
    assert np.abs(one - two).max() <= 1e-6 * (1.0 + np.abs(one).max())


@pytest.mark.parametrize("coordinates", BOTH)
def test_a_run_has_as_many_freedoms_as_mobility_counts(coordinates, invariant_seeds):
    """`simulate` rejects to start where it counts others."""
    for seed in list(invariant_seeds)[:6]:
        model = random_mechanism(seed, driven=False, equipped=False).model
        report = mobility(model)
        run = simulate(model, 1e-3, coordinates=coordinates, progress=False)
        assert run.system.coordinates - run.system.row_count + len(run.set_aside) == report.degrees_of_freedom, seed


@pytest.mark.parametrize("coordinates", BOTH)
def test_mimic_joints_and_rotors(coordinates):
    """A rotor without mass that turns five times as fast adds 25 J to the inertia of an arm, and a second arm that
    mimics the first by -2 adds 4 (I + m l^2), with -2 times its weight's torque: both lie horizontally."""
    model = plane.Model("geared", gravity=(0.0, -10.0))
    arms = []
    for k in range(2):
        arm = model.add(plane.Body(mass=2.0, inertia=0.1, position=(3.0 * k + 0.5, 0.0)), name=f"arm {k}")
        arms.append(model.add(plane.Revolute(model.ground.at(3.0 * k, 0.0), arm.at(-0.5, 0.0)), name=f"hinge {k}"))
    rotor = model.add(plane.Body(mass=0.0, inertia=0.02), name="rotor")
    bearing = model.add(plane.Revolute(model.ground.at(0, 0), rotor.at(0, 0)), name="bearing")
    model.add(plane.Coupler(bearing.angle - 5.0 * arms[0].angle), name="armature")
    model.add(plane.Coupler(arms[1].angle + 2.0 * arms[0].angle), name="mimic")
    run = simulate(model, 0.3, output=[0.0, 0.3], rtol=1e-10, coordinates=coordinates, progress=False)
    inertia = 0.1 + 2.0 * 0.25
    expected = (-10.0 + 2.0 * 10.0) / (inertia + 4.0 * inertia + 25.0 * 0.02)  # torques m g l = 10 N m
    assert run.a[0][5] == pytest.approx(expected, rel=1e-9)
    assert run.a[0][8] == pytest.approx(-2.0 * expected, rel=1e-9)
    assert run.a[0][11] == pytest.approx(5.0 * expected, rel=1e-9)
    assert run.energy.drift < 1e-8


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_rows_that_may_count_either_way_are_named(coordinates):
    """A rod that depends on others to a sine of 3.5e-5, below the limit in Cartesian coordinates and above it in joint
    coordinates: both warn, and with the tolerance they name both hold still, as two rods on two coordinates do."""
    model = random_mechanism(71802635).model
    with pytest.warns(CardanWarning) as said:
        simulate(model, 0.01, coordinates=coordinates, progress=False)
    text = next(str(warning.message) for warning in said if "nearly depends" in str(warning.message))
    assert text.startswith("'rod 1' (length) nearly depends on 'joint 1', 'joint 2', 'rod 0': the sine is 3.5e-05")
    tolerance = float(re.search(r"rank_tolerance=(\S+)", text)[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = simulate(model, 0.5, coordinates=coordinates, rank_tolerance=tolerance, progress=False)
    assert np.abs(run.q - run.q[0]).max() < 1e-9
