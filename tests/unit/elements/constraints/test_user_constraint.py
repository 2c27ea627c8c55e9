"""The user's own constraint: where its arguments come from, and its equation in the compiled loop."""

import math

import numpy as np
import pytest

from cardan import assemble, kinematics
from cardan.planar import Body, Hold, Model, angle, constraint, x, y

GAIN = 2.0


def halved(value):
    return 0.5 * value


@constraint
def parabola(px, py, c=1.5):
    """A wire."""
    return py - c * px * px


@constraint
def with_helper(px, t):
    return px - halved(GAIN * t)


@constraint
def branching(px, t):
    if t < 0.5:
        return px - t
    return px - 0.5 - (t - 0.5) - (t - 0.5) ** 3


@constraint
def time_first(t, px, py):
    return px - py - t


@constraint
def time_between(px, t, py, c=2.0):
    return c * px - py - math.sin(t)


@pytest.fixture
def bead():
    model = Model("bead")
    body = model.add(Body(position=(0.3, 0.2)), name="bead")
    model.add(Hold(angle(model.ground.at(), body.at()), 0.0), name="upright")
    return model, body


def test_parameters_and_their_defaults(bead):
    _, body = bead
    element = parabola(x(body.at()), y(body.at()))
    assert dict(element.parameters) == {"c": 1.5}
    assert dict(parabola(x(body.at()), py=y(body.at()), c=4).parameters) == {"c": 4.0}
    assert parabola.__doc__ == "A wire." and parabola.measures == ["px", "py"]


def test_one_function_with_two_settings(bead):
    """The same compiled code with other parameters: y = 2 x^2 and y + 0.5 = 4 x^2 meet at x = 0.5."""
    model, body = bead
    model.add(parabola(x(body.at()), y(body.at()), c=2.0), name="one")
    model.add(parabola(x(body.at()), y(body.at(0.0, 0.5)), c=4.0), name="two")
    found = assemble(model)[body].position
    # 2 x^2 = 4 x^2 - 0.5
    assert found == pytest.approx((0.5, 0.5), abs=1e-9)


@pytest.mark.parametrize(
    ("own", "exact"),
    [
        (lambda px, py: with_helper(px), lambda t: t),
        (lambda px, py: branching(px), lambda t: np.where(t < 0.5, t, t + np.clip(t - 0.5, 0.0, None) ** 3)),
        (lambda px, py: time_first(px, py), lambda t: 0.2 + t),
        (lambda px, py: time_between(px, py), lambda t: 0.5 * (0.2 + np.sin(t))),
        (lambda px, py: time_between(py=py, px=px, c=4.0), lambda t: 0.25 * (0.2 + np.sin(t))),
    ],
    ids=["helper and constant", "branch", "time first", "time between", "by name"],
)
def test_moves_as_its_equation_says(bead, own, exact):
    model, body = bead
    model.add(Hold(y(body.at()), 0.2), name="height")
    model.add(own(x(body.at()), y(body.at())), name="own")
    times = np.linspace(0.0, 1.0, 41)
    run = kinematics(model, times)
    assert np.abs(run[body].position[:, 0] - exact(times)).max() < 1e-10


def test_acceleration_of_a_curve_with_parameter(bead):
    """On y = c x^2 with x = t: y'' = 2 c."""
    model, body = bead
    model.add(parabola(x(body.at()), y(body.at()), c=2.5), name="wire")
    model.add(with_helper(x(body.at())), name="clock")
    run = kinematics(model, np.linspace(0.0, 1.0, 11))
    assert run[body].acceleration[:, 1] == pytest.approx(5.0, abs=1e-9)
    assert run[body].velocity[:, 1] == pytest.approx(5.0 * run.times, abs=1e-9)
