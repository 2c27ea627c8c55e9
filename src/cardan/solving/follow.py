"""How numbers in tables follow parameters, as a block for machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.solving.parameter_kernels import Follow, Size
from cardan.system.cartesian.numbers import Law
from cardan.system.system import System


def follow_of(law: Law, addresses: np.ndarray, system: System, start: np.ndarray) -> Any:
    """The block of a law; `addresses` are those of the numbers that vary, `start` is where positions are stated."""
    numbers, parameters = np.nonzero(law.slopes)
    geometry = system.geometry
    bodies = system.space.stored * (1 + len(system.bodies))
    return block(
        Follow(
            place=addresses.astype(np.uint64),
            number=law.base.copy(),
            base=law.base.copy(),
            start=np.searchsorted(numbers, np.arange(law.base.size + 1)).astype(np.uint32),
            parameter=parameters.astype(np.uint32),
            slope=law.slopes[numbers, parameters],
            origin=law.p0.copy(),
            cosine=_pairs(law.cosines, np.uint32),
            sine=_pairs(law.sines, np.uint32),
            power=_pairs(law.powers, np.int64),
            size=Size(length=law.length, dimensions=system.space.dimensions, stored=system.space.stored),
            local=geometry.local,
            body=geometry.body,
            stated=start[:bodies],
        )
    )


def _pairs(table: dict[int, int], kind: Any) -> np.ndarray:
    return np.array([*table.items()], kind).reshape(-1, 2)
