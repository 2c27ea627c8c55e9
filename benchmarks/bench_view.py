"""Pages: how large a file is, how soon it shows, how fast it plays in software rendering, how fast a hand is answered.

    python benchmarks/bench_view.py

Boxes are thrown and spin: 300 frames of 50 and of 500 bodies, written to one file each and opened from disk in headless
Chromium at 1280 x 800 without a graphics card. The hand drags the crank of a quick-return, six links, over the line.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import at_least, at_most, conclude, table

from cardan import kinematics, simulate
from cardan.examples import load
from cardan.spatial import Body, Model, matter

FRAMES = 300
WATCHED = 3.0  # s over which frames are counted
DRAGS = 200
BARS = {50: (0.4, 30.0), 500: (0.7, 12.0)}  # bodies: MB, frames a second
SWITCHES = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
SWITCHES += " --disable-component-update --disable-sync"


def main() -> None:
    rows, verdicts = [], []
    with tempfile.TemporaryDirectory() as folder:
        for count, (size, pace) in BARS.items():
            path = Path(folder) / f"{count}.html"
            run = thrown(count)
            begun = time.perf_counter()
            run.save(path)
            writing = time.perf_counter() - begun
            first, fps, requests = watched(path)
            rows.append((f"{count} bodies", path.stat().st_size / 1e6, writing, first, fps, requests))
            verdicts.append(at_most(f"{count} bodies: MB of the file", path.stat().st_size / 1e6, size))
            verdicts.append(at_most(f"{count} bodies: s to the first frame", first, 1.5))
            verdicts.append(at_least(f"{count} bodies: frames a second", fps, pace))
            verdicts.append(at_most(f"{count} bodies: network requests", requests, 0))
    table("pages of 300 frames", ("", "MB", "s to write", "s to first frame", "frames/s", "requests"), rows)
    times, gap = dragged()
    spread = (1e3 * np.median(times), 1e3 * np.quantile(times, 0.95), 1e3 * times.max(), gap)
    table("a hand on a six-bar", ("", "median ms", "95 % ms", "slowest ms", "worst gap"), [("quick-return", *spread)])
    verdicts.append(at_most("drag of a six-bar: ms, 95 of 100", float(spread[1]), 16.0))
    verdicts.append(at_most("drag of a six-bar: worst gap of a joint in m", gap, 1e-9))
    drawn, car = studied(), driven()
    rows = [
        (name, *(1e3 * np.quantile(t, q) for q in (0.5, 0.95, 1.0))) for name, t in (("studio", drawn), ("car", car))
    ]
    table("a hand in the studio, and on a car of 18 bodies", ("", "median ms", "95 % ms", "slowest ms"), rows)
    verdicts.append(at_most("studio, drag of a six-bar: ms, 95 of 100", 1e3 * float(np.quantile(drawn, 0.95)), 16.0))
    verdicts.append(at_most("drag of a car: ms, 95 of 100", 1e3 * float(np.quantile(car, 0.95)), 33.0))
    conclude(verdicts)


def thrown(count: int) -> Any:
    """Boxes on a grid, thrown up at random, each with a spin of its own."""
    random, side = np.random.default_rng(0), int(np.ceil(np.sqrt(count)))
    model = Model("thrown boxes", gravity=(0.0, 0.0, -9.81))
    for k in range(count):
        sizes = random.uniform(0.2, 0.5, 3)
        model.add(
            Body(
                mass=matter.box(*sizes, density=500.0),
                position=(1.2 * (k % side), 1.2 * (k // side), 0.0),
                velocity=tuple(random.uniform(-1.0, 1.0, 3) + (0.0, 0.0, 8.0)),
                angular_velocity=tuple(random.uniform(-4.0, 4.0, 3)),
            ),
            name=f"box {k}",
        )
    return simulate(model, 1.5, output=np.linspace(0.0, 1.5, FRAMES), rtol=1e-6)


def watched(path: Path) -> tuple[float, float, int]:
    """Seconds to the first frame, frames a second while it plays, and requests but for the file itself."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    requests: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=SWITCHES.split())
        page = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True).new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_function("window.cardan && cardan.drawn > 3")
        first = page.evaluate("cardan.first") / 1e3
        begun = page.evaluate("[performance.now(), cardan.drawn]")
        page.wait_for_timeout(1e3 * WATCHED)
        ended = page.evaluate("[performance.now(), cardan.drawn]")
        browser.close()
    return first, 1e3 * (ended[1] - begun[1]) / (ended[0] - begun[0]), len(requests) - 1


def dragged() -> tuple[np.ndarray, float]:
    """Seconds from a question to its answer, and the widest gap of a joint among the answers."""
    from websockets.sync.client import connect

    from cardan.view.web.live import live

    times, gap = [], 0.0
    with live(kinematics(load("quick-return").build(), np.linspace(0.0, 0.5, 51)), open=False) as page:
        crank = [body.name for body in page.page.scene.bodies].index("crank")
        with connect(f"ws://127.0.0.1:{page.port}/{page.token}/line") as line:
            for k in range(DRAGS + 10):
                turn = 2.0 * np.pi * k / DRAGS
                target = [3.0 * np.cos(turn), 2.0 + 3.0 * np.sin(turn)]
                question = {"do": "drag", "body": crank, "pivot": -1, "point": [1.0, 0.0], "target": target}
                begun = time.perf_counter()
                line.send(json.dumps(question | {"time": 0.0, "begin": k == 0}))
                line.recv()
                times.append(time.perf_counter() - begun)
                gap = max(gap, page.hand.snapshot().violation)  # type: ignore[union-attr]
    return np.array(times[10:]), gap  # the first load what they need


def studied() -> np.ndarray:
    """Seconds from a message to its answer in the studio: the crank of a quick-return."""
    from websockets.sync.client import connect

    from cardan.files.writing.save import text_of_model
    from cardan.studio.document import Document
    from cardan.studio.server import Studio

    times = []
    with Studio(document=Document(text_of_model(load("quick-return").build()))) as studio:
        own = f"127.0.0.1:{studio.port}"
        with connect(f"ws://{own}/{studio.token}/line", origin=f"http://{own}", max_size=2**24) as line:  # type: ignore[arg-type]
            for k in range(DRAGS + 30):
                turn = 2.0 * np.pi * k / DRAGS
                target = [3.0 * np.cos(turn), 2.0 + 3.0 * np.sin(turn)]
                message = {"id": k + 1, "do": "drag", "body": "crank", "point": [1.0, 0.0], "target": target}
                begun = time.perf_counter()
                line.send(json.dumps(message | {"begin": k == 0, "time": 0.0}))
                assert json.loads(line.recv())["type"] == "drag"
                times.append(time.perf_counter() - begun)
    return np.array(times[30:])


def driven() -> np.ndarray:
    """Seconds from a question to its answer: a wheel of a car of 18 bodies, up and down."""
    from websockets.sync.client import connect

    from cardan.view.web.live import live

    times = []
    with live(load("vehicle").build(), open=False) as page:
        bodies = page.page.scene.bodies
        wheel = next(k for k, body in enumerate(bodies) if "wheel" in body.name)
        x, y, z = (float(c) for c in page._instant(0.0)[bodies[wheel]].position)
        with connect(f"ws://127.0.0.1:{page.port}/{page.token}/line") as line:
            for k in range(DRAGS + 30):
                target = [x, y, z + 0.05 * float(np.sin(0.1 * k))]
                question = {"do": "drag", "body": wheel, "pivot": -1, "point": [0, 0, 0], "target": target}
                begun = time.perf_counter()
                line.send(json.dumps(question | {"time": 0.0, "begin": k == 0}))
                line.recv()
                times.append(time.perf_counter() - begun)
    return np.array(times[30:])


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
