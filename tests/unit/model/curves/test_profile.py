"""Profiles: closed forms, exact derivatives, the kernel against the plain Python, geometry, and what is rejected."""

import math

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.curves.profile import Circle, Curve, CurveThrough, Polar, PolarTable, Profile
from cardan.numerics.curves.profiles import profile, profile_table
from cardan.numerics.curves.spline import NOT_FINITE
from folding import folded

pytestmark = pytest.mark.usefixtures("kernels_called_directly")

TURN = 2.0 * math.pi
ANGLES = np.linspace(0.0, TURN, 25)[:-1]


def haug_3_4_3(alpha):
    """The cam of Haug, Example 3.4.3: a lobe on a third of a turn, a circle elsewhere."""
    return 1.25 - 0.25 * math.cos(3.0 * alpha) if alpha < 2.0 * math.pi / 3.0 else 1.0


def haug_problem_3_4_7(alpha):
    """The polynomial cam of Haug, Problem 3.4.7."""
    return 1.0 + 2.0 * alpha**2 - 2.0 * alpha**3 + 0.5 * alpha**4 if alpha < 2.0 else 1.0


def lobe(alpha):
    return 1.0 + 0.2 * math.cos(2.0 * alpha + 0.3)


def ellipse(u):
    return 2.0 * math.cos(u) + 0.5, math.sin(u)


def wave(u):
    return u, 0.3 * math.sin(u)


def points_of(f, n, span=(0.0, TURN)):
    return [f(u) for u in np.linspace(*span, n, endpoint=False)]


CLOSED = [
    Circle(0.5, center=(1.0, -2.0)),
    Polar(lobe, center=(0.3, 0.4)),
    PolarTable(ANGLES, [lobe(a) for a in ANGLES], center=(0.3, 0.4)),
    PolarTable(ANGLES, [lobe(a) for a in ANGLES], degree=5),
    Curve(ellipse, span=(0.0, TURN)),
    CurveThrough(points_of(ellipse, 17)),
    CurveThrough(points_of(ellipse, 17), degree=5),
]
OPEN = [
    Polar(lobe, closed=False, span=(-0.5, 1.2)),
    PolarTable(ANGLES[:8], [lobe(a) for a in ANGLES[:8]], closed=False),
    Curve(wave, span=(0.0, 4.0), closed=False),
    CurveThrough(points_of(wave, 9, (0.0, 4.0)), closed=False, degree=5),
]


def name(given: Profile) -> str:
    degree = f"-degree{given.degree}" if isinstance(given, PolarTable | CurveThrough) else ""
    return f"{type(given).__name__}-{'closed' if given.closed else 'open'}{degree}"


def compiled(given: Profile, u) -> np.ndarray:
    """s and three derivatives as the compiled loop finds them, shape (4, n, 2)."""
    shapes, out = [Circle(9.0).shape(), given.shape()], np.empty((len(u), 8))
    table = profile_table(shapes)
    for i, value in enumerate(u):
        assert profile(table, 1, value, out[i]) == 0
    return out.reshape(-1, 2, 4).transpose(2, 0, 1)


def width(given: Profile) -> float:
    return given.span[1] - given.span[0]


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
        # fourth order: h^4 / 30 times a derivative below 1e3, and rounding 1e-15 / h
        np.testing.assert_allclose(difference, exact[order + 1], atol=1e-9)


@pytest.mark.parametrize("given", CLOSED, ids=name)
def test_closed_profiles_repeat_and_run_counter_clockwise(given):
    u = np.linspace(*given.span, 40)
    for turns in (-2, 1, 7):
        np.testing.assert_allclose(given.points(u + turns * width(given)), given.points(u), atol=1e-12)
    step = 1e-9 * width(given)
    before, after = (np.array(given.derivatives(given.span[0] + side * step)) for side in (-1, 1))
    spline = isinstance(given, PolarTable | CurveThrough)
    smooth = 3 if spline and given.degree == 3 else 4  # the third derivative of a cubic spline jumps
    np.testing.assert_allclose(before[:smooth], after[:smooth], atol=1e-6)
    x, y = given.outline(721).T
    assert 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) > 0.5


@pytest.mark.parametrize("given", OPEN, ids=name)
def test_open_profiles_go_on_along_their_tangent(given):
    for end, side in zip(given.span, (-1.0, 1.0), strict=True):
        s, s1, _, _ = given.derivatives(end)
        beyond = given.derivatives(end + side * 0.5)
        np.testing.assert_allclose(beyond, [s + side * 0.5 * s1, s1, 0.0 * s, 0.0 * s], atol=1e-14)
    np.testing.assert_array_equal(profile_table([given.shape()]).span, [given.span])


def test_curvature_of_the_books_cams():
    # Haug, Example 3.4.3 at alpha = 0: rho = 1, rho'' = 9/4, so curvature 1 - 9/4
    cam = Polar(haug_3_4_3)
    assert cam.curvature(0.0) == pytest.approx(-1.25, abs=1e-14)
    assert cam.curvature(-1e-9) == pytest.approx(1.0, abs=1e-14)  # the circle: rho'' jumps here
    found = cam.is_convex()
    assert not found
    assert found.curvature == pytest.approx(-1.25, abs=1e-9)  # the same on both flanks, by symmetry about pi / 3
    assert min(abs(found.at), abs(found.at - TURN / 3.0)) < 1e-6
    # Haug, Problem 3.4.7: rho'' = 4, so curvature 1 - 4
    assert Polar(haug_problem_3_4_7).curvature(0.0) == pytest.approx(-3.0, abs=1e-14)


def test_geometry_of_an_ellipse():
    curve = Curve(ellipse, span=(0.0, TURN))
    np.testing.assert_allclose(curve.curvature([0.0, TURN / 4.0]), [2.0, 0.25], rtol=1e-14)  # a / b^2, b / a^2
    found = curve.is_convex()
    assert found and found.curvature == pytest.approx(0.25, rel=1e-12)
    assert math.cos(found.at) == pytest.approx(0.0, abs=1e-5)  # a minimum is flat: half the digits
    from scipy.special import ellipe

    assert curve.length() == pytest.approx(8.0 * ellipe(0.75), rel=1e-12)
    for angle in (0.2, 1.9, 3.3, 5.9):
        d = np.array([math.cos(angle), math.sin(angle)])
        u = curve.support(d)
        assert u == pytest.approx(math.atan2(d[1], 2.0 * d[0]) % TURN, abs=1e-12)
        s, s1, s2, _ = curve.derivatives(u)
        normal = np.array([s1[1], -s1[0]]) / np.hypot(*s1)  # outward
        assert curve.nearest(s + 0.7 * normal) == pytest.approx(u, abs=1e-11)


def test_circle_and_its_points():
    circle = Circle(2.0, center=(1.0, 1.0))
    np.testing.assert_allclose(circle.points(TURN / 4.0), [1.0, 3.0], atol=1e-15)
    np.testing.assert_allclose(circle.curvature(np.linspace(0, 9, 7)), 0.5, rtol=1e-15)
    assert circle.length() == pytest.approx(2.0 * TURN, rel=1e-14)
    assert circle.nearest((1.0, -9.0)) == pytest.approx(0.75 * TURN, abs=1e-14)
    assert circle.support((0.0, 3.0)) == pytest.approx(0.25 * TURN, abs=1e-14)
    assert circle.outline(5).shape == (5, 2)
    assert circle.points(np.zeros((2, 3))).shape == (2, 3, 2)
    assert circle == Circle(2, center=np.array([1, 1])) != Circle(2.0)


def test_nearest_finds_the_global_minimum_and_the_ends_of_a_slot():
    slot = Curve(wave, span=(0.0, 4.0), closed=False)
    assert slot.nearest((-1.0, -1.0)) == 0.0
    assert slot.nearest((5.0, -1.0)) == 4.0
    assert slot.support((1.0, 0.0)) == 4.0
    bean = Polar(lobe)
    u = np.linspace(0.0, TURN, 20001)
    p = (0.05, -0.02)  # near the center: two local minima
    best = np.min(np.hypot(*(bean.points(u) - p).T))
    assert math.dist(bean.points(bean.nearest(p)), p) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize(("degree", "gain"), [(3, 4.0), (5, 16.0)])
@pytest.mark.parametrize("table", ["polar", "points"])
def test_curvature_of_splines_converges(degree, gain, table):
    """Second derivatives of a spline of degree n err by h^(n-1): halving the step gains 2^(n-1)."""

    def error(n):
        u = np.linspace(0.0, TURN, n, endpoint=False)
        if table == "polar":
            given, exact = PolarTable(u, [lobe(a) for a in u], degree=degree), Polar(lobe)
        else:
            given, exact = CurveThrough([ellipse(a) for a in u], degree=degree), Curve(ellipse, (0.0, TURN))
        return np.abs(given.curvature(given._edges()[:-1]) - exact.curvature(u)).max()  # at the points given

    assert error(40) / error(80) > 0.8 * gain


def test_point_lists_may_repeat_the_first_point_and_run_either_way():
    points = points_of(ellipse, 12)
    outline = CurveThrough(points)
    assert CurveThrough([*points, points[0]]) == outline
    assert CurveThrough([points[0], *points[:0:-1]]) == outline
    radii = [lobe(a) for a in ANGLES]
    once, twice = PolarTable(ANGLES, radii), PolarTable([*ANGLES, TURN], [*radii, radii[0]])
    np.testing.assert_allclose(once.outline(), twice.outline(), atol=1e-14)
    np.testing.assert_allclose(outline.points(outline._edges()[:-1]), points, atol=1e-14)


def test_corners_are_found():
    pointed = Polar(lambda a: 1.0 + 0.02 * a * (TURN - a))  # closed, but rho' jumps from -0.04 pi to 0.04 pi
    angle, at = pointed.corner()
    assert angle == pytest.approx(2.0 * math.atan(0.02 * TURN), rel=1e-6)
    assert at == pytest.approx(TURN, abs=1e-6)
    for given in CLOSED + OPEN:
        assert given.corner()[0] < 1e-6


def test_straight_slots_count_as_convex():
    slot = CurveThrough([(0, 0), (1, 0.5), (2, 1), (4, 2)], closed=False)
    assert slot.is_convex()
    assert slot.length() == pytest.approx(math.hypot(4, 2), rel=1e-14)


def test_no_silent_nan():
    with pytest.raises(ModelError, match="cannot be evaluated at u = nan"):
        Circle(1.0).points(math.nan)
    for given in (CLOSED[0], CLOSED[2], OPEN[3]):
        assert profile(profile_table([given.shape()]), 0, math.nan, np.empty(8)) == NOT_FINITE


SQUARE = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
REFUSED_INPUT = [
    (lambda: Circle(0.0), "radius of a Circle must be positive, got 0"),
    (lambda: Circle(1.0, center=(0, math.nan)), "center of a Circle must be finite, got nan"),
    (lambda: Polar(3.0), "must be a Python function, got float 3.0"),
    (lambda: Polar(lambda a: 1.0 - a), "must be positive everywhere, at 6.28319 rad it is -5.28319"),
    (lambda: Polar(lambda a: 1.0 + a), "not closed: its ends are 6.28319 apart"),
    (lambda: Polar(lambda a: math.sqrt(1.0 - a)), "fails at u = 1.00.*: ValueError"),
    (lambda: Polar(lambda a: math.nan), "must return a finite number, at u = 0 it returns nan"),
    (lambda: Polar(lambda a: 1.0 if a < 2.0 or a > 4.0 else 1.3), "must not jump, but jumps by 0.3 at u = [24]"),
    (lambda: Polar(lobe, span=(0.0, 3.0)), "must span 2 pi, got 3 rad"),
    (lambda: Polar(lobe, closed=False, span=(1.0, 1.0)), "span of a Polar profile must increase, got 1 to 1"),
    (lambda: PolarTable([0, 2, 4], [1, 1, 1]), "of degree 3 needs at least 4 points, got 3"),
    (lambda: PolarTable(ANGLES[::6], [1, 1, 1, 1], degree=5), "of degree 5 needs at least 6 points, got 4"),
    (lambda: PolarTable([0, 2, 2, 5], [1, 1, 1, 1]), "must increase, got 2 before 2 rad"),
    (lambda: PolarTable(ANGLES[:12], np.ones(12)), "leave a gap of 3.4"),
    (lambda: PolarTable([*ANGLES, TURN], [*np.ones(24), 1.1]), "not closed: its ends are 0.1 apart"),
    (lambda: PolarTable([0, 90, 180, 270], [1, 1, 1, 1]), "270 rad, more than a turn; convert degrees"),
    (lambda: PolarTable(ANGLES, -np.ones(24)), "must be positive everywhere, at 0 rad it is -1"),
    (lambda: PolarTable(ANGLES, np.ones(23)), "one radius per angle, got 24 and 23"),
    (lambda: PolarTable(ANGLES[:4] * 4, [9, 0.01, 0.01, 9]), "spline of a PolarTable must be positive"),
    (lambda: Curve(lambda u: (u, u * u), (0.0, 1.0)), "Curve is not closed: its ends are 1.41421 apart"),
    (lambda: Curve(lambda u: ellipse(-u), (0.0, TURN)), "must run counterclockwise"),
    (lambda: Curve(lambda u: (math.sin(u), math.sin(2 * u)), (0.0, TURN)), "goes around 0 times: it crosses itself"),
    (lambda: Curve(lambda u: (1.0, 1.0), (0.0, 1.0)), r"be a single point, here \(1, 1\)"),
    (lambda: Curve(lambda u: u, (0.0, 1.0)), "must return two finite numbers, at u = 0 it returns 0.0"),
    (lambda: CurveThrough(SQUARE[:3]), "needs at least 4 points, got 3"),
    (lambda: CurveThrough([*SQUARE[:2], *SQUARE[1:]]), r"points 1 and 2 of a CurveThrough are the same, \(-1, 1\)"),
    (lambda: CurveThrough([(u, u * u) for u in range(9)]), "gap of 64.4981"),
    (lambda: CurveThrough([*SQUARE, (math.inf, 0)]), "points of a CurveThrough must be finite, got inf"),
    (lambda: CurveThrough([1, 2, 3, 4]), r"list of points \(x, y\), got an array of shape \(4,\)"),
    (lambda: CurveThrough([]), "list of points"),
    (lambda: CurveThrough(SQUARE, degree=4), "degree of a CurveThrough must be 3 or 5, got 4"),
    (lambda: Circle(1.0).support((0, 0)), r"must not be \(0, 0\)"),
]


@folded(("make", "sentence"), REFUSED_INPUT, ids=[sentence for _, sentence in REFUSED_INPUT])
def test_wrong_input_is_rejected_in_one_sentence(make, sentence):
    with pytest.raises(ModelError, match=sentence):
        make()
