"""Steps end where inputs are not smooth: none passes over a short pulse, and jumps of accelerations cost little."""

import numpy as np
import pytest

from cardan import kinematics, simulate
from cardan.analysis.forward import stepping
from cardan.analysis.forward.stepping import breakpoints_of
from cardan.methods import Dop853, GeneralizedAlpha, Radau
from cardan.planar import (
    Actuator,
    Body,
    Driver,
    Dwell,
    Lag,
    Load,
    Model,
    MotionProgram,
    Move,
    Revolute,
    Spline,
    Step,
    Translational,
)
from cardan.system.compile import compile
from folding import folded

PULSE = Step(50.0, 50.05, 0.0, 1.0) - Step(50.05, 50.1, 0.0, 1.0)


def sled(force) -> Model:
    """A mass of 1 kg on a rail."""
    model = Model("sled")
    body = model.add(Body(mass=1.0, inertia=1.0), name="sled")
    rail = model.add(Translational(model.ground.at(), body.at()), name="rail")
    if isinstance(force, str):
        lag = model.add(Lag(PULSE, 1e-3), name="lag")
        model.add(Actuator(rail.travel, lag), name="push")
    else:
        model.add(Load(body.at(), (force, 0.0)), name="push")
    return model


@folded("method", [Dop853(), Radau(), GeneralizedAlpha()])
def test_a_short_pulse_is_not_missed(method):
    """Its momentum is its area, 0.05 N s: both flanks are symmetric. A run of 100 s that starts at rest."""
    run = simulate(sled(PULSE), 100.0, method=method, rtol=1e-6)
    assert abs(run["sled"].velocity[-1, 0]) == pytest.approx(0.05, abs=3e-5)  # rtol in each of about thirty steps


def test_a_pulse_read_by_a_device_is_not_missed():
    run = simulate(sled("by a lag"), 100.0)
    assert abs(run["sled"].velocity[-1, 0]) == pytest.approx(0.05, rel=1e-6)


def test_jumps_of_the_acceleration_cost_little(monkeypatch):
    """A driven crank with a free second link: fewer evaluations than with steps that have to find the jumps."""
    model = Model("m")
    crank = model.add(Body(mass=1.0, inertia=0.1), name="crank")
    hinge = model.add(Revolute(model.ground.at(), crank.at()), name="hinge")
    link = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="link")
    model.add(Revolute(crank.at(0.5, 0.0), link.at(-0.5, 0.0)), name="pin")
    moves = [Move(1.0, 0.3, "parabolic"), Dwell(0.1), Move(0.0, 0.3, "harmonic"), Dwell(0.1)]
    model.add(Driver(hinge.angle, MotionProgram(moves, repeat="periodic")), name="motor")
    run, exact = simulate(model, 2.0, rtol=1e-8), simulate(model, 2.0, rtol=1e-12)
    assert run["link"].angle[-1] == pytest.approx(exact["link"].angle[-1], abs=1e-7)  # rtol in each of some ten moves
    edges = np.concatenate([k * 0.8 + np.array([0.15, 0.3, 0.4, 0.7, 0.8]) for k in range(2)])
    for edge in edges:
        assert np.abs(run.times - edge).min() < 1e-13
    monkeypatch.setattr(stepping, "breakpoints_of", lambda system: np.zeros((0, 2)))
    blind = simulate(model, 2.0, rtol=1e-8)
    assert run.stats.evaluations < 0.5 * blind.stats.evaluations  # 1250 against 5100


def test_restarts_are_exact():
    """A run of two parts with an end at a breakpoint, and one between two, equals one run bit by bit."""
    whole = simulate(sled(Step(0.5, 1.0, 0.0, 3.0)), 2.0)
    for end in (0.3, 0.5, 0.7, 1.0):
        first = simulate(sled(Step(0.5, 1.0, 0.0, 3.0)), end)
        second = simulate(sled(Step(0.5, 1.0, 0.0, 3.0)), 2.0, start=first.checkpoint)
        np.testing.assert_array_equal(second["sled"].position[-1], whole["sled"].position[-1])


def test_which_times():
    model = sled(Spline((0.0, 0.5, 1.0, 1.5), (0.0, 1.0, -1.0, 0.0), end="periodic"))
    body = model["sled"]
    hinge = model.add(Body(mass=1.0, inertia=1.0), name="arm")
    pin = model.add(Revolute(body.at(), hinge.at()), name="pin")
    model.add(Driver(pin.angle, 0.5 * Step(0.2, 0.4)), name="motor")
    found = breakpoints_of(compile(model, forces=True))
    assert found.tolist() == [[0.0, 1.5], [0.2, np.inf], [0.4, np.inf], [0.5, 1.5], [1.0, 1.5], [1.5, 1.5]]


def test_fixed_steps_stay_fixed():
    run = simulate(sled(Step(0.05, 0.15)), 0.4, method=GeneralizedAlpha(step=0.04))
    np.testing.assert_allclose(np.diff(run.times), 0.04, rtol=1e-9)


def test_kinematics_is_unaffected():
    model = Model("m")
    body = model.add(Body(), name="b")
    rail = model.add(Translational(model.ground.at(), body.at()), name="rail")
    model.add(Driver(rail.travel, PULSE), name="drive")
    run = kinematics(model, [0.0, 50.05, 100.0])
    assert run["b"].position[1, 0] == pytest.approx(1.0)
