"""Orientation in space: Euler parameters and all other representations of rotations.

An orientation is p = (e0, e1, e2, e3), Haug's Euler parameters, scalar first (the unit quaternion of other books):

    e0 = cos(chi/2),  e = u sin(chi/2)                 rotation chi about the unit axis u          (9.3.2)
    s = A(p) s'                                        body components s' to global ones s          (9.2.10)

All functions work on stacks: p may have any leading axes, (..., 4), so a whole motion is one call. Names that end in
`_b` are components in the body frame.

| to p                                | from p                         | representation                         |
|---|---|---|
| `from_matrix`                       | `matrix`                       | direction cosines                      |
| `from_axis_angle`                   | `axis_angle`                   | one rotation about one axis            |
| `from_rotation_vector`              | `rotation_vector`              | the same as one vector                 |
| `from_angles`                       | `angles`                       | three rotations: Euler, Bryant, ... |
| `from_points`, `from_axes`          |                                | points P, Q, R; directions             |
| `from_scipy`                        | `to_scipy`                     | `scipy.spatial.transform.Rotation`     |
| `with_turns`                        | `turns_of`                     | full turns, which p does not contain   |
| `rates`, `second_rates`             | `angular_velocity`, `angular_velocity_b` | motion                       |
| `parameter_moment`                  | `moment_b`                     | moments                      |
"""

from cardan.spatial.rotation.euler_angles import angles, from_angles
from cardan.spatial.rotation.parameters import (
    E,
    G,
    angular_velocity,
    angular_velocity_b,
    continuous,
    from_matrix,
    inverse,
    matrix,
    moment_b,
    multiply,
    parameter_moment,
    rates,
    rotate,
    second_rates,
    skew,
)
from cardan.spatial.rotation.stated import euler_parameters, from_scipy, to_scipy
from cardan.spatial.rotation.triad import from_axes, from_points
from cardan.spatial.rotation.turn import (
    axis_angle,
    from_axis_angle,
    from_rotation_vector,
    rotation_vector,
    tangent,
    tangent_inverse,
    tangent_rate,
)
from cardan.spatial.rotation.whole_turns import turns_of, with_turns

__all__ = [
    "E",
    "G",
    "angles",
    "angular_velocity",
    "angular_velocity_b",
    "axis_angle",
    "continuous",
    "euler_parameters",
    "from_angles",
    "from_axes",
    "from_axis_angle",
    "from_matrix",
    "from_points",
    "from_rotation_vector",
    "from_scipy",
    "inverse",
    "matrix",
    "moment_b",
    "multiply",
    "parameter_moment",
    "rates",
    "rotate",
    "rotation_vector",
    "second_rates",
    "skew",
    "tangent",
    "tangent_inverse",
    "tangent_rate",
    "to_scipy",
    "turns_of",
    "with_turns",
]
