"""The methods of Haug's book, sections 7.3.2 to 7.3.5, for study and comparison.

    from cardan.methods.historical import Baumgarte

    simulate(model, 2.0, method=Baumgarte(alpha=10, beta=10))
    simulate(model, 2.0, method=Baumgarte(step=1e-3, order=4))

All use Adams' predictor-corrector formulas. The tolerance controls step and order, up to `order`, 12 unless stated;
with `step` all steps have this length, in s, and `order` is kept (4 unless stated) once there are enough steps behind.
They integrate Cartesian coordinates.

| method         | shorthand   | integrates                    | constraints                                |
|----------------|-------------|-------------------------------|--------------------------------------------|
| `Partitioning` | "partition" | independent coordinates       | hold at every step                         |
| `Direct`       | "direct"    | all coordinates               | drift                                      |
| `Baumgarte`    | "baumgarte" | all coordinates               | feedback keeps violations small            |
| `Hybrid`       | "hybrid"    | all coordinates               | feedback; corrected where violations grow  |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.errors import ModelError
from cardan.methods.method import FixedOrAdaptive
from cardan.model import check

HIGHEST_ORDER, FIXED_ORDER = 12, 4


@dataclass(frozen=True, kw_only=True, repr=False)
class AdamsMethod(FixedOrAdaptive):
    """Base of the methods: Adams' formulas of variable or fixed step and order."""

    coordinates: ClassVar[tuple[str, ...]] = ("cartesian",)

    order: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order is None:
            return
        self._set("order", check.count(self.order, self._option("order")))
        if self.order > HIGHEST_ORDER:
            raise ModelError(f"{self._option('order')} must be {HIGHEST_ORDER} at most, got {self.order}")

    @property
    def highest_order(self) -> int:
        """The highest order, or the only one of fixed steps."""
        return self.order or (HIGHEST_ORDER if self.step is None else FIXED_ORDER)


@dataclass(frozen=True, kw_only=True, repr=False)
class Partitioning(AdamsMethod):
    """Coordinate partitioning (Haug 7.3.2): independent coordinates v are integrated, the others solved for.

        q = (u, v),      Phi(u, v, t) = 0 gives u,      Phi_q q' = nu gives u'

    Constraints hold at every step. The most reliable of the four.

    >>> from cardan import simulate
    >>> from cardan.examples import load
    >>> from cardan.methods.historical import Partitioning
    >>> simulate(load("pendulum").build(), 0.5, method=Partitioning(), rtol=1e-6).stats.method
    'partition'
    """

    name: ClassVar[str] = "partition"


@dataclass(frozen=True, kw_only=True, repr=False)
class Direct(AdamsMethod):
    """Direct integration (Haug 7.3.3) of all accelerations; nothing corrects violations of constraints, which drift.

        Phi_q q'' = gamma

    >>> from cardan import simulate
    >>> from cardan.examples import load
    >>> from cardan.methods.historical import Direct
    >>> run = simulate(load("pendulum").build(), 0.5, method=Direct(), rtol=1e-6)
    >>> "drifted" in run.stats.notes[0]
    True
    """

    name: ClassVar[str] = "direct"


@dataclass(frozen=True, kw_only=True, repr=False)
class Stabilized(AdamsMethod):
    """Base of methods with gains on violations of constraints."""

    alpha: float = 5.0
    beta: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_positive("alpha", "beta")


@dataclass(frozen=True, kw_only=True, repr=False)
class Baumgarte(Stabilized):
    """Constraint stabilization (Haug 7.3.4) with gains `alpha` and `beta`, in 1/s.

        Phi_q q'' = gamma - 2 alpha (Phi_q q' - nu) - beta^2 Phi

    With alpha = beta = 5/s violations die out within a second; larger gains make the equations stiff.

    >>> from cardan import simulate
    >>> from cardan.examples import load
    >>> from cardan.methods.historical import Baumgarte
    >>> simulate(load("pendulum").build(), 0.5, method=Baumgarte(alpha=10, beta=10), rtol=1e-6).stats.method
    'baumgarte'
    """

    name: ClassVar[str] = "baumgarte"


@dataclass(frozen=True, kw_only=True, repr=False)
class Hybrid(Stabilized):
    """The hybrid method (Haug 7.3.5): constraint stabilization, and partitioning at steps where violations grow.

        Phi_q q'' = gamma - 2 alpha (Phi_q q' - nu) - beta^2 Phi

    >>> from cardan import simulate
    >>> from cardan.examples import load
    >>> from cardan.methods.historical import Hybrid
    >>> simulate(load("pendulum").build(), 0.5, method=Hybrid(), rtol=1e-6).stats.method
    'hybrid'
    """

    name: ClassVar[str] = "hybrid"

    alpha: float = 1.0
    beta: float = 1.0
