"""A space defines bodies, markers and measures, in the plane or in three dimensions.

Everything above the measures (rows, solving, analyses, results) is written once for all spaces and uses only the
interface on this page: the abstract `Space` in Python, and functions called by compiled loops, which each space
supplies in compiled form and which are selected by the type of its geometry tables.

Numbering is the same in every space: ground is body 0 and part of the state like any body, but never solved for.
q = [ground | body 1 | ... | internal coordinates], v likewise with the `width` speeds of each body.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from cardan.model.matter.added_inertia import AddedInertia
from cardan.model.measure import Measure
from cardan.numerics.compiled.block import Block
from cardan.numerics.compiled.jit import COMPILED, before_compilation

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker

COUPLED = 1e-11  # of sqrt(m M): a coupling that is not a rounding error


class Quantity(NamedTuple):
    """A quantity of a body as a function of its part of q, v and a, each of shape (times, ...)."""

    name: str
    unit: str
    columns: tuple[str, ...]  # the names of its components in tables; one name alone: a number, not a vector
    read: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    axis: str = ""  # the dimension that its components run along in a labeled data set; "": it is a number
    listed: bool = True  # whether tables and files show it
    angular: bool = False  # a quantity of the orientation, which point masses do not have


class Space(ABC):
    """The plane or three-dimensional space."""

    name: ClassVar[str]
    width: ClassVar[int]  # speeds of a body
    stored: ClassVar[int]  # number of coordinates of a body
    dimensions: ClassVar[int]  # coordinates of a point
    coordinate_names: ClassVar[tuple[str, ...]]  # one for each speed
    stored_names: ClassVar[tuple[str, ...]]  # one for each number of a position
    angular: ClassVar[tuple[bool, ...]]  # which speeds are angular
    kinds: ClassVar[tuple[str, ...]]  # the measures of the space, in the order of its tables
    usual: ClassVar[tuple[str, ...]]  # the first of them, computed neither by the rare kernels nor by those of surfaces
    winding: ClassVar[tuple[str, ...]]  # those defined up to full turns
    turning: ClassVar[tuple[str, ...]]  # those of directions, independent of displacements
    marker_columns: ClassVar[int]  # numbers per marker in the compiled pass
    quantities: ClassVar[tuple[Quantity, ...]]  # quantities of a body

    def quantities_of(self, body: RigidBody) -> tuple[Quantity, ...]:
        """The quantities that a body has."""
        return tuple(quantity for quantity in self.quantities if body.has_orientation or not quantity.angular)

    def names_of(self, body: RigidBody) -> tuple[str, ...]:
        """The names of the numbers of its position that a body has, the first of those stored."""
        return self.stored_names if body.has_orientation else self.stored_names[: self.dimensions]

    def row_length(self, measures: Sequence[Measure]) -> int:
        """The columns of a measure's jac: both bodies, the internal coordinates of both ends, and their modes."""
        modes = max((marker.modes for measure in measures for marker in measure.markers()), default=0)
        return 2 * self.width + 2 + 2 * modes

    @abstractmethod
    def geometry(
        self,
        number: dict[int, int],
        measures: Sequence[Measure],
        contacts: Sequence[Any],
        base: int,
        added: Sequence[AddedInertia] = (),
    ) -> Any:
        """The tables of `measures` for the compiled loops. `number` maps id(body) to its number, `contacts` lists the
        internal coordinates, the first of which has index `base` in v, and `added` the inertia of rotors."""

    @abstractmethod
    def pose(self, body: Any) -> np.ndarray:
        """The given position of a body in the layout of q."""

    @abstractmethod
    def twist(self, body: Any) -> np.ndarray:
        """The given velocity of a body in the layout of v."""

    @abstractmethod
    def changed_twist(self, pose: np.ndarray, twist: np.ndarray, changes: Any, what: str) -> np.ndarray:
        """A velocity in the layout of v, updated by `velocity` or `angular_velocity` in the dictionary `changes`."""

    @abstractmethod
    def fixing(self, body: Any, ground: Any) -> tuple[Measure, ...]:
        """The measures that together fix a body."""

    @abstractmethod
    def between(self, s: float, h: Any, start: Sequence[np.ndarray], end: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """q, v and a at the fraction s of a step of length h, given those at both ends (one row per step). NaN if a
        body rotates so far within the step that its motion does not follow from both ends.
        """

    @abstractmethod
    def matter(self, bodies: Sequence[Any]) -> np.ndarray:
        """Mass, mass center and inertia of all bodies, one row each, as input of `inertia_forces`."""

    @abstractmethod
    def coupled(self, body: Any) -> set[tuple[int, int]]:
        """The entries (i, j), i > j, of the body's mass matrix that are not always zero."""

    def modes_couple(self, body: Any) -> bool:
        """Whether the modes of a flexible body couple with displacements of its frame: not in a mean frame."""
        part = body.part
        size = np.sqrt(part.mass * np.diag(part.modal_mass))
        return part.stiffening is not None or bool((np.abs(part.coupling) > COUPLED * size).any())

    @abstractmethod
    def wrench(self, poses: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Generalized forces on a body, one row per time, as global force and torque about its origin."""

    @abstractmethod
    def frame(self, marker: Marker, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points and axes (as columns) of a body-fixed marker, one per pose."""

    @abstractmethod
    def seated(self, pose: np.ndarray, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """The row of `geometry.local` of a marker with this global point and axes on the body at `pose`."""

    @abstractmethod
    def in_space(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The axes (as columns) and the origin of a body in three dimensions, from its part of q."""

    @abstractmethod
    def marker_in_space(self, marker: Any) -> tuple[np.ndarray, np.ndarray]:
        """The axes (as columns) and the point of a marker in its body, in three dimensions."""

    @abstractmethod
    def matter_in_space(self, body: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass center and inertia tensor about it, in three dimensions."""

    @abstractmethod
    def turning_axis(self, pose: np.ndarray, torque: np.ndarray) -> np.ndarray | None:
        """The global direction of a torque in the angular columns of a body; None in the plane, where it is unique."""

    @abstractmethod
    def imperfect(self, geometry: Any, random: np.random.Generator, size: float) -> Any:
        """The same tables with every marker randomly displaced and rotated by about `size`, like dimensional errors."""


def position_pass(geometry, q, reference, frames, z, jac):
    """Fill z[m, 0] = value and jac[m] = [end a | end b | own a, own b] of all measures.

    `reference` holds the last values of multi-turn angles, NaN if there is none yet. Returns 0, a positive status if an
    outline has no finite point, or at least `cardan.model.surfaces.surface_pair.NO_GAP` if two surfaces have no gap.
    """
    return functions_of(geometry)[0](geometry, q, reference, frames, z, jac)


def velocity_pass(geometry, v, frames, z, jac):
    """Fill z[m, 1:3] = rate, bias of all measures at the positions of the last `position_pass`."""
    functions_of(geometry)[1](geometry, v, frames, z, jac)


def advance(geometry, q, step):
    """Move q by the displacement `step`, a vector in the layout of v."""
    functions_of(geometry)[2](geometry, q, step)


def displacement(geometry, start, end, step):
    """The displacement from the positions `start` to `end`: the inverse of `advance`."""
    functions_of(geometry)[3](geometry, start, end, step)


def step_rates(geometry, q, step, v, a, rate, second):
    """First and second derivative of the displacement `step` from q, for velocity v and acceleration a."""
    functions_of(geometry)[4](geometry, q, step, v, a, rate, second)


def inertia_forces(geometry, matter, gravity, q, v, a, out):
    """Weight and inertia forces of all bodies and modes, numbered as v: gravity - M a - h; 0 for contact coordinates.

    `matter` is the table of the space."""
    functions_of(geometry)[5](geometry, matter, gravity, q, v, a, out)


def mass_blocks(geometry, matter, q, out):
    """The mass matrix of each body, out[k] = its lower triangle row by row: T = v^T M v / 2.

    Further rows hold the entries of modes and rotors, one after the other: see `cardan.system.cartesian.softness`."""
    functions_of(geometry)[6](geometry, matter, q, out)


def position_rates(geometry, q, v, out):
    """q' for the speeds v; linear, and valid for coordinates that are not normalized."""
    functions_of(geometry)[7](geometry, q, v, out)


def normalize(geometry, q):
    """Normalize coordinates that define a position up to a factor."""
    functions_of(geometry)[8](geometry, q)


def speeds_of(geometry, q, rates, out):
    """The speeds for coordinate rates `rates`: the inverse of `position_rates`, also linear."""
    functions_of(geometry)[9](geometry, q, rates, out)


def modal_energy(geometry, mass, v):
    """The kinetic energy that involves speeds of modes, or two bodies at once, from `mass` as of `mass_blocks`."""
    return functions_of(geometry)[10](geometry, mass, v)


def register(tables: type, *functions: Callable[..., Any]) -> None:
    """Supply the functions above, in their order, for geometry tables of one type."""
    _supplied[tables] = functions
    if COMPILED:
        before_compilation(lambda: _overload(tables.__name__, functions))


def _overload(tuple_name: str, functions: Sequence[Callable[..., Any]]) -> None:
    from cardan.numerics.compiled.block_type import overload_for

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
    modal_energy,
)
_supplied: dict[type, tuple[Callable[..., Any], ...]] = {}
