"""Derivatives of measures that occur many times between different markers, all at once by arrays of dual numbers.

    o===o===o===o===o      the same measures for each element of a rod: one run of the kernels, in which each number
                           is an array over all elements, see `numerics.autodiff.dual_array`

Both ends are displaced separately, so directions 0 .. w - 1 are those of end a and w .. 2 w - 1 those of end b.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.space import functions_of, position_rates
from cardan.numerics.autodiff.dual_array import DualArray, at_all_points, on_dual_arrays
from cardan.numerics.compiled.block import tables_of
from cardan.system.system import System

POSITIONS, VELOCITIES = 0, 1  # indices in `functions_of`
MIN_PAIRS = 4  # pairs of markers for which one run takes less time than the runs of `slopes`
ALONE = ("contact", "gap", "rub", "advance", "yaw", "camber", "modal")  # kinds with tables of their own


class Group(NamedTuple):
    """Pairs of markers with the same measures."""

    measures: np.ndarray  # int[pairs, measures]: their indices in the system
    bodies: np.ndarray  # int[pairs, 2]
    local: np.ndarray  # float64[pairs, 2, ..]: the markers
    tables: Any  # the geometry of one pair


class MeasureGroups:
    """The groups among some measures of a system; `rest` are the measures in none."""

    def __init__(self, system: System, measures: np.ndarray) -> None:
        self.system = system
        self.groups: list[Group] = []
        tables = tables_of(system.geometry)
        kinds = np.searchsorted(tables.first, np.arange(len(system.measures)), side="right") - 1
        pairs: dict[tuple[int, int], list[int]] = {}
        for m in measures.tolist():
            if _plain(system, m):
                pairs.setdefault((int(tables.ends[m, 0]), int(tables.ends[m, 1])), []).append(m)
        same: dict[Any, list[tuple[int, int]]] = {}
        for (a, b), found in pairs.items():
            if tables.body[a] != tables.body[b]:
                what = tuple((int(kinds[m]), *tables.ends[m, 2:].tolist()) for m in found)
                same.setdefault(what, []).append((a, b))
        for what, ends in same.items():
            if len(ends) >= MIN_PAIRS:
                chosen, markers = np.array([pairs[pair] for pair in ends]), np.array(ends)
                bodies = tables.body[markers].astype(int)
                self.groups.append(Group(chosen, bodies, tables.local[markers], _of_one_pair(tables, what)))
        grouped = [group.measures.ravel() for group in self.groups]
        self.rest = np.setdiff1d(measures, np.concatenate(grouped) if grouped else [])

    def fill(
        self,
        place: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        reference: np.ndarray,
        ground: bool,
        tables: Sequence[Any],
    ) -> None:
        """Write the derivatives into the tables of `Interpreted`, whose line for measure m is `place[m]`."""
        if not self.groups:
            return
        system = self.system
        width, moves = system.width, bool(np.any(v))
        rates = unit_rates(system, q)
        for group in self.groups:
            state = q, v if moves else None, rates, reference

            def run(chosen: np.ndarray, group: Group = group, state: Any = state) -> tuple[Any, Any]:
                return _run(system, group, chosen, *state)

            for chosen, (z, jac) in at_all_points(run, len(group.measures)):
                still = np.zeros((chosen.size, 2 * width), bool)
                if not ground:
                    still = np.repeat(group.bodies[chosen] == 0, width, axis=1)
                for k in range(group.measures.shape[1]):
                    lines = place[group.measures[chosen, k]]
                    _store(tables, lines, z[k], jac[k], still, moves)


def _store(
    tables: Sequence[Any], lines: np.ndarray, z: np.ndarray, jac: np.ndarray, still: np.ndarray, moves: bool
) -> None:
    """Write the derivatives of one measure of each pair."""
    n, both = still.shape
    value_q, jac_q, rate_q, bias_q, bias_v = tables

    def along(x: Any, shift: int = 0) -> np.ndarray:
        if x.__class__ is not DualArray or x.d is None:
            return np.zeros((n, both))
        return np.where(still, 0.0, x.d[:, shift : shift + both])

    value_q[lines, :both] = along(z[0])
    for column in range(both):
        jac_q[lines, column, :both] = along(jac[column])
    if moves:
        rate_q[lines, :both] = along(z[1])
        bias_q[lines, :both], bias_v[lines, :both] = along(z[2]), along(z[2], both)


def _run(
    system: System,
    group: Group,
    chosen: np.ndarray,
    q: np.ndarray,
    v: np.ndarray | None,
    rates: np.ndarray,
    reference: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Values and jac of one pair, as arrays over the chosen ones."""
    width, stored, columns = system.width, system.space.stored, system.columns.shape[1]
    directions = 2 * width if v is None else 4 * width
    place, motion = np.zeros(2 * stored, object), np.zeros(2 * width, object)
    for side in range(2):
        body = group.bodies[chosen, side]
        for c in range(stored):
            d = np.zeros((chosen.size, directions))
            d[:, width * side : width * (side + 1)] = rates[:, stored * body + c].T
            place[stored * side + c] = DualArray(q[stored * body + c], d)
        for c in range(width if v is not None else 0):
            d = np.zeros((chosen.size, directions))
            d[:, width * (2 + side) + c] = 1.0
            motion[width * side + c] = DualArray(v[width * body + c], d)  # type: ignore[index]
    local = np.empty((2, group.local.shape[2]), object)
    for at in np.ndindex(local.shape):
        local[at] = DualArray(group.local[(chosen, *at)])
    turns, number = np.empty(group.measures.shape[1], object), group.measures.shape[1]
    for k in range(number):
        turns[k] = DualArray(reference[group.measures[chosen, k]])
    geometry = group.tables._replace(local=local)
    frames = np.full((2, system.space.marker_columns), 0.0, object)
    z, jac = np.full((number, 3), 0.0, object), np.full((number, columns), 0.0, object)
    functions = functions_of(system.geometry)
    _accepting(functions[POSITIONS])(geometry, place, turns, frames, z, jac)
    if v is not None:
        _accepting(functions[VELOCITIES])(geometry, motion, frames, z, jac)
    return z, jac


@functools.cache
def _accepting(kernel: Any) -> Any:
    return on_dual_arrays(kernel)


def _plain(system: System, m: int) -> bool:
    """Whether a measure is between two markers that are fixed on rigid bodies."""
    measure = system.measures[m]
    markers = list(measure.markers())
    fixed = all(marker.contact_coordinate is None and not marker.modes for marker in markers)
    return fixed and measure.kind not in ALONE and len(markers) == 2


def _of_one_pair(tables: Any, what: Sequence[tuple[int, ...]]) -> Any:
    """The geometry of two bodies with a marker each, and these measures."""
    ends = np.array([(0, 1, *line[1:]) for line in what], np.uint32)
    kinds = np.array([line[0] for line in what])
    found = {
        "body": np.arange(2, dtype=np.uint32),
        "ends": ends,
        "first": np.searchsorted(kinds, np.arange(tables.first.size)).astype(np.uint32),
    }
    if "bodies" in tables._fields:
        found["bodies"] = np.full(1, 2, np.uint32)
    parts = {name: tables_of(getattr(tables, name)) for name in ("curves", "touches", "flexible")}
    parts = {name: part._replace(address=np.zeros_like(part.address)) for name, part in parts.items()}
    return tables._replace(**found, **parts)


def unit_rates(system: System, q: np.ndarray) -> np.ndarray:
    """The rates of q for a unit of each speed of every body: one row for each of a body's speeds."""
    width, found = system.width, np.zeros((system.width, q.size))
    for i, rate in enumerate(found):
        along = system.speeds()
        along[i : width * (1 + len(system.bodies)) : width] = 1.0
        position_rates(system.geometry, q, along, rate)
    return found
