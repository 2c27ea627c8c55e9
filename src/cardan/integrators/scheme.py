"""A scheme: what a run must know of an integrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.alpha import alpha_interpolate, alpha_memory, alpha_step
from cardan.integrators.dop853 import dop853_interpolate, dop853_memory, dop853_step
from cardan.integrators.radau import radau_interpolate, radau_memory, radau_step
from cardan.numerics.far import far_address
from cardan.system.newton import newton
from cardan.system.newton_kernels import newton_act
from cardan.system.system import System


class Setup(NamedTuple):
    """What the memory of an integrator depends on."""

    system: System
    machine: Any
    y: np.ndarray
    speeds: int
    fixed: bool  # whether steps have a fixed length
    rtol: float  # of speeds
    tolerance: float  # of positions, relative to the model's length
    watch: bool  # whether stiffness is looked for
    rho: float | None = None  # spectral radius of generalized-alpha
    alpha: float | None = None  # of Hilber, Hughes and Taylor


class Scheme(NamedTuple):
    """One step, interpolation within it, and its memory; `order` tells how a first step is chosen."""

    name: str
    step: Any
    interpolate: Any
    memory: Callable[[Setup], Any]
    order: int
    projects_stages: bool = False
    rough: bool = False  # its speeds do not satisfy the velocity equations exactly


def _dop853(setup: Setup) -> Any:
    return dop853_memory(setup.y.size, setup.speeds, setup.rtol, watch_stiffness=setup.watch)


def _generalized_alpha(setup: Setup) -> Any:
    rho = 0.9 if setup.rho is None else setup.rho
    return _alpha(setup, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))


def _hht(setup: Setup) -> Any:
    return _alpha(setup, 0.0, 0.05 if setup.alpha is None else -setup.alpha)


def _alpha(setup: Setup, am: float, af: float) -> Any:
    tables = newton(setup.system, setup.machine, with_complex=False)
    address = far_address(newton_act, tables, 0, 0.0, setup.y, setup.y)
    memory = alpha_memory(tables, address, setup.y.size, setup.machine.size, am, af, setup.fixed, setup.tolerance)
    return memory


def _radau(setup: Setup) -> Any:
    tables = newton(setup.system, setup.machine, with_complex=True)
    address = far_address(newton_act, tables, 0, 0.0, setup.y, setup.y)
    system, space = setup.system, setup.system.space
    linear = np.arange(space.stored) < space.dimensions
    stored = np.tile(np.where(linear, 1.0 / system.length, 1.0), 1 + len(system.bodies))
    stored = np.concatenate([stored, np.ones(len(system.own))])
    return radau_memory(tables, address, setup.y.size, setup.machine.size, stored, setup.rtol, setup.tolerance)


SCHEMES = {
    "dop853": Scheme("dop853", dop853_step, dop853_interpolate, _dop853, 8, projects_stages=True),
    "generalized-alpha": Scheme("generalized-alpha", alpha_step, alpha_interpolate, _generalized_alpha, 2, rough=True),
    "radau": Scheme("radau", radau_step, radau_interpolate, _radau, 5),
    "hht": Scheme("hht", alpha_step, alpha_interpolate, _hht, 2, rough=True),
}
