"""What experiments share: the numbers of one output, checked, with failed samples named, and results as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def text_table(titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns of equal width; the first is aligned to the left."""
    cells = [list(titles), *([cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(titles))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)
