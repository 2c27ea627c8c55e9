"""Bodies and the joints that carry them as a tree of nodes, in tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import allocated, zeros
from cardan.system.tree.recursion.kernels import BALL, FREE, SLIDE
from cardan.system.tree.recursion.modal import MODAL

NUMBERS = {BALL: (4, 3), FREE: (7, 6), MODAL: (0, 0)}  # of q and v; one of each for joints with one axis
INERTIA_ROUNDING = 1e-13  # of a node's own inertia: what rounding leaves of none


class Shapes(NamedTuple):
    """The modes of an interface of a flexible body."""

    first: int  # its first modal coordinate, among the internal coordinates, which come last
    point: np.ndarray  # [3]: of the undeformed part
    psi: np.ndarray  # [3, n]
    rho: np.ndarray  # [3, n]


class Node(NamedTuple):
    """A frame that moves against its parent by one joint, and the matter that it carries."""

    kind: int
    parent: int  # -1: ground
    rotation: np.ndarray  # [3, 3]: from the parent's axes to those of the joint
    point: np.ndarray  # [3]: its origin in the parent's axes
    inertia: np.ndarray  # [10]: m, m c, Ixx Iyy Izz Ixy Ixz Iyz (tensor) about the node's origin, in its axes
    sign: float = 1.0  # -1 if the coordinate counts the other way
    lead: float = 0.0  # travel per radian of a screw
    shapes: Shapes | None = None  # of nodes that move with modes: outward to an interface, with sign -1 back from it


class Tree(NamedTuple):
    """Nodes, parents first, and where recursions keep what they found."""

    kind: np.ndarray  # uint32[n]
    parent: np.ndarray  # int64[n]
    first_q: np.ndarray  # int64[n]
    first_v: np.ndarray  # int64[n]
    count_v: np.ndarray  # int64[n]
    sign: np.ndarray  # float64[n]
    lead: np.ndarray  # float64[n]
    modal: np.ndarray  # int64[n, 4]: of nodes that move with modes the first in q and in v, their number, and the place
    shapes: np.ndarray  # float64: of x, psi and rho here,
    place: np.ndarray  # float64[n, 12]: rotation row by row, then the point, as stated
    inertia: np.ndarray  # float64[n, 10]
    nothing: np.ndarray  # float64[n]: an inertia below counts as none
    gravity: np.ndarray  # float64[3]
    motion: np.ndarray = zeros("shapes")  # and of y, theta and S here
    held: np.ndarray = zeros("n", dtype=np.uint8)  # nodes whose joint has a prescribed motion
    frame: np.ndarray = zeros("n", 12)  # the same as `place` with the joint moved
    world: np.ndarray = zeros("n", 12)  # axes of the nodes as columns, row by row, and origins, in the world
    V: np.ndarray = zeros("n", 6)
    C: np.ndarray = zeros("n", 6)
    A: np.ndarray = zeros("n", 6)
    F: np.ndarray = zeros("n", 6)
    outer: np.ndarray = zeros("n", 6)  # forces on nodes, in their axes about their origins
    composite: np.ndarray = zeros("n", 10)
    articulated: np.ndarray = zeros("n", 21)
    U: np.ndarray = zeros("n", 6)
    D: np.ndarray = zeros("n")  # 1 / D
    u: np.ndarray = zeros("n", 6)
    inverse: np.ndarray = zeros("n", 36)  # of balls and free bodies
    left: np.ndarray = zeros("n", 9)  # what balls hand on
    still: np.ndarray = zeros("n", 6)  # zeros
    row: np.ndarray = zeros("nv")
    six: np.ndarray = zeros(6)
    wrench: np.ndarray = zeros(6)
    armature: np.ndarray = zeros("nv")  # inertia of rotors along the speeds of joints
    rotor_energy: np.ndarray = zeros(1)  # the kinetic energy of rotors at the speeds of the last pass


def tree_table(nodes: Sequence[Node], gravity: Sequence[float], internal: int = 0) -> Any:
    """The block of nodes, each of which comes after its parent; the last are those of `internal` coordinates."""
    n = len(nodes)
    counts = np.array([NUMBERS.get(node.kind, (1, 1)) for node in nodes], np.int64).reshape(-1, 2)
    first = np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(counts, axis=0)])
    inertia = np.array([node.inertia for node in nodes], float).reshape(-1, 10)
    place = [np.concatenate([node.rotation.ravel(), node.point]) for node in nodes]
    modal, shapes = _modal(nodes, first[-1] - internal)
    return allocated(
        Tree,
        {"shapes": shapes.size, "n": n, "nv": int(first[-1, 1])},
        kind=np.array([node.kind for node in nodes], np.uint32),
        parent=np.array([node.parent for node in nodes], np.int64),
        first_q=first[:-1, 0].copy(),
        first_v=first[:-1, 1].copy(),
        count_v=counts[:, 1].copy(),
        sign=np.array([node.sign for node in nodes], float),
        lead=np.array([node.lead for node in nodes], float),
        modal=modal,
        shapes=shapes,
        place=np.array(place, float).reshape(-1, 12),
        inertia=inertia,
        nothing=negligible_inertia([node.kind for node in nodes], [node.parent for node in nodes], inertia),
        gravity=np.array(gravity, float),
    )


def _modal(nodes: Sequence[Node], behind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tables `modal` and `shapes`; internal coordinates begin at `behind` in q and in v."""
    table, numbers, at = np.zeros((len(nodes), 4), np.int64), [np.zeros(0)], 0
    for k, node in enumerate(nodes):
        if node.shapes is not None:
            first, point, psi, rho = node.shapes
            table[k] = *(behind + first), psi.shape[1], at
            numbers += [point, np.zeros(3), psi.ravel(), rho.ravel()]
            at += 6 + psi.size + rho.size
    return table, np.concatenate(numbers)


def negligible_inertia(kinds: Sequence[int], parents: Sequence[int], inertia: np.ndarray) -> np.ndarray:
    """Inertias of each node's joint below which it has none: a small part of what the node carries, or, where it
    carries nothing, of what the first of its children does."""
    own = np.column_stack([inertia[:, 0], inertia[:, 4:7].max(axis=1, initial=0.0)])  # mass, moments
    for k in range(len(kinds) - 1, -1, -1):
        if parents[k] >= 0:
            own[parents[k]] = np.where(own[parents[k]] > 0.0, own[parents[k]], own[k])
    least = np.where(own > 0.0, own, np.inf).min(axis=1)
    free = np.where(np.isfinite(least), least, 0.0)
    of_kind = [free[k] if kind == FREE else own[k, int(kind != SLIDE)] for k, kind in enumerate(kinds)]
    return INERTIA_ROUNDING * np.array(of_kind, float)
