"""Haug, chapter 9: orientation in space.

Frames from points and directions, Euler parameters, and the motion of points of a turning body.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import assemble, kinematics
from cardan.spatial import Body, Driver, Fixed, Model, Ramp, Revolute, angle, dot, length, rotation
from verification.basic_constraints import tilde
from verification.manual import Within, digits, rounding

ARITHMETIC = Within(1e-14, "a few operations on numbers of size one, each exact to 2e-16")
HALF = math.sqrt(0.5)


def test_sum_of_vectors(record):
    """Example 9.1.3: sum of vectors.

    a = (1, 2, 3), b = (-1, 1, -1): a body welded to ground at a carries another at b.
    """
    model = Model("sum of vectors")
    one, two = model.add(Body(), name="one"), model.add(Body(), name="two")
    model.add(Fixed(model.ground.at(1, 2, 3), one.at()), name="a")
    model.add(Fixed(one.at(-1, 1, -1), two.at()), name="b")
    record("a + b", assemble(model)["two"].position, (0, 3, 2), rounding(10), "Example 9.1.3")


def test_lengths_of_vectors(record):
    """Examples 9.1.1 and 9.1.2: the distance of two points, and length and angle of a sum by plane trigonometry.

    A = (1, -2, 0.5), B = (-0.3, 1.1, 2.2); |a| = 1.2 and |b| = 0.7 at 1.9 rad to each other.
    """
    model = Model("lengths")
    body = model.add(Body(), name="body")
    model.add(Fixed(model.ground.at(), body.at()), name="weld")
    position = assemble(model)
    A, B = np.array([1.0, -2.0, 0.5]), np.array([-0.3, 1.1, 2.2])
    ours = position[length(model.ground.at(*A), body.at(*B))].value
    record("|AB|", ours, np.sqrt(np.sum((B - A) ** 2)), rounding(), "Example 9.1.1", "closed form")
    a, b, theta = 1.2, 0.7, 1.9
    x_axis = np.array([2.0, -1.0, 2.0]) / 3.0
    y_axis = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)
    total = a * x_axis + b * (math.cos(theta) * x_axis + math.sin(theta) * y_axis)
    ours = position[length(model.ground.at(), body.at(*total))].value
    along, across = a + b * math.cos(theta), b * math.sin(theta)
    record("|a + b|", ours, math.hypot(along, across), rounding(), "Example 9.1.2", "closed form")
    seen = position[angle(model.ground.at(x=x_axis, z=np.cross(x_axis, y_axis)),
                          body.at(x=total, z=np.cross(x_axis, y_axis)))].value  # fmt: skip
    record("angle from a to a + b", seen, math.atan(across / along), rounding(), "Example 9.1.2", "closed form")


def test_relative_rotation(record):
    """Examples 9.2.6 to 9.2.8: rates of a scalar product and of a relative angle from virtual rotations.

    Two bodies in series on hinges about fixed axes, theta1 = 0.5 + 0.9 t, theta2 = -0.4 + 1.7 t. With delta pi' = B
    delta q, B the hinges' axes in each body, 9.2.65 gives the rate of s_i . s_j, and 9.2.62 that of theta2.
    """
    model = Model("two hinges")
    tilt = rotation.from_axis_angle((1, -2, 0.5), 0.8)
    one, two = model.add(Body(orientation=tilt), name="one"), model.add(Body(position=(0.4, 0, 0)), name="two")
    h1, h2 = np.array([0.0, 0.6, 0.8]), np.array([1.0, 2.0, 2.0]) / 3.0
    first = model.add(Revolute.between(model.ground, one, at=(0, 0, 0), z=h1), name="first")
    second = model.add(Revolute.between(one, two, at=(0.4, 0, 0), z=h2), name="second")
    rates = np.array([0.9, 1.7])
    model.add(Driver(first.angle, Ramp(rates[0])), name="motor 1")
    model.add(Driver(second.angle, Ramp(rates[1])), name="motor 2")
    run = kinematics(model, np.linspace(0.0, 2.0, 9))
    si, sj = np.eye(3)[0], np.eye(3)[1]
    product, hinge, expected, turning = run[dot(one.at(), two.at(), "x", "y")], run[second.angle], [], []
    for k in range(len(run)):
        Ai, Aj = (rotation.matrix(run[body].orientation[k]) for body in (one, two))
        axis2 = Ai @ rotation.matrix(np.array(one.parameters)).T @ h2  # carried by body one
        Bi = Ai.T @ np.stack([h1, np.zeros(3)], axis=1)
        Bj = Aj.T @ np.stack([h1, axis2], axis=1)
        row = -(sj @ Aj.T @ Ai @ tilde(si) @ Bi + si @ Ai.T @ Aj @ tilde(sj) @ Bj)
        expected.append(row @ rates)
        turning.append((Ai.T @ axis2) @ (Ai.T @ Aj @ (Bj @ rates) - Bi @ rates))
    record("rate of s_i . s_j", product.rate, expected, rounding(10), "equation 9.2.65", "closed form")
    record("rate of the relative angle", hinge.rate, turning, rounding(10), "equation 9.2.62", "closed form")


def test_motion_on_a_circle(record):
    """Examples 9.1.7 and 9.1.9: a point on a circle.

    R = 0.4, omega = 3, through a turn: r = R (cos, sin, 0), and r'' = -omega^2 r.
    """
    R, w = 0.4, 3.0
    model = Model("circle")
    disk = model.add(Body(), name="disk")
    hinge = model.add(Revolute(model.ground.at(), disk.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(w)), name="motor")
    times = np.linspace(0.0, 2 * math.pi / w, 73)
    point = kinematics(model, times)[disk.at(R, 0, 0)]
    c, s, zero = R * np.cos(w * times), R * np.sin(w * times), 0 * times
    circle, across = np.stack([c, s, zero], axis=1), np.stack([-s, c, zero], axis=1)
    record("r", point.position, circle, rounding(), "Example 9.1.7")
    record("r'", point.velocity, w * across, rounding(10), "Example 9.1.7")
    record("r''", point.acceleration, -(w**2) * circle, rounding(10), "Example 9.1.9")


def test_angle_in_four_quadrants(record):
    """Example 9.2.3: the angle between two bodies in all four quadrants.

    Turns about a common z axis from -165 to 180 degrees in steps of 15, bodies at an arbitrary attitude.
    """
    degrees = np.arange(-165, 181, 15)
    attitude = rotation.from_axis_angle((1, -2, 0.5), 0.8)
    found = []
    for turn in np.radians(degrees):
        model = Model("two bodies")
        one = model.add(Body(orientation=attitude), name="one")
        turned = rotation.multiply(attitude, rotation.from_axis_angle((0, 0, 1), turn))
        two = model.add(Body(orientation=turned), name="two")
        found.append(assemble(model)[angle(one.at(), two.at())].value - turn)
    apart = [math.remainder(gap, 2 * math.pi) for gap in found]
    record("theta, whole turns apart", apart, np.zeros(degrees.size), ARITHMETIC, "equation 9.2.31")


def test_identities(record):
    """Equations 9.3.20 to 9.3.37: identities of Euler parameters.

    At 25 random unit vectors p, with random rates square to them.
    """
    rng = np.random.default_rng(3)
    products, rates = [], []
    for p in rng.standard_normal((25, 4)):
        p = p / np.linalg.norm(p)
        p_rate = rng.standard_normal(4)
        p_rate -= (p @ p_rate) * p
        E, G, E1, G1 = rotation.E(p), rotation.G(p), rotation.E(p_rate), rotation.G(p_rate)
        eye, four = np.eye(3), np.eye(4) - np.outer(p, p)
        pairs = (E @ p, 0), (G @ p, 0), (E @ E.T, eye), (G @ G.T, eye), (E.T @ E, four), (G.T @ G, four)
        products.append([np.abs(a - b).max() for a, b in (*pairs, (E @ G.T, rotation.matrix(p)))])
        omega_b, omega = 2 * G @ p_rate, 2 * E @ p_rate
        pairs = (
            (E1 @ G.T, E @ G1.T),
            (G @ p_rate, -G1 @ p),
            (2 * E1 @ G.T, rotation.matrix(p) @ rotation.skew(omega_b)),
            (2 * E1 @ G.T, rotation.skew(omega) @ rotation.matrix(p)),
            (rotation.angular_velocity(p, p_rate), omega),
            (rotation.angular_velocity_b(p, p_rate), omega_b),
            (rotation.rates(p, omega_b), p_rate),
        )
        rates.append([np.abs(a - b).max() for a, b in pairs])
    record("differences of both sides", products, np.zeros((25, 7)), ARITHMETIC, "equations 9.3.20 to 9.3.26")
    record("the same, of rates", rates, np.zeros((25, 7)), ARITHMETIC, "equations 9.3.27 to 9.3.37")
    record.erratum(
        "Haug, equations 9.3.28, 9.3.29 and 9.3.32",
        "dots are misplaced: E p' = -E' p, G p' = -G' p, and the skew matrix of G p' is G G'^T.",
    )


def test_products_of_vectors(record):
    """Examples 9.1.4 and 9.1.5: scalar and vector product.

    a = (1, 2, 3), b = (-1, 1, -1). In a frame with x along a and b in its xy plane, b has the components
    (b cos theta, b sin theta, 0).
    """
    a, b = (1.0, 2.0, 3.0), (-1.0, 1.0, -1.0)
    frame = rotation.from_axes(x=a, y=b)
    along, across, out = rotation.rotate(rotation.inverse(frame), b)
    theta = math.atan2(across, along)
    record("norm of b", math.hypot(along, across, out), math.sqrt(3), ARITHMETIC, "Example 9.1.4")
    record("cos theta", along / math.sqrt(3), -2 / math.sqrt(42), ARITHMETIC, "Example 9.1.4")
    record("theta, or 2 pi - theta", (theta, 2 * math.pi - theta), (1.88, 4.40), digits(2), "Example 9.1.4")
    tilde = [[0, -3, 2], [3, 0, -1], [-2, 1, 0]]
    record("the matrix of the vector product", rotation.skew(a), tilde, ARITHMETIC, "Example 9.1.5")
    record("a x b", rotation.skew(a) @ b, (-5, -2, 3), ARITHMETIC, "Example 9.1.5")


def test_frame_from_three_points(record):
    """Problem 9.1.8: a frame from three points, Q on its x axis and R in its xy plane.

    P = (1, 1, 1), Q = (2, 1, 0), R = (2, 2, 0), by the method of Example 9.1.6.
    """
    p = rotation.from_points((1, 1, 1), (2, 1, 0), (2, 2, 0), axes="xy")
    _axes(record, p, (HALF, 0, -HALF), (0, 1, 0), (HALF, 0, HALF), "Problem 9.1.8", "closed form")


def test_frame_from_two_directions(record):
    """Problems 9.2.1 and 9.2.2: a frame from two directions.

    x' along a = (1, 1, 1), b = (1, 1, 0) in the first quadrant of the x'y' plane.
    """
    p = rotation.from_axes(x=(1, 1, 1), y=(1, 1, 0))
    f, g = np.array((1, 1, 1)) / math.sqrt(3), np.array((1, 1, -2)) / math.sqrt(6)
    _axes(record, p, f, g, (-HALF, HALF, 0), "Problem 9.2.2", "closed form")
    b = rotation.rotate(rotation.inverse(p), (HALF, HALF, 0))
    record("b in the frame", b, (math.sqrt(2 / 3), math.sqrt(1 / 3), 0), ARITHMETIC, "Problem 9.2.2", "closed form")


def test_inclined_frame(record):
    """Example 9.2.1: a frame whose z' axis is fixed in the xy plane, with x' at an angle phi above it.

    f = (c/sqrt 2, c/sqrt 2, s), h = (1, -1, 0)/sqrt 2, for phi from -180 to 180 degrees in steps of 15: Euler
    parameters of these two directions, and the matrix back from them.
    """
    phi = np.radians(np.arange(-180, 181, 15))
    c, s, one = np.cos(phi), np.sin(phi), np.ones_like(phi)
    f, g = np.stack([HALF * c, HALF * c, s], axis=1), np.stack([-HALF * s, -HALF * s, c], axis=1)
    h = np.stack([HALF * one, -HALF * one, 0 * one], axis=1)
    p = np.array([rotation.from_axes(x=x, z=z) for x, z in zip(f, h, strict=True)])
    _axes(record, p, f, g, h, "Example 9.2.1", "printed")


def test_turn_about_z(record):
    """Examples 9.2.2, 9.2.4 and 9.2.5, Problem 9.3.3: a turn about z, and the motion of a point.

    phi = 0.7, phi' = -1.3, phi'' = 2.1 and s' = (1, 1, 1). A = E G^T is bilinear in p, so that velocity and
    acceleration follow from p' and p'' alone.
    """
    phi, rate, growth = 0.7, -1.3, 2.1
    c, s = math.cos(phi), math.sin(phi)
    A = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    p = rotation.from_axis_angle((0, 0, 1), phi)
    record("direction cosines", rotation.matrix(p), A, ARITHMETIC, "equation 9.2.17")
    axis, angle = rotation.axis_angle(rotation.from_matrix(A))
    record("axis and angle back", (*axis, angle), (0, 0, 1, phi), ARITHMETIC, "Problem 9.3.3", "closed form")

    p_rate = rotation.rates(p, (0, 0, rate))
    p_growth = rotation.second_rates(p, (0, 0, rate), (0, 0, growth))
    omega, omega_b = rotation.angular_velocity(p, p_rate), rotation.angular_velocity_b(p, p_rate)
    record("omega", omega, (0, 0, rate), ARITHMETIC, "Example 9.2.4")
    record("omega'", omega_b, (0, 0, rate), ARITHMETIC, "Example 9.2.4")

    (e0, e1, e2), (g0, g1, g2) = ([matrix(q) for q in (p, p_rate, p_growth)] for matrix in (rotation.E, rotation.G))
    point = np.ones(3)
    velocity = (e1 @ g0.T + e0 @ g1.T) @ point
    acceleration = (e2 @ g0.T + 2 * e1 @ g1.T + e0 @ g2.T) @ point
    across, inward = np.array((-c - s, c - s, 0)), np.array((s - c, -c - s, 0))
    record("velocity of the point", velocity, across * rate, ARITHMETIC, "Example 9.2.5")
    record("acceleration", acceleration, across * growth + inward * rate**2, ARITHMETIC, "Example 9.2.5")


def test_turn_about_the_diagonal(record):
    """Example 9.3.1 and Problem 9.3.2: a turn about the diagonal (1, 1, 1).

    The matrix for phi from 0 to 360 degrees in steps of 15, and the cone that s' = (1, 0, 0) sweeps.
    """
    phi = np.radians(np.arange(0, 361, 15))
    c, s = np.cos(phi / 2), np.sin(phi / 2)
    same, back, ahead = c * c + s * s / 3 - 0.5, s * s / 3 - s * c / math.sqrt(3), s * s / 3 + s * c / math.sqrt(3)
    A = 2 * np.moveaxis(np.array([[same, back, ahead], [ahead, same, back], [back, ahead, same]]), -1, 0)
    p = rotation.from_axis_angle((1, 1, 1), phi)
    record("direction cosines", rotation.matrix(p), A, ARITHMETIC, "Example 9.3.1")
    found = rotation.continuous(rotation.from_matrix(A))
    record("Euler parameters back from them", found, p, ARITHMETIC, "equations 9.3.12 to 9.3.17", "closed form")

    images = rotation.rotate(p, (1, 0, 0))
    height = images @ np.ones(3) / math.sqrt(3)
    record(
        "s along the axis: a cone",
        height,
        np.full(phi.shape, 1 / math.sqrt(3)),
        ARITHMETIC,
        "Example 9.3.1",
        "statement",
    )
    for degrees, image, kind in (
        (0, (1, 0, 0), "printed"),
        (120, (0, 1, 0), "closed form"),
        (240, (0, 0, 1), "printed"),
        (360, (1, 0, 0), "printed"),
    ):
        record(f"s at {degrees} degrees", images[degrees // 15], image, ARITHMETIC, "Problem 9.3.2", kind)
    record.erratum(
        "Haug, Problem 9.3.2",
        "s(120 degrees) = (0, 0, 1), the same as at 240 degrees; it is (0, 1, 0), by the matrix of Example 9.3.1.",
    )


def test_joint_frame(record):
    """Example 9.4.1: the joint definition frame of an oblique hinge.

    z'' along h = (0, 0, 1), x'' along f = (1, -1, 0)/sqrt 2, in body coordinates; also from points P, Q, R at any
    distances.
    """
    C = [[HALF, HALF, 0], [-HALF, HALF, 0], [0, 0, 1]]
    by_axes = rotation.matrix(rotation.from_axes(z=(0, 0, 1), x=(HALF, -HALF, 0)))
    by_points = rotation.matrix(rotation.from_points((1, 2, 3), (1, 2, 3.25), (4, -1, 5)))
    record("C from directions", by_axes, C, ARITHMETIC, "Example 9.4.1")
    record("C from points", by_points, C, ARITHMETIC, "Example 9.4.1")


def _axes(record, p, f, g, h, source, kind):
    """Compare the three axes of a frame, or of a stack of frames."""
    A = rotation.matrix(p)
    for column, (name, axis) in enumerate((("f", f), ("g", g), ("h", h))):
        record(name, A[..., column], axis, ARITHMETIC, source, kind)
