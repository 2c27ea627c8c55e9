"""Checks of a linearization: its modes in the equations before reduction, and the nonlinear model nearby.

balance     imbalance of forces at the linearization point, relative to the largest force
joints      modes must keep all joints closed: J phi = 0
modes       (M s^2 + C s + K) phi must be a combination of the rows of J: joint reactions
slopes      accelerations of the whole, nonlinear model at a small displacement, against those of A
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from cardan.analysis.checks.verdict import OMITTED, Check, SelfCheck, compared
from cardan.analysis.forward.simulate import simulate
from cardan.errors import CardanError, CardanWarning
from cardan.model.space import advance
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.results.linear.linearization import Linearization
from cardan.results.linear.modes import Modes
from cardan.results.snapshot import Snapshot

BALANCE = 1e-6  # of the largest force
JOINTS = 1e-8  # of a mode's largest coordinate
MODES = 1e-6  # of the largest force in a mode
SLOPES = 1e-3  # relative to the largest acceleration: the displacement is small but finite
DISPLACEMENT = 1e-5  # relative to the model's size: displacement of the model
SHORT_TIME = 1e-9  # s: duration of the motion of the displaced model


def check_linear(found: Linearization | Modes) -> SelfCheck:
    """Check a linearization, or the modes of a mechanism."""
    modes = found.modes() if isinstance(found, Linearization) else found
    checks = [*_mode_checks(modes)]
    if isinstance(found, Linearization):
        words = f"imbalance, relative to the largest force; linearized about {found.about}"
        checks = [compared("balance", float(found.residual), BALANCE, words), *checks, _slopes(found)]
    return SelfCheck(modes.motions.system.model.name, tuple(checks))


def _mode_checks(modes: Modes) -> list[Check]:
    """Each mode in the equations before reduction, with least-squares multipliers."""
    motions = modes.motions
    if motions.system.readers or not len(modes):
        words = "the modes contain states of devices" if len(modes) else "there are no modes"
        return [Check("joints", None, JOINTS, OMITTED, words), Check("modes", None, MODES, OMITTED, words)]
    jacobian = np.asarray(motions.jacobian.todense())
    open_, left, worst = 0.0, 0.0, 0
    for k, (s, vector) in enumerate(zip(modes.eigenvalues, modes.vectors.T, strict=True)):
        shape, speed = motions.dq @ vector, motions.dv @ vector
        parts = [motions.mass @ (s * speed), motions.damping @ speed, motions.stiffness @ shape]
        force = np.sum(parts, axis=0)
        carried = np.linalg.lstsq(jacobian.T, force, rcond=ROW_NOISE)[0] if jacobian.size else np.zeros(0)
        rest = np.abs(force - jacobian.T @ carried).max(initial=0.0)
        share = float(rest / max(*(np.abs(part).max(initial=0.0) for part in parts), 1e-300))
        left, worst = (share, k) if share > left else (left, worst)
        size = max(float(np.abs(shape).max(initial=0.0)), 1e-300)
        open_ = max(open_, float(np.abs(jacobian @ shape).max(initial=0.0)) / size)
    return [
        compared("joints", open_, JOINTS, "violation of joints by modes, relative to their largest coordinate"),
        compared(
            "modes", left, MODES, f"worst is mode {worst}: forces beyond joint reactions, relative to the largest"
        ),
    ]


def _slopes(linear: Linearization) -> Check:
    """M a = f of the model itself, released from a combination of all displacements."""
    if linear.about != "rest" or linear.device_states or linear.displacements != linear.rates:
        words = "the model is compared with A only about equilibria without devices or velocity constraints"
        return Check("slopes", None, SLOPES, OMITTED, words)
    motions, n = linear.motions, linear.displacements
    system = motions.system
    mixture = np.zeros(linear.A.shape[0])
    mixture[:n] = np.cos(np.arange(n))
    step = (motions.dq @ mixture) / np.sqrt(np.maximum(system.weights, 1e-300))
    mixture *= DISPLACEMENT * system.length / max(float(np.abs(step).max(initial=0.0)), 1e-300)
    expected = motions.dv @ (linear.A @ mixture)
    try:
        there, back = (_acceleration(motions, sign * (motions.dq @ mixture)) for sign in (1.0, -1.0))
    except CardanError as error:
        return Check("slopes", None, SLOPES, OMITTED, f"the displaced model could not be simulated: {error}")
    found = 0.5 * (there - back)
    scale = max(float(np.abs(expected).max(initial=0.0)), float(np.abs(found).max(initial=0.0)), 1e-300)
    words = "accelerations of the displaced model minus those of A, relative to the largest"
    return compared("slopes", float(np.abs(found - expected).max(initial=0.0)) / scale, SLOPES, words)


def _acceleration(motions: Any, displaced: np.ndarray) -> np.ndarray:
    """The accelerations of all bodies of the displaced model when released."""
    system, q = motions.system, motions.q.copy()
    step = system.speeds()
    step[system.width :] = displaced
    advance(system.geometry, q, step)
    start = Snapshot(system, motions.time, q, turns=motions.turns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)
        run = simulate(system.model, motions.time + SHORT_TIME, start=start, output=SHORT_TIME, progress=False)
    return np.asarray(run.a[0, system.width :])
