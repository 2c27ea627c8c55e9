"""Scalar functions of time for the compiled loop: value, rate and acceleration of each term.

    f(t) = factor * g(t),   g one of
        POLYNOMIAL   c_0 + c_1 t + c_2 t^2 + ...
        HARMONIC     offset + amplitude sin(frequency t + phase)
        PIECEWISE    a spline or a smooth step, see `spline.py`
        FUNCTION     a user function, see `function.py`

A sum of motions is a range of consecutive terms, which the caller adds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.spline import NOT_FINITE, piecewise
from cardan.numerics.functions.function import call_address

if TYPE_CHECKING:
    from cardan.numerics.functions.function import UserFunction

POLYNOMIAL, HARMONIC, PIECEWISE, FUNCTION = 0, 1, 2, 3
_RESULT = 2  # scratch: the time, its rate 1, then results


class Term(NamedTuple):
    """One term in the form of the compiled loop; its first parameter is the factor."""

    kind: int
    parameters: tuple[float, ...]
    function: UserFunction | None = None

    def scaled(self, factor: float) -> Term:
        return self._replace(parameters=(factor * self.parameters[0], *self.parameters[1:]))


class MotionTable(NamedTuple):
    """All terms of a model; those of term k are `parameters[start[k]:start[k + 1]]`."""

    kind: NDArray[np.uint32]
    start: NDArray[np.uint32]
    parameters: NDArray[np.float64]
    address: NDArray[np.uint64]
    scratch: NDArray[np.float64]  # one table per thread


def motion_table(terms: Sequence[Term]) -> MotionTable:
    """The table of `terms`, in their order. The terms own the code at the addresses and must outlive the table."""
    start = np.cumsum([0, *(len(term.parameters) for term in terms)])
    addresses = [term.function.address if term.function else 0 for term in terms]
    return MotionTable(
        kind=np.array([term.kind for term in terms], dtype=np.uint32),
        start=start.astype(np.uint32),
        parameters=np.array([p for term in terms for p in term.parameters], dtype=float),
        address=np.array(addresses, dtype=np.uint64),
        scratch=np.zeros(_RESULT + 5),
    )


@kernel(inline=True)
def motion(table, k, t, out):
    """Write value, rate and acceleration of term k at time t into out[0:3]; return a status, 0 for success."""
    first, last = np.intp(table.start[k]), np.intp(table.start[k + 1])
    kind = table.kind[k]
    p = table.parameters
    work = table.scratch
    status = 0
    if kind == POLYNOMIAL:
        _polynomial(p, first + 1, last, t, work)
    elif kind == HARMONIC:
        _harmonic(p, first + 1, t, work)
    elif kind == PIECEWISE:
        status = piecewise(p, first + 1, t, work, np.intp(_RESULT))
    else:
        work[0] = t
        work[1] = 1.0
        status = call_address(table.address[k], work[0:1], work[1:2], work[_RESULT:])
    for i in range(3):
        out[i] = p[first] * work[_RESULT + i]
    if status == 0 and not math.isfinite(t + out[0] + out[1] + out[2]):
        status = NOT_FINITE
    return status


@kernel(internal=True, inline=True)
def _polynomial(p, first, last, t, work):
    """Value and two derivatives by repeated synthetic division."""
    v, d, c = 0.0, 0.0, 0.0
    for k in range(last - first):
        c = c * t + d
        d = d * t + v
        v = v * t + p[last - 1 - k]
    work[_RESULT], work[_RESULT + 1], work[_RESULT + 2] = v, d, 2.0 * c


@kernel(internal=True, inline=True)
def _harmonic(p, first, t, work):
    amplitude, frequency, phase, offset = p[first], p[first + 1], p[first + 2], p[first + 3]
    sine, cosine = math.sin(frequency * t + phase), math.cos(frequency * t + phase)
    work[_RESULT] = offset + amplitude * sine
    work[_RESULT + 1] = amplitude * frequency * cosine
    work[_RESULT + 2] = -amplitude * frequency * frequency * sine
