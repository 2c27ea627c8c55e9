"""Reduction of a finite element model to the modes of a flexible part.

    Psi = [static, normal]      static: what the interfaces can do to the part, and further loads (residual vectors)
                                normal: eigenmodes up to a frequency, of the body that is
        "free"                    free, with static modes of all unit wrenches balanced by inertia (Rubin, MacNeal)
        "craig-bampton"           held at all interfaces, with static modes of their relative motions
        "clamped"                 held at the first interface, with static modes of the others

Then rigid motions are taken out, dependent columns removed in the norm of strain energy, and K w = lambda M w solved in
what remains: the modal mass is the unit matrix and the stiffness is diagonal. Frequencies up to the limit are those of
the full model for "free" (mean axes) and "clamped" (tangent frame); the static response of all interfaces to forces and
torques is exact in any case. All solutions use one factorization, that of `free_body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh, null_space

from cardan.analysis.progress import Progress, ProgressOption
from cardan.errors import ModelError
from cardan.flexible.connection import seats
from cardan.flexible.damping import damping_ratios
from cardan.flexible.free_body import FreeBody
from cardan.flexible.inertia import check_rigid_mass, inertia_integrals
from cardan.flexible.matrices import check_rigid_motions, check_units, checked
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart, Interface, Surface
from cardan.numerics.linalg.lanczos import NotConverged, lowest_modes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

METHODS = ("free", "craig-bampton", "clamped")
DENSE = 900  # unknowns up to which all modes come from a dense eigenproblem
DEPENDENT = 1e-11  # strain energy of a direction relative to that of its columns
EQUAL = 1e-6  # relative difference of squares of frequencies that count as equal
FLAT = 1e-9  # stiffness or mass between motions within the plane and across it, relative to their own
MASSLESS = 1e-15  # of theta = 1 / lambda relative to the largest


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduced part with what led to it: `modes` (nodes, dofs, n) at all nodes, counts of modes, and a table.

    `static` and `normal` modes were computed, `removed` of them depend on others (or, with planar=True, leave the
    plane), `kept` are those of the part.
    """

    part: FlexiblePart
    modes: np.ndarray
    method: str
    static: int
    normal: int
    removed: int
    limit: float | None  # Hz, of the normal modes
    interfaces: Mapping[str, object]  # as stated

    @property
    def kept(self) -> int:
        return self.part.modes

    def __str__(self) -> str:
        from cardan.flexible.mode_table import summary

        upto = f" up to {self.limit:g} Hz" if self.limit is not None else ""
        return (
            f"{self.method}, {self.part.frame} frame: {self.static} static + {self.normal} normal modes{upto}, "
            f"{self.removed} removed, {self.kept} kept\n" + summary(self.part)
        )


def reduce(
    M: Any,
    K: Any,
    nodes: ArrayLike,
    interfaces: Mapping[str, Any] | None = None,
    *,
    modes: int | None = None,
    up_to: float | None = None,
    method: str = "free",
    frame: str = "mean",
    planar: bool = False,
    damping: Any = None,
    residual: Any = None,
    name: str = "part",
    units: str = "m, kg, s",
    triangles: ArrayLike | None = None,
    progress: ProgressOption = None,
) -> FlexiblePart:
    """A flexible part from the mass and stiffness matrices of a free body, with three or six unknowns at each node.

    `interfaces` maps names to nodes or to `Connection(nodes, kind, point)`. `modes` is the number of normal modes, or
    `up_to` their highest frequency in Hz; pairs of equal frequencies stay whole. `frame` is "mean" or, fixed to the
    first interface, "tangent". planar=True keeps the modes of a beam in the xy plane only, for planar models.
    `residual` has further loads in its columns whose static response is to be exact. `damping` is None, a ratio,
    "graded", `Rayleigh(...)`, a list or a function of the frequency. `units` of the model are "m, kg, s", "mm, t, s"
    or "mm, kg, ms"; "any" skips the check of their plausibility. `triangles` (t, 3) of nodes are the skin for
    pictures. `progress` is True or False, or a function that receives the share that is done.

    >>> from cardan.flexible import beam, rectangle
    >>> bar = beam(1.0, rectangle(0.02, 0.01))
    >>> part = reduce(bar.M, bar.K, bar.nodes, {"left": [0], "right": [20]}, up_to=200.0)
    >>> part.modes, part.frequencies[:2].round(2)          # Euler: 4.73^2 sqrt(EI / rho A L^4) / 2 pi = 53.17, 106.33
    (15, array([ 53.15, 106.18]))
    """
    return reduction(
        M,
        K,
        nodes,
        interfaces,
        modes=modes,
        up_to=up_to,
        method=method,
        frame=frame,
        planar=planar,
        damping=damping,
        residual=residual,
        name=name,
        units=units,
        triangles=triangles,
        progress=progress,
    ).part


def reduction(
    M: Any,
    K: Any,
    nodes: ArrayLike,
    interfaces: Mapping[str, Any] | None = None,
    *,
    modes: int | None = None,
    up_to: float | None = None,
    method: str = "free",
    frame: str = "mean",
    planar: bool = False,
    damping: Any = None,
    residual: Any = None,
    name: str = "part",
    units: str = "m, kg, s",
    triangles: ArrayLike | None = None,
    progress: ProgressOption = None,
) -> Reduction:
    """As `reduce`, with the modes at all nodes and a table: `print(reduction(...))`."""
    check.choice(method, METHODS, "method")
    check.choice(frame, ("mean", "tangent"), "frame")
    count, limit = _extent(modes, up_to)
    mass, stiffness, places, dofs = checked(M, K, nodes, units)
    found = seats(interfaces, places, dofs, stiffness)
    if not found and (method != "free" or frame == "tangent"):
        raise ModelError(f"method '{method}' with the {frame} frame needs interfaces: state name: nodes")
    check_rigid_motions(stiffness, places, dofs)
    with Progress(f"reducing '{name}'", 100, progress) as bar:

        def report(share: float) -> None:
            bar.show(int(100 * share))
            bar.look(lambda: share)

        body = FreeBody(mass, stiffness, places, dofs, found, lambda share: report(0.6 * share))
        total = check_rigid_mass(body.rigid_mass)
        if units != "any":
            check_units(mass, stiffness, places, dofs, total)
        static = _static(body, method, _loads(residual, mass.shape[0]))
        normal = _normal(body, method, count and count + 1, limit, lambda share: report(0.6 + 0.35 * share))
        normal = _whole_pairs(body, normal, count) if count else normal
        if method == "craig-bampton" and limit is not None:  # frequencies below half of the limit become exact
            normal = np.hstack([normal, _normal(body, "free", None, 0.25 * limit, lambda share: None)])
        columns = body.sweep(np.hstack([static, normal]))
        columns = _independent(body, columns)
        if check.flag(planar, "planar"):
            columns = _in_plane(body, columns, name)
        omega, columns = _normalized(body, columns, frame)
        report(1.0)
    if not len(omega):
        raise ModelError(f"no modes of '{name}' are left: raise modes or up_to, or state interfaces")
    full = body.T @ columns
    part = _part(name, full, omega, mass, places, dofs, body, columns, frame, damping, triangles)
    removed = static.shape[1] + normal.shape[1] - len(omega)
    shaped = full.reshape(len(places), dofs, -1)
    return Reduction(part, shaped, method, static.shape[1], normal.shape[1], removed, up_to, interfaces or {})


def _extent(modes: Any, up_to: Any) -> tuple[int | None, float | None]:
    """(number of normal modes, highest lambda)."""
    if (modes is None) == (up_to is None):
        raise ModelError("state either modes, the number of normal modes, or up_to, their highest frequency in Hz")
    if up_to is not None:
        return None, (2.0 * np.pi * check.positive(up_to, "up_to")) ** 2
    if isinstance(modes, int | np.integer) and not isinstance(modes, bool) and modes == 0:
        return 0, None
    return check.count(modes, "modes"), None


def _loads(residual: Any, size: int) -> np.ndarray:
    if residual is None:
        return np.zeros((size, 0))
    loads = np.asarray(residual, dtype=float)
    loads = loads[:, None] if loads.ndim == 1 else loads
    if loads.ndim != 2 or loads.shape[0] != size or not np.isfinite(loads).all():
        raise ModelError(f"residual must have {size} rows, one load per column, got the shape {loads.shape}")
    return loads


def _static(body: FreeBody, method: str, loads: np.ndarray) -> np.ndarray:
    """Elastic responses to the wrenches of interfaces and to further loads."""
    B, extra = body.B, body.T.T @ loads
    if method == "craig-bampton" and B.shape[1]:  # forces of interfaces that balance each other
        arms = body.R.T @ B
        B = B @ null_space(arms / np.maximum(np.linalg.norm(arms, axis=1), np.finfo(float).tiny)[:, None])
    return body.flexibility(np.hstack([B, extra]))


def _normal(body: FreeBody, method: str, count: int | None, limit: float | None, progress: Any) -> np.ndarray:
    """Eigenmodes of the body, free or held."""
    held = {"free": [], "clamped": [0], "craig-bampton": list(range(len(body.seats)))}[method]
    if count == 0:
        return np.zeros((body.M.shape[0], 0))
    size = body.M.shape[0]
    if size <= DENSE or (count or 0) > size // 4:
        return _dense_modes(body, held, count, limit)
    inverse = body.held(held) if held else body.flexibility
    try:
        return lowest_modes(inverse, body.M, count, limit, progress)[1]
    except NotConverged as failure:
        raise ModelError(f"the eigenmodes did not converge ({failure}); reduce modes or up_to") from None


def _whole_pairs(body: FreeBody, normal: np.ndarray, count: int) -> np.ndarray:
    """The first `count` modes, and the next one if both have the same frequency: of two such modes, as those in which a
    square section bends, one would be any of their combinations, chosen by rounding."""
    if normal.shape[1] <= count:
        return normal
    last = normal[:, count - 1 : count + 1]
    before, after = np.einsum("ij,ij->j", last, body.K @ last) / np.einsum("ij,ij->j", last, body.M @ last)
    return normal[:, : count + (after - before <= EQUAL * after)]


def _dense_modes(body: FreeBody, held: list[int], count: int | None, limit: float | None) -> np.ndarray:
    """All eigenmodes of a small model, from M w = theta K w without rigid motions."""
    stop = np.hstack([body.B[:, 6 * k : 6 * k + 6] for k in held]) if held else body.MR
    Q = null_space(stop.T / np.linalg.norm(stop, axis=0)[:, None])
    theta, W = eigh(Q.T @ (body.M @ Q), Q.T @ (body.K @ Q))
    theta, W = theta[::-1], W[:, ::-1]
    keep = theta > MASSLESS * theta[0]
    if limit is not None:
        keep &= theta >= 1.0 / limit
    theta, W = theta[keep][:count], W[:, keep][:, :count]
    return Q @ (W / np.sqrt(theta))


def _independent(body: FreeBody, columns: np.ndarray) -> np.ndarray:
    """Columns of the same span with V^T K V = 1, without those that depend on others."""
    for _ in range(2):  # the second pass restores what rounding took in the first
        gram = columns.T @ (body.K @ columns)
        size = np.sqrt(np.maximum(np.diag(gram), 0.0))
        columns, gram, size = columns[:, size > 0.0], gram[np.ix_(size > 0.0, size > 0.0)], size[size > 0.0]
        values, W = eigh(gram / np.outer(size, size))
        keep = values > DEPENDENT * max(values.max(initial=0.0), 1.0)
        columns = columns @ (W[:, keep] / np.sqrt(values[keep]) / size[:, None])
    return columns


def _in_plane(body: FreeBody, columns: np.ndarray, name: str) -> np.ndarray:
    """What the columns move within the xy plane: each of two mixed bending modes of a square section has a part there.

    Motions within the plane and across it must not depend on each other, as in a beam whose nodes lie in the plane."""
    flat = np.isin(body.direction, (0, 1, 5))
    for matrix in (body.M, body.K):
        size = np.sqrt(np.abs(matrix.diagonal()))
        size[size == 0.0] = 1.0
        linked = abs(matrix[flat][:, ~flat]).multiply(1.0 / size[~flat]).T.multiply(1.0 / size[flat])
        if linked.nnz and linked.max() > FLAT:
            raise ModelError(
                f"'{name}' has no modes in the xy plane: planar=True is for beams whose nodes lie in it, with sections "
                "that are symmetric about it"
            )
    found = _independent(body, np.where(flat[:, None], columns, 0.0))
    if not found.shape[1]:
        raise ModelError(f"'{name}' has no modes in the xy plane: planar=True is for beams whose nodes lie in it")
    return found


def _normalized(body: FreeBody, columns: np.ndarray, frame: str) -> tuple[np.ndarray, np.ndarray]:
    """(omega, columns): in the frame, with V^T M V = 1 and V^T K V = omega^2, from columns with V^T K V = 1."""
    if frame == "tangent":
        B = body.B[:, :6]
        columns = columns - body.R @ np.linalg.solve(B.T @ body.R, B.T @ columns)
    theta, W = eigh(columns.T @ (body.M @ columns))
    theta, W = theta[::-1], W[:, ::-1]
    keep = theta > MASSLESS * theta.max(initial=0.0)
    return 1.0 / np.sqrt(theta[keep]), columns @ (W[:, keep] / np.sqrt(theta[keep]))


def _part(
    name: str,
    full: np.ndarray,
    omega: np.ndarray,
    M: Any,
    nodes: np.ndarray,
    dofs: int,
    body: FreeBody,
    columns: np.ndarray,
    frame: str,
    damping: Any,
    triangles: Any,
) -> FlexiblePart:
    motions = body.B.T @ columns
    interfaces = {
        seat.name: Interface(seat.point, motions[6 * k : 6 * k + 3], motions[6 * k + 3 : 6 * k + 6], seat.orientation)
        for k, seat in enumerate(body.seats)
    }
    frequencies = omega / (2.0 * np.pi)
    surface = None
    if triangles is not None:
        skin, corner = np.unique(np.asarray(triangles), return_inverse=True)
        modes = full.reshape(len(nodes), dofs, -1)[skin, :3]
        surface = Surface(nodes[skin], modes, corner.reshape(-1, 3))
    return FlexiblePart(
        name=name,
        **inertia_integrals(M, nodes, dofs, full),
        stiffness=np.diag(omega**2),
        damping=np.diag(2.0 * damping_ratios(damping, frequencies) * omega),
        interfaces=interfaces,
        frequencies=frequencies,
        frame=frame,
        surface=surface,
    )
