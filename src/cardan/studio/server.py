"""studio(path): the page of the studio, served on 127.0.0.1 with a token.

    GET /token/             the page             GET /token/studio.js, studio.css
    websocket /token/line   messages and answers, see `question`; several pages share one drawing

A request without the token, with another Host or from another origin is rejected. The page loads nothing else.
"""

from __future__ import annotations

import gzip
import json
import secrets
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.studio.document import Document
from cardan.studio.session import Session
from cardan.view.web.live import HOST, _server, listen
from cardan.view.web.page import PARTS, opened

MAX_MESSAGE_BYTES = 4 * 2**20  # bytes of a message


def studio(path: str | Path | None = None, *, open: bool = True, port: int = 0, **options: Any) -> Studio:
    """Serve the studio and open it in the browser unless `open=False`; `.wait()` waits for Ctrl-C."""
    found = Studio(path, port=port, **options)
    if open and not opened(found.url):
        print(f"No browser was found; the studio is at {found.url}", file=sys.stderr)
    return found


class Studio:
    """The studio of a model file, or of a new drawing, at `.url`."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        port: int = 0,
        document: Document | None = None,
        functions: Any = None,
        allow: Sequence[Path] = (),
        recover: bool = True,
    ) -> None:
        serve = _server()
        self._files = _parts()
        self._lines: set[Any] = set()
        self._sending = threading.Lock()
        if document is None:
            document = Document.open(None if path is None else Path(path), recover=recover)
        listening = listen(port)
        self.session = Session(document, self.tell, functions=functions, allow=allow)
        self.session.runs.renew()
        self.token, self.port = secrets.token_urlsafe(18), listening.getsockname()[1]
        self._server = serve(self._talk, sock=listening, process_request=self._answer, max_size=MAX_MESSAGE_BYTES)
        threading.Thread(target=self._server.serve_forever, daemon=True, name="cardan studio").start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    def wait(self) -> None:
        """Until Ctrl-C."""
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        self._server.shutdown()
        self.session.close()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<studio of '{self.session.document.name}' at {self.url}>"

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        from websockets.exceptions import ConnectionClosed

        text = _text(message)
        for connection in [*self._lines]:
            try:
                connection.send(text)
            except ConnectionClosed:
                self._lines.discard(connection)

    # --- the line --------------------------------------------------------------------------------------------------

    def _answer(self, connection: Any, request: Any) -> Any:
        """The page for requests that are not websockets; an error without the token."""
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        here = f"{HOST}:{self.port}"
        if request.headers.get("Host", "") != here:
            return connection.respond(403, "another host\n")
        token, _, name = request.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return connection.respond(404, "no such page\n")
        if name == "line":
            own = f"http://{here}"
            return None if request.headers.get("Origin") == own else connection.respond(403, "another page\n")
        if name not in self._files:
            return connection.respond(404, "no such page\n")
        kind, body = self._files[name]
        headers = Headers({"Content-Type": kind, "Content-Length": str(len(body))})
        headers["Cache-Control"], headers["Connection"] = "no-store", "close"
        headers["Content-Security-Policy"] = (
            f"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; "
            f"connect-src ws://{here}; frame-src http://{HOST}:*; frame-ancestors 'none'; base-uri 'none'; "
            "form-action 'none'"
        )
        headers["X-Content-Type-Options"], headers["Referrer-Policy"] = "nosniff", "no-referrer"
        return Response(200, "OK", headers, body)

    def _talk(self, connection: Any) -> None:
        from websockets.exceptions import ConnectionClosed

        self._lines.add(connection)
        try:
            for text in connection:
                connection.send(_text(self.session.answer(text)))
        except ConnectionClosed:
            pass
        finally:
            self._lines.discard(connection)


def _text(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))


def _parts() -> dict[str, tuple[str, bytes]]:
    """The files of the page."""
    try:
        script = gzip.decompress((PARTS / "studio.js.gz").read_bytes())
        return {
            "": ("text/html; charset=utf-8", (PARTS / "studio.html").read_bytes()),
            "studio.js": ("text/javascript; charset=utf-8", script),
            "studio.css": ("text/css; charset=utf-8", (PARTS / "studio.css").read_bytes()),
        }
    except FileNotFoundError as error:
        raise ModelError(
            f"this installation of Cardan has no '{Path(str(error.filename)).name}' for the studio; install it anew, "
            "or build it: cd web && npm ci && npm run build"
        ) from None
