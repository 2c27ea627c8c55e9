"""Flexible bodies in joint coordinates: motions, reactions and equilibria as in Cartesian coordinates."""

from typing import Any

import numpy as np
import pytest

from cardan import (
    assemble,
    equations,
    equilibrium,
    joint_space,
    kinematics,
    linearize,
    planar as plane,
    simulate,
    spatial as space,
    task_space,
)
from cardan.errors import ModelError
from cardan.flexible import beam, rectangle
from random_flexible_trees import random_flexible_tree

pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.CardanWarning")
BOTH = pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])


def difference(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.abs(one - two).max(initial=0.0) / max(np.abs(two).max(initial=0.0), 1e-300))


@BOTH
@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_random_trees(spatial: bool, loop: bool) -> None:
    """Positions, velocities, accelerations and reactions at an instant; modes couple all of them."""
    for seed in range(12):
        model = random_flexible_tree(seed, spatial, loop=loop)
        one, two = (simulate(model, 1e-9, output=[0.0], coordinates=c) for c in ("joint", "cartesian"))
        for name in ("q", "v", "a"):
            assert difference(getattr(one, name)[0], getattr(two, name)[0]) < 1e-9, (seed, name)
        assert difference(one.loads.multipliers[0], two.loads.multipliers[0]) < 1e-9, seed


@BOTH
def test_motion(spatial: bool) -> None:
    """Both keep errors of a step below 1e-11; the energy of each is kept as well."""
    model = random_flexible_tree(3, spatial)
    one, two = (
        simulate(model, 0.2, output=0.05, rtol=1e-11, method="dop853", coordinates=c) for c in ("joint", "cartesian")
    )
    assert difference(one.q, two.q) < 1e-9 and difference(one.v, two.v) < 1e-9
    assert one.energy.drift < 1e-9


@BOTH
def test_stiff_methods(spatial: bool) -> None:
    """Radau's matrix contains the modes, their stiffness and their damping."""
    model = random_flexible_tree(5, spatial)
    one, two = (
        simulate(model, 0.1, output=[0.1], rtol=1e-9, method="radau", coordinates=c) for c in ("joint", "cartesian")
    )
    assert difference(one.q, two.q) < 1e-7
    assert one.stats.evaluations < 3 * two.stats.evaluations


def arm(spatial: bool, driven: bool = False) -> Any:
    """A flexible arm on a hinge with a spring, and a rigid body on its end."""
    library: Any = space if spatial else plane
    model = library.Model("arm", gravity=(0, 0, -9.81) if spatial else (0, -9.81))
    far = (-0.02, 0.0, 0.0)[: 3 if spatial else 2]
    axis = {"z": (0, 1, 0)} if spatial else {}
    part = beam(0.5, rectangle(0.02, 0.01), "nylon").reduce(
        {"first": "left", "second": "right"}, modes=3, planar=not spatial
    )
    bar = model.add(library.FlexibleBody(part, modes=5, damping=0.01), name="bar")
    inertia = (0.002, 0.002, 0.002) if spatial else 0.002
    tool = model.add(library.Body(mass=0.1, inertia=inertia, position=bar.position), name="tool")
    hinge = model.add(library.Revolute(model.ground.at(**axis), bar.at("first", **axis)), name="hinge")
    model.add(library.Fixed(bar.at("second"), tool.at(*far)), name="wrist")
    if driven:
        model.add(library.Driver(hinge.angle, library.Harmonic(0.5, 3.0)), name="motor")
    else:
        model.add(library.Spring(hinge.angle, 5.0, rest_angle=0.2, damping=0.1), name="spring")
    return model


@BOTH
def test_driven_joint(spatial: bool) -> None:
    """A joint that is prescribed: its motor torque, and the vibration that it excites."""
    model = arm(spatial, driven=True)
    one, two = (simulate(model, 0.2, output=0.05, rtol=1e-10, coordinates=c) for c in ("joint", "cartesian"))
    assert difference(one.q, two.q) < 1e-8
    assert difference(one.loads.multipliers, two.loads.multipliers) < 1e-6


@BOTH
def test_kinematics_holds_the_deformation(spatial: bool) -> None:
    model, times = arm(spatial, driven=True), np.linspace(0.0, 0.5, 6)
    one, two = (kinematics(model, times, coordinates=c) for c in ("joint", "cartesian"))
    assert difference(one.q, two.q) < 1e-9 and difference(one.a, two.a) < 1e-9


@BOTH
@pytest.mark.parametrize("method", ["energy", "newton"])
def test_equilibrium_and_its_vibrations(spatial: bool, method: str) -> None:
    """The linear model about equilibria that were found in either coordinates."""
    model = arm(spatial)
    one, two = (equilibrium(model, method=method, coordinates=c) for c in ("joint", "cartesian"))
    assert difference(one.q, two.q) < 1e-9
    found = [
        np.sort_complex(linearize(model, at=rest, coordinates=c).modes().eigenvalues)
        for rest, c in ((one, "joint"), (one, "cartesian"), (two, "cartesian"))
    ]
    for modes in found[1:]:
        assert difference(found[0], modes) < 1e-9


@BOTH
def test_mass_matrix_and_forces(spatial: bool) -> None:
    """M is the slope of forces by accelerations, and T = v^T M v / 2 is the kinetic energy of the bodies."""
    model = random_flexible_tree(7, spatial)
    equations = joint_space(model, start=assemble(model))
    random = np.random.default_rng(0)
    n = len(equations.speeds)
    q = equations.moved(equations.q, 0.1 * random.normal(size=n))
    v, a = random.normal(size=(2, n))
    M = equations.mass_matrix(q)
    found = equations.torques(q, v, a) - equations.torques(q, v, 0.0 * a)
    assert difference(found, M @ a) < 1e-12
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert difference(equations.accelerations(q, v, equations.torques(q, v, a)), a) < 1e-9
    with pytest.raises(ModelError, match="flexible"):
        equations.momenta(q, v)


@BOTH
def test_task_space(spatial: bool) -> None:
    """Terms along a task are projections of those of the joints: p = Jbar^T g, mu = Jbar^T b - Lambda J'v."""
    library: Any = space if spatial else plane
    for seed in (1, 2, 5):
        model = random_flexible_tree(seed, spatial)
        body = list(model.bodies)[-1]
        tip = body.at("first") if body.modal_coordinates else body.at(*([0.1] * len(body.position)))
        start = assemble(model)
        equations = joint_space(model, start=start)
        speeds = np.random.default_rng(seed).normal(size=len(equations.speeds))
        task = task_space(model, [library.x(tip)], at=start).at(equations.q, speeds)
        q, v, J, Jbar = task.q, task.v, task.jacobian, task.inverse
        M = equations.mass_matrix(q)
        assert difference(J @ np.linalg.solve(M, J.T), task.mobility) < 1e-9, seed
        assert difference(Jbar.T @ equations.gravity(q), task.gravity) < 1e-9, seed
        inward = Jbar.T @ equations.bias(q, v) - task.inertia @ task.acceleration_bias
        assert difference(inward, task.velocity_terms) < 1e-9, seed
        a = equations.accelerations(q, v)
        assert difference(task.acceleration(), J @ a + task.acceleration_bias) < 1e-9, seed


def test_parameter_forms() -> None:
    """Bodies that turn while they deform: I and II have the accelerations of III, and sigma = 2 omega' J' omega'."""
    for seed in (1, 3):
        model = random_flexible_tree(seed, spatial=True)
        mechanism = joint_space(model)
        found = equations(
            model, mechanism.snapshot(mechanism.q, np.random.default_rng(seed).normal(size=len(mechanism.speeds)))
        )
        one, two, three = (found.parameter_form(form) for form in ("I", "II", "III"))
        for form in (one, two):
            assert difference(form.r2, three.r2) < 1e-9 and difference(form.p2, three.p2) < 1e-9, (seed, form.form)
        inertias = [found.M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] for k in range(len(one.p))]
        sigma = np.array([2.0 * w @ J @ w for w, J in zip(one.omega, inertias, strict=True)])
        assert np.abs(one.omega).max() > 0.1 and difference(one.sigma, sigma) < 1e-7, seed
