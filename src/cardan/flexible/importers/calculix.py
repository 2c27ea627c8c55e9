"""Matrices of CalculiX: *FREQUENCY, SOLVER=MATRIXSTORAGE writes job.sti, job.mas and job.dof.

job.sti, job.mas     row column value, upper triangle
job.dof              node.direction of each row: 17.2 is y of node 17; supported directions are left out
job.inp or job.frd   nodes; node sets from job.inp
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.fe_model import FiniteElementModel
from cardan.flexible.importers.input_deck import InputDeck, read_input_deck
from cardan.flexible.importers.text import beside, indices, numbers_of, symmetric, text_of
from cardan.model import check

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def read_calculix(
    job: Any, *, nodes: ArrayLike | None = None, name: str | None = None, units: str = "m, kg, s"
) -> FiniteElementModel:
    """The model of a job by the name of one of its files; `nodes` is another .inp or .frd file with the nodes.

    bar = read_calculix("bar.sti")
    part = bar.reduce({"root": "NROOT"}, up_to=2000.0)
    """
    path = check.path(job, "the job")
    deck = _nodes(beside(path, (".inp", ".frd"), "the nodes") if nodes is None else check.path(nodes, "nodes"))
    labels, directions = _unknowns(beside(path, (".dof",), "the list of unknowns"))
    place = np.searchsorted(deck.labels, labels)
    known = deck.labels[np.minimum(place, len(deck.labels) - 1)] == labels
    if not known.all():
        raise ModelError(
            f"'{path.stem}.dof' refers to node {labels[~known][0]}, which the nodes do not have: CalculiX expands "
            "beams and shells to solids; take the nodes from the .frd file (nodes=)"
        )
    used = np.unique(place)
    times = np.bincount(place)[used]
    if (times != 3).any():
        node = int(deck.labels[used[times != 3][0]])
        raise ModelError(
            f"node {node} of '{path.stem}' lacks unknowns: the model has supports or equations there. Remove "
            "*BOUNDARY, *EQUATION and *MPC, and write the matrices of the free body"
        )
    rank = np.full(len(deck.labels), -1, dtype=np.int64)
    rank[used] = np.arange(len(used))
    at = 3 * rank[place] + directions
    M = _matrix(beside(path, (".mas",), "the mass matrix"), at, "the mass matrix")
    K = _matrix(beside(path, (".sti",), "the stiffness matrix"), at, "the stiffness matrix")
    sets = {key: rank[members][rank[members] >= 0] for key, members in deck.sets.items()}
    return FiniteElementModel(
        path.stem if name is None else name,
        deck.places[used],
        M,
        K,
        {key: members for key, members in sets.items() if len(members)},
        units=units,
        labels=deck.labels[used],
    )


def _matrix(path: Path, at: np.ndarray, what: str) -> csr_matrix:
    table = numbers_of(path, what, (3,))
    pairs = indices(table[:, :2].ravel(), len(at), f"rows and columns of {what} '{path}'").reshape(-1, 2)
    return symmetric(at[pairs[:, 0]], at[pairs[:, 1]], table[:, 2], len(at), f"{what} '{path}'")


def _unknowns(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(node numbers, directions from 0) of the rows."""
    pairs = [line.strip().partition(".") for line in text_of(path, "the list of unknowns").splitlines() if line.strip()]
    try:
        labels = np.array([int(node) for node, _, _ in pairs], dtype=np.int64)
        directions = np.array([int(direction) for _, _, direction in pairs], dtype=np.int64) - 1
    except (ValueError, OverflowError):
        raise ModelError(f"'{path}' must have lines such as 17.2: node and direction") from None
    if len(labels) and (directions.min() < 0 or directions.max() > 2):
        raise ModelError(f"'{path}' has directions other than 1 to 3: only displacements are supported")
    return labels, directions


def _nodes(path: Path) -> InputDeck:
    if path.suffix.lower() != ".frd":
        return read_input_deck(path)
    labels, places = [], []
    inside = False
    for line in text_of(path, "the result file").splitlines():
        if line.startswith("    2C"):
            inside = True
        elif inside and line.startswith(" -3"):
            break
        elif inside and line.startswith(" -1"):
            try:
                labels.append(int(line[3:13]))
                places.append([float(line[13 + 12 * k : 25 + 12 * k]) for k in range(3)])
            except ValueError:
                raise ModelError(f"'{path}' has a node that cannot be read: {line[:60]!r}") from None
    if not labels:
        raise ModelError(f"'{path}' has no nodes")
    order = np.argsort(labels)
    return InputDeck(np.array(labels, dtype=np.int64)[order], np.array(places)[order])
