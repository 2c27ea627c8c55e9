"""A finite element model of a free body: matrices, nodes, named sets of nodes, and what its elements add."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.component_modes import Reduction, reduction
from cardan.flexible.connection import Connection
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart, Surface
from cardan.untrusted import close_match


class Elements(ABC):
    """What the elements of a model add to its matrices: a skin, stresses, geometric stiffening."""

    @abstractmethod
    def surface(self, modes: np.ndarray) -> Surface:
        """The skin for modes (nodes, dofs, n)."""

    @abstractmethod
    def stress(self, modes: np.ndarray) -> np.ndarray:
        """(points of the skin, 6, n): xx, yy, zz, xy, yz, zx of each mode."""

    @abstractmethod
    def stiffening(self, modes: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """G_S (n, n, 3) and G_D (n, n, 3, 3) with the nodes `held` as the root."""


@dataclass(frozen=True, eq=False)
class FiniteElementModel:
    """Mass and stiffness matrices of a free body with its nodes; `sets` are named nodes, for interfaces.

    `labels` are the numbers of the nodes in the program that wrote the model.

    >>> from cardan.flexible import beam
    >>> rod = beam(0.4, 0.02)
    >>> rod.nodes.shape, sorted(rod.sets), rod.select(x=0.4)
    ((21, 3), ['left', 'right'], array([20]))
    """

    name: str
    nodes: np.ndarray
    M: csr_matrix
    K: csr_matrix
    sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    elements: Elements | None = None
    units: str = "m, kg, s"
    labels: np.ndarray | None = None

    @property
    def unknowns(self) -> int:
        return int(self.M.shape[0])

    @property
    def dofs(self) -> int:
        """Unknowns at each node: three translations, or also three rotations."""
        return self.unknowns // len(self.nodes)

    def select(
        self,
        where: Callable[[np.ndarray], np.ndarray] | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        tolerance: float | None = None,
    ) -> np.ndarray:
        """The nodes on planes x, y, z = const, or those for which `where(positions)` is true.

        Planes are met within `tolerance`, by default 1e-6 of the size of the model.
        """
        near = 1e-6 * float(np.ptp(self.nodes, axis=0).max()) if tolerance is None else tolerance
        chosen = np.ones(len(self.nodes), dtype=bool)
        for axis, value in enumerate((x, y, z)):
            if value is not None:
                chosen &= np.abs(self.nodes[:, axis] - value) <= near
        if where is not None:
            chosen &= np.asarray(where(self.nodes), dtype=bool)
        return np.flatnonzero(chosen)

    def reduce(self, interfaces: Mapping[str, Any] | None = None, **options: Any) -> FlexiblePart:
        """The flexible part, as `cardan.flexible.reduce`.

        Interfaces are by default the node sets of a beam, plate or solid; models of other programs have none. An
        interface may state the name of a node set instead of nodes. `stiffening=True` adds the geometric stiffening
        (with frame="tangent"), `stress=True` the stress modes at the points of the skin.
        """
        return self.reduction(interfaces, **options).part

    def reduction(
        self,
        interfaces: Mapping[str, Any] | None = None,
        *,
        stiffening: bool = False,
        stress: bool = False,
        name: str | None = None,
        units: str | None = None,
        **options: Any,
    ) -> Reduction:
        """As `reduce`, with the modes at all nodes and a table: `print(model.reduction(...))`."""
        if interfaces is None:  # the sets of other programs have many purposes
            interfaces = self.sets if self.elements is not None else {}
        check.instance(interfaces, Mapping, "interfaces", "state name: nodes, or name: Connection(nodes, ...)")
        stated = {key: self._nodes(key, value) for key, value in interfaces.items()}
        found = reduction(
            self.M,
            self.K,
            self.nodes,
            stated,
            name=self.name if name is None else name,
            units=self.units if units is None else units,
            **options,
        )
        if self.elements is None:
            if stiffening or stress:
                raise ModelError(
                    f"'{self.name}' has matrices but no elements: stress and geometric stiffening need a mesh with its "
                    "material, as from solid(), plate() or beam()"
                )
            return found
        added: dict[str, Any] = {"surface": self.elements.surface(found.modes)}
        if stress:
            added["stress"] = self.elements.stress(found.modes)
        if stiffening:
            if found.part.frame != "tangent":
                raise ModelError(
                    "geometric stiffening needs frame='tangent': its loads act against the first interface"
                )
            first = next(iter(stated.values()))
            held = np.atleast_1d(first.nodes if isinstance(first, Connection) else first)
            held = np.flatnonzero(held) if held.dtype == bool else held
            added["stiffening"] = self.elements.stiffening(found.modes, held)
        return replace(found, part=replace(found.part, **added))

    def _nodes(self, interface: str, stated: Any) -> Any:
        """Nodes by the name of a set."""
        chosen = stated.nodes if isinstance(stated, Connection) else stated
        if not isinstance(chosen, str):
            return stated
        if chosen not in self.sets:
            near = close_match(chosen, self.sets)
            hint = f"did you mean '{near}'?" if near else f"it has {', '.join(self.sets) or 'none'}"
            raise ModelError(
                f"interface {check.short_repr(interface)}: '{self.name}' has no node set {check.short_repr(chosen)}; "
                f"{hint}"
            )
        nodes = self.sets[chosen]
        return replace(stated, nodes=nodes) if isinstance(stated, Connection) else nodes
