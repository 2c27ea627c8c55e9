"""Laws of velocities between two bodies that are the rate of nothing, and of what rolls, against plain geometry."""

import numpy as np
import pytest

from cardan import assemble, mobility
from cardan.model.measure import Measure
from cardan.spatial import Body, Model, RollingBall, RollingWheel, rotation
from cardan.spatial.measures import angular_velocity_about, course, velocity_along
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate
from catalogs import ROLLING
from scenes import SCENES, SPACE

both = pytest.mark.parametrize("scene", SCENES, ids=str)
seeds = pytest.mark.parametrize("seed", range(4))
PAIRS = [("a", "b"), ("b", "ground"), ("ground", "a"), ("contact 1", "b"), ("b", "contact 3")]


def _measures(scene):
    """Every velocity between every sort of markers."""
    axes = "xyz"[: scene.model.space.dimensions]
    kinds = (
        [("velocity_along", axes)]
        if len(axes) == 2
        else [("velocity_along", axes), ("angular_velocity_about", axes), ("course", "xy")]
    )
    ends = [(scene.markers[a], scene.markers[b]) for a, b in PAIRS]
    return [Measure(kind, a, b, axis) for a, b in ends for kind, many in kinds for axis in many]


@both
@seeds
def test_rate_and_bias(scene, seed):
    """rate = jac v to rounding; the bias is the change of the rate at constant speeds, by extrapolated differences: the
    error is h^4 times fifth derivatives, of thousands where an axle is steep, and 1e-15 / h."""
    q, v = scene.state(seed)
    table = scene.table(_measures(scene))
    z, jac = table.evaluate(q, v)
    assert not z[:, 0].any()
    scale = 1.0 + np.abs(jac) @ np.abs(v)
    assert (np.abs(jac @ v - z[:, 1]) / scale).max() < 1e-13
    h = 3e-4

    def rate(s):
        return table.evaluate(scene.stepped(q, s * v), v)[0][:, 1]

    coarse, fine = ((rate(s) - rate(-s)) / (2.0 * s) for s in (h, 0.5 * h))
    assert (np.abs((4.0 * fine - coarse) / 3.0 - z[:, 2]) / (1.0 + np.abs(z[:, 2]))).max() < 1e-7


@both
@seeds
def test_velocities_between_bodies_are_objective(scene, seed):
    """A rigid motion of everything costs no work, and changes no rate and no bias: rounding only."""
    q, v = scene.state(seed)
    table = scene.table(_measures(scene))
    z, jac = table.evaluate(q, v)
    scale = 1.0 + np.abs(jac).max(axis=1)
    for rigid in scene.rigid_motions(q):
        assert (np.abs(jac @ rigid) / scale).max() < 1e-13
    again, _ = table.evaluate(*scene.moved(q, v, np.random.default_rng(seed + 100)))
    assert (np.abs(again - z) / (1.0 + np.abs(z))).max() < 1e-11


@seeds
def test_swapping_a_and_b(seed):
    """What a sees of b's rotation is the opposite of what b sees of a's, in common axes; ground sees the velocity of a
    point along its own axis as the point itself has it."""
    q, v = SPACE.state(seed)
    a, b, ground = (SPACE.markers[name] for name in ("a", "b", "ground"))
    there, back = ([angular_velocity_about(*ends, axis) for axis in "xyz"] for ends in ((a, b), (b, a)))
    one, two = (SPACE.table(measures).evaluate(q, v)[0] for measures in (there, back))
    assert np.linalg.norm(one[:, 1]) == pytest.approx(np.linalg.norm(two[:, 1]), rel=1e-12)
    assert one[:, 1] == pytest.approx(-_axes(a, q).T @ _axes(b, q) @ two[:, 1], abs=1e-12)
    seen, own = ([velocity_along(ground, a, axis), Measure("slide", None, a, axis)] for axis in "xy")
    for pair in (seen, own):
        z = SPACE.table(pair).evaluate(q, v)[0]
        assert z[0] == pytest.approx(z[1], abs=1e-12)


@seeds
def test_course_is_the_whole_velocity_over_the_plane(seed):
    """Along and across together are the velocity of the hub without its part along the normal, as seen from a."""
    q, v = SPACE.state(seed)
    a, b = SPACE.markers["a"], SPACE.markers["b"]
    plane = [Measure("component", a, b, axis) for axis in "xy"]
    z = SPACE.table([course(a, b, "along"), course(a, b, "across"), *plane]).evaluate(q, v)[0][:, 1]
    assert np.hypot(z[0], z[1]) == pytest.approx(np.hypot(z[2], z[3]), rel=1e-12)
    axle = _axes(a, q).T @ _axes(b, q)[:, 2]
    assert z[1] == pytest.approx(axle[:2] @ z[2:] / np.linalg.norm(axle[:2]), abs=1e-12)
    assert z[0] == pytest.approx((axle[1] * z[2] - axle[0] * z[3]) / np.linalg.norm(axle[:2]), abs=1e-12)


def _axes(marker, q):
    """The axes of a marker in the world, as columns."""
    k = SPACE.system.number[id(marker.body)]
    return rotation.matrix(rotation.multiply(q[7 * k + 3 : 7 * k + 7], np.array(marker.orientation)))


def _on_a_plate(kind, seed):
    """A wheel or ball on a plate, both anywhere and moving; the plate's normal is its z axis."""
    random = np.random.default_rng(seed)
    model = Model("plate")
    turns = rotation.from_rotation_vector(random.uniform(-1.0, 1.0, (2, 3)))
    plate, wheel = (
        model.add(Body(position=tuple(random.uniform(-1.0, 1.0, 3)), orientation=p), name=name)
        for name, p in zip(("plate", "wheel"), turns, strict=True)
    )
    model.add(kind(plate.at(), wheel.at(), 0.3), name="contact")
    system = compile(model)
    v = random.uniform(-1.0, 1.0, system.speeds().size)
    v[:6] = 0.0
    work = system.work()
    assert evaluate(system.geometry, system.rows, system.start, v, 0.0, system.reference, work) == 0
    poses = system.start.reshape(-1, 7)[1:]
    return work, poses, v.reshape(-1, 6)[1:], [rotation.matrix(p) for p in poses[:, 3:]]


@seeds
@pytest.mark.parametrize("kind", [RollingWheel, RollingBall])
def test_rows_are_the_velocity_of_the_lowest_point(kind, seed):
    """The lowest point is searched for on the rim, or on the ball, by trying: to 1e-4 rad of its place, so that its
    height is good to 1e-8 and its velocity to 1e-4 of radius times rates of a few rad/s."""
    work, poses, v, (A, B) = _on_a_plate(kind, seed)
    n, k = A[:, 2], B[:, 2]
    if kind is RollingWheel:
        turn = np.linspace(0.0, 2.0 * np.pi, 100001)[:, None]
        rim = 0.3 * (np.cos(turn) * B[:, 0] + np.sin(turn) * B[:, 1])
        arm = rim[np.argmin(rim @ n)]
    else:
        arm = -0.3 * n
    seen = v[1, :3] + np.cross(B @ v[1, 3:], arm) - v[0, :3]
    seen -= np.cross(A @ v[0, 3:], poses[1, :3] + arm - poses[0, :3])  # as a point of the plate sees it
    assert work.phi[0] == pytest.approx(n @ (poses[1, :3] + arm - poses[0, :3]), abs=1e-8)
    assert work.rate[0] == pytest.approx(n @ seen, abs=1e-3)
    along = np.cross(k, n) / np.linalg.norm(np.cross(k, n))
    ways = [along, np.cross(n, along)] if kind is RollingWheel else [A[:, 0], A[:, 1]]
    assert work.rate[1:] == pytest.approx([way @ seen for way in ways], abs=1e-3)
    assert not work.nu.any() and not work.phi[1:].any()


@pytest.mark.parametrize("case", ROLLING, ids=str)
def test_assembly_does_not_touch_what_only_velocities_hold(case):
    """The stated position is closed by joints and drivers alone, and a rigid motion of it all is still closed; rows on
    velocities are counted, and independent."""
    model = case.model()
    report = mobility(model)
    assert report.velocity_equations > 0 and report.velocity_rank == report.velocity_equations
    assert report.position_degrees_of_freedom == report.degrees_of_freedom + report.velocity_equations
    assert report.redundant == report.conflicting == report.singular == report.ineffective == ()
    there = assemble(model)
    assert there.violation < 1e-11


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("case", ROLLING, ids=str)
def test_rigid_motion_and_order_change_no_count(case, backwards):
    here = mobility(case.model())
    for pose in case.stage.poses:
        there = mobility(case.model(pose=pose, backwards=backwards))
        assert (there.degrees_of_freedom, there.rank, there.velocity_rank) == (
            here.degrees_of_freedom,
            here.rank,
            here.velocity_rank,
        )
