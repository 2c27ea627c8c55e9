"""equations(): terms against closed forms, differences and runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import ModelError, assemble, equations, inverse_dynamics, kinematics, simulate
from cardan.examples import load
from cardan.model.space import advance
from cardan.planar import Body, Driver, Friction, Hold, Model, Ramp, Revolute, Translational, angle, y
from cardan.system.evaluate import evaluate_position, evaluate_velocity

ROD = 1.5
SPEED = 2.0


def _slider_crank(x2: float, phi2: float, mass: float = 0.0) -> Model:
    """Haug, Example 3.1.2: crank 1, coupler ROD with its end O2 on the x axis, phi1 = 0.5 + SPEED t."""
    model = Model("slider-crank", gravity=(0, -9.81))
    crank = model.add(Body(mass=mass, inertia=mass, position=(0.05, -0.02), angle=0.6), name="crank")
    rod = model.add(Body(mass=mass, inertia=mass, position=(x2, 0.1), angle=phi2), name="rod")
    model.add(Revolute(model.ground.at(), crank.at()), name="O")
    model.add(Revolute(crank.at(1, 0), rod.at(0, ROD)), name="P")
    model.add(Hold(y(rod.at()), 0.0), name="slide")
    model.add(Driver(angle(model.ground.at(), crank.at()), Ramp(SPEED, 0.5)), name="motor")
    return model


def test_slider_crank_of_haug_3_1_2() -> None:
    """Phi and Phi_q (3.1.14) differentiated by hand, det Phi_q = -l sin phi2, nu = (0, .., omega)."""
    found = equations(_slider_crank(2.0, 2.0))
    x1, y1, p1, x2, y2, p2 = 0.05, -0.02, 0.6, 2.0, 0.1, 2.0
    # the pin P is (1, 0) on the crank and (0, l) on the coupler
    phi = [
        x1,
        y1,
        x2 - ROD * math.sin(p2) - x1 - math.cos(p1),
        y2 + ROD * math.cos(p2) - y1 - math.sin(p1),
        y2,
        p1 - 0.5,
    ]
    jacobian = [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [-1, 0, math.sin(p1), 1, 0, -ROD * math.cos(p2)],
        [0, -1, -math.cos(p1), 0, 1, -ROD * math.sin(p2)],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 0],
    ]
    np.testing.assert_allclose(found.Phi, phi, atol=1e-15)
    np.testing.assert_allclose(found.Phi_q, jacobian, atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(found.Phi_q), -ROD * math.sin(p2), rtol=1e-14)
    np.testing.assert_allclose(found.nu, [0, 0, 0, 0, 0, SPEED], atol=1e-15)
    assert found.rows[2:4] == ("'P' (x)", "'P' (y)") and found.columns[5] == "angle of 'rod'"


def test_gamma_of_the_slider_crank_and_its_residuals_in_motion() -> None:
    """gamma (3.1.15): of the pin, cos phi1 phi1'^2 moved to the other side, and the same of the coupler."""
    model = _slider_crank(2.0, 1.2)
    run = kinematics(model, np.linspace(0.0, 0.4, 5))
    found = equations(model, at=(run, 0.3))
    p1, p2 = 0.5 + 0.3 * SPEED, run["rod"].angle[3]
    w1, w2 = SPEED, run["rod"].angular_velocity[3]
    pin = [
        -math.cos(p1) * w1**2 - ROD * math.sin(p2) * w2**2,
        -math.sin(p1) * w1**2 + ROD * math.cos(p2) * w2**2,
    ]
    np.testing.assert_allclose(found.gamma, [0, 0, *pin, 0, 0], atol=1e-12)
    # sin p1 = l cos p2 closes the coupler: the closed form of its angle
    assert math.cos(p2) == pytest.approx(math.sin(p1) / ROD, abs=1e-11)


def test_newton_iterates_converge_quadratically_to_the_closed_form() -> None:
    iterates = equations(_slider_crank(2.0, 2.0)).newton_iterates()
    assert iterates.converged
    last = iterates[-1].q
    phi2 = math.acos(math.sin(0.5) / ROD)
    np.testing.assert_allclose(last, [0, 0, 0.5, math.cos(0.5) + ROD * math.sin(phi2), 0, phi2], atol=1e-12)
    # the crank is linear in its equations: exact after one step. Errors then square: e' <= C e^2 with C about |Phi_qq|
    errors = iterates.errors
    assert all(after <= 2.0 * before**2 + 1e-14 for before, after in zip(errors[1:], errors[2:], strict=False))
    np.testing.assert_allclose(iterates[1].q[:3], [0, 0, 0.5], atol=1e-15)
    # the first step is that of the book: J dq = -Phi
    start = equations(_slider_crank(2.0, 2.0))
    np.testing.assert_allclose(iterates[0].step, np.linalg.solve(start.Phi_q, -start.Phi), atol=1e-13)
    assert str(iterates).splitlines()[0].split()[:2] == ["k", "x"]


def test_newton_iterates_report_divergence() -> None:
    model = Model("too short")
    bar = model.add(Body(position=(1, 0)), name="bar")
    model.add(Revolute(model.ground.at(), bar.at(-1, 0)), name="left")
    model.add(Revolute(model.ground.at(3, 0), bar.at(1, 0)), name="right")
    iterates = equations(model).newton_iterates(iterations=5)
    assert not iterates.converged and len(iterates) == 6
    assert str(iterates).endswith("not converged")


SPATIAL = ("heavy-top", "gyroscope")
PLANAR = ("double-pendulum", "falling-four-bars")


@pytest.mark.parametrize("name", [*PLANAR, *SPATIAL])
def test_runs_satisfy_their_equations(name: str) -> None:
    """Accelerations and multipliers of simulate() and the terms of equations() are computed by different routes."""
    model = load(name).build()
    run = simulate(model, 0.2, output=0.1, coordinates="cartesian", progress=False)
    found = equations(model, at=(run, 0.2))
    largest = max(np.abs(found.Q).max(), np.abs(found.M @ found.accelerations).max())
    left = found.residuals
    assert np.abs(left.position).max(initial=0.0) < 1e-9  # projected to rtol
    assert np.abs(left.velocity).max(initial=0.0) < 1e-9
    assert np.abs(left.acceleration).max(initial=0.0) < 1e-8 * max(1.0, np.abs(found.accelerations).max())
    assert np.abs(left.force).max() < 1e-9 * largest


def test_inverse_dynamics_satisfies_them_with_driver_torques() -> None:
    model = _slider_crank(2.0, 1.2, mass=2.0)
    run = inverse_dynamics(model, [0.0, 0.1, 0.2])
    found = equations(model, at=(run, 0.1))
    assert np.abs(found.residuals.force).max() < 1e-10 * np.abs(found.Q).max()
    np.testing.assert_allclose(found.multipliers, found.known.multipliers, atol=1e-10)


def test_friction_that_depends_on_reactions() -> None:
    """A block slides on an incline of gravity (4, -10): a = 4 - 0.3 * 10 while it slides."""
    model = Model("block", gravity=(4.0, -10.0))
    block = model.add(Body(mass=2.0, inertia=1.0, velocity=(1.0, 0)), name="block")
    rail = model.add(Translational(model.ground.at(), block.at()), name="rail")
    model.add(Friction(rail, 0.3), name="dry")
    found = equations(model)
    assert found.accelerations[0] == pytest.approx(1.0, abs=1e-9)
    assert found.Q[0] == pytest.approx(2.0, abs=1e-9)  # 2 (4 - 3)


@pytest.mark.parametrize("name", [*PLANAR, *SPATIAL, "spatial-slider-crank-torque", "slider-crank"])
def test_jacobian_and_gamma_agree_with_differences(name: str) -> None:
    """Central differences: along each column for Phi_q; along the motion with a = 0 for gamma."""
    model = load(name).build()
    start = assemble(model)
    random = np.random.default_rng(1)
    start.v[model.space.width :] = random.standard_normal(start.v.size - model.space.width)
    found = equations(model, at=start)
    system, work = found.system, found.system.work()
    width, step, v = system.width, 1e-5, np.concatenate([np.zeros(system.width), found.v])

    def moved(direction: np.ndarray, size: float) -> np.ndarray:
        q = found.q.copy()
        advance(system.geometry, q, size * direction)
        return q

    def phi(q: np.ndarray) -> np.ndarray:
        evaluate_position(system.geometry, system.rows, q, found.time, system.reference, work)
        return work.phi.copy()

    def speed(size: float) -> np.ndarray:  # Phi_q v - nu after the motion continued for a while without accelerations
        time = found.time + size
        evaluate_position(system.geometry, system.rows, moved(v, size), time, system.reference, work)
        evaluate_velocity(system.geometry, system.rows, v, time, work)
        return work.rate - work.nu

    positions = ~system.on_velocities
    for k in range(system.coordinates):
        direction = np.eye(v.size)[width + k]
        slope = (phi(moved(direction, step)) - phi(moved(direction, -step))) / (2 * step)
        np.testing.assert_allclose(found.Phi_q[positions, k], slope[positions], atol=1e-8, err_msg=found.columns[k])
    drift = (speed(step) - speed(-step)) / (2 * step)
    np.testing.assert_allclose(found.gamma, -drift, atol=1e-7 * max(1.0, np.abs(found.gamma).max()))


def test_inertia_terms_of_an_eccentric_body() -> None:
    """Plane: M = [[m, 0, -m s_y], [0, m, m s_x], [.., J + m s^2]], h = -m w^2 (s, 0), s the mass center."""
    model = Model("eccentric", gravity=(0, -9.81))
    model.add(Body(mass=3.0, inertia=0.7, center=(0.4, 0.1), angle=0.9, angular_velocity=2.0), name="disk")
    found = equations(model)
    c, s = math.cos(0.9), math.sin(0.9)
    sx, sy = c * 0.4 - s * 0.1, s * 0.4 + c * 0.1
    inertia = 0.7 + 3.0 * (0.4**2 + 0.1**2)
    mass = [[3.0, 0, -3.0 * sy], [0, 3.0, 3.0 * sx], [-3.0 * sy, 3.0 * sx, inertia]]
    np.testing.assert_allclose(found.M, mass, atol=1e-14)
    np.testing.assert_allclose(found.h, [-12.0 * sx, -12.0 * sy, 0.0], atol=1e-13)
    np.testing.assert_allclose(found.Q, [0, -3 * 9.81, -3 * 9.81 * sx], atol=1e-13)


def test_tables_name_rows_and_columns() -> None:
    found = equations(_slider_crank(2.0, 2.0))
    lines = found.table("Phi_q").splitlines()
    assert len(lines) == 7 and lines[0].startswith("Phi_q") and "angle of 'rod'" in lines[0]
    assert lines[6].startswith("'motor' (angle)")
    assert found.table("gamma").splitlines()[0].split() == ["gamma"]
    assert "slider-crank" in str(found) and "forces" in str(found)


def test_wrong_use_is_rejected_by_name() -> None:
    model = _slider_crank(2.0, 1.2)
    found = equations(_pendulum_without_mass())
    with pytest.raises(ModelError, match="not determined.*mass"):
        _ = found.accelerations
    assert found.Phi_q.shape == (2, 3) and "massless" in repr(found)
    with pytest.raises(ModelError, match=r"equations\(\) has no term 'phi'.*Phi_q"):
        found.table("phi")
    with pytest.raises(ModelError, match="whole run"):
        equations(model, at=kinematics(model, [0.0, 0.1]))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="the model of equations"):
        equations(None)  # type: ignore[arg-type]


def _pendulum_without_mass() -> Model:
    model = Model("massless")
    bob = model.add(Body(), name="bob")
    model.add(Revolute(model.ground.at(), bob.at()), name="pin")
    return model
