r"""How long a step may be, whatever its error: turns of angles must not be lost, nor bodies jump through each other.

   gap |\            /              g + g' h + g'' h^2 / 2 = 0: a step ends where bodies are about to touch or to part,
       |  \        /                for the force has a corner there; g'' = jac a, without what the curvature of the
     0 +----o----o----------- h     motion adds
       |     '--'
-depth |.....................       From there on no gap may close by more than `depth`. A step that ends inside sees
                                    the force there, and its error makes it shorter.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.jit import kernel

TURN = 2.5  # rad that an angle may turn in a step
CLOSE = 1e-5  # of the depth: bodies so near each other are about to touch, or to part


@kernel(internal=True)
def limit_step(machine, a):
    """Set the limit of the next step from where the motion is, with accelerations a."""
    z, winding, fastest = machine.work.z, machine.winding, 0.0
    for k in range(winding.shape[0]):
        fastest = max(fastest, abs(z[winding[k], 1]))
    limit = TURN / fastest if fastest > 0.0 else np.inf
    jac, columns, guarded, depth = machine.work.jac, machine.forces.columns, machine.guarded, machine.depth
    for k in range(guarded.shape[0]):
        m, close = guarded[k], CLOSE * depth[k]
        gap, rate, bend = z[m, 0], z[m, 1], 0.0
        for c in range(columns.shape[1]):
            bend += jac[m, c] * a[columns[m, c]]
        if abs(gap) > close:
            limit = min(limit, _meeting(gap, rate, bend))
        if gap <= close:
            limit = min(limit, _meeting(max(gap, 0.0) + depth[k], rate, bend))
    machine.limit[0] = limit


@kernel(internal=True)
def _meeting(room, rate, bend):
    """The first h > 0 with room + rate h + bend h^2 / 2 = 0; infinity if there is none."""
    sign = 1.0 if room > 0.0 else -1.0
    room, rate, bend = sign * room, sign * rate, sign * bend
    square = rate * rate - 2.0 * bend * room
    if square >= 0.0 and (rate < 0.0 or bend < 0.0):
        return 2.0 * room / (np.sqrt(square) - rate)
    return np.inf
