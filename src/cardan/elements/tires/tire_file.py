"""Tire property files (.tir): sections of `KEY = value` lines, with comments and tables.

[MODEL]
FITTYP  = 61            $ version of the magic formula
PKY1    = -18.9         ! keys are unique over the file; tables in braces are skipped
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from cardan.errors import ModelError
from cardan.untrusted import open_regular

MAX_FILE_BYTES = 4_000_000  # bytes: property files have some kilobytes
LINE = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*([^$!]*)")
SKIPPED = {"SHAPE", "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE"}  # sections with tables
# The size of a unit in SI units, by the key and the word of the section [UNITS].
UNITS = {
    "LENGTH": {"meter": 1.0, "m": 1.0, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "inch": 0.0254, "foot": 0.3048},
    "FORCE": {"newton": 1.0, "n": 1.0, "kn": 1e3, "kilonewton": 1e3, "pound_force": 4.4482216152605},
    "ANGLE": {"radian": 1.0, "radians": 1.0, "rad": 1.0, "degree": math.radians(1.0), "degrees": math.radians(1.0)},
    "MASS": {"kg": 1.0, "kilogram": 1.0},
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0},
}
# The version of the magic formula, by FITTYP; PAC2002 files state their format instead.
VERSIONS = {"5": "5.2", "6": "5.2", "21": "5.2", "52": "5.2", "60": "6.1", "61": "6.1"}
FORMATS = {"PAC2002": "5.2", "MF_05": "5.2", "MF-TYRE": "5.2"}


def read_tire_file(path: str | Path) -> tuple[dict[str, float], str, str]:
    """The numbers of a file in SI units, by key, the version ("5.2" or "6.1") and the side ("left", "right" or "")."""
    words, numbers = _entries(_text(path), str(path))
    kind = words.get("FILE_TYPE", "tir")
    if kind.lower() != "tir":
        raise ModelError(f"'{path}' is not a tire property file: FILE_TYPE is {kind!r} instead of 'tir'")
    units = {key: _unit(words, key, path) for key in UNITS}
    for key, exponents in DIMENSIONS.items():
        if key in numbers:
            numbers[key] *= math.prod(units[unit] ** power for unit, power in exponents.items())
    if units["ANGLE"] != 1.0:
        raise ModelError(f"'{path}' states angles in degrees; coefficients of the magic formula must be in radians")
    return numbers, _version(words, numbers, path), words.get("TYRESIDE", "").lower()


def _text(path: str | Path) -> str:
    try:
        with open_regular(path) as file:
            found = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ModelError(f"cannot read the tire property file '{path}': {error.strerror or error}") from None
    if len(found) > MAX_FILE_BYTES:
        raise ModelError(f"'{path}' has more than {MAX_FILE_BYTES // 1_000_000} MB and is not a tire property file")
    return found.decode("latin-1")


def _entries(text: str, path: str) -> tuple[dict[str, str], dict[str, float]]:
    words: dict[str, str] = {}
    numbers: dict[str, float] = {}
    section = ""
    for count, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip().upper()
        found = LINE.match(line) if line and line[0] not in "$!{" and section not in SKIPPED else None
        if found is None:
            continue
        key, value = found[1].upper(), found[2].strip()
        if not value:
            continue  # a coefficient that was not fitted
        if value[0] in "'\"":
            words[key] = value.strip("'\"").strip()
            continue
        try:
            number = float(value.split()[0].replace("D", "E").replace("d", "e"))
        except ValueError:
            raise ModelError(f"line {count} of '{path}': {key} is {value!r}, which is not a number") from None
        if not math.isfinite(number):
            raise ModelError(f"line {count} of '{path}': {key} is {value}; give a finite number")
        if numbers.get(key, number) != number:
            raise ModelError(f"line {count} of '{path}': {key} is given twice, as {numbers[key]:g} and {number:g}")
        numbers[key] = number
    return words, numbers


def _unit(words: Mapping[str, str], key: str, path: str | Path) -> float:
    word = words.get(key, next(iter(UNITS[key]))).lower()
    if word not in UNITS[key]:
        raise ModelError(f"'{path}' has {key} = {word!r} in [UNITS]; supported are {', '.join(UNITS[key])}")
    return UNITS[key][word]


def _version(words: Mapping[str, str], numbers: Mapping[str, float], path: str | Path) -> str:
    if "FITTYP" in numbers:
        stated = f"{numbers['FITTYP']:g}"
        found, shown = VERSIONS.get(stated), f"FITTYP = {stated}"
    else:
        stated = words.get("PROPERTY_FILE_FORMAT", "").upper()
        found, shown = FORMATS.get(stated), f"PROPERTY_FILE_FORMAT = '{stated}'"
    if found is None:
        raise ModelError(
            f"'{path}' has {shown}, which is not supported; files of the magic formula 5.2 (FITTYP 5, 6, 21, 52 or "
            "PAC2002) and 6.1 (FITTYP 60, 61) are"
        )
    return found


DIMENSIONS: dict[str, dict[str, int]] = {
    **{key: {"LENGTH": 1} for key in ("UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "RIM_WIDTH")},
    **{key: {"FORCE": 1} for key in ("FNOMIN", "FZMIN", "FZMAX")},
    **{
        key: {"FORCE": 1, "LENGTH": -1} for key in ("VERTICAL_STIFFNESS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS")
    },
    "VERTICAL_DAMPING": {"FORCE": 1, "TIME": 1, "LENGTH": -1},
    **{key: {"LENGTH": 1, "TIME": -1} for key in ("LONGVL", "VXLOW")},
    **{key: {"FORCE": 1, "LENGTH": -2} for key in ("NOMPRES", "INFLPRES")},
}
