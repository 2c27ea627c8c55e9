"""Classic netCDF by our own hand: other programs read it, broken files are told in one sentence."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.netcdf import SPARE, Along, Fixed, Layout, Reader, Writer

NUMBERS = np.random.default_rng(1).normal(size=(7, 2, 3))


def layout() -> Layout:
    fixed = {"body": Fixed(("body",), ["crank", "Kurbel ä"]), "count": Fixed(("axis",), np.array([1, 2, 3]))}
    along = {"time": Along((), (), {"units": "s"}), "position": Along(("body", "axis"), (2, 3), {"units": "m"})}
    return Layout("time", {"title": "made here, é"}, fixed, along)


def written(path):
    writer = Writer(path, layout())
    values = {"time": np.arange(7.0), "position": NUMBERS}
    writer.append({name: table[:4] for name, table in values.items()}, 4)
    writer.append({name: table[4:] for name, table in values.items()}, 3)
    writer.finish({"complete": "yes"})
    return path


def test_what_was_written_is_read(tmp_path) -> None:
    with Reader(written(tmp_path / "a.nc")) as reader:
        assert reader.records == 7 and reader.attributes == {"title": "made here, é", "complete": "yes"}
        assert np.array_equal(reader.read(0, 7)["position"], NUMBERS)
        assert np.array_equal(reader.read(2, 5, ["position"])["position"], NUMBERS[2:5])
        assert np.array_equal(reader.columns("position", slice(3, 6), 1, 4), NUMBERS[1:4, 1])
        assert reader.fixed("body") == ["crank", "Kurbel ä"] and reader.fixed("count").tolist() == [1, 2, 3]


@pytest.mark.parametrize("engine", ["scipy", "netcdf4"])
def test_other_programs_read_it(engine: str, tmp_path) -> None:
    xarray = pytest.importorskip("xarray")
    if engine == "netcdf4":
        pytest.importorskip("netCDF4")
    with xarray.open_dataset(written(tmp_path / "a.nc"), engine=engine, decode_times=False) as data:
        assert data.attrs["title"] == "made here, é"
        assert data.position.dims == ("time", "body", "axis") and data.position.units == "m"
        assert np.array_equal(data.position.sel(body="Kurbel ä"), NUMBERS[:, 1])


def test_a_long_last_word_moves_the_records(tmp_path) -> None:
    """More than the room that was left in the header."""
    path = tmp_path / "a.nc"
    writer = Writer(path, layout())
    writer.append({"time": np.arange(7.0), "position": NUMBERS}, 7)
    writer.finish({"facts": "x" * (3 * SPARE)})
    with Reader(path) as reader:
        assert np.array_equal(reader.read(0, 7)["position"], NUMBERS) and len(reader.attributes["facts"]) == 3 * SPARE
    assert [file.name for file in tmp_path.iterdir()] == ["a.nc"]


def test_a_file_in_the_making_is_whole_after_every_append(tmp_path) -> None:
    path = tmp_path / "a.nc"
    writer = Writer(path, layout())
    for k in range(1, 8):
        writer.append({"time": np.array([k - 1.0]), "position": NUMBERS[k - 1 : k]}, 1)
        with Reader(path) as reader:
            assert np.array_equal(reader.read(0, reader.records)["position"], NUMBERS[:k])
    writer.close()


def test_a_file_cut_anywhere_gives_whole_records_or_a_sentence(tmp_path) -> None:
    whole = written(tmp_path / "a.nc").read_bytes()
    cut = tmp_path / "cut.nc"
    for size in [*range(0, 1200, 37), *range(len(whole) - 500, len(whole), 41)]:
        cut.write_bytes(whole[:size])
        try:
            with Reader(cut) as reader:
                found = reader.read(0, reader.records)["position"]
                assert np.array_equal(found, NUMBERS[: len(found)])
        except ModelError as error:
            assert str(cut) in str(error)


def test_changed_bytes_of_a_header_never_give_a_traceback(tmp_path) -> None:
    whole, chance = bytearray(written(tmp_path / "a.nc").read_bytes()), random.Random(5)
    path = tmp_path / "b.nc"
    for _ in range(400):
        broken = whole.copy()
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(4, 700)] = chance.randrange(256)
        path.write_bytes(broken)
        try:
            with Reader(path) as reader:
                reader.read(0, min(reader.records, 10))
                for name in reader.names():
                    reader.fixed(name)
        except ModelError as error:
            assert str(path) in str(error)
