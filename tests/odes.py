"""Differential equations for tests of integrators: right-hand sides as kernels, and Adams runs over them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.historical import adams
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.system.mechanism import mechanism_of


class Machine(NamedTuple):
    parameter: np.ndarray


class AdamsRun:
    """An integration of y' = f(t, y) that is advanced step by step; steps and evaluations are counted in `memory`."""

    def __init__(
        self, rhs, y, parameter=(0.0,), tol=1e-8, control=None, step=0.0, limit=math.inf, t=0.0, **rule
    ) -> None:
        self.y0, self.limit = np.array(y, float), float(limit)
        n = self.y0.size
        self.tables = block(Machine(np.array(parameter, float)))
        self.mechanism = mechanism_of(rhs, self.tables)
        self.memory = adams.adams_memory(n, **rule)
        control = np.ones(n) if control is None else np.array(control, float)
        self.tolerances = np.full(n, tol), np.full(n, tol), control
        self.status = self.restart(t, self.y0, step)

    def restart(self, t, y, step=0.0) -> int:
        start = self.mechanism, self.memory, float(t), np.array(y, float)
        return adams.adams_restart(*start, *self.tolerances, float(step), self.limit)

    def step(self) -> int:
        self.status = adams.adams_step(self.mechanism, self.memory, *self.tolerances, self.limit)
        return self.status

    def steps(self, count: int) -> AdamsRun:
        """Take a number of steps, each of which must be accepted."""
        for _ in range(count):
            assert self.step() == adams.ACCEPTED
        return self

    def to_limit(self, most: int = 100_000) -> AdamsRun:
        while self.t != self.limit and self.step() == adams.ACCEPTED:
            assert self.memory.counters.steps < most
        return self

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        y, dy = np.zeros_like(self.y0), np.zeros_like(self.y0)
        adams.adams_interpolate(self.memory, float(t), y, dy)
        return y, dy

    @property
    def t(self) -> float:
        return float(self.memory.clock.now)

    @property
    def y(self) -> np.ndarray:
        return self.memory.y


@kernel(internal=True)
def growth(machine, task, t, y, dy):
    """y' = y, the example of Haug's section 7.4."""
    dy[0] = y[0]
    return 0


@kernel(internal=True)
def oscillator(machine, task, t, y, dy):
    """x'' = -w^2 x."""
    dy[0], dy[1] = y[1], -(machine.parameter[0] ** 2) * y[0]
    return 0


@kernel(internal=True)
def kepler(machine, task, t, y, dy):
    """A planet: r'' = -r / |r|^3."""
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    dy[0], dy[1], dy[2], dy[3] = y[2], y[3], -y[0] / cube, -y[1] / cube
    return 0


def kepler_start(eccentricity: float) -> list[float]:
    """The planet at its perihelion; the large half axis is 1, a turn takes 2 pi."""
    return [1 - eccentricity, 0.0, 0.0, math.sqrt((1 + eccentricity) / (1 - eccentricity))]


def kepler_position(eccentricity: float, t: float) -> Any:
    """From Kepler's equation E - e sin E = t, by Newton's method (e <= 0.6: it converges from E = t)."""
    anomaly = t
    for _ in range(50):
        anomaly -= (anomaly - eccentricity * math.sin(anomaly) - t) / (1 - eccentricity * math.cos(anomaly))
    return np.array(
        [math.cos(anomaly) - eccentricity, math.sqrt(1 - eccentricity**2) * math.sin(anomaly)],
    )
