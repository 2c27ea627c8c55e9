"""Inertia of rotors that joints turn: T = J z'^2 / 2 with the coordinate z of a joint.

    z = angle of a hinge      z' = u . (w_b - w_a)              u: the axis, fixed to a
    z = travel of a slide     z' = (u . d)',  d = r_b - r_a

The mass matrix grows by J w w^T, with z' = w . v, and inertia forces by -J z'' w. Spaces supply w and the part of z''
that velocities cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.measure import Measure
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to

TURNING_PART, SLIDER = 0, 1
HINGE = ("angle", "")


class AddedInertia(NamedTuple):
    """The inertia of a rotor along the coordinate of a joint, and the element that states it."""

    element: Any
    measure: Measure
    inertia: float

    @property
    def kind(self) -> int:
        return TURNING_PART if self.measure.kind == "angle" else SLIDER

    @property
    def a(self) -> Any:
        """The marker with the axis."""
        return self.measure.a

    @property
    def b(self) -> Any:
        """The marker that moves along it."""
        return self.measure.b

    def ends(self, number: dict[int, int]) -> tuple[int, int]:
        """The numbers of the two bodies."""
        return number[id(self.a.body)], number[id(self.b.body)]


class RotorTables(NamedTuple):
    """The rotors of a space, for its inertia kernels."""

    body: np.ndarray  # int64[n, 2]: bodies a and b
    kind: np.ndarray  # int64[n]
    inertia: np.ndarray  # float64[n]
    axis: np.ndarray  # float64[n, dimensions]: u in the axes of a
    point: np.ndarray  # float64[n, dimensions]: the point of b whose travel counts
    entry: np.ndarray  # int64[1]: the first of their numbers in the table of the mass matrix
    scratch: np.ndarray  # float64[2 width + 1]: w of the rotor at hand, for a and for b; an energy
    address: np.ndarray  # uint64[3]: of the kernels of inertia forces, masses and energy, 0 without rotors


def require_joint_coordinates(added: Iterable[AddedInertia], elements: Sequence[Constraint]) -> None:
    """Reject inertia along measures that are not the coordinate of a joint between rigid bodies."""
    allowed = {m for element in elements for m in joint_coordinates(element)}
    for rotor in added:
        if rotor.measure not in allowed:
            raise ModelError(
                f"{rotor.element.title} needs the coordinate of a joint of the model, such as .angle of a Revolute or "
                f".travel of a Translational, got {rotor.measure}",
                elements=(rotor.element.name,),
            )
        for marker in rotor.measure.markers():
            if marker.modes:
                raise ModelError(
                    f"{rotor.element.title} acts on {marker.body.title}, which is flexible: connect its joint to a "
                    "rigid body that a Fixed joint holds there",
                    elements=(rotor.element.name, marker.body.name),
                )


def joint_coordinates(element: Any) -> list[Measure]:
    """The coordinates of a joint along which a rotor can move."""
    found = []
    for step in element.steps() or ():
        measure = getattr(element, step.name, None) if step.name else None
        if isinstance(measure, Measure) and (measure.kind == "component" or (measure.kind, measure.axes) == HINGE):
            found.append(measure)
    return found


def rotor_tables(
    added: Sequence[AddedInertia],
    number: dict[int, int],
    axes: np.ndarray,
    points: np.ndarray,
    width: int,
    entry: int,
    functions: Sequence[Any],
) -> Any:
    """The block of rotors, with their axes in bodies a and points in bodies b; `functions` are their kernels."""
    tables = RotorTables(
        body=np.array([rotor.ends(number) for rotor in added], np.int64).reshape(-1, 2),
        kind=np.array([rotor.kind for rotor in added], np.int64),
        inertia=np.array([rotor.inertia for rotor in added], float),
        axis=axes,
        point=points,
        entry=np.array([entry], np.int64),
        scratch=np.zeros(2 * width + 1),
        address=np.zeros(3, np.uint64),
    )
    made = block(tables)
    if added:
        line, table = np.zeros(1), np.zeros((1, 1))
        tables.address[:] = [
            pointer_to(functions[0], made, line, line, line, line),
            pointer_to(functions[1], made, line, table),
            pointer_to(functions[2], made, table, line),
        ]
    return made


def table_size(width: int, bodies: int, contacts: Sequence[Any], rotors: int) -> tuple[int, int]:
    """Where the numbers of rotors begin in the flat table of the mass matrix, and where they end."""
    modes = [body.part.modes for body, _ in deformed_bodies(contacts).values()]
    first = (1 + bodies) * width * (width + 1) // 2 + sum(width * n + n * (n + 1) // 2 for n in modes)
    return first, first + width * width * rotors


def entries_of(
    added: Sequence[AddedInertia], number: dict[int, int], width: int, angular: Sequence[bool], at: int
) -> list[tuple[int, int, int]]:
    """Row, column and place in the flat table, from place `at`, of what rotors add between two bodies."""
    found = []
    for n, rotor in enumerate(added):
        a, b = rotor.ends(number)
        first = at + width * width * n
        for i in range(width) if a and b else ():
            for j in range(width):
                if rotor.kind == SLIDER or (angular[i] and angular[j]):
                    row, column, place = width * (b - 1) + i, width * (a - 1) + j, first + width * i + j
                    found.append((row, column, place) if row > column else (column, row, place))
    return found


def own_entries(rotor: AddedInertia, width: int, angular: Sequence[bool]) -> set[tuple[int, int]]:
    """The entries (i, j), i > j, of the mass matrices of its bodies that a rotor fills."""
    felt = [i for i in range(width) if rotor.kind == SLIDER or angular[i]]
    return {(i, j) for i in felt for j in felt if i > j}
