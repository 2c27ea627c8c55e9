"""Equations on velocities in the tables: what a motion and an offset mean there, and what they never touch."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cardan import ModelError, assemble, mobility
from cardan.analysis.driven.kinematics import reject_contradictions
from cardan.model.element import Constraint, Equation
from cardan.planar import Body, Harmonic, Hold, Model, Ramp, bearing, length
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate, factorize
from still import jacobian


@dataclass(frozen=True, eq=False)
class Winch(Constraint):
    """A measure whose rate is 0.2 plus a motion."""

    measure: Any
    motion: Any

    def equations(self):
        return (Equation("rate", self.measure.parts(), offset=0.2, motion=self.motion, velocity=True),)


def rope(motion=None):
    model = Model("rope")
    load = model.add(Body(position=(3.0, 4.0), velocity=(0.5, -0.2)), name="load")
    measure = length(model.ground.at(), load.at())
    model.add(Winch(measure, motion or Harmonic(0.7, 2.0)), name="winch")
    return model, load, measure


def test_motion_is_the_rate():
    """l' = 0.2 + 0.7 sin 2t, and n . a = 1.4 cos 2t - bias, the bias of a length being (d'^2 - l'^2) / l."""
    model, _, _ = rope()
    system, t = compile(model), 0.3
    work = system.work()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), t, system.reference, work)
    rate = (3.0 * 0.5 - 4.0 * 0.2) / 5.0
    assert jacobian(system, work)[0] == pytest.approx([0.6, 0.8, 0.0])
    assert (work.phi[0], work.rate[0]) == (0.0, pytest.approx(rate))
    assert work.nu[0] == pytest.approx(0.2 + 0.7 * np.sin(2.0 * t))
    assert work.gamma[0] == pytest.approx(1.4 * np.cos(2.0 * t) - (0.29 - rate**2) / 5.0)


def test_set_aside_they_take_no_part():
    """Factorizing without the row clears its coefficients, and evaluating brings them back."""
    model, _, _ = rope()
    system = compile(model)
    work = system.work()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), 0.0, system.reference, work)
    assert factorize(system.rows, system.solver, system.weights, np.zeros(1, np.uint8), 0.0, work) == 0
    assert not work.coefficient.any()
    evaluate(system.geometry, system.rows, system.start, system.stated_speeds(), 0.0, system.reference, work)
    assert work.coefficient.all() and system.on_velocities.all()


def test_assembly_and_turns_do_not_ask_them():
    """The rate of a bearing says neither where it is nor on which turn; a hold beside it does."""
    model = Model("pointer")
    hand = model.add(Body(position=(1.0, 0.1)), name="hand")
    pointing = bearing(model.ground.at(), hand.at())
    model.add(Winch(pointing, Ramp(100.0)), name="winch")
    assert compile(model, time=1.0).reference[0] == pytest.approx(np.arctan2(0.1, 1.0))
    model.add(Hold(pointing, 2.0 * np.pi), name="hold")
    assert compile(model).reference[0] == pytest.approx(np.arctan2(0.1, 1.0) + 2.0 * np.pi)
    there = assemble(model)
    assert there[hand].position[1] == pytest.approx(0.0, abs=1e-11) and there.violation < 1e-11
    report = mobility(model)
    assert report.redundant == (("winch", "rate"),) and report.velocity_rank == 0
    ((name, _, gap),) = report.separating  # it asks for 0.2 + the value of the ramp where the hold asks for 0
    assert name == "winch" and gap == pytest.approx(0.2)


def test_two_rates_contradict_each_other_and_a_rate_is_no_value():
    model, _, measure = rope()
    times = np.linspace(0.0, 1.0, 11)
    model.add(Hold(measure, 5.0), name="held")
    reject_contradictions(model, times)
    model.add(Winch(measure, Ramp(1.0)), name="other")
    with pytest.raises(ModelError, match="'winch' and .*'other' contradict each other: .* m/s for length"):
        reject_contradictions(model, times)
