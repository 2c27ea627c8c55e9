"""The balance of forces at a massless junction, as equations on its position.

    0 = F(x, q, t) = -sum_i f_i(z_i, t) dz_i/dx          f_i = stiffness (z_i - rest) + curve(z_i) + motion(t)

The junction has no inertia: its row of the equations of motion, 0 = F + (dF/dx)^T lambda, holds with lambda = 0
wherever F = 0 and dF/dx, the stiffness seen by the junction, is regular. The equations therefore add no force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from cardan.elements.forces.piecewise import Characteristic
from cardan.errors import ModelError
from cardan.model.curves.function_code import Code
from cardan.model.curves.motion import Constant
from cardan.model.curves.scalar_function import piecewise_function, scalar
from cardan.model.element import TIME, VALUE, Constraint, Element, Equation
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable

if TYPE_CHECKING:
    from cardan.model.body import RigidBody

SLOPE = 1e-3  # of a length, over which the slope of a curve is taken
REMEDY = "use a PointMass with a small mass"


@dataclass(frozen=True, eq=False)
class ForceBalance(Constraint):
    """The forces of springs on a junction add up to zero. Part of the junction, and not listed in results."""

    model: Any
    point: Marker
    codes: dict[tuple[Any, ...], Code] = field(default_factory=dict, init=False, repr=False)

    listed: ClassVar[bool] = False

    def coordinates(self) -> dict[str, Readable]:
        return {}

    def equations(self) -> tuple[Equation, ...]:
        acting = [(element, law) for element in self.model.forces for law in _laws_at(element, self.point)]
        if not acting:
            raise ModelError(f"{self.point.body.title} needs springs that determine its position; attach two or more")
        axes = "xyz"[: len(self.point.place)]
        return tuple(self._equation(axis, acting) for axis in axes)

    def _equation(self, axis: str, acting: list[tuple[Force, Law]]) -> Equation:
        text = _Text(self.point, [law for _, law in acting])
        body = text.function(axis)
        code = self.codes.setdefault((body, tuple(map(id, text.motions))), Code(text.compiled(body), text.arguments))
        terms = tuple((1.0, measure) for measure in text.measures)
        taken = tuple((k, VALUE) for k in range(len(terms))) + (((0, TIME),) if text.timed else ())
        parameters = (*text.parameters, 1.0 / text.stiffness())
        return Equation(f"force {axis}", terms, function=code(parameters, self.name), arguments=taken)


def require_springs(body: RigidBody, element: Element) -> None:
    """Reject what a junction cannot be balanced with: only forces that depend on positions and the time are."""
    if isinstance(element, Constraint):
        raise ModelError(f"{element.title} constrains {body.title}, whose position follows from forces; {REMEDY}")
    for law in _laws_at(element, body.at()):
        what = ""
        if law.damping or law.rate_curve is not None:
            what = "damping"
        elif law.function is not None:
            what = "a user function"
        elif law.signal is not None or law.workless:
            what = "a signal"
        for _, measure in law.terms:
            ends = [marker.body is body for marker in measure.markers()]
            if any(ends) and measure.kind not in ("length", "coordinate"):
                what = f"{measure}, which is neither a length nor a global coordinate"
        if what:
            raise ModelError(
                f"{element.title} acts on {body.title} with {what}; a massless junction is balanced by springs, cables "
                f"and loads without damping only: {REMEDY}"
            )


def _laws_at(element: Element, point: Marker) -> list[Law]:
    """The laws of an element that act on a point."""
    laws = element.laws() if isinstance(element, Force) else ()
    return [law for law in laws if any(mk.body is point.body for _, m in law.terms for mk in m.markers())]


class _Text:
    """The force on a point along an axis, divided by a stiffness, as a Python function of measures."""

    def __init__(self, point: Marker, laws: list[Law]) -> None:
        self.point, self.laws = point, laws
        self.measures: list[Measure] = []
        self.parameters: list[float] = []
        self.motions: list[Any] = []
        self.scope: dict[str, Any] = {"sqrt": math.sqrt}
        self.lines: list[str] = []
        self.forces = [self._force(law) for law in laws]

    @property
    def timed(self) -> bool:
        return any(law.motion is not None and not isinstance(law.motion, Constant) for law in self.laws)

    @property
    def arguments(self) -> int:
        return len(self.measures) + self.timed

    def function(self, axis: str) -> str:
        """The text of the function."""
        shares = [f"{f} * ({' + '.join(parts)})" for f, slopes in self.forces if (parts := slopes[axis])]
        given = [*(f"z{k}" for k in range(len(self.measures))), *(["t"] if self.timed else [])]
        numbers = [*(f"c{k}" for k in range(len(self.parameters))), "flexibility"]
        lines = [*self.lines, f"return -flexibility * ({' + '.join(shares) or '0.0'})"]
        return f"def balance({', '.join([*given, *numbers])}):\n" + "".join(f"    {line}\n" for line in lines)

    def compiled(self, text: str) -> Any:
        exec(text, self.scope)
        return self.scope["balance"]

    def stiffness(self) -> float:
        """A stiffness of the springs, by which forces become lengths: it decides only how closely they balance."""
        found = 0.0
        for law in self.laws:
            found += abs(law.stiffness)
            if law.curve is not None:
                curve, z = _function(law.curve), max(self._stated(law), SLOPE)
                ends = [curve(z * (1.0 + k * SLOPE)) for k in (-1.0, 0.0, 1.0)]
                found += max(abs(ends[1] - ends[0]), abs(ends[2] - ends[1])) / (SLOPE * z)
        return found or 1.0

    def _stated(self, law: Law) -> float:
        """The value of a law's measure at the stated positions, roughly: distances of bodies."""
        total = 0.0
        for c, measure in law.terms:
            ends = [marker.body.position for marker in measure.markers()]
            total += c * math.dist(ends[0], ends[-1])
        return total

    def _force(self, law: Law) -> tuple[str, dict[str, list[str]]]:
        """The name of the force of a law, and the terms of dz/dx along each axis."""
        slopes: dict[str, list[str]] = {axis: [] for axis in "xyz"}
        parts = []
        for c, measure in law.terms:
            share = self._number(c)
            ends = [marker.body is self.point.body for marker in measure.markers()]
            if measure.kind == "length" and any(ends):
                parts.append(f"{share} * {self._length(measure, share, slopes)}")
                continue
            name = self._measure(measure)
            parts.append(f"{share} * {name}")
            if ends[-1] or ends[0]:
                slopes[measure.axes].append(share if ends[-1] else f"-{share}")
        k = len(self.lines)
        self.lines.append(f"y{k} = {' + '.join(parts)}")
        terms = [f"{self._number(law.stiffness)} * (y{k} - {self._number(law.rest)})"] if law.stiffness else []
        if law.curve is not None:
            terms.append(f"{self._motion(law.curve)}(y{k})")
        if isinstance(law.motion, Constant):
            terms.append(self._number(law.motion.value))
        elif law.motion is not None:
            terms.append(f"{self._motion(law.motion)}(t)")
        self.lines.append(f"f{k} = {' + '.join(terms) or '0.0'}")
        return f"f{k}", slopes

    def _length(self, measure: Measure, share: str, slopes: dict[str, list[str]]) -> str:
        """A length from the point to another: dl/dx = -d/l, with d from the point to the other."""
        assert measure.a is not None
        other = measure.b if measure.a.body is self.point.body else measure.a
        axes = "xyz"[: len(self.point.place)]
        d = {axis: self._measure(Measure("coordinate", self.point, other, axis)) for axis in axes}
        name = f"l{len(self.lines)}"
        self.lines.append(f"{name} = sqrt({' + '.join(f'{one} * {one}' for one in d.values())})")
        for axis in axes:
            slopes[axis].append(f"-{share} * {d[axis]} / {name}")
        return name

    def _measure(self, measure: Measure) -> str:
        if measure not in self.measures:
            self.measures.append(measure)
        return f"z{self.measures.index(measure)}"

    def _number(self, value: float) -> str:
        self.parameters.append(float(value))
        return f"c{len(self.parameters) - 1}"

    def _motion(self, motion: Any) -> str:
        self.motions.append(motion)
        name = f"motion{len(self.motions) - 1}"
        self.scope[name] = _function(motion)
        return name


def _function(motion: Any) -> Any:
    """A motion or a characteristic as a function that can be compiled."""
    return piecewise_function(motion._pieces) if isinstance(motion, Characteristic) else scalar(motion, "a curve")
