"""A chunk: consecutive samples, with their values, what was read of them, and why some failed. It is what travels from
workers and stands in one file of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

DIMENSION = "sample"


class Chunk(NamedTuple):
    """Samples from `first` on."""

    first: int
    values: np.ndarray  # [samples, parameters]
    outputs: list[np.ndarray]  # [samples, ...] each; NaN where a sample failed
    reasons: list[str]  # one for each sample, empty where it did not fail

    @property
    def last(self) -> int:
        return self.first + len(self.reasons)


def empty_chunk(first: int, values: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> Chunk:
    """Samples of which nothing is known yet."""
    outputs = [np.full((len(values), *shape), np.nan) for shape in shapes]
    return Chunk(first, values, outputs, [""] * len(values))


def joined(chunks: Sequence[Chunk], shapes: Sequence[tuple[int, ...]], parameters: int) -> Chunk:
    """Chunks one behind the other."""
    if not chunks:
        return empty_chunk(0, np.zeros((0, parameters)), shapes)
    outputs = [np.concatenate([chunk.outputs[k] for chunk in chunks]) for k in range(len(shapes))]
    reasons = [reason for chunk in chunks for reason in chunk.reasons]
    return Chunk(chunks[0].first, np.concatenate([chunk.values for chunk in chunks]), outputs, reasons)
