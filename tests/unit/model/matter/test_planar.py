"""Matter of the plane: composites, voids, parallel axes, polygons, and what is rejected."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from cardan.errors import ModelError
from cardan.model.matter import PlanarMatter, plane
from cardan.model.matter.outline import region
from folding import folded

FEW = settings(max_examples=50, deadline=None, derandomize=True)
ROUNDING = 1e-12  # some ten operations on numbers of size one

places = st.tuples(*[st.floats(-5, 5)] * 2)
bodies = st.builds(PlanarMatter, st.floats(0.1, 10), places, st.floats(0, 10))


def close(a: PlanarMatter, b: PlanarMatter, within: float = 1e-10) -> bool:
    """Equal but for rounding; differences of numbers up to a thousand leave 1e-12 or so."""
    ours, theirs = np.array([a.mass, *a.center, a.inertia]), np.array([b.mass, *b.center, b.inertia])
    return bool(np.allclose(ours, theirs, rtol=within, atol=within))


@FEW
@given(bodies, bodies, bodies)
def test_order_of_parts_does_not_matter(a, b, c):
    assert close(a + b, b + a)
    assert close((a + b) + c, a + (b + c))
    assert close(sum([a, b, c]), a + b + c)


@FEW
@given(bodies, bodies, places)
def test_inertia_about_one_point_adds_up(a, b, point):
    assert (a + b).about(point) == pytest.approx(a.about(point) + b.about(point), rel=1e-11)


@FEW
@given(bodies, bodies)
def test_a_void_undoes_a_part(a, b):
    assert close((a + b) - b, a, 1e-8)  # the mass may be a hundredth of the void's, at distances of ten


@FEW
@given(bodies, places, st.floats(-10, 10))
def test_motion_keeps_the_body(body, by, angle):
    moved = body.moved(by).turned(angle)
    assert (moved.mass, moved.inertia) == (body.mass, body.inertia)
    assert close(moved.turned(-angle).moved((-by[0], -by[1])), body)


def test_smallest_about_the_center():
    body = PlanarMatter(2.0, (1.0, 1.0), 3.0)
    assert body.about((1, 1)) == 3.0
    assert body.about((1, 2)) == body.about((0, 1)) == 5.0


@FEW
@given(bodies, places)
def test_taken_about_undoes_about(body, point):
    again = PlanarMatter.taken_about(point, mass=body.mass, center=body.center, inertia=body.about(point))
    assert close(again, body, 1e-9)  # at most 10 * 200 + 10 less 2000


def test_point_mass_taken_about_a_point():
    assert PlanarMatter.taken_about((0, 0), mass=0.3, center=(0.1, 0.7), inertia=0.3 * (0.01 + 0.49)).inertia == 0.0


def test_scaled():
    body = PlanarMatter(2.0, (1.0, 0.0), 3.0).scaled(mass=1.0)
    assert body == PlanarMatter(1.0, (1.0, 0.0), 1.5)


def test_without_mass():
    rotor = PlanarMatter(0.0, (5.0, 5.0), 0.2)
    assert rotor.about((100, 0)) == 0.2
    assert close(rotor + PlanarMatter(2.0, (1.0, 0.0)), PlanarMatter(2.0, (1.0, 0.0), 0.2))
    assert (rotor + rotor).inertia == 0.4


def test_values_are_equal_and_hash():
    assert PlanarMatter(1, (0, 0), 2) == PlanarMatter(1.0, (0.0, 0.0), 2.0)
    assert len({PlanarMatter(1), PlanarMatter(1.0)}) == 1


def test_polygons_agree_with_shapes():
    assert close(plane.polygon([(-1, 0), (1, 0), (0, 3)], density=2), plane.triangle(2, 3, density=2), ROUNDING)
    clockwise = plane.polygon([(-1, -2), (-1, 2), (1, 2), (1, -2)], mass=3)
    assert close(clockwise, plane.rectangle(2, 4, mass=3), ROUNDING)
    around = [(math.cos(u), math.sin(u)) for u in 2 * math.pi * np.arange(3000) / 3000]
    # area and inertia of the inscribed polygon fall short by 2 pi^2 / (3 n^2) = 7e-7 and twice that
    assert close(plane.polygon(around, density=1), plane.disk(1, density=1), 4e-6)


def test_holes_are_voids():
    outline, hole = [(0, 0), (5, 0), (6, 4), (1, 5)], [(1, 1), (2, 3), (3, 1)]
    cut = plane.polygon(outline, density=2) - plane.polygon(hole, density=2)
    assert close(plane.polygon(outline, [hole], density=2), cut, ROUNDING)


def test_crossings_are_found_wherever_they_are():
    """Random polygons, shuffled a little, against a comparison of every pair of edges."""
    rng = np.random.default_rng(1)

    def left(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])

    verdicts = []
    for _ in range(60):
        turn = np.sort(rng.uniform(0, 2 * math.pi, 9)) + rng.normal(0, 0.4, 9)
        points = (rng.uniform(0.5, 1, 9) * [np.cos(turn), np.sin(turn)]).T
        edges = list(zip(points, np.roll(points, -1, axis=0), strict=True))
        pairs = [(edges[i], edges[j]) for i in range(9) for j in range(i + 2, 9) if j - i < 8]
        crosses = any(left(a, b, p) != left(a, b, q) and left(p, q, a) != left(p, q, b) for (a, b), (p, q) in pairs)
        verdicts.append(crosses)
        if crosses:
            with pytest.raises(ModelError, match="crosses itself"):
                plane.polygon(points, mass=1)
        else:
            plane.polygon(points, mass=1)
    assert 10 < sum(verdicts) < 50  # both happened


def test_far_from_the_origin():
    near = np.array([(0, 0), (1, 0), (1, 2), (0, 2)], float)
    far = plane.polygon(near + 4096.0, density=1)  # 2^12: the corners themselves are exact
    assert far.inertia == pytest.approx(plane.rectangle(1, 2, density=1).inertia, rel=ROUNDING)
    assert far.center == pytest.approx((4096.5, 4097.0), rel=ROUNDING)


def test_density_with_thickness():
    steel = plane.disk(0.25, density=8000, thickness=0.01)
    assert steel.mass == pytest.approx(plane.disk(0.25, density=80).mass)
    assert plane.ring(0.5, density=8000, width=0.01, thickness=0.02).mass == pytest.approx(1.6 * math.pi)


def test_repeated_corners_do_no_harm():
    corners = [(0, 0), (1, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    assert region(corners, (), "a plate").size == 1.0


SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (2, 1), (2, 2), (1, 2)]

REFUSED = {
    "no mass": (lambda: plane.disk(1), "a disk needs mass= or density="),
    "both": (lambda: plane.disk(1, mass=1, density=2), "not both, got 1 and 2"),
    "negative mass": (lambda: plane.disk(1, mass=-1), "the mass of a disk must be positive, got -1"),
    "zero density": (lambda: plane.disk(1, density=0), "the density of a disk must be positive"),
    "a word": (lambda: plane.disk("big", mass=1), "the radius of a disk must be a number, got 'big'"),
    "thickness with mass": (lambda: plane.disk(1, mass=1, thickness=2), "the thickness of a disk is only for density="),
    "rod without width": (lambda: plane.rod(1, density=8000), "a rod with density= also needs width="),
    "no length": (lambda: plane.rod_between((1, 2), (1, 2), mass=1), "the ends of a rod coincide at (1, 2)"),
    "inside out": (lambda: plane.annulus(1, 2, mass=1), "the inner radius of an annulus, 2, must not exceed"),
    "no wall": (lambda: plane.annulus(1, 1, density=1), "give mass= instead of density="),
    "two corners": (lambda: plane.polygon([(0, 0), (1, 0)], mass=1), "at least three different corners, got 2"),
    "no corners": (lambda: plane.polygon([], mass=1), "at least three different corners, got 0"),
    "no outline": (lambda: plane.polygon("square", mass=1), "must be a list of points (x, y), got str 'square'"),
    "corner of space": (
        lambda: plane.polygon([(0, 0, 0)] * 3, mass=1),
        "a corner of the outline of a polygon must be 2",
    ),
    "on a line": (lambda: plane.polygon([(0, 0), (1, 1), (2, 2)], mass=1), "encloses no area"),
    "bow tie": (lambda: plane.polygon([(0, 0), (2, 2), (2, 0), (0, 2)], mass=1), "crosses itself near (1, 1)"),
    "hole outside": (lambda: plane.polygon(SQUARE, [[(5, 5), (6, 5), (6, 6)]], mass=1), "hole 1 of a polygon is out"),
    "hole across": (
        lambda: plane.polygon(SQUARE, [[(3, 1), (6, 1), (6, 2)]], mass=1),
        "crosses hole 1 of a polygon near (4, 1)",
    ),
    "hole in a hole": (
        lambda: plane.polygon(SQUARE, [HOLE, [(1.2, 1.2), (1.8, 1.2), (1.5, 1.5)]], mass=1),
        "hole 1 of a polygon and hole 2 of a polygon overlap",
    ),
    "all hole": (lambda: plane.polygon(SQUARE, [SQUARE], mass=1), "has no area left: its holes fill the outline"),
    "one hole as holes": (lambda: plane.polygon(SQUARE, HOLE, mass=1), "hole 1 of a polygon must be a list of points"),
    "negative inertia": (lambda: PlanarMatter(1, inertia=-1), "the inertia of a PlanarMatter must not be negative"),
    "mass none": (lambda: PlanarMatter(None), "the mass of a PlanarMatter must be a number, got None"),
    "not finite": (lambda: PlanarMatter(math.nan), "must be finite"),
    "center": (lambda: PlanarMatter(1, (1, 2, 3)), "the center of a PlanarMatter must be 2 numbers"),
    "heavy void": (lambda: PlanarMatter(1) - PlanarMatter(2), "a void of the mass 2 cannot be cut from the mass 1"),
    "all void": (lambda: PlanarMatter(1) - PlanarMatter(1), "cannot be cut from"),
    "void outside": (
        lambda: plane.disk(1, mass=2) - plane.disk(1, mass=1).moved((5, 0)),
        "would be left; a void must be inside",
    ),
    "not about it": (
        lambda: PlanarMatter.taken_about((1, 0), mass=1, center=(0, 0), inertia=0.5),
        "the moment of inertia -0.5 would be left; check that the inertia is about that point",
    ),
    "plus a number": (
        lambda: PlanarMatter(1) + 3,
        "the term added to a PlanarMatter must be a PlanarMatter, got int 3",
    ),
    "a number plus": (lambda: 3 + PlanarMatter(1), "must be a PlanarMatter, got int 3"),
    "scaled from nothing": (lambda: PlanarMatter(0).scaled(mass=1), "massless matter cannot be scaled"),
}


@folded("case", REFUSED)
def test_rejected(case):
    make, words = REFUSED[case]
    with pytest.raises(ModelError) as refusal:
        make()
    text = str(refusal.value)
    assert words in text and "\n" not in text and len(text) < 250
