"""Matter of space: composites, voids, turns, principal axes, what is rejected and what is warned of."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan.errors import CardanWarning, ModelError
from cardan.spatial import matter, rotation
from cardan.spatial.matter import SpatialMatter
from cardan.spatial.matter.inertia import tensor
from folding import folded

FEW = settings(max_examples=50, deadline=None, derandomize=True)
ROUNDING = 1e-12

places = st.tuples(*[st.floats(-3, 3)] * 3)
orientations = st.builds(lambda v: rotation.from_rotation_vector(v), st.tuples(*[st.floats(-3, 3)] * 3))


@st.composite
def bodies(draw):
    """Physical by construction: a box anywhere, at any attitude."""
    edges = [draw(st.floats(0.1, 2)) for _ in range(3)]
    return matter.box(*edges, mass=draw(st.floats(0.1, 5))).turned(draw(orientations)).moved(draw(places))


def close(a: SpatialMatter, b: SpatialMatter, within: float = 1e-10) -> bool:
    return bool(
        np.isclose(a.mass, b.mass, rtol=within)
        and np.allclose(a.center, b.center, atol=within)
        and np.allclose(a.inertia, b.inertia, rtol=within, atol=within * max(1.0, np.abs(b.inertia).max()))
    )


@FEW
@given(bodies(), bodies(), bodies())
def test_order_of_parts_does_not_matter(a, b, c):
    assert close(a + b, b + a)
    assert close(sum([a, b, c]), a + (b + c))


@FEW
@given(bodies(), bodies(), places)
def test_inertia_about_one_point_adds_up(a, b, point):
    assert np.allclose((a + b).about(point), a.about(point) + b.about(point), rtol=1e-11, atol=1e-10)


@FEW
@given(bodies(), bodies())
def test_a_void_undoes_a_part(a, b):
    assert close((a + b) - b, a, 1e-8)


@FEW
@given(bodies(), orientations, places)
def test_motion_keeps_moments_and_energy(body, p, by):
    """Moments about a fixed point that moves along are turned by A: J_P -> A J_P A^T."""
    moved = body.turned(p).moved(by)
    A = rotation.matrix(p)
    assert np.allclose(moved.principal()[0], body.principal()[0], atol=1e-11)
    assert np.allclose(moved.about(by), A @ body.about((0, 0, 0)) @ A.T, atol=1e-10)


@FEW
@given(bodies())
def test_principal_axes(body):
    moments, axes = body.principal()
    assert np.all(np.diff(moments) >= 0)
    assert np.linalg.det(axes) == pytest.approx(1.0, abs=ROUNDING)
    assert np.allclose(axes @ np.diag(moments) @ axes.T, body.inertia, atol=1e-11)


@FEW
@given(bodies(), places)
def test_taken_about_undoes_about(body, point):
    again = SpatialMatter.taken_about(point, mass=body.mass, center=body.center, inertia=body.about(point))
    assert close(again, body, 1e-9)


def test_points_taken_about_the_origin():
    """What rounding leaves of a point's or a rod's inertia is no negative moment and no warning."""
    origin = (0.0, 0.0, 0.0)
    for part in (SpatialMatter(0.3, (0.1, 0.7, -1.3)), matter.rod_between((1, 2, 3), (1.1, 2.3, 3.7), mass=0.3)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = SpatialMatter.taken_about(origin, mass=0.3, center=part.center, inertia=part.about(origin))
        assert close(again, part, 1e-11)


def test_products_have_tensor_sign():
    """Matter where x and y are both positive or both negative: J_xy < 0."""
    pair = SpatialMatter(1.0, (1, 1, 0)) + SpatialMatter(1.0, (-1, -1, 0))
    assert pair.inertia.tolist() == [[2, -2, 0], [-2, 2, 0], [0, 0, 4]]


def test_ways_to_turn():
    body = matter.box(1, 2, 3, mass=12).moved((1, 0, 0))
    p = rotation.from_axis_angle((0, 0, 1), math.pi / 2)
    quarter = body.turned(p)
    assert np.allclose(quarter.center, (0, 1, 0)) and np.allclose(quarter.inertia.diagonal(), (10, 13, 5))
    for other in (
        body.turned(rotation.matrix(p)),
        body.turned(rotation.to_scipy(p)),
        body.turned(x=(0, 2, 0), z=(0, 0, 1)),
    ):
        assert close(other, quarter)


def test_without_mass():
    rotor = SpatialMatter(0.0, (5, 5, 5), (1, 1, 2))
    assert np.array_equal(rotor.about((9, 9, 9)), rotor.inertia)
    assert (rotor + rotor).inertia[2, 2] == 4.0
    assert (rotor + SpatialMatter(1.0)).center == (0.0, 0.0, 0.0)


def test_values():
    body = SpatialMatter(1, inertia=(1, 1, 1))
    assert body == SpatialMatter(1.0, (0, 0, 0), np.eye(3)) and len({body, SpatialMatter(1, inertia=np.eye(3))}) == 1
    assert body != SpatialMatter(1, inertia=(1, 1, 1.5)) and body != 3
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 2.0
    given = np.eye(3)
    made = SpatialMatter(1, inertia=given)
    given[0, 0] = 5.0
    assert made.inertia[0, 0] == 1.0


def test_repr_is_one_line():
    made = SpatialMatter(1.5, (0, 1, 0), [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 3]])
    assert repr(made) == "<SpatialMatter: mass 1.5, center (0, 1, 0), about it xx 2, yy 2, zz 3, xy 0.5, xz 0, yz 0>"


@pytest.mark.parametrize("moments", [(4, 2, 0.1), (1, 1, 2.01), (139.9, 10.0, 10.0)])
def test_triangle_inequality_warns(moments):
    with pytest.warns(CardanWarning, match="the largest exceeds the sum of the others") as caught:
        made = SpatialMatter(1.0, inertia=moments)
    assert made.inertia.diagonal().tolist() == list(moments)
    assert "\n" not in str(caught[0].message) and caught[0].filename == __file__


@pytest.mark.parametrize("moments", [(1, 1, 2), (0, 1, 1), (0, 0, 0), (0.1, 0.2, 0.1 + 0.2), (5, 5, 5)])
def test_flat_bodies_and_rods_do_not_warn(moments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SpatialMatter(1.0, inertia=moments).turned(rotation.from_axis_angle((1, 2, 3), 0.7))


def test_slightly_asymmetric_is_rounding():
    J = tensor([[1, 1e-12, 0], [0, 1, 0], [0, 0, 1]], "it")
    assert np.array_equal(J, J.T)


REFUSED = {
    "negative moment": (lambda: SpatialMatter(1, inertia=(-1, 2, 2)), "the principal moments -1, 2, 2"),
    "products too large": (
        lambda: SpatialMatter(1, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 2]]),
        "none can be negative; check the moments, and the products",
    ),
    "asymmetric": (
        lambda: SpatialMatter(1, inertia=[[1, 0.5, 0], [-0.5, 1, 0], [0, 0, 1]]),
        "must be symmetric, but xy is 0.5 and yx is -0.5",
    ),
    "a number": (lambda: SpatialMatter(1, inertia=2.0), "must be three moments or a symmetric 3 x 3 tensor"),
    "ragged": (lambda: SpatialMatter(1, inertia=[[1, 2], [3]]), "three moments or a symmetric 3 x 3 tensor"),
    "not finite": (lambda: SpatialMatter(1, inertia=(1, math.nan, 1)), "must be finite"),
    "words": (
        lambda: SpatialMatter(1, inertia=("a", "b", "c")),
        "the inertia of a SpatialMatter must be 3 numbers, got",
    ),
    "negative mass": (lambda: SpatialMatter(-1), "the mass of a SpatialMatter must not be negative, got -1"),
    "center": (lambda: SpatialMatter(1, (1, 2)), "the center of a SpatialMatter must be 3 numbers"),
    "void too heavy": (lambda: SpatialMatter(1) - SpatialMatter(1), "a void of the mass 1 cannot be cut"),
    "void outside": (
        lambda: matter.cube(1, mass=2) - matter.cube(1, mass=1).moved((9, 0, 0)),
        "would be left; a void must be inside",
    ),
    "not about it": (
        lambda: SpatialMatter.taken_about((2, 0, 0), mass=1, center=(0, 0, 0), inertia=(1, 1, 1)),
        "check that the inertia is about that point",
    ),
    "plus a number": (lambda: SpatialMatter(1) + 1.0, "the term added to a SpatialMatter must be a SpatialMatter"),
    "no turn": (lambda: SpatialMatter(1).turned(), "must be an orientation or the axes"),
    "two turns": (lambda: SpatialMatter(1).turned((1, 0, 0, 0), z=(1, 0, 0)), "and not both"),
    "bad turn": (lambda: SpatialMatter(1).turned("left"), "the rotation of matter must be"),
    "no direction": (lambda: SpatialMatter(1).turned(z=(0, 0, 0)), "the rotation of matter"),
    "scaled from nothing": (lambda: SpatialMatter(0).scaled(mass=1), "massless matter cannot be scaled"),
    "fat torus": (lambda: matter.torus(1, 2, mass=1), "the tube radius of a torus, 2, must not exceed"),
    "rod without area": (lambda: matter.rod(1, density=7850), "a rod with density= also needs area="),
    "plate without thickness": (
        lambda: matter.plate(1, 1, density=7850),
        "a plate with density= also needs thickness=",
    ),
    "box of no height": (lambda: matter.box(1, 1, 0, mass=1), "the edge z of a box must be positive, got 0"),
    "huge": (lambda: matter.sphere(1e200, density=1), "must be finite"),
    "one point": (lambda: matter.rod_between((1, 2, 3), (1, 2, 3), mass=1), "the ends of a rod coincide at"),
}


@folded("case", REFUSED)
def test_rejected(case):
    make, words = REFUSED[case]
    with pytest.raises(ModelError) as refusal:
        make()
    text = str(refusal.value)
    assert words in text and "\n" not in text and len(text) < 300
