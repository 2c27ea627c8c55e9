"""picture(result, path): the mechanism at one instant as a picture for papers and slides.

    run.picture("crank.svg", at=0.2)          planar: matplotlib, as .png, .svg or .pdf
    run.picture("car.png", at=3.0)            spatial: shaded solids with shadows, as .png

Spatial pictures are those of the page, drawn by an installed Chrome, Chromium or Edge without opening a window. Where
none is found, a warning says so and matplotlib draws the mechanism; it also draws spatial .svg and .pdf files.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from cardan.errors import ModelError, warn
from cardan.output_path import in_folder
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.view.inline import ShownFile, hidden
from cardan.view.shapes.stress import deformed_look
from cardan.view.sketch import sketch
from cardan.view.web.page import made, shown, text_of

FORMATS = (".png", ".svg", ".pdf")
DENSITY = 2  # pixels of the picture per pixel of the page: letters are as large as on a screen of that density
PATIENCE = 120  # s
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge")
MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")


def picture(
    result: Any,
    path: str | Path,
    *,
    at: float | None = None,
    size: tuple[int, int] = (1600, 1000),
    elev: float | None = None,
    azim: float | None = None,
    names: bool | None = None,
    forces: bool = False,
    see_through: bool = False,
    meshes: Any = None,
    deformation: float = 1.0,
    stress: bool = True,
) -> Path:
    """Write a picture of the mechanism at the time `at`, by default the first one, and return its path.

    `size` is in pixels. A spatial mechanism is viewed from `elev` degrees above the xy plane and `azim` degrees from
    the x axis. `names` writes the names of joints, by default if there are few. In spatial pictures `forces` draws the
    forces, `see_through` looks through solids, and `meshes` are surfaces as for pages.

    `deformation` magnifies the deformation of flexible bodies; `stress` colors those with stress modes by their von
    Mises stress.
    """
    target = in_folder(path)
    if target.suffix.lower() not in FORMATS:
        raise ModelError(f"unknown format of '{target.name}': a picture ends in {', '.join(FORMATS)}")
    if not all(isinstance(side, int) and 100 <= side <= 10_000 for side in size):
        raise ModelError(f"the size of a picture is 100 to 10000 pixels each way, got {size}")
    found = shown(result)
    run = found.as_trajectory() if isinstance(found, Snapshot) else found
    if not isinstance(run, Trajectory):
        raise ModelError(f"a picture shows a model, a motion or an instant, not a {type(result).__name__}")
    time = float(run.times[0] if at is None else at)
    instant = run.at(time)
    browser = next(browsers(), None) if run.system.space.dimensions == 3 and target.suffix.lower() == ".png" else None
    if browser is not None:
        options: dict[str, Any] = {"time": time, "elev": elev, "azim": azim, "forces": int(forces)}
        options |= {"through": int(see_through), "names": None if names is None else int(names)}
        look = deformed_look(instant.as_trajectory(), deformation, stress)
        options |= {"deformation": look.scale, "stress": int(stress)}
        page = text_of(made(run, meshes=meshes).packed())
        target.write_bytes(photographed(browser, page, size, options))
        return ShownFile(target)
    if run.system.space.dimensions == 3 and target.suffix.lower() == ".png":
        warn(
            "no Chrome, Chromium or Edge was found to draw solids, matplotlib draws the picture; CARDAN_BROWSER=PATH "
            "states one"
        )
    with hidden():
        axes = sketch(
            instant,
            run=run if len(run) > 1 else None,
            names=names is not False,
            title="",
            elev=elev,
            azim=azim,
            deformation=deformation,
            stress=stress,
        )
        figure = axes.figure
        figure.savefig(target, dpi=max(size[0] / figure.get_figwidth(), 72.0))
    return ShownFile(target)


def browsers() -> Iterator[str]:
    """Programs that can render a page without a window: CARDAN_BROWSER if it is set, otherwise installed browsers."""
    if stated := os.environ.get("CARDAN_BROWSER"):
        yield stated
        return
    yield from filter(None, map(shutil.which, NAMES))
    if sys.platform == "darwin":
        yield from (p for n in MAC if Path(p := f"/Applications/{n}.app/Contents/MacOS/{n}").exists())
    if sys.platform == "win32":
        folders = [os.environ.get(name, "") for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        yield from (str(p) for folder in folders if folder for n in WINDOWS if (p := Path(folder) / n).exists())


def photographed(browser: str, page: str, size: tuple[int, int], options: dict[str, Any]) -> bytes:
    """The stage of a page as PNG: the page renders itself and inserts the picture into its text, which is printed."""
    options = options | {"wide": size[0] / DENSITY, "high": size[1] / DENSITY}
    stated = urlencode({name: value for name, value in options.items() if value is not None})
    with tempfile.TemporaryDirectory(prefix="cardan-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        command = [
            browser,
            "--headless",
            "--hide-scrollbars",
            "--mute-audio",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={folder}/profile",
            f"--force-device-scale-factor={DENSITY}",
            f"--window-size={size[0] // DENSITY},{size[1] // DENSITY}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            f"{file.as_uri()}#still&picture&{stated}",
        ]
        if sys.platform == "linux" and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chrome's sandbox rejects root
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ModelError(f"'{browser}' could not draw the picture: {error}") from None
    found = re.search(rb'id="photograph"[^>]*src="data:image/png;base64,([A-Za-z0-9+/=]+)"', done.stdout)
    if found is None:
        output = done.stderr.decode(errors="replace").strip()[-300:]
        raise ModelError(f"'{browser}' drew no picture: {output or 'it printed nothing'}")
    return base64.b64decode(found[1])
