"""Haug, section 11.3: the equations of motion in Euler parameters.

The section has no numbers; what it states is computed for a mechanism of this program in motion. Rows, right sides and
forces are the program's (*ours*); the form 11.3.29 is set up in plain NumPy, misprints put right (*reference*).
"""

from __future__ import annotations

import numpy as np

from cardan.spatial import Body, Cylindrical, Load, Model, Revolute, Spring, Torque, rotation
from cardan.system.compile import compile
from formulations import G, euler_parameters, matrix, newton_euler, parameter_rates
from instants import Mechanism
from verification.manual import Within

ARITHMETIC = Within(2e-13, "some tens of operations on numbers of size one to ten, each exact to 2e-16 of them")
SOLVED = Within(2e-12, "systems of condition about 100, solved to 2e-16 times that, numbers of size one to fifty")


def test_two_forms(record):
    """Equations 11.3.11 and 11.3.29: a body on a hinge, another on a sleeve along a skew axis.

    Frames are at mass centres, as everywhere in the book; gravity, a force, a torque and a spring act, and velocities
    are random ones that the joints allow.
    """
    at = _mechanism().instant
    ours, theirs = newton_euler(at), euler_parameters(at)
    record("r'' and angular accelerations", ours.a, theirs.a, SOLVED, "equations 11.3.11 and 11.3.29", "closed form")
    record("lambda", ours.multipliers, theirs.multipliers, SOLVED, "equations 11.3.11 and 11.3.29", "closed form")
    p2 = rotation.second_rates(at.p, at.omega, ours.a.reshape(2, 6)[:, 3:])
    record("p''", p2, theirs.p2, SOLVED, "equations 11.3.21 and 11.3.29", "closed form")
    energy = np.einsum("bi,bij,bj->b", at.omega, at.inertia, at.omega)
    record("lambda^p", energy, 0.5 * theirs.sigma, SOLVED, "omega' J' omega'", "closed form")
    record.note("lambda^p is no force: p^T times the rotational equations leaves lambda^p = omega' J' omega'.")
    record.erratum("Haug, summary of chapter 11, equation 11.3.29", "the block (2, 4) is Phi^p_p^T, not 0.")


def test_rates_of_the_parameters(record):
    """Equations 11.3.15 to 11.3.29: rates and second rates of Euler parameters, and the quadratic term."""
    at = _mechanism().instant
    p, w, J, p1 = at.p[0], at.omega[0], at.inertia[0], parameter_rates(at)[0]
    alpha = newton_euler(at).a[3:6]
    p2 = rotation.second_rates(p, w, alpha)
    record("G' p'", G(p1) @ p1, np.zeros(3), ARITHMETIC, "equation 11.3.16")
    record("2 G p''", 2 * G(p) @ p2, alpha, ARITHMETIC, "equation 11.3.17")
    record("p'", rotation.rates(p, w), p1, ARITHMETIC, "equation 9.3.35")
    record("p''", p2, 0.5 * G(p).T @ alpha - 0.25 * (w @ w) * p, ARITHMETIC, "equation 11.3.21", "closed form")
    record("p.p'' + p'.p'", p @ p2 + p1 @ p1, 0.0, ARITHMETIC, "equation 11.3.24")
    term, along = 8 * G(p1).T @ J @ G(p1) @ p, 2 * (w @ J @ w) * p
    found = -2 * G(p).T @ np.cross(w, J @ w) + along
    record("8 G'^T J' G' p", found, term, ARITHMETIC, "equation 11.3.29", "closed form")
    record("the same as printed, with p'", 8 * G(p1).T @ J @ G(p1) @ p1, np.zeros(4), ARITHMETIC, "equation 11.3.16")
    record.erratum(
        "Haug, equations 11.3.18 to 11.3.21",
        "omega' stands with a dot too many, and p'' with p' for p: p'' = 1/2 G'^T omega' + 1/2 G^T alpha' = "
        "1/2 G^T alpha' - 1/4 (omega'.omega') p, alpha' the rate of omega'.",
    )
    record.erratum(
        "Haug, equations 11.3.27 to 11.3.29",
        "the term 8 G'^T J' G' ends with p, not p' (as the summary has it): with p' it vanishes, by 11.3.16.",
    )


def test_angle_of_a_spring(record):
    """Equation 11.4.14: rate of the angle of a hinge, as a spring in it feels it."""
    mechanism = _mechanism()
    at, system = mechanism.instant, mechanism.system
    hinge, spring = system.model["hinge"], system.model["spring"]
    local = rotation.matrix(np.array(hinge.a.orientation))[:, 2]  # h_i', ground being body i
    A, w = matrix(at.p[0]), at.omega[0]
    rate = local @ (A @ w)
    found = mechanism.rate(spring.measure)
    record("rate of the angle", found, rate, ARITHMETIC, "equation 11.4.14", "closed form")
    record.above("the same as printed, error", abs(rate + found), 0.1, "equation 11.4.14", "closed form")
    record.erratum("Haug, equation 11.4.14", "the leading minus is wrong: compare 9.2.62 and 11.4.16.")
    record.erratum(
        "Haug, after equation 11.4.16",
        "generalized forces are multiplied by 2 G_i^T and 2 G_j^T, and are those of 11.4.16, not 11.4.15.",
    )


def _mechanism():
    rng = np.random.default_rng(7)
    model = Model("arm and sleeve", gravity=(0.0, 0.0, -9.81))
    p = rotation.from_rotation_vector(rng.normal(size=(2, 3)))
    tensor = np.array([[0.5, 0.05, -0.03], [0.05, 0.6, 0.02], [-0.03, 0.02, 0.4]])
    arm = model.add(Body(mass=1.2, inertia=tensor, orientation=p[0]), name="arm")
    rod = model.add(Body(mass=0.8, inertia=(0.3, 0.3, 0.2), position=(0.6, 0.3, 0.2), orientation=p[1]), name="rod")
    at, axis = (0.2, -0.3, 0.1), (0.3, 0.2, 1.0)
    hinge = model.add(Revolute(model.ground.at(*at, z=axis), arm.world(at, z=axis)), name="hinge")
    at, axis = (0.5, 0.2, 0.3), (1.0, -0.4, 0.5)
    model.add(Cylindrical(arm.world(at, z=axis), rod.world(at, z=axis)), name="sleeve")
    model.add(Spring(hinge.angle, 4.0, 0.5, rest_angle=0.4), name="spring")
    model.add(Load(rod.at(0.3, 0.1, 0.2), (2.0, -1.0, 3.0)), name="force")
    model.add(Torque(arm.at(), (0.5, 1.0, -0.7), frame="body"), name="torque")
    system = compile(model, forces=True)
    return Mechanism(system, system.start)
