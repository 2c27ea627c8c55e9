"""How a run of forward dynamics integrates, and how many numbers it integrates."""

from __future__ import annotations

from typing import NamedTuple

from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import SQUARE


class Settings(NamedTuple):
    """How to integrate."""

    method: str
    rtol: float
    atol: float | None = None
    step: float | None = None
    rho: float | None = None
    alpha: float | None = None
    beta: float | None = None
    order: int | None = None
    fixed: bool = False
    rank_tolerance: float = SQUARE
    tree: tuple[Constraint, ...] = ()  # joints that carry coordinates in any case


class Sizes(NamedTuple):
    """How many numbers y has, and how many of them are positions and speeds."""

    y: int
    positions: int
    speeds: int
