r"""dG/dp of a number that depends on a motion, from the weights of all deviations of the motion.

    dG/dp = sum over times of   w_q dq + w_v dv + w_a da + w_lambda dlambda + w_s ds' + w_y y_p

at each time, where only p changes and joints are closed again by the least displacement

    dq = -J^+ phi_p,    dv = -J^+ (J v - nu)_p,    M da + J^T dlambda = (Q - h - M a - J^T lambda)_p,    J da = ..

w_a da + w_lambda dlambda follows from u and mu, with M u + J^T mu = w_a, J u = w_lambda, once for all parameters: it is
u (Q - h - M a - J^T lambda)_p + mu (gamma - J a)_p. So a parameter costs some evaluations along the motion and no
factorization; all masses, centers and inertias, gravity, and linear springs and dampers together cost none:

    u f_p = sum over laws of (u f_k) k_p + ..     each law is linear in stiffness, rest and damping, inertia forces are
    u F_p = sum over bodies of (u F)_m m_p + ..   quadratic polynomials in mass, center and inertia
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.sensitivity.adjoint_kernels import Sums, Weights, answer, followed, weighed
from cardan.analysis.sensitivity.changed_tables import ChangedTables
from cardan.analysis.sensitivity.directional_kernels import signals_of
from cardan.analysis.sensitivity.slopes import MATTER, MotionSlopes, moves_start
from cardan.errors import SimulationError
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.model import Model
from cardan.model.parameter import Location, Parameter, changed, varied
from cardan.numerics.compiled.block import block, replaced
from cardan.system.cartesian.mechanism_tables import moving_devices
from cardan.system.forces import force_table
from cardan.system.mechanism import cartesian_mechanism

LINEAR = ("stiffness", "rest", "damping")


class DeviationWeights:
    """The weights of deviations at the times of a run: rows [times, n], and [times, outputs] for outputs."""

    def __init__(self, slopes: MotionSlopes) -> None:
        count, n = len(slopes.run), slopes.n
        self.slopes = slopes
        self.places, self.speeds, self.accelerations = (np.zeros((count, slopes.width + n)) for _ in range(3))
        self.trends, self.values = np.zeros((count, slopes.ns)), np.zeros((count, len(slopes.ports)))
        self.start = np.zeros(slopes.T.shape[1])

    def add(self, deviations: np.ndarray, rates: np.ndarray) -> None:
        """Add the weights of deviations [times, x] of states, and of their rates."""
        n, width = self.slopes.n, self.slopes.width
        self.places[:, width:] += deviations[:, :n]
        self.speeds[:, width:] += deviations[:, n : 2 * n] + rates[:, :n]
        self.accelerations[:, width:] += rates[:, n : 2 * n]
        self.trends += rates[:, 2 * n :]
        if width == 6:  # dtheta' is dv minus omega x dtheta about body axes in space
            for k in range(1, 1 + len(self.slopes.system.bodies)):
                turn = slice(6 * k + 3, 6 * k + 6)
                self.places[:, turn] -= np.cross(rates[:, 6 * k - 3 : 6 * k], self.slopes.run.v[:, turn])

    def add_start(self, row: np.ndarray) -> np.ndarray:
        """Add the weights of the given initial deviation. Returns the weight of the least displacement that closes
        joints."""
        self.start = row @ self.slopes.freely
        return np.asarray(row - self.start)

    def by(self, parameters: Sequence[Parameter]) -> np.ndarray:
        """dG/dp for each parameter."""
        return _Weighing(self, parameters).by(parameters)


class _Weighing:
    """All parameters, one after the other."""

    def __init__(self, counted: DeviationWeights, parameters: Sequence[Parameter]) -> None:
        slopes = counted.slopes
        self.slopes, self.start, self.system, self.made = slopes, counted.start, slopes.system, slopes.machine
        self.beside: ChangedTables | None = None
        count, n, rows, model = len(slopes.run), slopes.n, self.system.row_count, slopes.run.model
        self.signals, self.known = signals_of(slopes.ports), self.system.wiring.measures
        self.by_forces = [self._acts_by_forces(one) for one in parameters]
        backs = (np.zeros((count, n, 0)),) * 2 if all(self.by_forces) else slopes.backs()
        full = counted.places, counted.speeds, counted.accelerations, counted.trends
        self.weights = block(Weights(*full, np.zeros((count, rows)), counted.values, *backs))
        moved = any(_holds(one, MATTER) or _is_of(one, Model) for one in parameters)
        self.variants = _Variants(self.made.matter, np.array(model.gravity, float), moved)
        sums = np.zeros((len(self.system.laws), 3)), *self.variants.tables
        self.sums = block(Sums(*sums, np.zeros((sums[1].shape[0], self.made.matter.shape[0]))))
        slopes.begin()
        if answer(self.made, cartesian_mechanism(self.made), slopes.along, self.weights, self.sums):
            raise SimulationError(f"the equations of '{model.name}' cannot be solved along its run")

    def by(self, parameters: Sequence[Parameter]) -> np.ndarray:
        return np.array([self._slope(one, by) for one, by in zip(parameters, self.by_forces, strict=True)])

    def _acts_by_forces(self, one: Parameter) -> bool:
        """Whether a parameter affects only masses, weights and forces, not points or lengths."""
        if moves_start(one):
            return False
        if not _is_of(one, Force):
            return True
        with changed(self.slopes.run.model, {one: one.value + self.slopes.step_of(one)}, check=False):
            rotors = any(place.holder is rotor.element for _, place in one.places for rotor in self.system.added)
            return not rotors and all(m in self.known for law in self._laws() for m in law.measures())

    def _slope(self, one: Parameter, by_forces: bool) -> float:
        """The derivative with respect to one of them."""
        h, value, total = self.slopes.step_of(one), one.value, 0.0
        sides: list[tuple[Any, ...]] = []
        with varied(self.slopes.run.model, [one]) as state:
            for sign in (1.0, -1.0):
                state({one: value + sign * h})
                if moves_start(one):
                    total += sign * float(self.start @ self.slopes.stated(one))
                if not by_forces:
                    total += sign * self._followed(sign < 0.0 and all(map(_is_point, one.places)))
                else:
                    sides.append(self._stated(one))
        if sides:
            total += self._between(*sides)
        return total / (2.0 * h)

    def _stated(self, one: Parameter) -> tuple[Any, ...]:
        """Current masses, gravity and laws of the model and, unless laws are linear, the weighted forces."""
        system, model = self.system, self.slopes.run.model
        matter = system.matter()
        acts = _is_of(one, Force) or self._shapes_teeth(one)
        laws = self._laws() if acts else system.laws
        linear = not (system.devices and acts) and all(map(_differs_linearly, laws, system.laws))
        return matter, np.array(model.gravity, float), laws, None if linear else self._weighed(laws)

    def _shapes_teeth(self, one: Parameter) -> bool:
        """Whether a parameter belongs to a constraint with forces of its own, or to a marker of one."""
        holders = {id(place.holder) for _, place in one.places}
        for element in (element for element in self.system.elements if element.forces()):
            terms = (measure for equation in element.equations() for _, measure in equation.terms)
            if holders & {id(element), *(id(marker) for measure in terms for marker in measure.markers())}:
                return True
        return False

    def _laws(self) -> tuple[Law, ...]:
        """All current laws of the model."""
        return (*(law for element in self.slopes.run.model.forces for law in element.laws()), *self.signals)

    def _between(self, ahead: tuple[Any, ...], behind: tuple[Any, ...]) -> float:
        """The weighted difference of two variants of the model."""
        by_matter, by_gravity = self.variants.slopes(self.sums.inertia)
        total = float(np.sum(by_matter * (ahead[0] - behind[0])) + by_gravity @ (ahead[1] - behind[1]))
        if ahead[3] is not None and behind[3] is not None:
            return total + float(ahead[3] - behind[3])
        there, back = (np.array([[getattr(w, n) for n in LINEAR] for w in laws]) for laws in (ahead[2], behind[2]))
        if there.size:
            z, one, rate = self.sums.law.T
            linear = self.made.forces.linear
            by = np.stack([z - linear[:, 1] * one, -linear[:, 0] * one, rate], axis=1)
            total += float(np.sum(by * (there - back)))
        return total

    def _weighed(self, laws: tuple[Law, ...]) -> float:
        """The weighted forces of other laws and devices; geometry and memory are shared."""
        forces = force_table(replace(self.system, laws=laws), None, moving_devices(self.system))
        made = replaced(self.made, forces=forces)
        self.slopes.begin()
        return self._known(weighed(made, self.slopes.along, self.weights))

    def _followed(self, mirrored: bool) -> float:
        """The weighted errors with other points and lengths, or with a point moved to the other side."""
        if not (mirrored and self.beside is not None and self.beside.mirrors(self.system)):
            system = self.slopes.compiled(self.system)
            if self.beside is None or not self.beside.takes(system):
                self.beside = ChangedTables(self.slopes, system)
        return self._known(followed(self.beside.made, self.beside.along, self.weights))

    def _known(self, total: float) -> float:
        if not np.isfinite(total):
            raise SimulationError(f"'{self.slopes.run.model.name}' cannot be evaluated beside its motion")
        return float(total)


class _Variants:
    """Mechanisms with other masses and gravity, with one number of all bodies changed in each, to either side."""

    def __init__(self, matter: np.ndarray, gravity: np.ndarray, wanted: bool) -> None:
        columns = matter.shape[1] if wanted else 0
        sizes = np.abs(matter[:, :columns]).max(axis=0)
        # A difference of a quadratic polynomial is exact for any step; a long step loses no digits.
        self.steps = np.where(sizes > 0.0, sizes, 1.0)
        self.columns, self.axes = columns, gravity.size if wanted else 0
        count = 2 * (columns + self.axes)
        self.tables = np.tile(matter, (count, 1, 1)), np.tile(gravity, (count, 1))
        for k in range(columns):
            self.tables[0][2 * k, :, k] += self.steps[k]
            self.tables[0][2 * k + 1, :, k] -= self.steps[k]
        for k in range(self.axes):
            self.tables[1][2 * (columns + k), k] += 1.0
            self.tables[1][2 * (columns + k) + 1, k] -= 1.0

    def slopes(self, sums: np.ndarray) -> tuple[Any, Any]:
        """The derivatives of sums [variants, bodies] with respect to the numbers of each body and gravity; zero if not
        needed."""
        if not self.columns:
            return 0.0, np.zeros(self.tables[1].shape[1])
        halves = 0.5 * (sums[::2] - sums[1::2])
        return (halves[: self.columns] / self.steps[:, None]).T, halves[self.columns :].sum(axis=1)


def _differs_linearly(law: Law, base: Law) -> bool:
    """Whether two laws differ only in stiffness, rest value and damping."""
    return law == base or replace(law, **{name: getattr(base, name) for name in LINEAR}) == base


def _is_point(stated: tuple[float, Location]) -> bool:
    """Whether a number is a coordinate of a marker, in which tables are linear."""
    return isinstance(stated[1].holder, Marker) and stated[1].attribute in ("x", "y", "point")


def _holds(one: Parameter, attributes: Sequence[str]) -> bool:
    return any(place.attribute in attributes for _, place in one.places)


def _is_of(one: Parameter, kind: type) -> bool:
    return any(isinstance(place.holder, kind) for _, place in one.places)
