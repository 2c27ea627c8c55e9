"""Free motions, there and back: as many as there are degrees of freedom, every position closed."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, mobility
from cardan.analysis.drag.wiggle import wiggles
from cardan.examples import load
from cardan.planar import Body, Model, Revolute


def test_each_freedom_wiggles_with_joints_closed() -> None:
    model = Model("double pendulum")
    upper = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="upper")
    lower = model.add(Body(mass=1.0, inertia=0.1, position=(1.5, 0.0)), name="lower")
    model.add(Revolute(model.ground.at(), upper.at(-0.5, 0.0)), name="O")
    model.add(Revolute(upper.at(0.5, 0.0), lower.at(-0.5, 0.0)), name="A")
    report = mobility(model)
    found = wiggles(report)
    assert len(found) == report.degrees_of_freedom == 2
    for wiggle in found:
        assert max(position.violation for position in wiggle.positions) < 1e-9
        first, last = wiggle.positions[0].q, wiggle.positions[-1].q
        assert last == pytest.approx(first, abs=0.0)
        assert max(np.abs(position.q - first).max() for position in wiggle.positions) > 0.1  # of a length of about one


def test_drivers_hold_unless_they_let_go() -> None:
    report = mobility(load("four-bar").build())
    assert wiggles(report) == []
    assert len(wiggles(report, drivers=False)) == report.degrees_of_freedom == 1


def test_mobility_without_a_position_is_rejected() -> None:
    from dataclasses import replace

    report = replace(mobility(load("four-bar").build()), position=None)
    with pytest.raises(ModelError, match="this mobility report has no position"):
        wiggles(report)
