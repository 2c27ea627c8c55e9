"""The coordinates of an analysis: those of bodies, or those of the joints of a spanning tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint

if TYPE_CHECKING:
    import numpy as np

    from cardan.results.trajectory import Trajectory
    from cardan.system.tree.tables import JointTables

COORDINATES = ("auto", "cartesian", "joint")


class Coordinates(NamedTuple):
    """Whether joint coordinates are used, and joints that are always part of the tree."""

    joint: bool = False
    tree: tuple[Constraint, ...] = ()


CARTESIAN = Coordinates()


class Driven(NamedTuple):
    """A driven motion and, if it was computed in joint coordinates, the tree and its coordinates at each time."""

    run: Trajectory
    joints: tuple[JointTables, np.ndarray] | None = None


def require_joints(stated: Any, name: str, each: str) -> None:
    """Require a list of joints."""
    if isinstance(stated, Constraint) or not isinstance(stated, Sequence):
        raise ModelError(f"{name} must be a list of joints, got {check.describe(stated)}: put it in brackets")
    for joint in stated:
        check.instance(joint, Constraint, each)


def coordinates_of(stated: Any, tree: Any, analysis: str, always: bool = False) -> Coordinates:
    """Check `coordinates=` and `tree=` of an analysis; with `always` it always uses joint coordinates."""
    check.choice(stated, COORDINATES, "coordinates")
    require_joints(tree, "tree", f"a joint in tree of {analysis}()")
    by_joints = stated == "joint" or always
    if tree and not by_joints:
        raise ModelError(
            f"{tree[0].title} is in tree of {analysis}(), but coordinates='{stated}' have no tree: use "
            "coordinates='joint', or omit tree"
        )
    return Coordinates(by_joints, tuple(tree))
