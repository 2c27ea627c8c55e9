"""Springs, dampers and actuators along any measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cardan.deprecation import renamed_arguments
from cardan.elements.forces.load import argument_count
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import Code, function_name
from cardan.model.curves.motion import Motion, MotionLike, as_motion
from cardan.model.dimensions import Angle, Length, MeasureDamping, MeasureStiffness
from cardan.model.force import Force, Law
from cardan.model.measure import Measure, Readable, readable, require_terms, require_value


@renamed_arguments(free_length="rest_length", free_angle="rest_angle")
@dataclass(frozen=True, eq=False)
class Spring(Force):
    """A spring, damper and actuator along a measure (Haug 6.2.10 and 6.2.18: TSDA and RSDA).

        a o--/\\/\\/\\--o b          f = stiffness (z - rest) + damping z' + force + curve(z) + rate_curve(z')
           `---[=---'

    Along `length(a, b)` it is translational, along `hinge.angle` rotational; any other measure works as well.
    `rest_length`, or `rest_angle`, is the value at which the spring force is zero. `force` is an actuator: a number, a
    motion, or a function of time. f > 0 pulls, against increasing z. `Spring(z, damping=c)` is only a damper.
    `curve=Spline(lengths, forces)` is a measured characteristic over the value, `rate_curve=Spline(speeds, forces)`
    that of a damper; any motion works, evaluated at z or z' instead of the time. `law` is an additional function of the
    value, of value and rate, or of value, rate and time.

    >>> from cardan.planar import Body, Model, Spring, length
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=2.0, inertia=1.0, position=(0.3, 0.0)), name="mass")
    >>> spring = model.add(Spring(length(model.ground.at(), mass.at()), 60.0, rest_length=0.2), name="spring")
    """

    measure: Readable
    stiffness: MeasureStiffness = 0.0
    damping: MeasureDamping = 0.0
    rest_length: Length | None = None
    rest_angle: Angle | None = None
    force: MotionLike | None = None
    law: Callable[..., float] | None = None
    curve: Motion | None = None
    rate_curve: Motion | None = None
    allow_negative: bool = False
    motion: Motion | None = field(init=False, repr=False)
    code: Code | None = field(init=False, repr=False)
    taken: int = field(init=False, repr=False)  # arguments of the law: value, rate, time

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Spring")
        motion = None if self.force is None else as_motion(self.force, "the force of a Spring")
        taken = 0 if self.law is None else _taken(self.law)
        code = None if self.law is None else Code(self.law, taken)
        for name, value in (("motion", motion), ("code", code), ("taken", taken)):
            object.__setattr__(self, name, value)

    def check(self) -> None:
        require_terms(self.title, self.measure)
        for name in ("stiffness", "damping"):
            value = check.number(getattr(self, name), f"the {name} of {self.title}")
            if value < 0.0 and not check.flag(self.allow_negative, f"allow_negative of {self.title}"):
                raise ModelError(f"the {name} of {self.title} is {value:g}: negative ones need allow_negative=True")
        for name in ("curve", "rate_curve"):
            if getattr(self, name) is not None:
                check.instance(getattr(self, name), Motion, f"the {name} of {self.title}", hint="a Spline, for example")
        if self.stiffness or self.curve is not None:
            require_value(self.title, self.measure)
        for name in ("rest_length", "rest_angle"):
            if getattr(self, name) is not None:
                check.number(getattr(self, name), f"{name} of {self.title}")
        if self.rest_length is not None and self.rest_angle is not None:
            raise ModelError(f"{self.title} takes rest_length or rest_angle, not both")
        angular = self.measure.unit == "rad"
        if (self.rest_length if angular else self.rest_angle) is not None and self.measure.unit in ("m", "rad"):
            stated, wanted = ("rest_length", "rest_angle") if angular else ("rest_angle", "rest_length")
            raise ModelError(
                f"{self.title} acts along {self.measure}, in {self.measure.unit}: give {wanted}, not {stated}"
            )
        if self.rest_length is not None and self.rest_length < 0.0 and self.measure.parts()[0][1].kind == "length":
            raise ModelError(f"rest_length of {self.title} must not be negative, got {self.rest_length:g}")
        if self.stiffness != 0.0 and self.rest is None:
            raise ModelError(
                f"{self.title} has a stiffness but no rest_length (or rest_angle): give the value at zero force"
            )
        if self.code is not None and [c for c, _ in self.measure.parts()] != [1.0]:
            raise ModelError(f"{self.title} has a law, which takes a plain measure, got {self.measure}")
        self.laws()

    @property
    def rest(self) -> float | None:
        return self.rest_length if self.rest_angle is None else self.rest_angle

    def laws(self) -> tuple[Law, ...]:
        terms = self.measure.parts()
        arguments: tuple[tuple[Measure, int], ...] = ()
        if self.code is not None:
            arguments = tuple((terms[0][1], level) for level in range(min(self.taken, 2)))
        return (
            Law(
                terms,
                stiffness=self.stiffness,
                rest=self.rest or 0.0,
                damping=self.damping,
                curve=self.curve,
                rate_curve=self.rate_curve,
                motion=self.motion,
                function=None if self.code is None else self.code((), self.name),
                arguments=arguments,
                timed=self.taken == 3,
            ),
        )


def _taken(law: Any) -> int:
    """The number of arguments of a law."""
    if not callable(law):
        raise ModelError(f"the law of a Spring must be a function of value, rate and time, got {check.describe(law)}")
    count = argument_count(law, f"the law '{function_name(law)}' of a Spring")
    if not 1 <= count <= 3:
        raise ModelError(
            f"the law '{function_name(law)}' of a Spring takes value, rate and time, the last two if needed, not "
            f"{count} arguments"
        )
    return count
