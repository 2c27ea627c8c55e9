"""What random mechanisms are equipped with: bodies and forces of kinds that chains of rigid bodies do not have.

    put_on(grown, seed)      adds one or two kinds to a mechanism that has grown

The choice has random numbers of its own: the mechanism of a seed is the same with and without its equipment. Everything
is placed where the bodies stand, and is soft enough that motions have some hundred rad^2/s^2, as those of springs do.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cache
from typing import Any

import numpy as np

import cardan.planar as plane
import cardan.spatial as space
from flexible_parts import Points

LIFT = plane.MotionProgram([plane.Move(0.4, 0.7), plane.Dwell(0.2), plane.Move(0.0, 0.6, "3-4-5")], repeat="periodic")
# z = f(x) with f(0) = 0, since all joints are stated at zero
CURVES = (
    plane.Polynomial(0.0, 0.5, 0.1),
    plane.Spline((-40.0, -1.0, 0.0, 1.0, 40.0), (-20.0, -0.6, 0.0, 0.4, 20.0)),
    LIFT,
)
PARTS = 3  # random flexible parts of each space


def put_on(grown: Any, seed: int, driven: bool) -> tuple[str, ...]:
    """Add equipment to a mechanism; of driven ones none that adds a degree of freedom. The names of what was added."""
    random = np.random.default_rng([seed, 7])
    kinds = [name for name, kind in KINDS.items() if name in FIXED or not driven]
    chosen = random.choice(kinds, int(random.integers(1, 3)), replace=False)
    grown.random = random
    return tuple(name for k, name in enumerate(chosen.tolist()) if KINDS[name](grown, k, driven))


def _point_mass(grown: Any, k: int, driven: bool) -> bool:
    """A particle on a rod, between two springs."""
    words, random = grown.words, grown.random
    at = grown.point()
    particle = grown.model.add(words.PointMass(random.uniform(0.5, 2.0), tuple(at)), name=f"particle {k}")
    if random.integers(2):
        to = grown.point() + 1.5
        rod = words.Distance(grown.on(_any_body(grown), to), particle.at(), float(np.linalg.norm(to - at)))
        grown.model.add(rod, name=f"particle rod {k}")
    for side in range(2):
        reach = words.length(grown.on(_any_body(grown), grown.point() - 2.0), particle.at())
        stated = {"stiffness": random.uniform(5.0, 200.0), "damping": random.uniform(0.0, 5.0)}
        grown.model.add(words.Spring(reach, **stated, rest_length=1.0), name=f"particle spring {k} {side}")
    return True


def _junction(grown: Any, k: int, driven: bool) -> bool:
    """A massless knot of taut springs, whose forces balance in one position only."""
    words, random = grown.words, grown.random
    knot = grown.model.add(words.Junction(tuple(0.2 * grown.point())), name=f"knot {k}")
    corners = np.vstack([np.zeros(grown.dimensions), 3.0 * np.eye(grown.dimensions)]) - 1.0
    for side, corner in enumerate(corners):
        reach = words.length(grown.on(_any_body(grown), corner + 0.2 * grown.point()), knot.at())
        spring = words.Spring(reach, random.uniform(5.0, 100.0), rest_length=0.0)
        grown.model.add(spring, name=f"knot spring {k} {side}")
    return True


def _gears(grown: Any, k: int, driven: bool) -> bool:
    """Two wheels on the ground with elastic teeth; one of them is driven by a torque, the other is braked."""
    words, random, ground = grown.words, grown.random, grown.model.ground
    middle, (axes, across) = grown.point(), _axes(grown)
    tilt = 0.0 if grown.dimensions == 2 else float(random.uniform(-0.3, 0.3))
    wheels = []
    for side, place in (("first", middle), ("second", middle + 0.3 * across)):
        wheel = grown.model.add(_round_body(words, random, place), name=f"{side} wheel {k}")
        bearing = words.Revolute(*(_marker(grown, body, place, axes) for body in (ground, wheel)))
        bearing = grown.model.add(bearing, name=f"{side} shaft {k}")
        stiffness = {"stiffness": random.uniform(0.0, 5.0), "damping": random.uniform(0.0, 0.2)}
        brake = words.Spring(bearing.angle, **stiffness, rest_angle=random.uniform(-1.0, 1.0))
        grown.model.add(brake, name=f"{side} torsion {k}")
        wheels.append(_marker(grown, wheel, place, axes))
    stated = {"stiffness": random.uniform(300.0, 1000.0), "damping": random.uniform(0.0, 2.0)}
    stated |= {"backlash": float(random.choice([0.0, 1e-3])), "stiffness_variation": float(random.choice([0.0, 0.2]))}
    if tilt:
        stated["helix_angle"] = tilt
    grown.model.add(words.GearMesh(*wheels, 20, 40, 0.01, **stated), name=f"teeth {k}")
    return True


def _bearing(grown: Any, k: int, driven: bool) -> bool:
    """A shaft in a bearing that yields."""
    words, random = grown.words, grown.random
    at, (axes, _) = grown.point(), _axes(grown)
    shaft = grown.model.add(_round_body(words, random, at), name=f"journal {k}")
    stated = {"stiffness": random.uniform(100.0, 500.0), "damping": random.uniform(0.5, 5.0)}
    stated["clearance"] = float(random.choice([0.0, 0.01]))
    if grown.dimensions == 3:
        stated |= {"axial_stiffness": 300.0, "axial_damping": 2.0, "tilt_stiffness": 30.0, "tilt_damping": 0.5}
    ends = [_marker(grown, body, at, axes) for body in (_any_body(grown), shaft)]
    grown.model.add(words.ShaftBearing(*ends, **stated), name=f"bearing {k}")
    return True


def _cam(grown: Any, k: int, driven: bool) -> bool:
    """A slide or a lever that follows a hinge through a curve, or moves by a program where there is no hinge."""
    words, random = grown.words, grown.random
    at, (axes, _) = grown.point(), _axes(grown)
    follower = grown.model.add(_round_body(words, random, at), name=f"cam follower {k}")
    kind = words.Translational if random.integers(2) else words.Revolute
    joint = kind(*(_marker(grown, body, at, axes) for body in (_any_body(grown), follower)))
    joint = grown.model.add(joint, name=f"cam joint {k}")
    measure = joint.travel if kind is words.Translational else joint.angle
    if grown.hinges and random.random() < 0.8:
        hinge = grown.hinges[int(random.integers(len(grown.hinges)))]
        curve = CURVES[int(random.integers(len(CURVES)))]
        grown.model.add(words.CurveCoupler(measure, hinge.angle, curve), name=f"cam {k}")
    else:
        grown.model.add(words.Driver(measure, LIFT), name=f"cam {k}")
    return True


def _absorber(grown: Any, k: int, driven: bool) -> bool:
    """A mass of its own on a hinge, in coordinates that are not those of a body."""
    if not grown.hinges:
        return False
    words, random = grown.words, grown.random
    angle, stiffness = grown.hinges[int(random.integers(len(grown.hinges)))].angle, random.uniform(2.0, 20.0)
    stated = {"M": random.uniform(0.1, 0.3), "D": random.uniform(0.0, 0.3), "K": stiffness, "B": stiffness}
    absorber = grown.model.add(words.SecondOrder(angle, **stated), name=f"absorber {k}")
    grown.model.add(words.Actuator(angle, stiffness * (absorber["q1"] - angle)), name=f"absorber force {k}")
    return True


def _gauge(grown: Any, k: int, driven: bool) -> bool:
    """A reading that acts on nothing."""
    one, two = grown.random.choice(len(grown.bodies), 2, replace=False)
    ends = grown.on(grown.bodies[int(one)], grown.point()), grown.on(grown.bodies[int(two)], grown.point() + 2.0)
    grown.model.add(grown.words.Gauge(grown.words.length(*ends)), name=f"gauge {k}")
    return True


def _program(grown: Any, k: int, driven: bool) -> bool:
    """A load that a motion program prescribes."""
    body = grown.bodies[int(grown.random.integers(1, len(grown.bodies)))]
    force = (LIFT * float(grown.random.uniform(-20.0, 20.0)), *[0.0] * (grown.dimensions - 1))
    grown.model.add(grown.words.Load(grown.on(body, grown.point()), force), name=f"program {k}")
    return True


def _flexible(grown: Any, k: int, driven: bool) -> bool:
    """A flexible body on a hinge, whose far end hangs in a spring."""
    words, random, flat = grown.words, grown.random, grown.dimensions == 2
    part = _part(int(random.integers(PARTS)), flat)
    modes = int(random.integers(1, part.modes + 1))
    if flat:
        body = plane.FlexibleBody(part, modes=modes, position=tuple(grown.point()), angle=random.uniform(-3.0, 3.0))
    else:
        e = random.standard_normal(4)
        body = space.FlexibleBody(
            part, modes=modes, position=tuple(grown.point()), orientation=tuple(e / np.linalg.norm(e))
        )
    grown.model.add(body, name=f"flexible {k}")
    near = _global(body, "first")
    if flat:
        joint = plane.Revolute(grown.on(_any_body(grown), near), body.at("first"))
    else:
        joint = space.Revolute.between(_any_body(grown), body, tuple(near), z=tuple(random.standard_normal(3)))
    grown.model.add(joint, name=f"flexible hinge {k}")
    if driven:
        ramp = words.Ramp(random.uniform(-0.8, 0.8), start=grown.angle_of(joint) if flat else 0.0)
        grown.model.add(words.Driver(joint.angle, ramp), name=f"flexible motor {k}")
    reach = words.length(grown.on(grown.model.ground, grown.point() + 3.0), body.at("second"))
    spring = words.Spring(reach, random.uniform(5.0, 100.0), random.uniform(0.0, 5.0), rest_length=2.0)
    grown.model.add(spring, name=f"flexible spring {k}")
    return True


KINDS = {
    "point mass": _point_mass,
    "junction": _junction,
    "gears": _gears,
    "bearing": _bearing,
    "cam": _cam,
    "absorber": _absorber,
    "gauge": _gauge,
    "program": _program,
    "flexible": _flexible,
}
FIXED = ("junction", "cam", "gauge", "program", "flexible")  # which add no degree of freedom


@cache
def _part(number: int, flat: bool) -> Any:
    """A flexible part of 12 points, stiff enough that its weight bends it by some hundredths."""
    part = Points(number, flat=flat).part
    return dataclasses.replace(part, stiffness=50.0 * part.stiffness, damping=50.0 * part.damping)


def _any_body(grown: Any) -> Any:
    return grown.bodies[int(grown.random.integers(len(grown.bodies)))]


def _axes(grown: Any) -> tuple[dict[str, Any], np.ndarray]:
    """Global directions of the axes of two markers, and a unit vector perpendicular to the z axis."""
    if grown.dimensions == 2:
        along = grown.random.uniform(-math.pi, math.pi)
        return {"along": along}, np.array([math.cos(along), math.sin(along)])
    z, x = grown.random.standard_normal((2, 3))
    x -= z * (x @ z) / (z @ z)
    return {"z": tuple(z), "x": tuple(x)}, x / np.linalg.norm(x)


def _marker(grown: Any, body: Any, at: np.ndarray, axes: dict[str, Any]) -> Any:
    """The marker of a body at a global point, with axes in global directions."""
    if grown.dimensions == 2:
        return grown.on(body, at, **axes)
    return body.world(tuple(at), **axes)


def _round_body(words: Any, random: np.random.Generator, at: np.ndarray) -> Any:
    inertia = random.uniform(0.05, 0.3)
    return words.Body(random.uniform(0.5, 2.0), inertia if len(at) == 2 else (inertia,) * 3, position=tuple(at))


def _global(body: Any, name: str) -> np.ndarray:
    """Where an interface of a flexible body is stated, undeformed."""
    place = np.asarray(body.at(name).place)
    if len(place) == 2:
        c, s = math.cos(body.angle), math.sin(body.angle)
        return np.asarray(body.position) + (c * place[0] - s * place[1], s * place[0] + c * place[1])
    return np.asarray(body.position) + space.rotation.rotate(np.array(body.parameters), place)
