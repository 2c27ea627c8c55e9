"""Fuzzing: mutated files of every format must end in a result or in a CardanError, within limits of time and memory.

    python -m fuzz.run --minutes 60              all formats in turn, fresh seeds; failing files are added to the corpus
    python -m fuzz.run --format mjcf --seed 7    one format
    python -m fuzz.run --atheris --format yaml   guided by coverage, if atheris is installed

`make fuzz MINUTES=60` runs the first. In the suite, `test_fuzz.py` reads the corpus and some hundred mutations.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import random
import resource
import secrets
import signal
import sys
import tempfile
import time
import traceback
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardan.errors import CardanError
from fuzz.mutations import GRAMMARS, grown, mutated
from fuzz.targets import TARGETS, Target, seeds

CORPUS = Path(__file__).parent / "corpus"
SECONDS = 5.0  # of the processor for a small file, on a slow machine
SECONDS_PER_MEGABYTE = 60.0
MEGABYTES = 400  # that the largest resident size may grow by, in one file of 100 kB


READERS = (
    "cardan.files", "cardan.flexible", "cardan.io", "cardan.elements.tires.tire_file", "cardan.storage",
    "cardan.studio", "cardan.untrusted", "cardan.view.web.question",
)  # fmt: skip


class Fault(Exception):
    """A file that is not read as it should be; `mark` is the same for all that fail in the same place."""

    def __init__(self, sentence: str, mark: str) -> None:
        super().__init__(sentence)
        self.mark = mark


class _TooLongError(BaseException):
    """Time is over; no reader catches it."""


def corpus(kind: str, fresh: dict[str, list[bytes]] | None = None) -> list[bytes]:
    """All stored files of a format, and those that are made anew."""
    stored = [path.read_bytes() for path in sorted((CORPUS / kind).glob("*"))]
    return [*stored, *(fresh or {}).get(kind, [])]


def inputs(kind: str, known: list[bytes], luck: random.Random) -> Iterator[bytes]:
    """Files without end."""
    while True:
        if kind in GRAMMARS and luck.random() < 0.4:
            data = grown(kind, luck)
        else:
            data = luck.choice(known) if known else b""
        yield data if luck.random() < 0.05 else mutated(data, known, luck)


def tried(kind: str, data: bytes, folder: Path) -> str:
    """Read a file: "read", "refused", or "library" if a C library did not return; raises Fault for anything else."""
    target = TARGETS[kind]
    path = folder / target.name
    path.write_bytes(data)
    allowed = SECONDS + SECONDS_PER_MEGABYTE * len(data) / 1e6
    if target.library:
        return _tried_apart(kind, target, path, allowed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    handler = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, allowed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.read(path)
        found = "read"
    except CardanError:
        found = "refused"
    except _TooLongError:
        raise Fault(f"{kind}: {len(data)} bytes take more than {allowed:.1f} s", f"{kind} time") from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        where = "".join(traceback.format_exception(error)[-4:])
        place = traceback.extract_tb(error.__traceback__)[-1]
        mark = f"{kind} {type(error).__name__} {place.filename} {place.lineno}"
        raise Fault(f"{kind}: {type(error).__name__}: {error}\n{where}", mark) from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, handler)
    grown_by = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    if grown_by > MEGABYTES:
        raise Fault(f"{kind}: {len(data)} bytes take {grown_by} MB", f"{kind} memory")
    return found


def _tried_apart(kind: str, target: Target, path: Path, allowed: float) -> str:
    """Read a file in a process of its own. What a C library does with it, endless loops and crashes included, is
    outside the guarantees of the package; errors of Python are not."""
    told = path.with_name("told")
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(allowed), math.ceil(allowed) + 1))
        status = 2
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                target.read(path)
            status = 0
        except CardanError:
            status = 1
        except BaseException:
            told.write_text(traceback.format_exc(limit=-3), encoding="utf-8")
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 2:
        text = told.read_text(encoding="utf-8")
        raise Fault(f"{kind}: {text}", f"{kind} {text}")
    return {0: "read", 1: "refused"}.get(status, "library")


def _stop(*_: Any) -> None:
    raise _TooLongError


def keep(kind: str, data: bytes) -> Path:
    """Put a file into the corpus, from which the suite repeats it."""
    path = CORPUS / kind / f"found-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--format", choices=TARGETS, action="append")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--atheris", action="store_true", help="let atheris choose the changes, by coverage")
    arguments = parser.parse_args()
    kinds = arguments.format or [*TARGETS]
    if arguments.atheris:
        return _led_by_coverage(kinds[0], arguments.minutes)
    seed = secrets.randbelow(10**9) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    luck, fresh, faults, count = random.Random(seed), seeds(), 0, 0
    known: set[str] = set()
    end = time.monotonic() + 60.0 * arguments.minutes
    streams = {kind: inputs(kind, corpus(kind, fresh), luck) for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        under_way = Path(tempfile.gettempdir()) / f"cardan-fuzz-{seed}"  # stays if the interpreter dies
        while time.monotonic() < end:
            for kind, stream in streams.items():
                data = next(stream)
                under_way.write_bytes(data)
                count += 1
                try:
                    tried(kind, data, Path(folder))
                except Fault as fault:
                    faults += 1
                    if fault.mark not in known:  # one file for each fault
                        known.add(fault.mark)
                        print(f"{keep(kind, data)}\n{fault}", flush=True)
        under_way.unlink()
    print(f"{count} files, {faults} faults")
    return 1 if faults else 0


def _led_by_coverage(kind: str, minutes: float) -> int:
    """Let Atheris mutate files to reach new lines of the readers."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris, or leave --atheris out", file=sys.stderr)
        return 2
    _instrument(atheris)
    folder = Path(tempfile.mkdtemp(prefix="cardan-fuzz-"))
    for number, data in enumerate(corpus(kind, seeds())):
        (folder / f"seed-{number}").write_bytes(data)
    work = Path(tempfile.mkdtemp(prefix="cardan-fuzz-"))

    def one(data: bytes) -> None:
        try:
            tried(kind, data, work)
        except Fault as fault:
            print(f"{keep(kind, data)}\n{fault}", flush=True)
            raise

    atheris.Setup([sys.argv[0], f"-max_total_time={int(60 * minutes)}", "-timeout=60", str(folder)], one)
    atheris.Fuzz()
    return 0


def _instrument(atheris: Any) -> None:
    """Let atheris see which lines of the readers are reached; of the readers alone, since all take minutes."""
    for module in [m for name, m in sys.modules.items() if name.startswith(READERS)]:
        for thing in [*vars(module).values()]:
            if getattr(thing, "__module__", None) != module.__name__:
                continue
            members = vars(thing).values() if isinstance(thing, type) else (thing,)
            for function in members:
                if isinstance(function, types.FunctionType):
                    atheris.instrument_func(function)


if __name__ == "__main__":
    sys.exit(main())
