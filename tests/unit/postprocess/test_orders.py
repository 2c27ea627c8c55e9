"""run.orders(): harmonics of a shaft whose speed changes are single lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.planar import Body, Driver, Function, Model, Polynomial, Revolute, Translational


def _run_up(count: int = 8001, motion: Any = None) -> Any:
    """A shaft that speeds up from 20 to 80 rad/s, and a table shaken 3 and 7.5 times per turn."""
    model = Model("shaker")
    shaft = model.add(Body(), name="shaft")
    table = model.add(Body(), name="table")
    bearing = model.add(Revolute(model.ground.at(), shaft.at()), name="bearing")
    rail = model.add(Translational(model.ground.at(), table.at()), name="rail")
    model.add(Driver(bearing.angle, motion or Polynomial(0.3, 20, 15)), name="run-up")

    def shake(t: float) -> float:
        turn = 20 * t + 15 * t**2
        return 0.1 + 0.02 * math.sin(3 * turn) + 0.004 * math.cos(7.5 * turn)

    model.add(Driver(rail.travel, Function(shake)), name="shake")
    return kinematics(model, np.linspace(0.0, 2.0, count), progress=False)


def test_orders_have_their_amplitudes_whatever_the_speed_does() -> None:
    """100 rad are 15 whole turns; blocks of 4 turns, and a half integer order is a line of them. Splines: 1e-5."""
    found = _run_up().orders("table.x", "shaft.angle", turns=4, window="boxcar")
    assert len(found.times) == 6  # from 0, 2, ... 10 of 15.9 turns, each 4 turns long
    assert found.orders[1] == 0.25
    assert found.amplitude(3) == pytest.approx(0.02, rel=1e-4)
    assert found.amplitude(7.5) == pytest.approx(0.004, rel=1e-3)
    others = np.delete(found.amplitudes, [0, 12, 30], axis=1)
    assert others.max() < 2e-6
    assert found.peak == 3.0
    ends = [(-20 + math.sqrt(400 + 60 * 2 * math.pi * n)) / 30 for n in (0, 4)]  # 20 t + 15 t^2 = 2 pi n
    assert found.times[0] == pytest.approx(sum(ends) / 2, rel=1e-6)
    assert found.speeds[0] == pytest.approx(8 * math.pi / ends[1], rel=1e-6)
    hann = _run_up().orders("table.x", "shaft.angle", turns=4)
    assert hann.amplitude(3) == pytest.approx(0.02, rel=1e-3)


def test_the_highest_order_is_that_of_the_fastest_turn() -> None:
    """At 80 rad/s and 8000 intervals in 2 s a step is 0.02 rad: orders to pi / 0.02."""
    found = _run_up().orders("table.x", "shaft.angle")
    assert found.orders[-1] == pytest.approx(math.pi / 0.02, rel=1e-2)


def test_wrong_input_is_rejected() -> None:
    run = _run_up(801)
    with pytest.raises(ModelError, match="must be a column in rad"):
        run.orders("table.x", "table.x")
    with pytest.raises(ModelError, match="no column"):
        run.orders("table.x", "shaft.angel")
    with pytest.raises(ModelError, match="a block needs 40"):
        run.orders("table.x", "shaft.angle", turns=40)
    with pytest.raises(ModelError, match="not a window"):
        run.orders("table.x", "shaft.angle", window="round")
    with pytest.raises(ModelError, match="range from 0"):
        run.orders("table.x", "shaft.angle").amplitude(1e6)
    with pytest.raises(ModelError, match="stops or reverses near t = 1"):
        _run_up(801, Polynomial(0.0, 20.0, -10.0)).orders("table.x", "shaft.angle")
    with pytest.raises(ModelError, match="every half turn"):
        _run_up(17).orders("table.x", "shaft.angle")
