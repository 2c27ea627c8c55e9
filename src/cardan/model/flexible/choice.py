"""The modes of a part that a body has, and its damping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart

Modes: TypeAlias = int | Sequence[int] | None
Damping: TypeAlias = float | str | Sequence[float] | Mapping[str, float] | None
OUT_OF_PLANE = 1e-9  # of a displacement: out of the plane by rounding only
GRADED = ((100.0, 0.01), (1000.0, 0.1), (np.inf, 1.0))  # damping ratio of modes up to a frequency in Hz


def chosen_part(part: Any, modes: Modes, damping: Damping, stiffening: bool, what: str) -> FlexiblePart:
    """The part with only the chosen modes, its damping, and with or without geometric stiffening."""
    hint = "cardan.flexible makes one from a finite element model"
    found: FlexiblePart = check.instance(part, FlexiblePart, f"the part of {what}", hint)
    if modes is not None:
        found = found.with_modes(_numbers(found, modes, what))
    if damping is not None:
        found = replace(found, damping=damping_matrix(found, damping, what))
    check.flag(stiffening, f"stiffening of {what}")
    return found if stiffening or found.stiffening is None else replace(found, stiffening=None)


def in_plane(part: FlexiblePart) -> None:
    """Reject a part whose modes leave the xy plane: it cannot be a planar body."""
    across = {"coupling": part.coupling[2], "second_moment": part.second_moment[1:, 1:, 2]}
    for name, at in part.interfaces.items():
        across[f"translation of interface '{name}'"] = at.translation[2]
        across[f"rotation of interface '{name}'"] = at.rotation[:2]
    sizes = {"coupling": part.mass, "second_moment": part.modal_mass.max()}
    for name, values in across.items():
        size = sizes.get(name) or 1.0
        found = float(np.abs(values).max(initial=0.0))
        if found > OUT_OF_PLANE * size:
            raise ModelError(
                f"{part.title} moves out of the xy plane ({name}: {found:.3g}) and cannot be a planar body; choose "
                "modes= in the plane, or use a spatial FlexibleBody"
            )


def damping_matrix(part: FlexiblePart, damping: Damping, what: str) -> np.ndarray:
    """B from damping ratios, B = M W diag(2 zeta omega) W^T M, or from alpha M + beta K.

    >>> part = FlexiblePart(
    ...     "rod", 2.0, [[0, 0, 0], [0, 0, 0]], np.zeros((2, 2, 3, 3)), [[1.0]], np.zeros((3, 1)), np.zeros((3, 1)),
    ...     np.eye(3), [[400.0]], [[0.0]], {}, [3.18],
    ... )
    >>> float(damping_matrix(part, 0.01, "rod")[0, 0])
    0.4
    """
    if isinstance(damping, Mapping):
        stated = check.known(damping, ("mass", "stiffness"), f"damping of {what}")
        alpha, beta = (_not_negative(stated.get(name, 0.0), what) for name in ("mass", "stiffness"))
        return np.asarray(alpha * part.modal_mass + beta * part.stiffness)
    root = np.linalg.cholesky(part.modal_mass)  # M = R R^T, W = R^-T V
    scaled = np.linalg.solve(root, np.linalg.solve(root, part.stiffness).T)
    squares, V = np.linalg.eigh(0.5 * (scaled + scaled.T))
    omega = np.sqrt(np.maximum(squares, 0.0))
    if isinstance(damping, str):
        check.choice(damping, ("graded",), f"damping of {what}, unless it is a number,")
        ratios = np.select([omega / (2.0 * np.pi) < limit for limit, _ in GRADED], [ratio for _, ratio in GRADED])
    elif isinstance(damping, Real):
        ratios = np.full(part.modes, _not_negative(damping, what))
    else:
        numbers = check.vector(damping, part.modes, f"the damping ratios of {what}, one for each mode,")
        ratios = np.array([_not_negative(number, what) for number in numbers])
    shape = root @ V
    return np.asarray((shape * (2.0 * ratios * omega)) @ shape.T)


def _not_negative(value: object, what: str) -> float:
    number = check.number(value, f"damping of {what}")
    if number < 0.0:
        raise ModelError(f"damping of {what} must not be negative, got {number:g}")
    return number


def _numbers(part: FlexiblePart, modes: Any, what: str) -> list[int]:
    """Indices from 0 of the modes, which are stated as their count or by numbers from 1."""
    if isinstance(modes, Integral) and not isinstance(modes, bool):
        if not 1 <= int(modes) <= part.modes:
            raise ModelError(f"{what} can have 1 to {part.modes} modes of {part.title}, got modes={modes}")
        return list(range(int(modes)))
    listed = isinstance(modes, Sequence | np.ndarray) and not isinstance(modes, str | bytes)
    numbers = [int(number) for number in modes if isinstance(number, Integral)] if listed else []
    if not numbers or len(numbers) < len(modes) or not 1 <= min(numbers) <= max(numbers) <= part.modes:
        raise ModelError(
            f"modes of {what} must be how many, or a list of their numbers from 1 to {part.modes}, "
            f"got {check.short_repr(modes)}"
        )
    return [number - 1 for number in numbers]
