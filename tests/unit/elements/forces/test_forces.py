"""Springs, loads, torques and own laws: what they do to the driver that holds against them, by closed forms."""

import math

import numpy as np
import pytest

from cardan import inverse_dynamics
from cardan.planar import (
    Action,
    Body,
    Driver,
    Harmonic,
    Load,
    Model,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    length,
    x,
    y,
)
from cardan.spatial import (
    Body as Body3,
    Load as Load3,
    Model as Model3,
    Revolute as Revolute3,
    Torque as Torque3,
    rotation,
)

TIMES = np.linspace(0.0, 1.0, 21)
MOTION = Harmonic(0.2, 3.0, 0.4, 1.0)
Z, ZV, ZA = MOTION.derivatives(TIMES)
NEAR = 1e-9  # forces of order 100 N from equations closed to 1e-11


class Sled:
    """A sled of 2 kg on a rail along x, driven as MOTION says; `held()` is the force of the driver."""

    def __init__(self):
        self.model = Model("sled")
        self.sled = self.model.add(Body(mass=2.0, inertia=0.1, position=(1.0, 0.0)), name="sled")
        self.rail = self.model.add(Translational(self.model.ground.at(), self.sled.at()), name="rail")
        self.model.add(Driver(self.rail.travel, MOTION), name="motor")

    def held(self, *forces):
        for k, force in enumerate(forces):
            self.model.add(force, name=f"force {k}")
        self.run = inverse_dynamics(self.model, TIMES)
        return self.run["motor"].force - 2.0 * ZA


class Arm:
    """An arm without mass, which turns about the origin as 0.3 + 2 t."""

    def __init__(self):
        self.model = Model("arm")
        self.arm = self.model.add(Body(angle=0.3), name="arm")
        self.hinge = self.model.add(Revolute(self.model.ground.at(), self.arm.at()), name="hinge")
        self.model.add(Driver(self.hinge.angle, Ramp(2.0, 0.3)), name="motor")
        self.angle = 0.3 + 2.0 * TIMES

    def held(self, *forces):
        for k, force in enumerate(forces):
            self.model.add(force, name=f"force {k}")
        self.run = inverse_dynamics(self.model, TIMES)
        return self.run["motor"].force


def test_spring_and_damper():
    """f = k (z - free) + c z', and what it takes from the mechanism is -f z'."""
    sled = Sled()
    spring = Spring(length(sled.model.ground.at(-1.0, 0.0), sled.sled.at()), 50.0, 4.0, rest_length=1.5)
    pull = 50.0 * (Z + 1.0 - 1.5) + 4.0 * ZV
    assert sled.held(spring) == pytest.approx(pull, abs=NEAR)
    series = sled.run[spring]
    assert series.force == pytest.approx(pull, abs=NEAR)
    assert series.length == pytest.approx(Z + 1.0, abs=NEAR)
    assert series.power == pytest.approx(-pull * ZV, abs=NEAR)
    assert series.first().force == pytest.approx(pull[0], abs=NEAR)


def test_spring_from_the_other_end_pulls_as_much():
    one, other = Sled(), Sled()
    a = one.held(Spring(length(one.model.ground.at(-1, 0), one.sled.at()), 50.0, 4.0, rest_length=1.5))
    b = other.held(Spring(length(other.sled.at(), other.model.ground.at(-1, 0)), 50.0, 4.0, rest_length=1.5))
    assert a == pytest.approx(b, abs=NEAR)


def test_spring_on_a_slant():
    """A spring from a point 0.5 beside the rail: the rail carries its part across."""
    sled = Sled()
    spring = Spring(length(sled.model.ground.at(0.0, 0.5), sled.sled.at()), 30.0, rest_length=0.2)
    span = np.hypot(Z, 0.5)
    pull = 30.0 * (span - 0.2)
    assert sled.held(spring) == pytest.approx(pull * Z / span, abs=NEAR)
    assert sled.run["rail"].force[:, 1] == pytest.approx(-pull * 0.5 / span, abs=NEAR)


def test_spring_through_zero_length():
    """Where the length is zero the direction is the limit d'/l' (Haug 6.2.9 and 6.2.15): that after the passage."""
    model = Model("coil")
    sled = model.add(Body(mass=1.0, inertia=1.0, position=(-0.5, 0.0)), name="sled")
    rail = model.add(Translational(model.ground.at(), sled.at()), name="rail")
    model.add(Driver(rail.travel, Ramp(1.0, -0.5)), name="motor")
    model.add(Spring(length(model.ground.at(), sled.at()), 1.0, 0.3, rest_length=1.0), name="spring")
    run = inverse_dynamics(model, [0.0, 0.25, 0.5, 0.75])
    assert run["spring"].force == pytest.approx([-0.8, -1.05, -0.7, -0.45], abs=NEAR)
    assert run["motor"].force == pytest.approx([0.8, 1.05, -0.7, -0.45], abs=NEAR)


@pytest.mark.parametrize(
    ("force", "values"),
    [
        (7.0, 7.0 + 0.0 * TIMES),
        (Ramp(3.0, 1.0), 1.0 + 3.0 * TIMES),
        (lambda t: 5.0 * math.sin(t), 5.0 * np.sin(TIMES)),
    ],
)
def test_actuator(force, values):
    sled = Sled()
    assert sled.held(Spring(sled.rail.travel, force=force)) == pytest.approx(values, abs=NEAR)


def cubic(z):
    return 40.0 * z**3


def drag(z, rate):
    return 3.0 * rate * abs(rate) + z


def timed(z, rate, t):
    return z * rate + 10.0 * t


@pytest.mark.parametrize(
    ("law", "values"), [(cubic, 40.0 * Z**3), (drag, 3.0 * ZV * abs(ZV) + Z), (timed, Z * ZV + 10.0 * TIMES)]
)
def test_law_adds_to_the_spring(law, values):
    sled = Sled()
    held = sled.held(Spring(sled.rail.travel, 20.0, rest_length=0.3, law=law))
    assert held == pytest.approx(values + 20.0 * (Z - 0.3), abs=NEAR)


def test_torsion_spring():
    """n > 0 turns b back: the driver must supply it. All turns count."""
    arm = Arm()
    held = arm.held(Spring(arm.hinge.angle, 4.0, 0.5, rest_angle=0.1))
    assert held == pytest.approx(4.0 * (arm.angle - 0.1) + 0.5 * 2.0, abs=NEAR)


def test_spring_along_a_combination():
    """Along 2 x - y of the sled: Q_x = -2 f."""
    sled = Sled()
    point = sled.sled.at()
    held = sled.held(Spring(2.0 * x(point) - y(point), 10.0, rest_length=0.5))
    pull = 10.0 * (2.0 * Z - 0.5)
    assert held == pytest.approx(2.0 * pull, abs=NEAR)
    assert sled.run["rail"].force[:, 1] == pytest.approx(-pull, abs=NEAR)


def test_load_in_global_axes():
    """On a point at 0.5 of the arm: the driver holds the moment, the hinge the force."""
    arm = Arm()
    held = arm.held(Load(arm.arm.at(0.5, 0.0), (3.0, Ramp(2.0, 1.0))))
    px, py = 0.5 * np.cos(arm.angle), 0.5 * np.sin(arm.angle)
    fy = 1.0 + 2.0 * TIMES
    assert held == pytest.approx(-(px * fy - py * 3.0), abs=NEAR)
    expected = np.stack([np.full(21, -3.0), -fy], axis=1)
    assert arm.run["hinge"].force == pytest.approx(expected, abs=NEAR)
    assert arm.run["force 0"].force == pytest.approx(-expected, abs=NEAR)
    # power: f . v of the point
    assert arm.run["force 0"].power == pytest.approx(3.0 * -2.0 * py + fy * 2.0 * px, abs=NEAR)


def test_load_that_follows_its_body():
    """In the axes of the marker, which is turned by 0.4 on the body."""
    arm = Arm()
    held = arm.held(Load(arm.arm.at(0.5, 0.0, 0.4), (3.0, 1.0), frame="body"))
    across = 3.0 * math.sin(0.4) + math.cos(0.4)
    assert held == pytest.approx(np.full(21, -0.5 * across), abs=NEAR)
    turned = arm.angle + 0.4
    push = np.stack([3.0 * np.cos(turned) - np.sin(turned), 3.0 * np.sin(turned) + np.cos(turned)], axis=1)
    assert arm.run["hinge"].force == pytest.approx(-push, abs=NEAR)


@pytest.mark.parametrize("frame", ["global", "body"])
def test_torque_in_the_plane(frame):
    arm = Arm()
    held = arm.held(Torque(arm.arm.at(0.7, 0.2), Ramp(1.0, 2.0), frame=frame))
    assert held == pytest.approx(-(2.0 + TIMES), abs=NEAR)
    assert arm.run["force 0"].force == pytest.approx(2.0 + TIMES, abs=NEAR)
    assert arm.run["force 0"].power == pytest.approx(2.0 * (2.0 + TIMES), abs=NEAR)
    assert arm.run["hinge"].force == pytest.approx(np.zeros((21, 2)), abs=NEAR)


@pytest.mark.parametrize("kind", ["list", "array"])
@pytest.mark.parametrize("frame", ["global", "body"])
@pytest.mark.parametrize("what", ["force", "torque"])
def test_wrench_in_space(what, frame, kind):
    """A hinge about z holds all of it but the moment about its axis, which the driver holds."""
    model = Model3("arm")
    arm = model.add(Body3(), name="arm")
    hinge = model.add(Revolute3(model.ground.at(), arm.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
    given = np.array([1.0, -2.0, 3.0])
    stated = given if kind == "array" else given.tolist()
    marker = arm.at(0.3, 0.1, 0.2, x=(0, 1, 0), z=(1, 0, 0))
    model.add((Load3 if what == "force" else Torque3)(marker, stated, frame=frame), name="load")
    run = inverse_dynamics(model, TIMES)
    A = run[arm].matrix
    axes = rotation.matrix(np.array(rotation.from_axes(x=(0, 1, 0), z=(1, 0, 0))))
    vector = np.tile(given, (21, 1)) if frame == "global" else A @ (axes @ given)
    force = vector if what == "force" else 0.0 * vector
    torque = np.cross(A @ (0.3, 0.1, 0.2), force) if what == "force" else vector
    found = run[hinge].in_frame("global")
    assert found.force == pytest.approx(-force, abs=NEAR)
    assert found.torque == pytest.approx(-torque * (1, 1, 0), abs=NEAR)
    assert run["motor"].force == pytest.approx(-torque[:, 2], abs=NEAR)


def pressure(z, rate):
    """Of a gas that is compressed outward beyond 1.15 and let out on the way back."""
    if rate <= 0.0:
        return 0.0
    if z > 1.15:
        return -80.0 * (z - 1.15)
    return -1.0


def test_action_with_branches():
    """It pushes toward growing travel; the driver supplies the opposite."""
    sled = Sled()
    held = sled.held(Action(sled.rail.travel, pressure))
    values = np.array([pressure(z, v) for z, v in zip(Z, ZV, strict=True)])
    assert len({*np.sign(values)}) == 2 and -1.0 in values and values.min() < -1.5  # all branches are met
    assert held == pytest.approx(-values, abs=NEAR)
    assert sled.run["force 0"].force == pytest.approx(values, abs=NEAR)
    assert sled.run["force 0"].power == pytest.approx(values * ZV, abs=NEAR)


def root(z):
    return math.sqrt(abs(z))


def test_force_with_an_infinite_slope():
    """A force needs its value alone: sqrt |z| at z = 0 is one."""
    model = Model("sled")
    sled = model.add(Body(position=(-0.5, 0.0)), name="sled")
    rail = model.add(Translational(model.ground.at(), sled.at()), name="rail")
    model.add(Driver(rail.travel, Ramp(1.0, -0.5)), name="motor")
    model.add(Action(rail.travel, root), name="force")
    run = inverse_dynamics(model, [0.0, 0.25, 0.5, 0.75])
    assert run["motor"].force == pytest.approx([-math.sqrt(0.5), -0.5, 0.0, -0.5], abs=NEAR)


def mixed(travel, height, travel_rate, height_rate, t):
    return travel + 2.0 * height + 3.0 * travel_rate + 4.0 * height_rate + 5.0 * t


def test_action_of_other_measures():
    """Values first, then rates, then the time, in the order of `of`."""
    sled = Sled()
    point = sled.sled.at(0.0, 0.6)
    held = sled.held(Action(sled.rail.travel, mixed, of=(sled.rail.travel, y(point))))
    assert held == pytest.approx(-(Z + 1.2 + 3.0 * ZV + 5.0 * TIMES), abs=NEAR)


def test_action_along_a_combination():
    sled = Sled()
    point = sled.sled.at()
    held = sled.held(Action(x(point) + 0.5 * y(point), cubic, of=(sled.rail.travel,)))
    assert held == pytest.approx(-40.0 * Z**3, abs=NEAR)
    assert sled.run["rail"].force[:, 1] == pytest.approx(-20.0 * Z**3, abs=NEAR)


def test_forces_add_up():
    one, two = Sled(), Sled()
    twice = one.held(Spring(one.rail.travel, 10.0, rest_length=0.0), Spring(one.rail.travel, 10.0, rest_length=0.0))
    once = two.held(Spring(two.rail.travel, 20.0, rest_length=0.0))
    assert twice == pytest.approx(once, abs=NEAR)
