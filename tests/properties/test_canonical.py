"""Hamilton's equations in joint coordinates: slopes of the Lagrangian, stabilization, and the motion they describe."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from cardan import joint_space, planar as plane, simulate, spatial as space
from long_runs import arm, double_pendulum, four_bar, heavy_top


def all_joints():
    """A tree with a joint of every kind, without springs."""
    random = np.random.default_rng(7)
    model = space.Model("all joints", gravity=(1.0, 2.0, -9.0))
    before = model.ground
    for k, kind in enumerate(
        (
            space.Revolute,
            space.Translational,
            space.Cylindrical,
            space.Universal,
            space.Spherical,
            space.Screw,
            space.Planar,
        )
    ):
        e, place = random.standard_normal(4), random.standard_normal(3)
        body = space.Body(
            mass=1.0, inertia=(0.3, 0.4, 0.5), position=tuple(place), orientation=tuple(e / np.linalg.norm(e))
        )
        model.add(body, name=f"body {k}")
        z = random.standard_normal(3)
        x = np.cross(z, random.standard_normal(3))
        stated = {"z": tuple(z), "z_b" if kind is space.Universal else "x": tuple(x)}
        if kind is space.Spherical:
            stated = {}
        if kind is space.Screw:
            stated["pitch"] = 0.4
        ends = (before, body) if k % 2 else (body, before)
        model.add(kind.between(*ends, tuple(place + 0.3), **stated), name=f"joint {k}")
        before = body
    free = space.Body(mass=2.0, inertia=(0.3, 0.4, 0.5), center=(0.1, 0.2, 0.0), position=(3.0, 1.0, 2.0))
    model.add(free, name="free")
    return model


@pytest.mark.parametrize("build", [double_pendulum, four_bar, all_joints])
def test_slopes(build):
    """dL/dq is the difference quotient of L, p = M v; exact to what central differences are."""
    tree = joint_space(build())
    random = np.random.default_rng(1)
    q = tree.moved(tree.q, 0.3 * random.standard_normal(len(tree.speeds)))
    v = random.standard_normal(len(tree.speeds))
    slope, h = tree.lagrangian_slope(q, v), 1e-5
    for k, x in enumerate(np.eye(v.size)):
        ends = [tree.lagrangian(tree.moved(q, s * h * x), v) for s in (1.0, -1.0)]
        assert abs((ends[0] - ends[1]) / (2.0 * h) - slope[k]) < 1e-8 * max(1.0, abs(ends[0]))
    M = tree.mass_matrix(q)
    assert np.allclose(tree.momenta(q, v), M @ v, atol=1e-12 * np.abs(M).max())
    lines = tree.lagrangian_slope(np.array([q, tree.q]), np.array([v, 2.0 * v]))
    assert np.array_equal(lines[0], slope)


@pytest.mark.parametrize("build", [double_pendulum, four_bar, arm, heavy_top, all_joints])
def test_rates_of_momenta(build):
    """p' = M a + M' v, with M' by differences along the motion."""
    tree = joint_space(build())
    W = tree.null_space(tree.q)
    v = W @ np.random.default_rng(3).standard_normal(W.shape[1])
    a, h = tree.accelerations(tree.q, v), 1e-4
    found, rate, _ = tree.canonical_rates(tree.q, tree.momenta(tree.q, v))
    sides = [tree.mass_matrix(tree.moved(tree.q, s * h * v)) for s in (1.0, -1.0)]
    turning = (sides[0] - sides[1]) / (2.0 * h) @ v
    assert np.allclose(found, v, atol=1e-11)
    assert np.abs(tree.mass_matrix(tree.q) @ a + turning - rate).max() < 1e-6 * max(1.0, np.abs(rate).max())


def test_pull():
    """A loop that is open at the start closes as exp(-pull t), positions alone being pulled (De Sapio 5.285)."""
    tree, pull = joint_space(four_bar()), 5.0
    n = len(tree.speeds)

    def rates(t, y):
        v, p_rate, _ = tree.canonical_rates(y[:n], y[n:], pull=pull)
        return np.concatenate([v, p_rate])

    q = tree.q + np.array([0.02, -0.03, 0.01])
    start = np.concatenate([q, np.zeros(n)])
    run = solve_ivp(rates, (0.0, 0.6), start, rtol=1e-9, atol=1e-11, t_eval=[0.0, 0.3, 0.6])
    gaps = np.array([tree.residual(y[:n]) for y in run.y.T])
    assert np.abs(gaps[0]).max() > 1e-2
    assert np.allclose(gaps[1:], np.exp(-pull * run.t[1:, None]) * gaps[0], atol=1e-8)


def test_accelerations_that_draw_back():
    """Phi a = gamma - beta Phi v - alpha phi, where neither positions nor speeds fit."""
    tree = joint_space(four_bar())
    q, v = tree.q + np.array([0.02, -0.03, 0.01]), np.array([0.3, 0.1, -0.2])
    a = tree.accelerations(q, v, alpha=16.0, beta=8.0)
    Phi = tree.constraint_jacobian(q)
    wanted = tree.constraint_bias(q, v) - 8.0 * Phi @ v - 16.0 * tree.residual(q)
    assert np.allclose(Phi @ a, wanted, atol=1e-11) and np.abs(wanted).max() > 0.1
    assert np.allclose(Phi @ tree.accelerations(q, v), tree.constraint_bias(q, v), atol=1e-11)


def test_motion():
    """Hamilton's equations, integrated by SciPy, are the motion of the program."""
    model = double_pendulum()
    tree = joint_space(model)

    def rates(t, y):
        v, p_rate, _ = tree.canonical_rates(y[:2], y[2:])
        return np.concatenate([v, p_rate])

    run = solve_ivp(rates, (0.0, 0.5), [*tree.q, 0.0, 0.0], "DOP853", rtol=1e-10, atol=1e-11)
    end = simulate(model, 0.5, rtol=1e-11, output=[0.5])
    angles = [float(end[model[name]].angle[-1]) for name in ("upper", "lower")]
    assert math.isclose(run.y[0, -1], angles[0], abs_tol=1e-8)
    assert math.isclose(run.y[0, -1] + run.y[1, -1], angles[1], abs_tol=1e-8)


def test_projectors():
    """P = W W^T is orthogonal and does not know masses; Theta is orthogonal in their metric; both leave W as it is."""
    light, heavy = joint_space(four_bar()), joint_space(weighted(four_bar()))
    P, Theta, W = light.kinematic_projector(light.q), light.motion_projector(light.q), light.null_space(light.q)
    assert np.allclose(P @ P, P, atol=1e-13) and np.allclose(P, P.T, atol=1e-14) and np.allclose(P @ W, W, atol=1e-13)
    assert np.allclose(P, heavy.kinematic_projector(heavy.q), atol=1e-12)
    assert np.allclose(P @ Theta, Theta, atol=1e-12) and np.allclose(Theta @ P, P, atol=1e-12)
    assert np.abs(Theta - heavy.motion_projector(heavy.q)).max() > 1e-3


def weighted(model):
    other = plane.Model(model.name, gravity=model.gravity)
    bodies = {model.ground: other.ground}
    for k, body in enumerate(model.bodies):
        twin = plane.Body(mass=3.0**k, inertia=1.0, position=body.position, angle=body.angle)
        bodies[body] = other.add(twin, name=body.name)
    for joint in model.constraints:
        ends = [bodies[m.body].at(*m.place) for m in (joint.a, joint.b)]
        other.add(plane.Revolute(*ends), name=joint.name)
    return other
