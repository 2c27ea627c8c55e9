"""Angles whose turns the coordinates of a tree include: no memory of turns is needed for them.

    z = constant + sum_i s_i q_i          of a hinge of the tree, or about an axis parallel to such

Where an analysis has no path to follow, as at a state of `joint_space`, their turns are not defined otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.measure import Measure
from cardan.system.initial_configuration import measured
from cardan.system.parallel import TURN, Parallel
from cardan.system.system import System

NUMBERS = {"ball": 4, "free": 7, "modes": 0}  # of q, of steps that have more than one


class Counting(NamedTuple):
    """Of the angles that are counted: which measure, and the numbers of q that add up to it."""

    measure: np.ndarray  # uint32[n]
    start: np.ndarray  # uint32[n + 1]
    place: np.ndarray  # uint32
    sign: np.ndarray  # float64
    constant: np.ndarray  # float64[n]


def joint_angles(system: System, q: np.ndarray, reference: np.ndarray) -> dict[Measure, float]:
    """The angles of all hinges that can carry coordinates, whole turns counted, at a position."""
    hinges = [m for e in system.elements for kind, m in _stepped(e) if m is not None and kind in ("turn", "screw")]
    angles = [m for m in dict.fromkeys(hinges) if m.kind == "angle"]
    known = {measure: k for k, measure in enumerate(system.measures)}
    if "angle" in system.space.winding:
        return {m: float(reference[known[m]]) for m in angles if m in known}
    base = system.width * (1 + len(system.bodies))
    geometry = system.space.geometry(system.number, angles, system.contact_coordinates, base)
    nowhere, columns = np.full(len(angles), np.nan), system.space.row_length(angles)
    return dict(zip(angles, measured(system.space, geometry, q, nowhere, columns).tolist(), strict=True))


def counting(system: System, chains: Sequence[Any], q: np.ndarray, reference: np.ndarray) -> Counting:
    """What a tree counts of the angles of a system, which have the values of `reference` at joint coordinates q."""
    coordinates: dict[Measure, int] = {}
    place = 0
    for joint, steps in chains:
        for step, (_, measure) in zip(steps, _stepped(joint, steps), strict=True):
            if measure is not None:
                coordinates[measure] = place
            place += NUMBERS.get(step.kind, 1)
    parallel = Parallel(system.space, [joint for joint, _ in chains if joint is not None])
    found = []
    for k in system.winding.tolist():
        measure = system.measures[k]
        terms: Any = ((1.0, measure),) if measure in coordinates else None
        constant = 0.0
        if terms is None and measure.kind == "angle" and (relation := parallel.relation(measure)) is not None:
            terms, constant = relation
        if terms is not None and all(m in coordinates for _, m in terms):
            pairs = [(coordinates[m], sign) for sign, m in terms]
            total = constant + sum(sign * q[p] for p, sign in pairs)
            found.append((k, pairs, constant + TURN * np.round((reference[k] - total) / TURN)))
    return Counting(
        np.array([k for k, _, _ in found], np.uint32),
        np.cumsum([0, *(len(pairs) for _, pairs, _ in found)]).astype(np.uint32),
        np.array([p for _, pairs, _ in found for p, _ in pairs], np.uint32),
        np.array([sign for _, pairs, _ in found for _, sign in pairs], float),
        np.array([constant for _, _, constant in found], float),
    )


def counted(table: Counting, q: np.ndarray) -> np.ndarray:
    """The angles that are counted, at lines of joint coordinates."""
    sums = np.concatenate([np.zeros((q.shape[0], 1)), np.cumsum(q[:, table.place] * table.sign, axis=1)], axis=1)
    found: np.ndarray = table.constant + sums[:, table.start[1:]] - sums[:, table.start[:-1]]
    return found


def _stepped(joint: Any, steps: Sequence[Any] | None = None) -> Iterator[tuple[str, Measure | None]]:
    """The kind of each step of a joint and the measure that is its coordinate, if it has one."""
    for step in (joint.steps() or ()) if steps is None else steps:
        measure = getattr(joint, step.name, None) if joint is not None and step.name else None
        yield step.kind, measure if isinstance(measure, Measure) else None
