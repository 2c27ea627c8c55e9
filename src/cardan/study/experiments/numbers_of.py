"""The numbers of one output of a study, checked: one for each sample, failed samples named."""

from __future__ import annotations

import numpy as np

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.study.result import Study


def numbers_of(study: Study, output: str, what: str, kind: str = "", plan: str = "") -> np.ndarray:
    """One number for each sample, NaN for failed ones; `kind` is that of the plan that the study must have."""
    check.instance(study, Study, f"the study of {what}")
    if kind and study.about["plan"]["kind"] != kind:
        raise ModelError(
            f"{what} needs the samples of {plan}, got a study of a plan of kind '{study.about['plan']['kind']}'"
        )
    if not study.complete:
        raise ModelError(f"{what} needs a complete study, got {study.computed} of {len(study)} samples; resume it")
    found = study[output]
    if found.ndim != 1:
        raise ModelError(f"'{output}' is a curve; {what} needs a number of each sample, such as '{output}:peak'")
    return np.asarray(found, float)


def warn_of_lost(study: Study, what: str, unit: str, lost: int, total: int) -> None:
    """Warn that samples without a number were left out, and raise if nothing remains."""
    if not lost:
        return
    reason = next(iter(study.failures.values()), "the output is not finite")
    if lost == total:
        raise ModelError(f"{what}: none of {total} {unit} has a result: {reason}")
    warn(
        f"{what} leaves out {lost} of {total} {unit}, which have failed samples: {reason}. The remaining ones may not "
        "represent the ranges; choose ranges in which the mechanism works"
    )
