"""Space as a space: steps of positions, their rates, interpolation, what is read of a body, wrong dimensions."""

import numpy as np
import pytest

from cardan import ModelError, assemble, kinematics, mobility
from cardan.model.space import advance, displacement, step_rates
from cardan.spatial import Body, Driver, Harmonic, Model, Ramp, Revolute, Spherical, rotation
from cardan.system.compile import compile

RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module")
def tumbling():
    """A body on a ball whose three Cardan angles are driven: its axis of rotation is never at rest."""
    model = Model("tumbling")
    body = model.add(Body(), name="body")
    ball = model.add(Spherical(model.ground.at(), body.at(0.3, -0.1, 0.2)), name="ball")
    model.add(Driver(ball.angle_x, Ramp(3.0)), name="first")
    model.add(Driver(ball.angle_y, Harmonic(0.7, 5.0)), name="second")
    model.add(Driver(ball.angle_z, Harmonic(1.1, 4.0)), name="third")
    return model


def moved(system, q, step):
    q = q.copy()
    advance(system.geometry, q, step)
    return q


def random_step(system, size):
    step = system.speeds()
    step[system.width :] = size * RANDOM.standard_normal(system.coordinates)
    return step


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.3, 1.0])
def test_a_displacement_undoes_a_step(tumbling, size):
    system = compile(tumbling)
    for _ in range(20):
        step, back = random_step(system, size), system.speeds()
        end = moved(system, system.start, step)
        assert np.abs(np.linalg.norm(end[10:14]) - 1.0) < 1e-15
        displacement(system.geometry, system.start, end, back)
        angle = np.linalg.norm(step[9:12])
        # a rotation vector longer than half a turn comes back the short way round
        expected = step[9:12] * (1.0 - 2.0 * np.pi * np.round(angle / (2.0 * np.pi)) / angle)
        assert np.abs(back[6:9] - step[6:9]).max() < 1e-14
        assert np.abs(back[9:12] - expected).max() < 1e-14


@pytest.mark.parametrize("size", [1e-4, 0.3, 0.6, 1.0])
def test_rates_of_a_step_against_the_motion(tumbling, size):
    """Along q(t) = q0 advanced by theta(t) = a t + b t^2 / 2 + c t^3 the rates of the step are theta' and theta'': with
    omega' = T theta' and its derivative the kernel must give them back."""
    system = compile(tumbling)
    for _ in range(20):
        theta, first, second = size * RANDOM.standard_normal((3, 3))
        tangent, change = rotation.tangent(theta), rotation.tangent_rate(theta, first)
        step, v, a = system.speeds(), system.speeds(), system.speeds()
        step[9:12], v[9:12], a[9:12] = theta, tangent @ first, tangent @ second + change @ first
        rate, bend = system.speeds(), system.speeds()
        step_rates(system.geometry, system.start, step, v, a, rate, bend)
        assert np.abs(rate[9:12] - first).max() < 1e-13
        assert np.abs(bend[9:12] - second).max() < 1e-13


def test_interpolation_is_of_sixth_order(tumbling):
    """Position errors fall by 2^6 when the step is halved, those of v by 2^5 and of a by 2^4, at the same place in the
    interval; a tenth of an order is left for the higher terms."""
    where = 0.37
    errors = []
    for parts in (20, 40, 80):
        coarse = kinematics(tumbling, np.linspace(0.0, 1.0, parts + 1))
        times = (np.arange(parts) + where) / parts
        exact = kinematics(tumbling, np.concatenate([[0.0], times]))
        found = [coarse.at(t) for t in times]
        pairs = ((np.stack([s.q for s in found]), exact.q[1:]), (np.stack([s.v for s in found]), exact.v[1:]))
        pairs += ((np.stack([s.a for s in found]), exact.a[1:]),)
        errors.append([np.abs(ours - theirs).max() for ours, theirs in pairs])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders[-1] > np.array([5.8, 4.8, 3.8]))


def test_a_turn_too_far_is_not_interpolated():
    model = Model("fan")
    fan = model.add(Body(), name="fan")
    hinge = model.add(Revolute(model.ground.at(), fan.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(100.0)), name="motor")
    run = kinematics(model, [0.0, 0.05, 0.06])
    with pytest.raises(ModelError, match=r"between t = 0 s and 0.05 s a body rotates too far .* more output times"):
        run.at(0.02)
    assert run[hinge.angle].value == pytest.approx([0.0, 5.0, 6.0], abs=1e-12)
    assert run.at(0.055)[hinge.angle].value == pytest.approx(5.5, abs=1e-9)


def test_what_is_read_of_a_body(tumbling):
    """omega and alpha are those of the motion: A' = ~omega A, by differences; tables show the same."""
    h = 1e-4
    run = kinematics(tumbling, 0.3 + h * np.arange(-2.0, 3.0))
    body = run["body"]
    slope = (body.matrix[3] - body.matrix[1]) / (2.0 * h)
    omega = body.angular_velocity
    assert np.abs(slope - rotation.skew(omega[2]) @ body.matrix[2]).max() < 1e-5  # h^2 times third derivatives of 1e2
    assert np.abs((omega[3] - omega[1]) / (2.0 * h) - body.angular_acceleration[2]).max() < 1e-4
    assert np.abs(body.matrix[2] @ body.angular_velocity_b[2] - omega[2]).max() < 1e-14
    assert np.abs(body.matrix[2] @ body.angular_acceleration_b[2] - body.angular_acceleration[2]).max() < 1e-12
    table = run.table()
    assert np.array_equal(np.stack([table[f"body.e{k}"] for k in range(4)], axis=1), body.orientation)
    assert np.array_equal(np.stack([table[f"body.w{k}"] for k in "xyz"], axis=1), omega)
    with pytest.raises(ModelError, match="Body 'body' has no 'angle' in a result; it has: .position"):
        _ = body.angle
    data = run.to_xarray()
    assert data.orientation.sel(body="body", parameter="e0").values == pytest.approx(table["body.e0"])
    assert data.angular_velocity.sel(body="body", axis="z").values == pytest.approx(table["body.wz"])


def test_held_bodies_stay():
    model = Model("pair")
    one = model.add(Body(position=(0.1, 0.2, 0.3), orientation=(0.5, 0.5, 0.5)), name="one")
    two = model.add(Body(position=(1.0, 0.0, 0.0)), name="two")
    model.add(Spherical(one.at(1, 0, 0), two.at(-1, 0, 0)), name="ball")
    found = assemble(model, hold=[one])
    assert found[one].position == pytest.approx((0.1, 0.2, 0.3), abs=1e-12)
    assert found[one].orientation == pytest.approx(one.parameters, abs=1e-12)
    assert found.violation < 1e-11


def test_wrong_dimensions_of_a_bennett_linkage():
    """Four hinges whose links have lengths a, b and twists alpha, beta with sin(alpha) / a = sin(beta) / b (Bennett
    1903): one degree of freedom where the count says -2, and none, not even a position, with other dimensions."""
    a, b, alpha = 1.0, 0.6, np.radians(70.0)
    beta = np.arcsin(b * np.sin(alpha) / a)
    model = Model("Bennett")
    links = [(a, alpha), (b, beta), (a, alpha), (b, beta)]
    theta = np.radians(80.0)
    # tan(theta/2) tan(phi/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)
    phi = 2.0 * np.arctan(np.sin((beta + alpha) / 2.0) / np.sin((beta - alpha) / 2.0) / np.tan(theta / 2.0))
    turns = [theta, phi, 2.0 * np.pi - theta, 2.0 * np.pi - phi]
    frame, bodies = np.eye(4), [model.ground]
    poses = []
    for (length, twist), turn in zip(links, turns, strict=True):
        spun = frame @ _screw("z", turn, 0.0)
        poses.append(spun)
        frame = spun @ _screw("x", twist, length)
    bodies += [
        model.add(Body(position=tuple(p[:3, 3]), orientation=p[:3, :3]), name=f"link{k}")
        for k, p in enumerate(poses[:3])
    ]
    joints = zip(bodies, bodies[1:] + bodies[:1], strict=True)
    for k, (one, two) in enumerate(joints):
        at = np.zeros(3) if k == 0 else poses[k][:3, 3]
        z = (0, 0, 1) if k == 0 else poses[k][:3, 2]
        model.add(Revolute.between(one, two, at=tuple(at), z=tuple(z)), name=f"R{k}")
    report = mobility(model, imperfect=True)
    assert (report.coordinates, report.equations, report.degrees_of_freedom, len(report.redundant)) == (18, 20, 1, 3)
    assert report.imperfect_open and report.imperfect_degrees_of_freedom == 0
    assert "would not close" in repr(report)


def _screw(axis: str, angle: float, length: float) -> np.ndarray:
    """A turn about an axis and a step along it, as a homogeneous matrix."""
    unit = np.eye(3)["xyz".index(axis)]
    result = np.eye(4)
    result[:3, :3] = rotation.matrix(rotation.from_rotation_vector(angle * unit))
    result[:3, 3] = length * unit
    return result
