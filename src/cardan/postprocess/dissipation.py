"""The energy dissipated by single dampers and impacts: shares of the total that the integrator computed.

    p = c z'^2,    h (p_0 + p_1) / 2 + h^2 (p_0' - p_1') / 12          between two output times, h apart

The formula, from Hermite interpolation, has an error of order h^5. It only distributes the total: the shares of all
dampers add up to it exactly. Impacts and joints that catch are excluded first; their losses are known for each event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.elements.contact.impact import Impact
from cardan.errors import warn
from cardan.model.measure import Combination
from cardan.results.energy import Energy, kinetic_energy
from cardan.results.trajectory import Trajectory

if TYPE_CHECKING:
    from cardan.model.element import Element
    from cardan.results.simulation import TitledEvent

MAX_SHARE_ERROR = 0.1  # relative difference between the sum of the shares and the total that raises a warning


class Loss(NamedTuple):
    """The kinetic energy lost in an event, and the element that caused it."""

    element: Element | TitledEvent
    time: float
    energy: float


def dissipated_by(run: Trajectory, element: object) -> np.ndarray:
    """The energy dissipated by one force or impact up to each output time.

    If several impacts happen at one time, the event that was reported has all of the loss.
    """
    energy, losses = run.energy, _losses(run)
    assert energy is not None
    if any(loss.element is element for loss in losses):
        return _event_losses(run, losses, element)
    if isinstance(element, Impact):  # without an impact
        return np.zeros(run.times.size)
    return _share(run, energy, energy.dissipated - _event_losses(run, losses), energy.laws_of(element))


def _losses(run: Trajectory) -> list[Loss]:
    found = []
    for happening in getattr(run, "events", ()):
        before, after = happening.snapshot, happening.after
        kinetic = kinetic_energy(run.system, np.stack([before.q, after.q]), np.stack([before.v, after.v]))
        owner = getattr(happening.event, "element", happening.event)
        found.append(Loss(owner, float(happening.time), float(kinetic[0] - kinetic[1])))
    return found


def _event_losses(run: Trajectory, losses: list[Loss], element: object = None) -> np.ndarray:
    """The energy lost in the events of one element, or in all, up to each output time."""
    found = np.zeros(run.times.size)
    for loss in losses:
        if element is None or loss.element is element:
            found[run.times > loss.time] += loss.energy  # an output at the time of the event is from before it
    return found


def _share(run: Trajectory, energy: Energy, dissipated: np.ndarray, laws: list[int]) -> np.ndarray:
    """The part of `dissipated`, the total of all dampers, that is due to some laws."""
    system = run.system
    damped = [k for k, law in enumerate(system.laws) if law.damping != 0.0]
    if not set(damped) & set(laws):
        return np.zeros(run.times.size)
    tables = run.sample([Combination(system.laws[k].terms) for k in damped])
    parts = [_between(run.times, system.laws[k].damping, table) for k, table in zip(damped, tables, strict=True)]
    whole, counted = np.sum(parts, axis=0), np.diff(dissipated)
    if np.abs(whole - counted).sum() > MAX_SHARE_ERROR * np.abs(counted).sum():
        warn(
            f"the output times of '{run.model.name}' are too far apart to separate the dissipation of single dampers: "
            "request more with output="
        )
    own = np.sum([part for k, part in zip(damped, parts, strict=True) if k in laws], axis=0)
    share = np.divide(own, whole, out=np.zeros_like(own), where=whole != 0.0)
    return np.concatenate([[0.0], np.cumsum(counted * share)])


def _between(times: np.ndarray, damping: float, table: np.ndarray) -> np.ndarray:
    """The energy that a damper dissipates between one output time and the next."""
    rate, second = table[:, 1], np.nan_to_num(table[:, 2])
    power, change, h = damping * rate**2, 2.0 * damping * rate * second, np.diff(times)
    part = 0.5 * h * (power[:-1] + power[1:]) + h**2 / 12.0 * (change[:-1] - change[1:])
    return np.asarray(np.maximum(part, 0.0) if damping > 0.0 else np.minimum(part, 0.0))
