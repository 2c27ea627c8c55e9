"""Stores: nothing is lost and nothing computed twice into a result, whoever is killed; what cannot go on says so."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan
from cardan import ModelError, study
from cardan.examples import load
from cardan.study import open_study, quasi_random, random_samples
from cardan.study.store import StoreError

sys.path.insert(0, str(Path(__file__).parent))
from growing import CHUNK, SAMPLES, grow  # noqa: E402

pytest.importorskip("h5netcdf")
TIMES = np.linspace(0.0, 0.6, 21)
WEIGHTS = random_samples({"mass": (1.0, 2.0)}, SAMPLES, seed=7).values(0, SAMPLES)[:, 0]


def rods(store: Any, **options: Any) -> Any:
    plan = quasi_random({"motor.motion.rate": (5.0, 20.0), "B.a.x": (0.05, 0.1)}, 100, seed=3)
    model = options.pop("model", None) or load("slider-crank").build()
    return study(
        model, plan, "kinematics", ["slider.x", "slider.ax:peak"], times=TIMES, store=store, chunk=16, **options
    )


def assert_whole(store: Path) -> None:
    """Every sample once, with its own number."""
    found = open_study(store)
    assert found.complete
    indices = [k for chunk in found.chunks() for k in range(chunk.first, chunk.last)]
    assert indices == [*range(SAMPLES)]
    np.testing.assert_array_equal(found["weight"], WEIGHTS)
    assert not [*store.glob("*.tmp")]


def test_a_store_holds_what_memory_would(tmp_path: Path) -> None:
    kept, plain = rods(tmp_path / "rods"), rods(None)
    for name in plain.outputs:
        np.testing.assert_array_equal(kept[name], plain[name])
    again = open_study(tmp_path / "rods")
    assert again.complete and again.parameters == plain.parameters
    np.testing.assert_array_equal(again["slider.ax:peak"], plain["slider.ax:peak"])
    xarray = pytest.importorskip("xarray")
    part = xarray.open_dataset(tmp_path / "rods" / "part-00000001.nc", engine="h5netcdf")
    np.testing.assert_array_equal(part["output slider.x"], plain["slider.x"][16:32])


def test_a_process_that_is_killed_loses_nothing(tmp_path: Path, kills: int = 2) -> None:
    """kill -9 in the middle, and again; what was stored is never computed again."""
    store = tmp_path / "arms"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done_before = 0
    for round_ in range(kills):
        command = [sys.executable, str(Path(__file__).parent / "growing.py"), str(store)]
        process = subprocess.Popen([*command, *(["resume"] if round_ else [])], env=environment)
        wait_for(lambda seen=done_before: len([*store.glob("part-*.nc")]) >= seen + 2, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        done_before = len([*store.glob("part-*.nc")])
        assert 0 < done_before < SAMPLES // CHUNK
    stored = {chunk.first for chunk in open_study(store).chunks()}
    before = store.with_suffix(".log").read_text().splitlines()
    grow(store, pause=0.0, resume=True)
    assert_whole(store)
    after = store.with_suffix(".log").read_text().splitlines()[len(before) :]
    computed = {float(line) for line in after}
    assert computed.isdisjoint({float(WEIGHTS[k]) for first in stored for k in range(first, first + CHUNK)})


def wait_for(condition: Any, process: subprocess.Popen[bytes], patience: float = 120.0) -> None:
    begun = time.monotonic()
    while not condition():
        assert process.poll() is None, "the study ended before it could be killed"
        assert time.monotonic() - begun < patience
        time.sleep(0.01)


def test_what_another_version_wrote_is_rejected(tmp_path: Path) -> None:
    grow(tmp_path / "arms", pause=0.0)
    manifest = tmp_path / "arms" / "study.json"
    about = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**about, "version": "0.0.9"}))
    with pytest.raises(StoreError, match=r"was written by Cardan 0.0.9 \(format 1\)"):
        grow(tmp_path / "arms", resume=True)
    manifest.write_text(json.dumps({**about, "format": 99}))
    with pytest.raises(StoreError, match=r"format 99"):
        open_study(tmp_path / "arms")
    assert len([*(tmp_path / "arms").glob("part-*.nc")]) == SAMPLES // CHUNK


def test_a_full_disk_is_named_and_what_is_stored_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = [40_000]
    real = Path.open

    class Narrow(io.FileIO):
        def write(self, data: Any) -> int:
            room[0] -= len(data)
            if room[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    def narrow(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        return Narrow(path, "wb") if mode == "wb" else real(path, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", narrow)
    with pytest.raises(StoreError, match=r"is full: \d+ of 7 parts are stored and stay; make room") as stop:
        rods(tmp_path / "rods", threads=1)
    monkeypatch.undo()
    kept = len([*(tmp_path / "rods").glob("part-*.nc")])
    assert 0 < kept < 7 and f"full: {kept} of" in str(stop.value)
    assert not [*(tmp_path / "rods").glob("*.tmp")]
    found, plain = rods(tmp_path / "rods", resume=True), rods(None)
    np.testing.assert_array_equal(found["slider.x"], plain["slider.x"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
def test_a_real_full_device_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, mode="r", **more: real(Path("/dev/full") if mode == "wb" else path, mode, **more)
    )
    with pytest.raises(StoreError, match=r"is full: 0 of 7 parts"):
        rods(tmp_path / "rods", threads=1)


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Path]:
    rods(tmp_path / "rods")
    (tmp_path / "rods" / "part-00000002.nc").unlink()
    yield tmp_path / "rods"


def test_only_the_same_study_goes_on(begun: Path) -> None:
    with pytest.raises(StoreError, match="holds a study already, 6 of 7 parts done"):
        rods(begun)
    other = load("slider-crank").build(rod=0.6)
    with pytest.raises(StoreError, match="is not that of the study in .*: its 'slider.x' differs"):
        rods(begun, resume=True, model=other)
    plan = quasi_random({"motor.motion.rate": (5.0, 20.0), "B.a.x": (0.05, 0.1)}, 100, seed=4)
    with pytest.raises(StoreError, match="has other samples"):
        study(load("slider-crank").build(), plan, "kinematics", ["slider.x"], times=TIMES, store=begun, resume=True)
    with pytest.raises(StoreError, match="has other options"):
        rods(begun, resume=True, tolerance=1e-9)
    (begun / "part-odd.nc").write_text("no part")  # somebody else's
    found = rods(begun, resume=True)
    assert found.complete


def test_a_part_that_was_damaged_is_named(begun: Path) -> None:
    (begun / "part-00000001.nc").write_bytes(b"not netCDF")
    with pytest.raises(StoreError, match=r"part-00000001.nc' cannot be read .*; remove it and go on"):
        open_study(begun)["slider.x"]


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no study"):
        open_study(tmp_path)
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(StoreError, match="is not empty and holds no study"):
        rods(tmp_path)
    with pytest.raises(StoreError, match="no study can be kept in"):
        rods(tmp_path / "letters.txt" / "below")
    with pytest.raises(StoreError, match="it is a file; state a folder"):
        rods(tmp_path / "letters.txt")
    (tmp_path / "odd").mkdir()
    manifest = tmp_path / "odd" / "study.json"
    manifest.write_text(json.dumps({"format": 1, "version": cardan.__version__, "plan": {}}))
    with pytest.raises(StoreError, match="does not state analysis, options"):
        open_study(tmp_path / "odd")


def test_only_one_sample_in_a_part_and_more_parts_than_samples(tmp_path: Path) -> None:
    plan = random_samples({"motor.motion.rate": (5.0, 20.0)}, 3)
    options: dict[str, Any] = {"times": TIMES, "store": tmp_path / "few", "chunk": 1000}
    found = study(load("slider-crank").build(), plan, "kinematics", ["slider.x:max"], **options)
    assert found.complete and len([*(tmp_path / "few").glob("part-*.nc")]) == 1
    with pytest.raises(ModelError):
        found["slider.y"]
