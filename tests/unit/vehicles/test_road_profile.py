"""Random roads: spectrum, coherence of the tracks, roughness index, roads for tires, rejected input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from cardan import ModelError, road_spectrum
from cardan.analysis.linear.road_spectrum import road_coherency
from cardan.vehicles import random_road, roughness_index
from cardan.vehicles.roughness import DAMPER, PATCH, SPEED, SPRING, TIRE, WHEEL
from folding import folded


@folded("roughness, size, waviness", [("A", 16e-6, 2.0), ("D", 1024e-6, 2.0), (5e-5, 5e-5, 2.5), ("H", 0.262144, 1.8)])
def test_each_track_has_the_spectrum_of_its_class(roughness, size, waviness):
    """At every line of the periodogram, to rounding; zero outside the band."""
    profile = random_road(200.0, roughness, waviness=waviness, seed=7)
    for track in ("left", "right"):
        n, density = profile.density(track)
        inside = (n >= 0.011) & (n <= 2.83)
        assert density[inside] == pytest.approx(size * (n[inside] / 0.1) ** -waviness, rel=1e-9)
        assert density[~inside].max() < 1e-15 * density.max()
    variance = (2.0 * size * (np.arange(3, 567) / 200.0 / 0.1) ** -waviness / 200.0).sum() / 2.0
    assert np.mean(profile.left[:-1] ** 2) == pytest.approx(variance, rel=1e-9)


def test_the_coherency_is_that_of_an_isotropic_surface():
    """The cross spectrum of two tracks is the integral of the surface's spectrum (n^2 + m^2)^(-(w+1)/2) cos(2 pi m b)
    over m, over that for b = 0."""
    for waviness, n, b in ((2.0, 0.1, 1.5), (2.0, 0.5, 1.5), (2.6, 0.2, 0.8)):
        shape = lambda m, n=n, w=waviness: (n * n + m * m) ** (-0.5 * (w + 1.0))  # noqa: E731
        whole = integrate.quad(shape, 0.0, np.inf)[0]
        crossed = integrate.quad(shape, 0.0, np.inf, weight="cos", wvar=2.0 * np.pi * b)[0]
        assert float(road_coherency(n, b, waviness)) == pytest.approx(crossed / whole, rel=1e-6)
    assert road_coherency([0.0, 1e9], 1.5).tolist() == [1.0, 0.0]


def test_tracks_are_as_coherent_as_stated():
    """The real part of the cross spectrum is that of the definition at every line, to rounding."""
    profile = random_road(300.0, "C", distance=1.4, seed=1)
    one, two = (np.fft.rfft(track[:-1]) for track in (profile.left, profile.right))
    lines = np.arange(4, 849)
    ratio = (one * two.conj()).real[lines] / np.abs(one[lines]) ** 2
    assert ratio == pytest.approx(road_coherency(lines / 300.0, 1.4), abs=1e-9)
    n, measured = profile.coherency(8)
    assert measured[0] > 0.9 and abs(measured[-1]) < 0.01 and n.size == 8
    # signs of the phases are random: the imaginary part has the mean zero, with 845 lines to 3 sigma
    assert abs((one * two.conj()).imag[lines] / np.abs(one[lines]) ** 2).mean() > 0.1
    assert abs(((one * two.conj()).imag[lines] / np.abs(one[lines]) ** 2).mean()) < 3.0 / math.sqrt(845.0)


def test_equal_seeds_give_equal_roads():
    """The first heights are pinned: the generator of NumPy is the same on all machines."""
    one, two, other = random_road(50.0, seed=5), random_road(50.0, seed=5), random_road(50.0, seed=6)
    assert np.array_equal(one.left, two.left) and not np.array_equal(one.left, other.left)
    assert np.array_equal(random_road(50.0, distance=0.0).left, random_road(50.0, distance=0.0).right)


def test_a_road_for_tires():
    """Level at both ends, and through the points of the profile between."""
    profile = random_road(60.0, "C", seed=2)
    road = profile.road(start=3.0, blend=5.0)
    assert road.height([-5.0, 3.0, 63.0, 99.0], 0.75) == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=1e-15)
    middle = (profile.x > 6.0) & (profile.x < 54.0)
    assert road.height(3.0 + profile.x[middle], 0.75) == pytest.approx(profile.left[middle], abs=1e-12)
    assert road.height(3.0 + profile.x[middle], -0.75) == pytest.approx(profile.right[middle], abs=1e-12)


def slope_gain(n):
    """|z_s' - z_u'| / v over the amplitude of the slope, of waves with n cycles per meter, by Newton's law for both
    masses; the moving average takes sin(pi n b) / (pi n b)."""
    s = 2j * math.pi * n * SPEED
    matrix = np.array([
        [s * s + DAMPER * s + SPRING, -DAMPER * s - SPRING],
        [-DAMPER * s - SPRING, WHEEL * s * s + DAMPER * s + SPRING + TIRE],
    ])  # fmt: skip
    body, wheel = np.linalg.solve(matrix, np.array([0.0, TIRE]))
    return abs(body - wheel) * abs(np.sinc(n * PATCH))


@folded("wave", [1.5, 3.0, 8.0, 20.0])
def test_the_roughness_index_of_waves(wave):
    """The mean of |sin| is 2 / pi. The car starts at rest: its transient of half a second is 11 of 2000 m;
    points 0.02 m apart are linear between: (pi 0.02 / 1.5)^2 / 3 = 6e-4 of the shortest waves."""
    x = np.arange(0.0, 2000.0, 0.02)
    n = 1.0 / wave
    expected = 1000.0 * 2.0 / math.pi * slope_gain(n) * 2.0 * math.pi * n * 1e-3
    assert roughness_index(x, 1e-3 * np.sin(2.0 * math.pi * n * x)) == pytest.approx(expected, rel=5e-3)


def test_the_roughness_index_of_classes():
    """For Gaussian roads IRI = (2 / pi)^(1/2) times the standard deviation of the car's response. Kropac and Mucka
    (2005) give IRI = 2.21 (G(1 rad/m) / 1e-6 m3)^(1/2) m/km, which is 2.21 for class A."""
    n = np.arange(3, 566) / 200.0
    power = sum(slope_gain(k) ** 2 * (2.0 * math.pi * k) ** 2 * 16e-6 * (k / 0.1) ** -2.0 for k in n) / 200.0
    expected = 1000.0 * math.sqrt(2.0 / math.pi * power)
    assert expected == pytest.approx(2.21, rel=0.05)
    found = np.mean([random_road(200.0, "A", seed=k).roughness_index() for k in range(20)])
    assert found == pytest.approx(expected, rel=0.05)  # 20 roads of 200 m: their scatter is 2 %
    assert "IRI" in repr(random_road(200.0, "A"))


def test_a_ramp_is_not_rough():
    x = np.arange(0.0, 50.0, 0.1)
    assert roughness_index(x, 0.03 * x) == pytest.approx(0.0, abs=1e-9)


def test_cross_spectra_of_four_wheels():
    """The wheels of one axle share the coherency of their tracks, those of one side the delay."""
    density = road_spectrum(20.0, "C", behind=(0.0, 0.0, 2.6, 2.6), across=(0.75, -0.75, 0.75, -0.75))
    w = np.array([5.0, 50.0])
    table, one = density(w), road_spectrum(20.0, "C")(w)
    g = road_coherency(w / (2.0 * np.pi * 20.0), 1.5)
    assert table[:, 0, 1] == pytest.approx(one * g)
    assert table[:, 2, 0] == pytest.approx(one * np.exp(-1j * w * 2.6 / 20.0))
    assert table[:, 3, 0] == pytest.approx(one * g * np.exp(-1j * w * 2.6 / 20.0))
    assert np.linalg.eigvalsh(table).min() > -1e-12 * one.max()


@folded(
    "call, message",
    [
        (lambda: random_road(-1.0), "length"),
        (lambda: random_road(100.0, "Z"), "roughness"),
        (lambda: random_road(100.0, 0.0), "roughness"),
        (lambda: random_road(100.0, distance=-1.0), "must not be negative"),
        (lambda: random_road(100.0, band=(2.0, 1.0)), "growing positive"),
        (lambda: random_road(0.1), "holds no two waves"),
        (lambda: random_road(1e6), "more than 1000000"),
        (lambda: random_road(100.0).road(blend=60.0), "between 0 and 50 m"),
        (lambda: random_road(100.0).density("middle"), "track"),
        (lambda: roughness_index([0.0, 1.0, 3.0], [0.0, 0.0, 0.0]), "equally spaced"),
        (lambda: roughness_index([0.0, 1.0, 2.0], [0.0, 0.0, 0.0]), "at most 0.3 m apart"),
        (lambda: roughness_index([0.0, 1.0], [0.0]), "one finite height"),
        (lambda: road_spectrum(20.0, "C", behind=(0.0, 2.6), across=(0.0,)), "one y for each of 2"),
    ],
)
def test_rejected(call, message):
    with pytest.raises(ModelError, match=message):
        call()
