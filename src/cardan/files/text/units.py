"""Dimensions and units: conversion of numbers to SI.

A dimension is a product of powers of length, mass, time, angle and current, stored as a tuple of exponents. Arguments
state it as an expression over the words for which a file may declare a unit,

    "force*time/length"     units: {length: mm, force: N}  ->  1 N s/mm = 1000 N s/m

and a bare number is in the declared units. A number with its own unit, "25 N/mm", does not depend on them.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

Dims = tuple[float, float, float, float, float]  # length, mass, time, angle, current
NONE: Dims = (0.0, 0.0, 0.0, 0.0, 0.0)
SI = "si"  # unknown dimension: bare numbers are in SI
ANY = "any"  # no dimension: parameters of functions, weights of a sum

DECLARED = {  # the words for which a file may declare a unit, and the default unit
    "length": "m",
    "mass": "kg",
    "time": "s",
    "angle": "rad",
    "force": "N",
}
BASE: dict[str, Dims] = {
    "length": (1.0, 0.0, 0.0, 0.0, 0.0),
    "mass": (0.0, 1.0, 0.0, 0.0, 0.0),
    "time": (0.0, 0.0, 1.0, 0.0, 0.0),
    "angle": (0.0, 0.0, 0.0, 1.0, 0.0),
    "force": (1.0, 1.0, -2.0, 0.0, 0.0),
    "current": (0.0, 0.0, 0.0, 0.0, 1.0),
    "1": NONE,
}
_L, _M, _T, _A, _I = (BASE[word] for word in ("length", "mass", "time", "angle", "current"))
_F, _J, _W = BASE["force"], (2.0, 1.0, -2.0, 0.0, 0.0), (2.0, 1.0, -3.0, 0.0, 0.0)
_P, _V, _HZ = (-1.0, 1.0, -2.0, 0.0, 0.0), (2.0, 1.0, -3.0, 0.0, -1.0), (0.0, 0.0, -1.0, 1.0, 0.0)
POUND, INCH = 0.45359237, 0.0254
KILOPOND = 9.80665  # N

UNITS: dict[str, tuple[float, Dims]] = {
    "m": (1.0, _L), "mm": (1e-3, _L), "cm": (1e-2, _L), "dm": (1e-1, _L), "km": (1e3, _L), "um": (1e-6, _L),
    "inch": (INCH, _L), "ft": (12 * INCH, _L),
    "kg": (1.0, _M), "g": (1e-3, _M), "mg": (1e-6, _M), "t": (1e3, _M), "lb": (POUND, _M), "slug": (14.593902937, _M),
    "s": (1.0, _T), "ms": (1e-3, _T), "us": (1e-6, _T), "min": (60.0, _T), "h": (3600.0, _T),
    "rad": (1.0, _A), "mrad": (1e-3, _A), "deg": (math.pi / 180.0, _A), "rev": (2.0 * math.pi, _A),
    "N": (1.0, _F), "mN": (1e-3, _F), "kN": (1e3, _F), "MN": (1e6, _F),
    "lbf": (POUND * KILOPOND, _F), "kgf": (KILOPOND, _F),
    "Nm": (1.0, _J), "J": (1.0, _J), "kJ": (1e3, _J), "W": (1.0, _W), "kW": (1e3, _W),
    "Pa": (1.0, _P), "kPa": (1e3, _P), "MPa": (1e6, _P), "GPa": (1e9, _P), "bar": (1e5, _P),
    "psi": (6894.757293168, _P),
    "Hz": (2.0 * math.pi, _HZ), "rpm": (math.pi / 30.0, _HZ),
    "l": (1e-3, (3.0, 0.0, 0.0, 0.0, 0.0)),
    "A": (1.0, _I), "mA": (1e-3, _I), "V": (1.0, _V),
    "ohm": (1.0, (2.0, 1.0, -3.0, 0.0, -2.0)), "H": (1.0, (2.0, 1.0, -2.0, 0.0, -2.0)),
    "mH": (1e-3, (2.0, 1.0, -2.0, 0.0, -2.0)),
    "percent": (1e-2, NONE), "si": (1.0, NONE),
}  # fmt: skip

WORDS: dict[Dims, str] = {
    NONE: "a pure number", _L: "a length", _M: "a mass", _T: "a time", _A: "an angle", _F: "a force", _J: "a torque",
    _P: "a pressure", _W: "a power", _V: "a voltage", _I: "a current", _HZ: "an angular velocity",
    (1.0, 0.0, -1.0, 0.0, 0.0): "a velocity", (1.0, 0.0, -2.0, 0.0, 0.0): "an acceleration",
    (2.0, 0.0, 0.0, 0.0, 0.0): "an area", (3.0, 0.0, 0.0, 0.0, 0.0): "a volume",
    (2.0, 1.0, 0.0, 0.0, 0.0): "a moment of inertia", (0.0, 1.0, -2.0, 0.0, 0.0): "a stiffness",
    (2.0, 1.0, -2.0, -1.0, 0.0): "a rotational stiffness", (0.0, 1.0, -1.0, 0.0, 0.0): "a damping",
    (2.0, 1.0, -1.0, -1.0, 0.0): "a rotational damping", (-3.0, 1.0, 0.0, 0.0, 0.0): "a density",
}  # fmt: skip


class Wanted(NamedTuple):
    """The unit of an argument: its dimension, the SI value of one declared unit, and its name."""

    dims: Dims | None  # None: unknown
    factor: float
    unit: str


class Declared:
    """The units that a file declares."""

    def __init__(self, units: dict[str, str] | None = None) -> None:
        self.units = {**DECLARED, **(units or {})}
        self.foreign = [f"{word} in {unit}" for word, unit in self.units.items() if UNITS[unit][0] != 1.0]
        self._known: dict[str, Wanted] = {}

    def wanted(self, dimension: str, symbols: dict[str, str] | None = None, power: float = 1.0) -> Wanted:
        """The unit of an expression over declared words; `symbols` are the values of V, X and W, `power` that of n."""
        if symbols:
            dimension = re.sub(r"\b[VXW]\b", lambda match: f"({symbols.get(match[0], SI)})", dimension)
        key = dimension if power == 1.0 else f"{dimension} {power}"
        if key not in self._known:
            self._known[key] = self._derive(dimension, power)
        return self._known[key]

    def _derive(self, dimension: str, power: float) -> Wanted:
        if ANY in dimension:
            return Wanted(None, 1.0, "")
        if SI in dimension or any(symbol in dimension.split("(") for symbol in "VXW"):
            return Wanted(None, 1.0, SI)
        dims, factor, unit = list(NONE), 1.0, ""
        for word, exponent in factors(dimension, power):
            size = UNITS[self.units[word]][0] if word in self.units else 1.0
            factor *= size**exponent
            dims = [d + exponent * b for d, b in zip(dims, BASE[word], strict=True)]
            if word in self.units:
                unit += f"{' ' if unit else ''}{self.units[word]}{'' if exponent == 1 else f'^{exponent:g}'}"
        return Wanted((dims[0], dims[1], dims[2], dims[3], dims[4]), factor, unit)


def factors(expression: str, power: float = 1.0) -> list[tuple[str, float]]:
    """'force*time/(length)^2' is [(force, 1), (time, 1), (length, -2)]; `power` is the value of the exponent n."""
    found: list[tuple[str, float]] = []
    tokens = re.findall(r"[a-z]+|\d+(?:\.\d+)?|[*/^()]", expression)
    _product(tokens, found, 1.0, power)
    return found


def _product(tokens: list[str], found: list[tuple[str, float]], sign: float, power: float) -> None:
    over = sign
    while tokens and tokens[0] != ")":
        token = tokens.pop(0)
        if token in "*/":
            over = sign if token == "*" else -sign
            continue
        inner: list[tuple[str, float]] = []
        if token == "(":
            _product(tokens, inner, 1.0, power)
            tokens.pop(0)
        elif token != "1":
            inner.append((token, 1.0))
        exponent = 1.0
        if tokens and tokens[0] == "^":
            exponent = power if tokens[1] == "n" else float(tokens[1])
            del tokens[:2]
        found += [(word, over * exponent * e) for word, e in inner]


def agree(given: Dims, wanted: Dims) -> bool:
    """Whether dimensions are equal, apart from radians: 2*pi/speed is a time."""
    return all(abs(given[k] - wanted[k]) < 1e-9 for k in (0, 1, 2, 4))


def words(dims: Dims) -> str:
    """A dimension in words."""
    if dims in WORDS:
        return WORDS[dims]
    names = ("m", "kg", "s", "rad", "A")
    return "in " + " ".join(
        name if e == 1 else f"{name}^{e:g}" for name, e in zip(names, dims, strict=True) if e != 0.0
    )
