"""The tables of flexible planar bodies and of the markers that move with their modes, for the compiled passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.model.flexible.elasticity import tidy
from cardan.model.flexible.marker_lists import ScratchMemory, flexible_lists
from cardan.model.flexible_part import FlexiblePart
from cardan.model.measure import Measure
from cardan.model.space import COUPLED
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to
from cardan.planar.kernels.flexible import (
    PLANAR_SCRATCH,
    PLANAR_VECTORS,
    PlanarFlexible,
    deform_markers,
    flexible_inertia,
    flexible_masses,
    modal_columns,
    modal_energy,
    modal_rates,
    move_with_modes,
)


def flexible_table(
    number: dict[int, int], measures: Sequence[Measure], contacts: Sequence[Any], base: int, place: dict[Any, int]
) -> Any:
    """The block of the flexible bodies among the owners of internal coordinates; `place` is the index of each marker,
    `base` that of the first internal coordinate."""
    memory = ScratchMemory(PLANAR_SCRATCH, PLANAR_VECTORS, 2, 2)
    lists = flexible_lists(number, measures, contacts, (base, base), place, 3, part_numbers, memory)
    tables = PlanarFlexible(*lists, np.zeros(7, np.uint64), np.zeros(1))
    made = block(tables)
    if len(lists.bodies):
        line, table = np.zeros(1), np.zeros((1, 1))
        tables.address[:] = [
            pointer_to(deform_markers, made, line, table),
            pointer_to(modal_columns, made, line, table, table, table),
            pointer_to(move_with_modes, made, line, table),
            pointer_to(modal_rates, made, line, table, table),
            pointer_to(flexible_inertia, made, table, line, line, line, line, line),
            pointer_to(flexible_masses, made, table, line, table),
            pointer_to(modal_energy, made, table, line, line),
        ]
    return made


def part_numbers(part: FlexiblePart) -> np.ndarray:
    """The integrals of a part in its plane, in the order of `kernels.flexible`."""
    n, D = part.modes, part.second_moment
    size = np.sqrt(part.mass * np.diag(part.modal_mass))
    coupling = np.where(np.abs(part.coupling) > COUPLED * size, part.coupling, 0.0)
    traces, turned = _trace(D[1:, 1:]), _vex(D[1:, 1:])  # [k, l]: symmetric, and int psi_k x psi_l
    grown_turns = turned.copy()
    curved: list[np.ndarray] = []
    if part.stiffening is not None:
        straight, second = part.stiffening
        traces = traces + _trace(second)
        grown_turns = grown_turns + _vex(second)
        curved = [straight[:, :, :2].reshape(-1), _vex(second).reshape(-1)]
    return np.concatenate(
        [
            [1.0 / part.mass],
            part.first_moment[0, :2],
            [part.inertia[2, 2]],
            coupling[:2].T.reshape(-1),
            part.rotation_coupling[2],
            _trace(D[1:, 0]),
            tidy(part.modal_mass)[np.tril_indices(n)],
            traces.reshape(-1),
            grown_turns.reshape(-1),
            turned.reshape(-1),
            *curved,
        ]
    )


def _trace(matrices: np.ndarray) -> np.ndarray:
    return np.asarray(matrices[..., 0, 0] + matrices[..., 1, 1])


def _vex(matrices: np.ndarray) -> np.ndarray:
    """int a x b of D = int a b^T."""
    return np.asarray(matrices[..., 0, 1] - matrices[..., 1, 0])
