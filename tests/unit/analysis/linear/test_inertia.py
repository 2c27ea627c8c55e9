"""Derivatives of inertia forces: those of the kernels on dual numbers, of rigid and of flexible bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardan.planar as plane
import cardan.spatial as space
from cardan.analysis.linear.inertia import InertiaSlopes
from cardan.analysis.linear.slopes import _open
from cardan.flexible import beam, rectangle
from cardan.model.space import advance, functions_of, position_rates
from cardan.numerics.autodiff.dual import Dual, on_duals, split
from cardan.system.compile import compile

INTERFACES = {"first": "left", "second": "right"}


def bodies(spatial: bool, kind: str) -> Any:
    """Two rigid bodies and, unless all are rigid, two of different parts."""
    library: Any = space if spatial else plane
    gravity = (1.0, 2.0, -9.81)
    model = library.Model("bodies", gravity=gravity if spatial else gravity[:2])
    center, inertia = ((0.1, 0.2, -0.3), (0.2, 0.3, 0.4)) if spatial else ((0.1, 0.2), 0.2)
    for k in range(2):
        model.add(library.Body(mass=2.0 + k, inertia=inertia, center=center), name=f"rigid {k}")
    for k in range(0 if kind == "rigid" else 2):
        modes = 2 + k
        part = beam(0.5 + k, rectangle(0.02, 0.01), "nylon").reduce(
            INTERFACES,
            modes=modes,
            planar=not spatial,
            stiffening=kind == "stiffened",
            frame="tangent" if kind == "stiffened" else "mean",
        )
        model.add(library.FlexibleBody(part), name=f"flexible {k}")
    return compile(model, forces=True)


def by_duals(system: Any, matter: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives along each displacement and speed, one run of the interpreter each."""
    inertia = on_duals(functions_of(system.geometry)[5])
    gravity, found = np.array(system.model.gravity, float), []
    for along in np.eye(v.size)[system.width :]:
        rates = np.zeros(q.size)
        position_rates(system.geometry, q, along, rates)
        for by_place in (True, False):
            place, motion, out = q.astype(object), v.astype(object), np.full(v.size, 0.0, object)
            table, slopes = (place, rates) if by_place else (motion, along)
            for k in np.flatnonzero(slopes):
                table[k] = Dual(float(table[k]), slopes[k : k + 1])
            inertia(_open(system.geometry), matter.astype(object), gravity, place, motion, a.astype(object), out)
            found.append(-split(out, 1)[1][system.width :, 0])
    return np.array(found[0::2]).T, np.array(found[1::2]).T


@pytest.mark.parametrize("kind", ["rigid", "flexible", "stiffened"])
@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
def test_derivatives_are_exact(spatial: bool, kind: str) -> None:
    """To 1e-12 of the largest: rounding of some hundred products."""
    system = bodies(spatial, kind)
    random, width = np.random.default_rng(5), system.width
    matter, q, size = system.matter(), system.start.copy(), system.speeds().size
    shift, v, a = (np.concatenate([np.zeros(width), random.normal(size=size - width)]) for _ in range(3))
    modal = width * (1 + len(system.bodies))
    shift[modal:] *= 0.01
    v[width:modal] *= 10.0
    advance(system.geometry, q, shift)
    K, C = InertiaSlopes(system).matrices(matter, q, v, a)
    for ours, exact in zip((K.toarray(), C.toarray()), by_duals(system, matter, q, v, a), strict=True):
        assert np.abs(exact).max() > 1.0
        assert np.abs(ours - exact).max() <= 1e-12 * np.abs(exact).max()
    if kind == "rigid":
        blocks, _ = InertiaSlopes(system).blocks(matter, q, v, a)
        for k, block in enumerate(blocks):
            assert np.array_equal(block, K.toarray()[width * k : width * (k + 1), width * k : width * (k + 1)])
