"""Haug, chapter 8: inverse dynamics of the slider-crank, the quick-return shaper and the valve lifter."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from cardan import CardanWarning, inverse_dynamics
from cardan.planar import Action, Body, Driver, Model, Ramp, Revolute, Spring, Translational, angle
from verification.curves import least, peak
from verification.manual import Within, digits, rounding
from verification.test_haug_ch5_quick_return import _shaper
from verification.test_haug_ch5_transmissions import _valve_lifter

TURN = 2 * math.pi
FINE = np.linspace(0.0, 1.0, 4001)
PEAK = Within(3e-5, "relative: peaks between 4001 instants, found by a parabola, and five digits")


def gas(x, speed):
    """Section 8.2.1: the gas is compressed while the slider moves outward."""
    if speed <= 0.0 or x < 1.5 or x > 5.5:
        return 0.0
    if x <= 5.0:
        return -282857.0 / (6.0 - x) + 62857.0
    return -110000.0 * (1.0 - math.sin(2.0 * math.pi * (x - 5.25)))


@pytest.mark.parametrize("loaded", [False, True])
def test_slider_crank(record, loaded):
    """Section 8.2.3: driving torque and bearing force of the slider-crank.

    Table 8.2.1, no gravity, one turn of the crank from phi1 = 0 with 2 pi rad/s, without and with the force of the gas.
    Closed form: virtual work for the torque, Newton's law of rod and slider for the forces. The curves of Figure 8.2.4
    are lost, and whether they include the gas is not said.
    """
    model = Model("slider-crank")
    crank = model.add(Body(mass=200.0, inertia=450.0), name="crank")
    rod = model.add(Body(mass=35.0, inertia=35.0, position=(3.75, 0)), name="rod")
    slider = model.add(Body(mass=25.0, inertia=0.02, position=(5.5, 0)), name="slider")
    A = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    model.add(Revolute(crank.at(2, 0), rod.at(-1.75, 0)), name="B")
    model.add(Revolute(rod.at(1.75, 0), slider.at()), name="C")
    guide = model.add(Translational(model.ground.at(), slider.at()), name="guide")
    motor = model.add(Driver(A.angle, Ramp(TURN)), name="motor")
    if loaded:
        model.add(Action(guide.travel, gas), name="gas")
    run = inverse_dynamics(model, FINE[::4] if loaded else FINE)
    torque, bearing, normal = _slider_crank(TURN * run.times, loaded)
    size, case = np.abs(bearing).max(), "with gas" if loaded else "no gas"
    near = rounding(100 * size)
    record(f"torque, {case}", run[motor].force, torque, near, "section 8.2.3", "closed form")
    record(f"bearing force, {case}", run[A].force, bearing, near, "section 8.2.3", "closed form")
    record(f"guide on slider, {case}", run[guide].force[:, 1], normal, near, "section 8.2.3", "closed form")
    if loaded:
        push = [gas(*pair) for pair in zip(run[guide].travel.value, run[guide].travel.rate, strict=True)]
        record("force of the gas", run["gas"].force, push, rounding(1e6), "section 8.2.1")
        work = np.trapezoid(run["gas"].power, run.times)
        rough = Within(30.0, "the trapezoidal rule with 1001 instants over a force that is switched")
        record("work of the gas in a turn", work, -260439.0, rough, "section 8.2.1", "recomputed")
        return
    T, R, N = run[motor].force, run[A].force, run[guide].force[:, 1]
    found = np.array([peak(T), least(T), peak(R[:, 0]), peak(np.abs(R[:, 1])), peak(np.abs(N))])
    known = 6564.16, -6564.16, 3299.58, 2567.12, 1500.96
    record("extremes, relative", found / known, np.ones(5), PEAK, "section 8.2.3", "recomputed")
    spots = [T[500], T[1000], T[1500], R[0, 0], R[2000, 0]]
    known = 5702.50, -4673.17, -2159.48, -6654.93, 2819.89
    record("torque at 45, 90, 135 degrees, R_x at 0, 180", spots, known, digits(2), "section 8.2.3", "recomputed")


@pytest.mark.parametrize(
    ("m6", "high", "low"), [(25, 1.1508e6, -0.9752e6), (50, 1.5375e6, -1.2499e6), (100, 2.3124e6, -1.8036e6)]
)
def test_quick_return(record, m6, high, low):
    """Section 8.3.3: driving torque of the quick-return shaper for three masses of the tool.

    Table 8.3.1, crank at 2 pi rad/s, no gravity; the cutting force of Figure 8.3.1 is lost and left out. Closed form:
    the torque is dT/dphi3, the derivative of the kinetic energy by the crank angle at constant speed.
    """
    model = _shaper(1)
    matter = {
        "rocker": (100.0, 100.0),
        "crank": (1000.0, 2000.0),
        "block": (5.0, 0.05),
        "link": (30.0, 10.0),
        "tool": (float(m6), 1.5),
    }
    _give(model, matter)
    degrees = np.radians(np.arange(26, 387))
    run = inverse_dynamics(model, (degrees - 0.44) / TURN)
    torque = run["motor"].force
    exact = _derivative(lambda phi: _shaper_energy(phi, matter), degrees)
    near = rounding(1000 * np.abs(exact).max())
    record(f"torque, m6 = {m6}", torque, exact, near, "section 8.3.3", "closed form")
    found = np.array([torque.max(), torque.min()]) / (high, low)
    five = Within(6e-5, "relative: five digits")
    label = f"extremes of the torque at whole degrees, relative, m6 = {m6}"
    record(label, found, np.ones(2), five, "section 8.3.3", "recomputed")


@pytest.mark.parametrize(
    ("rate", "rpm", "lifts"),
    [(10, 3000, True), (25, 3000, False), (40, 3000, False), (25, 1500, False), (25, 4500, True)],
)
def test_valve_lifter(record, rate, rpm, lifts):
    """Section 8.5: force between cam and follower of the valve lifter, springs of 10, 25, 40 N/cm, three speeds.

    Centimetres and grams, Table 8.5.1, spring of free length 9 cm. Where its ends are stands only in a figure: here it
    has 6 cm with the valve closed; all printed outcomes hold for 4.43 to 7.26 cm. A cam that would have to pull is
    reported. Closed form: lift h = 0.25 (1 - cos w t), rocker angle -atan(h/6), force by virtual work.
    """
    model, w = _valve_lifter(0.25), rpm * TURN / 60
    model.gravity = (0.0, -981.0)
    matter = {"cam": (30.0, 15.0), "follower": (120.0, 2250.0), "rocker": (150.0, 1800.0), "valve": (60.0, 800.0)}
    _give(model, matter)
    model.add(Driver(angle(model.ground.at(), model["cam"].at()), Ramp(w)), name="motor")
    k = rate * 1e5  # N/cm in g/s^2
    along = model["valve guide"].travel
    model.add(Spring(along, k, rest_length=-3.0), name="spring")  # compressed by 3 cm where the valve has travelled 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CardanWarning)
        run = inverse_dynamics(model, np.linspace(0.0, TURN / w, 401))
    h, hv, ha = (
        0.25 * (1 - np.cos(w * run.times)),
        0.25 * w * np.sin(w * run.times),
        0.25 * w**2 * np.cos(w * run.times),
    )
    p1, p2 = -6 / (36 + h**2), 12 * h / (36 + h**2) ** 2
    force = 180.0 * ha + 1800.0 * (p1 * p2 * hv**2 + p1**2 * ha) + 60.0 * 981.0 + k * (3.0 + h)
    found = run["contact"].on(model["follower"]).in_frame("global").force[:, 1]
    case = f"{rate} N/cm, {rpm} rpm"
    near = rounding(100 * np.abs(force).max())
    record(f"force on the follower, {case}", found, force, near, "section 8.5", "closed form")
    told = any("contact" in str(w.message) and "pull" in str(w.message) for w in caught)
    record.fact(f"the cam would have to pull, {case}", told, lifts, "section 8.5")
    if rate == 25:
        inertia = {1500: -14.15, 3000: -56.58, 4500: -127.31}[rpm]
        top = (found[200] - k * 3.5 - 60 * 981) * 1e-5
        record(f"inertia at the top in N, {case}", top, inertia, digits(2), "section 8.5", "recomputed")
    record.erratum("Haug, Figure 8.5.2", "the caption has spring rates in N/m; N/cm are meant.")


def _give(model, matter):
    """Mass and inertia for bodies of a mechanism that was stated without."""
    for name, (mass, inertia) in matter.items():
        object.__setattr__(model[name], "mass", mass)
        object.__setattr__(model[name], "inertia", inertia)


def _slider_crank(phi, loaded):
    """Torque, force of the bearing on the crank, force of the guide on the slider."""
    w, r, L = TURN, 2.0, 3.5
    s, c = np.sin(phi), np.cos(phi)
    sine, root = -r * s / L, np.sqrt(1 - (r * s / L) ** 2)  # of the rod's angle
    w2 = -r * c * w / (L * root)
    a2 = r * s * w * w / (L * root) + sine * w2**2 / root
    B, Bv, Ba = (
        np.stack(pair, axis=1) for pair in ((r * c, r * s), (-r * s * w, r * c * w), (-r * c * w**2, -r * s * w**2))
    )
    along, across = np.stack([root, sine], axis=1), np.stack([-sine, root], axis=1)
    half = L / 2
    v2, acc2 = Bv + half * w2[:, None] * across, Ba + half * (a2[:, None] * across - (w2**2)[:, None] * along)
    v3, acc3 = Bv + L * w2[:, None] * across, Ba + L * (a2[:, None] * across - (w2**2)[:, None] * along)
    x3 = B[:, 0] + L * root
    pairs = zip(x3, v3[:, 0], strict=True)
    push = np.array([gas(x, v) for x, v in pairs]) if loaded else np.zeros(phi.size)
    power = 35 * np.sum(v2 * acc2, axis=1) + 35 * w2 * a2 + 25 * v3[:, 0] * acc3[:, 0] - push * v3[:, 0]
    # moments of the rod about B: J a2 + m (c2 - B) x a = (C - B) x (push - m3 x3'', normal)
    moment = 35 * a2 + 35 * half * (along[:, 0] * acc2[:, 1] - along[:, 1] * acc2[:, 0])
    normal = (moment + L * sine * (push - 25 * acc3[:, 0])) / (L * root)
    bearing = np.stack([35 * acc2[:, 0] + 25 * acc3[:, 0] - push, 35 * acc2[:, 1] - normal], axis=1)
    return power / w, bearing, normal


def _shaper_energy(phi, matter):
    """Kinetic energy at the crank angle phi, which may be complex."""
    w, L = TURN, 1.5
    cx, cy = L * np.cos(phi), 2 + L * np.sin(phi)
    square = cx**2 + cy**2
    c, s = cx / np.sqrt(square), cy / np.sqrt(square)
    w2 = w * (L * L + 2 * L * np.sin(phi)) / square
    h, hv = 4 - 4 * s, -4 * c * w2
    root = np.sqrt(1.9**2 - h * h)
    w5 = -hv / root  # sin of the link's angle is -h / 1.9
    tool = -4 * s * w2 + h * hv / root
    link = ((-4 * s * w2 + tool) / 2) ** 2 + (2 * c * w2) ** 2
    energy = matter["rocker"][0] * (2 * w2) ** 2 + matter["rocker"][1] * w2**2
    energy = energy + matter["block"][0] * (L * w) ** 2 + matter["block"][1] * w2**2
    return (energy + matter["link"][0] * link + matter["link"][1] * w5**2 + matter["tool"][0] * tool**2) / 2


def _derivative(function, phi):
    """By a complex step: exact to rounding."""
    return np.imag(function(phi + 1e-30j)) / 1e-30
