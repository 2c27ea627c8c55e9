"""Laws of surfaces that may touch: gap's jac is its gradient, rub is the velocity of the point that the surfaces
share, forces on both bodies are equal and opposite, and a rigid motion of everything changes nothing.

The positions are random; most pairs are apart or deep inside each other.
"""

import math

import numpy as np
import pytest

import cardan.planar as planar
import cardan.spatial as spatial
from cardan.model.surfaces.surface_pair import meet
from cardan.spatial import Ball, Mesh, Road, rotation, wheel_on_road
from catalog import TURN, lobed
from scenes import PLANE, SPACE

SEEDS = range(6)


def ellipse(u):
    return 0.3 * math.cos(u), 0.2 * math.sin(u)


def wave(u):
    return -u, 0.2 * math.sin(u)


def _planar():
    a, b, ground = PLANE.model["a"], PLANE.model["b"], PLANE.model.ground
    face, disk = planar.Face(a.at(0.1, 0.2, 0.3)), planar.Disk(b.at(-0.1, 0.3), 0.15)
    oval = planar.Curve(ellipse, (0.0, TURN))
    rim = planar.Rim(b.profile(oval, 0.1, 0.0, 0.4))
    yield "face-disk", face, disk
    yield "disk-face", disk, planar.Face(ground.at(0.1, 0.0, -0.3))
    yield "point-disk", planar.Disk(a.at(0.2, 0.1)), disk
    yield "hollow-disk", disk, planar.Disk(a.at(0.1, -0.1), 4.0, hollow=True)
    yield "rim-disk", planar.Rim(a.profile(planar.Polar(lobed), 0.1, 0.2, 0.3)), disk
    yield "rim-point", planar.Rim(a.profile(oval, 0.1, 0.2, 0.3)), planar.Disk(b.at())
    yield "open rim-disk", planar.Rim(ground.profile(planar.Curve(wave, (-6.0, 6.0), closed=False))), disk
    yield "thick rim-disk", planar.Rim(a.profile(planar.Curve(wave, (-6.0, 6.0), closed=False)), thickness=0.1), disk
    yield "face-rim", face, rim
    yield "rim-rim", planar.Rim(a.profile(planar.Circle(0.3), 0.1)), rim


def _box(marker, size):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(size) / 2.0
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Mesh(marker, corners, [t for p, q, r, s in squares for t in ((p, q, r), (p, r, s))])


def _roads():
    x = np.linspace(-8.0, 8.0, 33)
    yield "flat", Road.flat()
    yield "line", Road.along(x, 0.1 * np.sin(x))
    yield "tracks", Road.tracks(x, 0.1 * np.sin(x), 0.1 * np.cos(2.0 * x), y=(3.0, -4.0))
    yield "grid", Road.grid(x, x, 0.1 * np.sin(x)[:, None] * np.cos(0.7 * x))


def _spatial():
    a, b, ground = SPACE.model["a"], SPACE.model["b"], SPACE.model.ground
    face, ball = spatial.Face(a.at(0.1, 0.2, 0.3, z=(1, 1, 2))), Ball(b.at(-0.1, 0.3, 0.2), 0.15)
    yield "face-ball", meet(face, ball, "it")
    yield "ground-ball", meet(ball, spatial.Face(ground.at(z=(0.1, 0.2, 1))), "it")
    yield "ball-ball", meet(Ball(a.at(0.1, 0.0, 0.2), 0.2), ball, "it")
    yield "hollow-ball", meet(Ball(a.at(0.1, 0.0, 0.2), 6.0, hollow=True), ball, "it")
    yield "mesh-ball", meet(_box(a.at(0.1, 0.2, 0.0, z=(1, 0, 1)), (0.4, 0.6, 0.8)), ball, "it")
    for name, road in _roads():
        yield (
            f"wheel, {name}",
            wheel_on_road(a.at(0.1, 0.2, 0.3, z=(1, 1, 2)), b.at(0.2, 0.1, 0.0, z=(0, 1, 1)), 0.3, road),
        )


PAIRS = [("plane", PLANE, name, meet(a, b, "it")) for name, a, b in _planar()]
PAIRS += [("space", SPACE, name, pair) for name, pair in _spatial()]
ROUND = [p for p in PAIRS if p[3].kind.endswith(("disk", "ball"))]
pairs, round_pairs = (
    pytest.mark.parametrize("scene, pair", [p[1::2] for p in chosen], ids=[f"{p[0]}: {p[2]}" for p in chosen])
    for chosen in (PAIRS, ROUND)
)
seeds = pytest.mark.parametrize("seed", SEEDS)


def _measures(pair):
    if pair.kind == "road-wheel":
        return [pair.gap, pair.camber, pair.along, pair.across, pair.advance, pair.yaw]
    return [pair.gap, *pair.rubs]


def _valued(measures):
    return [k for k, m in enumerate(measures) if m.kind in ("gap", "camber")]


@pairs
@seeds
def test_jac_is_the_gradient_and_rate_follows(scene, pair, seed):
    """Differences with h and h/2, extrapolated: h^4 z^(5) + 1e-16/h, 1e-11 at h = 3e-4. Wheels that lie on the road
    have derivatives like powers of 1/c, which jac^2 counts; a grid has jumps in its second derivatives, a bicubic
    whose cell is left within h is wrong by h times that jump, here 0.05."""
    measures = _measures(pair)
    table, valued = scene.table(measures), _valued(measures)
    q, v = scene.state(seed)
    z, jac = table.evaluate(q, v)
    assert np.abs(jac @ v - z[:, 1]).max() < 1e-13 * (1.0 + np.abs(jac) @ np.abs(v)).max()
    differences = np.zeros((len(valued), v.size))
    h = 3e-4
    for i, e in enumerate(np.eye(v.size)):
        coarse, fine = (
            (table.evaluate(scene.stepped(q, s * e), v)[0] - table.evaluate(scene.stepped(q, -s * e), v)[0]) / (2.0 * s)
            for s in (h, 0.5 * h)
        )
        differences[:, i] = ((4.0 * fine - coarse) / 3.0)[valued, 0]
    size = 1.0 + np.abs(jac[valued]).max(axis=1)
    assert (np.abs(differences - jac[valued]).max(axis=1) / size**2).max() < 1e-8


@pairs
@seeds
def test_action_equals_reaction_and_rigid_motions_change_nothing(scene, pair, seed):
    """Rounding; the distance of both bodies enters the torques."""
    measures = _measures(pair)
    table = scene.table(measures)
    q, v = scene.state(seed)
    z, jac = table.evaluate(q, v)
    scale = 1.0 + np.abs(jac).max(axis=1)
    for rigid in scene.rigid_motions(q):
        assert (np.abs(jac @ rigid) / scale).max() < 1e-12
    if pair.a.body is scene.model.ground or pair.b.body is scene.model.ground:
        return  # ground moved: its own law is that above
    again, _ = table.evaluate(*scene.moved(q, v, np.random.default_rng(seed + 100)))
    assert (np.abs(again - z)[:, :2] / scale[:, None] ** 2).max() < 1e-11


def _point_velocity(q, v, width, k, point):
    """The velocity of the point of body k that is at `point` of the world."""
    if width == 3:
        x, y = point - q[3 * k : 3 * k + 2]
        return v[3 * k : 3 * k + 2] + v[3 * k + 2] * np.array([-y, x])
    omega = rotation.rotate(q[7 * k + 3 : 7 * k + 7], v[6 * k + 3 : 6 * k + 6])
    return v[6 * k : 6 * k + 3] + np.cross(omega, point - q[7 * k : 7 * k + 3])


@round_pairs
@seeds
def test_rub_is_the_velocity_at_the_shared_point(scene, pair, seed):
    """n from the columns of the gap; the shared point C from the center of b and the gap where b is round."""
    q, v = scene.state(seed)
    z, jac = scene.table(_measures(pair)).evaluate(q, v)
    width, size = scene.system.width, scene.model.space.dimensions
    one, two = (scene.system.number[id(end.body)] for end in (pair.a, pair.b))
    n = jac[0, width * two : width * two + size]
    assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
    poses = [q[scene.model.space.stored * k :][: scene.model.space.stored][None] for k in (one, two)]
    (_, axes), (center, _) = (
        scene.model.space.frame(end, pose) for end, pose in zip((pair.a, pair.b), poses, strict=True)
    )
    radius = pair.numbers[1 if pair.kind in ("disk-disk", "ball-ball") else 0]
    shared = center[0] - (radius + 0.5 * z[0, 0]) * n
    u = _point_velocity(q, v, width, two, shared) - _point_velocity(q, v, width, one, shared)
    assert n @ u == pytest.approx(z[0, 1], abs=1e-12)
    if size == 2:
        assert z[1, 1] == pytest.approx(u @ np.array([-n[1], n[0]]), abs=1e-12)
    else:
        assert z[1:, 1] == pytest.approx(axes[0].T @ (u - (n @ u) * n), abs=1e-12)
