"""kinematics(model, times): position, velocity and acceleration of a fully driven mechanism.

Flexible bodies are deformed as drivers prescribe it, otherwise as stated. Two conditions on one measure, and distances
driven to zero, are contradictions that are found before anything is solved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.closing import Tolerances
from cardan.analysis.assembly.misfit import check_redundant_rows
from cardan.analysis.assembly.mobility import Mobility, mobility_at
from cardan.analysis.coordinates import CARTESIAN, Coordinates, Driven, coordinates_of
from cardan.analysis.driven.run import AtBifurcation, BifurcationChoice, DrivenRun
from cardan.analysis.progress import Progress, ProgressOption
from cardan.analysis.unsupported import warn_of_limits
from cardan.deprecation import renamed_arguments
from cardan.elements.constraints.driver import Hold
from cardan.errors import LockUp, ModelError, SimulationError, warn
from cardan.model import check
from cardan.model.element import Constraint, Equation
from cardan.model.flexible.modal_coordinate import ModalMarker, modal_measure
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.system import System

LIMIT_CHECKS = 8  # checks of limits between two output times


@renamed_arguments(equation_tolerance="tolerance")
@renamed_arguments(at_fork="at_bifurcation")
def kinematics(
    model: Model,
    times: ArrayLike,
    *,
    start: Snapshot | None = None,
    tolerance: float = Tolerances._field_defaults["equation"],
    step_tolerance: float = Tolerances._field_defaults["step"],
    iterations: int = Tolerances._field_defaults["iterations"],
    at_bifurcation: AtBifurcation = "stop",
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: ProgressOption = None,
) -> Trajectory:
    """Move the mechanism as its drivers prescribe; `times` are the output times.

    The mechanism is assembled at times[0] from its given positions, or from those of `start`. Between output
    times the analysis takes as many steps as it needs. A position is accepted when all equations hold to `tolerance`
    and the last Newton correction is below `step_tolerance` (lengths relative to the size of the model); a step that
    needs more than `iterations` corrections is halved.

    With `coordinates="joint"` the unknowns are joint coordinates of a spanning tree, which contains the joints in
    `tree`, see `joint_space`; the result is the same. If these fail, the analysis continues in Cartesian coordinates
    and reports why.

    Raises `LockUp` where the mechanism cannot continue, with the results so far in `.partial`. At a bifurcation
    (`.is_bifurcation`), `at_bifurcation="smooth"` continues along the smooth branch and
    `at_bifurcation=stop.branches[1]` along one of the branches in the error; a list has one choice for each
    bifurcation. `run.bifurcations` lists the bifurcations passed, `run.jumps` the times at which the curvature of a cam
    or slot jumps, and accelerations with it. A parallelogram crosses over:

    >>> import numpy as np
    >>> from cardan import LockUp, kinematics
    >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
    >>> model = Model("parallelogram")
    >>> crank, rocker = (model.add(Body(position=(x, 0), angle=1.0), name=n) for x, n in ((0, "crank"), (3, "rocker")))
    >>> coupler = model.add(Body(position=(np.cos(1.0), np.sin(1.0))), name="coupler")
    >>> hinge = model.add(Revolute(model.ground.at(), crank.at()), name="A")
    >>> for name, a, b in (
    ...     ("B", crank.at(1, 0), coupler.at()),
    ...     ("C", coupler.at(3, 0), rocker.at(1, 0)),
    ...     ("D", model.ground.at(3, 0), rocker.at()),
    ... ):
    ...     _ = model.add(Revolute(a, b), name=name)
    >>> motor = model.add(Driver(hinge.angle, Ramp(1.0, 1.0)), name="motor")
    >>> try:
    ...     kinematics(model, [0.0, 3.0])
    ... except LockUp as stop:
    ...     run = kinematics(model, [0.0, 3.0], at_bifurcation=stop.branches[1])
    >>> round(float(run[coupler].angle[-1]), 3), round(run.bifurcations[0].time + 1.0, 6)
    (0.408, 3.141593)
    """
    tolerances = (tolerance, step_tolerance, iterations)
    chosen, choice = coordinates_of(coordinates, tree, "kinematics"), BifurcationChoice(at_bifurcation)
    return driven_motion(
        model, times, "kinematics", start, tolerances, progress, coordinates=chosen, bifurcations=choice
    ).run


def driven_motion(
    model: Model,
    times: ArrayLike,
    analysis: str,
    start: Snapshot | None = None,
    tolerances: tuple[float, float, int] = (*Tolerances(),),
    progress: ProgressOption = None,
    *,
    forces: bool = False,
    coordinates: Coordinates = CARTESIAN,
    bifurcations: BifurcationChoice | None = None,
    drivers: Sequence[Constraint] | None = None,
) -> Driven:
    """The motion of `kinematics`; with `forces` the system includes the measures along which forces act.

    `drivers` replace those of the model.
    """
    check.instance(model, Model, f"the model of {analysis}()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="use the result of assemble()")
    grid = check.times(times)
    limits = Tolerances(
        check.positive(tolerances[0], "tolerance"),
        check.positive(tolerances[1], "step_tolerance"),
        check.count(tolerances[2], "iterations"),
    )
    positions = None if start is None else start.as_start(model)
    held = held_modes(model, analysis, forces)
    own = [] if drivers is None else [element for element in model.constraints if element.drives]
    if not own:
        reject_contradictions(model, grid)
    extra = [*held, *(drivers or ())]
    system = compile(model, extra, forces=forces, time=float(grid[0]), start=positions, without=own)
    begun = started(system, float(grid[0]))
    q, redundant = begun.q, begun.redundant
    if system.on_velocities.any():
        begun.require_regular()
        from cardan.analysis.driven.rolling import rolled_motion  # rarely needed, slow to import

        return Driven(rolled_motion(system, q, system.reference, grid, progress, coordinates))
    limits = limits._replace(equation=max(limits.equation, system.rounding))
    with Progress(analysis, grid.size, progress) as bar:
        found = None
        if coordinates.joint and begun.singular is None:
            from cardan.analysis.driven.joint_kinematics import joint_driven_motion  # rarely needed, slow to import

            found = joint_driven_motion(system, q, grid, limits, redundant, bar, coordinates.tree)
        velocity = start.v if start is not None and start.moves else None
        run = DrivenRun(system, grid, begun.active, limits, begun.degrees_of_freedom, bifurcations, velocity)
        result = found or Driven(run.go(q, redundant, bar, begun.singular))
    if result.run.set_aside:
        check_redundant_rows(result.run, range(system.row_count))
    warn_of_limits(result.run, parts=LIMIT_CHECKS)
    return result


class Started(NamedTuple):
    """The first position of a driven motion."""

    q: np.ndarray
    active: np.ndarray  # uint8[nr]: rows that are not redundant
    redundant: tuple[int, ...]
    degrees_of_freedom: int  # degrees of freedom of the joints
    singular: LockUp | None  # the error if the position is singular and the motion cannot start there

    def require_regular(self) -> None:
        """Raise the error of a singular configuration."""
        if self.singular is not None:
            raise self.singular


def started(system: System, time: float) -> Started:
    """Assemble a mechanism and determine its redundant rows."""
    _require_held(system)
    q, reference = assembled(system, time)
    system.reference[:] = reference
    report = mobility_at(system, q, time, reference, np.zeros(system.row_count))
    _require_driven(system, report)
    active = np.ones(system.row_count, np.uint8)
    active[list(report.rows)] = 0
    return Started(q, active, report.rows, report.degrees_of_freedom, _singular_start(system, report, time))


def _singular_start(system: System, report: Mobility, time: float) -> LockUp | None:
    """The error of a start in a singular configuration."""
    if not report.singular:
        return None
    element, label = report.singular[0]
    return LockUp(
        f"'{system.model.name}' starts in a singular configuration at t = {time:g} s, where '{element}' ({label}) "
        "depends on the other equations; start from another configuration",
        time=time,
        elements=tuple(dict.fromkeys(name for name, _ in report.singular)),
    )


def _require_held(system: System) -> None:
    touched = {int(c) // system.width for c in system.solver.column}
    for body in system.bodies:
        if system.number[id(body)] not in touched:
            raise ModelError(
                f"no joint or driver acts on body '{body.name}': add a joint or drivers, or remove the body"
            )


def _require_driven(system: System, report: Mobility) -> None:
    if report.undriven > 0:
        plural, free = "s" if report.undriven > 1 else "", ", ".join(report.independent[:4])
        raise ModelError(
            f"'{system.model.name}' needs {report.undriven} more driver{plural}: the motion of {free} is not prescribed"
            f"{_missing_driver_reason(report)}"
        )


def _missing_driver_reason(report: Mobility) -> str:
    """The likely reason, or remedy, where drivers are missing."""
    if report.ineffective:
        element, label = report.ineffective[0]
        return f"; '{element}' ({label}) constrains nothing in this configuration: check its axes"
    return (
        f"; joint coordinates that can be driven: {', '.join(report.free_coordinates[:4])}"
        if report.free_coordinates
        else ""
    )


def held_modes(model: Model, analysis: str, warns: bool) -> list[Constraint]:
    """Constraints that hold all modal coordinates that no constraint of the model reads.

    Forces do not deform bodies in a driven motion; where forces are computed from it, a warning says so.
    """
    bodies = [body for body in model.bodies if body.modal_coordinates]
    if not bodies:
        return []
    terms = (measure for element in model.constraints for e in element.equations() for _, measure in e.terms)
    stated = {id(measure.b.coordinate) for measure in terms if isinstance(measure.b, ModalMarker)}
    found: list[Constraint] = []
    held: list[str] = []
    for body in bodies:
        for coordinate, value in zip(body.modal_coordinates, body.deformation, strict=True):
            if id(coordinate) not in stated:
                hold = Hold(modal_measure(coordinate), value)
                object.__setattr__(hold, "name", f"hold {coordinate.name}")
                found.append(hold)
                held.append(body.name)
    if held and warns:
        warn(
            f"{analysis}() does not compute the deformation of flexible bodies: that of '{held[0]}' stays as stated; "
            "use simulate() with the same drivers for forces that include vibration"
        )
    return found


MOTION_INTERVALS = 2000  # number of intervals at which motions are checked in addition to the output times

Statement = tuple[Constraint, Equation]


def reject_contradictions(model: Model, times: np.ndarray) -> None:
    """Raise `ModelError` if two elements prescribe one measure differently, or a distance becomes negative."""
    stated: dict[object, list[Statement]] = defaultdict(list)
    for element in model.constraints:
        for equation in element.equations():
            _reject_outside(element, equation, times)
            if equation.function is None and not equation.floating and not equation.period:
                stated[equation.velocity, frozenset(equation.terms)].append((element, equation))
    # The output times come first: users recognize them.
    grids = (times, np.linspace(times[0], times[-1], MOTION_INTERVALS + 1))
    for first, *others in stated.values():
        for grid in grids if others or _is_distance(first[1]) else ():
            _reject_differences(first, others, grid)
            _reject_negative_distance(first, grid)


def prescribed(element: Constraint, equation: Equation, times: np.ndarray) -> np.ndarray:
    """The value that an equation prescribes for its measures, as a function of time."""
    if equation.motion is None:
        return np.full(times.size, equation.offset)
    try:
        return equation.offset + np.asarray(equation.motion(times), float)
    except SimulationError as failure:
        message = f"{element.title} cannot be evaluated: {failure}"
        raise SimulationError(message, time=failure.time, elements=(element.name,)) from failure


def _reject_outside(element: Constraint, equation: Equation, times: np.ndarray) -> None:
    """Find tables that end too early. The analysis itself reports errors of user functions, with partial results."""
    if equation.motion is not None and not any(term.function for term in equation.motion.terms()):
        prescribed(element, equation, times)


def _reject_differences(first: Statement, others: list[Statement], times: np.ndarray) -> None:
    values = prescribed(*first, times)
    for other in others:
        asked = prescribed(*other, times)
        gap = np.abs(asked - values)
        k = int(np.argmax(gap))
        if gap[k] > 1e-9 * max(1.0, float(np.abs(values).max())):
            one, two = first[0], other[0]
            unit = f" {first[1].unit}" if first[1].unit else ""
            unit += "/s" if unit and first[1].velocity else ""
            raise ModelError(
                f"{one.title} and {two.title} contradict each other: at t = {times[k]:g} s they prescribe "
                f"{values[k]:g} and {asked[k]:g}{unit} for {first[1].words}; remove one of them",
                elements=(one.name, two.name),
            )


def _reject_negative_distance(statement: Statement, times: np.ndarray) -> None:
    element, equation = statement
    if not _is_distance(equation):
        return
    wanted = prescribed(element, equation, times) / equation.terms[0][0]
    if np.any(wanted <= 0.0):
        k = int(np.flatnonzero(wanted <= 0.0)[0])
        value = round(float(wanted[k]), 12) + 0.0  # neither -1e-16 nor -0
        raise ModelError(
            f"{element.title} prescribes a distance of {value:g} m at t = {times[k]:g} s; it must be positive",
            time=float(times[k]),
            elements=(element.name,),
        )


def _is_distance(equation: Equation) -> bool:
    return len(equation.terms) == 1 and equation.terms[0][1].kind == "length" and not equation.velocity
