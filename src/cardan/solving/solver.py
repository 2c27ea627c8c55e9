"""What solves in a page: the tables of an analysis and their program, with a description of where things are."""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.forward.events.event import Event
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import CardanWarning, ModelError
from cardan.methods import Bdf
from cardan.methods.historical import AdamsMethod
from cardan.methods.method import Method
from cardan.model import check
from cardan.model.marker import Marker
from cardan.model.model import Model
from cardan.model.parameter import AXES
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.settings import CHECKED, COMPILED
from cardan.results.columns import Columns
from cardan.results.simulation import Checkpoint, Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.solving.driven import DrivenTables, driven_batch
from cardan.solving.forces import ForcePlan, force_plan
from cardan.solving.hand_kernels import HandTables, close_hand, drag
from cardan.solving.parameters import Range, ranges_of, that_follow, unit_of
from cardan.solving.program import Program, interpreted_function
from cardan.solving.simulated import SimulationTables, readable, repeated, simulation_batch
from cardan.study.batch.kernels import DONE
from cardan.system.cartesian.numbers import Law
from cardan.system.system import System
from cardan.view.shapes.skin import skins_of

ANOTHER = (
    "its positions there differ by {far:.1e} m or rad, as where options of kinematics are others than in a page, or "
    "where the choice of steps amplifies rounding, such as on rough roads: omit such options, or state a smaller rtol"
)
REPEATED_POSITION = 1e-9  # of the size of the model: difference of positions up to which a page repeats a result


class Tables(NamedTuple):
    """All blocks of a page."""

    task: Any
    hand: Any


class Solver:
    """The program of a page, and a description of where things are in its memory."""

    def __init__(
        self, run: Trajectory, curves: Sequence[str], parameters: Any = None, drag_alone: bool = False
    ) -> None:
        """With `drag_alone`, a result that cannot be repeated gives a page in which bodies can be dragged."""
        check.instance(run, Trajectory, "the result of a page that solves", hint="of kinematics(), for example")
        if not COMPILED or CHECKED:
            raise ModelError("pages that solve contain machine code: unset NUMBA_DISABLE_JIT and CARDAN_BOUNDSCHECK")
        self.run, self.why, self.without_forces = run, "", ""
        self.ranges: list[Range]
        self.tables: Any
        try:
            self._repeating(run, curves, parameters)
        except ModelError as error:
            if parameters is not None or not drag_alone:
                raise
            self.run = run
            self._alone(run, str(error))

    def _repeating(self, run: Trajectory, curves: Sequence[str], parameters: Any) -> None:
        """Tables and program of the analysis. A driven motion begins as the model states, or else as the result."""
        _require_compiled(run.system)
        why = obstacle(run)
        if why:
            raise ModelError(f"the {run.analysis} of '{run.model.name}' cannot be repeated in a page: {why}")
        try:
            self._make(run, curves, parameters, None)
        except ModelError:
            if isinstance(run, Simulation):
                raise
            self._make(run, curves, parameters, run.at(float(run.times[0])))
        self.program.link()

    def _make(self, run: Trajectory, curves: Sequence[str], parameters: Any, start: Snapshot | None) -> None:
        """Tables that repeat the result."""
        with warnings.catch_warnings():  # of values beside those of the model, at which tables are made
            warnings.simplefilter("ignore", CardanWarning)
            if isinstance(run, Simulation):
                found = _simulated(run, curves, parameters)
            else:
                found = _driven(run, curves, parameters, start)
        self.ranges, self.tables, self.without_forces = found
        tables = self.tables
        entries = [*tables.entries, ("drag", drag, tables.hand), ("close", close_hand, tables.hand)]
        self.program = Program(block(Tables(tables.task, tables.hand)), entries)
        self._require_same()  # after the program has copied the tables: results would fill the page

    def _require_same(self) -> None:
        """Solve here, with the parameters as they are: the result must be that of the analysis.

        Where method "auto" tried another one, `run` becomes the simulation by the one of the page.
        """
        run, status = self.run, self.tables.solve()
        if status == DONE and self._differs(run) and isinstance(run, Simulation):
            self.run = run = repeated(run)
        if status != DONE or self._differs(run):
            why = ANOTHER.format(far=self._distance(run)) if status == DONE else self._stopped()
            raise ModelError(f"the {run.analysis} of '{run.model.name}' cannot be repeated in a page: {why}")

    def _stopped(self) -> str:
        """Why the analysis of a page ends early where Python goes on."""
        run, time = self.run, float(self.tables.control.time)
        if time <= run.times[0]:
            return "its start needs Python, because bodies touch, drivers disagree, or it is a singular position"
        if isinstance(run, Simulation):
            return f"from t = {time:.4g} s on it needs Python, which chooses another method or shorter steps"
        if run.set_aside:
            return f"at t = {time:.4g} s Python exchanges equations that are redundant at the start for others"
        return f"at t = {time:.4g} s it is near a singular position, at which Python chooses how to go on"

    def _differs(self, run: Trajectory) -> bool:
        """Whether the positions in the tables are not those of a result."""
        count = run.system.space.stored * (1 + len(run.system.bodies))
        reach = float(np.abs(run.q[:, :count]).max(initial=0.0))
        return not self._distance(run) <= REPEATED_POSITION * max(run.system.length, reach)

    def _distance(self, run: Trajectory) -> float:
        """The largest difference of positions in the tables from those of a result."""
        count = run.system.space.stored * (1 + len(run.system.bodies))
        return float(np.abs(self.tables.q[:, :count] - run.q[:, :count]).max(initial=0.0))

    def _alone(self, run: Trajectory, why: str) -> None:
        """A page in which bodies can be dragged, and that says why it does not repeat the analysis."""
        self.tables, self.ranges, self.why = HandTables(run), [], why
        hand = self.tables.hand
        self.program = Program(hand, [("drag", drag, hand), ("close", close_hand, hand)])
        self.program.link()

    def description(self, frames: np.ndarray) -> dict[str, Any]:
        """Where the page reads and writes, as JSON."""
        program, tables, system = self.program, self.tables, self.tables.system
        if isinstance(tables, HandTables):
            return self._described_hand()
        forces = tables.forces

        def table(array: np.ndarray) -> list[int]:
            return [program.address(array), array[0].size] if array.size else [0, 0]

        return {
            "analysis": self.run.analysis,
            "desks": {name: program.block(task) for name, _, task in tables.entries},
            "values": program.address(tables.values) if self.ranges else 0,
            "times": len(self.run),
            "frames": frames.tolist() if frames.size < len(self.run) else [],
            "q": table(tables.q),
            "turns": table(tables.turns),
            "winding": system.winding.tolist(),
            "modal": [int(k) for skin in skins_of(system) for k in range(skin.first, skin.first + skin.part.modes)],
            "curves": [[tables.curves, *table(tables.curve_table)]]
            + ([[tables.force_curves, *table(forces.block.curves)]] if forces else []),
            "factors": {name: _factor(self.run, name) for name in (*tables.curves, *tables.force_curves)},
            "reactions": [[one.name for one in forces.plan.elements], *table(forces.block.world)] if forces else None,
            "pushing": [*table(forces.block.motion.multipliers), forces.plan.pushing] if forces else None,
            "control": self._record(tables.control),
            "parameters": [_described(one, self.run.model) for one in self.ranges],
            "points": _points(system, self.ranges),
            **self._described_hand(),
        }

    def _described_hand(self) -> dict[str, Any]:
        """The part of the description that says where the hand is."""
        program, hand = self.program, self.tables.hand
        return {
            "why": self.why,
            "hand": program.block(hand),
            "held": self._record(hand.control),
            "point": program.address(hand.point),
            "target": program.address(hand.target),
            "handQ": [program.address(hand.q), hand.q.size],
            "handTurns": program.address(hand.reference) if hand.reference.size else 0,
        }

    def _record(self, control: Any) -> dict[str, int]:
        fields = control.array.dtype.fields
        return {name: self.program.address(control.array) + int(fields[name][1]) for name in fields}

    def packed(self, frames: np.ndarray) -> bytes:
        """What a page carries: the length of the description, the description, the program."""
        words = json.dumps(self.description(frames), separators=(",", ":"), allow_nan=False).encode()
        words += b" " * (-len(words) % 8)
        return gzip.compress(len(words).to_bytes(4, "little") + words + self.program.module, 9, mtime=0)


def _driven(
    run: Trajectory, curves: Sequence[str], parameters: Any, start: Snapshot | None
) -> tuple[list[Range], Any, str]:
    if run.analysis not in ("kinematics", "inverse dynamics"):
        raise ModelError(f"a page repeats kinematics, inverse dynamics and simulations, not {run.analysis}")
    plan, why = force_plan(run, curves) if run.analysis == "inverse dynamics" else (None, "")

    def follows(some: Sequence[Range]) -> Law | None:
        found = driven_batch(run, some, curves, plan is not None, start)
        return _both(None if found is None else found.law, plan, some)

    kept = _kept(run, follows, parameters)
    batch = driven_batch(run, kept, curves, plan is not None, start)
    assert batch is not None
    return kept, DrivenTables(batch, curves, _values(kept), plan, plan.law(kept) if plan else None), why


def _simulated(run: Simulation, curves: Sequence[str], parameters: Any) -> tuple[list[Range], Any, str]:
    (plan, why), read = force_plan(run, curves), readable(run, curves)

    def follows(some: Sequence[Range]) -> Law | None:
        found = simulation_batch(run, some, read)
        return _both(None if found is None else found.law, plan, some)

    kept = _kept(run, follows, parameters)
    batch = simulation_batch(run, kept, read)
    assert batch is not None
    return kept, SimulationTables(batch, read, _values(kept), plan, plan.law(kept) if plan else None), why


def _values(ranges: Sequence[Range]) -> np.ndarray:
    return np.array([one.parameter.value for one in ranges], float)


def _both(law: Law | None, plan: ForcePlan | None, ranges: Sequence[Range]) -> Law | None:
    """The law of a motion; its slopes include those of forces. None if one of them is missing."""
    if law is None or plan is None:
        return law
    other = plan.law(ranges)
    if other is not None:
        law.slopes = np.concatenate([law.slopes, other.slopes])
    return None if other is None else law


def _kept(run: Trajectory, follows: Any, parameters: Any) -> list[Range]:
    if follows([]) is None:
        raise ModelError(
            f"the {run.analysis} of '{run.model.name}' cannot be repeated in a page: singular starts, coordinates of "
            "contacts that follow no simple law, and models far from the origin need Python"
        )
    return that_follow(ranges_of(run.model, parameters, run.system.length), follows, parameters is not None)


def _require_compiled(system: System) -> None:
    """Reject functions that need Python, by name."""
    for function in system.functions():
        if not function.compiled:
            raise interpreted_function(function.name)


def obstacle(run: Trajectory) -> str:
    """What keeps a page from repeating a result; "" if nothing is known to."""
    return _of_simulation(run) if isinstance(run, Simulation) else _of_motion(run)


def _of_simulation(run: Simulation) -> str:
    method, options = run.options.get("method"), run.options
    if options.get("events"):
        event = options["events"][0]
        ends = isinstance(event, Event) and event.action is None
        return f"its {event.title} {'ends it at another time after a change' if ends else 'calls Python'}: omit events="
    if options.get("released"):
        return f"{options['released'][0].title} is released until an event engages it"
    if isinstance(options.get("start"), Checkpoint):
        return "it continues from a checkpoint: start it from a snapshot, such as run.at(t)"
    if isinstance(method, Method) and "cartesian" not in method.coordinates:
        return f"pages integrate Cartesian coordinates, method '{method.name}' those of joints: use another method="
    if isinstance(method, Bdf | AdamsMethod):
        return f"method '{method.name}' needs Python: use Dop853() or Radau()"
    return _sampling(run) or _following(run)


def _sampling(run: Trajectory) -> str:
    owners: tuple[Any, ...] = run.system.sampler_owners
    return f"{owners[0].title} calls a Python function at its sampling times" if owners else ""


def _of_motion(run: Trajectory) -> str:
    system = run.system
    rolling = [element for element in system.elements if system.on_velocities[system.rows_of(element)].any()]
    if rolling:
        return f"{rolling[0].title} constrains velocities, which kinematics in a page does not solve: use simulate()"
    return _following(run)


def _following(run: Trajectory) -> str:
    following = next((body for body in run.system.bodies if body.follows), None)
    return "" if following is None else f"the position of {following.title} follows from forces"


def _points(system: System, ranges: Sequence[Range]) -> list[dict[str, Any]]:
    """The points of joints: element, body, coordinates, and the parameters that they are, -1 for none."""
    known = {
        (id(place.holder), place.index[0] if place.index else AXES.index(place.attribute)): k
        for k, one in enumerate(ranges)
        for _, place in one.parameter.places
        if isinstance(place.holder, Marker) and (place.index or place.attribute in AXES)
    }
    return [
        {
            "element": element.name,
            "body": system.body_number(marker.body),
            "at": [float(x) for x in marker.place],
            "parameters": [known.get((id(marker), axis), -1) for axis in range(len(marker.place))],
        }
        for element in system.listed
        if isinstance(element, TwoMarkerJoint)
        for marker in (element.a, element.b)
        if marker.contact_coordinate is None
    ]


def _factor(run: Trajectory, name: str) -> float:
    """The number by which a curve is multiplied to be shown in the units of the model."""
    shown, _ = Columns(run.system, forces=True)[name].shown(run, np.ones(1))
    return float(shown[0])


def _described(one: Range, model: Model) -> dict[str, Any]:
    factor, unit = model.display.shown(unit_of(one.parameter, model))
    shown = {"name": one.parameter.name, "value": one.parameter.value, "low": one.low, "high": one.high}
    return shown | {"unit": unit, "factor": factor}
