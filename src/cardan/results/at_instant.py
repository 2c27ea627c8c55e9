"""What a lecture shows of a mechanism at one instant: free bodies, polygons of velocity and acceleration, poles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardan.results.free_body import FreeBody
    from cardan.results.poles import InstantCentres
    from cardan.results.polygon import Polygon
    from cardan.results.trajectory import Trajectory


class AtInstant(ABC):
    """Of a result say the time `at`; a snapshot has one time alone."""

    @abstractmethod
    def instant(self, at: float | None = None) -> Trajectory:
        """A result of one instant."""

    def free_body(self, body: Any, at: float | None = None) -> FreeBody:
        """Every force and torque on a body, named, in world axes, and their sum, which is zero.

        >>> from cardan import inverse_dynamics
        >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
        >>> model = Model("arm", gravity=(0, -9.81))
        >>> arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
        >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
        >>> motor = model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
        >>> cut = inverse_dynamics(model, [0.0, 0.1]).free_body(arm, at=0.0)
        >>> cut["hinge"].force.round(9).tolist(), round(float(cut["motor"].torque), 9), cut.closed
        ([-4.0, 19.62], 9.81, True)
        """
        from cardan.results.free_body import free_body

        return free_body(self.instant(at), body)

    def velocity_polygon(self, at: float | None = None) -> Polygon:
        """The velocities of all joints and named points of a planar mechanism: see `cardan.results.polygon`."""
        from cardan.results.polygon import velocity_polygon

        return velocity_polygon(self.instant(at))

    def acceleration_polygon(self, at: float | None = None) -> Polygon:
        """The accelerations of the same points, in their normal, tangential, sliding and Coriolis parts."""
        from cardan.results.polygon import acceleration_polygon

        return acceleration_polygon(self.instant(at))

    def instant_centres(self, at: float | None = None) -> InstantCentres:
        """The poles of all pairs of bodies of a planar mechanism: see `cardan.results.poles`."""
        from cardan.results.poles import instant_centres

        return instant_centres(self.instant(at))
