"""Instant centers: intersections of lines, equal velocities, and the theorem of three centers."""

import itertools
import math

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.examples import load
from cardan.planar import Body, Driver, Gear, Model, Ramp, Revolute
from cardan.postprocess.instant_centers import _by_velocities

NEAR = 1e-8


@pytest.fixture(scope="module")
def four_bar():
    return kinematics(load("four-bar").build(), np.linspace(0.0, 1.0, 101))


def crossing(p, q, r, s):
    """Where the line through p and q meets that through r and s."""
    a = np.column_stack([q - p, r - s])
    return p + np.linalg.solve(a, r - p)[0] * (q - p)


def test_four_bar_by_hand(four_bar):
    """Ground-coupler is where crank and rocker meet, crank-rocker where coupler and ground do (Kennedy)."""
    centers = four_bar.instant_centers(0.3)
    points = {corner.name: corner.point for corner in four_bar.velocity_polygon(0.3).corners}
    a, d, b, c = np.zeros(2), np.array([4.0, -1.0]), points["B"], points["C"]
    assert centers["ground", "coupler"].point == pytest.approx(crossing(a, b, d, c), abs=NEAR)
    assert centers["crank", "rocker"].point == pytest.approx(crossing(a, d, b, c), abs=NEAR)
    assert centers["coupler", "ground"].how == "Kennedy"
    assert centers["ground", "crank"].how == "joint"
    assert len(centers) == 6  # n (n - 1) / 2
    # the ratio of speeds: omega_4 / omega_2 = A P / D P
    p = centers["crank", "rocker"].point
    ratio = four_bar["rocker"].angular_velocity[30] / four_bar["crank"].angular_velocity[30]
    assert abs(ratio) == pytest.approx(np.hypot(*(p - a)) / np.hypot(*(p - d)), rel=1e-8)


def distance_from_line(centers):
    """The largest distance of three centers of three bodies from one line, as a sine (theorem of Kennedy)."""
    known = {frozenset(id(body) for body in center.bodies): center.homogeneous for center in centers}
    bodies = {id(body) for center in centers for body in center.bodies}
    worst = 0.0
    for three in itertools.combinations(bodies, 3):
        pairs = [frozenset(pair) for pair in itertools.combinations(three, 2)]
        if all(pair in known for pair in pairs):
            one, two, other = (known[pair] / np.linalg.norm(known[pair]) for pair in pairs)
            line = np.cross(one, two)
            if np.linalg.norm(line) > 1e-9:
                worst = max(worst, abs(float(line @ other)) / np.linalg.norm(line))
    return worst


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "quick-return", "peaucellier"])
def test_lines_and_velocities_agree(name):
    example = load(name)
    run = kinematics(example.build(), np.linspace(*example.TIMES[:2], 21))
    instant = run.instant(float(run.times[4]))
    centers = run.instant_centers(float(run.times[4]))
    bodies = [run.model.ground, *run.system.bodies]
    assert len(centers) + len(centers.missing) == len(bodies) * (len(bodies) - 1) // 2
    found = [pole for pole in centers if pole.how == "Kennedy"]
    assert found
    for pole in found:
        other = _by_velocities(instant, *pole.bodies)
        if pole.point is None:
            assert other.point is None or np.hypot(*other.point) > 1e6
        else:
            assert other.point == pytest.approx(pole.point, rel=1e-6, abs=1e-6 * run.system.length)
    assert distance_from_line(centers) < 1e-9


def test_both_bodies_have_one_velocity_in_their_pole(four_bar):
    snapshot = four_bar.at(0.3)
    for pole in four_bar.instant_centers(0.3):
        speeds = []
        for body in pole.bodies:
            series = snapshot[body]
            arm = pole.point - series.position
            speeds.append(series.velocity + series.angular_velocity * np.array([-arm[1], arm[0]]))
        assert speeds[0] == pytest.approx(speeds[1], abs=1e-7)


def test_slider_and_rod_have_their_poles_where_the_book_says():
    """Ground-rod is above the slider on the crank's line; ground-slider is infinitely far across the guide."""
    run = kinematics(load("slider-crank").build(), np.linspace(0.0, 0.6, 61))
    centers = run.instant_centers(0.1)
    x = 0.2 * math.cos(1.0) + math.sqrt(0.25 - (0.2 * math.sin(1.0)) ** 2)
    assert centers["ground", "rod"].point == pytest.approx([x, x * math.tan(1.0)], abs=NEAR)
    far = centers["ground", "slider"]
    assert far.point is None
    assert abs(far.direction) == pytest.approx([0.0, 1.0])
    assert "at infinity" in repr(centers)


def test_gears_meet_in_the_pitch_point():
    model = Model("pair")
    ground = model.ground
    small = model.add(Body(), name="small")
    large = model.add(Body(position=(0.3, 0.0)), name="large")
    one = model.add(Revolute(ground.at(), small.at()), name="A")
    model.add(Revolute(ground.at(0.3, 0.0), large.at()), name="B")
    model.add(Gear(small.at(), large.at(), 0.1, 0.2), name="mesh")
    model.add(Driver(one.angle, Ramp(4.0)), name="motor")
    run = kinematics(model, [0.0, 0.1])
    pole = run.instant_centers(0.1)["small", "large"]
    assert pole.how == "joint"
    assert _by_velocities(run.instant(0.1), small, large).point == pytest.approx(pole.point, abs=NEAR)
    assert pole.point == pytest.approx([0.1, 0.0], abs=NEAR)


def test_bodies_that_move_as_one_have_no_pole():
    model = Model("pair")
    wheels = [model.add(Body(position=(k, 0.0)), name=f"w{k}") for k in range(2)]
    for k, wheel in enumerate(wheels):
        hinge = model.add(Revolute(model.ground.at(k, 0.0), wheel.at()), name=f"A{k}")
        model.add(Driver(hinge.angle, Ramp(2.0)), name=f"m{k}")
    centers = kinematics(model, [0.0, 0.1]).instant_centers(0.1)
    # equal speeds about different centers: the pole is infinitely far, along the line of centers
    assert abs(centers["w0", "w1"].direction) == pytest.approx([1.0, 0.0])
    with pytest.raises(ModelError, match="no such pair"):
        centers["w0", "w9"]
    names = [{body.name for body in pole.bodies} for pole in centers]
    assert all({a, b} in names for a, b in itertools.combinations(("ground", "w0", "w1"), 2))
