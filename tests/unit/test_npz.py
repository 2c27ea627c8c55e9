"""Checkpoints and other arrays in files that lie about themselves."""

from __future__ import annotations

import io
import os
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cardan import ModelError
from cardan.npz import read_arrays
from cardan.results.simulation import Checkpoint


def member(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def archive(path: Path, kind: int = zipfile.ZIP_STORED, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return path


def test_arrays_come_back_as_they_were(tmp_path) -> None:
    stated = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.array([1, -2], np.int64),
        "c": np.array("word"),
        "d": np.zeros((0, 4)),
        "e": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "f": np.array(True),
    }
    np.savez(tmp_path / "a.npz", **stated)
    found = read_arrays(tmp_path / "a.npz")
    assert found.keys() == stated.keys()
    for name, array in stated.items():
        assert np.array_equal(found[name], array) and found[name].dtype == array.dtype
        assert found[name].flags.writeable


class Attack:
    def __reduce__(self):
        return os.mkdir, ("/nonexistent/attack",)


def of(kind: str, shape: str = "(1,)", data: bytes = b"12345678") -> dict[str, bytes]:
    return {"a": member(f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}", data)}


BAD = {
    "asks for terabytes": of("'<f8'", "(1000000000000,)"),
    "a negative length": of("'<f8'", "(-1,)"),
    "pickled objects": of("'|O'", data=pickle.dumps([Attack()])),
    "no header": {"a": b"nothing"},
    "a header that is code": {"a": member("__import__('os').getcwd()")},
    "a record type": of("[('a', '<f8')]"),
    "words of a gigabyte": of("'<U250000000'"),
    "dates": of("'<M8[s]'"),
}


@pytest.mark.parametrize("case", BAD)
def test_lies_are_rejected_at_no_cost(tmp_path, case) -> None:
    path = archive(tmp_path / "a.npz", **BAD[case])
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="is not a checkpoint of a simulation"):
            Checkpoint.load(path)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_packed_members_are_rejected(tmp_path) -> None:
    """A hundred kilobytes that would become a hundred megabytes."""
    memory = io.BytesIO()
    np.save(memory, np.zeros(12_500_000))
    path = archive(tmp_path / "a.npz", zipfile.ZIP_DEFLATED, a=memory.getvalue())
    assert path.stat().st_size < 200_000
    with pytest.raises(ValueError, match="compressed"):
        read_arrays(path)


def test_members_that_share_their_bytes_are_rejected(tmp_path) -> None:
    memory = io.BytesIO()
    np.save(memory, np.zeros(1000))
    path = archive(tmp_path / "a.npz", a=memory.getvalue())
    data = path.read_bytes()
    begin, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[begin:end]
    many = b"".join(entry.replace(b"a.npy", bytes([97 + k]) + b".npy") for k in range(20))
    tail = bytearray(data[end:])
    tail[8:10] = tail[10:12] = (20).to_bytes(2, "little")
    tail[12:16] = len(many).to_bytes(4, "little")
    path.write_bytes(data[:begin] + many + bytes(tail))
    with pytest.raises(ValueError, match="longer than the file|overlap|differ"):
        read_arrays(path)


def test_every_cut_and_every_damaged_byte_is_rejected_or_read(tmp_path) -> None:
    np.savez(tmp_path / "a.npz", model="m", method="radau", time=1.0, y=np.arange(3.0))
    data = (tmp_path / "a.npz").read_bytes()
    damaged = tmp_path / "b.npz"
    rng = np.random.default_rng(0)
    for k in range(300):
        broken = bytearray(data[: rng.integers(len(data))] if k % 2 else data)
        for place in rng.integers(max(len(broken), 1), size=2):
            if broken:
                broken[place] = rng.integers(256)
        damaged.write_bytes(bytes(broken))
        try:
            Checkpoint.load(damaged)
        except ModelError:
            pass
