"""DADS-2D: sample problem 4, forces and equilibrium."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import equilibrium, inverse_dynamics, quasi_static
from cardan.planar import Body, Constant, Driver, Model, Ramp, Revolute
from verification.manual import Within, digits, rounding

G = 32.174  # ft/s^2
MASS = 8.0
PHI = -1.3962
CUT = Within(1e-3, "one unit of the last digit of the shortest number: digits are cut off, not rounded")


@pytest.mark.parametrize("method", ["newton", "energy"])
def test_four_bar_under_its_own_weight(record, method):
    """Problem 6.4: a four-bar of three equal links hangs under its own weight.

    Links of 100, start phi2 = -1.3962. The table of data prints masses of 1 without a unit; every printed digit belongs
    to masses of 8 with g = 32.174 ft/s^2, a weight of 257.392. The side links hang straight down.
    """
    model, pins = _four_bar()
    rest = equilibrium(model, method=method)
    two, three, four = (model[f"body {k}"] for k in (2, 3, 4))
    record(f"phi2, {method}", rest[two].angle, -math.pi / 2, rounding(), "Table 6.4.3")
    found = [*rest[two].position, *rest[three].position, *rest[four].position]
    record(f"places of the links, {method}", found, (0, -50, 50, -100, 100, -50), rounding(100), "Table 6.4.3")
    forces = [rest[pin].in_frame("global").force[0, 1] for pin in pins]
    printed = (386.088, 128.696, -128.696, -386.088)
    record(f"vertical pin forces, {method}", forces, printed, digits(3), "Table 6.4.3")
    closed = [share * MASS * G for share in (1.5, 0.5, -0.5, -1.5)]
    record(f"vertical pin forces, {method}", forces, closed, rounding(1000), "section 6.4", "closed form")
    record.erratum(
        "DADS-2D, Table 6.4.1",
        "masses of 1 are printed; every digit of the results belongs to masses of 8 with g = 32.174 ft/s^2. Masses of "
        "2/3 with 386.088 in/s^2 give the same weights.",
    )


def test_estimates_with_the_crank_held(record):
    """Problem 6.4: places, multipliers and moment with phi2 held at -1.3962, from which the source starts.

    The report prints the multipliers to the digits that fit; one of the moment is 8942.34.
    """
    model, pins = _four_bar()
    motor = model.add(Driver(pins[0].angle, Constant(PHI)), name="phi2")
    run = inverse_dynamics(model, [0.0])
    places = [*run["body 2"].position[0], *run["body 3"].position[0], *run["body 4"].position[0]]
    printed = 8.68553, -49.2398, 67.3711, -98.479, 108.6855, -49.2398
    record("places of the links", places, printed, CUT, "Table 6.4.2")
    forces = np.array([run[pin].in_frame("global").force[0] for pin in pins])
    record(
        "vertical pin forces",
        forces[:, 1],
        (386.08, 128.69, -128.69, -386.08),
        Within(1e-2, "digits cut off"),
        "Table 6.4.2",
    )
    record("horizontal pin forces", np.abs(forces[:, 0]), np.full(4, 45.40), digits(2), "Table 6.4.2")
    record("moment of the driver", abs(run[motor].force[0]), 8942.34, digits(2), "Table 6.4.2")


def test_kineto_statics_of_the_crank(record):
    """Problem 6.4 along a motion: phi2 is driven slowly from -1.3962 to -pi/2, with masses that do not accelerate.

    Both ends are printed. Between them the side links carry the coupler as a parallelogram: the moment of the driver is
    the weight of two links at half the crank and of the coupler at its end, 2 m g L cos(phi2).
    """
    model, pins = _four_bar()
    motor = model.add(Driver(pins[0].angle, Ramp(-math.pi / 2 - PHI, PHI)), name="phi2")
    run = quasi_static(model, np.linspace(0.0, 1.0, 21))
    places = [*run["body 2"].position[0], *run["body 3"].position[0], *run["body 4"].position[0]]
    printed = 8.68553, -49.2398, 67.3711, -98.479, 108.6855, -49.2398
    record("places of the links, driven", places, printed, CUT, "Table 6.4.2")
    ends = np.array([run[pin].in_frame("global").force[:, 1] for pin in pins])
    record(
        "vertical pin forces at the end", ends[:, -1], (386.088, 128.696, -128.696, -386.088), digits(3), "Table 6.4.3"
    )
    record("moment of the driver at the start", abs(run[motor].force[0]), 8942.34, digits(2), "Table 6.4.2")
    moment = 2.0 * MASS * G * 100.0 * np.cos(run["body 2"].angle)
    record("moment of the driver", run[motor].force, moment, rounding(1e5), "section 6.4", "closed form")


def _four_bar():
    """Table 6.4.1."""
    model = Model("four-bar", gravity=(0, -G))
    c, s = math.cos(PHI), math.sin(PHI)
    two = model.add(Body(mass=MASS, inertia=1.0, position=(50 * c, 50 * s), angle=PHI), name="body 2")
    three = model.add(Body(mass=MASS, inertia=1.0, position=(100 * c + 50, 100 * s)), name="body 3")
    four = model.add(Body(mass=MASS, inertia=1.0, position=(100 + 50 * c, 50 * s), angle=PHI), name="body 4")
    ends = [model.ground.at(), two.at(-50, 0), two.at(50, 0), three.at(-50, 0)]
    ends += [three.at(50, 0), four.at(50, 0), four.at(-50, 0), model.ground.at(100, 0)]
    pins = [
        model.add(Revolute(a, b), name=f"pin {k + 1}")
        for k, (a, b) in enumerate(zip(ends[::2], ends[1::2], strict=True))
    ]
    return model, pins
