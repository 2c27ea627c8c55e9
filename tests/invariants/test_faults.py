"""A disk that fills up at any byte, or a folder that is closed: files are whole or absent, and nothing is lost."""

import errno
import os
import pathlib
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import cardan
from cardan import CardanError, Checkpoint, WriteError, load_result, recording, save_model, simulate
from invariants.every_result import oscillator

resource = pytest.importorskip("resource")


@contextmanager
def disk_of(size):
    """No file grows beyond `size` bytes: what a full disk does to whoever writes, down into libraries."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def run():
    return simulate(oscillator(), 1.0, output=0.01)


@pytest.fixture(scope="module")
def design():
    return cardan.study(oscillator(), {"spring.stiffness": [4.0, 5.0]}, "simulate", ["mass.x:last"], until=0.1)


WRITERS = {
    "run.nc": lambda run, design, path: run.save(path, overwrite=True),
    "run.csv": lambda run, design, path: run.save(path, overwrite=True),
    "run.mat": lambda run, design, path: run.save(path, overwrite=True),
    "run.parquet": lambda run, design, path: run.save(path, overwrite=True),
    "run.html": lambda run, design, path: run.save(path, overwrite=True),
    "checkpoint.npz": lambda run, design, path: run.checkpoint.save(path),
    "model.yaml": lambda run, design, path: save_model(run.model, path),
    "model.json": lambda run, design, path: save_model(run.model, path),
    "study.csv": lambda run, design, path: design.save(path, overwrite=True),
    "study.nc": lambda run, design, path: design.save(path, overwrite=True),
}


def _write(name, run, design, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            WRITERS[name](run, design, path)
        except ImportError as missing:
            pytest.skip(str(missing))


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full(name, run, design, tmp_path):
    path = tmp_path / name
    _write(name, run, design, path)
    whole = path.read_bytes()
    sizes = {0, 1, 100, 4096, len(whole) // 2, len(whole) - 1} if path.suffix != ".html" else {len(whole) // 2}
    for size in sorted(size for size in sizes if size < len(whole)):
        for there in (b"before", None):
            path.unlink(missing_ok=True)
            if there is not None:
                path.write_bytes(there)
            with pytest.raises(WriteError) as fault, disk_of(size):
                _write(name, run, design, path)
            assert str(path) in str(fault.value) and "cannot be written" in str(fault.value)
            assert (path.read_bytes() if path.exists() else None) == there
            assert [found.name for found in tmp_path.iterdir()] == ([name] if there else [])
    _write(name, run, design, path)  # there is room again
    assert path.stat().st_size == pytest.approx(len(whole), rel=0.1)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("point", ["open", "replace", "fsync"])
@pytest.mark.parametrize("name", ["run.nc", "run.csv", "checkpoint.npz", "model.yaml", "study.csv", "run.html"])
def test_a_folder_that_is_closed(name, point, code, run, design, tmp_path, monkeypatch):
    path = tmp_path / name
    path.write_bytes(b"before")
    with monkeypatch.context() as patch, pytest.raises(CardanError) as fault:
        _fail(patch, point, code, tmp_path)
        _write(name, run, design, path)
    assert str(path) in str(fault.value) and os.strerror(code).lower() in str(fault.value).lower()
    assert path.read_bytes() == b"before" and [found.name for found in tmp_path.iterdir()] == [name]


def _fail(patch, point, code, folder):
    """What the system answers in a folder; elsewhere all is well."""
    opened = pathlib.Path.open

    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    def open_elsewhere(path, mode="r", *more, **options):
        if path.parent == folder and set(mode) & set("wax+"):
            refuse()
        return opened(path, mode, *more, **options)

    if point == "open":
        patch.setattr(pathlib.Path, "open", open_elsewhere)
    else:
        patch.setattr(os, point, refuse)


def test_what_could_not_be_written_is_not_lost(run, tmp_path):
    with pytest.raises(WriteError) as fault, disk_of(100):
        run.save(tmp_path / "run.nc")
    assert fault.value.partial is run


def test_a_disk_that_fills_up_during_a_run(tmp_path, monkeypatch):
    """The run goes on, with a warning; its end raises with the whole result, and once there is room it can be saved."""
    monkeypatch.setattr("cardan.storage.recorder.APPEND_INTERVAL", 0.0)
    with pytest.warns(cardan.CardanWarning, match=r"run.partial.nc' cannot be written during the run"):
        with pytest.raises(WriteError) as fault, disk_of(5000), recording(tmp_path / "run.nc") as record:
            record.keep(simulate(oscillator(), 2.0, output=0.001))
    found = fault.value.partial
    assert found.times[-1] == 2.0 and [*tmp_path.iterdir()] == []
    found.save(tmp_path / "run.nc")
    assert np.array_equal(load_result(tmp_path / "run.nc").q, found.q)


def test_a_study_goes_on_after_a_full_disk(tmp_path):
    """What is stored stays whole, and resume=True computes the rest."""
    arguments = (oscillator(), {"spring.stiffness": np.linspace(4.0, 5.0, 6)}, "simulate", ["mass.x:last"])
    pytest.importorskip("h5netcdf")
    expected = cardan.study(*arguments, until=0.1)["mass.x:last"]
    with pytest.raises(CardanError, match=r"full|takes no more|no study can be kept") as fault, disk_of(3000):
        cardan.study(*arguments, until=0.1, store=tmp_path / "study", chunk=2, threads=1)
    assert str(tmp_path / "study") in str(fault.value)
    assert not [found for found in (tmp_path / "study").glob("*") if "part" in found.suffix or found.suffix == ".tmp"]
    found = cardan.study(*arguments, until=0.1, store=tmp_path / "study", chunk=2, resume=True)
    assert np.array_equal(found["mass.x:last"], expected)


def test_little_memory(monkeypatch):
    """Where memory does not suffice, MemoryError is raised as it is, and the next run works."""

    def refuse(*_):
        raise MemoryError("no room for the record")

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr("cardan.analysis.forward.advance.fresh_record", refuse)
        simulate(oscillator(), 0.1)
    assert len(simulate(oscillator(), 0.1, output=0.05)) == 3


def test_memory_that_ends_during_a_run(monkeypatch):
    """What was computed until then is kept."""

    def refuse(run):
        raise MemoryError

    with monkeypatch.context() as patch, pytest.raises(cardan.SimulationError, match="memory is full at t = ") as stop:
        patch.setattr("cardan.analysis.forward.advance.enlarge", refuse)
        simulate(oscillator(), 1000.0)
    assert len(stop.value.partial) > 100 and stop.value.partial.stopped is stop.value


@pytest.mark.parametrize("name", ["a.nc", "a.npz"])
def test_cut_files_are_rejected(name, run, tmp_path):
    """A file cut at any byte, as a kill or a full disk may leave it, is rejected by name."""
    path = tmp_path / name
    (run.save if name == "a.nc" else run.checkpoint.save)(path)
    whole = path.read_bytes()
    for size in (0, 1, 8, 100, len(whole) // 3, len(whole) // 2):
        path.write_bytes(whole[:size])
        with pytest.raises(CardanError, match=name):
            load_result(path) if name == "a.nc" else Checkpoint.load(path)
