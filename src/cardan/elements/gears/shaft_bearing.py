"""Bearings with clearance and stiffness."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.contact.contact import amount
from cardan.elements.forces.two_marker_force import TwoMarkerForce
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Output, Rate, Value
from cardan.model.dimensions import ContactStiffness, Damping, Length, Ratio
from cardan.model.force import Corner, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class ShaftBearing(TwoMarkerForce[Marker]):
    r"""A bearing that yields: the shaft b moves in the housing a by a clearance, and against a stiffness beyond it.

           .-----.           d = e - clearance,  e: distance of the shaft from the center
          (  .-.  )
          ( ( b ) )  a       F = k d^n + c d',  F >= 0, toward the center, if d > 0
          (  '-'  )
           '-----'           in space also F_z = k_z d_z^n + c_z d_z' along the z axis of a, the shaft

    `stiffness` k is in N/m^n, n the `exponent`: 1, or 3/2 for balls and 10/9 for rollers. `clearance` is radial, half
    of the diametral clearance; without it the damper acts in all directions. In space, without an `axial_stiffness` the
    shaft slides freely; `tilt_stiffness` resists misalignment by a torque k_t times the sine of the angle between the z
    axes. The shaft turns freely: `Friction` takes `bearing.load` as its normal force. A bearing given by a full matrix
    of stiffness is a `Bushing`.

    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, Model, ShaftBearing
    >>> model = Model("journal", gravity=(0, -9.81))
    >>> shaft = model.add(Body(mass=10.0, inertia=0.1, position=(0.0, -2e-5)), name="shaft")
    >>> bearing = model.add(ShaftBearing(model.ground.at(), shaft.at(), stiffness=1e7, clearance=2e-5), name="bearing")
    >>> round(float(equilibrium(model)[shaft].position[1]) * 1e6, 3)  # -clearance - m g / k, in micrometers
    -29.81
    """

    stiffness: ContactStiffness
    clearance: Length = 0.0
    exponent: Ratio = 1.0
    damping: Damping = 0.0
    axial_stiffness: ContactStiffness | None = None
    axial_clearance: Length = 0.0
    axial_damping: Damping = 0.0
    tilt_stiffness: float = 0.0
    tilt_damping: float = 0.0
    device: Device = field(init=False, repr=False)
    signal_units: ClassVar[dict[str, str]] = {"load": "N", "eccentricity": "m", "x": "N", "y": "N", "z": "N"}

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("clearance", "damping", "axial_clearance", "axial_damping", "tilt_stiffness", "tilt_damping"):
            amount(getattr(self, name), f"{name} of a ShaftBearing", False)
        check.positive(self.stiffness, "the stiffness of a ShaftBearing")
        check.positive(self.exponent, "the exponent of a ShaftBearing")
        if self.axial_stiffness is not None:
            check.positive(self.axial_stiffness, "the axial_stiffness of a ShaftBearing")
        x, y = (Measure("component", self.a, self.b, axis) for axis in "xy")
        inputs = (Value(x), Value(y), Rate(x), Rate(y))
        numbers = (float(self.stiffness), float(self.clearance), float(self.exponent), float(self.damping))
        if self.axial_stiffness is None or len(self.a.place) == 2:
            device = Device(_pressed, inputs, ("x", "y", "load", "eccentricity"), (), numbers, "bearing")
        else:
            z = Measure("component", self.a, self.b, "z")
            axial = (float(self.axial_stiffness), float(self.axial_clearance), float(self.axial_damping))
            outputs = ("x", "y", "z", "load", "eccentricity")
            device = Device(_both, (*inputs, Value(z), Rate(z)), outputs, (), (*numbers, *axial), "bearing")
        object.__setattr__(self, "device", device)

    @property
    def load(self) -> Output:
        """The radial load F: `run[bearing.load].value`, or the normal force of a `Friction`."""
        return self.device["load"]

    def check(self) -> None:
        super().check()
        axial, flat = ("axial_clearance", "axial_damping"), len(self.a.place) == 2
        for name in ("axial_stiffness", *axial, "tilt_stiffness", "tilt_damping") if flat else ():
            if getattr(self, name):
                raise ModelError(f"{self.title} is planar and has no {name}: omit it, or use cardan.spatial")
        for name in axial if self.axial_stiffness is None else ():
            if getattr(self, name):
                raise ModelError(f"{name} of {self.title} has no effect without axial_stiffness=: give both")

    def laws(self) -> tuple[Law, ...]:
        axes = [axis for axis in "xyz" if axis in self.device.outputs]
        found = [Law(((1.0, self._component(axis)),), signal=self.device[axis], label=axis) for axis in axes]
        if len(self.a.place) == 3 and (self.tilt_stiffness or self.tilt_damping):
            for axis in "xy":
                tilted = ((1.0, Measure("dot", self.a, self.b, f"{axis}z")),)
                k, c = float(self.tilt_stiffness), float(self.tilt_damping)
                found.append(Law(tilted, stiffness=k, damping=c, label=f"tilt {axis}"))
        return tuple(found)

    def corners(self) -> tuple[Corner, ...]:
        """In the plane and in space, the axial force sets in at its clearance."""
        if self.axial_stiffness is None or not self.axial_clearance:
            return ()
        z, end = self._component("z"), float(self.axial_clearance)
        return Corner(z, end, 1), Corner(z, -end, -1)

    def _component(self, axis: str) -> Measure:
        return Measure("component", self.a, self.b, axis)


def _pressed(x, y, vx, vy, k, clearance, n, c):
    """Forces against x and y, load and eccentricity. Without clearance the damper acts in all directions."""
    e = math.sqrt(x * x + y * y + 1e-300)  # differentiable at the center
    if clearance == 0.0:
        spring = k * e ** (n - 1.0)
        fx, fy = spring * x + c * vx, spring * y + c * vy
        return fx, fy, math.sqrt(fx * fx + fy * fy + 1e-300), e
    depth = e - clearance
    if depth <= 0.0:
        return 0.0, 0.0, 0.0, e
    load = max(0.0, k * depth**n + c * (x * vx + y * vy) / e)
    return load * x / e, load * y / e, load, e


def _pushed(z, rate, k, clearance, n, c):
    """The axial force."""
    if clearance == 0.0:
        return k * z * math.sqrt(z * z + 1e-300) ** (n - 1.0) + c * rate
    if z > clearance:
        return max(0.0, k * (z - clearance) ** n + c * rate)
    if z < -clearance:
        return -max(0.0, k * (-clearance - z) ** n - c * rate)
    return 0.0


def _both(x, y, vx, vy, z, vz, k, clearance, n, c, axial_k, axial_clearance, axial_c):
    fx, fy, load, e = _pressed(x, y, vx, vy, k, clearance, n, c)
    return fx, fy, _pushed(z, vz, axial_k, axial_clearance, n, axial_c), load, e
