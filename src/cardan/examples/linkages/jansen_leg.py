"""Jansen's leg: one crank, eleven bars, and a foot that walks.

The dimensions are Theo Jansen's own for his beach animals, in m. The path of the foot F is almost level for half of the
turn; then the foot lifts and steps forward.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Marker, Model, Point, Ramp, Revolute

TIMES = (0.0, 1.0, 401)
SHOW = ("F.x", "F.y")

LENGTHS = (0.38, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367, 0.657, 0.49, 0.5, 0.619, 0.078)
SIZE = dict(zip("abcdefghijkl", LENGTHS, strict=True))  # under the letters that Jansen gave them; m is the crank
CRANK = 0.15

Place = tuple[float, float]


def build(crank: float = CRANK, speed: float = 2.0 * math.pi) -> Model:
    """The leg to the left of its crank, which turns once a second."""
    model = Model("jansen-leg")
    ground = model.ground
    at = joints(0.0, crank)

    def bar(name: str, *corners: str) -> dict[str, Marker]:
        """A body with its frame at the first corner; returns its markers by the name of the corner."""
        (x, y), (u, v) = at[corners[0]], at[corners[1]]
        phi = math.atan2(v - y, u - x)
        body = model.add(Body(position=(x, y), angle=phi), name=name)
        c, s = math.cos(phi), math.sin(phi)
        local = {n: (at[n][0] - x, at[n][1] - y) for n in corners}
        return {n: body.at(c * p + s * q, -s * p + c * q) for n, (p, q) in local.items()}

    wheel = bar("crank", "O", "Z")
    upper, lower = bar("upper rod", "Z", "X"), bar("lower rod", "Z", "W")
    top, link = bar("top triangle", "P", "X", "Y"), bar("hanger", "P", "W")
    side, foot = bar("side link", "Y", "V"), bar("foot triangle", "W", "V", "F")
    hinge = model.add(Revolute(ground.at(*at["O"]), wheel["O"]), name="O")
    model.add(Revolute(ground.at(*at["P"]), top["P"]), name="P")
    model.add(Revolute(ground.at(*at["P"]), link["P"]), name="P2")
    for name, a, b in (
        ("Z", wheel, upper),
        ("Z2", wheel, lower),
        ("X", upper, top),
        ("W", lower, link),
        ("W2", link, foot),
        ("Y", top, side),
        ("V", side, foot),
    ):
        model.add(Revolute(a[name[0]], b[name[0]]), name=name)
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    model.add(Point(foot["F"]), name="F")
    return model


def joints(phi: float, crank: float = CRANK) -> dict[str, Place]:
    """All joints in closed form, each the intersection of two circles."""
    size = SIZE
    o, p = (0.0, 0.0), (-size["a"], -size["l"])
    z = (crank * math.cos(phi), crank * math.sin(phi))
    x, w = _meet(p, size["b"], z, size["j"]), _meet(z, size["k"], p, size["c"])
    y = _meet(p, size["d"], x, size["e"])
    v = _meet(w, size["g"], y, size["f"])
    return {"O": o, "P": p, "Z": z, "X": x, "W": w, "Y": y, "V": v, "F": _meet(w, size["i"], v, size["h"])}


def _meet(a: Place, radius_a: float, b: Place, radius_b: float) -> Place:
    """The intersection of two circles on the left of the way from a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    d = math.hypot(dx, dy)
    along = (radius_a**2 - radius_b**2 + d * d) / (2.0 * d)
    aside = math.sqrt(radius_a**2 - along**2)
    return (a[0] + (along * dx - aside * dy) / d, a[1] + (along * dy + aside * dx) / d)


HEADLINE = Headline(
    "height of the foot after half a turn",
    "m",
    lambda run: run.at(0.5)["F"].position[1],
    expected=joints(math.pi)["F"][1],
    tolerance=1e-8,
)
