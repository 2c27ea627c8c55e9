"""Steady and periodic motions that do not exist or are not fully stated: rejected in one sentence that says why."""

from __future__ import annotations

import math

import pytest

from bad_input import one_sentence
from cardan import ModelError, SimulationError, periodic_motion, simulate, steady_motion
from cardan.planar import (
    Action,
    Body,
    Driver,
    Harmonic,
    Hold,
    Load,
    Model,
    Polynomial,
    Ramp,
    Revolute,
    Spring,
    Torque,
    Translational,
    velocity_along,
    x,
)
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.spatial import Body as Body3, Model as Model3, Revolute as Revolute3, RollingWheel, rotation
from folding import folded


class Bench:
    """An arm about the origin, with a mass in a slot on a spring."""

    def __init__(self) -> None:
        self.model = Model("bench")
        self.arm = self.model.add(Body(mass=1.0, inertia=0.1), name="arm")
        self.hinge = self.model.add(Revolute(self.model.ground.at(), self.arm.at()), name="hinge")
        self.mass = self.model.add(Body(mass=2.0, inertia=0.01, position=(0.5, 0)), name="mass")
        self.slot = self.model.add(Translational(self.arm.at(), self.mass.at()), name="slot")
        self.spring = self.model.add(Spring(self.slot.travel, 200.0, rest_length=0.4), name="spring")

    def steady(self, *spin, **stated):
        return steady_motion(self.model, *spin, **stated)


def other():
    return Bench()


def heavy(b):
    b.model.gravity = (0.0, -9.81)
    return b.steady(30.0)


def balanced_but_heavy(b):
    """At rest in a slot that lies level: gravity is carried now, but not later."""
    b.model.gravity = (0.0, -9.81)
    b.model.add(Torque(b.arm.at(), 9.81), name="help")
    return b.steady(5.0, free=[b.model["help"]])


def driven_unevenly(b):
    b.model.add(Driver(b.hinge.angle, Polynomial(0.0, 5.0, 2.0)), name="motor")
    return b.steady(5.0)


def driven_otherwise(b):
    b.model.add(Driver(b.hinge.angle, Ramp(4.0)), name="motor")
    return b.steady(5.0)


def fixed(b):
    b.model.add(Hold(x(b.mass.at()), 0.5), name="nail")
    return b.steady(5.0)


def too_fast(b):
    """The spring gives way at sqrt(k / m) = 10 rad/s."""
    return b.steady(10.0)


def moving_hold(b):
    driver = b.model.add(Driver(b.slot.travel, Ramp(0.1, 0.5)), name="feed")
    return b.steady(5.0, free=[driver])


def no_direction(b):
    load = b.model.add(Load(b.mass.at(), (0.0, 0.0)), name="load")
    return b.steady(5.0, free=[load])


def broken(b):
    b.model.add(Action(b.slot.travel, lambda s: math.sqrt(-1.0 - s * s)), name="culprit")
    return b.steady(5.0)


def wheel(**stated):
    model = Model3("wheel", gravity=(0, 0, -9.81))
    place = {"position": (1.0, 0.0, 0.2), "orientation": rotation.from_axes(z=(1, 0, 0), y=(0, 1, 0))}
    coin = model.add(Body3(mass=1.0, inertia=(0.01, 0.01, 0.02), **place), name="coin")
    model.add(RollingWheel(model.ground.at(), coin.at(), radius=0.2), name="road")
    return steady_motion(model, 1.0, body=coin, radius=1.0, through=(0, 0, 0), **stated)


def shaft(axis):
    model = Model3("shaft")
    rotor = model.add(Body3(mass=1.0, inertia=(0.1, 0.1, 0.2)), name="rotor")
    model.add(Revolute3(model.ground.at(), rotor.at()), name="bearing")
    return steady_motion(model, 3.0, axis=axis)


CASES = [
    (lambda b: steady_motion(b.arm), ModelError, ("model", "Model", "arm")),
    (lambda b: b.steady("fast"), ModelError, ("spin", "number", "fast")),
    (lambda b: b.steady(5.0, axis=(0, 0, 0)), ModelError, ("axis", "zero")),
    (lambda b: b.steady(5.0, axis=(1, 0, 0)), ModelError, ("planar", "(0, 0, 1)", "(1, 0, 0)")),
    (lambda b: b.steady(5.0, axis=(0, 1)), ModelError, ("axis", "3 numbers")),
    (lambda b: b.steady(5.0, through=(0, 0, 0)), ModelError, ("through", "2 numbers")),
    (lambda b: b.steady(5.0, travel=(1, 0)), ModelError, ("travel", "axis", "spin=0")),
    (lambda b: b.steady(tolerance=0.0), ModelError, ("tolerance", "positive")),
    (lambda b: b.steady(), ModelError, ("lacks one condition", "the spin", "given")),
    (lambda b: b.steady(free=[b.spring]), ModelError, ("lacks 2 conditions", "the spin", "'spring'")),
    (lambda b: b.steady(5.0, given={b.slot.travel: 0.6}), ModelError, ("one condition too many", "0.6", "spin=None")),
    (
        lambda b: b.steady(given={b.slot.travel: 0.6, x(b.mass.at()): 0.3, b.hinge.angle: 0.0}),
        ModelError,
        ("too many", "0.3"),
    ),
    (lambda b: b.steady(radius=0.6), ModelError, ("radius", "body=")),
    (lambda b: b.steady(speed=3.0, body=other().mass), ModelError, ("mass", "not on a moving body of model 'bench'")),
    (lambda b: b.steady(body=b.mass), ModelError, ("body", "neither its speed nor its radius")),
    (lambda b: b.steady(body=b.model.ground, speed=1.0), ModelError, ("body=", "ground")),
    (
        lambda b: b.steady(5.0, body=b.mass, speed=3.0, radius=0.6),
        ModelError,
        ("spin, speed and radius", "takes two of"),
    ),
    (lambda b: b.steady(body=b.mass, radius=0.0), ModelError, ("radius", "zero", "travel")),
    (lambda b: b.steady(5.0, spinning=b.hinge), ModelError, ("spinning", "list", "brackets")),
    (lambda b: b.steady(5.0, spinning=["hinge"]), ModelError, ("spinning", "'hinge'", "markers")),
    (lambda b: b.steady(5.0, spinning=[b.hinge, b.hinge]), ModelError, ("twice",)),
    (lambda b: b.steady(5.0, spinning=[b.slot]), ModelError, ("Translational 'slot'", "no angle")),
    (lambda b: b.steady(5.0, spinning=[other().hinge]), ModelError, ("Revolute 'hinge'", "not part of model 'bench'")),
    (lambda b: b.steady(5.0, spinning=[b.model.ground.at()]), ModelError, ("ground", "not on a moving body")),
    (lambda b: b.steady(5.0, spinning={b.hinge: "x"}), ModelError, ("rate of", "number")),
    (lambda b: b.steady(spinning=[b.hinge]), ModelError, ("lacks", "the spin", "the rate of 'hinge'")),
    (lambda b: b.steady(given=[b.slot.travel]), ModelError, ("given", "dictionary")),
    (lambda b: b.steady(given={b.arm: 1.0}), ModelError, ("given", "measure", "arm")),
    (lambda b: b.steady(given={other().slot.travel: 1.0}), ModelError, ("not part of model 'bench'",)),
    (
        lambda b: b.steady(given={velocity_along(b.model.ground.at(), b.mass.at(), "x"): 1.0}),
        ModelError,
        ("only a rate",),
    ),
    (lambda b: b.steady(5.0, free=b.spring), ModelError, ("free", "list", "brackets")),
    (lambda b: b.steady(5.0, free=[b.slot]), ModelError, ("free takes", "Translational 'slot'")),
    (lambda b: b.steady(5.0, free=[b.spring, b.spring]), ModelError, ("Spring 'spring'", "twice")),
    (lambda b: b.steady(5.0, free=[other().spring]), ModelError, ("Spring 'spring'", "not part of model 'bench'")),
    (lambda b: b.steady(5.0, start=b.model), ModelError, ("start", "Snapshot")),
    (moving_hold, ModelError, ("Driver 'feed'", "moves at 0.1")),
    (no_direction, ModelError, ("Load 'load'", "no direction")),
    (driven_unevenly, ModelError, ("'motor'", "a different acceleration", "constant rate")),
    (driven_otherwise, SimulationError, ("'motor'", "1 rad/s")),
    (fixed, ModelError, ("'nail'", "a different acceleration")),
    (balanced_but_heavy, ModelError, ("would not stay in balance", "gravity is not along the axis")),
    (heavy, (ModelError, SimulationError), ("bench",)),
    (too_fast, SimulationError, ("no steady motion of 'bench'", "out of balance along the", "start nearer")),
    (broken, SimulationError, ("Action 'culprit'", "no finite force")),
    (lambda b: wheel(), SimulationError, ("'road' (along)", "slide", "spinning")),
    (lambda b: shaft((0, 1, 0)), SimulationError, ("'bearing'", "axis fit the joints")),
    (lambda b: periodic_motion(b.model, 0.0), ModelError, ("period", "positive")),
    (lambda b: periodic_motion(b.model, 1.0, autonomous="no"), ModelError, ("autonomous", "True or False")),
    (lambda b: periodic_motion(b.model, 1.0, method="hht"), ModelError, ("method", "'hht'")),
    (lambda b: periodic_motion(b.model, 1.0, start=3), ModelError, ("start", "Snapshot", "run.at")),
    (lambda b: periodic_motion(b.model, 1.0, points=0), ModelError, ("points", "0")),
]


@folded("number", range(len(CASES)))
def test_rejected(number):
    state, kind, words = CASES[number]
    with pytest.raises(kind) as caught:
        state(Bench())
    message = str(caught.value)
    one_sentence(message)
    assert not [word for word in words if word not in message], message


def test_what_was_reached_is_kept():
    with pytest.raises(SimulationError) as caught:
        too_fast(Bench())
    partial = caught.value.partial
    assert isinstance(partial, SteadyMotion) and partial.spin == 10.0 and partial.residual > 1e-3
    assert caught.value.elements == ("mass",)
    assert partial["slot"].force.size == 2 and "of the forces unbalanced" in repr(partial)


def test_a_pull_that_never_repeats():
    """A mass without a spring, pushed on average: it leaves."""
    model = Model("rocket")
    mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Load(mass.at(), (Harmonic(1.0, 3.0, offset=2.0), 0.0)), name="push")
    with pytest.raises(SimulationError, match="no motion of 'rocket' with the period 2.0944 s") as caught:
        periodic_motion(model, 2 * math.pi / 3)
    one_sentence(str(caught.value))
    assert "the speed of the x of 'mass'" in str(caught.value)
    assert isinstance(caught.value.partial, PeriodicMotion) and caught.value.partial.residual > 0.1


def test_rest_is_no_cycle():
    model = Model("damped")
    mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.2, 0)), name="mass")
    guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    model.add(Spring(guide.travel, 4.0, 0.4, rest_length=0.0), name="spring")
    with pytest.raises(SimulationError, match="converged to an equilibrium"):
        periodic_motion(model, 3.0, autonomous=True)


def test_redundant_joints_carry_the_least_and_say_so():
    """A door on two hinges turns steadily: what each carries along the axis is not determined."""
    model = Model3("door")
    door = model.add(Body3(mass=3.0, inertia=(0.3, 0.3, 0.2), center=(0.4, 0, 0)), name="door")
    for height in (0.0, 1.0):
        model.add(Revolute3(model.ground.at(0, 0, height), door.at(0, 0, height)), name=f"hinge {height:g}")
    motion = steady_motion(model, 2.0)
    assert {name for name, _ in motion.loads.indeterminate} == {"hinge 0", "hinge 1"}
    total = sum(motion[f"hinge {h}"].in_frame("global").force[0] for h in (0, 1))
    assert total.tolist() == pytest.approx([-3.0 * 4.0 * 0.4, 0.0, 0.0], abs=1e-9)
    run = simulate(model, 1.0, output=0.5, start=motion)
    assert run[door].angular_velocity[-1].tolist() == pytest.approx([0.0, 0.0, 2.0], abs=1e-8)
