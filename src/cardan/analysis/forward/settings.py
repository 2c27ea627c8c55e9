"""Settings of a run of forward dynamics, and the size of its state."""

from __future__ import annotations

from typing import NamedTuple

from cardan.methods import Method
from cardan.model.element import Constraint
from cardan.numerics.linalg.rank import SQUARE


class Settings(NamedTuple):
    """Method, tolerances and coordinates of a run."""

    method: Method
    rtol: float
    atol: float | None = None
    rank_tolerance: float = SQUARE
    tree: tuple[Constraint, ...] = ()  # joints that are always part of the tree


class Sizes(NamedTuple):
    """The sizes of y and of its positions and speeds."""

    y: int
    positions: int
    speeds: int
