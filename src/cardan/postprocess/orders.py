"""Orders: the spectrum of a column over multiples of the speed of a shaft.

    run.orders("housing.ay", "shaft.angle", turns=8)

The column is sampled again at equal angles of the shaft (computed order tracking): what repeats n times per turn is one
line at order n, whatever the speed does. With `turns` the run is divided into blocks of as many turns, which overlap by
half: a waterfall of spectra over time or speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline

from cardan.errors import ModelError
from cardan.model import check
from cardan.postprocess.signals import column_values

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

MOST = 100_000  # samples of a block


@dataclass(frozen=True, eq=False)
class OrderSpectrum:
    """Amplitudes over orders: one row for each block, with the time of its middle and its mean speed in rad/s."""

    name: str
    unit: str
    rotation: str
    window: str
    orders: np.ndarray
    amplitudes: np.ndarray  # (blocks, orders), in the unit of the column
    times: np.ndarray
    speeds: np.ndarray

    def amplitude(self, order: float) -> np.ndarray:
        """The amplitude of an order in each block: that of the nearest line."""
        wanted = check.number(order, "the order")
        if not 0.0 <= wanted <= self.orders[-1]:
            raise ModelError(f"the orders of {self.name} range from 0 to {self.orders[-1]:g}, got {wanted:g}")
        return np.asarray(self.amplitudes[:, int(np.argmin(np.abs(self.orders - wanted)))])

    @property
    def peak(self) -> float:
        """The order of the largest amplitude."""
        return float(self.orders[int(np.argmax(self.amplitudes.max(axis=0)))])

    def __repr__(self) -> str:
        return (
            f"<orders of {self.name} over {self.rotation}: {len(self.times)} blocks, orders to {self.orders[-1]:g} "
            f"every {self.orders[1]:g}; largest amplitude {self.amplitudes.max():.6g} {self.unit} at {self.peak:g}>"
        )


def orders(
    run: Trajectory, column: str, rotation: str, turns: int | None = None, window: str = "hann"
) -> OrderSpectrum:
    """The amplitudes of a column without its mean over multiples of the speed of `rotation`, a column of angles in rad.

    `turns` is the length of a block, by default all whole turns of the run; orders are 1 / turns apart. The shaft must
    turn in one direction. Orders end where output times sample the fastest turn twice per period.

    >>> import math
    >>> import numpy as np
    >>> from cardan import kinematics
    >>> from cardan.planar import Body, Driver, Function, Model, Polynomial, Revolute, Translational
    >>> model = Model("shaker")
    >>> shaft = model.add(Body(), name="shaft")
    >>> table = model.add(Body(), name="table")
    >>> bearing = model.add(Revolute(model.ground.at(), shaft.at()), name="bearing")
    >>> rail = model.add(Translational(model.ground.at(), table.at()), name="rail")
    >>> _ = model.add(Driver(bearing.angle, Polynomial(0, 20, 15)), name="run-up")
    >>> _ = model.add(Driver(rail.travel, Function(lambda t: 0.02 * math.sin(3 * (20 * t + 15 * t**2)))), name="shake")
    >>> found = kinematics(model, np.linspace(0, 2, 4001)).orders("table.x", "shaft.angle", window="boxcar")
    >>> found.peak, round(float(found.amplitude(3)[0]), 6)
    (3.0, 0.02)
    """
    from scipy import signal

    values, unit = column_values(run, column)
    angle, angle_unit = column_values(run, rotation)
    if angle_unit != "rad":
        raise ModelError(
            f"the rotation of orders must be a column in rad; '{rotation}' is in {angle_unit or 'no unit'}"
        )
    angle = angle - angle[0]
    if angle[-1] < 0.0:
        angle = -angle
    steps = np.diff(angle)
    if not (steps > 0.0).all():
        time = float(run.times[int(np.argmin(steps))])
        raise ModelError(f"'{rotation}' does not turn in one direction: it stops or reverses near t = {time:.4g} s")
    highest = math.pi / float(steps.max())
    total = int(angle[-1] / (2.0 * math.pi) * (1.0 + 1e-12))
    length = total if turns is None else check.count(turns, "turns of orders")
    if length < 1 or total < length:
        raise ModelError(
            f"'{rotation}' makes {angle[-1] / (2.0 * math.pi):.3g} turns, and a block needs {max(length, 1)}"
        )
    if highest < 1.0:
        raise ModelError(
            f"output times of '{run.model.name}' are up to {steps.max():.3g} rad of '{rotation}' apart; state output "
            "times at least every half turn"
        )
    curve, clock = CubicSpline(angle, values), CubicSpline(angle, run.times)
    lines = int(highest * length) + 1
    starts = np.arange(0.0, total - length + 1e-9, 0.5 * length) * 2.0 * math.pi
    amplitudes, times, speeds = [], [], []
    for start in starts:
        end = start + 2.0 * math.pi * length
        inside = steps[max(int(np.searchsorted(angle, start)) - 1, 0) : int(np.searchsorted(angle, end))]
        count = min(max(math.ceil((end - start) / float(inside.min())), 2 * lines), MOST)
        samples = curve(start + (end - start) * np.arange(count) / count)
        try:
            shape = signal.get_window(window, count)
        except ValueError as error:
            raise ModelError(f"'{window}' is not a window of scipy.signal: {error}; use 'hann' or 'boxcar'") from None
        found = 2.0 * np.abs(np.fft.rfft((samples - samples.mean()) * shape))[:lines] / shape.sum()
        found[0] *= 0.5
        amplitudes.append(found)
        first, last = float(clock(start)), float(clock(end))
        times.append(0.5 * (first + last))
        speeds.append((end - start) / (last - first))
    numbers = np.arange(lines) / length
    return OrderSpectrum(
        column, unit, rotation, window, numbers, np.array(amplitudes), np.array(times), np.array(speeds)
    )
