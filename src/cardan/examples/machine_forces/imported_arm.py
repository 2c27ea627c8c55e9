r"""Imported arm: an arm with a gripper from a URDF file, and the torques needed for a reach.

                 upper arm      forearm   hand
        shoulder o------------o---------o--==        tau = sum m_i g x_i: all its masses hang on the shoulder
                 |          elbow     wrist
              [stand]

`from_urdf` turns links into bodies, joints into hinges and slides, and the mimic finger into a coupler. Drivers are
added as to any model. The arm starts stretched out and at rest.
"""

from __future__ import annotations

import math

from cardan import from_urdf
from cardan.examples import Headline, data
from cardan.spatial import Driver, Model, Step

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 1.2, 121)
SHOW = ("shoulder drive.force", "elbow drive.force", "tool.z")
REACH = {"base": 1.2, "shoulder": -0.9, "elbow": 1.4, "wrist": 0.6, "grip": 0.03}


def build(base: float = REACH["base"], shoulder: float = REACH["shoulder"], elbow: float = REACH["elbow"]) -> Model:
    """Where the joints go in a second."""
    model = from_urdf(data("arm.urdf"))
    wanted = REACH | {"base": base, "shoulder": shoulder, "elbow": elbow}
    for name, value in wanted.items():
        model.add(Driver(model.coordinate(name), Step(0.1, 1.1, 0.0, value)), name=f"{name} drive")
    return model


# upper arm, forearm, hand and two fingers at x = 0.2, 0.4 + 0.15, 0.7 + 0.04, 0.78 + 0.03; turning about y lowers them
_MOMENT = 1.5 * 0.2 + 1.0 * 0.55 + 0.4 * 0.74 + 0.1 * 0.81
HEADLINE = Headline(
    "torque that holds the arm stretched out",
    "N m",
    lambda run: math.copysign(float(run["shoulder drive"].force[0]), 1.0),
    expected=_MOMENT * 9.81,
    tolerance=1e-9,
)
