r"""How long a step may be, whatever its error: turns of angles must not be lost, nor bodies jump through each other.

   gap |\            /              g + g' h + g'' h^2 / 2 = 0: a step ends where bodies are about to touch or to part,
       |  \        /                for the force has a corner there; g'' = jac a, without what the curvature of the
     0 +----o----o----------- h     motion adds
       |     '--'
-depth |.....................       From there on no gap may close by more than `depth`. A step that ends inside sees
                                    the force there, and its error makes it shorter.

A row that depends on others in a singular position is left out for a whole step. Where a contact depends on another one
there, as when a linkage that stands on two of them folds, it is missed as soon as the position is left: the first steps
are as short as it takes to leave it.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.cartesian.mechanism_tables import STEPS_PAST_SINGULAR

MAX_STEP_TURN = 2.5  # rad that an angle may turn in a step
AMPLE = 20.0  # steps: a limit so much longer is as good as none
FIRST_STEP_LENGTH, MAX_STEP_GROWTH = (
    1e-6,
    6.0,
)  # of a length or rad: how far the first step from a singular position may lead; and the next
CONTACT_DISTANCE = 1e-5  # of the depth: bodies so near each other are about to touch, or to part


@kernel(internal=True)
def limit_step(tables, a):
    """Set the limit of the next step from where the motion is, with accelerations a."""
    tables.limit[0] = min(min(_turning(tables, a), _approach(tables, a)), _corner(tables, a))


@kernel(internal=True)
def limit_by_spins(tables, v, a, h):
    """Set the limit from the angular velocities of bodies in space, of which no hinge sees more than those of two:

        |z'| <= 2 max |omega|,        |z''| <= 2 max |alpha| + max |omega|^2

    Returns whether the limit is far above a step of h. Where it is not, rates of the angles themselves are needed.
    """
    width, spin, gain = v.shape[0] - tables.weights.shape[0], 0.0, 0.0
    for k in range(tables.matter.shape[0]):
        i = width * k + 3
        spin = max(spin, v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2])
        gain = max(gain, a[i] * a[i] + a[i + 1] * a[i + 1] + a[i + 2] * a[i + 2])
    tables.limit[0] = _time_to_turn(2.0 * np.sqrt(spin), 2.0 * np.sqrt(gain) + spin)
    return tables.limit[0] > AMPLE * h


@kernel(internal=True)
def leave_slowly(tables, v, a):
    """Make the limit shorter if a row was dropped of late, with speeds v and accelerations a."""
    size, pace = tables.size, 0.0
    if tables.counters.steps_since_drop >= STEPS_PAST_SINGULAR:
        return
    for i in range(size.shape[0]):
        pace = max(pace, max(abs(v[i]) * size[i], np.sqrt(abs(a[i]) * size[i])))
    if pace > 0.0:
        tables.limit[0] = min(
            tables.limit[0], FIRST_STEP_LENGTH * MAX_STEP_GROWTH**tables.counters.steps_since_drop / pace
        )
    tables.counters.steps_since_drop += 1


@kernel(internal=True)
def _turning(tables, a):
    """How long no turn of an angle is lost: |z'| h + |z''| h^2 / 2 = MAX_STEP_TURN at most."""
    z, winding, longest = tables.work.z, tables.winding, np.inf
    for k in range(winding.shape[0]):
        m = winding[k]
        rate, second = abs(z[m, 1]), z[m, 2] + _second(tables, m, a)
        longest = min(longest, _time_to_turn(rate, abs(second)))
    return longest


@kernel(internal=True, inline=True)
def _time_to_turn(rate, second):
    """h with rate h + second h^2 / 2 = MAX_STEP_TURN."""
    reach = rate + np.sqrt(rate * rate + 2.0 * second * MAX_STEP_TURN)
    return 2.0 * MAX_STEP_TURN / reach if reach > 0.0 else np.inf


@kernel(internal=True)
def _approach(tables, a):
    """How long no gap opens or closes, or, of those about to, none becomes too deep; how deep they were is noted."""
    z, guarded, depth, longest = tables.work.z, tables.guarded, tables.depth, np.inf
    for k in range(guarded.shape[0]):
        m, close = guarded[k], CONTACT_DISTANCE * depth[k]
        gap, rate, second = z[m, 0], z[m, 1], _second(tables, m, a)
        tables.deepest[k] = max(tables.deepest[k], -gap)
        if abs(gap) > close:
            longest = min(longest, _meeting(gap, rate, second))
        if gap <= close:
            longest = min(longest, _meeting(max(gap, 0.0) + depth[k], rate, second))
    return longest


@kernel(internal=True)
def _corner(tables, a):
    """How long no force of a Stop sets in or ceases. Its spring and damper together may be, at all stages but the first
    of a step, the continuation of no force at all: an error estimate cannot see where they set in."""
    z, corners, longest = tables.work.z, tables.corners, np.inf
    for k in range(corners.at.shape[0]):
        gap, rate, second = corners.at[k], 0.0, 0.0
        for i in range(corners.start[k], corners.start[k + 1]):
            m, factor = corners.measure[i], corners.factor[i]
            gap += factor * z[m, 0]
            rate += factor * z[m, 1]
            second += factor * (z[m, 2] + _second(tables, m, a))
        if abs(gap) > corners.close[k]:
            longest = min(longest, _meeting(gap, rate, second))
    return longest


@kernel(internal=True)
def _second(tables, m, a):
    """jac a of a measure."""
    jac, columns, total = tables.work.jac, tables.forces.columns, 0.0
    for c in range(columns.shape[1]):
        total += jac[m, c] * a[columns[m, c]]
    return total


@kernel(internal=True)
def _meeting(room, rate, bend):
    """The first h > 0 with room + rate h + bend h^2 / 2 = 0; infinity if there is none."""
    sign = 1.0 if room > 0.0 else -1.0
    room, rate, bend = sign * room, sign * rate, sign * bend
    square = rate * rate - 2.0 * bend * room
    if square >= 0.0 and (rate < 0.0 or bend < 0.0):
        return 2.0 * room / (np.sqrt(square) - rate)
    return np.inf
