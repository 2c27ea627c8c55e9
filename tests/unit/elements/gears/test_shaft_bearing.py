"""Bearings: stiffness, clearance, exponents, axial and tilting stiffness."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import equilibrium, linearize, simulate
from cardan.errors import ModelError

G = 9.81


@pytest.mark.parametrize("exponent", [1.0, 10.0 / 9.0, 1.5])
@pytest.mark.parametrize("words", [plane, space])
def test_a_shaft_sinks_into_its_bearing(words, exponent):
    """clearance + (m g / k)^(1/n)"""
    flat = words is plane
    model = words.Model("shaft", gravity=(0.0, -G) if flat else (0.0, -G, 0.0))
    inertia, start = (0.1, (1e-6, -2e-5)) if flat else ((0.1,) * 3, (1e-6, -2e-5, 0.0))
    shaft = model.add(words.Body(10.0, inertia, position=start), name="shaft")
    axial = {} if flat else {"axial_stiffness": 1e7, "tilt_stiffness": 1e3}
    stated = {"stiffness": 1e7, "clearance": 2e-5, "exponent": exponent}
    bearing = model.add(words.ShaftBearing(model.ground.at(), shaft.at(), **stated, **axial), name="bearing")
    rest = equilibrium(model, method="newton")
    depth = (10.0 * G / 1e7) ** (1.0 / exponent)
    assert float(rest[shaft].position[1]) == pytest.approx(-2e-5 - depth, rel=1e-7)
    assert float(rest[bearing.load].value) == pytest.approx(10.0 * G, rel=1e-8)


def test_frequencies_without_clearance():
    """sqrt(k / m) in all directions, sqrt(k_t / I) of tilting"""
    model = space.Model("rotor")
    rotor = model.add(space.Body(4.0, (0.02, 0.02, 0.03)), name="rotor")
    model.add(
        space.ShaftBearing(model.ground.at(), rotor.at(), stiffness=1e6, axial_stiffness=4e6, tilt_stiffness=800.0),
        name="b",
    )
    found = np.sort(np.abs(np.linalg.eigvals(linearize(model).A)))[2::2]  # rotation about z is free
    assert found == pytest.approx(np.array([200.0, 200.0, 500.0, 500.0, 1000.0]), rel=1e-6)


def test_damping_without_clearance():
    """A damped oscillator, through the center: zeta = c / (2 sqrt(k m))"""
    model = plane.Model("oscillator")
    mass = model.add(plane.Body(2.0, 1.0, position=(0.01, 0.0)), name="mass")
    model.add(plane.ShaftBearing(model.ground.at(), mass.at(), stiffness=800.0, damping=8.0), name="b")
    run = simulate(model, 1.0, output=0.01, rtol=1e-10, atol=1e-12)
    zeta, w = 8.0 / (2.0 * math.sqrt(1600.0)), 20.0
    wd = w * math.sqrt(1.0 - zeta**2)
    x = 0.01 * np.exp(-zeta * w * run.times) * (np.cos(wd * run.times) + zeta * w / wd * np.sin(wd * run.times))
    assert np.abs(run["mass"].position[:, 0] - x).max() < 1e-9


def test_bounces_in_the_clearance():
    """Free flight between half periods of contact; axial clearance alike."""
    model = space.Model("rattle")
    mass = model.add(space.Body(1.0, (1.0,) * 3, velocity=(0.1, 0.0, 0.2)), name="mass")
    play = {"clearance": 1e-3, "axial_stiffness": 1e6, "axial_clearance": 2e-3}
    model.add(space.ShaftBearing(model.ground.at(), mass.at(), stiffness=1e6, **play), name="b")
    half = math.pi / 1000.0  # of the contact
    period = 2.0 * (2e-3 / 0.1 + half)  # of both directions: 2e-3 / 0.1 = 4e-3 / 0.2
    run = simulate(model, 2.0 * period, output=np.linspace(0.0, 2.0 * period, 5), rtol=1e-10, atol=1e-12)
    assert run["mass"].velocity[::2, [0, 2]] == pytest.approx(np.tile([0.1, 0.2], (3, 1)), rel=1e-6)
    assert run["mass"].velocity[1::2, [0, 2]] == pytest.approx(np.tile([-0.1, -0.2], (2, 1)), rel=1e-6)


def test_wrong_data_is_rejected():
    flat, deep = plane.Model("flat"), space.Model("deep")
    a, b = (flat.add(plane.Body(), name=name).at() for name in "ab")
    with pytest.raises(ModelError, match="clearance of a ShaftBearing must not be negative"):
        plane.ShaftBearing(a, b, stiffness=1.0, clearance=-1.0)
    with pytest.raises(ModelError, match="the stiffness of a ShaftBearing"):
        plane.ShaftBearing(a, b, stiffness=0.0)
    with pytest.raises(ModelError, match="ShaftBearing 'it' is planar and has no axial_stiffness"):
        flat.add(plane.ShaftBearing(a, b, stiffness=1.0, axial_stiffness=1.0), name="it")
    c, d = (deep.add(space.Body(), name=name).at() for name in "cd")
    with pytest.raises(ModelError, match="axial_damping of ShaftBearing 'it' has no effect without axial_stiffness"):
        deep.add(space.ShaftBearing(c, d, stiffness=1.0, axial_damping=1.0), name="it")
