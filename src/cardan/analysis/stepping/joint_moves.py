"""Joints of a tree, moved where a stepper starts."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import numpy as np

from cardan.analysis.forward.joint import JointFormulation
from cardan.analysis.forward.state import Run
from cardan.analysis.forward.stepping import first_step, make_consistent, reset_memory
from cardan.errors import ModelError
from cardan.model import check
from cardan.system.tree.recursion.kernels import BALL

RATE = ".rate"


def move_joints(run: Run, values: Mapping[str, float]) -> None:
    """Give coordinates of joints in the tree, or their rates, other values; close the loops."""
    formulation = run.formulation
    if not isinstance(formulation, JointFormulation):
        raise ModelError("reset(coordinates=...) needs joint coordinates: pass coordinates='joint' to stepper()")
    places = joint_places(formulation)
    y = run.stepper.y
    for name, value in values.items():
        if name not in places:
            near = get_close_matches(name, places, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"these are: {', '.join(places)}"
            raise ModelError(
                f"'{name}' is not a coordinate of a joint in the tree of '{run.system.model.name}': {hint}"
            )
        y[places[name]] = check.number(value, f"'{name}' of reset()")
    make_consistent(run)
    if not run.switching.empty:
        run.switching.settle(run)
    if run.scheme.recalls:
        reset_memory(run)
    run.stepper.clock.step = first_step(run, 1.0)


def joint_places(formulation: JointFormulation) -> dict[str, int]:
    """Places in y of joint coordinates with one number, and of their rates."""
    tree, speeds = formulation.mechanism.tree, formulation.tables.spanning.speeds
    found: dict[str, int] = {}
    for k in np.flatnonzero(tree.kind < BALL).tolist():
        place, rate = int(tree.first_q[k]), int(tree.first_v[k])
        found[speeds[rate]] = place
        found[speeds[rate] + RATE] = formulation.sizes.positions + rate
    return found
