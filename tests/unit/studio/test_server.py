"""Nobody is let in: without the token, from another host, from another page."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardan.studio.document import Document
from cardan.studio.server import Studio

pytest.importorskip("websockets")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def studio() -> Iterator[Studio]:
    with Studio(document=Document()) as found:
        yield found


def get(studio: Studio, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    line = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=10)
    line.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def test_shipped_page_is_made_from_its_sources() -> None:
    web = ROOT / "web"
    if not web.is_dir():
        pytest.skip("the sources of the page are not here: an installed package")
    digest = hashlib.sha256()
    names = sorted(f"src/studio/{path.name}" for path in (web / "src" / "studio").iterdir() if path.is_file())
    for name in ["package-lock.json", *names]:
        digest.update(f"{name}\n".encode())
        digest.update((web / name).read_bytes())
    built = ROOT / "src" / "cardan" / "view" / "web" / "built"
    head = gzip.decompress((built / "studio.js.gz").read_bytes())[:200].decode()
    assert digest.hexdigest() in head, "web/ has changed since the page was built: cd web && npm ci && npm run build"


def test_the_page_is_served_with_its_token_only(studio: Studio) -> None:
    status, headers, body = get(studio, f"/{studio.token}/")
    assert status == 200 and b"Cardan Studio" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy and headers["Referrer-Policy"] == "no-referrer"
    for path in ("/", "/x/", f"/{studio.token[:-1]}/", f"/{studio.token}/../x", f"/{studio.token}/secret"):
        assert get(studio, path)[0] == 404


def test_another_host_name_is_rejected(studio: Studio) -> None:
    """A name of another site that resolves to this machine does not get the page."""
    assert get(studio, f"/{studio.token}/", Host=f"evil.example:{studio.port}")[0] == 403


def test_another_origin_is_rejected(studio: Studio) -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{studio.port}/{studio.token}/line"
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", None):
        with pytest.raises(InvalidStatus) as caught, connect(address, origin=origin):  # type: ignore[arg-type]
            pass
        assert caught.value.response.status_code == 403
    with pytest.raises(InvalidStatus), connect(address.replace(studio.token, "guess"), origin=_own(studio)):
        pass


def _own(studio: Studio) -> Any:
    return f"http://127.0.0.1:{studio.port}"


def test_two_pages_share_one_drawing(studio: Studio) -> None:
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{studio.port}/{studio.token}/line"
    with connect(address, origin=_own(studio)) as one, connect(address, origin=_own(studio)) as two:
        two.send(json.dumps({"id": 1, "do": "solve"}))
        assert json.loads(two.recv(timeout=20))["type"] == "state"
        for k, line in enumerate((one, two)):
            ends = {"a": {"at": [0, k]}, "b": {"at": [1, k]}}
            line.send(json.dumps({"id": 7, "do": "edit", "edit": "bar", "with": ends}))
            while json.loads(line.recv(timeout=60)).get("id") != 7:
                pass
        one.send("not JSON")
        answers = [json.loads(one.recv(timeout=20))["type"] for _ in range(2)]
        assert "error" in answers  # and the other page goes on
        two.send(json.dumps({"id": 9, "do": "solve"}))
        while (found := json.loads(two.recv(timeout=20))).get("id") != 9:
            pass
        assert [e["name"] for e in found["elements"]] == ["link1", "link2"]


def test_a_message_that_is_too_long_ends_only_its_own_connection(studio: Studio) -> None:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{studio.port}/{studio.token}/line"
    with connect(address, origin=_own(studio)) as one, connect(address, origin=_own(studio)) as two:
        with pytest.raises(ConnectionClosed):
            one.send("x" * (5 * 2**20))
            one.recv(timeout=20)
        two.send(json.dumps({"id": 1, "do": "solve"}))
        assert json.loads(two.recv(timeout=20))["type"] == "state"
