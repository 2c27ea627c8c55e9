"""road_spectrum(speed, roughness): the roughness of a road as a spectrum for a linearized vehicle.

G(n) = G0 (n / n0)^-w          of the height over n, cycles per meter; n0 = 0.1 / m                      ISO 8608
S(w) = G(n) / (2 pi v)         of the height over the angular frequency w = 2 pi n v, one-sided
S_jk = S exp(-i w (d_j - d_k) / v) g(n, |y_j - y_k|)        of inputs d meters behind the first, in tracks at y

g is the coherency of two tracks of an isotropic surface, `road_coherency`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check

# G0 in m3, the geometric mean of each class
CLASSES = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
REFERENCE = 0.1  # n0


def road_spectrum(
    speed: float,
    roughness: str | float = "C",
    behind: Sequence[float] = (),
    waviness: float = 2.0,
    across: Sequence[float] = (),
) -> Callable[[Any], np.ndarray]:
    """The spectrum of a road under a vehicle, as a function of angular frequency for linear.spectrum().

    `roughness` is a class of ISO 8608, "A" (smooth) to "H", or G0 in m3. `behind` lists the distance of
    each input, in meters, behind the first wheel: the function then returns the cross spectra of all inputs. By default
    there is one input. `across` lists the y of each input; by default all are in one track. Tracks apart are less
    coherent the shorter the waves are.

    >>> from cardan import road_spectrum
    >>> density = road_spectrum(20.0, "C")
    >>> w = 2.0 * 3.141592653589793 * 20.0 * 0.1           # at n0: 256e-6 / (2 pi 20)
    >>> round(float(density(w)[0]) * 2.0 * 3.141592653589793 * 20.0 * 1e6, 9)
    256.0
    >>> road_spectrum(20.0, "C", behind=(0.0, 2.6))([w, 2.0 * w]).shape
    (2, 2, 2)
    """
    speed = check.positive(speed, "the speed of road_spectrum()")
    waviness = check.positive(waviness, "the waviness of road_spectrum()")
    size = roughness_of(roughness, "road_spectrum()")
    places = np.array([check.number(d, "a distance of road_spectrum()") for d in behind])
    sides = np.array([check.number(y, "a y of road_spectrum()") for y in across])
    if sides.size and sides.size != places.size:
        raise ModelError(f"road_spectrum() needs one y for each of {places.size} distances behind, got {sides.size}")

    def density(frequencies: Any) -> np.ndarray:
        w = np.atleast_1d(np.asarray(frequencies, float))
        if not (w > 0.0).all():
            raise ModelError("the spectrum of a road is infinite at frequency zero: use positive frequencies")
        one = size * (w / (2.0 * np.pi * speed * REFERENCE)) ** -waviness / (2.0 * np.pi * speed)
        if not places.size:
            return np.asarray(one)
        late = (places[:, None] - places) / speed
        found = one[:, None, None] * np.exp(-1j * w[:, None, None] * late)
        if sides.size:
            apart, n = np.abs(sides[:, None] - sides), w[:, None, None] / (2.0 * np.pi * speed)
            found = found * road_coherency(n, apart, waviness)
        return np.asarray(found)

    return density


def roughness_of(roughness: Any, what: str) -> float:
    """G0 in m3 of a class of ISO 8608, or as stated."""
    if isinstance(roughness, str):
        return CLASSES[check.choice(roughness, tuple(CLASSES), f"the roughness of {what}")]
    return check.positive(roughness, f"the roughness of {what}")


def road_coherency(n: Any, distance: Any, waviness: float = 2.0) -> np.ndarray:
    """The cross spectrum of two parallel tracks over that of one, on a surface as rough in all directions (Kamash and
    Robson 1978): g = 2 (pi n b)^(w/2) K_(w/2)(2 pi n b) / Gamma(w/2), 1 for long waves and 0 for short ones."""
    from scipy.special import kv

    order = 0.5 * waviness
    reach = np.asarray(2.0 * np.pi * np.asarray(n, float) * np.asarray(distance, float))
    safe = np.where(reach > 0.0, reach, 1.0)
    return np.where(reach > 0.0, 2.0 * (0.5 * safe) ** order * kv(order, safe) / math.gamma(order), 1.0)
