"""Reduction of matrices to a part: frequencies, statics, frames, inertia."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_matrix

from bricks import bricks
from cardan.errors import CardanWarning, ModelError
from cardan.flexible import (
    Connection,
    FlexiblePart,
    Rayleigh,
    beam,
    check_mass_properties,
    rectangle,
    reduce,
    reduction,
    summary,
)
from cardan.flexible.connection import seats
from cardan.flexible.rigid_motion import rigid_motions

STEEL = (210e9, 0.3, 7850.0)
BAR = bricks((1.0, 0.1, 0.06), (12, 2, 1), *STEEL)


def ends(nodes: np.ndarray, kind: str = "average") -> dict[str, Connection]:
    x = nodes[:, 0]
    return {"a": Connection(x == x.min(), kind), "b": Connection(x == x.max(), kind)}


def full_frequencies(M: csr_matrix, K: csr_matrix) -> np.ndarray:
    """Elastic frequencies of the free body, Hz, from M v = theta K v without rigid motions."""
    values = eigh(K.toarray(), M.toarray(), eigvals_only=True)
    return np.sqrt(values[6:]) / (2 * np.pi)


@pytest.mark.parametrize("kind", ["average", "rigid"])
def test_free_modes_have_the_frequencies_of_the_full_model(kind: str) -> None:
    """The target of the reduction: 1e-6 below half of the limit. Here up to the limit, to the rounding of `eigh`."""
    M, K, nodes = BAR
    limit = 6000.0
    part = reduce(M, K, nodes, ends(nodes, kind), up_to=limit)
    if kind == "rigid":
        T = rigid_ends(nodes)
        M, K = T.T @ M @ T, T.T @ K @ T
    exact = full_frequencies(csr_matrix(M), csr_matrix(K))
    exact = exact[exact < limit]
    assert len(exact) >= 10
    assert np.abs(part.frequencies[: len(exact)] / exact - 1).max() < 1e-8


def rigid_ends(nodes: np.ndarray) -> np.ndarray:
    """u = T v with both ends rigid, dense."""
    x = nodes[:, 0]
    free = np.flatnonzero(np.repeat((x > x.min()) & (x < x.max()), 3))
    T = np.zeros((3 * len(nodes), len(free) + 12))
    T[free, np.arange(len(free))] = 1.0
    for k, end in enumerate((x.min(), x.max())):
        at = np.flatnonzero(np.repeat(x == end, 3))
        T[at, len(free) + 6 * k : len(free) + 6 * k + 6] = rigid_motions(nodes[x == end], nodes[x == end].mean(axis=0))
    return T


@pytest.mark.parametrize("method", ["free", "craig-bampton", "clamped"])
@pytest.mark.parametrize("kind", ["average", "rigid"])
@pytest.mark.parametrize("frame", ["mean", "tangent"])
def test_static_deflection_of_interfaces_is_exact(method: str, kind: str, frame: str) -> None:
    """Opposite forces at both ends: the relative motion equals that of the full model with one end held."""
    M, K, nodes = BAR
    part = reduce(M, K, nodes, ends(nodes, kind), modes=3, method=method, frame=frame)
    a, b = part.interfaces["a"], part.interfaces["b"]
    rng = np.random.default_rng(0)
    for _ in range(3):
        force, torque = rng.standard_normal(3), rng.standard_normal(3)
        arm = np.cross(b.position - a.position, force)
        load = b.translation.T @ force + b.rotation.T @ torque - a.translation.T @ force - a.rotation.T @ (torque + arm)
        eta = np.linalg.solve(part.stiffness, load)
        turn = a.rotation @ eta
        moved = b.translation @ eta - a.translation @ eta - np.cross(turn, b.position - a.position)
        turned = b.rotation @ eta - turn
        expected = full_statics(K, nodes, kind, np.concatenate([force, torque]))
        assert np.allclose(np.concatenate([moved, turned]), expected, rtol=0, atol=1e-7 * np.abs(expected).max())


def full_statics(K: csr_matrix, nodes: np.ndarray, kind: str, wrench: np.ndarray) -> np.ndarray:
    """The motion of b under a wrench with a held, by a saddle-point system of the full model."""
    if kind == "rigid":
        T = rigid_ends(nodes)
        k = (T.T @ (K @ T))[:, :]
        free = np.setdiff1d(np.arange(len(k)), np.arange(len(k) - 12, len(k) - 6))
        f = np.zeros(len(free))
        f[-6:] = wrench
        return np.linalg.solve(k[np.ix_(free, free)], f)[-6:]
    first, second = (seat.motion.toarray() for seat in seats(ends(nodes), nodes, 3, K))
    scale = np.abs(K.data).max()
    border = np.block([[K.toarray() / scale, first.T], [first, np.zeros((6, 6))]])
    u = np.linalg.solve(border, np.concatenate([second.T @ wrench / scale, np.zeros(6)]))[: K.shape[0]]
    return second @ u


def test_craig_bampton_counts_static_modes_of_relative_motions() -> None:
    """Two interfaces have 12 constraint modes, six of which are rigid motions: 6 static modes remain."""
    M, K, nodes = BAR
    found = reduction(M, K, nodes, ends(nodes, "rigid"), modes=4, method="craig-bampton")
    assert (found.static, found.normal, found.removed, found.kept) == (6, 4, 0, 10)
    assert "6 static + 4 normal modes" in str(found)
    twice = reduction(M, K, nodes, ends(nodes, "rigid"), modes=4, residual=np.ones((M.shape[0], 2)))
    assert (twice.removed, twice.static) == (1, 14)  # the same load twice


def test_mean_axes_do_not_couple_and_a_tangent_frame_holds_its_interface() -> None:
    M, K, nodes = BAR
    mean = reduce(M, K, nodes, ends(nodes), modes=6)
    scale = np.sqrt(mean.mass)
    assert np.abs(mean.coupling).max() < 1e-10 * scale and np.abs(mean.rotation_coupling).max() < 1e-10 * scale
    assert np.allclose(mean.modal_mass, np.eye(mean.modes), atol=1e-10)
    tangent = reduce(M, K, nodes, ends(nodes), modes=6, frame="tangent")
    held = tangent.interfaces["a"]
    assert np.abs(held.translation).max() < 1e-10 and np.abs(held.rotation).max() < 1e-9
    assert tangent.modes == mean.modes


def test_both_frames_describe_the_same_body() -> None:
    """Rigid motions and modes of both frames span the same space: the free frequencies are equal."""
    M, K, nodes = BAR
    mean, tangent = (reduce(M, K, nodes, ends(nodes), modes=6, frame=frame) for frame in ("mean", "tangent"))
    whole = tangent.mass_matrix()
    stiff = np.zeros_like(whole)
    stiff[6:, 6:] = tangent.stiffness
    values = eigh(stiff, whole, eigvals_only=True)[6:]
    assert np.allclose(np.sqrt(values) / (2 * np.pi), mean.frequencies, rtol=1e-8)


def test_inertia_integrals_are_those_of_the_box() -> None:
    """Closed form of a homogeneous box with a corner at the origin: linear fields are exact in bricks."""
    M, K, nodes = BAR
    part = reduce(M, K, nodes, modes=4)
    sides = np.array([1.0, 0.1, 0.06])
    mass = 7850 * sides.prod()
    D = mass * (np.outer(sides, sides) / 4 + np.diag(sides**2) / 12)
    assert part.mass == pytest.approx(mass, rel=1e-12)
    assert np.allclose(part.first_moment[0], mass * sides / 2, rtol=1e-12)
    assert np.allclose(part.second_moment[0, 0], D, rtol=1e-12)
    assert np.allclose(part.inertia, np.trace(D) * np.eye(3) - D, rtol=1e-12)
    traces = np.trace(part.second_moment[1:, 1:], axis1=2, axis2=3)
    assert np.allclose(traces, part.modal_mass, atol=1e-10)


def test_all_modes_of_a_small_model() -> None:
    """S11 of the notes: 4 x 1 x 1 bricks of a soft beam have 54 elastic modes."""
    M, K, nodes = bricks((1.0, 0.12, 0.08), (4, 1, 1), 2e6, 0.3, 1000.0)
    part = reduce(M, K, nodes, {"corner": [0]}, modes=54)
    assert part.modes == 54
    assert np.allclose(part.frequencies[:3], [8.44175, 9.29223, 13.17087], atol=5e-6)


def test_nodes_with_rotations_keep_exact_inertia() -> None:
    """A beam element model: mass, center and inertia of the bar, with rotary inertia."""
    part = beam(1.2, rectangle(0.03, 0.02)).reduce(modes=4)
    mass, Iy, Iz = 7850 * 1.2 * 6e-4, 0.03 * 0.02**3 / 12, 0.02 * 0.03**3 / 12
    line = 7850 * 1.2
    J = [line * (Iy + Iz), line * Iy + mass * 1.2**2 / 3, line * Iz + mass * 1.2**2 / 3]
    assert part.mass == pytest.approx(mass, rel=1e-12)
    assert np.allclose(part.inertia, np.diag(J), atol=1e-12 * J[1])
    D = part.second_moment[0, 0]
    assert np.allclose(np.trace(D) * np.eye(3) - D, part.inertia, atol=1e-12)
    assert np.abs(part.coupling).max() < 1e-10 and np.abs(part.rotation_coupling).max() < 1e-10


def test_planar_modes_of_a_square_beam() -> None:
    """Bending planes of a square section have the same frequencies, and eigenvectors mix them."""
    rod = beam(1.0, 0.02, elements=10)
    whole, flat = rod.reduce(modes=8), rod.reduction(modes=8, planar=True)
    part = flat.part
    assert np.abs(flat.modes[:, 2:5]).max() < 1e-8 * np.abs(flat.modes).max()
    assert part.frequencies[0] == pytest.approx(whole.frequencies[0], rel=1e-9)
    assert part.modes == 6 + 4 and flat.removed == 12 + 8 - 10  # wrenches in the plane, bending modes in the plane
    assert np.abs(part.second_moment[1:, 1:, 2]).max() < 1e-9
    M, K, nodes = BAR
    with pytest.raises(ModelError, match="no modes in the xy plane"):
        reduce(M, K, nodes, modes=2, planar=True)


def test_units_are_converted() -> None:
    M, K, nodes = BAR
    si = reduce(M, K, nodes, ends(nodes), modes=4)
    tonnes = reduce(M / 1e3, K / 1e3, nodes * 1e3, ends(nodes), modes=4, units="mm, t, s")
    assert tonnes.mass == pytest.approx(si.mass) and np.allclose(tonnes.frequencies, si.frequencies)
    assert np.allclose(tonnes.interfaces["b"].position, si.interfaces["b"].position)
    rod = beam(1.0, 0.02)
    scale = np.tile([1.0, 1, 1, 1e3, 1e3, 1e3], len(rod.nodes))
    turn = csr_matrix((scale, (np.arange(len(scale)),) * 2))
    back = reduce(turn @ rod.M @ turn / 1e3, turn @ rod.K @ turn / 1e3, rod.nodes * 1e3, modes=4, units="mm, t, s")
    assert np.allclose(back.frequencies, rod.reduce({}, modes=4).frequencies)


@pytest.mark.parametrize(
    ("stated", "ratios"),
    [
        (None, lambda f: 0 * f),
        (0.02, lambda f: 0.02 + 0 * f),
        ("graded", lambda f: np.where(f < 100, 0.01, np.where(f < 1000, 0.1, 1.0))),
        (Rayleigh(mass=3.0, stiffness=1e-5), lambda f: 3.0 / (4 * np.pi * f) + 1e-5 * np.pi * f),
        (lambda f: 1e-4 * f, lambda f: 1e-4 * f),
    ],
)
def test_damping_ratios(stated: object, ratios: object) -> None:
    part = beam(2.0, 0.02).reduce({}, modes=6, damping=stated)
    expected = 4 * np.pi * part.frequencies * ratios(part.frequencies)  # type: ignore[operator]
    assert np.allclose(np.diag(part.damping), expected)
    assert (summary(part).count("none") == 1 + part.modes) == (stated is None)  # and no interfaces


def shifted(matrix: csr_matrix, i: int, j: int, by: float) -> csr_matrix:
    return csr_matrix(matrix + csr_matrix(([by], ([i], [j])), shape=matrix.shape))


def two_bricks_on_an_edge() -> tuple[csr_matrix, csr_matrix, np.ndarray]:
    """They share an edge and turn about it: a hinge."""
    M, K, nodes = bricks((0.1, 0.1, 0.1), (1, 1, 1), *STEEL)
    other = nodes + [0.1, 0.1, 0.0]
    places, number = np.unique(np.round(np.vstack([nodes, other]), 9), axis=0, return_inverse=True)
    assert len(places) == 14
    dofs = (3 * number.reshape(-1, 1) + np.arange(3)).ravel()
    spread = csr_matrix((np.ones(len(dofs)), (np.arange(len(dofs)), dofs)))
    return spread.T @ block_diag([M, M]) @ spread, spread.T @ block_diag([K, K]) @ spread, places


def wrong_inputs() -> dict[str, tuple[dict[str, object], str]]:
    M, K, nodes = bricks((1.0, 0.1, 0.1), (3, 1, 1), *STEEL)
    big = float(np.abs(K.data).max())
    loose = block_diag([K, K]).tocsr(), block_diag([M, M]).tocsr(), np.vstack([nodes, nodes + [0, 1, 0]])
    flat = M.copy()
    flat.data = flat.data * 0
    one_way = csr_matrix(M + csr_matrix((np.tile([5.0, 0, 0], len(nodes)), (np.arange(M.shape[0]),) * 2)))
    negative = shifted(M, 0, 0, -2 * M[0, 0])
    coupled = shifted(shifted(M, 0, 3, 9 * M[0, 0]), 3, 0, 9 * M[0, 0])
    hinged = two_bricks_on_an_edge()
    return {
        "unsymmetric": ({"K": shifted(K, 0, 5, big)}, "stiffness matrix K must be symmetric: entry"),
        "unsymmetric mass": ({"M": shifted(M, 0, 3, 1.0)}, "mass matrix M must be symmetric"),
        "indefinite mass": ({"M": negative}, "mass matrix M is indefinite: node 0"),
        "indefinite mass inside": ({"M": coupled}, "mass matrix M is indefinite"),
        "indefinite stiffness": ({"K": -K}, "stiffness matrix K is indefinite"),
        "wrong size": ({"nodes": nodes[:-1]}, "nodes have"),
        "sizes differ": ({"K": K[:-3][:, :-3]}, "M is 48 x 48, but K is 45 x 45"),
        "not square": ({"K": K[:-3]}, "must be square"),
        "no mass": ({"M": flat}, "the mass matrix M is zero"),
        "directions": ({"M": one_way}, "different masses along x, y and z"),
        "grounded": ({"K": shifted(K, 0, 0, big)}, "K resists a translation along x (most at node 0"),
        "two pieces": ({"K": loose[0], "M": loose[1], "nodes": loose[2]}, "2 unconnected pieces"),
        "millimeters": ({"nodes": nodes * 1e3}, "units are inconsistent: sound"),
        "heavy": ({"M": M * 1e4, "K": K * 1e4}, "units are inconsistent: the density"),
        "mechanism": (
            dict(zip(("M", "K", "nodes"), hinged, strict=True)),
            "K is singular beyond the six rigid motions",
        ),
        "no nodes": ({"interfaces": {"tip": []}}, "interface 'tip' has no nodes"),
        "no node": ({"interfaces": {"tip": [99]}}, "from 0 to 15"),
        "in a line": ({"interfaces": {"tip": [0, 4]}}, "lie in a line"),
        "rigid twice": (
            {"interfaces": {"a": Connection([0, 1, 2], "rigid"), "b": Connection([2, 3, 1], "rigid")}},
            "both",
        ),
        "kind": ({"interfaces": {"a": Connection([0, 1, 2], "welded")}}, "kind of interface 'a'"),
        "no extent": ({"modes": None}, "either modes"),
        "tangent": ({"frame": "tangent"}, "needs interfaces"),
        "method": ({"method": "guyan"}, "method must be"),
        "residual": ({"residual": np.ones(5)}, "residual must have 48 rows"),
        "damping": ({"damping": -0.1}, "must not be negative"),
        "not finite": ({"K": shifted(K, 0, 0, np.nan)}, "not finite"),
        "nodes": ({"nodes": nodes[:, :2]}, "nodes must be an array of positions"),
        "text": ({"M": "mass"}, "must be a SciPy sparse matrix"),
    }


@pytest.mark.parametrize("case", list(wrong_inputs()))
def test_wrong_input_is_rejected_with_the_problem(case: str) -> None:
    M, K, nodes = bricks((1.0, 0.1, 0.1), (3, 1, 1), *STEEL)
    changed, words = wrong_inputs()[case]
    stated: dict[str, object] = {"M": M, "K": K, "nodes": nodes, "modes": 2} | changed
    with pytest.raises(ModelError) as caught:
        reduce(**stated)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_mass_properties_are_compared_with_the_solid() -> None:
    M, K, nodes = BAR
    part = reduce(M, K, nodes, modes=2)
    sides = np.array([1.0, 0.1, 0.06])
    mass, center = 47.1, sides / 2
    J = mass / 12 * (sides @ sides - sides**2)
    check_mass_properties(part, mass, center, np.diag(J))
    check_mass_properties(part, mass, center, J[::-1])
    for wrong, words in (
        ({"mass": 0.0471}, "1000 times that of the solid"),
        ({"center": (500, 50, 30)}, "mass center at (0.5, 0.05, 0.03) m"),
        ({"inertia": 1.1 * J}, "10 % of its largest moment"),
        ({"inertia": np.diag(J[::-1])}, "check units and axes"),
        ({"inertia": 1.0}, "three principal moments"),
    ):
        with pytest.raises(ModelError) as caught:
            check_mass_properties(part, **wrong)  # type: ignore[arg-type]
        assert words in str(caught.value)


def test_progress_is_reported() -> None:
    M, K, nodes = bricks((1.0, 0.1, 0.1), (40, 3, 3), *STEEL)
    seen: list[float] = []
    reduce(M, K, nodes, modes=3, progress=seen.append)
    assert len(seen) > 5 and seen[-1] == 1.0 and all(a <= b for a, b in zip(seen, seen[1:], strict=False))


def test_slow_sound_warns() -> None:
    M, K, nodes = bricks((1.0, 0.1, 0.1), (3, 1, 1), 10.0, 0.3, 1000.0)
    with pytest.warns(CardanWarning, match="check its units"):
        reduce(M, K, nodes, modes=2)
    assert isinstance(reduce(M, K, nodes, modes=2, units="any"), FlexiblePart)
