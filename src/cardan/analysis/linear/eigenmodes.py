r"""eigenmodes(model): some modes of a mechanism of any size, by sparse factorization, without a basis of free motions.

        | 1         | | dq |'   | -w    1   0   -J_h^T   0        | | dq |
        |   M       | | dv |  = | -K   -C  -S    0      -(J^T+E)  | | dv |
        |      1    | | s  |    | S_q  S_v S_s   0       0        | | s  |
        |        0  | | nu |    | J_h   0   0    0       0        | | nu |
        |          0| | mu |    |  G    J   0    0       0        | | mu |

The pencil of the equations of `linear.equations`, with position and velocity equations both kept (Gear, Gupta and
Leimkuhler). Near a shift s0 its eigenvalues are s0 + 1/theta, theta the largest ones of (A - s0 B)^-1 B: Arnoldi.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, splu

from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.linearize import residual_of, warn_of_imbalance
from cardan.analysis.linear.point import OperatingPoint, point_at, snapshot_of
from cardan.analysis.unsupported import reject_impacts
from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.results.linear.linearization import Motions
from cardan.results.linear.modes import Modes

# vectors of a Krylov space for each eigenvalue: with two, the default, pairs of modes of rods never converge
KRYLOV_VECTORS = 4
# unknowns up to which all eigenvalues are computed: iterations stall if few of many are wanted
MAX_ALL_EIGENVALUES = 300
DEFECTIVE_EIGENVALUE = 1e-6  # relative to the shift: defective zero eigenvalues have errors of the root of rounding
HUGE = 1e150  # 1/s: larger than any eigenvalue
SHIFT_OFFSET = 1e-3  # 1/s: offset of the shift from a round number, which may be an eigenvalue


def eigenmodes(
    model: Model, at: OperatingPoint = None, count: int | None = None, *, near: complex = 0.0, time: float = 0.0
) -> Modes:
    """The `count` eigenvalues nearest to `near`, in 1/s, and their modes, by default ten; `at` as for linearize().

    All matrices stay sparse: suited to mechanisms with hundreds of degrees of freedom. `near=20j` searches around
    20 rad/s. Complex pairs count twice, and are returned as one mode.

    >>> from cardan import eigenmodes
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("hanging chain", gravity=(0, -9.81))
    >>> end = model.ground.at()
    >>> for k in range(100):
    ...     link = model.add(Body(mass=0.1, inertia=0.1 * 0.1**2 / 12, position=(0, -0.05 - 0.1 * k)), name=f"link {k}")
    ...     pin = model.add(Revolute(end, link.at(0, 0.05)), name=f"pin {k}")
    ...     end = link.at(0, -0.05)
    >>> eigenmodes(model, count=4).frequencies.round(2).tolist()    # a rope of 10 m: 2.4048/2 sqrt(g/l) = 1.19
    [1.19, 2.73]
    """
    check.instance(model, Model, "the model of eigenmodes()")
    wanted = None if count is None else check.count(count, "the count of eigenmodes()")
    reject_impacts(model, "eigenmodes()")
    if not isinstance(near, int | float | complex | np.number) or not abs(near) < HUGE:
        raise ModelError(f"near= of eigenmodes() must be a finite number, real or complex, got {check.describe(near)}")
    shift = complex(near) + SHIFT_OFFSET
    point = point_at(model, snapshot_of(at), check.number(time, "the time of eigenmodes()"), [])
    equations = Equations(point, [])
    point.residual = residual_of(equations)
    warn_of_imbalance(model, point)
    A, B = pencil(equations)
    n, states = equations.M.shape[0], equations.states.size
    known = 2 * n + states
    finite = 2 * known - A.shape[0]  # each equation has a multiplier, and takes a displacement or a speed away
    count = min(10, finite) if wanted is None else wanted
    if not 0 < count <= finite:
        raise ModelError(
            f"{wanted or 'some'} eigenvalues are requested of '{model.name}', which has {finite}, with "
            f"{point.free.count} degrees of freedom" + (f": state at most count={finite}" if finite else "")
        )
    factors = splu(sp.csc_array(A - (shift if shift.imag else shift.real) * B))

    def solve(x: np.ndarray) -> np.ndarray:
        return np.asarray(factors.solve(B @ x))

    if A.shape[0] <= MAX_ALL_EIGENVALUES or count > A.shape[0] - 2:  # of which iterations cannot find the last two
        theta, vectors = np.linalg.eig(solve(np.eye(A.shape[0])))
        order = np.lexsort((theta.imag, -np.abs(theta)))[:count]
        theta, vectors = theta[order], vectors[:, order]
    else:
        operator = LinearOperator(A.shape, matvec=solve, dtype=complex if shift.imag else float)
        start = np.ones(A.shape[0]) / np.sqrt(A.shape[0])
        try:
            basis = min(A.shape[0], max(20, KRYLOV_VECTORS * count))
            theta, vectors = eigs(operator, k=count, v0=operator @ start, ncv=basis)
        except ArpackNoConvergence as failure:
            if len(failure.eigenvalues) < count:
                words = f"eigenmodes() of '{model.name}' do not converge near {near}: {failure}"
                raise SimulationError(words) from None
            theta, vectors = failure.eigenvalues, failure.eigenvectors
    return Modes(_motions(equations), shift + 1.0 / theta, vectors[:known], DEFECTIVE_EIGENVALUE * abs(shift))


def pencil(
    equations: Equations, independent: tuple[np.ndarray, np.ndarray] | None = None
) -> tuple[sp.csc_array, sp.csc_array]:
    """A and B above. `independent` rows, all and those on positions, are by default those of these equations."""
    rows, parts = equations.rows, equations.reading.columns.parts
    n, ns = equations.M.shape[0], equations.states.size
    turning, seen = equations.turning()
    kept, on_positions = independent_rows(equations) if independent is None else independent
    J, J_h = equations.J[kept], equations.J[on_positions]
    G, push = rows.G[kept], J.T + equations.E[:, kept]
    rates = equations.reading.state_rates()[equations.states]
    by_value, by_rate = rates[:, parts["value"]], rates[:, parts["rate"]]
    S_q = by_value @ equations.value + by_rate @ equations.rate
    S_v = by_rate @ equations.slopes.gradients
    S_s = rates[:, parts["state"]][:, equations.states]
    S = equations.push @ equations.laws[:, parts["state"]][:, equations.states]
    S_mu = rates[:, parts["multiplier"]][:, kept]
    size = float(np.abs(equations.M).max())  # multipliers in units of masses
    A = sp.block_array([
        [-turning, sp.eye_array(n), None, -J_h.T, None],
        [-equations.K, -(equations.C + equations.M @ seen), -S, None, -size * push],
        [S_q, S_v, S_s, None, size * S_mu],
        [J_h, None, None, sp.csr_array((J_h.shape[0], J_h.shape[0])), None],
        [G, J, None, None, sp.csr_array((J.shape[0], J.shape[0]))],
    ])  # fmt: skip
    nothing = sp.csr_array((J_h.shape[0] + J.shape[0],) * 2)
    B = sp.block_diag([sp.eye_array(n), equations.M, sp.eye_array(ns), nothing])
    return sp.csc_array(A), sp.csc_array(B)


def independent_rows(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the pencil on speeds, and on positions."""
    return equations.point.free.rows, equations.on_positions[equations.Z.rows]


def _motions(equations: Equations) -> Motions:
    """Motions of bodies and forces, with all displacements, speeds and states of devices as states."""
    point, parts, T = equations.point, equations.reading.columns.parts, equations.T
    n, ns = equations.M.shape[0], equations.states.size
    identity = sp.eye_array(2 * n + ns, format="csr")
    dq, dv = identity[:n], identity[n : 2 * n]
    value, rate = equations.value @ dq, equations.rate @ dq + equations.slopes.gradients @ dv
    return Motions(
        *(point.system, point.time, point.q, point.v, point.reference[point.system.winding], dq, dv),
        *(equations.M, equations.C, equations.K, equations.J, T @ value, T @ rate),
        *(equations.laws[:, parts["value"]] @ value, equations.laws[:, parts["rate"]] @ rate),
    )
