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
from cardan.analysis.forward.events.engagement import engage, evaluate
from cardan.analysis.forward.events.event import DIRECTIONS
from cardan.analysis.forward.events.impulse import impulses
from cardan.analysis.forward.recording import stopped
from cardan.analysis.forward.state import Run
from cardan.analysis.forward.stepping import make_consistent
from cardan.elements.contact.friction import STUCK, Friction
from cardan.elements.contact.impact import Impact
from cardan.integrators.events import OFF, TINY
from cardan.integrators.stepping import apply_impulse, begin_run
from cardan.model.force import Law
from cardan.model.model import Model

TOUCH = 1e-10  # relative to the model's length, or rad: a gap that counts as zero
INSIDE = 100.0  # times this gap: bodies are inside each other
SLOW = 1e-10  # model lengths per second, or rad/s: a speed that counts as zero
STILL = 0.01  # relative to a negligible rebound: speeds that impulses need not stop
PULL = 1e-10  # relative to the largest reaction
ROUNDS = 200  # largest number of changes until contacts and friction are consistent


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


class ImpactState:
    """An impact element in a run."""

    def __init__(self, run: Run, element: Impact, first: int) -> None:
        self.element, self.gap, self.lift = element, first, first + 1
        self.row = int(run.system.rows_of(element.closed)[0])
        self.along = -1 if element.sliding is None else int(run.system.rows_of(element.sliding)[0])
        self.touch = TOUCH * float(run.system.rows.scale[self.row])
        self.moving = SLOW * float(run.system.rows.scale[self.row])
        self.slow = max(self.moving, element.rest_speed)  # a negligible rebound


class FrictionState:
    """A friction element in a run."""

    def __init__(self, run: Run, element: Friction, first: int) -> None:
        self.element, self.sliding, self.margin = element, first, first + 1
        self.row = int(run.system.rows_of(element.stuck)[0])
        states = run.system.states
        self.place = run.sizes.y - states.start.size + states.first(element.direction)
        self.slow = SLOW * float(run.system.rows.scale[self.row])


class ModeSwitches:
    """All elements of a run that switch automatically."""

    def __init__(self, run: Run) -> None:
        watched = [(k, event) for k, event in enumerate(run.events) if isinstance(event, ModeEvent)]
        self.contacts = [ImpactState(run, w.element, k) for k, w in watched if w.word == "struck"]
        self.sticks = [FrictionState(run, w.element, k) for k, w in watched if w.word == "comes to rest"]

    @property
    def empty(self) -> bool:
        return not self.contacts and not self.sticks

    def due(self, run: Run) -> bool:
        """Whether an open contact touches and approaches, which another event at the same time may have hidden."""
        g = run.stepper.g[0]
        open_ = [c for c in self.contacts if not run.machine.engaged[c.row] and g[c.gap] <= c.touch]
        return any(run.machine.work.rate[c.row] < -c.moving for c in open_)

    def settle(self, run: Run, occurred: ModeEvent | None = None, *, jams: bool = False) -> None:
        """Make the mechanism consistent after a change or an internal event.

        If the mechanism `jams`, all touching contacts are closed although they depend on each other.
        """
        kept: set[int] = set()  # rows that must not be engaged again at this time
        if jams and self._barely_moves(run):
            self._stop(run)
        elif occurred is not None:
            self._follow(run, occurred, kept)
        if self.contacts:
            self._strike(run, kept)
        if self.sticks:
            self._choose_sliding(run, kept)
        for _ in range(ROUNDS):
            make_consistent(run)
            if not self._relax(run):
                break
        else:
            names = tuple(c.element.name for c in self.contacts) + tuple(s.element.name for s in self.sticks)
            raise stopped(
                run,
                f"at t = {run.stepper.clock.now:.9g} s contacts and friction have no consistent state "
                f"among {', '.join(map(repr, names[:4]))}: such large friction jams the mechanism; reduce it",
                names,
            )
        self._arm(run)

    def _follow(self, run: Run, occurred: ModeEvent, kept: set[int]) -> None:
        """Apply an event: a contact opens, or friction breaks away."""
        for contact in self.contacts:
            lifts = contact.element is occurred.element and occurred.word == "lifts off"
            if (
                lifts and run.machine.active[contact.row]
            ):  # and does not merely have no force because others carry the load
                engage(run, [contact.row], False)
                kept.add(contact.row)
        for stick in self.sticks:
            if stick.element is occurred.element and occurred.word == "breaks away":
                self._let_slide(run, stick, float(run.machine.multipliers[stick.row]))
                kept.add(stick.row)

    def _barely_moves(self, run: Run) -> bool:
        """Whether all touching contacts are slow enough to be closed."""
        evaluate(run)
        phi, rate = run.machine.work.phi, run.machine.work.rate
        return all(abs(rate[c.row]) <= c.slow for c in self.contacts if phi[c.row] <= c.touch)

    def _stop(self, run: Run) -> None:
        """Close touching contacts, and remove the speeds that violate them.

        Where a linkage between two contacts folds or stretches, one of them implies the other to first order: no
        impulse keeps them from approaching, and they strike repeatedly, each time a little later.
        """
        phi, setting = run.machine.work.phi, run.machine.settings
        engage(run, [c.row for c in self.contacts if phi[c.row] <= c.touch], True)
        usual, setting.rank_tolerance = float(setting.rank_tolerance), 0.0
        try:
            status = begin_run(run.operations, run.stepper)
        finally:
            setting.rank_tolerance = usual
        if status:  # exactly dependent: one implies the other
            make_consistent(run)

    def _let_slide(self, run: Run, stick: FrictionState, toward: float) -> None:
        engage(run, [stick.row], False)
        run.stepper.y[stick.place] = 1.0 if toward >= 0.0 else -1.0

    def _strike(self, run: Run, kept: set[int]) -> None:
        """Apply velocity jumps at approaching contacts; those that rebound too slowly close."""
        evaluate(run)
        work, y, engaged = run.machine.work, run.stepper.y, run.machine.engaged
        phi, rate = work.phi, work.rate
        for contact in self.contacts:
            if not engaged[contact.row] and phi[contact.row] < -INSIDE * contact.touch:
                self._refuse_inside(run, contact, float(phi[contact.row]))
        touching = [c for c in self.contacts if (phi[c.row] <= c.touch or engaged[c.row]) and c.row not in kept]
        fresh = [c for c in touching if not engaged[c.row] and rate[c.row] <= c.slow]
        moved = [c for c in touching if engaged[c.row] and abs(rate[c.row]) > c.moving]
        if not fresh and not moved:
            return
        engage(run, [c.row for c in touching], False)
        engage(run, [s.row for s in self.sticks], False)
        evaluate(run)
        rows = np.array([c.row for c in touching] + [c.along for c in touching if c.along >= 0])
        first = run.sizes.positions
        b, A, X = self._response(run, rows)
        b = b - work.nu[rows]
        wanted, mu = np.zeros(len(touching)), np.array([c.element.friction for c in touching])
        for k, contact in enumerate(touching):
            rebound = -contact.element.restitution * b[k]
            wanted[k] = rebound if rebound > contact.slow else 0.0
        slides = np.full(len(touching), -1)
        slides[[k for k, c in enumerate(touching) if c.along >= 0]] = np.arange(len(touching), rows.size)
        p = impulses(A, b, wanted, mu, slides, STILL * min(c.slow for c in touching))
        if p is None:
            names = tuple(c.element.name for c in touching)
            raise stopped(
                run,
                f"at t = {run.stepper.clock.now:.9g} s no impulses were found that separate "
                f"{', '.join(map(repr, names[:4]))}: reduce their friction",
                names,
            )
        y[first : first + run.sizes.speeds] += X @ p
        left = b + A @ p
        engage(run, [c.row for k, c in enumerate(touching) if wanted[k] == 0.0 and left[k] <= c.slow], True)

    def _response(self, run: Run, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The speeds along the rows, and the effect of unit impulses on them and on all speeds."""
        first, nv = run.sizes.positions, run.sizes.speeds
        part, G, X = run.stepper.look[first : first + nv], run.formulation.gradients(rows), np.zeros((nv, rows.size))
        for k in range(rows.size):
            part[:] = G[k]
            apply_impulse(run.operations, run.stepper)
            X[:, k] = part
        return G @ run.stepper.y[first : first + nv], G @ X, X

    def _choose_sliding(self, run: Run, kept: set[int]) -> None:
        """Friction slides where there is speed, and sticks where there is none."""
        evaluate(run)
        rate = run.machine.work.rate
        for stick in self.sticks:
            if stick.row in kept:
                continue
            if abs(rate[stick.row]) > stick.slow:
                self._let_slide(run, stick, float(rate[stick.row]))
            elif run.stepper.y[stick.place] != STUCK or not run.machine.engaged[stick.row]:
                engage(run, [stick.row], True)
                run.stepper.y[stick.place] = STUCK

    def _relax(self, run: Run) -> bool:
        """Open the contact that pulls most, or release the friction with the largest overload."""
        g, machine, active = run.stepper.g[0], run.machine, run.machine.active
        allowed = PULL * float(np.abs(machine.multipliers).max(initial=0.0))
        closed = [c for c in self.contacts if active[c.row]]
        pulling = min(closed, key=lambda c: g[c.lift], default=None)
        if pulling is not None and g[pulling.lift] < -allowed:
            engage(run, [pulling.row], False)
            return True
        stuck = [s for s in self.sticks if active[s.row]]
        weakest = min(stuck, key=lambda s: g[s.margin], default=None)
        if weakest is not None and g[weakest.margin] < -allowed:
            self._let_slide(run, weakest, float(machine.multipliers[weakest.row]))
            return True
        return False

    def _arm(self, run: Run) -> None:
        """Set the events that can occur next, without those that have just occurred."""
        g, direction, engaged = run.stepper.g[0], run.stepper.direction, run.machine.engaged
        falling = DIRECTIONS["falling"]
        for contact in self.contacts:
            closed = bool(engaged[contact.row])
            carries = closed and bool(run.machine.active[contact.row])
            direction[contact.gap], direction[contact.lift] = OFF if closed else falling, falling if carries else OFF
            if not closed and g[contact.gap] <= contact.touch:  # rounding must not make it approach
                g[contact.gap + direction.size] = max(g[contact.gap + direction.size], 0.0)
            watched = contact.lift if closed else contact.gap
            g[watched] = max(g[watched], TINY)
        for stick in self.sticks:
            held = bool(engaged[stick.row])
            direction[stick.sliding], direction[stick.margin] = (OFF, falling) if held else (falling, OFF)
            watched = stick.margin if held else stick.sliding
            g[watched] = max(g[watched], TINY)

    def _refuse_inside(self, run: Run, contact: ImpactState, gap: float) -> None:
        element, now = contact.element, run.now
        raise stopped(
            run,
            f"at t = {now:.9g} s the bodies of {element.title} are inside each other by "
            f"{quantity(-gap, element.measure.unit)}; give positions with {element.measure} >= {element.below:g}",
            (element.name,),
        )
