r"""dG/dp of a number that depends on a motion, from what all deviations of the motion count in it.

    dG/dp = sum over instants of   w_q dq + w_v dv + w_a da + w_y y_p

at each instant, where p alone moves and joints are closed again by the least displacement

    dq = -J^+ phi_p,    dv = -J^+ (J v - nu)_p,    M da + J^T dlambda = (Q - h - M a - J^T lambda)_p,    J da = ..

w_a da is known without da from u and mu, with M u + J^T mu = w_a, J u = 0, once for all parameters:
w_a da = u (Q - h - M a - J^T lambda)_p + mu (gamma - J a)_p. So a parameter costs some evaluations along the motion and
no factorization; those of all linear springs and dampers together one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.motion_slopes import START, Slopes, read_by
from cardan.analysis.sweep_kernels import Weights, answer, followed, stretched, weighed
from cardan.errors import SimulationError
from cardan.model.force import Force, Law
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed
from cardan.numerics.block import block
from cardan.system.forces import force_table

LINEAR = ("stiffness", "rest", "damping")


class Counted:
    """What deviations count, at the instants of a run: rows [instants, n], and [instants, outputs] of outputs."""

    def __init__(self, slopes: Slopes) -> None:
        count, n = len(slopes.run), slopes.n
        self.slopes = slopes
        self.places, self.speeds, self.accelerations = (np.zeros((count, n)) for _ in range(3))
        self.values = np.zeros((count, len(slopes.ports)))
        self.start = np.zeros(slopes.T.shape[1])

    def add(self, instants: Any, deviations: np.ndarray, rates: np.ndarray | None = None) -> None:
        """Count deviations [.., x] of states at some instants, and their rates."""
        n = self.slopes.n
        self.places[instants] += deviations[..., :n]
        self.speeds[instants] += deviations[..., n : 2 * n]
        if rates is not None:
            self.speeds[instants] += rates[..., :n]
            self.accelerations[instants] += rates[..., n : 2 * n]
            self._turn(instants, rates[..., :n])

    def add_start(self, row: np.ndarray) -> None:
        """Count the deviation with which the run starts: the least that closes its joints, beside what is stated."""
        self.start = row @ self.slopes.freely
        self.add(0, row - self.start)

    def _turn(self, instants: Any, rates: np.ndarray) -> None:
        """dtheta' is dv less omega x dtheta about the axes of bodies in space."""
        slopes = self.slopes
        if slopes.base.system.space.dimensions == 3:
            for k in range(len(slopes.base.system.bodies)):
                turn = slice(6 * k + 3, 6 * k + 6)
                omega = slopes.run.v[instants][..., 6 + turn.start : 6 + turn.stop]
                self.places[instants, turn] -= np.cross(rates[..., turn], omega)

    def by(self, parameters: Sequence[Parameter]) -> np.ndarray:
        """dG/dp of each parameter."""
        return _Weighing(self).by(parameters)


class _Weighing:
    """All parameters, one after the other."""

    def __init__(self, counted: Counted) -> None:
        slopes = counted.slopes
        self.slopes, self.start, self.base = slopes, counted.start, slopes.base
        rows, run = self.base.system.row_count, slopes.run
        place, speed, force = full = [np.zeros((len(run), slopes.width + slopes.n)) for _ in range(3)]
        for table, part in zip(full, (counted.places, counted.speeds, counted.accelerations), strict=True):
            table[:, slopes.width :] = part
        row, multipliers = np.zeros((len(run), rows)), np.zeros((len(run), rows))
        closing, slowing = slopes.backs()
        self.weights = block(Weights(place, speed, force, row, counted.values, multipliers, closing, slowing))
        self.tables, self.a = slopes.tables(self.base, None), slopes.rates
        self._as_it_began(self.base.made)
        if answer(self.base.made, slopes.act(self.base), self.tables, self.weights):
            raise SimulationError(f"the equations of '{run.model.name}' cannot be solved along its run")
        self._sums: np.ndarray | None = None

    def by(self, parameters: Sequence[Parameter]) -> np.ndarray:
        return np.array([self._slope(one) for one in parameters])

    def _slope(self, one: Parameter) -> float:
        """The derivative by one of them."""
        model, h = self.slopes.run.model, self.slopes.step_of(one)
        total, laws = 0.0, []
        for sign in (1.0, -1.0):
            with changed(model, {one: one.value + sign * h}, judged=False):
                if any(place.attribute in START for _, place in one.places):
                    total += sign * float(self.start @ self.slopes.stated(one))
                if not _acts_by_forces(one):
                    total += sign * self._followed()
                elif all(isinstance(place.holder, Force) for _, place in one.places):
                    laws.append(tuple(law for element in model.forces for law in element.laws()))
                else:
                    total += sign * self._weighed()
        return (total + (self._by_laws(*laws) if laws else 0.0)) / (2.0 * h)

    def _by_laws(self, ahead: tuple[Law, ...], behind: tuple[Law, ...]) -> float:
        """The difference that laws make which are stated otherwise."""
        system = self.base.system
        if all(map(_differs_linearly, ahead, system.laws)) and all(map(_differs_linearly, behind, system.laws)):
            by = self._by_linear()
            there, back = (np.array([[getattr(w, n) for n in LINEAR] for w in laws]) for laws in (ahead, behind))
            return float(np.sum(by * (there - back)))
        sums = []
        for laws in (ahead, behind):
            made = self._tables_of(self.base.made)._replace(forces=force_table(replace(system, laws=laws), None, ()))
            sums.append(self._sum(weighed, block(made), self.tables))
        return sums[0] - sums[1]

    def _by_linear(self) -> np.ndarray:
        """The derivatives by stiffness, rest and damping of each law."""
        laws = self.base.system.laws
        if self._sums is None:
            self._sums = np.zeros((len(laws), 3))
            self._as_it_began(self.base.made)
            self.slopes.judge(stretched(self.base.made, self.tables, self.a, self.weights, self._sums))
        stiffness, rest = (np.array([getattr(law, n) for law in laws]) for n in LINEAR[:2])
        z, one, rate = self._sums.T
        return np.stack([z - rest * one, -stiffness * one, rate], axis=1)

    def _weighed(self) -> float:
        """Of other masses, weights and forces: geometry and memory are shared."""
        made, system, model = self.base.made, self.base.system, self.slopes.run.model
        kept = made.matter.copy(), made.gravity.copy()
        made.matter[1:] = system.space.matter((model.ground, *system.bodies))[1:]
        made.gravity[:] = model.gravity
        laws = tuple(law for element in model.forces for law in element.laws())
        there = made
        if laws != system.laws:  # of a parameter that is tied to both
            there = block(self._tables_of(made)._replace(forces=force_table(replace(system, laws=laws), None, ())))
        try:
            return self._sum(weighed, there, self.tables)
        finally:
            made.matter[:], made.gravity[:] = kept

    def _followed(self) -> float:
        """Of other points and lengths."""
        system, model = self.slopes.compiled(), self.slopes.run.model
        matter = system.space.matter((model.ground, *system.bodies))
        matter[0] = 0.0
        made = self._tables_of(self.base.made)._replace(
            geometry=system.geometry,
            rows=system.rows,
            solver=system.solver,
            work=system.work(),
            forces=force_table(system, None, ()),
            matter=matter,
            gravity=np.array(model.gravity, float),
            reference=system.reference.copy(),
        )
        start, measure, coefficient = read_by(system, self.slopes.ports)
        tables = self._tables_of(self.tables)._replace(start=start, measure=measure, coefficient=coefficient)
        return self._sum(followed, block(made), block(tables), system.reference)

    def _sum(self, kernel: Any, made: Any, tables: Any, reference: np.ndarray | None = None) -> float:
        self._as_it_began(made, reference)
        total = float(kernel(made, tables, self.a, self.weights))
        if not np.isfinite(total):
            raise SimulationError(f"'{self.slopes.run.model.name}' cannot be evaluated beside its motion")
        return total

    def _as_it_began(self, made: Any, reference: np.ndarray | None = None) -> None:
        """Angles begin on the turn on which the run began."""
        made.reference[:] = self.base.reference if reference is None else reference

    @staticmethod
    def _tables_of(made: Any) -> Any:
        """The named tuple of a block; in plain Python it is the block."""
        return getattr(made, "tables", made)


def _differs_linearly(law: Law, base: Law) -> bool:
    """Whether two laws differ in stiffness, rest and damping alone."""
    return law == base or replace(law, **{name: getattr(base, name) for name in LINEAR}) == base


def _acts_by_forces(one: Parameter) -> bool:
    """Whether a parameter moves masses, weights and forces alone, and no point or length."""
    return all(
        isinstance(place.holder, Force | Model) or place.attribute in ("mass", "inertia", "center")
        for _, place in one.places
    )
