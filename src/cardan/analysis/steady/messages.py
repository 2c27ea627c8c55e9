"""Messages if no steady motion was found, or if the result is not one."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.steady.balance import Balance, BalancePoint
from cardan.analysis.steady.search import Ending
from cardan.errors import ModelError, SimulationError
from cardan.numerics.linalg.rank import FREE_PIVOT


def not_found(balance: Balance, ending: Ending, partial: Any) -> Exception:
    """The message about equations that are not satisfied: the largest error, and whether there are too many."""
    system = balance.system
    most, elements = worst(balance, ending)
    spare = _spare(balance, ending)
    if spare and not _parts(balance, ending):
        conditions = ", ".join(c.words for c in balance.asked.conditions)
        return ModelError(
            f"steady_motion() of '{system.model.name}' has {_count(spare, 'condition')} too many: balance and joints "
            f"determine all unknowns, {_listed(balance.names()) or 'the positions'}, and {conditions} cannot be "
            f"met; omit a condition, or leave an unknown open (spin=None, free=[...]); currently {most}",
            partial=partial,
            elements=elements,
        )
    return SimulationError(
        f"no steady motion of '{system.model.name}' was found near its start: after {ending.iterations} steps of "
        f"Newton's method {most}; start nearer to it, or give other conditions",
        time=balance.time,
        partial=partial,
        elements=elements,
    )


def too_few(balance: Balance, still_open: np.ndarray, partial: Any) -> ModelError:
    """The message about undetermined unknowns."""
    changed = np.abs(still_open[:, balance.system.coordinates :]).max(axis=0)
    names = [name for name, change in zip(balance.names(), changed, strict=True) if change > 1e-3]
    missing = len(still_open)
    return ModelError(
        f"steady_motion() of '{balance.system.model.name}' lacks {_count(missing, 'condition')}: {_listed(names)} may "
        f"have any value; state {'it' if len(names) == 1 else f'{_count(missing)} of them'}, or "
        f"{_count(missing, 'condition')} more with given={{measure: value}}, speed or radius",
        partial=partial,
    )


def parts_with_joints(balance: Balance, point: BalancePoint, partial: Any) -> ModelError:
    """The message about an equation whose second derivative does not fit the motion."""
    row = int(np.argmax(np.abs(point.drift)))
    element = balance.system.elements[balance.system.owner[row]]
    return ModelError(
        f"{balance.system.row_name(row)} of '{balance.system.model.name}' does not allow a steady motion: it "
        "prescribes a different acceleration; a driver must move at a constant rate, and joints to ground must leave "
        "the motion free",
        partial=partial,
        elements=(element.name,),
    )


def rotating_force_message(balance: Balance, lost: float, coordinate: int, partial: Any) -> ModelError:
    """The message about forces that do not rotate with the mechanism."""
    model, axis = balance.system.model, balance.twist.axis
    gravity = np.zeros(3)
    gravity[: len(model.gravity)] = model.gravity
    across = float(np.linalg.norm(np.cross(axis, gravity))) > 1e-9 * float(np.linalg.norm(gravity))
    why = (
        "gravity is not along the axis"
        if partial.spin != 0.0 and across
        else "a force, a motion in time or a joint to ground does not rotate with it"
    )
    return ModelError(
        f"'{model.name}' is in balance now, but would not stay in balance: along the motion forces change by "
        f"{lost:.1e} of the largest per radian, most of all along the {balance.system.coordinate_name(coordinate)}, as "
        f"{why}; no steady motion exists; use simulate() or periodic_motion() instead",
        partial=partial,
    )


def worst(balance: Balance, ending: Ending) -> tuple[str, tuple[str, ...]]:
    """A description of the largest error, and the elements concerned."""
    system, point = balance.system, ending.point
    n, closed = system.coordinates, np.flatnonzero(balance.closed)
    k = int(np.argmax(np.abs(ending.residual)))
    if k < n:
        return (
            f"{ending.error:.1e} of the forces stay out of balance along the {system.coordinate_name(k)}",
            (system.bodies[min(k // system.width, len(system.bodies) - 1)].name,),
        )
    k -= n
    if k < closed.size:
        row = int(closed[k])
        open_by = abs(float(point.phi[row])) * float(system.rows.scale[row])
        return f"{system.row_name(row)} stays open by {open_by:.3g} {system.equations[row].unit}", _owner(balance, row)
    k -= closed.size
    if system.row_count <= k < point.slip.size:
        state = balance.moving[k - system.row_count]
        pace = float(point.slip[k]) * float(system.states.scale[state])
        return f"state {system.state_name(state)} keeps changing, at {pace:.3g} per second", ()
    if k < point.slip.size:
        gap, unit = abs(float(point.slip[k])) * float(system.rows.scale[k]), system.equations[k].unit
        return (
            f"{system.row_name(k)} does not allow the motion, it would separate or slide at {gap:.3g} {unit}/s (is "
            "every wheel in spinning, and does the axis fit the joints to ground?)",
            _owner(balance, k),
        )
    condition = balance.asked.conditions[k - point.slip.size]
    gap = abs(float(point.conditions[k - point.slip.size])) * condition.scale
    return f"the condition {condition.words} is missed by {gap:.3g} {condition.unit}".rstrip(), ()


def _parts(balance: Balance, ending: Ending) -> bool:
    """Whether the largest error is a velocity that joints or wheels do not allow."""
    first = balance.system.coordinates + int(balance.closed.sum())
    return first <= int(np.argmax(np.abs(ending.residual))) < first + balance.system.row_count


def _owner(balance: Balance, row: int) -> tuple[str, ...]:
    return (balance.system.elements[balance.system.owner[row]].name,)


def _spare(balance: Balance, ending: Ending) -> int:
    """The number of conditions that depend on the other equations."""
    count = len(balance.asked.conditions)
    if not count:
        return 0
    sizes = [np.linalg.svd(matrix, compute_uv=False) for matrix in (ending.matrix, ending.matrix[:-count])]
    ranks = [int(np.sum(s > FREE_PIVOT * sizes[0][0])) for s in sizes]
    return count - (ranks[0] - ranks[1])


def _count(number: int, word: str = "") -> str:
    return f"{'one' if number == 1 else number} {word}{'s' if word and number != 1 else ''}".rstrip()


def _listed(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
