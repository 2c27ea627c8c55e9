"""Every force, device and surface of the plane and of space, acting on bodies in motion: for laws of derivatives.

Each case states a model in which the element acts; surfaces are then pressed into each other by a hundredth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cardan.planar as plane
import cardan.spatial as space
from flexible_parts import Points
from properties.test_force_elements import EXTERNAL, INTERNAL, SPACES, floating
from properties.test_touches import _box, _roads, ellipse, wave


@dataclass(frozen=True)
class ForceCase:
    """A model in which an element acts; `covers` are names that are no elements themselves."""

    name: str
    make: Callable[[], Any]
    covers: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return self.name


def between(element: Any) -> Callable[[Any], Any]:
    """A model of three bodies in free flight with what element(words, a, b, c) makes."""
    return lambda words: floating(words, element)[0]


def machine(element: Any) -> Callable[[Any], Any]:
    """An arm on a hinge with a sled on it, both moving, with what element(words, model, hinge, rail) adds."""

    def make(words: Any) -> Any:
        model, flat = (
            words.Model("machine", gravity=(0.3, -9.81) if words is plane else (0.3, -9.81, 0.2)),
            words is plane,
        )
        pad = () if flat else (0.0,)
        inertia = 0.2 if flat else (0.2, 0.3, 0.25)
        spin = {"angular_velocity": 0.7 if flat else (0.0, 0.0, 0.7)}
        arm = model.add(
            words.Body(2.0, inertia, position=(0.5, 0.0, *pad), velocity=(0.0, 0.35, *pad), **spin), name="arm"
        )
        stated = {"position": (0.8, 0.0, *pad), "velocity": (0.4, 0.56, *pad)}
        sled = model.add(words.Body(1.0, inertia, **stated, **spin), name="sled")
        hinge = model.add(words.Revolute(model.ground.at(), arm.at(-0.5, 0.0, *pad)), name="hinge")
        ends = [arm.at(), sled.at()] if flat else [arm.at(z=(1, 0, 0), x=(0, 1, 0)), sled.at(z=(1, 0, 0), x=(0, 1, 0))]
        rail = model.add(words.Translational(*ends), name="rail")
        element(words, model, hinge, rail)
        return model

    return make


def touching(element: Any) -> Callable[[Any], Any]:
    """Two bodies that move and turn, with what element(words, model, a, b) makes."""

    def make(words: Any) -> Any:
        model, flat = words.Model("touching"), words is plane
        pad = () if flat else (0.1,)
        inertia = 0.2 if flat else (0.2, 0.3, 0.25)
        bodies = [
            model.add(
                words.Body(
                    1.0,
                    inertia,
                    position=(x, y, *pad),
                    velocity=(0.3, -0.2, *pad),
                    angular_velocity=w if flat else (0.3, -0.2, w),
                ),
                name=name,
            )
            for name, x, y, w in (("a", 0.0, 0.0, 0.5), ("b", 0.3, 0.4, -0.8))
        ]
        model.add(element(words, model, *bodies), name="contact")
        return model

    return make


# forces along measures
def load(w, a, b, c):
    return w.Load(a, (1.0, -2.0) if w is plane else (1.0, -2.0, 0.5), frame="body")


def torque(w, a, b, c):
    return w.Torque(a, w.Ramp(0.5, 2.0) if w is plane else (1.0, 2.0, -0.5), frame="body")


def outer_torque(w, a, b, c):
    return w.Torque(a, 2.0 if w is plane else (1.0, 2.0, -0.5))


def spring(w, a, b, c):
    return w.Spring(w.length(a, b), 30.0, 2.0, rest_length=0.8)


def hardening(w, a, b, c):
    curves = {"curve": w.Spline((0.2, 0.8, 1.0, 2.0), (-3.0, 0.0, 4.0, 30.0)), "force": w.Ramp(1.0, 0.5)}
    curves["rate_curve"] = w.Spline((-4.0, 0.0, 1.0, 4.0), (-3.0, 0.0, 2.0, 9.0))
    return w.Spring(w.length(a, b), law=lambda x, rate: 5.0 * x**3 + math.sin(rate), **curves)


def _gas(x, y, x_rate, y_rate, t):
    return 3.0 / x**1.4 - 0.3 * x_rate * abs(x_rate) + math.sin(y * t) + y_rate * math.exp(-x)


def action(w, a, b, c):
    return w.Action(w.length(a, b), _gas, of=(w.length(a, b), w.x(c)))


def stop(w, a, b, c):
    return w.Stop(w.length(a, b), upper=0.7, stiffness=50.0, damping=2.0, exponent=1.5, allow_penetration=True)


def rubbing(w, a, b, c):
    data = {"static_friction": 0.5, "stribeck_speed": 0.2, "creep_speed": 0.3}
    return w.Friction(w.length(a, b), 0.3, viscous=0.1, normal=20.0, **data)


def servo(w, a, b, c):
    from cardan.model.device import Device, Value

    wanted = Device(lambda x: 0.5 + 0.1 * x * x, (Value(w.length(a, c)),), ("place",))
    return w.Servo(w.length(a, b), wanted["place"], 40.0, 3.0)


# joints that rub, and devices
def pin_friction(w, model, hinge, rail):
    model.add(w.Friction(hinge, 0.2, radius=0.05, creep_speed=0.5), name="pin rubs")
    model.add(w.Friction(rail, 0.1, lever=0.2, creep_speed=0.5), name="rail rubs")


def blocks(w, model, hinge, rail):
    angle, travel = hinge.angle, rail.travel
    pid = model.add(w.PID(angle, w.Ramp(0.3), kp=20.0, ki=5.0, kd=2.0), name="pid")
    lag = model.add(w.Lag(travel, 0.2, start=0.1), name="lag")
    total = model.add(w.Sum([pid, w.rate(travel), w.time, lag], gains=[1.0, -0.5, 0.2, 3.0], offset=0.25), name="sum")
    integral = model.add(w.Integrator(total, gain=2.0, start=0.1), name="integral")
    cut = model.add(w.Saturation(integral, -10.0, 10.0), name="cut")
    table = model.add(w.LookupTable(travel, w.Spline((-1.0, 0.0, 1.0), (1.0, 0.0, 3.0))), name="table")
    sensor = model.add(w.Sensor(angle, gain=2.0, offset=0.1, time_constant=0.1, start=0.2), name="sensor")
    filtered = model.add(w.TransferFunction(sensor, [1.0, 2.0], [1.0, 3.0, 4.0]), name="filtered")
    observer = model.add(
        w.StateSpace([angle, table], [[-1.0, 0.5], [0.2, -2.0]], [[1.0, 0.0], [0.3, 1.0]], [[1.0, 2.0]]),
        name="observer",
    )
    water = model.add(
        w.SecondOrder([travel, angle], [[0.5, 0.1], [0.1, 0.8]], K=[[3.0, 0.0], [0.0, 5.0]], force=_sloshing),
        name="water",
    )
    law = model.add(w.Controller(_bent, [travel, w.rate(angle), filtered], states={"i": 0.3}), name="law")
    model.add(w.Actuator(angle, cut), name="motor")
    model.add(w.Actuator(travel, law), name="linear motor")
    model.add(w.Actuator(angle, observer), name="helper")
    model.add(w.Actuator(travel, water["q2"] - 0.3 * water["v1"]), name="sloshing")


def _bent(x, speed, u, i):
    return (math.tanh(3.0 * x) * u - 0.4 * speed * i, x - 0.5 * i)


def _sloshing(x, angle, q1, q2, v1, v2):
    return x - 0.2 * v1 + q1 * q2, math.sin(angle) - 0.1 * v2 * v2


def carried(w, model, hinge, rail):
    label = rail.equations()[0].label
    weigh = model.add(w.Sum([w.reaction(rail, label)], gains=[0.02]), name="weigh")
    model.add(w.Actuator(hinge.angle, weigh), name="motor")


def sampled(w, model, hinge, rail):
    computer = model.add(w.Sampled(lambda x: -2.0 * x, [hinge.angle], period=0.1), name="computer")
    model.add(w.Actuator(hinge.angle, computer), name="motor")


def electric(w, model, hinge, rail):
    model.add(w.ElectricMotor(hinge.angle, w.rate(rail.travel), 2.0, 0.01, 0.1, gear=3.0, start=0.5), name="coil")
    model.add(w.ElectricMotor(hinge.angle, 12.0, 2.0, 0.0, 0.1), name="no coil")


def hydraulic(w, model, hinge, rail):
    valve = model.add(w.Lag(hinge.angle, 0.1, start=0.3), name="valve")
    pressures = {"areas": (1e-3, 8e-4), "volumes": (5e-4, 6e-4), "flow": 1e-7, "leakage": 1e-12, "start": (3e5, 2e5)}
    model.add(w.HydraulicCylinder(rail.travel, valve, 1e6, bulk=1e7, **pressures), name="cylinder")


def in_slot() -> Any:
    """A pin runs in a slot, and its place along the slot is pushed."""
    model = plane.Model("slot")
    plate = model.add(plane.Body(1.0, 0.2, position=(0.1, 0.2), angle=0.3, velocity=(0.2, 0.1)), name="plate")
    pin = model.add(plane.Body(0.5, 0.1, position=(0.3, 0.35), velocity=(0.1, -0.2), angular_velocity=0.4), name="pin")
    slot = plate.profile(plane.Curve(wave, (-6.0, 6.0), closed=False))
    follower = model.add(plane.PointFollower(slot, pin.at(0.02, 0.01)), name="slot")
    model.add(plane.Action(follower.contact, lambda u, rate: 3.0 * u * u + rate), name="push")
    return model


# bodies of other kinds
def hung_particle(words: Any) -> Any:
    """An arm on a hinge, and a particle between two springs, on a rod."""
    pad = () if words is plane else (0.0,)
    model = words.Model("particle", gravity=(0.3, -9.81, *pad))
    arm = model.add(words.Body(2.0, 0.2 if words is plane else (0.2, 0.3, 0.25), position=(0.5, 0.0, *pad)), name="arm")
    model.add(words.Revolute(model.ground.at(), arm.at(-0.5, 0.0, *pad)), name="hinge")
    particle = model.add(words.PointMass(0.5, (1.4, -0.3, *pad), velocity=(0.0, 0.4, *pad)), name="particle")
    model.add(words.Distance(arm.at(0.5, 0.0, *pad), particle.at(), 0.5), name="rod")
    for name, end in (("left", arm.at(0.0, -0.6, *pad)), ("right", model.ground.at(2.0, 0.2, *pad))):
        model.add(words.Spring(words.length(end, particle.at()), 60.0, 0.5, rest_length=0.3), name=name)
    return model


def knotted(words: Any) -> Any:
    """A body that hangs in a massless knot of three springs or, in space, four."""
    pad = () if words is plane else (0.1,)
    model = words.Model("knot", gravity=(0.3, -9.81, *(0.0 for _ in pad)))
    inertia = 0.2 if words is plane else (0.2, 0.3, 0.25)
    bob = model.add(words.Body(1.0, inertia, position=(0.1, -1.0, *pad), velocity=(0.3, 0.2, *pad)), name="bob")
    knot = model.add(words.Junction((0.0, -0.3, *pad)), name="knot")
    ends = [model.ground.at(-1.0, 0.2, *pad), model.ground.at(0.9, 0.0, *pad), bob.at(0.02, 0.1, *pad)]
    ends += [] if words is plane else [model.ground.at(0.0, 0.3, 1.2)]
    for k, end in enumerate(ends):
        model.add(words.Spring(words.length(end, knot.at()), 50.0 + 10.0 * k, rest_length=0.2), name=f"spring {k}")
    return model


def bending(words: Any) -> Any:
    """A flexible body on a hinge, with a spring at its other interface."""
    flat = words is plane
    model = words.Model("bending", gravity=(0.3, -9.81) if flat else (0.3, -9.81, 0.2))
    body = model.add(words.FlexibleBody(Points(5, flat=flat).part, modes=2, deformation=(0.02, -0.01)), name="body")
    model.add(words.Revolute(model.ground.at(*body.at("first").place), body.at("first")), name="hinge")
    reach = words.length(model.ground.at(3.0, 3.0) if flat else model.ground.at(3.0, 3.0, 1.0), body.at("second"))
    model.add(words.Spring(reach, 30.0, 1.0, rest_length=2.0), name="spring")
    return model


# surfaces
HARD = {"stiffness": 2e3, "exponent": 1.5, "damping": 0.4, "friction": 0.3, "allow_penetration": True}
HARD |= {"static_friction": 0.4, "stribeck_speed": 0.5, "creep_speed": 0.2}


def _planar_surfaces():
    def face(model, a):
        return plane.Face(a.at(0.1, 0.2, 0.3))

    def disk(model, b):
        return plane.Disk(b.at(-0.1, 0.1), 0.15)

    def oval(model, b):
        return plane.Rim(b.profile(plane.Curve(ellipse, (0.0, 2.0 * math.pi)), 0.1, 0.0, 0.4))

    yield "face-disk", face, disk
    yield "disk-disk", lambda model, a: plane.Disk(a.at(0.2, 0.1), 0.2), disk
    yield "hollow-disk", lambda model, a: plane.Disk(a.at(0.1, -0.1), 1.0, hollow=True), disk
    yield "rim-disk", lambda model, a: oval(model, a), disk
    yield (
        "open rim-disk",
        lambda model, a: plane.Rim(model.ground.profile(plane.Curve(wave, (-6.0, 6.0), closed=False))),
        disk,
    )
    yield "face-rim", face, oval
    yield "rim-rim", lambda model, a: plane.Rim(a.profile(plane.Circle(0.3), 0.1)), oval


def _spatial_surfaces():
    def ball(model, b):
        return space.Ball(b.at(-0.1, 0.1, 0.2), 0.15)

    yield "face-ball", lambda model, a: space.Face(a.at(0.1, 0.2, 0.3, z=(1, 1, 2))), ball
    yield "ball-ball", lambda model, a: space.Ball(a.at(0.1, 0.0, 0.2), 0.2), ball
    yield "hollow-ball", lambda model, a: space.Ball(a.at(0.1, 0.0, 0.2), 1.0, hollow=True), ball
    yield "mesh-ball", lambda model, a: _box(a.at(0.1, 0.2, 0.0, z=(1, 0, 1)), (0.4, 0.6, 0.8)), ball


def _contact(first, second):
    return touching(lambda words, model, a, b: words.Contact(first(model, a), second(model, b), **HARD))


def _wheel(kind, road, **options):
    def make(words: Any) -> Any:
        model = space.Model("wheel", gravity=(0.0, 0.0, -9.81))
        moving = {"velocity": (8.0, 0.6, -0.1), "angular_velocity": (0.2, 30.0, 0.3)}
        wheel = model.add(space.Body(20.0, (0.6, 1.0, 0.6), position=(0.3, 0.2, 0.3), **moving), name="wheel")
        axle = wheel.at(z=(0.05, 1.0, 0.02))
        model.add(kind(model.ground.at(), axle, road, **options, allow_penetration=True), name="contact")
        return model

    return make


ALONG = [load, torque, outer_torque, spring, hardening, action, stop, rubbing, servo]
BODIES = [hung_particle, knotted, bending]
DEVICES = [pin_friction, blocks, carried, sampled, electric, hydraulic]


def _cases():
    for space_name, words in SPACES.items():
        for element in [*INTERNAL.values(), *EXTERNAL.values(), *ALONG]:
            yield ForceCase(f"{space_name}: {element.__name__}", lambda w=words, e=element: between(e)(w))
        for element in DEVICES:
            yield ForceCase(f"{space_name}: {element.__name__}", lambda w=words, e=element: machine(e)(w))
    for words, pairs in ((plane, _planar_surfaces()), (space, _spatial_surfaces())):
        for name, first, second in pairs:
            make = _contact(first, second)
            yield ForceCase(name, lambda m=make, w=words: m(w))
    yield ForceCase("place in a slot", in_slot)
    for name, road in _roads():
        yield ForceCase(f"tire, {name}", lambda r=road: _wheel(space.Tire, r)(space))
    yield ForceCase("steady tire", lambda: _wheel(space.Tire, space.Road.flat(), transient=False)(space))
    book = {"radius": 0.3, "rolling": 0.01, "damping": 500.0}
    yield ForceCase("book tire", lambda: _wheel(space.BookTire, space.Road.flat(), **book)(space))


FORCE_CASES = list(_cases())
# Their derivatives are tested in tests/unit: test_point_mass.py, test_junction.py, test_flexible_body.py.
BODY_CASES = [
    ForceCase(f"{space_name}: {build.__name__}", lambda w=words, b=build: b(w))
    for space_name, words in SPACES.items()
    for build in BODIES
]


def pressed(system: Any, q: np.ndarray, evaluate: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The position with surfaces of the contact, if there is one, pressed into each other by a hundredth.

    Body b, or the wheel, is moved along its own directions; `evaluate(q)` gives values and jac of all measures.
    """
    gaps = [k for k, measure in enumerate(system.measures) if measure.kind == "gap"]
    q, stored, width, axes = q.copy(), system.space.stored, system.width, system.space.dimensions
    for k in gaps:
        first = stored * len(system.bodies)
        for _ in range(40):
            z, jac = evaluate(q)
            along = jac[k, width : width + axes]
            q[first : first + axes] -= (z[k] + 0.01) * along / (along @ along)
    return q
