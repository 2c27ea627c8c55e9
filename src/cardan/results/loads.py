"""The forces of a motion: multipliers of all equations, strengths of all applied forces, and both on one body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.model.element import Constraint
from cardan.model.flexible.elasticity import Elasticity
from cardan.model.force import Force
from cardan.model.measure import Combination, Readable
from cardan.results.checked_array import CheckedArray
from cardan.results.engagement_history import Shift, systems_along
from cardan.results.measure_series import measure_series
from cardan.results.motion_kernels import reactions_along
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.results.trajectory import Trajectory


class Loads:
    """Multipliers lambda of M a + Phi_q^T lambda = Q, one row for each output time, and the strengths f of all laws."""

    def __init__(
        self,
        system: System,
        multipliers: np.ndarray,
        strengths: np.ndarray,
        touched: np.ndarray,
        signals: np.ndarray | None = None,
    ) -> None:
        self.system, self.touched, self.count = system, touched, len(multipliers)
        self.multipliers, self.strengths = multipliers, strengths
        self.signals = np.zeros((len(multipliers), 0)) if signals is None else signals  # outputs of all devices
        self.shifts: list[Shift] = []  # marker positions

    multipliers, strengths = CheckedArray(), CheckedArray()

    def _shape(self, name: str) -> tuple[int, ...]:
        """The shape that an array must have."""
        return self.count, self.system.row_count if name == "multipliers" else len(self.system.laws)

    @property
    def indeterminate(self) -> tuple[tuple[str, str], ...]:
        """Element and equation of the statically indeterminate reactions; their values have the least norm."""
        system = self.system
        rows = np.flatnonzero(self.touched)
        return tuple((system.elements[system.owner[r]].name, system.equations[r].label) for r in rows)

    def on_bodies(self, element: Constraint, times: np.ndarray, q: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """-Phi_q^T lambda of one element: generalized forces on all bodies, numbered as v, at each output time."""
        return self._collected([element], [0], self.system.speeds().size, (times, q, turns))[:, 0]

    def on_each(self, elements: Sequence[Constraint], bodies: Sequence[Any], motion: Sequence[Any]) -> np.ndarray:
        """The same for several elements in one pass, each on one body: (output times, elements, speeds of a body).

        `motion` are times, q and turns.
        """
        width = self.system.width
        return self._collected(elements, [width * self.system.body_number(body) for body in bodies], width, motion)

    def _collected(self, elements: Sequence[Constraint], first: Sequence[int], size: int, motion: Any) -> np.ndarray:
        """For each element the generalized forces on `size` speeds from its position in `first` on."""
        system, (times, q, turns) = self.system, motion
        columns = system.columns.astype(np.uint32)
        out = np.zeros((times.size, len(elements), size))
        rows = [(row, k, first[k]) for k, element in enumerate(elements) for row in system.rows_of(element)]
        selected, reference = np.array(rows, np.int64).reshape(-1, 3), system.reference.copy()
        work = system.work()
        for part, piece in systems_along(self.shifts, system, times.size):
            tables = piece.geometry, piece.complete_rows, columns, selected
            motion = (times[part], q[part], turns[part], system.winding, reference)
            reactions_along(*tables, *motion, self.multipliers[part], work, out[part])
        return out


def named_laws(system: System) -> dict[str, int]:
    """The laws of all forces by name: "spring" for an element with one law; "load.fx", "load.fy" or the labels of the
    laws for an element with several."""
    laws: dict[Force, list[int]] = {}
    for k, element in enumerate(system.forces):
        if not isinstance(element, Elasticity):  # modal coordinates have columns of their own
            laws.setdefault(element, []).append(k)
    found: dict[str, int] = {}
    for element, numbers in laws.items():
        if len(numbers) == 1:
            found[element.name] = numbers[0]
            continue
        if labels := [label for k in numbers if (label := system.laws[k].label)]:
            found |= {f"{element.name}.{label}": k for label, k in zip(labels, numbers, strict=True)}
            continue
        letter = "t" if law_measure(system, numbers[0]).unit == "rad" else "f"
        found |= {f"{element.name}.{letter}{axis}": k for axis, k in zip("xyz", numbers, strict=False)}
    return found


def law_measure(system: System, law: int) -> Combination:
    """The measure along which a law acts."""
    return Combination(system.laws[law].terms)


def law_unit(unit: str) -> str:
    """The unit of a force along a measure of this unit; "" for measures without a unit, or with several."""
    return {"m": "N", "rad": "N m"}.get(unit, "")


def laws_on(run: Trajectory, loads: Loads, body: Any, elements: Sequence[Any]) -> dict[Any, np.ndarray]:
    """-f dz/dq on a body for the laws of some elements, by element: shape (output times, speeds)."""
    system, chosen = run.system, {id(element) for element in elements}
    mine = [k for k, element in enumerate(system.forces) if id(element) in chosen]
    laws = [k for k in mine if any(_touches(measure, body) for _, measure in system.laws[k].terms)]
    along = [Combination(system.laws[k].terms) for k in laws]
    sums: dict[Any, np.ndarray] = {}
    for k, gradient in zip(laws, gradients(run, along, body), strict=True):
        more, element = -loads.strengths[:, k, None] * gradient, system.forces[k]
        sums[element] = sums[element] + more if element in sums else more
    return sums


def gradients(run: Trajectory, along: Sequence[Readable], body: RigidBody) -> list[np.ndarray]:
    """dz/dq of each measure, in the speeds of the body: shape (output times, speeds)."""
    system = run.system
    found = [np.zeros((run.times.size, system.width)) for _ in along]
    still = np.zeros_like(run.a)
    for c in range(system.width if along else 0):
        unit = np.zeros_like(run.v)
        unit[:, system.width * system.body_number(body) + c] = 1.0
        for gradient, values in zip(
            found, measure_series(system, along, run.times, run.q, unit, still, run.turns), strict=True
        ):
            gradient[:, c] = values[:, 1]
    return found


def _touches(measure: Any, body: Any) -> bool:
    return any(marker.body is body for marker in measure.markers())
