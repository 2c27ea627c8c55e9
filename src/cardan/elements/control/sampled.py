"""Controllers that act at sampling times, like a computer with a period."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cardan.elements.control.controller import output_names, start_values
from cardan.elements.control.signals import SignalLike, as_signals
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import function_name
from cardan.model.device import Held, Sampler, Signal
from cardan.model.dimensions import Duration


@dataclass(frozen=True, eq=False)
class Sampled(Source):
    """A function called exactly at t = offset + k period; its results are held until the next call.

        u |    ___              f(*inputs, *states) -> outputs and next states, one after the other
          |___|   |____         at a sampling time, a result contains the new values
          +---+---+---+-- t

    Any callable Python object is allowed, including one with internal state; but only `states` are part of checkpoints
    and run.at(t). If the object has a method `reset()`, every run calls it first, except when it continues from a
    checkpoint; without it a second run continues with the state that the first one left, with a warning. Plain
    functions are compiled; others run in the interpreter, some microseconds per call. `start` holds the outputs before
    the first call, zero by default. Of several that are due at the same time, each reads the new outputs of those added
    before it.

    >>> from cardan import simulate
    >>> from cardan.planar import Actuator, Body, Model, Sampled, Translational, rate
    >>> model = Model("held in place")
    >>> cart = model.add(Body(mass=1.0, inertia=1.0, position=(0.2, 0.0)), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> def law(position, speed):
    ...     return -40.0 * position - 12.0 * speed
    >>> computer = model.add(Sampled(law, [guide.travel, rate(guide.travel)], period=0.01), name="computer")
    >>> drive = model.add(Actuator(guide.travel, computer), name="drive")
    >>> run = simulate(model, 5.0, output=1.0)
    >>> bool(abs(run[guide.travel].value[-1]) < 1e-6)
    True
    """

    function: Callable[..., float | Sequence[float]]
    inputs: SignalLike | Sequence[SignalLike]
    outputs: Sequence[str] = ("u",)
    period: Duration = field(kw_only=True)
    offset: Duration = 0.0
    states: Mapping[str, float] | None = None
    parameters: Sequence[float] = ()
    start: Sequence[float] | None = None
    compiled: bool = True  # if it can be
    sampler: Sampler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = f"sampled '{function_name(self.function)}'"
        if not callable(self.function):
            raise ModelError(f"the function of {what} must be callable")
        states = start_values(self.states, what)
        names = output_names(self.outputs, states, what)
        starts = check.vector([0.0] * len(names) if self.start is None else self.start, len(names), f"start of {what}")
        sampler = Sampler(
            self.function,
            as_signals(self.inputs, what),
            tuple(Held(value, name) for name, value in zip(names, starts, strict=True)),
            check.positive(self.period, f"the period of {what}"),
            check.number(self.offset, f"the offset of {what}"),
            tuple(Held(value, name) for name, value in states.items()),
            check.vector(self.parameters, len(self.parameters), f"the parameters of {what}"),
            function_name(self.function),
            check.flag(self.compiled, f"compiled of {what}"),
        )
        object.__setattr__(self, "sampler", sampler)

    @property
    def title(self) -> str:
        return f"sampled '{self.name or function_name(self.function)}'"

    @property
    def output(self) -> Signal:
        return self.sampler.held[0]

    def __getitem__(self, name: str) -> Signal:
        """An output or a state by name; "samples" is the number of calls."""
        names = [held.name for held in self.sampler.held]
        check.choice(name, names, f"the name of an output of {self.title}")
        return self.sampler.held[names.index(name)]

    def names(self) -> tuple[str, ...]:
        return tuple(held.name for held in (*self.sampler.outputs, *self.sampler.states))

    def samplers(self) -> tuple[Sampler, ...]:
        return (self.sampler,)
