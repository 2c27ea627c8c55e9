"""Bearings: an unbalanced wheel has a load that is known in every frame."""

import math

import numpy as np
import pytest

from cardan import ModelError, inverse_dynamics
from cardan.planar import Body, Driver, Model, Ramp, Revolute

M, E, W, G = 2.0, 0.05, 20.0, 9.81
TURN = 2.0 * math.pi / W


@pytest.fixture(scope="module")
def wheel():
    """Mass M at E from a hinge, turned at W, under gravity, over two whole turns."""
    model = Model("wheel", gravity=(0.0, -G))
    disk = model.add(Body(mass=M, inertia=0.01, center=(E, 0.0)), name="disk")
    hinge = model.add(Revolute(model.ground.at(), disk.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(W)), name="motor")
    return inverse_dynamics(model, np.linspace(0.0, 2.0 * TURN, 721))


def test_largest_mean_and_rms(wheel):
    """F = M (g j - E W^2 e): F^2 = c^2 + d^2 - 2 c d sin(W t), c = M E W^2, d = M g. Over whole turns the trapezoidal
    rule is exact for F^2; the mean of F is an elliptic integral, here by quadrature."""
    from scipy.integrate import quad

    found = wheel.bearings()["hinge"]
    c, d = M * E * W**2, M * G
    assert found.rms == pytest.approx(math.hypot(c, d), rel=1e-10)
    assert found.largest == pytest.approx(c + d, rel=1e-9)
    assert found.time == pytest.approx(0.75 * TURN)  # the mass is below
    mean = quad(lambda a: math.sqrt(c * c + d * d - 2.0 * c * d * math.sin(a)), 0.0, 2.0 * math.pi)[0] / (2.0 * math.pi)
    assert found.mean == pytest.approx(mean, rel=1e-9)
    assert found.largest_torque == pytest.approx(0.0, abs=1e-9)
    assert found.unique


def test_frames_of_the_load_diagram(wheel):
    """The pin stands still: gravity is constant there. The journal turns with the wheel: inertia is constant there."""
    found = wheel.bearings("hinge")["hinge"]
    c, d, a = M * E * W**2, M * G, W * wheel.times
    assert found.load("pin") == pytest.approx(np.stack([-c * np.cos(a), d - c * np.sin(a)], axis=1), abs=1e-8)
    journal = np.stack([-c + d * np.sin(a), d * np.cos(a)], axis=1)
    assert found.load("journal") == pytest.approx(journal, abs=1e-8)
    assert found.load("world") == pytest.approx(found.load("pin"), abs=1e-12)


def test_bearings_are_listed(wheel):
    assert [bearing.name for bearing in wheel.bearings()] == ["hinge"]
    assert "rms [N]" in repr(wheel.bearings())
    with pytest.raises(ModelError, match="must be 'pin', 'journal' or 'world'"):
        wheel.bearings()["hinge"].load("moon")
    with pytest.raises(ModelError, match="a bearing is a joint"):
        wheel.bearings("motor")
    with pytest.raises(ModelError, match="'x' is not a bearing of this result; the bearings are: hinge"):
        wheel.bearings()["x"]


def test_redundant_joints_are_not_unique():
    """A door on two hinges in one line: how they share the load is left open."""
    model = Model("board", gravity=(0.0, -G))
    board = model.add(Body(mass=1.0, inertia=0.1), name="board")
    for k, x in enumerate((-0.5, 0.5)):
        model.add(Revolute(model.ground.at(x, 0.0), board.at(x, 0.0)), name=f"pin {k}")
    found = inverse_dynamics(model, [0.0]).bearings()
    assert [bearing.unique for bearing in found] == [False, False]
    assert "not unique" in repr(found)
