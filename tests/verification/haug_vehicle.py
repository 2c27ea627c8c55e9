"""The passenger vehicle of Haug 12.5, as far as the text at hand tells it; what was chosen is said where it stands.

Axes: y forward, x to the right, z up. Model 1 has six bodies: chassis, four wheel assemblies that do not spin, rack.
Model 2 has two stabilizer bars more. Positions are those of Table 12.5.9, the two sides averaged.
"""

from __future__ import annotations

import numpy as np

from cardan.spatial import (
    Body,
    BookTire,
    Distance,
    Driver,
    Model,
    PointOnLine,
    Revolute,
    Spring,
    Translational,
    length,
    rotation,
)  # fmt: skip

G = 9.81
MPH = 0.44704
TIRE = {"stiffness": 2e5, "damping": 500.0, "cornering": 6e4, "friction": 0.7}  # chosen: the book's are lost
# place and e1, e2, e3 of Table 12.5.9, right side; e2 and x change their sign on the left
CHASSIS = ((0.0, 0.0, 0.5385), (-0.0065, 0.0, 0.0))
FRONT = ((0.6003, 1.17665, 0.3449), (-0.00225, -0.0065, 0.0))
REAR = ((0.5800, -1.29125, 0.2617), (-0.0075, -0.0003, 0.0))
STRUT = (0.5011, 1.1162, 0.1998)
ARM = ((0.33, 1.1735, -0.3923), (0.322, 0.8675, -0.3893))  # P and Q of joint A-B on the chassis
BALL = (0.0507, 0.0321, -0.2044)
BARS = (  # hinge on the chassis, tip of the bar, eye on the wheel assembly, stiffness and free length of the spring
    ("front", (0.0, 1.061, -0.3263), (0.509, 0.1405, 0.02), (-0.0897, 0.0168, -0.2119), 83400.0, 0.1011),
    ("rear", (0.0, -1.4075, -0.1813), (0.392, 0.168, -0.0474), (-0.1832, 0.048, -0.0423), 9330.0, 0.0943),
)


def vehicle(speed=0.0, rack=None, bars=False, radii=(0.36, 0.28), damping=1.0):
    """`rack` is a motion, `radii` are those of front and rear tires, `damping` multiplies that of Table 12.5.7."""
    model = Model("vehicle of Haug 12.5", gravity=(0.0, 0.0, -G))
    chassis = _body(model, "chassis", 1247.5, (1240.1, 209.6, 1399.0), CHASSIS, speed)  # 139.9 is printed
    place = tuple(np.array(CHASSIS[0]) + _turned(CHASSIS[1], (0.0, 1.2675, -0.3748)))
    steering = _body(model, "rack", 0.1, (0.01, 0.01, 0.01), (place, CHASSIS[1]), speed)
    guide = Translational(chassis.at(0.0, 1.2675, -0.3748, z=(1, 0, 0)), steering.at(z=(1, 0, 0)))
    model.add(guide, name="D")
    model.add(Driver(guide.travel, 0.0 if rack is None else rack), name="rack motion")
    for side, s in (("right", 1.0), ("left", -1.0)):
        _front(model, chassis, steering, side, s, speed, radii[0], damping)
        _rear(model, chassis, side, s, speed, radii[1], damping)
    for bar in BARS if bars else ():
        _bar(model, chassis, *bar, speed)
    return model


def _front(model, chassis, rack, side, s, speed, radius, damping):
    """A strut whose axis is fixed in the wheel assembly (the printed one misses by 0.1 m), an arm, a tie rod."""
    wheel = _body(model, f"front {side}", 37.6, (1.0, 0.5, 1.0), _sided(FRONT, s), speed)
    top = chassis.at(*_side(STRUT, s))
    axis = _local(wheel, _world(chassis, _side(STRUT, s)))
    model.add(PointOnLine(wheel.at(z=tuple(axis)), top), name=f"strut {side}")
    ball = wheel.at(*_side(BALL, s))
    for k, end in enumerate(ARM):
        hinge = chassis.at(*_side(end, s))
        gap = np.linalg.norm(_world(chassis, _side(end, s)) - _world(wheel, _side(BALL, s)))
        model.add(Distance(hinge, ball, float(gap)), name=f"arm {side} {k}")
    rod = Distance(rack.at(0.305 * s, 0.0, 0.0), wheel.at(0.07 * s, 0.155, -0.186), 0.3742)
    model.add(rod, name=f"tie rod {side}")
    spring = Spring(length(top, wheel.at()), 38600.0, damping * 150.0, rest_length=0.4992)
    model.add(spring, name=f"front {side} spring")
    _tire(model, wheel, f"front {side}", radius)


def _rear(model, chassis, side, s, speed, radius, damping):
    """A trailing arm on a slanting hinge."""
    wheel = _body(model, f"rear {side}", 43.0, (0.67, 1.5, 1.2), _sided(REAR, s), speed)
    axis = _side((-0.9659, -0.2588, 0.0), s)
    on_chassis = chassis.at(*_side((0.2026, -1.0095, -0.285), s), z=axis, y=(0, 0, 1))
    on_wheel = wheel.at(*_side((-0.3774, 0.278, 0.0093), s), z=axis, y=(0, 0, 1))
    model.add(Revolute(on_chassis, on_wheel), name=f"hinge {side}")
    top = chassis.at(*_side((0.58, -1.2875, 0.2), s))
    spring = Spring(length(top, wheel.at()), 38600.0, damping * 200.0, rest_length=0.5641)
    model.add(spring, name=f"rear {side} spring")
    _tire(model, wheel, f"rear {side}", radius)


def _bar(model, chassis, end, hinge, tip, eye, stiffness, free, speed):
    """A stabilizer bar that turns on the chassis, tied by springs to both wheel assemblies."""
    place = tuple(np.array(CHASSIS[0]) + _turned(CHASSIS[1], hinge))
    bar = _body(model, f"{end} bar", 1.0, (0.01, 0.1, 0.1), (place, CHASSIS[1]), speed)  # printed: 0.1, 0.01, 0.01
    model.add(Revolute(chassis.at(*hinge, z=(1, 0, 0)), bar.at(z=(1, 0, 0))), name=f"{end} bar hinge")
    for side, s in (("right", 1.0), ("left", -1.0)):
        span = length(bar.at(*_side(tip, s)), model[f"{end} {side}"].at(*_side(eye, s)))
        model.add(Spring(span, stiffness, rest_length=free), name=f"{end} {side} bar spring")


def _tire(model, wheel, name, radius):
    model.add(BookTire(model.ground.at(), wheel.at(z=(-1, 0, 0)), radius=radius, **TIRE), name=f"{name} tire")


def _body(model, name, mass, inertia, pose, speed):
    place, turn = pose
    stated = Body(mass=mass, inertia=inertia, position=place, orientation=turn, velocity=(0.0, speed, 0.0))
    return model.add(stated, name=name)


def _side(point, s):
    return (s * point[0], *point[1:])


def _sided(pose, s):
    (x, y, z), (e1, e2, e3) = pose
    return (s * x, y, z), (e1, s * e2, s * e3)


def _turned(turn, point):
    return rotation.rotate(np.array(rotation.euler_parameters(turn, "it")), np.array(point))


def _world(body, point):
    return np.array(body.position) + rotation.rotate(np.array(body.parameters), np.array(point))


def _local(body, point):
    return rotation.matrix(np.array(body.parameters)).T @ (point - np.array(body.position))
