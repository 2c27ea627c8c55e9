"""Compare two results column by column and list the largest differences."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from cardan.cli.arguments import add_json, require_result
from cardan.cli.usage import UsageError

HELP = "compare two results; fail beyond a tolerance"
COUNTS = ("iterations", "steps")  # these describe the computation, not the result


class Difference(NamedTuple):
    """The largest difference of a column: its size, its tolerance and its place."""

    name: str
    size: float
    allowed: float
    place: str
    values: tuple[float, float]

    @property
    def beyond(self) -> bool:
        return not self.size <= self.allowed


def add_arguments(command: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        command.add_argument(name, metavar=name.upper(), help="a result, .nc")
    command.add_argument(
        "--rtol", type=float, default=1e-9, metavar="TOL", help="relative to the column's largest value"
    )
    command.add_argument("--atol", type=float, default=1e-12, metavar="TOL", help="absolute, in the column's unit")
    command.add_argument("--most", type=int, default=10, metavar="N", help="number of columns listed (default: 10)")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    if not (arguments.rtol >= 0.0 and arguments.atol >= 0.0):
        raise UsageError(f"--rtol and --atol must be zero or more, not {arguments.rtol} and {arguments.atol}")
    from cardan.storage.stored_result import columns_in

    one, other = (columns_in(require_result(path)) for path in (arguments.a, arguments.b))
    missing = [f"'{name}' is in only one of the results" for name in one.keys() ^ other.keys()]
    found = [] if missing else _differences(one, other, arguments)
    beyond = [difference for difference in found if difference.beyond]
    output = arguments.output
    for line in sorted(missing):
        output.line(line)
    for d in sorted(beyond or found, key=lambda d: -d.size / max(d.allowed, 1e-300))[: arguments.most]:
        if d.size == float("inf") and d.values[0] != d.values[0]:
            output.line(f"{d.name}: {d.place}")
        else:
            output.line(f"{d.name}: {d.values[0]:.9g} and {d.values[1]:.9g} {d.place}, differ by {d.size:.3g}")
    summary = f"{len(beyond)} of {len(found)} variables differ beyond rtol {arguments.rtol:g}, atol {arguments.atol:g}"
    output.line(summary if not missing else f"{len(missing)} variables cannot be compared")
    differences = [d._asdict() | {"beyond": d.beyond} for d in found]
    output.add(differences=differences, missing=sorted(missing), beyond=len(beyond))
    return 1 if beyond or missing else 0


def _differences(one: dict[str, Any], other: dict[str, Any], arguments: argparse.Namespace) -> list[Difference]:
    import numpy as np

    found = []
    for name in one:
        (a, labels), (b, other_labels) = one[name], other[name]
        if a.shape != b.shape or labels != other_labels:
            what = f"shapes {a.shape} and {b.shape}" if a.shape != b.shape else "different names along their axes"
            found.append(Difference(name, np.inf, 0.0, what, (np.nan, np.nan)))
            continue
        if name in COUNTS or a.size == 0:
            continue
        gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        gap = np.where(np.isnan(gap), np.inf, gap)
        allowed = arguments.atol + arguments.rtol * float(np.nanmax(np.abs(a), initial=0.0))
        place = np.unravel_index(int(np.argmax(gap)), gap.shape)
        where = _describe(place, labels, one)
        found.append(Difference(name, float(gap[place]), allowed, where, (float(a[place]), float(b[place]))))
    return found


def _describe(place: tuple[Any, ...], labels: list[Any], one: dict[str, Any]) -> str:
    """The time, body and axis of a number."""
    words = []
    for k, (dimension, names) in zip(place, labels, strict=True):
        if dimension == "time" and "time" in one:
            words.append(f"t = {one['time'][0][k]:g} s")
        else:
            words.append(f"{dimension} {names[k] if names else int(k)}")
    return f"at {', '.join(words)}" if words else ""
