"""identify_inertia(run, forces): masses from a measured motion and the forces that were measured with it.

    tau = Y theta + tau_0

Only some combinations of theta appear in the forces: base parameters. A rank-revealing QR factorization counts them;
the parameters of the bodies, in the order of the model, are added to the base as long as they are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from cardan.analysis.planning.inertia_regressor import InertiaRegressor, from_pseudo_inertia, pseudo_inertia
from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.measure import ByMeasure, Readable, readable
from cardan.model.model import Model
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.results.trajectory import Trajectory

INDEPENDENT = 1e-10  # relative to a column: what others do not express of it; rounding leaves 1e-13
MAX_EXCITATION_CONDITION = 1e4  # condition number of the excitation above which a warning names the parameter
PROJECTIONS, FEASIBLE = 2000, 1e-9  # of pseudo-inertias, and their smallest eigenvalue relative to the largest


def identify_inertia(
    run: Trajectory,
    forces: ByMeasure[ArrayLike],
    *,
    bodies: Sequence[RigidBody] | None = None,
    friction: Sequence[Readable] = (),
) -> IdentifiedInertia:
    """Mass, mass center and inertia of `bodies`, by default all, from the forces of a motion.

    `run` has the measured motion, for example `kinematics` with splines through measured angles as drivers. `forces`
    has the measured force along each actuated measure at its output times, zeros for passive joints: as many measures
    as the mechanism has degrees of freedom. Forces of springs and other elements count as known; `friction` adds
    viscous and dry friction along measures as unknowns. Forces are weighted with their noise, estimated by residuals.

    The result has base parameters with standard deviations, the condition number of the excitation, and the parameters
    of each body that are nearest to those of the model and give the same forces. A warning names bodies whose
    parameters are physically impossible.

    >>> import numpy as np
    >>> from cardan import identify_inertia, inverse_dynamics
    >>> from cardan.planar import Body, Driver, Harmonic, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> bob = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0.25)), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at()), name="pin")
    >>> motor = model.add(Driver(pin.angle, Harmonic(1.0, 3.0)), name="motor")
    >>> run = inverse_dynamics(model, np.linspace(0, 4, 200), progress=False)
    >>> found = identify_inertia(run, {pin.angle: run[motor].force})
    >>> {name: round(value, 9) for name, value in zip(found.base, found.values.tolist())}
    {"m cx of 'bob'": 1.0, "m cy of 'bob'": 0.5, "J of 'bob'": 0.725}
    """
    check.instance(run, Trajectory, "the run of identify_inertia()", hint="kinematics() gives one")
    if not run.moves:
        raise ModelError("the run of identify_inertia() has no velocities and accelerations; use kinematics()")
    measures, measured = _measured(run, forces)
    regressor = InertiaRegressor(run, measures, _bodies(run, bodies))
    rubbing = [readable(measure, "a measure in friction of identify_inertia()") for measure in friction]
    columns, rubbed = _friction(run, measures, rubbing)
    Y = np.concatenate([regressor.columns, *columns], axis=2)
    names, count = [*regressor.names, *rubbed], len(regressor.names)
    sizes = np.concatenate([regressor.sizes(run.system.length), np.ones(len(rubbed))])
    rows = Y.reshape(-1, len(names))
    kept, mixing = _base(rows * sizes)
    if len(kept) >= measured.size:
        raise ModelError(
            f"{measured.size} measured values do not determine {len(kept)} parameters of '{run.model.name}'; measure "
            "longer"
        )
    mixing = mixing * sizes[kept][:, None] / sizes
    fit = _fitted(Y[:, :, kept], measured - regressor.known)
    combined, units = mixing[:, :count], sizes[:count]
    theta = _nearest(regressor.nominal, combined, fit.values, units)
    theta, impossible = _possible(theta, combined, fit.values, regressor, units)
    triangle = np.asarray(np.linalg.qr(fit.rows * sizes[kept], mode="r"))
    found = IdentifiedInertia(
        model=run.model,
        base=tuple(_title(names, row, k) for row, k in zip(mixing, kept, strict=True)),
        values=fit.values,
        deviations=fit.deviations,
        condition=float(np.linalg.cond(triangle)),
        noise=dict(zip(measures, fit.noise.tolist(), strict=True)),
        residuals=dict(zip(measures, fit.left.T, strict=True)),
        parameters=dict(zip(regressor.names, theta.tolist(), strict=True)),
        bodies=tuple(body.name for body in regressor.bodies),
        impossible=impossible,
    )
    _warn(found, triangle, [names[k] for k in kept])
    return found


class _Fit(NamedTuple):
    """Weighted rows, the solution, its standard deviations, the noise of each force, and the residuals."""

    rows: np.ndarray
    values: np.ndarray
    deviations: np.ndarray
    noise: np.ndarray
    left: np.ndarray


def _fitted(Y: np.ndarray, right: np.ndarray) -> _Fit:
    """Least squares with forces weighted by their noise, which residuals of equal weights estimate first."""
    times, forces, count = Y.shape
    noise, least = np.ones(forces), 1e-14 * float(np.abs(right).max())
    for _ in range(3):
        rows = (Y / noise[None, :, None]).reshape(-1, count)
        Q, R = np.linalg.qr(rows)
        values = scipy.linalg.solve_triangular(R, Q.T @ (right / noise).ravel())
        left = right - Y @ values
        used = noise
        noise = np.sqrt(np.maximum((left**2).sum(axis=0) / (times - count / forces), least**2))
    spread = np.linalg.norm(np.linalg.inv(R), axis=1) * np.sqrt(np.mean((noise / used) ** 2))
    return _Fit(rows, np.asarray(values), spread, noise, left)


def _measured(run: Trajectory, forces: Any) -> tuple[list[Readable], np.ndarray]:
    check.instance(forces, Mapping, "forces of identify_inertia()", hint="{hinge.angle: torques}")
    if not forces:
        raise ModelError("identify_inertia() has no forces; pass those of the actuators, {hinge.angle: torques}")
    columns = []
    for measure, values in forces.items():
        readable(measure, "a measure in forces of identify_inertia()")
        column = np.asarray(values, float)
        if column.shape != run.times.shape or not np.isfinite(column).all():
            raise ModelError(
                f"the forces along {measure} must be {run.times.size} finite numbers, one for each output time, got "
                f"the shape {column.shape}"
            )
        columns.append(column)
    return list(forces), np.stack(columns, axis=1)


def _bodies(run: Trajectory, bodies: Any) -> list[int]:
    every = list(run.system.bodies)
    for body in every:
        if body.modal_coordinates:
            raise ModelError(f"{body.title} is flexible: identify_inertia() supports rigid bodies")
    if bodies is None:
        return list(range(len(every)))
    if isinstance(bodies, RigidBody) or not isinstance(bodies, Sequence) or not bodies:
        raise ModelError(f"bodies of identify_inertia() must be a list of bodies, got {check.describe(bodies)}")
    return [
        run.system.body_number(check.instance(body, RigidBody, "a body of identify_inertia()")) - 1 for body in bodies
    ]


def _friction(
    run: Trajectory, actuators: list[Readable], rubbing: list[Readable]
) -> tuple[list[np.ndarray], list[str]]:
    """Columns of viscous and dry friction along measures that are actuated."""
    columns, names = [], []
    for measure in rubbing:
        if measure not in actuators:
            raise ModelError(f"friction along {measure} needs its force: add it to forces of identify_inertia()")
        place = actuators.index(measure)
        for word, values in (("viscous", run[measure].rate), ("dry", np.sign(run[measure].rate))):
            column = np.zeros((run.times.size, len(actuators), 1))
            column[:, place, 0] = values
            columns.append(column)
            names.append(f"{word} friction along {measure}")
    return columns, names


def _base(rows: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Independent columns, and the table K with Y = Y[:, kept] K."""
    sizes = np.linalg.norm(rows, axis=0)
    largest = float(sizes.max(initial=0.0))
    if largest == 0.0:
        raise ModelError("no force depends on a mass in this motion; move the mechanism faster")
    moving = np.flatnonzero(sizes > ROW_NOISE * largest)
    unit = rows[:, moving] / sizes[moving]
    triangle, order = scipy.linalg.qr(unit, mode="r", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(triangle)) > INDEPENDENT))
    basis, kept = np.zeros((rows.shape[0], 0)), []
    for k, column in zip(moving.tolist(), unit.T, strict=True):
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        size = float(np.linalg.norm(left))
        if size > INDEPENDENT:
            basis = np.column_stack([basis, left / size])
            kept.append(k)
    if len(kept) != rank:  # nearly dependent in this order: the most independent columns
        kept = sorted(moving[order[:rank]].tolist())
    mixing = np.linalg.lstsq(rows[:, kept] / sizes[kept], rows, rcond=ROW_NOISE)[0] / sizes[kept][:, None]
    mixing[np.abs(mixing) * sizes[kept][:, None] < 100.0 * INDEPENDENT * np.maximum(sizes, ROW_NOISE * largest)] = 0.0
    return kept, mixing


def _nearest(nominal: np.ndarray, combined: np.ndarray, values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Parameters with these base values, nearest to others in comparable units."""
    inner = combined[:, : nominal.size] * sizes
    step = np.linalg.lstsq(inner, values - combined @ nominal, rcond=ROW_NOISE)[0]
    return np.asarray(nominal + sizes * step)


def _possible(
    theta: np.ndarray, combined: np.ndarray, values: np.ndarray, regressor: InertiaRegressor, sizes: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Physically possible parameters with the same forces, by projections in turn; else the bodies that are not."""
    d, count = regressor.dimensions, len(regressor.bodies)

    def faults(at: np.ndarray) -> list[int]:
        found = []
        for k, line in enumerate(at.reshape(count, -1)):
            eigenvalues = np.linalg.eigvalsh(pseudo_inertia(line, d))
            if eigenvalues[0] < -FEASIBLE * max(float(np.abs(eigenvalues).max()), 1e-300):
                found.append(k)
        return found

    now = theta.copy()
    for _ in range(PROJECTIONS):
        wrong = faults(now)
        if not wrong:
            return now, ()
        table = now.reshape(count, -1).copy()
        for k in wrong:
            eigenvalues, axes = np.linalg.eigh(pseudo_inertia(table[k], d))
            raised = np.maximum(eigenvalues, FEASIBLE * np.abs(eigenvalues).max())
            table[k] = from_pseudo_inertia((axes * raised) @ axes.T, table[k], d)
        now = _nearest(table.ravel(), combined, values, sizes)
    return theta, tuple(regressor.bodies[k].name for k in faults(now))


def _title(names: list[str], row: np.ndarray, own: int) -> str:
    """A base parameter: its own name and what is added to it."""
    parts = [names[own]]
    for k, factor in enumerate(row):
        if k != own and factor != 0.0:
            parts.append(f"{'+' if factor > 0 else '-'} {abs(factor):.6g} {names[k]}")
    return " ".join(parts)


def _warn(found: IdentifiedInertia, scaled: np.ndarray, names: list[str]) -> None:
    if found.condition > MAX_EXCITATION_CONDITION:
        worst = int(np.argmax(np.abs(np.linalg.svd(scaled)[2][-1])))
        warn(
            f"the motion of '{found.model.name}' hardly excites {names[worst]}: the condition number is "
            f"{found.condition:.2g}; move faster and farther, or leave its body out of bodies="
        )
    if found.impossible:
        warn(
            f"no mass distribution has the identified parameters of {', '.join(map(repr, found.impossible))}; check "
            "the measured forces, friction and the motion"
        )


@dataclass(frozen=True, repr=False)
class IdentifiedInertia:
    """Base parameters: what the forces of a mechanism determine about its masses.

    | | |
    |---|---|
    | `base`        | names: "J of 'upper' + 1 m of 'fore'" is J + L^2 m with L = 1                                   |
    | `values`      | their values, in kg, m and s                                                                  |
    | `deviations`  | their standard deviations                                                                     |
    | `condition`   | of the excitation: ratio of the best to the least determined combination, in comparable units |
    | `noise`       | standard deviation of the force along each measure                                            |
    | `residuals`   | measured minus computed forces                                                                |
    | `parameters`  | m, m c and inertia about the origin of each body: nearest to the model, with the same forces  |
    | `impossible`  | names of bodies for which no mass distribution has such parameters                            |
    """

    model: Model
    base: tuple[str, ...]
    values: np.ndarray
    deviations: np.ndarray
    condition: float
    noise: dict[Readable, float]
    residuals: dict[Readable, np.ndarray]
    parameters: dict[str, float]
    bodies: tuple[str, ...]
    impossible: tuple[str, ...]

    def of(self, body: str) -> dict[str, float]:
        """The parameters of one body, by its name: {"m": ..., "m cx": ...}."""
        mark = f" of '{body}'"
        return {name.removesuffix(mark): value for name, value in self.parameters.items() if name.endswith(mark)}

    def __str__(self) -> str:
        width = max(len(name) for name in self.base)
        lines = [f"{'base parameter':{width}}  {'value':>12}  {'deviation':>10}"]
        for name, value, spread in zip(self.base, self.values, self.deviations, strict=True):
            lines.append(f"{name:{width}}  {value:12.6g}  {spread:10.2g}")
        return "\n".join([*lines, f"condition number of the excitation: {self.condition:.3g}"])

    def __repr__(self) -> str:
        return f"<{len(self.base)} base parameters of '{self.model.name}', condition {self.condition:.3g}>"
