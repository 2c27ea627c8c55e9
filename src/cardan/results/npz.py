"""Arrays in .npz files, read so that a file costs no more memory than it is long, and runs nothing.

NumPy trusts what such a file says: a header may ask for terabytes, a packed member may swell a thousandfold. Here the
members are stored plainly, as `numpy.savez` writes them, and each is as long as its header says.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from pathlib import Path

import numpy as np

from cardan.untrusted import open_regular


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of a file by name; OSError or ValueError if it is none."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            size = file.seek(0, io.SEEK_END)
            members = archive.infolist()
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("its members are packed")
            if sum(member.file_size for member in members) > size:
                raise ValueError("its members are longer than the file")
            return {member.filename.removesuffix(".npy"): _array(archive.read(member)) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, RecursionError) as error:
        raise ValueError(str(error) or type(error).__name__) from None


def _array(data: bytes) -> np.ndarray:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if header is None:
        raise ValueError(f"arrays of version {version} are not known")
    shape, fortran, kind = header(stream)
    if kind.kind not in "biufcSU" or kind.itemsize == 0:
        raise ValueError(f"arrays of {kind} are not numbers")
    if len(data) - stream.tell() != math.prod(shape) * kind.itemsize or any(length < 0 for length in shape):
        raise ValueError("an array is not as long as it says")
    return np.frombuffer(data, kind, offset=stream.tell()).reshape(shape, order="F" if fortran else "C").copy()
