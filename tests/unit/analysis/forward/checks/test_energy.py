"""Whether the energy of a run adds up, and what is said where it does not."""

import math
import warnings

import pytest

import cardan.planar as plane
from cardan import HHT, Dop853, EnergyWarning, Event, simulate
from cardan.analysis.forward.checks.energy import check_energy
from cardan.analysis.forward.state import Settings
from cardan.integrators.scheme import SCHEMES


def pendulum():
    model = plane.Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(plane.Body(1.0, 0.1, position=(1.0, 0.0)), name="bob")
    pin = model.add(plane.Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    return model, bob, pin


def test_nothing_is_said_of_a_run_that_adds_up():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert simulate(pendulum()[0], 2.0).energy.drift < 1e-7


def test_fixed_steps_are_compared_with_their_order():
    """Steps of 0.05 s lose 2 % of the energy of a fast pendulum; steps of 0.01 s lose what their order allows."""
    with pytest.warns(EnergyWarning, match=r"steps of 0.05 s and order 2 allow"):
        simulate(pendulum()[0], 2.0, method=HHT(step=0.05))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = simulate(pendulum()[0], 2.0, method=HHT(step=0.01))
    assert run.energy.drift > 1e-5


def judged(run):
    """A run of large fixed steps, decided as if the tolerance of its account had controlled them."""
    check_energy(run, SCHEMES["dop853"], Settings(Dop853(), run.stats.rtol))


def test_the_body_is_named():
    with pytest.warns(EnergyWarning, match=r"'pendulum' does not add up .* between t = .*, where 'bob' changes"):
        judged(simulate(pendulum()[0], 2.0, method=HHT(step=0.05)))


def test_the_force_with_the_greatest_work_is_named():
    model, _, pin = pendulum()
    model.add(plane.Spring(pin.angle, law=lambda angle, rate: 20.0 * math.sin(5.0 * angle)), name="rubber")
    with pytest.warns(EnergyWarning, match=r"where Spring 'rubber' does most work: .* 'radau', or a smaller rtol"):
        judged(simulate(model, 2.0, method=HHT(step=0.02)))


def test_the_event_is_named():
    model, _, pin = pendulum()
    passes = Event(pin.angle, -0.5, "falling", action=lambda now: None, name="half")
    run = simulate(model, 0.6, output=[0.0, 0.6], method=HHT(step=0.05), events=[passes])
    with pytest.warns(EnergyWarning, match="where .*half.* took place"):
        judged(run)
