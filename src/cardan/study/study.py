"""study(model, parameters, analysis, outputs): the same analysis of many designs, in one labeled result.

plan  -->  parts of samples  -->  threads here, or workers anywhere  -->  memory, or files as they come
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from cardan.analysis.progress import Progress
from cardan.errors import CardanWarning, Interrupted, ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import ParameterName
from cardan.study.batch.chunk import Chunk
from cardan.study.executors import Span, cores, on_cluster, on_threads
from cardan.study.job import Job, first_that_works
from cardan.study.monitor import StudyMonitor, Watched
from cardan.study.outputs import Outputs, outputs_of
from cardan.study.result import Study
from cardan.study.runner import Runner, packed
from cardan.study.sampling import Plan, grid
from cardan.study.store import Store, dimensions_of, prepared, require_libraries

SHAPE_TRIES = 32  # samples that are tried for the shapes of outputs, if the stated model has none
NATIVE, IN_MEMORY, ORDINARY = 2048, 512, 16  # samples in a part: compiled, on disk or in memory, or one by one


def study(
    model: Model | Callable[..., Model],
    parameters: Plan | Mapping[ParameterName, Sequence[float] | np.ndarray],
    analysis: str | Callable[[Model], Any] = "kinematics",
    outputs: Outputs = (),
    *,
    threads: int | None = None,
    client: Any = None,
    store: str | PathLike[str] | None = None,
    resume: bool = False,
    chunk: int | None = None,
    progress: bool | None = None,
    watch: Watched = None,
    **options: Any,
) -> Study:
    """Run an analysis for every sample of `parameters` and return `outputs` of each.

    `parameters` is a plan made by grid(), random_samples(), quasi_random(), tolerances() or designs(), or a dictionary
    of lists, every combination of which is computed. `analysis` is the name of an analysis, whose arguments (times=,
    until=, method=) follow as keywords, or a function of the model; "linearize" takes at="equilibrium" for that of each
    sample. `outputs` are columns ("slider.x"), optionally reduced ("slider.ax:peak"), measures, and functions of the
    result; of a linearization "frequencies", "damping_ratios" or "eigenvalues.real:max". `model` may be a function that
    builds a model; its arguments are then parameters.

    A sample that fails is a row with its reason. Samples run on all cores, or `threads` of them, or on the workers of a
    dask `client`; `store` is a folder for parts of `chunk` samples, written as they are computed, from which
    `resume=True` continues. The numbers do not depend on these options. `watch` is the name of an output to plot live,
    or a function that is called with the partial study from time to time.

    >>> from cardan import study
    >>> from cardan.examples import load
    >>> model = load("slider-crank").build()
    >>> found = study(model, {"motor.motion.rate": [10.0, 20.0]}, "kinematics", ["slider.ax:min"], times=[0.0, 0.01])
    >>> found["slider.ax:min"].round(6).tolist()                     # -w^2 (r + r^2/l)
    [-28.0, -112.0]
    """
    plan = parameters if isinstance(parameters, Plan) else grid(parameters)
    if plan.count < 1:
        raise ModelError("study() needs at least one sample")
    job = Job(model, plan.keys, analysis, outputs_of(outputs), options).checked()
    _check(threads, chunk)
    watching = StudyMonitor(watch, "study()")
    names = [output.name for output in job.outputs]
    if shared := set(names) & set(plan.names):
        raise ModelError(f"'{shared.pop()}' is a parameter and an output of study(); name the output otherwise")
    if isinstance(watch, str) and watch not in (*names, *plan.names):
        raise ModelError(f"study() cannot watch '{watch}', which is none of its outputs: {', '.join(names)}")
    if store is not None:
        require_libraries()
    try:
        first, probe = first_that_works(job, lambda k: plan.values(k, k + 1)[0], min(SHAPE_TRIES, plan.count))
    except Interrupted:  # a partial run of one sample is not part of a study
        raise KeyboardInterrupt("study() was interrupted before its first sample") from None
    shapes = [value.shape for value in probe]
    if store is None:
        _require_memory(plan.count, shapes)
    work = _PendingSamples(job, plan, shapes, threads, client)
    times = _output_times(job)
    _require_same_times(job, times, shapes)
    about = {
        "plan": plan.described(),
        "analysis": analysis if isinstance(analysis, str) else getattr(analysis, "__name__", "function"),
        "options": _stored_options(options),
        "model": model.name if isinstance(model, Model) else getattr(model, "__name__", "function"),
        "outputs": names,
        "units": [output.unit(first) for output in job.outputs],
        "dimensions": dimensions_of(names, shapes, times.size),
        "probe": [value.tolist() for value in probe],
        "chunk": chunk or work.chunk(store is not None),
        "times": times.tolist(),
    }
    kept = None if store is None else prepared(store, about, check.flag(resume, "resume"))
    if kept is None and resume:
        raise ModelError("resume=True needs the folder in which the study is kept: store=...")
    found = Study(about if kept is None else kept.about, plan, kept)
    found.one_by_one = "" if work.runner.native or callable(analysis) else "; ".join(work.runner.why)
    with warnings.catch_warnings():  # what threads do to filters ends here
        warnings.simplefilter("ignore", CardanWarning)
        work.run(found, kept or Store("", about), progress, watching)
    return found


class _PendingSamples:
    """The samples that are to be computed, and who computes them."""

    def __init__(self, job: Job, plan: Plan, shapes: list[tuple[int, ...]], threads: int | None, client: Any) -> None:
        self.client, self.count = client, plan.count
        self.threads = threads or cores()
        data = None
        if client is not None or self.threads > 1:
            data = _packed_or_none(job, plan, shapes, client is not None)
        self.data = data
        self.runner = Runner(job, plan, shapes, data)
        if data is None and not self.runner.native:
            self.threads = 1  # one model, which is changed for one sample at a time

    def chunk(self, stored: bool) -> int:
        """Samples in a part: enough to be worth a file, if it becomes one, few enough to keep all threads busy."""
        if self.runner.native:
            most, parts = (NATIVE, 8) if stored else (IN_MEMORY, 32)
            return int(min(most, max(64, self.count // (parts * self.threads))))
        return int(min(ORDINARY, max(1, self.count // (4 * self.threads))))

    def run(self, found: Study, parts: Store, progress: bool | None, watch: StudyMonitor) -> None:
        done = set(parts.done()) if found.store is not None else set()
        spans: Iterable[Span] = ((k, *parts.span(k)) for k in range(parts.parts) if k not in done)
        with Progress("study", self.count, progress) as bar:

            def receive(part: int, chunk: Chunk) -> None:
                found.take(part, chunk)
                bar.show(found.computed)
                watch.look(lambda: found)

            try:
                if self.client is not None:
                    assert self.data is not None
                    on_cluster(self.client, self.data, spans, receive)
                else:
                    on_threads(self.runner, spans, self.threads, receive)
            except KeyboardInterrupt:
                where = "" if found.store is None else f"; resume=True continues from '{found.store.path}'"
                raise Interrupted(
                    f"interrupted after {found.computed} of {self.count} samples; .partial has them{where}",
                    partial=found,
                ) from None
        watch.last(found)


def _stored_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of an analysis as a store remembers them: numbers and words as they are, lists by a digest."""
    described: dict[str, Any] = {}
    for name, value in options.items():
        if name == "progress":
            continue
        if value is None or isinstance(value, str | bool | int | float):
            described[name] = value
        elif isinstance(value, np.ndarray | list | tuple | np.number) and np.asarray(value).dtype.kind in "iuf":
            described[name] = hashlib.sha256(np.asarray(value, float).tobytes()).hexdigest()[:16]
        else:
            described[name] = type(value).__name__
    return described


def _output_times(job: Job) -> np.ndarray:
    """The output times of curves, if the study states them."""
    if job.analysis == "simulate" and job.options.get("output") is not None:
        from cardan.analysis.forward.simulate import output_times

        start = job.options.get("start")
        return output_times(job.options["output"], 0.0 if start is None else start.time, float(job.options["until"]))
    return np.asarray(job.options.get("times", ()), float).reshape(-1)


def _require_memory(count: int, shapes: list[tuple[int, ...]]) -> None:
    """Raise before computing if the results exceed the memory of this machine."""
    needed = 8.0 * count * sum(int(np.prod(shape)) for shape in shapes)
    there = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) if hasattr(os, "sysconf") else np.inf
    if needed > there:
        raise ModelError(
            f"the outputs of {count} samples take {needed / 2**30:.3g} GB, and this machine has {there / 2**30:.3g}: "
            "keep them on disk by store=..., or reduce curves to numbers"
        )


def _require_same_times(job: Job, times: np.ndarray, shapes: list[tuple[int, ...]]) -> None:
    """Curves of different samples must have the same output times."""
    for output, shape in zip(job.outputs, shapes, strict=True):
        if job.analysis == "simulate" and not times.size and shape and not callable(output.source):
            raise ModelError(
                f"'{output.name}' has one output time per step, a different number in each sample: pass output=0.01, a "
                f"common output interval, or reduce it to a number, '{output.name}:max'"
            )


def _packed_or_none(job: Job, plan: Plan, shapes: list[tuple[int, ...]], needed: bool) -> bytes | None:
    """The study as bytes, for other threads and processes; None where nothing can make them."""
    try:
        return packed(job, plan, shapes)
    except ImportError:
        if needed:
            raise ImportError("studies on a cluster need cloudpickle: pip install 'cardan[study]'") from None
        return None
    except Exception as error:  # whatever a user's objects raise when they are packed
        if needed:
            raise ModelError(f"this study cannot be sent to a cluster: {type(error).__name__}: {error}") from error
        return None


def _check(threads: Any, chunk: Any) -> None:
    if threads is not None:
        check.count(threads, "the threads of study()")
    if chunk is not None:
        check.count(chunk, "the chunk of study()")
