"""Haug, chapter 11: mass properties of bodies in space.

The shapes of Table 11.2.1, the parallel axis theorem, principal axes, and composite bodies.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.spatial import matter
from verification.manual import Within

ARITHMETIC = Within(1e-14, "a few operations on numbers of size one, each exact to 2e-16")
PI = math.pi


def test_table_of_shapes(record):
    """Table 11.2.1: inertia of homogeneous bodies.

    gamma = 2; rod of 0.8 with A = 0.01, along y as in the table; edges 0.3, 0.5, 0.7; radii 0.4 and 0.3, heights 0.9.
    """
    g, l, A, a, b, c, R, r, h = 2.0, 0.8, 0.01, 0.3, 0.5, 0.7, 0.4, 0.3, 0.9  # noqa: E741
    hollow = 2 / 5 * (R**5 - r**5) / (R**3 - r**3)
    cone, cylinder, tube = 3 / 80 * (4 * R**2 + h**2), (3 * R**2 + h**2) / 12, (3 * R**2 + 3 * r**2 + h**2) / 12
    table = {
        "thin rod": (
            matter.rod(l, density=g, area=A).turned(x=(0, 1, 0)),
            g * l * A,
            (l**2 / 12, 0, l**2 / 12),
        ),
        "cube": (matter.cube(a, density=g), g * a**3, (a**2 / 6,) * 3),
        "rectangular prism": (
            matter.box(a, b, c, density=g),
            g * a * b * c,
            ((b**2 + c**2) / 12, (a**2 + c**2) / 12, (a**2 + b**2) / 12),
        ),
        "sphere": (matter.sphere(R, density=g), 4 / 3 * PI * g * R**3, (2 / 5 * R**2,) * 3),
        "hollow sphere": (matter.hollow_sphere(R, r, density=g), 4 / 3 * PI * g * (R**3 - r**3), (hollow,) * 3),
        "hemisphere": (
            matter.hemisphere(R, density=g),
            2 / 3 * PI * g * R**3,
            (83 / 320 * R**2, 83 / 320 * R**2, 2 / 5 * R**2),
        ),
        "right circular cone": (matter.cone(R, h, density=g), PI * g * R**2 * h / 3, (cone, cone, 3 / 10 * R**2)),
        "right circular cylinder": (
            matter.cylinder(R, h, density=g),
            PI * g * R**2 * h,
            (cylinder, cylinder, R**2 / 2),
        ),
        "hollow cylinder": (
            matter.hollow_cylinder(R, r, h, density=g),
            PI * g * h * (R**2 - r**2),
            (tube, tube, (R**2 + r**2) / 2),
        ),
    }
    for name, (ours, mass, squares) in table.items():
        expected = (mass, *(mass * square for square in squares))
        record(
            f"{name}: m, J_xx, J_yy, J_zz", (ours.mass, *ours.inertia.diagonal()), expected, ARITHMETIC, "Table 11.2.1"
        )
    record.erratum("Haug, Table 11.2.1", "hollow cylinder, J_xx = m (3 R1^2 + 3 R2^2 + h^2) / 2; the divisor is 12.")


def test_wedge(record):
    """Examples 11.2.1 and 11.2.2: a wedge-shaped body.

    0 <= x <= 10, 0 <= y <= 10, 9 - 0.2 y <= z <= 11 + 0.2 y, gamma = 1: an outline in the yz plane, extruded along x.
    """
    outline = [(0, 9), (10, 7), (10, 13), (0, 11)]  # (y, z)
    body = matter.extrusion(outline, 10, density=1).turned(z=(1, 0, 0), x=(0, 1, 0)).moved((5, 0, 0))
    large = Within(1e-10, "numbers up to 6e4, each exact to 1e-16 of itself")
    record("m", body.mass, 400, large, "Example 11.2.1")
    record("centroid", body.center, (5, 35 / 6, 10), ARITHMETIC, "Example 11.2.1")
    about = np.array([172000 / 3, 54000, 30000])  # the integrals of y^2 + z^2, x^2 + z^2, x^2 + y^2
    record("J''", body.about((0, 0, 0)).diagonal(), about, large, "Problem 11.2.1", "closed form")
    steps = 400 * np.array([(35 / 6) ** 2 + 100, 125, 25 + (35 / 6) ** 2])
    record("J'", body.inertia.diagonal(), about - steps, large, "Example 11.2.2")
    products = body.inertia[np.triu_indices(3, 1)]
    record("J_xy, J_xz, J_yz", products, (0, 0, 0), large, "Example 11.2.2")


def test_triangular_plate(record):
    """Example 11.2.3: the principal axes of a triangular plate.

    0 <= x <= 1, 0 <= y <= 1 - x, gamma = 1 per unit area. The book orders the moments from the largest down.
    """
    plate = matter.polygon([(0, 0), (1, 0), (0, 1)], density=1, thickness=1)
    record("m", plate.mass, 1 / 2, ARITHMETIC, "Example 11.2.3")
    record("centroid", plate.center, (1 / 3, 1 / 3, 0), ARITHMETIC, "Example 11.2.3")
    there = np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 4]]) / 24
    record("J''", plate.about((0, 0, 0)), there, ARITHMETIC, "Example 11.2.3")
    record("J'", plate.inertia, np.array([[2, 1, 0], [1, 2, 0], [0, 0, 4]]) / 72, ARITHMETIC, "Example 11.2.3")
    moments, axes = plate.principal()
    record("principal moments", moments[::-1], (1 / 18, 1 / 24, 1 / 72), ARITHMETIC, "Example 11.2.3")
    half = math.sqrt(0.5)
    book = np.array([(0, 0, 1), (half, half, 0), (-half, half, 0)])
    along = [abs(axes[:, 2 - k] @ axis) for k, axis in enumerate(book)]
    record("cosines between our principal axes and f, g, h", along, (1, 1, 1), ARITHMETIC, "Example 11.2.3")


def test_capsule(record):
    """Example 11.2.4: a cylinder with hemispherical ends.

    R = 0.3, L = 0.8, gamma = 2; its axis is y.
    """
    R, L, g = 0.3, 0.8, 2.0
    end = matter.hemisphere(R, density=g).moved((0, 0, L / 2))
    capsule = matter.cylinder(R, L, density=g) + end + end.turned(x=(1, 0, 0), z=(0, 0, -1))
    capsule = capsule.turned(z=(0, 1, 0))
    across = PI * g * R**2 * L * (3 * R**2 + L**2) / 12 + 2 * (
        83 * PI * g * R**5 / 480 + 2 * PI * g * R**3 / 3 * ((4 * L + 3 * R) / 8) ** 2
    )
    along = PI * g * R**4 * L / 2 + 2 * 4 * PI * g * R**5 / 15
    record("centroid", capsule.center, (0, 0, 0), ARITHMETIC, "Example 11.2.4")
    record("J_xx, J_yy, J_zz", capsule.inertia.diagonal(), (across, along, across), ARITHMETIC, "Example 11.2.4")


def test_bar_with_a_hole(record):
    """Example 11.2.5: a rectangular bar with a hole along x.

    a = 0.9, b = 0.5, c = 0.4, the hole's radius c / 2, gamma = 2.
    """
    a, b, c, g = 0.9, 0.5, 0.4, 2.0
    bar = matter.box(a, b, c, density=g) - matter.cylinder(c / 2, a, density=g).turned(z=(1, 0, 0))
    m, hole = g * a * b * c, PI * g * c**2 * a / 48 * (3 * c**2 / 4 + a**2)
    expected = (
        m * (b**2 + c**2) / 12 - PI * g * c**4 * a / 32,
        m * (a**2 + c**2) / 12 - hole,
        m * (a**2 + b**2) / 12 - hole,
    )
    record("J_xx, J_yy, J_zz", bar.inertia.diagonal(), expected, ARITHMETIC, "Example 11.2.5")
