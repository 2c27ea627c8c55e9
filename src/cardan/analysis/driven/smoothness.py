"""The test by which steps are accepted, in both kinds of coordinates: whether a step is part of one smooth motion.

A step is smooth if position, velocity and acceleration at its two ends fit one motion, if the inputs between the ends
agree with this motion, and if no contact passes a junction: a point of its curve at which s' or s'' jumps, such as
where an arc meets a straight flank. Motions are regular at junctions, but u' and accelerations jump:

         u'
         |      .-----              A step that would pass a junction is shortened to end DISTANCE before it. The next
         |-----'                    one ends just beyond: in it the rates of contacts may jump, and its time is
         +------+-----  t           recorded.
             junction
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.hermite import quintic_kernel
from cardan.numerics.curves.motions import motion
from cardan.results.special_points import Jump
from cardan.system.system import System

MAX_DEVIATION = 0.02  # largest deviation from the smooth motion, relative to the step ...
FIT_FLOOR = 1e-4  # ... or relative to the mechanism, to pass inputs with corners
KINK = 0.1  # jump of a velocity, relative to the largest, that requires a jump of an input rate
CHANGE = 0.5  # change of a velocity within a step, relative to the largest
CHECKED_FRACTION = 0.382  # fraction of a long step at which inputs are checked
DISTANCE = 1e-12  # relative to the range of u: distance before a junction at which a step ends
JUNCTION_REDUCTION = 0.99  # reduction of a step that passed a junction
KEPT = 1000  # number of junctions stored before the loop returns to record them


class Junctions(NamedTuple):
    """The junctions of the curves of contacts, and those that were passed."""

    contacts: np.ndarray  # int64[1]: number of contact coordinates, the last of q and v
    behind: np.ndarray  # int64[n]: index of the contact from the end of q and v: -1 is the last
    low: np.ndarray  # float64[n]: first u of its curve,
    period: np.ndarray  # float64[n]: and the period of u, or 0
    start: np.ndarray  # uint32[n + 1]: start of the junctions of each curve,
    place: np.ndarray  # float64: relative to the first u
    found: np.ndarray  # float64[KEPT, 3]: time, contact (as in `behind`) and u
    written: np.ndarray  # int64[1]: number of these


def junctions_of(system: System) -> Junctions:
    """The junctions of all contacts of a system."""
    own, chosen, places = len(system.contact_coordinates), [], []
    for k, contact in enumerate(system.contact_coordinates):
        curve = None if isinstance(contact, ModalCoordinate) else contact.outline.curve
        if curve is not None and curve.junctions.size:
            chosen.append((k - own, curve.span[0], curve.span[1] - curve.span[0] if curve.closed else 0.0))
            places.append(curve.junctions - curve.span[0])
    starts = np.cumsum([0, *(len(p) for p in places)])
    return Junctions(
        contacts=np.array([own], np.int64),
        behind=np.array([line[0] for line in chosen], np.int64),
        low=np.array([line[1] for line in chosen], float),
        period=np.array([line[2] for line in chosen], float),
        start=starts.astype(np.uint32),
        place=np.concatenate([np.zeros(0), *places]),
        found=np.zeros((KEPT, 3)),
        written=np.zeros(1, np.int64),
    )


def jumps_passed(system: System, junctions: Junctions) -> list[Jump]:
    """The junctions recorded since the last call."""
    found = junctions.found[: int(junctions.written[0])].tolist()
    junctions.written[0] = 0
    return [Jump(time, system.contact_coordinates[int(behind)].name, u) for time, behind, u in found]


@kernel(internal=True, inline=True)
def is_smooth(moved, gap, speed, kink, change):
    """Evaluate a step from its largest components, all relative to the model: the distance moved, the deviation of the
    end from the smooth motion, the velocity, the deviation of its change from the accelerations, and this change.
    Returns 0 for no, 2 for yes, and 1 if the velocity jumps, which requires an input with a jumping rate."""
    if not gap <= MAX_DEVIATION * moved + FIT_FLOOR:
        return 0
    # Near a singular configuration accelerations are noise and could explain any kink, so velocities are checked too.
    return 2 if kink <= KINK * speed and change <= CHANGE * speed else 1


@kernel(internal=True)
def inputs_fit(rows, t, h, f):
    """Whether the motions of all drivers within a long step agree with those at its ends."""
    motions, first, scale = rows.motions, rows.motion_start, rows.scale
    s = CHECKED_FRACTION
    for r in range(scale.shape[0]):
        for k in range(first[r], first[r + 1]):
            motion(motions, k, t, f)
            q0, v0, a0 = f[0], h * f[1], h * h * f[2]
            motion(motions, k, t + h, f)
            d, v1, a1 = f[0] - q0, h * f[1], h * h * f[2]
            motion(motions, k, t + s * h, f)
            c3, c4, c5 = quintic_kernel(d, v0, v1, a0, a1)
            miss = f[0] - q0 - s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
            if not abs(miss) <= MAX_DEVIATION * abs(d) + 10.0 * FIT_FLOOR * scale[r]:
                return False
    return True


@kernel(internal=True)
def passes_junction(junctions, q0, q1):
    """Whether a contact passes a junction between two positions."""
    for j in range(junctions.behind.shape[0]):
        i = q0.shape[0] + junctions.behind[j]
        if _piece(junctions, j, q0[i]) != _piece(junctions, j, q1[i]):
            return True
    return False


@kernel(internal=True)
def step_to_junction(junctions, q0, v0, a0, q1, h, least, tries):
    """The step to try instead of h, in which a contact passes a junction; 0 if h is short enough to do so.

    The new step ends before the first junction. `least` is the shortest step of the march, `tries` the number of steps
    from this state that passed a junction.
    """
    best = 2.0 * h
    for j in range(junctions.behind.shape[0]):
        i, k = q0.shape[0] + junctions.behind[j], v0.shape[0] + junctions.behind[j]
        before, after = _piece(junctions, j, q0[i]), _piece(junctions, j, q1[i])
        if before == after:
            continue
        up = after > before
        edge = _edge(junctions, j, before if up else before - 1)
        sign = 1.0 if up else -1.0
        near = DISTANCE * max(max(abs(edge), abs(q0[i])), 1e-3 * abs(junctions.place[junctions.start[j + 1] - 1]))
        way, rate = sign * (edge - q0[i]), sign * v0[k]
        if rate <= 0.0 or tries > 4:
            best = min(best, 0.5 * h if h > least else 2.0 * h)
            continue
        if h * rate <= 4.0 * near or h <= 1e-6 * least:
            continue
        if way <= 2.0 * near:
            best = min(best, (way + near) / rate)  # short enough to pass
            continue
        way -= near
        root = math.sqrt(max(rate * rate + 2.0 * sign * a0[k] * way, 0.0))
        best = min(best, min(2.0 * way / (rate + root), JUNCTION_REDUCTION * h))
    return best if best < h else 0.0


@kernel(internal=True)
def note_junctions(junctions, t, q0, v0, q1):
    """Record the junctions that contacts pass in a tiny step from q0 at time t to q1."""
    for j in range(junctions.behind.shape[0]):
        i, k = q0.shape[0] + junctions.behind[j], v0.shape[0] + junctions.behind[j]
        before, after = _piece(junctions, j, q0[i]), _piece(junctions, j, q1[i])
        n = junctions.written[0]
        if before != after and n < KEPT:
            edge = _edge(junctions, j, before if after > before else before - 1)
            junctions.found[n, 0] = t + ((edge - q0[i]) / v0[k] if v0[k] != 0.0 else 0.0)
            junctions.found[n, 1], junctions.found[n, 2] = junctions.behind[j], edge
            junctions.written[0] += 1


@kernel(internal=True)
def _piece(junctions, j, u):
    """The index of the smooth piece that contains u, counted over all turns."""
    first, last = junctions.start[j], junctions.start[j + 1]
    period, place = junctions.period[j], u - junctions.low[j]
    turns = math.floor(place / period) if period > 0.0 else 0.0
    place -= turns * period
    count = 0
    for e in range(first, last):
        if junctions.place[e] <= place:
            count += 1
    return int(turns) * (int(last) - int(first)) + count


@kernel(internal=True)
def _edge(junctions, j, number):
    """u of the junction with this index, counted over all turns: piece n is between the junctions n - 1 and n."""
    first, count = int(junctions.start[j]), int(junctions.start[j + 1]) - int(junctions.start[j])
    turn = number // count
    return junctions.low[j] + turn * junctions.period[j] + junctions.place[first + number - turn * count]
