"""mobility(model): coordinates, equations, rank, degrees of freedom, and redundant constraints.

    J dq = 0 has  coordinates - rank  independent solutions: the degrees of freedom    (Haug 3.7, 4.6)

Joints come before drivers, in the order in which they were added: an equation is redundant if those before it imply
it, and a driver can only be redundant with joints and earlier drivers. Velocity constraints (rolling, blades)
come after all other joints: they imply nothing about positions. If the rank rises when the mechanism is moved a little,
the configuration is singular, and nothing is redundant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED, assembled, quantity
from cardan.analysis.assembly.nearest import Closing
from cardan.counts import counted
from cardan.deprecation import RenamedAttribute, renamed_arguments
from cardan.errors import AssemblyError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.space import advance
from cardan.numerics.linalg.rank import SINE
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.shortcuts import Savable
from cardan.system.balance import balance
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

NUDGE = 1e-2  # relative to the model's length, and rad: displacement that distinguishes redundant from singular
NEARBY = 1e-4  # sine that counts as zero after this displacement, since flat positions close with errors of 1e-6
# relative to the model's length, and rad: with dimensional errors of NUDGE, larger gaps mean that it does not close
OPEN = 1e-5
STILL = 1e-6  # of the largest rate of a coordinate, in rad or lengths of the model: rates that count as zero
MAX_NAMED = 4  # number of contradicting equations named in the paragraph, those with the largest gaps
Named = tuple[str, str]  # element and equation


@renamed_arguments(
    freedoms="degrees_of_freedom",
    parting="separating",
    offers="free_coordinates",
    idle="ineffective",
    unheld="unconstrained_bodies",
)
@dataclass(frozen=True)
class Mobility(Savable):
    """Degrees of freedom of a mechanism. `repr` is a paragraph; `view()` and `save("why.html")` show the motions."""

    model: str
    coordinates: int
    equations: int  # of joints
    rank: int  # of these
    driver_equations: int
    degrees_of_freedom: int  # without drivers: of the velocities
    undriven: int  # degrees of freedom that the drivers leave, never negative
    redundant: tuple[Named, ...]  # equations of joints that others imply
    redundant_drivers: tuple[Named, ...]
    separating: tuple[tuple[str, str, float], ...]  # redundant ones with a different velocity, and by how much
    conflicting: tuple[tuple[str, str, float], ...]  # equations that contradict others, and by how much
    implied_by: dict[Named, tuple[str, ...]]  # for each redundant equation the elements that imply it
    singular: tuple[Named, ...]  # dependent in this configuration only
    independent: tuple[str, ...]  # a possible choice of independent coordinates
    free_coordinates: tuple[str, ...]  # coordinates of joints that can be driven
    ineffective: tuple[Named, ...]  # equations whose gradient vanishes here
    unconstrained_bodies: tuple[str, ...]  # without joints
    rows: tuple[int, ...]  # the redundant rows, joints and drivers, by number
    units: dict[Named, str]  # of the contradicting and redundant equations
    imperfect_rank: int | None = None  # rank with slightly wrong dimensions
    imperfect_open: bool = False  # whether the mechanism then does not close at all
    velocity_equations: int = 0  # velocity constraints among the joint equations
    velocity_rank: int = 0  # their contribution to the rank
    position: Snapshot | None = field(default=None, repr=False, compare=False)  # the position of the report

    position_freedoms = RenamedAttribute("position_degrees_of_freedom")
    imperfect_freedoms = RenamedAttribute("imperfect_degrees_of_freedom")

    @property
    def position_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the positions, without velocity constraints."""
        return self.degrees_of_freedom + self.velocity_rank

    @property
    def imperfect_degrees_of_freedom(self) -> int | None:
        """Degrees of freedom if the dimensions are slightly wrong; 0 if the mechanism then does not close."""
        if self.imperfect_open:
            return 0
        return None if self.imperfect_rank is None else self.coordinates - self.imperfect_rank

    def __repr__(self) -> str:
        return " ".join(_sentences(self))


def mobility(model: Model, *, time: float = 0.0, imperfect: bool = False) -> Mobility:
    """Count degrees of freedom and name redundant, contradicting or missing constraints.

    `imperfect=True` repeats the analysis with slightly wrong dimensions: a mechanism that then loses degrees of freedom
    only moves because its dimensions are exact.
    """
    check.instance(model, Model, "the model of mobility()")
    time = check.number(time, "the time of mobility()")
    check.flag(imperfect, "imperfect")
    system = compile(model, time=time)
    try:
        q, reference = assembled(system, time)
        gaps = np.zeros(system.row_count)
    except AssemblyError as failure:
        q, reference = failure.partial.q, system.turned(failure.partial.turns)
        work = _evaluated(system, q, time, reference)
        gaps = np.abs(work.phi) / system.rows.scale
        gaps[system.floating | system.on_velocities] = 0.0  # offsets set by an assembled position, or independent of it
        if set(failure.elements) <= {system.elements[k].name for k in system.owner[system.driving]}:
            gaps = _contradicting_drivers(system, q, time, reference, gaps)
    report = mobility_at(system, q, time, reference, gaps)
    if not imperfect:
        return report
    rank, is_open = _imperfect(system, q, time, reference)
    return replace(report, imperfect_rank=rank, imperfect_open=is_open)


def _contradicting_drivers(
    system: System, q: np.ndarray, time: float, reference: np.ndarray, gaps: np.ndarray
) -> np.ndarray:
    """The gaps of the drivers that joints and earlier drivers determine; of all drivers, if each is independent."""
    bound = [r.row for r in _rank(system, q, time, reference).redundant if system.driving[r.row]]
    kept = np.isin(np.arange(gaps.size), bound) if bound else system.driving
    return np.where(kept, gaps, 0.0)


def mobility_at(system: System, q: np.ndarray, time: float, reference: np.ndarray, gaps: np.ndarray) -> Mobility:
    """The report at a position; `gaps` are the scaled errors of the rows that do not close there."""
    work = _evaluated(system, q, time, reference)
    here = _rank_of(system, work)
    best, best_q = here, q
    if here.redundant:
        places = _moved(system, q, time, reference, here.independent)
        nearby = ((_rank(system, moved, time, reference, NEARBY), moved) for moved in places)
        best, best_q = min(((here, q), *nearby), key=lambda found: len(found[0].redundant))
    lasting = {redundancy.row: redundancy for redundancy in best.redundant}
    singular = [redundancy.row for redundancy in here.redundant if redundancy.row not in lasting]
    driving = system.driving
    open_rows = gaps > 1e3 * CLOSED
    names = {r: _name(system, r) for r in (*lasting, *singular)}
    joints = [r for r in lasting if not driving[r] and not open_rows[r]]
    drivers = [r for r in lasting if driving[r] and not open_rows[r]]
    # In a singular configuration the rank is that of nearby configurations.
    rank = int((~driving).sum()) - sum(not driving[r] for r in lasting)
    rolling = system.on_velocities & ~driving
    total = system.row_count - len(lasting)
    conflicts = np.flatnonzero(open_rows).tolist()
    pairs = zip(system.solver.column.tolist(), system.solver.row.tolist(), strict=True)
    touched = {column // system.width for column, row in pairs if system.elements[system.owner[row]].listed}
    return Mobility(
        model=system.model.name,
        coordinates=system.coordinates - system.implied_rows,
        equations=int((~driving).sum()) - system.implied_rows,
        rank=rank - system.implied_rows,
        driver_equations=int(driving.sum()),
        degrees_of_freedom=system.coordinates - rank,
        undriven=system.coordinates - total,
        redundant=tuple(names[r] for r in joints),
        redundant_drivers=tuple(names[r] for r in drivers),
        separating=_separating(system, work, here),
        conflicting=tuple((*_name(system, r), float(gaps[r] * system.rows.scale[r])) for r in conflicts),
        implied_by={names[r]: _implied_by(system, lasting[r]) for r in lasting},
        singular=tuple(names[r] for r in singular),
        independent=tuple(system.coordinate_name(int(c)) for c in best.independent[: system.coordinates - total]),
        free_coordinates=_free_coordinates(system, best, best_q, time, reference) if total < system.coordinates else (),
        ineffective=tuple(_name(system, r) for r in _idle(system, work)),
        unconstrained_bodies=tuple(b.name for b in system.bodies if not (b.follows or system.number[id(b)] in touched)),
        rows=tuple(sorted(lasting)),
        units={_name(system, r): system.equations[r].unit for r in {*conflicts, *(r.row for r in here.redundant)}},
        velocity_equations=int(rolling.sum()),
        velocity_rank=int(rolling.sum()) - sum(bool(rolling[r]) for r in lasting),
        position=Snapshot(system, time, q, turns=reference[system.winding]),
    )


def _rank(system: System, q: np.ndarray, time: float, reference: np.ndarray, tolerance: float = SINE) -> Any:
    return rank_at(system, q, time, reference, np.ones(system.row_count, bool), tolerance)


def rank_at(
    system: System, q: np.ndarray, time: float, reference: np.ndarray, kept: np.ndarray, tolerance: float = SINE
) -> Any:
    """The rank of the equations that are `kept`, at a position; the others are ignored."""
    return _rank_of(system, _evaluated(system, q, time, reference), kept, tolerance)


def _evaluated(system: System, q: np.ndarray, time: float, reference: np.ndarray) -> Any:
    """The work after the position pass."""
    work = system.work()
    evaluate_position(system.geometry, system.rows, q, time, reference, work)
    return work


def _rank_of(system: System, work: Any, kept: np.ndarray | None = None, tolerance: float = SINE) -> Any:
    """The rank of the equations as evaluated last."""
    from cardan.numerics.linalg.rank_report import Structure, rank_report

    rows, columns, values, shape = system.jacobian(work)
    return rank_report(
        (rows, columns, values if kept is None else values * kept[rows], shape),
        order_key=2 * system.driving + system.on_velocities,
        weights=balance(system, rows, columns, values),
        structure=Structure(*system.structure),
        tolerance=tolerance,
    )


def _separating(system: System, work: Any, report: Any) -> tuple[tuple[str, str, float], ...]:
    """Redundant rows that agree with the other equations in position, but not in velocity: J_r v = nu_r."""
    found = []
    asking = system.driving | system.on_velocities
    for redundancy in report.redundant:
        gap = abs(float(work.nu[redundancy.row] - redundancy.coefficients @ work.nu[redundancy.rows]))
        if asking[redundancy.row] and gap > 1e-6 * float(np.abs(work.nu).max(initial=0.0)):
            found.append((*_name(system, redundancy.row), gap))
    return tuple(found)


def _moved(system: System, q: np.ndarray, time: float, reference: np.ndarray, free: np.ndarray) -> Iterator[np.ndarray]:
    """Positions near q that close all joints without drivers: each free coordinate moved and held, and random ones."""
    random = np.random.default_rng(1)
    joints = (~system.driving & ~system.on_velocities).astype(np.uint8)
    unit = NUDGE * system.length / np.sqrt(system.weights)
    for k in [*free[:6], None, None]:
        weights, step = system.weights.copy(), system.speeds()
        if k is None:
            step[system.width :] = unit * random.standard_normal(unit.size)
        else:
            step[system.width + k] = unit[k]
            weights[k] *= 1e8
        moved = q.copy()
        advance(system.geometry, moved, step)
        moved, error, status = Closing(system, time, weights, joints).close(moved, reference.copy(), CLOSED)
        if status == 0 and error <= CLOSED:
            yield moved


def _imperfect(system: System, q: np.ndarray, time: float, reference: np.ndarray) -> tuple[int, bool]:
    """The rank of the joints with wrong dimensions where they are nearest to closed, and whether they stay open."""
    random = np.random.default_rng(2)
    joints = ~system.driving
    active = (joints & ~system.on_velocities).astype(np.uint8)
    wrong = replace(system, geometry=system.space.imperfect(system.geometry, random, NUDGE * system.length))
    moved = q.copy()
    closing = Closing(wrong, time, wrong.weights, active)
    reference = reference.copy()
    closing.least_open(moved, reference)
    # Joints stay open along dependent rows, where the rank is meaningless.
    redundant = [r for r in _rank(wrong, moved, time, reference, NEARBY).redundant if joints[r.row]]
    return int(joints.sum()) - len(redundant) - system.implied_rows, closing.error() > OPEN


def _free_coordinates(
    system: System, report: Any, q: np.ndarray, time: float, reference: np.ndarray
) -> tuple[str, ...]:
    """The coordinates of joints that can be driven: they have a rate in a motion that joints and drivers permit.

    Those of hinges and guides, the only ones of their joint, come first, and of these the ones on the ground.
    """
    listed = [(e, n, m) for e in system.elements if not e.drives for n, m in e.coordinates().items()]
    if report.null_space is None:  # of hundreds of degrees of freedom
        numbers = {int(c) // system.width for c in report.independent if int(c) < system.width * len(system.bodies)}
        bodies = {id(system.bodies[k]) for k in numbers}
        return tuple(f"{e.name}.{n}" for e, n, _ in listed if any(id(body) in bodies for body in e.bodies()))
    rates = _rates(system, [m for _, _, m in listed], report.null_space, q, time, reference)
    lengths = np.array([system.length if m.unit == "m" else 1.0 for _, _, m in listed])
    rates /= lengths
    moving = rates > STILL * rates.max(initial=0.0)
    ground = system.model.ground

    def place(k: int) -> tuple[bool, bool]:
        element = listed[k][0]
        return len(element.coordinates()) > 1, not any(body is ground for body in element.bodies())

    return tuple(f"{listed[k][0].name}.{listed[k][1]}" for k in sorted(np.flatnonzero(moving).tolist(), key=place))


def _rates(
    system: System, measures: list[Any], motions: np.ndarray, q: np.ndarray, time: float, reference: np.ndarray
) -> np.ndarray:
    """The length of the gradient of each measure along the motions, the columns of a matrix of coordinates."""
    count = motions.shape[1]
    if not measures or not count:
        return np.zeros(len(measures))
    v = np.zeros((count, system.width + system.coordinates))
    v[:, system.width :] = motions.T
    rows = [np.tile(one, (count, 1)) for one in (q, reference[system.winding])]
    run = Trajectory(system, time + np.arange(count), rows[0], v, np.zeros_like(v), turns=rows[1])
    return np.array([np.linalg.norm(table[:, 1]) for table in run.sample(measures)])


def _idle(system: System, work: Any) -> list[int]:
    """Rows whose gradient vanishes, such as a bevel gear on parallel shafts."""
    rows, columns, values, _ = system.jacobian(work)
    size = np.zeros(system.row_count)
    np.maximum.at(size, rows, np.abs(values) / system.rows.scale[rows] * (system.unit)[columns])
    return np.flatnonzero(size < 1e-9).tolist()


def _name(system: System, row: int) -> Named:
    return system.elements[system.owner[row]].name, system.equations[row].label


def _implied_by(system: System, redundancy: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(system.elements[system.owner[r]].name for r in redundancy.rows))


def _sentences(report: Mobility) -> list[str]:
    words = [
        f"'{report.model}' has {report.coordinates} coordinates, {counted(report.equations, 'joint equation')} of rank "
        f"{report.rank}, so {counted(report.degrees_of_freedom, 'degree of freedom')}; "
        f"{counted(report.driver_equations, 'driver')} leave{'s' if report.driver_equations == 1 else ''} "
        f"{report.undriven}."
    ]
    if report.velocity_equations:
        words.append(
            f"{counted(report.velocity_equations, 'joint equation')} "
            f"{'is a velocity constraint' if report.velocity_equations == 1 else 'are velocity constraints'}: "
            f"positions have {counted(report.position_degrees_of_freedom, 'degree of freedom')}, velocities "
            f"{report.degrees_of_freedom}."
        )
    for element, label in (*report.redundant, *report.redundant_drivers):
        why = [name for name in report.implied_by[element, label] if name != element][:6]
        given = f" (implied by {', '.join(repr(name) for name in why)})" if why else ""
        words.append(f"Redundant: '{element}' ({label}){given}.")
    for element, label, gap in sorted(report.conflicting, key=lambda c: -c[2])[:MAX_NAMED]:
        unit = report.units.get((element, label), "")
        words.append(f"Contradicting: '{element}' ({label}) stays open by {quantity(gap, unit)}.")
    for element, label, gap in report.separating:
        unit = report.units.get((element, label), "")
        speed = f"{gap:.4g} {unit}/s" if unit else f"{gap:.4g} per second"
        words.append(f"Contradicting: '{element}' ({label}) prescribes a velocity that is off by {speed}.")
    if len(report.conflicting) > MAX_NAMED:
        words.append(f"{len(report.conflicting) - MAX_NAMED} more equations contradict others.")
    for element, label in report.singular:
        words.append(f"Singular configuration: '{element}' ({label}) depends on others here, but not nearby.")
    if report.unconstrained_bodies:
        words.append(f"Without joints: {', '.join(repr(name) for name in report.unconstrained_bodies)}.")
    for element, label in report.ineffective:
        words.append(f"Ineffective: '{element}' ({label}) constrains nothing in this configuration.")
    if report.undriven > 0 and report.independent:
        offers = (
            f"; joint coordinates that can be driven: {', '.join(report.free_coordinates[:4])}"
            if report.free_coordinates
            else ""
        )
        words.append(
            f"Missing drivers: {report.undriven} (simulate() needs none), for instance on "
            f"{', '.join(report.independent[:6])}{offers}."
        )
    if report.redundant_drivers:
        words.append(f"Redundant drivers: {len(report.redundant_drivers)}.")
    if report.imperfect_degrees_of_freedom is not None:
        if report.imperfect_open:
            words.append("With slightly wrong dimensions it would not close: it only moves because they are exact.")
        elif report.imperfect_degrees_of_freedom < report.degrees_of_freedom:
            words.append(
                f"With slightly wrong dimensions {counted(report.imperfect_degrees_of_freedom, 'degree of freedom')} "
                "would remain."
            )
        else:
            words.append("Slightly wrong dimensions do not change this.")
    return words
