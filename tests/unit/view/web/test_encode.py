"""Packed numbers: what comes out is what went in, to the precision that is promised."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from cardan.view.web.encode import GAP, Blob, continued, packed


def unpacked(blob: Blob, place: dict) -> np.ndarray:
    """What `document.ts` does, in Python."""
    data = np.frombuffer(b"".join(blob.parts), np.uint8)
    rows, columns = place["rows"], place["columns"]
    if place["kind"] == "f64":
        return data[place["at"] : place["at"] + 8 * rows * columns].view("<f8").reshape(rows, columns)
    wide = 4 if place["kind"] == "f32" else 2
    planes = data[place["at"] : place["at"] + wide * rows * columns].reshape(wide, -1)
    bits = np.ascontiguousarray(planes.T).view("<u4" if wide == 4 else "<u2").reshape(columns, rows).astype(np.int64)
    whole = np.cumsum(np.cumsum(bits, axis=1), axis=1)
    if wide == 4:
        return whole.astype(np.uint32).view(np.float32).T
    signed = whole.astype(np.uint16).view(np.int16).T
    return np.array(place["starts"]) + np.array(place["steps"]) * signed


def test_curves_keep_every_bit_of_their_float32() -> None:
    values = np.random.default_rng(1).standard_normal(200) * 10.0 ** np.arange(-20, 20, 0.2)
    blob = Blob()
    assert np.array_equal(unpacked(blob, blob.floats(values))[:, 0], values.astype(np.float32))


def test_values_are_exact_to_half_a_step_of_their_range() -> None:
    table = np.cumsum(np.random.default_rng(2).standard_normal((300, 4)), axis=0) * (1e-6, 1.0, 1e3, 0.0)
    blob = Blob()
    found = unpacked(blob, blob.values(table))
    assert np.all(np.abs(found - table) <= 0.5001 * np.ptp(table, axis=0) / 65534 + 1e-290)


def test_poses_of_the_plane_forget_whole_turns_only() -> None:
    t = np.linspace(0.0, 1.0, 240)
    stored = np.stack([np.stack([np.cos(9 * t), 0.2 * t, 300.0 * t], axis=1), np.zeros((240, 3))], axis=1)
    blob = Blob()
    found = unpacked(blob, blob.poses(stored)).reshape(240, 2, 3)
    assert np.abs(found[..., :2] - stored[..., :2]).max() <= 2.0 / 65534
    turn = found[..., 2] - stored[..., 2]
    assert np.abs(turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi))).max() <= np.pi / 65536 * 1.001


def test_quaternions_are_continued_through_their_double_sign() -> None:
    t = np.linspace(0.0, 12.0, 200)
    smooth = np.stack([np.cos(t), np.sin(t), 0 * t, 0 * t], axis=1)[:, None]
    jumping = smooth * np.where(np.arange(200) % 3 == 0, -1.0, 1.0)[:, None, None]
    found = continued(jumping)
    assert np.abs(found - found[0, 0, 0] * smooth).max() < 1e-15
    stored = np.concatenate([np.zeros((200, 1, 3)), jumping], axis=2)
    blob = Blob()
    back = unpacked(blob, blob.poses(stored)).reshape(200, 7)[:, 3:]
    assert np.abs(np.abs(np.sum(back * jumping[:, 0], axis=1)) - 1.0).max() < 2e-5


def test_smooth_motion_packs_better_than_floats() -> None:
    t = np.linspace(0.0, 1.0, 300)[:, None]
    stored = np.sin(6.0 * t + np.arange(150))[..., None].reshape(300, 50, 3)
    blob = Blob()
    blob.poses(stored)
    assert len(gzip.compress(blob.parts[0], 9)) < 0.35 * len(gzip.compress(stored.astype(np.float32).tobytes(), 9))


def test_shapes_keep_their_gaps() -> None:
    blob = Blob()
    place = blob.points(np.array([[0.1, -0.2], [np.nan, np.nan], [0.2, 0.05]]), 0.2)
    whole = np.frombuffer(blob.parts[0], "<i2").reshape(3, 2)
    assert whole[1].tolist() == [GAP, GAP]
    assert whole[[0, 2]] * place["steps"][0] == pytest.approx(np.array([[0.1, -0.2], [0.2, 0.05]]), abs=0.2 / 65534)


def test_a_document_is_json_then_arrays() -> None:
    blob = Blob()
    place = blob.doubles(np.array([0.0, 0.5, 2.0]))
    data = gzip.decompress(packed({"times": place}, blob))
    size = int.from_bytes(data[:4], "little")
    assert json.loads(data[4 : 4 + size]) == {"times": place}
    assert np.frombuffer(data[4 + size :], "<f8").tolist() == [0.0, 0.5, 2.0]
