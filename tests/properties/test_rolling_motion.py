"""What rolls and glides, in motion: closed forms of non-holonomic dynamics, with every method that integrates it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import simulate

G = 9.81
METHODS = {
    "dop853": ({"rtol": 1e-10}, 1e-8),
    "radau": ({"rtol": 1e-9}, 1e-7),
    "generalized-alpha": ({"step": 5e-4}, 1e-5),
}


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def run_of(model, until, method):
    options, bound = METHODS[method]
    return simulate(model, until, output=until / 10.0, method=method, **options), bound


def test_chaplygin_sleigh(method):
    """Mass center l ahead of the blade, a^2 = l^2 + J / m, E^2 = u^2 + a^2 w^2: w = E / a sech(l E / a^2 (t - t0))."""
    mass, inertia, arm, speed, spin = 2.0, 0.1, 0.3, 1.0, 2.0
    model = plane.Model("sleigh")
    stated = plane.Body(mass, inertia, center=(arm, 0.0), velocity=(speed, 0.0), angular_velocity=spin)
    sleigh = model.add(stated, name="sleigh")
    model.add(plane.KnifeEdge(sleigh.at()), name="blade")
    run, bound = run_of(model, 3.0, method)
    a = math.sqrt(arm**2 + inertia / mass)
    E = math.hypot(speed, a * spin)
    pace = arm * E / a**2
    start = -math.atanh(speed / E) / pace
    assert np.abs(run[sleigh].angular_velocity - E / a / np.cosh(pace * (run.times - start))).max() < bound
    assert run.violations().max() < 1e-12 and run.energy.drift < bound


def test_knife_edge_on_a_slope(method):
    """Blade under the mass center, spinning: it cycles along the slope and never goes down it for good."""
    slope, spin = 0.4, 3.0
    model = plane.Model("slope", gravity=(G * math.sin(slope), 0.0))
    blade = model.add(plane.Body(1.0, 0.2, angular_velocity=spin), name="blade")
    model.add(plane.KnifeEdge(blade.at()), name="edge")
    run, bound = run_of(model, 4.0, method)
    c, t = G * math.sin(slope) / (2.0 * spin**2), run.times
    assert np.abs(run[blade].position[:, 0] - c * np.sin(spin * t) ** 2).max() < 10.0 * bound
    assert np.abs(run[blade].position[:, 1] - c * (spin * t - 0.5 * np.sin(2.0 * spin * t))).max() < 10.0 * bound


def test_disk_down_a_slope(method):
    """x = g sin(slope) t^2 / 3 for a full disk."""
    slope, r = 0.3, 0.25
    model = plane.Model("slope", gravity=(G * math.sin(slope), -G * math.cos(slope)))
    disk = model.add(plane.Body(2.0, r**2, position=(0.0, r)), name="disk")
    rolling = model.add(plane.RollingWheel(model.ground.at(), disk.at(), r), name="rolling")
    run, bound = run_of(model, 1.0, method)
    assert np.abs(run[disk].position[:, 0] - G * math.sin(slope) * run.times**2 / 3.0).max() < bound
    assert np.abs(run[rolling].force[:, 1] - 2.0 * G * math.cos(slope)).max() < 1e-6


def test_ball_on_a_turntable(method):
    """A full ball on a table that turns with W circles at 2 W / 7, wherever it is put and however it is pushed."""
    rate, r, mass = 3.0, 0.1, 0.5
    model = space.Model("turntable", gravity=(0.0, 0.0, -G))
    table = model.add(space.Body(1.0, (1.0, 1.0, 1.0)), name="table")
    hinge = model.add(space.Revolute(model.ground.at(), table.at()), name="axle")
    model.add(space.Driver(hinge.angle, space.Ramp(rate)), name="motor")
    place, push = np.array([0.5, 0.0, r]), np.array([0.2, 0.3, 0.0])
    table_speed = np.cross([0.0, 0.0, rate], place)
    spin = np.cross([0.0, 0.0, 1.0], push - table_speed) / r  # no slip where it touches
    stated = space.Body(
        mass, (0.4 * mass * r**2,) * 3, position=tuple(place), velocity=tuple(push), angular_velocity=tuple(spin)
    )
    ball = model.add(stated, name="ball")
    model.add(space.RollingBall(table.at(), ball.at(), r), name="rolling")
    run, bound = run_of(model, 3.0, method)
    w = 2.0 * rate / 7.0
    centre = place + np.cross([0.0, 0.0, 1.0], push) / w
    radius = np.linalg.norm((run[ball].position - centre)[:, :2], axis=1)
    assert np.abs(radius - np.linalg.norm(push) / w).max() < 100.0 * bound
    angle = np.unwrap(np.arctan2(*(run[ball].position - centre)[:, 1::-1].T))
    assert np.abs(angle - angle[0] - w * run.times).max() < 100.0 * bound
