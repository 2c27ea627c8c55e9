r"""Massless beams of any deflection: common part of planar and spatial ones.

Of all shapes between two poses, a beam without distributed loads takes the helix (in the plane the arc) of constant
strain: constant velocities (u, theta) in the moving axes carry end a into end b in unit time (Sonneville, Cardona and
Bruls 2014). Stretch, shear, twist and curvature are u and theta over the length, less those of the free shape:

    V = 1/2 L [ E A (u_x / L - 1)^2 + G A* (u_y / L)^2 + E I (theta / L - curvature)^2 ]
    1 / G A* = 1 / (kappa G A) + L^2 / (12 E I)

        __..--..__                      __
    a o'          'o b            a o.-'  '-.   .o b
    theta: an arc                            '-'  u_y: an S, with a shear force

The second term of G A* is MacNeal's residual bending flexibility: bending that varies along the element. With it one
element has the exact stiffness matrix of Timoshenko's beam (Euler's and Bernoulli's for 1 / G A = 0) for small
rotations relative to the chord (Przemieniecki, Theory of Matrix Structural Analysis, 5.6),

    V = E A / 2 L (u_x - L)^2 + E I / 2 L [ (theta - curvature L)^2 + 3 / (1 + Phi) (2 u_y / L)^2 ]
    Phi = 12 E I / (kappa G A L^2)

S bending lengthens the path, which a tension T resists: |u| = u_x + u_y^2 / 2 L. With u_x alone a cable of small
E I < T L^2 / 24 would fold up under tension. True shear does not lengthen it, so the axial spring acts along
(1 - r) u_x + r |u|, r = 1 / (1 + Phi)^2.

For large rotations a chain converges with the square of the element length; pure bending is exact in any number of
elements. Strains are small, deflections and rotations are not limited, but for 150 degrees from end to end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from cardan.elements.forces.two_marker_force import M, TwoMarkerForce
from cardan.model.dimensions import Length
from cardan.model.force import Law
from cardan.model.measure import Measure, Readable


@dataclass(frozen=True, eq=False)
class AnyBeam(TwoMarkerForce[M], Generic[M]):
    """A beam in the plane or in space."""

    length: Length

    @abstractmethod
    def arc(self) -> tuple[Measure, Measure]:
        """u_x and |u|."""


def axial(
    along: Readable, whole: Readable, stiffness: float, length: float, damping: float, shear: Sequence[float]
) -> Law:
    """The spring along u_x, with the share of |u| that belongs to residual bending. `stiffness` is E A / L, `shear`
    the values of Phi."""
    share = 1.0 / (1.0 + max(shear)) ** 2
    stretch = whole if share == 1.0 else (1.0 - share) * along + share * whole
    return Law(stretch.parts(), stiffness=stiffness, rest=length, damping=damping * stiffness, label="axial")


def bending(
    arc: Readable, wave: Readable, stiffness: float, shear: float, damping: float, free: float, axis: str = ""
) -> tuple[Law, Law]:
    """The two springs: along theta, which is `free` without stress, and along 2 u / L; with E I / L and Phi."""
    wavy = 3.0 * stiffness / (1.0 + shear)
    return (
        Law(arc.parts(), stiffness=stiffness, rest=free, damping=damping * stiffness, label=f"moment{axis}"),
        Law(wave.parts(), stiffness=wavy, damping=damping * wavy, label=f"end moment{axis}"),
    )


def shear_number(E: float, second_moment: float, G: float | None, area: float, factor: float | None, L: float) -> float:
    """Phi; zero without a shear factor."""
    return 0.0 if factor is None or G is None else 12.0 * E * second_moment / (factor * G * area * L * L)
