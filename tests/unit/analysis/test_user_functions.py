"""Functions of users: what they raise is chained, what they remember begins afresh."""

import traceback

import numpy as np
import pytest

from cardan import CardanWarning, SimulationError, inverse_dynamics, kinematics, simulate
from cardan.planar import (
    PID,
    Action,
    Actuator,
    Body,
    Driver,
    Function,
    Lag,
    Model,
    Ramp,
    Sampled,
    Translational,
    angle,
    constraint,
    rate,
    x,
    y,
)


def sled():
    model = Model("sled")
    mass = model.add(Body(mass=2.0, inertia=1.0), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    return model, guide.travel


def lines_of(error):
    """The source lines of the exception behind an error."""
    assert error.__cause__ is not None
    return "".join(traceback.format_exception(error.__cause__))


def misspelled(position, speed):
    return -3.0 * positon  # noqa: F821


def of_a_table(position, speed):
    return {"left": 1.0}["right"]


def out_of_range(z):
    if z > 0.5:
        raise ValueError("beyond the table")
    return 1.0


@pytest.mark.parametrize(
    ("law", "kind", "line"), [(misspelled, NameError, "positon"), (of_a_table, KeyError, '["right"]')]
)
def test_a_controller_that_raises_shows_its_line(law, kind, line):
    model, travel = sled()
    computer = model.add(Sampled(law, [travel, rate(travel)], period=0.01, compiled=False), name="computer")
    model.add(Actuator(travel, computer), name="drive")
    with pytest.raises(SimulationError, match=kind.__name__) as stop:
        simulate(model, 1.0)
    assert isinstance(stop.value.__cause__, kind) and line in lines_of(stop.value)
    assert "correct it there" in str(stop.value) and "finite" not in str(stop.value)


def test_a_force_that_raises_shows_its_line():
    model, travel = sled()
    model.add(Action(travel, out_of_range), name="push")
    with pytest.raises(SimulationError, match="make it finite there, or end the run before with an event") as stop:
        simulate(model, 10.0)
    assert 'raise ValueError("beyond the table")' in lines_of(stop.value)


def test_a_constraint_that_raises_shows_its_line():
    model = Model("bench")
    body = model.add(Body(mass=1.0, inertia=1.0), name="b")

    @constraint
    def line(u, w):
        if u > 0.5:
            raise ValueError("end of the rail")
        return w

    model.add(line(x(body.at()), y(body.at())), name="rail")
    model.add(Driver(x(body.at()), Ramp(1.0)), name="drive")
    model.add(Driver(angle(model.ground.at(), body.at()), Ramp(0.0)), name="hold")
    with pytest.raises(SimulationError, match="end of the rail") as stop:
        kinematics(model, np.linspace(0.0, 1.0, 11))
    assert "end of the rail" in lines_of(stop.value)


def test_a_motion_that_raises_shows_its_line():
    def course(t):
        if t > 0.5:
            raise ValueError("no plan beyond")
        return 2.0 * t

    with pytest.raises(SimulationError, match="no plan beyond") as stop:
        Function(course)(0.7)
    assert 'raise ValueError("no plan beyond")' in lines_of(stop.value)


class Integrating:
    """A controller with a memory of its own."""

    def __init__(self):
        self.total = 0.0

    def __call__(self, position, speed):
        self.total += 0.01 * (0.3 - position)
        return 40.0 * (0.3 - position) - 12.0 * speed + 20.0 * self.total


class Resetting(Integrating):
    def reset(self):
        self.total = 0.0


def controlled(law):
    model, travel = sled()
    computer = model.add(Sampled(law, [travel, rate(travel)], period=0.01), name="computer")
    model.add(Actuator(travel, computer), name="drive")
    return model, travel


def test_a_second_run_begins_afresh():
    model, travel = controlled(Resetting())
    first, second = (simulate(model, 1.0, output=0.1)[travel].value for _ in range(2))
    assert np.array_equal(first, second)


def test_a_method_begins_afresh_by_its_object():
    model, travel = controlled(Resetting().__call__)
    first, second = (simulate(model, 1.0, output=0.1)[travel].value for _ in range(2))
    assert np.array_equal(first, second)


def test_what_cannot_begin_afresh_is_told():
    model, travel = controlled(Integrating())
    first = simulate(model, 1.0, output=0.1)[travel].value
    with pytest.warns(CardanWarning, match="'computer' keeps internal state of an earlier run, 'total'"):
        second = simulate(model, 1.0, output=0.1)[travel].value
    assert not np.array_equal(first, second)


def test_from_a_checkpoint_memory_is_kept():
    law = Resetting()
    model, travel = controlled(law)
    whole = simulate(model, 1.0, output=0.1)[travel].value
    half = simulate(model, 0.5, output=0.1)
    rest = simulate(model, 1.0, output=0.1, start=half.checkpoint)
    assert rest[travel].value[-1] == pytest.approx(whole[-1], abs=1e-9)


def test_an_instant_knows_the_outputs_of_devices():
    model, travel = sled()
    pid = model.add(PID(travel, 0.3, kp=40.0, ki=10.0, kd=12.0), name="pid")
    drive = model.add(Actuator(travel, pid), name="drive")
    run = simulate(model, 1.0, output=0.1)
    assert run.at(0.5)[pid].value == pytest.approx(run[pid].value[5], abs=1e-12)
    between = run.at(0.55)
    expected = 40.0 * (0.3 - between[travel].value) + between[pid]["i"] - 12.0 * between[travel].rate
    assert between[pid]["u"] == pytest.approx(expected, rel=1e-9)
    assert abs(between[drive].force) == pytest.approx(abs(expected), rel=1e-9)


@pytest.mark.parametrize("sampled", [False, True])
def test_inverse_dynamics_tells_what_it_does_not_follow(sampled):
    model, travel = sled()
    if sampled:
        law = model.add(Sampled(lambda p: -5.0 * p, [travel], period=0.1), name="law")
    else:
        law = model.add(Lag(travel, 0.5), name="law")
    model.add(Actuator(travel, law), name="drive")
    model.add(Driver(travel, Ramp(1.0)), name="motor")
    with pytest.warns(CardanWarning, match="does not integrate states.*'law'"):
        inverse_dynamics(model, [0.0, 1.0])
