"""Methods by their names, and options of methods as they were once stated: beside the method, in `simulate` itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from cardan.deprecation import warn_deprecated
from cardan.errors import ModelError
from cardan.methods.explicit import Auto, Dop853, RungeKutta, SampledAdams
from cardan.methods.historical import Baumgarte, Direct, Hybrid, Partitioning
from cardan.methods.implicit import HHT, Bdf, GeneralizedAlpha, Radau
from cardan.methods.method import Method
from cardan.methods.symplectic import Symplectic
from cardan.model import check

_NAMED: tuple[Method, ...] = (
    Auto(),
    Dop853(),
    RungeKutta(order=3),
    RungeKutta(order=5),
    SampledAdams(),
    GeneralizedAlpha(),
    Radau(),
    HHT(),
    Partitioning(),
    Direct(),
    Baumgarte(),
    Hybrid(),
    Bdf(),
)
SHORTHANDS: dict[str, Method] = {method.name: method for method in _NAMED}
OLD_OPTIONS = "__options_of_method__"  # the attribute of an analysis that lists them
OPTIONS = ("step", "fixed", "order", "rho", "alpha", "beta")  # deprecated arguments of simulate()

P = ParamSpec("P")
R = TypeVar("R")


def method_of(stated: Any, what: str) -> Method:
    """The method that an argument states: an object, or its shorthand."""
    if isinstance(stated, Method):
        return stated
    if isinstance(stated, type) and issubclass(stated, Method):
        raise ModelError(f"{what} must be an object, got the class {stated.__name__}: write {stated.__name__}()")
    if stated == Symplectic.name:
        raise ModelError(f"{what} 'symplectic' needs the length of its steps: write method=Symplectic(step=...), in s")
    if not isinstance(stated, str):
        raise ModelError(f"{what} must be a method such as Radau(), or a text, got {check.describe(stated)}")
    return SHORTHANDS[check.choice(stated, tuple(SHORTHANDS), what)]


def with_options(stated: Any, options: dict[str, Any], what: str) -> Method:
    """A method with options that were stated beside it."""
    if isinstance(stated, Method):
        raise ModelError(f"{what} is {stated!r}: state {', '.join(options)} there")
    options = {name: value for name, value in options.items() if value is not None}
    fixed = check.flag(options.pop("fixed", False), "fixed")
    if fixed and "step" not in options:
        raise ModelError("fixed=True asks for a step: state step=, in s")
    if stated == Symplectic.name and "step" in options:
        kind: type[Method] = Symplectic
        method: Method = Symplectic(step=options["step"])
    else:
        method = method_of(stated, what)
        kind = type(method)
    if "step" in options and not (fixed or kind in (GeneralizedAlpha, HHT, Symplectic)):
        options["max_step"] = options.pop("step")
    known = {field.name for field in fields(method)} - ({"order"} if kind is RungeKutta else set())
    for name in options:
        if name not in known:
            raise ModelError(f"method '{method.name}' has no option {name}; it has {', '.join(sorted(known))}")
    return replace(method, **options)


def renamed_options(analysis: Callable[P, R]) -> Callable[P, R]:
    """An analysis that accepts options of its method as arguments, with a DeprecationWarning."""

    @wraps(analysis)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        options = {name: named.pop(name) for name in OPTIONS if name in named}
        if options.get("fixed") is False:
            del options["fixed"]
        if any(value is not None for value in options.values()):
            method = with_options(named.get("method", "auto"), options, f"the method of {analysis.__name__}()")
            warn_deprecated(
                f"{', '.join(options)} of {analysis.__name__}() are options of its method: write method={method!r}"
            )
            named["method"] = method
        return analysis(*arguments, **named)

    setattr(call, OLD_OPTIONS, OPTIONS)
    return call
