"""Haug, chapter 11, and Nikravesh, chapter 11: reactions of a body in space."""

from __future__ import annotations

import numpy as np

from cardan import inverse_dynamics
from cardan.spatial import Body, Driver, Fixed, Load, Model, Polynomial, Revolute
from verification.manual import rounding

G = 9.81  # the book prints no value


def test_unsymmetric_pendulum(record):
    """Example 11.1.2: a body without symmetry on a hinge along y.

    J'' is stated about the hinge; gravity along -z. The reaction torques about the hinge, in the body's axes, are
    T_x = J_zy phi'^2 + J_xy phi'' - n_x and T_z = -J_xy phi'^2 + J_zy phi'' - n_z (11.1.28). The book has no numbers: m
    = 2.5 kg, rho = (0.2, -0.15, 0.3) m, and phi = 0.3 + 1.2 t + 0.8 t^2 are used.
    """
    m, rho = 2.5, np.array([0.2, -0.15, 0.3])
    about_center = np.array([[0.09, 0.01, -0.02], [0.01, 0.11, 0.015], [-0.02, 0.015, 0.07]])
    J = about_center + m * (rho @ rho * np.eye(3) - np.outer(rho, rho))
    model = Model("pendulum", gravity=(0, 0, -G))
    body = model.add(Body(mass=m, inertia=J, center=tuple(rho), inertia_at="origin"), name="body")
    hinge = model.add(Revolute(model.ground.at(z=(0, 1, 0), x=(1, 0, 0)), body.at(z=(0, 1, 0), x=(1, 0, 0))), name="O")
    motor = model.add(Driver(hinge.angle, Polynomial(0.3, 1.2, 0.8)), name="motor")
    run = inverse_dynamics(model, np.linspace(0.0, 2.0, 41))
    t = run.times
    phi, w, a = 0.3 + 1.2 * t + 0.8 * t**2, 1.2 + 1.6 * t, 1.6 + 0 * t
    s, c = np.sin(phi), np.cos(phi)
    n = m * G * np.stack([-rho[1] * c, rho[2] * s + rho[0] * c, -rho[1] * s], axis=1)
    torque = run[hinge].in_frame(body).torque
    expected = J[2, 1] * w**2 + J[0, 1] * a - n[:, 0]
    record("T_x of the hinge", torque[:, 0], expected, rounding(100), "equation 11.1.28")
    expected = -J[0, 1] * w**2 + J[2, 1] * a - n[:, 2]
    record("T_z of the hinge", torque[:, 2], expected, rounding(100), "equation 11.1.28")
    record("T_y of the hinge", torque[:, 1], 0 * t, rounding(100), "a hinge turns freely", "closed form")
    record("driving torque", run[motor].force, J[1, 1] * a - n[:, 1], rounding(100), "equation 11.1.26")
    gravity = -G * np.stack([-s, 0 * s, c], axis=1)  # in the body's axes
    omega, alpha = np.stack([0 * w, w, 0 * w], axis=1), np.stack([0 * a, a, 0 * a], axis=1)
    force = m * (np.cross(alpha, rho) + np.cross(omega, np.cross(omega, rho)) - gravity)
    record("force of the hinge", run[hinge].in_frame(body).force, force, rounding(100), "m r''", "closed form")


def test_moment_of_a_force(record):
    """Nikravesh, Problem 11.6: moment of a force on a point of a body.

    p = (0.5, 0.7, -0.5, 0.1), s' = (1, -1, 2), f' = (3, -2, -1): n' = (5, 7, 1), n = A n'. A weld at the body's origin
    carries the opposite.
    """
    model = Model("welded body")
    p = (0.5, 0.7, -0.5, 0.1)
    body = model.add(Body(orientation=p), name="body")
    weld = model.add(Fixed(model.ground.at(orientation=p), body.at()), name="weld")
    load = model.add(Load(body.at(1, -1, 2), (3, -2, -1), frame="body"), name="force")
    run = inverse_dynamics(model, [0.0])
    source = "Problem 11.6"
    record("n'", -run[weld].in_frame(body).torque[0], (5, 7, 1), rounding(10), source, "recomputed")
    found = -run[weld].in_frame("global").torque[0]
    record("n", found, (-3.56, -3.80, 6.92), rounding(10), source, "recomputed")
    A = np.array([[0.48, -0.8, -0.36], [-0.6, 0, -0.8], [0.64, 0.6, -0.48]])
    found = -run[weld].in_frame("global").force[0]
    record("f", found, A @ (3, -2, -1), rounding(10), source, "recomputed")
    record.fact("laws of the force", len(load.laws()), 3, "one for each axis", "closed form")
