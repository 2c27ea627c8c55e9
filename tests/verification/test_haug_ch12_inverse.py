"""Haug, chapter 12: inverse dynamics of the spatial slider-crank, the spatial four-bar and the air compressor.

The figures with the curves are lost. Torques are verified against the kinetic energy T: a crank of constant speed needs
dT/dtheta and what the applied forces resist. Speeds are derivatives of closed forms of the motion by complex steps,
derivatives of T differences of sixth order.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import inverse_dynamics, kinematics, mobility
from cardan.results.energy import kinetic_energy
from cardan.spatial import Action
from verification.curves import least, peak
from verification.manual import Within, rounding
from verification.test_haug_ch10_compressor import CENTRES, RODS, _compressor
from verification.test_haug_ch10_four_bar import _four_bar, _psi
from verification.test_haug_ch10_slider_crank import _slider_crank

TURN = 2 * math.pi
FINE = np.linspace(0.0, 1.0, 2001)
DIFFERENCES = Within(1e-8, "relative: differences of sixth order of the closed form")


@pytest.mark.parametrize(("L", "most"), [(0.30, 0.13703), (0.27, 0.22783), (0.24, 0.86861)])
def test_slider_crank(record, L, most):
    """Section 12.2.2: driving torque of the spatial slider-crank, rods of 0.30, 0.27 and 0.24 m.

    Table 12.2.1, crank at 2 pi rad/s, no gravity, which the book does not mention.
    """
    model = _slider_crank(L)
    _give(model, crank=(0.12, (1e-4, 1e-5, 1e-4)), rod=(0.5, (4e-3, 4e-4, 4e-3)), slider=(2.0, (1e-4, 1e-4, 1e-4)))
    torque = inverse_dynamics(model, FINE)["motor"].force
    exact = _slope(lambda phi: _slider_crank_energy(phi, L), TURN * FINE)
    record(f"torque / greatest, l = {L}", torque / most, exact / most, DIFFERENCES, "section 12.2.2", "closed form")
    five = Within(4e-5, "relative: five digits, peaks between 2001 instants")
    record(
        f"greatest torque, relative, l = {L}", peak(np.abs(torque)) / most, 1.0, five, "section 12.2.2", "recomputed"
    )
    if L == 0.24:
        record.above("greatest torque against that of l = 0.27", peak(np.abs(torque)), 0.22783, "section 12.2.2")
        record.note("The severest torque is near the slider's reversal at its innermost place, as the book says.")


def test_slider_crank_of_three_bodies(record):
    """Project 12.1: the spatial slider-crank with its rod as a distance, 0.3 m: the torque without the rod's matter.

    The motion of crank and slider is that of the four bodies.
    """
    model, whole = _slider_crank(0.3, rod=False), _slider_crank(0.3)
    _give(model, crank=(0.12, (1e-4, 1e-5, 1e-4)), slider=(2.0, (1e-4, 1e-4, 1e-4)))
    run, other = inverse_dynamics(model, FINE), kinematics(whole, FINE)
    same = run["slider"].position, other["slider"].position
    record("place of the slider", *same, rounding(), "Project 12.1", "statement")

    def energy(phi):
        along = _rate(lambda p: np.sqrt(0.09 - (0.1 + 0.08 * np.cos(p)) ** 2 - (0.12 + 0.08 * np.sin(p)) ** 2), phi)
        return 0.5 * 2.0 * (TURN * along) ** 2

    exact = _slope(energy, TURN * FINE)
    most = np.abs(exact).max()
    record("torque / greatest", run["motor"].force / most, exact / most, DIFFERENCES, "Project 12.1", "closed form")
    record.above("torque of four bodies", 0.13703, most, "Project 12.1", "recomputed")


def test_compressor_with_rods(record):
    """Project 12.2: the air compressor of fifteen bodies, rods of 0.5 kg with moments 0.04, 0.04 and 0.001 kg m2.

    The pistons move as those of the nine bodies. Closed form: the driving torque is the rate of the kinetic energy
    over the speed, by differences of sixth order of the energies of all bodies.
    """
    model, plain = _compressor(30, rods=True), _compressor(30)
    _give(model, rotor=(10.0, (1.0, 0.5, 1.0)), disk=(5.0, (0.1, 0.2, 0.1)))
    _give(model, **{f"piston {k}": (1.0, (0.01, 0.01, 0.01)) for k in range(1, 7)})
    _give(model, **{f"rod {k}": (0.5, (0.04, 0.001, 0.04)) for k in range(1, 7)})
    report = mobility(model)
    record.fact(
        "bodies beside ground, degrees of freedom",
        (len(model.bodies), report.degrees_of_freedom),
        (14, 1),
        "Project 12.2",
    )
    h = 1e-4
    centers = np.linspace(0.01, 0.09, 9)
    times = np.unique(np.concatenate([[0.0], (centers[:, None] + h * np.arange(-3, 4)).ravel()]))
    run, other = inverse_dynamics(model, times), kinematics(plain, times)
    for k in (1, 4):
        ours, same = (r[f"piston {k}"].position for r in (run, other))
        record(f"place of piston {k}", ours, same, rounding(), "Project 12.2", "statement")
    T = kinetic_energy(run.system, run.q, run.v)
    stencil = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
    speed = run["A"].angle.rate[0]
    first = np.searchsorted(times, centers - 3 * h - 1e-9)
    exact = np.array([stencil @ T[k : k + 7] for k in first]) / (h * speed)
    ours = run["motor"].force[first + 3]
    near = Within(1e-6 * np.abs(exact).max(), "differences of sixth order over 0.1 ms")
    record("torque", ours, exact, near, "Project 12.2", "recomputed")


@pytest.mark.filterwarnings("ignore:.*inertia")
@pytest.mark.parametrize(("g", "low", "high"), [(0.0, -44.547, 85.857), (9.8, -50.076, 97.758)])
def test_four_bar(record, g, low, high):
    """Section 12.3.3: driving torque of the spatial four-bar, model 2, with and without gravity.

    Table 12.3.1 without the coupler's matter, which model 2 has not; link 1 at pi rad/s, coupler 12.2 m. Closed form:
    link 3 swings about D with 4.54 + 3.7^2 kg m^2.
    """
    model = _four_bar(2)
    model.gravity = (0.0, 0.0, -g)
    _give(model, **{"link 1": (2.0, (4.0, 2.0, 0.0)), "link 3": (1.0, (4.54, 0.01, 0.0))})
    run = inverse_dynamics(model, 2 * FINE)
    psi, rate, growth = _psi(run.times, 12.2)
    exact = ((4.54 + 3.7**2) * growth + g * 3.7 * np.cos(psi)) * rate / math.pi
    torque, case = run["motor"].force, f"g = {g}"
    record(f"torque, {case}", torque, exact, rounding(1000), "section 12.3.3", "closed form")
    five = Within(6e-4, "three decimals, peaks between 2001 instants")
    found = least(torque), peak(torque)
    record(f"extremes of the torque, {case}", found, (low, high), five, "section 12.3.3", "recomputed")
    # the coupler pulls on link 1 alone: torque = B x pull, and A carries the pull and the weight of link 1
    B, C = (run[model[name].at(*point)].position for name, point in (("link 1", (0, 0, 2)), ("link 3", (0, -3.7, 0))))
    along = (C - B) / 12.2
    pull = -exact / np.cross(B, along)[:, 0]
    usual = np.abs(np.cross(B, along)[:, 0]) > 0.2  # where the coupler passes through the axis it does not show
    found = run["A"].in_frame("global").force[usual, 0]
    expected = -(pull * along[:, 0])[usual]
    record(f"x force at A, {case}", found, expected, rounding(1e4), "section 12.3.3", "closed form")


@pytest.mark.parametrize("psi", [0, 500])
@pytest.mark.parametrize("beta", [30, 40])
def test_compressor(record, beta, psi):
    """Section 12.4.2: driving torque and x force on the disk of the air compressor, swash angles 30 and 40 degrees.

    Table 12.4.1, 62.832 rad/s, without gas and with 500 psi. The law of the gas is repaired: F_max 0.04 / (y - y_A) -
    F_max / 5 down to 0.04 m from y_A, below that a cosine to zero, on the compression stroke alone. The x force is that
    at a point 0.2 m from the centre on the disk's z' axis; Figures 12.4.2 to 12.4.5 are lost.
    """
    model, w = _compressor(beta), 62.832
    piston = (1.5, (0.002, 0.002, 0.002))
    _give(
        model,
        rotor=(10.0, (0.1, 0.01, 0.1)),
        disk=(2.0, (0.04, 0.08, 0.04)),
        **{f"piston {k}": piston for k in range(1, 7)},
    )
    push = _gas(psi * 6894.757 * math.pi * 0.05**2)
    for k in range(1, 7):
        guide = model[f"guide {k}"]
        model.add(Action(guide.travel, push), name=f"gas {k}")
    run = inverse_dynamics(model, np.linspace(0.0, TURN / w, 361))
    theta = w * run.times
    place = _disk(theta, beta)[1]
    speed = w * _rate(lambda t: _disk(t, beta)[1], theta)
    growth = w * w * _slope(lambda t: _rate(lambda u: _disk(u, beta)[1], t), theta)
    gas = np.vectorize(push)(place + 1.0, speed)
    torque = _slope(lambda t: _compressor_energy(t, beta, w), theta) - np.sum(gas * speed, axis=1) / w
    size, case = max(np.abs(torque).max(), 1.0), f"beta = {beta}, {psi} psi"
    near = Within(1e-7, "relative: differences of sixth order of the closed form")
    found = run["motor"].force
    record(f"torque / greatest, {case}", found / size, torque / size, near, "section 12.4.2", "closed form")
    across = _across(theta, beta, w, 1.5 * growth - gas)
    size = np.abs(across).max()
    found = run["O"].force
    record(f"x force at O / greatest, {case}", found / size, across / size, near, "section 12.4.2", "closed form")
    record.erratum("Haug, section 12.4.1", "F_DB = F_max / (y - y_A) - F_min is no force: a factor of length is lost.")


def _give(model, **matter):
    """Mass and inertia for bodies of a mechanism that was stated without."""
    for name, (mass, inertia) in matter.items():
        object.__setattr__(model[name], "mass", mass)
        object.__setattr__(model[name], "inertia", inertia)


def _gas(most):
    def gas(travel, speed):
        s = travel + 0.1  # y - y_A
        if speed >= 0.0 or s <= 0.0 or s >= 0.2:
            return 0.0
        if s >= 0.04:
            return most * 0.04 / s - most / 5.0
        return 0.4 * most * (1.0 - math.cos(math.pi * s / 0.04))

    return gas


def _slider_crank_energy(phi, L):
    """Kinetic energy of rod and slider at 2 pi rad/s."""

    def middle(phi):
        return _slider_crank_rod(phi, L)[:, :, 3]

    def slider(phi):
        y, z = 0.1 + 0.08 * np.cos(phi), 0.12 + 0.08 * np.sin(phi)
        return np.sqrt(L * L - y * y - z * z)

    omega = TURN * _spin(lambda p: _slider_crank_rod(p, L)[:, :, :3], phi)
    v, speed = TURN * _rate(middle, phi), TURN * _rate(slider, phi)
    return 0.5 * (0.5 * np.sum(v * v, axis=1) + omega**2 @ (4e-3, 4e-4, 4e-3) + 2.0 * speed**2)


def _slider_crank_rod(phi, L):
    """The rod's axes as columns, and its middle: x' along BC, y' square to the global x axis."""
    y, z = 0.1 + 0.08 * np.cos(phi), 0.12 + 0.08 * np.sin(phi)
    x = np.sqrt(L * L - y * y - z * z)
    first = np.stack([x, -y, -z], axis=1) / L
    second = np.stack([0 * y, z, -y], axis=1) / np.sqrt(y * y + z * z)[:, None]
    return np.stack([first, second, np.cross(first, second), np.stack([x, y, z], axis=1) / 2], axis=2)


def _disk(theta, beta):
    """The disk's axes as columns, and y of the six pistons."""
    s, c = math.sin(math.radians(beta)), math.cos(math.radians(beta))
    n = np.stack([-s * np.sin(theta), c + 0 * theta, -s * np.cos(theta)], axis=1)
    third = np.stack([0 * theta, -n[:, 2], n[:, 1]], axis=1) / np.sqrt(n[:, 1] ** 2 + n[:, 2] ** 2)[:, None]
    first = np.cross(n, third)
    points = [cx * first + cz * third for cx, cz in CENTRES]
    y = [
        p[:, 1] - 0.5 - np.sqrt(RODS**2 - (p[:, 0] - cx) ** 2 - (p[:, 2] - cz) ** 2)
        for p, (cx, cz) in zip(points, CENTRES, strict=True)
    ]
    return np.stack([first, n, third], axis=2), np.stack(y, axis=1)


def _compressor_energy(theta, beta, w):
    omega = w * _spin(lambda t: _disk(t, beta)[0], theta)
    speed = w * _rate(lambda t: _disk(t, beta)[1], theta)
    return 0.5 * (omega**2 @ (0.04, 0.08, 0.04) + 1.5 * np.sum(speed**2, axis=1))


def _across(theta, beta, w, along):
    """The x force at O, by moments of the disk about its own axis; `along` are y forces of the rods on the pistons."""

    def momentum(t):
        A = _disk(t, beta)[0]
        return np.einsum("nij,nj->ni", A, w * _spin(lambda u: _disk(u, beta)[0], t) * (0.04, 0.08, 0.04))

    A, y = _disk(theta, beta)
    moment = w * _slope(momentum, theta)
    for k, (cx, cz) in enumerate(CENTRES):
        arm = cx * A[:, :, 0] + cz * A[:, :, 2]
        rod = np.stack([cx + 0 * y[:, k], y[:, k] + 0.5, cz + 0 * y[:, k]], axis=1) - arm
        moment += np.cross(arm, rod * (along[:, k] / rod[:, 1])[:, None])
    n = A[:, :, 1]
    unit = np.cross(0.2 * A[:, :, 2], (1.0, 0.0, 0.0))
    return np.sum(n * moment, axis=1) / np.sum(n * unit, axis=1)


def _spin(axes, phi):
    """Angular velocity per rad of phi, in the body's axes: the entries of A^T A'."""
    A, rate = axes(phi), _rate(axes, phi)
    S = np.einsum("nki,nkj->nij", A, rate)
    return np.stack([S[:, 2, 1], S[:, 0, 2], S[:, 1, 0]], axis=1)


def _rate(function, phi):
    """A derivative by a complex step: exact to rounding."""
    return np.imag(function(phi + 1e-30j)) / 1e-30


def _slope(function, phi, h=2e-3):
    """A derivative by differences of sixth order."""
    far, mid, near = (function(phi + k * h) - function(phi - k * h) for k in (3, 2, 1))
    return (45 * near - 9 * mid + far) / (60 * h)
