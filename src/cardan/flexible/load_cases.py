"""Load cases for a finite element program: forces on the nodes of a part at an instant, as an input deck.

    f = sum B_i w_i - M a - M Psi B eta'           wrenches of the interfaces, inertia, modal damping

    a = a' + alpha x y + omega x (omega x y) + 2 omega x Psi eta' + Psi eta'',      y = x + Psi eta

All in the axes of the part; a' is the acceleration of its frame less gravity. By d'Alembert the load is in equilibrium:
six supports that stop rigid motions carry nothing. A static analysis of this load has the stress of the instant, with
all modes of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError, warn
from cardan.flexible.component_modes import Reduction
from cardan.flexible.connection import seats
from cardan.flexible.elements.solids import SolidElements
from cardan.flexible.fe_model import FiniteElementModel
from cardan.flexible.matrices import checked
from cardan.flexible.rigid_motion import rigid_motions
from cardan.model import check

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

UNBALANCED = 1e-3  # resultant relative to the sum of the magnitudes
PROGRAMS = ("calculix", "abaqus")


@dataclass(frozen=True, eq=False)
class Instant:
    """The motion of a part at one instant, in its axes.

    `acceleration` is that of the frame less gravity, A^T (r'' - g); a part at rest under gravity has -A^T g. `forces`
    maps interfaces to (force, torque) on the part, about the interface as deformed.
    """

    forces: Mapping[str, tuple[ArrayLike, ArrayLike]] = field(default_factory=dict)
    acceleration: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_acceleration: ArrayLike = (0.0, 0.0, 0.0)
    eta: ArrayLike | None = None
    eta_rate: ArrayLike | None = None
    eta_acceleration: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class LoadCase:
    """Forces on the nodes (nodes, dofs) of a model, in N and N m; `unbalanced` is their resultant, relative."""

    model: FiniteElementModel
    loads: np.ndarray
    unbalanced: float

    def save(self, path: str | Path, program: str = "calculix", title: str = "load case") -> Path:
        """Write an input deck: complete for solids, else loads and supports to include in the deck of the model."""
        check.choice(program, PROGRAMS, "program")
        target = check.path(path, "path of a load case")
        with atomic_write(target) as temporary:
            temporary.write_text(self.text(program, title))
        return target

    def text(self, program: str = "calculix", title: str = "load case") -> str:
        """The input deck; in SI units, as the part."""
        labels = np.arange(1, len(self.loads) + 1) if self.model.labels is None else self.model.labels
        lines = [f"** {' '.join(title.split())[:70]}: loads of an instant, in equilibrium with inertia"]
        data = self.model.elements
        if isinstance(data, SolidElements):
            lines += _mesh(data, labels)
        lines += ["*BOUNDARY", *(f"{labels[node]}, {axis + 1}, {axis + 1}" for node, axis in self._supports())]
        lines += ["*STEP", "*STATIC", "*CLOAD"]
        for node, axis in np.argwhere(self.loads != 0.0):
            lines.append(f"{labels[node]}, {axis + 1}, {self.loads[node, axis]:.12e}")
        if program == "calculix":
            lines += ["*NODE FILE", "U", "*EL FILE", "S", "*END STEP"]
        else:
            lines += ["*OUTPUT, FIELD", "*NODE OUTPUT", "U, RF", "*ELEMENT OUTPUT, POSITION=NODES", "S", "*END STEP"]
        return "\n".join(lines) + "\n"

    def _supports(self) -> list[tuple[int, int]]:
        """Six unknowns, as (node, direction), that stop rigid motions."""
        nodes, dofs = self.model.nodes, self.loads.shape[1]
        size = float(np.ptp(nodes, axis=0).max())
        rows = rigid_motions(nodes, nodes.mean(axis=0), dofs) / np.repeat([1.0, size], 3)
        rows = rows.reshape(len(nodes), dofs, 6)
        rows[:, 3:] = 0.0  # supports hold translations: solids have no other
        held = qr(rows.reshape(-1, 6).T, mode="economic", pivoting=True)[2][:6]
        return [(int(unknown) // dofs, int(unknown) % dofs) for unknown in np.sort(held)]


def load_case(model: FiniteElementModel, reduction: Reduction, instant: Instant) -> LoadCase:
    """The nodal forces of an instant of the part that `reduction` made from the model.

    A load that is not in equilibrium warns: a force of the part is missing, or the motion belongs to another instant.
    """
    check.instance(model, FiniteElementModel, "model")
    check.instance(reduction, Reduction, "reduction", "from model.reduction(...)")
    check.instance(instant, Instant, "instant")
    M, K, nodes, dofs = checked(model.M, model.K, model.nodes, model.units)
    if reduction.modes.shape[:2] != (len(nodes), dofs):
        raise ModelError(f"the reduction has {reduction.modes.shape[0]} nodes, but '{model.name}' has {len(nodes)}")
    part, modes = reduction.part, reduction.modes
    eta, rate, second = (
        np.zeros(part.modes) if v is None else np.array(check.vector(v, part.modes, n))
        for v, n in (
            (instant.eta, "eta"),
            (instant.eta_rate, "eta_rate"),
            (instant.eta_acceleration, "eta_acceleration"),
        )
    )
    inertia = M @ _accelerations(instant, nodes, modes, eta, rate, second).ravel()
    damped = M @ (modes.reshape(-1, part.modes) @ np.linalg.solve(part.modal_mass, part.damping @ rate))
    loads = -(inertia + damped)
    size = np.abs(loads.reshape(len(nodes), dofs)[:, :3]).sum()
    for force in _interface_forces(instant, reduction, nodes, dofs, K):
        loads = loads + force
        size += np.abs(force.reshape(len(nodes), dofs)[:, :3]).sum()
    y = nodes + modes[:, :3] @ eta
    length = max(float(np.ptp(nodes, axis=0).max()), np.finfo(float).tiny)
    resultant = rigid_motions(y, y.mean(axis=0), dofs).T @ loads / np.repeat([1.0, length], 3)
    unbalanced = float(np.abs(resultant).max() / max(size, np.finfo(float).tiny))
    if unbalanced > UNBALANCED:
        warn(
            f"the load case of '{model.name}' is out of balance by {100 * unbalanced:.2g} % of its forces: state all "
            "forces on its interfaces, and the acceleration of the same instant less gravity"
        )
    return LoadCase(model, loads.reshape(len(nodes), dofs), unbalanced)


def _accelerations(
    instant: Instant, nodes: np.ndarray, modes: np.ndarray, eta: np.ndarray, rate: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """(nodes, dofs) in the axes of the part."""
    a, omega, alpha = (
        np.array(check.vector(v, 3, n))
        for v, n in (
            (instant.acceleration, "acceleration"),
            (instant.angular_velocity, "angular_velocity"),
            (instant.angular_acceleration, "angular_acceleration"),
        )
    )
    y, v = nodes + modes[:, :3] @ eta, modes[:, :3] @ rate
    result = modes @ second
    result[:, :3] += a + np.cross(alpha, y) + np.cross(omega, np.cross(omega, y)) + 2.0 * np.cross(omega, v)
    result[:, 3:] += alpha[: result.shape[1] - 3]
    return np.asarray(result)


def _interface_forces(instant: Instant, reduction: Reduction, nodes: np.ndarray, dofs: int, K: Any) -> list[np.ndarray]:
    """The wrench of each interface, spread over its nodes."""
    result = []
    found = {seat.name: seat for seat in seats(reduction.interfaces, nodes, dofs, K)}
    for name, stated in instant.forces.items():
        if name not in found:
            raise ModelError(f"forces name the interface '{name}', but the part has {', '.join(found) or 'none'}")
        if not isinstance(stated, tuple | list) or len(stated) != 2:
            raise ModelError(f"forces of interface '{name}' must be (force, torque), got {check.short_repr(stated)}")
        force = check.vector(stated[0], 3, f"force of interface '{name}'")
        torque = check.vector(stated[1], 3, f"torque of interface '{name}'")
        result.append(np.asarray(found[name].motion.T @ np.array(force + torque)))
    return result


def _mesh(data: SolidElements, labels: np.ndarray) -> list[str]:
    lines = ["*NODE, NSET=NALL"]
    lines += [f"{label}, {x:.12g}, {y:.12g}, {z:.12g}" for label, (x, y, z) in zip(labels, data.nodes, strict=True)]
    lines += [f"*ELEMENT, TYPE={data.kind}, ELSET=EALL"]
    for number, cell in enumerate(data.cells, 1):
        words = [str(number), *(str(labels[node]) for node in cell)]
        rows = [", ".join(words[k : k + 11]) for k in range(0, len(words), 11)]
        lines += [row + "," for row in rows[:-1]] + rows[-1:]
    m = data.matter
    lines += ["*MATERIAL, NAME=M1", "*ELASTIC", f"{m.E:.12g}, {m.nu:.12g}", "*DENSITY", f"{m.density:.12g}"]
    return [*lines, "*SOLID SECTION, ELSET=EALL, MATERIAL=M1"]
