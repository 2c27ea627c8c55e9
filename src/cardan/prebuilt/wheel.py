"""Wheels with machine code: the wheel without platform, and a library of kernels added."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

TAG = "cp311-abi3"  # the extension module uses the limited API of Python 3.11


def platform_wheel(plain: Path, files: dict[str, Path], platform: str, folder: Path) -> Path:
    """A wheel for a platform: that without platform, and files by their names in it."""
    name = plain.name.replace("py3-none-any", f"{TAG}-{platform}")
    records = []
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as out:

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
                text = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
                add(path, text.replace("py3-none-any", f"{TAG}-{platform}").encode())
            elif path.endswith(".dist-info/RECORD"):
                record = path
            else:
                add(path, source.read(path))
        for path, file in files.items():
            add(path, file.read_bytes())
        out.writestr(record, "\n".join([*records, f"{record},,"]) + "\n")
    return folder / name
