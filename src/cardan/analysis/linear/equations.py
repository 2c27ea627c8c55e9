r"""The linearized equations of a mechanism, and their reduction to independent coordinates.

    M da + C dv + K dq + J^T dlambda + E dlambda + S ds + F du = 0
    J_h dq = df - ..,      J dv + G dq = df' - ..,      J da + (A + B) dq + V dv = df'' - ..

    K = D(M a + h) + D(J^T) lambda + D(J_z^T) f + J_z^T f_z Z + J_z^T f_z' D(J_z v)        Trom, with the curvature of
    C = d(M a + h)/dv + J_z^T f_z' J_z                                                     loaded constraints kept

States are z and y with dq = Z z, dv = Y y - J^+ G dq, and the states s of devices; Z and Y span the null spaces of the
position equations and of all equations. In space dq' = dv - omega x dtheta, because rotations about body axes do not
commute. For a steady motion all is relative to axes that rotate with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.linear.forces import ForceReading
from cardan.analysis.linear.free import Free
from cardan.analysis.linear.pattern import MatrixPattern
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.linear.ports import (
    ACCELERATION,
    DRIVER,
    LAW,
    SIGNAL,
    STRENGTH,
    SUPPORT,
    VALUE,
    Port,
    law_number,
    measures_of,
)
from cardan.analysis.linear.rows import RowSlopes, row_slopes
from cardan.analysis.linear.slopes import rotor_slopes, slopes_at
from cardan.model.device import Device


@dataclass
class Response:
    """The response to changes of states and inputs: one column for each of [z | y | s | u]."""

    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray
    dlambda: np.ndarray
    value: np.ndarray  # of measures
    rate: np.ndarray
    acceleration: np.ndarray
    basics: np.ndarray  # inputs of laws and devices: the columns of `linear.forces`


class Equations:
    """The matrices above at a point, and quantities derived from them."""

    def __init__(self, point: LinearizationPoint, inputs: Sequence[Port], pattern: MatrixPattern | None = None) -> None:
        """M, C, K and J; all else is computed on demand. A `pattern` serves many points of one system."""
        system, work = point.system, point.machine.work
        self.point, self.inputs = point, inputs
        self.pattern = pattern or MatrixPattern(system, point.machine)
        ground = any(port.kind == SUPPORT for port in inputs)
        state = point.q, point.v, point.reference
        self.slopes = slopes_at(system, *state, ground, self.pattern.usual, work)
        self._coefficient = work.coefficient.copy()
        self.M, self.J = self.pattern.masses(point.q), self.pattern.jacobian(work)
        self.weights = self._weights()
        K, C = self.pattern.numbers(), self.pattern.numbers()
        self.pattern.add_inertia(point.q, point.v, point.a, K, C)
        self.pattern.add_forces(self.slopes, self.weights, K, C)
        self.K, self.C = self.pattern.matrix(K), self.pattern.matrix(C)
        self._add_the_rest()
        owners = system.states.owner
        self.states = np.array([k for k, owner in enumerate(owners) if isinstance(owner, Device)], int)
        self.columns = sum(port.orders for port in inputs)

    def _weights(self) -> np.ndarray:
        """The force along each measure, from laws and rows."""
        point, forces, rows = self.point, self.pattern.forces, self.point.system.rows
        of_laws = np.repeat(point.strengths, np.diff(forces.start.astype(int))) * forces.coefficient
        of_rows = np.repeat(point.multipliers, np.diff(rows.start.astype(int))) * self._coefficient
        count = len(point.system.measures)
        return np.asarray(np.bincount(forces.measure, of_laws, count) + np.bincount(rows.measure, of_rows, count))

    def _add_the_rest(self) -> None:
        """Add rare measures, nonlinear laws and function rows to K and C."""
        slopes, odd, point = self.slopes, self.pattern.odd, self.point
        if self.pattern.usual.flexible:
            K, C = self.pattern.inertia.matrices(self.pattern.matter, point.q, point.v, point.a)
            self.K, self.C = sp.csr_array(self.K + K), sp.csr_array(self.C + C)
        if point.system.added:
            K, C = rotor_slopes(point.system, point.q, point.v, point.a)
            self.K, self.C = sp.csr_array(self.K + K), sp.csr_array(self.C + C)
        if slopes.rest.size:
            self.K = self.K + slopes.curvature(self.weights)
        if self.point.system.rows.function.size:
            self.K = self.K + self.rows.pressed
        apart = self.pattern.apart
        if apart.size:
            stretch, numbers = self.T[apart] @ slopes.gradients, self.pattern.forces.linear[apart]
            pull, stiffness, damping = stretch.T, sp.diags_array(numbers[:, 0]), sp.diags_array(numbers[:, 2])
            self.K = sp.csr_array(self.K + pull @ (stiffness @ (self.T[apart] @ self.value)))
            if damping.data.any():
                self.K = sp.csr_array(self.K + pull @ (damping @ (self.T[apart] @ self.rate)))
                self.C = sp.csr_array(self.C + pull @ (damping @ stretch))
        if odd.size:
            laws, parts, push = self.reading.laws(odd), self.reading.columns.parts, (self.T[odd] @ slopes.gradients).T
            f_z, f_rate = laws[:, parts["value"]], laws[:, parts["rate"]]
            self.K = sp.csr_array(self.K + push @ (f_z @ self.value + f_rate @ self.rate))
            self.C = sp.csr_array(self.C + push @ (f_rate @ slopes.gradients))

    @cached_property
    def reading(self) -> ForceReading:
        """Laws and devices at this point."""
        point, system = self.point, self.point.system
        ports = [port for port in self.inputs if port.kind in (LAW, SIGNAL)]
        added = [law_number(system, port) if port.kind == LAW else port.what for port in ports]
        return ForceReading(system, point.time, self.slopes.z, point.states, point.multipliers, added)

    @cached_property
    def laws(self) -> sp.csr_array:
        """The gradients of all laws."""
        return self.reading.laws()

    @cached_property
    def T(self) -> sp.csr_array:  # noqa: N802
        """The terms of laws: maps values of measures to z of all laws."""
        forces, shape = self.pattern.forces, (len(self.point.system.laws), len(self.point.system.measures))
        owner = np.repeat(np.arange(shape[0]), np.diff(forces.start.astype(int)))
        return sp.csr_array((forces.coefficient, (owner, forces.measure.astype(int))), shape=shape)

    @cached_property
    def push(self) -> sp.csr_array:
        """The contribution of a unit law to the equations."""
        return (self.T @ self.slopes.gradients).T

    @cached_property
    def value(self) -> sp.csr_array:
        return self.slopes.matrix(self.slopes.value_q)

    @cached_property
    def rate(self) -> sp.csr_array:
        return self.slopes.matrix(self.slopes.rate_q)

    @cached_property
    def E(self) -> sp.csr_array:  # noqa: N802
        """The derivative of forces with respect to multipliers."""
        return self.push @ self.laws[:, self.reading.columns.parts["multiplier"]]

    @cached_property
    def rows(self) -> RowSlopes:
        """The derivatives of all rows."""
        point = self.point
        return row_slopes(point.system, point.time, self._coefficient, self.slopes, point.a, point.multipliers)

    @cached_property
    def on_positions(self) -> np.ndarray:
        """The position constraints."""
        return np.flatnonzero(~self.point.system.on_velocities)

    @cached_property
    def Z(self) -> Free:  # noqa: N802
        """Their null space."""
        system, point = self.point.system, self.point
        if self.on_positions.size == system.row_count:
            return point.free
        return Free(system, self.J[self.on_positions], point.free.unit, self.on_positions)

    def response(self) -> Response:
        """The response to each state and each input."""
        system, slopes, parts = self.point.system, self.slopes, self.reading.columns.parts
        Z, Y = self.Z, self.point.free
        nz, ny, ns, nu = Z.count, Y.count, self.states.size, self.columns
        motions, direct, geometric = self._prescribed()
        spread = np.zeros((self.reading.columns.count, nz + ny + ns + nu))
        spread[parts["state"].start + self.states, nz + ny + np.arange(ns)] = 1.0
        spread[parts["added"]] = self._added(nz + ny + ns)
        free = slice(nz + ny + ns, None)
        R, rows = self.rows.R, self.rows
        dq = np.zeros((system.coordinates, nz + ny + ns + nu))
        dq[:, :nz] = Z.basis
        dq[:, free] = Z.back((motions[0] - R @ direct[0])[self.on_positions])
        opened = -(rows.G @ dq)
        opened[:, free] += motions[1] - R @ direct[1]
        dv = Y.back(opened)
        dv[:, nz : nz + ny] += Y.basis
        spread[parts["value"]] = self.value @ dq
        spread[parts["rate"]] = self.rate @ dq + slopes.gradients @ dv
        spread[parts["value"], free] += direct[0]
        spread[parts["rate"], free] += direct[1]
        force = -(self.K @ dq + self.C @ dv)
        f_direct = spread.copy()  # K and C contain the effects of displacements and speeds; the rest is added here
        f_direct[parts["value"]] = f_direct[parts["rate"]] = 0.0
        f_direct[parts["value"], free] = direct[0]
        f_direct[parts["rate"], free] = direct[1]
        force -= self.push @ (self.laws @ f_direct)
        force[:, free] -= geometric
        gamma = -((rows.A + rows.B) @ dq + rows.V @ dv)
        gamma[:, free] += motions[2] - R @ direct[2]
        carried = self.E if self.E.nnz else None
        both = Y.saddle(self.M, carried)(np.concatenate([force, gamma]))
        da, dlambda = both[: system.coordinates], both[system.coordinates :]
        spread[parts["multiplier"]] = dlambda
        bias = slopes.matrix(slopes.bias_q) + slopes.turned(self.point.a)
        acceleration = bias @ dq + slopes.matrix(slopes.bias_v) @ dv + slopes.gradients @ da
        acceleration[:, free] += direct[2]
        return Response(dq, dv, da, dlambda, spread[parts["value"]], spread[parts["rate"]], acceleration, spread)

    def state_matrix(self, r: Response) -> np.ndarray:
        """The rates of [z | y | s] for each column."""
        turning, seen = self.turning()
        z = self.Z.left @ (r.dv - turning @ r.dq)
        y = self.point.free.left @ (r.da - seen @ r.dv)
        s = (self.reading.state_rates() @ r.basics)[self.states]
        return np.concatenate([z, y, s])

    def outputs(self, r: Response, ports: Sequence[Port]) -> np.ndarray:
        """One row per output."""
        system, place = self.point.system, self.point.system.wiring.measures
        lines = np.zeros((len(ports), r.dq.shape[1]))
        for line, port in zip(lines, ports, strict=True):
            if port.kind in (VALUE, ACCELERATION):
                table = r.value if port.kind == VALUE else r.acceleration
                line[:] = sum(c * table[place[m]] for c, m in port.what.parts())
            elif port.kind == STRENGTH:
                line[:] = (self.laws[[law_number(system, port)]] @ r.basics)[0]
            else:
                line[:] = (self.reading.signals([port.what]) @ r.basics)[0]
        return lines

    def _prescribed(self) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
        """The effect of inputs on rows, on values, rates and accelerations of measures, and on the directions of
        forces."""
        system, slopes, width = self.point.system, self.slopes, self.point.system.width
        shape = (system.row_count, self.columns)
        motions, direct = (
            [np.zeros(shape) for _ in range(3)],
            [np.zeros((len(system.measures), shape[1])) for _ in "zva"],
        )
        geometric, first = np.zeros((system.coordinates, shape[1])), 0
        along = np.where(system.columns >= width, self.point.a[system.columns], 0.0)
        for port in self.inputs:
            if port.kind == DRIVER:
                for r in system.rows_of(port.what):
                    level = int(system.rows.velocity[r])  # the motion of a velocity constraint is itself a rate
                    for order in range(3 - level):
                        motions[order + level][r, first + order] = 1.0
            elif port.kind == SUPPORT:
                for m in {system.wiring.measures[m] for m in measures_of(port.what)}:
                    for c in (port.place, width + port.place):
                        if slopes.ground[m, c]:
                            direct[0][m, first] += slopes.value_q[m, c]
                            direct[1][m, first : first + 2] += slopes.rate_q[m, c], slopes.jac[m, c]
                            turned = slopes.bias_q[m, c] + slopes.jac_q[m, :, c] @ along[m]
                            direct[2][m, first : first + 3] += turned, slopes.bias_v[m, c], slopes.jac[m, c]
                            felt = system.columns[m] >= width
                            places = system.columns[m][felt] - width
                            np.add.at(geometric[:, first], places, self.weights[m] * slopes.jac_q[m, felt, c])
            first += port.orders
        return motions, direct, geometric

    def _added(self, first: int) -> np.ndarray:
        """The law or signal to which each input is added."""
        found = np.zeros((sum(port.kind in (LAW, SIGNAL) for port in self.inputs), first + self.columns))
        line, column = 0, first
        for port in self.inputs:
            if port.kind in (LAW, SIGNAL):
                found[line, column] = 1.0
                line += 1
            column += port.orders
        return found

    def turning(self) -> tuple[Any, Any]:
        """The rotation of displacements and speeds relative to their axes.

        For a body with angular velocity omega, relative to axes that rotate with W (both in body axes): dr' gains W x
        dr, dtheta' gains W x dtheta, and domega' gains (W - omega) x domega.
        """
        system, point = self.point.system, self.point
        width, dimensions = system.width, system.space.dimensions
        n, stored = system.coordinates, system.space.stored
        turning, seen = sp.lil_array((n, n)), sp.lil_array((n, n))
        if not np.any(point.spin) and (dimensions == 2 or not np.any(point.v)):
            return turning.tocsr(), seen.tocsr()
        for k in range(1, 1 + len(system.bodies)):
            first = width * (k - 1)
            move = slice(first, first + dimensions)
            whole = _tilde(point.spin)[:dimensions, :dimensions]
            turning[move, move] = seen[move, move] = whole
            if dimensions == 3:
                axes, _ = system.space.in_space(point.q[stored * k : stored * (k + 1)])
                of_frame, omega = axes.T @ point.spin, point.v[width * k + 3 : width * k + 6]
                turn = slice(first + 3, first + 6)
                turning[turn, turn] = _tilde(of_frame if point.about == "steady motion" else omega)
                if point.about == "steady motion":
                    seen[turn, turn] = _tilde(of_frame - omega)
        return turning.tocsr(), seen.tocsr()


def _tilde(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
