"""live(result): a page served by this process, in which users drag the mechanism and Python solves.

    browser                                      this process, 127.0.0.1 alone
       |  GET /token/            ---------------->  the page, with its document inside
       |  websocket /token/line  ---------------->
       |  {"do": "drag", body, point, target}  -->  Grab.drag: joints closed to 1e-9 m
       |  <--  [length][JSON][float32 poses]        within 50 ms for a six-bar
       |  {"do": "again"}, {"do": "again", pin, ..}  repeat the analysis with pivots and pins where hands have put them
       |  {"do": "lecture", time}                    polygons where a hand has found the motion
       |  {"do": "undo"}, {"do": "reset"}            the result before the last change, or the first one
       |  <--  [length][JSON][document]             curves and motion of the changed mechanism
       |  <--  frames of a run that is under way:   simulate(model, 10.0, progress=page.watch)

The random token in the address keeps other pages and other users of the machine away.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import socket
import sys
import threading
import time as clock
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.drag.grab import DragResult, Grab
from cardan.analysis.drag.pins import on_pin
from cardan.analysis.rerun import rerun
from cardan.errors import CardanError, CardanWarning, ModelError
from cardan.model import check
from cardan.model.parameter import moved
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.view.shapes.skin import frame_of, modal_table
from cardan.view.web.cuts import table_of
from cardan.view.web.document import Page
from cardan.view.web.lecture import lecture_at
from cardan.view.web.page import made, opened, shown, text_of
from cardan.view.web.question import read_question
from cardan.view.web.shapes import placed, strand_table

if TYPE_CHECKING:
    from cardan.model.model import Model

HOST = "127.0.0.1"
AWAY = 4.0  # s without a page, longer than a reload takes: it was closed
OFTEN = 0.2  # s between messages about the progress of a run
PATIENCE = 0.025  # s for the way to a target: what is left of it comes with the next question


def live(result: Any, *, open: bool = True, wait: bool | None = None, port: int = 0, **options: Any) -> Live:
    """Serve a live page of a result or a model, and open it in the browser unless `open=False`.

    Returns at once. A script waits at its end until the page is closed, or Ctrl-C, unless `wait=False`; at a prompt the
    page is served as long as the process runs. `.wait()` waits now, `.close()` ends the page. Further options are those
    of `page`.
    """
    page = Live(result, port=port, **options)
    if open and not opened(page.url):
        print(f"No browser was found; the page is at {page.url}", file=sys.stderr)
    if (open if wait is None else wait) and not _at_prompt():
        atexit.register(page.wait)
    return page


def _at_prompt() -> bool:
    """Whether Python is interactive: the process then continues without waiting."""
    return hasattr(sys, "ps1") or "IPython" in sys.modules or bool(sys.flags.interactive)


class Live:
    """A live page at `.url`."""

    def __init__(self, result: Any, *, port: int = 0, **options: Any) -> None:
        self._serve = _server()
        self._lock = threading.RLock()  # one hand at a time
        self._lines: set[Any] = set()
        self._visited = False  # whether a page was ever open
        self._asked = 0  # number of requested repetitions of the analysis: only the last answer counts
        meshes = {getattr(body, "name", body): mesh for body, mesh in (options.get("meshes") or {}).items()}
        self._take(result, options | ({"meshes": meshes} if meshes else {}))
        self.first = self.result  # as it was before hands changed it
        self.past: list[Any] = []  # results before each change
        self.closed = threading.Event()
        listening = listen(port)
        self.token, self.port = secrets.token_urlsafe(9), listening.getsockname()[1]
        self._server = self._serve(self._talk, sock=listening, process_request=self._answer, max_size=2**16)
        threading.Thread(target=self._server.serve_forever, daemon=True, name="cardan live page").start()
        threading.Thread(target=self._warm, daemon=True, name="cardan hand").start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    def show(self, result: Any, **options: Any) -> None:
        """Show another result; pages that are open load it."""
        with self._lock:
            self._take(result, options)
        self._broadcast(_message({"type": "reload"}, np.zeros(0)))

    def watch(self, instant: Snapshot) -> None:
        """Show the mechanism of a run that is under way: `simulate(model, 10.0, progress=page.watch)`."""
        numbers = self._numbers(instant)
        self._broadcast(_message({"type": "frame", "text": f"running, t = {instant.time:.4g} s"}, numbers))

    def wait(self) -> None:
        """Until the page is closed in the browser, or Ctrl-C."""
        alone = 0.0
        try:
            while not self.closed.wait(0.2) and alone < AWAY:
                alone = alone + 0.2 if self._visited and not self._lines else 0.0
        except KeyboardInterrupt:
            pass
        self.close()

    def close(self) -> None:
        atexit.unregister(self.wait)
        if not self.closed.is_set():
            self.closed.set()
            self._server.shutdown()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<live page of '{self.page.title}' at {self.url}>"

    def _take(self, result: Any, options: dict[str, Any]) -> None:
        self.result, self.options = shown(result), options
        self.page: Page = made(self.result, **options)
        if self.page.scene.snapshot.system.on_velocities.any():
            self.page.scene.notes.append("A hand does not feel rolling: what rolls slips under it.")
        self.document = self.page.packed()
        self.hand: Grab | None = None

    # --- the line --------------------------------------------------------------------------------------------------

    def _answer(self, connection: Any, request: Any) -> Any:
        """The page for requests that are not websockets; an error without the token."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        if request.headers.get("Host", "") != f"{HOST}:{self.port}":  # another name for this machine
            return connection.respond(403, "another host\n")
        if request.path == f"/{self.token}/line":
            own = f"http://{HOST}:{self.port}"
            return None if request.headers.get("Origin", own) == own else connection.respond(403, "another page\n")
        if request.path != f"/{self.token}/":
            return connection.respond(404, "no such page\n")
        text = text_of(self.document, live=f"ws://{HOST}:{self.port}/{self.token}/line", title=self.page.title)
        body = text.encode()
        headers = Headers({"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))})
        headers["Cache-Control"], headers["Connection"] = "no-store", "close"
        return Response(200, "OK", headers, body)

    def _talk(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed

        self._lines.add(connection)
        self._visited = True
        try:
            for text in connection:
                with self._lock:
                    answer = self._reply(text)
                connection.send(answer)
        except ConnectionClosed:
            pass
        finally:
            self._lines.discard(connection)

    def _broadcast(self, message: bytes) -> None:
        from websockets.exceptions import ConnectionClosed

        for connection in [*self._lines]:
            try:
                connection.send(message)
            except ConnectionClosed:
                self._lines.discard(connection)

    def _reply(self, text: str | bytes) -> bytes:
        """The answer to a message."""
        scene = self.page.scene
        sizes = len(scene.bodies), len(scene.pivots), len(scene.pins)
        try:
            return self._answered(read_question(text, scene.snapshot.system.space.dimensions, *sizes))
        except CardanError as error:
            return _message({"type": "message", "text": str(error)}, np.zeros(0))

    def _answered(self, question: dict[str, Any]) -> bytes:
        """The configuration after dragging, or the loads on a body."""
        if question["do"] == "cut":
            return _message(self._cut(question), np.zeros(0))
        if question["do"] == "again":
            return self._begin_again(question)
        if question["do"] == "lecture":
            return _message(self._lecture(question["time"]), np.zeros(0))
        if question["do"] in ("undo", "reset"):
            return self._back(question["do"] == "reset")
        hand = self._hand()
        if hand is None:
            words = {"type": "drag", "locked": True, "text": "nothing can be dragged: its joints do not close"}
            return _message(words, self._numbers(self._instant(0.0)))
        try:
            if question.get("begin"):
                hand.begin(self._instant(question["time"]))
            held = self._moved(hand, question)
            words = {"type": "drag", "locked": held.locked, "text": held.text, "at": held.at.tolist()}
            instant = held.snapshot
        except CardanError as error:
            words, instant = {"type": "drag", "locked": True, "text": str(error)}, hand.snapshot()
        return _message(words | {"shifts": self._shifts(hand)}, self._numbers(instant))

    def _moved(self, hand: Grab, question: dict[str, Any]) -> DragResult:
        scene = self.page.scene
        if question["pivot"] >= 0:
            return hand.move_pivot(scene.pivots[question["pivot"]], question["target"])
        body = scene.bodies[question["body"]]
        return hand.drag(body, question["point"], question["target"], patience=PATIENCE)

    def _cut(self, question: dict[str, Any]) -> dict[str, Any]:
        """All that acts on a body at an instant."""
        asked: dict[str, Any] = {"type": "cut", "body": question["body"], "time": question["time"]}
        try:
            body = self.page.scene.bodies[asked["body"]]
            return asked | {"acting": table_of(self.result.free_body(body, at=asked["time"]))}
        except CardanError as error:
            return asked | {"acting": [], "text": str(error)}

    def _lecture(self, time: float) -> dict[str, Any]:
        """Polygons and poles at a time."""
        asked: dict[str, Any] = {"type": "lecture", "time": time}
        try:
            instant = self._instant(time)
            known = isinstance(self.result, Trajectory)
            found = lecture_at(self.result, self.page.scene.bodies, float(instant.time)) if known else None
            return asked | ({} if found is None else {"instant": found})
        except CardanError as error:
            return asked | {"text": str(error)}

    def _back(self, all_the_way: bool) -> bytes:
        """The result before the last change, or before all of them."""
        if not self.past:
            return _message({"type": "message", "text": "nothing was changed"}, np.zeros(0))
        self._asked += 1  # an answer that is under way is not wanted any more
        result = self.past[0] if all_the_way else self.past[-1]
        del self.past[0 if all_the_way else -1 :]
        compared = {} if result is self.first else self._compared(result)
        self._take(result, {key: value for key, value in self.options.items() if key != "ghost"} | compared)
        self._broadcast(_framed({"type": "document", "text": "", "past": len(self.past)}, self.document))
        return _message({"type": "message", "text": ""}, np.zeros(0))

    # --- repeating the analysis ---

    def _begin_again(self, question: dict[str, Any]) -> bytes:
        """Repeat the analysis with the moved pivots, in another thread."""
        self._asked += 1
        try:
            model = self._changed(question)
        except CardanError as error:
            return _message({"type": "message", "text": str(error)}, np.zeros(0))
        threading.Thread(target=self._again, args=(model, self._asked), daemon=True, name="cardan anew").start()
        return _message({"type": "message", "text": "computing the motion of the changed mechanism ..."}, np.zeros(0))

    def _again(self, model: Model, asked: int) -> None:
        text = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CardanWarning)
                watched = {"progress": self._progress(asked)} if isinstance(self.result, Simulation) else {}
                result = rerun(self.result, model, **watched)
        except CardanError as error:
            text, result = str(error), getattr(error, "partial", None)
        if asked != self._asked:
            return
        if result is None or (isinstance(result, Trajectory) and not len(result)):
            return self._broadcast(_message({"type": "message", "text": text}, np.zeros(0)))
        with self._lock:
            self.past.append(self.result)
            self._take(result, self.options | self._compared(result))
            document = self.document
        self._broadcast(_framed({"type": "document", "text": text, "past": len(self.past)}, document))

    def _progress(self, asked: int) -> Any:
        """Report how far a run has come."""
        last = [clock.perf_counter()]

        def watch(instant: Snapshot) -> None:
            if asked == self._asked and clock.perf_counter() - last[0] > OFTEN:
                last[0] = clock.perf_counter()
                text = f"computing the motion of the changed mechanism: t = {instant.time:.4g} s"
                self._broadcast(_message({"type": "message", "text": text}, np.zeros(0)))

        return watch

    def _compared(self, result: Any) -> dict[str, Any]:
        """The first result as a ghost, unless another one was requested."""
        if isinstance(result, Trajectory) and isinstance(self.first, Trajectory) and len(result) > 1:
            return {"ghost": self.options.get("ghost", self.first)}
        return {}

    def _changed(self, question: dict[str, Any]) -> Any:
        """A copy of the model with moved pivots, or with a pin moved on both of its links."""
        scene, model = self.page.scene, self.page.scene.snapshot.model
        if "pin" not in question:
            hand = self._hand()
            return model if hand is None else hand.changed
        joint, target = scene.pins[question["pin"]], np.array(question["target"])
        instant, places = self._instant(question["time"]), []
        where = placed(scene, _stored(instant), modal_table(instant.system, instant.q[None])[0])
        for marker in (joint.a, joint.b):
            origin, turn = where[frame_of(marker)]
            places += on_pin(model, marker, turn.T @ (target - origin))
        return moved(model, places)

    # ---------------------------------------------------------------------------------------------------------------

    def _shifts(self, hand: Grab) -> list[list[float]]:
        """How far each pivot was moved."""
        return [hand.pivot_shift(joint).tolist() for joint in self.page.scene.pivots]

    def _hand(self) -> Grab | None:
        if self.hand is None:
            try:
                self.hand = Grab(self.page.scene.snapshot.model, self._instant(0.0))
            except CardanError:
                return None
        return self.hand

    def _warm(self) -> None:
        """Load the kernels of dragging in advance, which makes the first drag as fast as the others."""
        with self._lock:
            hand = self._hand()
            if hand is not None and hand.system.bodies:
                body = hand.system.bodies[0]
                hand.drag(body, body.center, self._instant(0.0)[body].position)

    def _instant(self, time: float) -> Snapshot:
        """The result at a time, or where it begins."""
        if isinstance(self.result, Trajectory):
            times = self.result.times
            found: Snapshot = self.result.at(float(np.clip(time, times[0], times[-1])))
            return found
        found = self.page.scene.snapshot
        return found

    def _numbers(self, instant: Snapshot) -> np.ndarray:
        """Poses of all bodies, modal coordinates, then points of ropes, as the page reads them."""
        poses, modal = _stored(instant), modal_table(instant.system, instant.q[None])
        strands = strand_table(self.page.scene, poses[None], modal)
        return np.concatenate([poses[1:].ravel(), modal[0], np.zeros(0) if strands is None else strands[0]])


def _stored(instant: Snapshot) -> np.ndarray:
    """What is stored of the position of all bodies, ground first."""
    stored = instant.system.space.stored
    return instant.q[: stored * (1 + len(instant.system.bodies))].reshape(-1, stored)


def _message(words: dict[str, Any], numbers: np.ndarray) -> bytes:
    return _framed(words, numbers.astype("<f4").tobytes())


def _framed(words: dict[str, Any], data: bytes) -> bytes:
    header = json.dumps(words).encode()
    header += b" " * (-len(header) % 4)
    return len(header).to_bytes(4, "little") + header + data


def listen(port: Any) -> socket.socket:
    """A server on this machine; port 0 is a free one."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 2**16:
        raise ModelError(f"the port must be a whole number from 0, a free one, to 65535, got {check.short_repr(port)}")
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise ModelError(f"port {port} of {HOST} is not available ({why}): choose another one, or omit it") from None


def _server() -> Any:
    try:
        from websockets.sync.server import serve
    except ImportError as error:
        raise ImportError("live pages need websockets: pip install 'cardan[view]', or write a file: .html") from error
    return serve
