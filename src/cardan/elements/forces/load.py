"""Loads: forces and torques on one body, and user-defined force laws."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import Code, function_name
from cardan.model.curves.motion import Motion, MotionLike, as_motion
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable, readable, require_terms

FRAMES = ("global", "body")


@dataclass(frozen=True, eq=False)
class Load(Force):
    """A force on a point of a body (Haug 6.2.3 and 6.2.4).

        o--> F      components in global axes, or, with frame="body", in the axes of the marker: a follower force

    `force` holds the components; each is a number, a motion, or a function of time.

    >>> from cardan.planar import Body, Harmonic, Load, Model
    >>> model = Model("rocket")
    >>> rocket = model.add(Body(mass=10.0, inertia=3.0), name="rocket")
    >>> thrust = model.add(Load(rocket.at(-1, 0), (500.0, Harmonic(5.0, 3.0)), frame="body"), name="thrust")
    """

    marker: Marker
    force: Sequence[MotionLike]
    frame: str = "global"
    motions: tuple[Motion, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the point of a Load", hint="create one with body.at(...)")
        object.__setattr__(self, "motions", components(self.force, "the force of a Load"))

    def check(self) -> None:
        check.choice(self.frame, FRAMES, f"the frame of {self.title}")
        dimensions = len(self.marker.place)
        if len(self.motions) != dimensions:
            raise ModelError(f"the force of {self.title} must have {dimensions} components, got {len(self.motions)}")

    def laws(self) -> tuple[Law, ...]:
        kind = "coordinate" if self.frame == "global" else "slide"
        measures = [Measure(kind, None, self.marker, axis) for axis in "xyz"[: len(self.motions)]]
        pairs = zip(measures, self.motions, strict=False)  # check() rejects other numbers of components
        return tuple(Law(((-1.0, m),), motion=motion) for m, motion in pairs)


@dataclass(frozen=True, eq=False)
class Action(Force):
    """A user-defined force along a measure: a function of other measures, their rates and the time.

        Action(guide.travel, gas, of=(guide.travel,))           f = gas(x, x_rate, t), pushing toward increasing travel

    The function takes the value of each measure in `of`, then optionally their rates, then the time: with one measure
    gas(x), gas(x, x_rate) or gas(x, x_rate, t). The result acts toward increasing `measure`. Branches are allowed, such
    as forces that depend on the sign of a velocity.
    """

    measure: Readable
    function: Callable[..., float]
    of: Sequence[Readable] = ()
    code: Code = field(init=False, repr=False)
    arguments: tuple[tuple[Measure, int], ...] = field(init=False, repr=False)
    timed: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of an Action")
        if not callable(self.function):
            raise ModelError(
                f"the function of an Action must be a Python function, got {check.describe(self.function)}"
            )
        if isinstance(self.of, Readable):
            raise ModelError(f"`of` of an Action must be a list of measures, got {self.of} alone: put it in brackets")
        if not self.of and not _is_plain(self.measure):
            raise ModelError(
                f"an Action along a combination, here {self.measure}, needs of=: the measures that its function takes"
            )
        measures = [_plain(m, k) for k, m in enumerate(self.of or (self.measure,))]
        count = argument_count(self.function, f"'{function_name(self.function)}' of an Action")
        n = len(measures)
        if count not in (n, 2 * n, 2 * n + 1):
            raise ModelError(
                f"'{function_name(self.function)}' of an Action takes {count} arguments, but with {n} measure"
                f"{'s' if n > 1 else ''} it can take {n} value{'s' if n > 1 else ''}, {2 * n} values and rates, or "
                f"{2 * n + 1} with the time"
            )
        levels = 1 if count == n else 2
        object.__setattr__(self, "arguments", tuple((m, level) for level in range(levels) for m in measures))
        object.__setattr__(self, "timed", count == 2 * n + 1)
        object.__setattr__(self, "code", Code(self.function, count))

    def check(self) -> None:
        require_terms(self.title, self.measure)
        self.laws()

    def laws(self) -> tuple[Law, ...]:
        terms = tuple((-c, m) for c, m in self.measure.parts())
        function = self.code((), self.name)
        return (Law(terms, function=function, arguments=self.arguments, timed=self.timed),)


def components(values: Any, what: str) -> tuple[Motion, ...]:
    """The components of a vector, each as a motion."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ModelError(f"{what} must be a list of components, got {check.describe(values)}")
    return tuple(as_motion(value, f"a component of {what}") for value in values)


def argument_count(function: Callable[..., Any], what: str) -> int:
    """How many arguments a force function takes; all of them are measures, rates or the time."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except ValueError:
        raise ModelError(f"{what} has no readable signature; wrap it in a Python function") from None
    for argument in arguments:
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD, argument.KEYWORD_ONLY):
            raise ModelError(f"{what} must have named positional arguments, not '{argument}'")
        if argument.default is not argument.empty:
            raise ModelError(
                f"{what} has a default for '{argument.name}', but every argument is a measure, a rate or the time; "
                f"write constants into the function"
            )
    return len(arguments)


def _plain(measure: Readable, k: int) -> Measure:
    readable(measure, f"measure {k + 1} in `of` of an Action")
    if not _is_plain(measure):
        raise ModelError(f"an Action reads plain measures, got {measure}; combine them inside the function instead")
    return measure.parts()[0][1]


def _is_plain(measure: Readable) -> bool:
    return [c for c, _ in measure.parts()] == [1.0]
