"""What a command states: its instants, the formats of its tables, the arguments of a model."""

from __future__ import annotations

import argparse
from typing import Any

TABLES = ("nc", "csv", "parquet", "mat", "png", "html", "pdf")
MOST_INSTANTS = 100_000_000


class UsageError(Exception):
    """The command asks for something that does not exist."""


def instants(arguments: argparse.Namespace, case: Any) -> Any:
    """The instants: as asked for, or as the model's file says."""
    if arguments.times and arguments.until is not None:
        raise UsageError("--times and --until state the same; give one of them")
    if arguments.step is not None and arguments.until is None:
        raise UsageError("--step needs --until")
    if arguments.until is not None:
        step = arguments.until / 200 if arguments.step is None else arguments.step
        if not (0.0 < step <= arguments.until < float("inf")):
            raise UsageError(f"--until and --step must be positive, the step the smaller: {arguments.until}, {step}")
        count = max(1, round(arguments.until / step))
        if abs(count * step - arguments.until) > 1e-9 * arguments.until:
            raise UsageError(f"--until {arguments.until:g} is no multiple of --step {step:g}; choose one that is")
        start, end, count = 0.0, arguments.until, count + 1
    else:
        stated = arguments.times or case.times
        if stated is None:
            raise UsageError(f"'{case.name}' does not say for how long it moves: add --until 1 --step 0.01")
        try:
            start, end, count = stated
        except (TypeError, ValueError):
            raise UsageError(f"TIMES of '{case.name}' must be (start, end, count), not {stated!r}") from None
    return _instants(start, end, count, case)


def _instants(start: Any, end: Any, count: Any, case: Any) -> Any:
    """A grid of instants, if it makes sense."""
    import numpy as np

    try:
        count = int(count)
        if not (np.isfinite(start) and np.isfinite(end) and 1 <= count <= MOST_INSTANTS):
            raise ValueError
        return np.linspace(start, end, count)
    except (TypeError, ValueError):
        raise UsageError(
            f"'{case.name}' is asked for {count!r} instants from {start!r} s to {end!r} s; state finite times and up "
            f"to {MOST_INSTANTS:,} instants"
        ) from None


def lasted(elapsed: float) -> str:
    """How long something took, with two digits."""
    return f"{elapsed:.0f} s" if elapsed >= 10.0 else f"{elapsed:.2g} s"


def grid(text: str) -> tuple[float, float, int]:
    try:
        start, end, count = text.split(":")
        found = float(start), float(end), int(count)
    except ValueError:
        raise argparse.ArgumentTypeError(f"write it as start:end:count, such as 0:1:101, not {text!r}") from None
    if not (found[0] < found[1] and found[2] >= 2):
        raise argparse.ArgumentTypeError(f"the end must follow the start, with two instants or more, not {text!r}")
    return found


def formats(text: str) -> list[str]:
    found = words(text)
    for word in found:
        if word not in TABLES:
            raise argparse.ArgumentTypeError(f"results are written as {', '.join(TABLES)}, not {word!r}")
    return found


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"write -p as name=value, not {text!r}")
    return name, value
