"""Reading of text files with numbers: memory is bounded by the size of the file, and every fault is a ModelError."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from cardan.errors import ModelError
from cardan.model import check
from cardan.untrusted import contents

EQUAL = 1e-9  # of mirrored entries in a file with both triangles, relative to the largest


def data_of(path: str | Path, what: str) -> bytes:
    """The bytes of a regular file."""
    file = check.path(path, what)
    try:
        return contents(file)
    except OSError as error:
        raise ModelError(f"{what} '{file}' cannot be read: {error.strerror or error}") from None


def text_of(path: str | Path, what: str) -> str:
    """The text of a regular file; bytes outside ASCII are kept as they are in Latin-1, for names only."""
    return data_of(path, what).decode("latin-1")


def numbers_of(path: str | Path, what: str, columns: tuple[int, ...]) -> np.ndarray:
    """A table of numbers with one of some counts of columns, separated by blanks or commas."""
    data = data_of(path, what)
    lines = data.lstrip().split(b"\n", 1)
    width = len(lines[0].replace(b",", b" ").split())
    if width not in columns:
        counts = " or ".join(str(count) for count in columns)
        raise ModelError(f"{what} '{path}' must have {counts} numbers in each line, got {width} in the first")
    plain = data.translate(bytes.maketrans(b",dD", b" ee"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = np.fromstring(plain, sep=" ")
        except (DeprecationWarning, ValueError):
            raise ModelError(f"{what} '{path}' has entries that are not numbers") from None
    if found.size % width or not np.isfinite(found).all():
        raise ModelError(f"{what} '{path}' must have {width} finite numbers in each line")
    return np.asarray(found.reshape(-1, width))


def indices(values: np.ndarray, most: int, what: str) -> np.ndarray:
    """Whole numbers from 1 to `most`, as indices from 0."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    if values.min() < 1 or values.max() > most or (values != np.rint(values)).any():
        raise ModelError(f"{what} must be whole numbers from 1 to {most}, got {values.min():g} to {values.max():g}")
    return values.astype(np.int64) - 1


def symmetric(row: np.ndarray, column: np.ndarray, value: np.ndarray, size: int, what: str) -> csr_matrix:
    """A symmetric matrix from one triangle or both."""
    upper, lower = row < column, row > column
    matrix = csr_matrix(coo_matrix((value, (row, column)), shape=(size, size)))
    if not (upper.any() and lower.any()):
        return csr_matrix(matrix + matrix.T - _diagonal(matrix))
    apart = abs(matrix - matrix.T)
    if apart.nnz and apart.max() > EQUAL * np.abs(value).max():
        one_sided = _one_sided(matrix)
        if one_sided is not None:
            return one_sided
        raise ModelError(f"{what} is not symmetric: mirrored entries differ by up to {apart.max():.3g}")
    return csr_matrix(0.5 * (matrix + matrix.T))


def _one_sided(matrix: csr_matrix) -> csr_matrix | None:
    """Each entry stated once, above or below the diagonal: mirrored."""
    both = matrix.multiply(matrix.T) - _diagonal(matrix).power(2)
    if abs(both).sum() > 0.0:
        return None
    return csr_matrix(matrix + matrix.T - _diagonal(matrix))


def _diagonal(matrix: csr_matrix) -> csr_matrix:
    places = np.arange(matrix.shape[0])
    return csr_matrix((matrix.diagonal(), (places, places)), shape=matrix.shape)


def beside(path: Path, endings: tuple[str, ...], what: str) -> Path:
    """The file with the same stem and one of the endings."""
    for ending in endings:
        if path.with_suffix(ending).is_file():
            return path.with_suffix(ending)
    raise ModelError(f"{what} of '{path}' is missing: no file {path.stem}{' or '.join(endings)} beside it")
