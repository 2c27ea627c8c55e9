"""A system without the joints of a spanning tree: their rows stay numbered, but are not evaluated."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from cardan.model.force import Law
from cardan.numerics.compiled.block import block
from cardan.system.compile import columns_of, layout_of, rows_of
from cardan.system.system import System


def lighter(
    system: System, idle: Collection[int], watched: Sequence[Law] = (), counted: Collection[int] = ()
) -> tuple[System, np.ndarray]:
    """The system whose rows in `idle` are empty, and which measures of the system are still its own: those of other
    rows, of forces and devices, and of further laws that are `watched`.

    Measures whose turns must be remembered stay, too; those of angles that are `counted` otherwise need not be.
    """
    equations = tuple(replace(e, terms=()) if r in idle else e for r, e in enumerate(system.equations))
    wanted = {m for e in equations for _, m in e.terms} | {
        m for law in (*system.laws, *watched) for m in law.measures()
    }
    wanted |= {m for reader in system.readers for signal in reader.inputs for m in signal.measures()}
    wanted |= {system.measures[k] for k in set(system.winding.tolist()) - set(counted)}
    kept = np.array([k for k, m in enumerate(system.measures) if m in wanted], int)
    measures = tuple(system.measures[k] for k in kept)
    base = system.width * (1 + len(system.bodies))
    columns = columns_of(system.space, system.number, measures, system.contact_coordinates, base)
    offsets = system.rows.offset.copy()
    offsets[list(idle)] = 0.0
    rows = rows_of(equations, measures, system.rows.scale.tolist())._replace(offset=offsets)
    no_masses = np.zeros((0, 3), int)  # they are in the tree
    solver, _ = layout_of(system.width, system.structure[0], rows, columns, system.elements, system.owner, no_masses)
    found = replace(
        system,
        added=(),  # rotors are in the tree, too
        measures=measures,
        geometry=system.space.geometry(system.number, measures, system.contact_coordinates, base),
        rows=block(rows),
        solver=block(solver),
        reference=system.reference[kept],
        columns=columns,
    )
    return found, kept
