"""A space is a vocabulary: bodies, markers and measures of the plane, or of three dimensions.

Everything above the measures (rows, solving, analyses, results) is written once for all spaces and reaches the
vocabulary through this page: the abstract `Space` in Python, and ten functions that compiled loops call and that
each space supplies in compiled form, chosen by the type of its geometry tables.

Numbering, the same in every space: ground is body 0 and takes part in the state like any body, only that it is
never solved for. q = [ground | body 1 | ... | own coordinates], v likewise with the `width` speeds of each body.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardan.model.measure import Measure
from cardan.numerics.compiled.block import Block
from cardan.numerics.compiled.intrinsic import before_compilation
from cardan.numerics.compiled.jit import COMPILED


class Quantity(NamedTuple):
    """A quantity of a body as a function of its part of q, v and a, each of shape (instants, ...)."""

    name: str
    unit: str
    columns: tuple[str, ...]  # the names of its components in tables; one name alone: a number, not a vector
    read: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    axis: str = ""  # the dimension that its components run along in a labeled data set; "": it is a number
    listed: bool = True  # whether tables and files show it


class Space(ABC):
    """The plane or three-dimensional space."""

    name: ClassVar[str]
    width: ClassVar[int]  # speeds of a body
    stored: ClassVar[int]  # numbers that state the position of a body
    dimensions: ClassVar[int]  # coordinates of a point
    coordinate_names: ClassVar[tuple[str, ...]]  # one for each speed
    stored_names: ClassVar[tuple[str, ...]]  # one for each number of a position
    angular: ClassVar[tuple[bool, ...]]  # which speeds are angular
    kinds: ClassVar[tuple[str, ...]]  # the measures of the space, in the order of its tables
    usual: ClassVar[tuple[str, ...]]  # the first of them, which neither seldom kernels nor those of surfaces find
    winding: ClassVar[tuple[str, ...]]  # those whose value is known up to whole turns
    turning: ClassVar[tuple[str, ...]]  # those of directions alone, which feel no displacement
    marker_columns: ClassVar[int]  # numbers that the compiled pass keeps of a marker
    quantities: ClassVar[tuple[Quantity, ...]]  # what can be read of a body

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
    def changed_twist(self, pose: np.ndarray, twist: np.ndarray, changes: Any, what: str) -> np.ndarray:
        """A velocity in the numbers of v with `velocity` or `angular_velocity` of the dictionary `changes` taken in."""

    @abstractmethod
    def fixing(self, body: Any, ground: Any) -> tuple[Measure, ...]:
        """The measures that, kept together, keep a body in its place."""

    @abstractmethod
    def between(self, s: float, h: Any, start: Sequence[np.ndarray], end: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """q, v and a at the fraction s of a step of length h, given those at both ends (one line for each step).

        NaN where a body turns so far within the step that its motion cannot be told from both ends.
        """

    @abstractmethod
    def matter(self, bodies: Sequence[Any]) -> np.ndarray:
        """Mass, mass centre and inertia of all bodies, one line each, as `inertia_forces` reads them."""

    @abstractmethod
    def coupled(self, body: Any) -> set[tuple[int, int]]:
        """Which entries (i, j), i > j, of the body's mass matrix are not zero in every position."""

    @abstractmethod
    def wrench(self, poses: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Generalized forces on a body, one line for each instant, as global force and torque about its origin."""

    @abstractmethod
    def frame(self, marker: Any, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points and axes (as columns) of a marker fixed in a body, one for each pose."""

    @abstractmethod
    def seated(self, pose: np.ndarray, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """The line of `geometry.local` of a marker of the body at `pose` that has this point and these axes."""

    @abstractmethod
    def in_space(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The axes (as columns) and the origin of a body in three dimensions, by its numbers of q."""

    @abstractmethod
    def marker_in_space(self, marker: Any) -> tuple[np.ndarray, np.ndarray]:
        """The axes (as columns) and the point of a marker in its body, in three dimensions."""

    @abstractmethod
    def matter_in_space(self, body: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass centre and inertia tensor about it, of a body in three dimensions."""

    @abstractmethod
    def turning_axis(self, pose: np.ndarray, torque: np.ndarray) -> np.ndarray | None:
        """The direction in the world of a torque, given in the angular columns of a body; None where there is one."""

    @abstractmethod
    def imperfect(self, geometry: Any, random: np.random.Generator, size: float) -> Any:
        """The same tables with every marker displaced and turned at random, by about `size`: wrong dimensions."""


def position_pass(geometry, q, reference, frames, z, jac):
    """Fill z[m, 0] = value and jac[m] = [end a | end b | own a, own b] of all measures.

    `reference` is the memory of multi-turn angles; NaN where there is none yet. Returns 0, or a status above it if an
    outline gives no finite point, or from `cardan.model.surfaces.surface_pair.LOST` on if two surfaces have no gap.
    """
    return functions_of(geometry)[0](geometry, q, reference, frames, z, jac)


def velocity_pass(geometry, v, frames, z, jac):
    """Fill z[m, 1:3] = rate, bias of all measures at the positions of the last `position_pass`."""
    functions_of(geometry)[1](geometry, v, frames, z, jac)


def advance(geometry, q, step):
    """Move q by the displacement `step`, a vector in the numbers of v."""
    functions_of(geometry)[2](geometry, q, step)


def displacement(geometry, start, end, step):
    """The displacement that leads from the positions `start` to `end`: the inverse of `advance`."""
    functions_of(geometry)[3](geometry, start, end, step)


def step_rates(geometry, q, step, v, a, rate, second):
    """First and second derivative of the displacement from q, where it has become `step` and the motion has v and a."""
    functions_of(geometry)[4](geometry, q, step, v, a, rate, second)


def inertia_forces(geometry, matter, gravity, q, v, a, out):
    """Weight and inertia forces of all bodies, numbered as v: gravity - M a - h. `matter` is the table of the space."""
    functions_of(geometry)[5](geometry, matter, gravity, q, v, a, out)


def mass_blocks(geometry, matter, q, out):
    """The mass matrix of each body, out[k] = its lower triangle row by row: T = v^T M v / 2."""
    functions_of(geometry)[6](geometry, matter, q, out)


def position_rates(geometry, q, v, out):
    """q' of positions that move with the speeds v; linear in numbers that need not be normalized."""
    functions_of(geometry)[7](geometry, q, v, out)


def normalize(geometry, q):
    """Bring numbers that state the same position up to a factor to their usual size."""
    functions_of(geometry)[8](geometry, q)


def speeds_of(geometry, q, rates, out):
    """The speeds with which positions change at `rates`: the inverse of `position_rates`, linear, too."""
    functions_of(geometry)[9](geometry, q, rates, out)


def register(tables: type, *functions: Callable[..., Any]) -> None:
    """Supply the functions above, in their order, for geometry tables of one type."""
    _supplied[tables] = functions
    if COMPILED:
        before_compilation(lambda: _overload(tables.__name__, functions))


def _overload(tuple_name: str, functions: Sequence[Callable[..., Any]]) -> None:
    from cardan.numerics.compiled.table_overload import overload_for

    for general, special in zip(SUPPLIED, functions, strict=True):
        overload_for(tuple_name, general, special)


def functions_of(geometry: Any) -> tuple[Callable[..., Any], ...]:
    """The functions above, in their order, as the space of these tables supplies them."""
    return _supplied[type(geometry.tables) if isinstance(geometry, Block) else type(geometry)]


SUPPLIED: tuple[Callable[..., Any], ...] = (
    position_pass,
    velocity_pass,
    advance,
    displacement,
    step_rates,
    inertia_forces,
    mass_blocks,
    position_rates,
    normalize,
    speeds_of,
)
_supplied: dict[type, tuple[Callable[..., Any], ...]] = {}
