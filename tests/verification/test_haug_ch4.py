"""Haug, chapter 4: sparse Jacobian and Newton's method.

Newton's method is followed step by step on the program's own equations and Jacobians.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import AssemblyError, LockUp, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    Driver,
    Fixed,
    Hold,
    Model,
    Ramp,
    Revolute,
    angle,
    constraint,
    x,
    y,
)
from verification.equations import Equations
from verification.manual import Within, digits, rounding

TABLE_1 = ((2.0, 0.5, 2.0), (1.75, 0.0625, 1.5), (1.708333, 0.001736, 1.416667), (1.707108, 0.000002, 1.414216))


TABLE_2 = (
    (1.000000, 0.085786, 0.585786),
    (0.853553, 0.021447, 0.292893),
    (0.780330, 0.005362, 0.146447),
    (0.743718, 0.001340, 0.073223),
    (0.725413, 0.000335, 0.036612),
    (0.716260, 0.000084, 0.018306),
    (0.711683, 0.000021, 0.009153),
    (0.709395, 0.000005, 0.004576),
    (0.708251, 0.000001, 0.002288),
    (0.707679, 0.000000, 0.001144),
    (0.707393, 0.000000, 0.000572),
    (0.707250, 0.000000, 0.000286),
    (0.707178, 0.000000, 0.000143),
    (0.707143, 0.000000, 0.000072),
    (0.707125, 0.000000, 0.000036),
    (0.707116, 0.000000, 0.000018),
    (0.707111, 0.000000, 0.000009),
    (0.707109, 0.000000, 0.000004),
)


TABLE_3 = (
    (1.000000, 0.734633, 1.234633),
    (0.404979, 0.354050, 0.044590),
    (-7.535093, 63.044735, -15.835553),
    (-3.553878, 15.850071, -7.873125),
    (-1.540691, 4.052922, -3.846749),
    (-0.487094, 1.110066, -1.739555),
    (0.151038, 0.407213, -0.463291),
    (1.029996, 0.772566, 1.294626),
)


@constraint
def coupler(q, t, L=0.5):
    return (q - math.cos(t)) ** 2 + math.sin(t) ** 2 - L * L


@constraint
def cube_root(q):
    return (q - 1.0) ** (1.0 / 3.0) if q > 1.0 else -((1.0 - q) ** (1.0 / 3.0))


@constraint
def cubic(q):
    return q**3 - 4.0 * q + 4.0


def test_sparse_jacobian(record):
    """Example 4.2.1: the sparse Jacobian of a four-bar mechanism.

    Links 2, 4, 4, pivots 2 apart, ground as body 4 under absolute x, y and angle; revolutes in global axes, as the book
    writes them; driver phi1 = omega t. Entries are evaluated at a general position, phi4 = 0.1 included.
    """
    w = 2.0
    model = Model("four-bar")
    one, two, three, four = (model.add(Body(), name=f"body {k}") for k in (1, 2, 3, 4))
    pins = (
        (one.at(-1, 0), four.at()),
        (one.at(1, 0), two.at(-2, 0)),
        (two.at(2, 0), three.at(2, 0)),
        (three.at(-2, 0), four.at(2, 0)),
    )
    for i, j in pins:
        model.add(Hold(x(j) - x(i), 0.0))
        model.add(Hold(y(j) - y(i), 0.0))
    model.add(Hold(x(four.at()), 0.0), name="x4")
    model.add(Hold(y(four.at()), 0.0), name="y4")
    model.add(Hold(angle(model.ground.at(), four.at()), 0.0), name="phi4")
    model.add(Driver(angle(model.ground.at(), one.at()), Ramp(w)), name="motor")
    phi = (0.3, 0.7, 1.1, 0.1)
    q = np.zeros(12)
    q[2::3] = phi
    speeds = np.arange(1.0, 13.0)
    at = Equations(model).at(q, 0.0, speeds)
    record.fact("entries", at.J.size, 144, "Example 4.2.1")
    record.fact("of which nonzero", int(np.count_nonzero(np.abs(at.J) > 1e-12)), 34, "Example 4.2.1")
    record("Jacobian", at.J, _jacobian_4_2_6(phi), rounding(), "equation 4.2.6")
    record("nu", at.nu, [0.0] * 11 + [w], rounding(), "Example 4.2.1")
    record("gamma 9 to 12", at.gamma[8:], np.zeros(4), rounding(), "Example 4.2.1")
    record(
        "gamma 1 to 8", at.gamma[:8], _gamma_4_2_4(phi, speeds[2::3]), rounding(1000), "equation 4.2.4", "closed form"
    )
    record.note(
        "`Revolute` writes its two equations in the axes of its first marker, so that its multipliers are the "
        "reaction in the joint frame; its Jacobian has other zeros. The rows here are the book's."
    )


def test_ground_body_under_fixed(record):
    """Example 4.2.1 with joints: ground as a body under `Fixed`.

    The same four-bar with `Revolute` joints and the ground body welded: 12 equations, one freedom, and the motion of
    the model whose joints end on ground directly.
    """
    runs = []
    for welded in (True, False):
        model = Model("four-bar")
        base = model.add(Body(), name="base") if welded else model.ground
        if welded:
            model.add(Fixed(model.ground.at(), base.at()), name="weld")
        one = model.add(Body(position=(1.0, 0.5), angle=0.5), name="one")
        two = model.add(Body(position=(3.5, 2.5), angle=0.6), name="two")
        three = model.add(Body(position=(3.5, 1.8), angle=1.1), name="three")
        pin = model.add(Revolute(base.at(), one.at(-1, 0)), name="A")
        model.add(Revolute(one.at(1, 0), two.at(-2, 0)), name="B")
        model.add(Revolute(two.at(2, 0), three.at(2, 0)), name="C")
        model.add(Revolute(three.at(-2, 0), base.at(2, 0)), name="D")
        report = mobility(model)
        expected = (12, 11, 1) if welded else (9, 8, 1)
        counts = report.coordinates, report.equations, report.degrees_of_freedom
        base_is, kind = ("welded body", "printed") if welded else ("ground itself", "closed form")
        record.fact(f"nc, nh, degrees of freedom, {base_is}", counts, expected, "Example 4.2.1", kind)
        model.add(Driver(pin.angle, Ramp(1.0, 0.5)), name="motor")
        runs.append(kinematics(model, np.linspace(0, 2, 21))["two"])
    record("coupler, both models", runs[0].position, runs[1].position, rounding(10), "Example 4.2.1", "statement")


@pytest.mark.parametrize(
    ("name", "time", "start", "table"),
    [("4.3.1", 0.0, 2.0, TABLE_1), ("4.3.2", math.pi / 4, 1.0, TABLE_2), ("4.3.3", 3 * math.pi / 8, 1.0, TABLE_3)],
)
def test_newton_tables(record, name, time, start, table):
    """Example 4.3.1, Tables 4.3.1 to 4.3.3: Newton's method at a regular, a singular and an infeasible time.

    (q - cos t)^2 + sin^2 t = 1/2 as a user's constraint on a slider. At t = 0 convergence is quadratic, at the lock-up
    t = pi/4 linear with factor 1/2, at t = 3 pi/8 there is no solution. The program itself does not start in the second
    and refuses the third.
    """
    model = _on_axis(coupler, start, L=math.sqrt(0.5))
    equations = Equations(model)
    iterates = equations.newton([start, 0, 0], time, len(table) - 1)[:, 0]
    rows = [equations.at([q, 0, 0], time) for q in iterates]
    ours = np.array([[q, at.phi[0], at.J[0, 0]] for q, at in zip(iterates, rows, strict=True)])
    within = (
        digits(6) if name != "4.3.3" else Within(2e-6, "errors of the source's single precision grow by the iteration")
    )
    source = f"Table {name}" if name == "4.3.2" else f"Table {name}, misprints corrected"
    record(f"q, Phi, Phi_q, {len(table)} rows, Table {name}", ours, np.array(table), within, source)
    if name == "4.3.1":
        error = np.abs(iterates - (1 + math.sqrt(0.5)))
        ratios = error[1:] / error[:-1] ** 2
        record("e(k+1) / e(k)^2", ratios, [0.5, 0.67, 0.71], Within(0.01, "two digits"), "Example 4.3.1", "recomputed")
        record.erratum(
            "Haug, Table 4.3.1",
            "row 2 has Phi_q = 1.416667 (printed 1.416607), row 3 Phi = 0.000002; the "
            "text's c = 0.06 for quadratic convergence is 0.6 to 0.7.",
        )
    elif name == "4.3.2":
        error = iterates - math.sqrt(0.5)
        record(
            "e(k+1) / e(k)",
            error[1:9] / error[:8],
            np.full(8, 0.5),
            Within(1e-3, "the factor's limit"),
            "Example 4.3.1",
            "closed form",
        )
        with pytest.raises(LockUp):
            kinematics(_on_axis(coupler, 0.707, L=math.sqrt(0.5)), [math.pi / 4, 0.8])
        record.note("Rows 18 to 20 of Table 4.3.2 show the source's single precision and are left out.")
    else:
        with pytest.raises(AssemblyError) as refused:
            assemble(model, time=time)
        record.fact(
            "assembly at t = 3 pi/8", type(refused.value).__name__, "AssemblyError", "Example 4.3.1", "statement"
        )
        record.note("From row 8 of Table 4.3.3 on, the sequence depends on the last digits and is left out.")
        record.erratum(
            "Haug, Table 4.3.3",
            "Phi_q of row 7 is 1.294626 (printed 1.294024); dq of row 9 is 1.786390 and "
            "Phi_q of row 14 is 1.036370, by the printed q.",
        )


def test_newton_failures(record):
    """Problems 4.5.1 and 4.5.2: Newton's method diverges and cycles.

    (q - 1)^(1/3) from q = 2; q^3 - 4 q + 4 from q = 1.5. Assembly from 1.5 minimizes: it ends in the local minimum
    2/sqrt 3, says that 4 - 16/(3 sqrt 3) stays open, and asks for a better estimate; from -2 it finds the root.
    """
    diverging = Equations(_on_axis(cube_root, 2.0)).newton([2.0, 0, 0], 0.0, 5)[:, 0]
    record(
        "iterates of (q - 1)^(1/3)", diverging, [2, -1, 5, -7, 17, -31], rounding(100), "Problem 4.5.1", "recomputed"
    )
    cycle = Equations(_on_axis(cubic, 1.5)).newton([1.5, 0, 0], 0.0, 6)[:, 0]
    record("iterates of q^3 - 4 q + 4", cycle, [1.5, 1, 2, 1.5, 1, 2, 1.5], rounding(10), "Problem 4.5.2", "recomputed")
    with pytest.raises(AssemblyError) as refused:
        assemble(_on_axis(cubic, 1.5))
    gap = refused.value.partial.violation
    minimum = Within(1e-6, "the search stops where the gap no longer falls")
    record("what stays open from 1.5", gap, 4 - 16 / (3 * math.sqrt(3)), minimum, "Problem 4.5.2", "closed form")
    root = assemble(_on_axis(cubic, -2.0))["slider"].position[0]
    record("root found by assembly", root, -2.382976, digits(6), "Problem 4.5.2", "recomputed")


def test_newton_on_four_bar(record):
    """Problem 4.5.3: quadratic convergence on the four-bar of Example 3.5.2.

    omega = pi, t = 1/3, start [pi/3, 5, 4, 0.2, 0.9], tolerances 1e-5.
    """
    model = Model("four-bar")
    one, two = model.add(Body(), name="one"), model.add(Body(), name="two")
    three = model.add(Body(), name="three")
    for marker, place in ((one.at(), (0, 0)), (three.at(), (4, 0))):
        model.add(Hold(x(marker), place[0]))
        model.add(Hold(y(marker), place[1]))
    for a, b in ((one.at(4, 0), two.at(-3, 0)), (two.at(3, 0), three.at(6, 0))):
        model.add(Hold(x(b) - x(a), 0.0))
        model.add(Hold(y(b) - y(a), 0.0))
    model.add(Driver(angle(model.ground.at(), one.at()), Ramp(math.pi)))
    start = [0, 0, math.pi / 3, 5, 4, 0.2, 4, 0, 0.9]
    iterates = Equations(model).newton(start, 1 / 3, 5)[:, [2, 3, 4, 5, 8]]
    final = iterates[-1]
    phi2, phi3 = _four_bar_angles(math.pi / 3)
    exact = [math.pi / 3, 2 + 3 * math.cos(phi2), 2 * math.sqrt(3) + 3 * math.sin(phi2), phi2, phi3]
    record("solution", final, exact, rounding(10), "Example 3.5.2", "closed form")
    printed = [math.pi / 3, 4.94949, 4.01229, 0.18376, 0.86344]
    record("solution", final, printed, digits(5), "Problem 4.5.3, y2 corrected")
    error = np.linalg.norm(iterates - final, axis=1)
    record(
        "error at the start and after one step",
        error[:2],
        [6.6e-2, 2.9e-3],
        Within(1e-3, "two digits"),
        "Problem 4.5.3",
        "recomputed",
    )
    record.above("1e-5 / error after two steps", 1e-5 / error[2], 1.0, "Problem 4.5.3", "recomputed")
    record.erratum("Haug, Problem 4.5.3", "y2 = 4.01222 is printed; it is 4.01229.")


def _on_axis(equation, start, **settings):
    """A slider on the x axis whose x coordinate obeys one equation."""
    model = Model("one coordinate")
    slider = model.add(Body(position=(start, 0.0)), name="slider")
    model.add(equation(x(slider.at()), **settings), name="equation")
    model.add(Hold(y(slider.at()), 0.0), name="axis")
    model.add(Hold(angle(model.ground.at(), slider.at()), 0.0), name="upright")
    return model


def _jacobian_4_2_6(phi):
    """The matrix that Example 4.2.1 prints."""
    (s1, s2, s3, s4), (c1, c2, c3, c4) = np.sin(phi), np.cos(phi)
    return np.array(
        [
            [-1, 0, -s1, 0, 0, 0, 0, 0, 0, 1, 0, 0],
            [0, -1, c1, 0, 0, 0, 0, 0, 0, 0, 1, 0],
            [-1, 0, s1, 1, 0, 2 * s2, 0, 0, 0, 0, 0, 0],
            [0, -1, -c1, 0, 1, -2 * c2, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, -1, 0, 2 * s2, 1, 0, -2 * s3, 0, 0, 0],
            [0, 0, 0, 0, -1, -2 * c2, 0, 1, 2 * c3, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, -1, 0, -2 * s3, 1, 0, -2 * s4],
            [0, 0, 0, 0, 0, 0, 0, -1, 2 * c3, 0, 1, 2 * c4],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
    )


def _gamma_4_2_4(phi, rates):
    """gamma of the four revolutes: A_j s_j phi_j'^2 - A_i s_i phi_i'^2, the arms s on the x axes of the bodies."""
    joints = ((0, -1, 3, 0), (0, 1, 1, -2), (1, 2, 2, 2), (2, -2, 3, 2))
    direction = np.stack([np.cos(phi), np.sin(phi)], axis=1) * np.asarray(rates)[:, None] ** 2
    return np.concatenate([arm_j * direction[j] - arm_i * direction[i] for i, arm_i, j, arm_j in joints])


def _four_bar_angles(phi1):
    """Example 3.5.2: links 4, 6, 6, pivots 4 apart."""
    bx, by = 4 * math.cos(phi1), 4 * math.sin(phi1)
    phi3 = math.atan2(by, bx - 4) - math.acos(math.hypot(bx - 4, by) / 12)
    return math.atan2(6 * math.sin(phi3) - by, 4 + 6 * math.cos(phi3) - bx), phi3
