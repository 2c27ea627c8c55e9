"""Wheels and balls on a plane: counts, and accelerations at an instant in closed form."""

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, mobility
from cardan.spatial import Body, Driver, KnifeEdge, Model, Ramp, Revolute, RollingBall, RollingWheel, rotation
from still import instant

G, M, R = 9.81, 2.0, 0.3
COIN = (0.25 * M * R**2, 0.25 * M * R**2, 0.5 * M * R**2)
BALL = (0.4 * M * R**2,) * 3


def coin(theta, velocity=(0.0, 0.0, 0.0), angular_velocity=None):
    """A coin on the floor whose axle k leans by theta from the vertical, toward x; its hub stands R sin(theta) high."""
    model = Model("coin", gravity=(0.0, 0.0, -G))
    p = rotation.multiply(rotation.from_axis_angle((0, 1, 0), theta), rotation.from_axis_angle((0, 0, 1), 0.4))
    stated = Body(M, COIN, (0.0, 0.0, R * math.sin(theta)), p, velocity, angular_velocity)
    body = model.add(stated, name="coin")
    return model, body, model.add(RollingWheel(model.ground.at(), body.at(), R), name="rolling")


def test_counts():
    """A coin and a ball have five degrees of freedom on the floor, and three where they roll."""
    model, _, _ = coin(1.2)
    report = mobility(model)
    assert (report.degrees_of_freedom, report.position_degrees_of_freedom, report.velocity_equations) == (3, 5, 2)
    assert "2 joint equations are velocity constraints: positions have 5 degrees of freedom, velocities 3." in repr(
        report
    )
    model = Model("ball")
    ball = model.add(Body(position=(0.0, 0.0, R)), name="ball")
    model.add(RollingBall(model.ground.at(), ball.at(), R), name="rolling")
    report = mobility(model)
    assert (report.degrees_of_freedom, report.position_degrees_of_freedom, report.velocity_equations) == (3, 5, 2)


def test_a_bicycle_wheel_on_its_axle():
    """An axle that stays level and turns about the vertical through its end: one freedom of velocity is left."""
    model = Model("mill")
    axle = model.add(Body(position=(0.0, 0.0, R)), name="axle")
    stone = model.add(Body(position=(1.0, 0.0, R), orientation=rotation.from_axes(z=(1, 0, 0))), name="stone")
    model.add(Revolute(model.ground.at(), axle.at(0, 0, -R)), name="post")
    model.add(Revolute.between(axle, stone, at=(1.0, 0.0, R), z=(1, 0, 0)), name="hub")
    model.add(RollingWheel(model.ground.at(), stone.at(), R), name="rolling")
    report = mobility(model)
    assert report.position_degrees_of_freedom == 2 and report.degrees_of_freedom == 1
    assert report.redundant == (("rolling", "touching"), ("rolling", "across"))


def test_steady_circle_of_a_leaning_coin():
    """The coin rolls on a circle with rate W about the vertical, its axle at theta to it, w3 about the axle, if

        (C + m r^2) w3 W sin(theta) - A W^2 sin(theta) cos(theta) + m g r cos(theta) = 0

    from H' = W n x H = -r rho x F about the hub, F = m (W n x v + g n), v = r w3 t (Routh; Neimark and Fufaev, II.2).
    Then everything turns about the vertical: a = W n x v, and the angular acceleration is W n x omega."""
    theta, W = 1.1, 2.0
    A, C, s, c = COIN[0], COIN[2], math.sin(theta), math.cos(theta)
    w3 = (A * W**2 * s * c - M * G * R * c) / ((C + M * R**2) * W * s)
    n, k = np.array([0.0, 0.0, 1.0]), np.array([s, 0.0, c])
    t = np.cross(k, n) / s
    rho = (n - c * k) / s
    omega = W * s * rho + w3 * k
    v = R * w3 * t
    model, body, rolling = coin(theta, tuple(v), tuple(omega))
    run = instant(model)
    assert run[body].acceleration[0] == pytest.approx(W * np.cross(n, v), abs=1e-11)
    assert run[body].angular_acceleration[0] == pytest.approx(W * np.cross(n, omega), abs=1e-10)
    force = M * (W * np.cross(n, v) + G * n)
    assert run[rolling].force[0] == pytest.approx(force, abs=1e-10)
    assert run[rolling].torque[0] == pytest.approx(np.cross(-R * rho, force), abs=1e-10)


@pytest.mark.parametrize("turned", [0.0, 2.0])
def test_ball_on_a_slope(turned):
    """a = 5/7 g sin(slope), however the axes of the plane point; friction is 2/7 of the weight's part along it."""
    slope = 0.3
    model = Model("slope", gravity=(0.0, 0.0, -G))
    down, normal = np.array([math.cos(slope), 0.0, -math.sin(slope)]), np.array([math.sin(slope), 0.0, math.cos(slope)])
    ball = model.add(Body(M, BALL, tuple(R * normal)), name="ball")
    x = math.cos(turned) * down + math.sin(turned) * np.cross(normal, down)
    plane = model.ground.at(z=tuple(normal), x=tuple(x))
    rolling = model.add(RollingBall(plane, ball.at(), R), name="rolling")
    run = instant(model)
    assert run[ball].acceleration[0] == pytest.approx(5.0 / 7.0 * G * math.sin(slope) * down, abs=1e-11)
    force = run[rolling].in_frame("global").force[0]
    expected = -2.0 / 7.0 * M * G * math.sin(slope) * down + M * G * math.cos(slope) * normal
    assert force == pytest.approx(expected, abs=1e-10)


def test_ball_on_a_turntable():
    """a = 2/7 W n x v for a solid ball on a level table that turns with W (Milne 1948): its center runs on a circle."""
    W, place, v = 3.0, np.array([0.4, -0.2, R]), np.array([0.5, 0.7, 0.0])
    n = np.array([0.0, 0.0, 1.0])
    model = Model("turntable", gravity=(0.0, 0.0, -G))
    table = model.add(Body(1.0, (0.1, 0.1, 0.1), angular_velocity=(0.0, 0.0, W)), name="table")
    hinge = model.add(Revolute(model.ground.at(), table.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(W)), name="motor")
    below = W * np.cross(n, place)  # what the table does under the ball: v + omega x (-R n)
    omega = np.cross(n, v - below) / R + 0.9 * n
    ball = model.add(Body(M, BALL, tuple(place), None, tuple(v), tuple(omega)), name="ball")
    rolling = model.add(RollingBall(table.at(0.1, 0.3, 0.0), ball.at(), R), name="rolling")
    run = instant(model)
    assert run[ball].acceleration[0] == pytest.approx(2.0 / 7.0 * W * np.cross(n, v), abs=1e-11)
    assert run[rolling].violation[0] < 1e-14


def test_assembly_lowers_a_coin_onto_the_floor():
    """Only its height gives way, and its lean: no slip hinders it."""
    model, body, rolling = coin(1.2)
    lifted = Model("lifted")
    high = lifted.add(Body(position=(0.3, 0.1, 0.5), orientation=body.orientation), name="coin")
    touching = lifted.add(RollingWheel(lifted.ground.at(), high.at(), R), name="rolling")
    there = assemble(lifted, weights={high: (1, 1, 1, 1e9, 1e9, 1e9)})
    assert there[high].position == pytest.approx([0.3, 0.1, R * math.sin(1.2)], abs=1e-8)
    assert there[touching].violation < 1e-11
    assert rolling.lean.unit == "rad" and there[touching.lean].value == pytest.approx(0.5 * math.pi - 1.2, abs=1e-8)


def test_wheel_and_blade_hold_the_same_across():
    """The blade sits where the wheel touches: both keep that point from moving along the axle, but only here, as the
    wheel rolls on to another point."""
    model = Model("cart")
    cart = model.add(Body(position=(0.0, 0.0, R), orientation=rotation.from_axes(z=(1, 0, 0))), name="cart")
    model.add(RollingWheel(model.ground.at(), cart.at(), R), name="wheel")
    lowest = cart.world((0.0, 0.0, 0.0), x=(1, 0, 0))
    model.add(KnifeEdge(lowest, axis="x"), name="blade")
    assert mobility(model).singular == (("blade", "across"),)


@pytest.mark.parametrize("kind", [RollingWheel, RollingBall])
def test_rejected(kind):
    model = Model("m")
    body = model.add(Body(), name="body")
    hub = body.at(z=(1, 0, 0))
    with pytest.raises(ModelError, match="radius"):
        model.add(kind(model.ground.at(), hub, -0.1), name="culprit")
    with pytest.raises(ModelError, match="contact"):
        model.add(kind(model.ground.at(), hub, 0.1, contact=2), name="culprit")
    with pytest.raises(ModelError, match="needs the center of the rolling body, to="):
        kind.between(model.ground, body, at=(0, 0, 0), z=(0, 0, 1), z_b=(1, 0, 0), radius=0.1)


def test_a_wheel_stated_flat_is_rejected():
    model = Model("m")
    body = model.add(Body(), name="body")
    with pytest.raises(ModelError, match="the wheel of RollingWheel 'culprit' initially lies flat"):
        model.add(RollingWheel(model.ground.at(), body.at(), 0.1), name="culprit")


def test_wheel_in_world_coordinates():
    """A point of the floor, the hub above it, the normal and the axle."""
    model = Model("m")
    body = model.add(Body(position=(1.0, 2.0, R)), name="body")
    stated = {"at": (1, 2, 0), "to": (1, 2, R), "z": (0, 0, 1), "z_b": (0, 1, 0)}
    wheel = model.add(RollingWheel.between(model.ground, body, radius=R, **stated), name="wheel")
    assert assemble(model)[body].position == pytest.approx([1.0, 2.0, R], abs=1e-12)
    assert assemble(model)[wheel.heading].value == pytest.approx(0.5 * math.pi)
