"""Haug, sections 5.1 and 5.2: five-bar parallelogram and slider-crank.

Assembled positions that the book prints come from a penalty method stopped early: they violate their own joints by up
to 1e-3. They are compared with that tolerance, and tightly with the exact nearest position, computed independently by
minimizing with Lagrange multipliers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from cardan import LockUp, assemble, kinematics, mobility
from cardan.planar import (
    Body,
    Driver,
    Fixed,
    Hold,
    Model,
    Ramp,
    Revolute,
    RevoluteRevolute,
    RevoluteTranslational,
    Translational,
    angle,
    x,
    y,
)
from verification.curves import peak, poses
from verification.equations import Equations
from verification.manual import PENALTY, Within, digits, rounding

TURN = 2.0 * math.pi
PARTS = ("crank", "rod", "slider")


LOCATED = Within(1e-9, "lock-ups are located to 1e-9 of the time span of 1 s")


READ_OFF = Within(0.012, "read from a plot")


FINE = np.linspace(0.0, 1.0, 2001)


PEAK = Within(2e-5, "relative: peaks between 2001 instants, found by a parabola through three of them")


def test_five_bar_ranks(record):
    """Example 5.1.1: five-bar parallelogram, redundancy.

    Cross bars of unit length on ground pivots 0, 1, 2, coupler 4, ground as body 5. Six revolutes: 15 equations of rank
    14. With a revolute-translational joint between bars 3 and 4 instead: 14 of 14.
    """
    full, loose = _five_bar(1.0, slot=False, phi=1.2), _five_bar(1.0, slot=True, phi=1.2)
    report = mobility(full)
    found = report.coordinates, report.equations, report.rank, report.degrees_of_freedom
    record.fact("nc, nh, rank, degrees of freedom, six revolutes", found, (15, 15, 14, 1), "Example 5.1.1")
    record.fact("redundant lies in joint", report.redundant[0][0], "joint 34", "Example 5.1.1", "statement")
    imperfect = mobility(full, imperfect=True)
    record.fact(
        "degrees of freedom with slightly wrong dimensions",
        imperfect.imperfect_degrees_of_freedom,
        0,
        "Example 5.1.1",
        "statement",
    )
    report = mobility(loose)
    found = report.coordinates, report.equations, report.rank, report.degrees_of_freedom
    record.fact("nc, nh, rank, degrees of freedom, slot", found, (15, 14, 14, 1), "Example 5.1.1")
    imperfect = mobility(loose, imperfect=True)
    record.fact(
        "degrees of freedom with slightly wrong dimensions, slot",
        imperfect.imperfect_degrees_of_freedom,
        1,
        "Example 5.1.1",
        "statement",
    )


@pytest.mark.parametrize(("l3", "phi", "rank"), [(1.0, 1.2, 15), (1.0, math.pi / 2, 14), (1.1, math.pi / 2, 15)])
def test_five_bar_driven_rank(record, l3, phi, rank):
    """Example 5.1.1: rank of the driven five-bar.

    With the slot and the driver phi1 = omega t the 15 x 15 Jacobian is singular at phi1 = pi/2 if l3 = 1.
    """
    model = _five_bar(l3, slot=True, phi=phi)
    model.add(Driver(model["joint 15"].angle, Ramp(1.0)), name="motor")
    snapshot = assemble(model, time=phi)
    J = Equations(model).at(snapshot.q[3:], phi).J
    ours = int(np.sum(np.linalg.svd(J, compute_uv=False) > 1e-5))
    record.fact(f"rank at phi1 = {phi:.4g}, l3 = {l3}", ours, rank, "Example 5.1.1", "recomputed")


@pytest.mark.parametrize("l3", [0.9, 1.0, 1.1])
def test_five_bar_motion(record, l3):
    """Example 5.1.1: motion of the five-bar for long, exact and short bar 3.

    phi1 = t from 0.7 s to 2.4 s: bar 3 of 1.1 passes, 1.0 forks at pi/2, 0.9 locks up where sin phi1 = 0.9.
    """
    model = _five_bar(l3, slot=True, phi=0.7)
    model.add(Driver(model["joint 15"].angle, Ramp(1.0)), name="motor")
    times = np.linspace(0.7, 2.4, 35)
    if l3 > 1.0:
        bar = kinematics(model, times)["bar 3"]
        exact = np.arcsin(np.sin(times) / l3)  # its pin stays at the height of the coupler
        record("phi3, l3 = 1.1", np.sin(bar.angle), np.sin(exact), rounding(), "Example 5.1.1", "closed form")
        return
    with pytest.raises(LockUp) as stop:
        kinematics(model, times)
    kind = "forks" if "bifurcates" in str(stop.value) else "locks up"
    record.fact(f"what happens, l3 = {l3}", kind, "forks" if l3 == 1.0 else "locks up", "Example 5.1.1", "statement")
    within = Within(1e-8, "located to 1e-9 of the time span")
    record(f"at t, l3 = {l3}", stop.value.time, math.asin(l3), within, "Example 5.1.1", "closed form")


@pytest.mark.parametrize("number", [1, 2])
def test_slider_crank_mobility(record, number):
    """Section 5.2: slider-crank, two models.

    Model 1 with crank, rod, slider and ground body (Tables 5.2.1, 5.2.2), model 2 with crank and slider under absolute
    constraints and a revolute-revolute coupler (Table 5.2.3).
    """
    report = mobility(_slider_crank(number, drive=None))
    found = report.coordinates, report.equations, report.rank, report.degrees_of_freedom
    record.fact(
        f"nc, nh, rank, degrees of freedom, model {number}",
        found,
        ((12, 11, 11, 1), (6, 5, 5, 1))[number - 1],
        "section 5.2",
    )


def test_slider_crank_assembly_without_driver(record):
    """Table 5.2.5: slider-crank assembled from the estimate of Table 5.2.4, without driver.

    Nearest position in the book's metric, |dx|^2 + |dy|^2 + |dphi|^2.
    """
    model = _slider_crank(1, drive=None, estimate=True)
    ours = poses(assemble(model, drivers=False, length=1.0), PARTS)
    nearest = _nearest_slider_crank()
    record(
        "bodies 1, 2, 3",
        ours,
        nearest,
        Within(1e-7, "the minimum is flat: its place is known to the square root of rounding"),
        "minimum over the crank angle",
        "recomputed",
    )
    record("bodies 1, 2", ours[:6], [0, 0, 0.6916, 3.1702, 0.6387, -0.3728], PENALTY, "Table 5.2.5")
    record(
        "exact, six digits",
        ours,
        [0, 0, 0.690647, 3.171603, 0.637036, -0.372581, 4.801537, 0, 0],
        digits(6),
        "section 5.2",
        "recomputed",
    )
    record.erratum("Haug, Table 5.2.5", "x3 = 4.992 would open the joint by 0.19; the other entries imply 4.800.")


@pytest.mark.parametrize("wrong", [False, True])
def test_slider_crank_assembly_with_driver(record, wrong):
    """Tables 5.2.6 and 5.2.7: slider-crank assembled with its driver, and on the wrong branch.

    phi1 = pi/4 at t = 0. With the sign of the estimate of x3 wrong (-5.0) the nearest position has the slider on the
    left, as in Table 5.2.7.
    """
    model = _slider_crank(1, estimate=True, x3=-5.0 if wrong else 5.0)
    ours = poses(assemble(model, length=1.0), PARTS)
    s = math.sqrt(2)
    reach = math.sqrt(3.5**2 - 2) * (-1 if wrong else 1)
    rod = math.atan2(-s, reach)
    exact = [0, 0, math.pi / 4, s + reach / 2, s / 2, rod, s + reach, 0, 0]
    case, source = ("wrong branch", "Table 5.2.7") if wrong else ("with driver", "Table 5.2.6")
    printed = (
        [0, 0, 0.7858, -0.1863, 0.7080, -2.7253, -1.7873, 0, 0]
        if wrong
        else [0, 0, 0.7852, 3.0152, 0.7066, -0.4158, 4.6162, 0, 0]
    )
    record(f"bodies 1, 2, 3, {case}", ours, exact, rounding(10), "section 5.2", "closed form")
    record(f"bodies 1, 2, 3, {case}", ours, printed, PENALTY, source)
    if wrong:
        equations = Equations(model)
        newton = equations.newton(equations.system.start[3:], 0.0, 20)[-1]
        record(
            "x3 by plain Newton from the same estimate",
            newton[6],
            s + abs(reach),
            rounding(10),
            "section 5.2",
            "closed form",
        )


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(("L", "w"), [(3.5, 1), (3.5, 2), (2.5, 1), (2.2, 1), (2.1, 1)])
def test_slider_crank_motion(record, number, L, w):
    """Section 5.2: motion of the slider, rods 3.5 to 2.1, speeds 2 pi and 4 pi.

    phi1 = pi/4 + omega t over 1 s, compared with x3 = 2 cos phi + sqrt(l^2 - 4 sin^2 phi) and its derivatives at every
    instant, both models; peaks as recomputed.
    """
    case = f"l = {L}, {2 * w} pi, model {number}"
    run = kinematics(_slider_crank(number, L=L, drive=w * TURN), FINE)["slider"]
    place, speed, acceleration = _slider_closed_form(FINE, L, w * TURN)
    size = float(np.max(np.abs(acceleration)))
    record(f"x3, {case}", run.position[:, 0], place, rounding(10), "section 5.2", "closed form")
    record(f"x3', {case}", run.velocity[:, 0], speed, rounding(100), "section 5.2", "closed form")
    record(f"x3'', {case}", run.acceleration[:, 0], acceleration, rounding(10 * size), "section 5.2", "closed form")
    peaks = {
        (3.5, 1): (14.608205, -124.07503, 65.79194),
        (3.5, 2): (29.216411, -496.30011, 263.16776),
        (2.5, 1): (16.996090, -142.12230, 108.49151),
        (2.2, 1): (19.110107, -150.73578, 173.29088),
        (2.1, 1): (20.515269, -154.15382, 247.00006),
    }[L, w]
    a = run.acceleration[:, 0]
    found = [peak(run.velocity[:, 0]), -peak(-a), peak(a)]
    record(
        f"peaks of x3', x3'', relative, {case}", np.array(found) / peaks, np.ones(3), PEAK, "section 5.2", "recomputed"
    )
    if (L, w) == (3.5, 1):
        spots = (
            (0.0, 4.61577568, -12.8108406, -60.6430057),
            (0.1, 3.20213994, -13.7556722, 39.0034081),
            (0.25, 1.78734856, -4.96069113, 51.0188215),
        )
        for t, *values in spots:
            k = round(2000 * t)
            found = [run.position[k, 0], run.velocity[k, 0], a[k]]
            record(
                f"x3, x3', x3'' at t = {t}, model {number}",
                found,
                values,
                Within(5e-7, "nine digits"),
                "section 5.2",
                "recomputed",
            )
    record.note(
        "The text attributes the peaks of the acceleration to the extreme positions of the slider; for l = 2.1 the "
        "greatest one occurs with the crank near the vertical."
    )


def test_slider_crank_comparisons(record):
    """Section 5.2: what the text says about speeds and rods.

    Doubling the speed keeps the stroke, doubles velocities, and multiplies accelerations by four; shortening the rod
    from 2.2 to 2.1 raises the peak of the acceleration more than from 3.5 to 2.5.
    """
    runs = {
        (L, w): kinematics(_slider_crank(2, L=L, drive=w * TURN), FINE)["slider"]
        for L, w in ((3.5, 1), (3.5, 2), (2.5, 1), (2.2, 1), (2.1, 1))
    }
    slow, fast = runs[3.5, 1], runs[3.5, 2]
    ends = [slow.position[:, 0].min(), slow.position[:, 0].max()]
    record(
        "ends of the stroke",
        ends,
        [1.5, 5.5],
        Within(1e-4, "2001 instants: the ends lie between two"),
        "section 5.2",
        "closed form",
    )
    ratio = [
        np.ptp(fast.position[:, 0]) / np.ptp(slow.position[:, 0]),
        peak(fast.velocity[:, 0]) / peak(slow.velocity[:, 0]),
        peak(fast.acceleration[:, 0]) / peak(slow.acceleration[:, 0]),
    ]
    record("ratios of stroke, velocity, acceleration", ratio, [1, 2, 4], PEAK._replace(size=1e-4), "section 5.2")
    top = {L: peak(runs[L, 1].acceleration[:, 0]) for L in (3.5, 2.5, 2.2, 2.1)}
    record.above("rise from 2.2 to 2.1", top[2.1] - top[2.2], top[2.5] - top[3.5], "section 5.2")


@pytest.mark.parametrize("number", [1, 2])
def test_slider_crank_lock_up(record, number):
    """Section 5.2: lock-up of the slider-crank with rod 1.9.

    sin phi1 = 0.95, phi1 = pi/4 + 2 pi t: t = (arcsin 0.95 - pi/4) / 2 pi = 0.0744587 s.
    """
    model = _slider_crank(number, L=1.9)
    with pytest.raises(LockUp) as stop:
        kinematics(model, np.linspace(0.0, 1.0, 101))
    exact = (math.asin(0.95) - math.pi / 4) / TURN
    record(f"time, model {number}", stop.value.time, exact, LOCATED, "section 5.2", "closed form")
    record(f"time, model {number}", stop.value.time, 0.0744587, digits(7), "section 5.2", "recomputed")
    record(f"time, model {number}", stop.value.time, 0.074, digits(3), "section 5.2")
    record.fact(
        f"instants computed before, model {number}", len(stop.value.partial), 8, "grid of 0.01 s", "closed form"
    )
    run = kinematics(model, [0.0, 0.07, 0.074])["slider"]
    found = [*run.velocity[1:, 0], *run.acceleration[1:, 0]]
    expected = [-42.3233, -102.602, -3105.49, -97723.3]
    record(
        f"v and a at 0.07 and 0.074 s, relative, model {number}",
        np.array(found) / expected,
        np.ones(4),
        Within(5e-6, "six digits"),
        "section 5.2",
        "recomputed",
    )


def _five_bar(l3, slot, phi):
    """Bars 1, 2, 3 on ground pivots 0, 1, 2 of body 5, coupler 4. The slot leaves the pin of bar 3 free along it."""
    model = Model("five-bar")
    ground = model.add(Body(), name="ground body")
    model.add(Fixed(model.ground.at(), ground.at()), name="fixed")
    third = math.asin(min(1.0, math.sin(phi) / l3)) if slot else phi
    if phi > math.pi / 2 - 1e-9 and l3 > 1.0:
        third = math.pi / 2 - 0.3
    angles = (phi, phi, third)
    bars = [model.add(Body(position=(k, 0.0), angle=a), name=f"bar {k + 1}") for k, a in enumerate(angles)]
    coupler = model.add(Body(position=(math.cos(phi), math.sin(phi))), name="coupler")
    for k, bar in enumerate(bars):
        model.add(Revolute(ground.at(k, 0), bar.at()), name=f"joint {k + 1}5")
    for k, bar in enumerate(bars[:2]):
        model.add(Revolute(coupler.at(k, 0), bar.at(1, 0)), name=f"joint {k + 1}4")
    if slot:
        model.add(RevoluteTranslational(coupler.at(), bars[2].at(l3, 0), 0.0), name="joint 34")
    else:
        model.add(Revolute(coupler.at(2, 0), bars[2].at(l3, 0)), name="joint 34")
    return model


def _slider_crank(number, L=3.5, drive=TURN, estimate=False, x3=5.0):
    """Model 1 (Tables 5.2.1, 5.2.2) or 2 (Table 5.2.3); estimates of Table 5.2.4 or near phi1 = pi/4."""
    model = Model(f"slider-crank {number}")
    s = math.sqrt(2)
    reach = s + math.sqrt(L * L - 2)
    crank = model.add(
        Body(position=(-0.5, 0.0) if estimate else (0.0, 0.0), angle=0.5 if estimate else math.pi / 4), name="crank"
    )
    start = model.ground
    if number == 1:
        rod_pose = ((3.0, 1.0), -0.4) if estimate else (((reach + s) / 2, s / 2), math.atan2(-s, reach - s))
        rod = model.add(Body(position=rod_pose[0], angle=rod_pose[1]), name="rod")
    slider = model.add(Body(position=(x3 if estimate else reach, 0.0)), name="slider")
    if number == 1:
        ground = model.add(Body(), name="ground body")
        model.add(Fixed(model.ground.at(), ground.at()), name="fixed")
        model.add(Revolute(ground.at(), crank.at()), name="A")
        model.add(Revolute(crank.at(2, 0), rod.at(-L / 2, 0)), name="B")
        model.add(Revolute(rod.at(L / 2, 0), slider.at()), name="C")
        model.add(Translational(ground.at(0, 0, toward=(1, 0)), slider.at(0, 0, toward=(1, 0))), name="guide")
    else:
        model.add(Hold(x(crank.at()), 0.0), name="x1")
        model.add(Hold(y(crank.at()), 0.0), name="y1")
        model.add(Hold(y(slider.at()), 0.0), name="y2")
        model.add(Hold(angle(start.at(), slider.at()), 0.0), name="phi2")
        model.add(RevoluteRevolute(crank.at(2, 0), slider.at(), L), name="BC")
    if drive is not None:
        model.add(Driver(angle(start.at(), crank.at()), Ramp(drive, math.pi / 4)), name="motor")
    return model


def _nearest_slider_crank():
    """The closed position nearest to Table 5.2.4: a minimum over the one freedom, the crank angle."""
    estimate = np.array([-0.5, 0.0, 0.5, 3.0, 1.0, -0.4, 5.0, 0.0, 0.0])

    def pose(phi):
        s, c = math.sin(phi), math.cos(phi)
        reach = 2 * c + math.sqrt(3.5**2 - 4 * s * s)
        return np.array([0, 0, phi, (2 * c + reach) / 2, s, math.atan2(-2 * s, reach - 2 * c), reach, 0, 0])

    found = minimize_scalar(
        lambda phi: np.sum((pose(phi) - estimate) ** 2), bracket=(0.5, 0.8), options={"xtol": 1e-12}
    )
    return pose(found.x)


def _slider_closed_form(t, L, w):
    """x3, x3', x3'' of 2 cos phi + sqrt(l^2 - 4 sin^2 phi), phi = pi/4 + w t."""
    phi = math.pi / 4 + w * t
    s, c = np.sin(phi), np.cos(phi)
    root = np.sqrt(L * L - 4 * s * s)
    first = -4 * s * c / root
    second = -4 * (c * c - s * s) / root - first**2 / root
    return 2 * c + root, w * (-2 * s + first), w * w * (-2 * c + second)
