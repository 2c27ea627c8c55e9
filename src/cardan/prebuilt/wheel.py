"""Wheels with kernels: the plain wheel, and machine code for a platform or bitcode added."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from cardan.prebuilt.targets import ANY

PLAIN = "py3-none-any"
TAG = "cp311-abi3"  # the extension module uses the limited API of Python 3.11


def platform_wheel(plain: Path, files: dict[str, Path], platform: str, folder: Path) -> Path:
    """A wheel for a platform: the plain one, and files by their names in it. That for any platform replaces it."""
    tag = PLAIN if platform == ANY else f"{TAG}-{platform}"
    name = plain.name.replace(PLAIN, tag)
    unfinished = folder / f"{name}.part"
    records = []
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as out:

        def add(path: str, data: bytes) -> None:
            information = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            information.external_attr = 0o644 << 16
            information.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(information, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(data)}")

        for path in source.namelist():
            if path.endswith(".dist-info/WHEEL"):
                text = source.read(path).decode()
                if platform != ANY:
                    text = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
                add(path, text.replace(PLAIN, tag).encode())
            elif path.endswith(".dist-info/RECORD"):
                record = path
            elif path not in files:
                add(path, source.read(path))
        for path, file in files.items():
            add(path, file.read_bytes())
        out.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
    return unfinished.replace(folder / name)
