"""Numbers in few bytes: second differences of whole numbers, packed.

    p_k = round((x_k - start) / step),    d_k = p_k - 2 p_{k-1} + p_{k-2}    modulo 2^16, or 2^32 for float32 bits

Smooth motion has small second differences; all low bytes are stored before all high ones, and gzip finds long runs of
equal bytes. Positions are exact to half a step, 1/131072 of their range; curves keep every bit of their float32.
`web/src/document.ts` decodes it.

    document = text(gzip([length of JSON: 4 bytes][JSON][arrays]))
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np

LEVELS = 65534  # steps between the least and the largest value of a channel
FULL_TURN = 65536  # steps of a full turn: whole turns vanish modulo 2^16
UNIT = 32767  # steps of a component of a unit quaternion
HALF = 32768  # indices are stored relative to it
GAP = -32768  # NaN in the points of shapes


class Blob:
    """Arrays behind each other; each method adds one and returns where and how it is stored."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def channels(self, whole: np.ndarray, steps: np.ndarray, starts: np.ndarray) -> dict[str, Any]:
        """Whole numbers, one line for each instant, that stand for start + step * number."""
        place = self._add(_packed(whole.astype(np.int64), np.uint16))
        return self._slice(place, whole, "i16") | {"steps": _list(steps), "starts": _list(starts)}

    def values(self, table: np.ndarray) -> dict[str, Any]:
        """Numbers to 1/131072 of the range of each column, one line for each instant."""
        low, high = table.min(axis=0), table.max(axis=0)
        steps = np.maximum(high - low, 1e-300) / LEVELS
        starts = 0.5 * (low + high)
        return self.channels(np.rint((table - starts) / steps), steps, starts)

    def poses(self, stored: np.ndarray) -> dict[str, Any]:
        """Positions of bodies: shape (output times, bodies, 3) in the plane, 7 in space."""
        frames, bodies, width = stored.shape
        axes = 2 if width == 3 else 3
        flat = stored[..., :axes].reshape(-1, axes)
        low, high = flat.min(axis=0, initial=0.0), flat.max(axis=0, initial=0.0)
        step, start = np.maximum(high - low, 1e-300) / LEVELS, 0.5 * (low + high)
        whole = np.empty(stored.shape)
        whole[..., :axes] = np.rint((stored[..., :axes] - start) / step)
        if width == 3:
            turn = np.array([2.0 * np.pi / FULL_TURN])
            whole[..., 2] = np.rint(stored[..., 2] / turn)
        else:
            turn = np.full(4, 1.0 / UNIT)
            whole[..., 3:] = np.rint(continued(stored[..., 3:]) * UNIT)
        steps = np.tile(np.concatenate([step, turn]), bodies)
        starts = np.tile(np.concatenate([start, np.zeros_like(turn)]), bodies)
        return self.channels(whole.reshape(frames, -1), steps, starts)

    def indices(self, table: np.ndarray) -> dict[str, Any]:
        """Indices below 65536, row after row."""
        whole = np.asarray(table, np.int64) - HALF
        return self.channels(whole, np.ones(whole.shape[1]), np.full(whole.shape[1], float(HALF)))

    def floats(self, values: np.ndarray) -> dict[str, Any]:
        """A curve, to the last bit of its float32."""
        bits = np.ascontiguousarray(values, np.float32).reshape(len(values), -1)
        return self._slice(self._add(_packed(bits.view(np.int32).astype(np.int64), np.uint32)), bits, "f32")

    def doubles(self, values: np.ndarray) -> dict[str, Any]:
        """Times, as they are."""
        table = np.ascontiguousarray(values, "<f8").reshape(len(values), -1)
        return self._slice(self._add(table.tobytes()), table, "f64")

    def points(self, points: np.ndarray, size: float) -> dict[str, Any]:
        """The points of a shape, exact to 1/65534 of `size`; NaN parts its pieces."""
        step = size / UNIT
        whole = np.where(np.isfinite(points), np.rint(np.nan_to_num(points) / step), GAP).astype("<i2")
        return self._slice(self._add(whole.tobytes()), whole, "i16") | {"steps": [step]}

    def _add(self, data: bytes) -> int:
        place = self.size
        self.parts.append(data)
        self.size += len(data)
        return place

    @staticmethod
    def _slice(place: int, table: np.ndarray, kind: str) -> dict[str, Any]:
        return {"at": place, "rows": table.shape[0], "columns": table.shape[1], "kind": kind}


def packed(document: dict[str, Any], blob: Blob) -> bytes:
    """The document with its arrays."""
    words = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    words += b" " * (-len(words) % 8)
    data = len(words).to_bytes(4, "little") + words + b"".join(blob.parts)
    return gzip.compress(data, 9, mtime=0)


# Characters of base 85 that mean something in HTML, and what stands for them.
PLAIN = str.maketrans("<>&`@", ",:./[")


def as_text(data: bytes) -> str:
    """Bytes as text that HTML leaves as it is: five characters for four bytes, 6 % shorter than base64."""
    return base64.b85encode(data).decode("ascii").translate(PLAIN)


def continued(quaternions: np.ndarray) -> np.ndarray:
    """Quaternions, of which q and -q mean the same turn, with signs that do not jump from one instant to the next."""
    dots = np.sum(quaternions[1:] * quaternions[:-1], axis=-1)
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    return np.concatenate([quaternions[:1], quaternions[1:] * signs[..., None]])


def _packed(whole: np.ndarray, kind: Any) -> bytes:
    """Second differences down the columns, column after column, low bytes first."""
    before = np.zeros((2, whole.shape[1]), np.int64)
    second = np.diff(np.concatenate([before, whole]), n=2, axis=0)
    # the first two are p_0 and p_1 - 2 p_0, as if the motion had come from zero
    columns = np.ascontiguousarray((second % (1 << (8 * np.dtype(kind).itemsize))).astype(kind).T)
    planes = columns.reshape(-1).view(np.uint8).reshape(-1, np.dtype(kind).itemsize)
    return np.ascontiguousarray(planes.T).tobytes()


def _list(values: np.ndarray) -> list[float]:
    return [float(value) for value in values]
