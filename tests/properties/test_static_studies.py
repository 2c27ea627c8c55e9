"""Equilibria and linearizations of a study are those of the ordinary analysis, for every example whose samples the
compiled loop computes; the others are left to the ordinary analysis."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from cardan import CardanWarning
from cardan.examples import load, names
from cardan.study.batch.statics import static_batch_of
from cardan.study.job import Job
from cardan.study.outputs import outputs_of
from cardan.study.sampling import random_samples

SOON = ("lamp-equilibrium", "damped-scale", "bricard", "slider-crank", "cardan-shaft", "bead-on-wire")
EXAMPLES = [pytest.param(name, marks=() if name in SOON else pytest.mark.slow) for name in names()]
SAMPLES = 3
# Both searches end where forces balance to 1e-12; the stiffness beside is at least 1e-6 of the forces.
SAME = 1e-8
# The stiffness of the loop has errors of 1e-13, and that of its softest motion is 1e-4 of the largest at least.
SAME_EIGENVALUES = 1e-8


def compared(model: Any, analysis: str, outputs: list[str], same: float, **options: Any) -> int:
    """The number of samples that the loop computes; they equal those of the ordinary analysis."""
    strength = max(map(abs, model.gravity)) or 1.0
    axis = "xyz"[int(np.argmax(np.abs(model.gravity)))]
    down = float(np.sign(sum(model.gravity))) or 1.0
    low, high = sorted((0.97 * down * strength, 1.03 * down * strength))
    plan = random_samples({f"gravity.{axis}": (low, high)}, SAMPLES, seed=1)
    job = Job(model, plan.keys, analysis, outputs_of(outputs), options)
    batch = static_batch_of(job, *plan.bounds())
    if batch is None:
        return 0
    values = plan.values(0, SAMPLES)
    size = 2 * (batch.design.system.coordinates - batch.rank)
    shape = (SAMPLES, size) if analysis == "linearize" else (SAMPLES,)
    found = [np.full(shape, np.nan) for _ in outputs]
    left, _ = batch.run(batch.worker(), values, found)
    for s in np.flatnonzero(~left).tolist():
        expected, reason = job.sample(values[s])
        assert expected is not None, reason
        largest = max(float(np.abs(value).max(initial=1e-3)) for value in expected)
        for one, value in zip(found, expected, strict=True):
            assert np.abs(one[s] - value).max(initial=0.0) <= same * largest
    return int(np.sum(~left))


@pytest.mark.parametrize("name", EXAMPLES)
def test_samples_are_the_ordinary_analyses(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        model = load(name).build()
        bodies = [f"{body.name}.{column}" for body in model.bodies for column in "xy"]
        served = compared(model, "equilibrium", bodies, SAME)
        parts = ["eigenvalues.real", "eigenvalues.imag"]
        served += compared(model, "linearize", parts, SAME_EIGENVALUES, at="equilibrium")
    if name in ("lamp-equilibrium", "damped-scale", "bricard", "slider-crank"):
        assert served == 2 * SAMPLES  # without this the invariant would hold for nothing
