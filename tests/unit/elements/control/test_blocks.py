"""Blocks of control against scipy's responses and closed forms, and what they reject."""

import math

import numpy as np
import pytest
from scipy import signal

import cardan.planar
import cardan.spatial
from cardan import ModelError, simulate
from cardan.planar import (
    PID,
    Actuator,
    Body,
    Driver,
    Harmonic,
    Integrator,
    Lag,
    LookupTable,
    Model,
    Ramp,
    Revolute,
    Saturation,
    Sensor,
    Spline,
    StateSpace,
    Sum,
    TransferFunction,
    Translational,
    rate,
    reaction,
    time,
)
from folding import folded

RTOL = 1e-10
NEAR = 1e-8  # 100 rtol: states of the order of one, over some seconds


class Sled:
    """A sled of 2 kg on a rail, on which a motion can be forced; `run()` moves it for two seconds."""

    def __init__(self, motion=None):
        self.model = Model("sled")
        self.sled = self.model.add(Body(mass=2.0, inertia=1.0), name="sled")
        self.rail = self.model.add(Translational(self.model.ground.at(), self.sled.at()), name="rail")
        if motion is not None:
            self.driver = self.model.add(Driver(self.rail.travel, motion), name="driver")

    def run(self, *blocks, until=2.0, **options):
        for block in blocks:
            self.model.add(block)
        return simulate(self.model, until, output=0.05, rtol=RTOL, **options)


SYSTEMS = {
    "second order": ([3.0], [1.0, 2.0, 5.0]),
    "with a zero": ([2.0, 1.0], [0.5, 3.0, 4.0, 7.0]),
    "notch, not strictly proper": ([1.0, 0.0, 400.0], [1.0, 20.0, 400.0]),
    "fast and slow": ([1e4], np.polymul([1.0, 100.0], [1.0, 2.0, 100.0])),
    "gain alone": ([6.0], [3.0]),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_transfer_function_answers_a_step_as_scipy_says(name):
    num, den = SYSTEMS[name]
    sled = Sled()
    block = TransferFunction(1.0, num, den)
    run = sled.run(block)
    if len(den) == 1:
        expected = np.full(run.times.size, num[0] / den[0])
    else:
        _, expected = signal.step(signal.StateSpace(*signal.tf2ss(num, den)), T=run.times)
    assert np.abs(run[block].value - expected).max() < NEAR * max(1.0, np.abs(expected).max())


def test_states_of_a_transfer_function_have_the_size_of_its_input():
    """Poles at 1e3 1/s would give canonical states of 1e-9 and 1e-6."""
    sled = Sled()
    block = TransferFunction(1.0, [1e9], np.polymul([1.0, 1e3], [1.0, 1e3, 1e6]))
    run = sled.run(block, until=0.1)
    assert [round(float(run[block][f"x{k}"][-1]), 6) for k in (1, 2, 3)] == pytest.approx([8.0, 0.0, 0.0], abs=1e-5)


def test_a_state_space_with_two_inputs_and_outputs():
    A, B = [[0.0, 1.0], [-4.0, -0.4]], [[0.0, 1.0], [2.0, 0.0]]
    C, D = [[1.0, 0.0], [0.5, 1.0]], [[0.0, 0.1], [0.0, 0.0]]
    sled = Sled(Ramp(0.3))
    block = StateSpace([sled.rail.travel, 1.0], A, B, C, D, start=[0.2, -0.1])
    run = sled.run(block)
    inputs = np.stack([0.3 * run.times, np.ones(run.times.size)], axis=1)
    _, expected, _ = signal.lsim((A, B, C, D), inputs, run.times, X0=[0.2, -0.1])  # exact for inputs that ramp
    assert np.abs(run[block]["y1"] - expected[:, 0]).max() < NEAR
    assert np.abs(run[block]["y2"] - expected[:, 1]).max() < NEAR


def test_a_lag_of_a_harmonic():
    """tau y' + y = sin(w t): y = (sin(w t) - w tau cos(w t) + w tau exp(-t/tau)) / (1 + w^2 tau^2)"""
    w, tau = 5.0, 0.2
    sled = Sled(Harmonic(1.0, w))
    lag = Lag(sled.rail.travel, tau)
    run = sled.run(lag)
    wt, x = w * run.times, w * tau
    expected = (np.sin(wt) - x * np.cos(wt) + x * np.exp(-run.times / tau)) / (1.0 + x * x)
    assert np.abs(run[lag].value - expected).max() < NEAR


def test_an_integrator_stops_at_its_limit_and_comes_back():
    sled = Sled()
    free = Integrator(Harmonic(1.0, math.pi), gain=2.0, start=0.1)
    held = Integrator(Ramp(-2.0, start=1.0), limits=(-5.0, 0.2))  # t - t^2 rises to 1/4, and is cut at 0.2
    run = sled.run(free, held)
    assert np.abs(run[free].value - (0.1 + 2.0 / math.pi * (1.0 - np.cos(math.pi * run.times)))).max() < NEAR
    cut = 0.5 - math.sqrt(0.05)  # where t - t^2 = 0.2; it leads back from t = 1/2 on
    late = run.times >= 0.5
    t = run.times[late]
    assert np.abs(run[held].value[late] - (0.2 + 0.25 - (t - 0.5) ** 2 - 0.25)).max() < 1e-6
    between = (run.times > cut) & ~late
    assert np.abs(run[held].value[between] - 0.2).max() < 1e-12


def test_sums_limits_tables_and_sensors():
    sled = Sled(Harmonic(0.7, 3.0))
    travel = sled.rail.travel
    total = Sum([travel, rate(travel), time], gains=[2.0, -0.5, 1.0], offset=0.25)
    cut = Saturation(total, -0.1, 0.4)
    table = LookupTable(travel, Spline((-1.0, 0.0, 1.0), (1.0, 0.0, 3.0)))
    coarse = Sensor(travel, gain=10.0, offset=1.0, limits=(-3.0, 5.0), resolution=0.25)
    slow = Sensor(travel, time_constant=0.1, gain=2.0)
    run = sled.run(total, cut, table, coarse, slow)
    x, v = 0.7 * np.sin(3.0 * run.times), 2.1 * np.cos(3.0 * run.times)
    expected = 2.0 * x - 0.5 * v + run.times + 0.25
    assert np.abs(run[total].value - expected).max() < 1e-12
    assert np.abs(run[cut].value - np.clip(expected, -0.1, 0.4)).max() < 1e-12
    assert np.abs(run[table].value - Spline((-1.0, 0.0, 1.0), (1.0, 0.0, 3.0))(x)).max() < 1e-12
    steps = run[coarse].value / 0.25
    assert np.abs(steps - steps.round()).max() < 1e-12
    assert np.abs(run[coarse].value - np.clip(10.0 * x + 1.0, -3.0, 5.0)).max() <= 0.125 + 1e-12
    ratio = 3.0 * 0.1
    lagging = (np.sin(3 * run.times) - ratio * np.cos(3 * run.times) + ratio * np.exp(-run.times / 0.1)) * 0.7
    assert np.abs(run[slow].value - 2.0 * lagging / (1.0 + ratio**2)).max() < NEAR


def test_a_reaction_is_a_signal():
    """The force that a driver needs, m a, and what a pin carries, as results show them."""
    sled = Sled(Harmonic(0.7, 3.0))
    force = Sum([reaction(sled.driver, sled.driver.equations()[0].label)])
    run = sled.run(force)
    assert np.abs(run[force].value + 2.0 * 0.7 * 9.0 * np.sin(3.0 * run.times)).max() < 1e-9
    model = Model("pendulum", gravity=(0, -9.81))
    bob = model.add(Body(mass=1.5, inertia=0.1, position=(1.0, 0.0)), name="bob")
    pin = model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    labels = [equation.label for equation in pin.equations()]
    blocks = [model.add(Sum([reaction(pin, label)])) for label in labels]
    run = simulate(model, 1.0, output=0.1)
    found = np.stack([run[block].value for block in blocks], axis=1)
    assert np.abs(found - run[pin].force).max() < 1e-9 * np.abs(found).max()


def test_an_actuator_takes_any_signal():
    """2 kg pushed by 3 t N: x = t^3 / 4; and one that is a spring, by a measure as signal: x = cos(t / sqrt 2)."""
    sled = Sled()
    run = sled.run(Actuator(sled.rail.travel, Ramp(3.0)))
    assert np.abs(run[sled.rail.travel].value - run.times**3 / 4.0).max() < NEAR
    sled = Sled()
    sled.model.add(Actuator(sled.rail.travel, Ramp(-1.0, 0.0)), name="ramp")
    run = sled.run(Actuator(sled.rail.travel, Sum([sled.rail.travel], gains=[-2.0])))
    assert np.abs(run[sled.rail.travel].value - 0.5 * (np.sin(run.times) - run.times)).max() < NEAR


BAD = {
    "proper": (lambda s: TransferFunction(s, [1, 0, 0], [1, 1]), "proper"),
    "empty den": (lambda s: TransferFunction(s, [1], [0, 0]), "nonzero"),
    "letters": (lambda s: TransferFunction(s, "ab", [1, 1]), "num of a TransferFunction"),
    "time constant": (lambda s: Lag(s, 0.0), "time constant of a Lag must be positive, got 0"),
    "shape": (lambda s: StateSpace(s, [[0, 1], [1, 0]], [[1]], [[1, 0]]), "B of a StateSpace must have 2 rows and 1"),
    "limits": (lambda s: Saturation(s, 2.0, 1.0), "must increase, got 2 and 1"),
    "table": (lambda s: LookupTable(s, 3.0), "the curve of a LookupTable must be a Motion"),
    "curve of a curve": (lambda s: LookupTable(2.0, Ramp(1.0)), "not at a curve"),
    "gains": (lambda s: Sum([s, s], gains=[1.0]), "the gains of a Sum must be 2 numbers"),
    "input": (lambda s: Lag("travel", 1.0), "the input of a Lag must be a measure, rate"),
    "derivative": (lambda s: PID(time, 0.0, 1.0, kd=1.0), "needs tau"),
    "tracking": (lambda s: PID(s, 0.0, 0.0, ki=1.0, limits=(-1, 1)), "needs tracking"),
    "resolution": (lambda s: Sensor(s, resolution=-1.0), "resolution of a Sensor must not be negative, got -1"),
    "actuator": (lambda s: Actuator(3.0, s), "the measure of an Actuator must be a measure"),
    "rate": (lambda s: rate(3.0), "the argument of rate"),
}


@folded("name", BAD)
def test_wrong_numbers_are_rejected_by_name(name):
    build, words = BAD[name]
    with pytest.raises(ModelError, match=words):
        build(Sled().rail.travel)


def test_a_reaction_of_an_unknown_equation_is_rejected():
    sled = Sled(Ramp(1.0))
    with pytest.raises(ModelError, match="has no equation called 'up'; it has: '"):
        reaction(sled.driver, "up")


def test_an_algebraic_loop_is_rejected_by_name():
    sled = Sled()
    first = Sum([sled.rail.travel])
    second = Sum([first])
    object.__setattr__(first.device, "inputs", (second.output,))
    sled.model.add(second, name="second")
    with pytest.raises(ModelError, match="algebraic loop: device 'Sum' reads device 'Sum'"):
        simulate(sled.model, 1.0)


def test_control_in_space_is_that_of_the_plane():
    """A spatial sled, a PID, and a computer that reads it: the same numbers as in the plane."""
    found = []
    for space in (cardan.planar, cardan.spatial):
        model = space.Model("sled")
        inertia = 1.0 if space is cardan.planar else (1.0, 1.0, 1.0)
        body = model.add(space.Body(mass=2.0, inertia=inertia), name="body")
        if space is cardan.planar:
            rail = model.add(space.Translational(model.ground.at(), body.at()), name="rail")
        else:
            rail = model.add(space.Translational.between(model.ground, body, at=(0, 0, 0), z=(1, 0, 0)), name="rail")
        pid = model.add(space.PID(rail.travel, 1.0, 50.0, 30.0, 10.0, limits=(-20.0, 20.0)), name="pid")
        half = model.add(space.Sampled(lambda u: 0.5 * u, [pid], period=0.03), name="half")
        model.add(space.Actuator(rail.travel, pid), name="drive")
        model.add(space.Actuator(rail.travel, half), name="second")
        run = simulate(model, 1.0, output=0.05, rtol=RTOL)
        found.append(np.stack([run[rail.travel].value, run[pid].value, run[half].value]))
    assert np.abs(found[0] - found[1]).max() < 1e-7


def test_controlled_sled_lifted_to_space_moves_alike():
    sled = Sled()
    pid = sled.model.add(PID(sled.rail.travel, 1.0, 50.0, kd=8.0), name="pid")
    sled.model.add(Actuator(sled.rail.travel, pid), name="drive")
    lifted = cardan.spatial.lift(sled.model)
    flat, run = (simulate(model, 1.0, output=0.1, rtol=RTOL) for model in (sled.model, lifted))
    assert run["sled"].position[:, 0] == pytest.approx(flat["sled"].position[:, 0], abs=NEAR)
    assert run[lifted["pid"]].value == pytest.approx(flat[pid].value, abs=50.0 * NEAR)


def test_signals_add_up_and_scale():
    """2 u - (v + w) of three numbers that change, and a block in its place."""
    sled = Sled(Harmonic(0.3, 4.0))
    travel, lag = sled.rail.travel, Lag(time, 0.5)
    both = Sum([2.0 * rate(travel) - (time + lag), -lag, lag * 3.0])
    run = sled.run(lag, both)
    slow = run[lag].value
    expected = 2.0 * run[travel].rate - run.times - slow - slow + 3.0 * slow
    assert run[both].value == pytest.approx(expected, abs=NEAR)
    with pytest.raises(ModelError, match="a term added to a signal must be a signal"):
        time + "1"
    with pytest.raises(ModelError, match="the factor of a signal must be a number"):
        time * "2"
