"""Automatic switching in a run: contacts that close and open, friction that sticks and slides.

    open   --gap falls to zero-->  struck  --rebound slower than rest-->  closed  --would pull-->  open
    slides --speed falls to zero-> stuck   --more than static N required---------------------->    slides

Each change is an event of the run, located like all others. After each event the closed contacts and the sticking
friction are determined again, one at a time: contacts that pull open, overloaded friction slides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import quantity
from cardan.analysis.forward.events.impulse import impulse_tables
from cardan.analysis.forward.events.mode_kernels import (
    BROKEN_STATE,
    NO_IMPULSES,
    TOO_DEEP,
    Found,
    Switches,
    settle_modes,
)
from cardan.analysis.forward.recording import stopped
from cardan.analysis.forward.state import Run
from cardan.elements.contact.friction import Friction
from cardan.elements.contact.impact import Impact
from cardan.errors import CardanError
from cardan.model.force import Law
from cardan.model.model import Model
from cardan.numerics.compiled.block import block

TOUCH = 1e-10  # relative to the model's length, or rad: a gap that counts as zero
SLOW = 1e-10  # model lengths per second, or rad/s: a speed that counts as zero


@dataclass(frozen=True)
class ModeEvent:
    """An internal event of an element."""

    element: Any
    word: str
    law: Law = field(repr=False)
    direction: str
    action: None = None

    @property
    def name(self) -> str:
        return str(self.element.name)

    @property
    def title(self) -> str:
        return f"{self.element.title} ({self.word})"


def watches(model: Model) -> tuple[ModeEvent, ...]:
    """The events of all elements that switch automatically."""
    found: list[ModeEvent] = []
    for element in model:
        if isinstance(element, Impact):
            lift = Law((), signal=element.push)
            found.append(ModeEvent(element, "struck", Law(element.measure.parts(), 1.0, element.below), "falling"))
            found.append(ModeEvent(element, "lifts off", lift, "falling"))
        elif isinstance(element, Friction) and element.sticks:
            found.append(ModeEvent(element, "comes to rest", Law((), signal=element.sliding), "falling"))
            found.append(ModeEvent(element, "breaks away", Law((), signal=element.margin), "falling"))
    return tuple(found)


class ModeSwitches:
    """All elements of a run that switch automatically."""

    def __init__(self, run: Run) -> None:
        watched = [(k, event) for k, event in enumerate(run.events) if isinstance(event, ModeEvent)]
        contacts = [(k, event.element) for k, event in watched if event.word == "struck"]
        sticks = [(k, event.element) for k, event in watched if event.word == "comes to rest"]
        self.contacts, self.sticks = [e for _, e in contacts], [e for _, e in sticks]
        self.tables = block(_switches(run, contacts, sticks))

    @property
    def empty(self) -> bool:
        return not self.contacts and not self.sticks

    def due(self, run: Run) -> bool:
        """Whether an open contact touches and approaches, which another event at the same time may have hidden."""
        if not self.contacts:
            return False
        tables, g = self.tables, run.stepper.g[0]
        rows = tables.contact_row
        open_ = (run.machine.engaged[rows] == 0) & (g[tables.gap] <= tables.touch)
        return bool((open_ & (run.machine.work.rate[rows] < -tables.moving)).any())

    def settle(self, run: Run, occurred: ModeEvent | None = None, *, jams: bool = False) -> None:
        """Make the mechanism consistent after a change or an internal event.

        If the mechanism `jams`, all touching contacts are closed although they depend on each other.
        """
        if occurred is not None:
            self.tables.occurred[next(k for k, event in enumerate(run.events) if event is occurred)] = 1
        status = int(settle_modes(run.operations, run.stepper, self.tables, jams))
        if status == BROKEN_STATE:
            raise run.formulation.failure(run)
        if status:
            raise self._failure(run, status)

    def _failure(self, run: Run, status: int) -> CardanError:
        now, found = f"at t = {run.now:.9g} s", self.tables.found
        if status == TOO_DEEP:
            element = self.contacts[int(found.contact)]
            return stopped(
                run,
                f"{now} the bodies of {element.title} are inside each other by "
                f"{quantity(-float(found.gap), element.measure.unit)}; give positions with {element.measure} >= "
                f"{element.below:g}",
                (element.name,),
            )
        if status == NO_IMPULSES:
            names = tuple(self.contacts[k].name for k in self.tables.touching[: int(found.touching)].tolist())
            listed = ", ".join(map(repr, names[:4]))
            return stopped(run, f"{now} no impulses were found that separate {listed}: reduce their friction", names)
        names = tuple(element.name for element in (*self.contacts, *self.sticks))
        return stopped(
            run,
            f"{now} contacts and friction have no consistent state among {', '.join(map(repr, names[:4]))}: such large "
            "friction jams the mechanism; reduce it",
            names,
        )


def _switches(run: Run, contacts: list[tuple[int, Impact]], sticks: list[tuple[int, Friction]]) -> Switches:
    """The tables of all elements, which share memory with those of the run."""
    system, machine, states = run.system, run.machine, run.system.states
    scale, before, count = system.rows.scale, run.sizes.y - states.start.size, len(contacts)
    row = np.array([system.rows_of(e.closed)[0] for _, e in contacts], np.int64)
    along = np.array([-1 if e.sliding is None else system.rows_of(e.sliding)[0] for _, e in contacts], np.int64)
    speeds = count + int((along >= 0).sum())
    stick_row = np.array([system.rows_of(e.stuck)[0] for _, e in sticks], np.int64)
    gap, sliding = (np.array([k for k, _ in part], np.int64) for part in (contacts, sticks))
    moving = SLOW * scale[row]
    return Switches(
        found=Found(),
        contact_row=row,
        contact_along=along,
        gap=gap,
        lift=gap + 1,
        touch=TOUCH * scale[row],
        moving=moving,
        slow=np.maximum(moving, np.array([e.rest_speed for _, e in contacts], float)),
        restitution=np.array([e.restitution for _, e in contacts], float),
        friction=np.array([e.friction for _, e in contacts], float),
        stick_row=stick_row,
        sliding=sliding,
        margin=sliding + 1,
        place=np.array([before + states.first(e.direction) for _, e in sticks], np.int64),
        still=SLOW * scale[stick_row],
        engaged=machine.engaged,
        active=machine.active,
        phi=machine.work.phi,
        rate=machine.work.rate,
        nu=machine.work.nu,
        multipliers=machine.multipliers,
        settings=machine.settings,
        occurred=np.zeros(len(run.events), np.uint8),
        kept=np.zeros(system.row_count, np.uint8),
        touching=np.zeros(count, np.int64),
        rows=np.zeros(speeds, np.int64),
        gradients=np.zeros((speeds, run.sizes.speeds)),
        changes=np.zeros((speeds, run.sizes.speeds)),
        problem=impulse_tables(count, speeds),
    )
