"""Studies: the same analysis of many designs, limits, optimization and synthesis.

    from cardan import study
    from cardan.study import designs, grid, normal, quasi_random, random_samples, tolerances

The package bears the name of its main function and can be called like it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cardan.lazy import lazy_attributes

if TYPE_CHECKING:
    from cardan.study.experiments.pareto_designs import pareto_designs
    from cardan.study.experiments.plans import latin_hypercube, morris_plan, sobol_plan
    from cardan.study.experiments.response_surface import response_surface
    from cardan.study.experiments.screening import morris_effects
    from cardan.study.experiments.sobol_indices import sobol_indices
    from cardan.study.experiments.stack_up import tolerance_stack_up
    from cardan.study.result import Study, open_study
    from cardan.study.sampling import designs, grid, normal, quasi_random, random_samples, tolerances
    from cardan.study.search.global_search import global_search, synthesize_path
    from cardan.study.search.identification import identify
    from cardan.study.search.limits import limit
    from cardan.study.search.pareto import pareto_front

__all__ = [
    "Study",
    "designs",
    "global_search",
    "grid",
    "identify",
    "latin_hypercube",
    "limit",
    "morris_effects",
    "morris_plan",
    "normal",
    "open_study",
    "pareto_designs",
    "pareto_front",
    "quasi_random",
    "random_samples",
    "response_surface",
    "sobol_indices",
    "sobol_plan",
    "synthesize_path",
    "tolerance_stack_up",
    "tolerances",
]

_PLACES = {
    "Study": "result",
    "designs": "sampling",
    "global_search": "search.global_search",
    "grid": "sampling",
    "identify": "search.identification",
    "latin_hypercube": "experiments.plans",
    "limit": "search.limits",
    "morris_effects": "experiments.screening",
    "morris_plan": "experiments.plans",
    "normal": "sampling",
    "open_study": "result",
    "pareto_designs": "experiments.pareto_designs",
    "pareto_front": "search.pareto",
    "quasi_random": "sampling",
    "random_samples": "sampling",
    "response_surface": "experiments.response_surface",
    "sobol_indices": "experiments.sobol_indices",
    "sobol_plan": "experiments.plans",
    "synthesize_path": "search.global_search",
    "tolerance_stack_up": "experiments.stack_up",
    "tolerances": "sampling",
}


__getattr__ = lazy_attributes(__name__, _PLACES)


class _Callable(ModuleType):
    """A module that is its main function, too."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.study(*arguments, **options)

    @property
    def study(self) -> Callable[..., Study]:
        """The function, also where the module of its name was imported before: `from cardan.study import study`."""
        return import_module("cardan.study.study").study

    @study.setter
    def study(self, module: ModuleType) -> None:
        """Imports of that module put it here; the function stays in front."""


sys.modules[__name__].__class__ = _Callable
