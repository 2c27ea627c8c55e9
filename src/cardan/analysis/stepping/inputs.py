"""Inputs of a stepper: numbers of a model that a program changes between steps.

"drive", drive              a force element: the constant part of its force or torque
"thrust.fx"                 one component of a load
"motor", motor              a driver: the value that it reaches at the end of each step
"motor.rate"                the rate that it reaches, or "motor.acceleration", which it keeps
"pid.setpoint", "spring.stiffness", parameter(rod, "mass")      a number of the model
Held(...)                   a number that is held

Each input is one or more entries of tables, table[place] = base + slope u; a driver is a cubic over the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cardan.analysis.forward.state import Run
from cardan.analysis.stepping.kernels import ACCELERATION, RATE, TABLES, VALUE
from cardan.elements.constraints.driver import Driver
from cardan.elements.control.actuator import Actuator
from cardan.errors import CardanError, ModelError
from cardan.model import check
from cardan.model.curves.motion import Constant, Motion
from cardan.model.device import Held
from cardan.model.force import Force
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed, parameters_of
from cardan.numerics.compiled.block import block
from cardan.numerics.curves.motions import PIECEWISE, Term
from cardan.results.columns import rate_unit
from cardan.results.loads import law_measure, law_unit, named_laws
from cardan.system.cartesian.mechanism_tables import moving_devices
from cardan.system.compile import compile, rows_of
from cardan.system.forces import force_table
from cardan.system.system import System

Entry = tuple[int, int, float, float]  # table, place, base, slope

ORDERS = {"": VALUE, ".rate": RATE, ".acceleration": ACCELERATION}
PROBES = (0.0, 1.0, 0.5, -0.25)  # values of a parameter, relative to its own, at which its tables are compared
EXACT = 64.0 * float(np.finfo(float).eps)
DYNAMIC = TABLES[:6]  # tables that parameters may change between steps


@dataclass(frozen=True)
class Input:
    """One input: what it is called, its unit and its value at the start."""

    name: str
    unit: str
    start: float
    law: int | None = None  # the law whose constant part it is,
    driver: Driver | None = None  # or the driver whose motion it prescribes,
    order: int = VALUE
    parameter: Parameter | None = None  # or a number of the model,
    held: Held | None = None  # or one that is held


class Prescribed(Motion):
    """A cubic over the step at hand, whose coefficients a stepper writes."""

    def __init__(self, motion: Motion, time: float) -> None:
        self.value, self.rate, _ = (float(part) for part in motion.derivatives(time))
        self.time = time

    def terms(self) -> list[Term]:
        header = (1.0, 3.0, 1.0, 0.0)  # segments, degree, outputs, and how it continues outside
        return [Term(PIECEWISE, (1.0, *header, self.time, self.time + 1.0, self.value, self.rate, 0.0, 0.0))]

    def _evaluate(self, t: Any) -> Any:
        return self.value + self.rate * (t - self.time), self.rate, 0.0


def inputs_of(model: Model, system: System, stated: Any, time: float) -> list[Input]:
    """All inputs, checked, each once."""
    listed = [stated] if isinstance(stated, str | Force | Driver | Parameter | Held) else stated
    if not isinstance(listed, Sequence):
        raise ModelError(f"inputs of stepper() must be a list, got {check.describe(stated)}")
    found = [one for item in listed for one in _resolved(model, system, item, time)]
    for k, one in enumerate(found):
        for other in found[:k]:
            same_driver = one.driver is not None and one.driver is other.driver
            if one.name == other.name or same_driver:
                raise ModelError(f"'{other.name}' and '{one.name}' in inputs of stepper() are one input; list one")
    return found


def adapted(system: System, inputs: Sequence[Input], time: float) -> System:
    """The system in which forces and drivers that are inputs have table entries of their own."""
    laws = list(system.laws)
    for one in inputs:
        if one.law is not None:
            law = laws[one.law]
            if law.motion is None or isinstance(law.motion, Constant):
                motion: Any = Constant(one.start)
            else:
                motion = law.motion + Constant(one.start)
            stated = _stated_force(system.forces[one.law], law)
            laws[one.law] = replace(law, motion=motion, signal=None if stated is not None else law.signal)
    equations = list(system.equations)
    for one in inputs:
        if one.driver is not None:
            (row,) = system.rows_of(one.driver).tolist()
            motion = equations[row].motion
            assert motion is not None
            equations[row] = replace(equations[row], motion=Prescribed(motion, time))
    found = replace(system, laws=tuple(laws))
    if equations == list(system.equations):
        return found
    rows = rows_of(equations, system.measures, system.rows.scale.tolist())
    rows = rows._replace(offset=system.rows.offset.copy(), coefficient=system.rows.coefficient.copy())
    return replace(found, equations=tuple(equations), rows=block(rows))


def entries_of(
    model: Model, inputs: Sequence[Input], system: System, machine: Any, before: int, joint: bool
) -> list[list[Entry]]:
    """The table entries of each input; drivers have none. States of devices follow the number `before` in y."""
    found: list[list[Entry]] = []
    for one in inputs:
        if one.law is not None:
            motions = machine.forces.motions
            term = int(machine.forces.motion_start[one.law + 1]) - 1
            found.append([(0, int(motions.start[term]) + 1, 0.0, 1.0)])
        elif one.held is not None:
            found.append([(6, before + system.states.first(one.held), 0.0, 1.0)])
        elif one.parameter is not None:
            found.append(_of_parameter(model, inputs, one.parameter, joint))
        else:
            found.append([])
    return found


def system_now(run: Run, inputs: Sequence[Input], values: np.ndarray) -> System:
    """The system of a run with the present values of inputs, while the model has the values of its parameters."""
    system = run.system
    system.rows.motions.parameters[:] = run.machine.rows.motions.parameters
    laws = tuple(law for element in system.model.forces for law in element.laws())
    now = [replace(one, start=float(value)) for one, value in zip(inputs, values, strict=True) if one.law is not None]
    return adapted(replace(system, laws=laws), now, run.now)


def driver_places(inputs: Sequence[Input], system: System, rows: Any) -> list[tuple[int, int, int]]:
    """Of inputs that prescribe the motion of a driver: the input, its order, and where its parameters begin."""
    found = []
    for k, one in enumerate(inputs):
        if one.driver is not None:
            (row,) = system.rows_of(one.driver).tolist()
            found.append((k, one.order, int(rows.motions.start[rows.motion_start[row]])))
    return found


def _resolved(model: Model, system: System, item: Any, time: float) -> list[Input]:
    if isinstance(item, str):
        return [_named(model, system, item, time)]
    if isinstance(item, Force):
        names = [name for name, law in named_laws(system).items() if system.forces[law] is item]
        if not names:
            raise ModelError(
                f"{item.title} in inputs of stepper() applies no force of model '{model.name}'; name one of its "
                f"numbers, such as '{item.name}.setpoint'"
            )
        return [_of_law(system, name) for name in names]
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Driver):
        check.choice(item[1], ("rate", "acceleration"), f"what an input prescribes of {item[0].title}")
        return [_of_driver(model, item[0], f".{item[1]}", time)]
    if isinstance(item, Driver):
        return [_of_driver(model, item, "", time)]
    if isinstance(item, Parameter):
        parameters_of(model, [item], "stepper()")
        return [Input(item.name, "", item.value, parameter=item)]
    if isinstance(item, Held):
        if not any(item is owner for owner in system.states.owner):
            raise ModelError(f"'{item.name}' in inputs of stepper() is read by nothing in model '{model.name}'")
        return [Input(item.name or "held", "", item.start, held=item)]
    raise ModelError(
        "an input of stepper() must be a force, a driver, (driver, 'rate'), a parameter or the name of one, got "
        f"{check.describe(item)}"
    )


def _named(model: Model, system: System, name: str, time: float) -> Input:
    if name in named_laws(system):
        return _of_law(system, name)
    for ending in ORDERS:
        element = name.removesuffix(ending)
        driver = model[element] if name.endswith(ending) and element in model else None
        if isinstance(driver, Driver):
            return _of_driver(model, driver, ending, time)
    if name in model:
        title = model[name].title
        raise ModelError(
            f"{title} in inputs of stepper() is neither a force nor a driver; name one of its numbers, such as "
            f"'{name}.stiffness'"
        )
    (found,) = parameters_of(model, [name], "stepper()")
    return Input(name, "", found.value, parameter=found)


def _of_law(system: System, name: str) -> Input:
    k = named_laws(system)[name]
    law = system.laws[k]
    start = _stated_force(system.forces[k], law)
    if start is None:
        start = law.motion.value if isinstance(law.motion, Constant) else 0.0
    return Input(name, law_unit(law_measure(system, k).unit), start, law=k)


def _stated_force(element: Any, law: Any) -> float | None:
    """The number that an actuator was given as its signal; None for all other forces."""
    stated = element.signal if isinstance(element, Actuator) else None
    return float(stated) if isinstance(stated, int | float) else None


def _of_driver(model: Model, driver: Driver, ending: str, time: float) -> Input:
    if driver not in model:
        raise ModelError(f"{driver.title}, an input of stepper(), is not part of model '{model.name}'; add it")
    order, motion = ORDERS[ending], driver.motion
    assert isinstance(motion, Motion)
    start = float(motion.derivatives(time)[order]) if order < ACCELERATION else 0.0
    return Input(driver.name + ending, rate_unit(driver.measure.unit, order), start, driver=driver, order=order)


# --- numbers of the model ---


def _of_parameter(model: Model, inputs: Sequence[Input], one: Parameter, joint: bool) -> list[Entry]:
    """The entries that follow a parameter, found by comparing tables at a few of its values."""
    value = one.value
    step = abs(value) or 1.0
    values = np.array([value + share * step for share in PROBES])
    try:
        tables = [_tables(model, inputs, one, float(number)) for number in values]
    except CardanError as error:
        raise ModelError(
            f"'{one.name}' cannot be an input of stepper(), because other values of it are rejected: {error}"
        ) from error
    entries: list[Entry] = []
    for name in tables[0]:
        rows = [table[name] for table in tables]
        if any(row.shape != rows[0].shape for row in rows):
            raise _fixed(one, "changes the structure of the model")
        change = np.flatnonzero((np.array(rows) != rows[0]).any(axis=0))
        if not change.size:
            continue
        if name not in DYNAMIC or (joint and name in ("matter", "gravity")):
            what = (
                "masses in joint coordinates" if name in ("matter", "gravity") else "joints, markers, rotors or scales"
            )
            raise _fixed(one, f"changes {what}")
        for place in change.tolist():
            entries.append((DYNAMIC.index(name), place, *_affine(one, values, np.array([row[place] for row in rows]))))
    if not entries:
        raise ModelError(f"'{one.name}', an input of stepper(), has no effect on the motion of '{model.name}'")
    return entries


def _affine(one: Parameter, values: np.ndarray, numbers: np.ndarray) -> tuple[float, float]:
    slope = (numbers[1] - numbers[0]) / (values[1] - values[0])
    if abs(slope - round(slope)) <= EXACT * abs(slope):
        slope = float(round(slope))
    base = numbers[0] - slope * values[0]
    size = np.abs(numbers).max() + np.abs(slope * values).max()
    if abs(base) <= EXACT * size:
        base = 0.0
    if np.abs(base + slope * values - numbers).max() > EXACT * size:
        raise _fixed(one, "is not a factor or a summand in the equations")
    return float(base), float(slope)


def _fixed(one: Parameter, why: str) -> ModelError:
    return ModelError(
        f"'{one.name}' cannot be an input of stepper(), because it {why}: set it at a new start, "
        f"reset({{'{one.name}': ...}})"
    )


def _tables(model: Model, inputs: Sequence[Input], one: Parameter, value: float) -> dict[str, np.ndarray]:
    """All numbers of a model with another value of a parameter."""
    with changed(model, {one: value}, check=False):
        reserve = [constraint for element in model for constraint in element.reserve()]
        system = adapted(compile(model, reserve, forces=True), [i for i in inputs if i.law is not None], 0.0)
        forces = force_table(system, None, moving_devices(system))
        matter, gravity = system.matter(), np.array(model.gravity, float)
    circuit = forces.circuit
    return {
        "force_motions": forces.motions.parameters,
        "force_linear": forces.linear.reshape(-1),
        "signal_motions": circuit.motions.parameters,
        "signal_parameters": circuit.parameter,
        "matter": matter.reshape(-1),
        "gravity": gravity,
        "curves": forces.curves.parameters,
        "coefficients": np.concatenate([forces.coefficient, circuit.sum_coefficient]),
        "samples": circuit.sample.reshape(-1),
        "states": system.states.start,
        "markers": system.geometry.local.reshape(-1),
        "rotors": system.geometry.rotors.inertia,
        "rows": np.concatenate([system.rows.coefficient, system.rows.offset, system.rows.motions.parameters]),
        "row_parameters": system.rows.parameter,
        "scales": np.array([system.length]),
        "start": system.start,
    }
