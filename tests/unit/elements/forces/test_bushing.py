"""Bushings: forces, energies and what is rejected. Closed forms are K z themselves, at stated displacements."""

import math

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan import ModelError, equilibrium, inverse_dynamics, simulate
from cardan.elements.forces.bushing import principal
from folding import folded

RANDOM = np.random.default_rng(5)
SIZES = np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])


def definite(size, scale):
    """A full symmetric matrix with positive curvatures between 1 and about 7, in the units of `scale`."""
    root = RANDOM.uniform(-1.0, 1.0, (size, size))
    return (root @ root.T + np.eye(size)) * np.outer(scale, scale)


def mounted(bushing=None, **stated):
    """A body free in space on a bushing, its marker out of its center and turned."""
    model = space.Model("mounted")
    body = model.add(space.Body(2.0, (0.02, 0.03, 0.04), **stated), name="body")
    ends = model.ground.at(0.1, 0.0, 0.2, z=(0.0, 1.0, 1.0)), body.at(0.1, 0.05, 0.2, z=(0.0, 1.0, 1.0))
    return model, body, None if bushing is None else model.add(space.Bushing(*ends, **bushing), name="bushing")


def test_matrix_as_a_sum_of_springs():
    matrix = definite(6, SIZES)
    assert sum(w * np.outer(u, u) for w, u in principal(matrix)) == pytest.approx(matrix, abs=1e-13)
    assert principal(np.zeros((3, 3))) == []
    (weight, u), (_, v) = principal(np.diag([4.0, 0.0, 9.0]))
    assert weight == pytest.approx(1.0) and sorted([*np.abs(u), *np.abs(v)]) == [0.0, 0.0, 0.0, 0.0, 2.0, 3.0]


def test_energy_of_a_full_matrix_in_space():
    """z^T K z / 2, from the displacements read along a free run, is the potential energy; nothing counts as work."""
    K = 400.0 * definite(6, SIZES)
    start = {"velocity": (0.3, -0.2, 0.5), "angular_velocity": (1.0, 2.0, -1.5)}
    model, _, bushing = mounted({"stiffness": K, "rest_displacement": (0.01, 0.0, -0.02, 0.1, 0.0, 0.0)}, **start)
    run = simulate(model, 1.0, output=0.02, rtol=1e-9)
    z = np.stack([run[m].value for m in bushing.measures], axis=1) - bushing.rest_displacement
    assert np.abs(z[:, 3:]).max() > 0.1  # rotations that are not small
    assert run.energy.potential == pytest.approx(0.5 * np.einsum("ni,ij,nj->n", z, K, z), rel=1e-9, abs=1e-12)
    assert np.abs(run.energy.work).max() < 1e-14  # rounding
    assert np.ptp(run.energy.total) < 1e-7 * run.energy.total[0]  # 100 times rtol, over some ten oscillations
    assert bushing.load(run) == pytest.approx(z @ K, rel=1e-12)


def test_energy_of_a_full_matrix_in_the_plane_with_damping():
    K, C = 300.0 * definite(3, SIZES[2:5]), 2.0 * definite(3, SIZES[2:5])
    model = plane.Model("mounted", gravity=(0.0, -9.81))
    body = model.add(plane.Body(2.0, 0.02, velocity=(0.2, 0.4), angular_velocity=3.0), name="body")
    ends = model.ground.at(0.1, 0.0, angle=0.4), body.at(0.05, 0.02, angle=0.3)
    bushing = model.add(plane.Bushing(*ends, stiffness=K, damping=C, preload=(3.0, 0.0, 0.1)), name="bushing")
    run = simulate(model, 1.0, output=0.002, rtol=1e-9)
    assert run.energy.drift < 1e-7
    rate = np.stack([run[m].rate for m in bushing.measures], axis=1)
    power = np.einsum("ni,ij,nj->n", rate, C, rate)
    lost = np.concatenate([[0.0], np.cumsum(0.001 * (power[1:] + power[:-1]))])
    assert run.energy.dissipated == pytest.approx(lost, abs=1e-4 * lost[-1])  # the trapezoidal rule, 2 ms
    z = np.stack([run[m].value for m in bushing.measures], axis=1)
    assert bushing.load(run) == pytest.approx(z @ K + rate @ C + [3.0, 0.0, 0.1], rel=1e-12)
    assert run.energy.work == pytest.approx(-(z - z[0]) @ [3.0, 0.0, 0.1], abs=1e-8)


def test_diagonal_is_six_forces():
    """A rotation by 0.3 about one axis of the bushing, and a displacement along another: K z, to rounding."""
    model = space.Model("m")
    body = model.add(space.Body(1.0, (1.0, 1.0, 1.0)), name="body")
    guide = model.add(space.Cylindrical(model.ground.at(), body.at()), name="guide")
    model.add(space.Driver(guide.angle, 0.3), name="turn")
    push = model.add(space.Driver(guide.travel, space.Ramp(2.0, 0.01)), name="push")
    k, c = (1.0, 2.0, 3e4, 4.0, 5.0, 60.0), (0.0, 0.0, 70.0, 0.0, 0.0, 8.0)
    bushing = model.add(space.Bushing(model.ground.at(), body.at(), k, c), name="bushing")
    run = inverse_dynamics(model, [0.0])
    assert run[bushing].force[0] == pytest.approx([0.0, 0.0, 300.0 + 140.0, 0.0, 0.0, 18.0], abs=1e-9)
    assert run["turn"].force[0] == pytest.approx(18.0, abs=1e-9)
    assert run[push].force[0] == pytest.approx(440.0, abs=1e-9)


def test_curve_adds_to_the_spring():
    """k x + p x^3 = F by a cubic spline, which a cubic is."""
    x = np.linspace(-0.1, 0.1, 21)
    hard = plane.Spline(tuple(x), tuple(4e6 * x**3), end="not-a-knot")
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    bushing = plane.Bushing(model.ground.at(), body.at(), (1e4, 1e4, 10.0), curves=(hard, None, None))
    model.add(bushing, name="bushing")
    model.add(plane.Load(body.at(), (500.0, 0.0)), name="load")
    x = equilibrium(model)[body].position[0]
    assert 1e4 * x + 4e6 * x**3 == pytest.approx(500.0, rel=1e-8)


def test_oil_film():
    """Cross-coupled stiffness [[k, s], [-s, k]] whirls: x'' + (k/m) x + i (s/m) x = 0 in x = x - i y, growing."""
    k, s, m, c = 400.0, 40.0, 1.0, 0.0
    model = plane.Model("journal")
    body = model.add(plane.Body(m, 1.0, position=(1e-3, 0.0)), name="body")
    K = [[k, s, 0.0], [-s, k, 0.0], [0.0, 0.0, 100.0]]
    with pytest.raises(ModelError, match="must be symmetric, got 40 from y to x, but -40 back; symmetric=False"):
        model.add(plane.Bushing(model.ground.at(), body.at(), K))
    model.add(plane.Bushing(model.ground.at(), body.at(), K, (c, c, 0.0), symmetric=False), name="film")
    run = simulate(model, 2.0, output=0.1, rtol=1e-10)
    roots = np.roots([1.0, 0.0, (k - 1j * s) / m])  # of x + i y: forces k - i s
    weights = np.linalg.solve(np.array([[1.0, 1.0], roots]), [1e-3, 0.0])
    exact = (weights * np.exp(np.outer(run.times, roots))).sum(axis=1)
    assert run[body].position @ [1.0, 1j] == pytest.approx(exact, abs=1e-9)
    assert run.energy.drift < 1e-7 and run.energy.work[-1] > 0.0


def test_a_turn_by_pi_over_three_pushes_back_along_the_rotation_vector():
    """About a slant axis the torque of an isotropic bushing is k theta along that axis."""
    axis, theta = np.array([1.0, 2.0, -2.0]) / 3.0, math.pi / 3.0
    model = space.Model("m")
    body = model.add(space.Body(1.0, (1.0, 1.0, 1.0)), name="body")
    hinge = model.add(space.Revolute(model.ground.at(z=axis), body.at(z=axis)), name="hinge")
    motor = model.add(space.Driver(hinge.angle, theta), name="motor")
    bushing = model.add(space.Bushing(model.ground.at(), body.at(), (0, 0, 0, 7.0, 7.0, 7.0)), name="bushing")
    run = inverse_dynamics(model, [0.0])
    assert run[motor].force[0] == pytest.approx(7.0 * theta, abs=1e-9)
    assert bushing.load(run)[0, 3:] == pytest.approx(7.0 * theta * axis, abs=1e-9)


@folded(
    ("stated", "message"),
    [
        ({"stiffness": (1.0, 2.0)}, "the stiffness of Bushing 'b', as a diagonal, must be 3 numbers"),
        ({"stiffness": np.eye(6)}, "must be a number, 3 numbers or a 3 x 3 matrix, got 6 x 6"),
        ({"stiffness": (1.0, -2.0, 0.0)}, "negative along .* y.*allow_negative=True"),
        ({"stiffness": 1.0, "damping": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "the damping of Bushing 'b' is negative"),
        ({"stiffness": "soft"}, "must be a number"),
        ({"stiffness": 1.0, "preload": (1.0,)}, "preload of Bushing 'b' must be 3 numbers"),
        ({"stiffness": 1.0, "curves": (None,)}, "curves of Bushing 'b' must be 3 motions or None"),
        ({"stiffness": 1.0, "curves": (3.0, None, None)}, "curve 1 of Bushing 'b' must be a Motion"),
        ({"stiffness": float("nan")}, "must be finite"),
    ],
)
def test_rejected(stated, message):
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match=message):
        model.add(plane.Bushing(model.ground.at(), body.at(), **stated), name="b")


def test_ends():
    model = plane.Model("m")
    body = model.add(plane.Body(1.0, 1.0), name="body")
    with pytest.raises(ModelError, match="has both ends on body 'body'"):
        model.add(plane.Bushing(body.at(), body.at(1, 0), 1.0))
    with pytest.raises(ModelError, match="end b of a Bushing must be a Marker"):
        plane.Bushing(body.at(), body, 1.0)
    model.add(plane.Bushing(model.ground.at(), body.at(), -1.0, allow_negative=True))
