"""Compare two results column by column; the largest differences are told with their places."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from cardan.cli.arguments import add_json, result_file
from cardan.cli.usage import UsageError

HELP = "compare two results, fail beyond a tolerance"
COUNTS = ("iterations", "steps")  # how a result was computed, not what it is


class Difference(NamedTuple):
    """The largest difference of a column: its size, the tolerance there, and where it is."""

    name: str
    size: float
    allowed: float
    place: str
    values: tuple[float, float]

    @property
    def beyond(self) -> bool:
        return not self.size <= self.allowed


def add(command: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        command.add_argument(name, metavar=name.upper(), help="a result, .nc")
    command.add_argument(
        "--rtol", type=float, default=1e-9, metavar="TOL", help="relative to the column's largest value"
    )
    command.add_argument("--atol", type=float, default=1e-12, metavar="TOL", help="absolute, in the column's unit")
    command.add_argument("--most", type=int, default=10, metavar="N", help="how many columns are told (default: 10)")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    if not (arguments.rtol >= 0.0 and arguments.atol >= 0.0):
        raise UsageError(f"--rtol and --atol must be zero or more, not {arguments.rtol} and {arguments.atol}")
    from cardan.results.disk.saving import columns_in

    one, other = (columns_in(result_file(path)) for path in (arguments.a, arguments.b))
    lacking = [f"'{name}' is in one of them only" for name in one.keys() ^ other.keys()]
    found = [] if lacking else _differences(one, other, arguments)
    beyond = [difference for difference in found if difference.beyond]
    says = arguments.says
    for sentence in sorted(lacking):
        says.say(sentence)
    for d in sorted(beyond or found, key=lambda d: -d.size / max(d.allowed, 1e-300))[: arguments.most]:
        if d.size == float("inf") and d.values[0] != d.values[0]:
            says.say(f"{d.name}: {d.place}")
        else:
            says.say(f"{d.name}: {d.values[0]:.9g} and {d.values[1]:.9g} {d.place}, differ by {d.size:.3g}")
    verdict = f"{len(beyond)} of {len(found)} variables differ beyond rtol {arguments.rtol:g}, atol {arguments.atol:g}"
    says.say(verdict if not lacking else f"{len(lacking)} variables are not comparable")
    told = [d._asdict() | {"beyond": d.beyond} for d in found]
    says.fact(differences=told, lacking=sorted(lacking), beyond=len(beyond))
    return 1 if beyond or lacking else 0


def _differences(one: dict[str, Any], other: dict[str, Any], arguments: argparse.Namespace) -> list[Difference]:
    import numpy as np

    found = []
    for name in one:
        (a, labels), (b, other_labels) = one[name], other[name]
        if a.shape != b.shape or labels != other_labels:
            what = f"shapes {a.shape} and {b.shape}" if a.shape != b.shape else "other names along their axes"
            found.append(Difference(name, np.inf, 0.0, what, (np.nan, np.nan)))
            continue
        if name in COUNTS or a.size == 0:
            continue
        gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        gap = np.where(np.isnan(gap), np.inf, gap)
        allowed = arguments.atol + arguments.rtol * float(np.nanmax(np.abs(a), initial=0.0))
        place = np.unravel_index(int(np.argmax(gap)), gap.shape)
        told = _told(place, labels, one)
        found.append(Difference(name, float(gap[place]), allowed, told, (float(a[place]), float(b[place]))))
    return found


def _told(place: tuple[Any, ...], labels: list[Any], one: dict[str, Any]) -> str:
    """Where a number is: at which time, of which body, along which axis."""
    words = []
    for k, (dimension, names) in zip(place, labels, strict=True):
        if dimension == "time" and "time" in one:
            words.append(f"t = {one['time'][0][k]:g} s")
        else:
            words.append(f"{dimension} {names[k] if names else int(k)}")
    return f"at {', '.join(words)}" if words else ""
