"""Beams of large deflection 2: motion.

Simo and Vu-Quoc 1986: On the dynamics of flexible beams under large overall motions, with the law of Kane, Ryan and
Banerjee 1987. Calkin and March 1989: The dynamics of a falling chain.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import simulate
from cardan.planar import Body, Driver, Function, Model, Revolute, Section, add_rod, component
from verification.manual import Within

SOURCE = "Simo and Vu-Quoc 1986; Calkin and March 1989"


def test_spin_up(record):
    """A beam of 10 m on a hub that accelerates to 6 rad/s within 15 s: the tip across, in the axes of the hub.

    The reference has been computed with 4 bending and 2 axial modes with geometric stiffening, and agrees with another
    program for chains of exact beams to 0.1 %. Steady extension: rho A Omega^2 L^3 / 3 E A.
    """
    L, spin, until = 10.0, 6.0, 15.0
    section = Section.of_stiffness(EA=2.8e7, EI=1.4e4, GA=1e7, mass_per_length=1.2)
    found = {}
    for count in (8, 16):
        model = Model("spin-up")
        hub = model.add(Body(mass=1.0, inertia=1.0), name="hub")
        pin = model.add(Revolute(model.ground.at(), hub.at()), name="pin")
        c = 2.0 * math.pi / until

        def turned(t, c=c):
            if t >= until:
                return spin * (t - 0.5 * until)
            return spin / until * (0.5 * t * t + (math.cos(c * t) - 1.0) / c**2)

        model.add(Driver(pin.angle, Function(turned)), name="motor")
        rod = add_rod(model, [(0.0, 0.0), (L, 0.0)], section, elements=count, start=hub)
        run = simulate(model, 7.5, output=[5.0, 7.5], method="radau", rtol=1e-5)
        found[count] = run[component(hub.at(), rod.end, "y")].value
    limit = (4.0 * found[16] - found[8]) / 3.0  # lumped masses: the error falls with the square
    within = Within(0.002 * 0.56, "0.2 %: of the reference, 0.1 %, and of the extrapolation from 8 and 16 elements")
    record("tip across at 5 and 7.5 s, m", limit, (-0.4688, -0.5595), within, "modal body, stiffened", "recomputed")


def test_falling_folded_rope(record):
    """A rope of 100 elements, folded, its free end let go: v^2 = g x (2 l - x) / (l - x), faster than a stone."""
    from cardan.examples.free_motion import whip

    model = whip.build(elements=100)
    tip = model.bodies[-1]
    run = simulate(model, 0.33, output=0.001, method="radau", rtol=1e-4)
    fallen, speed = -run[tip].position[:, 1], -run[tip].velocity[:, 1]
    reason = "1 %: a bend 0.1 wide instead of none, and stretch by 2 %"
    for x in (0.2, 0.4, 0.6):
        exact = math.sqrt(whip.G * x * (2.0 - x) / (1.0 - x))
        ours = float(np.interp(x, fallen, speed))
        record(
            f"speed after {x:g} m, m/s",
            ours,
            exact,
            Within(0.01 * exact, reason),
            "Calkin and March 1989",
            "closed form",
        )
