"""Remarks about an equilibrium: its distance from the start of the search, and saturated devices."""

from __future__ import annotations

import math

import numpy as np

from cardan.analysis.equilibria.descent import descend
from cardan.analysis.equilibria.newton import displaced
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.linear.forces import ForceReading
from cardan.analysis.progress import Progress
from cardan.errors import SimulationError

FAR, TURNED = 1.0, 1.0  # model lengths and rad: an equilibrium farther away is not near its start
DOWNHILL = 2.0, 0.75 * math.pi  # the same for a minimum of the energy, to which bodies fall and swing
SHORT = 0.1  # model lengths and rad: steps so short hardly jump over a minimum
SAME = 1e-6  # of the usual energy: minima of energies so near are one


def distance(statics: Statics, start: Place, rest: Place, downhill: bool = False) -> str:
    """The displacements of bodies that are far from the start; an empty string if none are."""
    far, turned_far = DOWNHILL if downhill else (FAR, TURNED)
    system, gone = statics.system, np.abs(displaced(statics, start, rest))
    angular, bodies = statics.angular, system.width * len(system.bodies)
    found = []
    for mask, limit in ((~angular, far), (angular, turned_far)):
        sizes = np.where(mask[:bodies], gone[:bodies], 0.0)
        k = int(np.argmax(sizes >= 0.999 * sizes.max())) if sizes.size else 0  # the first of equal ones
        if sizes.size and sizes[k] > limit:
            amount = f"{math.degrees(sizes[k]):.3g} deg" if mask is angular else f"{sizes[k] * statics.unit[k]:.3g} m"
            found.append(f"{amount} along the {system.coordinate_name(k)}")
    turned = np.abs(rest.reference - start.reference)[system.winding]  # orientations show at most half a turn
    if turned.size and turned.max() > math.pi:
        k = int(np.argmax(turned))
        found = [words for words in found if " deg " not in words]
        found.append(f"{math.degrees(turned[k]):.3g} deg of {system.measures[system.winding[k]]}")
    return " and ".join(found)


def falls_there(statics: Statics, start: Place, rest: Place, ways: Ways, tolerance: float, bar: Progress) -> bool:
    """Whether short steps downhill from the start lead to this minimum of the energy, and not to another one."""
    try:
        nearest = descend(statics, start, ways, tolerance, bar, SHORT)
    except SimulationError:
        return False
    places = (rest.q, nearest.q), (rest.point, nearest.point)
    return bool(abs(Potential(statics, start.reference).change(*places)[0]) <= SAME * statics.usual)


def saturated(statics: Statics, start: Place, rest: Place, states: np.ndarray) -> list[str]:
    """Elements whose signals are constant at the equilibrium but were not at the start, with these `states`."""
    system = statics.system
    if not system.devices:
        return []
    try:
        before, after = (_following(statics, *at) for at in ((start, states), (rest, statics.states)))
    except SimulationError:  # a device without slopes
        return []
    pairs = zip(system.devices, system.device_owners, strict=True)
    lost = [owner or device for device, owner in pairs if before[id(device)] > after[id(device)]]
    return sorted({element.title for element in lost})


def _following(statics: Statics, place: Place, states: np.ndarray) -> dict[int, int]:
    """The number of outputs of each device that are not constant."""
    system = statics.system
    statics.at(place.q, place.reference.copy())
    multipliers = place.point.multipliers / system.rows.scale
    reading = ForceReading(system, statics.time, statics.work.z, states, multipliers, quiet=True)
    found = {}
    for device in system.devices:
        outputs = [device[name] for name in device.outputs]
        found[id(device)] = sum(any(g != 0.0 for g in reading.signal(output)[1].values()) for output in outputs)
    return found
