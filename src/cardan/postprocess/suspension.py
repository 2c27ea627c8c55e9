r"""Quantities of a wheel suspension, as they are read from drawings and test rigs (ISO 8855): x ahead, y left, z up.

      kingpin axis  \   | | wheel          toe        > 0: the front of the wheel points inward
                     \  | |                camber     > 0: the top of the wheel leans outward
                      \ |C|--- axle        caster     > 0: the top of the kingpin axis leans backward
                       \| |                kingpin inclination > 0: it leans inward
      ------------------K-P------ ground   scrub radius > 0: the contact point P is outside of K, trail > 0: behind K

The roll center X is where a side force on both wheels raises neither side: v . (X - P) = 0 for both contact points, in
the plane across the car; v is the velocity of the point of the wheel carrier at P.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.marker import Marker
from cardan.results.trajectory import Trajectory
from cardan.shortcuts import one_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class SuspensionWheel:
    """A wheel on its carrier: markers of the carrier at the wheel center, whose z axis is the axle, and at two points
    of the kingpin axis; and the radius of the tire."""

    center: Marker
    radius: float
    lower: Marker
    upper: Marker

    def __post_init__(self) -> None:
        for name in ("center", "lower", "upper"):
            check.instance(getattr(self, name), Marker, f"{name} of a SuspensionWheel", hint="body.at(...)")
            if len(getattr(self, name).place) != 3:
                raise ModelError(f"{name} of a SuspensionWheel must be a spatial marker, got {getattr(self, name)}")
        check.positive(self.radius, "the radius of a SuspensionWheel")
        if not self.center.body is self.lower.body is self.upper.body:
            raise ModelError(
                f"center, lower and upper of a SuspensionWheel must be markers of one body, got {self.center}, "
                f"{self.lower} and {self.upper}"
            )


class WheelMotion:
    """One wheel along a run; angles in rad, lengths in m. `force` is the vertical force of the ground, if known."""

    def __init__(self, run: Trajectory, wheel: SuspensionWheel, force: Curve | None = None) -> None:
        check.instance(run, Trajectory, "the run of a WheelMotion", hint="quasi_static() returns one")
        check.instance(wheel, SuspensionWheel, "the wheel of a WheelMotion")
        self.run, self.wheel, self._force = run, wheel, force
        self._center = run[wheel.center].position
        self.side = 1.0 if self._center[0, 1] >= 0.0 else -1.0  # left: 1, right: -1
        local, _ = run.system.space.marker_in_space(wheel.center)
        axle = run[wheel.center.body].matrix @ local[:, 2]
        self.axle: Curve = axle * np.sign(self.side * axle[:, 1])[:, None]  # outward
        if np.any(np.abs(axle[:, 1]) < 0.5):
            raise ModelError(
                f"the axle of {wheel.center}, its z axis, must point across the car, along y; it points along "
                f"{axle[0].round(3).tolist()}"
            )

    @property
    def toe(self) -> Curve:
        return np.arctan2(self.axle[:, 0], self.side * self.axle[:, 1])

    @property
    def camber(self) -> Curve:
        return -np.arcsin(np.clip(self.axle[:, 2], -1.0, 1.0))

    @property
    def caster(self) -> Curve:
        return np.arctan2(-self._kingpin[:, 0], self._kingpin[:, 2])

    @property
    def kingpin_inclination(self) -> Curve:
        return np.arctan2(-self.side * self._kingpin[:, 1], self._kingpin[:, 2])

    @cached_property
    def contact(self) -> Curve:
        """P: the lowest point of the wheel."""
        down = -UP + self.axle[:, 2:] * self.axle
        return np.asarray(self._center + self.wheel.radius * down / np.linalg.norm(down, axis=1)[:, None])

    @property
    def scrub_radius(self) -> Curve:
        return np.sum(self._offset * self._across, axis=1)

    @property
    def trail(self) -> Curve:
        """The distance of the contact point behind the kingpin axis, along the wheel."""
        ahead = self.side * np.cross(self._across, UP)
        return -np.sum(self._offset * ahead, axis=1)

    @property
    def travel(self) -> Curve:
        """The height of the wheel center above its height in the middle of the run, at the time nearest to zero."""
        height = self._center[:, 2]
        return np.asarray(height - height[int(np.argmin(np.abs(self.run.times)))])

    @property
    def force(self) -> Curve:
        """The vertical force of the ground on the wheel, N."""
        if self._force is None:
            raise ModelError("the vertical force of the wheel is not known: axle_sweep() computes it")
        return self._force

    @property
    def wheel_rate(self) -> Curve:
        """dF/dz: the vertical force by the height of the contact point, N/m, from a cubic spline through all points."""
        height = self.contact_velocity[:, 2]
        if np.any(height == 0.0):
            raise ModelError("the wheel rate needs a sweep in which the wheel travels: kind='parallel' or 'opposite'")
        return np.asarray(CubicSpline(self.run.times, self.force)(self.run.times, 1) / height)

    @cached_property
    def contact_velocity(self) -> Curve:
        """v: the velocity of the point of the wheel carrier at P."""
        turning = self.run[self.wheel.center.body].angular_velocity
        arm = self.contact - self._center
        return np.asarray(self.run[self.wheel.center].velocity + np.cross(turning, arm))

    @cached_property
    def _kingpin(self) -> Curve:
        """The direction of the kingpin axis, upward."""
        line = self.run[self.wheel.upper].position - self.run[self.wheel.lower].position
        if np.any(line[:, 2] == 0.0):
            raise ModelError(f"the kingpin axis from {self.wheel.lower} to {self.wheel.upper} must not be horizontal")
        return np.asarray(line * np.sign(line[:, 2])[:, None])

    @cached_property
    def _offset(self) -> Curve:
        """From K, where the kingpin axis meets the ground, to P."""
        low, line = self.run[self.wheel.lower].position, self._kingpin
        share = (self.contact[:, 2] - low[:, 2]) / line[:, 2]
        return np.asarray(self.contact - (low + share[:, None] * line))

    @property
    def _across(self) -> Curve:
        """The horizontal direction of the axle, outward."""
        level = self.axle * (1.0, 1.0, 0.0)
        return np.asarray(level / np.linalg.norm(level, axis=1)[:, None])


class AxleMotion:
    """Both wheels of an axle along a run, `left` and `right`; `kind` is the kind of sweep."""

    def __init__(
        self,
        run: Trajectory,
        left: SuspensionWheel,
        right: SuspensionWheel,
        *,
        kind: str = "",
        forces: tuple[Curve | None, Curve | None] = (None, None),
    ) -> None:
        self.run, self.kind = run, kind
        self.left, self.right = WheelMotion(run, left, forces[0]), WheelMotion(run, right, forces[1])
        if self.left.side < self.right.side or self.left.side == self.right.side:
            raise ModelError("an axle needs its left wheel, at y > 0, first, and its right wheel, at y < 0, second")

    @property
    def track(self) -> Curve:
        """The distance of the contact points across the car."""
        return np.asarray(self.left.contact[:, 1] - self.right.contact[:, 1])

    @cached_property
    def roll_center(self) -> Curve:
        """y and z of the roll center at each time; the point nearest to the middle if it is not determined."""
        sides = [(w.contact[:, 1:], w.contact_velocity[:, 1:]) for w in (self.left, self.right)]
        middle = 0.5 * (sides[0][0] + sides[1][0])
        found = np.full(middle.shape, np.nan)
        for k in range(len(middle)):
            rows = np.array([v[k] for _, v in sides])
            size = np.linalg.norm(rows, axis=1)
            if not size.all():
                continue
            rows /= size[:, None]
            away = [row @ (P[k] - middle[k]) for row, (P, _) in zip(rows, sides, strict=True)]
            found[k] = middle[k] + np.linalg.lstsq(rows, np.array(away), rcond=PARALLEL_SINE)[0]
        return found

    @property
    def roll_center_height(self) -> Curve:
        """The height of the roll center above the middle of the contact points."""
        return np.asarray(self.roll_center[:, 1] - 0.5 * (self.left.contact[:, 2] + self.right.contact[:, 2]))

    def anti_dive(self, brake_share: float, wheelbase: float, height: float) -> Curve:
        """The share of the load transfer in braking that the links carry, for brakes in the wheels.

        share (v_x / v_z) L / h        share: of the braking force at this axle, h: height of the mass center

        Positive: braking compresses a front axle less. For the lift of a rear axle take the negative.
        """
        L, h = check.positive(wheelbase, "the wheelbase"), check.positive(height, "the height of the mass center")
        share = check.number(brake_share, "brake_share")
        slopes = [w.contact_velocity[:, 0] / w.contact_velocity[:, 2] for w in (self.left, self.right)]
        return np.asarray(0.5 * share * (slopes[0] + slopes[1]) * L / h)

    def table(self) -> dict[str, Curve]:
        """All quantities by name, "left.toe" for example; angles in rad."""
        found = {"time": self.run.times}
        for side, wheel in (("left", self.left), ("right", self.right)):
            names = ["travel", "toe", "camber", "caster", "kingpin_inclination", "scrub_radius", "trail"]
            found |= {f"{side}.{name}": getattr(wheel, name) for name in names}
        return found | {"track": self.track}

    def plot(self) -> Figure:
        """A figure of toe, camber, caster, track, roll center and vertical force (needs matplotlib)."""
        return one_page(self)


PARALLEL_SINE = 1e-6  # sine of the angle between two lines below which they are parallel
