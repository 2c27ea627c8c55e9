"""Safe reading of .npz files: memory is limited by the size of the file, and no code is executed.

NumPy trusts the headers of such a file: a header may request terabytes, a compressed member may expand a thousandfold.
Here members must be uncompressed, as `numpy.savez` writes them, and as long as their headers state.
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
    """The arrays of a file by name; raises OSError or ValueError for other files."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            size = file.seek(0, io.SEEK_END)
            members = archive.infolist()
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("its members are compressed")
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
        raise ValueError(f"arrays of version {version} are not supported")
    shape, fortran, kind = header(stream)
    if kind.kind not in "biufcSU" or kind.itemsize == 0:
        raise ValueError(f"arrays of {kind} are not numbers")
    if len(data) - stream.tell() != math.prod(shape) * kind.itemsize or any(length < 0 for length in shape):
        raise ValueError("the length of an array does not match its header")
    return np.frombuffer(data, kind, offset=stream.tell()).reshape(shape, order="F" if fortran else "C").copy()
