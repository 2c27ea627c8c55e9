"""Linearization: Trom's examples, Haug's governor, and linear theory of wheels and loops.

Trom: relative coordinates and automated linearization (thesis). His claim that the curvature of loaded constraints
drops out of the reduced stiffness is wrong: it is kept here, and two loops below have no other stiffness.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import cardan.planar as flat
import cardan.spatial as deep
from cardan import (
    assemble,
    equilibrium,
    joint_space,
    kinematics,
    linearize,
    modal_sensitivities,
    simulate,
    steady_motion,
)
from cardan.model.space import advance
from verification.manual import Within, digits, rounding
from verification.test_haug_ch12_governor import BALL, COLLAR, DAMPING, GRAVITY, RUNS, A, B, L, _loaded, _speed

G = 9.81
TROM = "Trom, examples"


def test_slider_pendulum(record):
    """Trom: a slider of 10 kg on a spring of 20 N/m, with a pendulum of 20 kg, 15 kg m2, whose centre is 1 m below.

    M = [[30, 20], [20, 35]], K = diag(20, 196.2); with 20 N s/m on the slider the source prints the real parts without
    their minus signs.
    """
    linear, damped = (_slider_pendulum(damping) for damping in (0.0, 20.0))
    record("M in kg and kg m2", linear.mass, [[30, 20], [20, 35]], rounding(35), TROM)
    record("K in N/m and N m", linear.stiffness, [[20, 0], [0, 196.2]], rounding(200), TROM)
    record("squares of the frequencies", linear.modes().frequencies ** 2, [0.63569205, 9.49661564], digits(8), TROM)
    slow, fast = damped.modes().eigenvalues
    kind = "recomputed"
    record("slow mode, real and imaginary", [slow.real, slow.imag], [-0.31217723, 0.74781542], digits(8), TROM, kind)
    record("fast mode, real and imaginary", [fast.real, fast.imag], [-0.22628431, 3.02355045], digits(8), TROM, kind)


def test_velocity_transformation_of_the_slider_pendulum(record):
    """Trom, equation 3.38: B of the slider-pendulum in space, 1 m from the hinge to the mass centre.

    The slider moves along y, the pendulum hangs and turns about x. The scan has an entry too many in the second row.
    """
    model = deep.Model("slider-pendulum", gravity=(0, 0, -G))
    slider = model.add(deep.Body(mass=10.0, inertia=(1.0, 1.0, 1.0)), name="slider")
    pendulum = model.add(deep.Body(mass=20.0, inertia=(15.0, 15.0, 1.0), position=(0, 0, -1)), name="pendulum")
    model.add(deep.Translational.between(model.ground, slider, (0, 0, 0), z=(0, 1, 0), x=(1, 0, 0)), name="guide")
    model.add(deep.Revolute.between(slider, pendulum, (0, 0, 0), z=(1, 0, 0), x=(0, 1, 0)), name="hinge")
    tree = joint_space(model)
    order = [tree.speeds.index(name) for name in ("guide.travel", "hinge.angle")]
    printed = {slider: [[0, 1, 0, 0, 0, 0], [0] * 6], pendulum: [[0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0]]}
    for body, rows in printed.items():
        J = tree.jacobian(body.at(), tree.q, rotation=True)[:, order]
        record(f"B^T of the {body.name}", J.T, rows, rounding(), "Trom, equation 3.38")
    record("M = B^T M B", tree.mass_matrix(tree.q)[np.ix_(order, order)], [[30, 20], [20, 35]], rounding(35), TROM)
    record.erratum("Trom, equation 3.38", "the second row has 13 entries in the scan; one zero of body 3 is too many.")


def _slider_pendulum(damping):
    model = flat.Model("slider-pendulum", gravity=(0, -G))
    slider = model.add(flat.Body(mass=10.0, inertia=1.0), name="slider")
    pendulum = model.add(flat.Body(mass=20.0, inertia=15.0, position=(0, -1)), name="pendulum")
    guide = model.add(flat.Translational(model.ground.at(), slider.at()), name="guide")
    hinge = model.add(flat.Revolute(slider.at(), pendulum.at(0, 1)), name="hinge")
    model.add(flat.Spring(guide.travel, 20.0, damping=damping, rest_length=0.0), name="spring")
    return linearize(model, degrees_of_freedom=[guide.travel, hinge.angle])


def test_spatial_four_bar(record):
    """Trom: a hanging parallelogram of bars of 1 m, 10 kg and 5 kg m2, with revolute, universal and spherical joints.

    Seen in Cartesian coordinates weight is constant: all stiffness is curvature of loaded joints. In the angle of the
    first bar the mass is 25 kg m2 and the stiffness 196.2 N m; the source divides both by 3.
    """
    model, pin, _ = _four_bar()
    linear = linearize(model, degrees_of_freedom=[pin.angle])
    record("projected mass", linear.mass[0, 0] / 3.0, 8.3333, digits(4), TROM)
    record("projected stiffness", linear.stiffness[0, 0] / 3.0, 65.4, rounding(65), TROM)
    record("square of the frequency", linear.modes().frequencies ** 2, [7.848], rounding(8), TROM)


def _four_bar(cut=False):
    """Figure 4.1, hanging; with its ball joint cut it is two open chains."""
    model = deep.Model("four-bar", gravity=(0, 0, -G))
    bar = {"mass": 10.0, "inertia": (5.0, 5.0, 5.0)}
    first = model.add(deep.Body(position=(0, 0, -0.5), **bar), name="first")
    second = model.add(deep.Body(position=(0, 0.5, -1), **bar), name="second")
    third = model.add(deep.Body(position=(0, 1, -0.5), **bar), name="third")
    x = (1, 0, 0)
    pin = model.add(deep.Revolute(model.ground.at(z=x), first.at(0, 0, 0.5, z=x)), name="pin")
    model.add(deep.Universal(first.at(0, 0, -0.5, z=x), second.at(0, -0.5, 0, z=(0, 0, 1))), name="cross")
    if not cut:
        model.add(deep.Spherical(second.at(0, 0.5, 0), third.at(0, 0, -0.5)), name="ball")
    other = model.add(deep.Revolute(model.ground.at(0, 1, 0, z=x), third.at(0, 0, 0.5, z=x)), name="other pin")
    return model, pin, other


def test_cut_four_bar(record):
    """Trom, equations 4.18 and 4.19: the four-bar with its ball joint cut, and the direction in which it moves.

    Four joint coordinates: first pin, the two axes of the cross, last pin. In equation 4.18 coordinate 2 is the cross
    about x, which turns bar 3 relative to bar 2, and coordinate 3 its other axis, which has no part in the motion.
    """
    model, _, _ = _four_bar(cut=True)
    tree = joint_space(model)
    order = [tree.speeds.index(name) for name in ("pin.angle", "cross.angle_a", "cross.angle_b", "other pin.angle")]
    M = tree.mass_matrix(tree.q)[np.ix_(order, order)]
    printed = np.array([[25, 7.5, 0, 0], [7.5, 7.5, 0, 0], [0, 0, 7.5, 0], [0, 0, 0, 7.5]])
    record("M of the cut system", np.abs(M), printed, rounding(25), "Trom, equation 4.18")
    h, places = 1e-2, tree.places("pin.angle", "cross.angle_a", "cross.angle_b", "other pin.angle")
    K = np.zeros((4, 4))
    for i, j in np.ndindex(4, 4):  # second differences of V, sixth order, of sums and differences of two coordinates
        for way, sign in ((1.0, 1.0), (-1.0, -1.0)):
            step = np.zeros(tree.q.size)
            step[places[i]] += 1.0
            step[places[j]] += way
            V = [tree.potential_energy(tree.q + k * h * step) for k in range(-3, 4)]
            K[i, j] += sign * np.dot([2, -27, 270, -490, 270, -27, 2], V) / (180 * h * h) / 4
    by_differences = Within(1e-7, "differences of sixth order, h = 0.01 rad, of an energy of 200 J")
    printed = np.diag([147.15, 0, 0, 49.05])
    record("K of the cut system", K, printed, by_differences, "Trom, equation 4.18")
    closed, pin, other = _four_bar()
    closed.add(deep.Driver(pin.angle, deep.Ramp(1.0)), name="motor")
    run = kinematics(closed, [0.0])
    cross = closed["cross"]
    rates = np.array([run[m].rate[0] for m in (pin.angle, cross.angle_a, cross.angle_b, other.angle)])
    printed = np.array([1, -1, 0, 1]) / math.sqrt(3.0)
    signs = np.where(np.abs(rates) > 0.5, np.sign(rates) * np.sign(printed), 1.0)  # axes count either way round
    record("Q2", signs * rates / np.linalg.norm(rates), printed, rounding(), "Trom, equation 4.19")


def test_rotating_pendulum(record):
    """Trom: 10 kg on a massless rod of 0.5 m, at 30 degrees from the vertical shaft about which it turns freely.

    W^2 = g / (l cos), and about it w^2 = W^2 (1 + 3 cos^2).
    """
    lean, length = math.radians(30.0), 0.5
    side, down = length * math.sin(lean), length * math.cos(lean)
    model = deep.Model("rotating pendulum", gravity=(0, 0, -G))
    shaft = model.add(deep.Body(), name="shaft")
    bob = model.add(deep.Body(mass=10.0, position=(side, 0, -down)), name="bob")
    spindle = model.add(deep.Revolute(model.ground.at(), shaft.at()), name="spindle")
    axis = (0, 1, 0)
    hinge = model.add(deep.Revolute(shaft.at(z=axis), bob.at(-side, 0, down, z=axis)), name="hinge")
    motion = steady_motion(model, given={deep.z(bob.at()): -down})
    record("steady rate in rad/s", motion.spin, 4.75975, digits(5), TROM)
    modes = linearize(model, motion).modes()
    swings = modes.eigenvalues[modes.oscillating]
    record("frequency in rad/s", swings.imag, [8.58076], digits(5), TROM)
    closed = motion.spin * math.sqrt(1.0 + 3.0 * math.cos(lean) ** 2)
    record("frequency in rad/s", swings.imag, [closed], rounding(10), TROM, "closed form")
    linear = linearize(model, motion, degrees_of_freedom=[hinge.angle, spindle.angle])
    ml2, s, c = 10.0 * length**2, math.sin(lean), math.cos(lean)
    gyration = 2 * ml2 * s * c * motion.spin
    stiffness = ml2 * motion.spin**2 * (s * s - c * c) + 10.0 * G * length * c
    record("M", linear.mass, [[ml2, 0], [0, ml2 * s * s]], rounding(10), "Trom, equation 5.28", "closed form")
    record(
        "C", np.abs(linear.damping), [[0, gyration], [gyration, 0]], rounding(100), "Trom, equation 5.28", "closed form"
    )
    record("K", linear.stiffness, [[stiffness, 0], [0, 0]], rounding(100), "Trom, equation 5.28", "closed form")
    double = Within(1e-6, "a double zero is known to the root of the rounding")
    record("real part, and the modes beside it", [swings[0].real, abs(modes.eigenvalues[0])], [0, 0], double, TROM)


@pytest.mark.parametrize(("C", "k"), RUNS)
def test_governor(record, C, k):
    """Haug 12.6: eigenvalues of the governor about its steady state without load, for five pairs of C and k.

    Reference: complex step of the two equations of motion in the arm's angle and the spin, written down by hand. With
    k = 1000 N/m and C = 12,500 or more an oscillation grows, as the book says that larger C may be unstable.
    """
    model = _loaded(C, k, 0.0)
    motion = steady_motion(model, axis=(0, 1, 0))
    found = linearize(model, motion).eigenvalues()
    ours = np.sort_complex(found[np.abs(found) > 1e-6])
    state, h = (math.pi / 4, 0.0, _speed(math.pi / 4, k)), 1e-30
    columns = [_governor_rates(C, k, [y + 1j * h * (i == j) for i, y in enumerate(state)]) for j in range(3)]
    theirs = np.sort_complex(np.linalg.eigvals(np.imag(np.array(columns).T) / h))
    case = f"C = {C:g}, k = {k:g}"
    record(f"real parts, {case}", ours.real, theirs.real, rounding(100), "section 12.6", "recomputed")
    record(f"imaginary parts, {case}", ours.imag, theirs.imag, rounding(100), "section 12.6", "recomputed")


@pytest.mark.parametrize(("C", "k"), [RUNS[0], RUNS[3]])
def test_governor_follows_its_spring_and_collar(record, C, k):
    """Haug 12.6: derivatives of these eigenvalues by the stiffness and the mass of the collar, the speed following.

    Reference: differences of the eigenvalues of the equations by hand, about the speed at which they balance.
    """
    model = _loaded(C, k, 0.0)
    found = modal_sensitivities(model, ["TSDA.stiffness", "collar.mass"], steady_motion(model, axis=(0, 1, 0)))
    case, h = f"C = {C:g}, k = {k:g}", 1e-2
    for column, (name, size) in enumerate((("stiffness", k), ("mass of the collar", COLLAR))):
        sides = []
        for step in (h, -h, 2 * h, -2 * h):
            there = (k * (1 + step), COLLAR) if column == 0 else (k, COLLAR * (1 + step))
            sides.append(_governor_roots(C, *there))
        theirs = (8 * (sides[0] - sides[1]) - (sides[2] - sides[3])) / (12 * h * size)
        near = [np.argmin(np.abs(found.modes.eigenvalues - s)) for s in _governor_roots(C, k)]
        ours = found.eigenvalues[near, column]
        near = Within(1e-5 * np.abs(theirs).max(), "differences of the fourth order, of steps of a hundredth")
        record(f"real parts by the {name}, {case}", ours.real, theirs.real, near, "section 12.6", "recomputed")
        record(f"imaginary parts by the {name}, {case}", ours.imag, theirs.imag, near, "section 12.6", "recomputed")


def _governor_roots(C, k, collar=COLLAR):
    """Eigenvalues about the speed at which the arms stay at 45 degrees; of a pair the one above."""
    theta, h = math.pi / 4, 1e-30
    slow, fast = (_governor_rates(C, k, (theta, 0.0, W), collar)[1] for W in (0.0, 1.0))
    state = (theta, 0.0, math.sqrt(-slow / (fast - slow)))
    columns = [_governor_rates(C, k, [y + 1j * h * (i == j) for i, y in enumerate(state)], collar) for j in range(3)]
    roots = np.linalg.eigvals(np.imag(np.array(columns).T) / h)
    return np.sort_complex(roots[roots.imag > -1e-9])


def _governor_rates(C, k, y, collar=COLLAR):
    """theta', theta'' and W': T = M(theta) theta'^2 / 2 + I(theta) W^2 / 2."""
    theta, swing, W = y
    sine, cosine = np.sin(theta), np.cos(theta)
    root = np.sqrt(B**2 - (A * sine) ** 2)
    drop = A * cosine + root - (A * math.cos(math.pi / 4) + math.sqrt(B**2 - (A * math.sin(math.pi / 4)) ** 2))
    slope = -A * sine - A**2 * sine * cosine / root
    bend = -A * cosine - A**2 * (cosine**2 - sine**2) / root - (A**2 * sine * cosine) ** 2 / root**3
    M, dM = 2 * (BALL * L**2 + 0.1) + collar * slope**2, 2 * collar * slope * bend
    moment, growth = 50 + 0.125 + 0.2 + 2 * BALL * (L * sine) ** 2, 4 * BALL * L**2 * sine * cosine
    pull = -2 * BALL * GRAVITY * L * sine + (collar * GRAVITY - k * drop - DAMPING * slope * swing) * slope
    return [swing, (pull + growth * W**2 / 2 - dM * swing**2 / 2) / M, (C * drop - growth * swing * W) / moment]


@pytest.mark.parametrize("pace", [1.0, 4.0])
def test_rolling_disk(record, pace):
    """A thin disk rolls straight on, upright: w^2 = 12/5 W^2 - 4/5 g/r, so that it falls below W^2 = g / (3 r).

    Linear theory of the rolling disk (Routh; Neimark and Fufaev). Five displacements, three rates.
    """
    radius, rate = 0.3, pace * math.sqrt(G / (3.0 * 0.3))
    model = deep.Model("disk", gravity=(0, 0, -G))
    m = 2.0
    upright = deep.rotation.from_axes(z=(0, 1, 0), x=(1, 0, 0))
    stated = deep.Body(
        mass=m, inertia=(m * radius**2 / 4, m * radius**2 / 4, m * radius**2 / 2), position=(0, 0, radius),
        orientation=upright, velocity=(rate * radius, 0, 0), angular_velocity=(0, rate, 0),
    )  # fmt: skip
    disk = model.add(stated, name="disk")
    model.add(deep.RollingWheel(model.ground.at(), disk.at(), radius=radius), name="road")
    motion = steady_motion(model, 0.0, travel=(rate * radius, 0, 0), spinning={disk.at(): rate})
    linear = linearize(model, motion)
    record.fact("displacements and rates", (linear.displacements, linear.rates), (5, 3), "nonholonomic", "closed form")
    square = 12.0 / 5.0 * rate**2 - 4.0 / 5.0 * G / radius
    found = linear.eigenvalues()
    largest = found[np.argmax(np.abs(found))] ** 2
    what = f"square of the eigenvalue at {pace:g} times the critical speed"
    record(what, largest.real, -square, rounding(500), "Neimark and Fufaev", "closed form")


def test_loop_with_curvature_alone(record):
    """A bar hung level on two parallel links of length l without mass: w^2 = g / l, all of it constraint curvature.

    Rods of fixed length carry the constant weight; no force has a stiffness.
    """
    length, model = 0.7, flat.Model("swing", gravity=(0, -G))
    bar = model.add(flat.Body(mass=3.0, inertia=0.4, position=(0, -length)), name="bar")
    for side in (-1.0, 1.0):
        model.add(flat.Distance(model.ground.at(side, 0), bar.at(side, 0), length), name=f"link {side:g}")
    linear = linearize(model)
    record("w^2 in 1/s2", linear.modes().frequencies ** 2, [G / length], rounding(20), "statics", "closed form")
    run = simulate(model, 10.0, output=0.01, start=linear.modes().snapshot(0, size=1e-3), rtol=1e-11)
    crossings = np.flatnonzero(np.diff(np.sign(run[flat.x(bar.at())].value)) > 0)
    times, sway = run.times, run[flat.x(bar.at())].value
    instants = [times[i] - sway[i] * 0.01 / (sway[i + 1] - sway[i]) for i in crossings]
    period = (instants[-1] - instants[0]) / (len(instants) - 1)
    small = Within(2e-6, "a sixteenth of the amplitude squared, and linear interpolation of zeros")
    record(
        "period of a simulated swing in s", period, 2 * math.pi * math.sqrt(length / G), small, "statics", "closed form"
    )


@pytest.mark.slow
def test_seven_freedoms_against_a_spectrum(record):
    """Trom's open chain of six rods of 2 m with springs of our own: peaks of a spectrum over 200 s lie at the modes.

    Masses 5, 3, 2, 1, 1, 1 kg, Jxx = Jyy = 2.0, 1.2, 0.8, 0.4, 0.4, 0.4 kg m2, Jzz a quarter; joints revolute,
    universal, revolute, translational, universal. The source's springs are lost. One bin is 1/200 Hz.
    """
    model, degrees_of_freedom = _chain()
    rest = equilibrium(model)
    modes = linearize(model, rest, degrees_of_freedom=degrees_of_freedom).modes()
    record.fact("modes", len(modes), 7, TROM, "closed form")
    span, step = 200.0, 0.05
    run = simulate(model, span, output=step, start=_struck(modes, 2e-3), rtol=1e-8)
    window = np.hanning(run.times.size - 1)
    power = sum(
        np.abs(np.fft.rfft(window * (run[m].value - np.mean(run[m].value))[:-1])) ** 2 for m in degrees_of_freedom
    )
    bins = np.fft.rfftfreq(run.times.size - 1, step)
    wanted = modes.damped_frequencies / (2.0 * math.pi)
    nearest = [_peak(bins, power, hertz) for hertz in wanted]
    record("frequencies in Hz", nearest, wanted, Within(1.0 / span, "one bin of the spectrum"), TROM, "recomputed")


def _chain():
    model = deep.Model("chain", gravity=(0, 0, -G))
    masses, around = (5.0, 3.0, 2.0, 1.0, 1.0, 1.0), (2.0, 1.2, 0.8, 0.4, 0.4, 0.4)
    rods = [
        model.add(deep.Body(mass=m, inertia=(J, J, J / 4), position=(0, 0, -1 - 2 * k)), name=f"rod {k + 1}")
        for k, (m, J) in enumerate(zip(masses, around, strict=True))
    ]
    x, y = (1, 0, 0), (0, 1, 0)
    top = model.add(deep.Revolute(model.ground.at(z=x), rods[0].at(0, 0, 1, z=x)), name="top")
    cross = model.add(
        deep.Universal(rods[0].at(0, 0, -1, z=x, x=(0, 0, 1)), rods[1].at(0, 0, 1, z=y, x=(0, 0, 1))), name="cross"
    )
    knee = model.add(deep.Revolute(rods[1].at(0, 0, -1, z=y), rods[2].at(0, 0, 1, z=y)), name="knee")
    slide = model.add(deep.Translational(rods[2].at(0, 0, -1), rods[3].at(0, 0, 1)), name="slide")
    last = model.add(
        deep.Universal(rods[3].at(0, 0, -1, z=x, x=(0, 0, 1)), rods[4].at(0, 0, 1, z=y, x=(0, 0, 1))), name="last"
    )
    model.add(deep.Fixed(rods[4].at(0, 0, -1), rods[5].at(0, 0, 1)), name="weld")
    degrees_of_freedom = [top.angle, cross.angle_a, cross.angle_b, knee.angle, slide.travel, last.angle_a, last.angle_b]
    stated = assemble(model)  # springs are free there
    for k, (measure, stiffness) in enumerate(zip(degrees_of_freedom, (80, 60, 50, 40, 90, 15, 20), strict=True)):
        free = {"rest_length" if measure.unit == "m" else "rest_angle": float(stated[measure].value)}
        model.add(deep.Spring(measure, float(stiffness), **free), name=f"spring {k + 1}")
    return model, degrees_of_freedom


def _struck(modes, size):
    """The rest displaced along all modes at once."""
    system = modes.motions.system
    step = system.speeds()
    for k in range(len(modes)):
        step[system.width :] += size * np.concatenate(list(modes.shape(k).values())).real
    moved = modes.snapshot(0, size=0.0)
    advance(system.geometry, moved.q, step)
    return moved


def _peak(bins, power, hertz):
    """The highest bin among the three nearest."""
    k = int(np.argmin(np.abs(bins - hertz)))
    return bins[k - 1 + int(np.argmax(power[k - 1 : k + 2]))]
