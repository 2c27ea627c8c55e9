"""De Sapio, chapter 5: a gyroscope and a platform on six struts in joint coordinates."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from cardan import Symplectic, joint_space, simulate
from cardan.spatial import Body, Model, Revolute, Spherical, Translational, Universal, matter
from verification.manual import Within, digits, rounding

G = 9.81
SPIN = 2 * math.pi / 8


def gyroscope():
    """Frames that turn about z and y, a rotor that turns about x (Figure 5.11), at q = (0, -pi/6, 0)."""
    model = Model("gyroscope", gravity=(0, 0, -G))
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    tilt = (math.cos(math.pi / 12), 0.0, -math.sin(math.pi / 12), 0.0)
    ahead = np.array([c, 0.0, s])  # the x axis of the second frame, that of the rotor
    post = model.add(Body(mass=1.0, inertia=(1 / 3, 1 / 3, 1 / 2), position=(0, 0, -1.0)), name="post")
    frame = Body(mass=1.0, inertia=(0.125, 3.0625, 3.083), position=tuple((-ahead).tolist()), orientation=tilt)
    model.add(frame, name="frame")
    rotor = Body(
        mass=1.0,
        inertia=(0.5, 1 / 12 + 1 / 4, 1 / 12 + 1 / 4),
        position=tuple((3.0 * ahead).tolist()),
        orientation=tilt,
        angular_velocity=tuple((SPIN * ahead).tolist()),
    )
    model.add(rotor, name="rotor")
    model.add(Revolute.between(model.ground, post, (0, 0, 0), z=(0, 0, 1), x=(1, 0, 0)), name="q1")
    model.add(Revolute.between(post, frame, (0, 0, 0), z=(0, 1, 0), x=(1, 0, 0)), name="q2")
    model.add(Revolute.between(frame, rotor, tuple((3.0 * ahead).tolist()), z=tuple(ahead.tolist())), name="q3")
    return model


def gyroscope_terms(q, v):
    """Eq. 5.249 to 5.251 with M = lG = r = h = 1, l3 = 3, and with fractions where decimals are printed."""
    s, c = math.sin(q[1]), math.cos(q[1])
    K = (3.083 - 0.125 + 1.0) + (1 / 12 + 9.0 - 0.25)
    M11 = 0.5 + (3.083 + 0.125 + 1.0) / 2 + 1 / 24 + 4.5 + 0.375 + 0.5 * K * math.cos(2 * q[1])
    M22 = 3.0625 + 1.0 + 1 / 12 + 9.0 + 0.25
    M = np.array([[M11, 0.0, -0.5 * s], [0.0, M22, 0.0], [-0.5 * s, 0.0, 0.5]])
    b = np.array(
        [
            -2 * c * v[1] * (K * s * v[0] + 0.25 * v[2]),
            c * v[0] * (K * s * v[0] + 0.5 * v[2]),
            -0.5 * c * v[0] * v[1],
        ]
    )
    return M, b, np.array([0.0, G * (1.0 - 3.0) * c, 0.0])


def test_gyroscope(record):
    """Section 5.3.5: a rotor in two gimbals, spun up to 2 pi / 8 rad/s and let go.

    M1 = M2 = M3 = 1, lG1 = lG2 = 1, l3 = 3, r = h = 1; q = (0, -pi/6, 0). q1 and q3 do not occur in the Lagrangian, so
    that p1 and p3 are constant.
    """
    model = gyroscope()
    tree = joint_space(model)
    offset = tree.q - np.array([0.0, -math.pi / 6, 0.0])  # the second joint counts from where it was built
    for q, v, where in (
        (np.array([0.0, -math.pi / 6, 0.0]), np.array([0.0, 0.0, SPIN]), "at the start"),
        (np.array([0.7, 0.4, -1.3]), np.array([1.0, -2.0, 3.0]), "elsewhere"),
    ):
        M, b, g = gyroscope_terms(q, v)
        here = q + offset
        record(f"M {where}", tree.mass_matrix(here), M, rounding(10.0), "eq. 5.249", "closed form")
        record(f"b {where}", tree.bias(here, v), b, rounding(10.0), "eq. 5.250", "closed form")
        record(f"g {where}", tree.gravity(here), g, rounding(10.0), "eq. 5.251", "printed")
    printed = 0.5 + 1.604 + 0.5 + 0.042 + 4.5 + 0.375 + (1.479 + 0.5 + 0.042 + 4.5 - 0.125) * 0.5
    coarse = Within(1.1e-3, "coefficients are printed with three decimals")
    record("M11 at the start", tree.mass_matrix(tree.q)[0, 0], printed, coarse, "eq. 5.249")
    record.erratum("De Sapio, eq. 5.249", "entry (2, 3) of M is 0, as (3, 2) is")
    record.erratum("De Sapio, eq. 5.226", "the position of the rotor starts from r2, not from r3")
    record.erratum("De Sapio, eq. 5.254", "the factor 1/2 belongs to all terms of T, and the second bracket is M22")
    _gyroscope_moves(record, model)


def _gyroscope_moves(record, model):
    def rates(t, y):
        M, b, g = gyroscope_terms(y[:3], y[3:])
        return np.concatenate([y[3:], np.linalg.solve(M, -b - g)])

    times = np.linspace(0.0, 4.0, 41)
    start = [0.0, -math.pi / 6, 0.0, 0.0, 0.0, SPIN]
    exact = solve_ivp(rates, (0, 4.0), start, "DOP853", times, rtol=1e-12, atol=1e-12)
    q1, q2 = exact.y[0], exact.y[1]
    place = 3.0 * np.column_stack([np.cos(q1) * np.cos(q2), np.sin(q1) * np.cos(q2), -np.sin(q2)])
    for name, options in (
        ("joint coordinates", {"rtol": 1e-11, "coordinates": "joint"}),
        ("symplectic, order 6", {"method": Symplectic(step=0.02, order=6)}),
    ):
        run = simulate(model, 4.0, output=times, **options)
        near = Within(1e-6, "rtol 1e-11, or steps of 0.02 s of order 6 with outputs between cubic, over 4 s")
        record(f"place of the rotor, {name}", run["rotor"].position, place, near, "eq. 5.218", "recomputed")
    record.note(f"The frame turns by {math.degrees(abs(q1).max()):.1f} degrees about the vertical: the precession.")
    run = simulate(model, 4.0, method=Symplectic(step=0.05, order=2))
    tree = joint_space(model)
    states = [joint_space(model, start=run.at(float(t))) for t in run.times[[0, 20, 40, 80]]]
    momenta = [
        tree.momenta(s.q, s.from_bodies(s.q, run.at(float(t)).v))
        for s, t in zip(states, run.times[[0, 20, 40, 80]], strict=True)
    ]
    kept = np.array(momenta)[:, [0, 2]]
    record(
        "p1, symplectic steps of order 2",
        kept[:, 0],
        np.full(4, 0.25 * SPIN),
        rounding(),
        "q1 is cyclic",
        "closed form",
    )
    record(
        "p3, symplectic steps of order 2", kept[:, 1], np.full(4, 0.5 * SPIN), rounding(), "q3 is cyclic", "closed form"
    )


FEET, HEADS, HEIGHT = (0.6, 10.0), (0.4, 50.0), 0.8
BARREL, ROD = 0.2, 0.15  # of mass centres from foot and from head
MASSES = {"platform": 5.0, "barrel": 1.0, "rod": 0.5}


def corners(radius, degrees):
    turns = [math.radians(120.0 * (k // 2) + (degrees if k % 2 else -degrees)) for k in range(6)]
    return [np.array([radius * math.cos(turn), radius * math.sin(turn), 0.0]) for turn in turns]


def stewart(shift=(0.05, -0.03, 0.0), turn=(0.98, 0.1, -0.05, 0.15)):
    """Barrels on cardan joints, rods that slide in them, and a platform on their ball joints."""
    model = Model("Stewart platform", gravity=(0, 0, -G))
    e = np.array(turn) / np.linalg.norm(turn)
    place = np.array([0.0, 0.0, HEIGHT]) + shift
    deck = model.add(
        Body(
            mass=MASSES["platform"],
            inertia=(0.3, 0.3, 0.5),
            position=tuple(place.tolist()),
            orientation=tuple(e.tolist()),
        ),
        name="platform",
    )
    A = matrix(e)
    cut = []
    for k, (foot, head) in enumerate(zip(corners(*FEET), corners(*HEADS), strict=True), start=1):
        end = place + A @ head
        along = (end - foot) / np.linalg.norm(end - foot)
        parts = {"inertia": (0.01, 0.01, 0.01)}
        barrel = model.add(
            Body(mass=MASSES["barrel"], position=tuple((foot + BARREL * along).tolist()), **parts), name=f"barrel {k}"
        )
        rod = model.add(
            Body(mass=MASSES["rod"], position=tuple((end - ROD * along).tolist()), **parts), name=f"rod {k}"
        )
        y = np.cross(along, (1.0, 0.0, 0.0))
        model.add(
            Universal.between(model.ground, barrel, tuple(foot.tolist()), z=(1, 0, 0), z_b=tuple(y.tolist())),
            name=f"cardan {k}",
        )
        model.add(Translational.between(barrel, rod, tuple(end.tolist()), z=tuple(along.tolist())), name=f"slide {k}")
        cut.append(model.add(Spherical.between(rod, deck, tuple(end.tolist())), name=f"ball {k}"))
    return model, cut, place, A


def matrix(e):
    x = np.array([[0, -e[3], e[2]], [e[3], 0, -e[1]], [-e[2], e[1], 0]])
    return (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * np.outer(e[1:], e[1:]) + 2 * e[0] * x


def test_stewart_platform(record):
    """Section 5.2.5: a platform on six struts, cut where these hold it.

    24 coordinates and 18 loop equations; the chapter gives no numbers. Feet on a circle of 0.6 m, heads on one of
    0.4 m, a platform of 5 kg at 0.8 m, shifted and tilted; struts of 1 kg and 0.5 kg. Phi is written down by hand from
    5.105 and 5.106, the forces that hold the platform at rest from virtual work, sum f dL = dV.
    """
    model, cut, place, A = stewart()
    tree = joint_space(model, cut=cut)
    Phi = tree.constraint_jacobian(tree.q)
    record.fact("speeds, equations", (len(tree.speeds), Phi.shape[0]), (24, 18), "eq. 5.101 to 5.106")
    record.fact("degrees of freedom", 24 - int(np.linalg.matrix_rank(Phi)), 6, "figure 5.6", "statement")
    feet, heads = corners(*FEET), corners(*HEADS)
    ends = [place + A @ head for head in heads]
    wanted = np.zeros((18, 24))
    names = list(tree.speeds)
    for k in range(6):
        d = ends[k] - feet[k]
        y = np.cross(d, (1.0, 0.0, 0.0))
        rows = slice(3 * k, 3 * k + 3)
        for name, column in (
            (f"cardan {k + 1}.angle_a", np.cross((1.0, 0.0, 0.0), d)),
            (f"cardan {k + 1}.angle_b", np.cross(d, y / np.linalg.norm(y))),  # of the cross, as seen from the strut
            (f"slide {k + 1}.travel", d / np.linalg.norm(d)),
        ):
            wanted[rows, names.index(name)] = column
        first = names.index("platform.vx")
        wanted[rows, first : first + 3] = -np.eye(3)
        wanted[rows, first + 3 : first + 6] = -np.cross(A.T, A @ heads[k]).T  # w x (A head), w = A w'
    sign = np.sign(np.einsum("ij,ij->i", Phi, wanted))
    record("Phi", sign[:, None] * Phi, wanted, rounding(), "eq. 5.105, 5.106", "closed form")
    _stewart_holds(record, tree, names, feet, ends, place)


def _stewart_holds(record, tree, names, feet, ends, place):
    """W^T (tau - g) = 0 for forces tau of the slides alone."""
    lengths, slope = np.zeros((6, 6)), np.zeros(6)  # of the struts, and of V, along shifts and turns of the platform
    slope[2] = MASSES["platform"] * G
    for k in range(6):
        d, arm = ends[k] - feet[k], ends[k] - place
        L = np.linalg.norm(d)
        u = d / L
        move = np.hstack([np.eye(3), -np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])])
        lengths[k] = u @ move
        across = (np.eye(3) - np.outer(u, u)) @ move / L  # of u
        slope += G * (MASSES["barrel"] * BARREL * across[2] + MASSES["rod"] * (move[2] - ROD * across[2]))
    force = np.linalg.solve(lengths.T, slope)
    slides = [names.index(f"slide {k + 1}.travel") for k in range(6)]
    W = tree.null_space(tree.q)
    found = np.linalg.solve(W[slides].T, W.T @ tree.gravity(tree.q))
    record("forces of the struts at rest", found, force, rounding(100.0), "sum f dL = dV", "closed form")
    tau = np.zeros(24)
    tau[slides] = force
    a = tree.accelerations(tree.q, np.zeros(24), tau)
    record("accelerations under them", a, np.zeros(24), rounding(100.0), "eq. 5.92", "closed form")


def test_stewart_platform_falls(record):
    """Section 5.2.5: the platform left to itself, in both kinds of coordinates and by a symplectic method."""
    model, *_ = stewart()
    times = [0.05, 0.1]
    cartesian = simulate(model, 0.1, output=times, rtol=1e-11)
    near = Within(1e-8, "rtol 1e-11, or 40 steps of order 6")
    for name, options in (
        ("joint coordinates", {"rtol": 1e-11, "coordinates": "joint"}),
        ("symplectic", {"method": Symplectic(step=0.0025, order=6)}),
    ):
        run = simulate(model, 0.1, output=times, **options)
        for quantity in ("position", "velocity"):
            found, other = (getattr(r["platform"], quantity) for r in (run, cartesian))
            record(f"{quantity} of the platform, {name}", found, other, near, "Cartesian coordinates", "recomputed")
        record(
            f"open loops, {name}",
            run.violations().max(),
            0.0,
            Within(1e-12, "closed after each step"),
            "eq. 5.102",
            "closed form",
        )


def test_kinetic_energy_ellipsoid(record):
    """Section 5.3.3: moments of a cone about its apex, and the semiaxes of its ellipsoid of kinetic energy.

    M = 1, h = 1, R = 0.75. Equation 5.195 is the tensor about the mass center; the printed moments and semiaxes are
    those about the apex, which is 3/4 h away.
    """
    mass, height, radius = 1.0, 1.0, 0.75
    cone = matter.cone(radius, height, density=mass / (math.pi * radius**2 * height / 3))
    central = np.diag(np.asarray(cone.inertia, float)) if np.ndim(cone.inertia) == 1 else np.asarray(cone.inertia)
    side = 3 / 80 * mass * (height**2 + 4 * radius**2)
    moments = np.sort(np.linalg.eigvalsh(central))
    record("about the mass center", moments, np.sort([side, side, 0.3 * radius**2]), rounding(), "5.195", "closed form")
    apex = central + mass * (0.75 * height) ** 2 * np.diag([1.0, 1.0, 0.0])
    found = np.linalg.eigvalsh(apex)[::-1]
    record("about the apex", found, (0.684, 0.684, 0.169), digits(3), "section 5.3.3")
    axes = np.sqrt(2.0 / found)
    record("semiaxes a1, a2", axes[:2], (1.71, 1.71), digits(2), "section 5.3.3")
    record("semiaxis a3", axes[2], 3.443, digits(3), "section 5.3.3")
    record.erratum(
        "De Sapio, equation 5.195", "it is the tensor about the mass center; the numbers below it are about the apex."
    )
