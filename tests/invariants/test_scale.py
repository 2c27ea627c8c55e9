"""Size, masses and place of a mechanism do not change its motion; or a warning says which digits are lost.

With lengths times L, gravity times L, masses times M and stiffness times M, all angles are the same functions of time.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import CardanWarning, SimulationError, mobility, simulate

BOTH = ("cartesian", "joint")
SCALES = [(1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e6), (1e-6, 1e6), (1e6, 1e-6)]


class Scaled:
    """Builds one random mechanism, a loop with doubled joints and turned body frames, in any size at any place."""

    def __init__(self, seed, spatial):
        self.seed, self.spatial = seed, spatial

    def __call__(self, length=1.0, mass=1.0, at=0.0):
        random = np.random.default_rng(self.seed)
        words, d = (space, 3) if self.spatial else (plane, 2)
        gravity = np.array([0.5, -9.81, 0.3])[:d] * length
        model = words.Model("scaled", gravity=tuple(gravity))
        corner = np.zeros(d)
        corner[0] = at
        points = np.zeros((5, d))
        points[:4, :2] = [(0.0, 0.0), (0.3, 1.0), (2.0, 1.4), (2.0, 0.0)]
        points[4, :2] = (3.0, 0.2)
        bodies, places = [model.ground], []
        for k in range(4):
            middle = 0.5 * (points[k] + points[(k + 1) % 5]) if k < 3 else 0.5 * (points[2] + points[4])
            turn, m = random.uniform(-1.0, 1.0), random.uniform(0.5, 2.0)
            places.append(middle)
            position = tuple(corner + length * middle)
            moment = mass * length**2 * m
            if self.spatial:
                frame = (math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2))
                body = space.Body(
                    mass=mass * m,
                    inertia=tuple(moment * np.array([0.1, 0.12, 0.15])),
                    position=position,
                    orientation=frame,
                )
            else:
                body = plane.Body(mass=mass * m, inertia=0.1 * moment, position=position, angle=turn)
            bodies.append(model.add(body, name=f"bar {k}"))
        self.turns = [None]

        def marker(k, point):
            """On body k, 0 being ground, by differences that do not know where the mechanism stands."""
            if k == 0:
                return model.ground.at(*(corner + length * point))
            body = bodies[k]
            difference = length * (point - places[k - 1])
            turn = body.angle if not self.spatial else 2.0 * math.atan2(body.orientation[3], body.orientation[0])
            c, s = math.cos(turn), math.sin(turn)
            local = difference.copy()
            local[:2] = c * difference[0] + s * difference[1], -s * difference[0] + c * difference[1]
            return body.at(*local)

        pairs = [(0, 1, 0), (1, 2, 1), (2, 3, 2), (3, 0, 3), (3, 4, 2)]
        for k, (a, b, p) in enumerate(pairs):
            for again in range(2 if k in (1, 4) else 1):
                joint = words.Revolute(marker(a, points[p]), marker(b, points[p]))
                model.add(joint, name=f"hinge {k}{' again' * again}")
        ends = marker(0, points[0] - 1.0), marker(4, points[4])
        free = 1.5 * length
        model.add(
            words.Spring(words.length(*ends), stiffness=20.0 * mass, damping=0.3 * mass, rest_length=free),
            name="spring",
        )
        return model


def angles(run):
    """Numbers of the orientations: angles, or Euler parameters."""
    stored = run.system.space.stored
    poses = run.q[:, stored:].reshape(len(run), -1, stored)
    return poses[:, :, run.system.space.dimensions :]


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("spatial", [False, True])
def test_lengths_and_masses(spatial, coordinates, invariant_count):
    """All errors scale as well: what is left is rounding, amplified by some thousand steps of this motion."""
    build = Scaled(0, spatial)
    reference = angles(simulate(build(), 0.4, output=0.1, coordinates=coordinates, progress=False))
    degrees_of_freedom = mobility(build()).degrees_of_freedom
    for length, mass in SCALES if invariant_count or not spatial else SCALES[:2]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = simulate(build(length, mass), 0.4, output=0.1, coordinates=coordinates, progress=False)
        assert np.abs(angles(run) - reference).max() < 1e-9, (length, mass)
        assert mobility(build(length, mass)).degrees_of_freedom == degrees_of_freedom


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("spatial", [False, True])
def test_far_from_the_origin(spatial, coordinates):
    """At 1e6 m positions are rounded to 1e-10 m: the motion is the same to about the tolerance of 1e-8."""
    build = Scaled(1, spatial)
    reference = angles(simulate(build(), 0.4, output=0.1, coordinates=coordinates, progress=False))
    run = simulate(build(at=1e6), 0.4, output=0.1, coordinates=coordinates, progress=False)
    assert np.abs(angles(run) - reference).max() < 3e-8


def test_so_far_that_digits_are_lost_is_said():
    with pytest.warns(CardanWarning, match="positions are rounded to 1e-07 m"):
        simulate(Scaled(1, False)(at=5e8), 0.1, progress=False)


def wrists(shortest, seed):
    """Nine links on hinges; the axes at two of three links intersect but for offsets of `shortest` to 1e-4 m."""
    random = np.random.default_rng(seed)
    model = space.Model("wrists")
    inner, place = model.ground, np.zeros(3)
    for number in range(9):
        far = number % 3 == 2
        offset = random.standard_normal(3) * (0.3 if far else 10.0 ** random.uniform(np.log10(shortest), -4.0))
        link = space.Body(mass=1.0, inertia=(0.01, 0.01, 0.01), center=0.1 * random.standard_normal(3), position=place)
        model.add(link, name=f"link {number}")
        hinge = space.Revolute.between(inner, link, at=place, z=random.standard_normal(3))
        model.add(hinge, name=f"hinge {number}")
        inner, place = link, place + offset
    return model


@pytest.mark.parametrize("shortest", [1e-6, 1e-10, 1e-14, 1e-18, 1e-30])
def test_offsets_of_axes_that_are_rounding(shortest):
    """Axes in files intersect up to rounding. A chain of n hinges has n degrees of freedom, whatever the rounding."""
    for seed in range(4):
        model = wrists(shortest, seed)
        assert mobility(model).degrees_of_freedom == 9, seed
        for coordinates in BOTH:
            simulate(model, 1e-3, coordinates=coordinates, progress=False)  # checks its degrees of freedom


@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-4])
def test_a_small_link_between_large_ones(size):
    """A link between two balls `size` apart, on bodies held 100 m away, turns about the line between the balls."""
    model = space.Model("small link")
    frame = model.add(space.Body(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="frame")
    link = model.add(space.Body(mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), position=(50.0, 0.0, 0.0)), name="link")
    far = model.add(space.Body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(50.0, size, 0.0)), name="far")
    model.add(space.Fixed.between(model.ground, frame, at=(-50.0, 0.0, 0.0)), name="base")
    model.add(space.Spherical.between(frame, link, at=(50.0, 0.0, 0.0)), name="ball")
    model.add(space.Spherical.between(link, far, at=(50.0, size, 0.0)), name="other ball")
    model.add(space.Fixed.between(model.ground, far, at=(150.0, 0.0, 0.0)), name="end")
    assert mobility(model).degrees_of_freedom == 1


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("offset", [1e-3, 1e-6, 1e-9, 1e-14, 0.0])
def test_mass_centers_that_are_off_by_rounding(offset, coordinates):
    """Mass centers from meshes are exact to rounding: a free body falls, whatever remains of its offset."""
    model = space.Model("falling", gravity=(0.0, 0.0, -9.81))
    center = (offset, -0.3 * offset, 0.5 * offset)
    model.add(space.Body(mass=178.0, inertia=(8.8, 8.8, 8.8), center=center), name="stone")
    run = simulate(model, 0.1, coordinates=coordinates, progress=False)
    assert run["stone"].position[-1, 2] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-9)


@pytest.mark.parametrize("coordinates", BOTH)
def test_forces_without_any_moment(coordinates):
    """Gravity has no moment about the hinges of a pendulum that hangs: nothing is compared with rounding there."""
    model = space.Model("hanging", gravity=(0.0, 0.0, -9.81))
    inner = model.ground
    for name, axis in (("first", (1, 0, 0)), ("second", (0, 1, 0)), ("third", (0, 0, 1))):
        mass, inertia = (1.0, (1.0, 1.0, 1.0)) if name == "third" else (0.0, (0.0, 0.0, 0.0))
        link = model.add(space.Body(mass=mass, inertia=inertia, center=(0, 0, -0.5 * mass)), name=f"{name} link")
        model.add(space.Revolute.between(inner, link, at=(0, 0, 0), z=axis), name=name)
        inner = link
    run = simulate(model, 0.1, coordinates=coordinates, progress=False)
    assert np.abs(run.v).max() < 1e-13


def pinion(reach, coordinates):
    """A pinion of 10 g and 1 mm under a torque that gives it 1 rad/s^2, beside a body at some distance."""
    model = plane.Model("pinion", gravity=(0.0, 0.0))
    inertia = 0.5 * 0.01 * 1e-6
    small = model.add(plane.Body(mass=0.01, inertia=inertia), name="pinion")
    large = model.add(plane.Body(mass=5.0, inertia=1.0, position=(reach, 0.0)), name="far")
    model.add(plane.Revolute(model.ground.at(0, 0), small.at(0, 0)), name="pin")
    model.add(plane.Revolute(model.ground.at(reach, 0), large.at(0, 0)), name="other")
    model.add(plane.Torque(small.at(0, 0), inertia), name="torque")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)  # of the reach, which is not what is tested
        return simulate(model, 1.0, output=[1.0], coordinates=coordinates, progress=False)


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("reach", [1.0, 10.0, 100.0, 1e6])
def test_small_bodies_in_large_models_have_the_inertia_stated(reach, coordinates):
    assert pinion(reach, coordinates).v[-1][5] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("coordinates", BOTH)
def test_a_thin_rod_turns_about_its_axis(coordinates):
    """An inertia of 1e-9 of the others is one: 1 rad/s after 1 s about the hinge along the rod."""
    model = space.Model("rod", gravity=(0.0, 0.0, 0.0))
    rod = model.add(space.Body(mass=1.0, inertia=(1e-10, 0.1, 0.1)), name="rod")
    hinge = space.Revolute.between(model.ground, rod, (0.5, 0.0, 0.0), z=(1, 0, 0), x=(0, 1, 0))
    model.add(hinge, name="hinge")
    model.add(space.Torque(rod.at(0, 0, 0), (1e-10, 0.0, 0.0)), name="torque")
    run = simulate(model, 1.0, output=[1.0], coordinates=coordinates, progress=False)
    assert np.linalg.norm(run.v[-1][9:12]) == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize("coordinates", BOTH)
def test_bodies_far_apart_on_a_spring(coordinates):
    """Two masses of 1 kg on a spring of 1 N/m stretched by 1 m: x = (1 - cos(sqrt(2) t)) / 2. Positions are rounded to
    1e-10 m; the tolerance is stated, as that of the model would be rtol times 1e6 m."""
    model = plane.Model("far apart", gravity=(0.0, 0.0))
    one = model.add(plane.Body(mass=1.0, inertia=1.0), name="one")
    two = model.add(plane.Body(mass=1.0, inertia=1.0, position=(1e6, 0.0)), name="two")
    stated = {"stiffness": 1.0, "rest_length": 1e6 - 1.0}
    model.add(plane.Spring(plane.length(one.at(0, 0), two.at(0, 0)), **stated), name="spring")
    with pytest.warns(CardanWarning, match="pass atol"):
        simulate(model, 0.1, coordinates=coordinates, progress=False)
    run = simulate(model, 1.0, output=[1.0], atol=1e-9, rtol=1e-10, coordinates=coordinates, progress=False)
    assert run.q[-1][3] == pytest.approx(0.5 * (1.0 - math.cos(math.sqrt(2.0))), abs=1e-7)


def test_what_has_no_inertia_is_rejected_at_any_size():
    for length in (1e-6, 1.0, 1e6):
        model = plane.Model("loose", gravity=(0.0, -9.81 * length))
        bob = model.add(plane.Body(mass=1.0, inertia=0.0, position=(length, 0.0)), name="bob")
        reach = plane.length(model.ground.at(0, 0), bob.at(0, 0))
        model.add(plane.Spring(reach, stiffness=1.0, rest_length=length), name="spring")
        with pytest.raises(SimulationError, match="nothing resists the angle of body 'bob'"):
            simulate(model, 0.1, progress=False)
