"""Haug, chapter 6: mass properties of planar bodies.

The shapes of Table 6.1.1, and a composite body with a void.
"""

from __future__ import annotations

import math

from cardan.model.matter import plane
from verification.manual import Within, digits

ARITHMETIC = Within(1e-14, "a few operations on numbers of size one, each exact to 2e-16")


def test_table_of_shapes(record):
    """Table 6.1.1: mass and polar moment of inertia of planar bodies.

    gamma = 2, rod 0.8 by 0.05, rectangle 0.3 by 0.5, triangle with base 0.3 and height 0.5, circles of R = 0.4, ring of
    width 0.05. The sketches with the places of the centroids are lost; the centers are verified by quadrature in
    `tests/unit/spatial/matter/test_shapes.py`.
    """
    gamma, l, h, a, b, R, d = 2.0, 0.8, 0.05, 0.3, 0.5, 0.4, 0.05  # noqa: E741
    table = {
        "thin rod": (plane.rod(l, density=gamma, width=h), gamma * l * h, l**2 / 12),
        "rectangle": (plane.rectangle(a, b, density=gamma), gamma * a * b, (a**2 + b**2) / 12),
        "isosceles triangle": (plane.triangle(a, b, density=gamma), gamma * a * b / 2, a**2 / 24 + b**2 / 18),
        "circle": (plane.disk(R, density=gamma), gamma * math.pi * R**2, R**2 / 2),
        "semicircle": (
            plane.half_disk(R, density=gamma),
            gamma * math.pi * R**2 / 2,
            R**2 * (1 / 2 - 16 / (9 * math.pi**2)),
        ),
        "thin ring": (plane.ring(R, density=gamma, width=d), 2 * math.pi * R * gamma * d, R**2),
    }
    for name, (ours, mass, square) in table.items():
        record(f"{name}: m, J'", (ours.mass, ours.inertia), (mass, mass * square), ARITHMETIC, "Table 6.1.1")


def test_composite_pendulum(record):
    """Example 6.1.2: a rod with a disk that has a hole.

    Rod 2.8 kg, 1 m, hanging from O; disk of 8000 kg/m3, 0.01 m thick, R = 0.25 m, hole R = 0.125 m, both centers 1.25 m
    below O.
    """
    rod = plane.rod(1.0, mass=2.8).moved((0, -0.5))
    disk, hole = (plane.disk(R, density=8000, thickness=0.01).moved((0, -1.25)) for R in (0.25, 0.125))
    pendulum = rod + disk - hole
    record("m_d, m_h", (disk.mass, hole.mass), (15.71, 3.93), digits(2), "Example 6.1.2")
    record("J_r about its centroid", rod.inertia, 0.233, digits(3), "Example 6.1.2")
    record("distance of the centroid from O", -pendulum.center[1], 1.11, digits(2), "Example 6.1.2")
    record("J' of the pendulum", pendulum.inertia, 1.966, digits(3), "Example 6.1.2")
    book = (0.0, -1.11)  # the terms were computed about the rounded centroid
    terms = [part.about(book) for part in (rod, disk, hole)]
    record("J_r', J_d', J_h' about the rounded centroid", terms, (1.275, 0.799, 0.108), digits(3), "Example 6.1.2")
    record(
        "the same about the centroid",
        [p.about(pendulum.center) for p in (rod, disk, hole)],
        (1.261515, 0.816700, 0.112136),
        digits(6),
        "Example 6.1.2",
        "recomputed",
    )
