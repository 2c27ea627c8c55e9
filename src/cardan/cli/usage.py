"""Values of command-line arguments: output times, formats, settings."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from cardan.numerics.announcement import announcement

if TYPE_CHECKING:
    from cardan.case import Case

FORMATS = ("nc", "csv", "parquet", "mat", "png", "html", "pdf")
MAX_TIMES = 100_000_000


class UsageError(Exception):
    """A command asks for something that does not exist."""


def output_times(arguments: argparse.Namespace, case: Any) -> Any:
    """The output times from --until and --step, from --times, or from the model's file."""
    if arguments.times and arguments.until is not None:
        raise UsageError("--times and --until exclude each other; give one of them")
    if arguments.step is not None and arguments.until is None:
        raise UsageError("--step needs --until")
    if arguments.until is not None:
        step = arguments.until / 200 if arguments.step is None else arguments.step
        if not (0.0 < step <= arguments.until < float("inf")):
            raise UsageError(
                f"--until and --step must be positive, with step <= until, got until={arguments.until:g}, step={step:g}"
            )
        count = max(1, round(arguments.until / step))
        if abs(count * step - arguments.until) > 1e-9 * arguments.until:
            raise UsageError(f"--until {arguments.until:g} is not a multiple of --step {step:g}")
        start, end, count = 0.0, arguments.until, count + 1
    else:
        stated = arguments.times or case.times
        if stated is None:
            raise UsageError(f"'{case.name}' does not state how long it moves: add --until 1 --step 0.01")
        try:
            start, end, count = stated
        except (TypeError, ValueError):
            raise UsageError(f"TIMES of '{case.name}' must be (start, end, count), not {stated!r}") from None
    return _even_times(start, end, count, case)


def _even_times(start: Any, end: Any, count: Any, case: Case) -> Any:
    import numpy as np

    try:
        count = int(count)
        if not (np.isfinite(start) and np.isfinite(end) and 1 <= count <= MAX_TIMES):
            raise ValueError
        return np.linspace(start, end, count)
    except (TypeError, ValueError):
        raise UsageError(
            f"the output times of '{case.name}' must be finite and at most {MAX_TIMES:,}, got {count!r} from "
            f"{start!r} s to {end!r} s"
        ) from None


class Stopwatch:
    """The time of a computation, without that of the compilation of kernels within it."""

    def __init__(self) -> None:
        self._begun, self._compiled = time.perf_counter(), announcement.seconds

    @property
    def compiling(self) -> float:
        """Seconds of compilation."""
        return announcement.seconds - self._compiled

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begun - self.compiling

    def __str__(self) -> str:
        return duration(self.seconds) + (f" after {duration(self.compiling)} of compilation" if self.compiling else "")


def duration(seconds: float) -> str:
    """A computing time with two digits."""
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.2g} s"


def grid(text: str) -> tuple[float, float, int]:
    """start:end:count."""
    try:
        start, end, count = text.split(":")
        found = float(start), float(end), int(count)
    except ValueError:
        raise argparse.ArgumentTypeError(f"write start:end:count, such as 0:1:101, not {text!r}") from None
    if not (found[0] < found[1] and found[2] >= 2):
        raise argparse.ArgumentTypeError(f"start:end:count needs start < end and count >= 2, got {text!r}")
    return found


def formats(text: str) -> list[str]:
    """A list of file formats, separated by commas."""
    found = words(text)
    for word in found:
        if word not in FORMATS:
            raise argparse.ArgumentTypeError(f"the formats are {', '.join(FORMATS)}, not {word!r}")
    return found


def words(text: str) -> list[str]:
    """Words separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def setting(text: str) -> tuple[str, str]:
    """name=value."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"write -p as name=value, not {text!r}")
    return name, value
