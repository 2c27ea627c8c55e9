"""kinematics(): its options, its warnings, and where it begins."""

import math
import warnings

import numpy as np
import pytest

from cardan import CardanWarning, Interrupted, SimulationError, assemble, kinematics
from cardan.planar import (
    Body,
    CamFlat,
    Circle,
    Curve,
    Driver,
    Harmonic,
    Model,
    PointFollower,
    Ramp,
    Revolute,
    Spline,
    Translational,
    y,
)
from catalog import UP
from linkages import four_bar, ladder, slider_crank


def eccentric(face):
    """A circle of radius 0.3 about a point 0.1 from its pivot, under a flat face: the face is touched at 0.1 cos."""
    model = Model("eccentric")
    cam, lifter = model.add(Body(), name="cam"), model.add(Body(position=(0.0, 0.4)), name="lifter")
    hinge = model.add(Revolute(model.ground.at(), cam.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    model.add(Translational(model.ground.at(0.0, 0.0, UP), lifter.at(0.0, 0.0, UP)), name="guide")
    model.add(CamFlat(cam.profile(Circle(0.3), 0.1), lifter.at(), face), name="contact")
    return model


def test_flat_follower_against_closed_form():
    model = eccentric(None)
    run = kinematics(model, np.linspace(0.0, 7.0, 71))
    assert np.abs(run["lifter"].position[:, 1] - 0.3 - 0.1 * np.sin(run.times)).max() < 1e-11
    assert np.abs(run["lifter"].acceleration[:, 1] + 0.1 * np.sin(run.times)).max() < 1e-9
    assert np.abs(run["contact"].travel.value - 0.1 * np.cos(run.times)).max() < 1e-9


def test_contact_beyond_the_face_is_reported():
    """0.1 cos(t) < -0.05 from t = 2 pi / 3 on."""
    with pytest.warns(CardanWarning, match="outside its face") as caught:
        kinematics(eccentric((-0.05, 0.2)), np.linspace(0.0, 3.0, 301))
    assert "'contact'" in str(caught[0].message) and "t = 2.095 s" in str(caught[0].message)  # looks every 1/800 s
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kinematics(eccentric((-0.11, 0.11)), np.linspace(0.0, 3.0, 31))


def line(u):
    return u, 0.2 * u


def test_pin_that_leaves_its_slot_is_reported():
    """Driven to y = 0.3 sin(t) on y = 0.2 x for |x| < 1: out when sin(t) > 2/3."""
    model = Model("slot")
    pin = model.add(Body(), name="pin")
    model.add(Translational(model.ground.at(0, 0, math.atan(0.2)), pin.at(0, 0, math.atan(0.2))), name="guide")
    model.add(Driver(y(pin.at()), Harmonic(0.3, 1.0)), name="motor")
    other = model.add(Body(), name="slider")
    model.add(Revolute(pin.at(), other.at()), name="pivot")
    model.add(Driver(Revolute(model.ground.at(), other.at()).angle, 0.0), name="upright")
    plate = model.add(Body(), name="plate")
    model.add(Translational(model.ground.at(), plate.at()), name="rail")
    model.add(PointFollower(plate.profile(Curve(line, (-1.0, 1.0), closed=False)), other.at(0.5, 0.1)), name="slot")
    with pytest.warns(CardanWarning, match="has left its slot"):
        kinematics(model, np.linspace(0.0, 1.5, 151))


def test_tolerances_are_obeyed():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(5.0, start=0.7))
    times = np.linspace(0.0, 3.0, 61)
    loose = kinematics(model, times, tolerance=1e-4, step_tolerance=1e-1)
    tight = kinematics(model, times, tolerance=1e-14, step_tolerance=1e-8)
    assert loose.violations().max() < 1e-4 * 1.5
    assert tight.violations().max() < 1e-14 * 1.5
    assert tight.iterations.sum() > loose.iterations.sum()


def test_fewer_iterations_mean_more_steps():
    """With a single correction allowed, steps must be short enough for the prediction to be nearly right."""
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(5.0, start=0.7))
    times = np.linspace(0.0, 3.0, 31)
    one, many = kinematics(model, times, iterations=1), kinematics(model, times)
    assert one.steps.sum() > many.steps.sum()
    assert np.abs(one.q - many.q).max() < 1e-9


def test_start_chooses_the_branch():
    model = slider_crank(0.2, 0.5, 0.6, Ramp(1.0, start=0.6))
    other = assemble(slider_crank(0.2, 0.5, 0.6, Ramp(1.0, start=0.6), elbow=-1.0))
    run = kinematics(model, [0.0, 0.5], start=other)
    root = math.sqrt(0.25 - (0.2 * math.sin(1.1)) ** 2)
    assert run["slider"].position[-1, 0] == pytest.approx(0.2 * math.cos(1.1) - root, abs=1e-10)
    fresh = kinematics(model, [0.0, 0.5])
    assert fresh["slider"].position[-1, 0] == pytest.approx(0.2 * math.cos(1.1) + root, abs=1e-10)


def test_times_need_not_begin_at_zero():
    model = four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7))
    run = kinematics(model, [-0.5, 0.0, 2.0])
    assert run["crank"].angle == pytest.approx([0.2, 0.7, 2.7], abs=1e-11)


def test_spline_that_rejects_stops_the_analysis():
    motion = Spline((0.0, 0.5, 1.0), (0.7, 0.9, 1.0), outside="refuse")
    with pytest.raises(SimulationError, match="1 s") as caught:
        kinematics(four_bar(0.5, 1.5, 1.2, 1.4, 0.7, motion), np.linspace(0.0, 2.0, 21))
    assert caught.value.time == pytest.approx(1.0, abs=0.11)


def test_corner_of_a_driver_is_passed():
    """A speed that jumps is no lock-up: |t - 0.5| with a corner between two instants."""
    run = kinematics(four_bar(0.5, 1.5, 1.2, 1.4, 0.7, lambda t: 0.7 + abs(t - 0.513)), np.linspace(0.0, 1.0, 21))
    assert np.abs(run["crank"].angle - 0.7 - np.abs(run.times - 0.513)).max() < 1e-10


def test_ladder_moves_as_one():
    """Twenty four-bars behind one motor; every pin closes."""
    run = kinematics(ladder(20), np.linspace(0.0, 1.0, 11))
    assert run.violations().max() < 1e-10 and len(run) == 11
    last = run["link 20"].angle
    assert last[-1] > last[0]


def test_no_bar_when_not_asked(capsys):
    kinematics(four_bar(0.5, 1.5, 1.2, 1.4, 0.7, Ramp(1.0, start=0.7)), np.linspace(0.0, 1.0, 11), progress=False)
    output = capsys.readouterr()
    assert output.out == output.err == ""


def test_interruption_within_one_interval(monkeypatch):
    """A driver that asks for millions of steps between two instants can be stopped; the first instant is kept."""
    from cardan.analysis import progress

    calls = []

    def press_keys(self, done):
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "show", press_keys)
    with pytest.raises(Interrupted, match="interrupted") as stop:
        kinematics(slider_crank(0.2, 0.5, 0.0, Ramp(1e7)), [0.0, 1.0])
    assert len(stop.value.partial) == 1 and 0.0 < stop.value.time < 1.0


def test_span_far_longer_than_a_turn():
    """A thousand million radians between the instants are too many to follow, but the first step is not rejected."""
    run = kinematics(slider_crank(0.2, 0.5, 0.0, Ramp(1.0)), [0.0, 1e4])
    assert run.steps[1] > 5e3 and run["crank"].angle[1] == pytest.approx(1e4)
