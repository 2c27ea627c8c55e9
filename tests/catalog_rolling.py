"""What rolls or cuts, in small mechanisms that close: equations on velocities, in the plane and in space.

As in `catalog`, but these mechanisms are not fully driven: how a wheel turns follows from the way that it takes. Each
has wheels or blades on ground and on a body that moves.
"""

from __future__ import annotations

import math

import cardan.planar as flat
import cardan.spatial as space
from catalog import PlanarStage
from spatial_stage import LOOSE, SpatialStage, beside
from stage import catalog

UP = 0.5 * math.pi

PLANAR, planar_case = catalog(PlanarStage)
SPATIAL, spatial_case = catalog(SpatialStage, "spatial-")


@planar_case(flat.KnifeEdge)
def knife_edges(stage: PlanarStage) -> None:
    """A skate on ground, and one on a table that turns."""
    table, one, two = stage.crank(), stage.body("one", 0.3, 0.2, 0.4), stage.body("two", 0.5, -0.1, -0.7)
    stage.add("blade", flat.KnifeEdge(one.at(stage.vary(-0.2), 0.05, 0.3)))
    stage.add("blade-on-table", flat.KnifeEdge(table.at(0.1, 0.0, 1.0), two.at(stage.vary(0.1), 0.0, 0.2), axis="x"))


@planar_case(flat.RollingWheel)
def rolling_wheels(stage: PlanarStage) -> None:
    """A wheel on the floor, and one on a plank that turns, which stays there by a slot."""
    plank, radius = stage.crank(), stage.vary(0.2)
    one, two = stage.body("one", 0.3, radius, 0.4), stage.body("two", 0.4, 0.4, -0.7)
    stage.add("floor", flat.RollingWheel(stage.ground(0.1, 0.0), one.at(0.02, 0.01), radius))
    stage.add("slot", flat.PinInSlot(plank.at(0.0, 0.1, 0.1), two.at()))
    stage.add("plank", flat.RollingWheel(plank.at(0.0, 0.0, 0.1), two.at(), 0.1, contact=False))


@flat.velocity_constraint
def screwing(turn_rate, travel_rate, travel, pitch=0.1):
    """A thread whose pitch grows along it."""
    return travel_rate - pitch * (1.0 + travel * travel) * turn_rate


@flat.velocity_constraint
def belt(t, along_rate, speed=0.5):
    return along_rate - speed * math.sin(2.0 * t) - 0.1 * t


@planar_case(flat.velocity_constraint, flat.velocity_along)
def own_velocities(stage: PlanarStage) -> None:
    arm, nut = stage.crank(), stage.body("nut", 0.5, 0.3, 0.2)
    frame, point = arm.at(0.0, 0.1, 0.2), nut.at(0.03, 0.05, 0.4)
    stage.add("thread", screwing(flat.angle(frame, point), flat.component(frame, point, "x"), pitch=stage.vary(0.2)))
    stage.add("belt", belt(flat.velocity_along(frame, point, "y"), speed=0.7))


@spatial_case(space.KnifeEdge)
def knife_edges_in_space(stage: SpatialStage) -> None:
    hand, one = stage.wrist(), stage.body("one", 0.4, 0.1, -0.2, turn=(0.3, 0.2, -0.5))
    stage.add("blade", space.KnifeEdge(one.at(stage.vary(0.2), 0.05, -0.1, z=(1, 1, 3)), axis="z"))
    two = stage.mounted("two", hand, LOOSE.at(0.1, 0.0, 0.2, z=(1, 0, 1)), shift=(0.1, 0.2, 0.1), turn=(0.2, 0.4, 0.1))
    stage.add("blade-on-hand", space.KnifeEdge(hand, two))


@spatial_case(space.RollingWheel)
def rolling_wheels_in_space(stage: SpatialStage) -> None:
    """A coin on the floor that leans, and one on a plate that tumbles."""
    floor, plate, radius = stage.ground(0.1, 0.0, -0.3, z=(0.2, 0.1, 1.0)), stage.wrist(), stage.vary(0.3)
    leaning = (0.3, 1.2, 0.4)
    one = stage.mounted("one", floor, LOOSE.at(0.02, 0.01, 0.03), shift=(0.1, 0.2, radius), turn=leaning)
    stage.add("floor", space.RollingWheel(floor, one, radius))
    two = stage.mounted("two", plate, LOOSE.at(z=(1, 1, 0)), shift=(0.1, 0.2, 0.2), turn=(1.3, 0.4, -0.2))
    stage.add("plate", space.RollingWheel(plate, two, 0.2))


@spatial_case(space.RollingBall, space.angular_velocity_about)
def rolling_balls(stage: SpatialStage) -> None:
    """One on the floor, and one on a plate that tumbles, which does not spin there about the normal."""
    floor, plate, radius = stage.ground(0.1, 0.0, -0.3, z=(0.2, 0.1, 1.0)), stage.wrist(), stage.vary(0.3)
    one = stage.mounted("one", floor, LOOSE.at(0.02, 0.01, 0.03), shift=(0.1, 0.2, radius), turn=(0.3, 1.2, 0.4))
    stage.add("floor", space.RollingBall(floor, one, radius))
    two = stage.mounted("two", plate, LOOSE.at(), shift=(0.1, 0.2, 0.2))
    stage.add("height", space.Hold(space.component(plate, two, "z"), 0.2))
    stage.add("plate", space.RollingBall(plate, two, 0.2, contact=False))
    stage.add("no-spin", still(space.angular_velocity_about(plate, two, "z")))


@space.velocity_constraint
def still(spin_rate):
    return 1.0 * spin_rate


@space.velocity_constraint
def screwing_in_space(turn_rate, travel_rate, travel, t, pitch=0.1):
    return travel_rate - pitch * (1.0 + travel * travel) * turn_rate - 0.2 * math.cos(t)


@spatial_case(space.velocity_constraint, space.velocity_along)
def own_velocities_in_space(stage: SpatialStage) -> None:
    frame = stage.wrist()
    point = stage.mounted("nut", frame, LOOSE.at(0.1, 0.0, 0.2), shift=(0.1, 0.2, 0.3), turn=(0.2, 0.4, 0.1))
    turn, travel = space.angle(frame, point), space.component(frame, point, "z")
    stage.add("thread", screwing_in_space(turn, travel, pitch=stage.vary(0.2)))
    stage.add("aside", still(space.velocity_along(beside(frame, 0.1), point, "x")))
