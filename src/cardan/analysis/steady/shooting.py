"""The map of a mechanism's state over one period, in independent coordinates and speeds, with its derivatives.

    x = (xi, eta, w)   q = closed(q0 + Z xi),    v = nearest(v0 + Y eta) with J v = nu         J_phi Z = 0,   J Y = 0
    g(x, T) = (Z^T (q(T) - q), Y^T (v(T) - v), w(T) - w)                             a periodic motion has g = 0
    dg/dx = F - 1                                                                    F: the monodromy matrix

q - q is the displacement from one position to the other, without full turns. Z and Y are orthonormal in scaled
displacements: lengths by the model's length, angles by 1 rad, speeds by those per radian of the period. w holds the
states of devices and the held values of sampled controllers after the sample at that time, each divided by its scale.
Contacts that close and friction that sticks within the period are events of the runs: their differences include the
effect of impacts on disturbances. At its start all impacts must be open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.nearest import Closing
from cardan.analysis.forward.advance import advance as advance_run, new_run
from cardan.analysis.forward.events.mode_switching import ModeEvent
from cardan.analysis.forward.state import Run, Settings
from cardan.errors import SimulationError
from cardan.model.device import Device
from cardan.model.space import advance, displacement
from cardan.numerics.linalg.rank import ROW_NOISE, null_space, truncated
from cardan.results.simulation import Simulation
from cardan.system.balance import column_scale
from cardan.system.circuit import SLACK
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

SECOND_ORDER_STEP, FOURTH_ORDER_STEP = 1e-4, 2e-3  # steps of second-order and fourth-order differences


class State(NamedTuple):
    """Positions, velocities, turns of angles and states of devices at the start of a period."""

    q: np.ndarray
    v: np.ndarray
    reference: np.ndarray
    states: np.ndarray


class Round(NamedTuple):
    """One period from a state: the run, and its distance from the start."""

    state: State
    run: Simulation
    gap: np.ndarray
    flow: tuple[np.ndarray, np.ndarray]  # rates of the state at the start and at the end


class Shooting:
    """Runs of one period from states near the last accepted one."""

    def __init__(
        self,
        system: System,
        state: State,
        time: float,
        pace: float,
        settings: Settings,
        watched: tuple[ModeEvent, ...],
        joint: bool = False,
    ) -> None:
        self.joint = joint  # whether runs are in joint coordinates
        self.system, self.time, self.pace, self.settings, self.watched = system, time, pace, settings, watched
        self.unit = system.unit
        self.engaged = np.array([not system.elements[k].switched for k in system.owner], bool)
        self.closed = self.engaged & ~system.on_velocities
        self.closing = Closing(system, time, system.weights, self.closed.astype(np.uint8))
        held = {id(h) for sampler in system.samplers for h in (*sampler.outputs, *sampler.states)}
        owners = system.states.owner
        self.kept = np.array([k for k, o in enumerate(owners) if isinstance(o, Device) or id(o) in held], int)
        self.scale = system.states.scale[self.kept]
        turning = np.append(
            np.tile(system.space.angular, len(system.bodies)), np.zeros(len(system.contact_coordinates), bool)
        )
        self.turning = turning.astype(bool)
        self.accept(state)

    def accept(self, state: State) -> None:
        """Set this state as x = 0."""
        self.state = state
        J, _ = self._equations(state.q, state.reference)
        self.balance = column_scale(self.system, state.q, self.time) / self.unit
        self.Z, self.Y = (null_space(J[rows], self.balance) for rows in (self.closed, self.engaged))

    def restart(self, state: State, time: float, wait: float) -> None:
        """Start from the mechanism some time after a state."""
        self.time = self.closing.time = time
        if wait > 0.0:
            run = advance_run(self._forward(state), time + wait, np.array([time + wait]), False)
            reference = state.reference.copy()
            reference[self.system.winding] = run.turns[-1]
            state = State(run.q[-1], run.v[-1], reference, run.states[-1].copy())
            self.time = self.closing.time = time + wait
        self.accept(state)

    @property
    def size(self) -> int:
        """The number of components of x."""
        return self.Z.shape[1] + self.Y.shape[1] + self.kept.size

    def moved(self, x: np.ndarray) -> State:
        """The state at x, joints closed."""
        width, system = self.system.width, self.system
        q, v, reference, states = (part.copy() for part in self.state)
        step, split = system.speeds(), self.Z.shape[1]
        last = split + self.Y.shape[1]
        states[self.kept] += self.scale * x[last:]
        step[width:] = self.unit * (self.Z @ x[:split])
        advance(system.geometry, q, step)
        q, error, status = self.closing.close(q, reference, 0.01 * CLOSED)
        if status or not error <= max(CLOSED, system.rounding):
            raise SimulationError(
                f"the joints of '{system.model.name}' do not close near the start of a period", time=self.time
            )
        J, nu = self._equations(q, reference)
        J, nu = J[self.engaged], nu[self.engaged]
        v[width:] += self.unit * self.pace * (self.Y @ x[split:last])
        left = nu - J @ (v[width:] / self.unit)
        rows, lengths = truncated(J, self.balance)
        v[width:] += self.unit * np.linalg.lstsq(rows, left / lengths, rcond=ROW_NOISE)[0]
        return State(q, v, reference, states)

    def go(self, state: State, period: float, output: np.ndarray | None = None) -> Round:
        """One period from a state; `output` holds the output times of the run, by default only its end."""
        until = self.time + period
        times = np.array([self.time, until]) if output is None else output
        forward = self._forward(state)
        run = advance_run(forward, until, times, False)
        self._reject_closed(run)
        if abs(float(run.times[-1]) - until) > 1e-9 * period:
            raise SimulationError(
                f"the run stopped at t = {run.times[-1]:g} s, before the period was over", partial=run
            )
        width, step = self.system.width, self.system.speeds()
        displacement(self.system.geometry, state.q, run.q[-1], step)
        place = step[width:] / self.unit
        place[self.turning] -= 2.0 * np.pi * np.round(place[self.turning] / (2.0 * np.pi))
        speed = (run.v[-1] - state.v)[width:] / (self.unit * self.pace)
        changed = (run.states[-1] - state.states)[self.kept] / self.scale
        rates = forward.stepper.dy[forward.sizes.y - state.states.size :][self.kept] / self.scale
        flow = tuple(
            self._numbers(run.v[k][width:] / self.unit, run.a[k][width:] / (self.unit * self.pace), x)
            for k, x in ((0, 0.0 * rates), (-1, rates))  # the position of the cut is determined by the mechanical state
        )
        return Round(state, run, self._numbers(place, speed, changed), (flow[0], flow[1]))

    def _forward(self, state: State) -> Run:
        """A run from a state; samples due at its start have already been taken."""
        run = new_run(self.system, (*state[:3], self.time), self.settings, self.watched, joint=self.joint)
        run.stepper.y[run.sizes.y - state.states.size :] = state.states
        for (offset, period), place in zip(run.stepper.sample, run.stepper.sampled, strict=True):
            run.stepper.y[place] = np.floor((self.time - offset) / period + SLACK) + 1.0
        return run

    def _reject_closed(self, run: Simulation) -> None:
        """Reject contacts that are closed at the start, because they remove degrees of freedom of disturbances."""
        begun = [shift.engaged.astype(bool) for shift in run.shifts if shift.time <= self.time]
        closed = (begun[-1] if begun else True) & ~self.engaged & ~self.system.on_velocities
        for row in np.flatnonzero(closed):
            name = self.system.elements[self.system.owner[row]].name
            raise SimulationError(
                f"'{name}' of '{self.system.model.name}' is closed at the start of the period, at t = {self.time:g} s: "
                "start at a time at which it is open, with start=run.at(t)",
                time=self.time,
                elements=(name,),
                partial=run,
            )

    def slope(self, period: float, fine: bool = False) -> np.ndarray:
        """dg/dx at x = 0, by differences of runs; `fine` differences use shorter steps for disturbances that grow
        strongly."""
        columns = []
        for k in range(self.size):
            unit = np.eye(1, self.size, k)[0]
            column = self._difference(SECOND_ORDER_STEP * unit, period) / (2.0 * SECOND_ORDER_STEP)
            if fine:
                h = FOURTH_ORDER_STEP / max(1.0, float(np.abs(column).max()))
                near, far = (self._difference(step * unit, period) / (2.0 * step) for step in (h, 2.0 * h))
                column = (4.0 * near - far) / 3.0
            columns.append(column)
        return np.array(columns).T.reshape(self.size, self.size)

    def _difference(self, x: np.ndarray, period: float) -> np.ndarray:
        return self.go(self.moved(x), period).gap - self.go(self.moved(-x), period).gap

    def _numbers(self, place: np.ndarray, speed: np.ndarray, states: np.ndarray) -> np.ndarray:
        return np.concatenate([self.Z.T @ place, self.Y.T @ speed, states])

    def _equations(self, q: np.ndarray, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J and nu, scaled."""
        system, work = self.system, self.closing.work
        status = int(evaluate_position(system.geometry, system.rows, q, self.time, reference, work))
        if status:
            raise system.failure(status, self.time, work=work)
        scale = system.rows.scale
        return system.dense_jacobian(work) * self.unit / scale[:, None], work.nu / scale
