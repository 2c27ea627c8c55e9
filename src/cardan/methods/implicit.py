"""Implicit methods, for stiff forces and for cross-checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.methods.method import FixedOrAdaptive, Method


@dataclass(frozen=True, kw_only=True, repr=False)
class Radau(Method):
    """Radau IIA of order 5 (Hairer and Wanner): implicit, L-stable, with error control.

        Y_i = y + h sum_j a_ij f(t + c_j h, Y_j),      i = 1, 2, 3,      y1 = Y_3

    For stiff forces: contacts, stiff springs and bushings, strong damping, fast controllers.

    >>> from cardan import Radau, simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("pendulum").build(), 1.0, method=Radau())
    >>> bool(run.energy.drift < 1e-6)
    True
    """

    name: ClassVar[str] = "radau"


@dataclass(frozen=True, kw_only=True, repr=False)
class GeneralizedAlpha(FixedOrAdaptive):
    """The generalized-alpha method of Chung and Hulbert, for constrained systems by Arnold and Bruls: order 2.

        M a1 + J1^T lambda1 = Q1,          (1 - am) b1 + am b0 = (1 - af) a1 + af a0
        v1 = v0 + h ((1 - g) b0 + g b1),   am = (2 rho - 1) / (rho + 1),   af = rho / (rho + 1)

    `rho`, from 0 to 1, is the factor by which a step damps the highest frequencies: 1 damps nothing, 0 removes them at
    once. With `step`, all steps have this length, in s, and the tolerances control only the iterations; without it, the
    tolerance controls the steps. For stiff structures at moderate accuracy. In Cartesian coordinates.

    >>> from cardan import GeneralizedAlpha, simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("pendulum").build(), 1.0, method=GeneralizedAlpha(step=1e-2, rho=0.8))
    >>> run.stats.steps
    100
    """

    name: ClassVar[str] = "generalized-alpha"
    coordinates: ClassVar[tuple[str, ...]] = ("cartesian",)

    rho: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_between("rho", 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class HHT(FixedOrAdaptive):
    """The method of Hilber, Hughes and Taylor: order 2, damping by `alpha`, from -1/3 (most) to 0 (none).

        M a1 + J1^T lambda1 = Q1,          b1 = (1 + alpha) a1 - alpha a0

    `step` as for `GeneralizedAlpha`, which damps less where accuracy matters. For comparison with other programs.
    In Cartesian coordinates.

    >>> from cardan import HHT, simulate
    >>> from cardan.examples import load
    >>> simulate(load("pendulum").build(), 1.0, method=HHT(step=1e-2, alpha=-0.1)).stats.steps
    100
    """

    name: ClassVar[str] = "hht"
    coordinates: ClassVar[tuple[str, ...]] = ("cartesian",)

    alpha: float = -0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_between("alpha", -1.0 / 3.0, 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class Bdf(Method):
    """Backward differentiation formulas of orders 1 to 5, by SUNDIALS' IDA: a cross-check by another program.

        sum_j a_j y_(n-j) = h f(t_n, y_n)

    on the stabilized equations of index 2, with multipliers as unknowns. Slow, without events, and unable to pass
    singular configurations. Needs `pip install 'cardan[bdf]'`.

        run = simulate(model, 1.0, method=Bdf())
    """

    name: ClassVar[str] = "bdf"
    coordinates: ClassVar[tuple[str, ...]] = ("cartesian",)

    @property
    def scheme(self) -> str:
        return "dop853"  # initial conditions and dense output
