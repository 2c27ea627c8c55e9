"""DADS-2D: sample problems 1 to 3 of the report.

Joints of bodies that slide are given there by the feet of two perpendiculars on the common line of sliding, which are
translated into markers here.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import kinematics, mobility, quasi_static
from cardan.planar import Body, Driver, Fixed, Harmonic, Model, Ramp, Revolute, Translational, angle, x, y
from verification.equations import Equations
from verification.manual import Within, digits, rounding

# t, phi4, phi5, y7: Table 6.2.2, which stands upside down in the scan; None where a digit cannot be read
PEAUCELLIER = (
    (0.0, -0.78539, 1.5708, 0.0),
    (0.5, -0.7603, None, None),
    (1.0, -0.73539, 1.6195, None),
    (1.5, -0.7103, 1.6430, None),
    (2.0, -0.6853, None, None),
    (2.5, -0.6603, 1.6879, 1.2565),
    (3.0, -0.6353, 1.7095, 1.5113),
    (3.5, -0.6102, 1.7304, 1.7680),
    (4.0, -0.5851, 1.7506, 2.0271),
    (4.5, -0.5600, 1.7702, None),
    (5.0, -0.5349, 1.7891, 2.5536),
    (5.5, -0.5096, 1.8074, 2.8214),
    (6.0, -0.4843, 1.8250, 3.0933),
    (6.5, -0.4589, None, 3.3694),
    (7.0, -0.4334, 1.8581, 3.6502),
    (7.5, -0.4078, 1.8736, 3.9362),
    (8.0, -0.3820, 1.8883, 4.2279),
    (8.5, -0.3560, 1.9023, 4.5258),
    (9.0, -0.3298, 1.9155, 4.8305),
    (9.5, -0.3034, 1.9279, 5.1427),
)


def test_slider_crank(record):
    """Problem 6.1: slider-crank.

    Crank 14.142, rod 21.211, guide 5 below the crank's axis; phi2 = pi/4 + t/2, 10 s, output every 0.1 s. Twelve
    coordinates with the ground as a body, twelve equations with the driver.
    """
    model = Model("slider-crank")
    ground = model.add(Body(), name="body 1")
    crank = model.add(Body(position=(5.0, 5.0), angle=math.pi / 4, mass=15.0, inertia=20.0), name="body 2")
    rod = model.add(Body(position=(15.0, 5.0), angle=-math.pi / 4, mass=20.0, inertia=25.0), name="body 3")
    slider = model.add(Body(position=(25.0, -5.0), mass=5.0, inertia=2.0), name="body 4")
    model.add(Fixed(model.ground.at(), ground.at()), name="earth")
    model.add(Revolute(ground.at(), crank.at(-7.071, 0)), name="RVLT1")
    model.add(Revolute(crank.at(7.071, 0), rod.at(-7.071, 0)), name="RVLT2")
    model.add(Revolute(rod.at(14.14, 0), slider.at()), name="RVLT3")
    model.add(Translational(slider.at(0, -1), ground.at(0, -6)), name="TRAN1")
    model.add(Driver(angle(model.ground.at(), crank.at()), Ramp(0.5, math.pi / 4)), name="driver")
    report = mobility(model)
    J = Equations(model).at(np.zeros(12)).J
    record.fact("size of the Jacobian", J.shape, (12, 12), "Figure 6.1.2")
    record.fact("rank with driver", report.rank + report.driver_equations, 12, "Figure 6.1.2", "statement")
    run = kinematics(model, np.linspace(0.0, 10.0, 101))
    phi, w, r, L = math.pi / 4 + run.times / 2, 0.5, 14.142, 21.211
    h, hv, ha = r * np.sin(phi) + 5, r * w * np.cos(phi), -r * w * w * np.sin(phi)
    root = np.sqrt(L * L - h * h)
    place, speed = r * np.cos(phi) + root, -r * w * np.sin(phi) - h * hv / root
    acceleration = -r * w * w * np.cos(phi) - (hv**2 + h * ha) / root - (h * hv) ** 2 / root**3
    record("x4", run[slider].position[:, 0], place, rounding(100), "section 6.1", "closed form")
    record("x4'", run[slider].velocity[:, 0], speed, rounding(100), "section 6.1", "closed form")
    record("x4''", run[slider].acceleration[:, 0], acceleration, rounding(100), "section 6.1", "closed form")
    record("x4 at t = 0", run[slider].position[0, 0], 25.0, Within(2e-2, "the data have four digits"), "Table 6.1.1")


@pytest.mark.parametrize("estimate", ["as printed", "consistent"])
def test_peaucellier_lipkin(record, estimate):
    """Problem 6.2: Peaucellier-Lipkin exact straight-line mechanism.

    Eight bodies, ten revolutes, triple pins as two revolutes; AC = CB = BF = FA = 14.142, DC = DF = 10, EA = ED = 5. B,
    the origin of body 7, moves on a straight line. Estimates as in Table 6.2.1, where bodies 5 and 6 stand at angle 0,
    and with these two upright.
    """
    upright = math.pi / 2 if estimate == "consistent" else 0.0
    model = _peaucellier(upright)
    report = mobility(model)
    counts = report.coordinates, report.equations, report.degrees_of_freedom
    record.fact(f"nc, nh, degrees of freedom, estimate {estimate}", counts, (24, 23, 1), "section 6.2")
    model.add(Driver(angle(model.ground.at(), model["body 2"].at()), Ramp(0.1)), name="driver")
    analysis = quasi_static if estimate == "consistent" else kinematics
    run = analysis(model, np.linspace(0.0, 9.5, 96))
    b = run["body 7"]
    half = run.times / 20
    inversion = 14.142**2 - 10.0**2
    record(f"x7, estimate {estimate}", b.position[:, 0], np.full(96, 15.0), digits(2), "Table 6.2.2")
    straight = np.full(96, 5 + inversion / 10)
    record(f"x7, estimate {estimate}", b.position[:, 0], straight, rounding(100), "D + R^2 / 2 c", "closed form")
    record(
        f"y7, estimate {estimate}",
        b.position[:, 1],
        inversion / 10 * np.tan(half),
        rounding(100),
        "inversion",
        "closed form",
    )
    a = run[model["body 2"].at(-2.5, 0)].position
    product = np.hypot(*(a - (5, 0)).T) * np.hypot(*(b.position - (5, 0)).T)
    record(
        f"DA times DB, estimate {estimate}",
        product,
        np.full(96, inversion),
        rounding(1000),
        "section 6.2",
        "closed form",
    )
    if estimate == "as printed":
        return
    for t, phi4, phi5, y7 in PEAUCELLIER:
        k = round(10 * t)
        names = ("phi4", "phi7", "phi5", "y7")
        found = run["body 4"].angle[k], b.angle[k], run["body 5"].angle[k], b.position[k, 1]
        rows = zip(names, found, (phi4, phi4, phi5, y7), strict=True)
        legible = [row for row in rows if row[2] is not None]
        record(
            f"{', '.join(name for name, *_ in legible)} at t = {t}",
            [ours for _, ours, _ in legible],
            [printed for *_, printed in legible],
            Within(3e-4, "the source's link lengths have four digits"),
            "Table 6.2.2",
        )
    record.erratum("DADS-2D, section 6.2", "the driver is printed as phi2 = t/100; Table 6.2.2 belongs to phi2 = t/10.")
    record.erratum(
        "DADS-2D, Table 6.2.1",
        "in the scan joint 4 has -5.00 for its end on body 5 and joint 5 +14.142 for its "
        "end on body 7; the linkage closes with +5.00 and -14.142. Bodies 5 and 6 start upright, phi = pi/2, as "
        "Table 6.2.2 shows for body 5.",
    )


def test_link_gear_multiplier(record):
    """Problem 6.3: link-gear multiplier.

    Twelve bodies, five revolutes, ten translational joints, three drivers (Table 6.3.1): x6 = y3 x12 / y11. The inputs
    of the report are lost; y3 = 10 + 2 sin t, y11 = 20 + 0.3 t, x12 = 20 - 3 sin 0.7 t are used, 10 s, every 0.1 s.
    """
    model, part = _multiplier()
    report = mobility(model)
    counts = report.coordinates, report.equations, report.rank, report.degrees_of_freedom
    record.fact("nc, nh, rank, degrees of freedom without the fixed body", counts, (33, 30, 30, 3), "section 6.3")
    inputs = Harmonic(2.0, 1.0, offset=10.0), Ramp(0.3, 20.0), Harmonic(-3.0, 0.7, offset=20.0)
    for number, measure, motion in ((3, y, inputs[0]), (11, y, inputs[1]), (12, x, inputs[2])):
        model.add(Driver(measure(part[number].at()), motion), name=f"input {number}")
    run = kinematics(model, np.linspace(0.0, 10.0, 101))
    (y3, v3, _), (y11, v11, _), (x12, v12, _) = (motion.derivatives(run.times) for motion in inputs)
    product = y3 * x12 / y11
    record("x6", run[part[6]].position[:, 0], product, rounding(100), "section 6.3", "closed form")
    rate = (v3 * x12 + y3 * v12) / y11 - product * v11 / y11
    record("x6'", run[part[6]].velocity[:, 0], rate, rounding(100), "section 6.3", "closed form")
    record("x2, the output link", run[part[2]].position[:, 0], product, rounding(100), "section 6.3", "closed form")
    record.erratum(
        "DADS-2D, section 6.3",
        "the links have slots for connections with bodies 5 and 8, not 5 and 12; in the scan of Table 6.3.1 joint 6 "
        "has 1.8 for its foot on ground, which must be 1.0 if body 2 starts at y = 2.",
    )


def _peaucellier(upright):
    """Table 6.2.1, repaired; E = (0, 0), D = (5, 0), A = (-5, 0), C = (5, 10), F = (5, -10), B = (15, 0)."""
    model = Model("Peaucellier-Lipkin")
    quarter = math.pi / 4
    poses = {
        1: (0, 0, 0),
        2: (-2.5, 0, 0),
        3: (0, 5, quarter),
        4: (0, -5, -quarter),
        5: (5, 5, upright),
        6: (5, -5, upright),
        7: (15, 0, -quarter),
        8: (10, -5, quarter),
    }
    part = {n: model.add(Body(position=(px, py), angle=phi), name=f"body {n}") for n, (px, py, phi) in poses.items()}
    model.add(Fixed(model.ground.at(), part[1].at()), name="earth")
    joints = (
        (1, 2, 0.0, 2.5),
        (2, 3, -2.5, -7.071),
        (2, 4, -2.5, -7.071),
        (3, 5, 7.071, 5.0),
        (3, 7, 7.071, -14.142),
        (5, 1, -5.0, 5.0),
        (6, 1, 5.0, 5.0),
        (4, 6, 7.071, -5.0),
        (4, 8, 7.071, -7.071),
        (7, 8, 0.0, 7.071),
    )
    for number, (i, j, xi, xj) in enumerate(joints, start=1):
        model.add(Revolute(part[i].at(xi, 0), part[j].at(xj, 0)), name=f"joint {number}")
    return model


def _multiplier():
    """Table 6.3.1. A sliding pair is given by feet (x, y) of perpendiculars on the line: the line is normal to them."""
    model = Model("link-gear multiplier")
    poses = {
        2: (10, 2, 0),
        3: (-2, 10, 0),
        4: (5, 5, 0.7854),
        5: (10, 10, 0),
        6: (10, 10, 0.7854),
        7: (10, 10, 0),
        8: (20, 20, 0),
        9: (20, 20, 0.7854),
        10: (20, 20, 0),
        11: (5, 20, 0),
        12: (20, 30, 0),
    }
    part = {n: model.add(Body(position=(px, py), angle=phi), name=f"body {n}") for n, (px, py, phi) in poses.items()}
    part[1] = model.ground
    for i, j, xj in ((1, 4, -7.071), (5, 6, 0.0), (6, 7, 0.0), (8, 9, 0.0), (9, 10, 0.0)):
        model.add(Revolute(part[i].at(), part[j].at(xj, 0)), name=f"RVLT {i}-{j}")
    slides = (
        (1, 2, (0, 1), (0, -1)),
        (1, 3, (-1, 0), (1, 0)),
        (1, 11, (2.5, 0), (-2.5, 0)),
        (1, 12, (0, 25), (0, -5)),
        (3, 5, (0, -1), (0, -1)),
        (4, 6, (0, 1), (0, 1)),
        (2, 7, (4, 0), (4, 0)),
        (11, 8, (0, -1), (0, -1)),
        (4, 9, (0, 1), (0, 1)),
        (12, 10, (1, 0), (1, 0)),
    )
    for i, j, foot_i, foot_j in slides:
        along = 0.0 if foot_i[0] == 0 else math.pi / 2
        joint = Translational(part[i].at(*foot_i, along), part[j].at(*foot_j, along))
        model.add(joint, name=f"TRAN {i}-{j}")
    return model, part
