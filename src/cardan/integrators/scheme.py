"""A scheme: what a run must know of an integrator.

A new one is one more entry of `SCHEMES`: its kernels, its memory, and what it sets in the mechanism. Its options are
those of the method, see `cardan.methods`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.dense_output import refined_state
from cardan.integrators.dop853 import dop853_interpolate, dop853_memory, dop853_step
from cardan.integrators.generalized_alpha import alpha_interpolate, alpha_memory, alpha_step
from cardan.integrators.historical.haug import (
    haug_interpolate,
    haug_memory,
    haug_step,
)
from cardan.integrators.radau import radau_interpolate, radau_memory, radau_step
from cardan.integrators.runge_kutta import runge_kutta_interpolate, runge_kutta_memory, runge_kutta_step
from cardan.integrators.sampled_adams import sampled_interpolate, sampled_memory, sampled_step
from cardan.integrators.stepper import Method, MethodKernels
from cardan.integrators.symplectic import (
    symplectic_interpolate,
    symplectic_memory,
    symplectic_notes,
    symplectic_step,
)
from cardan.methods import Symplectic
from cardan.methods.historical import AdamsMethod, Baumgarte, Direct, Hybrid, Partitioning, Stabilized
from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.indirect import pointer_to
from cardan.system.cartesian.mechanism_tables import ALWAYS, IF_VIOLATED, NEVER
from cardan.system.cartesian.newton import newton
from cardan.system.implicit import cartesian_implicit, tree_implicit
from cardan.system.system import System
from cardan.system.tree.newton import sizes_of_positions, tree_newton
from cardan.system.tree.variational_step import variational_tables

NEAR = 1e-2  # of rtol


class Setup(NamedTuple):
    """What the memory of an integrator depends on."""

    system: System
    machine: Any
    mechanism: Any  # the same, or the mechanism in joint coordinates
    y: np.ndarray
    speeds: int
    method: Any  # a Method with its options
    rtol: float  # of speeds
    tolerance: float  # of positions, relative to the model's length
    watch: bool  # whether stiffness is looked for


class Scheme(NamedTuple):
    """One step, interpolation within it, and its memory; `order` decides the first step size."""

    name: str
    step: Any
    interpolate: Any
    memory: Callable[[Setup], Any]
    order: int
    projects_stages: bool = False
    near: float = 0.0  # how nearly closed joints may be that one correction closes for good, relative to rtol
    rough: bool = False  # its speeds do not satisfy the velocity equations exactly
    book: bool = False  # one of the book's methods, which need further operations of the mechanism
    partitioned: bool = False  # whether it asks for independent coordinates
    drifts: bool = False  # whether it drifts off the constraints, which outputs must show
    explicit: bool = False  # whether its polynomial, too, is made of rates evaluated along the step
    recalls: bool = True  # whether a step depends on earlier ones, and a jump of the state must be reported
    notes: Callable[[Any], list[str]] = lambda memory: []  # remarks about a run, for its result


def method_table(scheme: Scheme, mechanism: Any, stepper: Any, memory: Any) -> Any:
    """The kernels and the memory of a scheme for the stepping loop."""
    y, tables = stepper.y, (mechanism, stepper)
    kernels = MethodKernels(
        step=pointer_to(scheme.step, *tables, memory),
        interpolate=pointer_to(scheme.interpolate, *tables, memory, 0.0, y),
        refine=pointer_to(refined_state, *tables, 0.0, y),
    )
    return block(Method(kernels, opaque(memory)))


def _dop853(setup: Setup) -> Any:
    return dop853_memory(setup.y.size, setup.speeds, setup.rtol, setup.system.states.scale, setup.watch)


def _runge_kutta(order: int) -> Scheme:
    def memory(setup: Setup) -> Any:
        return runge_kutta_memory(setup.y.size, order)

    return Scheme(
        f"rk{order}",
        runge_kutta_step,
        runge_kutta_interpolate,
        memory,
        order,
        projects_stages=True,
        near=NEAR,
        explicit=True,
    )


def _between_samples(setup: Setup) -> Any:
    return sampled_memory(setup.y.size)


def _generalized_alpha(setup: Setup) -> Any:
    rho = setup.method.rho
    return _alpha(setup, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))


def _hht(setup: Setup) -> Any:
    return _alpha(setup, 0.0, -setup.method.alpha)


def _alpha(setup: Setup, am: float, af: float) -> Any:
    tables = newton(setup.system, setup.machine, with_complex=False)
    careful = bool(setup.system.laws) or bool(setup.machine.testable.any())
    numbers = am, af, setup.method.fixed_step is not None, setup.tolerance, careful
    return alpha_memory(cartesian_implicit(tables), tables, setup.y.size, setup.machine.size, *numbers)


def _radau(setup: Setup) -> Any:
    if setup.mechanism is not setup.machine:
        return _radau_by_joints(setup)
    tables = newton(setup.system, setup.machine, with_complex=True)
    system, space = setup.system, setup.system.space
    linear = np.arange(space.stored) < space.dimensions
    stored = np.tile(np.where(linear, 1.0 / system.length, 1.0), 1 + len(system.bodies))
    stored = np.concatenate([stored, np.ones(len(system.contact_coordinates))])
    sizes = setup.machine.size, stored, _sizes_of_rest(system)
    return radau_memory(cartesian_implicit(tables), tables.scales, setup.y.size, *sizes, setup.rtol, setup.tolerance)


def _radau_by_joints(setup: Setup) -> Any:
    """The same of a mechanism in joint coordinates."""
    tables = tree_newton(setup.system, setup.mechanism, setup.y.size)
    stored = sizes_of_positions(setup.mechanism, setup.system.length)
    sizes = setup.mechanism.size, stored, _sizes_of_rest(setup.system)
    return radau_memory(tree_implicit(tables), tables.scales, setup.y.size, *sizes, setup.rtol, setup.tolerance)


def _sizes_of_rest(system: System) -> np.ndarray:
    """What one unit of each number counts as that follows the speeds: work does not."""
    return np.concatenate([np.zeros(len(system.laws) + 2), 1.0 / system.states.scale])


def _symplectic(setup: Setup) -> Any:
    """Of mechanisms in joint coordinates."""
    positions = int(setup.mechanism.sizes.positions)
    tables = variational_tables(setup.mechanism, setup.y.size - positions - setup.speeds)
    driven = positions + setup.speeds + len(setup.system.laws) + 1
    return symplectic_memory(tables, setup.method.order, setup.speeds, driven)


def _haug(kind: type[AdamsMethod], partitioned: bool = False, drifts: bool = False) -> Scheme:
    """One of Haug's methods."""

    def memory(setup: Setup) -> Any:
        method = setup.method
        alpha, beta = (method.alpha, method.beta) if isinstance(method, Stabilized) else (0.0, 0.0)
        settings, control = setup.machine.settings, setup.machine.partition.control
        if kind is Baumgarte:
            settings.alpha, settings.beta = alpha, beta
        control.position_tolerance, control.velocity_tolerance = settings.atol, settings.rtol
        control.alpha, control.beta = alpha, beta
        control.correction = {Partitioning: ALWAYS, Hybrid: IF_VIOLATED}.get(kind, NEVER)
        return haug_memory(kind.name, setup.y.size, method.highest_order, fixed=method.fixed_step is not None)

    return Scheme(
        kind.name,
        haug_step,
        haug_interpolate,
        memory,
        2,
        book=True,
        partitioned=partitioned,
        drifts=drifts,
        notes=_drift,
    )


def _drift(memory: Any) -> list[str]:
    """How far a run went from the constraints, and how often coordinates were chosen."""
    drift, chosen = memory.drift, int(memory.notes.choices)
    notes = [
        f"constraints drifted by up to {drift.position:.1e} of the model's length (at t = {drift.time:.4g} "
        f"s), their rates by {drift.velocity:.1e} of it per second"
    ]
    if chosen:
        notes.append(f"independent coordinates were chosen {'once' if chosen == 1 else f'{chosen} times'}")
    return notes


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            "dop853", dop853_step, dop853_interpolate, _dop853, 8, projects_stages=True, explicit=True, recalls=False
        ),
        _runge_kutta(3),
        _runge_kutta(5),
        Scheme(
            "sampled",
            sampled_step,
            sampled_interpolate,
            _between_samples,
            5,
            projects_stages=True,
            near=NEAR,
            explicit=True,
        ),
        Scheme("generalized-alpha", alpha_step, alpha_interpolate, _generalized_alpha, 2, rough=True),
        Scheme("radau", radau_step, radau_interpolate, _radau, 5),
        Scheme(
            "symplectic",
            symplectic_step,
            symplectic_interpolate,
            _symplectic,
            Symplectic.order,
            notes=symplectic_notes,
        ),
        Scheme("hht", alpha_step, alpha_interpolate, _hht, 2, rough=True),
        _haug(Partitioning, partitioned=True),
        _haug(Direct, drifts=True),
        _haug(Baumgarte, drifts=True),
        _haug(Hybrid, partitioned=True, drifts=True),
    )
}
