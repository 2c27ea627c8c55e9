"""Explicit methods, and `Auto`, which begins with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.errors import ModelError
from cardan.methods.method import Method
from cardan.model import check

ORDERS = (3, 5)  # of RungeKutta


@dataclass(frozen=True, kw_only=True, repr=False)
class Auto(Method):
    """`Dop853` that changes to `Radau` while forces are stiff, and to `SampledAdams` between frequent samples.

    Another method is tried for some steps and kept if it advances faster for its work. `run.stats.notes` lists the
    changes. The default of `simulate`.

    >>> from cardan import Auto, simulate
    >>> from cardan.examples import load
    >>> simulate(load("pendulum").build(), 0.1, method=Auto(max_step=0.01)).stats.method
    'auto'
    """

    name: ClassVar[str] = "auto"

    @property
    def scheme(self) -> str:
        return Dop853.name


@dataclass(frozen=True, kw_only=True, repr=False)
class Dop853(Method):
    """Dormand and Prince's explicit Runge-Kutta method of order 8, with error estimates of orders 5 and 3.

        k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y1 = y + h sum_i b_i k_i

    Stages and steps are projected onto the constraints. For smooth motion, from coarse to the tightest tolerances;
    stiff forces keep its steps short.

    >>> from cardan import Dop853, simulate
    >>> from cardan.examples import load
    >>> run = simulate(load("pendulum").build(), 1.0, method=Dop853(), rtol=1e-12)
    >>> bool(run.energy.drift < 1e-11)
    True
    """

    name: ClassVar[str] = "dop853"


@dataclass(frozen=True, kw_only=True, repr=False)
class RungeKutta(Method):
    """Explicit Runge-Kutta methods of low `order`: Ralston's of order 3, Cash and Karp's of order 5.

        k_i = f(t + c_i h, y + h sum_j a_ij k_j),      y1 = y + h sum_i b_i k_i

    For runs whose steps something other than the tolerance keeps short, such as many events: a step costs 3 or 6
    evaluations instead of 12.

    >>> from cardan import RungeKutta, simulate
    >>> from cardan.examples import load
    >>> simulate(load("pendulum").build(), 0.1, method=RungeKutta(order=3), rtol=1e-4).stats.method
    'rk3'
    """

    order: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("order", check.count(self.order, self._option("order")))
        if self.order not in ORDERS:
            raise ModelError(f"{self._option('order')} must be 3 or 5, got {self.order}")

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"rk{self.order}"


@dataclass(frozen=True, kw_only=True, repr=False)
class SampledAdams(Method):
    """An Adams method of order 4 (5 for positions) that steps from one sample of a `Sampled` controller to the next.

        y1 = y + h sum_i b_i f_i,      f_0 at the sample, f_i as i samples ago, shifted by the jumps since

    One evaluation per step where the tolerance would allow steps longer than the sampling period. `Auto` chooses it
    where it pays.

    >>> from cardan import SampledAdams, simulate
    >>> from cardan.examples import load
    >>> simulate(load("pendulum").build(), 0.1, method=SampledAdams()).stats.method
    'sampled'
    """

    name: ClassVar[str] = "sampled"
