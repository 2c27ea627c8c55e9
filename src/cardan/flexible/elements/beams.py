"""Straight beams from a few numbers: Timoshenko elements with the exact static shape between nodes.

    y |    o------o------o------o        along x from the origin, six unknowns at each node
      +-- x        elements

Between nodes deflection and rotation are those of an unloaded Timoshenko beam, cubic and quadratic in x, so statics
are exact in the nodes with any number of elements; mass is consistent, with rotary inertia (Friedman and Kosmatka,
Computers & Structures 47, 1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from cardan.flexible.elements.material import Material, Section, material as material_of, rectangle
from cardan.flexible.fe_model import Elements, FiniteElementModel
from cardan.model import check
from cardan.model.flexible_part import Surface

GAUSS, WEIGHTS = (lambda g: (0.5 + 0.5 * g[0], 0.5 * g[1]))(np.polynomial.legendre.leggauss(4))


def beam(
    length: float,
    section: Any,
    material: Any = "steel",
    *,
    elements: int = 20,
    name: str = "beam",
) -> FiniteElementModel:
    """A beam along x with the node sets "left" and "right".

    `section` is a `rectangle`, `circle`, `tube` or `Section`, or the side of a square; `material` a `Material` or
    a name such as "steel".

    >>> from cardan.flexible import rectangle
    >>> rod = beam(1.0, rectangle(0.02, 0.01), "aluminum").reduce({"root": "left"}, modes=4, frame="tangent")
    >>> rod.frequencies[:2].round(2)           # Euler: 1.8751^2 sqrt(EI / rho A L^4) / 2 pi = 8.23, 16.45 Hz
    array([ 8.22, 16.45])
    """
    L = check.positive(length, "length of a beam")
    count = check.count(elements, "elements of a beam")
    matter = material_of(material)
    shape = section if isinstance(section, Section) else rectangle(section, nu=matter.nu)
    x = np.linspace(0.0, L, count + 1)
    nodes = np.column_stack([x, np.zeros((count + 1, 2))])
    M, K = element_matrices(L / count, shape, matter)
    at = (6 * np.arange(count)[:, None] + np.arange(12)).astype(np.int64)
    size = (6 * len(nodes),) * 2
    sets = {"left": np.array([0]), "right": np.array([count])}
    data = BeamElements(nodes, shape, matter)
    return FiniteElementModel(name, nodes, _assembled(M, at, size), _assembled(K, at, size), sets, data)


def element_matrices(L: float, section: Section, matter: Material) -> tuple[np.ndarray, np.ndarray]:
    """(M, K), 12 x 12, of an element; unknowns u, v, w, rotations about x, y, z at each end."""
    E, G, rho, A = matter.E, matter.shear_modulus, matter.density, section.area
    M, K = np.zeros((12, 12)), np.zeros((12, 12))
    bar = np.array([[2.0, 1.0], [1.0, 2.0]]) * L / 6.0
    spring = np.array([[1.0, -1.0], [-1.0, 1.0]]) / L
    for at, mass, stiffness in ((0, rho * A, E * A), (3, rho * (section.Iy + section.Iz), G * section.J)):
        both = np.ix_([at, at + 6], [at, at + 6])
        M[both] += mass * bar
        K[both] += stiffness * spring
    for places, sign, second, shear in (
        ([1, 5, 7, 11], 1.0, section.Iz, section.shear_y),
        ([2, 4, 8, 10], -1.0, section.Iy, section.shear_z),  # w' = -rotation about y
    ):
        N, T, dN, dT = bending_shapes(GAUSS, L, 12.0 * E * second / (shear * G * A * L**2))
        flip = np.array([1.0, sign, 1.0, sign])
        N, T, dN, dT = N * flip, T * flip, dN * flip, dT * flip
        w = WEIGHTS[:, None, None] * L
        mass = rho * A * N[:, :, None] * N[:, None] + rho * second * T[:, :, None] * T[:, None]
        slip = dN - T
        stiffness = E * second * dT[:, :, None] * dT[:, None] + shear * G * A * slip[:, :, None] * slip[:, None]
        M[np.ix_(places, places)] += (w * mass).sum(axis=0)
        K[np.ix_(places, places)] += (w * stiffness).sum(axis=0)
    return M, K


def bending_shapes(s: np.ndarray, L: float, shear: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Deflection, rotation and their slopes at s = x / L for unit deflection and rotation of both ends; (points, 4)."""
    m, p = 1.0 / (1.0 + shear), shear
    one = np.ones_like(s)
    N = np.stack(
        [
            1 - 3 * s**2 + 2 * s**3 + p * (1 - s),
            L * (s - 2 * s**2 + s**3 + 0.5 * p * (s - s**2)),
            3 * s**2 - 2 * s**3 + p * s,
            L * (-(s**2) + s**3 + 0.5 * p * (s**2 - s)),
        ],
        axis=1,
    )
    dN = np.stack(
        [
            -6 * s + 6 * s**2 - p,
            L * (1 - 4 * s + 3 * s**2 + 0.5 * p * (1 - 2 * s)),
            6 * s - 6 * s**2 + p,
            L * (-2 * s + 3 * s**2 + 0.5 * p * (2 * s - 1)),
        ],
        axis=1,
    )
    T = np.stack(
        [6 / L * (s**2 - s), 1 - 4 * s + 3 * s**2 + p * (1 - s), 6 / L * (s - s**2), -2 * s + 3 * s**2 + p * s], axis=1
    )
    dT = np.stack([6 / L * (2 * s - 1), -4 + 6 * s - p, 6 / L * (1 - 2 * s), -2 + 6 * s + p * one], axis=1)
    return m * N, m * T, m * dN / L, m * dT / L


class BeamElements(Elements):
    """The skin, stresses and geometric stiffening of a straight beam."""

    def __init__(self, nodes: np.ndarray, section: Section, matter: Material) -> None:
        self.nodes, self.section, self.matter = nodes, section, matter

    @property
    def _outline(self) -> np.ndarray:
        half = 0.5 * np.sqrt(self.section.area)
        corners = self.section.outline or ((-half, -half), (half, -half), (half, half), (-half, half))
        return np.array(corners)

    def surface(self, modes: np.ndarray) -> Surface:
        """Rings of the outline around the nodes, which turn with the sections, and caps."""
        ring = self._outline
        c, count = len(ring), len(self.nodes)
        arms = np.column_stack([np.zeros(c), ring])
        points = (self.nodes[:, None] + arms).reshape(-1, 3)
        moved = modes[:, None, :3] + np.cross(modes[:, None, 3:], arms[None, :, :, None], axis=2)
        k, i = np.meshgrid(np.arange(count - 1), np.arange(c), indexing="ij")
        a, b = k * c + i, k * c + (i + 1) % c
        sides = np.stack([np.stack([a, b, b + c], -1), np.stack([a, b + c, a + c], -1)]).reshape(-1, 3)
        fan = np.stack([np.zeros(c - 2, dtype=int), np.arange(1, c - 1), np.arange(2, c)], axis=-1)
        caps = np.vstack([fan[:, ::-1], fan + c * (count - 1)])
        return Surface(points, moved.reshape(len(points), 3, -1), np.vstack([sides, caps]))

    def stress(self, modes: np.ndarray) -> np.ndarray:
        """Axial and bending stress xx at the points of the skin, mean of both elements, and shear of torsion.

        Shear of torsion is exact for round sections; of others it is that of the circle with the same J, which is
        below the largest value. Shear of transverse forces vanishes at the outermost points and is not included.
        """
        E, G, s = self.matter.E, self.matter.shear_modulus, self.section
        L = np.diff(self.nodes[:, 0])[:, None]
        axial = np.diff(modes[:, 0], axis=0) / L
        twist = np.diff(modes[:, 3], axis=0) / L
        curve = {}
        for name, (v, t, sign, second, shear) in {
            "z": (1, 5, 1.0, s.Iz, s.shear_y),
            "y": (2, 4, -1.0, s.Iy, s.shear_z),
        }.items():
            ends = []
            for at in (0.0, 1.0):
                dT = bending_shapes(
                    np.array([at]), float(L[0, 0]), 12.0 * E * second / (shear * G * s.area * L[0, 0] ** 2)
                )[3]
                a, b, c, d = dT[0]
                ends.append(a * modes[:-1, v] + sign * b * modes[:-1, t] + c * modes[1:, v] + sign * d * modes[1:, t])
            curve[name] = _node_means(ends[0], ends[1])
        axial, twist = _node_means(axial, axial), _node_means(twist, twist)
        y, z = self._outline.T
        result = np.zeros((len(self.nodes), len(y), 6, modes.shape[2]))
        bending = y[:, None] * curve["z"][:, None] + z[:, None] * curve["y"][:, None]  # strain is -y v'' - z w''
        result[:, :, 0] = E * (axial[:, None] - bending)
        result[:, :, 3] = -G * twist[:, None] * z[:, None]
        result[:, :, 5] = G * twist[:, None] * y[:, None]
        return result.reshape(-1, 6, modes.shape[2])

    def stiffening(self, modes: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bending shortens the beam: Gamma_kl = -e_x int (v_k' v_l' + w_k' w_l') from the root outward."""
        x, E, G, s = self.nodes[:, 0], self.matter.E, self.matter.shear_modulus, self.section
        L, n = float(x[1] - x[0]), modes.shape[2]
        root = float(x[held].mean())
        first, second = np.zeros((n, n, 3)), np.zeros((n, n, 3, 3))
        for (v, t), sign, moment, shear in (((1, 5), 1.0, s.Iz, s.shear_y), ((2, 4), -1.0, s.Iy, s.shear_z)):
            dN = bending_shapes(GAUSS, L, 12.0 * E * moment / (shear * G * s.area * L**2))[2] * [1, sign, 1, sign]
            ends = np.stack([modes[:-1, v], modes[:-1, t], modes[1:, v], modes[1:, t]])  # (4, elements, n)
            slope = np.einsum("ga,aen->egn", dN, ends)
            at = x[:-1, None] + GAUSS * L
            for power, out in ((0, first[:, :, 0]), (1, second[:, :, 0, 0])):
                force = _axial_force(at, x[0], x[-1], root, power) * self.matter.density * s.area
                out -= np.einsum("eg,egk,egl->kl", force * WEIGHTS * L, slope, slope)
        return first, second


def _axial_force(x: np.ndarray, left: float, right: float, root: float, power: int) -> np.ndarray:
    """The axial force at x of the load s^power per length along x, held at the root."""

    def beyond(a: np.ndarray, b: Any) -> np.ndarray:
        result: np.ndarray = (b ** (power + 1) - a ** (power + 1)) / (power + 1)
        return result

    return np.where(x > root, beyond(x, right), -beyond(np.full_like(x, left), x))


def _node_means(at_start: np.ndarray, at_end: np.ndarray) -> np.ndarray:
    """Values of elements at their two ends as means at the nodes."""
    result = np.zeros((len(at_start) + 1, at_start.shape[1]))
    result[:-1] += at_start
    result[1:] += at_end
    result[1:-1] *= 0.5
    return result


def _assembled(element: np.ndarray, at: np.ndarray, size: tuple[int, int]) -> csr_matrix:
    row, column = np.repeat(at, 12, axis=1).ravel(), np.tile(at, (1, 12)).ravel()
    return coo_matrix((np.tile(element.ravel(), len(at)), (row, column)), shape=size).tocsr()
