"""Flexible mechanisms: the slider-crank of the IVP test set, rotating and spun-up beams.

Parts are stated by their integrals: modes of a rod in a chord frame, and bending modes of a cantilever with the
shortening that bending causes.
"""

from __future__ import annotations

import warnings

import numpy as np

import cardan.planar as plane
import cardan.spatial as space
from cardan import linearize, simulate, steady_motion
from cardan.errors import CardanWarning
from cardan.model.flexible_part import FlexiblePart, Interface
from flexible_beams import cantilever_part
from flexible_parts import brick_part
from verification.manual import Within

L1, L2, W = 0.15, 0.30, 150.0
PI = 3.1415927  # as the source has it


def _rod() -> FlexiblePart:
    """Shapes sin(pi x), sin(2 pi x) across, 4 x (1 - x) and x (2 x - 1) along; the longitudinal masses are 8, 1 and 2
    times rho A l, as the source states them (a factor 1/15 is missing)."""
    mass, E, h = 0.151104, 2e11, 0.008
    M, K = 7870.0 * h * h * L2, E * h * h / L2
    S, D = np.zeros((5, 3)), np.zeros((5, 5, 3, 3))
    S[0, 0] = 0.5 * mass * L2
    S[1, 1], S[3, 0], S[4, 0] = M * 2.0 / PI, M * 2.0 / 3.0, M / 6.0
    D[0, 0, 0, 0] = 0.0045339259
    D[0, 1, 0, 1], D[0, 2, 0, 1] = L2 * M / PI, -0.5 * L2 * M / PI
    D[0, 3, 0, 0], D[0, 4, 0, 0] = L2 * M / 3.0, L2 * M / 6.0
    D[1, 1, 1, 1] = D[2, 2, 1, 1] = 0.5 * M
    D[3, 3, 0, 0], D[3, 4, 0, 0], D[4, 3, 0, 0], D[4, 4, 0, 0] = 8.0 * M, M, M, 2.0 * M
    for i, j, value in ((1, 3, -16.0 / PI**3), (1, 4, 8.0 / PI**3 - 1.0 / PI), (2, 4, 0.5 / PI)):
        D[i, j, 1, 0] = D[j, i, 0, 1] = -M * value
    for k in range(1, 5):
        D[k, 0] = D[0, k].T
    stiffness = np.zeros((4, 4))
    stiffness[0, 0] = K * PI**4 / 24.0 * (h / L2) ** 2
    stiffness[1, 1] = K * PI**4 * 2.0 / 3.0 * (h / L2) ** 2
    stiffness[2:, 2:] = K * np.array([[16.0, -8.0], [-8.0, 7.0]]) / 3.0
    modal_mass = np.einsum("klcc->kl", D[1:, 1:])
    turning = np.zeros((3, 4))
    turning[2] = D[0, 1:, 0, 1] - D[0, 1:, 1, 0]
    none, end = np.zeros((3, 4)), np.zeros((3, 4))
    end[0, 3] = 1.0
    return FlexiblePart(
        "rod",
        mass=mass,
        first_moment=S,
        second_moment=D,
        modal_mass=modal_mass,
        coupling=S[1:].T,
        rotation_coupling=turning,
        inertia=np.trace(D[0, 0]) * np.eye(3) - D[0, 0],
        stiffness=stiffness,
        damping=np.zeros((4, 4)),
        interfaces={"pin": Interface([0, 0, 0], none, none), "end": Interface([L2, 0, 0], end, none)},
        frequencies=np.sqrt(np.diag(stiffness) / np.diag(modal_mass)) / (2.0 * np.pi),
        frame="tangent",
    )


def test_flexible_slider_crank(record):
    """The flexible slider-crank of Simeon.

    Crank at 150 rad/s, a rod with two bending and two longitudinal modes, no gravity and no damping; state after 0.1 s,
    almost two and a half revolutions. The printed solution has ten digits or more.
    """
    source = "Test Set for IVP Solvers, problem crank; Simeon, Math. Modelling of Systems 2, 1996"
    eta = (0.0, 0.0, 1.03339863e-5, 1.69327969e-5)
    rates = (4.448961125815990e-1, 4.634339319238670e-3, -1.785910760000550e-6, -2.689386719979040e-6)
    turn = -7.499576703969453e1
    model = plane.Model("crank")
    crank = model.add(plane.Body(0.36, 1e-3, angular_velocity=W), name="crank")
    stated = {"velocity": (0.0, W * L1), "angular_velocity": turn, "deformation": eta, "deformation_rate": rates}
    rod = model.add(plane.FlexibleBody(_rod(), position=(L1, 0.0), **stated), name="rod")
    place, speed = (L1 + L2 + eta[3], 0.0), (rates[3], 0.0)
    slider = model.add(plane.Body(0.075552, 1e-5, position=place, velocity=speed), name="slider")
    hinge = model.add(plane.Revolute(model.ground.at(), crank.at()), name="hinge")
    model.add(plane.Driver(hinge.angle, plane.Polynomial(0.0, W)), name="motor")
    model.add(plane.Revolute(crank.at(L1, 0.0), rod.at("pin")), name="pin")
    model.add(plane.Revolute(rod.at("end"), slider.at()), name="end")
    model.add(plane.Translational(model.ground.at(), slider.at()), name="guide")
    run = simulate(model, 0.1, output=[0.1], rtol=1e-10, method="dop853")
    motion = Within(1e-8, "rtol 1e-10 over 2800 steps")
    record("angle of the rod", run[rod].angle[-1], -0.3311734988256260, motion, source)
    record("place of the slider", run[slider].position[-1, 0], 0.1697373328427860, motion, source)
    record(
        "angular velocity of the rod / 100", run[rod].angular_velocity[-1] / 100.0, 0.6025346755138369, motion, source
    )
    printed = np.array([1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6])
    deflection = Within(1e-11, "in m: 1e-7 of the largest deflection, 2e-4 m")
    record("q1 to q4", run.q[-1, -4:], printed, deflection, source)


def test_flexible_pendulum(record):
    """A soft bar of bricks on a ball at one of its corners, released horizontally; all modes of its mesh."""
    model = space.Model("flexible pendulum", gravity=(0.0, 0.0, -9.81))
    bar = model.add(space.FlexibleBody(brick_part()), name="bar")
    model.add(space.Spherical(model.ground.at(), bar.at("root")), name="ball")
    model.add(space.Point(bar.at("tip")), name="corner")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)  # it bends beyond the range of linear modes, as the source does
        run = simulate(model, 1.0, output=[1.0], rtol=1e-9)
    within = Within(1e-7, "digits of the source")
    digits = Within(1e-5, "digits of the source")
    source, kind = "mass points of the same mesh, without a floating frame", "recomputed"
    record("frequencies, Hz", bar.part.frequencies[:3], [8.44175, 9.29223, 13.17087], digits, source, kind)
    record(
        "opposite corner, m", run["corner"].position[-1], [-1.00414249, -0.07550139, 0.06455859], within, source, kind
    )


def test_rotating_cantilever(record):
    """First flap frequency of a rotating cantilever.

    Euler-Bernoulli beam, hub radius 0, in units of sqrt(EI / (rho A L^4)); five bending modes with shortening,
    linearized about the steady motion. Lag and flap frequencies differ by lag^2 = flap^2 - speed^2.
    """
    source = "Wright et al., J. Applied Mechanics 49, 1982; Hodges and Rutkowski, AIAA J. 19, 1981"
    ritz = Within(3e-4, "relative: five modes of the beam at rest, from above")
    for speed, flap in ((1.0, 3.6816), (2.0, 4.1373), (5.0, 6.4495), (10.0, 11.2023)):
        found = []
        for across in (2, 1):
            model = space.Model("rotor")
            part = cantilever_part(5, across)
            blade = model.add(space.FlexibleBody(part, angular_velocity=(0, 0, speed)), name="blade")
            hub = model.add(space.Revolute(model.ground.at(), blade.at("root")), name="hub")
            model.add(space.Driver(hub.angle, space.Polynomial(0.0, speed)), name="motor")
            found.append(linearize(model, at=steady_motion(model, speed)).modes().frequencies.min())
        record(f"flap at speed {speed:g}, ratio", found[0] / flap, 1.0, ritz, source)
        exact = Within(1e-8, "relative, two eigenvalue problems")
        record(
            f"lag^2 + {speed:g}^2 / flap^2",
            (found[1] ** 2 + speed**2) / found[0] ** 2,
            1.0,
            exact,
            source,
            "closed form",
        )


def test_spin_up(record):
    """A beam is spun up about its clamped end.

    L = 10, EI = 1.4e4, rho A = 1.2, 6 rad/s after 15 s. Deflection of the tip in the turning frame at 5 and 7.5 s;
    reference: a chain of 10 and 20 geometrically exact beams, extrapolated. Without the shortening of bent beams the
    deflection diverges.
    """
    source = "Simo and Vu-Quoc, J. Applied Mechanics 53, 1986 (data); exact beams (numbers)"
    T, final = 15.0, 6.0
    part = cantilever_part(4, 1, length=10.0, density=1.2, bending=1.4e4)
    model = plane.Model("spin-up")
    beam = model.add(plane.FlexibleBody(part), name="beam")
    hub = model.add(plane.Revolute(model.ground.at(), beam.at("root")), name="hub")
    rate = 2.0 * np.pi / T
    ramp = plane.Polynomial(0.0, 0.0, 0.5 * final / T)
    wave = plane.Harmonic(final / T / rate**2, rate, 0.5 * np.pi) + plane.Polynomial(-final / T / rate**2)
    model.add(plane.Driver(hub.angle, ramp + wave), name="motor")
    run = simulate(model, 7.5, output=[5.0, 7.5], rtol=1e-9)
    tip = run[plane.component(model.ground.at(), beam.at("tip"), "x")], run.q[:, -4:]
    deflection = tip[1] @ part.interfaces["tip"].translation[1]
    shares = deflection[-2:] / np.array([-0.4685, -0.5591])
    record(
        "deflection at 5 and 7.5 s, ratio", shares, np.ones(2), Within(2e-3, "four printed digits, four modes"), source
    )
