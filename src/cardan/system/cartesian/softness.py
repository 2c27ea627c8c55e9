"""Masses that are absent, what stands in for them, and whether that matters.

    [ M + S  J^T ]          S: a little mass where a body has none. It is taken away again by refining the solution:
    [ J       0  ]          what is left of it shrinks by 1 - share in each refinement, where

    share = min over free motions z of (z^T M z) / (z^T (M + S) z)        1: S does not matter; 0: nothing else resists

Masses are compared body by body, in units of the body itself: light or small bodies are treated like any other. The
constants, each with its reason:

ABSENT  1e-12. Inertias below this part of m l^2, with l the size of the body, cost more digits in a
        factorization than refinements bring back: 1e-16 / 1e-12 is left of an error in each.
SOFTNESS    1e-8. What is added, as part of the same m l^2: a factorization loses eight digits by it and a refinement
        brings them back, while a motion that other masses resist hardly feels it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from cardan.model.flexible.modal_coordinate import ModalCoordinate
from cardan.model.space import mass_blocks
from cardan.system.balance import arms_of
from cardan.system.cartesian.masses import mass_table
from cardan.system.system import System

ABSENT = 1e-12
SOFTNESS = 1e-8
EVEN_MASSES, UNEVEN_MASSES = (
    1e3,
    1e9,
)  # spread of masses up to which no refinement is needed, and up to which one is enough
THIN = 1e-6  # smallest part of m l^2 up to which no refinement is needed
RESISTED = 0.5  # share of the stated masses below which a motion counts as resisted by nothing
REFINED_ERROR = 1e-12  # of the accelerations: what refinements leave of the masses that were added


def softness(system: System, full: np.ndarray) -> tuple[np.ndarray, int]:
    """What to add to the diagonal of a singular mass matrix, of which these are the blocks of all bodies, and how often
    solutions must be refined."""
    width, soft = system.width, np.zeros(system.coordinates)
    units = _units(system, full)
    scaled = full * units[:, :, None] * units[:, None, :]
    spectra = np.linalg.eigvalsh(scaled) if full.size else np.zeros((0, width))
    heavy = spectra[:, -1][spectra[:, -1] > 0.0] if spectra.size else np.zeros(0)
    usual = float(np.exp(np.mean(np.log(heavy)))) if heavy.size else 1.0
    absent = spectra[:, 0] <= ABSENT * spectra[:, -1]
    for k in np.flatnonzero(absent):
        soft[width * k : width * (k + 1)] = SOFTNESS * (spectra[k, -1] or usual) / units[k] ** 2
    first = width * len(system.bodies)
    contacts = [not isinstance(c, ModalCoordinate) for c in system.contact_coordinates]
    soft[first:] = np.where(contacts, SOFTNESS * usual, 0.0)
    thin = float(np.min(spectra[~absent, 0] / spectra[~absent, -1], initial=1.0))
    spread = max(_spread(system, full, angular) for angular in (False, True))
    if soft.any() or spread > UNEVEN_MASSES:
        return soft, 2
    return soft, int(spread > EVEN_MASSES or thin < THIN)


def weakest(mass: Any, soft: np.ndarray, free: np.ndarray) -> tuple[float, np.ndarray]:
    """The least share of stated masses in what resists a free motion, and that motion.

    `mass` is the mass matrix as stated, `soft` what was added to it, `free` a basis of the motions, as columns.
    """
    if not free.shape[1]:
        return 1.0, np.zeros(free.shape[0])
    stated = free.T @ (mass @ free)
    whole = stated + free.T @ (soft[:, None] * free if soft.ndim == 1 else soft @ free)
    size = np.sqrt(np.diag(whole))
    if not np.all(size > 0.0):
        return 0.0, free[:, int(np.argmin(size))]
    scale = np.outer(size, size)
    try:
        shares, motions = scipy.linalg.eigh(stated / scale, whole / scale)
    except np.linalg.LinAlgError:  # not even what was added resists
        sizes, motions = np.linalg.eigh(whole / scale)
        return 0.0, free @ (motions[:, int(np.argmin(sizes))] / size)
    return float(np.clip(shares[0], 0.0, 1.0)), free @ (motions[:, 0] / size)


def refinements(share: float) -> int:
    """How often a solution must be refined until the masses that were added do not matter."""
    left = max(1.0 - share, 1e-300)
    return max(2, int(np.ceil(np.log(REFINED_ERROR) / np.log(min(left, RESISTED)))) - 1)


def mass_matrices(system: System, mass: np.ndarray) -> np.ndarray:
    """The blocks of all moving bodies as full matrices."""
    width = system.width
    rows, columns = np.tril_indices(width)
    full = np.zeros((len(system.bodies), width, width))
    full[:, rows, columns] = full[:, columns, rows] = mass[1 : 1 + len(system.bodies)]
    return full


def lengths_of(system: System) -> np.ndarray:
    """How large bodies are: arms of markers and centers or, if larger, radii of gyration; 0 where neither is known."""
    matter = system.matter()
    mass = mass_table(system)
    mass_blocks(system.geometry, matter, system.start, mass)
    return _lengths(system, mass_matrices(system, mass))


def _units(system: System, full: np.ndarray) -> np.ndarray:
    """What counts as one in each coordinate of each body: 1 m, or an angle that moves its points by as much."""
    length = _lengths(system, full)
    length = np.where(length > 0.0, length, system.length)
    return np.where(np.array(system.space.angular), 1.0 / length[:, None], 1.0)


def _lengths(system: System, full: np.ndarray) -> np.ndarray:
    angular = np.array(system.space.angular)
    straight, turning = np.flatnonzero(~angular), np.flatnonzero(angular)
    mass = full[:, straight, straight].max(axis=1, initial=0.0)
    inertia = full[:, turning, turning].max(axis=1, initial=0.0)
    offset = np.abs(full[:, turning[:, None], straight]).max(axis=(1, 2), initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.maximum(arms_of(system), np.nan_to_num(offset / mass))
        gyration = np.nan_to_num(np.sqrt(inertia / mass), posinf=0.0)
    return np.asarray(np.maximum(arm, gyration))


def _spread(system: System, full: np.ndarray, angular: bool) -> float:
    """By how much the masses, or the inertias, of the bodies differ."""
    places = np.flatnonzero(np.array(system.space.angular) == angular)
    found = np.linalg.eigvalsh(full[:, places[:, None], places])
    positive = found[found > 0.0]
    return float(positive.max() / positive.min()) if positive.size else 1.0
