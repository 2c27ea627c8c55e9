r"""Forces between a cam and its follower at constant speed, and the spring that keeps them together.

    F = m y'' w^2 + preload + k y + load          along the motion of the follower, m its mass or moment of inertia
    N = F / cos(phi) / lever                      contact force; lever 1 for a translating follower
    T = F y'                                      torque on the shaft, without friction

The follower stays on the cam if F > 0 at all angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.planar.cams.cam_design import CamDesign


@dataclass(frozen=True, eq=False)
class CamLoads:
    """Over the angles of the design: the force (torque of a swinging follower) that the cam applies along the motion of
    the follower, and the torque that drives the shaft."""

    angles: np.ndarray
    force: np.ndarray
    torque: np.ndarray

    @property
    def lifts_off(self) -> bool:
        """Whether the follower leaves the cam."""
        return bool(self.force.min() < 0.0)


@dataclass(frozen=True)
class CamSpring:
    """A spring on the follower: its preload at lift 0 and its rate, in N and N/m, or N m and N m/rad if it swings.

    `at` is the angle of the cam at which the contact force is least, `natural_frequency` in rad/s that of the follower
    on the spring.
    """

    preload: float
    rate: float
    least_force: float
    at: float
    natural_frequency: float


def loads_of(
    design: CamDesign, mass: float, speed: float, *, preload: float = 0.0, rate: float = 0.0, load: float = 0.0
) -> CamLoads:
    """Force and shaft torque of a follower with a `mass` (moment of inertia about its pivot if it swings) at `speed`
    rad/s, with a spring of given preload and rate and a constant `load` against the lift, such as its weight."""
    mass, speed = _checked(mass, speed)
    y, v, a, _ = design.svaj
    force = mass * speed**2 * a + check.number(preload, "the preload") + check.number(rate, "the rate") * y
    force = force + check.number(load, "the load")
    return CamLoads(design.angles, force, force * v)


def least_spring(
    design: CamDesign,
    mass: float,
    speed: float,
    *,
    preload: float | None = None,
    rate: float | None = None,
    load: float = 0.0,
    margin: float = 0.0,
) -> CamSpring:
    """The weakest spring that keeps the force on the cam at `margin` or more: the least rate for a given `preload`, or
    the least preload for a given `rate`. `load` acts against the lift, as in `loads_of`."""
    mass, speed = _checked(mass, speed)
    if (preload is None) == (rate is None):
        raise ModelError("give the preload of the spring, to find its rate, or its rate, to find its preload")
    y, _, a, _ = design.svaj
    needed = check.number(margin, "the margin") - check.number(load, "the load") - mass * speed**2 * a
    if rate is not None:
        rate = check.number(rate, "the rate")
        preload = max(float((needed - rate * y).max()), 0.0)
    else:
        preload = check.number(preload, "the preload")
        low = y <= 1e-9 * y.max()
        if (needed[low] > preload).any():
            k = int(np.argmax(np.where(low, needed, -math.inf)))
            raise ModelError(
                f"at lift 0 the spring force is its preload, but {needed[k]:.6g} is needed at "
                f"{math.degrees(design.angles[k]):.4g} degrees; state a preload of at least that"
            )
        rate = max(float(((needed - preload)[~low] / y[~low]).max(initial=0.0)), 0.0)
    left = preload + rate * y - needed + margin
    k = int(np.argmin(left))
    return CamSpring(preload, rate, float(left[k]), float(design.angles[k]), math.sqrt(rate / mass))


def _checked(mass: Any, speed: Any) -> tuple[float, float]:
    return check.positive(mass, "the mass of a follower"), check.number(speed, "the speed of a cam")
