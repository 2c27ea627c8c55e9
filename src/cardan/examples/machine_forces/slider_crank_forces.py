"""Forces in a slider-crank: crank torque and pin forces of a small engine.

                 B                 ___________
                o                 |           |
         crank / \\   rod          |___        |         the gas pushes the piston toward the crank, harder
              o    \\              |   | <--   |         while it burns, that is, while the piston moves in
             A       '----------- o C |  gas  |
          ///////                 |___|_______|

The crank turns at constant speed: the torque of the motor is the torque that a flywheel or a load has to supply, and is
negative where the engine drives. Over a turn the masses take no work, the gas does its work. The force in a pin is that
on its second body in the axes of its first: B.fx is along the crank. At a higher speed, `-p speed=600`, inertia
relieves the rod under gas pressure and pulls it elsewhere.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Action, Body, Driver, Model, Ramp, Revolute, Translational, matter

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 2.0 * math.pi / 200.0, 361)
SHOW = ("motor.force", "B.fx", "guide.fy", "gas.force")


def build(
    crank: float = 0.04, rod: float = 0.14, speed: float = 200.0, peak: float = 12000.0, clearance: float = 0.01
) -> Model:
    """`peak` is the force of the burning gas at the dead point, where it is `clearance` long; bodies begin at a pin."""
    model = Model("slider-crank-forces", gravity=(0.0, -9.81))
    ground = model.ground
    arm = model.add(Body(mass=matter.rod(crank, mass=0.6).moved((crank / 2, 0.0))), name="crank")
    bar = matter.rod(rod, mass=0.5).moved((rod / 2, 0.0))
    link = model.add(Body(mass=bar, position=(crank, 0.0)), name="rod")
    piston = model.add(Body(mass=0.4, inertia=2e-4, position=(crank + rod, 0.0)), name="piston")
    hinge = model.add(Revolute(ground.at(), arm.at()), name="A")
    model.add(Revolute(arm.at(crank, 0.0), link.at()), name="B")
    model.add(Revolute(link.at(rod, 0.0), piston.at()), name="C")
    guide = model.add(Translational(ground.at(), piston.at()), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    end = crank + rod + clearance  # of the cylinder

    def gas(x: float, rate: float) -> float:
        """A polytrope of exponent 1.3; it presses with a quarter of the force where nothing burns."""
        return -peak * (clearance / (end - x)) ** 1.3 * (0.25 if rate > 0.0 else 1.0)

    model.add(Action(guide.travel, gas), name="gas")
    return model


# virtual work at a quarter turn, where the rod moves without turning: T = r f - (m_rod / 2 + m_piston) r^3 w^2 / d with
# d^2 = l^2 - r^2 and the force f of the gas that is r + l - d + 0.01 m long there
_D = math.sqrt(0.14**2 - 0.04**2)
HEADLINE = Headline(
    "torque of the motor at a quarter turn",
    "N m",
    lambda run: run["motor"].force[90],
    expected=-0.04 * 12000.0 * (0.01 / (0.19 - _D)) ** 1.3 - (0.5 / 2 + 0.4) * 0.04**3 * 200.0**2 / _D,
    tolerance=1e-8,
)
