"""Ropes around drums with friction: the Euler-Eytelwein formula. The slip law is in `strand.py`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from cardan.deprecation import renamed_arguments
from cardan.elements.forces.two_marker_force import TwoMarkerForce, bodies_of
from cardan.elements.ropes.strand import DAMPING_ONSET, slipping, tension
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Rate, Signal, State, Value
from cardan.model.dimensions import Angle, Damping, Duration, Length, Ratio, Stiffness
from cardan.model.force import Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable, readable, require_value


@renamed_arguments(rest_a="rest_length_a", rest_b="rest_length_b")
@dataclass(frozen=True, eq=False)
class Capstan(TwoMarkerForce[Marker]):
    """A rope from a over a drum to b, with friction on the drum.

               .--.                 T_a exp(-mu phi) <= T_b <= T_a exp(mu phi)
              ( () ) drum
              |    |                e_a = |a drum| - rest_length_a + x
                                    e_b = |drum b| - rest_length_b - x
            a o    o b              x = slipped + wound: the length of rope moved from a's side to b's

    `drum` is the point where both strands leave the drum, `wrap` the wrap angle phi of the rope (2 pi for
    each turn), `friction` mu. `stiffness` is that of either strand; `rest_length_a` and `rest_length_b` are their
    unstretched lengths, equal unless both are given. A drum that turns carries the rope along by friction: `wound` is
    the travel of its surface toward b, such as 0.1 * drum.angle. The length of rope that has slipped is a state. The
    rope sticks below the limit and slides at the limit; an initial excess vanishes within the time `settling`.

    `run[capstan].force` has the tensions T_a and T_b as its first columns; run[capstan.device]["slipped"] is the length
    that has slipped toward b.

    >>> import math
    >>> from cardan.planar import Body, Capstan, Model
    >>> model = Model("bollard", gravity=(0, -9.81))
    >>> ship = model.add(Body(mass=50.0, inertia=1.0, position=(0.1, -1.0)), name="ship")
    >>> hand = model.add(Body(mass=5.0, inertia=1.0, position=(-0.1, -1.0)), name="hand")
    >>> bollard = model.ground.at()
    >>> data = {"wrap": 3 * math.pi, "friction": 0.3, "stiffness": 1e5, "rest_length_a": 1.0}
    >>> rope = model.add(Capstan(hand.at(), ship.at(), drum=bollard, **data), name="rope")
    """

    drum: Marker
    wrap: Angle
    friction: Ratio
    stiffness: Stiffness
    rest_length_a: Length
    rest_length_b: Length | None = None
    damping: Damping = 0.0
    wound: Readable | None = None
    settling: Duration = 1e-3
    signal_units: ClassVar[dict[str, str]] = {"a": "N", "b": "N", "drum": "N", "slipped": "m"}

    def __post_init__(self) -> None:
        super().__post_init__()
        check.instance(self.drum, Marker, "the drum of a Capstan", hint="create one with body.at(...)")
        if self.wound is not None:
            readable(self.wound, "the wound length of a Capstan")

    def bodies(self) -> tuple[RigidBody, ...]:
        return bodies_of(*self._spans, *(() if self.wound is None else (self.wound,)))

    def check(self) -> None:
        self.not_negative("friction", "damping", "wrap")
        for name in ("stiffness", "rest_length_a", "settling"):
            check.positive(getattr(self, name), f"{name} of {self.title}")
        if self.rest_length_b is not None:
            check.positive(self.rest_length_b, f"rest_length_b of {self.title}")
        for end in (self.a, self.b):
            if end.body is self.drum.body:
                raise ModelError(f"{self.title} has an end on '{end.body.name}', the body of its drum")
        if self.friction * self.wrap > 50.0:
            raise ModelError(f"{self.title}: exp(friction * wrap) = exp({self.friction * self.wrap:g}) is too large")
        if self.wound is not None:
            require_value(self.title, self.wound)

    def laws(self) -> tuple[Law, ...]:
        along: list[Readable] = [*self._spans, *(() if self.wound is None else (self.wound,))]
        outputs = zip(along, ("a", "b", "drum"), strict=False)  # no force on a drum that does not turn
        return tuple(Law(m.parts(), signal=self.device[name], label=name) for m, name in outputs)

    @property
    def _spans(self) -> tuple[Measure, Measure]:
        return Measure("length", self.a, self.drum), Measure("length", self.drum, self.b)

    @cached_property
    def device(self) -> Device:
        """The tensions `a` and `b`, the force `drum` against the motion of the drum, and the state `slipped`."""
        inputs: list[Signal] = [signal for m in self._spans for signal in (Value(m), Rate(m))]
        rest_b = self.rest_length_a if self.rest_length_b is None else self.rest_length_b
        numbers = [self.rest_length_a, rest_b, self.stiffness, self.damping]
        numbers += [math.exp(self.friction * self.wrap), self.settling]
        slipped = State("slipped", scale=1e-3 * self.rest_length_a)
        if self.wound is None:
            return Device(_rubbing, tuple(inputs), ("a", "b", "drum"), (slipped,), tuple(numbers), "capstan")
        inputs += [Value(self.wound), Rate(self.wound)]
        return Device(_winding, tuple(inputs), ("a", "b", "drum"), (slipped,), tuple(numbers), "capstan")


def _winding(la, va, lb, vb, wound, winding, slipped, rest_a, rest_b, stiffness, damping, ratio, settling):
    onset, x = DAMPING_ONSET * rest_a, slipped + wound
    stretch_a, stretch_b = la - rest_a + x, lb - rest_b - x
    slip = slipping(stretch_b, vb - winding, stretch_a, va + winding, ratio, settling)
    pull_a = tension(stretch_a, va + winding + slip, stiffness, damping, onset)
    pull_b = tension(stretch_b, vb - winding - slip, stiffness, damping, onset)
    return pull_a, pull_b, pull_a - pull_b, slip


def _rubbing(la, va, lb, vb, slipped, rest_a, rest_b, stiffness, damping, ratio, settling):
    return _winding(la, va, lb, vb, 0.0, 0.0, slipped, rest_a, rest_b, stiffness, damping, ratio, settling)
