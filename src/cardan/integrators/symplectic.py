"""Symplectic steps of fixed length in joint coordinates: symmetric compositions of variational substeps.

    step h = substep g_1 h, substep g_2 h, ..., substep g_s h          g_i = g_(s+1-i),   sum g = 1

A substep (see `cardan.system.tree.variational_step`) is symmetric and of order 2; compositions have order 4 (Suzuki
1990, 5 substeps), 6 (9) and 8 (17; Kahan and Li 1997). Energy is not exact, but its error does not grow, however many
steps are taken: a nearby energy is conserved (Hairer, Lubich and Wanner 2006, V.3.2 and IX.8). That holds for steps of
equal size, and errors are therefore not controlled. Momenta are passed from step to step: computed from speeds, they
would lose a digit always in the same direction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import begin_step, project
from cardan.system.tree.variational_step import (
    UNSOLVED,
    find_momenta_of,
    speeds_of_momenta,
    variational,
    variational_step,
)

TRIES, SHORTER = 3, 0.618  # how often a step that is not solved is shortened, and by how much

_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
# The first half of each composition, with the middle; the sum of all is 1.
HALVES = {
    2: (1.0,),
    4: (_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI),
    6: (
        0.39216144400731413927925056,
        0.33259913678935943859974864,
        -0.70624617255763935980996482,
        0.08221359629355080023149045,
        0.79854399093482996339895035,
    ),
    8: (
        0.13020248308889008087881763,
        0.56116298177510838456196441,
        -0.38947496264484728640807860,
        0.15884190655515560089621075,
        -0.39590389413323757733623154,
        0.18453964097831570709183254,
        0.25837438768632204729397911,
        0.29501172360931029887096624,
        -0.60550853383003451169892108,
    ),
}


class SymplecticMemory(NamedTuple):
    """What a step needs beside y."""

    variational: Any  # see `cardan.system.tree.variational_step`
    length: np.ndarray  # of the mechanism: the size of a substep,
    w: np.ndarray  # the velocity at its middle,
    p: np.ndarray  # momenta,
    counters: Any
    ends: np.ndarray  # float64[2, nv]: momenta at the start and at the end of the last step
    part: np.ndarray  # float64[s]: substeps of a step
    a_old: np.ndarray  # float64[nv]: accelerations where the last step started,
    past: np.ndarray  # float64[1]: and its length, 0 if there was none
    driven: np.ndarray  # int64[1]: the place in y of what moving constraints put in


def symplectic_memory(tables: Any, order: int, speeds: int, driven: int) -> Any:
    """Memory of a run with the tables of variational steps."""
    half = HALVES[order]
    return block(
        SymplecticMemory(
            variational=variational(tables),
            length=tables.length,
            w=tables.w,
            p=tables.p,
            counters=tables.counters,
            ends=np.zeros((2, speeds)),
            part=np.array([*half, *half[-2::-1]]),
            a_old=np.zeros(speeds),
            past=np.zeros(1),
            driven=np.array([driven], np.int64),
        )
    )


def symplectic_notes(memory: Any) -> list[str]:
    """How a run went."""
    substeps = max(1, int(memory.counters.steps))
    iterations = memory.counters.iterations / substeps
    return [f"symplectic: {memory.part.size} substeps in a step, {iterations:.1f} iterations each"]


@kernel(internal=True)
def symplectic_step(mechanism, stepper, memory):
    """One step of the length stated, or up to where it must stop; a shorter one where a substep would end in a singular
    position, at which its equations cannot be solved."""
    clock, past, y, dy, dy_old = stepper.clock, memory.past, stepper.y, stepper.dy, stepper.dy_old
    left = clock.stop - clock.now
    h = clock.longest
    if h >= 0.999999 * left:
        h = left
    if stepper.flags.forces_jumped:
        past[0], stepper.flags.forces_jumped = 0.0, 0
    status = 0
    if past[0] > 0.0:
        copy(memory.ends[1], memory.ends[0])
    else:
        status = find_momenta_of(memory.variational, clock.now, y)
        copy(memory.p, memory.ends[0])
    status = status or _substeps(stepper, memory, h, y)
    for _ in range(TRIES):
        if status != UNSOLVED:
            break
        h *= SHORTER
        copy(stepper.y_old, y)
        status = _substeps(stepper, memory, h, y)
    copy(memory.p, memory.ends[1])
    end = clock.stop if h == left else clock.now + h
    status = status or project(mechanism, end, y, dy)
    status = status or begin_step(mechanism, end, y, dy)
    if status:
        stepper.outcome.failure = status
        return status
    clock.now = end
    driven, nq = memory.driven[0], stepper.sizes.positions
    y[driven] += 0.5 * h * (dy_old[driven] + dy[driven])
    copy(dy_old[nq : nq + memory.a_old.shape[0]], memory.a_old)
    clock.step_taken, clock.error, clock.step, past[0] = h, 0.0, h, h
    return 0


@kernel(internal=True)
def symplectic_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step: where a shorter step leads, for a polynomial would not keep energy as steps do."""
    clock, driven = stepper.clock, memory.driven[0]
    copy(stepper.y_old, out)
    status = _substeps(stepper, memory, t - clock.step_start, out)
    out[driven] += (t - clock.step_start) / clock.step_taken * (stepper.y_end[driven] - stepper.y_old[driven])
    return status


@kernel(internal=True)
def _substeps(stepper, memory, h, y):
    """y, which is that of the start of the step, after the substeps of a step of length h. Returns a status."""
    y_old, dy_old, past = stepper.y_old, stepper.dy_old, memory.past[0]
    nq, start = stepper.sizes.positions, stepper.clock.step_start
    status, done = 0, 0.0
    copy(memory.ends[0], memory.p)
    for k in range(memory.part.shape[0]):
        length = memory.part[k] * h
        memory.length[0] = length
        ahead = done + 0.5 * length
        bend = 0.5 * ahead * ahead / past if past > 0.0 else 0.0
        for i in range(memory.w.shape[0]):
            a = dy_old[nq + i]
            memory.w[i] = y_old[nq + i] + ahead * a + bend * (a - memory.a_old[i])
        if status == 0:
            status = variational_step(memory.variational, start + done, y)
        done += length
    return status or speeds_of_momenta(memory.variational, start + h, y)
