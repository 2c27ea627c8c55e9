"""Haug, chapter 9: basic constraints in space.

The program's measures at arbitrary orientations against the polynomials in Euler parameters that the examples print,
and against the Jacobians and right sides of the basic constraints.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import mobility
from cardan.spatial import (
    Body,
    Cylindrical,
    Distance,
    Hold,
    Model,
    Spherical,
    angle,
    component,
    dot,
    length,
    x,
    y,
    z,
)
from verification import basic_constraints as haug
from verification.equations import Equations
from verification.manual import Within

ARITHMETIC = Within(2e-14, "a few operations on numbers of size one to ten, each exact to 2e-16 of them")
ROOT = math.sqrt(2.0)
COUNT = 25
MISPRINTED = ("dot-1", "Jacobian"), ("distance", "gamma")


def test_basic_constraints(record):
    """Table 9.4.1, equations 9.4.27 and 9.6.20 to 9.6.27: Jacobians and right sides.

    Two bodies at 25 random positions and velocities, with points and directions that are nothing special. The distance
    is compared as l, not as l^2 - C^2: J = Phi_q / 2 l and gamma = (gamma^ss + 2 l'^2) / 2 l. The angle of 9.4.27 needs
    parallel axes; so its bodies are turned about one, at any attitude of it.
    """
    rng = np.random.default_rng(9)
    si, sj, ai, aj = rng.standard_normal((4, 3))
    ai, aj = ai / np.linalg.norm(ai), aj / np.linalg.norm(aj)
    model = Model("two bodies")
    one, two = model.add(Body(), name="i"), model.add(Body(), name="j")
    i, j = one.at(*si, z=ai), two.at(*sj, z=aj)
    for measure in (dot(i, j, "z", "z"), component(i, j, "z"), x(j) - x(i), y(j) - y(i), z(j) - z(i)):
        model.add(Hold(measure))
    model.add(Hold(length(i, j), 1.0))
    equations, parts = Equations(model), ("value", "Jacobian", "gamma")
    sources = {
        "dot-1": ("9.4.3", "9.6.20"),
        "dot-2": ("9.4.6", "9.6.21"),
        "spherical": ("9.4.7", "9.6.22"),
        "distance": ("9.4.8", "9.6.23"),
    }
    ours, theirs = {}, {}
    for _ in range(COUNT):
        a, b = (haug.Pose(rng.standard_normal(3), p, *rng.standard_normal((2, 3))) for p in _orientations(rng, 2))
        q, v = np.concatenate([a.r, a.p, b.r, b.p]), np.concatenate([a.v, a.w, b.v, b.w])
        at = equations.at(q, speeds=v)
        book = (haug.dot1(a, b, ai, aj), haug.dot2(a, b, ai, si, sj), haug.spherical(a, b, si, sj))
        square, row, gamma = haug.distance(a, b, si, sj, 0.0)
        two_l = 2 * math.sqrt(square)
        book = (*book, (two_l / 2 - 1.0, row / two_l, (gamma + 2 * (row @ v / two_l) ** 2) / two_l))
        for name, rows, found in zip(sources, (0, 1, slice(2, 5), 5), book, strict=True):
            for part, mine, value in zip(parts, (at.phi, at.J, at.gamma), found, strict=True):
                ours.setdefault((name, part), []).append(mine[rows])
                theirs.setdefault((name, part), []).append(value)
    quadratic = Within(1e-12, "products of speeds and arms up to about 100, divided by distances down to 0.1")
    for name, (value, gamma) in sources.items():
        stated = f"equation {value}", "Table 9.4.1", f"equation {gamma}"
        for part, within, source in zip(parts, (ARITHMETIC, ARITHMETIC, quadratic), stated, strict=True):
            kind = "closed form" if (name, part) in MISPRINTED else "printed"
            record(f"{name}, {part}", ours[name, part], theirs[name, part], within, source, kind)
    _compare_angle(record, rng)
    record.erratum(
        "Haug, Table 9.4.1 and equation 9.4.11",
        "the row of dot-1 for body i begins with a_i'^T; it is -a_j'^T A_j^T A_i tilde(a_i'), as in equation 9.2.60.",
    )
    record.erratum(
        "Haug, equation 9.6.23",
        "the sign of |r_j' - r_i'|^2 and the tildes of omega' in the mixed terms are wrong; it is -2 |d'|^2 - 2 d . "
        "(A_j tilde(w_j') tilde(w_j') s_j' - A_i tilde(w_i') tilde(w_i') s_i').",
    )


def _compare_angle(record, rng):
    """The angle between two bodies about a common direction."""
    model = Model("hinged")
    one, two = model.add(Body(), name="i"), model.add(Body(), name="j")
    model.add(Hold(angle(one.at(), two.at())))
    equations, axes = Equations(model), np.eye(3)
    ours, theirs = [], []
    for _ in range(COUNT):
        p = _orientations(rng, 1)[0]
        turn = rng.uniform(-math.pi, math.pi)
        about, common = np.array([math.cos(turn / 2), 0, 0, math.sin(turn / 2)]), rng.standard_normal(2)
        a = haug.Pose(np.zeros(3), p, w=np.array([*common, rng.standard_normal()]))
        b = haug.Pose(np.zeros(3), _product(p, about))
        # the axes stay parallel: both bodies turn equally across them
        b = b._replace(w=b.matrix.T @ a.matrix @ np.array([*common, rng.standard_normal()]))
        v = np.concatenate([a.v, a.w, b.v, b.w])
        at = equations.at(np.concatenate([a.r, a.p, b.r, b.p]), speeds=v)
        value, row, gamma = haug.angle(a, b, *axes, axes[0])
        ours.append([math.remainder(at.phi[0] - value, 2 * math.pi), *at.J[0], at.gamma[0]])
        theirs.append([0.0, *row, gamma])
    ours, theirs = np.array(ours), np.array(theirs)
    record("angle, whole turns apart", ours[:, 0], theirs[:, 0], ARITHMETIC, "equation 9.2.31")
    record("angle, Jacobian", ours[:, 1:13], theirs[:, 1:13], ARITHMETIC, "equation 9.4.27")
    record("angle, gamma", ours[:, 13], theirs[:, 13], ARITHMETIC, "equation 9.6.27")


def test_oblique_pendulum(record):
    """Examples 9.4.2, 9.4.3 and 9.4.5: oblique pendulum.

    A bar with the joint frame of Example 9.4.1 at P2 = (0, -1, 0), its x'' axis on the global y axis. Residuals at 25
    random positions; the four equations, two dot-1 and two dot-2, have full rank also where P2 meets the origin.
    """
    model, pivot = _pendulum()
    axis = model.ground.at()
    for measure in (
        dot(pivot, axis, "x", "x"),
        dot(pivot, axis, "x", "z"),
        component(axis, pivot, "x"),
        component(axis, pivot, "z"),
        dot(pivot, axis, "z", "y"),
        dot(pivot, axis, "y", "y"),
        y(pivot),
    ):
        model.add(Hold(measure))
    q = _positions()
    phi = _residuals(model, q)
    x2, y2, z2, e0, e1, e2, e3 = q.T
    _compare(
        record,
        phi,
        ("dot-1 of f2, f1", ROOT * (e0**2 + e1**2 - 0.5 - e1 * e2 + e0 * e3), "Example 9.4.2", "printed"),
        ("dot-1 of f2, h1", ROOT * (e1 * e3 - e0 * e2 - e2 * e3 - e0 * e1), "Example 9.4.2", "closed form"),
        ("dot-2 of f1, d12", x2 - 2 * e1 * e2 + 2 * e0 * e3, "Example 9.4.3", "printed"),
        ("dot-2 of h1, d12", z2 - 2 * e2 * e3 - 2 * e0 * e1, "Example 9.4.3", "printed"),
        ("parallel-1, first", 2 * (e2 * e3 - e0 * e1), "Example 9.4.5", "printed"),
        ("parallel-1, second", ROOT * (e1 * e2 + e0 * e3 + e0**2 + e2**2 - 0.5), "Example 9.4.5", "printed"),
        ("y of P2", y2 - 2 * e0**2 - 2 * e2**2 + 1, "Example 9.4.5", "printed"),
    )
    for where in (0.0, 0.7):
        good, pivot = _pendulum(where)
        axis = good.ground.at()
        for axes in "xx", "xz":
            good.add(Hold(dot(pivot, axis, *axes)), name=f"dot-1 {axes}")
        for along in "xz":
            good.add(Hold(component(axis, pivot, along)), name=f"dot-2 {along}")
        report = mobility(good)
        found = report.equations, report.rank, report.degrees_of_freedom, len(report.singular)
        record.fact(
            f"equations, rank, degrees of freedom, singular, P2 at y = {where}",
            found,
            (4, 4, 2, 0),
            "Example 9.4.3",
            "statement",
        )
    good.add(Cylindrical(good.ground.at(z=(0, 1, 0)), pivot.body.at(0, -1, 0, z=(1, -1, 0))), name="sleeve")
    found = [name for name, _ in mobility(good).redundant]
    record.fact("redundant with a `Cylindrical` joint", found, ["sleeve"] * 4, "Example 9.4.3", "statement")
    record.erratum("Haug, Example 9.4.1", "the axis lies at 45 degrees to the x2' axis, not to the x2'' axis itself.")
    record.erratum("Haug, Example 9.4.2", "+e0 e2 in the dot-1 constraint of f2 and h1; it is -e0 e2.")
    record.erratum(
        "Haug, Example 9.4.3", "d12 is said to be orthogonal to the x1'-y1' plane; it is orthogonal to x1' and z1'."
    )


def test_four_dot_2_lose_rank(record):
    """Example 9.4.3: four dot-2 constraints are not a joint.

    The oblique pendulum with dot-2 of f1, h1, g2 and h2 against d12. They hold for any orientation when P2 is at the
    origin, and the Jacobian loses rank there; near it the least singular value is proportional to the distance.
    """
    model, pivot = _four_dot_2()
    rng = np.random.default_rng(3)
    p = _orientations(rng, COUNT)
    place = -np.array([haug.Pose(np.zeros(3), e).matrix @ (0, -1, 0) for e in p])
    phi = _residuals(model, np.hstack([place, p]))
    record("residuals, any orientation, d12 = 0", phi, np.zeros((COUNT, 4)), ARITHMETIC, "Example 9.4.3", "statement")

    equations, least = Equations(model), []
    for distance in (0.0, 1e-6, 1e-3, 0.5):
        q = _hanging(distance)
        ours = np.linalg.svd(equations.at(q).J, compute_uv=False)
        body, ground = haug.Pose(q[:3], q[3:]), haug.Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))
        s2, f, h = np.array([0.0, -1.0, 0.0]), np.array([1.0, 0, 0]), np.array([0.0, 0, 1.0])
        g2 = np.array([1.0, 1.0, 0.0]) / ROOT
        rows = [haug.dot2(ground, body, a, np.zeros(3), s2)[1][6:] for a in (f, h)]
        rows += [haug.dot2(body, ground, a, s2, np.zeros(3))[1][:6] for a in (g2, h)]
        theirs = np.linalg.svd(rows, compute_uv=False)
        record(f"singular values, |d12| = {distance:g}", ours, theirs, ARITHMETIC, "Table 9.4.1", "recomputed")
        least.append(ours[-1])
    record("least singular value, d12 = 0", least[0], 0.0, ARITHMETIC, "Example 9.4.3", "statement")
    record(
        "least singular value, 1e-3 against 1e-6",
        1e-3 * least[2] / least[1],
        1.0,
        Within(1e-3, "proportional up to terms of the order of the greater distance"),
        "Example 9.4.3",
        "statement",
    )
    for distance, counts in ((0.0, (4, 2)), (0.5, (4, 0))):
        report = mobility(_four_dot_2(distance)[0])
        found = report.rank, len(report.singular)
        record.fact(
            f"rank nearby, equations dependent in this position only, |d12| = {distance}",
            found,
            counts,
            "Example 9.4.3",
            "statement",
        )


def test_compound_pendulum(record):
    """Example 9.4.4: compound pendulum.

    P2 = (-1, 0, 0) at a distance C from the origin; d12 and the distance at 25 random positions. A rod in place of the
    distance has one freedom more, its spin.
    """
    model = Model("compound pendulum")
    body = model.add(Body(position=(1.5, 0, 0)), name="body 2")
    end, origin = body.at(-1, 0, 0), model.ground.at()
    for measure in (x(end), y(end), z(end)):
        model.add(Hold(measure))
    rod = model.add(Distance(origin, end, 0.5), name="rod")
    q = _positions()
    phi = _residuals(model, q)
    x2, y2, z2, e0, e1, e2, e3 = q.T
    d = x2 - 2 * e0**2 - 2 * e1**2 + 1, y2 - 2 * e1 * e2 - 2 * e0 * e3, z2 - 2 * e1 * e3 + 2 * e0 * e2
    record("d12", phi[:, :3], np.transpose(d), ARITHMETIC, "Example 9.4.4")
    square = (phi[:, 3] + rod.length) ** 2 - rod.length**2
    printed = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 - rod.length**2
    record("squared distance - C^2", square, printed, Within(2e-13, "squares up to 20"), "Example 9.4.4")

    short = Model("with a distance")
    body = short.add(Body(position=(1.5, 0, 0)), name="body 2")
    short.add(Distance(short.ground.at(), body.at(-1, 0, 0), 0.5), name="rod")
    record.fact("degrees of freedom with a distance", mobility(short).degrees_of_freedom, 5, "Example 9.4.4")
    long = Model("with a rod")
    body, rod = long.add(Body(position=(1.5, 0, 0)), name="body 2"), long.add(Body(position=(0.25, 0, 0)), name="rod")
    long.add(Spherical(long.ground.at(), rod.at(-0.25, 0, 0)), name="P1")
    long.add(Spherical(rod.at(0.25, 0, 0), body.at(-1, 0, 0)), name="P2")
    record.fact("degrees of freedom with a rod", mobility(long).degrees_of_freedom, 6, "Example 9.4.4")


def test_cylindrical_joint_of_absolute_constraints(record):
    """Example 9.4.6: a cylindrical joint from absolute constraints.

    x and z of the points (0, 1, 0) and (0, -1, 0) of a body: it turns about the global y axis and slides along it. A
    `Cylindrical` joint on top adds nothing.
    """
    model = Model("cylindrical")
    body = model.add(Body(position=(0, 0.4, 0)), name="body 2")
    for k, point in enumerate((body.at(0, 1, 0), body.at(0, -1, 0)), start=1):
        model.add(Hold(x(point)), name=f"x of P{k}")
        model.add(Hold(z(point)), name=f"z of P{k}")
    q = _positions()
    phi = _residuals(model, q)
    x2, _, z2, e0, e1, e2, e3 = q.T
    across, up = 2 * e1 * e2 - 2 * e0 * e3, 2 * e2 * e3 + 2 * e0 * e1
    _compare(
        record,
        phi,
        ("x of P1", x2 + across, "Example 9.4.6", "printed"),
        ("z of P1", z2 + up, "Example 9.4.6", "printed"),
        ("x of P2", x2 - across, "Example 9.4.6", "printed"),
        ("z of P2", z2 - up, "Example 9.4.6", "printed"),
    )
    record.fact("degrees of freedom", mobility(model).degrees_of_freedom, 2, "Example 9.4.6", "statement")
    model.add(Cylindrical(model.ground.at(z=(0, 1, 0)), body.at(z=(0, 1, 0))), name="sleeve")
    report = mobility(model)
    found = report.degrees_of_freedom, tuple(dict.fromkeys(name for name, _ in report.redundant)), len(report.redundant)
    expected = (2, ("sleeve",), 4)
    record.fact(
        "with a `Cylindrical` joint: degrees of freedom, redundant", found, expected, "Example 9.4.6", "statement"
    )


def _pendulum(where=0.0):
    """The bar of Example 9.4.1 hung on the y axis at y = `where`, and its joint frame."""
    model = Model("oblique pendulum")
    q = _hanging(where)
    bar = model.add(Body(position=tuple(q[:3]), orientation=tuple(q[3:])), name="bar")
    return model, bar.at(0, -1, 0, z=(0, 0, 1), x=(1, -1, 0))


def _hanging(where):
    """f2 along +y: a turn of 135 degrees about z takes (1, -1, 0) / sqrt 2 there; P2 is at y = `where`."""
    turn = math.radians(135)
    p = np.array([math.cos(turn / 2), 0, 0, math.sin(turn / 2)])
    return np.concatenate([(0, where, 0) - haug.Pose(np.zeros(3), p).matrix @ (0, -1, 0), p])


def _four_dot_2(where=0.0):
    model, pivot = _pendulum(where)
    origin = model.ground.at()
    for a, b, axis in ((origin, pivot, "x"), (origin, pivot, "z"), (pivot, origin, "y"), (pivot, origin, "z")):
        model.add(Hold(component(a, b, axis)), name=f"dot-2 {a}, {axis}")
    return model, pivot


def _positions():
    rng = np.random.default_rng(1)
    return np.hstack([rng.uniform(-2, 2, (COUNT, 3)), _orientations(rng, COUNT)])


def _orientations(rng, count):
    p = rng.standard_normal((count, 4))
    return p / np.linalg.norm(p, axis=1, keepdims=True)


def _product(p, q):
    """Euler parameters of two turns, the second about axes turned by the first."""
    e0 = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([e0, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def _residuals(model, positions):
    equations = Equations(model)
    return np.array([equations.at(q).phi for q in positions])


def _compare(record, phi, *printed):
    for column, (name, value, source, kind) in enumerate(printed):
        record(name, phi[:, column], value, ARITHMETIC, source, kind)
