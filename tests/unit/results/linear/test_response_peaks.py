"""Resonances of an oscillator in closed form; mode tables with damped and undamped frequencies."""

import math

import numpy as np
import pytest

from cardan import ModelError, linearize, modal_sensitivities
from cardan.planar import Body, Model, Spring, Translational

M, K, C = 2.0, 800.0, 8.0
W0, ZETA = math.sqrt(K / M), C / (2.0 * math.sqrt(K * M))


def oscillator():
    model = Model("oscillator")
    mass = model.add(Body(mass=M, inertia=1.0), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    spring = model.add(Spring(guide.travel, K, C, rest_length=0.0), name="spring")
    return model, guide, spring


@pytest.fixture(scope="module")
def linear():
    model, guide, spring = oscillator()
    return linearize(model, inputs=[spring], outputs=[guide.travel])


def test_peak_of_an_oscillator(linear):
    """The receptance is largest at w0 sqrt(1 - 2 zeta^2), with 1 / (2 k zeta sqrt(1 - zeta^2))."""
    (peak,) = linear.response_peaks(0.5, 20.0)
    gain = 1.0 / (2.0 * K * ZETA * math.sqrt(1.0 - ZETA**2))
    assert peak.hertz == pytest.approx(W0 * math.sqrt(1.0 - 2.0 * ZETA**2) / (2.0 * math.pi), rel=1e-6)  # flat top
    assert peak.gain == pytest.approx(gain, rel=1e-10)
    assert peak.decibels == pytest.approx(20.0 * math.log10(gain), abs=1e-9)
    assert (peak.output, peak.input) == (linear.outputs[0], linear.input_names[0])
    assert linear.response_peaks(10.0, 20.0) == []


def test_decibels(linear):
    hertz = np.array([1.0, 2.0, 5.0])
    w = 2.0 * np.pi * hertz
    closed = 20.0 * np.log10(1.0 / np.abs(K - M * w**2 + 1j * C * w))
    assert np.allclose(linear.decibels(hertz)[:, 0, 0], closed, atol=1e-10)


def test_wrong_range(linear):
    with pytest.raises(ModelError, match="below the highest"):
        linear.response_peaks(2.0, 1.0)


def test_table_of_modes(linear):
    """Undamped, damped frequency and damping ratio; the printed table labels both."""
    modes = linear.modes()
    (line,) = modes.table()
    assert line["undamped_hertz"] == pytest.approx(W0 / (2.0 * math.pi), rel=1e-12)
    assert line["hertz"] == pytest.approx(W0 * math.sqrt(1.0 - ZETA**2) / (2.0 * math.pi), rel=1e-12)
    assert line["damping"] == pytest.approx(ZETA, rel=1e-12)
    assert "damped 3.16" in repr(modes) and "undamped 3.18" in repr(modes)
    assert modes.participation() == {"mass": pytest.approx([1.0])}


def test_same_order_as_sensitivities():
    """Two oscillators: rows of modal_sensitivities are the modes, the slowest first; dw/dk = w / 2k."""
    model, _, _ = oscillator()
    slow = model.add(Body(mass=10.0, inertia=1.0, position=(0, 1)), name="slow")
    rail = model.add(Translational(model.ground.at(0, 1), slow.at()), name="rail")
    model.add(Spring(rail.travel, 90.0, rest_length=0.0), name="soft")
    found = modal_sensitivities(model, ["soft.stiffness", "spring.stiffness"])
    modes = linearize(model).modes()
    assert np.allclose(found.modes.eigenvalues, modes.eigenvalues, atol=1e-9)
    assert np.allclose(found.frequencies, [[3.0 / 180.0, 0.0], [0.0, W0 / (2.0 * K)]], atol=1e-9)
    assert np.allclose(modes.participation()["slow"], [1.0, 0.0], atol=1e-12)


def test_bode_in_hertz_and_decibels(linear):
    gain, phase = linear.bode([1.0, 2.0], hertz=True, decibels=True)
    assert phase.get_xlabel() == "frequency in Hz" and "dB" in gain.get_ylabel()
    assert np.allclose(gain.lines[0].get_ydata(), linear.decibels([1.0, 2.0])[:, 0, 0])
    assert np.allclose(gain.lines[0].get_xdata(), [1.0, 2.0])
