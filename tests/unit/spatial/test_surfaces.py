"""Surfaces of space: gaps in closed form, meshes against their triangles, wheels on roads, and what is rejected."""

import math

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.force import Law
from cardan.model.surfaces.surface_pair import meet
from cardan.spatial import Ball, Body, Face, Mesh, Model, Road, wheel_on_road
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from folding import folded

AXLE = (0.0, 1.0, 0.0)


def _values(measures, model):
    """Value, rate and bias of measures as stated, and their columns."""
    system = compile(model, watched=[Law(measure.parts()) for measure in measures])
    work = system.work()
    v = system.stated_speeds()
    assert evaluate(system.geometry, system.rows, system.start, v, 0.0, system.reference, work) == 0
    order = [system.measures.index(measure) for measure in measures]
    return work.z[order], work.jac[order]


def _model(position, **motion):
    model = Model("touch")
    body = model.add(Body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=position, **motion), name="b")
    return model, model.ground, body


def _sphere(count):
    """Points evenly on the unit sphere, and the triangles of their convex hull, all facing out."""
    from scipy.spatial import ConvexHull

    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), math.pi * (1.0 + math.sqrt(5.0)) * k
    points = np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])
    triangles = ConvexHull(points).simplices
    a, b, c = (points[triangles[:, i]] for i in range(3))
    inward = np.sum(np.cross(b - a, c - a) * a, axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles


def test_balls():
    model, ground, b = _model((1.0, 2.0, 2.0))
    ball = Ball(b.at(), 0.5)
    pairs = [
        meet(Face(ground.at(0, 0, 1, z=(0, 0, 1))), ball, "it"),
        meet(Ball(ground.at(), 1.0), ball, "it"),
        meet(ball, Ball(ground.at(), 4.0, hollow=True), "it"),
    ]
    z, jac = _values([pair.gap for pair in pairs], model)
    assert z[:, 0] == pytest.approx([0.5, 1.5, 0.5], abs=1e-15)
    n = np.array([1.0, 2.0, 2.0]) / 3.0
    assert jac[:, 6:9] == pytest.approx(np.array([(0.0, 0.0, 1.0), n, -n]), abs=1e-15)


@pytest.mark.parametrize("count", [4, 60, 2000])
def test_mesh_against_all_triangles_one_by_one(count):
    """The least distance over all triangles, each by a search of its own; the sign by the planes of a convex hull."""
    points, triangles = _sphere(count)
    random = np.random.default_rng(count)
    model, ground, b = _model((0.0, 0.0, 0.0))
    pairs, expected = [], []
    mesh = Mesh(ground.at(), points, triangles)
    for size in (0.0, 0.5, 0.9, 0.99, 1.01, 1.5, 4.0):
        direction = random.standard_normal(3)
        place = size * direction / np.linalg.norm(direction)
        pairs.append(meet(mesh, Ball(b.at(*place), 0.1), "it"))
        corners = points[triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        inside = (np.sum((place - corners[:, 0]) * normals, axis=1) < 0.0).all()
        expected.append((-1.0 if inside else 1.0) * min(_distance(place, c) for c in corners) - 0.1)
    z, _ = _values([pair.gap for pair in pairs], model)
    assert z[:, 0] == pytest.approx(expected, abs=1e-12)


def _distance(point, corners):
    """From a point to a triangle: to its plane where the foot lies inside, to its edges otherwise."""
    a, b, c = corners
    weights = np.linalg.lstsq(np.column_stack([b - a, c - a]), point - a, rcond=None)[0]
    if weights.min() >= 0.0 and weights.sum() <= 1.0:
        return np.linalg.norm(a + weights[0] * (b - a) + weights[1] * (c - a) - point)
    found = []
    for p, q in ((a, b), (b, c), (c, a)):
        s = np.clip((point - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
        found.append(np.linalg.norm(p + s * (q - p) - point))
    return min(found)


def test_two_meshes_keep_apart():
    """The tables of all meshes stand one after the other."""
    model, ground, b = _model((0.0, 0.0, 3.0))
    small, large = (Mesh(ground.at(), size * p, t) for size, (p, t) in ((0.5, _sphere(400)), (2.0, _sphere(900))))
    z, _ = _values([meet(mesh, Ball(b.at(), 0.2), "it").gap for mesh in (small, large)], model)
    assert z[:, 0] == pytest.approx([2.3, 0.8], abs=0.03)  # flat triangles lie below the sphere by about 4 / count


def _terrain(marker, **options):
    """A unit square of two triangles."""
    return Mesh(marker, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)], **options)


def _turned(which):
    points, triangles = _sphere(60)
    triangles[which] = triangles[which][:, ::-1]
    return points, triangles


def test_sheet_has_two_sides_and_edges():
    """Above, below and beside a square: the distance less the radius, and less half of a thickness."""
    for place, distance in (((0.5, 0.5, 0.3), 0.3), ((0.5, 0.5, -0.7), 0.7), ((1.3, 0.5, -0.4), 0.5), ((2, 1, 0), 1)):
        model, ground, b = _model(place)
        sheets = _terrain(ground.at()), _terrain(ground.at(), thickness=0.1)
        z, _ = _values([meet(sheet, Ball(b.at(), 0.2), "it").gap for sheet in sheets], model)
        assert z[:, 0] == pytest.approx([distance - 0.2, distance - 0.25], abs=1e-15)


def test_cavity_is_no_mistake():
    """A shell: the inner surface faces inward, and a ball between both walls is inside."""
    (points, out), (_, inward) = _sphere(400), _sphere(400)
    model, ground, b = _model((0.0, 0.0, 0.1))
    shell = Mesh(ground.at(), np.concatenate([2.0 * points, points]), np.concatenate([out, inward[:, ::-1] + 400]))
    assert shell.closed
    z, _ = _values([meet(shell, Ball(b.at(*place), 0.1), "it").gap for place in ((0, 0, 0), (0, 0, 1.5))], model)
    assert z[0, 0] == pytest.approx(0.8, abs=0.03) and z[1, 0] == pytest.approx(-0.5, abs=0.03)


def test_wheel_on_a_slope():
    """A wheel of radius 0.3 whose center is 0.25 above a plane inclined by 3/4 along x: its axle lies across."""
    x = np.linspace(-10.0, 10.0, 5)
    n, forward = np.array([-0.6, 0.0, 0.8]), np.array([0.8, 0.0, 0.6])
    spin, speed = 20.0, np.array([3.0, 0.5, 2.0])
    model, ground, b = _model(tuple(0.25 * n), velocity=tuple(speed), angular_velocity=(0.0, spin, 0.1))
    pair = wheel_on_road(ground.at(), b.at(z=AXLE), 0.3, Road.along(x, 0.75 * x))
    z, _ = _values([pair.gap, pair.camber, pair.along, pair.across, pair.advance, pair.yaw], model)
    assert z[:2, 0] == pytest.approx([-0.05, 0.0], abs=1e-14)
    omega = np.array([0.0, spin, 0.1])
    point = speed + np.cross(omega, -0.25 * n)
    expected = [speed @ n, omega @ forward, point @ forward, point[1], speed @ forward, omega @ n]
    assert z[:, 1] == pytest.approx(expected, abs=1e-13)


def test_leaning_wheel():
    """Camber c: the loaded radius along the wheel is the height over its cosine."""
    lean = 0.2
    model, ground, b = _model((1.0, 2.0, 0.3))
    axle = b.at(z=(0.0, math.cos(lean), math.sin(lean)))
    pair = wheel_on_road(ground.at(), axle, 0.32, Road.flat())
    z, _ = _values([pair.gap, pair.camber], model)
    assert z[:, 0] == pytest.approx([0.3 / math.cos(lean) - 0.32, lean], abs=1e-15)


def _height(road, places):
    """Heights by gaps of wheels of radius 1 whose axles are level along y, over roads that slope little: the gap is
    (z - h) / s - 1 with s found from the slope of the road along x alone."""
    model, ground, b = _model((0.0, 0.0, 0.0))
    pairs = [wheel_on_road(ground.at(), b.at(x, y, 0.0, z=AXLE), 1.0, road) for x, y in places]
    z, jac = _values([pair.gap for pair in pairs], model)
    return z[:, 0], jac[:, 6:9]


def test_roads_pass_through_their_points():
    """At z = 0 the gap is -h / (s c) - 1; s c is the inverse of the last column."""
    x, y = np.linspace(0.0, 4.0, 9), np.linspace(-1.0, 1.0, 5)
    heights = np.random.default_rng(2).uniform(-0.2, 0.2, (9, 5))
    places = [(float(p), float(q)) for p in x for q in y]
    gap, n = _height(Road.grid(x, y, heights), places)
    assert -(gap + 1.0) / n[:, 2] == pytest.approx(heights.ravel(), abs=1e-14)
    gap, n = _height(Road.along(x, heights[:, 0]), places)
    assert -(gap + 1.0) / n[:, 2] == pytest.approx(np.repeat(heights[:, 0], 5), abs=1e-14)
    gap, n = _height(
        Road.tracks(x, heights[:, 0], heights[:, 4], y=(-1.0, 1.0)), [(float(p), q) for p in x for q in (-1.0, 1.0)]
    )
    assert -(gap + 1.0) / n[:, 2] == pytest.approx(heights[:, [0, 4]].ravel(), abs=1e-14)


def test_height_is_what_wheels_meet():
    """Of every sort of road, beside its points; nan where it has ended."""
    x, y = np.linspace(0.0, 4.0, 9), np.linspace(-1.0, 1.0, 5)
    heights = np.random.default_rng(3).uniform(-0.2, 0.2, (9, 5))
    places = [(0.3, 0.2), (1.77, -0.9), (3.99, 0.51)]
    roads = [
        Road.flat(),
        Road.grid(x, y, heights),
        Road.along(x, heights[:, 0]),
        Road.along(x, heights[:, 0], kind="spline"),
        Road.tracks(x, heights[:, 0], heights[:, 4], y=(-1.0, 1.0)),
        Road.bump(1.0, 3.0, 0.1),
    ]
    for road in roads:
        gap, n = _height(road, places)
        assert road.height(*np.array(places).T) == pytest.approx(-(gap + 1.0) / n[:, 2], abs=1e-14)
    assert math.isnan(roads[1].height(5.0, 0.0)) and math.isnan(roads[2].height(-0.1))
    assert Road.along(x, heights[:, 0], ends="level").height(9.0) == heights[-1, 0]


def test_bump_is_a_wave_on_a_flat_road():
    road, x = Road.bump(2.0, 0.5, -0.08), np.linspace(0.0, 4.0, 401)
    wave = np.where((x > 2.0) & (x < 2.5), -0.04 * (1.0 - np.cos(4.0 * np.pi * (x - 2.0))), 0.0)
    assert road.height(x) == pytest.approx(wave, abs=1e-10)


def test_smooth_road_does_not_swing():
    """Flat points far apart stay flat between them, where a spline swings by a meter."""
    x, heights = [0.0, 4.0, 5.0, 6.0, 50.0], [0.0, 0.0, 0.1, 0.0, 0.0]
    places = np.linspace(0.0, 50.0, 1001)
    level = Road.along(x, heights).height(places)
    assert level.min() == 0.0 and level.max() == 0.1 and np.all(level[(places < 4.0) | (places > 6.0)] == 0.0)
    assert Road.along(x, heights, kind="spline").height(places).min() < -1.0


def test_grid_of_a_parabola_is_exact_inside():
    """Catmull-Rom reproduces polynomials of second degree, away from the edges."""
    x = np.linspace(-1.0, 1.0, 11)
    heights = 0.3 * x[:, None] ** 2 - 0.2 * x[:, None] * x + 0.1 * x
    places = [(-0.33, 0.41), (0.05, -0.57), (0.71, 0.0)]
    gap, n = _height(Road.grid(x, x, heights), places)
    expected = [0.3 * p * p - 0.2 * p * q + 0.1 * q for p, q in places]
    assert -(gap + 1.0) / n[:, 2] == pytest.approx(expected, abs=1e-15)


def test_road_that_ends_level():
    x = np.linspace(0.0, 4.0, 5)
    gap, n = _height(Road.along(x, 0.1 * x, ends="level"), [(4.0, 0.0), (9.0, 0.0), (-3.0, 0.0)])
    assert -(gap + 1.0) / n[:, 2] == pytest.approx([0.4, 0.4, 0.0], abs=1e-15)
    assert n[1:, 2] == pytest.approx(1.0, abs=1e-15)


def test_level_ends_are_smooth():
    """The slope does not jump where a road ends level, so that neither gap nor force does."""
    x, random = np.linspace(0.0, 4.0, 5), np.random.default_rng(4)
    heights = random.uniform(-0.3, 0.3, (5, 5))
    for road in (
        Road.along(x, heights[0], ends="level"),
        Road.along(x, heights[0], kind="spline", ends="level"),
        Road.tracks(x, heights[0], heights[1], y=(0.0, 2.0), ends="level"),
        Road.grid(x, x, heights, ends="level"),
    ):
        for y in (0.5, 1.7):
            gap, n = _height(road, [(4.0 - 1e-9, y), (4.0 + 1e-9, y), (-1e-9, y), (1e-9, y)])
            assert abs(gap[0] - gap[1]) < 1e-8 and abs(gap[2] - gap[3]) < 1e-8
            assert np.abs(n[0] - n[1]).max() < 1e-7 and np.abs(n[2] - n[3]).max() < 1e-7


def test_road_that_ends_is_named():
    """The status of the compiled pass names the pair; the system names road and place."""
    model, ground, b = _model((5.0, 0.25, 0.3))
    road = Road.along([0.0, 2.0, 4.0], [0.0, 0.0, 0.0], name="test track")
    pair = wheel_on_road(ground.at(), b.at(z=AXLE), 0.3, road)
    system = compile(model, watched=[Law(pair.gap.parts())])
    work = system.work()
    status = evaluate(system.geometry, system.rows, system.start, system.speeds(), 0.0, system.reference, work)
    error = system.failure(int(status), 1.25)
    assert "at t = 1.25 s the wheel on 'b' has left road 'test track'" in str(error)
    assert "x = 5, y = 0.25 m" in str(error)
    assert "x from 0 to 4 m" in str(error)


REFUSED = [
    (lambda g, b: meet(Face(g.at()), Face(b.at()), "Contact"), "a Face cannot touch a Face"),
    (lambda g, b: Ball(b.at(), -1.0), "radius of a Ball must be positive"),
    (lambda g, b: Mesh(g.at(), [(0, 0, 0)], [(0, 0, 1)]), "indices of its 1 vertices"),
    (lambda g, b: Mesh(g.at(), [(0, 0, 0), (1, 0, 0)], [(0, 0, 1)]), "have no area"),
    (lambda g, b: Mesh(g.at(), [(0, 0)], [(0, 0, 0)]), "rows of three finite numbers"),
    (lambda g, b: Mesh(g.at(), *_turned(slice(None))), "is inside out"),
    (lambda g, b: Mesh(g.at(), *_turned([0])), "at 3 of its 174 edges neighboring triangles"),
    (lambda g, b: Mesh(g.at(), *_sphere(60), thickness=0.1), "the Mesh on .ground. is closed"),
    (lambda g, b: meet(_terrain(g.at()), Ball(b.at()), "it"), "a Ball of radius 0 would pass through the open Mesh"),
    (lambda g, b: Road.along([0, 1, 1], [0, 0, 0]), "increasing x"),
    (lambda g, b: Road.along([0, 1], [0, 0, 0]), "one height per x"),
    (lambda g, b: Road.grid([0, 1, 3], [0, 1], np.zeros((3, 2))), "evenly spaced"),
    (lambda g, b: Road.grid([0, 1], [0, 1], np.zeros((3, 2))), "got shape"),
    (lambda g, b: Road.tracks([0, 1], [0, 0], [0, 0], y=(1, 1)), "must differ"),
    (lambda g, b: Road.along([0, 1], [0, 0], kind="wavy"), "kind of road 'road' must be 'smooth' or 'spline'"),
    (lambda g, b: Road.bump(0.0, -1.0, 0.1), "length of the bump of 'road' must be positive"),
    (lambda g, b: Road.along([0, 1], [0, 0], ends="fall"), "ends of road 'road' must be"),
    (lambda g, b: wheel_on_road(g.at(), b.at(), 0.0, Road.flat()), "radius of a wheel must be positive"),
    (lambda g, b: wheel_on_road(g.at(), b.at(), 0.3, None), "must be a Road"),
]


@folded("make, words", REFUSED, ids=[words for _, words in REFUSED])
def test_rejected(make, words):
    _, ground, b = _model((0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match=words):
        make(ground, b)
