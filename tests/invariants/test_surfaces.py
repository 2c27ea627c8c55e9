"""Surfaces: along any path outside a surface the gap is continuous, its gradient has unit length, and both agree with
the distance to a dense sampling of the surface. Nothing that is apart feels a force.

A distance changes by no more than the way that is gone, |gap(p) - gap(q)| <= |p - q|: continuity without a tolerance.
"""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import cardan.planar as planar
import cardan.spatial as spatial
from cardan import CardanWarning, simulate
from cardan.model.force import Law
from cardan.model.surfaces.surface_pair import meet
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate

TURN = 2.0 * math.pi
DENSE = 20001  # points of an outline
ROUNDING = 1e-12  # of lengths of order one


class Pair:
    """The gap of two surfaces, the second on body b, wherever that is."""

    def __init__(self, words, make):
        inertia = 1.0 if words is planar else (1.0, 1.0, 1.0)
        model = words.Model("pair")
        b = model.add(words.Body(mass=1.0, inertia=inertia), name="b")
        self.touch = make(model.ground, b)
        self.system = compile(model, watched=[Law(self.touch.gap.parts())])
        self.work, self.speeds = self.system.work(), self.system.speeds()
        self.size, self.first = (2, 3) if words is planar else (3, 7)

    def at(self, place, turn=()):
        """Gap and gradient with b at a place, in the plane turned by an angle."""
        q = self.system.start.copy()
        q[self.first : self.first + self.size] = place
        q[self.first + self.size : self.first + self.size + len(turn)] = turn
        system, work = self.system, self.work
        assert evaluate(system.geometry, system.rows, q, self.speeds, 0.0, system.reference, work) == 0
        width = 3 if self.size == 2 else 6
        return float(work.z[0, 0]), work.jac[0, width : width + self.size].copy()


def _path(random, size, dimension):
    """A smooth curve through and around what is so large, in short steps."""
    t = np.linspace(0.0, 1.0, 301)[:, None]
    waves = random.normal(0.0, 0.8 * size, (6, dimension))
    turns = np.arange(1, 4)
    return waves[:3].T @ np.cos(TURN * turns * t).T + waves[3:].T @ np.sin(TURN * turns * t + 0.3).T


def _hold(pair, path, distance, allowed):
    """All that the invariant says, along a path given as rows of points."""
    found = [pair.at(place) for place in path]
    gaps, normals = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    outside = distance > 0.0
    assert outside.sum() > 20
    assert np.abs(gaps - distance)[outside].max() < allowed
    assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < ROUNDING
    steps = np.diff(path, axis=0)
    both = outside[1:] & outside[:-1]
    changes, ways = np.diff(gaps), np.linalg.norm(steps, axis=1)
    # what lies between two points outside may be inside, where a gap may jump: such steps touch the surface
    both &= np.minimum(gaps[1:], gaps[:-1]) > ways
    assert (np.abs(changes) - ways)[both].max(initial=0.0) < ROUNDING
    h = 1e-6
    for k in np.flatnonzero(outside)[:: max(1, int(outside.sum()) // 12)]:
        sides = np.array([
            [(pair.at(path[k] + s * e)[0] - gaps[k]) / s for s in (h, -h)] for e in np.eye(path.shape[1])
        ])  # fmt: skip
        if np.abs(sides[:, 0] - sides[:, 1]).max() < 1e-3:  # else two points are equally near
            assert sides.mean(axis=1) == pytest.approx(normals[k], abs=1e-4)
            assert np.linalg.norm(sides.mean(axis=1)) == pytest.approx(1.0, abs=1e-4)


def _polyline(points, path):
    """The distance of points of a path to a polyline."""
    a, d = points[:-1], np.diff(points, axis=0)
    found = []
    for p in path:
        s = np.clip(np.sum((p - a) * d, axis=1) / np.sum(d * d, axis=1), 0.0, 1.0)
        found.append(np.sqrt(np.sum((a + s[:, None] * d - p) ** 2, axis=1).min()))
    return np.array(found)


def _sagitta(points):
    """What a polyline misses of its curve at most, from its second differences, twice."""
    return 2.0 * np.abs(np.diff(points, 2, axis=0)).max() / 8.0 + ROUNDING


def _inside(points, path):
    """Whether points of a path lie inside a closed polyline: by the crossings of a ray."""
    a, b = points[:-1], points[1:]
    cross = (a[:, 1] > path[:, 1:]) != (b[:, 1] > path[:, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, 0] + (path[:, 1:] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return np.sum(cross & (x > path[:, :1]), axis=1) % 2 == 1


def _lobes(random):
    """A closed outline, concave between its lobes."""
    (a, b, c), (i, j, k) = random.uniform(-0.12, 0.12, 3), random.integers(1, 9, 3)
    p, q = random.uniform(0.0, TURN, 2)
    return planar.Polar(lambda u: 1.0 + a * math.cos(i * u) + b * math.cos(j * u + p) + c * math.cos(k * u + q))


def _teeth(random):
    """Many small teeth: the height of one is about a tenth of its length."""
    count = int(random.integers(60, 500))
    height = random.uniform(0.05, 0.2) * TURN / count
    return planar.Polar(lambda u: 1.0 + height * math.cos(count * u))


def _star(random):
    """A closed spline through random points around a center."""
    count = int(random.integers(5, 40))
    angles = np.arange(count) * TURN / count
    radii = 1.0 + random.uniform(-1.0, 1.0, count) * min(0.4, 3.0 / count)
    return planar.CurveThrough(np.column_stack([radii * np.cos(angles), radii * np.sin(angles)]))


def _wave(random):
    """An open line with waves on it."""
    count, height = random.uniform(1.0, 60.0), random.uniform(0.0, 0.05)
    return planar.Curve(lambda u: (u, 0.3 * u * u + height * math.sin(count * u)), (-1.0, 1.2), closed=False)


def _arc(random):
    """An open arc of up to nearly a turn, of growing radius."""
    high, grow = random.uniform(1.0, 6.2), random.uniform(0.0, 0.1)
    return planar.Polar(lambda u: 0.7 + grow * u, closed=False, span=(0.0, high))


def _track(random):
    """An open spline through points at random."""
    points = np.cumsum(random.normal(0.0, 0.4, (int(random.integers(4, 12)), 2)), axis=0)
    return planar.CurveThrough(points - points.mean(axis=0), closed=False)


OUTLINES = {"lobes": _lobes, "teeth": _teeth, "star": _star, "wave": _wave, "arc": _arc, "track": _track}


@pytest.fixture
def seeds(invariant_count, invariant_seed):
    """Two of each kind in `make test`, one in a hundred of what is asked for otherwise."""
    return range(invariant_seed, invariant_seed + max(2, invariant_count // 100))


@pytest.mark.parametrize("kind", OUTLINES)
def test_disk_beside_a_rim(kind, seeds):
    for seed in seeds:
        random = np.random.default_rng(seed)
        curve = OUTLINES[kind](random)
        radius = random.uniform(0.0, 0.3) if curve.closed else random.uniform(0.01, 0.3)
        thickness = 0.0 if curve.closed else random.choice([0.0, 0.05])
        pair = Pair(
            planar,
            lambda g, b, c=curve, r=radius, t=thickness: meet(
                planar.Rim(g.profile(c), thickness=t), planar.Disk(b.at(), r), "it"
            ),
        )
        points = curve.points(np.linspace(*curve.span, DENSE))
        path = _path(random, 1.0, 2).T
        distance = _polyline(points, path) - radius - 0.5 * thickness
        if curve.closed:
            distance[_inside(points, path)] = -1.0
        _hold(pair, path, distance, _sagitta(points))


@pytest.mark.parametrize("kind", OUTLINES)
def test_rim_over_a_face(kind, seeds):
    """The least height of all points; turned all the way around it stays as steady as the outline is long."""
    for seed in seeds:
        random = np.random.default_rng(seed)
        curve = OUTLINES[kind](random)
        pair = Pair(planar, lambda g, b, c=curve: meet(planar.Face(g.at()), planar.Rim(b.profile(c)), "it"))
        points = curve.points(np.linspace(*curve.span, DENSE))
        reach, last = np.linalg.norm(points, axis=1).max(), None
        for turn in np.linspace(0.0, TURN, 60):
            gap, normal = pair.at((0.3, 2.0), (turn,))
            height = 2.0 + (math.sin(turn) * points[:, 0] + math.cos(turn) * points[:, 1]).min()
            assert gap == pytest.approx(height, abs=_sagitta(points))
            assert normal == pytest.approx([0.0, 1.0], abs=ROUNDING)
            assert last is None or abs(gap - last) < reach * TURN / 59
            last = gap


def _oval(random):
    """A convex outline by its support function h: radii of curvature h + h'' from nearly nothing on."""
    counts = random.integers(2, 7, 2)
    sizes = random.uniform(0.0, 1.0, 2)
    sizes *= random.uniform(0.5, 0.999) / np.sum(sizes * (counts**2 - 1))
    (a, b), (i, j) = sizes.tolist(), counts.tolist()
    p, scale = random.uniform(0.0, TURN), random.uniform(0.2, 1.0)

    def point(u):
        h = 1.0 + a * math.cos(i * u) + b * math.cos(j * u + p)
        d = -a * i * math.sin(i * u) - b * j * math.sin(j * u + p)
        return scale * (h * math.cos(u) - d * math.sin(u)), scale * (h * math.sin(u) + d * math.cos(u))

    return planar.Curve(point, (0.0, TURN))


def test_two_rims(seeds):
    """The greatest distance of their shadows over all directions: to the square of the angle between two of those, and
    of points along the outlines, 1e-5 each."""
    for seed in (seeds[0] + 3 * k + i for k in range(len(seeds)) for i in range(3)):
        random = np.random.default_rng(seed)
        one, two = _oval(random), _oval(random)
        pair = Pair(planar, lambda g, b, a=one, c=two: meet(planar.Rim(g.profile(a)), planar.Rim(b.profile(c)), "it"))
        a, b = (curve.points(np.linspace(0.0, TURN, 2001)) for curve in (one, two))
        angles = np.linspace(0.0, TURN, 2001)
        n = np.array([np.cos(angles), np.sin(angles)])
        turn, last = 0.7, None
        turned = b @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        above, below = np.max(a @ n, axis=0), np.min(turned @ n, axis=0)
        for place in _path(random, 2.0, 2).T[::3]:
            expected = float(np.max(place @ n + below - above))
            gap, normal = pair.at(place, (turn,))
            if expected > 0.0:
                assert gap == pytest.approx(expected, abs=2e-5)
                assert np.linalg.norm(normal) == pytest.approx(1.0, abs=ROUNDING)
                if last is not None and min(last[1], gap) > np.linalg.norm(place - last[0]):
                    assert abs(gap - last[1]) < np.linalg.norm(place - last[0]) + ROUNDING
                last = place, gap


def _triangles(corners, path):
    """The distance of points to triangles, the least of all: to the plane where the foot lies inside, else to edges."""
    a, b, c = (corners[:, k] for k in range(3))
    u, v = b - a, c - a
    uu, uv, vv = np.sum(u * u, 1), np.sum(u * v, 1), np.sum(v * v, 1)
    found = []
    for p in path:
        w = p - a
        wu, wv = np.sum(w * u, 1), np.sum(w * v, 1)
        size = uu * vv - uv * uv
        s, t = (vv * wu - uv * wv) / size, (uu * wv - uv * wu) / size
        inner = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
        flat = np.linalg.norm(a + s[:, None] * u + t[:, None] * v - p, axis=1)
        best = np.where(inner, flat, np.inf)
        for x, y in ((a, b), (b, c), (c, a)):
            d = y - x
            k = np.clip(np.sum((p - x) * d, 1) / np.sum(d * d, 1), 0.0, 1.0)
            best = np.minimum(best, np.linalg.norm(x + k[:, None] * d - p, axis=1))
        found.append(best.min())
    return np.array(found)


def _ground(random):
    """Terrain: a grid of random heights, open at its border."""
    n = int(random.integers(2, 12))
    x, y = (np.ravel(part) for part in np.meshgrid(*(np.linspace(-1.0, 1.0, n),) * 2, indexing="ij"))
    k = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([k, k + n, k + n + 1], 1), np.stack([k, k + n + 1, k + 1], 1)])
    return np.column_stack([x, y, random.uniform(-0.3, 0.3, n * n)]), triangles, False


def _stone(random, closed=True):
    """A dented sphere, whole or with triangles missing."""
    points = random.standard_normal((int(random.integers(8, 200)), 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    triangles = ConvexHull(points).simplices
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.sum(np.cross(b - a, c - a) * a, axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    points = points * random.uniform(0.7, 1.2, (len(points), 1))
    return points, triangles if closed else triangles[: 3 * len(triangles) // 4], closed


def _leaf(random):
    """A single triangle."""
    return random.uniform(-1.0, 1.0, (3, 3)), np.array([[0, 1, 2]]), False


MESHES = {"terrain": _ground, "stone": _stone, "shard": lambda random: _stone(random, False), "triangle": _leaf}


@pytest.mark.parametrize("kind", MESHES)
def test_ball_beside_a_mesh(kind, seeds):
    for seed in seeds:
        random = np.random.default_rng(seed)
        points, triangles, closed = MESHES[kind](random)
        radius = random.uniform(0.01, 0.3)
        thickness = 0.0 if closed else random.choice([0.0, 0.05])
        pair = Pair(
            spatial,
            lambda g, b, p=points, t=triangles, r=radius, h=thickness: meet(
                spatial.Mesh(g.at(), p, t, thickness=h), spatial.Ball(b.at(), r), "it"
            ),
        )
        path = _path(random, 1.0, 3).T
        corners = points[triangles]
        distance = _triangles(corners, path) - radius - 0.5 * thickness
        if closed:  # the solid angle of what encloses a point is 4 pi
            a, b, c = (corners[None, :, k] - path[:, None] for k in range(3))
            la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
            volume = np.sum(a * np.cross(b, c), axis=2)
            angle = np.arctan2(
                volume, la * lb * lc + np.sum(a * b, 2) * lc + np.sum(b * c, 2) * la + np.sum(c * a, 2) * lb
            )
            distance[2.0 * angle.sum(axis=1) > TURN] = -1.0
        _hold(pair, path, distance, 1e-12)


@pytest.mark.parametrize("words, size", [(planar, 2), (spatial, 3)], ids=["plane", "space"])
def test_flat_and_round_surfaces(words, size, seeds):
    round_one = words.Disk if size == 2 else words.Ball
    for seed in seeds:
        random = np.random.default_rng(seed)
        path = _path(random, 1.0, size).T
        far = np.linalg.norm(path, axis=1)
        surfaces = [
            (lambda g: words.Face(g.at()), path[:, -1] - 0.2),
            (lambda g: round_one(g.at(), 0.4), far - 0.6),
            (lambda g: round_one(g.at(), 9.0, hollow=True), 8.8 - far),
        ]
        for make, distance in surfaces:
            pair = Pair(words, lambda g, b, m=make: meet(m(g), round_one(b.at(), 0.2), "it"))
            _hold(pair, path, distance, 1e-13)


def test_wheel_over_the_ends_of_roads(seeds):
    """A wheel's gap is continuous along roads, their grids and their ends; on even ones its gradient has the length
    1 / cos(camber), because the gap counts in the plane of the wheel."""
    for seed in seeds:
        random = np.random.default_rng(seed)
        x = np.linspace(-1.0, 1.0, 7)
        heights = random.uniform(-0.05, 0.05, (7, 7))
        lean = random.uniform(-0.5, 0.5)
        for road in (
            spatial.Road.flat(),
            spatial.Road.along(x, heights[0], ends="level"),
            spatial.Road.along(x, heights[0], kind="spline", ends="level"),
            spatial.Road.tracks(x, heights[0], heights[1], y=(-0.5, 0.4), ends="level"),
            spatial.Road.grid(x, x, heights, ends="level"),
        ):
            pair = Pair(
                spatial,
                lambda g, b, r=road, k=lean: spatial.wheel_on_road(
                    g.at(), b.at(z=(0.0, math.cos(k), math.sin(k))), 0.3, r
                ),
            )
            start, way = random.uniform(-2.0, 2.0, 2), random.uniform(-2.0, 2.0, 2)
            for edge in np.concatenate([(-1.0 - start) / way, (1.0 - start) / way, random.uniform(0.0, 1.0, 20)]):
                places = [(*(start + (edge + s) * way), 0.35) for s in (-1e-9, 1e-9)]
                (one, n), (two, _) = (pair.at(place) for place in places)
                assert abs(one - two) < 1e-7
                if road.packed[0] == 0.0:
                    assert np.linalg.norm(n) == pytest.approx(1.0 / math.cos(lean), abs=ROUNDING)


SCENES = [(planar, "rim"), (spatial, "mesh")]


@pytest.mark.parametrize("words, kind", SCENES, ids=["rim", "mesh"])
def test_no_force_at_a_distance(words, kind):
    """A body behind an open surface, half its length away, and one beyond its edge stay where they are."""
    flat = words is planar
    for place in ((0.1, -0.5), (0.1, 0.5), (0.8, 0.1), (0.8, -0.2), (-30.0, -4.0)):
        model = words.Model("still")
        inertia = 1.0 if flat else (1.0, 1.0, 1.0)
        position = place if flat else (place[0], 0.1, place[1])
        body = model.add(words.Body(mass=1.0, inertia=inertia, position=position), name="body")
        if flat:
            line = planar.Curve(lambda u: (u, 0.02 * math.sin(9.0 * u)), (-0.5, 0.5), closed=False)
            surface, ball = planar.Rim(model.ground.profile(line)), planar.Disk(body.at(), 0.1)
        else:
            corners = [(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.1), (-0.5, 0.5, 0.0)]
            surface = spatial.Mesh(model.ground.at(), corners, [(0, 1, 2), (0, 2, 3)])
            ball = spatial.Ball(body.at(), 0.1)
        model.add(words.Contact(surface, ball, stiffness=1e6), name="contact")
        run = simulate(model, 1.0)
        assert not run["body"].velocity.any()


def test_sheet_is_struck_from_either_side():
    """A disk bounces off both sides of an open rim with the same speed, and off its edge."""
    for height in (0.3, -0.3):
        model = planar.Model("sheet")
        disk = model.add(
            planar.Body(mass=1.0, inertia=1.0, position=(0.0, height), velocity=(0.0, -height * 10.0)), name="disk"
        )
        line = planar.Curve(lambda u: (u, 0.0), (-0.5, 0.5), closed=False)
        surface = planar.Rim(model.ground.profile(line))
        model.add(planar.Contact(surface, planar.Disk(disk.at(), 0.1), stiffness=1e6), name="contact")
        run = simulate(model, 0.2)
        assert run["disk"].velocity[-1] == pytest.approx([0.0, 10.0 * height], abs=1e-6)


@pytest.mark.parametrize("words", [planar, spatial], ids=["plane", "space"])
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("load, speed, passes", [(1e3, 0.0, False), (1e5, 0.0, True), (0.0, 300.0, True)])
def test_what_passes_a_sheet_is_reported(words, coordinates, load, speed, passes, recwarn):
    """1e6 N/m^1.5 over 0.05 m hold 1.1e4 N and 4.5 kJ at most: 1 kN is held, 100 kN and 45 kJ are not."""
    flat = words is planar
    model = words.Model("pressed")
    down = (0.0, -1.0) if flat else (0.0, 0.0, -1.0)
    ball = words.Body(
        mass=1.0, inertia=0.1 if flat else (0.1, 0.1, 0.1), position=tuple(-0.06 * k for k in down),
        velocity=tuple(speed * k for k in down),
    )  # fmt: skip
    ball = model.add(ball, name="ball")
    if flat:
        line = planar.Curve(lambda u: (u, 0.0), (-0.5, 0.5), closed=False)
        surface, other = planar.Rim(model.ground.profile(line)), planar.Disk(ball.at(), 0.05)
    else:
        corners = [(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.6, 0.0), (-0.5, 0.5, 0.0)]
        surface = spatial.Mesh(model.ground.at(), corners, [(0, 1, 2), (0, 2, 3)])
        other = spatial.Ball(ball.at(), 0.05)
    model.add(words.Contact(surface, other, stiffness=1e6), name="sheet")
    model.add(words.Load(ball.at(), tuple(load * k for k in down)), name="load")
    run = simulate(model, 0.02, output=0.02, coordinates=coordinates)
    assert (run[ball].position[-1] @ down > 0.05) == passes
    told = [str(w.message) for w in recwarn if issubclass(w.category, CardanWarning)]
    assert any("Contact 'sheet' had a penetration of" in text for text in told) == passes
