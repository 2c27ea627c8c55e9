"""task_space(): closed forms of arms and linkages, Pinocchio, and forward dynamics."""

from __future__ import annotations

import cmath
import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError, assemble, from_urdf, joint_space, task_space
from cardan.planar import Body, Driver, Load, Model, Ramp, Revolute, Spring, length, x, y
from cardan.spatial import (
    Body as SpatialBody,
    Model as SpatialModel,
    Revolute as SpatialRevolute,
    angular_velocity_about,
    x as spatial_x,
    y as spatial_y,
    z as spatial_z,
)

A1, A2, L1, L2, M1, M2, I1, I2, G = 1.0, 0.8, 0.45, 0.35, 5.0, 3.0, 0.4, 0.2, 9.81


def _arm(q: tuple[float, float], v: tuple[float, float] = (0.0, 0.0), **options: object) -> tuple[Model, object]:
    """A two-link arm with links of length A, mass centers at L from their joints."""
    elbow = A1 * np.array([math.cos(q[0]), math.sin(q[0])])
    model = Model("arm", gravity=(0, -G))
    upper = model.add(Body(mass=M1, inertia=I1, center=(L1, 0), angle=q[0], angular_velocity=v[0]), name="upper")
    turning = v[0] * np.array([-elbow[1], elbow[0]])
    fore = model.add(
        Body(
            mass=M2,
            inertia=I2,
            center=(L2, 0),
            position=tuple(elbow),
            angle=sum(q),
            velocity=tuple(turning),
            angular_velocity=sum(v),
        ),
        name="fore",
    )
    model.add(Revolute(model.ground.at(), upper.at()), name="shoulder")
    model.add(Revolute(upper.at(A1, 0), fore.at()), name="elbow")
    return model, fore.at(A2, 0)


def _siciliano(q: tuple[float, float], v: tuple[float, float]) -> tuple[np.ndarray, ...]:
    """B, C v, g and J, J' v of the two-link arm (Siciliano, Robotics, 7.3.2 and 3.2.1), without motors."""
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    b12 = I2 + M2 * (L2**2 + A1 * L2 * c2)
    b11 = I1 + M1 * L1**2 + I2 + M2 * (A1**2 + L2**2 + 2 * A1 * L2 * c2)
    B = np.array([[b11, b12], [b12, I2 + M2 * L2**2]])
    h = -M2 * A1 * L2 * s2
    Cv = np.array([2 * h * v[0] * v[1] + h * v[1] ** 2, -h * v[0] ** 2])
    c1, c12 = math.cos(q[0]), math.cos(sum(q))
    s1, s12 = math.sin(q[0]), math.sin(sum(q))
    g = np.array([(M1 * L1 + M2 * A1) * G * c1 + M2 * L2 * G * c12, M2 * L2 * G * c12])
    J = np.array([[-A1 * s1 - A2 * s12, -A2 * s12], [A1 * c1 + A2 * c12, A2 * c12]])
    w = v[0] + v[1]
    Jv = np.array([-A1 * c1 * v[0] ** 2 - A2 * c12 * w**2, -A1 * s1 * v[0] ** 2 - A2 * s12 * w**2])
    return B, Cv, g, J, Jv


@pytest.mark.parametrize(("q", "v"), [((0.3, 0.9), (0.7, -1.1)), ((-1.2, 2.0), (2.0, 0.4))])
def test_two_link_arm_agrees_with_the_closed_form(q: tuple[float, float], v: tuple[float, float]) -> None:
    """Lambda = J^-T B J^-1, mu = J^-T C v - Lambda J' v, p = J^-T g: J is square, so every term has a closed form."""
    model, hand = _arm(q, v)
    task = task_space(model, [x(hand), y(hand)])
    B, Cv, g, J, Jv = _siciliano(q, v)
    back = np.linalg.inv(J)
    inertia = back.T @ B @ back
    assert task.jacobian == pytest.approx(J, abs=1e-14)
    assert task.inertia == pytest.approx(inertia, rel=1e-12)
    assert task.inverse == pytest.approx(back, rel=1e-12)
    assert np.abs(task.null_projector).max() < 1e-12
    assert task.velocity == pytest.approx(J @ np.array(v), rel=1e-13)
    assert task.velocity_terms == pytest.approx(back.T @ Cv - inertia @ Jv, rel=1e-11)
    assert task.gravity == pytest.approx(back.T @ g, rel=1e-12)


def test_a_redundant_task_has_least_energy_and_leaves_the_null_space() -> None:
    """Only x of the hand: Jbar minimizes v^T M v for a given x' (the KKT equations, solved here), and J N = 0."""
    q, v = (0.3, 0.9), (0.7, -1.1)
    model, hand = _arm(q, v)
    task = task_space(model, [x(hand)])
    B, Cv, g, J, Jv = _siciliano(q, v)
    kkt = np.block([[B, J[:1].T], [J[:1], np.zeros((1, 1))]])
    solved = np.linalg.solve(kkt, [0.0, 0.0, 1.0])
    assert task.inverse[:, 0] == pytest.approx(solved[:2], rel=1e-12)
    assert task.inertia[0, 0] == pytest.approx(-solved[2], rel=1e-12)
    assert np.abs(task.jacobian @ task.null_projector).max() < 1e-14
    assert task.null_projector @ task.null_projector == pytest.approx(task.null_projector, abs=1e-13)
    a = np.linalg.solve(B, -Cv - g)
    assert task.acceleration() == pytest.approx(J[:1] @ a + Jv[:1], rel=1e-11)


class _FourBar:
    """A four-bar linkage in its crank angle, closed forms of complex numbers so that complex steps pass through."""

    crank, coupler, rocker, base = 0.3, 0.9, 0.7, 1.0
    masses, inertias = (2.0, 3.0, 1.5), (0.05, 0.2, 0.1)
    point = (0.4, 0.25)  # in the coupler
    gravity = 9.81

    def angles(self, t: complex) -> tuple[complex, complex]:
        """Directions of the coupler and of the rocker, from the law of cosines."""
        dx, dy = self.base - self.crank * cmath.cos(t), -self.crank * cmath.sin(t)
        d = cmath.sqrt(dx * dx + dy * dy)
        toward = 2.0 * cmath.atan(dy / (d + dx))
        at_pin = cmath.acos((self.coupler**2 + d * d - self.rocker**2) / (2 * self.coupler * d))
        coupler = toward + at_pin
        ex = self.crank * cmath.cos(t) + self.coupler * cmath.cos(coupler) - self.base
        ey = self.crank * cmath.sin(t) + self.coupler * cmath.sin(coupler)
        return coupler, 2.0 * cmath.atan(ey / (self.rocker + ex))

    def places(self, t: complex) -> np.ndarray:
        """x, y and angle of the mass centers, then x and y of the coupler point."""
        p, r = self.angles(t)
        pin = self.crank * np.array([cmath.cos(t), cmath.sin(t)])
        middle = pin + 0.5 * self.coupler * np.array([cmath.cos(p), cmath.sin(p)])
        rocker = np.array([self.base, 0.0]) + 0.5 * self.rocker * np.array([cmath.cos(r), cmath.sin(r)])
        u, w = self.point
        tip = pin + np.array([u * cmath.cos(p) - w * cmath.sin(p), u * cmath.sin(p) + w * cmath.cos(p)])
        return np.array([*(0.5 * pin), t, *middle, p, *rocker, r, *tip])

    def rates(self, t: complex) -> np.ndarray:
        """d places / dt: by a complex step, at complex t by central differences of fourth order."""
        if isinstance(t, float):
            return self.places(t + 1e-30j).imag / 1e-30
        h = 1e-3
        one, two = self.places(t + h) - self.places(t - h), self.places(t + 2 * h) - self.places(t - 2 * h)
        return (8 * one - two) / (12 * h)

    def mass(self, rates: np.ndarray) -> complex:
        total = 0.0
        for k, (m, inertia) in enumerate(zip(self.masses, self.inertias, strict=True)):
            u, w, turn = rates[3 * k : 3 * k + 3]
            total = total + m * (u * u + w * w) + inertia * turn * turn
        return total

    def model(self, t: float, speed: float) -> tuple[Model, object, object]:
        p, r = (part.real for part in self.angles(t))
        _, pr, rr = self.rates(t)[2], self.rates(t)[5], self.rates(t)[8]
        model = Model("four-bar", gravity=(0, -self.gravity))
        crank = model.add(
            Body(
                mass=self.masses[0],
                inertia=self.inertias[0],
                center=(self.crank / 2, 0),
                angle=t,
                angular_velocity=speed,
            ),
            name="crank",
        )
        pin = self.crank * np.array([math.cos(t), math.sin(t)])
        coupler = model.add(
            Body(
                mass=self.masses[1],
                inertia=self.inertias[1],
                center=(self.coupler / 2, 0),
                position=tuple(pin),
                velocity=(-pin[1] * speed, pin[0] * speed),
                angle=p,
                angular_velocity=pr * speed,
            ),
            name="coupler",
        )
        rocker = model.add(
            Body(
                mass=self.masses[2],
                inertia=self.inertias[2],
                center=(self.rocker / 2, 0),
                position=(self.base, 0),
                angle=r,
                angular_velocity=rr * speed,
            ),
            name="rocker",
        )
        model.add(Revolute(model.ground.at(), crank.at()), name="A")
        model.add(Revolute(crank.at(self.crank, 0), coupler.at()), name="B")
        model.add(Revolute(coupler.at(self.coupler, 0), rocker.at(self.rocker, 0)), name="C")
        model.add(Revolute(model.ground.at(self.base, 0), rocker.at()), name="D")
        return model, coupler.at(*self.point), crank


@pytest.mark.parametrize("t", [0.4, 2.1, -1.0])
def test_a_closed_loop_agrees_with_its_minimal_coordinate(t: float) -> None:
    """m(t) t'' + m'(t) t'^2 / 2 + V'(t) = 0 and x = x(t): Lambda = m / x'^2, mu = m' t'^2 / (2 x') - Lambda x'' t'^2.

    Second derivatives are central differences of fourth order, h = 1e-3, of exact first ones: errors of about 1e-11.
    """
    bar, speed, h = _FourBar(), 3.0, 1e-3
    model, tip, _ = bar.model(t, speed)
    task = task_space(model, [x(tip)])
    near = [bar.rates(t + k * h) for k in (-2, -1, 1, 2)]
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12 * h)
    here = bar.rates(t)
    mass, mass_slope = bar.mass(here), float(weights @ [bar.mass(r) for r in near])
    slope, curvature = here[9], float(weights @ [r[9] for r in near])
    inertia = mass / slope**2
    weight = bar.gravity * sum(m * here[3 * k + 1] for k, m in enumerate(bar.masses))
    assert task.inertia[0, 0] == pytest.approx(inertia, rel=1e-12)
    expected = 0.5 * mass_slope * speed**2 / slope - inertia * curvature * speed**2
    assert task.velocity_terms[0] == pytest.approx(expected, rel=1e-8)
    assert task.gravity[0] == pytest.approx(weight / slope, rel=1e-12)
    assert task.velocity[0] == pytest.approx(slope * speed, rel=1e-12)


def test_torques_of_a_task_produce_its_acceleration() -> None:
    """tau = J^T F + N^T tau_0 with F = Lambda x'' + mu + p - f: forward dynamics gives x'' whatever tau_0 is.

    A five-bar linkage with a spring: two degrees of freedom, one task, a loop.
    """
    model = Model("five-bar", gravity=(0, -9.81))
    points = [(0.0, 0.0), (-0.3, 0.8), (0.5, 1.3), (1.3, 0.7), (1.0, 0.0)]
    spots, links = [np.array(p) for p in points], []
    for k in range(4):
        to = spots[k + 1] - spots[k]
        body = Body(mass=1.0 + k, inertia=0.1 + 0.05 * k, position=points[k], angle=math.atan2(to[1], to[0]))
        links.append((model.add(body, name=f"link {k}"), float(np.linalg.norm(to))))
    marker = model.ground.at()
    for k, (link, reach) in enumerate(links):
        model.add(Revolute(marker, link.at()), name=f"pin {k}")
        marker = link.at(reach, 0)
    model.add(Revolute(marker, model.ground.at(1.0, 0.0)), name="last")
    model.add(Spring(length(model.ground.at(0, 1), links[1][0].at(0.2, 0.1)), 50.0, rest_length=0.3), name="spring")
    tip = links[1][0].at(links[1][1], 0)
    space = joint_space(model)
    rng = np.random.default_rng(5)
    v = space.motion_projector(space.q) @ rng.standard_normal(len(space.speeds))
    state = space.snapshot(space.q, v)
    task = task_space(model, [y(tip)], at=state)
    assert task.speeds == space.speeds and task.v == pytest.approx(v, abs=1e-12)
    wanted = np.array([2.5])
    for _ in range(3):
        tau = task.torques(task.force(wanted), rng.standard_normal(len(space.speeds)))
        a = space.accelerations(space.q, v, tau)
        moved = task.jacobian @ a + task.acceleration_bias
        assert moved == pytest.approx(wanted, abs=1e-10)
        assert task.acceleration(tau) == pytest.approx(wanted, abs=1e-10)
    assert np.abs(task.jacobian @ task.null_projector).max() < 1e-13
    both = task_space(model, [x(tip), y(tip)], at=state)
    assert np.abs(both.null_projector).max() < 1e-10  # two tasks use both degrees of freedom


def test_drivers_are_released_and_states_can_change() -> None:
    model, hand = _arm((0.3, 0.9))
    model.add(Driver(model["shoulder"].angle, 0.3), name="motor")
    task = task_space(model, [x(hand), y(hand)])
    moved = task.at([-1.2, 2.0], [2.0, 0.4])
    other, there = _arm((-1.2, 2.0), (2.0, 0.4))
    expected = task_space(other, [x(there), y(there)])
    assert moved.inertia == pytest.approx(expected.inertia, rel=1e-12)
    assert moved.velocity_terms == pytest.approx(expected.velocity_terms, rel=1e-12)
    assert moved.snapshot()[hand].position == pytest.approx(expected.snapshot()[there].position, abs=1e-14)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda task: pickle.loads(pickle.dumps(task))])
def test_copies_stand_on_their_own(copied: object) -> None:
    """A copy finds the terms of its own states, also after the original was asked for others."""
    model, hand = _arm((0.4, 0.9))
    task = task_space(model, [x(hand), y(hand)])
    other, (q, v) = copied(task), (np.array([0.7, -0.5]), np.array([1.2, -0.7]))
    for _ in range(2):
        here, there = task.at(-q, -v), other.at(q, v)
        assert np.abs(there.q - q).max() == 0.0 and np.abs(here.q + q).max() == 0.0
        for one, signs in ((here, -1.0), (there, 1.0)):
            B, Cv, g, _, _ = _siciliano(tuple(signs * q), tuple(signs * v))
            inverse = np.linalg.inv(one.jacobian)
            assert inverse.T @ B @ inverse == pytest.approx(one.inertia, rel=1e-12)
            assert inverse.T @ g == pytest.approx(one.gravity, rel=1e-12)


def test_forces_at_the_time_of_the_state() -> None:
    """A force that grows with time acts with its value at the time of the snapshot."""
    model, hand = _arm((0.3, 0.9))
    model.add(Load(hand, (0.0, Ramp(4.0))), name="push")
    start = assemble(model, time=2.0)
    assert task_space(model, [x(hand), y(hand)], at=start).applied == pytest.approx([0.0, 8.0], abs=1e-12)


def test_singular_and_wrong_tasks_are_rejected() -> None:
    model, hand = _arm((0.3, 0.0))
    with pytest.raises(ModelError, match="cannot move independently here: 'arm' has 2 degrees of freedom"):
        task_space(model, [x(hand), y(hand)])
    bar = _FourBar()
    linkage, tip, crank = bar.model(0.4, 0.0)
    with pytest.raises(ModelError, match="1 of 2 tasks"):
        task_space(linkage, [x(tip), y(tip)])
    with pytest.raises(ModelError, match="cannot move here"):
        task_space(linkage, [x(crank.at())])
    with pytest.raises(ModelError, match="list of measures"):
        task_space(linkage, x(tip))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no measures"):
        task_space(linkage, [])
    with pytest.raises(ModelError, match="numbers"):
        task_space(linkage, [x(tip)]).force([1.0, 2.0])
    with pytest.raises(ModelError, match="can move without moving any mass"):
        light = Model("light")
        bar_ = light.add(Body(), name="bar")
        pin = light.add(Revolute(light.ground.at(), bar_.at()), name="pin")
        task_space(light, [pin.angle])


def test_angular_velocities_are_tasks() -> None:
    """A body on a vertical and a horizontal hinge: w = (w2 cos a, w2 sin a, w1) in global axes."""
    model = SpatialModel("gimbal")
    yoke = model.add(SpatialBody(mass=1.0, inertia=(0.1, 0.2, 0.3)), name="yoke")
    rotor = model.add(SpatialBody(mass=2.0, inertia=(0.4, 0.5, 0.6), center=(0.1, 0.2, 0.0)), name="rotor")
    model.add(SpatialRevolute(model.ground.at(), yoke.at()), name="yaw")
    along_x = {"z": (1, 0, 0), "x": (0, 1, 0)}
    model.add(SpatialRevolute(yoke.at(0, 0, 0, **along_x), rotor.at(0, 0, 0, **along_x)), name="pitch")
    ground, seen = model.ground.at(), rotor.at()
    task = task_space(model, [angular_velocity_about(ground, seen, axis) for axis in "xz"])
    a = 0.7
    moved = task.at(_with(task.coordinates, {"yaw.angle": a, "pitch.angle": -0.4}), [1.0, 2.0])
    order = [task.speeds.index(name) for name in ("yaw.angle", "pitch.angle")]
    expected = np.zeros((2, 2))
    expected[:, order[0]], expected[:, order[1]] = (0.0, 1.0), (math.cos(a), 0.0)
    assert moved.jacobian == pytest.approx(expected, abs=1e-14)
    w1, w2 = moved.v[order[0]], moved.v[order[1]]
    assert moved.acceleration_bias == pytest.approx([-w2 * w1 * math.sin(a), 0.0], abs=1e-13)


def _with(names: tuple[str, ...], values: dict[str, float]) -> list[float]:
    return [values[name] for name in names]


ROBOT = """<robot name="seven">
{links}
</robot>"""


def _seven_axes() -> str:
    """An arm with seven hinges about different axes and full inertia tensors."""
    rng = np.random.default_rng(1)
    parts = ['<link name="base"/>']
    for k in range(7):
        i = 0.02 + 0.05 * rng.random(3)
        off = 0.004 * rng.standard_normal(3)
        c, o, t = 0.1 * rng.standard_normal(3), 0.3 * rng.standard_normal(3), rng.standard_normal(3)
        axis = rng.standard_normal(3)
        parts.append(
            f'<link name="link{k}"><inertial><origin xyz="{c[0]} {c[1]} {c[2]}" rpy="0.1 0.2 0.3"/>'
            f'<mass value="{1 + rng.random()}"/><inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}" ixy="{off[0]}" '
            f'ixz="{off[1]}" iyz="{off[2]}"/></inertial></link>'
        )
        before = "base" if k == 0 else f"link{k - 1}"
        parts.append(
            f'<joint name="joint{k}" type="revolute"><parent link="{before}"/><child link="link{k}"/>'
            f'<origin xyz="{o[0]} {o[1]} {o[2]}" rpy="{t[0]} {t[1]} {t[2]}"/>'
            f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    return ROBOT.format(links="\n".join(parts))


def test_a_seven_axis_arm_agrees_with_pinocchio(tmp_path: Path) -> None:
    """All terms along the six components of the hand's motion, to 1e-12 of their size; M and J, sums of few terms, to
    1e-13. Inverting J M^-1 J^T, with a condition number of 270 here, multiplies rounding of 1e-16 by as much."""
    pin = pytest.importorskip("pinocchio")
    path = tmp_path / "seven.urdf"
    path.write_text(_seven_axes())
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-1.0, 1.0, 7), rng.uniform(-2.0, 2.0, 7)
    model = from_urdf(path)
    hand = model["link6"].at()
    ground = model.ground.at()
    tasks = [spatial_x(hand), spatial_y(hand), spatial_z(hand)]
    tasks += [angular_velocity_about(ground, hand, axis) for axis in "xyz"]
    base = task_space(model, tasks)
    order = [base.coordinates.index(f"joint{k}.angle") for k in range(7)]
    mine_q, mine_v = np.zeros(7), np.zeros(7)
    mine_q[order], mine_v[order] = q, v
    task = base.at(mine_q, mine_v)
    frame, axes = theirs.getFrameId("link6"), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(theirs, data, q, frame, axes)
    M = pin.crba(theirs, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    g = pin.computeGeneralizedGravity(theirs, data, q)
    b = pin.rnea(theirs, data, q, v, np.zeros(7)) - g
    pin.forwardKinematics(theirs, data, q, v, np.zeros(7))
    pin.updateFramePlacements(theirs, data)
    bias = pin.getFrameClassicalAcceleration(theirs, data, frame, axes).vector
    over = np.linalg.solve(M, J.T)
    inertia = np.linalg.inv(J @ over)
    inverse = over @ inertia
    pairs = {
        "J": (task.jacobian[:, order], J),
        "Lambda": (task.inertia, inertia),
        "Jbar": (task.inverse[order], inverse),
        "N": (task.null_projector[np.ix_(order, order)], np.eye(7) - inverse @ J),
        "J'v": (task.acceleration_bias, bias),
        "mu": (task.velocity_terms, inverse.T @ b - inertia @ bias),
        "p": (task.gravity, inverse.T @ g),
    }
    space = joint_space(model)
    assert space.coordinates == base.coordinates
    pairs["M"] = space.mass_matrix(mine_q)[np.ix_(order, order)], M
    for name, (mine, other) in pairs.items():
        bound = 1e-13 if name in ("M", "J") else 1e-12
        assert np.abs(mine - other).max() <= bound * np.abs(other).max(), name
