"""What batches of samples share: designs as numbers, how these follow parameters, and the run over samples.

job --> tables of a few designs --> how numbers follow parameters --> many samples in one compiled loop, per thread
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any

import numpy as np

from cardan.errors import CardanWarning
from cardan.model.model import Model
from cardan.study.batch.kernels import BLOCKED, DONE, FALLBACK
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, law_of, sizes_of
from cardan.system.system import System

QUARTER = 0.5 * np.pi
# rounding of positions, relative to the size, above which a mechanism stands too far from the origin
MAX_POSITION_ROUNDING = 1e-12


def declined(why: list[str] | None, reason: str) -> Any:
    """None, for samples that must run one by one; the reason is appended to `why`."""
    if why is not None:
        why.append(reason)
    return None


def unknown_options(analysis: Any, options: Collection[str], known: Collection[str] | None) -> str:
    """Why a compiled loop does not serve an analysis and its options."""
    if known is None:
        return f"no compiled loop serves {analysis if isinstance(analysis, str) else 'a function'}"
    unknown = sorted(set(options) - set(known))
    return f"the compiled loop has no option {', '.join(unknown)}" if unknown else "an option has another value there"


def stated_turns(system: System) -> np.ndarray:
    """The turns of angles as stated, in steps of a quarter turn, which do not vary with every dimension.

    Of other measures the reference is never read.
    """
    turns = np.zeros(system.reference.size)
    turns[system.winding] = QUARTER * np.round(system.reference[system.winding] / QUARTER)
    return turns


def stated_poses(system: System) -> np.ndarray:
    """The poses of bodies, with the positions that the model states, wherever a run starts: they determine its size."""
    count, d = 1 + len(system.bodies), system.space.dimensions
    poses = system.start[: system.space.stored * count].copy()
    poses.reshape(count, -1)[1:, :d] = [system.space.pose(body)[:d] for body in system.bodies]
    return poses


def turn_choices(system: System) -> bytes:
    """Which turn each offset is on that is known up to full turns; it must not change with parameters.

    It is chosen by where the stated configuration is between two turns. As long as parameters do not move that, and
    laws are smooth, they do not change the choice.
    """
    place = {measure: k for k, measure in enumerate(system.measures)}
    between = [
        (sum(c * system.reference[place[m]] for c, m in e.terms) - system.rows.offset[row]) / e.period
        for row, e in enumerate(system.equations)
        if e.period
    ]
    return (np.round(np.array(between, float), 6) + 0.0).tobytes()  # -0.0 + 0.0 = 0.0


def gathered(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """All numbers of arrays, one behind the other."""
    return np.concatenate([array.ravel() for array in arrays])


def views(flat: np.ndarray, like: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Parts of one flat array in the shapes of others."""
    place = 0
    for array in like:
        yield flat[place : place + array.size].reshape(array.shape)
        place += array.size


def design_law(
    designs: np.ndarray,
    tables: Sequence[np.ndarray | None],
    lengths: Sequence[float],
    system: System,
    arrays: Sequence[np.ndarray],
    turns: np.ndarray,
    poses: np.ndarray,
) -> Law | None:
    """How the numbers of designs follow their parameters; None if there is no simple law, or turns would jump.

    `arrays` are those of the first design, with its turns and stated poses.
    """
    known: Mapping[str, np.ndarray] = {"local": system.geometry.local, "start": poses, "turns": turns}
    found, place = {"local": slice(0, 0)}, 0  # a body without markers
    for array in arrays:
        found |= {name: slice(place, place + array.size) for name, one in known.items() if array is one}
        place += array.size
    law = law_of(designs, tables, lengths, sizes_of(system, found["local"], found["start"]))
    if law is None or np.isin(np.arange(*found["turns"].indices(2**62)), law.varied).any():
        return None
    return law


class TableBatch:
    """Samples of a job that a compiled loop analyzes: it fills tables with the numbers of each, and reads outputs."""

    def __init__(self, job: Job, law: Law | None, base: np.ndarray, read: Collection[int], times: np.ndarray) -> None:
        """`base` are the numbers of one design, `read` the outputs that the loop reads; others need the result."""
        self.job, self.law, self.base, self.times, self.read = job, law, base, times, [*read]
        self.called = [k for k in range(len(job.outputs)) if k not in self.read]
        self.varied = np.arange(base.size) if law is None else law.varied
        self.lock = threading.Lock()  # the model is changed while tables are made of it

    def run(self, worker: Any, values: np.ndarray, outputs: Sequence[np.ndarray]) -> tuple[np.ndarray, dict[int, str]]:
        """Analyze samples and fill in their outputs.

        Returns which of them are left to the ordinary analysis, and why others have no result.
        """
        numbers, left, systems = self._numbers(values)
        curves = np.full((len(values), self.times.size, len(self.read)), np.nan)
        status = np.zeros(len(values), np.int64)
        if not self.called:
            self.compute(worker, numbers, curves, status)
        for s in np.flatnonzero(~left).tolist() if self.called else ():
            one = slice(s, s + 1)
            self.compute(worker, numbers[one], curves[one], status[one])
            if status[s] == DONE and not self._call(
                worker, systems[s], values[s], [found[s, ...] for found in outputs]
            ):
                status[s] = FALLBACK
        for column, k in enumerate(self.read):
            outputs[k][:] = self.shown(k, curves[:, :, column])
        held = np.flatnonzero(~left & (status == BLOCKED)).tolist()
        return left | (status == FALLBACK), {s: self.why(worker, numbers[s : s + 1]) for s in held}

    def worker(self) -> Any:
        """Tables and memory for one thread."""
        raise NotImplementedError

    def compute(self, worker: Any, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        """Run the compiled loop."""
        raise NotImplementedError

    def shown(self, k: int, curves: np.ndarray) -> np.ndarray:
        """Output k of all samples, from its curves [samples, times]."""
        return self.job.outputs[k].reduced(curves, 1)

    def why(self, worker: Any, numbers: np.ndarray) -> str:
        """Why a sample is stuck."""
        raise NotImplementedError

    def result(self, worker: Any, system: System | None, model: Model | None) -> Any:
        """The result of the sample on the worker, for outputs that need it, of a system or of the model as stated."""
        raise NotImplementedError

    def stated(self, values: np.ndarray) -> tuple[np.ndarray, float, System] | None:
        """The numbers, the size and the system of one design; None if it is rejected, or has another structure."""
        raise NotImplementedError

    def _call(self, worker: Any, system: System | None, values: np.ndarray, outputs: Sequence[np.ndarray]) -> bool:
        """Read outputs that need the result; what fails is left to the ordinary analysis."""
        model = None
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore", CardanWarning)
            if system is None:  # all samples share one model
                stack.enter_context(self.lock)
                model = stack.enter_context(self.job.stated(values))
            try:
                found = self.result(worker, system, model)
                for k in self.called:
                    value = self.job.outputs[k].read(found)
                    if value.shape != outputs[k].shape:
                        return False
                    outputs[k][...] = value
            except Exception:  # whatever a user's function raises
                return False
        return True

    def _numbers(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[System | None]]:
        """The numbers that vary, which samples have none, and the systems of models that were built for a sample."""
        left = np.zeros(len(values), bool)
        systems: list[System | None] = [None] * len(values)
        if self.law is not None:
            return self.law.numbers(values), left, systems
        numbers = np.tile(self.base, (len(values), 1))
        shared = isinstance(self.job.model, Model)
        for s, sample in enumerate(values):
            with self.lock if shared else nullcontext():
                found = self.stated(sample)
            left[s] = found is None
            if found is not None:
                numbers[s] = found[0]
                systems[s] = None if shared else found[2]
        return numbers, left, systems
