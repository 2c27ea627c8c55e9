"""Nikravesh, chapter 11: equations of motion with Euler parameters.

The chapter has no numbers; what it states is computed for random bodies. Rows, right sides and forces are the program's
(*ours*); the forms of the equations and Table 11.1 are derived anew in plain NumPy, misprints put right (*reference*).
His L is Haug's G, his G is Haug's E, and his multipliers have the other sign.
"""

from __future__ import annotations

import numpy as np

import nikravesh_table as table
from cardan import equations
from cardan.results.snapshot import Snapshot
from cardan.spatial import (
    Body,
    Hold,
    Load,
    Model,
    Parallel,
    PointOnLine,
    Spherical,
    Torque,
    component,
    dot,
    length,
    rotation,
    x,
    y,
    z,
)
from cardan.system.compile import compile
from formulations import E, G, H, newton_euler, nikravesh_one, nikravesh_three, nikravesh_two
from instants import Mechanism
from verification.equations import Equations
from verification.manual import Within, units

ARITHMETIC = Within(2e-13, "some tens of operations on numbers of size one to ten, each exact to 2e-16 of them")
SOLVED = Within(1e-12, "systems of condition about 100, solved to 2e-16 times that, numbers of size one to ten")
COUNT = 25
DERIVED = "closed form"


def test_table_of_single_equations(record):
    """Table 11.1: rows 1/2 Phi_p L^T and right sides gamma# of n1,1, n2,1, s,3 and s-s,1.

    Two bodies at 25 random positions and velocities. The program's distance is l, not l^2: J = Phi_q / 2 l, gamma =
    (gamma# + 2 l'^2) / 2 l.
    """
    rng = np.random.default_rng(11)
    on = table.Vectors(_unit(rng.normal(size=3)), _unit(rng.normal(size=3)), *rng.normal(size=(2, 3)))
    model = Model("two bodies")
    one, two = model.add(Body(), name="i"), model.add(Body(), name="j")
    i, j = one.at(*on.point_i, z=on.direction_i), two.at(*on.point_j, z=on.direction_j)
    for measure in (dot(i, j, "z", "z"), component(i, j, "z"), x(i) - x(j), y(i) - y(j), z(i) - z(j)):
        model.add(Hold(measure))
    model.add(Hold(length(i, j), 1.0))
    equations = Equations(model)
    ours, theirs, printed = {}, {}, []
    for _ in range(COUNT):
        pair = [_body(rng) for _ in range(2)]
        at = equations.at(_coordinates(pair), speeds=_speeds(pair))
        for name, rows in (("n1,1", [0]), ("n2,1", [1]), ("s,3", [2, 3, 4]), ("s-s,1", [5])):
            line = table.row(name, *pair, on)
            if name == "s-s,1":
                d, d1 = _between(pair, on)
                two_l, rate = 2 * np.linalg.norm(d), d @ d1 / np.linalg.norm(d)
                line = table.Row(line.rows / two_l, (line.gamma + 2 * rate**2) / two_l)
                printed.append(abs(-2 * d @ d1 + 2 * d1 @ d1))
            ours.setdefault(name, []).append((at.J[rows], at.gamma[rows]))
            theirs.setdefault(name, []).append(line)
    for name in ours:
        for k, (part, kind) in enumerate((("rows", "printed"), ("gamma#", "printed"))):
            found, expected = ([line[k] for line in lines[name]] for lines in (ours, theirs))
            kind = DERIVED if (name, part) == ("s-s,1", "gamma#") else kind
            record(f"{name}, {part}", found, expected, ARITHMETIC, "Table 11.1", kind)
    record.above("gamma# of s-s,1 as printed, error", max(printed), 0.1, "Table 11.1", DERIVED)
    record.erratum("Nikravesh, Table 11.1, s-s,1", "gamma# begins with -2 d.d'; it is -2 d'.d'.")
    record.erratum(
        "Nikravesh, Example 11.1",
        "in equation 3 the coefficients of the angular accelerations are -s_j^T A_i s~_i' and -s_i^T A_j s~_j', no "
        "dots on A, and the first term of the rest needs a minus sign; in the second line of equation 4 the first "
        "omega_j is omega_i. Its result, and the table, are right.",
    )


def test_table_of_parallel_directions(record):
    """Table 11.1: p1,2 and p2,2, directions parallel to each other and to a distance.

    Three equations each, in global axes, two of them independent. The program has two in the axes of a: on bodies that
    fulfil them, as here, their rows and right sides are components of the three. 25 random motions of a cylinder in a
    sleeve.
    """
    rng = np.random.default_rng(12)
    model = Model("cylinder in a sleeve")
    one, two = model.add(Body(), name="i"), model.add(Body(), name="j")
    i, j = one.at(*rng.normal(size=3), z=rng.normal(size=3)), two.at(*rng.normal(size=3), z=rng.normal(size=3))
    model.add(Parallel(i, j))
    model.add(PointOnLine(i, j))
    axes = rotation.matrix(np.array([i.orientation, j.orientation]))
    on = table.Vectors(axes[0][:, 2], axes[1][:, 2], np.array(i.place), np.array(j.place))
    equations = Equations(model)
    ours, theirs = {}, {}
    printed = {"gamma# of p1,2": [], "gamma# of p2,2": [], "columns i of p2,2": []}
    for _ in range(COUNT):
        pair = _sleeve(rng, i, j, on)
        at = equations.at(_coordinates(pair), speeds=_speeds(pair))
        assert np.abs(at.phi).max() < 1e-14 and np.abs(at.J @ _speeds(pair)).max() < 1e-13
        A = rotation.matrix(pair[0].p) @ axes[0]
        for name, rows in (("p1,2", [0, 1]), ("p2,2", [2, 3])):
            # z x (u, v, w) = (-v, u, 0) in the axes of a
            line = table.row(name, *pair, on)
            rows_a, gamma_a = A.T @ line.rows, A.T @ line.gamma
            ours.setdefault(name, []).append((at.J[rows], at.gamma[rows]))
            theirs.setdefault(name, []).append((np.stack([rows_a[1], -rows_a[0]]), np.array([gamma_a[1], -gamma_a[0]])))
        for name, error in _printed_errors(pair, on).items():
            printed[name].append(error)
    for name in ours:
        for k, part in enumerate(("rows", "gamma#")):
            found, expected = ([line[k] for line in lines[name]] for lines in (ours, theirs))
            kind = "printed" if (name, part) == ("p1,2", "rows") else DERIVED
            record(f"{name}, {part}", found, expected, ARITHMETIC, "Table 11.1", kind)
    for name, errors in printed.items():
        record.above(f"{name} as printed, error", max(errors), 0.1, "Table 11.1", DERIVED)
    record.erratum(
        "Nikravesh, Table 11.1, p1,2 and p2,2",
        "gamma# begins with -2 s_i'^T s_j' and -2 s_i'^T d', numbers where vectors belong: -2 s_i' x s_j' and "
        "-2 s_i' x d', the primes being rates.",
    )
    record.erratum("Nikravesh, Table 11.1, p2,2", "the columns of body i contain s~_j^B; it is s~_i^B.")


def test_three_formulations(record):
    """Equations 11.42, 11.45 and 11.49: three systems for the two bodies of Problem 11.7.

    Two bodies on a spherical joint, under gravity, a force along y and two moments; the figure is lost, so that any
    numbers serve. Phi_p is taken from the constraint as the chapter writes it, which has a part along p.
    """
    rng = np.random.default_rng(13)
    model, on = _two_bodies(rng)
    system = compile(model, forces=True)
    mechanism = Mechanism(system, system.start)
    at = mechanism.instant
    ours, inspected = newton_euler(at), equations(model, at=Snapshot(system, 0.0, system.start, mechanism.v))
    # The joint is r_j + s_j - r_i - s_i in global axes; the chapter writes it the other way round.
    A = rotation.matrix(at.p)
    speeds = mechanism.v[6:].reshape(2, 6)
    pair = [table.Body(np.zeros(3), at.p[k], speeds[k, :3], at.omega[k]) for k in range(2)]
    line = table.row("s,3", *pair, on)
    global_axes = at._replace(J=line.rows, gamma=line.gamma)
    along = 2 * np.stack([A[0] @ on.point_i, -A[1] @ on.point_j], axis=1)
    forms = {"I, 8 b + m": nikravesh_one, "II, 7 b + m": nikravesh_two, "III, 6 b + m": nikravesh_three}
    for name, form in forms.items():
        found = form(global_axes, along)
        record(f"accelerations, form {name} unknowns", ours.a, found.a, SOLVED, "section 11.4.2")
        p2 = rotation.second_rates(at.p, at.omega, ours.a.reshape(2, 6)[:, 3:])
        record(f"p'', form {name} unknowns", p2, found.p2, SOLVED, "section 11.4.2")
        reaction = -ours.multipliers
        public = inspected.parameter_form(name.split(",")[0])
        record(f"p'', parameter_form() {name} unknowns", public.p2, p2, SOLVED, "section 11.4.2")
        record(f"lambda, parameter_form() {name} unknowns", public.multipliers, reaction, SOLVED, "section 11.4.2")
        record(f"reaction on body j, form {name} unknowns", reaction, found.multipliers, SOLVED, "equation 11.21")
        if form is nikravesh_one:
            energy = np.einsum("bi,bij,bj->b", at.omega, at.inertia, at.omega)
            record("sigma", found.sigma, 2 * energy - along.T @ found.multipliers, SOLVED, "equation 11.22", DERIVED)
    record.note(
        "sigma = 2 omega' J' omega' (11.13) holds for a free body, or if Phi_p p = 0. With the chapter's Phi_p a "
        "constrained body has sigma = 2 omega' J' omega' + (Phi_p p)^T lambda in 11.22 and 11.42; accelerations and "
        "lambda do not depend on how Phi continues off the unit sphere."
    )
    record.erratum("Nikravesh, equations 11.16, 11.17 and 11.28", "the unknown is p'', not p'; in 11.39 r'', not r'.")
    record.erratum("Nikravesh, equation 11.18", "the first omega' is its matrix of the cross product.")
    record.erratum("Nikravesh, Problem 11.3", "Eq. 11.6 should be Eq. 11.16.")


def test_free_body(record):
    """Problems 11.1 to 11.5: inverses of the matrices of one body, and its energy."""
    rng = np.random.default_rng(14)
    p, w, n = _unit(rng.normal(size=4)), rng.normal(size=3), rng.normal(size=3)
    spread = rng.normal(size=(4, 3))
    J = sum((s @ s) * np.eye(3) - np.outer(s, s) for s in spread)
    p1 = rotation.rates(p, w)
    Js = 4 * G(p).T @ J @ G(p)
    second = rotation.second_rates(p, w, np.linalg.solve(J, n - np.cross(w, J @ w)))
    record("J* p", Js @ p, np.zeros(4), ARITHMETIC, "Problem 11.1", DERIVED)
    A = rotation.matrix(p)
    record("J*", 4 * E(p).T @ A @ J @ A.T @ E(p), Js, ARITHMETIC, "Problem 11.2", DERIVED)
    bordered = np.block([[Js, p[:, None]], [p, 0.0]])
    inverse = np.block([[0.25 * G(p).T @ np.linalg.inv(J) @ G(p), p[:, None]], [p, 0.0]])
    record("inverse, form I", inverse @ bordered, np.eye(5), ARITHMETIC, "Problem 11.3", DERIVED)
    right = np.concatenate([2 * G(p).T @ n - 2 * H(p, p1, J) @ p1, [-p1 @ p1]])
    record("p'', form I", second, (inverse @ right)[:4], ARITHMETIC, "Problem 11.3", DERIVED)
    record("sigma, form I", 2 * w @ J @ w, (inverse @ right)[4], ARITHMETIC, "equation 11.13")
    inverse = np.column_stack([0.5 * G(p).T @ np.linalg.inv(J), p])
    record("inverse, form II", inverse @ np.vstack([2 * J @ G(p), p]), np.eye(4), ARITHMETIC, "Problem 11.4", DERIVED)
    right = np.concatenate([n - G(p) @ H(p, p1, J) @ p1, [-p1 @ p1]])
    record("p'', form II", second, inverse @ right, ARITHMETIC, "Problem 11.4", DERIVED)
    record("energy of rotation", 0.5 * w @ J @ w, 0.5 * p1 @ Js @ p1, ARITHMETIC, "Problem 11.5", DERIVED)


def test_moment_in_the_space_of_the_parameters(record):
    """Problem 11.6 (c): n* = 2 L^T n', and back."""
    p, n = np.array([0.5, 0.7, -0.5, 0.1]), np.array([5.0, 7.0, 1.0])
    found = 2 * rotation.G(p).T @ n
    digit = units(1e-14, "three products")
    record("n*", found, (-0.2, 2.6, 6.6, 15.8), digit, "equation 11.1", "recomputed")
    record("n* from n", 2 * rotation.E(p).T @ (-3.56, -3.80, 6.92), found, digit, "equation 11.2", "recomputed")
    record("n'", 0.5 * rotation.G(p) @ found, n, digit, "equation 11.3", "recomputed")
    record("n*, parameter_moment()", rotation.parameter_moment(p, n), found, digit, "equation 11.1", "recomputed")
    record("n', moment_b()", rotation.moment_b(p, found + 3.0 * p), n, digit, "equation 11.3", "recomputed")


# Bodies --------------------------------------------------------------------------------------------------------------


def _unit(a):
    return a / np.linalg.norm(a)


def _body(rng):
    return table.Body(rng.normal(size=3), _unit(rng.normal(size=4)), *rng.normal(size=(2, 3)))


def _coordinates(pair):
    return np.concatenate([[*body.r, *body.p] for body in pair])


def _speeds(pair):
    return np.concatenate([[*body.v, *body.omega] for body in pair])


def _between(pair, on):
    """d and its rate."""
    (bi, bi1, _), (bj, bj1, _) = pair[0].arm(on.point_i), pair[1].arm(on.point_j)
    return pair[1].r + bj - pair[0].r - bi, pair[1].v + bj1 - pair[0].v - bi1


def _sleeve(rng, i, j, on):
    """Body j turned and shifted along the z axis of marker i, and moving so."""
    a = _body(rng)
    turn, shift, spin, slide = rng.normal(size=4)
    frame = rotation.multiply(rotation.multiply(a.p, i.orientation), rotation.from_rotation_vector((0, 0, turn)))
    p = rotation.multiply(frame, rotation.inverse(j.orientation))
    axis, axis1, _ = a.arm(on.direction_i)
    bi, bi1, _ = a.arm(on.point_i)
    b = table.Body(np.zeros(3), p, np.zeros(3), rotation.matrix(p).T @ (rotation.rotate(a.p, a.omega) + spin * axis))
    bj, bj1, _ = b.arm(on.point_j)
    place, rate = a.r + bi + shift * axis - bj, a.v + bi1 + slide * axis + shift * axis1 - bj1
    return a, b._replace(r=place, v=rate)


def _printed_errors(pair, on):
    """What the misprints of p1,2 and p2,2 change: a number is read as three equal ones."""
    si, si1, _ = pair[0].arm(on.direction_i)
    _, sj1, _ = pair[1].arm(on.direction_j)
    (bi, _, _), (bj, _, _) = pair[0].arm(on.point_i), pair[1].arm(on.point_j)
    _, d1 = _between(pair, on)
    return {
        "gamma# of p1,2": np.abs(-2 * si1 @ sj1 + 2 * np.cross(si1, sj1)).max(),
        "gamma# of p2,2": np.abs(-2 * si1 @ d1 + 2 * np.cross(si1, d1)).max(),
        "columns i of p2,2": np.abs(np.cross(si, np.cross(bj - bi, np.eye(3)).T)).max(),
    }


def _two_bodies(rng):
    model = Model("two bodies", gravity=(0, 0, -9.81))
    on = table.Vectors(*rng.normal(size=(4, 3)))
    p = [_unit(rng.normal(size=4)) for _ in range(2)]
    arms = [rotation.rotate(p[0], on.point_i), rotation.rotate(p[1], on.point_j)]
    one = model.add(Body(mass=1.5, inertia=(0.4, 0.5, 0.6), orientation=p[0]), name="i")
    two = model.add(Body(mass=0.7, inertia=(0.2, 0.3, 0.4), position=arms[0] - arms[1], orientation=p[1]), name="j")
    model.add(Spherical(one.at(*on.point_i), two.at(*on.point_j)), name="joint")
    model.add(Load(one.at(0.3, 0.1, -0.2), (0, 4.0, 0)), name="f1")
    model.add(Torque(one.at(), (1.0, -2.0, 0.5)), name="n1")
    model.add(Torque(two.at(), (-0.4, 0.8, 1.5)), name="n2")
    return model, on
