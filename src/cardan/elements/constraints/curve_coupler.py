"""A measure that follows another one through a curve."""

from __future__ import annotations

from dataclasses import dataclass, field

from cardan.errors import ModelError
from cardan.model.curves.function_code import Code
from cardan.model.curves.motion import MotionLike
from cardan.model.curves.scalar_function import scalar
from cardan.model.element import VALUE, Constraint, Equation
from cardan.model.measure import Readable, readable, require_value


@dataclass(frozen=True, eq=False)
class CurveCoupler(Constraint):
    """A measure that is a function of another one: z = f(x), such as an electronic cam or a gear of variable ratio.

          z |     .--.
            |    /    '.          z = `measure`,  x = `of`,  f = `curve`: a `Spline` through a table, a `MotionProgram`,
            |__.'       '--       a polynomial, or any Python function of a number
            +-------------- x

    The curve is evaluated in compiled loops with exact derivatives.

    >>> import math
    >>> from cardan import kinematics
    >>> from cardan.planar import Body, CurveCoupler, Driver, Model, Ramp, Revolute, Spline, Translational
    >>> model = Model("electronic cam")
    >>> shaft, ram = model.add(Body(), name="shaft"), model.add(Body(), name="ram")
    >>> hinge = model.add(Revolute(model.ground.at(), shaft.at()), name="hinge")
    >>> rail = model.add(Translational(model.ground.at(), ram.at()), name="rail")
    >>> table = Spline([0.0, 1.0, 2.0, 3.0], [0.0, 0.1, 0.1, 0.0], end="not-a-knot")
    >>> cam = model.add(CurveCoupler(rail.travel, hinge.angle, table), name="cam")
    >>> motor = model.add(Driver(hinge.angle, Ramp(1.0)), name="motor")
    >>> float(kinematics(model, [0.0, 1.0, 1.5])["rail.travel"][2].round(6)), float(table(1.5).round(6))
    (0.1125, 0.1125)
    """

    measure: Readable
    of: Readable
    curve: MotionLike
    code: Code = field(init=False, repr=False)

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a CurveCoupler")
        readable(self.of, "the measure `of` of a CurveCoupler")
        follow = scalar(self.curve, "the curve of a CurveCoupler")
        object.__setattr__(self, "code", Code(lambda z, x: z - follow(x), 2))

    def check(self) -> None:
        for measure in (self.measure, self.of):
            require_value(self.title, measure)
            if len(measure.parts()) != 1 or measure.parts()[0][0] != 1.0:
                raise ModelError(f"{self.title} couples plain measures, got {measure}; hold a sum by a user constraint")
        self.code((), self.name)

    def equations(self) -> tuple[Equation, ...]:
        terms = tuple((1.0, measure.parts()[0][1]) for measure in (self.measure, self.of))
        return (Equation("curve", terms, function=self.code((), self.name), arguments=((0, VALUE), (1, VALUE))),)
