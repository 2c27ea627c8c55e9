"""axle_sweep(model, left, right): kinematics and compliance of an axle on a test rig."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import assemble
from cardan.analysis.slow.quasi_static import quasi_static
from cardan.elements.constraints.driver import Driver
from cardan.elements.forces.load import Load
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Ramp
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.postprocess.suspension import AxleMotion, SuspensionWheel, WheelMotion

KINDS = ("parallel", "opposite", "side force", "braking force")


def axle_sweep(
    model: Model,
    left: SuspensionWheel,
    right: SuspensionWheel,
    *,
    kind: str = "parallel",
    size: float,
    points: int = 41,
    progress: bool | None = None,
) -> AxleMotion:
    """Move the wheels of an axle, or load them, as a test rig for kinematics and compliance does.

    The model is one axle whose chassis is the ground, x ahead, y left and z up, without drivers of wheel travel. Each
    wheel stands on a pad under its contact point. `kind="parallel"` moves both pads from -size to size (m) about their
    stated heights, "opposite" moves the right one against the left one. "side force" holds the pads and loads both
    contact points to the left, from -size to size (N), "braking force" backward. `points` is the number of points.

    The sequence is that of `quasi_static`, on a copy of the model, with bushings, springs and weight: `axle.run` is it.

    A swing axle, with arms of 0.6 m that turn about axes along the car; the camber is the angle of the arm:

    >>> from cardan import SuspensionWheel, axle_sweep
    >>> from cardan.spatial import Body, Model, Revolute, Spring
    >>> model, wheels = Model("swing axle", gravity=(0, 0, -9.81)), []
    >>> for side, name in ((1, "left"), (-1, "right")):
    ...     arm = model.add(Body(mass=20.0, position=(0, side * 0.7, 0.3)), name=name)
    ...     pivot = Revolute.between(model.ground, arm, at=(0, side * 0.1, 0.3), z=(1, 0, 0))
    ...     pivot = model.add(pivot, name=f"{name} pivot")
    ...     _ = model.add(Spring(pivot.angle, 5000.0, rest_angle=0.0), name=f"{name} spring")
    ...     center = arm.at(z=(0, 1, 0))
    ...     wheels.append(SuspensionWheel(center, 0.3, lower=arm.at(0, 0, -0.1), upper=arm.at(0, 0, 0.1)))
    >>> axle = axle_sweep(model, *wheels, kind="parallel", size=0.06, points=21)
    >>> f"{axle.left.camber[-1]:.6f} rad, {axle.roll_center_height[10]:.6f} m, {axle.left.wheel_rate[10]:.0f} N/m"
    '-0.097768 rad, 0.350000 m, 13725 N/m'
    """
    check.instance(model, Model, "the model of axle_sweep()")
    for wheel, word in ((left, "left"), (right, "right")):
        check.instance(wheel, SuspensionWheel, f"the {word} wheel of axle_sweep()")
        if wheel.center.body not in model:
            raise ModelError(f"the {word} wheel of axle_sweep() is not part of model '{model.name}'")
    check.choice(kind, KINDS, "the kind of axle_sweep()")
    size, points = check.positive(size, "the size of axle_sweep()"), check.count(points, "points")
    if points < 3:
        raise ModelError(f"axle_sweep() needs at least 3 points, got {points}")
    rig, *wheels = copy.deepcopy((model, left, right))
    pads = [_on_pad(rig, wheel, kind, size * sign) for wheel, sign in zip(wheels, _signs(kind), strict=True)]
    run = quasi_static(rig, np.linspace(-1.0, 1.0, points), progress=progress)
    forces = [run[pad].force for pad in pads]
    return AxleMotion(run, *wheels, kind=kind, forces=(forces[0], forces[1]))


def _signs(kind: str) -> tuple[float, float]:
    return (1.0, -1.0) if kind == "opposite" else (1.0, 1.0)


def _on_pad(rig: Model, wheel: SuspensionWheel, kind: str, size: float) -> Any:
    """The driver of the pad under a wheel, and the load on it."""
    there = assemble(rig, drivers=False)
    motion, body = WheelMotion(there.as_trajectory(), wheel), wheel.center.body
    local = there[body].matrix.T @ (motion.contact[0] - there[body].position)
    contact = body.at(*local.tolist())
    height, travels = float(motion.contact[0, 2]), kind in ("parallel", "opposite")
    pad = Driver(Measure("coordinate", None, contact, "z"), Ramp(size if travels else 0.0, height))
    side = "left" if motion.side > 0.0 else "right"
    if not travels:
        force = (0.0, Ramp(size), 0.0) if kind == "side force" else (Ramp(-size), 0.0, 0.0)
        rig.add(Load(contact, force), name=f"{side} contact force")
    return rig.add(pad, name=f"{side} pad")
