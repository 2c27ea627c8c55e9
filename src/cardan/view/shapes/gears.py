"""What a sketch shows of gears and racks: wheels with teeth that mesh.

      .-^-.  .^.          Which tooth meets which gap is fixed by the rolling itself. With z teeth, the middle of one at
     {  a  }{ b }         the angle t in the axes of its marker, beta the bearing of b and phi its angle in those of a,
      '-v-'  'v'
                              z_a (beta - t_a) + z_b (beta + pi - phi - t_b) = pi      external, modulo 2 pi
                              z_a (beta - t_a) - z_b (beta - phi - t_b)      = pi      internal, a the ring

Wheels of several pairs, such as planets, keep the teeth that their first pair gave them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.gear import Gear
from cardan.elements.constraints.rack_pinion import RackPinion
from cardan.elements.gears.gear_mesh import GearMesh
from cardan.elements.gears.shaft_bearing import ShaftBearing
from cardan.elements.gears.shared_gear import SharedGear
from cardan.model.measure import Measure
from cardan.view.shapes.drawing import Drawing, symbol
from cardan.view.shapes.lines import circle, hatching
from cardan.view.shapes.teeth import module_for, tooth_count, toothed_rack, toothed_ring, toothed_wheel

if TYPE_CHECKING:
    from cardan.model.marker import Marker

RIM = 0.8  # of a symbol: how thick the rim of a ring is, and
RACK = 1.6  # how deep a rack


@symbol.register
def _(gear: Gear, drawing: Drawing) -> None:
    module = _module(drawing)
    counts = tooth_count(gear.radius_a, module), tooth_count(gear.radius_b, module)
    phases = _meshing(gear, counts, drawing)
    wheels = ((gear.a, gear.radius_a, gear.internal), (gear.b, gear.radius_b, False))
    for (marker, radius, ring), count, phase in zip(wheels, counts, phases, strict=True):
        drawing.attach(marker)
        key = _wheel(marker, radius)
        if key in drawing.teeth:  # drawn by an earlier pair
            continue
        drawing.teeth[key] = phase
        if ring:
            line = toothed_ring(radius, count, phase, RIM * drawing.unit)
            drawing.add("area", marker.body, drawing.along(marker, line))
            start = radius * (1.0 + 2.5 / count)
            ends = [(start, 0.0), (start + RIM * drawing.unit, 0.0)]
        else:
            drawing.add("disk", marker.body, drawing.along(marker, toothed_wheel(radius, count, phase)))
            ends = [(0.0, 0.0), (radius * (1.0 - 2.5 / count), 0.0)]
        drawing.add("spoke", marker.body, drawing.along(marker, ends))


@symbol.register
def _(mesh: GearMesh, drawing: Drawing) -> None:
    symbol(mesh.pair, drawing)


@symbol.register
def _(bearing: ShaftBearing, drawing: Drawing) -> None:
    drawing.pin(bearing.a, bearing.b)
    drawing.names.append((bearing.name, bearing.a))


@symbol.register
def _(gear: SharedGear, drawing: Drawing) -> None:
    for pair in gear.pairs:
        symbol(pair, drawing)


@symbol.register
def _(rack: RackPinion, drawing: Drawing) -> None:
    radius, module = abs(rack.radius), _module(drawing)
    count = tooth_count(radius, module)
    phase = drawing.teeth.setdefault(_wheel(rack.b, radius), 0.0)
    low, high = reach_of_wheel(rack, drawing)
    pitch = 2.0 * math.pi * radius / count
    side = -1.0 if rack.radius > 0.0 else 1.0  # the material lies away from the pinion
    # The pinion's tooth stands at x + R (phi + t - side pi / 2) on the rack, where there must be a gap.
    rolled = Measure("component", rack.a, rack.b, "x") + rack.radius * Measure("angle", rack.a, rack.b)
    start = drawing.reach(rolled)[0] + rack.radius * (phase - side * 0.5 * math.pi) - 0.5 * pitch
    drawing.attach(rack.b)
    drawing.add("disk", rack.b.body, drawing.along(rack.b, toothed_wheel(radius, count, phase)))
    drawing.add("spoke", rack.b.body, drawing.along(rack.b, [(0.0, 0.0), (radius * (1.0 - 2.5 / count), 0.0)]))
    outline = toothed_rack(low, high, pitch, start, side, side * RACK * drawing.unit)
    kind = "area" if rack.a.body is drawing.ground else "rack"
    drawing.add(kind, rack.a.body, drawing.along(rack.a, outline))


def bevel_teeth(pair: Any, radii: list[float], drawing: Drawing) -> list[np.ndarray]:
    """The outlines of two bevel gears whose pitch circles have these radii. Teeth meet as those of other wheels, with
    beta the direction of the other shaft about the own one."""
    module = module_for(radii, drawing.unit)
    z_a, z_b = (tooth_count(radius, module) for radius in radii)
    rolled = z_a * Measure("angle", pair.a, pair.b, "zxz") + z_b * Measure("angle", pair.b, pair.a, "zxz")
    total = drawing.reach(rolled)[0] - math.pi  # z_a t_a + z_b t_b
    one, two = _wheel(pair.a, radii[0]), _wheel(pair.b, radii[1])
    first, second = drawing.teeth.get(one), drawing.teeth.get(two)
    if first is None:
        first = 0.0 if second is None else (total - z_b * second) / z_a
    second = (total - z_a * first) / z_b if second is None else second
    drawing.teeth |= {one: first, two: second}
    return [toothed_wheel(radii[0], z_a, first), toothed_wheel(radii[1], z_b, second)]


def plain_wheel(wheel: Any, drawing: Drawing) -> None:
    """A wheel without teeth on a line of the ground, or of a body."""
    radius = abs(wheel.radius)
    low, high = reach_of_wheel(wheel, drawing)
    side = -1.0 if wheel.radius > 0.0 else 1.0
    drawing.attach(wheel.b)
    drawing.add("disk", wheel.b.body, drawing.along(wheel.b, circle(radius)))
    drawing.add("spoke", wheel.b.body, drawing.along(wheel.b, [(0.0, 0.0), (radius, 0.0)]))
    if wheel.a.body is drawing.ground:
        strokes = hatching(low, high, 0.0, side * drawing.unit, drawing.unit)
        drawing.add("rail", wheel.a.body, drawing.along(wheel.a, [(low, 0.0), (high, 0.0)]))
        drawing.add("hatch", wheel.a.body, drawing.along(wheel.a, strokes))
    else:
        depth = side * RACK * drawing.unit
        corners = [(low, 0.0), (high, 0.0), (high, depth), (low, depth)]
        drawing.add("rack", wheel.a.body, drawing.along(wheel.a, corners))


def reach_of_wheel(pair: Any, drawing: Drawing) -> tuple[float, float]:
    """From where to where a wheel needs its line."""
    low, high = drawing.reach(Measure("component", pair.a, pair.b, "x"))
    return min(low - 1.2 * abs(pair.radius), 0.0), max(high + 1.2 * abs(pair.radius), 0.0)


def _module(drawing: Drawing) -> float:
    """One module for all pairs of a model: wheels of several pairs must mesh with all of them."""
    pairs = [e for e in drawing.elements if isinstance(e, Gear | GearMesh | SharedGear)]
    radii = [r for e in pairs for r in (e.radius_a, e.radius_b)]
    radii += [abs(e.radius) for e in drawing.elements if isinstance(e, RackPinion)]
    return module_for(radii, drawing.unit)


def _wheel(marker: Marker, radius: float) -> tuple[Any, ...]:
    """What makes two wheels one: body, place and size."""
    return (id(marker.body), *np.round(marker.place, 9).tolist(), round(radius, 9))


def _meshing(gear: Gear, counts: tuple[int, int], drawing: Drawing) -> tuple[float, float]:
    """The angles of a tooth of either wheel; what is known of one of them decides the other."""
    (z_a, z_b), side = counts, -1.0 if gear.internal else 1.0
    reach = gear.radius_a + side * gear.radius_b
    rolled = reach * Measure("bearing", gear.a, gear.b) - side * gear.radius_b * Measure("angle", gear.a, gear.b)
    facing = -math.pi if gear.internal else (z_b - 1) * math.pi
    total = z_a / gear.radius_a * drawing.reach(rolled)[0] + facing  # z_a t_a + side z_b t_b
    first = drawing.teeth.get(_wheel(gear.a, gear.radius_a))
    second = drawing.teeth.get(_wheel(gear.b, gear.radius_b))
    if first is None:
        first = 0.0 if second is None else (total - side * z_b * second) / z_a
    return first, side * (total - z_a * first) / z_b if second is None else second
