"""Controllers of the user's: compiled and interpreted, with states, and what happens if they raise."""

import math

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, SimulationError, simulate
from cardan.planar import (
    Actuator,
    Body,
    Controller,
    Model,
    Sampled,
    Translational,
    controller,
    rate,
    time,
)

RTOL = 1e-10
NEAR = 1e-8  # 100 rtol


def sled(mass=2.0):
    model = Model("sled")
    body = model.add(Body(mass=mass, inertia=1.0, position=(0.5, 0.0)), name="body")
    return model, model.add(Translational(model.ground.at(), body.at()), name="rail").travel


@controller(outputs=["u"], states={"i": 0.0})
def integral(x, t, i, stiffness=8.0, gain=2.0):
    if t < 0.0:
        return 0.0, 0.0
    return -stiffness * x - gain * i, x


def cubic_response(times, stiffness, gain, mass, start):
    """x of m x'' + k x + g i = 0, i' = x from rest at `start`."""
    A = np.array([[0.0, 1.0, 0.0], [-stiffness / mass, 0.0, -gain / mass], [1.0, 0.0, 0.0]])
    values, vectors = np.linalg.eig(A)
    return np.real(vectors @ (np.linalg.solve(vectors, [start, 0, 0])[:, None] * np.exp(np.outer(values, times))))


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_a_controller_with_a_state_and_parameters(method):
    model, travel = sled()
    law = model.add(integral(travel, gain=3.0), name="law")
    model.add(Actuator(travel, law), name="drive")
    run = simulate(model, 2.0, output=0.1, rtol=RTOL, method=method)
    x, _, i = cubic_response(run.times, 8.0, 3.0, 2.0, 0.5)
    assert np.abs(run[travel].value - x).max() < NEAR
    assert np.abs(run[law]["i"] - i).max() < NEAR
    assert np.abs(run[law]["u"] + 8.0 * x + 3.0 * i).max() < 10 * NEAR


def test_one_that_cannot_be_compiled_does_the_same_and_warns():
    notes = {"k": 8.0}

    def law(x, i):
        return -notes["k"] * x - 2.0 * i, x

    model, travel = sled()
    with pytest.warns(CardanWarning, match="'law' runs in the Python interpreter, some thousand times slower"):
        block = model.add(Controller(law, [travel], states={"i": 0.0}), name="block")
    model.add(Actuator(travel, block["u"]), name="drive")
    run = simulate(model, 2.0, output=0.1, rtol=RTOL)
    assert np.abs(run[travel].value - cubic_response(run.times, 8.0, 2.0, 2.0, 0.5)[0]).max() < NEAR


LIMITS = {"time": 0.7}


def failing(x, t):
    if t > 0.7:
        raise ValueError("no more oil")
    return -x


def failing_by_table(x, t):
    """A dictionary of words is not compiled."""
    if t > LIMITS["time"]:
        raise ValueError("no more oil")
    return -x


@pytest.mark.filterwarnings("ignore::cardan.CardanWarning")
@pytest.mark.parametrize("law", [failing, failing_by_table])
def test_one_that_raises_is_named_with_time_arguments_and_reason(law):
    model, travel = sled()
    block = model.add(Controller(law, [travel, time]), name="pump")
    model.add(Actuator(travel, block), name="drive")
    words = r"at t = 0\.7 s .*controller 'pump'.*raises ValueError at \(0\.43\d+, 0\.7\): no more oil"
    with pytest.raises(SimulationError, match=words) as stop:
        simulate(model, 2.0, output=0.1)
    assert stop.value.time == pytest.approx(0.7, abs=1e-9) and stop.value.elements == ("pump",)
    run = stop.value.partial
    assert run.times.size >= 7
    assert np.abs(run[travel].value - 0.5 * np.cos(run.times / math.sqrt(2.0))).max() < 1e-7


def test_the_rates_of_a_controller_converge_at_the_order_of_the_integrator():
    """Order 8: half the step, 1/256 of the error; 1/100 is asked for because steps are still coarse."""
    errors = []
    for step in (0.4, 0.2):
        model, travel = sled()
        law = model.add(integral(travel, gain=3.0), name="law")
        model.add(Actuator(travel, law), name="drive")
        run = simulate(model, 4.0, output=4.0, rtol=1e-3, step=step, method="dop853")
        errors.append(abs(run[law]["i"][-1] - cubic_response(run.times, 8.0, 3.0, 2.0, 0.5)[2, -1]))
    assert errors[0] > 1e-12 and errors[1] < errors[0] / 100.0


class TestBadInput:
    def test_order_of_arguments(self):
        with pytest.raises(ModelError, match="must take its inputs, then its states"):

            @controller(states={"i": 0.0})
            def wrong(i, x):
                return x

    def test_unknown_parameter(self):
        _, travel = sled()
        with pytest.raises(ModelError, match="'integral' has no parameter 'gian'; it has: stiffness, gain"):
            integral(travel, gian=2.0)

    def test_number_of_inputs(self):
        with pytest.raises(ModelError, match="'integral' takes x; 0 were given"):
            integral()

    def test_arguments_that_do_not_fit(self):
        _, travel = sled()
        with pytest.raises(ModelError, match="cannot be called with 2 arguments"):
            Controller(lambda x: x, [travel, rate(travel)])

    def test_names_that_are_one(self):
        _, travel = sled()
        with pytest.raises(ModelError, match="must have distinct names, got .'u', 'u'."):
            Controller(lambda x, u: (x, u), [travel], ["u"], {"u": 0.0})

    def test_output_by_a_wrong_name(self):
        _, travel = sled()
        with pytest.raises(ModelError, match="the output of device 'integral' must be"):
            integral(travel)["v"]

    def test_states_of_a_wrong_kind(self):
        with pytest.raises(ModelError, match="states of .* must be a dictionary of initial values"):
            Sampled(lambda x: x, [1.0], period=1.0, states=["i"])
