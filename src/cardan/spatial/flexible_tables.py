"""The tables of flexible spatial bodies and of the markers that move with their modes, for the compiled passes."""

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
from cardan.spatial.kernels.flexible import SpatialFlexible, deform_markers, modal_columns, modal_rates, move_with_modes
from cardan.spatial.kernels.flexible_inertia import (
    SPATIAL_SCRATCH,
    SPATIAL_VECTORS,
    flexible_inertia,
    flexible_masses,
    modal_energy,
)


def flexible_table(
    number: dict[int, int], measures: Sequence[Measure], contacts: Sequence[Any], base: int, place: dict[Any, int]
) -> Any:
    """The block of the flexible bodies among the owners of internal coordinates; `place` is the index of each marker,
    `base` that of the first internal coordinate in v."""
    memory, own = ScratchMemory(SPATIAL_SCRATCH, SPATIAL_VECTORS, 6, 6), (base + len(number), base)
    lists = flexible_lists(number, measures, contacts, own, place, 6, part_numbers, memory)
    tables = SpatialFlexible(*lists, np.zeros(7, np.uint64), np.zeros(1))
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
    """The integrals of a part in the order of `kernels.flexible_inertia`."""
    n, D = part.modes, part.second_moment
    mass = tidy(part.modal_mass)
    grown = D[1:, 1:].transpose(1, 0, 2, 3).copy()  # [k, l]: what eta_k adds to E_l
    curved: list[np.ndarray] = []
    if part.stiffening is not None:
        straight, turned = part.stiffening
        grown += turned.transpose(1, 0, 3, 2)
        curved = [straight.reshape(-1), _vex(turned).reshape(-1)]
    return np.concatenate(
        [
            [1.0 / part.mass],
            part.first_moment[0],
            part.inertia.reshape(-1),
            coupling(part).T.reshape(-1),
            part.rotation_coupling.T.reshape(-1),
            D[1:, 0].reshape(-1),
            mass[np.tril_indices(n)],
            grown.reshape(-1),
            _vex(D[1:, 1:]).reshape(-1),
            *curved,
        ]
    )


def coupling(part: FlexiblePart) -> np.ndarray:
    """C without entries that are rounding errors."""
    size = np.sqrt(part.mass * np.diag(part.modal_mass))
    return np.where(np.abs(part.coupling) > COUPLED * size, part.coupling, 0.0)


def _vex(matrices: np.ndarray) -> np.ndarray:
    """int a x b of D = int a b^T."""
    D = matrices
    return np.stack([D[..., 1, 2] - D[..., 2, 1], D[..., 2, 0] - D[..., 0, 2], D[..., 0, 1] - D[..., 1, 0]], axis=-1)
