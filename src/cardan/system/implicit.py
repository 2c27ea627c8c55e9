"""A mechanism as implicit methods see it: Newton's matrix, and operations with it.

`cartesian.newton_kernels` and `tree.newton` implement the operations; as in `cardan.system.mechanism`, one kernel per
implementation performs them, selected by codes that are private to this module.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.indirect import call_pointer, pointer_to
from cardan.numerics.compiled.jit import kernel
from cardan.system.cartesian.newton_kernels import (
    factorize as cartesian_factorize,
    filter_error as cartesian_filter_error,
    finish_iterations as cartesian_finish_iterations,
    freeze as cartesian_freeze,
    iterate as cartesian_iterate,
    solve_complex as cartesian_solve_complex,
    solve_real as cartesian_solve_real,
)
from cardan.system.tree.newton import (
    factorize as tree_factorize,
    freeze as tree_freeze,
    solve as tree_solve,
    solve_real as tree_solve_real,
)

_RENEW, _ITERATE, _FINISH, _FILTER_ERROR, _FREEZE, _FACTORIZE, _SOLVE, _SOLVE_COMPLEX = range(8)


class Implicit(NamedTuple):
    """The tables of a mechanism with Newton's matrix, and the kernel that performs its operations."""

    address: np.ndarray  # uint64[1]
    tables: Any  # opaque


def cartesian_implicit(tables: Any) -> Any:
    """The operations of `cartesian.newton`."""
    return _implicit(_perform_cartesian, tables)


def tree_implicit(tables: Any) -> Any:
    """The operations of `tree.newton`, those of Radau's method."""
    return _implicit(_perform_tree, tables)


def _implicit(perform: Any, tables: Any) -> Any:
    y = np.zeros(1)
    return block(Implicit(np.array([pointer_to(perform, tables, 0, 0.0, y, y)], np.uint64), opaque(tables)))


@kernel(once=True)
def iterate(implicit, renew, t, y, dy):
    """One iteration of the generalized-alpha method from y, with a new matrix if `renew`."""
    return _call(implicit, _RENEW if renew else _ITERATE, t, y, dy)


@kernel(once=True)
def finish_iterations(implicit, t, y, dy):
    """The state that the iterations have reached, and its rates."""
    return _call(implicit, _FINISH, t, y, dy)


@kernel(once=True)
def filter_error(implicit, t, y, dy):
    """Remove from the shared vector `step` what joints do not allow."""
    return _call(implicit, _FILTER_ERROR, t, y, dy)


@kernel(once=True)
def freeze(implicit, t, y, dy):
    """Take stiffness, damping, masses and joints at y, where the mechanism was evaluated."""
    return _call(implicit, _FREEZE, t, y, dy)


@kernel(once=True)
def factorize(implicit, t, y, dy):
    """Factorize the real and the complex matrix for the shared `scales`."""
    return _call(implicit, _FACTORIZE, t, y, dy)


@kernel(once=True)
def solve(implicit, t, right, x):
    """(1/s - f_y) x = right with the real s."""
    return _call(implicit, _SOLVE, t, right, x)


@kernel(once=True)
def solve_complex(implicit, t, real, imaginary):
    """The same with the complex s; the right-hand side real + i imaginary becomes the solution."""
    return _call(implicit, _SOLVE_COMPLEX, t, real, imaginary)


@kernel(once=True)
def _call(implicit, operation, t, y, dy):
    return call_pointer(implicit.address[0], (implicit.tables, operation, t, y, dy))


@kernel(internal=True)
def _perform_cartesian(tables, operation, t, y, dy):
    if operation == _RENEW or operation == _ITERATE:
        return cartesian_iterate(tables, operation == _RENEW, t, y, dy)
    if operation == _FINISH:
        return cartesian_finish_iterations(tables, t, y, dy)
    if operation == _FILTER_ERROR:
        return cartesian_filter_error(tables)
    if operation == _FREEZE:
        return cartesian_freeze(tables, t, y)
    if operation == _FACTORIZE:
        return cartesian_factorize(tables)
    if operation == _SOLVE:
        return cartesian_solve_real(tables, y, dy)
    return cartesian_solve_complex(tables, y, dy)


@kernel(internal=True)
def _perform_tree(tables, operation, t, y, dy):
    if operation == _FREEZE:
        return tree_freeze(tables, t, y)
    if operation == _FACTORIZE:
        return tree_factorize(tables)
    if operation == _SOLVE:
        return tree_solve_real(tables, y, dy)
    return tree_solve(tables, 1, y, dy)
