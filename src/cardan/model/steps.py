"""The elementary motions of a joint from marker a to marker b, one after the other.

    Revolute      turn about z                          Cylindrical   slide along z, turn about z
    Universal     turn about z, then about x            Planar        slide along x, along y, turn about z

In joint coordinates each of them is one coordinate; a ball has three.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """`kind` is "turn", "slide", "screw" or "ball"; a screw advances by `lead` per radian. `sign` is -1 if the
    coordinate of the joint has the opposite direction."""

    kind: str
    axis: str = "z"
    lead: float = 0.0
    name: str = ""  # name of the joint's coordinate, such as angle or travel
    sign: float = 1.0


TURN_Z, SLIDE_Z = Step("turn", "z", name="angle"), Step("slide", "z", name="travel")
