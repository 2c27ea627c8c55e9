"""Parts in files: a round trip is exact, and broken files are rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.flexible import FlexiblePart, beam, load_part, save_part
from cardan.flexible.part_file import ARRAYS


def blade() -> FlexiblePart:
    return beam(1.0, 0.02, elements=6).reduce(
        modes=3, frame="tangent", stress=True, stiffening=True, damping=0.01, name="blade \N{GREEK SMALL LETTER ALPHA}"
    )


@pytest.mark.parametrize("part", [blade(), beam(0.3, 0.01, elements=3).reduce({}, modes=2)])
def test_round_trip_is_exact(part: FlexiblePart, tmp_path: Path) -> None:
    again = load_part(save_part(part, tmp_path / "part.nc"))
    assert (again.name, again.mass, again.frame) == (part.name, part.mass, part.frame)
    for name in ARRAYS:
        assert np.array_equal(getattr(again, name), getattr(part, name))
    assert list(again.interfaces) == list(part.interfaces)
    for name, at in part.interfaces.items():
        for key in ("position", "translation", "rotation", "orientation"):
            assert np.array_equal(getattr(again.interfaces[name], key), getattr(at, key))
    assert (again.stiffening is None) == (part.stiffening is None)
    assert (again.stress is None) == (part.stress is None)
    if part.stress is not None:
        assert np.array_equal(again.stress, part.stress)
    assert again.surface is not None and np.array_equal(again.surface.triangles, part.surface.triangles)


def test_every_truncated_or_changed_file_is_rejected_or_read(tmp_path: Path) -> None:
    """No other error than a ModelError, whatever the bytes."""
    data = save_part(blade(), tmp_path / "part.nc").read_bytes()
    rng = np.random.default_rng(3)
    broken = tmp_path / "broken.nc"
    for trial in range(60):
        changed = bytearray(data)
        if trial % 2:
            changed = changed[: int(rng.integers(len(data)))]
        else:
            for place in rng.integers(3000, size=3):
                changed[place] = int(rng.integers(256))
        broken.write_bytes(changed)
        try:
            load_part(broken)
        except ModelError:
            continue


def test_other_files_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "text.nc").write_text("hello")
    with pytest.raises(ModelError, match="flexible part"):
        load_part(tmp_path / "text.nc")
    with pytest.raises(ModelError, match="cannot be read"):
        load_part(tmp_path / "absent.nc")
    with pytest.raises(ModelError, match="part must be a FlexiblePart"):
        save_part("rod", tmp_path / "rod.nc")  # type: ignore[arg-type]
