"""A mechanism as integrators see it: tables whose contents they do not know, and operations on a state y.

    y = [ q | v | w | c ]        positions, speeds, work, states of devices

`cartesian.motion` and `tree.motion` implement the operations for absolute and for joint coordinates. One kernel per
implementation performs all of them, selected by a code, because a kernel that is called through its address is compiled
with everything that it calls. The codes are private to this module.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.indirect import call_pointer, pointer_to
from cardan.numerics.compiled.jit import kernel
from cardan.system.cartesian.acceleration import call_samplers
from cardan.system.cartesian.matrix import OPEN
from cardan.system.cartesian.motion import (
    begin_step as cartesian_begin_step,
    decide_rank_at as cartesian_decide_rank_at,
    decide_rank_here as cartesian_decide_rank_here,
    error_norms as cartesian_error_norms,
    event_values as cartesian_event_values,
    factorize_for_impulse as cartesian_factorize_for_impulse,
    impulse as cartesian_impulse,
    kinetic_energy as cartesian_kinetic_energy,
    project as cartesian_project,
    rates as cartesian_rates,
    rates_at_projection as cartesian_rates_at_projection,
    rates_of_positions as cartesian_rates_of_positions,
    rates_unrefined as cartesian_rates_unrefined,
    rates_with_old_factors as cartesian_rates_with_old_factors,
    row_gradient as cartesian_row_gradient,
)
from cardan.system.cartesian.partition import (
    choose_coordinates as partition_choose_coordinates,
    constraint_drift as partition_constraint_drift,
    error_tolerances as partition_error_tolerances,
    integrated_rates as partition_integrated_rates,
    partition_quality as partition_partition_quality,
)
from cardan.system.tree.motion import (
    begin_step as tree_begin_step,
    decide_rank_at as tree_decide_rank_at,
    decide_rank_here as tree_decide_rank_here,
    error_norms as tree_error_norms,
    event_values as tree_event_values,
    factorize_for_impulse as tree_factorize_for_impulse,
    impulse as tree_impulse,
    kinetic_energy as tree_kinetic_energy,
    project as tree_project,
    rates as tree_rates,
    rates_of_positions as tree_rates_of_positions,
    row_gradient as tree_row_gradient,
)
from cardan.system.tree.recursion.acceleration import sample_tree

(
    _RATES, _RATES_UNREFINED, _PROJECT, _PROJECT_IF_OPEN, _BEGIN_STEP, _RATES_AT_PROJECTION,
    _RATES_AT_PROJECTION_UNREFINED, _RATES_WITH_OLD_FACTORS, _ERROR_NORMS, _TOTAL_ERROR_NORM, _EVENT_VALUES,
    _DECIDE_RANK, _DECIDE_RANK_HERE, _SAMPLE_CONTROLLERS, _POSITION_RATES, _FACTORIZE_FOR_IMPULSE, _IMPULSE,
    _INTEGRATED_RATES, _ERROR_TOLERANCES, _CHOOSE_COORDINATES, _PARTITION_QUALITY, _CONSTRAINT_DRIFT, _ROW_GRADIENT,
    _KINETIC_ENERGY,
) = range(24)  # fmt: skip


class Mechanism(NamedTuple):
    """The tables of a mechanism, and the kernel that performs its operations."""

    address: np.ndarray  # uint64[1]
    tables: Any  # opaque


def cartesian_mechanism(tables: Any, *, partitioned: bool = False) -> Any:
    """A mechanism in Cartesian coordinates; `partitioned` adds what the book's methods need."""
    return mechanism_of(_perform_partitioned if partitioned else _perform_cartesian, tables)


def tree_mechanism(tables: Any) -> Any:
    """A mechanism in joint coordinates."""
    return mechanism_of(_perform_tree, tables)


def mechanism_of(perform: Any, tables: Any) -> Any:
    """A mechanism whose operations are performed by a kernel `status = perform(tables, operation, t, y, dy)`."""
    y = np.zeros(1)
    return block(Mechanism(np.array([pointer_to(perform, tables, 0, 0.0, y, y)], np.uint64), opaque(tables)))


@kernel(once=True)
def rates(mechanism, t, y, dy):
    """y' at a stage of a step; its speeds are first projected on the velocity equations if the settings ask for it."""
    return _call(mechanism, _RATES, t, y, dy)


@kernel(once=True)
def rates_unrefined(mechanism, t, y, dy):
    """The same without projection of speeds and without refinement of accelerations."""
    return _call(mechanism, _RATES_UNREFINED, t, y, dy)


@kernel(once=True)
def project(mechanism, t, y, dy):
    """Close the joints at position and velocity level; the factors are then those at y."""
    return _call(mechanism, _PROJECT, t, y, dy)


@kernel(once=True)
def project_if_open(mechanism, t, y, dy):
    """The same, except that joints that are nearly closed stay as they are."""
    return _call(mechanism, _PROJECT_IF_OPEN, t, y, dy)


@kernel(once=True)
def begin_step(mechanism, t, y, dy):
    """y' at the start of a step, after a projection: decide the rank, commit turns, limit the step size.

    Where one row now depends on others in place of another, the projection was made with dependent rows: y is
    projected again with the rows that are independent here."""
    return _call(mechanism, _BEGIN_STEP, t, y, dy)


@kernel(once=True)
def rates_at_projection(mechanism, t, y, dy):
    """The same with the rank as it is."""
    return _call(mechanism, _RATES_AT_PROJECTION, t, y, dy)


@kernel(once=True)
def rates_at_projection_unrefined(mechanism, t, y, dy):
    """The same without refinement."""
    return _call(mechanism, _RATES_AT_PROJECTION_UNREFINED, t, y, dy)


@kernel(once=True)
def rates_with_old_factors(mechanism, t, y, dy):
    """y' at the start of a step from factors of a nearby position; returns OPEN where joints are open."""
    return _call(mechanism, _RATES_WITH_OLD_FACTORS, t, y, dy)


@kernel(once=True)
def error_norms(mechanism, t, y, error):
    """Replace the error of y by squared norms: error[0] of what constraints leave of it, error[1] of all of it."""
    return _call(mechanism, _ERROR_NORMS, t, y, error)


@kernel(once=True)
def total_error_norm(mechanism, t, y, error):
    """The same without the constraints: both are the norm of all of it."""
    return _call(mechanism, _TOTAL_ERROR_NORM, t, y, error)


@kernel(once=True)
def event_values(mechanism, t, y, values):
    """The values of all events at y, then their rates; NaN where a rate is not known."""
    return _call(mechanism, _EVENT_VALUES, t, y, values)


@kernel(once=True)
def decide_rank(mechanism, t, y, dy):
    """Decide which rows are dependent at y, where a run starts or a state was changed."""
    return _call(mechanism, _DECIDE_RANK, t, y, dy)


@kernel(once=True)
def decide_rank_here(mechanism, t, y, dy):
    """The same where the mechanism was evaluated last."""
    return _call(mechanism, _DECIDE_RANK_HERE, t, y, dy)


@kernel(once=True)
def sample_controllers(mechanism, t, y, dy):
    """Call the samplers that are due where the mechanism was evaluated last, and update y'."""
    return _call(mechanism, _SAMPLE_CONTROLLERS, t, y, dy)


@kernel(once=True)
def position_rates(mechanism, t, y, dy):
    """The rates of positions that belong to the speeds in y."""
    return _call(mechanism, _POSITION_RATES, t, y, dy)


@kernel(once=True)
def factorize_for_impulse(mechanism, t, y, dy):
    """Evaluate y with its speeds, decide the rank and factorize; `impulse` may follow."""
    return _call(mechanism, _FACTORIZE_FOR_IMPULSE, t, y, dy)


@kernel(once=True)
def impulse(mechanism, t, y, change):
    """Replace the impulse in the speeds of `change` by the change of speeds that it causes with joints closed."""
    return _call(mechanism, _IMPULSE, t, y, change)


@kernel(once=True)
def row_gradient(mechanism, row, y, gradient):
    """The gradient of a constraint with respect to the speeds, where the mechanism was evaluated last."""
    return _call(mechanism, _ROW_GRADIENT, float(row), y, gradient)


@kernel(once=True)
def kinetic_energy(mechanism, t, y, out):
    """out[0]: the kinetic energy at the speeds in y, where `factorize_for_impulse` was called last."""
    return _call(mechanism, _KINETIC_ENERGY, t, y, out)


@kernel(once=True)
def integrated_rates(mechanism, t, y, dy):
    """y' as the book's methods integrate it: constraints corrected or stabilized first, by `partition.control`."""
    return _call(mechanism, _INTEGRATED_RATES, t, y, dy)


@kernel(once=True)
def error_tolerances(mechanism, t, atol, rtol):
    """The tolerances of each number of y: atol + rtol |y|; 0 for numbers that are not controlled."""
    return _call(mechanism, _ERROR_TOLERANCES, t, atol, rtol)


@kernel(once=True)
def choose_coordinates(mechanism, t, y, control):
    """Choose independent coordinates at y; `control` becomes 1 for them and their speeds, 0 for all others."""
    return _call(mechanism, _CHOOSE_COORDINATES, t, y, control)


@kernel(once=True)
def partition_quality(mechanism, t, y, out):
    """out[0]: how much faster dependent coordinates move than independent ones."""
    return _call(mechanism, _PARTITION_QUALITY, t, y, out)


@kernel(once=True)
def constraint_drift(mechanism, t, y, out):
    """out[0], out[1]: violations of positions and of velocities at the last evaluation."""
    return _call(mechanism, _CONSTRAINT_DRIFT, t, y, out)


@kernel(once=True)
def _call(mechanism, operation, t, y, dy):
    return call_pointer(mechanism.address[0], (mechanism.tables, operation, t, y, dy))


@kernel(internal=True)
def _perform_cartesian(tables, operation, t, y, dy):
    """Perform an operation in Cartesian coordinates. Returns a status."""
    if operation == _RATES:
        return cartesian_rates(tables, t, y, dy)
    if operation == _PROJECT or operation == _PROJECT_IF_OPEN:
        return cartesian_project(tables, t, y, operation == _PROJECT_IF_OPEN)
    if operation == _BEGIN_STEP:
        return cartesian_begin_step(tables, t, y, dy)
    if operation == _ERROR_NORMS or operation == _TOTAL_ERROR_NORM:
        return cartesian_error_norms(tables, y, dy, operation == _ERROR_NORMS)
    if operation == _EVENT_VALUES:
        return cartesian_event_values(tables, t, y, dy)
    if operation == _RATES_UNREFINED:
        return cartesian_rates_unrefined(tables, t, y, dy)
    if operation == _RATES_AT_PROJECTION or operation == _RATES_AT_PROJECTION_UNREFINED:
        return cartesian_rates_at_projection(tables, t, y, dy, operation == _RATES_AT_PROJECTION)
    if operation == _RATES_WITH_OLD_FACTORS:
        return cartesian_rates_with_old_factors(tables, t, y, dy)
    if operation == _DECIDE_RANK:
        return cartesian_decide_rank_at(tables, t, y)
    if operation == _DECIDE_RANK_HERE:
        return cartesian_decide_rank_here(tables)
    if operation == _SAMPLE_CONTROLLERS:
        return call_samplers(tables, t, y, dy)
    if operation == _POSITION_RATES:
        return cartesian_rates_of_positions(tables, y, dy)
    if operation == _FACTORIZE_FOR_IMPULSE:
        return cartesian_factorize_for_impulse(tables, t, y)
    if operation == _ROW_GRADIENT:
        return cartesian_row_gradient(tables, t, dy)
    if operation == _KINETIC_ENERGY:
        return cartesian_kinetic_energy(tables, y, dy)
    return cartesian_impulse(tables, dy)


@kernel(internal=True)
def _perform_partitioned(tables, operation, t, y, dy):
    """The same, and what the book's methods need."""
    if operation == _INTEGRATED_RATES:
        return partition_integrated_rates(tables, t, y, dy)
    if operation == _ERROR_TOLERANCES:
        return partition_error_tolerances(tables, y, dy)
    if operation == _CHOOSE_COORDINATES:
        return partition_choose_coordinates(tables, t, y, dy)
    if operation == _PARTITION_QUALITY:
        return partition_partition_quality(tables, t, dy)
    if operation == _CONSTRAINT_DRIFT:
        return partition_constraint_drift(tables, dy)
    return _perform_cartesian(tables, operation, t, y, dy)


@kernel(internal=True)
def _perform_tree(tables, operation, t, y, dy):
    """Perform an operation in joint coordinates. Returns a status."""
    if operation == _RATES or operation == _RATES_UNREFINED:
        return tree_rates(tables, t, y, dy, operation == _RATES)
    if operation == _PROJECT or operation == _PROJECT_IF_OPEN:
        return tree_project(tables, t, y)
    if operation == _BEGIN_STEP or operation == _RATES_AT_PROJECTION or operation == _RATES_AT_PROJECTION_UNREFINED:
        return tree_begin_step(tables, t, y, dy, operation == _BEGIN_STEP)
    if operation == _ERROR_NORMS or operation == _TOTAL_ERROR_NORM:
        return tree_error_norms(tables, y, dy, operation == _ERROR_NORMS)
    if operation == _EVENT_VALUES:
        return tree_event_values(tables, t, y, dy)
    if operation == _RATES_WITH_OLD_FACTORS:
        return OPEN  # factors are cheap here
    if operation == _DECIDE_RANK:
        return tree_decide_rank_at(tables, t, y)
    if operation == _DECIDE_RANK_HERE:
        return tree_decide_rank_here(tables)
    if operation == _SAMPLE_CONTROLLERS:
        return sample_tree(tables, t, y, dy)
    if operation == _POSITION_RATES:
        return tree_rates_of_positions(tables, y, dy)
    if operation == _FACTORIZE_FOR_IMPULSE:
        return tree_factorize_for_impulse(tables, t, y)
    if operation == _ROW_GRADIENT:
        return tree_row_gradient(tables, t, dy)
    if operation == _KINETIC_ENERGY:
        return tree_kinetic_energy(tables, dy)
    return tree_impulse(tables, dy)
