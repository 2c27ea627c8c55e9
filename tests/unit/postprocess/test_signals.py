"""Spectra against known harmonics and Parseval's theorem; rainflow counts against the example of ASTM E1049."""

import numpy as np
import pytest

from cardan import ModelError, kinematics
from cardan.planar import Body, Driver, Function, Model, Translational
from cardan.postprocess.signals import rainflow_cycles

COUNT, STEP = 1000, 0.01


def motion(t):
    """Two harmonics about a mean."""
    return 2.0 + 0.5 * np.sin(2.0 * np.pi * 3.0 * t) + 0.2 * np.cos(2.0 * np.pi * 12.0 * t)


def shaken(times=None):
    model = Model("shaker")
    table = model.add(Body(), name="table")
    rail = model.add(Translational(model.ground.at(), table.at()), name="rail")
    model.add(Driver(rail.travel, Function(motion)), name="drive")
    return kinematics(model, STEP * np.arange(COUNT) if times is None else times)


@pytest.fixture(scope="module")
def run():
    return shaken()


@pytest.mark.parametrize("window", ["boxcar", "hann", "flattop"])
def test_amplitudes_of_harmonics(run, window):
    """Frequencies that are multiples of 1 / T: every window gives the amplitudes to rounding."""
    found = run.spectrum("table.x", window=window)
    amplitude = dict(zip(found.frequencies.round(9).tolist(), found.amplitudes, strict=True))
    assert amplitude[3.0] == pytest.approx(0.5, abs=1e-9) and amplitude[12.0] == pytest.approx(0.2, abs=1e-9)
    assert amplitude[7.0] == pytest.approx(0.0, abs=1e-9) and amplitude[0.0] == pytest.approx(0.0, abs=1e-9)
    assert found.peak == pytest.approx(3.0, abs=1e-9) and found.unit == "m"
    assert found.frequencies[-1] == pytest.approx(0.5 / STEP)


@pytest.mark.parametrize("segments", [1, 4])
def test_density_integrates_to_the_mean_square(run, segments):
    """Parseval: 0.5^2 / 2 + 0.2^2 / 2, with whole periods in every segment of 400 points."""
    found = run.spectrum("table.x", window="boxcar", segments=segments)
    assert found.mean_square == pytest.approx(0.145, rel=1e-9)


def test_example_of_the_standard():
    """ASTM E1049-85, figure 6 and table: ranges and counts."""
    cycles = rainflow_cycles(np.array([-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0]))
    assert [(size, count) for size, _, count in cycles] == [
        (3.0, 0.5), (4.0, 0.5), (4.0, 1.0), (8.0, 0.5), (9.0, 0.5), (8.0, 0.5), (6.0, 0.5),
    ]  # fmt: skip
    assert cycles[2][1] == 1.0  # -1 to 3


def test_points_between_reversals_do_not_count():
    points = np.array([0.0, 0.5, 1.0, 1.0, 0.2, -1.0, -1.0, 0.0, 2.0])
    assert rainflow_cycles(points) == rainflow_cycles(np.array([0.0, 1.0, -1.0, 2.0]))
    assert rainflow_cycles(np.zeros(5)) == []


def test_cycles_of_a_harmonic(run):
    """The largest cycle spans all values; the histogram contains every cycle; damage is linear for an exponent of 1."""
    found = run.rainflow("table.x")
    assert found.unit == "m" and found.counts.sum() == pytest.approx(found.histogram([0.0, 0.6, 10.0]).sum())
    largest = np.ptp(run["table.x"])
    assert found.ranges.max() == pytest.approx(largest, abs=1e-12)
    assert found.damage(1.0, largest) == pytest.approx(float(found.counts @ found.ranges) / largest)


def test_what_is_rejected(run):
    with pytest.raises(ModelError, match="did you mean 'table.x'"):
        run.spectrum("tabel.x")
    with pytest.raises(ModelError, match="not a window"):
        run.spectrum("table.x", window="hat")
    with pytest.raises(ModelError, match="at least 4 points"):
        run.spectrum("table.x", segments=900)
    with pytest.raises(ModelError, match="equally spaced"):
        shaken([0.0, 0.1, 0.3, 0.4, 0.9]).spectrum("table.x")
    with pytest.raises(ModelError, match="two increasing numbers"):
        run.rainflow("table.x").histogram([1.0, 0.0])
    with pytest.raises(ModelError, match="at least two are needed"):
        shaken([0.0]).rainflow("table.x")
