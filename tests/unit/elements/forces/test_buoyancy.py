"""Buoyancy: drafts and small oscillations in closed form."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import cardan.planar as plane
import cardan.spatial as space
from cardan import CardanWarning, ModelError, equilibrium, simulate
from folding import folded

G, WATER = 9.81, 1000.0


def floating(vocabulary, mass, start, **stated):
    flat = vocabulary is plane
    model = vocabulary.Model("float", gravity=(0.0, -G) if flat else (0.0, 0.0, -G))
    place = (0.0, start) if flat else (0.0, 0.0, start)
    body = model.add(vocabulary.Body(mass, 1.0 if flat else (1.0, 1.0, 1.0), position=place), name="body")
    water = model.add(vocabulary.Buoyancy(body.at(), **stated), name="water")
    return model, body, water


@pytest.mark.parametrize("vocabulary", [plane, space])
def test_draft_of_a_sphere(vocabulary):
    """pi d^2 (3 R - d) / 3 = m / rho; the level lies at 0.4."""
    m, R = 40.0, 0.25
    model, body, water = floating(vocabulary, m, 0.45, radius=R, level=0.4)
    rest = equilibrium(model)
    draft = brentq(lambda d: math.pi * d * d * (3 * R - d) / 3 - m / WATER, 0.0, 2 * R, xtol=1e-14)
    assert 0.4 + R - rest[body].position[-1] == pytest.approx(draft, rel=1e-8)
    assert rest[water].force == pytest.approx(m * G, rel=1e-8)


def test_bobbing_of_an_upright_cylinder():
    """A constant area makes it harmonic: omega^2 = rho g A / m, as long as it is neither under nor out."""
    m, area, height, swing = 50.0, 0.05, 2.0, 0.3
    model, body, _ = floating(plane, m, height / 2 - m / (WATER * area) + swing, area=area, height=height)
    run = simulate(model, 5.0, output=0.1, rtol=1e-9)
    omega = math.sqrt(WATER * G * area / m)
    assert run[body].position[:, 1] == pytest.approx(swing * np.cos(omega * run.times), abs=1e-7)
    assert run.energy.drift < 1e-7


def test_bobbing_of_a_sphere_dies_by_damping():
    """Small: omega^2 = rho g pi (R^2 - (R - d)^2) / m; decay c V / V_whole / 2 m."""
    R, c = 0.25, 20.0
    m = WATER * 2.0 / 3.0 * math.pi * R**3  # half of it is wet
    model, body, water = floating(space, m, 1e-4, radius=R, damping=c)
    run = simulate(model, 5.0, output=0.1, rtol=1e-10)
    decay, omega = 0.25 * c / m, math.sqrt(WATER * G * math.pi * R**2 / m)
    swing = math.sqrt(omega**2 - decay**2)
    exact = np.exp(-decay * run.times) * (np.cos(swing * run.times) + decay / swing * np.sin(swing * run.times))
    assert run[body].position[:, 2] == pytest.approx(1e-4 * exact, abs=1e-8)
    force = m * G - math.pi * R**2 * WATER * G * run[body].position[:, 2] - 0.5 * c * run[body].velocity[:, 2]
    assert run[water].force == pytest.approx(force, abs=1e-3)  # the next terms of the volume, (z / R)^2


def test_out_of_the_water_and_under_it():
    """It flies freely, and under water V is the whole volume."""
    model, body, water = floating(plane, 1.0, 0.5, radius=0.1)
    run = simulate(model, 0.2, output=0.05)
    assert not run[water].force.any()
    assert run[body].velocity[:, 1] == pytest.approx(-G * run.times, abs=1e-9)
    whole = WATER * G * 4.0 / 3.0 * math.pi * 0.1**3
    for stated in ({"radius": 0.1}, {"area": 0.02, "height": 0.2}, {"volume": 0.004}):
        model, body, water = floating(plane, 1.0, -3.0, **stated)
        expected = whole if "radius" in stated else WATER * G * 0.004
        assert simulate(model, 0.01, output=0.01)[water].force[0] == pytest.approx(expected, rel=1e-12)


@folded(
    ("stated", "message"),
    [
        ({}, "takes radius .a sphere., area and height, or volume; none of them was given"),
        ({"radius": 1.0, "volume": 1.0}, "radius, volume was given"),
        ({"area": 1.0}, "area was given"),
        ({"radius": -1.0}, "the radius of Buoyancy 'w' must be positive"),
        ({"volume": 1.0, "density": 0.0}, "the density of Buoyancy 'w' must be positive"),
        ({"volume": 1.0, "damping": -1.0}, "the damping of Buoyancy 'w' must not be negative"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        model.add(plane.Buoyancy(body.at(), **stated), name="w")


@pytest.mark.parametrize(("gravity", "stated"), [((0.0, -1.62), 9.81), ((0.0, 0.0), 9.81), ((9.81, 0.0), 9.81)])
def test_another_gravity_than_that_of_the_model_is_warned_of(gravity, stated):
    model = plane.Model("moon", gravity=gravity)
    buoy = model.add(plane.Body(mass=50.0, inertia=20.0), name="buoy")
    with pytest.warns(
        CardanWarning, match=r"Buoyancy 'water' assumes gravity of 9.81 m/s2 along -y.*state its gravity="
    ):
        model.add(plane.Buoyancy(buoy.at(), area=0.05, height=2.0, gravity=stated), name="water")


def test_the_draft_does_not_depend_on_gravity():
    """m g = rho g A d on the moon, too."""
    model = plane.Model("moon", gravity=(0.0, -1.62))
    buoy = model.add(plane.Body(mass=50.0, inertia=20.0), name="buoy")
    model.add(plane.Buoyancy(buoy.at(), area=0.05, height=2.0, gravity=1.62), name="water")
    assert 1.0 - equilibrium(model)[buoy].position[1] == pytest.approx(1.0, abs=1e-9)
