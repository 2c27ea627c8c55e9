"""The announcement of compilation: for how long, and how far it is.

    kernels still missing = (kernels of the analysis on the stack + those that this one calls) - kernels compiled before
    time left             = sum of their costs in CPU seconds, measured once, times the pace of this machine now

`kernel_costs.json` holds the costs, measured by `python -m cardan.prebuilt.costs`; the pace is measured on the first
kernels that are compiled, which is when the announcement appears. No file is read as long as nothing is compiled.

A command states by `plan` which analyses it is going to call: the time announced is that of all. Where more turns out
to be missing than was announced, as when a program calls a second analysis, that is announced in its turn.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

COSTS = Path(__file__).with_name("kernel_costs.json")
COMPILED = "compiled.txt"  # in the folder of kernels: those compiled by earlier processes
MEASURED = 1.0  # CPU seconds, as measured once, of kernels from which the pace is known
SHORT = 1.5  # s: shorter compilations are not announced
LONGER = 1.5  # times what was announced: a longer compilation is announced again
USUAL = 0.25  # CPU seconds of a kernel that was never measured
QUARTERS = 4  # lines of progress where stderr is not a terminal


@dataclass
class Compiling:
    """A kernel that is being compiled: when it began, and the time spent on others within."""

    key: str
    begun: float = field(default_factory=lambda: time.perf_counter())
    begun_cpu: float = field(default_factory=lambda: time.process_time())
    within: float = 0.0
    within_cpu: float = 0.0


class Announcement:
    """What is compiled in this process, and what is still expected."""

    def __init__(self) -> None:
        self.stack: list[Compiling] = []
        self.pending: dict[str, float] = {}  # key of a kernel: its cost
        self.spent = self.worth = 0.0  # s on kernels that were measured, and what they cost when they were
        self.elapsed = 0.0
        self.seconds = 0.0  # s: all time in which something was compiled
        self.done: set[str] | None = None
        self.folder: Path | None = None
        self.space, self.what = "planar", ""
        self.announced, self.quarter = False, 0
        self.finished = self.promised = 0.0  # costs of what was compiled, and of all that was announced
        self.planned: list[str] = []  # analyses that a command is going to call, of a model in this space
        self.planned_space = "planar"
        self.recorded: Recorded | None = None

    def plan(self, model: Any, *analyses: str) -> None:
        """A command is going to call these analyses of a model, the one that matters last."""
        self.planned, self.planned_space = list(analyses), space_of(model)

    def begin(self, name: str, folder: Path | None) -> None:
        """A kernel is compiled now."""
        if not self.stack:
            self.folder, groups = folder, table()["groups"]
            self.what, self.space = asked() if self.recorded is None else ("", self.recorded.space)
            if self.planned and not self.what:
                self.space = self.planned_space
            self._expect([*(k for group in (self.what, *self.planned) for k in groups.get(group, ())), name])
            self.what = self.planned[-1] if self.planned else self.what
            if self.announced and self.left >= SHORT and self.cost > LONGER * self.promised:
                self.announced, self.quarter, self.elapsed, self.finished = False, 0, 0.0, 0.0
        key = self._key(name)
        if key not in self.pending:
            self.pending[key] = _cost(key)
        self.stack.append(Compiling(key))

    def end(self) -> None:
        """The kernel that was begun last is done, or failed."""
        one = self.stack.pop()
        whole, whole_cpu = time.perf_counter() - one.begun, time.process_time() - one.begun_cpu
        if self.stack:
            self.stack[-1].within += whole
            self.stack[-1].within_cpu += whole_cpu
        else:
            self.seconds += whole
        own = whole - one.within
        if self.recorded is not None:
            self.recorded.costs[one.key] = self.recorded.costs.get(one.key, 0.0) + whole_cpu - one.within_cpu
        self.elapsed += own
        self.finished += _cost(one.key)
        if self.recorded is None and one.key.partition(" ")[0] in table()["known"]:
            self.spent += own
            self.worth += _cost(one.key)
        self.pending.pop(one.key, None)
        self._remember(one.key)
        self._report()

    def called(self, name: str) -> None:
        """A kernel is looked up by Python, or by the kernel that is being compiled."""
        if self.recorded is not None:
            caller = self.stack[-1].key.partition(" ")[0] if self.stack else ""
            self.recorded.calls.setdefault(caller, {})[name] = None

    @property
    def cost(self) -> float:
        """CPU seconds, as measured once, of what was compiled and of what is expected."""
        return self.finished + sum(self.pending.values())

    @property
    def left(self) -> float:
        """The time that is still expected, in s."""
        pace = self.spent / self.worth if self.worth > 0.0 else 1.0
        return pace * sum(self.pending.values())

    def _expect(self, names: Iterable[str]) -> None:
        """Add kernels and all that they call to those that are expected."""
        calls, waiting, known = table()["calls"], list(names), self._known()
        other = "cardan.planar." if self.space == "spatial" else "cardan.spatial."
        while waiting:
            name = waiting.pop()
            key = self._key(name)
            if key not in known and key not in self.pending and not name.startswith(other):
                self.pending[key] = _cost(key)
                waiting += calls.get(name, ())

    def _key(self, name: str) -> str:
        """A kernel, with the space for which it is compiled unless it is the same for both."""
        return name if name in table()["shared"] else f"{name} {self.space}"

    def _known(self) -> set[str]:
        """Kernels compiled by this process or by earlier ones."""
        if self.done is None:
            self.done = set()
            if self.folder is not None:
                with contextlib.suppress(OSError, UnicodeDecodeError):
                    self.done = set((self.folder / COMPILED).read_text(encoding="utf-8").splitlines())
        return self.done

    def _remember(self, key: str) -> None:
        self._known().add(key)
        if self.folder is not None:
            with contextlib.suppress(OSError), (self.folder / COMPILED).open("a", encoding="utf-8") as file:
                file.write(key + "\n")

    def _report(self) -> None:
        """Announce the time once the pace is known; then show how much is left."""
        whole = self.elapsed + self.left
        if not self.announced and (self.worth >= MEASURED or self.elapsed >= MEASURED):
            self.announced, self.promised = whole >= SHORT, self.cost
            if self.announced:
                often = "once on this machine" if self.folder is not None else "in this process"
                what = f" of {self.what}()" if self.what else ""
                print(f"Cardan compiles the kernels{what}: {often}, about {_seconds(whole)}", file=sys.stderr)
        elif self.announced:
            share = self.elapsed / whole
            if sys.stderr.isatty():
                text = f"compiling: {100 * share:3.0f} %, {self.left:.0f} s left"
                sys.stderr.write(f"\r{text if self.stack else ' ' * len(text)}\r")
            elif int(QUARTERS * share) > self.quarter and self.pending:
                self.quarter = int(QUARTERS * share)
                print(f"compiling: {100 * share:.0f} %, {_seconds(self.left)} left", file=sys.stderr)
        sys.stderr.flush()


@dataclass
class Recorded:
    """Costs and calls of kernels, where they are measured."""

    space: str
    costs: dict[str, float] = field(default_factory=dict)
    calls: dict[str, dict[str, None]] = field(default_factory=dict)


def asked() -> tuple[str, str]:
    """The analysis on the stack, the outermost one that was measured, and the space of its model."""
    frame: FrameType | None = sys._getframe(1)
    name, space = "", "planar"
    names = table()["names"]
    while frame is not None:
        module, function = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if function in names and module.startswith(("cardan.analysis.", "cardan.study.")):
            stated = frame.f_locals
            by = stated.get("coordinates", "auto")
            of = stated.get("analysis", "")
            name = function + (f" {of}" if isinstance(of, str) and of else "") + (" joint" if by == "joint" else "")
            space = space_of(stated.get("model"))
        frame = frame.f_back
    return name, space


def space_of(model: Any) -> str:
    """The space of a model."""
    return "spatial" if ".spatial." in f"{type(model).__module__}." else "planar"


def table() -> Any:
    """The measured costs; empty where the file is missing or damaged."""
    global _table
    if _table is None:
        found: Any = {"costs": {}, "shared": [], "calls": {}, "groups": {}}
        with contextlib.suppress(OSError, ValueError):
            found |= json.loads(COSTS.read_text(encoding="utf-8"))
        found["names"] = {group.partition(" ")[0] for group in found["groups"]}
        found["known"] = {key.partition(" ")[0] for key in found["costs"]}
        found["shared"] = set(found["shared"])
        _table = found
    return _table


def _cost(key: str) -> float:
    """CPU seconds of a kernel, in the other space if it was not measured in this one."""
    name, costs = key.partition(" ")[0], table()["costs"]
    for known in (key, name, f"{name} planar", f"{name} spatial"):
        if known in costs:
            return float(costs[known])
    return USUAL


def _seconds(time: float) -> str:
    return f"{time:.0f} s" if time < 100.0 else f"{time / 60.0:.0f} min"


_table: Any = None
announcement = Announcement()
