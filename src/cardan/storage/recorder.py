"""Results written while they are computed: an interrupted run leaves its part in a file.

    with recording("run.nc") as file:
        run = file.keep(simulate(model, 3600.0, output=0.001))

During the run, output times are appended to `run.partial.nc`, a complete netCDF file after every append. `keep` writes
the whole result to `run.nc`; if the run ends with an error or Ctrl-C, the part computed is written. A killed run leaves
`run.partial.nc`, which `load_result` reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cardan.analysis.progress import RECORDER
from cardan.atomic_file import not_written
from cardan.errors import CardanError, Interrupted, warn
from cardan.netcdf import Writer
from cardan.output_path import free, in_folder, partial_of
from cardan.results.trajectory import Trajectory
from cardan.storage import motion
from cardan.storage.result_files import save
from cardan.storage.stored_result import attributes_of

APPEND_INTERVAL = 0.5  # s between two appends
MAX_DERIVED = 20_000_000  # values; larger results are stored without derived variables


class Recorder:
    """A file that is written during a run."""

    def __init__(self, path: Path) -> None:
        self.path, self.partial = path, partial_of(path)
        self._writer: Any = None
        self._plain: Any = None
        self._owner: Any = None
        self._unwritable = False  # whether the partial file cannot be written
        self._written, self._looked = 0, time.perf_counter()  # a short run is written at its end only

    def follow(self, owner: Any, count: int, part: Callable[[int], Any]) -> None:
        """Append the new output times of the run `owner`; `part` returns them, `count` is their total."""
        if owner is not self._owner:  # the last of several runs in a block is recorded
            self.drop()
            self._owner, self._written = owner, 0
        if count > self._written and time.perf_counter() - self._looked >= APPEND_INTERVAL and not self._unwritable:
            try:
                self.append(part(self._written))
            except OSError as error:  # the run continues: its result is in memory
                self._unwritable = True
                self.drop()
                warn(
                    f"'{self.partial}' cannot be written during the run: {error.strerror or error}; its result "
                    f"is written to '{self.path}' at the end"
                )
            self._looked = time.perf_counter()

    def keep(self, result: object) -> Any:
        """Write the whole result, replace the partial file, and return the result."""
        if self._writer is None or not isinstance(result, Trajectory) or result.q.size < MAX_DERIVED:
            save(result, self.path, overwrite=True)
            self.drop()
            return result
        try:
            if self._written < len(result):
                self.append(result, self._written)
            self.end(attributes_of(motion.content(result, loads=False)))
        except OSError as error:
            raise not_written(self.path, error, result) from error
        return result

    def end(self, attributes: Mapping[str, str] = MappingProxyType({"complete": "yes"})) -> None:
        """Mark the file as complete."""
        if self._writer is not None:
            self._writer.finish(attributes)
            self._writer = None
            self.partial.replace(self.path)

    def close(self) -> None:
        """Close the partial file; `load_result` reads it."""
        if self._writer is not None:
            with suppress(OSError):  # the rest does not fit
                self._writer.close()
            self._writer = None

    def drop(self) -> None:
        """Remove the partial file."""
        if self._writer is not None:
            self.close()
            with suppress(OSError):
                self.partial.unlink(missing_ok=True)

    def append(self, run: Trajectory, first: int = 0) -> None:
        """Write the output times of a part, from `first` on."""
        if self._plain is None or self._writer is None:
            self._plain = motion.plain_of(run)
            content = motion.content(run, loads=False)
            self._writer = Writer(self.partial, content.layout(attributes_of(content, complete=False)))
        elif run.shifts:
            self._writer.restate(attributes_of(motion.content(run, loads=False), complete=False))
        values = {name: variable.values[first:] for name, variable in motion.motion_records(run, self._plain).items()}
        self._writer.append(values, len(run) - first)
        self._written += len(run) - first


def save_parts(parts: Iterable[Trajectory], path: str | Path, overwrite: bool = True) -> None:
    """Write a motion given in consecutive parts, without keeping them in memory."""
    target = in_folder(path)
    free(target, overwrite)
    free(partial_of(target), overwrite)
    recorder = Recorder(target)
    try:
        for part in parts:
            recorder.append(part)
        recorder.end()
    except OSError as error:
        recorder.drop()
        raise not_written(target, error) from error


@contextmanager
def recording(path: str | Path, overwrite: bool = True) -> Iterator[Recorder]:
    """Write the motion computed in this block while it is computed; `keep` writes the result at its end."""
    target = in_folder(path)
    free(target, overwrite)
    free(partial_of(target), overwrite)
    recorder = Recorder(target)
    mark = RECORDER.set(recorder)
    try:
        yield recorder
    except (CardanError, Interrupted) as error:
        if isinstance(error.partial, Trajectory) and len(error.partial):
            recorder.keep(error.partial)
        raise
    finally:
        RECORDER.reset(mark)
        recorder.close()
