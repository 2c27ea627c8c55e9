"""What is read off computed motions: peaks, reversals, positions of several bodies."""

from __future__ import annotations

import numpy as np


def peak(values):
    """The greatest value of a curve, by a parabola through the highest point and its neighbours."""
    k = int(np.argmax(values))
    if not 0 < k < values.size - 1:
        return float(values[k])
    low, middle, high = values[k - 1 : k + 2]
    return float(middle - (high - low) ** 2 / (8 * (high - 2 * middle + low)))


def least(values):
    """The least value of a curve, likewise."""
    return -peak(-values)


def sign_changes(times, values):
    """Where a sampled curve passes zero, by linear interpolation."""
    k = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    return times[k] - values[k] * (times[k + 1] - times[k]) / (values[k + 1] - values[k])


def poses(snapshot, names):
    """x, y, phi of the bodies in a row."""
    return np.concatenate([[*snapshot[name].position, snapshot[name].angle] for name in names])


def left_over(run):
    """What does not add up of the energy, at each instant, relative to the greatest kinetic energy."""
    return run.energy.error / run.energy.kinetic.max()
