"""Chunks of samples, computed: by the compiled loop where it can, by the ordinary analysis where not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.study.batch.batch import batch_of
from cardan.study.batch.chunk import Chunk, empty_chunk
from cardan.study.batch.simulation import simulation_batch_of
from cardan.study.job import Job
from cardan.study.sampling import Plan

SAMPLES_PER_CALL = 256  # samples in one call of the compiled loop,
CURVE_NUMBERS = 2**20  # and numbers in its curves


class Runner:
    """Computes chunks of one study; threads share it."""

    def __init__(self, job: Job, plan: Plan, shapes: Sequence[tuple[int, ...]], packed: bytes | None = None) -> None:
        self.job, self.plan, self.shapes, self.packed = job, plan, shapes, packed
        self.why: list[str] = []  # samples run one by one
        self.batch: Any = _batches(job.analysis)(job, *plan.bounds(), why=self.why)
        self.own = threading.local()
        self.lock = self.batch.lock if self.batch is not None else threading.Lock()

    @property
    def native(self) -> bool:
        """Whether the compiled loop serves it."""
        return self.batch is not None

    def __call__(self, first: int, last: int) -> Chunk:
        return self.of(self.plan.values(first, last), first)

    def of(self, values: np.ndarray, first: int = 0) -> Chunk:
        """The samples with these values."""
        chunk = empty_chunk(first, values, self.shapes)
        if self.batch is None:
            self._ordinary(chunk, range(len(values)))
            return chunk
        worker = self._worker(self.batch)
        per_sample = max(1, self.batch.times.size * len(self.shapes))
        step = max(1, min(SAMPLES_PER_CALL, CURVE_NUMBERS // per_sample))
        for begin in range(0, len(values), step):
            part = slice(begin, min(begin + step, len(values)))
            left, reasons = self.batch.run(worker, chunk.values[part], [output[part] for output in chunk.outputs])
            for place, reason in reasons.items():
                chunk.reasons[begin + place] = reason
            if left.any():
                self._ordinary(chunk, (begin + np.flatnonzero(left)).tolist())
        return chunk

    def _ordinary(self, chunk: Chunk, places: Sequence[int]) -> None:
        """Samples one by one; each thread has a model of its own, or waits for its turn."""
        job = self._copy()
        for place in places:
            if job is None:
                with self.lock:
                    found, reason = self.job.sample(chunk.values[place])
            else:
                found, reason = job.sample(chunk.values[place])
            if found is not None and [value.shape for value in found] != [*self.shapes]:
                reason = f"outputs have the shapes {[value.shape for value in found]}, not {[*self.shapes]}"
                found = None
            for k in range(len(self.shapes)):
                chunk.outputs[k][place] = np.nan if found is None else found[k]
            chunk.reasons[place] = reason

    def _worker(self, batch: Any) -> Any:
        if getattr(self.own, "worker", None) is None:
            with batch.lock:
                self.own.worker = batch.worker()
        return self.own.worker

    def _copy(self) -> Job | None:
        """The job of this thread; None if all share one."""
        if self.packed is None:
            return None
        if getattr(self.own, "job", None) is None:
            self.own.job = unpacked(self.packed)[0]
        return self.own.job


def _batches(analysis: str) -> Callable[..., Any]:
    """The function that makes the batch of an analysis."""
    if analysis in ("equilibrium", "linearize"):
        from cardan.study.batch.statics import static_batch_of  # imports much that other analyses do not need

        return static_batch_of
    return simulation_batch_of if analysis == "simulate" else batch_of


def packed(job: Job, plan: Plan, shapes: Sequence[tuple[int, ...]]) -> bytes:
    """A study as bytes that another process understands; functions and all they refer to go along."""
    import cloudpickle

    return bytes(cloudpickle.dumps((job, plan, tuple(shapes))))


def unpacked(data: bytes) -> tuple[Job, Plan, tuple[tuple[int, ...], ...]]:
    """The inverse of `packed`."""
    import cloudpickle

    job, plan, shapes = cloudpickle.loads(data)
    return job, plan, shapes
