r"""The book's tire: a vertical spring and a side force proportional to the slip angle, limited by friction (Haug 12.5).

    F_ver = k_t d + c d' >= 0          d: radial deflection of the tire
    F_lat = C_alpha alpha              at most mu F_ver to either side
    alpha = psi - psi_v                from the direction of the wheel's motion to its heading         (12.5.1)

The only longitudinal force is an optional rolling resistance. The slip angle is the arctangent of the lateral over the
longitudinal speed; the latter is at least `crawl`, where the book has 0 / 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.road import Road, WheelRoadPair, wheel_on_road
from cardan.model.device import Device, Rate, Value
from cardan.model.dimensions import CorneringStiffness, Damping, Length, Ratio, Speed, Stiffness
from cardan.model.force import Force, Law, StartRange
from cardan.model.marker import Marker


@dataclass(frozen=True, eq=False)
class BookTire(Force):
    """The tire of Haug 12.5 between a road and a wheel that need not spin.

    `wheel` is a marker at the wheel's center with the axle as z axis, pointing to the left; `road` is in
    the axes of marker `ground`, whose z axis points up. `rolling` is the resistance per load, against the motion of the
    wheel's center. In a result, `run[tire.device]["Fz"]`, "Fy", "Fx" are forces on the wheel, "alpha" the slip angle.
    A wheel that starts more than half its radius below the road, or lies on it, is rejected unless
    allow_penetration=True.

    >>> from cardan.spatial import Body, BookTire, Model
    >>> model = Model("wheel", gravity=(0, 0, -9.81))
    >>> wheel = model.add(Body(mass=37.6, inertia=(1.0, 0.5, 1.0), position=(0, 0, 0.34)), name="wheel")
    >>> tire = model.add(
    ...     BookTire(model.ground.at(), wheel.at(z=(0, 1, 0)), radius=0.35, stiffness=2e5, cornering=5e4, friction=0.8),
    ...     name="tire",
    ... )
    """

    ground: Marker
    wheel: Marker
    road: Road = field(default_factory=Road.flat)
    radius: Length = 0.3
    stiffness: Stiffness = 200e3
    damping: Damping = 0.0
    cornering: CorneringStiffness = 50e3
    friction: Ratio = 0.8
    rolling: Ratio = 0.0
    crawl: Speed = 0.5
    allow_penetration: bool = False
    allow_negative: bool = False
    signal_units: ClassVar[dict[str, str]] = {"alpha": "rad"}
    touch: WheelRoadPair = field(init=False, repr=False)
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.flag(self.allow_negative, "allow_negative of a BookTire")
        check.flag(self.allow_penetration, "allow_penetration of a BookTire")
        names = ("stiffness", "damping", "cornering", "friction", "rolling")
        for name in names:
            value = check.number(getattr(self, name), f"{name} of a BookTire")
            if value < 0.0 and not self.allow_negative:
                raise ModelError(
                    f"{name} of a BookTire must not be negative, got {value:g}; allow_negative=True allows it"
                )
        check.positive(self.crawl, "crawl of a BookTire")
        touch = wheel_on_road(self.ground, self.wheel, self.radius, self.road)
        inputs = (Value(touch.gap), Rate(touch.gap), Rate(touch.across), Rate(touch.advance))
        numbers = tuple(float(getattr(self, name)) for name in (*names, "crawl"))
        device = Device(book_tire_forces, inputs, ("Fz", "Fy", "Fx", "alpha"), (), numbers, "book tire")
        object.__setattr__(self, "touch", touch)
        object.__setattr__(self, "device", device)

    def laws(self) -> tuple[Law, ...]:
        pushes = [(self.touch.gap, "Fz"), (self.touch.across, "Fy")]
        if self.rolling:
            pushes.append((self.touch.advance, "Fx"))
        return tuple(Law(((-1.0, measure),), signal=self.device[name], label=name) for measure, name in pushes)

    def begins(self) -> tuple[StartRange, ...]:
        return self.touch.begins(self.allow_penetration)


def book_tire_forces(
    gap: float, gap_rate: float, across: float, advance: float,
    stiffness: float, damping: float, cornering: float, friction: float, rolling: float, crawl: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Fz, Fy, Fx and alpha."""
    normal = max(0.0, -stiffness * gap - damping * gap_rate) if gap < 0.0 else 0.0
    speed = max(abs(advance), crawl)
    alpha = -math.atan(across / speed)
    cap = friction * normal
    side = min(max(cornering * alpha, -cap), cap)
    return normal, side, -rolling * normal * advance / speed, alpha
