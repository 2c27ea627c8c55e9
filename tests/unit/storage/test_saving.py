"""Results in files: nothing is overwritten, dead runs leave what they had, other versions are rejected."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cardan import kinematics, load_result, open_result, recording, simulate
from cardan.analysis.rerun import rerun
from cardan.errors import Interrupted, ModelError
from cardan.examples import load
from cardan.planar import Action, Body, Driver, Model, Ramp, Revolute
from cardan.storage.recorder import save_parts


def fan(speed: float = 2.0) -> Model:
    model = Model("fan")
    rotor = model.add(Body(mass=1.0, inertia=0.1), name="rotor")
    hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


@pytest.fixture(scope="module")
def run():
    return kinematics(fan(), np.linspace(0.0, 1.0, 21))


def test_files_are_overwritten_unless_that_is_forbidden(run, tmp_path) -> None:
    for name in ("run.nc", "run.csv"):
        path = tmp_path / name
        path.write_text("mine")
        with pytest.raises(ModelError, match="already exists"):
            run.save(path, overwrite=False)
        assert path.read_text() == "mine"
        run.save(path)
        assert path.stat().st_size > 100
    with pytest.raises(ModelError, match="already exists"), recording(tmp_path / "run.nc", overwrite=False):
        pass


def test_tolerances_of_a_simulation_go_along(tmp_path) -> None:
    """Between output times a loaded run is integrated with its own tolerances, to the same bits."""
    run = simulate(fan(), 1.0, output=1.0, atol=1e-13, rank_tolerance=1e-9)
    run.save(tmp_path / "run.nc")
    again = load_result(tmp_path / "run.nc")
    assert (again.stats.atol, again.stats.rank_tolerance) == (1e-13, 1e-9)
    assert again.at(0.37)["rotor"].angle == run.at(0.37)["rotor"].angle
    assert rerun(again).stats.atol == 1e-13


def test_what_a_model_file_shows_goes_along(run, tmp_path) -> None:
    from cardan.view.web.document import page_of

    shown = fan()
    other = kinematics(shown, np.linspace(0.0, 1.0, 3))
    other.show = ("rotor.angular_velocity", "bearing.fx")
    other.save(tmp_path / "run.nc")
    again = load_result(tmp_path / "run.nc")
    assert again.show == other.show
    assert page_of(again).show == ["rotor.angular_velocity"]  # kinematics knows no forces


def test_another_version_is_rejected(run, tmp_path) -> None:
    path = tmp_path / "run.nc"
    run.save(path)
    place = path.read_bytes().index(b"cardan_result") + len(b"cardan_result") + 3 + 8
    data = bytearray(path.read_bytes())
    assert data[place : place + 1] == b"1"
    data[place : place + 1] = b"7"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"version 7, but this Cardan reads version 1") as told:
        load_result(path, model=fan())
    assert str(told.value).count("\n") == 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_bytes(b"CDF\x02"), "header is broken"),
        (lambda path: path.write_text("time,x\n0,1\n"), "is not a Cardan result"),
        (lambda path: path.write_bytes(b""), "header is broken"),
    ],
)
def test_files_that_are_no_results(make, words: str, tmp_path) -> None:
    make(tmp_path / "run.nc")
    with pytest.raises(ModelError, match=words):
        load_result(tmp_path / "run.nc")


def test_a_file_of_someone_else_is_rejected(tmp_path) -> None:
    xarray = pytest.importorskip("xarray")
    data = xarray.Dataset({"x": ("time", [1.0, 2.0])})
    data.to_netcdf(tmp_path / "run.nc", engine="scipy", format="NETCDF3_64BIT")
    with pytest.raises(ModelError, match="has no format version"):
        load_result(tmp_path / "run.nc")


def test_another_model_is_rejected(run, tmp_path) -> None:
    run.save(tmp_path / "run.nc")
    with pytest.raises(ModelError, match="motor differs"):
        load_result(tmp_path / "run.nc", model=fan(speed=3.0))


def test_a_model_with_functions_is_asked_for(tmp_path) -> None:
    def pull(angle: float) -> float:
        return -3.0 * angle

    def pendulum() -> Model:
        model = Model("own")
        rotor = model.add(Body(mass=1.0, inertia=0.1, angle=0.3), name="rotor")
        hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
        model.add(Action(hinge.angle, pull), name="pull")
        return model

    found = simulate(pendulum(), 0.5, output=0.1, progress=False)
    found.save(tmp_path / "run.nc")
    with pytest.raises(ModelError, match=r"names functions of Python, or was lifted: give it to load_result"):
        load_result(tmp_path / "run.nc")
    assert np.array_equal(load_result(tmp_path / "run.nc", model=pendulum()).q, found.q)


def test_parts_of_a_file(run, tmp_path) -> None:
    parts = [kinematics(fan(), np.linspace(k, k + 0.9, 10)) for k in range(5)]
    save_parts(parts, tmp_path / "run.nc")
    with open_result(tmp_path / "run.nc", model=fan()) as stored:
        assert len(stored) == 50 and stored.times[-1] == pytest.approx(4.9)
        assert np.array_equal(stored[20:30]["rotor"].angle, parts[2]["rotor"].angle)
        assert [len(part) for part in stored.parts(20)] == [20, 20, 10]
        whole = np.concatenate([part["rotor"].angle for part in parts])
        assert np.array_equal(stored.read("angle", body="rotor"), whole)
        with pytest.raises(ModelError, match="no variable 'colour'"):
            stored.read("colour")


def test_tables_for_other_programs(run, tmp_path) -> None:
    parquet, scipy_io = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("scipy.io")
    for name in ("run.csv", "run.parquet", "run.mat"):
        run.save(tmp_path / name)
    angle = run["rotor"].angle
    with open(tmp_path / "run.csv", newline="") as file:
        assert [float(line["rotor.angle"]) for line in csv.DictReader(file)] == angle.tolist()
    table = parquet.read_table(tmp_path / "run.parquet")
    assert np.array_equal(table["rotor.angle"].to_numpy(), angle)
    assert table.schema.field("rotor.angle").metadata[b"units"] == b"rad"
    matrix = scipy_io.loadmat(tmp_path / "run.mat", squeeze_me=True)
    assert np.array_equal(matrix["rotor_angle"], angle)
    assert dict(zip(matrix["names"], matrix["units"], strict=True))["rotor_vx"] == "m/s"


def test_a_run_that_is_interrupted_keeps_its_part(tmp_path, monkeypatch) -> None:
    import cardan.analysis.progress as progress

    monkeypatch.setattr("cardan.storage.recorder.APPEND_INTERVAL", 0.0)
    calls = []

    def interrupt(self, done: int) -> None:
        calls.append(done)
        if len(calls) > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "show", interrupt)
    model = load("double-pendulum").build()
    with pytest.raises(Interrupted, match="interrupted"), recording(tmp_path / "run.nc") as record:
        record.keep(simulate(model, 1e4, output=0.01))
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]
    found = load_result(tmp_path / "run.nc", model=load("double-pendulum").build())
    assert len(found) > 1 and "interrupted" in str(found.stopped) and found.checkpoint is not None


def test_a_killed_run_leaves_a_readable_file(tmp_path) -> None:
    """kill -9 in the middle: what was appended is there, and agrees with a run that was not killed."""
    code = (
        "import sys; from cardan import recording, simulate; from cardan.examples import load\n"
        "import cardan.storage.recorder as recorder; recorder.APPEND_INTERVAL = 0.05\n"
        "with recording(sys.argv[1]) as file: file.keep(simulate(load('double-pendulum').build(), 3000, output=0.01))"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "run.nc")], env=_environment())
    partial, begun = tmp_path / "run.partial.nc", time.monotonic()
    try:
        while not (partial.exists() and partial.stat().st_size > 200_000):
            assert process.poll() is None and time.monotonic() - begun < 300.0
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    found = load_result(partial, model=load("double-pendulum").build())
    assert "interrupted before its end" in str(found.stopped) and len(found) > 100
    again = simulate(load("double-pendulum").build(), 1.0, output=0.01, progress=False)
    assert np.array_equal(found.q[:90], again.q[:90]) and found.energy.drift < 1e-6


def _environment() -> dict[str, str]:
    source = Path(__file__).resolve().parents[4] / "src"
    return {**os.environ, "PYTHONPATH": str(source)}


def test_a_result_with_changed_bytes_is_read_or_told_in_a_sentence(run, tmp_path) -> None:
    import random

    run.save(tmp_path / "run.nc")
    whole, chance, broken = bytearray((tmp_path / "run.nc").read_bytes()), random.Random(3), tmp_path / "b.nc"
    told = 0
    for _ in range(150):
        changed = whole.copy()
        for _ in range(chance.randint(1, 6)):
            changed[chance.randrange(4, 6000)] = chance.randrange(256)
        broken.write_bytes(changed)
        try:
            load_result(broken, model=fan())
        except ModelError as error:
            told += 1
            assert str(error).count("\n") == 0
    assert told > 20
