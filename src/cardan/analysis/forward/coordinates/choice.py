"""Joints whose coordinates are integrated, and the methods that suit them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.forward.coordinates.joint import LARGEST, LOOSE, STATED, JointFormulation, reject_in_tree
from cardan.analysis.forward.settings import Settings
from cardan.errors import ModelError
from cardan.methods import Auto, Dop853, Radau, Symplectic
from cardan.model.device import Multiplier
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.results.simulation import Checkpoint
from cardan.system.system import System

NONE = np.zeros(0, np.int64)


def joint_formulation(
    system: System,
    state: tuple[np.ndarray, np.ndarray, np.ndarray, float],
    settings: Settings,
    events: Sequence[Any],
    released: Sequence[Constraint],
) -> JointFormulation:
    """Joint coordinates of a tree without the joints that must stay constraints."""
    laws = [event.law for event in events]
    read = _read(system, laws)
    if isinstance(settings.method, Symplectic):
        _require_symplectic_form(system, events, bool(read))
    reject_in_tree(settings.tree, read, "its reaction is read by a force or an event")
    return JointFormulation(system, state, settings, laws, read, released)


def suitable(settings: Settings, formulation: JointFormulation) -> Settings:
    """Settings that suit the number of joints: the dense matrix of many joints would dominate the cost."""
    size, method = formulation.unknowns, settings.method
    if isinstance(method, Auto) and size > LARGEST:
        return settings._replace(method=Dop853(max_step=method.max_step))
    if isinstance(method, Radau) and size > LARGEST:
        raise ModelError(
            f"'{formulation.system.model.name}' has {size} speeds and equations in joint coordinates, too many for the "
            "dense matrix of method 'radau': use coordinates='cartesian'"
        )
    return settings


def same_tree(settings: Settings, start: Checkpoint, system: System) -> tuple[Settings, tuple[Constraint, ...]]:
    """Settings with the tree of a checkpoint, and the joints that are not part of it."""
    places = range(len(system.elements))
    stated, loose = (
        tuple(system.elements[int(k)] for k in start.numbers.get(name, NONE).ravel().tolist() if k in places)
        for name in (STATED, LOOSE)
    )
    if settings.tree and {id(joint) for joint in settings.tree} != {id(joint) for joint in stated}:
        names = ", ".join(repr(joint.name) for joint in stated) or "no joints"
        raise ModelError(f"the checkpoint is of a run with {names} in tree: pass the same joints, or omit tree")
    return settings._replace(tree=stated), loose


def _read(system: System, laws: Sequence[Law]) -> list[Constraint]:
    """Constraints whose reactions are read by forces or events: the tree must not eliminate them."""
    signals = [signal for reader in system.readers for signal in reader.inputs]
    signals += [law.signal for law in (*system.laws, *laws) if law.signal is not None]
    return [signal.element for signal in signals if isinstance(signal, Multiplier)]


def _require_symplectic_form(system: System, events: Sequence[Any], read: bool) -> None:
    """Reject features that a symplectic method cannot integrate."""
    what = ""
    if system.rows.velocity.any():
        owner = system.elements[system.owner[int(np.argmax(system.rows.velocity))]]
        raise ModelError(
            f"{owner.title} is a velocity constraint, which method 'symplectic' cannot integrate: use another method"
        )
    if any(body.modal_coordinates for body in system.bodies):
        what = "flexible bodies"
    elif system.contact_coordinates:
        what = "contact coordinates, which have no momentum"
    elif read:
        what = "forces or events that depend on reactions"
    elif system.samplers:
        what = "sampled controllers"
    elif any(element.switched for element in system.elements):
        what = "impacts and friction that sticks"
    elif any(event.action is not None for event in events):
        what = "events with an action"
    if what:
        raise ModelError(
            f"method 'symplectic' cannot integrate {what}, which '{system.model.name}' has: use another method"
        )
