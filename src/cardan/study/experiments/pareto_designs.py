"""pareto_designs(): the samples of a study that no other sample beats in all outputs at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.errors import ModelError
from cardan.study.experiments.numbers_of import numbers_of, warn_of_lost
from cardan.study.result import Study
from cardan.study.search.pareto import Front, not_dominated


def pareto_designs(study: Study, outputs: Sequence[str], *, largest: Sequence[str] = ()) -> Front:
    """The front of any number of outputs among the samples of a study; the less the better, except for `largest`.

    `pareto_front` searches for designs; this function selects from those that were computed.
    """
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ModelError(f"pareto_designs() weighs at least two different outputs against each other, got {names}")
    wanted = [largest] if isinstance(largest, str) else list(largest)
    if unknown := [name for name in wanted if name not in names]:
        raise ModelError(f"'{unknown[0]}' in largest= of pareto_designs() is none of its outputs: {', '.join(names)}")
    numbers = np.column_stack([numbers_of(study, name, "pareto_designs()") for name in names])
    fine = np.isfinite(numbers).all(axis=1)
    warn_of_lost(study, "pareto_designs()", "samples", int((~fine).sum()), fine.size)
    signs = np.array([-1.0 if name in wanted else 1.0 for name in names])
    places = np.flatnonzero(fine)
    best = places[not_dominated(numbers[places] * signs)]
    best = best[np.argsort(numbers[best, 0], kind="stable")]
    designs = study.samples.values[best]
    return Front(
        tuple(study.parameters),
        tuple(names),
        designs,
        numbers[best],
        len(study),
        int((~fine).sum()),
        largest=tuple(wanted),
    )
