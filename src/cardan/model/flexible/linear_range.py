r"""How far a flexible part may deform and spin before the terms that linear modes neglect matter.

Bending by w(x) shortens a slender part by u = 1/2 int w'^2 dx. For a cantilever with a load at its tip

    u = 3/5 d^2 / L = 4/15 theta^2 L           d, theta: deflection and rotation of the tip, L: length

Inertia loads put a part under tension N(x), which adds the stiffness int N w'^2 dx to a mode. For the first mode of a
uniform cantilever of unit modal mass, with Omega the spin and a the acceleration of its mass center along it,

    k = 0.408 Omega^2 + 1.571 a / L            (1.193 Omega^2 about its root, where a = Omega^2 L / 2; Southwell)

A part without geometric stiffening lacks it. Other shapes have other coefficients of the same order: these are
estimates for warnings, not corrections.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from cardan.model.flexible_part import FlexiblePart

BY_DEFLECTION, BY_ROTATION = 3.0 / 5.0, 4.0 / 15.0  # the shortening of a bent cantilever
BY_SPIN, BY_ACCELERATION = 0.408, 1.571  # the stiffness of tension in its first mode


def part_size(part: FlexiblePart) -> float:
    """The largest extent of a part: of its skin, or of its interfaces and of a bar with the same inertia."""
    if part.surface is not None and len(part.surface.points):
        return float(np.linalg.norm(np.ptp(part.surface.points, axis=0)))
    places = [at.position for at in part.interfaces.values()] or [np.zeros(3)]
    bar = np.sqrt(12.0 * float(np.linalg.eigvalsh(_about_center(part)).max()) / part.mass)
    return max(float(np.linalg.norm(np.ptp(places, axis=0))), bar)


def deflections(part: FlexiblePart, eta: np.ndarray) -> np.ndarray:
    """The largest displacement of an interface or of the skin for each row of modal coordinates."""
    found = np.zeros(len(eta))
    for at in part.interfaces.values():
        found = np.maximum(found, np.linalg.norm(eta @ at.translation.T, axis=1))
    if part.surface is not None:
        for modes in part.surface.modes:  # (3, n) of a point
            found = np.maximum(found, np.linalg.norm(eta @ modes.T, axis=1))
    return found


def rotations(part: FlexiblePart, eta: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The largest rotation of an interface for each row of modal coordinates, and the name of the interface."""
    names = list(part.interfaces)
    if not names:
        return np.zeros(len(eta)), [""] * len(eta)
    turned = np.stack([np.linalg.norm(eta @ at.rotation.T, axis=1) for at in part.interfaces.values()])
    return turned.max(axis=0), [names[k] for k in turned.argmax(axis=0)]


def neglected_displacement(size: float, deflection: float, rotation: float) -> float:
    """An estimate of the second-order displacement that linear modes neglect."""
    return max(BY_DEFLECTION * deflection**2 / size, BY_ROTATION * rotation**2 * size)


def held_stiffness(part: FlexiblePart, held: Sequence[str]) -> float:
    """The square of the lowest frequency of the part held at one interface, or pinned at several; free without any."""
    n = part.modes
    rows = []
    for name in held:
        at = part.interfaces[name]
        x, y, z = at.position
        lever = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        rows.append(np.hstack([np.eye(3), lever, at.translation]))
        if len(held) == 1:
            rows.append(np.hstack([np.zeros((3, 3)), np.eye(3), at.rotation]))
    K = np.zeros((6 + n, 6 + n))
    K[6:, 6:] = part.stiffness
    M = part.mass_matrix()
    size = np.sqrt(np.diag(M))
    size[3:6] = size[3:6].max() or 1.0  # a thin bar has no inertia about itself
    Z, loose = np.eye(6 + n), 6
    if rows:
        G = np.vstack(rows) / size
        Z = scipy.linalg.null_space(G, rcond=1e-9)
        loose = scipy.linalg.null_space(G[:, :6], rcond=1e-9).shape[1]
    scaled = Z.T @ (M / np.outer(size, size)) @ Z
    tiny = 1e-12 * np.trace(scaled) / max(len(scaled), 1)
    values = scipy.linalg.eigh(Z.T @ (K / np.outer(size, size)) @ Z, scaled + tiny * np.eye(len(scaled)))[0]
    return float(values[loose]) if loose < len(values) else np.inf


def neglected_stiffness(part: FlexiblePart, spin: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """An estimate of the stiffness that a part without geometric stiffening lacks, per modal mass.

    Each row has the angular velocity, and the acceleration of the mass center minus gravity, in body axes. The load of
    the spin is w x (w x y) at y from the mass center: none along the axis about which a shaft spins.
    """
    J = _about_center(part)
    D = 0.5 * np.trace(J) * np.eye(3) - J  # int y y^T dm
    extents, axes = np.linalg.eigh(D)
    square = np.einsum("ti,ti->t", spin, spin)
    pulls = square[:, None, None] * D - np.einsum("ti,tj,jk->tik", spin, spin, D)
    spread = np.linalg.norm(pulls, ord=2, axis=(1, 2)) / max(float(extents[-1]), np.finfo(float).tiny)
    along = np.abs(acceleration @ axes[:, -1])
    return np.asarray(BY_SPIN * spread + BY_ACCELERATION * along / part_size(part))


def _about_center(part: FlexiblePart) -> np.ndarray:
    c = part.center
    return np.asarray(part.inertia - part.mass * (c @ c * np.eye(3) - np.outer(c, c)))
