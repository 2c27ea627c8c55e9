"""inverse_dynamics(model, times): the forces of drivers and joints in a driven motion.

The motion is that of `kinematics`, the forces are computed by `loads`.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from cardan.analysis.coordinates import coordinates_of
from cardan.analysis.driven.kinematics import driven_motion
from cardan.analysis.driven.run import AtBifurcation, BifurcationChoice
from cardan.analysis.forward.stepping import carried
from cardan.analysis.loads.cartesian import loads_of, warn_of_bifurcations, warn_of_pulling
from cardan.analysis.loads.joint import joint_loads
from cardan.analysis.progress import ProgressOption
from cardan.analysis.unsupported import warn_of_frozen
from cardan.deprecation import renamed_arguments
from cardan.errors import Interrupted
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory


@renamed_arguments(at_fork="at_bifurcation")
def inverse_dynamics(
    model: Model,
    times: ArrayLike,
    *,
    start: Snapshot | None = None,
    at_bifurcation: AtBifurcation = "stop",
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    progress: ProgressOption = None,
) -> Trajectory:
    """Move the mechanism as its drivers prescribe, and compute the forces of drivers and joints.

    `run[driver].force` and `.power` are the force and power of a driver, `run[joint].force` and `.torque` the reaction
    of a joint, `run[spring].force` an applied force. All kinematic results are included. States of devices, and held
    values of `Sampled` controllers, keep their initial values, or those of `start`, with a warning.

    With `coordinates="joint"` motion and forces are computed in joint coordinates of a spanning tree, which contains
    the joints in `tree`: forces by the recursive Newton-Euler algorithm, unless constraints are redundant, forces read
    reactions, or contact points are coordinates. Results are the same.

    `at_bifurcation` selects the branch at bifurcations, as in `kinematics`. At a bifurcation itself forces are not
    determined: they are nan, with a warning, and may grow without bound near it.

    >>> import numpy as np
    >>> from cardan import inverse_dynamics
    >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
    >>> model = Model("arm", gravity=(0, -9.81))
    >>> arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    >>> motor = model.add(Driver(hinge.angle, Ramp(0.0)), name="motor")
    >>> run = inverse_dynamics(model, [0.0])
    >>> round(float(run[motor].force[0]), 9), run[hinge].force.round(9).tolist()
    (9.81, [[0.0, 19.62]])
    """
    chosen, bifurcations = coordinates_of(coordinates, tree, "inverse_dynamics"), BifurcationChoice(at_bifurcation)
    driven = driven_motion(
        model,
        times,
        "inverse_dynamics",
        start,
        progress=progress,
        forces=True,
        coordinates=chosen,
        bifurcations=bifurcations,
    )
    run = driven.run
    warn_of_frozen(run.system, "inverse_dynamics()")
    if start is not None:
        run.states[:] = carried(run.system, start)
    run.analysis = "inverse dynamics"
    try:
        run.loads = (joint_loads(run, *driven.joints) if driven.joints else None) or loads_of(run)
    except KeyboardInterrupt:
        run.stopped = Interrupted("interrupted: .partial has the motion, but no forces yet", partial=run)
        raise run.stopped from None
    run.find_loads = loads_of
    warn_of_pulling(run, run.loads)
    warn_of_bifurcations(run)
    return run
