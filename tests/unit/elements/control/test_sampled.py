"""Sampled controllers: exactly at their instants, held between, with memory, against the discrete-time solution."""

import numpy as np
import pytest
from scipy.linalg import expm

from cardan import Event, Interrupted, ModelError, SimulationError, simulate
from cardan.planar import Actuator, Body, Lag, Model, Sampled, Spring, Translational, rate, time

PERIOD, MASS = 0.02, 2.0
METHODS = ("auto", "dop853", "sampled", "rk3", "rk5", "radau", "partition", "generalized-alpha", "hht")


def law(x, v, i):
    e = 1.0 - x
    return 50.0 * e + i - 10.0 * v, i + 30.0 * e * 0.02


def sled(function=law, mass=MASS, spring=0.0, states=True, **options):
    model = Model("sled")
    body = model.add(Body(mass=mass, inertia=1.0), name="body")
    travel = model.add(Translational(model.ground.at(), body.at()), name="rail").travel
    options = {"period": PERIOD, "states": {"i": 0.0} if states else None} | options
    computer = model.add(Sampled(function, [travel, rate(travel)], **options), name="computer")
    model.add(Actuator(travel, computer), name="drive")
    if spring:
        model.add(Spring(travel, spring, 0.1 * spring, rest_length=0.0), name="spring")
    return model, travel, computer


def exact(times, spring=0.0, offset=0.0):
    """The law on a mass: between two instants the matrix exponential, at each of them the law."""
    A = np.array([[0.0, 1.0, 0.0], [-spring / MASS, -0.1 * spring / MASS, 1.0 / MASS], [0.0, 0.0, 0.0]])
    state, i, now, k, found = np.zeros(3), 0.0, 0.0, 0, []
    for t in times:
        while offset + k * PERIOD <= t + 1e-12:
            state = expm(A * (offset + k * PERIOD - now)) @ state
            now = offset + k * PERIOD
            state[2], i = law(state[0], state[1], i)
            k += 1
        found.append([*(expm(A * (t - now)) @ state), i])
    return np.array(found).T


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_the_discrete_time_solution_of_a_mass(method, compiled):
    """Between samples the force is constant, which every method integrates to rounding."""
    model, travel, computer = sled(compiled=compiled)
    run = simulate(model, 1.0, output=0.01, method=method)
    x, _, u, i = exact(run.times)
    assert np.abs(run[travel].value - x).max() < 1e-13
    assert np.abs(run[computer].value - u).max() < 1e-11
    assert np.abs(run[computer]["i"] - i).max() < 1e-12
    assert run[computer]["samples"][-1] == 51.0
    assert np.array_equal(run.table()["computer.i"], run[computer]["i"])
    assert run.energy.drift < 1e-12


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("method", ["auto", "dop853", "sampled", "rk5", "radau"])
def test_the_discrete_time_solution_with_a_spring(method, rtol):
    """A stiff spring with damping, 20 rad/s: within 100 rtol."""
    model, travel, _ = sled(spring=800.0)
    run = simulate(model, 2.0, output=0.013, method=method, rtol=rtol)
    assert np.abs(run[travel].value - exact(run.times, 800.0)[0]).max() < 100.0 * rtol


def test_an_offset_and_a_start_value():
    model, travel, computer = sled(offset=0.31, start=[4.0])
    run = simulate(model, 0.5, output=0.01)
    early = run.times < 0.31 - 1e-9
    assert np.abs(run[computer].value[early] - 4.0).max() == 0.0
    assert np.abs(run[travel].value[early] - run.times[early] ** 2).max() < 1e-12  # 4 N on 2 kg
    assert run[computer]["samples"][~early][0] == 1.0


def test_a_run_that_begins_late_misses_no_instant_of_its_own():
    model, travel, computer = sled()
    run = simulate(model, 1.0, output=0.1)
    again = simulate(model, 1.5, output=0.1, start=run.at(0.5))
    straight = simulate(model, 1.5, output=0.1)
    assert again[computer]["samples"][0] == 26.0
    assert abs(again[travel].value[-1] - straight[travel].value[-1]) < 1e-13


@pytest.mark.parametrize("method", ["auto", "dop853", "sampled", "radau"])
@pytest.mark.parametrize("stop", [1.0, 1.013])
def test_a_checkpoint_goes_on_to_the_last_digit(method, stop):
    model, travel, _ = sled(spring=800.0)
    until = simulate(model, stop, output=0.5, method=method)
    later = simulate(model, 2.0, output=[2.0], method=method, start=until.checkpoint)
    straight = simulate(model, 2.0, output=[2.0], method=method)
    assert later[travel].value[-1] == straight[travel].value[-1]


def test_any_instant_of_a_run_can_be_read():
    model, travel, computer = sled(spring=800.0)
    run = simulate(model, 1.0, output=0.25, rtol=1e-10)
    then = run.at(0.777)
    x, _, u, _ = exact([0.777], 800.0)
    assert abs(then[travel].value - x[0]) < 1e-8
    assert abs(then[computer].value - u[0]) < 1e-6


def test_an_object_with_a_memory_is_called_once_an_instant():
    class Counter:
        def __init__(self):
            self.times = []

        def __call__(self, x, v, t):
            self.times.append(t)
            return -float(len(self.times))

    counter = Counter()
    model = Model("sled")
    body = model.add(Body(mass=2.0, inertia=1.0), name="body")
    travel = model.add(Translational(model.ground.at(), body.at()), name="rail").travel
    clock = model.add(Sampled(counter, [travel, rate(travel), time], period=0.1), name="clock")
    model.add(Actuator(travel, clock), name="drive")
    run = simulate(model, 1.0, output=0.05)
    assert np.array_equal(counter.times, 0.1 * np.arange(11))
    assert np.array_equal(run[clock].value[::2], -np.arange(1.0, 12.0))
    assert np.array_equal(run[clock].value[1::2], -np.arange(1.0, 11.0))


def test_one_reads_what_those_before_it_have_given():
    """The second computer doubles the first, a third one runs at a third of the pace; a filter follows."""
    model, travel, computer = sled()
    second = model.add(Sampled(lambda u: 2.0 * u, [computer], period=PERIOD), name="second")
    third = model.add(Sampled(lambda u: u, [second["u"]], period=3 * PERIOD), name="third")
    smooth = model.add(Lag(third, 0.05), name="smooth")
    run = simulate(model, 1.0, output=PERIOD)
    u = exact(run.times)[2]
    assert np.abs(run[second].value - 2.0 * u).max() < 1e-10
    held = np.repeat(2.0 * u[::3], 3)[: u.size]
    assert np.abs(run[third].value - held).max() < 1e-10
    y = [0.0]
    for value in held[:-1]:
        y.append(value + (y[-1] - value) * np.exp(-PERIOD / 0.05))
    assert np.abs(run[smooth].value - y).max() < 1e-6  # of 100


def test_events_between_and_at_samples():
    model, travel, _ = sled()
    seen = []
    middle = Event(travel, 0.5, "rising", action=lambda snapshot: seen.append(snapshot.time))
    run = simulate(model, 1.0, output=0.1, events=[middle])
    free = simulate(model, 1.0, output=0.1)
    assert np.abs(run[travel].value - free[travel].value).max() < 1e-12
    assert len(seen) == 1 and abs(exact(seen)[0][0] - 0.5) < 1e-9


def test_one_that_raises_keeps_what_was_computed():
    calls = []

    def failing(x, v):
        calls.append(x)
        if len(calls) == 31:
            raise RuntimeError("sensor lost")
        return 50.0 * (1.0 - x) - 10.0 * v

    model, travel, _ = sled(failing, states=False)
    with pytest.raises(SimulationError, match=r"at t = 0\.6 s .*sampled 'computer'.*RuntimeError.*sensor lost") as stop:
        simulate(model, 2.0, output=0.1)
    assert stop.value.time == pytest.approx(0.6) and stop.value.elements == ("computer",)
    assert stop.value.partial.times[-1] == pytest.approx(0.5)
    assert len(calls) == 31


def test_ctrl_c_while_a_controller_runs():
    """It is raised within the controller, and ends the run as it would elsewhere: what was computed is kept."""
    calls = []

    def pressing(x, v):
        calls.append(x)
        if len(calls) == 31:
            raise KeyboardInterrupt
        return -x

    model, _, _ = sled(pressing, states=False)
    with pytest.raises(Interrupted, match=r"interrupted at t = 0\.6 s") as stop:
        simulate(model, 2.0, output=0.1)
    later = simulate(model, 2.0, output=0.1, start=stop.value.partial.checkpoint)
    assert later.times[-1] == 2.0 and len(calls) == 31 + 71  # the instant at 0.6 s is not lost


def test_auto_changes_to_steps_from_sample_to_sample_where_these_are_short():
    model, travel, _ = sled(spring=20.0, period=0.001, states=False, function=lambda x, v: -x)
    run = simulate(model, 2.0, output=0.1)
    assert any("dop853 to sampled because of samples" in note for note in run.stats.notes)
    assert run.stats.evaluations < 2.0 * run.stats.steps
    exactly = simulate(model, 2.0, output=0.1, method="dop853")
    assert np.abs(run[travel].value - exactly[travel].value).max() < 1e-8


def test_bad_input():
    model, travel, _ = sled()
    with pytest.raises(ModelError, match="the period of sampled 'law' must be positive, got 0"):
        Sampled(law, [travel, rate(travel)], states={"i": 0.0}, period=0.0)
    with pytest.raises(ModelError, match="Sampled needs period="):
        Sampled(law, [travel, rate(travel)], states={"i": 0.0})
    with pytest.raises(ModelError, match="cannot be called with 1 arguments"):
        Sampled(law, [travel], period=0.1)
    with pytest.raises(ModelError, match="start of sampled 'law' must be 1 numbers"):
        Sampled(law, [travel, rate(travel)], period=0.1, states={"i": 0.0}, start=[1.0, 2.0])
    with pytest.raises(ModelError, match="the name of an output of sampled 'computer' must be 'u', 'i' or 'samples'"):
        model["computer"]["w"]
    pytest.importorskip("sksundae")
    with pytest.raises(ModelError, match="'bdf' .* sampled controllers"):
        simulate(model, 1.0, method="bdf")
