"""Warnings about flexible bodies that deform or spin too much for linear modes; see `model.flexible.linear_range`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import warn
from cardan.model.flexible.linear_range import (
    deflections,
    held_stiffness,
    neglected_displacement,
    neglected_stiffness,
    part_size,
    rotations,
)
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.model import Model

DEFLECTION = 0.1  # of the size of a body: displacements of 0.6 % of the size are then neglected
ROTATION = 0.2  # rad, of an interface: 1 % of the size
MAX_STIFFNESS_CHANGE = 0.05  # of the lowest modal stiffness: its frequency errs by half of that
MAX_EVALUATED = 40  # output times, those of the largest modal coordinates, at which the whole skin is looked at


def warn_of_linear_range(found: Trajectory | Snapshot) -> None:
    """Warn, for each flexible body, of large deformations and of missing geometric stiffening."""
    bodies = [body for body in found.system.bodies if body.modal_coordinates]
    if not bodies:
        return
    run = found.as_trajectory() if isinstance(found, Snapshot) else found
    if len(run):
        for body in bodies:
            for words in (_deformed(run, body), _spinning(run, body)):
                if words:
                    warn(words)


def _deformed(run: Trajectory, body: Any) -> str:
    """The warning about a large deformation."""
    part = body.part
    size = part_size(part)
    eta = run.q[:, run.system.pose_columns(body)[-part.modes :]]
    reach = np.array([coordinate.reach for coordinate in body.modal_coordinates])
    turned, names = rotations(part, eta)
    most = np.abs(eta) @ reach  # no point moves farther
    if most.max() <= DEFLECTION * size and turned.max() <= ROTATION:
        return ""
    chosen = np.argsort(most)[-MAX_EVALUATED:]
    moved = np.zeros(len(eta))
    moved[chosen] = deflections(part, eta[chosen])
    worst = np.maximum(moved / size / DEFLECTION, turned / ROTATION)
    k = int(np.argmax(worst))
    if worst[k] <= 1.0:
        return ""
    lost = neglected_displacement(size, float(moved[k]), float(turned[k]))
    return (
        f"{body.title} deforms beyond the range of linear modes at t = {run.times[k]:.6g} s: by {moved[k]:.3g} m, "
        f"{100.0 * moved[k] / size:.2g} % of its size" + _rotation(float(turned[k]), names[k]) + f". Displacements of "
        f"second order, about {lost:.2g} m, are neglected; state it as several flexible bodies welded together, or as "
        "exact beams (add_rod)"
    )


def _rotation(turned: float, name: str) -> str:
    return f", and '{name}' by {turned:.2g} rad" if turned > 0.5 * ROTATION else ""


def _spinning(run: Trajectory, body: Any) -> str:
    """The warning about missing geometric stiffening; stiffening=False is a choice."""
    if body.part.stiffening is not None or body.stated.part.stiffening is not None:
        return ""
    softest = held_stiffness(body.part, _joined(run.model, body))
    if not softest > 0.0:
        return ""
    spin, acceleration = _loads(run, body)
    share = neglected_stiffness(body.part, spin, acceleration) / softest
    k = int(np.argmax(share))
    if share[k] <= MAX_STIFFNESS_CHANGE:
        return ""
    return (
        f"{body.title} has no geometric stiffening, and at t = {run.times[k]:.6g} s it spins at "
        f"{np.linalg.norm(spin[k]):.3g} rad/s and accelerates, against its weight, by "
        f"{np.linalg.norm(acceleration[k]):.3g} m/s2: the tension that this causes changes its lowest stiffness by "
        f"about {100.0 * share[k]:.2g} %, which is neglected; reduce its part with frame='tangent', stiffening=True, "
        "or state it as several flexible bodies welded together"
    )


def _joined(model: Model, body: RigidBody) -> list[str]:
    """The interfaces of a body at which constraints act."""
    terms = (measure for element in model.constraints for e in element.equations() for _, measure in e.terms)
    ends: list[Any] = [marker for measure in terms for marker in measure.markers()]
    return list(dict.fromkeys(end.interface for end in ends if end.body is body and end.modes and end.interface))


def _loads(run: Trajectory, body: RigidBody) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity, and acceleration of the mass center minus gravity, in body axes at all times."""
    gravity = np.array(run.model.gravity, float)
    pulled = run[body.center_marker()].acceleration - gravity
    spin, acceleration = np.zeros((len(run), 3)), np.zeros((len(run), 3))
    if pulled.shape[1] == 3:
        return run[body].angular_velocity_b, np.einsum("tij,ti->tj", run[body].matrix, pulled)
    c, s = np.cos(run[body].angle), np.sin(run[body].angle)
    spin[:, 2] = run[body].angular_velocity
    acceleration[:, 0] = c * pulled[:, 0] + s * pulled[:, 1]
    acceleration[:, 1] = c * pulled[:, 1] - s * pulled[:, 0]
    return spin, acceleration
