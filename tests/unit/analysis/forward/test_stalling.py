"""Steps that collapse: forces that jump stop a run by name, forces that are merely stiff do not."""

import math

import pytest

from cardan import CardanWarning, Event, SimulationError, simulate
from cardan.analysis.forward import stalling as crawling
from cardan.analysis.forward.stalling import JUMPING, MANY
from cardan.planar import Action, Body, Model, Revolute, Spring, Translational, x, y
from machines import stiff_oscillator


def rubbing(friction, speed=1.0):
    """A block on a spring of 1 N/m that friction of 2 N brings to rest for good at t = atan(1/2)."""
    model = Model("slide")
    block = model.add(Body(mass=1.0, inertia=1.0, velocity=(speed, 0.0)), name="block")
    model.add(Translational(model.ground.at(), block.at()), name="guide")
    model.add(Spring(x(block.at()), 1.0, rest_length=0.0), name="spring")
    model.add(Action(x(block.at()), friction), name="friction")
    return model


@pytest.mark.parametrize("method", ["auto", "dop853", "radau", "partition"])
def test_friction_as_the_sign_of_a_speed(method):
    """x'' = -x - 2 from x = 0 with 1 m/s: the block stops at atan(1/2), and steps collapse there at once."""
    model = rubbing(lambda z, rate: -2.0 if rate > 0.0 else 2.0)
    with pytest.raises(SimulationError, match="step (collapsed|became too small).*Action 'friction' jumps") as caught:
        simulate(model, 20.0, method=method)
    error = caught.value
    assert error.time == pytest.approx(math.atan(0.5), abs=1e-3) and error.elements[0] == "friction"
    assert error.partial.stopped is error and error.partial.times[-1] == pytest.approx(error.time, abs=1e-6)
    assert error.partial["block"].position[-1, 0] == pytest.approx(math.sqrt(5.0) - 2.0, abs=1e-6)
    assert error.partial.stats.steps < 4 * MANY


def test_from_the_start():
    """At rest from the beginning: the force jumps about zero speed, and nothing moves."""
    with pytest.raises(SimulationError, match="collapsed: Action 'friction' jumps back and forth between -2 and 2"):
        simulate(rubbing(lambda z, rate: -2.0 if rate > 0.0 else 2.0, speed=0.0), 20.0)


def test_jumps_that_are_passed():
    """A force that changes its sign with the position, 0.3 or -0.3 N: x = 0 is passed again and again."""
    model = Model("relay")
    block = model.add(Body(mass=1.0, inertia=1.0, velocity=(1.0, 0.0)), name="block")
    model.add(Action(x(block.at()), lambda z: -0.3 if z > 0.0 else 0.3), name="relay")
    run = simulate(model, 30.0, output=[30.0], rtol=1e-6)
    assert run.energy.drift < 1e-4


def test_stiff_forces_do_not_jump():
    """An explicit method crawls along a stiff spring, some 25 million steps to the end, and is not stopped for it."""
    model = stiff_oscillator(stiffness=1e12, damping=2e6)
    below = Event(y(model["bob"].at()), -0.01, "falling")
    run = simulate(model, 100.0, method="dop853", rtol=1e-7, output=[100.0], events=[below])
    assert run.stats.steps > 3 * MANY and run.times[-1] == run.events[0].time
    assert MANY * run.times[-1] / run.stats.steps < JUMPING * 100.0


def test_smooth_friction_runs_through():
    """The same friction, smooth within 0.1 mm/s: the block stops where it must."""
    run = simulate(rubbing(lambda z, rate: -2.0 * math.tanh(1e4 * rate)), 2.0, output=[2.0])
    assert run["block"].position[-1, 0] == pytest.approx(math.sqrt(5.0) - 2.0, abs=1e-3)


def test_pace_is_judged_by_processor_time(monkeypatch):
    """A run that would take too long is told of, and one that would take for ever is stopped, whatever its steps."""
    monkeypatch.setattr(crawling, "WHILE", 0.0)
    monkeypatch.setattr(crawling, "LONG", 0.0)
    model = Model("pendulum", gravity=(0.0, -9.81))
    bob = model.add(Body(1.0, 0.1, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    for coordinates in ("cartesian", "joint"):
        with pytest.warns(CardanWarning, match="h more: the run will take long; body 'bob' has the greatest accel"):
            simulate(model, 50.0, coordinates=coordinates)
    monkeypatch.setattr(crawling, "HOPELESS", 0.0)
    for coordinates in ("cartesian", "joint"):
        with pytest.raises(
            SimulationError, match="the run cannot finish: .* advanced by .*body 'bob'.* use method 'radau'"
        ) as stop:
            simulate(model, 50.0, coordinates=coordinates)
        assert stop.value.elements == ("bob",)
