r"""Car body on mounts: one wheel on a curb twists the body.

    F======================R      a body of torsional stiffness kt = G J / l between the axles, on four mounts of
    |  o                o  |      stiffness k at the half track c. The front right mount is lifted by h:
    |  |                |  |
    F======================R         twist = T / kt,       T = (h / 2 c) / (1 / kt + 2 / kr),       kr = 2 k c^2
       h

The rigid body would share the load of all four mounts; the flexible one gives way, by 1 mm at each mount. The page
magnifies the deformation: choose 20 x. `-p lift=0` is the body under its own weight.
"""

from __future__ import annotations

from typing import Any

from cardan.examples import Headline
from cardan.flexible import Connection, Material, Section, beam
from cardan.spatial import Bushing, FlexibleBody, Model, Point

ANALYSIS = "equilibrium"
LENGTH, WIDTH, HEIGHT, FRONT, REAR, HALF_TRACK, LIFT = 4.0, 1.5, 0.5, 0.7, 3.3, 0.7, 0.05
SHOW = ("front left.z", "front right.z", "rear left.z", "rear right.z")
STIFFNESS = 60e3  # N/m, of a mount
STEEL = Material(E=210e9, nu=0.3, density=7850.0)
BOX = Section(
    area=8e-3,
    Iy=4e-4,
    Iz=2e-3,
    J=2.6e-5,  # of a body that is open above: 14 kN m/deg between the axles
    outline=((-WIDTH / 2, 0.0), (WIDTH / 2, 0.0), (WIDTH / 2, HEIGHT), (-WIDTH / 2, HEIGHT)),
)
MOUNTS = {
    "front left": (FRONT, HALF_TRACK),
    "front right": (FRONT, -HALF_TRACK),
    "rear left": (REAR, HALF_TRACK),
    "rear right": (REAR, -HALF_TRACK),
}


def build(lift: float = LIFT, stiffness: float = STIFFNESS) -> Model:
    """`lift` of the front right mount in m, `stiffness` of each mount in N/m, in all directions; it may tilt freely."""
    frame = beam(LENGTH, BOX, STEEL, elements=40, name="body")
    seats = {name: Connection([round(40 * x / LENGTH)], point=(x, y, 0.0)) for name, (x, y) in MOUNTS.items()}
    part = frame.reduce(seats, modes=6, stress=True)
    model = Model("car-body", gravity=(0.0, 0.0, -9.81))
    body = model.add(FlexibleBody(part, position=(0.0, 0.0, 0.5)), name="body")
    for name, (x, y) in MOUNTS.items():
        raised = 0.5 + (lift if name == "front right" else 0.0)
        model.add(
            Bushing(model.ground.at(x, y, raised), body.at(name), (stiffness,) * 3 + (0.0,) * 3), name=f"{name} mount"
        )
        model.add(Point(body.at(name)), name=name)
    return model


def _twist(rest: Any) -> float:
    """The difference of the roll angles of the two axles."""
    z = {name: float(rest[name].position[2]) for name in MOUNTS}
    rolls = [(z[f"{end} left"] - z[f"{end} right"]) / (2.0 * HALF_TRACK) for end in ("front", "rear")]
    return abs(rolls[0] - rolls[1])


_BODY = STEEL.shear_modulus * BOX.J / (REAR - FRONT)
_AXLE = 2.0 * STIFFNESS * HALF_TRACK**2
# small angles: the square of the roll of 0.02 rad
HEADLINE = Headline(
    "twist of the body between the axles",
    "rad",
    _twist,
    expected=LIFT / (2.0 * HALF_TRACK) / (1.0 / _BODY + 2.0 / _AXLE) / _BODY,
    tolerance=1e-5,
)
