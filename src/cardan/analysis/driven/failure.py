"""Messages of an analysis that cannot continue: a lock-up, a bifurcation, or a corner of an input."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.driven.singular import FAR, Singularity, farthest
from cardan.errors import LockUp, SimulationError
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.system import System


def stuck(
    system: System,
    found: Singularity | None,
    time: float,
    partial: Trajectory,
    branches: tuple[Snapshot, ...] = (),
    smooth: bool = True,
) -> LockUp | SimulationError:
    """The error of an analysis that cannot continue; `branches` leave a bifurcation, the smooth one first if known."""
    name = system.model.name
    if found is None:
        own = [e.name for e, f in zip(_owners(system), system.equations, strict=True) if f.function is not None]
        driven = [e.name for e, f in zip(_owners(system), system.equations, strict=True) if f.motion is not None]
        suspects = tuple(dict.fromkeys(own + driven))
        listed = " and ".join(f"'{suspect}'" for suspect in suspects[:4])
        return SimulationError(
            f"'{name}' could not be computed beyond t = {time:.9g} s: no step is small enough; "
            + (_runaway(partial) or f"{listed} may have a jump or a corner there{_ends(system)}"),
            time=time,
            elements=suspects,
            partial=partial,
        )
    elements = _strongest(system, found.rows)
    listed = ", ".join(f"'{element}'" for element in elements)
    moving = ", ".join(f"'{body}'" for body in _moving(system, found.motion))
    if found.away is not None:
        body = system.bodies[found.away].name
        text = (
            f"at t = {found.time:.9g} s '{name}' locks up: '{body}' moves to infinity, the only place where "
            f"{listed} still agree; if this is not intended, check the joints of '{body}', whose ends may be swapped"
        )
    elif found.kind == "lock-up":
        drivers = [system.elements[k].name for k in sorted(set(system.owner[system.driving].tolist()))]
        who = " and ".join(f"'{d}'" for d in drivers if d in elements) or "the drivers"
        text = (
            f"at t = {found.time:.9g} s '{name}' locks up: {who} cannot move it further; the force through {listed} "
            f"would grow without bound, and {moving} would have to move infinitely fast"
        )
    else:
        moves = "moves" if moving.count("'") == 2 else "move"
        text = (
            f"at t = {found.time:.9g} s the motion of '{name}' bifurcates: {listed} do not determine how {moving} "
            f"{moves} from there"
        )
        if branches and smooth:
            ways = "the continuation" if len(branches) == 1 else f"the {len(branches)} motions, the smooth one first"
            text += f"; at_bifurcation='smooth' continues smoothly, and the error's branches are {ways}"
        elif branches:
            text += f"; at_bifurcation=error.branches[0] starts along the first of the error's {len(branches)} branches"
    known = {"time": found.time, "elements": elements, "partial": partial}
    return LockUp(text, kind=found.kind, branches=branches, **known)


def _runaway(partial: Trajectory) -> str:
    """The body that moves away with growing speed, as where a condition can only be satisfied at infinity."""
    system = partial.system
    if len(partial) < 2:
        return ""
    k, away, _, _ = farthest(system, partial.q[0], partial.q[-1], partial.v[-1], partial.a[-1])
    if away < FAR * system.length:
        return ""
    start = system.width * (k + 1)
    speed = np.linalg.norm(partial.v[-1, start : start + system.space.dimensions])
    body = system.bodies[k].name
    return (
        f"'{body}' runs away: it is {away:.3g} m from where it began, and moves at {speed:.3g} m/s; check the joints "
        f"of '{body}', whose ends may be swapped"
    )


def _ends(system: System) -> str:
    """A hint about angles that end where they are singular, if drivers drive any."""
    kinds = {m.kind for r in np.flatnonzero(system.driving) for _, m in system.equations[r].terms}
    if not kinds & {"tilt", "rotation"}:
        return ""
    return (
        ", or their measure is singular there: Cardan angles and tilts at a quarter turn, rotation components at half "
        "a turn"
    )


def _owners(system: System) -> list[Any]:
    """The element of each row."""
    return [system.elements[k] for k in system.owner]


def _strongest(system: System, rows: np.ndarray) -> tuple[str, ...]:
    """The elements that carry the singular force, strongest first."""
    weight: dict[str, float] = {}
    for row, k in enumerate(system.owner):
        name = system.elements[k].name
        weight[name] = max(weight.get(name, 0.0), abs(rows[row]))
    top = max(weight.values())
    ranked = sorted(weight, key=lambda n: -round(weight[n] / top, 3))  # ties in the order of the model
    return tuple(n for n in ranked[:6] if weight[n] > 0.05 * top)


def _moving(system: System, motion: np.ndarray) -> list[str]:
    """The bodies that move most in the singular motion."""
    scaled = np.abs(motion[system.width :]) * np.sqrt(system.weights)
    share = [scaled[system.width * k : system.width * (k + 1)].max() for k in range(len(system.bodies))]
    ranked = sorted(range(len(share)), key=lambda k: -share[k])
    return [system.bodies[k].name for k in ranked[:3] if share[k] > 0.2 * share[ranked[0]]]
