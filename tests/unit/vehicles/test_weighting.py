"""Frequency weightings: the tables of ISO 2631-1, time signals, spectra, rejected input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError
from cardan.vehicles import WEIGHTINGS
from folding import folded

# ISO 2631-1:1997, tables 3 and 4: factors times 1000 at nominal third-octave frequencies
TABLES = {
    "Wk": {
        0.1: 31.2, 0.125: 48.6, 0.16: 79.0, 0.2: 121, 0.25: 182, 0.315: 263, 0.4: 352, 0.5: 418, 0.63: 459, 0.8: 477,
        1: 482, 1.25: 484, 1.6: 494, 2: 531, 2.5: 631, 3.15: 804, 4: 967, 5: 1039, 6.3: 1054, 8: 1036, 10: 988,
        12.5: 902, 16: 768, 20: 636, 25: 513, 31.5: 405, 40: 314, 50: 246, 63: 186, 80: 132, 100: 88.7, 125: 54.0,
        160: 28.5, 200: 15.2, 250: 7.90, 315: 3.98, 400: 1.95,
    },
    "Wd": {
        0.1: 62.4, 0.125: 97.3, 0.16: 158, 0.2: 243, 0.25: 365, 0.315: 530, 0.4: 713, 0.5: 853, 0.63: 944, 0.8: 992,
        1: 1011, 1.25: 1008, 1.6: 968, 2: 890, 2.5: 776, 3.15: 642, 4: 512, 5: 409, 6.3: 323, 8: 253, 12.5: 161,
        16: 125, 20: 100, 25: 80.0, 31.5: 63.2, 40: 49.4, 50: 38.8, 63: 29.5, 80: 21.1, 100: 14.1, 125: 8.63,
        160: 4.55, 200: 2.43,
    },
    "Wf": {
        0.02: 24.2, 0.025: 37.7, 0.0315: 59.7, 0.04: 97.1, 0.05: 157, 0.063: 267, 0.08: 461, 0.1: 695, 0.125: 895,
        0.16: 1006, 0.2: 992, 0.25: 854, 0.315: 619, 0.4: 384, 0.5: 224, 0.63: 116, 0.8: 53.0, 1: 23.5, 1.25: 9.98,
        1.6: 3.77, 2: 1.55,
    },
    "Wc": {1: 991, 2: 1012, 4: 1024, 8: 891, 16: 512, 31.5: 256, 80: 84.5},
    "We": {1: 880, 2: 512, 4: 253, 8: 125, 16: 62.5, 31.5: 31.6},
}  # fmt: skip


@folded("name", list(TABLES))
def test_table_of_the_standard(name):
    """Three digits are printed, and the last one is off by one in places: the standard rounds frequencies too."""
    for f, printed in TABLES[name].items():
        digit = 10.0 ** (math.floor(math.log10(printed)) - 2)
        assert abs(1000.0 * float(WEIGHTINGS[name].gain(f)) - printed) < 1.01 * max(digit, 1e-12), (name, f)


def test_a_weighting_without_a_turn_is_level():
    """Wj has a step from 3.75 to 5.32 Hz only: (3.75 / 5.32)^2 below, 1 above, between its band limits."""
    low, high = WEIGHTINGS["Wj"].gain([1.3, 30.0])
    assert low == pytest.approx((3.75 / 5.32) ** 2, rel=0.03) and high == pytest.approx(1.0, rel=0.01)


@folded("name", list(WEIGHTINGS))
def test_signals_have_the_gain_and_phase_of_the_response(name):
    """A sine, after the weighting has forgotten its start, whose memory is at most 8 time constants: exp(-8) = 3e-4."""
    how, f = WEIGHTINGS[name], 0.3 if name == "Wf" else 5.0
    t = np.arange(0.0, 60.0 / f, 0.02 / f)
    weighted = how.weighted(np.sin(2.0 * np.pi * f * t), 0.02 / f)
    expected = (how.response(f) * np.exp(2j * np.pi * f * t)).imag
    late = (t > 40.0 / f) & (t < 59.0 / f)  # at the cut-off end the signal is not band-limited
    assert weighted[late] == pytest.approx(expected[late], abs=2e-3)


def test_the_start_is_at_rest():
    """A long constant acceleration decays as the response of the transfer function to a step: its poles are stable, and
    the value at the first time is that of a causal filter, small against the peak."""
    how, dt = WEIGHTINGS["Wd"], 1e-3
    values = how.weighted(np.ones(8000), dt)
    assert np.abs(values[-500:-100]).max() < 2e-3 * np.abs(values).max()
    from scipy import signal

    s, w = np.poly1d([1.0, 0.0]), 2.0 * np.pi
    low, high, turn = 0.4 * w, 100.0 * w, 2.0 * w
    num = s**2 * np.poly1d([1.0 / turn, 1.0])
    den = np.poly1d([1.0, low * math.sqrt(2.0), low**2]) * np.poly1d([1.0 / high**2, math.sqrt(2.0) / high, 1.0])
    den *= np.poly1d([1.0 / turn**2, 1.0 / (0.63 * turn), 1.0])
    t = dt * np.arange(2000)
    _, step = signal.step((num.coeffs, den.coeffs), T=t)
    assert values[100:2000] == pytest.approx(step[100:], abs=2e-3)


def test_root_mean_square_of_a_spectrum():
    """White noise through the band limits alone, from 0 to infinity: a second-order low pass of Q = 1/sqrt(2) has the
    noise bandwidth pi f sqrt(2) / 4 (Wj without its step; f_1 is far below)."""
    from dataclasses import replace

    flat = replace(WEIGHTINGS["Wj"], lowest=1e-3, step_from=math.inf, step_to=math.inf)
    w = 2.0 * np.pi * np.concatenate([np.linspace(0.0, 0.1, 2001), np.linspace(0.1, 2000.0, 200001)[1:]])
    found = flat.rms(np.full(w.size, 1.0 / (2.0 * np.pi)), w)
    # f_1 takes away 1.1e-3 Hz of 111 Hz, the cut at 2000 Hz (100/2000)^3 / 3 of 111
    assert found**2 == pytest.approx(math.pi * 100.0 * math.sqrt(2.0) / 4.0, rel=1e-4)


@folded(
    "call, message",
    [
        (lambda how: how.weighted([1.0], 0.1), "at least two finite values"),
        (lambda how: how.weighted([1.0, np.nan], 0.1), "at least two finite values"),
        (lambda how: how.weighted([1.0, 2.0], 0.0), "interval"),
        (lambda how: how.rms([1.0, 1.0], [2.0, 1.0]), "growing"),
        (lambda how: how.rms([1.0], [1.0, 2.0]), "one value, not negative, for each of 2"),
        (lambda how: how.rms([1.0, -1.0], [1.0, 2.0]), "not negative"),
    ],
)
def test_rejected(call, message):
    with pytest.raises(ModelError, match=message):
        call(WEIGHTINGS["Wk"])
