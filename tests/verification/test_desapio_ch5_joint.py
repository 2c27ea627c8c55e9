"""De Sapio, chapter 5: planar mechanisms in joint coordinates.

M, b and g of the equations M a + b + g = tau + Phi^T lambda, constraints and their forces, as the chapter prints them
or its exercises ask for, written down here by hand. Multipliers of this program have the opposite sign.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import Symplectic, joint_space, simulate
from cardan.planar import Body, Model, PinInSlot, Revolute, Translational
from verification.manual import Within, rounding

G = 9.81
LINKS = {"lengths": (0.7, 0.6, 0.5, 0.4), "masses": (2.5, 1.5, 1.0, 0.75), "radii": (0.15, 0.125, 0.1, 0.0875)}


def chain(model, start, angles, lengths, masses, inertias, name="link"):
    """Links in series from a point of ground, at absolute angles; returns them."""
    end, before, links = np.array(start, float), model.ground.at(*start), []
    for k, (phi, length, mass, inertia) in enumerate(zip(angles, lengths, masses, inertias, strict=True), start=1):
        along = length * np.array([math.cos(phi), math.sin(phi)])
        body = Body(mass=mass, inertia=inertia, position=tuple((end + 0.5 * along).tolist()), angle=float(phi))
        link = model.add(body, name=f"{name} {k}")
        model.add(Revolute(before, link.at(-0.5 * length, 0)), name=f"{name} joint {k}")
        end, before = end + along, link.at(0.5 * length, 0)
        links.append(link)
    return links


def chain_terms(q, v, lengths, masses, inertias):
    """M, b and g of links in series, from absolute angles phi = A q: T = sum of m |x'|^2 / 2 + I phi'^2 / 2."""
    n = len(lengths)
    A = np.tril(np.ones((n, n)))
    phi, w = A @ q, A @ v
    arms = np.array(
        [[lengths[j] if j < i else 0.5 * lengths[j] if j == i else 0.0 for j in range(n)] for i in range(n)]
    )
    weights = np.einsum("k,ki,kj->ij", masses, arms, arms)
    apart = phi[:, None] - phi[None, :]
    M = weights * np.cos(apart) + np.diag(inertias)
    b, g = (weights * np.sin(apart)) @ w**2, G * (np.array(masses) @ arms) * np.cos(phi)
    return A.T @ M @ A, A.T @ b, A.T @ g


def test_serial_chain_terms(record):
    """Section 5.2: M, b and g of four links in series.

    r = 0.15, 0.125, 0.1, 0.0875 m, l = 0.7, 0.6, 0.5, 0.4 m, m = 2.5, 1.5, 1.0, 0.75 kg, I = m r^2 / 4 + m l^2 / 12;
    each joint at -pi/24, and in a position and at speeds chosen here.
    """
    lengths, masses = LINKS["lengths"], LINKS["masses"]
    inertias = [m * r * r / 4 + m * L * L / 12 for m, r, L in zip(masses, LINKS["radii"], lengths, strict=True)]
    model = Model("chain", gravity=(0, -G))
    chain(model, (0.0, 0.0), -math.pi / 24 * np.arange(1, 5), lengths, masses, inertias)
    tree = joint_space(model)
    record("q", tree.q, np.full(4, -math.pi / 24), rounding(), "chapter 5")
    for q, v, where in (
        (tree.q, np.zeros(4), "at the start"),
        (np.array([0.4, -1.1, 0.7, 2.0]), np.array([1.0, -2.0, 0.5, 3.0]), "elsewhere"),
    ):
        M, b, g = chain_terms(q, v, lengths, masses, inertias)
        record(f"M {where}", tree.mass_matrix(q), M, rounding(), "eq. 5.72 to 5.74", "closed form")
        record(f"b {where}", tree.bias(q, v), b, rounding(), "eq. 5.72 to 5.74", "closed form")
        record(f"g {where}", tree.gravity(q), g, rounding(10.0), "eq. 5.72 to 5.74", "closed form")


def parallel_mechanism():
    """Three elbows of two links from the corners of a triangle to a platform; q as the chapter counts it."""
    q = np.array([math.pi / 4, math.pi / 6, 11 * math.pi / 12, math.pi / 6, -5 * math.pi / 12, math.pi / 6])
    model = Model("3-RRR", gravity=(0, -G))
    center = np.array([0.0, 1.25 * math.sqrt(3.0)])
    platform = model.add(Body(mass=1.0, inertia=1.0, position=tuple(center.tolist())), name="platform")
    bases, ends = [], []
    for k, turn in enumerate((0.0, 2 * math.pi / 3, 4 * math.pi / 3)):
        spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        base = center + spin @ -center
        angles = np.cumsum(q[2 * k : 2 * k + 2])
        chain(model, tuple(base.tolist()), angles, (1.0, 1.0), (1.0, 1.0), (0.0, 0.0), name=f"elbow {k + 1} link")
        tip = base + [math.cos(angles[0]) + math.cos(angles[1]), math.sin(angles[0]) + math.sin(angles[1])]
        bases.append(base)
        ends.append(tip - center)
    cut = []
    for k in range(3):
        link = model[f"elbow {k + 1} link 2"]
        cut.append(model.add(Revolute(link.at(0.5, 0.0), platform.at(*ends[k].tolist())), name=f"wrist {k + 1}"))
    return model, cut, np.concatenate([q, center, [0.0]]), np.array(ends)


def order_of(tree):
    """Places of the chapter's coordinates among those of the tree."""
    names = [f"elbow {k} link joint {j}.angle" for k in (1, 2, 3) for j in (1, 2)]
    return [tree.coordinates.index(name) for name in (*names, "platform.x", "platform.y", "platform.angle")]


def test_parallel_mechanism(record):
    """Section 5.2.5: a platform on three elbows, cut where these hold it.

    All lengths and masses 1, links without rotational inertia, the platform's inertia 1; 9 coordinates and 6 loop
    equations. Corners of an equilateral triangle of side 3.75 m, which the printed start of the platform, (0, 2.165),
    tells, and ends of the platform where the elbows then are.
    """
    model, cut, start, ends = parallel_mechanism()
    tree = joint_space(model, cut=cut)
    order = order_of(tree)
    record.fact("coordinates, equations, degrees of freedom", _counts(tree), (9, 6, 3), "eq. 5.146")
    reach, angle = np.hypot(*ends.T), np.arctan2(ends[:, 1], ends[:, 0]) % (2 * math.pi)
    coarse = Within(0.006, "the source gives two decimals, and its own start fits them to 0.004 only")
    record("reach of the platform's ends", reach, np.full(3, 1.08), coarse, "eq. 5.125 to 5.127")
    record("their angles", angle, [2 * math.pi - 0.47, 1.62, 3.72], coarse, "eq. 5.125 to 5.127")
    printed = [math.pi / 4, math.pi / 6, 11 * math.pi / 12, math.pi / 6, -5 * math.pi / 12, math.pi / 6, 0, 2.165, 0]
    record("q at the start", tree.q[order], printed, Within(1e-3, "2.165 is rounded"), "eq. 5.148")
    record("loop equations there", tree.residual(tree.q), np.zeros(6), rounding(), "'satisfy the constraints'")
    random = np.random.default_rng(0)
    q, v = start + 0.2 * random.standard_normal(9), random.standard_normal(9)
    ours_q, ours_v = np.zeros((2, 9))
    ours_q[order], ours_v[order] = q, v
    M, b, g = _platform_terms(q, v)
    record("M", tree.mass_matrix(ours_q)[np.ix_(order, order)], M, rounding(), "eq. 5.134, 5.141", "printed")
    record("b", tree.bias(ours_q, ours_v)[order], b, rounding(), "eq. 5.135, 5.142", "printed")
    record("g", tree.gravity(ours_q)[order], g, rounding(10.0), "eq. 5.136, 5.143", "printed")
    Phi = _platform_phi(q, ends)
    found = tree.constraint_jacobian(ours_q)[:, order]
    sign = np.sign(np.einsum("ij,ij->i", found, Phi))
    record("Phi", sign[:, None] * found, Phi, rounding(), "eq. 5.123 to 5.127", "printed")
    record.erratum(
        "De Sapio, eq. 5.125 to 5.127",
        "the Jacobians of the platform's ends have the opposite sign: for 5.123 they are (1, 0, -y; 0, 1, x)",
    )
    record.erratum("De Sapio, eq. 5.145", "the term of lambda stands with +, where 5.86 and 5.150 have -Phi^T lambda")
    _platform_forces(record, tree, order, start, ends)


def _counts(tree):
    Phi = tree.constraint_jacobian(tree.q)
    return (len(tree.coordinates), Phi.shape[0], len(tree.coordinates) - int(np.linalg.matrix_rank(Phi)))


def _platform_terms(q, v):
    M, b, g = np.zeros((9, 9)), np.zeros(9), np.zeros(9)
    for k in range(3):
        i, c, s = 2 * k, math.cos(q[2 * k + 1]), math.sin(q[2 * k + 1])
        M[i : i + 2, i : i + 2] = [[(6.0 + 4.0 * c) / 4.0, (1.0 + 2.0 * c) / 4.0], [(1.0 + 2.0 * c) / 4.0, 0.25]]
        b[i : i + 2] = -0.5 * s * v[i + 1] * (2.0 * v[i] + v[i + 1]), 0.5 * s * v[i] ** 2
        far = math.cos(q[i] + q[i + 1])
        g[i : i + 2] = 0.5 * G * (3.0 * math.cos(q[i]) + far), 0.5 * G * far
    M[6:, 6:], g[7] = np.eye(3), G
    return M, b, g


def _platform_phi(q, ends):
    Phi = np.zeros((6, 9))
    for k in range(3):
        one, two = q[2 * k], q[2 * k] + q[2 * k + 1]
        Phi[2 * k, 2 * k : 2 * k + 2] = -math.sin(one) - math.sin(two), -math.sin(two)
        Phi[2 * k + 1, 2 * k : 2 * k + 2] = math.cos(one) + math.cos(two), math.cos(two)
        c, s = math.cos(q[8]), math.sin(q[8])
        x, y = c * ends[k, 0] - s * ends[k, 1], s * ends[k, 0] + c * ends[k, 1]
        Phi[2 * k, 6:], Phi[2 * k + 1, 6:] = (-1.0, 0.0, y), (0.0, -1.0, -x)
    return Phi


def _platform_forces(record, tree, order, q, ends):
    """At the start, at rest: accelerations and constraint forces by eq. 5.93, and the projectors."""
    M, _, g = _platform_terms(q, np.zeros(9))
    Phi = _platform_phi(q, ends)
    H = np.linalg.inv(Phi @ np.linalg.solve(M, Phi.T))
    back = np.linalg.solve(M, Phi.T) @ H
    a = np.linalg.solve(M, Phi.T @ (back.T @ g) - g)
    close = rounding(10.0)
    record(
        "accelerations at the start",
        tree.accelerations(tree.q, np.zeros(9))[order],
        a,
        close,
        "eq. 5.93",
        "closed form",
    )
    found = tree.constraint_jacobian(tree.q)[:, order]
    sign = np.sign(np.einsum("ij,ij->i", found, Phi))
    alpha, rho = tree.constraint_forces(tree.q, np.zeros(9))
    record("rho", sign * rho, back.T @ g, close, "eq. 5.153", "closed form")
    record("alpha at rest", alpha, np.zeros(6), rounding(), "eq. 5.152", "closed form")
    Theta = np.eye(9) - back @ Phi
    record("Theta", tree.motion_projector(tree.q)[np.ix_(order, order)], Theta, close, "eq. 5.95", "closed form")
    W = np.linalg.svd(Phi)[2][6:].T
    P = tree.kinematic_projector(tree.q)[np.ix_(order, order)]
    record("P = W W^T", P, W @ W.T, rounding(), "eq. 5.94", "closed form")


def test_parallel_mechanism_falls(record):
    """Section 5.2.5: the mechanism falls from rest, in both kinds of coordinates and by a symplectic method."""
    model, *_ = parallel_mechanism()
    times = np.linspace(0.0, 0.6, 13)
    joint = simulate(model, 0.6, output=times, rtol=1e-11, coordinates="joint")
    cartesian = simulate(model, 0.6, output=times, rtol=1e-11)
    leapt = simulate(model, 0.6, output=times, method=Symplectic(step=0.6 / 240, order=6))
    near = Within(1e-7, "rtol 1e-11 of a motion that passes near singular positions")
    for name, run in (("joint coordinates", joint), ("symplectic", leapt)):
        found, other = ([r["platform"].position, r["platform"].angle] for r in (run, cartesian))
        record(f"place of the platform, {name}", found[0], other[0], near, "Cartesian coordinates", "recomputed")
        record(f"its angle, {name}", found[1], other[1], near, "Cartesian coordinates", "recomputed")
    E = joint.energy.total
    record("energy", E - E[0], 0 * E, Within(1e-8, "1000 rtol"), "T + V is constant", "closed form")


def exercise(angles, gravity=True):
    """Links of length and mass 1 without rotational inertia at absolute angles."""
    model = Model("exercise", gravity=(0, -G if gravity else 0.0))
    n = len(angles)
    return model, chain(model, (0.0, 0.0), angles, (1.0,) * n, (1.0,) * n, (0.0,) * n)


def test_exercise_slider_crank(record):
    """Exercises 2, 6 and 8: a slider-crank of two links, l = M = 1, without rotational inertia.

    The end of link 2 keeps to the x axis. T, V, L, p, H and Hamilton's equations on the constraint.
    """
    model, links = exercise((0.7, -0.7))
    cut = model.add(PinInSlot(model.ground.at(), links[1].at(0.5, 0.0)), name="slot")
    tree = joint_space(model, cut=[cut])
    q = tree.q
    v = 1.3 * np.array([1.0, -2.0])  # which keeps the end on the axis: q2 = -2 q1
    record.fact("degrees of freedom", len(tree.speeds) - 1, 1, "exercise 2 (a)", "closed form")
    c1, c12, c, s = math.cos(q[0]), math.cos(q[0] + q[1]), math.cos(q[1]), math.sin(q[1])
    M = np.array([[1.5 + c, 0.25 + 0.5 * c], [0.25 + 0.5 * c, 0.25]])
    b = 0.5 * s * np.array([-v[1] * (2 * v[0] + v[1]), v[0] ** 2])
    g = 0.5 * G * np.array([3 * c1 + c12, c12])
    where = "exercise 2"
    record("M", tree.mass_matrix(q), M, rounding(), f"{where} (b)", "closed form")
    record("b", tree.bias(q, v), b, rounding(), f"{where} (c)", "closed form")
    record("g", tree.gravity(q), g, rounding(10.0), f"{where} (d)", "closed form")
    record("phi", tree.residual(q), [math.sin(q[0]) + math.sin(q[0] + q[1])], rounding(), f"{where} (e)", "closed form")
    Phi = np.array([[c1 + c12, c12]])
    record("Phi", tree.constraint_jacobian(q), Phi, rounding(), f"{where} (f)", "closed form")
    T, V = 0.5 * v @ M @ v, G * (1.5 * math.sin(q[0]) + 0.5 * math.sin(q[0] + q[1]))
    record("T", tree.kinetic_energy(q, v), T, rounding(), "exercise 6 (a)", "closed form")
    record("V", tree.potential_energy(q), V, rounding(10.0), "exercise 6 (b)", "closed form")
    record("L", tree.lagrangian(q, v), T - V, rounding(10.0), "exercise 6 (c)", "closed form")
    p = M @ v
    record("p", tree.momenta(q, v), p, rounding(), "exercise 8 (a)", "closed form")
    record("H", tree.hamiltonian(q, p), T + V, rounding(10.0), "exercise 8 (b)", "closed form")
    # dT/dq2 = -sin q2 (v1^2 + v1 v2) / 2; lambda from Phi a = -Phi' v
    slope = np.array([0.0, -0.5 * s * v[0] * (v[0] + v[1])]) - g
    w = v[0] + v[1]
    turning = -math.sin(q[0]) * v[0] ** 2 - math.sin(q[0] + q[1]) * w**2
    free = np.linalg.solve(M, -b - g)
    lam = (Phi[0] @ free + turning) / (Phi[0] @ np.linalg.solve(M, Phi[0]))
    rates = tree.canonical_rates(q, p)
    record("v of p", rates[0], v, rounding(), "exercise 8 (c)", "closed form")
    record("p'", rates[1], slope - Phi[0] * lam, rounding(10.0), "exercise 8 (c)", "closed form")
    record("lambda", rates[2], [lam], rounding(10.0), "exercise 6 (e)", "closed form")


def test_exercise_four_bar_and_long_slider_crank(record):
    """Exercises 3 and 4: three links, l = M = 1, without rotational inertia, held at the end in two ways.

    As a four-bar the end of link 3 does not move; as a slider-crank link 3 does not turn and keeps its height.
    """
    bent = (math.pi / 2, 0.0, -math.pi / 2)
    model, links = exercise(bent)
    pin = model.add(Revolute(model.ground.at(1.0, 0.0), links[2].at(0.5, 0.0)), name="pin")
    tree = joint_space(model, cut=[pin])
    random = np.random.default_rng(3)
    q, v = tree.q + 0.3 * random.standard_normal(3), random.standard_normal(3)
    M, b, g = chain_terms(q, v, (1.0,) * 3, (1.0,) * 3, (0.0,) * 3)
    record("M", tree.mass_matrix(q), M, rounding(), "exercise 3 (b)", "closed form")
    record("b", tree.bias(q, v), b, rounding(), "exercise 3 (c)", "closed form")
    record("g", tree.gravity(q), g, rounding(10.0), "exercise 3 (d)", "closed form")
    phi = np.cumsum(q)
    rows = np.array([[-np.sin(phi[k:]).sum() for k in range(3)], [np.cos(phi[k:]).sum() for k in range(3)]])
    ends = np.array([np.cos(phi).sum() - 1.0, np.sin(phi).sum()])
    found = tree.constraint_jacobian(q)
    sign = np.sign(np.einsum("ij,ij->i", found, rows))
    record("Phi, four-bar", sign[:, None] * found, rows, rounding(), "exercise 3 (f)", "closed form")
    record("phi, four-bar", sign * tree.residual(q), ends, rounding(), "exercise 3 (e)", "closed form")
    record.fact(
        "degrees of freedom, four-bar", 3 - int(np.linalg.matrix_rank(found)), 1, "exercise 3 (a)", "closed form"
    )
    model, links = exercise((0.6, -0.6, 0.0))
    guide = model.add(Translational(model.ground.at(), links[2].at()), name="guide")
    tree = joint_space(model, cut=[guide])
    found = tree.constraint_jacobian(tree.q)
    record.fact(
        "degrees of freedom, slider-crank", 3 - int(np.linalg.matrix_rank(found)), 1, "exercise 4 (a)", "closed form"
    )
    phi = np.cumsum(tree.q)
    wanted = np.array([[1.0, 1.0, 1.0], [np.cos(phi[k:]).sum() for k in range(3)]])
    W = tree.null_space(tree.q)[:, 0]
    record("Phi W of the closed form", wanted @ W, np.zeros(2), rounding(), "exercise 4 (d)", "closed form")
