"""The start of a search where joints move the end of a rod far: it is led there in steps.

The assembly closes joints by the least displacement of bodies: an end that a joint moves goes there alone, and folds or
crushes the last element. Instead, errors of joints are taken away in steps, and after each the rod without its loads is
balanced by `mixed_newton`:

    z_q^T f + Phi_q^T lambda = 0,    Phi(q) = (1 - s) Phi_0,    s = 1/n .. 1

A straight rod remains straight, and is crushed. If the forces f of the first step, by linear statics s_1, exceed the
least critical ones, the step follows the mode of buckling instead:

    K s = nu (-K_f) s,  J s = 0,       K_f = K(f) - K(0),  nu least            inverse iteration
    q <- q + s_1 + a s,    f <- nu f,      a^2 = 2 s_1^T K s_1 / (-s^T K_f s)

With the amplitude a, the shortening of second order by the mode is that of the step.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from cardan.analysis.equilibria.mixed_newton import INTERMEDIATE_STEP, Search, takes_rods
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.errors import SimulationError
from cardan.postprocess.folded_beams import arcs
from cardan.results.snapshot import Snapshot

STRAINED = 0.01  # strain of an element that rods do not reach by forces
SHARE_OF_ERRORS = 0.1  # model lengths, or rad: the part of errors that a step takes away
ITERATIONS_PER_STEP = 20  # iterations in which a step must converge
BUCKLING_ITERATIONS = 60  # iterations for the mode of buckling


def led_start(statics: Statics, ways: Ways, assembled: Place) -> Place:
    """The assembled position or, if elements of rods are folded or crushed there, one to which the rods are led."""
    if not takes_rods(statics, assembled) or not _spoiled(statics, assembled):
        return assembled
    try:
        led = _led(statics, ways)
    except SimulationError:  # an element is bent too far
        return assembled
    return assembled if led is None or _spoiled(statics, led) else led


def _spoiled(statics: Statics, place: Place) -> bool:
    """Whether an element of a rod is folded or strained far."""
    system = statics.system
    shown = Snapshot(system, statics.time, place.q, turns=place.reference[system.winding])
    beams, along, whole = arcs(shown.as_trajectory())
    lengths = np.array([beam.length for beam in beams])
    return bool((along <= 0.0).any() or (np.abs(whole - lengths) > STRAINED * lengths).any())


def _led(statics: Statics, ways: Ways) -> Place | None:
    """The position in which all joints are closed; None if a step does not converge."""
    search = Search(statics, ways, tolerance=0.0)
    place = _at(statics, statics.system.start.copy(), statics.system.reference)
    loads, first, strengths = place.point.residual, place.point.phi, place.point.strengths
    steps = max(1, math.ceil(float(np.abs(first).max(initial=0.0)) / SHARE_OF_ERRORS))
    for k in range(1, steps + 1):
        for iteration in range(ITERATIONS_PER_STEP):
            phi = place.point.phi - (1.0 - k / steps) * first
            here = Place(place.q, place.reference, replace(place.point, phi=phi))
            buckled = None if k + iteration > 1 else _buckled(search, here)
            step, strengths = buckled or search.step(here, strengths, loads)
            if not np.isfinite(step).all():
                return None
            place = _at(statics, statics.moved(place.q, step), place.reference)
            strengths = np.where(search.linear, strengths, place.point.strengths)
            if np.abs(step).max() <= INTERMEDIATE_STEP:
                break
        else:
            return None
    return ways.moved(place, np.zeros(statics.size))


def _at(statics: Statics, q: np.ndarray, reference: np.ndarray) -> Place:
    """A position whose joints may be open."""
    point = statics.at(q, reference.copy())
    return Place(q, point.z.copy(), point)


def _buckled(search: Search, place: Place) -> tuple[np.ndarray, np.ndarray] | None:
    """The step along the lowest mode of buckling, and the forces of springs after it; None if no rod buckles."""
    unstressed = place.point.strengths
    equations, factors, scale = search.tangent(place, unstressed)
    nowhere = np.zeros(place.point.phi.size)
    pushed = factors.solve(np.zeros(search.statics.size), -place.point.phi)[0]
    forces = unstressed + search.stretched(equations, pushed)
    K, loaded = factors.A * scale, search.tangent(place, forces)
    softened = sp.csr_array(K - loaded[1].A * loaded[2])
    K, softened = 0.5 * (K + K.T), 0.5 * (softened + softened.T)
    mode = np.random.default_rng(0).standard_normal(pushed.size)
    for k in range(BUCKLING_ITERATIONS):
        mode = factors.solve(softened @ mode / scale if k else mode, nowhere)[0]
        mode = mode / np.abs(mode).max()
    gain = float(mode @ (softened @ mode))
    critical = float(mode @ (K @ mode)) / gain if gain > 0.0 else np.inf
    if not critical < 1.0:
        return None
    amplitude = math.sqrt(2.0 * float(pushed @ (K @ pushed)) / gain)
    return pushed + amplitude * mode, critical * forces
