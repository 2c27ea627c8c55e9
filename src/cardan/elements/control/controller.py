"""User-defined controllers: a plain Python function with states, integrated together with the motion.

@controller(outputs=["u"], states={"i": 0.0})
def balance(angle, speed, i, gain=40.0):
    return gain * angle + 5.0 * speed + i, 3.0 * angle           u, then the rate of i

law = model.add(balance(hinge.angle, rate(hinge.angle), gain=60.0), name="law")
model.add(Actuator(cart.travel, law), name="drive")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from cardan.elements.control.signals import SignalLike, as_signals
from cardan.elements.control.source import Block
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import function_name
from cardan.model.device import Clock, Device, Signal, State


@dataclass(frozen=True, eq=False)
class Controller(Block):
    """A function of signals: f(*inputs, *states) -> outputs and rates of states, one after the other.

    It is compiled and runs inside the integrator; branches and functions of `math` are allowed. Functions that cannot
    be compiled run in the interpreter, some thousand times slower, with a warning. `inputs` are measures,
    `rate(measure)`, `reaction(...)`, `time`, other blocks, numbers or motions; `states` maps names to initial values.
    """

    function: Callable[..., float | Sequence[float]]
    inputs: SignalLike | Sequence[SignalLike]
    outputs: Sequence[str] = ("u",)
    states: Mapping[str, float] | None = None
    parameters: Sequence[float] = ()

    def __post_init__(self) -> None:
        what = f"controller '{function_name(self.function)}'"
        signals, starts = as_signals(self.inputs, what), start_values(self.states, what)
        names = output_names(self.outputs, starts, what)
        states = tuple(State(name, value, max(1.0, abs(value))) for name, value in starts.items())
        numbers = check.vector(self.parameters, len(self.parameters), f"the parameters of {what}")
        device = Device(self.function, signals, names, states, numbers, function_name(self.function))
        object.__setattr__(self, "device", device)

    @property
    def title(self) -> str:
        return f"controller '{self.name or function_name(self.function)}'"

    def check(self) -> None:
        self.device.code(self.device.parameters, self.device.name)


@overload
def controller(
    function: Callable[..., float | Sequence[float]],
    *,
    outputs: Sequence[str] = ...,
    states: Mapping[str, float] | None = ...,
) -> ControllerTemplate: ...
@overload
def controller(
    function: None = None, *, outputs: Sequence[str] = ..., states: Mapping[str, float] | None = ...
) -> Callable[[Callable[..., float | Sequence[float]]], ControllerTemplate]: ...
def controller(
    function: Callable[..., float | Sequence[float]] | None = None,
    *,
    outputs: Sequence[str] = ("u",),
    states: Mapping[str, float] | None = None,
) -> ControllerTemplate | Callable[[Callable[..., float | Sequence[float]]], ControllerTemplate]:
    """Turn a Python function into a controller, to be called with its inputs.

    Arguments without a default are inputs, one called `t` is the time, those named in `states` are states, and those
    with a default are numbers that can be set.
    """
    if function is None:
        return lambda f: controller(f, outputs=outputs, states=states)
    return ControllerTemplate(function, outputs, states)


class ControllerTemplate:
    """The result of `@controller`: call it with signals to get an element for a model."""

    def __init__(
        self, function: Callable[..., Any], outputs: Sequence[str], states: Mapping[str, float] | None
    ) -> None:
        if not callable(function):
            raise ModelError(f"@controller needs a function, got {check.short_repr(function)}")
        self.function, self.outputs, self.states = function, outputs, start_values(states, "@controller")
        self.__doc__, self.name = function.__doc__, function_name(function)
        arguments = list(inspect.signature(function).parameters.values())
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in arguments):
            raise ModelError(f"the controller '{self.name}' must have named arguments, not *args or **kwargs")
        plain = [p.name for p in arguments if p.default is p.empty]
        self.defaults = {p.name: p.default for p in arguments if p.default is not p.empty}
        self.inputs = plain[: len(plain) - len(self.states)]
        if [p.name for p in arguments][: len(plain)] != plain or plain[len(self.inputs) :] != list(self.states):
            raise ModelError(
                f"the controller '{self.name}' must take its inputs, then its states {list(self.states)}, then numbers "
                f"with defaults; it takes {[p.name for p in arguments]}"
            )

    def __call__(self, *inputs: Any, **settings: Any) -> Controller:
        unknown = set(settings) - set(self.defaults)
        if unknown:
            known = ", ".join(self.defaults) or "none"
            raise ModelError(f"the controller '{self.name}' has no parameter '{min(unknown)}'; it has: {known}")
        waiting, given = [n for n in self.inputs if n != "t"], list(inputs)
        if len(given) != len(waiting):
            raise ModelError(f"the controller '{self.name}' takes {', '.join(waiting)}; {len(given)} were given")
        signals: list[Signal | Any] = [Clock() if name == "t" else given.pop(0) for name in self.inputs]
        numbers = [
            check.number(settings.get(n, d), f"parameter '{n}' of controller '{self.name}'")
            for n, d in self.defaults.items()
        ]
        return Controller(self.function, signals, self.outputs, self.states, numbers)

    def __repr__(self) -> str:
        return f"<controller '{self.name}', to be called with {', '.join(self.inputs)}>"


def start_values(states: Any, what: str) -> dict[str, float]:
    """States with their initial values."""
    if states is None:
        return {}
    if not isinstance(states, Mapping) or not all(isinstance(name, str) for name in states):
        raise ModelError(f"the states of {what} must be a dictionary of initial values, got {check.short_repr(states)}")
    return {name: check.number(value, f"state '{name}' of {what}") for name, value in states.items()}


def output_names(outputs: Any, states: Mapping[str, float], what: str) -> tuple[str, ...]:
    """Distinct names, which also differ from those of states."""
    if not isinstance(outputs, str | Sequence):
        raise ModelError(f"the outputs of {what} must be a list of names, got {check.describe(outputs)}")
    names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    if not all(isinstance(name, str) and name for name in names) or len({*names, *states}) < len(names) + len(states):
        raise ModelError(f"outputs and states of {what} must have distinct names, got {[*names, *states]}")
    return names
