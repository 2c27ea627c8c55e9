r"""random_road(length, roughness): a road with the spectrum of ISO 8608, the same for the same seed.

    G(n) = G0 (n / n0)^-w                 density of the height over n, cycles per meter; n0 = 0.1 / m, w = 2
    h(x) = sum_k A_k cos(2 pi n_k x + phi_k),    n_k = k / length,   A_k = (2 G(n_k) / length)^(1/2)

The phases are random, the amplitudes are not: over its length each track has exactly the spectrum that was asked for.

Two tracks at a distance b are those of a surface with the same roughness in all directions (isotropic; Kamash and
Robson 1978). Their coherency, the cross spectrum over G, is

    g(n) = 2 (pi n b)^(w/2) K_(w/2)(2 pi n b) / Gamma(w/2)               K: modified Bessel function

near 1 for long waves, near 0 for short ones. The right track has the phase phi_k +- arccos g(n_k) with random signs:
the real part of the cross spectrum is g G at every n_k, and its imaginary part is zero in the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.analysis.linear.road_spectrum import REFERENCE, road_coherency, roughness_of
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.road import Road
from cardan.vehicles.roughness import roughness_index

Curve = NDArray[np.float64]
BAND = (0.011, 2.83)  # cycles per meter: ISO 8608 fits its classes between these
MAX_ROAD_POINTS = 1_000_000
POINTS_PER_WAVE = 6.0  # points per shortest wave: a cubic spline through them is within 1 % of the wave


@dataclass(frozen=True, eq=False)
class RoadProfile:
    """Heights of two tracks at equally spaced x; made by `random_road`.

    `roughness` is G0 in m3, `waviness` w, `band` the least and greatest spatial frequency, `distance` that of the two
    tracks.
    """

    x: Curve
    left: Curve
    right: Curve
    roughness: float
    waviness: float
    band: tuple[float, float]
    distance: float
    seed: int

    @property
    def length(self) -> float:
        """The length after which the profile repeats."""
        return float(self.x[-1] - self.x[0])

    def road(self, start: float = 0.0, blend: float = 10.0, repeats: int = 1, name: str = "road") -> Road:
        """A road for tires, with its tracks at y = distance / 2 on the left and -distance / 2 on the right.

        It begins at x = start. Over the first and last `blend` meters the heights grow from zero and fall back to zero;
        before and behind it is level: a vehicle can start at rest on its tires. With 0 the profile begins at once. The
        profile `repeats` without a step: the response of a vehicle becomes periodic.
        """
        begin, way = check.number(start, "the start of a road"), check.number(blend, "blend")
        count = check.count(repeats, "repeats")
        if not 0.0 <= way <= 0.5 * count * self.length:
            raise ModelError(f"blend must be between 0 and {0.5 * count * self.length:g} m, half the road, got {way:g}")
        x = np.linspace(0.0, count * self.length, count * (self.x.size - 1) + 1)
        fade = np.ones_like(x)
        if way > 0.0:
            inside = np.clip(np.minimum(x, x[-1] - x) / way, 0.0, 1.0)
            fade = inside**3 * (10.0 + inside * (6.0 * inside - 15.0))
        left, right = (fade * np.append(np.tile(track[:-1], count), track[0]) for track in (self.left, self.right))
        if self.distance == 0.0:
            return Road.along(begin + x, left, kind="spline", ends="level", name=name)
        sides = 0.5 * self.distance, -0.5 * self.distance
        return Road.tracks(begin + x, left, right, y=sides, kind="spline", ends="level", name=name)

    def density(self, track: str = "left") -> tuple[Curve, Curve]:
        """Spatial frequencies in cycles per meter and the power spectral density of a track in m3: its periodogram."""
        heights = self.left if check.choice(track, ("left", "right"), "the track") == "left" else self.right
        count = heights.size - 1
        lines = np.fft.rfft(heights[:-1]) / count
        return np.arange(1, lines.size) / self.length, 2.0 * np.abs(lines[1:]) ** 2 * self.length

    def coherency(self, bands: int = 20) -> tuple[Curve, Curve]:
        """Spatial frequencies and the real part of the cross spectrum over the spectra of both tracks, in `bands`."""
        count = self.left.size - 1
        one, two = (np.fft.rfft(track[:-1])[1:] for track in (self.left, self.right))
        n = np.arange(1, count // 2 + 1) / self.length
        edges = np.geomspace(max(self.band[0], n[0]), self.band[1], check.count(bands, "bands") + 1)
        place = np.digitize(n, edges) - 1
        used = [k for k in range(edges.size - 1) if (place == k).any()]
        powers = (one * two.conj()).real, np.abs(one) ** 2, np.abs(two) ** 2
        sums = [np.array([values[place == k].sum() for k in used]) for values in powers]
        return np.array([n[place == k].mean() for k in used]), sums[0] / np.sqrt(sums[1] * sums[2])

    def roughness_index(self, track: str = "left") -> float:
        """The international roughness index of a track in m/km, see `roughness_index`."""
        heights = self.left if check.choice(track, ("left", "right"), "the track") == "left" else self.right
        return roughness_index(self.x, heights)

    def __repr__(self) -> str:
        return (
            f"<road of {self.length:g} m: G0 = {self.roughness:.3g} m3, waviness {self.waviness:g}, tracks "
            f"{self.distance:g} m apart, IRI {self.roughness_index('left'):.3g} and "
            f"{self.roughness_index('right'):.3g} m/km>"
        )


def random_road(
    length: float,
    roughness: str | float = "C",
    *,
    distance: float = 1.5,
    waviness: float = 2.0,
    band: ArrayLike = BAND,
    seed: int = 0,
) -> RoadProfile:
    """A random road of a `length` in m and a class of ISO 8608, "A" (smooth) to "H", or with G0 in m3.

    `distance` is that of the left and right track, 0 makes them equal. Waves have spatial frequencies within `band`, in
    cycles per meter. The same `seed` gives the same road on all machines. Wheels touch a road at one point: leave out
    waves shorter than the contact patch of a tire, about 0.2 m.

    >>> from cardan.vehicles import random_road
    >>> profile = random_road(500.0, "B", seed=3)
    >>> n, density = profile.density()
    >>> round(float(density[49] * 1e6), 6)                     # at 50 / 500 m = n0: that of class B
    64.0
    >>> road = profile.road(start=5.0)                         # Tire(ground, wheel, road, data)
    """
    whole = check.positive(length, "the length of random_road()")
    size = roughness_of(roughness, "random_road()")
    apart, slope = check.number(distance, "the distance of the tracks"), check.positive(waviness, "the waviness")
    if apart < 0.0:
        raise ModelError(f"the distance of the tracks of random_road() must not be negative, got {apart:g}")
    low, high = check.vector(band, 2, "the band of random_road()")
    if not 0.0 < low < high:
        raise ModelError(f"the band of random_road() must be two growing positive numbers, got {low:g} and {high:g}")
    lines = np.arange(math.ceil(low * whole - 1e-9), math.floor(high * whole + 1e-9) + 1)
    if lines.size < 2:
        raise ModelError(f"a road of {whole:g} m holds no two waves between {low:g} and {high:g} cycles per meter")
    count = 2 * math.ceil(0.5 * POINTS_PER_WAVE * high * whole)
    if count > MAX_ROAD_POINTS:
        raise ModelError(
            f"a road of {whole:g} m with {high:g} cycles per meter needs {count} points, more than "
            f"{MAX_ROAD_POINTS}: make it shorter, or its band narrower"
        )
    random = np.random.Generator(np.random.PCG64(check.number(seed, "the seed").__int__()))
    n = lines / whole
    amplitudes = np.sqrt(2.0 * size * (n / REFERENCE) ** -slope / whole)
    phases = random.uniform(0.0, 2.0 * math.pi, lines.size)
    turned = np.arccos(np.clip(road_coherency(n, apart, slope), -1.0, 1.0))
    turned *= np.where(random.uniform(size=lines.size) < 0.5, -1.0, 1.0)
    tracks = [_waves(amplitudes * np.exp(1j * phase), lines, count) for phase in (phases, phases + turned)]
    x = np.linspace(0.0, whole, count + 1)
    return RoadProfile(x, tracks[0], tracks[1], size, slope, (low, high), apart, int(seed))


def _waves(lines: NDArray[np.complex128], places: NDArray[Any], count: int) -> Curve:
    """The sum of all waves at count + 1 points, the last like the first."""
    table = np.zeros(count // 2 + 1, complex)
    table[places] = 0.5 * count * lines
    heights = np.fft.irfft(table, count)
    return np.append(heights, heights[0])
