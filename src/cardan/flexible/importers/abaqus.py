"""Matrices of Abaqus: *MATRIX GENERATE, STIFFNESS, MASS and *MATRIX OUTPUT, FORMAT=COORDINATE (or MATRIX INPUT).

    row column value                     COORDINATE: unknowns in the order of node numbers, from 1
    node, dof, node, dof, value          MATRIX INPUT: labels of nodes, directions from 1 to 6

One triangle or both; files have no header. Nodes and node sets come from the input deck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.fe_model import FiniteElementModel
from cardan.flexible.importers.input_deck import InputDeck, read_input_deck
from cardan.flexible.importers.text import indices, numbers_of, symmetric

if TYPE_CHECKING:
    from pathlib import Path


def read_abaqus(
    stiffness: Any, mass: Any, deck: Any, *, name: str = "part", units: str = "m, kg, s"
) -> FiniteElementModel:
    """The model of two matrix files (.mtx) and an input deck (.inp); its node sets are those of the deck.

    rotor = read_abaqus("job_STIF1.mtx", "job_MASS1.mtx", "job.inp")
    part = rotor.reduce({"left": "BCleft", "right": "BCright"}, up_to=3000.0)
    """
    nodes = read_input_deck(deck)
    K, dofs = _matrix(stiffness, "the stiffness matrix", nodes)
    M, others = _matrix(mass, "the mass matrix", nodes)
    most = max(dofs, others)
    K, M = _widened(K, dofs, most), _widened(M, others, most)
    return FiniteElementModel(name, nodes.places, M, K, nodes.sets, units=units, labels=nodes.labels)


def _matrix(path: str | Path, what: str, nodes: InputDeck) -> tuple[csr_matrix, int]:
    """(matrix, unknowns at each node)."""
    table = numbers_of(path, what, (3, 5))
    count = len(nodes.labels)
    if table.shape[1] == 3:
        rows = int(max(table[:, :2].max(initial=0), 1))
        if rows > 6 * count:
            raise ModelError(
                f"{what} '{path}' has {rows} rows, but the deck has {count} nodes with at most {6 * count} unknowns"
            )
        dofs = 3 if rows <= 3 * count else 6
        if rows % dofs or rows != dofs * count:
            raise ModelError(
                f"{what} '{path}' has {rows} rows, but the {count} nodes of the deck have {3 * count} or {6 * count} "
                "unknowns: write the matrix of the free model, without supports, and the deck it belongs to"
            )
        at = indices(table[:, :2].ravel(), rows, f"rows and columns of {what} '{path}'").reshape(-1, 2)
    else:
        directions = indices(table[:, [1, 3]].ravel(), 6, f"directions in {what} '{path}'").reshape(-1, 2)
        dofs = 3 if directions.max(initial=0) < 3 else 6
        place = np.searchsorted(nodes.labels, table[:, [0, 2]])
        known = np.take(nodes.labels, np.minimum(place, count - 1)) == table[:, [0, 2]]
        if not known.all():
            absent = table[:, [0, 2]][~known][0]
            raise ModelError(f"{what} '{path}' refers to node {absent:g}, which the deck does not have")
        at = dofs * place + directions
    return symmetric(at[:, 0], at[:, 1], table[:, -1], dofs * count, f"{what} '{path}'"), dofs


def _widened(matrix: csr_matrix, dofs: int, most: int) -> csr_matrix:
    """A matrix of three unknowns at each node among six."""
    if dofs == most:
        return matrix
    entries = matrix.tocoo()
    row, column = (most * (at // dofs) + at % dofs for at in (entries.row, entries.col))
    size = matrix.shape[0] // dofs * most
    return csr_matrix((entries.data, (row, column)), shape=(size, size))
