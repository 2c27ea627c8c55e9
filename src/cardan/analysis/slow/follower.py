"""Follow an equilibrium in time: predict by the tangent, correct by Newton's method, jump where it ends.

    q(t + h) = q + h q' + h^2/2 q''  +  corrections with the matrix of the tangent

A step is halved if Newton's method does not converge, if the correction is large compared to the step, or if a stable
equilibrium would become unstable. If steps become too short, the equilibrium ends at a fold or loses its stability at a
bifurcation: the mechanism is displaced along its softest direction, and the search of `equilibrium` starts there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.analysis.equilibria.newton import displaced
from cardan.analysis.equilibria.place import ALMOST, Place, Ways
from cardan.analysis.equilibria.stability import verdict_of
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.slow.tangent import Rates, SlowTangent
from cardan.errors import SimulationError
from cardan.results.steady.quasi_static import Snap

CORRECTIONS = 12
SLOW = 0.2  # reduction of a correction above which the matrix is updated
CONVERGED = 1e-8  # last correction, in rad or model lengths
LONGEST = 0.3  # predicted displacement of a step, in rad or model lengths
NEAR, PART = 1e-3, 0.3  # correction allowed: absolute, in rad or model lengths, or as a part of the step
SHORTEST = 1e-9  # step, relative to the whole time, at which an equilibrium counts as ended
BEYOND = 1e-7  # relative to the whole time: how long after its end another equilibrium is searched
KICK = 1e-3  # displacement in rad or model lengths with which the search starts
SAME = 1e-4  # displacement up to which two equilibria are the same


@dataclass
class Stop:
    """An equilibrium of the sequence, with its tangent and stability."""

    time: float
    place: Place
    tangent: SlowTangent
    rates: Rates
    stable: bool | None
    reason: str
    steps: int = 0
    iterations: int = 0


class Follower:
    """The state of a run: `was_stable` is the last decided stability, `snaps` the jumps so far."""

    def __init__(self, statics: Statics, ways: Ways, span: float, spacing: float, last: float) -> None:
        self.statics, self.ways = statics, ways
        self.span, self.spacing, self.last = span, spacing, last
        self.rank = 0
        self.was_stable: bool | None = None
        self.resting: tuple[int, str] | None = None  # number of neutral motions found exactly, and their names
        self.length = np.inf  # of the next step
        self.iterations = 0

    def set_time(self, time: float) -> None:
        self.statics.go_to(time)
        self.ways.closing.time = self.statics.time

    def stop(self, place: Place, time: float) -> Stop:
        """The equilibrium at a position, with its tangent."""
        self.set_time(time)
        tangent = SlowTangent(self.statics, place, self.rank, time)
        stable, reason = self._stability(place, tangent)
        rates = tangent.rates(self.spacing, -1 if time >= self.last else 1)
        return Stop(time, place, tangent, rates, stable, reason)

    def follow(self, stop: Stop, until: float) -> Stop | None:
        """The equilibrium at `until`; None if it ends before: the last one is then `self.end`."""
        steps, before = 0, self.iterations
        while stop.time < until:
            left = until - stop.time
            length = left if self.length >= left * (1.0 - 1e-12) else min(self.length, 0.5 * left)
            size = self._predicted(stop, length)
            if size > LONGEST:
                length *= max(0.5 * LONGEST / size, 1e-3)
            following = self._step(stop, until if length == left else stop.time + length)
            if following is None:
                self.length = 0.5 * length
                if self.length < SHORTEST * self.span:
                    self.end = stop
                    return None
                continue
            stop, steps = following, steps + 1
            self.length = max(2.0 * length, self.length)
            if stop.stable is not None:
                self.was_stable = stop.stable
        stop.steps, stop.iterations = steps, self.iterations - before
        return stop

    def _predicted(self, stop: Stop, length: float) -> float:
        rates = stop.rates
        step = np.maximum(np.abs(length * rates.velocity), np.abs(0.5 * length * length * rates.acceleration))
        return float(step.max(initial=0.0))

    def _step(self, stop: Stop, time: float) -> Stop | None:
        """The equilibrium at a later time near the predicted position; None if none is found there."""
        length, rates, statics = time - stop.time, stop.rates, self.statics
        self.set_time(time)
        step = length * rates.velocity + 0.5 * length * length * rates.acceleration
        if not np.isfinite(step).all() or time <= stop.time:
            return None
        try:
            reference = stop.place.reference.copy()
            guess = self._at(statics.moved(stop.place.q, step), reference)
            found = self._corrected(guess, stop.tangent, time)
            if found is None:
                return None
            away = float(np.abs(displaced(statics, guess, found)).max(initial=0.0))
            if not away <= max(NEAR, PART * float(np.abs(step).max(initial=0.0))):
                return None
            there = self.stop(found, time)
        except SimulationError:
            return None
        return None if self.was_stable and there.stable is False else there

    def _at(self, q: np.ndarray, reference: np.ndarray) -> Place:
        point = self.statics.at(q, reference)
        reference[:] = point.z
        return Place(q, reference, point)

    def _corrected(self, place: Place, tangent: SlowTangent, time: float) -> Place | None:
        """The equilibrium near a position; the matrix is kept while corrections become small fast."""
        before = np.inf
        for _ in range(CORRECTIONS):
            self.iterations += 1
            step, _ = tangent.solve(-place.point.residual, -place.point.phi)
            size = float(np.abs(step).max(initial=0.0))
            if not size <= LONGEST:
                return None
            previous, place = place.imbalance, self._at(self.statics.moved(place.q, step), place.reference.copy())
            closed = float(np.abs(place.point.phi).max(initial=0.0)) <= self.ways.tolerance
            if (
                closed
                and size <= CONVERGED
                and (place.imbalance <= 1e-12 or (place.imbalance <= ALMOST and place.imbalance >= previous))
            ):
                return place
            if size > SLOW * before or before == np.inf and size > NEAR:
                tangent = SlowTangent(self.statics, place, self.rank, time)
            before = size
        return None

    def _stability(self, place: Place, tangent: SlowTangent) -> tuple[bool | None, str]:
        """Whether an equilibrium is stable, and the reason if this is undecided or neutral."""
        quick = tangent.clearly_stable
        if quick is not None and tangent.neutral == 0:
            return quick, ""
        if quick and self.resting is not None and self.resting[0] == tangent.neutral:
            return None, self.resting[1]
        with self.statics.ordinary() as statics:
            verdict = verdict_of(statics, place, statics.rank(place.point))
        if verdict.neutral and self.resting is None:
            self.resting = tangent.neutral, verdict.reason
        return verdict.stable, verdict.reason

    def snap_start(self, stop: Stop) -> tuple[float, Place]:
        """A time shortly after an equilibrium ends, and a displaced position at which to search for another one."""
        time = min(stop.time + BEYOND * self.span, self.last)
        self.set_time(time)
        kick = stop.tangent.softest * KICK
        if float(kick @ stop.rates.velocity) < 0.0:
            kick = -kick
        begin = self.ways.moved(stop.place, kick)
        if begin is None:
            raise SimulationError(
                f"the joints of '{self.statics.system.model.name}' cannot close after "
                f"{self.statics.where(stop.time)}: its drivers lock, or a force has no value there",
                time=self.statics.time,
            )
        return time, begin

    def snap_between(self, stop: Stop, place: Place) -> Snap | None:
        """The jump from an equilibrium to a position; None if they are the same."""
        statics = self.statics
        step = displaced(statics, stop.place, place)
        k = int(np.argmax(np.abs(step)))
        if abs(step[k]) <= SAME and not self.was_stable:
            return None
        unit = "rad" if statics.angular[k] else "m"
        return Snap(stop.time, statics.name_of(k), float(abs(step[k]) * statics.unit[k]), unit)
