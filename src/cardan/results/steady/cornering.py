"""Steady cornering: a sequence of steady turns of a vehicle, with the stability of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cardan.results.steady.steady_motion import SteadyMotion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cornering:
    """Steady turns along a test, one entry per turn; made by `steady_cornering`.

    `speed`, `radius`, `lateral_acceleration` (v^2 / R), `steering` (the value of the free steering element),
    `side_slip` and `roll` (rad, positive to the right) of the body are arrays. `motions` are the turns themselves.
    `eigenvalues` lists those of each linearized turn without the ones of symmetry: a vehicle may be moved and turned on
    its road, and wheels may be turned, without effect. `stable` is True where all the others decay. A test that ends
    early, because no further turn was found, has a `reason`.
    """

    speed: Curve
    radius: Curve
    lateral_acceleration: Curve
    steering: Curve
    side_slip: Curve
    roll: Curve
    motions: tuple[SteadyMotion, ...]
    eigenvalues: tuple[NDArray[np.complex128], ...]
    symmetry: tuple[NDArray[np.complex128], ...]
    wheelbase: float
    steering_ratio: float
    reason: str = ""

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether each turn is stable; a turn with an eigenvalue that neither grows nor decays is not."""
        return np.array([bool(np.all(values.real < 0.0)) for values in self.eigenvalues])

    @property
    def steering_angle(self) -> Curve:
        """The steering angle at the wheels, `steering / steering_ratio`."""
        return self.steering / self.steering_ratio

    @property
    def understeer(self) -> Curve:
        """delta - L / R in rad: the steering angle beyond that of a turn without side forces (handling diagram)."""
        return self.steering_angle - self.wheelbase / self.radius

    @property
    def understeer_gradient(self) -> Curve:
        """d(delta - L / R) / d(lateral acceleration) in rad s2/m; positive: understeer. At least three turns."""
        return np.gradient(self.understeer, self.lateral_acceleration, edge_order=2)

    def plot(self) -> Figure:
        """A figure with the handling diagram, side slip, roll and the slowest eigenvalue."""
        from cardan.shortcuts import one_page

        return one_page(self)

    def __repr__(self) -> str:
        unstable = int(np.count_nonzero(~self.stable))
        words = "all stable" if not unstable else f"{unstable} unstable"
        low, high = self.lateral_acceleration.min(), self.lateral_acceleration.max()
        end = f"; ended early: {self.reason}" if self.reason else ""
        return f"<Cornering: {self.speed.size} turns from {low:.3g} to {high:.3g} m/s2, {words}{end}>"
