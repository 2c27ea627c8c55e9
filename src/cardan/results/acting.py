"""What joints and applied forces do to one body: forces and torques about its origin, and where they may be drawn.

joints    -Phi_q^T lambda          forces    -f dz/dq,  dz/dq = the rate of z under a unit speed of the body
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.pair import Pair
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.measure import Combination, Readable
from cardan.model.round import Round
from cardan.model.touch import Touch
from cardan.results.probe import sample
from cardan.results.reaction import forces_of, poses_of
from cardan.results.series import PointSeries

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


def strengths_on(run: Trajectory, body: Any) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
    """Every element that acts on a body with its force, and its torque about the body's origin, in world axes."""
    system, loads = run.system, forces_of(run)
    touching = [element for element in system.elements if any(body is other for other in element.bodies())]
    found = loads.on_each(touching, [body] * len(touching), (run.times, run.q, run.turns))
    owners = {part: element for element in run.model for part in element.reserve()}
    sums: dict[Any, np.ndarray] = {}
    for k, element in enumerate(touching):
        _add(sums, owners.get(element, element), found[:, k])
    laws = [k for k, law in enumerate(system.laws) if any(_touches(measure, body) for _, measure in law.terms)]
    along = [Combination(system.laws[k].terms) for k in laws]
    for k, gradient in zip(laws, _gradients(run, along, body), strict=True):
        _add(sums, system.forces[k], -loads.strengths[:, k, None] * gradient)
    for element, generalized in sums.items():
        yield element, *system.space.wrench(poses_of(run, body), generalized)


def places(run: Trajectory, element: Any, body: Any) -> Iterator[np.ndarray]:
    """Points of an element at every instant: those on the body first, then those on others."""
    touch = getattr(element, "pair", None)
    if isinstance(touch, Touch):
        yield from _touched(run, element, touch, body)
    markers = list(dict.fromkeys(_markers(element)))
    for marker in sorted(markers, key=lambda marker: marker.body is not body):
        yield PointSeries(run, marker).position


def _touches(measure: Any, body: Any) -> bool:
    return any(marker.body is body for marker in measure.markers())


def _add(sums: dict[Any, np.ndarray], element: Any, more: np.ndarray) -> None:
    sums[element] = sums[element] + more if element in sums else more


def _gradients(run: Trajectory, along: Sequence[Readable], body: Any) -> list[np.ndarray]:
    """dz/dq of each measure, in the speeds of the body: shape (instants, speeds)."""
    system = run.system
    found = [np.zeros((run.times.size, system.width)) for _ in along]
    still = np.zeros_like(run.a)
    for c in range(system.width if along else 0):
        unit = np.zeros_like(run.v)
        unit[:, system.width * system.body_number(body) + c] = 1.0
        for gradient, values in zip(
            found, sample(system, along, run.times, run.q, unit, still, run.turns), strict=True
        ):
            gradient[:, c] = values[:, 1]
    return found


def _touched(run: Trajectory, element: Any, touch: Touch, body: Any) -> Iterator[np.ndarray]:
    """Where a round surface touches another: its radius, and half of the gap, along the normal from its centre."""
    surfaces = [s for s in (element.a, element.b) if isinstance(s, Round) and not s.hollow]
    if not surfaces:
        return
    round_one = surfaces[0]
    (gradient,) = _gradients(run, [touch.gap], body)
    pushed = gradient[:, : run.system.space.dimensions]
    toward = -pushed if round_one.marker.body is body else pushed  # out of the round surface
    gap = run[touch.gap].value
    yield PointSeries(run, round_one.marker).position + (round_one.radius + 0.5 * gap)[:, None] * toward


def _markers(element: Any) -> Iterator[Any]:
    """The markers of an element, those of contacts before the others of a cam."""
    if isinstance(element, Pair):
        yield from (element.a, element.b)
    if isinstance(element, Force):
        measures = [measure for law in element.laws() for _, measure in law.terms]
    else:  # an impact acts by the constraints that it engages
        holding = [element] if isinstance(element, Constraint) else element.reserve()
        measures = [measure for held in holding for equation in held.equations() for _, measure in equation.terms]
    yield from sorted((m for measure in measures for m in measure.markers()), key=lambda marker: marker.own is None)
