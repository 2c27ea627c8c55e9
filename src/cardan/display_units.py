"""Units in which results are shown: tables, plots, pages and reports. Numbers in Python are in SI.

model.show_in(length="mm", angle="deg")      a model file shows results in the units that it declares

m/s2 -> mm/s2      rad/s -> deg/s      N m -> N mm
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import Any

from cardan.errors import ModelError

INCH, POUND_FORCE, KILOGRAM_FORCE = 0.0254, 0.45359237 * 9.80665, 9.80665
# the SI value of each unit
LENGTHS = {
    **{"m": 1.0, "mm": 1e-3, "cm": 1e-2, "dm": 1e-1, "km": 1e3, "um": 1e-6},
    **{"inch": INCH, "ft": 12.0 * INCH},
}
ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180.0, "rev": 2.0 * math.pi}
FORCES = {"N": 1.0, "mN": 1e-3, "kN": 1e3, "MN": 1e6, "lbf": POUND_FORCE, "kgf": KILOGRAM_FORCE}
KNOWN = {"length": LENGTHS, "angle": ANGLES, "force": FORCES}
FACTOR = re.compile(r"(m|rad|N)(\d*)")


@dataclass(frozen=True)
class DisplayUnits:
    """The units of length, angle and force in which results are shown."""

    length: str = "m"
    angle: str = "rad"
    force: str = "N"

    def __post_init__(self) -> None:
        for name, known in KNOWN.items():
            if getattr(self, name) not in known:
                raise ModelError(f"the unit of {name} must be one of {', '.join(known)}; got {getattr(self, name)!r}")

    @property
    def changed(self) -> dict[str, str]:
        """The units that are not those of SI."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) != field.default}

    def shown(self, unit: str) -> tuple[float, str]:
        """The factor from a unit of SI to the unit shown, and the name of that.

        >>> DisplayUnits(length="mm", angle="deg").shown("m/s2")
        (1000.0, 'mm/s2')
        """
        if not self.changed:
            return 1.0, unit
        chosen = {"m": (LENGTHS, self.length), "rad": (ANGLES, self.angle), "N": (FORCES, self.force)}
        factor, parts = 1.0, []
        for sign, part in zip((1, -1, -1, -1), unit.split("/"), strict=False):
            words = []
            for word in part.split(" "):
                match = FACTOR.fullmatch(word)
                if match:
                    known, name = chosen[match[1]]
                    factor *= known[name] ** (-sign * int(match[2] or 1))
                    word = name + match[2]
                words.append(word)
            parts.append(" ".join(words))
        return _round(factor), "/".join(parts)

    def values(self, values: Any, unit: str) -> tuple[Any, str]:
        """An array of values in SI as they are shown, and their unit."""
        factor, name = self.shown(unit)
        return (values if factor == 1.0 else factor * values), name


def display_units(**units: str) -> DisplayUnits:
    """Display units by dimension."""
    unknown = set(units) - set(KNOWN)
    if unknown:
        raise ModelError(f"results are shown in units of {', '.join(KNOWN)}; there is none of '{min(unknown)}'")
    return DisplayUnits(**units)


def _round(factor: float) -> float:
    """A power of ten without rounding errors."""
    power = math.log10(factor)
    return float(f"1e{round(power)}") if abs(power - round(power)) < 1e-12 else factor
