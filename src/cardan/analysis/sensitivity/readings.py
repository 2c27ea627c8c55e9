"""Outputs of a motion as tables: sums of values, rates and accelerations, of forces, and of reactions.

measure, rate(measure), (measure, "acceleration")     z, z', z'' = jac a + bias
a force element                                       the values of its laws
reaction(joint, "x")                                  a negative multiplier
a block, or any other signal                          the value of a law without direction
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.linear.ports import ACCELERATION, READ, VALUE, Port, is_swept, law_number
from cardan.analysis.sensitivity.sweep_kernels import LOAD, SECOND, STRENGTH
from cardan.elements.control.signals import carried
from cardan.errors import ModelError
from cardan.model.device import Held, Output, Rate
from cardan.model.force import Law
from cardan.system.system import System
from cardan.system.tables import starts


def parts_of(system: System, ports: Sequence[Port]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The start of the terms of each output, their indices and kinds, and their factors.

    The laws of `signals_of` are the last ones of the system.
    """
    signals = [port for port in ports if _is_signal(port)]
    first = len(system.laws) - len(signals)
    parts = [_parts(system, port, first + signals.index(port) if port in signals else -1) for port in ports]
    table = np.array([(place, kind) for part in parts for _, place, kind in part], np.uint32).reshape(-1, 2)
    return starts(len(part) for part in parts), table, np.array([c for part in parts for c, _, _ in part], float)


def signals_of(ports: Sequence[Port]) -> tuple[Law, ...]:
    """Laws without a direction, whose values are the signals of outputs."""
    signals = [port.what for port in ports if _is_signal(port)]
    return tuple(Law((), signal=s if isinstance(s, Output | Held) else 1.0 * s) for s in signals)


def _is_signal(port: Port) -> bool:
    return port.kind == READ and not is_swept(port) and carried(port.what) is None


def _parts(system: System, port: Port, law: int) -> list[tuple[float, int, int]]:
    """Factors, indices and kinds."""
    place = system.wiring.measures
    if port.kind == VALUE:
        return [(c, place[m], 0) for c, m in port.what.parts()]
    if port.kind == ACCELERATION:
        return [(c, place[m], SECOND) for c, m in port.what.parts()]
    if port.kind != READ:
        return [(1.0, law_number(system, port), STRENGTH)]
    if is_swept(port):
        level = int(isinstance(port.what, Rate))
        return [(c, place[m], level) for c, m in port.what.of.parts()]
    if law >= 0:
        return [(1.0, law, STRENGTH)]
    carrier: Any = carried(port.what)
    row = system.wiring.rows.get((id(carrier.element), carrier.label))
    if row is None:
        raise ModelError(f"{carrier.element.title} is not engaged in '{system.model.name}': it has no reaction")
    return [(-1.0, row, LOAD)]
