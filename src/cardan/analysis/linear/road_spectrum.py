"""road_spectrum(speed, roughness): the roughness of a road as a spectrum for a linearized vehicle.

G(n) = G0 (n / n0)^-w          of the height over n, cycles per meter; n0 = 0.1 / m                      ISO 8608
S(w) = G(n) / (2 pi v)         of the height over the angular frequency w = 2 pi n v, one-sided
S_jk = S exp(-i w (d_j - d_k) / v)          of inputs that are d meters behind the first, on the same road
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check

# G0 in m3, the geometric mean of each class
CLASSES = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
REFERENCE = 0.1  # n0


def road_spectrum(
    speed: float, roughness: str | float = "C", behind: Sequence[float] = (), waviness: float = 2.0
) -> Callable[[Any], np.ndarray]:
    """The spectrum of a road under a vehicle, as a function of angular frequency for linear.spectrum().

    `roughness` is a class of ISO 8608, "A" (smooth) to "H", or G0 in m3. `behind` lists the distance of
    each input, in meters, behind the first wheel: the function then returns the cross spectra of all inputs. By default
    there is one input.

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
    if isinstance(roughness, str):
        check.choice(roughness, tuple(CLASSES), "the roughness of road_spectrum()")
        size = CLASSES[roughness]
    else:
        size = check.positive(roughness, "the roughness of road_spectrum()")
    places = np.array([check.number(d, "a distance of road_spectrum()") for d in behind])

    def density(frequencies: Any) -> np.ndarray:
        w = np.atleast_1d(np.asarray(frequencies, float))
        if not (w > 0.0).all():
            raise ModelError("the spectrum of a road is infinite at frequency zero: use positive frequencies")
        one = size * (w / (2.0 * np.pi * speed * REFERENCE)) ** -waviness / (2.0 * np.pi * speed)
        if not places.size:
            return np.asarray(one)
        late = (places[:, None] - places) / speed
        return np.asarray(one[:, None, None] * np.exp(-1j * w[:, None, None] * late))

    return density
