"""How a run of forward dynamics integrates, and how many numbers it integrates."""

from __future__ import annotations

from typing import NamedTuple

from cardan.methods import Method
from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import SQUARE


class Settings(NamedTuple):
    """How to integrate."""

    method: Method
    rtol: float
    atol: float | None = None
    rank_tolerance: float = SQUARE
    tree: tuple[Constraint, ...] = ()  # joints that carry coordinates in any case


class Sizes(NamedTuple):
    """How many numbers y has, and how many of them are positions and speeds."""

    y: int
    positions: int
    speeds: int
