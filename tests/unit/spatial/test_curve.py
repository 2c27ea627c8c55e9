"""Curves in space: closed forms, exact derivatives, the shapes of the kernel, nearest points, and what is rejected."""

import copy
import math

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.numerics.curves.profiles import profile, profile_table
from cardan.numerics.curves.spline import NOT_FINITE
from cardan.spatial.curve import Curve, CurveThrough, Helix, SpaceCurve
from folding import folded

pytestmark = pytest.mark.usefixtures("kernels_called_directly")

TURN = 2.0 * math.pi
ROUND = (0.0, TURN)


def trefoil(u):
    """The trefoil knot on a torus: closed, and no projection of it is free of crossings."""
    return (
        (2.0 + math.cos(3.0 * u)) * math.cos(2.0 * u),
        (2.0 + math.cos(3.0 * u)) * math.sin(2.0 * u),
        math.sin(3.0 * u),
    )


def twisted_cubic(u):
    return u, u * u, u * u * u


def saddle(u):
    """The rim of a saddle: a ring that goes up and down twice."""
    return math.cos(u), math.sin(u), 0.3 * math.cos(2.0 * u)


def points_of(f, n, span=ROUND):
    return [f(u) for u in np.linspace(*span, n, endpoint=False)]


CLOSED = [
    Curve(trefoil, span=ROUND),
    CurveThrough(points_of(saddle, 17)),
    CurveThrough(points_of(saddle, 17), degree=5),
]
OPEN = [
    Helix(0.4, 0.25, turns=2.5),
    Helix(1.3, -0.7),
    Curve(twisted_cubic, span=(-0.5, 1.5), closed=False),
    CurveThrough(points_of(twisted_cubic, 9, (-0.5, 1.5)), closed=False),
    CurveThrough(points_of(twisted_cubic, 9, (-0.5, 1.5)), closed=False, degree=5),
]


def name(given: SpaceCurve) -> str:
    degree = f"-degree{given.degree}" if isinstance(given, CurveThrough) else ""
    return f"{type(given).__name__}-{'closed' if given.closed else 'open'}{degree}"


def width(given: SpaceCurve) -> float:
    return given.span[1] - given.span[0]


def compiled(given: SpaceCurve, u) -> np.ndarray:
    """s and three derivatives as the compiled loop finds them, shape (4, n, 3), from a table that has other curves."""
    shapes = [*Helix(9.0, 1.0).shapes(), *given.shapes()]
    table, out = profile_table(shapes), np.full((len(u), 2, 8), math.nan)
    for i, value in enumerate(u):
        assert profile(table, 2, value, out[i, 0]) == 0
        assert profile(table, 3, value, out[i, 1]) == 0
    return out.reshape(-1, 4, 4)[:, :3].transpose(2, 0, 1)  # x, y, z, unused


@pytest.mark.parametrize("given", CLOSED + OPEN, ids=name)
def test_kernel_equals_plain_python(given):
    u = np.linspace(given.span[0] - 1.3 * width(given), given.span[1] + 1.1 * width(given), 60)
    np.testing.assert_allclose(compiled(given, u), given.derivatives(u), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("given", CLOSED + OPEN, ids=name)
def test_derivatives_are_derivatives(given):
    # midpoints of a spline's segments, and as good as any for the others: no knot within 2 h
    edges = np.array(given._edges()) if len(given._edges()) > 2 else np.linspace(*given.span, 12)
    u, h = 0.5 * (edges[1:] + edges[:-1]), 1e-3
    exact = given.derivatives(u)
    for order in range(3):
        f = [given.derivatives(u + i * h)[order] for i in (-2, -1, 1, 2)]
        difference = (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h)
        # fourth order: h^4 / 30 times a derivative below 3 * 5^7 (the trefoil holds cos 5u), and rounding 1e-15 / h
        np.testing.assert_allclose(difference, exact[order + 1], atol=1e-8)


def test_helix_by_its_closed_form():
    helix = Helix(0.4, 0.25, turns=2.5)
    assert helix.span == (0.0, 2.5 * TURN)
    u = np.linspace(*helix.span, 7)
    c, s, o = 0.4 * np.cos(u), 0.4 * np.sin(u), 0.0 * u
    rise = 0.25 / TURN
    exact = [[c, s, rise * u], [-s, c, o + rise], [-c, -s, o], [s, -c, o]]
    exact = np.array(exact).transpose(0, 2, 1)
    np.testing.assert_allclose(helix.derivatives(u), exact, atol=1e-15)
    np.testing.assert_allclose(compiled(helix, u), exact, atol=1e-15)
    np.testing.assert_allclose(helix.points(helix.span[1]), [-0.4, 0.0, 0.625], atol=1e-15)
    assert helix.length() == pytest.approx(2.5 * math.hypot(0.4 * TURN, 0.25), rel=1e-14)
    assert Helix(1, -0.7).points(TURN)[2] == pytest.approx(-0.7, rel=1e-15)
    assert helix == Helix(np.float64(0.4), 0.25, 2.5) != Helix(0.4, 0.25)


def test_functions_by_their_closed_forms():
    cubic = Curve(twisted_cubic, span=(-0.5, 1.5), closed=False)
    u = np.linspace(-0.5, 1.5, 9)
    o = np.zeros_like(u)
    exact = [[u, u**2, u**3], [o + 1.0, 2.0 * u, 3.0 * u**2], [o, o + 2.0, 6.0 * u], [o, o, o + 6.0]]
    np.testing.assert_allclose(cubic.derivatives(u), np.array(exact).transpose(0, 2, 1), atol=1e-14)
    np.testing.assert_allclose(cubic.points(u), [twisted_cubic(value) for value in u], atol=1e-15)
    assert cubic.points(np.zeros((2, 4))).shape == (2, 4, 3)
    assert cubic.outline(5).shape == (5, 3)


@pytest.mark.parametrize("degree", [3, 5])
def test_splines_pass_through_their_points(degree):
    points = points_of(saddle, 12)
    ring = CurveThrough(points, degree=degree)
    chords = [math.dist(a, b) for a, b in zip(points, [*points[1:], points[0]], strict=True)]
    u = np.append(0.0, np.cumsum(chords))
    assert ring.span == pytest.approx((0.0, u[-1]), rel=1e-15)
    np.testing.assert_allclose(ring.points(u), [*points, points[0]], atol=1e-14)
    assert CurveThrough([*points, points[0]], degree=degree) == ring
    # in space there is no wrong way around: points keep their order
    back = CurveThrough([points[0], *points[:0:-1]], degree=degree)
    np.testing.assert_allclose(back.points(chords[-1]), points[-1], atol=1e-14)
    # a straight line comes back as it is, at unit speed because u is the length along the chords
    line = CurveThrough([(i * i, 2.0 * i * i, -i * i) for i in range(7)], closed=False, degree=degree)
    _, s1, s2, _ = line.derivatives(np.linspace(0.0, line.span[1], 20))
    np.testing.assert_allclose(s1, np.tile([1, 2, -1], (20, 1)) / math.sqrt(6.0), atol=1e-13)
    np.testing.assert_allclose(s2, 0.0, atol=1e-12)


@pytest.mark.parametrize("given", CLOSED, ids=name)
def test_closed_curves_repeat_and_have_no_seam(given):
    u = np.linspace(*given.span, 40)
    for turns in (-2, 1, 7):
        np.testing.assert_allclose(given.points(u + turns * width(given)), given.points(u), atol=1e-12)
    step = 1e-9 * width(given)
    before, after = (np.array(given.derivatives(given.span[0] + side * step)) for side in (-1, 1))
    smooth = (
        3 if isinstance(given, CurveThrough) and given.degree == 3 else 4
    )  # a cubic spline's third derivative jumps
    np.testing.assert_allclose(before[:smooth], after[:smooth], atol=1e-5)  # a fourth derivative of 600 over 12e-9


@pytest.mark.parametrize("given", OPEN, ids=name)
def test_open_curves_go_on_along_their_tangent(given):
    for end, side in zip(given.span, (-1.0, 1.0), strict=True):
        s, s1, _, _ = given.derivatives(end)
        exact = [s + side * 0.5 * s1, s1, 0.0 * s, 0.0 * s]
        np.testing.assert_allclose(given.derivatives(end + side * 0.5), exact, atol=1e-14)
        np.testing.assert_allclose(compiled(given, [end + side * 0.5])[:, 0], exact, atol=1e-14)
    np.testing.assert_array_equal(profile_table(given.shapes()).span, [given.span, given.span])


def test_nearest_on_a_helix():
    helix = Helix(0.4, 0.25, turns=2.5)
    for u in (0.3, 2.0, 7.7, 15.0):
        # s'' points to the axis; half of it stays on this side of the axis
        s, s1, s2, _ = helix.derivatives(u)
        binormal = np.cross(s1, s2) / np.linalg.norm(np.cross(s1, s2))
        assert helix.nearest(s) == pytest.approx(u, abs=1e-12)
        assert helix.nearest(s + 0.5 * s2) == pytest.approx(u, abs=1e-11)
        assert helix.nearest(s + 0.05 * binormal) == pytest.approx(u, abs=1e-11)
    assert helix.nearest((0.5, -0.3, -2.0)) == 0.0
    assert helix.nearest((-0.6, 0.1, 9.0)) == pytest.approx(helix.span[1], abs=0.2)  # it turns away from its end


@pytest.mark.parametrize("pitch", [1e-3, -1e-3])
def test_nearest_finds_the_right_turn_of_a_fine_thread(pitch):
    """A thousand turns, a thousandth of the radius apart: each passes the point, one of them at its height."""
    thread = Helix(1.0, pitch, turns=1000)
    for u in (0.1, 1234.5, 6000.0):
        assert thread.nearest(thread.points(u) * (1.3, 1.3, 1.0)) == pytest.approx(u, abs=1e-10)


def test_nearest_on_a_spline_and_a_knot():
    ring = CurveThrough(points_of(saddle, 17), degree=5)
    knot = Curve(trefoil, span=ROUND)
    for given in (ring, knot):
        for u in np.linspace(*given.span, 6)[1:-1]:
            s, s1, s2, _ = given.derivatives(u)
            normal = np.cross(s1, s2) / np.linalg.norm(np.cross(s1, s2))
            # 0.05 lies within the radius of curvature, and far from the other strands
            assert given.nearest(s + 0.05 * normal) == pytest.approx(u, abs=1e-10)
    grid = np.linspace(*ROUND, 20001)
    for p in ((0.1, 0.2, 0.3), (-3.0, 2.0, 0.5), (1.0, 1.0, -0.7)):  # inside and outside the knot: several minima
        best = np.min(np.linalg.norm(knot.points(grid) - p, axis=1))
        # the grid's point is off by half a step times |s'| < 7 at most, so its square by 1.2e-6
        assert math.dist(knot.points(knot.nearest(p)), p) == pytest.approx(best, abs=1.2e-6)


def test_corners_are_found():
    def bent(u):
        return (u, 0.0, 0.0) if u < 1.0 else (1.0, 0.6 * (u - 1.0), 0.8 * (u - 1.0))

    angle, at = Curve(bent, span=(0.0, 3.0), closed=False).corner()
    assert angle == pytest.approx(TURN / 4.0, rel=1e-12)
    assert at == pytest.approx(1.0, abs=1e-8)
    for given in CLOSED + OPEN:
        assert given.corner()[0] < 1e-6


def test_a_copy_is_the_same_curve():
    for given in (CLOSED[0], CLOSED[1], OPEN[0]):
        twin = copy.deepcopy(given)
        assert twin == given and hash(twin) == hash(given)
        np.testing.assert_array_equal(compiled(twin, [0.7]), compiled(given, [0.7]))


def test_no_silent_nan():
    with pytest.raises(ModelError, match="a Helix cannot be evaluated at u = nan"):
        Helix(1.0, 1.0).points(math.nan)
    for given in (*CLOSED[:2], OPEN[0]):
        for k in (0, 1):
            assert profile(profile_table(given.shapes()), k, math.nan, np.empty(8)) != 0
    assert profile(profile_table(OPEN[0].shapes()), 1, math.nan, np.empty(8)) == NOT_FINITE


RING = [(1, 0, 0), (0, 1, 1), (-1, 0, 0), (0, -1, 1)]
REFUSED_INPUT = [
    (lambda: Helix(0.0, 1.0), "radius of a Helix must be positive, got 0"),
    (lambda: Helix(1.0, math.inf), "pitch of a Helix must be finite, got inf"),
    (lambda: Helix(0.3, 0.0), r"must not be 0; a flat ring is a Circle\(0.3\)"),
    (lambda: Helix(1.0, 1.0, turns=-2), "turns of a Helix must be positive, got -2"),
    (lambda: Helix("1", 1.0), "radius of a Helix must be a number, got '1'"),
    (lambda: Curve(3.0, ROUND), "must be a Python function, got float 3.0"),
    (
        lambda: Curve(lambda u: (u, u), (0.0, 1.0)),
        r"must return three finite numbers, at u = 0 it returns \(0.0, 0.0\)",
    ),
    (lambda: Curve(lambda u: (u, u, math.nan), (0.0, 1.0)), "must return three finite numbers, at u = 0"),
    (lambda: Curve(lambda u: (u, u, math.sqrt(0.5 - u)), (0.0, 1.0)), "fails at u = 0.50.*: ValueError"),
    (lambda: Curve(twisted_cubic, (0.0, 1.0)), "not closed: its ends are 1.73205 apart; close it or pass closed=False"),
    (lambda: Curve(lambda u: (1.0, 2.0, 3.0), (0.0, 1.0)), r"must not be a single point, here \(1, 2, 3\)"),
    (
        lambda: Curve(lambda u: (u, u, float(u > 0.5)), (0.0, 1.0), closed=False),
        "must not jump, but jumps by 1 at u = 0.5",
    ),
    (lambda: Curve(trefoil, (1.0, 1.0)), "span of a Curve must increase, got 1 to 1"),
    (lambda: Curve(trefoil, ROUND, closed="no"), "closed of a Curve must be True or False, got 'no'"),
    (lambda: CurveThrough(RING[:3]), "of degree 3 needs at least 4 points, got 3"),
    (lambda: CurveThrough(RING, degree=4), "degree of a CurveThrough must be 3 or 5, got 4"),
    (lambda: CurveThrough(RING, degree=5), "of degree 5 needs at least 6 points, got 4"),
    (lambda: CurveThrough([*RING[:2], *RING[1:]]), r"points 1 and 2 of a CurveThrough are the same, \(0, 1, 1\)"),
    (lambda: CurveThrough([(u, u, u) for u in range(9)]), "a gap of 13.8564 between its last and its first point"),
    (lambda: CurveThrough([*RING, (0, math.nan, 0)]), "points of a CurveThrough must be finite, got nan"),
    (lambda: CurveThrough([(1, 0), (0, 1), (-1, 0), (0, -1)]), r"points \(x, y, z\), got an array of shape \(4, 2\)"),
    (lambda: CurveThrough([]), "list of points"),
    (lambda: CurveThrough([(1, 0, 0), (0, 1)]), "list of points"),
    (lambda: OPEN[0].nearest((0.0, 1.0)), r"the point must be 3 numbers, got \(0.0, 1.0\)"),
]


@folded(("make", "sentence"), REFUSED_INPUT, ids=[sentence for _, sentence in REFUSED_INPUT])
def test_wrong_input_is_rejected_in_one_sentence(make, sentence):
    with pytest.raises(ModelError, match=sentence):
        make()
