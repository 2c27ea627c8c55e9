"""A space is a vocabulary: bodies, markers and measures of the plane, or of three dimensions.

Everything above the measures (rows, solving, analyses, results) is written once for all spaces and reaches the
vocabulary through this page: the abstract `Space` in Python, and three functions that compiled loops call and that
each space supplies in compiled form, chosen by the type of its geometry tables.

Numbering, the same in every space: ground is body 0 and takes part in the state like any body, only that it is
never solved for. q = [ground | body 1 | ... | own coordinates], v likewise with the `width` speeds of each body.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numba import types
from numba.extending import overload

from cardan.model.measure import Measure
from cardan.numerics.jit import COMPILED


class Space(ABC):
    """The plane or three-dimensional space."""

    name: ClassVar[str]
    width: ClassVar[int]  # speeds of a body
    stored: ClassVar[int]  # numbers that state the position of a body
    dimensions: ClassVar[int]  # coordinates of a point
    coordinate_names: ClassVar[tuple[str, ...]]  # one for each speed
    angular: ClassVar[tuple[bool, ...]]  # which of them are angles
    kinds: ClassVar[tuple[str, ...]]  # the measures of the space, in the order of its tables
    marker_columns: ClassVar[int]  # numbers that the compiled pass keeps of a marker

    @abstractmethod
    def geometry(self, number: dict[int, int], measures: Sequence[Measure], own: Sequence[Any], base: int) -> Any:
        """The tables of `measures` for the compiled loops. `number` maps id(body) to its number, `own` lists the
        own coordinates, the first of which stands at place `base` of v."""

    @abstractmethod
    def pose(self, body: Any) -> np.ndarray:
        """The stated position of a body in the numbers of q."""

    @abstractmethod
    def twist(self, body: Any) -> np.ndarray:
        """The stated velocity of a body in the numbers of v."""

    @abstractmethod
    def imperfect(self, geometry: Any, random: np.random.Generator, size: float) -> Any:
        """The same tables with every marker displaced and turned at random, by about `size`: wrong dimensions."""


def measure_pass(geometry, q, v, reference, frames, z, jac):
    """Fill the table of all measures: z[m] = value, rate, bias and jac[m] = [end a | end b | own a, own b].

    `reference` is the memory of multi-turn angles. Returns 0, or 1 + the number of the measure that failed.
    """
    return _python[type(geometry)][0](geometry, q, v, reference, frames, z, jac)


def advance(geometry, q, step):
    """Move q by the displacement `step`, a vector in the numbers of v."""
    _python[type(geometry)][1](geometry, q, step)


def displacement(geometry, start, end, step):
    """The displacement that leads from the positions `start` to `end`: the inverse of `advance`."""
    _python[type(geometry)][2](geometry, start, end, step)


def register(tables: type, measures: Callable[..., int], move: Callable[..., None], part: Callable[..., None]) -> None:
    """Supply the three functions for geometry tables of one type, compiled and plain."""
    _python[tables] = (measures, move, part)
    if not COMPILED:
        return

    def is_mine(geometry: Any) -> bool:
        return isinstance(geometry, types.BaseNamedTuple) and geometry.instance_class is tables

    @overload(measure_pass)
    def _measures(geometry, q, v, reference, frames, z, jac):
        if is_mine(geometry):
            return lambda geometry, q, v, reference, frames, z, jac: measures(geometry, q, v, reference, frames, z, jac)
        return None

    @overload(advance)
    def _advance(geometry, q, step):
        return (lambda geometry, q, step: move(geometry, q, step)) if is_mine(geometry) else None

    @overload(displacement)
    def _displacement(geometry, start, end, step):
        return (lambda geometry, start, end, step: part(geometry, start, end, step)) if is_mine(geometry) else None


_python: dict[type, tuple[Callable[..., Any], ...]] = {}
