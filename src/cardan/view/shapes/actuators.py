"""What a sketch shows of motors, stops, impacts and flows.

 .->.             |//          o                  .-----.
(  o )  motor   [ ]/  stop   -----  impact       <______ >  wing       ~~~(o)~~~  buoyancy
 '-'            ===|//       /////
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.elements.contact.impact import Impact
from cardan.elements.control.actuator import Actuator
from cardan.elements.control.hydraulic import HydraulicCylinder
from cardan.elements.control.motor import ElectricMotor
from cardan.elements.forces.air import Drag
from cardan.elements.forces.buoyancy import Buoyancy
from cardan.elements.forces.servo import Servo
from cardan.elements.forces.stop import Stop
from cardan.elements.forces.wing import WingBase
from cardan.model.measure import Measure, Readable
from cardan.view.shapes.drawing import Drawing, around, condition, symbol
from cardan.view.shapes.lines import circle, hatching

WALL = 2.2  # half the height of a stop, in terms of the size of symbols
CHORD = 9.0  # of a wing, likewise
WATER = 6.0  # how far the level of a fluid is drawn beside what floats in it


@symbol.register(Actuator)
@symbol.register(Servo)
@symbol.register(ElectricMotor)
@symbol.register(HydraulicCylinder)
def _(motor: Any, drawing: Drawing) -> None:
    condition(motor.measure, "actuator", drawing)


@symbol.register
def _(stop: Stop, drawing: Drawing) -> None:
    for value, side in ((stop.lower, -1.0), (stop.upper, 1.0)):
        if value is not None:
            _wall(stop.measure, value, side, drawing)


@symbol.register
def _(impact: Impact, drawing: Drawing) -> None:
    """A floor where the gap is a coordinate; what else keeps a distance shows itself."""
    single = _single(impact.measure)
    if single is None or single.kind not in ("coordinate", "component"):
        return
    drawing.attach(single.b)
    home = drawing.ground.at() if single.a is None or single.kind == "coordinate" else single.a
    away = _axis(home, single, drawing)
    if len(away) == 2:
        place = drawing.along(home, [impact.below * _unit(single, 2)])[0]
        floor = home.body.at(*place, math.atan2(-away[0], away[1]))
    else:
        place = drawing.along(home, [impact.below * _unit(single, 3)])[0]
        floor = home.body.at(*place, z=tuple(away))
    drawing.faces.setdefault(floor, []).append(single.b)


@symbol.register
def _(wing: WingBase, drawing: Drawing) -> None:
    """A section, its nose along the x axis of the marker; in space the chord and the span."""
    drawing.attach(wing.marker)
    chord = CHORD * drawing.unit
    if len(wing.marker.place) == 2:
        drawing.add("disk", wing.marker.body, drawing.along(wing.marker, _section(chord)))
    else:
        half = np.array([0.25 * chord, 0.75 * chord])
        corners = [(x, y) for x, y in ((half[0], -chord), (half[0], chord), (-half[1], chord), (-half[1], -chord))]
        drawing.add("panel", wing.marker.body, drawing.along(wing.marker, corners))
    drawing.names.append((wing.name, wing.marker))


@symbol.register
def _(drag: Drag, drawing: Drawing) -> None:
    drawing.attach(drag.marker)
    drawing.add("spoke", drag.marker.body, drawing.along(drag.marker, circle(1.2 * drawing.unit)))
    drawing.names.append((drag.name, drag.marker))


@symbol.register
def _(lift: Buoyancy, drawing: Drawing) -> None:
    """A sphere, or the side of a prism as wide as a square of its area, and the level of the fluid."""
    marker, flat = lift.marker, len(lift.marker.place) == 2
    drawing.attach(marker)
    if lift.radius is not None:
        drawing.ball(marker, lift.radius)
    wide = lift.radius or 0.5 * math.sqrt(lift.area or 0.0)
    if lift.area is not None and lift.height is not None:
        high = 0.5 * lift.height
        corners = [(-wide, -high), (wide, -high), (wide, high), (-wide, high), (-wide, -high)]
        shown = corners if flat else [(x, 0.0, z) for x, z in corners]
        drawing.add(drawing.area, marker.body, drawing.along(marker, shown))
    if lift.volume is None:
        low, high = drawing.reach(Measure("coordinate", None, marker, "x"))
        ends = low - wide - WATER * drawing.unit, high + wide + WATER * drawing.unit
        level = [(end, lift.level) if flat else (end, 0.0, lift.level) for end in ends]
        drawing.add("rail", drawing.ground, level)


def _wall(measure: Readable, value: float, side: float, drawing: Drawing) -> None:
    """What a slider or a lever runs against; `side` is where it stands."""
    single = _single(measure)
    if single is None or single.a is None:
        return
    unit = drawing.unit
    if single.kind == "angle":
        turn = np.array([math.cos(value), math.sin(value)])
        across = side * np.array([-turn[1], turn[0]])
        line = np.array([1.2 * unit * turn, 3.6 * unit * turn])
        strokes = hatching(1.2 * unit, 3.6 * unit, 0.0, unit, unit)
        hatch = strokes[:, :1] * turn + strokes[:, 1:] * across if len(strokes) else strokes
    elif single.kind == "component":
        line, hatch = _barrier(single, value, side, drawing)
        if len(single.a.place) == 3:
            drawing.add("rail", single.a.body, drawing.along(single.a, line))
            drawing.add("hatch", single.a.body, drawing.along(single.a, hatch))
            return
    else:
        return
    for kind, points in (("rail", line), ("hatch", hatch)):
        drawing.add(kind, single.a.body, drawing.along(single.a, around(single, points)))


def _barrier(single: Measure, value: float, side: float, drawing: Drawing) -> tuple[np.ndarray, np.ndarray]:
    """A hatched line across the axis of a measure, at its value, in the axes of its first marker."""
    unit, count = drawing.unit, len(single.b.place)
    along = _unit(single, count)
    across = np.roll(along, 1) if count == 3 else np.array([-along[1], along[0]])
    low, high = -WALL * unit, WALL * unit
    line = value * along + np.outer([low, high], across)
    strokes = hatching(low, high, 0.0, unit, unit)
    hatch = value * along + np.outer(strokes[:, 0], across) + np.outer(side * strokes[:, 1], along)
    return line, hatch


def _unit(single: Measure, count: int) -> np.ndarray:
    return np.eye(count)["xyz".index(single.axes[0])]


def _axis(home: Any, single: Measure, drawing: Drawing) -> np.ndarray:
    """The direction in which a coordinate grows, in the frame of the body that it is measured from."""
    start, end = drawing.along(home, [np.zeros(len(home.place)), _unit(single, len(home.place))])
    return np.asarray(end - start)


def _single(measure: Readable) -> Measure | None:
    parts = measure.parts()
    if len(parts) != 1 or parts[0][1].b is None or parts[0][1].b.contact_coordinate is not None:
        return None
    return parts[0][1]


def _section(chord: float) -> np.ndarray:
    """A wing's section, that of NACA 0010: a quarter of the chord lies before the marker."""
    share = 0.5 * (1.0 - np.cos(np.linspace(0.0, math.pi, 24)))
    thick = 0.5 * chord * (0.2969 * np.sqrt(share) + np.polyval([-0.1036, 0.2843, -0.3516, -0.126, 0.0], share))
    x = chord * (0.25 - share)
    return np.vstack([np.stack([x, thick], axis=1), np.stack([x, -thick], axis=1)[::-1]])
