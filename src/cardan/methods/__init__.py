"""Integration methods of `simulate`, as objects with their options.

    from cardan import GeneralizedAlpha, Radau, simulate

    simulate(model, 2.0, method=Radau())
    simulate(model, 2.0, method=GeneralizedAlpha(step=1e-3, rho=0.8))
    simulate(model, 2.0, method="radau")                                # shorthand for Radau()

| method             | shorthand           | for                                                        |
|--------------------|---------------------|------------------------------------------------------------|
| `Auto`             | "auto"              | everything: `Dop853`, `Radau` or `SampledAdams`, as needed |
| `Dop853`           | "dop853"            | smooth motion at any tolerance                             |
| `RungeKutta`       | "rk3", "rk5"        | steps that something else keeps short                      |
| `SampledAdams`     | "sampled"           | sampled controllers with short periods                     |
| `Radau`            | "radau"             | stiff forces                                               |
| `GeneralizedAlpha` | "generalized-alpha" | stiff forces at a fixed step, with numerical damping       |
| `HHT`              | "hht"               | the same, for comparison with other programs               |
| `Symplectic`       |                     | long runs without friction                                 |
| `Bdf`              | "bdf"               | cross-checks with SUNDIALS                                 |

`cardan.methods.historical` has the textbook methods `Partitioning`, `Direct`, `Baumgarte` and `Hybrid`.
"""

from cardan.methods.explicit import Auto, Dop853, RungeKutta, SampledAdams
from cardan.methods.implicit import HHT, Bdf, GeneralizedAlpha, Radau
from cardan.methods.method import Method
from cardan.methods.shorthand import SHORTHANDS, method_of
from cardan.methods.symplectic import Symplectic

__all__ = [
    "HHT",
    "SHORTHANDS",
    "Auto",
    "Bdf",
    "Dop853",
    "GeneralizedAlpha",
    "Method",
    "Radau",
    "RungeKutta",
    "SampledAdams",
    "Symplectic",
    "method_of",
]
