"""Laws that sensitivities obey in every mechanism, planar or spatial."""

from __future__ import annotations

import math

import numpy as np

from cardan import (
    equilibrium,
    gradient,
    modal_sensitivities,
    motion_sensitivities,
    reaction,
    sensitivities,
    simulate,
)
from cardan.spatial import Body, Model, Revolute, Spherical, Spring, length, rotation


def crossed_pendulum() -> Model:
    """Two rods in space: a ball, then a hinge across; both lean, so that the motion turns about all axes."""
    model = Model("crossed pendulum", gravity=(0.0, 0.0, -9.81))
    lean = {"orientation": rotation.from_axis_angle((0, 1, 0), 0.7)}
    down = np.array([-math.sin(0.7), 0.0, -math.cos(0.7)])
    upper = model.add(Body(mass=1.0, inertia=(0.02, 0.03, 0.01), position=tuple(0.3 * down), **lean), name="upper")
    lower = model.add(Body(mass=2.0, inertia=(0.05, 0.02, 0.04), position=tuple(0.9 * down), **lean), name="lower")
    model.add(Spherical(model.ground.at(), upper.at(0, 0, 0.3)), name="ball")
    across = {"z": (1, 0.3, 0), "x": (-0.3, 1, 0)}
    model.add(Revolute(upper.at(0, 0, -0.3, **across), lower.at(0.05, 0, 0.3, **across)), name="hinge")
    return model


def test_motions_from_rest_depend_on_time_and_root_of_gravity_alone() -> None:
    """q = Q(t sqrt(g)): the derivative of every displacement by g is t v/(2 g), that of turns included."""
    model = crossed_pendulum()
    run = simulate(model, 1.2, output=0.4, rtol=1e-10)
    s = motion_sensitivities(run, ["gravity.z", "lower.mass"], model["hinge"].angle)  # type: ignore[attr-defined]
    for k, body in enumerate(run.system.bodies, start=1):
        speeds = run.v[:, 6 * k : 6 * k + 6]
        slope = run.times[:, None] * speeds / (2.0 * -9.81)
        np.testing.assert_allclose(s.coordinates[body][:, :, 0], slope, rtol=1e-6, atol=1e-8)
    g = gradient(run, ["gravity.z", "lower.mass"], model["hinge"].angle, final=lambda y: y[0])  # type: ignore[attr-defined]
    np.testing.assert_allclose(g.derivatives, s.derivatives[-1, 0], rtol=1e-5)


def test_the_adjoint_and_direct_differentiation_agree() -> None:
    """Of points of joints, centers, lengths of springs and speeds at the start, each of which is weighed otherwise.

    The adjoint takes differences of the second order in long windows: five digits, of the largest where some are small.
    """
    model = crossed_pendulum()
    lower, angle = model["lower"], model["hinge"].angle  # type: ignore[attr-defined]
    model.add(Spring(length(model.ground.at(1, 0, 0), lower.at(0, 0.1, -0.2)), 9.0, 0.4, rest_length=0.5), name="rope")
    names = ["ball.b.z", "hinge.b.x", "hinge.a.z", "rope.b.y", "lower.center.x", "lower.inertia.z"]
    names += ["rope.stiffness", "rope.rest_length", "rope.damping", "upper.velocity.y"]
    run = simulate(model, 1.2, output=0.4, rtol=1e-9)
    s = motion_sensitivities(run, names, [angle, (angle, "rate")])
    g = gradient(run, names, [angle, (angle, "rate")], final=lambda y: y[0] + 0.1 * y[1])
    direct = s.derivatives[-1, 0] + 0.1 * s.derivatives[-1, 1]
    np.testing.assert_allclose(g.derivatives, direct, rtol=1e-5, atol=1e-5 * float(np.abs(direct).max()))
    assert np.abs(direct).min() > 1e-4  # each counts


def test_a_rest_does_not_know_how_much_all_weighs_and_pushes() -> None:
    """Weights and stiffnesses all by one factor leave a rest where it is, and frequencies too; loads grow by it."""
    model = Model("boom", gravity=(0.0, 0.0, -9.81))
    boom = model.add(Body(mass=3.0, inertia=(0.3, 0.3, 0.1), position=(0.5, 0.0, 0.0)), name="boom")
    joint = model.add(Revolute(model.ground.at(z=(0, 1, 0)), boom.at(-0.5, 0, 0, z=(0, 1, 0))), name="joint")
    model.add(Spring(joint.angle, 50.0, 1.0, rest_angle=0.0), name="spring")
    names = ["boom.mass", "boom.inertia.x", "boom.inertia.y", "boom.inertia.z", "spring.stiffness", "spring.damping"]
    stated = np.array([3.0, 0.3, 0.3, 0.1, 50.0, 1.0])
    rest = equilibrium(model)
    s = sensitivities(rest, names, [joint.angle, reaction(joint, "z")])
    np.testing.assert_allclose(s.derivatives[0] @ stated, 0.0, atol=1e-9)
    np.testing.assert_allclose(s.derivatives[1] @ stated, s.values[1], atol=1e-7)
    modes = modal_sensitivities(model, names, rest)
    np.testing.assert_allclose(modes.eigenvalues @ stated, 0.0, atol=1e-7)
    assert np.abs(modes.eigenvalues * stated).max() > 0.1  # each for itself counts
