"""Where chunks are computed: on threads of this process, or by the workers of a dask cluster.

Both pass chunks to `receive` in the order of completion, with only a few in progress at a time: memory does not grow
with the number of samples.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

from cardan.errors import CardanError, ModelError
from cardan.study.batch.chunk import Chunk
from cardan.study.runner import Runner, unpacked

Span = tuple[int, int, int]  # number of a part, first and last sample
Receive = Callable[[int, Chunk], None]
PARTS_PER_THREAD = 2  # parts under way for each thread


def cores() -> int:
    """How many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_threads(runner: Runner, spans: Iterable[Span], threads: int, receive: Receive) -> None:
    """Compute parts on threads of this process."""
    if threads == 1:
        for part, first, last in spans:
            receive(part, runner(first, last))
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="cardan-study")
    waiting: Iterator[Span] = iter(spans)
    under_way: dict[Future[Chunk], int] = {}
    try:
        while True:
            for part, first, last in islice(waiting, PARTS_PER_THREAD * threads - len(under_way)):
                under_way[pool.submit(runner, first, last)] = part
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                receive(under_way.pop(future), future.result())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def on_cluster(client: Any, study: bytes, spans: Iterable[Span], receive: Receive) -> None:
    """Compute parts on the workers of a dask cluster; one that dies gives its parts back."""
    distributed = _distributed()
    if not isinstance(client, distributed.Client):
        raise ModelError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
    threads = sum(client.nthreads().values())
    if threads == 0:
        raise ModelError("the cluster of study() has no workers; start some, or leave client= out")
    waiting: Iterator[Span] = iter(spans)
    key = hashlib.sha256(study).hexdigest()[:16]
    under_way: dict[Any, tuple[int, Any]] = {}  # key of a future -> its part and itself
    arriving = distributed.as_completed()

    def submit(count: int) -> None:
        for part, first, last in islice(waiting, count):
            future = client.submit(_chunk, study, key, first, last, pure=False, retries=2)
            under_way[future.key] = (part, future)
            arriving.add(future)

    submit(PARTS_PER_THREAD * threads)
    try:
        for future in arriving:
            part, _ = under_way.pop(future.key)
            if future.status == "error":
                raise _failed(part, future.exception())
            receive(part, future.result())
            future.release()
            submit(1)
    finally:
        client.cancel([future for _, future in under_way.values()])
        arriving.clear()


def _failed(part: int, error: BaseException) -> BaseException:
    """What ends a study whose part cannot be computed anywhere."""
    if isinstance(error, CardanError):
        return error
    return ModelError(f"part {part} of the study fails on the cluster: {type(error).__name__}: {error}", cause=error)


def _chunk(study: bytes, key: str, first: int, last: int) -> Chunk:
    """On a worker: one part, by a runner that stays for the next."""
    with _alone:
        if key not in _runners:
            job, plan, shapes = unpacked(study)
            _runners.clear()
            _runners[key] = Runner(job, plan, shapes, study)
        runner = _runners[key]
    return runner(first, last)


_runners: dict[str, Runner] = {}
_alone = threading.Lock()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError("studies on a cluster need dask: pip install 'cardan[study]'") from error
    return distributed
