"""Orders of elimination: the rules that keep leading blocks regular, and the fill they leave."""

from __future__ import annotations

import numpy as np
import pytest

from cardan.numerics.linalg import ldlt, ordering
from cardan.numerics.linalg.ordering import elimination_order, spanning_tree
from cardan.numerics.linalg.saddle import Saddle, Structure


def fill(system) -> int:
    """Entries of L below the diagonal."""
    order = elimination_order(system.units, system.row_blocks, system.tree)
    entries = system.jacobian.tocoo()
    nc = 3 * len(system.origins)
    pattern, _ = ldlt.analyze(order.size, nc + entries.row, entries.col, order)
    return pattern.Li.size


def loop_units(system, touched) -> set[int]:
    """Units on the loop that a row block closes, by the paths of those that it touches to ground."""
    parent = {unit: min(system.row_blocks[b][1], key=lambda u: u == unit) for b, unit in enumerate(system.tree)}
    paths = []
    for unit in touched:
        paths.append([])
        while unit >= 0:
            paths[-1].append(unit)
            unit = parent[unit]
    return set.union(*map(set, paths)) - set.intersection(*map(set, paths))


def check_rules(system) -> None:
    order = elimination_order(system.units, system.row_blocks, system.tree)
    nc = 3 * len(system.origins)
    assert sorted(order) == list(range(nc + 2 * len(system.row_blocks)))
    place = np.empty(order.size, int)
    place[order] = np.arange(order.size)
    for (rows, touched), attached in zip(system.row_blocks, system.tree, strict=True):
        first = min(place[nc + r] for r in rows)
        units = [attached] if attached >= 0 else [*loop_units(system, touched), *(u for u in touched if u >= 0)]
        assert all(place[list(system.units[u])].max() < first for u in units)
        if attached >= 0:  # a super-unit stays whole
            members = place[[*system.units[attached], *(nc + r for r in rows)]]
            assert members.max() - members.min() == members.size - 1


@pytest.mark.parametrize("kind, size", [("chain", 30), ("star", 30), ("ladder", 20), ("mesh", 6)])
def test_rows_come_after_the_units_on_which_their_rank_rests(pinned, kind, size):
    check_rules(pinned[kind](size))


@pytest.mark.parametrize("numbers", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_a_loop_waits_for_what_carries_the_units_it_touches(pinned, numbers):
    """With the body on which it hangs fixed, an end of the chain could only turn: its pin would hold it twice."""
    system = pinned["cart"](*numbers)
    assert np.linalg.matrix_rank(system.jacobian.toarray()) == 8
    saddle = Saddle(system.jacobian, Structure(system.units, system.row_blocks, system.tree))
    assert saddle.factor(np.ones(9), np.zeros(0, int), 1e-6).size == 0


def test_a_loop_does_not_wait_for_what_carries_all_of_it():
    """A chain on ground; the second body and the fourth are joined again. The first body may come later, as it must not
    if ground is touched, too."""
    units = [range(3 * u, 3 * u + 3) for u in range(4)]
    blocks = [((2 * u, 2 * u + 1), (u - 1, u)) for u in range(4)]
    for touched, awaited in (((1, 3), {1, 2, 3}), ((-1, 1, 3), {0, 1, 2, 3}), ((3,), {0, 1, 2, 3})):
        graph = ordering._Graph(units, [*blocks, ((8, 9), touched)], [0, 1, 2, 3, -1], frozenset())
        assert {unit for unit in range(4) if 8 in graph.releases[unit]} == awaited


@pytest.mark.parametrize("kind", ["chain", "star", "ladder"])
def test_fill_is_linear(pinned, kind):
    """Ten times the size, ten times the fill, up to what the ends of the system lack."""
    small, large = fill(pinned[kind](50)), fill(pinned[kind](500))
    assert large == pytest.approx(10 * small, rel=0.03)


def test_star_and_chain_have_no_more_fill_than_by_hand(pinned):
    """By hand, outer units first: an arm with its two rows leaves 10 entries (x: 1, y: 1, phi: 2, rows: 3 + 3), the hub
    8 at most; in a chain the inner link's three coordinates are already connected: 4 more."""
    assert fill(pinned["star"](100)) <= 10 * 100 + 9
    assert fill(pinned["chain"](100)) <= 14 * 100


def test_mesh_fills_less_than_a_band(pinned):
    """A net of s x s bodies, row by row, is a band of about 2 s nodes; minimum degree must beat it."""
    side = 16
    system = pinned["mesh"](side)
    unknowns = 3 * side**2 + 2 * len(system.row_blocks)
    assert fill(system) < unknowns * (side * 7) / 2


def test_the_order_is_always_the_same(pinned):
    systems = [pinned["mesh"](8) for _ in range(2)]
    orders = [elimination_order(s.units, s.row_blocks, s.tree) for s in systems]
    assert np.array_equal(*orders)


def test_a_massless_unit_comes_after_its_rows():
    """Mass on a curve: rows x - u and y - c(u) of the curve's parameter u (unit 0) and the mass (unit 1)."""
    blocks = [([0, 1], (0, 1))]
    assert list(elimination_order([[0], [1, 2]], blocks, [-1])) == [0, 1, 2, 3, 4]
    assert list(elimination_order([[0], [1, 2]], blocks, [-1], massless=[0])) == [1, 2, 3, 4, 0]


def test_a_massless_unit_cannot_carry_tree_rows():
    """[[0, 1], [1, 0]] is regular, but its first pivot is zero."""
    with pytest.raises(ValueError, match="row block 0 cannot have full rank in unit 1"):
        elimination_order([[0, 1], [2]], [([0], (0, 1))], [1], massless=[1])


def test_wrong_trees_are_rejected():
    units = [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="second one attached to unit 0"):
        elimination_order(units, [([0], (0,)), ([1], (0, 1))], [0, 0])
    with pytest.raises(ValueError, match="cannot have full rank in unit 1"):
        elimination_order(units, [([0], (0,))], [1])
    with pytest.raises(ValueError, match="in a circle"):
        elimination_order(units, [([0], (0, 1)), ([1], (0, 1))], [0, 1])


class TestSpanningTree:
    def test_ladder(self, pinned):
        """Cranks hang on ground, couplers on their left crank; the right pins close the loops."""
        tree = pinned["ladder"](3).tree
        assert tree == [0, 1, 2, 3, 4, -1, 5, -1, 6, -1]

    def test_larger_joints_are_preferred(self):
        """Body 1 hangs on ground by one row or on body 0 by two: by two, so that one row remains to be tested."""
        edges = [(-1, 0, 0), (-1, 1, 1), (0, 1, 2)]
        assert spanning_tree(2, edges, sizes=[2, 1, 2]) == [0, -1, 1]
        assert spanning_tree(2, edges) == [0, 1, -1]

    def test_a_joint_given_twice_is_one_tree_joint_and_one_loop(self):
        assert spanning_tree(1, [(-1, 0, 0), (0, -1, 1)]) == [0, -1]

    def test_free_bodies_are_roots(self):
        assert spanning_tree(3, [(1, 2, 0)], n_blocks=2) == [2, -1]

    def test_no_joints(self):
        assert spanning_tree(2, []) == []
