"""Double wishbone suspension: camber of a wheel over its travel.

        chassis |==o-----------o U            the lower arm a, the upper arm b and the upright c between their ball
                |   upper b    |              joints are a four-bar in the plane across the car; the lean of c is
                |              | c            the camber of the wheel:
                |              |==( wheel )
                |==o-------------o L          with D from the upper pivot to L:  cos(D, c) = (D^2 + c^2 - b^2) / 2 D c
                    lower a

The upper arm is shorter: the wheel leans inward as it rises and stays upright to the road while the car rolls outward.
The tie rod lies in the plane of the lower arm and has the same length: the wheel does not steer with travel. With a tie
rod 2 cm too high it does, `-p tie=0.02`, as the toe shows.
"""

from __future__ import annotations

import math
from typing import Any

from cardan.examples import Headline
from cardan.spatial import Body, Distance, Driver, Model, Point, Ramp, Revolute, Spherical

TIMES = (0.0, 1.0, 201)
SHOW = ("hub.z", "nose.y", "crown.y")
A, B, C, PIVOT = 0.40, 0.28, 0.26, (0.10, 0.24)  # arms, upright, upper pivot from the lower one (across, up)
LOW, HIGH = -0.15, 0.20  # angles of the lower arm


def build(tie: float = 0.0) -> Model:
    """x ahead, y to the left, z up; the lower pivots lie on the x axis. `tie` raises the inner end of the tie rod."""
    model = Model("wishbone-suspension")
    ground = model.ground
    ball, top = _lower(LOW), _upper(LOW)
    lower = model.add(Body(outline=_arm(ball, (0.0, 0.0))), name="lower arm")
    upper = model.add(Body(outline=_arm(top, PIVOT)), name="upper arm")
    lean = math.atan2(top[0] - ball[0], top[1] - ball[1])
    up = (0.0, math.sin(lean), math.cos(lean))
    out = (0.0, math.cos(lean), -math.sin(lean))
    middle = tuple((p + q) / 2 for p, q in zip((0.0, *ball), (0.0, *top), strict=True))
    upright = model.add(Body(position=middle), name="upright")
    hinge = model.add(Revolute.between(ground, lower, at=(0, 0, 0), z=(1, 0, 0)), name="lower pivot")
    model.add(Revolute.between(ground, upper, at=(0, *PIVOT), z=(1, 0, 0)), name="upper pivot")
    model.add(Spherical.between(lower, upright, at=(0, *ball)), name="lower ball")
    model.add(Spherical.between(upper, upright, at=(0, *top)), name="upper ball")
    end = upright.world(0.12, *ball)
    model.add(Distance(ground.at(0.12, 0.0, tie), end, math.hypot(ball[0], ball[1] - tie)), name="tie rod")
    model.add(Driver(hinge.angle, Ramp(HIGH - LOW)), name="jack")
    hub = [m + 0.1 * o for m, o in zip(middle, out, strict=True)]
    model.add(Point(upright.world(*hub)), name="hub")
    model.add(Point(upright.world(hub[0] + 0.3, hub[1], hub[2])), name="nose")
    model.add(Point(upright.world(*(h + 0.3 * u for h, u in zip(hub, up, strict=True)))), name="crown")
    return model


def _lower(angle: float) -> tuple[float, float]:
    """Place of the lower ball joint across the car and up."""
    return A * math.cos(angle), A * math.sin(angle)


def _upper(angle: float) -> tuple[float, float]:
    """Place of the upper ball joint: b from its pivot and c from the lower one."""
    y, z = _lower(angle)
    dy, dz = PIVOT[0] - y, PIVOT[1] - z
    far = math.hypot(dy, dz)
    turn = math.atan2(dz, dy) - math.acos((far**2 + C**2 - B**2) / (2.0 * far * C))
    return y + C * math.cos(turn), z + C * math.sin(turn)


def _arm(ball: tuple[float, float], pivot: tuple[float, float]) -> list[list[tuple[float, float, float]]]:
    return [[(-0.15, *pivot), (0.0, *ball), (0.15, *pivot)]]


def _lean(angle: float) -> float:
    (y, z), (top_y, top_z) = _lower(angle), _upper(angle)
    return math.atan2(top_y - y, top_z - z)


# the four-bar across the car at its highest position, by the law of cosines, less its lean at the start
HEADLINE = Headline(
    "camber gained from the lowest to the highest position",
    "deg",
    lambda run: math.degrees(_camber(run)),
    expected=math.degrees(_lean(HIGH) - _lean(LOW)),
    tolerance=1e-9,
)


def _camber(run: Any) -> float:
    """The turn of the line from the hub to the crown of the rim."""
    line = run["crown"].position - run["hub"].position
    leaned = [math.atan2(y, z) for _, y, z in line[[0, -1]]]
    return leaned[1] - leaned[0]
