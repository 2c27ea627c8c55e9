"""Devices: their signals, their states, what they read, and the forces that they exert."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from cardan import ModelError, SimulationError, inverse_dynamics, simulate
from cardan.model.device import Clock, Device, Held, Multiplier, Output, Rate, State, Value
from cardan.model.force import Force, Law
from cardan.planar import Body, Driver, Model, Ramp, Spring, Translational

KP, KI, KD, MASS, GOAL = 20.0, 10.0, 8.0, 2.0, 1.0


@dataclass(frozen=True, eq=False)
class Push(Force):
    """A force toward growing `measure` by a signal; `beside` are further devices."""

    measure: Any
    signal: Any
    beside: tuple[Device, ...] = ()

    def laws(self):
        return (Law(tuple((-c, m) for c, m in self.measure.parts()), signal=self.signal),)

    def devices(self):
        return self.beside


def pid(x, speed, integral, kp, ki, kd, goal):
    error = goal - x
    return kp * error + ki * integral - kd * speed, error


def sledge(mass=MASS, speed=0.0, gravity=0.0):
    model = Model("sledge", gravity=(0.0, -gravity))
    body = model.add(Body(mass=mass, inertia=1.0, velocity=(speed, 0.0)), name="body")
    guide = model.add(Translational(model.ground.at(), body.at()), name="guide")
    return model, guide


def controlled():
    model, guide = sledge()
    device = Device(pid, (Value(guide.travel), Rate(guide.travel)), ("u",), (State("i"),), (KP, KI, KD, GOAL), "pid")
    model.add(Push(guide.travel, device["u"]), name="controller")
    return model, guide, device


def closed_form(times):
    """x, x' and the integral of the error from (x, v, i)' = A (x, v, i) + b, at rest at first."""
    A = np.array([[0.0, 1.0, 0.0], [-KP / MASS, -KD / MASS, KI / MASS], [-1.0, 0.0, 0.0]])
    whole = np.zeros((4, 4))
    whole[:3, :3], whole[:3, 3] = A, [0.0, KP * GOAL / MASS, GOAL]
    return np.array([(expm(whole * t) @ [0.0, 0.0, 0.0, 1.0])[:3] for t in times])


# Errors are those of the methods: some 1e-9 where a tolerance is followed, of second order with a fixed step.
@pytest.mark.parametrize(
    "method, options, bound",
    [
        ("auto", {}, 2e-9),
        ("radau", {}, 2e-9),
        ("partition", {}, 5e-9),
        ("bdf", {}, 1e-6),
        ("generalized-alpha", {"step": 1e-3}, 2e-6),
        ("hht", {"step": 1e-3}, 2e-6),
    ],
)
def test_states_are_integrated_with_the_motion(method, options, bound):
    if method == "bdf":
        pytest.importorskip("sksundae")
    model, guide, device = controlled()
    run = simulate(model, 4.0, output=0.25, rtol=1e-9, method=method, **options)
    exact = closed_form(run.times)
    assert np.abs(run[guide.travel].value - exact[:, 0]).max() < bound
    assert np.abs(run[device]["i"] - exact[:, 2]).max() < bound
    wanted = KP * (GOAL - exact[:, 0]) + KI * exact[:, 2] - KD * exact[:, 1]
    assert np.abs(run[device["u"]].value - wanted).max() < 40.0 * bound
    assert np.abs(run[device].value - run["controller"].force).max() < 1e-12
    assert run.energy.drift < 1e3 * bound


def test_second_order_of_states_in_fixed_steps():
    model, guide, _ = controlled()
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = simulate(model, 1.0, output=[1.0], method="generalized-alpha", step=step)
        errors.append(abs(run[guide.travel].value[-1] - closed_form([1.0])[0, 0]))
    assert 3.7 < errors[0] / errors[1] < 4.3 and 3.7 < errors[1] / errors[2] < 4.3


def test_a_run_goes_on_with_its_states():
    model, guide, device = controlled()
    whole = simulate(model, 2.0, output=0.5)
    half = simulate(model, 1.0, output=0.5)
    rest = simulate(model, 2.0, output=0.5, start=half.checkpoint)
    assert rest[guide.travel].value[-1] == whole[guide.travel].value[-1]
    assert rest[device]["i"][-1] == whole[device]["i"][-1]
    assert abs(whole.at(1.3)[guide.travel].value - closed_form([1.3])[0, 0]) < 1e-7


def test_devices_read_devices_time_and_what_is_held():
    model, guide = sledge()
    held = Held(3.0, "gain")
    first = Device(lambda t, gain: gain * t, (Clock(), held), ("ramp",), name="first")
    second = Device(lambda u, more: u + more, (first["ramp"],), ("sum",), (), (1.0,), "second")
    model.add(Push(guide.travel, second["sum"]), name="push")
    run = simulate(model, 2.0, output=0.5, rtol=1e-10)
    t = run.times
    assert np.allclose(run[second["sum"]].value, 3.0 * t + 1.0, atol=1e-14)
    assert np.allclose(run[held].value, 3.0)
    assert np.allclose(run[guide.travel].value, (0.5 * t**3 + 0.5 * t**2) / MASS, atol=1e-10)


def test_devices_without_forces_are_integrated():
    model, guide = sledge(speed=2.0)
    watch = Device(lambda v, x: (x, v), (Rate(guide.travel),), ("way",), (State("way"),), name="odometer")
    model.add(Push(guide.travel, Held(0.0), (watch,)), name="nothing")
    run = simulate(model, 3.0, output=1.0)
    assert np.allclose(run[watch["way"]].value, 2.0 * run.times, atol=1e-9)


def friction(speed, pressing, mu, slow):
    return -mu * abs(pressing) * math.tanh(speed / slow)


class TestReactions:
    """Coulomb's friction of a guide that carries weight: the reaction is 2 kg times g, mu 0.3."""

    def rubbing(self, mu=0.3, speed=3.0):
        model, guide = sledge(speed=speed, gravity=9.81)
        inputs = Rate(guide.travel), Multiplier(guide, "across")
        device = Device(friction, inputs, ("f",), (), (mu, 1e-3), "friction")
        model.add(Push(guide.travel, device["f"]), name="friction")
        return model, guide, device

    def test_friction_from_a_reaction(self):
        model, guide, device = self.rubbing()
        run = simulate(model, 0.5, output=0.1)
        assert np.abs(run[guide.travel].rate - (3.0 - 0.3 * 9.81 * run.times)).max() < 1e-7
        assert np.abs(run[device].value + 0.3 * MASS * 9.81).max() < 1e-9

    @pytest.mark.parametrize("method", ["radau", "generalized-alpha", "partition"])
    def test_other_methods(self, method):
        model, guide, _ = self.rubbing()
        run = simulate(model, 0.5, output=[0.5], method=method, rtol=1e-8)
        assert abs(run[guide.travel].rate[-1] - (3.0 - 0.3 * 9.81 * 0.5)) < 1e-6

    def test_a_reaction_that_the_friction_changes(self):
        """The friction force presses the guide harder: N = W + c f, so f = mu W / (1 - mu c). c = 0.5."""
        model, guide, device = self.rubbing()
        across = next(e for e in guide.equations() if e.label == "across").terms

        @dataclass(frozen=True, eq=False)
        class Wedge(Force):
            def laws(self):
                return (Law(tuple((0.5 * c, m) for c, m in across), signal=device["f"]),)

        model.add(Wedge(), name="wedge")
        run = simulate(model, 0.1, output=[0.1])
        weight = MASS * 9.81
        signs = {-0.3 * weight / (1.0 - 0.15), -0.3 * weight / (1.0 + 0.15)}
        assert min(abs(run[device].value[-1] - f) for f in signs) < 1e-9 * weight

    def test_jamming_is_told(self):
        """With mu c > 1 no reaction is large enough."""
        model, guide, device = self.rubbing(mu=5.0)
        across = next(e for e in guide.equations() if e.label == "across").terms

        @dataclass(frozen=True, eq=False)
        class Wedge(Force):
            factor: float = 0.5

            def laws(self):
                return (Law(tuple((self.factor * c, m) for c, m in across), signal=device["f"]),)

        with pytest.raises(SimulationError, match="jams"):
            model.add(Wedge(), name="wedge")
            simulate(model, 0.1)

    def test_inverse_dynamics(self):
        model, guide, device = self.rubbing(speed=0.0)
        motor = model.add(Driver(guide.travel, Ramp(2.0)), name="motor")
        run = inverse_dynamics(model, [0.0, 1.0])
        assert np.allclose(run[motor].force, 0.3 * MASS * 9.81, atol=1e-9)


class TestStiffness:
    def test_newton_knows_the_stiffness_of_a_device(self):
        """A stiff spring-damper as a device: Radau gets on as with the same spring stated as such."""
        counts = []
        for as_device in (False, True):
            model, guide = sledge(speed=1.0)
            if as_device:
                spring = Device(
                    lambda x, v, k, c: k * x + c * v, (Value(guide.travel), Rate(guide.travel)), ("f",), (), (1e8, 1e6)
                )
                model.add(Push(-1.0 * guide.travel, spring["f"]), name="spring")
            else:
                model.add(Spring(guide.travel, stiffness=1e8, damping=1e6, rest_length=0.0), name="spring")
            run = simulate(model, 1.0, method="radau", output=[1.0])
            counts.append(run.stats.evaluations)
        assert counts[1] < 1.2 * counts[0]


class TestBadDevices:
    def test_a_device_that_raises(self):
        def breaks(t):
            if t > 0.5:
                raise ValueError("no more")
            return 1.0

        model, guide = sledge()
        model.add(Push(guide.travel, Device(breaks, (Clock(),), ("f",), name="breaks")["f"]), name="push")
        with pytest.raises(SimulationError, match=r"(?s)t = 0\.5.*'breaks' of Push 'push'.*no more") as caught:
            simulate(model, 1.0)
        assert caught.value.partial.times[-1] < 0.51 and len(caught.value.partial) > 1

    def test_a_device_that_becomes_nan(self):
        model, guide = sledge()
        model.add(Push(guide.travel, Device(lambda t: math.sqrt(0.5 - t), (Clock(),), ("f",))["f"]), name="push")
        with pytest.raises(SimulationError, match="Push 'push'"):
            simulate(model, 1.0)

    def test_algebraic_loops_are_named(self):
        first = Device(lambda u: u, (Held(),), ("y",), name="first")
        second = Device(lambda u: u, (first["y"],), ("y",), name="second")
        object.__setattr__(first, "inputs", (second["y"],))
        model, guide = sledge()
        model.add(Push(guide.travel, Held()), name="push")
        with pytest.raises(
            ModelError, match="algebraic loop: device 'first' reads device 'second' reads device 'first'"
        ):
            Law(guide.travel.parts(), signal=Output(first)).measures()

    @pytest.mark.parametrize(
        "stated, words",
        [
            ({"function": 3.0, "inputs": (), "outputs": ("y",)}, "must be a Python function, got 3.0"),
            ({"function": lambda a: a, "inputs": (), "outputs": ("y",)}, "cannot be called with 0 arguments"),
            ({"function": lambda: 0.0, "inputs": (), "outputs": ()}, "neither outputs nor states"),
            ({"function": lambda a: a, "inputs": (1.0,), "outputs": ("y",)}, "an input of device"),
        ],
    )
    def test_wrong_data(self, stated, words):
        with pytest.raises(ModelError, match=words):
            Device(**stated)

    def test_reading_what_is_not_there(self):
        model, _, device = controlled()
        run = simulate(model, 0.1)
        with pytest.raises(ModelError, match="must be 'u' or 'i', got 'w'"):
            run[device]["w"]
        with pytest.raises(ModelError, match="is not part of"):
            run[Device(lambda: 1.0, (), ("y",))]
