"""Resonances of an oscillator in closed form; mode tables with damped and undamped frequencies."""

import math

import numpy as np
import pytest

from cardan import ModelError, equilibrium, linearize, modal_sensitivities, peak_sensitivities
from cardan.model.parameter import changed, parameters_of
from cardan.planar import (
    Action,
    Body,
    Constant,
    Driver,
    Model,
    Revolute,
    Spring,
    Translational,
    length as distance,
    x,
    y,
)

G = 9.81
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


def isolated():
    """A table on a base that a driver moves, with an absorber; gravity stretches a stiffening spring."""
    model = Model("isolated table", gravity=(-G, 0.0))
    base = model.add(Body(), name="base")
    table = model.add(Body(mass=20.0, inertia=1.0, position=(0.5, 0.0)), name="table")
    absorber = model.add(Body(mass=2.0, inertia=0.1, position=(1.0, 0.0)), name="absorber")
    slide = model.add(Translational(model.ground.at(), base.at()), name="slide")
    first = model.add(Translational(base.at(), table.at()), name="first")
    second = model.add(Translational(table.at(), absorber.at()), name="second")
    shake = model.add(Driver(slide.travel, Constant(0.0)), name="shake")
    model.add(Spring(first.travel, 8e3, 40.0, rest_length=0.5), name="spring")
    model.add(Spring(second.travel, 700.0, 4.0, rest_length=0.5), name="soft")
    model.add(Action(first.travel, hardening), name="hardening")
    return model, shake, x(table.at())


def hardening(stretch, rate):
    return -4e6 * (stretch - 0.5) ** 3


NAMES = ["spring.stiffness", "spring.damping", "soft.stiffness", "absorber.mass", "gravity.x"]


@pytest.mark.parametrize("name", NAMES)
def test_peak_sensitivities_against_differences(name):
    """Both peaks under a moving base; gravity acts by the equilibrium, where the spring is stiffer."""
    model, shake, height = isolated()
    options = {"inputs": shake, "outputs": height, "low": 0.5, "high": 10.0}
    found = peak_sensitivities(model, NAMES, **options)
    assert len(found) == 2
    (one,) = parameters_of(model, name, "a test")
    h = 1e-3 * abs(one.value)

    def peaks(value):
        with changed(model, {one: value}):
            linear = linearize(model, equilibrium(model), inputs=shake, outputs=height)
            return np.array([(peak.hertz, peak.gain) for peak in linear.response_peaks(0.5, 10.0)])

    near, far = ((peaks(one.value + step) - peaks(one.value - step)) / (2.0 * step) for step in (h, 2.0 * h))
    slopes = (4.0 * near - far) / 3.0  # errors of h^4
    column = NAMES.index(name)
    assert np.allclose(found.hertz[:, column], slopes[:, 0], rtol=1e-6, atol=1e-9 * np.abs(found.hertz).max())
    assert np.allclose(found.gain[:, column], slopes[:, 1], rtol=1e-6, atol=1e-9 * np.abs(found.gain).max())
    assert found[1, name] == (found.hertz[1, column], found.gain[1, column])


def _linkage(length=1.0, stiffness=500.0, mass=2.0):
    """Two links on springs: their weight and their springs change where they rest, and so their free motions."""
    model = Model("linkage", gravity=(0.0, -G))
    upper = model.add(Body(mass=mass, inertia=0.3, center=(0.5, 0.0), angle=-0.1), name="upper")
    lower = model.add(Body(mass=0.5, inertia=0.05, position=(1.0, 0.0), center=(0.3, 0.0)), name="lower")
    model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    elbow = model.add(Revolute(upper.at(length, 0.0), lower.at()), name="elbow")
    rope = distance(model.ground.at(0.2, 1.0), upper.at(0.8, 0.0))
    model.add(Spring(rope, stiffness, damping=3.0, rest_length=0.8), name="rope")
    model.add(Spring(elbow.angle, 20.0, damping=0.2, rest_angle=0.0), name="coil")
    return model, {"inputs": [model["rope"], model["coil"]], "outputs": [elbow.angle, y(lower.at(0.5, 0.0))]}


@pytest.mark.parametrize(
    ("name", "stated", "step"),
    [
        ("elbow.a.x", ("length", 1.0), 1e-4),
        ("rope.stiffness", ("stiffness", 500.0), 0.05),
        ("upper.mass", ("mass", 2.0), 1e-4),
    ],
)
def test_peak_sensitivities_where_constraints_turn(name, stated, step):
    """Central differences of peaks of other models, at their own equilibria; errors of their third derivatives."""
    model, ports = _linkage()
    found = peak_sensitivities(model, [name], low=0.2, high=30.0, **ports)
    key, value = stated
    sides = []
    for side in (step, -step):
        other, others = _linkage(**{key: value + side})
        sides.append(linearize(other, equilibrium(other), **others).response_peaks(0.2, 30.0))
    assert len(found) == len(sides[0]) == 8
    for k, (one, two) in enumerate(zip(*sides, strict=True)):
        df, dg = (one.hertz - two.hertz) / (2.0 * step), (one.gain - two.gain) / (2.0 * step)
        assert found[k, name] == (pytest.approx(df, rel=1e-4), pytest.approx(dg, rel=1e-4))


def test_response_derivatives(linear):
    """dG/dw and d2G/dw2 of -1 / (k - m w^2 + i c w), in closed form."""
    w = 18.0
    d, d1 = K - M * w**2 + 1j * C * w, -2.0 * M * w + 1j * C
    closed = -1.0 / d, d1 / d**2, -2.0 * d1**2 / d**3 - 2.0 * M / d**2  # the spring pulls back
    assert np.allclose(linear.response_derivatives(w)[:, 0, 0], closed, rtol=1e-12)


def test_peak_sensitivities_reject():
    model, shake, height = isolated()
    with pytest.raises(ModelError, match="must be an equilibrium or a steady motion"):
        peak_sensitivities(model, NAMES, inputs=shake, outputs=height, low=0.5, high=10.0, at=3.0)
    found = peak_sensitivities(model, NAMES[:1], inputs=shake, outputs=height, low=0.5, high=10.0)
    with pytest.raises(ModelError, match="indexed by peak and parameter"):
        found[0]
    assert "spring.stiffness" in repr(found)
