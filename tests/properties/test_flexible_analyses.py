"""Every analysis with a flexible body, in the plane and in space: against runs, differences and each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardan import (
    equilibrium,
    gradient,
    linearize,
    modal_sensitivities,
    motion_sensitivities,
    planar as plane,
    root_locus,
    sensitivities,
    simulate,
    spatial as space,
    stepper,
    study,
)
from cardan.flexible import beam, rectangle

pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.CardanWarning")
BOTH = pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
NAME, K = "spring.stiffness", 5.0
INTERFACES = {"first": "left", "second": "right"}
PARTS = [beam(0.5, rectangle(0.02, 0.01), "nylon").reduce(INTERFACES, modes=3, planar=flat) for flat in (True, False)]


def arm(spatial: bool, stiffness: float = K) -> tuple[Any, Any]:
    """A nylon arm on a hinge with a spring, and the height of its tip."""
    library: Any = space if spatial else plane
    model = library.Model("arm", gravity=(0, 0, -9.81) if spatial else (0, -9.81))
    axis = {"z": (0, 1, 0)} if spatial else {}
    bar = model.add(library.FlexibleBody(PARTS[spatial], modes=4, damping=0.01), name="bar")
    hinge = model.add(library.Revolute(model.ground.at(**axis), bar.at("first", **axis)), name="hinge")
    model.add(library.Spring(hinge.angle, stiffness, rest_angle=0.2, damping=0.1), name="spring")
    return model, (space.z if spatial else plane.y)(bar.at("second"))


def end_of(spatial: bool, stiffness: float) -> float:
    model, height = arm(spatial, stiffness)
    return float(simulate(model, 0.1, output=[0.1], rtol=1e-10)[height].value[-1])


@BOTH
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_derivatives_of_a_motion(spatial: bool, coordinates: str) -> None:
    """Adjoint and direct derivatives are those by differences of runs, to the six digits that they promise."""
    model, height = arm(spatial)
    slope = (end_of(spatial, K + 0.01) - end_of(spatial, K - 0.01)) / 0.02
    run = simulate(model, 0.1, output=0.005, rtol=1e-10, coordinates=coordinates)
    assert motion_sensitivities(run, NAME, height).derivatives[-1, 0, 0] == pytest.approx(slope, rel=1e-5)
    assert gradient(run, [NAME], [height], final=lambda y: y[0]).derivatives[0] == pytest.approx(slope, rel=1e-5)


@BOTH
def test_derivatives_of_an_equilibrium_and_its_vibrations(spatial: bool) -> None:
    model, height = arm(spatial)
    rest = equilibrium(model)
    found = float(np.ravel(sensitivities(rest, [NAME], [height]).derivatives)[0])
    ends, values = [], []
    for stiffness in (K - 1e-3, K + 1e-3):
        other, mark = arm(spatial, stiffness)
        state = equilibrium(other)
        ends.append(float(state[mark].value))
        values.append(linearize(other, at=state).modes().eigenvalues[0])
    assert found == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-5)
    slopes = modal_sensitivities(model, NAME, at=rest)
    assert np.ravel(slopes.eigenvalues)[0] == pytest.approx((values[1] - values[0]) / 2e-3, rel=1e-4)


@BOTH
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_steps_and_studies_are_runs(spatial: bool, coordinates: str) -> None:
    """A model that is advanced step by step, and the compiled loop over many runs."""
    model, height = arm(spatial)
    stepped = stepper(model, outputs=[height], coordinates=coordinates)
    last = [stepped.step(0.02) for _ in range(5)][-1]
    assert last[0] == pytest.approx(end_of(spatial, K), rel=1e-6)
    values = [4.0, 5.0, 6.0]
    found = study(
        model, {NAME: values}, "simulate", [height], until=0.1, output=0.1, rtol=1e-9, coordinates=coordinates
    )
    ends = found[str(height)][:, -1]
    assert ends == pytest.approx([end_of(spatial, k) for k in values], rel=1e-6)


@BOTH
def test_root_locus_is_linearized_models(spatial: bool) -> None:
    locus = root_locus(lambda stiffness: arm(spatial, stiffness)[0], [4.0, 6.0])
    for k, stiffness in enumerate((4.0, 6.0)):
        direct = np.sort_complex(linearize(arm(spatial, stiffness)[0]).modes().eigenvalues)
        found = locus.roots[k][locus.roots[k].imag > 0.0]
        assert np.abs(np.sort_complex(found) - direct).max() < 1e-9 * np.abs(direct).max()


@BOTH
@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
def test_checkpoints(spatial: bool, coordinates: str) -> None:
    model, _ = arm(spatial)
    options = {"rtol": 1e-9, "coordinates": coordinates}
    whole = simulate(model, 0.1, output=[0.05, 0.1], **options)
    half = simulate(model, 0.05, output=[0.05], **options)
    rest = simulate(model, 0.1, output=[0.1], start=half.checkpoint, **options)
    assert np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-8
