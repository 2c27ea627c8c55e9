"""peak(run, what): the time at which the load of a joint, or a column, is largest.

worst = run.peak("B")              the largest force in joint B
worst.time, worst.value            its time and value
worst.free_bodies()                free-body diagrams of its bodies at that time
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.measure import Readable
from cardan.results.loads import law_unit
from cardan.results.reaction import Reaction, forces_of

if TYPE_CHECKING:
    from cardan.postprocess.free_body import FreeBody
    from cardan.results.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Peak:
    """The largest value over a run, at one of its output times."""

    run: Trajectory
    name: str
    value: float
    unit: str
    time: float
    index: int
    bodies: tuple[Any, ...]

    def free_bodies(self) -> list[FreeBody]:
        """Free bodies of the moving bodies of the element at this time."""
        moving = [body for body in self.bodies if body is not self.run.model.ground]
        return [self.run.free_body(body, at=self.time) for body in moving]

    def __repr__(self) -> str:
        factor, unit = self.run.model.display.shown(self.unit)
        return f"<{self.name}: {factor * self.value:.6g} {unit} at t = {self.time:g} s>"


def peak(run: Trajectory, what: Any, of: str = "force") -> Peak:
    """The largest magnitude of a quantity: the force of a joint, or its torque with of="torque"; the force of a driver
    or an applied force; or the signed value of a column such as "slider.ax".

    >>> import numpy as np
    >>> from cardan import inverse_dynamics
    >>> from cardan.examples import load
    >>> run = inverse_dynamics(load("slider-crank-forces").build(), np.linspace(0.0, 0.0314, 315))
    >>> run.peak("B").time < run.peak("guide").time
    True
    """
    check.choice(of, ("force", "torque"), "the quantity of a peak")
    if len(run) == 0:
        raise ModelError(f"the result of '{run.model.name}' is empty: it has no peak")
    if isinstance(what, str) and what not in run.model:
        if what not in run.columns:
            raise ModelError(f"the result of '{run.model.name}' has no element or column called '{what}'")
        owner = run.model[what.partition(".")[0]]
        bodies = (owner,) if isinstance(owner, run.model.body_type) else owner.bodies()
        return _largest(run, what, run[what], run.columns[what].unit, bodies)
    element = run.model[what] if isinstance(what, str) else what
    if not isinstance(element, Constraint | Force):
        raise ModelError(
            f"a peak is that of a joint, a driver, a force or a column by name, not of {check.short_repr(what)}"
        )
    forces_of(run)
    values, unit = _values(run, element, of)
    return _largest(run, element.name, values, unit, element.bodies())


def _values(run: Trajectory, element: Any, of: str) -> tuple[np.ndarray, str]:
    """The load of an element at every output time; the length of vectors."""
    if isinstance(element, Force):
        values, unit = np.asarray(run[element].force), _unit_of(element)
    elif isinstance(getattr(element, "measure", None), Readable):
        values, unit = np.asarray(run[element].force), law_unit(element.measure.unit)
    else:
        values, unit = np.asarray(getattr(Reaction(run, element), of)), "N" if of == "force" else "N m"
    return (values if values.ndim == 1 else np.linalg.norm(values, axis=1)), unit


def _unit_of(force: Force) -> str:
    found = {law_unit(measure.unit) for law in force.laws() for _, measure in law.terms}
    return found.pop() if len(found) == 1 else ""


def _largest(run: Trajectory, name: str, values: np.ndarray, unit: str, bodies: tuple[Any, ...]) -> Peak:
    k = int(np.nanargmax(np.abs(values)))
    return Peak(run, name, float(values[k]), unit, float(run.times[k]), k, tuple(bodies))
