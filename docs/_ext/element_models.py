"""A small mechanism for each element: what the sketch on its page shows.

Each function adds the element, with what it needs, to an empty model; the element itself is called by its own name in
lower case, and is named in the sketch. Elements that look alike in both spaces are shown in the plane.
"""

from __future__ import annotations

import math
from typing import Any

import cardan.planar as plane
from cardan import flexible


def _bar(model: Any, name: str, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Any:
    """A bar of the plane, 1 m long, its left end at (x, y)."""
    place = x + 0.5 * math.cos(angle), y + 0.5 * math.sin(angle)
    return model.add(plane.Body(mass=1.0, inertia=0.1, position=place, angle=angle), name=name)


def _disk(model: Any, name: str, x: float = 0.0, y: float = 0.0, radius: float = 0.3) -> Any:
    return model.add(plane.Body(mass=plane.matter.disk(radius, mass=1.0), position=(x, y)), name=name)


def _block(model: Any, name: str, x: float = 0.0, y: float = 0.0) -> Any:
    box = [(-0.2, -0.12), (0.2, -0.12), (0.2, 0.12), (-0.2, 0.12), (-0.2, -0.12)]
    return model.add(plane.Body(mass=1.0, inertia=0.1, position=(x, y), outline=box), name=name)


def _hinged(model: Any, angle: float = 0.5) -> Any:
    """A bar on a pin; returns bar and pin."""
    bar = _bar(model, "bar", angle=angle)
    return bar, model.add(plane.Revolute(model.ground.at(), bar.at(-0.5, 0.0)), name="pin")


def _guided(model: Any) -> Any:
    """A block on a rail; returns block and guide."""
    block = model.add(plane.Body(mass=1.0, inertia=0.1, position=(0.3, 0.0)), name="block")
    model.add(plane.Point(block.at(0.4, 0.0), trace=False))
    return block, model.add(plane.Translational(model.ground.at(), block.at()), name="guide")


def _two_bars(model: Any, angle: float = 0.6) -> tuple[Any, Any]:
    """Bar a level, bar b going on from its right end."""
    return _bar(model, "a", -1.0), _bar(model, "b", 0.0, 0.0, angle)


# --- the plane -------------------------------------------------------------------------------------------------------


def body(m: Any) -> None:
    plate = m.add(
        plane.Body(mass=plane.matter.rectangle(0.6, 0.3, density=10.0), position=(0.2, 0.1), angle=0.4), name="body"
    )
    m.add(plane.Point(plate.at(), trace=False), name="frame")
    m.add(plane.Point(plate.at(0.3, 0.15), trace=False), name="marker")


def point_mass(m: Any) -> None:
    bob = m.add(plane.PointMass(0.5, position=(0.6, -0.8)), name="point mass")
    m.add(plane.Distance(m.ground.at(), bob.at(), 1.0), name="rod")


def junction(m: Any) -> None:
    bob = m.add(plane.PointMass(0.5, position=(0.0, -1.0)), name="bob")
    m.add(plane.Hold(plane.x(bob.at()), 0.0), name="hold1")
    knot = m.add(plane.Junction((0.0, -0.4)), name="junction")
    for k, marker in enumerate((m.ground.at(-0.5, 0.0), m.ground.at(0.5, 0.0), bob.at())):
        m.add(plane.Spring(plane.length(marker, knot.at()), 50.0, rest_length=0.3), name=f"spring{k + 1}")


def flexible_body(m: Any) -> None:
    bar = flexible.beam(1.0, flexible.rectangle(0.04, 0.01), "steel")
    part = bar.reduce({"root": "left", "tip": "right"}, modes=2, planar=True)
    bar = m.add(plane.FlexibleBody(part), name="flexible body")
    m.add(plane.Revolute(m.ground.world(0.0, 0.0), bar.at("root")), name="root")
    m.add(plane.Point(bar.at("tip"), trace=False), name="tip")


def marker(m: Any) -> None:
    bar = _bar(m, "body", angle=0.4)
    m.add(plane.Point(bar.at(-0.5, 0.0), trace=False), name="body.at(-0.5, 0)")
    m.add(plane.Point(bar.at(0.5, 0.0), trace=False), name="body.at(0.5, 0)")


def model(m: Any) -> None:
    crank, rod = _bar(m, "crank", angle=0.9), _bar(m, "rod", math.cos(0.9), math.sin(0.9), -0.5)
    slider = m.add(plane.Body(position=(math.cos(0.9) + math.cos(0.5), 0.3)), name="slider")
    m.add(plane.Revolute(m.ground.at(), crank.at(-0.5, 0.0)), name="A")
    m.add(plane.Revolute(crank.at(0.5, 0.0), rod.at(-0.5, 0.0)), name="B")
    m.add(plane.Revolute(rod.at(0.5, 0.0), slider.at()), name="C")
    m.add(plane.Translational(m.ground.at(0.0, 0.3), slider.at()), name="guide")


def revolute(m: Any) -> None:
    a, b = _two_bars(m)
    m.add(plane.Revolute(a.at(0.5, 0.0), b.at(-0.5, 0.0)), name="revolute")


def translational(m: Any) -> None:
    _guided(m)


def fixed(m: Any) -> None:
    a, b = _two_bars(m)
    m.add(plane.Fixed(a.at(0.5, 0.0), b.at(-0.5, 0.0, -0.6)), name="fixed")


def slot(m: Any) -> None:
    a = _bar(m, "a", -0.5)
    b = _bar(m, "b", 0.1, 0.0, 1.1)
    m.add(plane.Point(a.at(-0.5, 0.0), trace=False))
    m.add(plane.Point(a.at(0.5, 0.0), trace=False))
    m.add(plane.Point(b.at(0.5, 0.0), trace=False))
    m.add(plane.RevoluteTranslational(a.at(), b.at(-0.5, 0.0)), name="pin in slot")


def distance(m: Any) -> None:
    a, b = _bar(m, "a", -0.6, 0.0, 1.2), _bar(m, "b", 0.6, 0.0, 1.9)
    for bar in (a, b):
        m.add(plane.Revolute(m.ground.at(*_end(bar, -0.5)), bar.at(-0.5, 0.0)))
    m.add(plane.Distance(a.at(0.5, 0.0), b.at(0.5, 0.0), 0.56), name="distance")


def gear(m: Any) -> None:
    a, b = _disk(m, "a", radius=0.1), _disk(m, "b", 0.6, 0.0, 0.1)
    m.add(plane.Revolute(m.ground.at(), a.at()), name="A")
    m.add(plane.Revolute(m.ground.at(0.6, 0.0), b.at()), name="B")
    m.add(plane.Gear(a.at(), b.at(), 0.4, 0.2), name="gear")


def gear_mesh(m: Any) -> None:
    a, b = _disk(m, "a", radius=0.1), _disk(m, "b", 0.6, 0.0, 0.1)
    m.add(plane.Revolute(m.ground.at(), a.at()), name="A")
    m.add(plane.Revolute(m.ground.at(0.6, 0.0), b.at()), name="B")
    m.add(plane.GearMesh(a.at(), b.at(), 20, 10, 0.04, stiffness=1e8), name="gear mesh")


def armature(m: Any) -> None:
    arm = m.add(plane.Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="arm")
    hinge = m.add(plane.Revolute(m.ground.at(), arm.at(-0.5, 0)), name="hinge")
    m.add(plane.Armature(hinge.angle, 0.05), name="rotor")


def shaft_bearing(m: Any) -> None:
    shaft = _disk(m, "shaft", 0.02, -0.03, 0.2)
    m.add(plane.ShaftBearing(m.ground.at(), shaft.at(), stiffness=1e8, clearance=1e-4), name="shaft bearing")


def shared_gear(m: Any) -> None:
    sun = _disk(m, "a", radius=0.1)
    m.add(plane.Revolute(m.ground.at(), sun.at()), name="A")
    planets = [_disk(m, f"b{k}", 0.5 * math.cos(t), 0.5 * math.sin(t), 0.1) for k, t in ((1, 0.0), (2, 2.1), (3, 4.2))]
    for planet in planets:
        m.add(plane.Revolute(m.ground.at(*planet.position), planet.at()))
    m.add(plane.SharedGear(sun.at(), [planet.at() for planet in planets], 0.3, 0.2), name="shared gear")


def rack_pinion(m: Any) -> None:
    rack = m.add(plane.Body(position=(0.0, -0.3)), name="rack")
    m.add(plane.Translational(m.ground.at(0.0, -0.42), rack.at(0.0, -0.12)), name="guide")
    pinion = _disk(m, "pinion", radius=0.05)
    m.add(plane.Revolute(m.ground.at(), pinion.at()), name="shaft")
    m.add(plane.RackPinion(rack.at(), pinion.at(), 0.3), name="rack and pinion")


def rolling_wheel(m: Any) -> None:
    wheel = _disk(m, "wheel", 0.0, 0.3)
    m.add(plane.RollingWheel(m.ground.at(), wheel.at(), 0.3), name="rolling wheel")


def knife_edge(m: Any) -> None:
    sleigh = _bar(m, "sleigh", angle=0.3)
    m.add(plane.Point(sleigh.at(0.5, 0.0), trace=False))
    m.add(plane.Point(sleigh.at(-0.5, 0.0), trace=False))
    m.add(plane.KnifeEdge(m.ground.at(), sleigh.at(-0.2, 0.0)), name="knife edge")


def _cam(m: Any) -> Any:
    cam = m.add(plane.Body(), name="cam")
    m.add(plane.Revolute(m.ground.at(), cam.at()), name="shaft")
    return cam.profile(plane.Circle(0.3), 0.1, 0.0)


def _lifter(m: Any, y: float) -> Any:
    follower = m.add(plane.Body(position=(0.0, y)), name="follower")
    up = math.pi / 2.0
    m.add(plane.Translational(m.ground.at(0.0, 0.0, up), follower.at(0.0, 0.4, up)), name="guide")
    return follower


def cam_roller(m: Any) -> None:
    cam = _cam(m)
    m.add(plane.CamRoller(cam, _lifter(m, 0.4).at(), 0.1), name="cam and roller")


def cam_flat(m: Any) -> None:
    cam = _cam(m)
    m.add(plane.CamFlat(cam, _lifter(m, 0.3).at()), name="cam and flat follower")


def cam_pair(m: Any) -> None:
    cam = _cam(m)
    other = m.add(plane.Body(position=(0.75, 0.0)), name="rocker")
    m.add(plane.Revolute(m.ground.at(0.75, -0.1), other.at(0.0, -0.1)), name="pin")
    m.add(plane.CamPair(cam, other.profile(plane.Circle(0.33))), name="cam pair")


def point_follower(m: Any) -> None:
    plate = m.add(plane.Body(), name="plate")
    m.add(plane.Revolute(m.ground.at(), plate.at()), name="shaft")
    track = plate.profile(plane.Polar(lambda t: 0.4 + 0.08 * math.cos(3.0 * t)))
    rider = _bar(m, "rider", 0.48, 0.0, 0.4)
    m.add(plane.Point(rider.at(0.5, 0.0), trace=False))
    m.add(plane.PointFollower(track, rider.at(-0.5, 0.0)), name="point follower")


def point(m: Any) -> None:
    bar, _ = _hinged(m)
    m.add(plane.Point(bar.at(0.5, 0.2)), name="point")


def driver(m: Any) -> None:
    _, pin = _hinged(m)
    m.add(plane.Driver(pin.angle, plane.Ramp(1.0, 0.5)), name="driver")


def hold(m: Any) -> None:
    bar, _ = _hinged(m, 0.9)
    m.add(plane.Hold(plane.length(m.ground.at(1.0, 0.0), bar.at(0.3, 0.0)), 0.81), name="hold")


def coupler(m: Any) -> None:
    bar, pin = _hinged(m, 0.6)
    other = _bar(m, "other", 1.4, 0.0, 1.2)
    turn = m.add(plane.Revolute(m.ground.at(1.4, 0.0), other.at(-0.5, 0.0)), name="turn")
    m.add(plane.Coupler(pin.angle - 0.5 * turn.angle), name="coupler")


def gauge(m: Any) -> None:
    bar, _ = _hinged(m, 0.9)
    m.add(plane.Gauge(plane.length(m.ground.at(1.0, 0.0), bar.at(0.3, 0.0))), name="gauge")


def curve_coupler(m: Any) -> None:
    bar, pin = _hinged(m, 0.6)
    other = _bar(m, "other", 1.4, 0.0, 1.2)
    turn = m.add(plane.Revolute(m.ground.at(1.4, 0.0), other.at(-0.5, 0.0)), name="turn")
    table = plane.Spline([0.0, 0.5, 1.0, 2.0], [0.0, 0.9, 1.1, 1.3])
    m.add(plane.CurveCoupler(turn.angle, pin.angle, table), name="coupler")


def spring(m: Any) -> None:
    bar, pin = _hinged(m)
    m.add(plane.Spring(plane.length(m.ground.at(0.8, -0.6), bar.at(0.3, 0.0)), 100.0, rest_length=0.5), name="spring")
    m.add(plane.Spring(pin.angle, 5.0, rest_angle=0.0), name="torsion spring")


def load(m: Any) -> None:
    bar, _ = _hinged(m)
    m.add(plane.Load(bar.at(0.5, 0.0), (0.0, -100.0)), name="load")


def torque(m: Any) -> None:
    bar, _ = _hinged(m)
    m.add(plane.Point(bar.at(0.5, 0.0), trace=False))
    m.add(plane.Torque(bar.at(), 5.0), name="torque")


def action(m: Any) -> None:
    _, guide = _guided(m)
    m.add(plane.Action(guide.travel, lambda s, rate: -100.0 * s**3), name="action")


def stop(m: Any) -> None:
    _, guide = _guided(m)
    m.add(plane.Stop(guide.travel, lower=-0.5, upper=0.9, stiffness=1e5), name="stop")


def impact(m: Any) -> None:
    ball = _disk(m, "ball", 0.0, 0.45, 0.15)
    m.add(plane.Impact(plane.y(ball.at(0.0, -0.15)), restitution=0.5), name="impact")


def friction(m: Any) -> None:
    _, guide = _guided(m)
    m.add(plane.Friction(guide, 0.3), name="friction")


def contact(m: Any) -> None:
    ball = _disk(m, "ball", 0.0, 0.3)
    m.add(plane.Contact(plane.Face(m.ground.at()), plane.Disk(ball.at(), 0.3), 1e6), name="contact")


def bushing(m: Any) -> None:
    a, b = _two_bars(m)
    m.add(plane.Bushing(a.at(0.5, 0.0), b.at(-0.5, 0.0), 1e4), name="bushing")


def beam(m: Any) -> None:
    a, b = _block(m, "a", -0.6), _block(m, "b", 0.6)
    m.add(plane.Beam(a.at(0.2, 0.0), b.at(-0.2, 0.0), length=0.8, E=2e11, A=1e-4, I=1e-9), name="beam")


def cable(m: Any) -> None:
    a, b = _block(m, "a", -0.6, -0.6), _block(m, "b", 0.6, -0.4)
    path = [a.at(0.0, 0.12), m.ground.at(-0.4, 0.2), m.ground.at(0.4, 0.2), b.at(0.0, 0.12)]
    m.add(plane.Cable(path, stiffness=1e5, rest_length=2.0), name="cable")


def rope(m: Any) -> None:
    a, b = _block(m, "a", -0.3, -0.7), _block(m, "b", 0.3, -0.5)
    path = [a.at(0.0, 0.12), plane.Pulley(m.ground.at(0.0, 0.2), 0.3, clockwise=True), b.at(0.0, 0.12)]
    m.add(plane.Rope(path, stiffness=1e5, rest_length=2.0), name="rope")


def capstan(m: Any) -> None:
    ship, hand = _block(m, "ship", 0.3, -0.7), _block(m, "hand", -0.3, -0.5)
    ends = {"wrap": 3.0 * math.pi, "friction": 0.3, "stiffness": 1e5, "rest_length_a": 0.7}
    m.add(plane.Capstan(hand.at(0.0, 0.12), ship.at(0.0, 0.12), drum=m.ground.at(0.0, 0.2), **ends), name="capstan")


def belt(m: Any) -> None:
    a, b = _disk(m, "a", radius=0.1), _disk(m, "b", 1.0, 0.0, 0.1)
    m.add(plane.Revolute(m.ground.at(), a.at()), name="A")
    m.add(plane.Revolute(m.ground.at(1.0, 0.0), b.at()), name="B")
    m.add(plane.Belt(a.at(), b.at(), radius_a=0.15, radius_b=0.3, distance=1.0, stiffness=1e5), name="belt")


def drag(m: Any) -> None:
    diver = _disk(m, "diver", 0.0, 0.0, 0.1)
    m.add(plane.Drag(diver.at(0.0, 0.4), area=2.0, coefficient=1.2), name="drag")


def wing(m: Any) -> None:
    glider = _bar(m, "glider", angle=0.1)
    m.add(plane.Point(glider.at(-0.5, 0.0), trace=False))
    m.add(plane.Point(glider.at(0.5, 0.0), trace=False))
    m.add(plane.Wing(glider.at(0.1, 0.0, 0.1), area=12.0, lift=lambda alpha: 5.5 * alpha, drag=0.02), name="wing")


def buoyancy(m: Any) -> None:
    m.gravity = (0.0, -9.81)
    buoy = m.add(plane.Body(mass=40.0, inertia=4.0, position=(0.0, 0.1)), name="buoy")
    m.add(plane.Buoyancy(buoy.at(), area=0.1, height=0.8), name="buoyancy")


def servo(m: Any) -> None:
    from cardan.model.device import Clock, Device

    _, pin = _hinged(m)
    wanted = Device(lambda t: 0.5 + t, (Clock(),), ("angle",), name="wanted")
    m.add(plane.Servo(pin.angle, wanted["angle"], stiffness=10.0), name="servo")


def actuator(m: Any) -> None:
    _, guide = _guided(m)
    m.add(plane.Actuator(guide.travel, 10.0), name="actuator")


def electric_motor(m: Any) -> None:
    _, pin = _hinged(m)
    data = {"resistance": 1.0, "inductance": 0.01, "torque_constant": 0.1}
    m.add(plane.ElectricMotor(pin.angle, 24.0, **data), name="electric motor")


def hydraulic_cylinder(m: Any) -> None:
    bar, _ = _hinged(m, 0.9)
    stroke = plane.length(m.ground.at(1.0, 0.0), bar.at(0.3, 0.0))
    data = {"supply": 2e7, "areas": (1e-3, 5e-4), "volumes": (1e-4, 1e-4), "flow": 1e-7}
    m.add(plane.HydraulicCylinder(stroke, 0.0, **data), name="hydraulic cylinder")


def _end(bar: Any, x: float) -> tuple[float, float]:
    """A point of a bar's axis in the world, where it is stated."""
    return bar.position[0] + x * math.cos(bar.angle), bar.position[1] + x * math.sin(bar.angle)
