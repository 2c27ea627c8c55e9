"""The equations of inverse kinematics: the joints of a model, one row for each target, one for each limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.analysis.assembly.assemble import assembled, quantity
from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.assembly.nearest import Closing
from cardan.analysis.task_space.following import CHANGES, PASSED, PULLING, follow, following
from cardan.elements.constraints.driver import Hold
from cardan.errors import ModelError
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.model.space import advance, displacement
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile

APPROACHES = 200  # steps toward targets out of reach
GAIN = 1e-9  # relative: decrease of the squared deviation below which they end
MISSED = 1e-7  # relative to the model's length, or rad: deviation of a target that is reported


class TargetRows:
    """A mechanism at `q`, with rows for targets and limits that move it."""

    def __init__(
        self,
        model: Model,
        measures: Sequence[Readable],
        limits: Mapping[Readable, tuple[float, float]],
        start: Snapshot | None,
        tolerance: float,
    ) -> None:
        time = 0.0 if start is None else start.time
        positions = None if start is None else start.as_start(model)
        self.plain = plain = compile(model, drivers=False, time=time, start=positions)
        for row in np.flatnonzero(plain.on_velocities):
            raise ModelError(
                f"inverse_kinematics() does not support {plain.row_name(int(row))}, a constraint on velocities: "
                "positions alone do not determine it"
            )
        q, reference = assembled(plain, time)
        self.measures, self.limits = list(measures), list(limits.items())
        for measure in (*self.measures, *limits):
            for _, part in measure.parts():
                for marker in part.markers():
                    plain.body_number(marker.body)  # raises for a body of another model
        holds = [target_row(measure, 0.0) for measure in (*self.measures, *limits)]
        begun = start_of(plain, q, reference)
        self.system = system = compile(model, holds, drivers=False, time=time, start=begun)
        system.rows.offset[: plain.row_count] = plain.rows.offset
        self.first, self.bound = plain.row_count, plain.row_count + len(self.measures)
        self.q, self.reference = q, system.reference.copy()
        self.closing = Closing(system, time, system.weights, np.ones(system.row_count, np.uint8))
        self.tolerance = max(tolerance, system.rounding)
        place = {measure: k for k, measure in enumerate(system.measures)}
        self.winding = np.array([place[plain.measures[k]] for k in plain.winding], int)

    def reach(
        self,
        q: np.ndarray,
        reference: np.ndarray,
        wanted: np.ndarray,
        scatter: float = 0.0,
        random: np.random.Generator | None = None,
    ) -> bool:
        """Move from q to the nearest position with these targets, within limits; `self.q` is where it ends."""
        system, active = self.system, self.closing.active
        system.rows.offset[self.first : self.bound] = wanted
        active[:] = 1
        active[self.bound :] = 0
        start, turns = q.copy(), reference.copy()
        if scatter and random is not None:
            step = system.speeds()
            size = scatter * system.length / np.sqrt(system.weights)
            step[system.width :] = size * random.standard_normal(system.coordinates)
            advance(system.geometry, start, step)
        for _ in range(1 + CHANGES * len(self.limits)):
            self.q, self.reference = start.copy(), turns.copy()
            _, error, status = self.closing.close(self.q, self.reference, self.tolerance)
            if status or error > self.tolerance:
                return False
            if not (self._engage_worst() or self._release(start)):
                return True
        return False

    def follow(self, wanted: np.ndarray, positions: np.ndarray, turns: np.ndarray, path: bool, first: int) -> int:
        """Fill the lines of targets from `first` on by the compiled loop, as far as it gets; returns the first line
        that is left. The mechanism is at the line before, or, for independent targets, at the first line."""
        system = self.system
        if system.contact_coordinates or system.misfits or any(body.modal_coordinates for body in system.bodies):
            return first  # mechanisms that joint coordinates do not describe
        here = self.q, self.reference, self.closing.time, self.tolerance
        tables, block = following(system, *here, slice(self.first, self.bound), [ends for _, ends in self.limits])
        joints = np.zeros((len(wanted), block.q.size))
        followed = np.zeros((len(wanted), tables.lighter.winding.size))
        reached = int(follow(block, np.ascontiguousarray(wanted), first, not path, positions, joints, followed))
        if reached > first:
            found = tables.turns(joints[first:reached], followed[first:reached])
            column = {int(k): n for n, k in enumerate(system.winding)}
            turns[first:reached] = found[:, [column[int(k)] for k in self.winding]]
            self.q = positions[reached - 1].copy()
            self.reference[system.winding] = found[-1]
        return reached

    def values(self) -> np.ndarray:
        """The values of the targets at the current position."""
        self.closing.evaluate(self.q, self.reference)
        rows = slice(self.first, self.bound)
        return np.asarray(self.closing.work.phi[rows] + self.system.rows.offset[rows])

    def _engage_worst(self) -> bool:
        """Turn the limit that is passed farthest into an equation; False if none is passed."""
        rows, worst, chosen = self.system.rows, PASSED, None
        for k, (_, (low, high)) in enumerate(self.limits):
            row = self.bound + k
            value = self.closing.work.phi[row] + rows.offset[row]
            beyond = max(low - value, value - high) / rows.scale[row]
            if beyond > worst:
                worst, chosen = beyond, (row, low if value < low else high)
        if chosen is None:
            return False
        row, rows.offset[row] = chosen
        self.closing.active[row] = 1
        return True

    def _release(self, start: np.ndarray) -> bool:
        """Release the limit that pulls hardest instead of pushing; False if none does.

        The displacement d from the start is least if W d + J^T mu = 0 with mu >= 0 at upper and mu <= 0 at lower ends.
        """
        system, engaged = self.system, np.flatnonzero(self.closing.active[self.bound :])
        if not engaged.size:
            return False
        step = system.speeds()
        displacement(system.geometry, start, self.q, step)
        J = self._jacobian()
        size = np.sqrt(system.weights)
        mu = np.linalg.lstsq((J / size).T, -size * step[system.width :], rcond=ROW_NOISE)[0] / system.rows.scale
        pulls = {}
        for k in engaged.tolist():
            row, (low, _) = self.bound + k, self.limits[k][1]
            pulls[row] = mu[row] if system.rows.offset[row] == low else -mu[row]
        worst = max(pulls, key=lambda row: float(pulls[row]))
        if pulls[worst] <= PULLING * system.length:
            return False
        self.closing.active[worst] = 0
        return True

    def _jacobian(self) -> np.ndarray:
        """J of the rows that act, divided by their scale, where they were evaluated last; zero for others."""
        system = self.system
        return system.dense_jacobian(self.closing.work) * (self.closing.active / system.rows.scale)[:, None]

    def approach(self, wanted: np.ndarray) -> np.ndarray:
        """Move as close to the targets as joints and the limits that act allow; returns the deviations."""
        system, closing, mu = self.system, self.closing, 1e-3
        targets = slice(self.first, self.bound)
        system.rows.offset[targets] = wanted
        scale, unit = system.rows.scale[targets], 1.0 / np.sqrt(system.weights)
        closing.active[:] = 1
        closing.active[self.bound :] = 0
        for _ in range(APPROACHES):
            closing.active[targets] = 0
            _, error, status = closing.close(self.q, self.reference, self.tolerance)
            if status or error > self.tolerance:
                break
            if self._engage_worst():
                continue
            closing.active[targets] = 1
            J = self._jacobian() * unit
            missed = closing.work.phi[targets] / scale
            others = np.delete(J, np.r_[targets], axis=0)
            _, sizes, basis = np.linalg.svd(others)
            Z = basis[int(np.sum(sizes > ROW_NOISE * sizes.max(initial=1.0))) :].T
            T = J[targets] @ Z
            step = system.speeds()
            step[system.width :] = unit * (Z @ -np.linalg.solve(T.T @ T + mu * np.eye(Z.shape[1]), T.T @ missed))
            before, turns, cost = self.q.copy(), self.reference.copy(), float(missed @ missed)
            advance(system.geometry, self.q, step)
            closing.active[targets] = 0
            closing.close(self.q, self.reference, self.tolerance)
            after = closing.work.phi[targets] / scale
            if float(after @ after) < cost:
                gained, mu = cost - float(after @ after), 0.3 * mu
                if gained < GAIN * cost:
                    break
            else:
                self.q, self.reference, mu = before, turns, 10.0 * mu
                if mu > 1e6:
                    break
        closing.evaluate(self.q, self.reference)
        return np.asarray(closing.work.phi[targets])

    def distance(self, start: np.ndarray) -> float:
        """The largest displacement from another position, relative to the model's length, or rad."""
        step = self.system.speeds()
        displacement(self.system.geometry, start, self.q, step)
        return float(np.abs(step[self.system.width :] * np.sqrt(self.system.weights)).max()) / self.system.length

    def reason(self, wanted: np.ndarray) -> str:
        """By how much targets are missed at the position of least deviation, and which limits act."""
        phi, scale = self.approach(wanted), self.system.rows.scale[self.first : self.bound]
        missed = [
            f"{measure} is off by {quantity(abs(float(gap)), measure.unit)}"
            for measure, gap, one in zip(self.measures, phi, scale, strict=True)
            if abs(gap) > MISSED * one
        ]
        ends = [str(m) for k, (m, _) in enumerate(self.limits) if self.closing.active[self.bound + k]]
        said = f"at best {', '.join(missed)}" if missed else "the mechanism would jump to another configuration"
        return (
            f"{said}, with {', '.join(ends)} at {'its limit' if len(ends) == 1 else 'their limits'}" if ends else said
        )

    def snapshot(self) -> Snapshot:
        """The current position."""
        return Snapshot(self.plain, self.closing.time, self.q.copy(), turns=self.reference[self.winding])


def target_row(measure: Readable, value: float) -> Hold:
    """A condition on a measure that is not part of the model."""
    hold = Hold(measure, value)
    object.__setattr__(hold, "name", f"target {measure}")
    return hold
