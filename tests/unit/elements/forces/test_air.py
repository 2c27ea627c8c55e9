"""Drag and wings against closed forms: falls, glides; and motions as functions of devices."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, simulate
from cardan.model.curves.scalar_function import scalar
from folding import folded

G, RHO = 9.81, 1.225


def test_fall_with_drag():
    """v = w tanh(g t / w), s = w^2 / g log cosh(g t / w), w = sqrt(2 m g / (rho A c))."""
    m, area, c = 2.0, 0.3, 0.9
    model = plane.Model("fall", gravity=(0.0, -G))
    ball = model.add(plane.Body(m, 0.1), name="ball")
    drag = model.add(plane.Drag(ball.at(), area=area, coefficient=c), name="drag")
    run = simulate(model, 4.0, output=0.1, rtol=1e-9)
    w = math.sqrt(2.0 * m * G / (RHO * area * c))
    assert run[ball].velocity[:, 1] == pytest.approx(-w * np.tanh(G * run.times / w), abs=1e-7)
    assert run[ball].position[:, 1] == pytest.approx(-(w**2) / G * np.log(np.cosh(G * run.times / w)), abs=1e-7)
    assert run.energy.drift < 1e-7
    fallen = 0.5 * m * run[ball].velocity[:, 1] ** 2 + m * G * run[ball].position[:, 1]
    assert run.energy.work_of(drag) == pytest.approx(fallen, abs=1e-6)


def test_shot_against_drag_in_space():
    """Without weight u = u_0 / (1 + k u_0 t / m) along its own direction, relative to a wind across all axes."""
    k, m, wind = 0.5 * 2.0 * 0.1 * 0.5, 3.0, np.array([1.0, -2.0, 3.0])
    model = space.Model("shot")
    start = wind + (10.0, 20.0, -5.0)
    ball = model.add(space.Body(m, (0.1, 0.1, 0.1), velocity=tuple(start)), name="ball")
    model.add(space.Drag(ball.at(), area=0.1, coefficient=0.5, density=2.0, wind=wind), name="drag")
    run = simulate(model, 5.0, output=0.5, rtol=1e-10)
    u0 = start - wind
    speed = np.linalg.norm(u0)
    exact = wind + u0 / (1.0 + k * speed * run.times / m)[:, None]
    assert run[ball].velocity == pytest.approx(exact, abs=1e-8)


def test_drag_out_of_the_centre_turns():
    """The torque about the center is the arm times the drag of the point, which turns with the body: a spinning vane
    stops as omega = omega_0 / (1 + k r^3 omega_0 t / J) on a pin."""
    k, r, J = 0.5 * RHO * 0.2 * 1.1, 0.4, 0.05
    model = plane.Model("vane")
    vane = model.add(plane.Body(1.0, J, angular_velocity=30.0), name="vane")
    model.add(plane.Revolute(model.ground.at(), vane.at()), name="pin")
    model.add(plane.Drag(vane.at(r, 0.0), area=0.2, coefficient=1.1), name="drag")
    run = simulate(model, 2.0, output=0.2, rtol=1e-9)
    assert run[vane].angular_velocity == pytest.approx(30.0 / (1.0 + k * r**3 * 30.0 * run.times / J), rel=1e-7)


def test_gusts():
    """A cork with next to no inertia drifts with the wind, which is a function of time or a motion."""
    drifts = []
    for gust in (lambda t: 3.0 + 2.0 * math.sin(0.5 * t), plane.Harmonic(2.0, 0.5, offset=3.0)):
        model = plane.Model("gust")
        cork = model.add(plane.Body(1e-3, 1e-3, velocity=(3.0, 0.0)), name="cork")
        drag = model.add(plane.Drag(cork.at(), area=1.0, wind=(gust, 0.0)), name="drag")
        run = simulate(model, 5.0, output=0.5, rtol=1e-8)
        drifts.append(run[cork].velocity[:, 0])
        assert run[drag].force.shape == (11, 2)
    assert drifts[1] == pytest.approx(drifts[0], abs=1e-6)
    assert drifts[0] == pytest.approx(3.0 + 2.0 * np.sin(0.5 * run.times), abs=0.05)  # it lags behind a little


def glide(vocabulary, lift, drag, wind=None):
    flat = vocabulary is plane
    down = (0.0, -G) if flat else (0.0, 0.0, -G)
    model = vocabulary.Model("glide", gravity=down)
    start = {"velocity": (20.0, 0.0) if flat else (20.0, 0.0, 0.0)}
    glider = model.add(vocabulary.Body(300.0, 100.0 if flat else (100.0, 100.0, 100.0), **start), name="glider")
    if flat:
        model.add(plane.Hold(plane.angle(model.ground.at(), glider.at()), 0.05), name="trim")
    else:
        nose_up = space.rotation.from_axis_angle((0.0, 1.0, 0.0), -0.05)
        model.add(space.Orientation(model.ground.at(orientation=nose_up), glider.at()), name="trim")
    wing = model.add(vocabulary.Wing(glider.at(), area=12.0, lift=lift, drag=drag, wind=wind), name="wing")
    return glider, wing, simulate(model, 150.0, output=10.0, rtol=1e-8)


@pytest.mark.parametrize("vocabulary", [plane, space])
def test_glide(vocabulary):
    """c_l = 5 alpha, c_d = 0.02: it sinks by gamma with tan gamma = c_d / c_l, alpha = trim + gamma, and its weight is
    1/2 rho A V^2 sqrt(c_l^2 + c_d^2); the slow swing in height dies meanwhile."""
    glider, wing, run = glide(vocabulary, lambda alpha: 5.0 * alpha, 0.02)
    v = run[glider].velocity[-1]
    gamma = math.atan2(-v[-1], v[0])
    attack = run[wing.device]["attack"][-1]
    assert attack == pytest.approx(0.05 + gamma, abs=1e-9)
    assert math.tan(gamma) == pytest.approx(0.02 / (5.0 * attack), rel=1e-5)
    force = 0.5 * RHO * 12.0 * np.dot(v, v) * math.hypot(5.0 * attack, 0.02)
    assert force == pytest.approx(300.0 * G, rel=1e-5)
    assert run.energy.drift < 1e-6


def test_glide_in_a_headwind_with_measured_coefficients():
    """The same, seen from the air; a spline through points of a straight line is the line."""
    line = plane.Spline((-0.3, -0.1, 0.1, 0.3), (-1.5, -0.5, 0.5, 1.5))
    glider, _, calm = glide(plane, lambda alpha: 5.0 * alpha, 0.02)
    other, _, windy = glide(plane, line, plane.Constant(0.02), wind=(-6.0, 0.0))
    assert windy[other].velocity[-1] == pytest.approx(calm[glider].velocity[-1] - (6.0, 0.0), abs=1e-4)


def test_wing_side_slip_does_nothing():
    model = space.Model("slip")
    body = model.add(space.Body(1.0, (1.0, 1.0, 1.0), velocity=(0.0, 7.0, 0.0)), name="body")
    model.add(space.Wing(body.at(), area=1.0, lift=1.0, drag=1.0), name="wing")
    run = simulate(model, 1.0, output=0.5)
    assert run[body].velocity == pytest.approx(np.tile([0.0, 7.0, 0.0], (3, 1)), abs=1e-9)


@pytest.mark.parametrize(
    "motion",
    [
        plane.Constant(2.0),
        plane.Ramp(3.0, 1.0),
        plane.Polynomial(1.0, -2.0, 0.5),
        plane.Harmonic(2.0, 3.0, 0.4, 1.0),
        plane.Function(lambda t: math.exp(-t)),
        plane.Spline((0.0, 0.4, 1.0, 1.5), (1.0, -1.0, 2.0, 0.5)),
        plane.Spline((0.0, 0.4, 1.0, 1.5), (1.0, -1.0, 2.0, 1.0), end="periodic"),
        plane.Step(0.2, 0.9, -1.0, 2.0),
        2.0 * plane.Ramp(1.0) + plane.Harmonic(0.3, 2.0) - 1.0,
    ],
    ids=str,
)
def test_motions_as_functions(motion):
    function, times = scalar(motion, "it"), np.linspace(-0.7, 2.6, 34)
    assert [function(float(t)) for t in times] == pytest.approx(motion(times), rel=1e-12, abs=1e-12)


def test_a_curve_that_rejects_raises():
    function = scalar(plane.Spline((0.0, 1.0), (0.0, 1.0), outside="refuse"), "it")
    assert function(0.5) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="outside"):
        function(1.5)


@folded(
    ("stated", "message"),
    [
        ({"area": 0.0}, "the area of Drag 'd' must be positive"),
        ({"area": 1.0, "density": -1.0}, "the density of Drag 'd' must be positive"),
        ({"area": 1.0, "coefficient": -0.1}, "the coefficient of Drag 'd' must not be negative"),
        ({"area": 1.0, "wind": (1.0,)}, "the wind of Drag 'd' must have 2 components"),
        ({"area": 1.0, "wind": (1.0, "strong")}, "a component of the wind of Drag 'd' must be a motion"),
        ({"area": 1.0, "wind": (lambda: 1.0, 0.0)}, "must take one argument"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        model.add(plane.Drag(body.at(), **stated), name="d")


def test_rejected_wings():
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match="the lift of Wing 'w' must be a number, a Spline or a function, got None"):
        model.add(plane.Wing(body.at(), area=1.0, lift=None), name="w")
    with pytest.raises(ModelError, match="the function of the drag of Wing 'w' cannot be called with 1 arguments"):
        model.add(plane.Wing(body.at(), area=1.0, drag=lambda a, b: 0.0), name="w")
