"""Pulse, random and sine steer: the frequency response of the single-track model in closed form, rejected input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from cardan import CardanWarning, ModelError
from cardan.planar import Action, velocity_along
from cardan.vehicles import pulse_steer, random_steer, sine_steer
from folding import folded
from single_track import linear_car, single_track

SPEED, SMALL = 25.0, 1e-4  # m/s, rad
NAMES = ("yaw_rate", "lateral_acceleration", "side_slip")


def exact(frequencies):
    """C (i w - A)^-1 B + D of the linear equations, one row for each of the names."""
    car = linear_car(SPEED)
    return np.array([
        [(car.C @ np.linalg.solve(2j * np.pi * f * np.eye(2) - car.A, car.B) + car.D)[k, 0] for f in frequencies]
        for k in range(3)
    ])  # fmt: skip


def test_random_steer_of_the_single_track_model():
    """No leakage: the error is what is left of the transient after 3 s, exp(-3.9 * 3) = 1e-5 (the real part of the
    eigenvalues is -3.9 / s), and 1e-4 of nonlinear terms."""
    model = single_track(SPEED)
    test = random_steer(model, model["car"], steering=model["steering"], angle=SMALL, blocks=2, rtol=1e-9)
    assert test.frequencies == pytest.approx(np.arange(2, 31) / 10.0)
    for name, row in zip(NAMES, exact(test.frequencies), strict=True):
        assert test.responses[name] == pytest.approx(row, abs=1e-3 * np.abs(row).max()), name
        assert test.gain(name) == pytest.approx(np.abs(row), abs=1e-3 * np.abs(row).max())
        assert test.coherence[name].min() > 1.0 - 1e-6
    assert np.std(test.motion.steering) == pytest.approx(SMALL, rel=0.1)
    assert test.phase("yaw_rate")[-1] < test.phase("yaw_rate")[0] < 0.0
    assert set(test.table()) >= {"frequency", "roll.gain", "yaw_rate.phase"}
    assert "29 frequencies" in repr(test) and test.plot() is not None


def test_the_coherence_shows_what_is_not_linear():
    """Front side forces with a cubic part, whose share grows with the square of the angle: there is a
    response at other frequencies than those of the steering."""
    model = single_track(SPEED)
    aside = velocity_along(model.ground.at(), model["wheel"].at(), "y")
    model.add(Action(aside, lambda v: 0.5 * 80e3 / 25.0 * v * v * v, of=(aside,)), name="softer")
    options = {"band": (0.2, 2.0), "block": 5.0, "lead": 2.0, "blocks": 4, "rtol": 1e-6}
    tests = [
        random_steer(model, model["car"], steering=model["steering"], angle=angle, **options) for angle in (1e-4, 0.05)
    ]
    assert tests[0].coherence["yaw_rate"].min() > 1.0 - 1e-6
    assert 0.999 > tests[1].coherence["yaw_rate"].min()


def test_pulse_steer_of_the_single_track_model():
    """Sums over output times instead of integrals: exact to rounding for smooth signals; 1e-4 of nonlinear terms. Phase
    and gain down to 5 % of the amplitude of the pulse, where the error is 20 times as large."""
    model = single_track(SPEED)
    test = pulse_steer(model, model["car"], steering=model["steering"], angle=SMALL, rtol=1e-10)
    assert 4.0 < test.frequencies[-1] < 8.0
    for name, row in zip(NAMES, exact(test.frequencies), strict=True):
        assert test.responses[name] == pytest.approx(row, abs=3e-3 * np.abs(row).max()), name
    with pytest.warns(CardanWarning, match="largest value at the end of pulse_steer"):
        pulse_steer(model, model["car"], steering=model["steering"], angle=SMALL, until=1.0)


def test_sine_steer_of_the_single_track_model():
    """The response of the linear equations to the steering angle of the test, by scipy.signal.lsim."""
    model = single_track(SPEED)
    test = sine_steer(model, model["car"], steering=model["steering"], angle=-SMALL, frequency=0.7, rtol=1e-10)
    t = test.motion.times
    _, response, _ = signal.lsim(linear_car(SPEED), test.motion.steering, t)
    first, second = t < 0.2 + 0.75 / 0.7, t > 0.2 + 0.5 / 0.7
    for k, name in enumerate(NAMES[:2]):
        values = response[:, k]
        at = t[first][np.argmin(values[first])], t[second][np.argmax(values[second])]
        assert test[name].peaks == pytest.approx((values[first].min(), values[second].max()), rel=2e-3)
        lags = at[0] - 0.2 - 0.25 / 0.7, at[1] - 0.2 - 0.75 / 0.7
        assert test[name].lags == pytest.approx(lags, abs=0.006)  # one output interval
        assert test[name].gains[0] > 0.0 and test[name].gains[1] > 0.0
    assert "0.7 Hz" in repr(test) and test.plot() is not None


def test_sine_with_dwell():
    """The steering stays at its second peak; afterwards the yaw rate of a stable car decays."""
    model = single_track(SPEED)
    test = sine_steer(model, model["car"], steering=model["steering"], angle=SMALL, frequency=0.7, dwell=0.5, until=5.0)
    t, steer = test.motion.times, test.motion.steering
    still = (t > 0.2 + 0.75 / 0.7 + 0.02) & (t < 0.2 + 0.75 / 0.7 + 0.48)
    assert steer[still] == pytest.approx(np.full(np.count_nonzero(still), -SMALL), rel=1e-2)
    assert test.end == pytest.approx(0.2 + 1.0 / 0.7 + 0.5) and abs(steer[t > test.end + 0.01]).max() < 1e-9
    assert abs(test.remaining(1.0)) < 0.35 and abs(test.remaining(1.75)) < 0.2
    with pytest.raises(ModelError, match="state a larger until"):
        test.remaining(10.0)


@folded(
    "maneuver, options, message",
    [
        (pulse_steer, {"angle": 0.0}, "angle other than zero"),
        (pulse_steer, {"until": 0.5}, "at least 0.8 s"),
        (random_steer, {"angle": -1.0}, "angle"),
        (random_steer, {"band": (1.0, 1.05)}, "at least two multiples"),
        (random_steer, {"band": (2.0, 1.0)}, "growing"),
        (random_steer, {"blocks": 0}, "blocks"),
        (sine_steer, {"angle": 0.0}, "angle other than zero"),
        (sine_steer, {"dwell": -1.0}, "dwell"),
        (sine_steer, {"until": 1.0}, "at least 2.2 s"),
    ],
)
def test_rejected(maneuver, options, message):
    model = single_track(SPEED)
    with pytest.raises(ModelError, match=message):
        maneuver(model, model["car"], **({"steering": model["steering"], "angle": SMALL} | options))
