"""A wheel for a platform: the files added, its tag, and a record of all files."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from cardan.prebuilt.targets import TARGETS, WHEELS, targets_of_wheel
from cardan.prebuilt.wheel import platform_wheel


def test_wheel(tmp_path: Path) -> None:
    plain = tmp_path / "cardan-1.0-py3-none-any.whl"
    with zipfile.ZipFile(plain, "w") as file:
        file.writestr("cardan/__init__.py", "x = 1\n")
        file.writestr("cardan-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("cardan-1.0.dist-info/RECORD", "old\n")
    code = tmp_path / "k.so"
    code.write_bytes(b"machine code")
    wheel = platform_wheel(plain, {"cardan/_kernels/k.so": code}, "win_amd64", tmp_path)
    assert wheel.name == "cardan-1.0-cp311-abi3-win_amd64.whl"
    with zipfile.ZipFile(wheel) as file:
        text = file.read("cardan-1.0.dist-info/WHEEL").decode()
        assert "Tag: cp311-abi3-win_amd64" in text and "Root-Is-Purelib: false" in text
        records = [line.split(",") for line in file.read("cardan-1.0.dist-info/RECORD").decode().split()]
        assert sorted(record[0] for record in records) == sorted(file.namelist())
        for path, digest, size in records[:-1]:
            data = file.read(path)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={expected}", len(data))


def test_every_platform_has_a_wheel_with_a_level_that_all_its_processors_run() -> None:
    assert len(WHEELS) == 5
    for wheel in WHEELS:
        assert targets_of_wheel(wheel)[-1].level in ("x86-64", "generic")
    assert len({(target.platform, target.triple, target.level) for target in TARGETS}) == len(TARGETS)
