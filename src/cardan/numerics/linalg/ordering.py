"""The elimination order of the unknowns of a saddle-point matrix.

        [ W  J^T ]   W  block-diagonal on *units* (the coordinates of one body, or one coordinate of an element)
    K = [ J  -E  ]   J  rows of the elements, one *row block* each;  E >= 0 diagonal

    ground --o-- crank --o-- rod --o-- slider == ground
             A           B         C          guide        tree: A, B, C       all others: guide

A factorization without pivoting requires every leading block of the permuted matrix to be regular:

* a unit and the rows that attach it to the spanning tree (a *super-unit*) are regular together, because these rows
  have full rank in the unit's own columns in every configuration. Super-units may come in any order, but are not split:
  if a tree row came later, a redundant loop before it would be kept and the tree row would be found dependent;
* any other row block comes after every unit that it touches: its rank may depend on all of them. Two bars from one
  pin are dependent in the columns of the body with the pin, and independent in those of both bodies. It also comes
  after all other units of its loop, from those that it touches up to their common ancestor: a unit that
  has not been eliminated acts as if fixed, along with everything attached to it. The wheel of a bicycle whose frame
  comes later could only spin, and the road would seem to constrain it twice. The base of the whole loop is irrelevant:
  rows depend on relative motions only, and are independent in these units if they are in all;
* a unit without mass (W = 0) comes after every row block that touches it.

Within these rules the node of least degree is next (approximate minimum degree on the quotient graph: Amestoy,
Davis and Duff, SIAM J. Matrix Anal. Appl. 17, 1996). Trees, stars and ladders of any size have O(n) fill-in. Fill-in
is large for a body with very many loop-closing joints, such as a platform on hundreds of legs: all their rows come
after it and form a dense block.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[int] | NDArray
RowBlock = tuple[Numbers, Sequence[int]]  # its row numbers, the units that it touches


def elimination_order(
    units: Sequence[Numbers],
    row_blocks: Sequence[RowBlock],
    tree: Sequence[int],
    massless: Collection[int] = (),
) -> NDArray[np.uint32]:
    """The unknowns (coordinates 0..nc-1, then rows nc..nc+nr-1) in the order of their elimination.

    units       the coordinate numbers of each unit
    row_blocks  (row numbers, units touched) of each element, with -1 for ground if the rows refer to it, which is
                assumed for blocks that touch one unit
    tree        for each row block the unit that it attaches to the spanning tree, or -1 (see `spanning_tree`)
    massless    units with W = 0; row blocks that touch one must have full rank in the other units they touch
    """
    graph = _Graph(units, row_blocks, tree, frozenset(massless))
    order = _Elimination(graph).run()
    return np.array([unknown for node in order for unknown in graph.members[node]], np.uint32)


def spanning_tree(
    n_units: int,
    edges: Sequence[tuple[int, int, int]],
    *,
    sizes: Sequence[int] | None = None,
    n_blocks: int | None = None,
) -> list[int]:
    """The unit that each row block attaches to the tree (its outer end), or -1 if the block closes a loop.

    edges     (unit a, unit b, row block), ground = -1: joints with full rank in the columns of either end
    sizes     the number of rows of each edge; joints with more rows are preferred, which leaves few rows to
              be tested for rank, then those nearer to ground, then those given first
    n_blocks  length of the result (row blocks that are not joints have no edge); by default up to the last edge's

    Units not connected to ground get a root of their own.
    """
    if n_blocks is None:
        n_blocks = 1 + max((block for _, _, block in edges), default=-1)
    outer = [-1] * n_blocks
    at: dict[int, list[tuple[int, int]]] = {unit: [] for unit in range(-1, n_units)}
    for number, (a, b, _) in enumerate(edges):
        at[a].append((number, b))
        at[b].append((number, a))
    depth = {-1: 0}
    frontier: list[tuple[int, int, int, int]] = []

    def reach(unit: int) -> None:
        for number, other in at[unit]:
            if other not in depth:
                heappush(frontier, (-(sizes[number] if sizes else 0), depth[unit] + 1, number, other))

    reach(-1)
    for root in range(n_units + 1):
        while frontier:
            _, level, number, unit = heappop(frontier)
            if unit not in depth:
                depth[unit] = level
                outer[edges[number][2]] = unit
                reach(unit)
        if root < n_units and root not in depth:
            depth[root] = 1
            reach(root)
    return outer


class _Graph:
    """Super-units and other row blocks as nodes: their unknowns, neighbors and precedence."""

    def __init__(
        self,
        units: Sequence[Numbers],
        row_blocks: Sequence[RowBlock],
        tree: Sequence[int],
        massless: frozenset[int],
    ) -> None:
        n_units = len(units)
        n_coordinates = sum(len(unit) for unit in units)
        _check_tree(units, row_blocks, tree, massless)
        self.members: list[list[int]] = [[int(i) for i in unit] for unit in units] + [[] for _ in row_blocks]
        self.adjacent: list[set[int]] = [set() for _ in self.members]
        self.waits = [0] * len(self.members)  # number of nodes to eliminate before this one
        self.releases: list[list[int]] = [[] for _ in self.members]
        parents = self._parents(n_units, row_blocks, tree)
        self.depth = self._depths(n_units, row_blocks, parents)
        for block, (rows, touched) in enumerate(row_blocks):
            loop = tree[block] < 0
            node = n_units + block if loop else tree[block]
            self.members[node] += [n_coordinates + int(row) for row in rows]
            for unit in {int(u) for u in touched if 0 <= u != node}:
                self.adjacent[node].add(unit)
                self.adjacent[unit].add(node)
                if unit in massless:
                    self._wait(unit, node)
                elif loop:
                    self._wait(node, unit)
            for unit in self._carriers(touched, parents) - massless if loop else ():
                self._wait(node, unit)
        self.nodes = [v for v in range(len(self.members)) if v < n_units or tree[v - n_units] < 0]

    def _wait(self, node: int, other: int) -> None:
        self.waits[node] += 1
        self.releases[other].append(node)

    def _parents(self, n_units: int, row_blocks: Sequence[RowBlock], tree: Sequence[int]) -> list[int]:
        """The parent of each unit, or -1."""
        parents = [-1] * n_units
        for (_, touched), unit in zip(row_blocks, tree, strict=True):
            if unit >= 0:
                parents[unit] = next((int(u) for u in touched if 0 <= u != unit), -1)
        return parents

    def _depths(self, n_units: int, row_blocks: Sequence[RowBlock], parents: Sequence[int]) -> list[int]:
        """Distance from the root: outer units come first among nodes of equal degree."""
        depth = [0] * len(self.members)
        for start in range(n_units):
            path = [start]
            while depth[path[-1]] == 0 and parents[path[-1]] >= 0:
                path.append(parents[path[-1]])
                if len(path) > n_units:
                    raise ValueError(f"unit {start} is attached in a circle; `tree` must lead to a root")
            level = depth[path[-1]] or 1
            for step, unit in enumerate(reversed(path)):
                depth[unit] = level + step
        for block, (_, touched) in enumerate(row_blocks):
            depth[n_units + block] = max((depth[u] for u in touched if u >= 0), default=0)
        return depth

    def _carriers(self, touched: Sequence[int], parents: Sequence[int]) -> set[int]:
        """The other units of a loop: those on the paths from the units touched to their common ancestor or ground."""
        ends = {int(u) for u in touched}
        front = ends | {-1} if len(ends) == 1 else set(ends)
        found: set[int] = set()
        while len(front) > 1:
            outer = max(front, key=lambda unit: self.depth[unit] if unit >= 0 else 0)
            front.remove(outer)
            front.add(parents[outer])
            found.add(outer)
        return found - ends


def _check_tree(
    units: Sequence[Numbers], row_blocks: Sequence[RowBlock], tree: Sequence[int], massless: frozenset[int]
) -> None:
    taken: set[int] = set()
    for block, ((rows, touched), unit) in enumerate(zip(row_blocks, tree, strict=True)):
        if unit < 0:
            continue
        if unit in taken:
            raise ValueError(f"row block {block} is the second one attached to unit {unit}; attach one")
        if unit not in touched or unit in massless or len(rows) > len(units[unit]):
            raise ValueError(f"row block {block} cannot have full rank in unit {unit}, to which it is attached")
        taken.add(unit)


class _Elimination:
    """Minimum degree on the quotient graph.

    An eliminated node leaves a clique on its boundary. It is kept as one set (an *element*), never as edges: the
    neighbors of a node are those of the original graph that no element covers yet, and the members of its elements.
    """

    def __init__(self, graph: _Graph) -> None:
        self.graph = graph
        self.weight = [len(unknowns) for unknowns in graph.members]
        self.near = [sum(self.weight[v] for v in neighbours) for neighbours in graph.adjacent]
        self.degree = list(self.near)
        self.elements: list[set[int]] = [set() for _ in self.weight]
        self.boundary: dict[int, set[int]] = {}
        self.done = [False] * len(self.weight)
        self.order: list[int] = []
        self.heap: list[tuple[int, int, int]] = []
        for node in graph.nodes:
            self._offer(node)

    def run(self) -> list[int]:
        while self.heap:
            degree, _, node = heappop(self.heap)
            if not self.done[node] and degree == self.degree[node]:  # otherwise the entry is outdated
                self._eliminate(node)
        return self.order

    def _offer(self, node: int) -> None:
        if self.graph.waits[node] == 0:
            heappush(self.heap, (self.degree[node], -self.graph.depth[node], node))

    def _finish(self, node: int) -> None:
        self.done[node] = True
        self.order.append(node)
        for waiting in self.graph.releases[node]:
            self.graph.waits[waiting] -= 1
            self._offer(waiting)

    def _eliminate(self, node: int) -> None:
        boundary = self.graph.adjacent[node].union(*(self.boundary.pop(e) for e in self.elements[node]))
        boundary.discard(node)
        outside = self._weights_outside(boundary, self.elements[node])
        for v in boundary:
            self._cover(v, node, boundary, outside)
        self._finish(node)
        self._eliminate_alike(boundary)
        total = sum(self.weight[v] for v in boundary)
        self.boundary[node] = boundary
        for v in boundary:
            beyond = sum(outside[e] for e in self.elements[v] if e != node)
            self.degree[v] = self.near[v] + total - self.weight[v] + beyond
            self._offer(v)

    def _weights_outside(self, boundary: set[int], absorbed: set[int]) -> dict[int, int]:
        """The weight outside of the boundary of each element that meets it; absorbed elements vanish."""
        outside: dict[int, int] = {}
        for v in boundary:
            self.elements[v] -= absorbed
            for e in self.elements[v]:
                if e not in outside:
                    outside[e] = sum(self.weight[u] for u in self.boundary[e])
                outside[e] -= self.weight[v]
        for e, weight in outside.items():
            if weight == 0:  # the new element covers it
                del self.boundary[e]
        return outside

    def _cover(self, v: int, node: int, boundary: set[int], outside: dict[int, int]) -> None:
        """Replace the edges and elements of `v` that the new element `node` covers."""
        adjacent = self.graph.adjacent[v]
        covered = adjacent & boundary
        if node in adjacent:
            covered.add(node)
        adjacent -= covered
        self.near[v] -= sum(self.weight[u] for u in covered)
        self.elements[v] = {e for e in self.elements[v] if outside[e] > 0}
        self.elements[v].add(node)

    def _eliminate_alike(self, boundary: set[int]) -> None:
        """Eliminate at once, without further fill-in, the nodes without neighbors beyond the boundary."""
        alike = [v for v in sorted(boundary) if not self.graph.adjacent[v] and len(self.elements[v]) == 1]
        while ready := [v for v in alike if self.graph.waits[v] == 0]:
            for v in ready:
                boundary.discard(v)
                self._finish(v)
            alike = [v for v in alike if not self.done[v]]
