"""What all benchmarks share: interleaved repetitions, medians, tables and verdicts.

Tasks that are compared run in turn, A B C A B C ..., so that a machine that slows down slows all of them; the median
of each counts. Times are CPU times of the process, because other work on the machine then changes them least.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def interleaved(tasks: Mapping[str, Callable[[], Any]], repetitions: int) -> dict[str, float]:
    """The median CPU time of each task in seconds; one run of each, not counted, warms up."""
    for task in tasks.values():
        task()
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repetitions):
        for name, task in tasks.items():
            begun = time.process_time()
            task()
            seconds[name].append(time.process_time() - begun)
    return {name: statistics.median(values) for name, values in seconds.items()}


def repeated(task: Callable[[], Any], count: int) -> Callable[[], None]:
    """The task `count` times over, so that short tasks last as long as those they are compared with."""

    def run() -> None:
        for _ in range(count):
            task()

    return run


def table(title: str, head: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
    """Print a table: the first column to the left, numbers to the right with four digits."""
    cells = [[_cell(value) for value in line] for line in lines]
    widths = [max(len(row[k]) for row in [list(head), *cells]) for k in range(len(head))]
    print(f"\n{title}")
    for row in [list(head), *cells]:
        columns = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        print("  " + "  ".join(columns).rstrip())


def at_most(what: str, value: float, limit: float, unit: str = "") -> bool:
    """Print and return whether a figure stays within its limit."""
    return _verdict(value <= limit, what, value, f"at most {limit:g}{unit}", unit)


def at_least(what: str, value: float, limit: float, unit: str = "") -> bool:
    """Print and return whether a figure reaches its limit."""
    return _verdict(value >= limit, what, value, f"at least {limit:g}{unit}", unit)


def conclude(verdicts: Sequence[bool]) -> None:
    """End the script; its exit status says whether all figures were reached."""
    raise SystemExit(0 if all(verdicts) else 1)


def _verdict(reached: bool, what: str, value: float, asked: str, unit: str) -> bool:
    print(f"  {'PASS' if reached else 'FAIL'}  {what}: {value:.3g}{unit} (asked: {asked})")
    return reached


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
