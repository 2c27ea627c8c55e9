r"""Massless beams: common part of planar and spatial ones.

A beam bends in two shapes, each acting as a spring. With the rotations phi_a and phi_b of its ends relative to the
chord from a to b,

    V = E I / 2 L [ (phi_b - phi_a)^2 + 3 / (1 + Phi) (phi_a + phi_b)^2 ],     Phi = 12 E I / (kappa G A L^2)

        __..--..__                      __
    a o'          'o b            a o.-'  '-.   .o b
    phi_b - phi_a: an arc                    '-'  phi_a + phi_b: an S, with a shear force

which is the Euler-Bernoulli matrix E I / L [[4, 2], [2, 4]] for Phi = 0, and Timoshenko's otherwise
(Przemieniecki, Theory of Matrix Structural Analysis, 5.6). The chord moves with the beam: its displacements and
rotations may be large, the rotations relative to the chord should be small.
"""

from __future__ import annotations

from cardan.model.force import Law
from cardan.model.measure import Readable


def bending(
    arc: Readable, wave: Readable, stiffness: float, shear: float, damping: float, axis: str = ""
) -> tuple[Law, Law]:
    """The two springs: along phi_b - phi_a and along phi_a + phi_b. `stiffness` is E I / L, `shear` is Phi."""
    wavy = 3.0 * stiffness / (1.0 + shear)
    return (
        Law(arc.parts(), stiffness=stiffness, damping=damping * stiffness, label=f"moment{axis}"),
        Law(wave.parts(), stiffness=wavy, damping=damping * wavy, label=f"end moment{axis}"),
    )


def shear_number(E: float, second_moment: float, G: float | None, area: float, factor: float | None, L: float) -> float:
    """Phi; zero without a shear factor."""
    return 0.0 if factor is None or G is None else 12.0 * E * second_moment / (factor * G * area * L * L)
