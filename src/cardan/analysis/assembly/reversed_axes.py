"""Joints whose axes point the other way than in a given position: their equations hold, the joint is mounted backward.

    x_a . z_b = 0,  y_a . z_b = 0         z_a . z_b = 1 or -1

A mechanism cannot get from one to the other without being taken apart.
"""

from __future__ import annotations

import numpy as np

from cardan.model.element import Constraint
from cardan.model.measure import Measure
from cardan.system.initial_configuration import measured
from cardan.system.system import System

PARALLEL_AXES = 1e-6  # of the cosine from 1, up to which axes count as parallel


def reversed_joint(system: System, q: np.ndarray, other: np.ndarray) -> Constraint | None:
    """A joint that is reversed in one of two closed positions; None if none is."""
    pairs = _parallel_axes(system)
    if not pairs:
        return None
    space, measures = system.space, [measure for _, measure in pairs]
    base = space.width * (1 + len(system.bodies))
    geometry = space.geometry(system.number, measures, system.contact_coordinates, base)
    columns = space.row_length(measures)
    here, there = (measured(space, geometry, at, np.zeros(len(pairs)), columns) for at in (q, other))
    turned = (np.abs(here) > 1.0 - PARALLEL_AXES) & (np.abs(there) > 1.0 - PARALLEL_AXES) & (here * there < 0.0)
    return pairs[int(np.argmax(turned))][0] if turned.any() else None


def _parallel_axes(system: System) -> list[tuple[Constraint, Measure]]:
    """The dot products of axes that joints hold at 1 or -1, because those of the axes beside them are held at zero."""
    names, found = "xyz"[: system.space.dimensions], []
    for element in system.elements:
        terms = [equation.terms for equation in element.equations()]
        held = [term[0][1] for term in terms if len(term) == 1 and term[0][1].kind == "dot"]
        crossed = {(measure.a, measure.b, measure.axes) for measure in held}
        for a, b in dict.fromkeys((measure.a, measure.b) for measure in held):
            for i in names:
                for k in names:
                    beside_a = all((a, b, other + k) in crossed for other in names if other != i)
                    beside_b = all((a, b, i + other) in crossed for other in names if other != k)
                    if beside_a or beside_b:
                        found.append((element, Measure("dot", a, b, i + k)))
    return found
