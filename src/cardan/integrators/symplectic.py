"""Symplectic steps of fixed length in joint coordinates: symmetric compositions of leaps (see `tree.leap`).

    step h = leap g_1 h, leap g_2 h, ..., leap g_s h          g_i = g_(s+1-i),   sum g = 1

A leap is symmetric and of order 2; compositions have order 4 (Suzuki 1990, 5 leaps), 6 (9) and 8 (17; Kahan and Li
1997). Energy is not exact but its error stays where it is, for as many steps as one likes: a nearby energy is kept
(Hairer, Lubich and Wanner 2006, V.3.2 and IX.8). That holds for steps of one length, so errors are not controlled.
Momenta are handed on from step to step: found anew from speeds, they would lose a digit always to the same side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block, opaque
from cardan.numerics.compiled.indirect import call_far
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.motion import BEGIN, PROJECT
from cardan.system.tree.variational_step import ITERATIONS, LAND, LEAP, LEAPS, TAKE_OFF, UNSOLVED

TRIES, SHORTER = 3, 0.618  # how often a step that is not solved is shortened, and by how much

USUAL_ORDER = 4
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

    leap: Any  # the mechanism with the unknowns of a leap, opaque,
    address: np.ndarray  # uint64[1]: and its far kernel
    length: np.ndarray  # of the mechanism: the length of a leap,
    w: np.ndarray  # the velocity at its middle,
    p: np.ndarray  # momenta,
    count: np.ndarray  # leaps and iterations
    ends: np.ndarray  # float64[2, nv]: momenta at the start and at the end of the last step
    part: np.ndarray  # float64[s]: leaps of a step
    a_old: np.ndarray  # float64[nv]: accelerations where the last step started,
    past: np.ndarray  # float64[1]: and its length, 0 if there was none
    driven: np.ndarray  # int64[1]: the place in y of what moving constraints put in
    room: np.ndarray  # float64[ny]


def symplectic_memory(leap: Any, address: int, order: int, speeds: int, ny: int, driven: int) -> Any:
    """Memory of a run; `leap` is the table of leaps, `address` its far kernel."""
    half = HALVES[order]
    return block(
        SymplecticMemory(
            leap=opaque(leap),
            address=np.array([address], np.uint64),
            length=leap.length,
            w=leap.w,
            p=leap.p,
            count=leap.count,
            ends=np.zeros((2, speeds)),
            part=np.array([*half, *half[-2::-1]]),
            a_old=np.zeros(speeds),
            past=np.zeros(1),
            driven=np.array([driven], np.int64),
            room=np.zeros(ny),
        )
    )


def symplectic_notes(memory: Any) -> list[str]:
    """How a run went."""
    leaps = max(1, int(memory.count[LEAPS]))
    return [f"symplectic: {memory.part.size} leaps in a step, {memory.count[ITERATIONS] / leaps:.1f} iterations each"]


@kernel(internal=True)
def symplectic_step(machine, act, stepper, memory):
    """One step of the length stated, or up to where it must stop; a shorter one where a leap would end in a singular
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
        status = call_far(memory.address[0], (memory.leap, TAKE_OFF, clock.now, y, memory.room))
        copy(memory.p, memory.ends[0])
    status = status or _leaps(stepper, memory, h, y)
    for _ in range(TRIES):
        if status != UNSOLVED:
            break
        h *= SHORTER
        copy(stepper.y_old, y)
        status = _leaps(stepper, memory, h, y)
    copy(memory.p, memory.ends[1])
    end = clock.stop if h == left else clock.now + h
    status = status or call_far(act, (machine, PROJECT, end, y, dy))
    status = status or call_far(act, (machine, BEGIN, end, y, dy))
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
def symplectic_interpolate(machine, act, stepper, memory, t, out):
    """y at t within the last step: where a shorter step leads, for a polynomial would not keep energy as steps do."""
    clock, driven = stepper.clock, memory.driven[0]
    copy(stepper.y_old, out)
    status = _leaps(stepper, memory, t - clock.step_start, out)
    out[driven] += (t - clock.step_start) / clock.step_taken * (stepper.y_end[driven] - stepper.y_old[driven])
    return status


@kernel(internal=True)
def _leaps(stepper, memory, h, y):
    """y, which is that of the start of the step, after the leaps of a step of length h. Returns a status."""
    y_old, dy_old, past, address, leap = stepper.y_old, stepper.dy_old, memory.past[0], memory.address[0], memory.leap
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
            status = call_far(address, (leap, LEAP, start + done, y, memory.room))
        done += length
    return status or call_far(address, (leap, LAND, start + h, y, memory.room))
