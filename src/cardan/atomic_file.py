"""Atomic writes: an output file is written completely or not at all.

    with atomic_write(path) as temporary:
        temporary.write_text(text)

The data goes to a temporary file in the same folder, which is renamed at the end. After an error an existing file is
unchanged, no partial file remains, and the error names the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cardan.errors import WriteError


@contextmanager
def atomic_write(path: Path, result: Any = None) -> Iterator[Path]:
    """The temporary path to write to, with the same suffix; `result` becomes `.partial` of a WriteError."""
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise not_written(path, error, result) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def not_written(path: Path, error: OSError, result: Any = None) -> WriteError:
    """The error for a file that cannot be written."""
    reason = error.strerror or str(error) or type(error).__name__
    carried = "; the result is in .partial of this error" if result is not None else ""
    return WriteError(
        f"'{path}' cannot be written: {reason[:1].lower()}{reason[1:]}; an existing file is unchanged{carried}",
        partial=result,
    )
