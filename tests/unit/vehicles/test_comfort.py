"""Ride comfort: sines and shocks in closed form, totals, warnings, rejected input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import CardanWarning, ModelError, kinematics
from cardan.planar import Body, Driver, Function, Harmonic, Model, Translational
from cardan.vehicles import WEIGHTINGS, ride_comfort
from folding import folded


def shaker(motion, times):
    """The run of a seat that is moved up and down."""
    model = Model("shaker")
    seat = model.add(Body(), name="seat")
    up = {"angle": math.pi / 2}
    guide = model.add(Translational(model.ground.at(**up), seat.at(**up)), name="guide")
    model.add(Driver(guide.travel, motion), name="shake")
    return kinematics(model, times)


def sine(hertz, times, amplitude=1.0):
    """A seat with a sine of acceleration."""
    w = 2.0 * math.pi * hertz
    return shaker(Harmonic(-amplitude / w**2, w), times)


def test_a_sine():
    """Over whole periods: rms = A / sqrt(2), VDV = A (3 T / 8)^(1/4), crest factor sqrt(2), MTVV = rms. The weighting
    has forgotten its start after 10 s; the trapezoidal rule is exact for whole periods."""
    comfort = ride_comfort(sine(8.0, np.linspace(0.0, 21.0, 21 * 400 + 1)), {"seat.ay": "Wk"}, after=10.0)
    found, gain = comfort["seat.ay"], float(WEIGHTINGS["Wk"].gain(8.0))
    cut = found.times < 20.0 + 1e-9  # the last second is not band-limited
    from dataclasses import replace

    found = replace(found, times=found.times[cut], values=found.values[cut])
    assert found.rms == pytest.approx(gain / math.sqrt(2.0), rel=1e-4)
    assert found.vdv == pytest.approx(gain * (3.0 * 10.0 / 8.0) ** 0.25, rel=1e-4)
    assert found.msdv == pytest.approx(gain / math.sqrt(2.0) * math.sqrt(10.0), rel=1e-4)
    assert found.crest_factor == pytest.approx(math.sqrt(2.0), rel=2e-3)  # 50 points per period
    assert found.mtvv == pytest.approx(found.rms, rel=1e-3) and not found.has_shocks
    assert "Wk" in repr(comfort) and comfort.table()["seat.ay"]["rms"] == comfort["seat.ay"].rms


def test_a_shock_has_a_large_crest_factor():
    """One pulse of 20 ms in 60 s of rest: the running root mean square sees it for one second, MTVV = rms sqrt(60)."""

    def pulse(t):
        s = (t - 20.0) / 0.02
        inside = 1.0 if 0.0 < s < 1.0 else 0.0
        return inside * 1e-3 * (s * (1.0 - s)) ** 4

    found = ride_comfort(shaker(Function(pulse), np.linspace(0.0, 60.0, 60001)), {"seat.ay": "Wk"})["seat.ay"]
    assert found.has_shocks and found.crest_factor > 9.0
    # less than 1 % of the energy comes after one second: exp(-2 * 2 pi 0.4 / sqrt(2))
    assert found.mtvv == pytest.approx(found.rms * math.sqrt(60.0), rel=0.01)


def test_the_total_value_sums_squares():
    run = sine(8.0, np.linspace(0.0, 20.0, 4001))
    comfort = ride_comfort(run, {"seat.ay": "Wk", "seat.ax": "Wd"}, factors={"seat.ay": 2.0}, after=10.0)
    assert comfort["seat.ax"].rms == pytest.approx(0.0, abs=1e-12)
    assert comfort.total == pytest.approx(2.0 * comfort["seat.ay"].rms)
    assert comfort.reaction == "very uncomfortable"  # 1.47 m/s2


def test_output_times_that_are_too_far_apart_are_reported():
    """30 Hz at 80 points per second: above half of the highest frequency, 40 Hz."""
    with pytest.warns(CardanWarning, match=r"'seat.ay', weighted by Wk, is above 20 Hz"):
        ride_comfort(sine(30.0, np.linspace(0.0, 10.0, 801)), {"seat.ay": "Wk"})


@folded(
    "options, message",
    [
        ({"columns": {}}, "needs columns with weightings"),
        ({"columns": {"seat.ay": "Wx"}}, "frequency weighting"),
        ({"columns": {"seat.aw": "Wk"}}, "no column called"),
        ({"columns": {"seat.ay": "Wk"}, "factors": {"seat.ax": 1.0}}, "not among its columns"),
        ({"columns": {"seat.ay": "Wk"}, "after": 99.0}, "less than two output times after 99 s"),
    ],
)
def test_rejected(options, message):
    with pytest.raises(ModelError, match=message):
        ride_comfort(sine(2.0, np.linspace(0.0, 1.0, 101)), **options)
    with pytest.raises(ModelError, match="equally spaced"):
        ride_comfort(sine(2.0, [0.0, 0.1, 0.3]), {"seat.ay": "Wk"})
    with pytest.raises(ModelError, match="the run of ride_comfort"):
        ride_comfort(None, {"seat.ay": "Wk"})
