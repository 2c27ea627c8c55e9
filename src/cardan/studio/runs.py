"""Analyses of a drawing: each runs beside the conversation, and its result is a live page of its own."""

from __future__ import annotations

import contextlib
import threading
import time as clock
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import CardanError, CardanWarning, ModelError
from cardan.files.faults import FileError
from cardan.files.model_file import load_model
from cardan.files.vocabulary.types import vocabulary
from cardan.results.trajectory import Trajectory
from cardan.studio.text import ModelText
from cardan.studio.values import typed
from cardan.view.web.live import Live

if TYPE_CHECKING:
    from cardan.results.snapshot import Snapshot
    from cardan.studio.session import Session

MAX_RESULTS = 6  # results that are kept: each has a page with its own connection
RUN_PROGRESS_INTERVAL = 0.1  # s between messages about progress


@dataclass
class Run:
    """A result and its page."""

    number: int
    kind: str
    name: str
    revision: int
    text: str
    trouble: str = ""
    result: Any = None
    page: Live | None = None
    table: list[list[Any]] = field(default_factory=list)


class Runs:
    """The results of a session, and the page of a model in space."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.runs: list[Run] = []
        self.count = 0
        self.busy = ""
        self.view: Live | None = None  # of a model in space

    # --- analyses --------------------------------------------------------------------------------------------------

    def start(self, kind: str, arguments: dict[str, str], *, compare: int | None = None, keep: bool = False) -> None:
        """Run an analysis with typed arguments; with `keep` it is added to the file."""
        if self.busy:
            raise ModelError(f"{self.busy} is still running: wait for it")
        if kind not in vocabulary("analyses"):
            raise ModelError(f"there is no analysis '{kind}'")
        entry: dict[str, Any] = {key: typed(value) for key, value in arguments.items() if value.strip()}
        text = ModelText(self.session.document.text)
        self.count += 1
        name = f"{kind} {self.count}"
        if keep:
            self.session.document.replace(_with(text, {"type": kind, **entry}), f"analysis {kind}")
            self.session.tell(self.session.state())
        text = ModelText(self.session.document.text)
        stated = _with(text, {"type": kind, "name": "studio run", **entry})
        other = next((run.result for run in self.runs if run.number == compare), None)
        self.busy = name
        self.session.tell({"type": "busy", "text": f"{name} ..."})
        run = Run(self.count, kind, name, self.session.revision, "")
        threading.Thread(target=self._compute, args=(run, stated, other), daemon=True, name="cardan run").start()

    def _compute(self, run: Run, text: str, other: object) -> None:
        session, begun = self.session, clock.perf_counter()
        notes: list[str] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", CardanWarning)
                file = load_model(session.path, functions=session.functions, allow=session.allow, text=text)
                more = {"progress": self._progress(run)} if run.kind == "simulate" else {}
                run.result = file.run("studio run", **more)
            notes = [str(one.message) for one in caught if issubclass(one.category, CardanWarning)]
        except FileError as error:
            run.trouble = str(error).splitlines()[0].removeprefix(f"{session.path}:")
        except CardanError as error:
            run.trouble, run.result = str(error), getattr(error, "partial", None)
        except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError) as error:
            run.trouble = f"{run.kind} cannot be computed with these arguments: {error}"
        run.text = "" if run.result is None else _report(run.result)
        run.trouble = " ".join(filter(None, [run.trouble, *dict.fromkeys(notes)]))
        with session.lock:
            self._publish(run, other)
            self.busy = ""
        took = clock.perf_counter() - begun
        session.tell({"type": "runs", "runs": self.listed(), "latest": run.number, "took": round(took, 3)})

    def _progress(self, run: Run) -> Any:
        last = [0.0]

        def watch(instant: Snapshot) -> None:
            now = clock.perf_counter()
            if now - last[0] > RUN_PROGRESS_INTERVAL:
                last[0] = now
                self.session.tell({"type": "busy", "text": f"{run.name}: t = {instant.time:.4g} s"})

        return watch

    def _publish(self, run: Run, other: object) -> None:
        """Serve the page of a result, if it has one."""
        if run.result is not None:
            run.page = _page(run.result, other)
            run.table = _table(run.result)
        self.runs.append(run)
        for old in self.runs[:-MAX_RESULTS]:
            self._end(old)
        self.runs = self.runs[-MAX_RESULTS:]

    def remove(self, number: int) -> None:
        for run in [run for run in self.runs if run.number == number]:
            self._end(run)
            self.runs.remove(run)
        self.session.tell({"type": "runs", "runs": self.listed(), "latest": 0})

    def listed(self) -> list[dict[str, Any]]:
        now = self.session.revision
        found = [
            {
                "number": run.number,
                "name": run.name,
                "kind": run.kind,
                "url": "" if run.page is None else run.page.url,
                "text": run.text,
                "trouble": run.trouble,
                "table": run.table,
                "old": run.revision != now,
            }
            for run in self.runs
        ]
        return found if self.view is None else [*found, {"number": 0, "name": "model", "url": self.view.url}]

    # --- models in space -------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """The document has changed: results are of an earlier one, and the page of a model in space shows the new."""
        solved = self.session.solved
        if solved.dimensions == 3 and solved.snapshot is not None and not solved.fault:
            result = solved.run if solved.run is not None else solved.snapshot
            with contextlib.suppress(CardanError):
                if self.view is None:
                    self.view = Live(result)
                else:
                    self.view.show(result)
        if self.runs or self.view is not None:
            self.session.tell({"type": "runs", "runs": self.listed(), "latest": 0})

    def close(self) -> None:
        for run in self.runs:
            self._end(run)
        if self.view is not None:
            self.view.close()

    @staticmethod
    def _end(run: Run) -> None:
        if run.page is not None:
            run.page.close()


def _with(text: ModelText, entry: dict[str, Any]) -> str:
    changed = ModelText(text.text)
    changed.append(("analyses",), entry)
    return changed.text


def _page(result: object, other: object) -> Live | None:
    ghost: dict[str, Any] = {"ghost": other} if isinstance(other, Trajectory) and isinstance(result, Trajectory) else {}
    for options in (ghost, {}):
        try:
            return Live(result, **options)
        except (CardanError, AttributeError, TypeError):
            continue
    return None


def _table(result: object) -> list[list[Any]]:
    """Least and largest value of the columns of a motion."""
    if not isinstance(result, Trajectory) or len(result) < 2:
        return []
    columns = result.columns
    names = [name for name in columns if name not in ("time", "iterations", "steps")][:400]
    found = []
    for name, values in columns.read(result, names).items():
        series, unit = columns[name].shown(result, np.asarray(values, float))
        if series.ndim == 1 and np.isfinite(series).all():
            found.append([name, unit, float(series.min()), float(series.max())])
    return found


def _report(result: object) -> str:
    text = str(result)
    return text if len(text) < 8000 else f"{text[:8000]} ..."
