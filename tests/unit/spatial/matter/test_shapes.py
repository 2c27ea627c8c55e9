"""Every shape is the integral of its density: mass, center and inertia against Gauss quadrature over the shape.

A shape is a map from the unit square or cube onto its points, with the factor of area or volume. The integrands are
polynomials and sines of up to one turn, for which 30 Gauss points per direction are exact to rounding.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from cardan.model.matter import plane
from cardan.spatial import matter

ROUNDING = 1e-12
TURN = 2 * math.pi
NODES, WEIGHTS = np.polynomial.legendre.leggauss(30)


def ball(R, r=0.0, top=1.0, low=-1.0):
    """Radius, height over the radius, longitude."""

    def point(u, v, w):
        s, c, a = r + (R - r) * u, low + (top - low) * v, TURN * w
        q = np.sqrt(1 - c * c)
        # cos and sin of the longitude are smooth; the root enters squared, or not at all by symmetry
        return (s * q * np.cos(a), s * q * np.sin(a), s * c), (R - r) * (top - low) * TURN * s * s

    return point


def tube(R, h, r=0.0, low=-0.5):
    def point(u, v, w):
        s, a = r + (R - r) * u, TURN * v
        return (s * np.cos(a), s * np.sin(a), h * (low + w)), (R - r) * TURN * h * s

    return point


def cone(R, h):
    def point(u, v, w):
        s, a = R * (1 - w) * u, TURN * v
        return (s * np.cos(a), s * np.sin(a), h * w), R * (1 - w) * TURN * h * s

    return point


def torus(R, t):
    def point(u, v, w):
        s, b, a = t * u, TURN * v, TURN * w
        q = R + s * np.cos(b)
        return (q * np.cos(a), q * np.sin(a), s * np.sin(b)), t * TURN * TURN * s * q

    return point


def box(a, b, c, low=(-0.5, -0.5, -0.5)):
    return lambda u, v, w: ((a * (u + low[0]), b * (v + low[1]), c * (w + low[2])), a * b * c + 0 * u)


def ellipsoid(a, b, c):
    def point(u, v, w):
        (x, y, z), factor = ball(1.0)(u, v, w)
        return (a * x, b * y, c * z), a * b * c * factor

    return point


def annulus(R, r=0.0, turn=TURN):
    def point(u, v):
        s, a = r + (R - r) * u, turn * v
        return (s * np.cos(a), s * np.sin(a), 0 * u), (R - r) * turn * s

    return point


def triangle(b, h):
    return lambda u, v: ((b * (u - 0.5) * (1 - v), h * v, 0 * u), b * h * (1 - v))


def corner(u, v):
    return (u * (1 - v), v, 0 * u), 1 - v


def prism(u, v, w):
    (x, y, _), factor = corner(u, v)
    return (x, y, 3 * (w - 0.5)), 3 * factor


UNIT_CORNER = [(0, 0), (1, 0), (0, 1)]

SOLIDS = {
    "box": (matter.box(0.3, 0.5, 0.7, density=2.0), box(0.3, 0.5, 0.7)),
    "cube": (matter.cube(0.3, density=2.0), box(0.3, 0.3, 0.3)),
    "sphere": (matter.sphere(0.4, density=2.0), ball(0.4)),
    "hollow sphere": (matter.hollow_sphere(0.4, 0.3, density=2.0), ball(0.4, 0.3)),
    "hemisphere": (matter.hemisphere(0.4, density=2.0), ball(0.4, low=0.0)),
    "ellipsoid": (matter.ellipsoid(0.4, 0.5, 0.6, density=2.0), ellipsoid(0.4, 0.5, 0.6)),
    "cylinder": (matter.cylinder(0.4, 0.9, density=2.0), tube(0.4, 0.9)),
    "hollow cylinder": (matter.hollow_cylinder(0.4, 0.3, 0.9, density=2.0), tube(0.4, 0.9, 0.3)),
    "cone": (matter.cone(0.4, 0.9, density=2.0), cone(0.4, 0.9)),
    "torus": (matter.torus(0.8, 0.3, density=2.0), torus(0.8, 0.3)),
    "extrusion": (matter.extrusion(UNIT_CORNER, 3, density=2.0), prism),
    "rod": (matter.rod(0.8, density=20.0, area=0.1), lambda u: ((0.8 * (u - 0.5), 0 * u, 0 * u), 0.8 + 0 * u)),
    "rod between": (
        matter.rod_between((1, 2, 3), (3, 2, 2), density=20.0, area=0.1),
        lambda u: ((1 + 2 * u, 2 + 0 * u, 3 - u), math.sqrt(5) + 0 * u),
    ),
    "plate": (
        matter.plate(0.3, 0.5, density=20.0, thickness=0.1),
        lambda u, v: ((0.3 * (u - 0.5), 0.5 * (v - 0.5), 0 * u), 0.15 + 0 * u),
    ),
    "disk": (matter.disk(0.4, density=20.0, thickness=0.1), annulus(0.4)),
    "ring": (
        matter.ring(0.4, density=20.0, area=0.1),
        lambda u: ((0.4 * np.cos(TURN * u), 0.4 * np.sin(TURN * u), 0 * u), 0.4 * TURN + 0 * u),
    ),
    "polygon": (matter.polygon(UNIT_CORNER, density=20.0, thickness=0.1), corner),
}

PLATES = {
    "rod": (
        plane.rod(0.8, density=20.0, width=0.1),
        lambda u: ((0.8 * (u - 0.5), 0 * u, 0 * u), 0.8 + 0 * u),
    ),
    "rod between": (
        plane.rod_between((1, 2), (3, 1), density=20.0, width=0.1),
        lambda u: ((1 + 2 * u, 2 - u, 0 * u), math.sqrt(5) + 0 * u),
    ),
    "rectangle": (
        plane.rectangle(0.3, 0.5, density=2.0),
        lambda u, v: ((0.3 * (u - 0.5), 0.5 * (v - 0.5), 0 * u), 0.15 + 0 * u),
    ),
    "triangle": (plane.triangle(0.3, 0.5, density=2.0), triangle(0.3, 0.5)),
    "disk": (plane.disk(0.4, density=2.0), annulus(0.4)),
    "half disk": (plane.half_disk(0.4, density=2.0), annulus(0.4, turn=math.pi)),
    "annulus": (plane.annulus(0.4, 0.3, density=2.0), annulus(0.4, 0.3)),
    "ring": (
        plane.ring(0.4, density=20.0, width=0.1),
        lambda u: ((0.4 * np.cos(TURN * u), 0.4 * np.sin(TURN * u), 0 * u), 0.4 * TURN + 0 * u),
    ),
    "polygon": (plane.polygon(UNIT_CORNER, density=2.0), corner),
}


def integrate(shape: Callable, density: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, center, and the tensor about the center."""
    directions = shape.__code__.co_argcount
    unknowns = np.meshgrid(*[(NODES + 1) / 2] * directions, indexing="ij")
    weight = np.ones_like(unknowns[0])
    for w in np.meshgrid(*[WEIGHTS / 2] * directions, indexing="ij"):
        weight = weight * w
    point, factor = shape(*unknowns)
    dm = (density * factor * weight).ravel()
    s = np.stack([np.broadcast_to(x, weight.shape).ravel() for x in point], axis=1)
    mass = dm.sum()
    center = dm @ s / mass
    second = np.einsum("k,ki,kj->ij", dm, s - center, s - center)
    return mass, center, np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize("name", SOLIDS)
def test_solid(name):
    made, shape = SOLIDS[name]
    mass, center, inertia = integrate(shape, 2.0)
    size = np.abs(inertia).max()
    assert made.mass == pytest.approx(mass, rel=ROUNDING)
    assert np.abs(made.center - center).max() < ROUNDING * max(1.0, np.abs(center).max())
    assert np.abs(made.inertia - inertia).max() < ROUNDING * size


@pytest.mark.parametrize("name", PLATES)
def test_plate(name):
    made, shape = PLATES[name]
    mass, center, inertia = integrate(shape, 2.0)
    assert made.mass == pytest.approx(mass, rel=ROUNDING)
    assert np.abs(np.array(made.center) - center[:2]).max() < ROUNDING * max(1.0, np.abs(center).max())
    assert made.inertia == pytest.approx(inertia[2, 2], rel=ROUNDING)


def test_rounded_bar():
    """Its outline by the divergence theorem with Gauss points on the arcs: J = integral of (x^3/3 dy - y^3/3 dx)."""
    length, width = 0.5, 0.2
    turn = math.pi * NODES / 2
    x, y = length / 2 + width / 2 * np.cos(turn), width / 2 * np.sin(turn)
    dx, dy = -y * math.pi / 2 * WEIGHTS, width / 2 * np.cos(turn) * math.pi / 2 * WEIGHTS
    straight = (width / 2) ** 3 / 3 * length  # of one side, along which only -y^3/3 dx contributes
    inertia = 2 * (np.sum(x**3 / 3 * dy - y**3 / 3 * dx) + straight)
    area = width * length + math.pi * width**2 / 4
    made = plane.rounded_bar(length, width, density=3.0)
    assert made.mass == pytest.approx(3 * area, rel=ROUNDING)
    assert made.center == (0.0, 0.0)
    assert made.inertia == pytest.approx(3 * inertia, rel=ROUNDING)


def test_every_shape_is_checked():
    """No shape of the public lists is missing above."""
    solids = {name for name in matter.__all__ if name not in ("SpatialMatter", "from_mesh", "from_triangles")}
    plates = {name for name in plane.__all__ if name not in ("PlanarMatter", "rounded_bar")}
    assert {name.replace(" ", "_") for name in SOLIDS} == solids
    assert {name.replace(" ", "_") for name in PLATES} == plates


def test_mass_and_density_agree():
    for made, _ in itertools.chain(SOLIDS.values(), PLATES.values()):
        assert made.scaled(mass=2 * made.mass).about((1,) * len(made.center)) == pytest.approx(
            2 * made.about((1,) * len(made.center)), rel=ROUNDING
        )
    assert matter.cone(0.4, 0.9, mass=SOLIDS["cone"][0].mass) == SOLIDS["cone"][0]


def test_thin_walls_are_limits():
    R, t = 0.5, 1e-6
    thin = matter.hollow_sphere(R, R - t, mass=3), matter.hollow_sphere(R, R, mass=3)
    assert np.allclose(thin[0].inertia, thin[1].inertia, rtol=4 * t / R)
    assert thin[1].inertia[0, 0] == pytest.approx(2 / 3 * 3 * R * R, rel=ROUNDING)
    assert matter.hollow_cylinder(R, R, 1, mass=3).inertia[2, 2] == pytest.approx(3 * R * R, rel=ROUNDING)
