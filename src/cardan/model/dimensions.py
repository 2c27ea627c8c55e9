"""Dimensions of numbers, as annotations of arguments: `radius: Length`.

All numbers are in SI. Model files use the dimension to convert and check units; a plain `float` is a number whose
dimension is unknown. A dimension is a product of length, mass, time, angle, force and current. `V` is the dimension of
the measure of an element, `W` that of the force or torque along it, `n` the exponent of a contact or stop. In motions
f(x), `V` is the dimension of f and `X` that of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np


class Dimension(NamedTuple):
    """The dimension of a number."""

    text: str


# vectors in two or three dimensions
Position: TypeAlias = Sequence[float] | np.ndarray
Velocity: TypeAlias = Sequence[float] | np.ndarray
Direction: TypeAlias = Sequence[float] | np.ndarray

Ratio = Annotated[float, Dimension("1")]
Mass = Annotated[float, Dimension("mass")]
Length = Annotated[float, Dimension("length")]
Area = Annotated[float, Dimension("length^2")]
Volume = Annotated[float, Dimension("length^3")]
SecondMoment = Annotated[float, Dimension("length^4")]
Angle = Annotated[float, Dimension("angle")]
Curvature = Annotated[float, Dimension("angle/length")]
Duration = Annotated[float, Dimension("time")]
AngularSpeed = Annotated[float, Dimension("angle/time")]
Speed = Annotated[float, Dimension("length/time")]
Acceleration = Annotated[float, Dimension("length/time^2")]
Density = Annotated[float, Dimension("mass/length^3")]
ForceMagnitude = Annotated[float, Dimension("force")]
Pressure = Annotated[float, Dimension("force/length^2")]
Stiffness = Annotated[float, Dimension("force/length")]
Damping = Annotated[float, Dimension("force*time/length")]
CorneringStiffness = Annotated[float, Dimension("force/angle")]
ContactStiffness = Annotated[float, Dimension("force/length^n")]
ContactDamping = Annotated[float, Dimension("time/length")]
Current = Annotated[float, Dimension("current")]
MeasureValue = Annotated[float, Dimension("V")]
MeasureRate = Annotated[float, Dimension("V/time")]
MeasureStiffness = Annotated[float, Dimension("W/V")]
MeasureInertia = Annotated[float, Dimension("W*time^2/V")]
MeasureDamping = Annotated[float, Dimension("W*time/V")]
StopStiffness = Annotated[float, Dimension("W/V^n")]
MotionArgument = Annotated[float, Dimension("X")]
MotionFrequency = Annotated[float, Dimension("angle/X")]
MotionSlope = Annotated[float, Dimension("V/X")]
MotionAcceleration = Annotated[float, Dimension("V/(X)^2")]
MotionJerk = Annotated[float, Dimension("V/(X)^3")]
