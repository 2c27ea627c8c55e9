"""Events: a quantity passes through a value during a simulation.

    Event(y(ball), 0.0, "falling")                            the run stops there
    Event(hinge.angle, 1.5, action=release)                   release(snapshot) is called, then the run continues
    Event(gap, of=(x(tip), y(tip)))                           a function of measures, their rates and the time
    Event(reaction(latch, "x"), 0.0, "falling")               a joint reaction
    Event(controller["u"], 5.0)                               an output of a device, or any other signal

An action receives the mechanism at that time. Its return value decides how the run continues: None, nothing changes;
"stop", the run ends; a dictionary of bodies gives them new velocities, {ball: {"velocity": (vx, -0.8 * vy)}}, which are
then made consistent with the joints as in an impact; a `Change` can do more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cardan.elements.forces.load import Action
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import function_name
from cardan.model.curves.motion import Constant
from cardan.model.device import Device, Output, Signal
from cardan.model.dimensions import MeasureValue
from cardan.model.force import Law
from cardan.model.measure import Readable
from cardan.model.stated import Stated

if TYPE_CHECKING:
    from cardan.analysis.forward.events.change import Change
    from cardan.results.snapshot import Snapshot

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}


@dataclass(frozen=True)
class Event(metaclass=Stated):
    """A measure, its rate (`of_rate=True`), a signal or a function of measures that passes through `value`.

    >>> from cardan import Event, simulate
    >>> from cardan.planar import Body, Model, y
    >>> model = Model("fall", gravity=(0, -9.81))
    >>> stone = model.add(Body(mass=1.0, inertia=1.0, position=(0, 4.905)), name="stone")
    >>> run = simulate(model, 5.0, events=[Event(y(stone.at()), 0.0, "falling")])
    >>> round(float(run.times[-1]), 9)
    1.0
    """

    what: Readable | Signal | Callable[..., float]
    value: MeasureValue = 0.0
    direction: str = "both"
    of: Sequence[Readable] = ()
    of_rate: bool = False
    action: Callable[[Snapshot], Change | None] | None = None
    name: str = ""
    law: Law = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.number(self.value, "the value of an Event")
        check.choice(self.direction, tuple(DIRECTIONS), "the direction of an Event")
        if self.action is not None and not callable(self.action):
            raise ModelError(f"the action of an Event must be a function, got {check.describe(self.action)}")
        object.__setattr__(self, "law", self._law())

    @property
    def title(self) -> str:
        if isinstance(self.what, Readable):
            what = str(self.what)
        else:
            what = _signal_name(self.what) if isinstance(self.what, Signal) else f"'{function_name(self.what)}'"
        return f"event '{self.name}'" if self.name else f"the event of {what}"

    def _law(self) -> Law:
        """The law whose strength is the distance from the event."""
        if isinstance(self.what, Readable):
            terms = self.what.parts()
            if not terms:
                raise ModelError("the measure of an Event is empty: its terms cancel")
            if self.of_rate:
                return Law(terms, damping=1.0, motion=Constant(-self.value))
            return Law(terms, stiffness=1.0, rest=self.value)
        if isinstance(self.what, Signal):
            if self.of_rate:
                raise ModelError(f"an Event of a signal, here {_signal_name(self.what)}, has no of_rate")
            return Law((), motion=Constant(-self.value), signal=_as_output(self.what))
        if not callable(self.what) or not self.of:
            raise ModelError(
                f"an Event takes a measure, or a function together with of=, the measures that it takes; got "
                f"{check.describe(self.what)}"
            )
        if self.of_rate:
            raise ModelError("an Event of a function has no of_rate: the function may take the rates as arguments")
        action = Action(self.of[0], self.what, of=tuple(self.of))
        law = action.laws()[0]
        return Law((), motion=Constant(-self.value), function=law.function, arguments=law.arguments, timed=law.timed)


def _itself(value: float) -> float:
    return value


def _as_output(signal: Signal) -> Output:
    """A signal as the output of a device, the only kind that laws can read."""
    return signal if isinstance(signal, Output) else Device(_itself, (signal,), ("value",), name="watched")["value"]


def _signal_name(signal: Signal) -> str:
    if isinstance(signal, Output):
        return f"'{signal.device.outputs[signal.place]}' of {signal.device.title}"
    return str(getattr(signal, "name", "") or signal)
