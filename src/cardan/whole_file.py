"""Files that are whole or not there: the one place where this package puts files where users asked for them.

    with whole_file(path) as beside:
        beside.write_text(text)

What is written goes beside the path and is renamed into it at the end, at once. Where anything fails, a file that was
there before stays as it was, nothing half written is left, and the error names the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cardan.errors import WriteError


@contextmanager
def whole_file(path: Path, result: Any = None) -> Iterator[Path]:
    """Where to write instead of `path`; it has the same ending. `result` is what the error carries as `.partial`."""
    beside = path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield beside
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise not_written(path, error, result) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def not_written(path: Path, error: OSError, result: Any = None) -> WriteError:
    """The error of a file that could not be written."""
    reason = error.strerror or str(error) or type(error).__name__
    carried = "; .partial of this error has the result" if result is not None else ""
    return WriteError(
        f"'{path}' cannot be written: {reason[:1].lower()}{reason[1:]}; what was there before is as it was{carried}",
        partial=result,
    )
