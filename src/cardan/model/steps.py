"""How a joint moves: the elementary motions that lead from marker a to marker b, one after the other.

    Revolute      turn about z                          Cylindrical   slide along z, turn about z
    Universal     turn about z, then about x            Planar        slide along x, along y, turn about z

In joint coordinates each of them is a coordinate, a ball three.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """`kind` is "turn", "slide", "screw" or "ball"; a screw advances by `lead` per radian. `sign` is -1 where the
    coordinate of the joint counts the other way."""

    kind: str
    axis: str = "z"
    lead: float = 0.0
    name: str = ""  # of the joint's coordinate, such as angle or travel
    sign: float = 1.0


TURN_Z, SLIDE_Z = Step("turn", "z", name="angle"), Step("slide", "z", name="travel")
