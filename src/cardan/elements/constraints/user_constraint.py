"""User-defined constraints: a plain Python function of measures and time, compiled to machine code.

    @constraint
    def parabola(x, y, c=1.5):
        return y - c * x * x

    model.add(parabola(component(frame, bead.at(), "x"), component(frame, bead.at(), "y"), c=2.0), name="wire")

Arguments without a default are measures, an argument called `t` is the time, arguments with a default are numbers
that can be set. Derivatives are not needed: jets compute them exactly.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, overload

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import Code, function_name
from cardan.model.element import TIME, VALUE, Constraint, Equation
from cardan.model.measure import Readable, readable, require_value
from cardan.numerics.functions.function import UserFunction


@overload
def constraint(function: Callable[..., float], *, derivatives: str = ...) -> ConstraintTemplate: ...
@overload
def constraint(
    function: None = None, *, derivatives: str = ...
) -> Callable[[Callable[..., float]], ConstraintTemplate]: ...
def constraint(
    function: Callable[..., float] | None = None, *, derivatives: str = "exact"
) -> ConstraintTemplate | Callable[[Callable[..., float]], ConstraintTemplate]:
    """Turn a Python function of measures into an element; the equation is function(...) = 0.

    `derivatives="differences"` accepts functions that jets do not support, at the cost of accuracy.
    """
    if function is None:
        return lambda f: constraint(f, derivatives=derivatives)
    return ConstraintTemplate(function, derivatives)


class ConstraintTemplate:
    """The result of `@constraint`: call it with measures to get an element for a model."""

    word: ClassVar[str] = "constraint"

    def __init__(self, function: Callable[..., float], derivatives: str) -> None:
        if not callable(function):
            raise ModelError(f"@{self.word.replace(' ', '_')} needs a function, got {check.short_repr(function)}")
        self.function, self.derivatives = function, derivatives
        self.__doc__, self.name = function.__doc__, function_name(function)
        try:
            signature = inspect.signature(function).parameters.values()
        except ValueError:
            raise ModelError(f"'{self.name}' has no readable signature; wrap it in a Python function") from None
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature):
            raise ModelError(f"the {self.word} '{self.name}' must have named arguments, not *args or **kwargs")
        names = [p.name for p in signature if p.default is p.empty or p.name == "t"]
        self.defaults = {p.name: p.default for p in signature if p.name not in names}
        if [p.name for p in signature][: len(names)] != names:
            raise ModelError(f"the {self.word} '{self.name}' must take the time t before its parameters")
        self.measures = list(dict.fromkeys(self.read(name)[0] for name in names if name != "t"))
        if not self.measures:
            raise ModelError(f"the {self.word} '{self.name}' takes no measure; an argument without a default is one")
        self.arguments = tuple(
            (0, TIME) if name == "t" else (self.measures.index(self.read(name)[0]), self.read(name)[1])
            for name in names
        )

    def read(self, argument: str) -> tuple[str, int]:
        """The measure of an argument, and whether the argument is its value or its rate."""
        return argument, VALUE

    def element(self, measures: tuple[Readable, ...], parameters: tuple[tuple[str, float], ...]) -> UserConstraint:
        """The element on these measures."""
        return UserConstraint(self, measures, parameters)

    def __call__(self, *measures: Readable, **settings: Any) -> UserConstraint:
        given = {n: settings.pop(n) for n in self.measures if n in settings}
        values = dict(zip(self.measures, measures, strict=False)) | given
        if len(measures) > len(self.measures) or set(values) != set(self.measures):
            words = ", ".join(self.measures)
            count = len(measures) + len(given)
            raise ModelError(f"the {self.word} '{self.name}' takes the measures {words}, each once; {count} were given")
        unknown = set(settings) - set(self.defaults)
        if unknown:
            known = ", ".join(self.defaults) or "none"
            raise ModelError(f"the {self.word} '{self.name}' has no parameter '{min(unknown)}'; it has: {known}")
        parameters = {
            n: check.number(settings.get(n, d), f"parameter '{n}' of {self.word} '{self.name}'")
            for n, d in self.defaults.items()
        }
        ends = tuple(readable(values[n], f"argument '{n}' of {self.word} '{self.name}'") for n in self.measures)
        return self.element(ends, tuple(parameters.items()))

    def __repr__(self) -> str:
        return f"<{self.word} '{self.name}', to be called with {', '.join(self.measures)}>"


@dataclass(frozen=True, eq=False)
class UserConstraint(Constraint):
    """A user function of measures, kept at zero."""

    source: ConstraintTemplate
    measures: tuple[Readable, ...]
    parameters: tuple[tuple[str, float], ...]
    code: Code = field(init=False, repr=False)

    def __post_init__(self) -> None:
        source = self.source
        code = Code(source.function, len(source.arguments), derivatives=source.derivatives)
        object.__setattr__(self, "code", code)

    @property
    def title(self) -> str:
        return f"{self.source.word} '{self.name or self.source.name}'"

    def check(self) -> None:
        for place, level in self.source.arguments:
            if level == VALUE:
                require_value(f"argument '{self.source.measures[place]}' of {self.title}", self.measures[place])
        for measure in self.measures:
            if len(measure.parts()) != 1 or measure.parts()[0][0] != 1.0:
                raise ModelError(
                    f"{self.title} takes plain measures, got {measure}; combine them inside the function instead"
                )
        self.compiled()

    def compiled(self) -> UserFunction:
        """The function as machine code."""
        return self.code(tuple(value for _, value in self.parameters), self.name or self.source.name)

    def equations(self) -> tuple[Equation, ...]:
        terms = tuple((1.0, measure.parts()[0][1]) for measure in self.measures)
        return (Equation("equation", terms, function=self.compiled(), arguments=self.source.arguments),)
