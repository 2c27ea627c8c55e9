"""DADS-2D: equilibrium of sample problem 4."""

from __future__ import annotations

import math

import pytest

from cardan import equilibrium
from cardan.planar import Body, Model, Revolute
from verification.manual import rounding

G = 386.088  # in/s^2


@pytest.mark.parametrize("method", ["newton", "energy"])
def test_four_bar_under_its_own_weight(record, method):
    """Problem 6.4: a four-bar of three equal links hangs under its own weight.

    Links of 100, masses 1, start phi2 = -1.3962. The side links hang straight down. The pins carry 3/2, 1/2, -1/2 and
    -3/2 of a weight on the second body of each.
    """
    model = Model("four-bar", gravity=(0, -G))
    phi = -1.3962
    c, s = math.cos(phi), math.sin(phi)
    two = model.add(Body(mass=1.0, inertia=1.0, position=(50 * c, 50 * s), angle=phi), name="body 2")
    three = model.add(Body(mass=1.0, inertia=1.0, position=(100 * c + 50, 100 * s)), name="body 3")
    four = model.add(Body(mass=1.0, inertia=1.0, position=(100 + 50 * c, 50 * s), angle=phi), name="body 4")
    ends = [model.ground.at(), two.at(-50, 0), two.at(50, 0), three.at(-50, 0)]
    ends += [three.at(50, 0), four.at(50, 0), four.at(-50, 0), model.ground.at(100, 0)]
    pins = [
        model.add(Revolute(a, b), name=f"pin {k + 1}")
        for k, (a, b) in enumerate(zip(ends[::2], ends[1::2], strict=True))
    ]
    rest = equilibrium(model, method)
    record(f"phi2, {method}", rest[two].angle, -math.pi / 2, rounding(), "section 6.4")
    found = [*rest[two].position, *rest[three].position, *rest[four].position]
    record(f"places of the links, {method}", found, (0, -50, 50, -100, 100, -50), rounding(100), "section 6.4")
    forces = [rest[pin].in_frame("global").force[0, 1] for pin in pins]
    ratio = [force / forces[1] for force in forces]
    record(f"ratio of the vertical pin forces, {method}", ratio, (3, 1, -1, -3), rounding(10), "section 6.4")
    expected = [share * G for share in (1.5, 0.5, -0.5, -1.5)]
    record(f"vertical pin forces, {method}", forces, expected, rounding(1000), "section 6.4", "closed form")
    record.erratum(
        "DADS-2D, problem 4",
        "386.088, 128.696, -128.696, -386.088 are the multipliers of links of mass 2/3; for the printed mass 1 they "
        "are half as large again.",
    )
