"""assemble(model): the position nearest to the stated one in which every joint closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.analysis.nearest import Closing
from cardan.elements.driver import Hold
from cardan.errors import AssemblyError, ModelError
from cardan.model import check
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.results.probe import sample
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile, metric
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System
from cardan.system.tables import Work

CLOSED = 1e-11  # relative to the model's length, angles in rad
RESTARTS = 12


def assemble(
    model: Model,
    *,
    time: float = 0.0,
    drivers: bool = True,
    hold: Sequence[Readable] = (),
    weights: Mapping[Any, Any] | None = None,
    length: float | None = None,
    tolerance: float = CLOSED,
) -> Snapshot:
    """Close all joints, moving every body as little as possible from its stated position.

    The change is measured by |dr|^2 + length^2 dphi^2 summed over the bodies; `length` is the size of the model unless
    stated (1.0 gives Haug's metric). `weights={body: 100.0}` makes a body move less, `weights={body: (1, 1, 100)}` its
    single coordinates. Measures in `hold` keep the values that they have in the stated position. With
    `drivers=False` only joints are closed.

    Raises `AssemblyError` with the joints that stay open, and by how much, if nothing closes them.
    """
    # fmt: off
    locks = [Hold(measure, float(value)) for measure, value in zip(hold, _stated(model, hold), strict=True)]
    # fmt: on
    for k, lock in enumerate(locks):
        object.__setattr__(lock, "name", f"hold {k + 1}")
    system = compile(model, extra=locks, drivers=drivers)
    q, reference = assembled(system, time, _metric(system, weights, length), tolerance)
    return Snapshot(system, time, q, turns=reference[system.winding])


def assembled(
    system: System, time: float, weights: np.ndarray | None = None, tolerance: float = CLOSED
) -> tuple[np.ndarray, np.ndarray]:
    """The closed position of a system and the turns of its angles; offsets that float are set on the way."""
    tolerance = max(tolerance, system.rounding)
    active = (~system.floating).astype(np.uint8)
    closing = Closing(system, time, system.weights if weights is None else weights, active)
    reference = system.reference.copy()
    q, error = _nearest_of_several(closing, reference, tolerance)
    if error > tolerance:
        raise _does_not_close(closing, q, reference)
    _settle_offsets(system, q, time, reference, closing.work)
    if not active.all():
        active[:] = 1
        closing.close(q, reference, tolerance)
    evaluate_position(system.geometry, system.rows, q, time, reference, closing.work)
    reference[:] = closing.work.z[:, 0]
    return q, reference


def _nearest_of_several(closing: Closing, reference: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """From the estimate; if that ends open, from estimates scattered around it, the nearest closed one winning."""
    system = closing.system
    random = np.random.default_rng(0)
    best, least, distance = system.start.copy(), np.inf, np.inf
    for attempt in range(RESTARTS + 1):
        start = system.start.copy()
        if attempt:
            start[system.space.stored :] += _scatter(system, random, 0.1 * attempt)
        q, error, status = closing.nearest(start, reference, tolerance)
        if status:
            raise system.failure(status, closing.time)
        away = float(np.linalg.norm(q - system.start))
        closed = error <= tolerance
        if (closed and (least > tolerance or away < distance)) or (not closed and error < least):
            best, least, distance = q, error, away
        if closed and attempt == 0:
            break
    return best, least


def _scatter(system: System, random: np.random.Generator, size: float) -> np.ndarray:
    """A random change of all positions by about `size` of the model's length, and rad."""
    body = np.resize([1.0 if angular else system.length for angular in system.space.angular], system.space.stored)
    scales = np.concatenate([np.tile(body, len(system.bodies)), np.ones(len(system.own))])
    return size * scales * random.standard_normal(scales.size)


def _settle_offsets(system: System, q: np.ndarray, time: float, reference: np.ndarray, work: Work) -> None:
    """Give floating rows the offset that the assembled position has."""
    evaluate_position(system.geometry, system.rows, q, time, reference, work)
    floating = system.floating
    system.rows.offset[floating] += work.phi[floating]


def _does_not_close(closing: Closing, q: np.ndarray, reference: np.ndarray) -> AssemblyError:
    """The sentence about an assembly that failed: which elements stay open, and by how much."""
    system = closing.system
    closing.least_open(q, reference)
    gaps: dict[int, dict[str, float]] = {}
    for row, k in enumerate(system.owner.tolist()):
        if closing.active[row]:
            unit, of_element = system.equations[row].unit, gaps.setdefault(k, {})
            of_element[unit] = float(np.hypot(of_element.get(unit, 0.0), closing.work.phi[row]))
    scaled = {k: max(gap / (system.length if unit == "m" else 1.0) for unit, gap in g.items()) for k, g in gaps.items()}
    worst = sorted(scaled, key=lambda k: -scaled[k])[:4]
    worst = [k for k in worst if scaled[k] > 0.05 * scaled[worst[0]]]
    open_ones = ", ".join(f"'{system.elements[k].name}' by {_gap(gaps[k], system.length)}" for k in worst)
    bodies = dict.fromkeys(b.name for k in worst for b in system.elements[k].bodies() if b is not system.model.ground)
    return AssemblyError(
        f"the mechanism '{system.model.name}' does not close at t = {closing.time:g} s: at best {open_ones} stay open; "
        f"check the dimensions of {', '.join(repr(name) for name in bodies)} or state better positions",
        time=closing.time,
        elements=tuple(system.elements[k].name for k in worst),
        partial=Snapshot(system, closing.time, q, turns=reference[system.winding]),
    )


def _gap(gaps: dict[str, float], length: float) -> str:
    """The larger of an element's gaps, a length or an angle."""
    unit = max(gaps, key=lambda u: gaps[u] / (length if u == "m" else 1.0))
    return quantity(gaps[unit], unit)


def quantity(value: float, unit: str) -> str:
    """A number with its unit, in mm where that reads better."""
    if unit == "m" and 1e-7 < abs(value) < 0.0995:
        return f"{1e3 * value:.4g} mm"
    return f"{value:.4g} {unit}".strip()


def _stated(model: Model, hold: Sequence[Readable]) -> list[float]:
    """The values of measures in the stated position."""
    if not hold:
        return []
    system = compile(model)
    values = sample(system, list(hold), system.start[None], system.speeds()[None], system.speeds()[None])
    return [float(column[0, 0]) for column in values]


def _metric(system: System, weights: Mapping[Any, Any] | None, length: float | None) -> np.ndarray:
    scale = system.length if length is None else check.positive(length, "the length that counts as much as 1 rad")
    result = metric(system.space, len(system.bodies), len(system.own), scale)
    for body, weight in (weights or {}).items():
        if isinstance(body, str):
            body = system.model[body]
        number = system.body_number(body) - 1
        factors = np.ravel(weight).astype(float)
        if factors.size not in (1, system.width) or not np.all(factors > 0.0):
            raise ModelError(f"the weight of '{body.name}' must be one or {system.width} positive numbers, got {weight!r}")
        result[system.width * number : system.width * (number + 1)] *= factors
    return result
