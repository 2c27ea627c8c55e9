r"""How long a step may be, whatever its error: turns of angles must not be lost, nor bodies jump through each other.

   gap |\                          g + g' h + g'' h^2 / 2 >= min(g, 0) - depth
       |  \ .                      with g'' = jac a: what the curvature of the motion adds is left out
     0 +----\--------  h
-depth |......\                    A step that ends inside sees the force there, and its error makes it shorter.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.jit import kernel

TURN = 2.5  # rad that an angle may turn in a step


@kernel(internal=True)
def limit_step(machine, a):
    """Set the limit of the next step from where the motion is, with accelerations a."""
    z, winding, fastest = machine.work.z, machine.winding, 0.0
    for k in range(winding.shape[0]):
        fastest = max(fastest, abs(z[winding[k], 1]))
    limit = TURN / fastest if fastest > 0.0 else np.inf
    jac, columns, guarded, depth = machine.work.jac, machine.forces.columns, machine.guarded, machine.depth
    for k in range(guarded.shape[0]):
        m = guarded[k]
        room, rate, bend = max(z[m, 0], 0.0) + depth[k], z[m, 1], 0.0
        for c in range(columns.shape[1]):
            bend += jac[m, c] * a[columns[m, c]]
        square = rate * rate - 2.0 * bend * room
        if square >= 0.0 and (rate < 0.0 or bend < 0.0):
            limit = min(limit, 2.0 * room / (np.sqrt(square) - rate))
    machine.limit[0] = limit
