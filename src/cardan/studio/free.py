"""The free motion of a drawing: simulated beside the conversation, again after every change, as long as it is shown."""

from __future__ import annotations

import threading
import time as clock
import warnings
from typing import TYPE_CHECKING, Any

from cardan.errors import CardanWarning, ModelError
from cardan.studio import picture

if TYPE_CHECKING:
    from cardan.results.snapshot import Snapshot
    from cardan.studio.session import Session

MAX_DURATION_FREE = 1e4  # s
PROGRESS_INTERVAL = 0.2  # s between messages about progress


class FreeMotion:
    """The motion of a mechanism with degrees of freedom that no motor drives; `duration` is 0 while none is shown."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.duration = 0.0
        self.busy = False

    def show(self, duration: float) -> None:
        """Simulate for some seconds; 0 hides the motion."""
        session = self.session
        if not 0.0 <= duration <= MAX_DURATION_FREE:
            raise ModelError(f"a free motion lasts at most {MAX_DURATION_FREE:g} s, not {duration:g} s")
        if duration and not session.solved.is_free:
            raise ModelError(f"there is no free motion: {session.solved.reason()}")
        self.duration = duration
        if duration:
            self._start()
        else:
            session.solved.run = None
            session.tell(session.state())

    def renew(self) -> None:
        """The document has changed: a fast motion is computed already, a slow one is started."""
        solved = self.session.solved
        if self.duration and solved.is_free and solved.run is None and not solved.stopped:
            self._start()
        elif self.duration and solved.stopped:
            self.session.tell({"type": "error", "text": solved.stopped})

    def _start(self) -> None:
        if self.busy:
            return  # what runs now starts again when the document has changed meanwhile
        self.busy = True
        self.session.tell({"type": "busy", "text": "free motion ..."})
        threading.Thread(target=self._compute, daemon=True, name="cardan free motion").start()

    def _compute(self) -> None:
        session = self.session
        while True:
            solved, duration = session.solved, self.duration
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CardanWarning)
                solved.simulate(duration, self._progress())
            with session.lock:
                if solved is not session.solved or (duration != self.duration and self.duration):
                    continue  # changed meanwhile
                self.busy = False
                if not self.duration:
                    solved.run = None
                session.scene = picture.scene_of(solved)
                session.took(solved)
                session.tell({"type": "busy", "text": ""})
                session.tell(session.state())
                if solved.stopped:
                    session.tell({"type": "error", "text": solved.stopped})
                return

    def _progress(self) -> Any:
        last = [0.0]

        def watch(instant: Snapshot) -> None:
            now = clock.perf_counter()
            if now - last[0] > PROGRESS_INTERVAL:
                last[0] = now
                self.session.tell({"type": "busy", "text": f"free motion: t = {instant.time:.4g} s"})

        return watch
