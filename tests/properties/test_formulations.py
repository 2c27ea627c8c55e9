"""All forms of the equations of motion of space give the same accelerations and multipliers, on every mechanism.

The mechanisms of the catalog lose their drivers, get random matter and forces, and random velocities that their
joints allow. Jacobian, gamma and applied forces are the program's; what is done with them, in `formulations`, is not.
"""

from __future__ import annotations

import numpy as np
import pytest

import nikravesh_table as table
from cardan import inverse_dynamics, kinematics
from cardan.spatial import Load, Model, Spring, Torque, length, rotation
from cardan.system.compile import compile
from catalog_spatial import CASES
from formulations import (
    Answer,
    E,
    G,
    Instant,
    about_origin,
    euler_parameters,
    mass_matrix,
    matrix,
    newton_euler,
    nikravesh_one,
    nikravesh_three,
    nikravesh_two,
    parameter_rates,
    quadratic,
)
from instants import Mechanism

EPS = float(np.finfo(float).eps)
TIME = 0.37


def loaded(model: Model, random: np.random.Generator) -> Model:
    """The model with matter on all bodies, mass centers away from their origins, a spring, loads and a torque."""
    model.gravity = (0.7, -9.0, 2.0)
    for body in model.bodies:
        tensor = sum((s @ s) * np.eye(3) - np.outer(s, s) for s in random.uniform(-0.3, 0.3, (4, 3)))
        matter = {"mass": random.uniform(0.5, 2.0), "center": tuple(random.uniform(-0.2, 0.2, 3)), "inertia": tensor}
        for name, value in matter.items():
            object.__setattr__(body, name, value)
    first, last = model.bodies[0], model.bodies[-1]
    reach = length(model.ground.at(2.0, 3.0, 2.5), first.at(*random.uniform(-0.3, 0.3, 3)))
    model.add(Spring(reach, 20.0, 3.0, rest_length=1.0), name="a spring")
    model.add(Load(last.at(*random.uniform(-0.3, 0.3, 3)), tuple(random.normal(size=3)), frame="body"), name="a load")
    model.add(Torque(first.at(), tuple(random.normal(size=3))), name="a torque")
    return model


@pytest.fixture(scope="module", params=CASES, ids=str)
def mechanism(request):
    """A mechanism of the catalog without its drivers, in motion."""
    model = loaded(request.param.model(seed=3), np.random.default_rng(11))
    run = kinematics(model, [0.0, TIME])
    system = compile(model, drivers=False, forces=True)
    return Mechanism(system, run.q[-1], time=TIME)


def agree(found: Answer, expected: Answer) -> None:
    """The error of solving a system is about EPS times its condition; a factor of 4 is granted, 0.4 was measured."""
    within = 4.0 * EPS * max(found.condition, expected.condition)
    size = np.abs(np.concatenate([expected.a, expected.multipliers])).max()
    for name in ("a", "p2", "multipliers"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=0, atol=within * size, err_msg=name
        )


def continuations(at: Instant) -> np.ndarray:
    """Phi_p p of equations that leave the unit sphere in some way of their own: any numbers."""
    return np.random.default_rng(2).normal(size=(at.gamma.size, at.bodies))


def test_newton_euler_is_what_the_program_balances(mechanism):
    """M and h of the theory are those of the compiled inertia forces."""
    at = mechanism.instant
    answer = newton_euler(at)
    size = np.abs(at.J).T @ np.abs(answer.multipliers) + np.abs(at.force).max()
    assert np.all(np.abs(mechanism.imbalance(answer)) < 100 * EPS * size.max())


def test_euler_parameter_form(mechanism):
    """Haug 11.3.29. The multiplier of p.p - 1 is lambda^p = omega' J' omega', twice the energy of rotation."""
    at = mechanism.instant
    found = euler_parameters(at)
    agree(found, newton_euler(at))
    energy = np.einsum("bi,bij,bj->b", at.omega, about_origin(at), at.omega)
    np.testing.assert_allclose(
        found.sigma, 2.0 * energy, rtol=0, atol=4 * EPS * found.condition * np.abs(found.a).max()
    )


def test_nikravesh_one(mechanism):
    """Equation 11.42, however Phi continues off the unit sphere. sigma takes up what it has along p."""
    at, along = mechanism.instant, continuations(mechanism.instant)
    found, expected = nikravesh_one(at, along), newton_euler(at)
    agree(found, expected)
    sigma = 2.0 * np.einsum("bi,bij,bj->b", at.omega, about_origin(at), at.omega) - along.T @ expected.multipliers
    size = np.abs(np.concatenate([expected.a, expected.multipliers])).max()
    np.testing.assert_allclose(found.sigma, sigma, rtol=0, atol=4 * EPS * found.condition * size)


def test_nikravesh_two(mechanism):
    agree(nikravesh_two(mechanism.instant, continuations(mechanism.instant)), newton_euler(mechanism.instant))


def test_nikravesh_three(mechanism):
    agree(nikravesh_three(mechanism.instant, continuations(mechanism.instant)), newton_euler(mechanism.instant))


def test_parameters_stay_on_the_unit_sphere(mechanism):
    """p.p'' + p'.p' = 0."""
    at = mechanism.instant
    rate = parameter_rates(at)
    for answer in (newton_euler(at), euler_parameters(at), nikravesh_two(at, continuations(at))):
        size = np.abs(answer.p2).max() * max(answer.condition, 1.0)
        left = np.sum(at.p * answer.p2, axis=1) + np.sum(rate**2, axis=1)
        np.testing.assert_allclose(left, 0.0, rtol=0, atol=4 * EPS * size)


def test_multipliers_of_a_driven_mechanism():
    """With its drivers a mechanism has no degree of freedom: all forms give the multipliers of `inverse_dynamics`."""
    case = next(case for case in CASES if case.name == "spatial-cardan-shaft")
    model = loaded(case.model(seed=3), np.random.default_rng(11))
    run = inverse_dynamics(model, [0.0, TIME])
    system = run.system
    reference = system.reference.copy()
    reference[system.winding] = run.turns[-1]
    at = Mechanism(system, run.q[-1], run.v[-1], TIME, reference).instant
    assert at.J.shape[0] == at.J.shape[1]
    for form in (newton_euler, euler_parameters):
        answer = form(at)
        # The motion itself is closed to 1e-11 by iteration; accelerations follow from it.
        np.testing.assert_allclose(answer.a, run.a[-1, 6:], rtol=0, atol=1e-9 * np.abs(run.a).max())
        multipliers = run.loads.multipliers[-1]
        np.testing.assert_allclose(answer.multipliers, multipliers, rtol=0, atol=1e-9 * np.abs(multipliers).max())


# Identities of one body --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def body():
    """One body at random, its mass center away from its origin, under a force and a torque."""
    random = np.random.default_rng(4)
    p = random.normal(size=4)
    spread = random.uniform(-0.3, 0.3, (4, 3))
    return Instant(
        mass=np.array([1.7]),
        center=random.normal(size=(1, 3)),
        inertia=np.array([sum((s @ s) * np.eye(3) - np.outer(s, s) for s in spread)]),
        p=(p / np.linalg.norm(p))[None],
        omega=random.normal(size=(1, 3)),
        force=random.normal(size=6),
        J=np.zeros((0, 6)),
        gamma=np.zeros(0),
    )


def near(found, expected):
    """A few products of numbers of size one to ten."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=200 * EPS)


def test_matrices_of_euler_parameters(body):
    p, w, p1 = body.p[0], body.omega[0], parameter_rates(body)[0]
    near(E(p) @ p, np.zeros(3))
    near(G(p) @ G(p).T, np.eye(3))
    near(G(p).T @ G(p), np.eye(4) - np.outer(p, p))
    near(2.0 * G(p) @ p1, w)
    near(2.0 * E(p) @ p1, matrix(p) @ w)
    near(G(p1) @ p1, np.zeros(3))
    near(G(p1) @ p, -G(p) @ p1)
    near(2.0 * G(p) @ G(p1).T, [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    near(matrix(p), rotation.matrix(p))


def test_kinetic_energy(body):
    """1/2 w J' w = 2 p' G^T J' G p', and of the whole body 1/2 v M v is the energy of its mass center and about it."""
    p, w, c, p1 = body.p[0], body.omega[0], body.center[0], parameter_rates(body)[0]
    J = body.inertia[0]
    near(0.5 * w @ J @ w, 2.0 * p1 @ G(p).T @ J @ G(p) @ p1)
    v = np.array([0.3, -1.1, 0.6])
    there = v + matrix(p) @ np.cross(w, c)
    speeds = np.concatenate([v, w])
    near(0.5 * speeds @ mass_matrix(body) @ speeds, 0.5 * body.mass[0] * there @ there + 0.5 * w @ J @ w)


def test_frame_away_from_the_mass_centre(body):
    """M a + h = Q moves the mass center as Newton and turns the body as Euler says."""
    a = newton_euler(body).a
    A, w, c, m = matrix(body.p[0]), body.omega[0], body.center[0], body.mass[0]
    there = a[:3] + A @ (np.cross(a[3:], c) + np.cross(w, np.cross(w, c)))
    near(m * there, body.force[:3])
    torque = body.force[3:] - np.cross(c, A.T @ body.force[:3])  # about the mass center
    near(body.inertia[0] @ a[3:] + np.cross(w, body.inertia[0] @ w), torque)
    near(mass_matrix(body) @ a + quadratic(body), body.force)


def test_quadratic_term_of_the_parameters(body):
    """-8 G'^T J' G' p is 2 G^T (w x J' w) less a part along p: its p' in Haug's 11.3.27 would make it vanish."""
    p, w, J, p1 = body.p[0], body.omega[0], body.inertia[0], parameter_rates(body)[0]
    near(-8.0 * G(p1).T @ J @ G(p1) @ p, 2.0 * G(p).T @ np.cross(w, J @ w) - 2.0 * (w @ J @ w) * p)
    near(8.0 * G(p1).T @ J @ G(p1) @ p1, np.zeros(4))


# Table 11.1 --------------------------------------------------------------------------------------------------------


def pair(name: str):
    """Two bodies in random motion, the vectors of a constraint between them, and the instant that it makes."""
    random = np.random.default_rng(8)
    p = random.normal(size=(2, 4))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    speeds = random.normal(size=(2, 6))
    bodies = [table.Body(random.normal(size=3), p[k], speeds[k, :3], speeds[k, 3:]) for k in range(2)]
    on = table.Vectors(*random.normal(size=(4, 3)), 1.5)
    spread = random.uniform(-0.5, 0.5, (2, 4, 3))
    inertia = np.array([sum((s @ s) * np.eye(3) - np.outer(s, s) for s in line) for line in spread])
    row = table.row(name, *bodies, on)
    rows = [0, 1] if name in ("p1,2", "p2,2") else slice(None)  # the third of them follows from two
    at = Instant(
        mass=np.array([1.3, 0.8]),
        center=random.uniform(-0.2, 0.2, (2, 3)),
        inertia=inertia,
        p=p,
        omega=speeds[:, 3:],
        force=random.normal(size=12),
        J=row.rows[rows],
        gamma=row.gamma[rows],
    )
    raw, second = table.derivatives(name, *bodies, on)
    return at, raw[rows], second[rows]


@pytest.mark.parametrize("name", table.NAMES)
def test_rows_of_the_table(name):
    """Phi_pi' = 1/2 Phi_p G^T, gamma# = gamma + 1/4 sum w.w Phi_p p, and Phi_p = 2 Phi_pi' G + (Phi_p p) p^T."""
    at, raw, second = pair(name)
    along = np.zeros((at.gamma.size, 2))
    sharp = -second
    for k, p in enumerate(at.p):
        phi_p = raw[:, 7 * k + 3 : 7 * k + 7]
        along[:, k] = phi_p @ p
        sharp = sharp + 0.25 * at.omega[k] @ at.omega[k] * along[:, k]
        near(raw[:, 7 * k : 7 * k + 3], at.J[:, 6 * k : 6 * k + 3])
        near(0.5 * phi_p @ G(p).T, at.J[:, 6 * k + 3 : 6 * k + 6])
        near(phi_p, 2.0 * at.J[:, 6 * k + 3 : 6 * k + 6] @ G(p) + np.outer(along[:, k], p))
    near(sharp, at.gamma)
    assert np.abs(along).max() > 0.1, "the constraint does leave the sphere"
    for form in (nikravesh_one, nikravesh_two, nikravesh_three):
        agree(form(at, along), newton_euler(at))
