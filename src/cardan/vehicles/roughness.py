r"""roughness_index(x, heights): the international roughness index of a measured or computed profile, ASTM E1926.

       [ z_s ]            a quarter car at 80 km/h: k_s / m_s = 63.3 / s2, k_t / m_s = 653 / s2,
      k_s Z | |= c        c / m_s = 6 / s, m_u / m_s = 0.15
       [ z_u ]
        k_t Z             IRI = 1/L integral |z_s' - z_u'| dx / v
     ___.--.___ h(x)

The profile is first smoothed by a moving average over 0.25 m, the length of a contact patch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, signal

from cardan.errors import ModelError

SPEED = 80.0 / 3.6  # m/s
SPRING, TIRE, DAMPER, WHEEL = 63.3, 653.0, 6.0, 0.15  # over the sprung mass
PATCH, ENTRY = 0.25, 11.0  # m: moving average, and the length whose mean slope starts the car
COARSEST = 0.3  # m between points


def roughness_index(x: ArrayLike, heights: ArrayLike) -> float:
    """The international roughness index in m/km of a profile: heights in m at equally spaced x.

    >>> import numpy as np
    >>> from cardan.vehicles import roughness_index
    >>> x = np.arange(0.0, 400.0, 0.1)
    >>> round(roughness_index(x, 0.001 * np.sin(2.0 * np.pi * x / 2.0)), 2)       # waves of 2 m
    2.92
    """
    place, height = np.asarray(x, float), np.asarray(heights, float)
    if place.ndim != 1 or place.shape != height.shape or not (np.isfinite(place).all() and np.isfinite(height).all()):
        raise ModelError("roughness_index() needs one finite height for each x")
    steps = np.diff(place)
    if steps.size < 2 or not steps.min() > 0.0 or np.ptp(steps) > 1e-6 * steps.mean():
        raise ModelError("roughness_index() needs equally spaced, growing x")
    step = float(steps.mean())
    if step > COARSEST or place[-1] - place[0] < ENTRY:
        raise ModelError(
            f"roughness_index() needs points at most {COARSEST:g} m apart on at least {ENTRY:g} m of road, got "
            f"{step:.3g} m on {place[-1] - place[0]:.4g} m"
        )
    slope = np.diff(_smoothed(height, step)) / step
    start = float(np.interp(ENTRY, place - place[0], height) - height[0]) / ENTRY
    A, B = _quarter_car()
    dt = step / SPEED
    block = linalg.expm(np.block([[A, B[:, None]], [np.zeros((1, 5))]]) * dt)
    C = np.array([[0.0, 1.0, 0.0, -1.0]])
    state = np.array([0.0, 0.0, 0.0, 0.0])  # relative to a plane of the mean slope: a ramp gives no roughness
    system = signal.dlti(block[:4, :4], block[:4, 4:], C, np.zeros((1, 1)), dt=dt)
    _, output, _ = signal.dlsim(system, (slope - start)[:, None], x0=state)
    return 1000.0 * float(np.mean(np.abs(output[:, 0])))


def _smoothed(height: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """The moving average over the contact patch, exact for a profile that is linear between points; at both ends over
    the part of the patch that is symmetric."""
    area = np.concatenate([[0.0], np.cumsum(0.5 * (height[1:] + height[:-1]))])
    index = np.arange(height.size, dtype=float)
    half = np.minimum(0.5 * PATCH / step, np.minimum(index, height.size - 1.0 - index))

    def integral(at: NDArray[np.float64]) -> NDArray[np.float64]:
        k = np.minimum(at.astype(int), height.size - 2)
        s = at - k
        return np.asarray(area[k] + s * height[k] + 0.5 * s * s * (height[k + 1] - height[k]))

    over = integral(index + half) - integral(index - half)
    return np.where(half > 0.0, over / np.where(half > 0.0, 2.0 * half, 1.0), height)


def _quarter_car() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x' = A x + B h' of x = (z_s - z_u, z_s'/v, z_u - h, z_u'/v) where h' is the slope: velocities over the speed."""
    v = SPEED
    A = np.array([
        [0.0, v, 0.0, -v],
        [-SPRING / v, -DAMPER, 0.0, DAMPER],
        [0.0, 0.0, 0.0, v],
        [SPRING / WHEEL / v, DAMPER / WHEEL, -TIRE / WHEEL / v, -DAMPER / WHEEL],
    ])  # fmt: skip
    return A, np.array([0.0, 0.0, -v, 0.0])
