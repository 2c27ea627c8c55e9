"""The coefficients of a magic formula tire, from a tire property file or stated by key."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from cardan.elements.tires.magic_formula import VERTICAL, magic_formula_forces, relaxation_lengths
from cardan.elements.tires.tire_file import read_tire_file
from cardan.errors import ModelError, warn
from cardan.model import check

SIDES = {"left": 1.0, "right": -1.0}
NEEDED = ("UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")
# Effects that are not modeled; a file in which one of these is not zero gives a warning.
IGNORED = (
    "Q_FCX", "Q_FCY", "Q_FCY2", "Q_CAM", "Q_CAM1", "Q_CAM2", "Q_CAM3", "Q_FYS1", "Q_FYS2", "Q_FYS3", "MC_CONTOUR_A",
    "MC_CONTOUR_B", "BOTTOM_STIFF",
)  # fmt: skip
PLAUSIBLE = {"FNOMIN": (50.0, 1e6), "UNLOADED_RADIUS": (0.02, 3.0), "VERTICAL_STIFFNESS": (1e3, 1e8)}


@dataclass(frozen=True, eq=False)
class MagicFormula:
    """The data of a `Tire` that follows the magic formula 5.2 or 6.1, as in tire property files.

    `coefficients` has the keys of such files in SI units; missing ones are zero, missing scaling factors (L...) one.
    `MagicFormula.load(path)` reads a file; further arguments replace its values. Files are measured on one side of a
    car, their TYRESIDE: on the other side the tire is mirrored. `mounted` is the side on which this tire is mounted;
    by default the one of the file. `pressure` (Pa) replaces INFLPRES; version 5.2 does not depend on it.

    >>> tire = MagicFormula("5.2", {"UNLOADED_RADIUS": 0.3, "FNOMIN": 4000.0, "VERTICAL_STIFFNESS": 2e5, "PCX1": 1.6,
    ...     "PDX1": 1.1, "PKX1": 22.0, "PCY1": 1.3, "PDY1": 1.0, "PKY1": -18.0, "PKY2": 1.8, "PTX1": 1.5, "PTY1": 1.8,
    ...     "PTY2": 1.9})
    >>> fx, fy, mx, my, mz = tire.forces(load=4000.0, slip=0.0, slip_angle=0.05)
    >>> round(fy), fx
    (-2549, 0.0)
    """

    version: str
    coefficients: Mapping[str, float]
    side: str = "left"
    mounted: str = ""
    radius: float = field(init=False, repr=False)
    numbers: tuple[float, ...] = field(init=False, repr=False)  # for the kernel: vertical, then the magic formula

    def __post_init__(self) -> None:
        check.choice(self.version, ("5.2", "6.1"), "the version of a MagicFormula")
        check.choice(self.side, tuple(SIDES), "the side of a MagicFormula")
        given = {key: check.number(value, f"{key} of a MagicFormula") for key, value in self.coefficients.items()}
        missing = [key for key in NEEDED if not given.get(key)]
        if missing:
            raise ModelError(f"{', '.join(missing)} of a MagicFormula must be given and not be zero")
        for key, (low, high) in PLAUSIBLE.items():
            if not low <= given[key] <= high:
                raise ModelError(f"{key} of a MagicFormula is {given[key]:g} in SI units; check the units of the file")
        object.__setattr__(self, "coefficients", MappingProxyType(given))
        object.__setattr__(self, "radius", given["UNLOADED_RADIUS"])
        mirrored = SIDES[self.side] * SIDES[check.choice(self.mounted or self.side, tuple(SIDES), "mounted")]
        object.__setattr__(self, "numbers", (*_vertical(given, self.version, mirrored), *_magic(given, self.version)))

    @classmethod
    def load(
        cls, path: str | Path, mounted: str = "", pressure: float | None = None, **coefficients: float
    ) -> MagicFormula:
        """Read a tire property file (.tir); keyword arguments such as LMUY=0.8 replace its coefficients."""
        given, version, side = read_tire_file(path)
        replaced = {key.upper(): value for key, value in coefficients.items()}
        if pressure is not None:
            replaced["INFLPRES"] = check.positive(pressure, "the pressure of a tire")
        given |= replaced
        missing = [key for key in NEEDED if not given.get(key)]
        if missing:
            raise ModelError(f"'{path}' does not state {', '.join(missing)}; give them as {missing[0]}=... in load()")
        ignored = [key for key in IGNORED if given.get(key)]
        if ignored:
            warn(
                f"'{path}' has {', '.join(ignored)}, effects that are not modeled: the vertical force does not depend "
                "on camber and horizontal forces"
            )
        return cls(version, given, side or "left", mounted)

    def forces(
        self, load: float, slip: float = 0.0, slip_angle: float = 0.0, camber: float = 0.0, speed: float | None = None
    ) -> tuple[float, float, float, float, float]:
        """Fx, Fy, Mx, My, Mz of steady rolling in the axes of ISO 8855, for a longitudinal slip and angles in rad."""
        mirrored, v0 = self.numbers[0], self.numbers[VERTICAL + 3]
        alpha = mirrored * slip_angle
        found = magic_formula_forces(
            load,
            slip,
            alpha,
            math.tan(alpha),
            mirrored * camber,
            v0 if speed is None else speed,
            self.numbers[VERTICAL:],
        )
        fx, fy, mx, my, mz = found[:5]
        return fx, mirrored * fy, mirrored * mx, my, mirrored * mz

    def relaxation(self) -> tuple[float, float]:
        """The relaxation lengths along and across at the nominal load; data without them are rejected."""
        structural, x1, _, _, y1, _, _ = self.numbers[11:18]
        if not (x1 and y1):
            keys = "LONGITUDINAL_STIFFNESS and LATERAL_STIFFNESS" if structural else "PTX1 and PTY1"
            raise ModelError(f"the data of a Tire have no relaxation lengths: state {keys}, or transient=False")
        f0 = self.numbers[VERTICAL]
        found = magic_formula_forces(f0, 0.0, 0.0, 0.0, 0.0, 0.0, self.numbers[VERTICAL:])
        return relaxation_lengths(f0, 0.0, found[5], found[6], self.numbers)


def _vertical(c: Mapping[str, float], version: str, mirrored: float) -> tuple[float, ...]:
    """Mirrored, R0, q_re0, q_v1, q_v2, k1, k2, damping, B, D and F of the effective radius, relaxation (7)."""
    get = _reader(c)
    f0, r0, cz, df = c["FNOMIN"], c["UNLOADED_RADIUS"], c["VERTICAL_STIFFNESS"], _pressure(c)
    k2 = get("Q_FZ2") if version == "6.1" else 0.0
    under = (cz * r0 / f0) ** 2 - 4.0 * k2
    if under <= 0.0:
        raise ModelError(f"Q_FZ2 of a MagicFormula is {k2:g}, too large for its VERTICAL_STIFFNESS")
    pressed = (1.0 + get("PFZ1") * df) * f0
    speeds = (get("Q_V1"), get("Q_V2")) if version == "6.1" else (0.0, 0.0)
    structural = float(version == "6.1" and not get("PTX1"))
    if structural:
        stiffness = get("LONGITUDINAL_STIFFNESS") * (1.0 + get("PCFX3") * df), get("PCFX1"), get("PCFX2")
        across = get("LATERAL_STIFFNESS") * (1.0 + get("PCFY3") * df), get("PCFY1"), get("PCFY2")
        relaxation = (*stiffness, *across)
    else:
        along = get("PTX1") * get("LSGKP"), get("PTX2") * get("LSGKP"), get("PTX3")
        relaxation = (*along, get("PTY1") * get("LSGAL") * get("LFZO"), get("PTY2") or 1.0, get("PKY3"))
    return (
        mirrored, r0, get("Q_RE0") or 1.0, *speeds, math.sqrt(under) * pressed, k2 * pressed,
        get("VERTICAL_DAMPING") / f0, get("BREFF") / f0, get("DREFF") * f0 / cz, get("FREFF") / cz, structural,
        *relaxation,
    )  # fmt: skip


def _pressure(c: Mapping[str, float]) -> float:
    """The relative change of the inflation pressure."""
    nominal = c.get("NOMPRES", 0.0)
    return (c.get("INFLPRES", nominal) - nominal) / nominal if nominal else 0.0


def _reader(c: Mapping[str, float]) -> Callable[[str], float]:
    """Reads a coefficient: missing scaling factors are 1, other missing ones 0."""
    return lambda key: c.get(key, 1.0 if key[0] == "L" else 0.0)


def _magic(c: Mapping[str, float], version: str) -> tuple[float, ...]:
    """The coefficients in the order of `magic_formula_forces`, with scaling factors and the pressure multiplied in."""
    modern = version == "6.1"
    dp = _pressure(c) if modern else 0.0
    own = _reader(c)

    def get(*keys: str) -> list[float]:
        return [own(key) for key in keys]

    def scaled(factor: float, *keys: str) -> list[float]:
        return [factor * own(key) for key in keys]

    def series(first: str, second: str) -> float:
        return 1.0 + own(first) * dp + own(second) * dp * dp

    lgax, lgay, lgaz = (1.0, 1.0, 1.0) if modern else get("LGAX", "LGAY", "LGAZ")
    lkx, lmux, lky, lmuy, lkyc = get("LKX", "LMUX", "LKY", "LMUY", "LKYC")
    head = [
        own("FNOMIN") * own("LFZO"),
        own("UNLOADED_RADIUS"),
        float(modern),
        own("LONGVL") if c.get("LONGVL") else 16.7,
    ]
    x = [own("PCX1") * own("LCX"), *scaled(lmux * series("PPX3", "PPX4"), "PDX1", "PDX2"), own("PDX3") * lgax**2]
    x += [*scaled(own("LEX"), "PEX1", "PEX2", "PEX3"), own("PEX4")]
    x += [*scaled(lkx * series("PPX1", "PPX2"), "PKX1", "PKX2"), own("PKX3"), *scaled(own("LHX"), "PHX1", "PHX2")]
    x += scaled(own("LVX") * lmux, "PVX1", "PVX2")
    xc = [
        own("RBX1") * own("LXAL"),
        own("RBX2"),
        own("RBX3") * own("LXAL") * modern,
        *get("RCX1", "REX1", "REX2", "RHX1"),
    ]
    y = [own("PCY1") * own("LCY"), *scaled(lmuy * series("PPY3", "PPY4"), "PDY1", "PDY2"), own("PDY3") * lgay**2]
    y += [*scaled(own("LEY"), "PEY1", "PEY2"), own("PEY3"), own("PEY4") * lgay, own("PEY5") * modern]
    y += [own("PKY1") * lky * (1.0 + own("PPY1") * dp), own("PKY2") * (1.0 + own("PPY2") * dp), own("PKY3") * lgay]
    y += [own("PKY4") if modern and own("PKY4") else 2.0, own("PKY5") * (1.0 + own("PPY2") * dp) * modern]
    y += [value * modern for value in scaled(lkyc * (1.0 + own("PPY5") * dp), "PKY6", "PKY7")]
    y += [*scaled(own("LHY"), "PHY1", "PHY2"), 0.0 if modern else own("PHY3") * lgay]
    y += [
        *scaled(own("LVY") * lmuy, "PVY1", "PVY2"),
        *scaled(lmuy * (lkyc if modern else lgay), "PVY3", "PVY4"),
    ]
    lyka, lvyka = get("LYKA", "LVYKA")
    yc = [own("RBY1") * lyka, *get("RBY2", "RBY3"), own("RBY4") * lyka * modern, *get("RCY1", "REY1", "REY2")]
    yc += [*get("RHY1", "RHY2"), *scaled(lvyka, "RVY1", "RVY2", "RVY3"), *get("RVY4", "RVY5", "RVY6")]
    ratio = lky / lmuy if lmuy else 0.0
    z = [
        *scaled(ratio, "QBZ1", "QBZ2", "QBZ3"),
        own("QBZ4") * lgaz,
        own("QBZ5") * lgaz,
        own("QBZ6"),
        own("QBZ9") * ratio,
    ]
    z += [own("QBZ10"), own("QCZ1"), *scaled(own("LTR") * (1.0 - own("PPZ1") * dp), "QDZ1", "QDZ2")]
    z += [own("QDZ3") * lgaz, own("QDZ4") * lgaz**2, *scaled(own("LRES") * lmuy, "QDZ6", "QDZ7")]
    lkzc = own("LKZC") if modern else lgaz
    z += [*scaled(lmuy * lkzc * (1.0 + own("PPZ2") * dp), "QDZ8", "QDZ9"), *scaled(lmuy * lkzc, "QDZ10", "QDZ11")]
    z += [*get("QEZ1", "QEZ2", "QEZ3", "QEZ4"), own("QEZ5") * lgaz, *get("QHZ1", "QHZ2"), *scaled(lgaz, "QHZ3", "QHZ4")]
    z += scaled(own("LS"), "SSZ1", "SSZ2", "SSZ3", "SSZ4")
    lmx = own("LMX")
    mx = [own("QSX1") * own("LVMX") * (lmx if modern else 1.0), own("QSX2") * lmx * (1.0 + own("PPMX1") * dp)]
    mx += [own("QSX3") * lmx, own("QSX4") * lmx * modern, *get("QSX5", "QSX6", "QSX7", "QSX8", "QSX9")]
    mx += [own("QSX10") * lmx * modern, own("QSX11"), *(v * modern for v in scaled(lmx, "QSX12", "QSX13", "QSX14"))]
    pressed = (1.0 + dp) ** own("QSY8") if modern else 1.0
    my = scaled(own("LMY") * pressed, "QSY1", "QSY2", "QSY3", "QSY4", "QSY5", "QSY6")
    my = [*my[:4], *(value * modern for value in my[4:]), own("QSY7") if modern and "QSY7" in c else 1.0]
    return tuple(float(value) for value in (*head, *x, *xc, *y, *yc, *z, *mx, *my))
