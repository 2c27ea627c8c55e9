"""The data of flexible parts: what is rejected, and by which message."""

from dataclasses import replace

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.flexible_part import FlexiblePart, Interface, Surface

rng = np.random.default_rng(5)
NODES, MODES = 9, 3
POINTS = rng.normal(size=(NODES, 3))
MASSES = rng.uniform(0.5, 1.5, NODES)
SHAPES = rng.normal(size=(MODES, NODES, 3))


def point_masses() -> FlexiblePart:
    """Mass points with random modes: all integrals are sums."""
    shapes = np.concatenate([POINTS[None], SHAPES])
    moments = np.einsum("i,aic,bid->abcd", MASSES, shapes, shapes)
    stiffness = np.diag([20.0, 30.0, 50.0])
    return FlexiblePart(
        "points",
        mass=MASSES.sum(),
        first_moment=np.einsum("i,aic->ac", MASSES, shapes),
        second_moment=moments,
        modal_mass=np.einsum("klcc->kl", moments[1:, 1:]),
        coupling=np.einsum("i,kic->ck", MASSES, SHAPES),
        rotation_coupling=np.einsum("i,kic->ck", MASSES, np.cross(POINTS[None], SHAPES)),
        inertia=np.trace(moments[0, 0]) * np.eye(3) - moments[0, 0],
        stiffness=stiffness,
        damping=0.01 * stiffness,
        interfaces={"first": Interface(POINTS[0], SHAPES[:, 0].T, np.zeros((3, MODES)))},
        frequencies=[1.0, 2.0, 3.0],
        stiffening=(np.zeros((MODES, MODES, 3)), np.zeros((MODES, MODES, 3, 3))),
        surface=Surface(POINTS, SHAPES.transpose(1, 2, 0), [[0, 1, 2], [2, 3, 4]]),
        stress=np.zeros((NODES, 6, MODES)),
    )


def test_the_mass_matrix_gives_the_kinetic_energy_of_the_points() -> None:
    speeds = rng.normal(size=6 + MODES)
    motion = speeds[:3] + np.cross(speeds[3:6], POINTS) + np.einsum("kic,k->ic", SHAPES, speeds[6:])
    energy = 0.5 * (MASSES * (motion**2).sum(1)).sum()
    assert 0.5 * speeds @ point_masses().mass_matrix() @ speeds == pytest.approx(energy, rel=1e-14)


def test_some_modes() -> None:
    whole = point_masses()
    part = whole.with_modes([2, 0])
    assert part.modes == 2
    kept = [0, 1, 2, 3, 4, 5, 8, 6]
    assert np.allclose(part.mass_matrix(), whole.mass_matrix()[np.ix_(kept, kept)], rtol=1e-14, atol=0.0)
    assert np.array_equal(part.interfaces["first"].translation, SHAPES[[2, 0], 0].T)
    assert np.array_equal(part.second_moment[1, 2], whole.second_moment[3, 1])
    assert part.surface is not None and part.surface.modes.shape == (NODES, 3, 2)
    for keep in ([], [0, 0], [3], [-1]):
        with pytest.raises(ModelError, match="modes"):
            whole.with_modes(keep)


def test_arrays_are_read_only_copies() -> None:
    stiffness = np.diag([20.0, 30.0, 50.0])
    part = replace(point_masses(), stiffness=stiffness)
    stiffness[0, 0] = 0.0
    assert part.stiffness[0, 0] == 20.0
    with pytest.raises(ValueError, match="read-only"):
        part.stiffness[0, 0] = 1.0


SKEW = np.array([[20.0, 1.0, 0.0], [0.0, 30.0, 0.0], [0.0, 0.0, 50.0]])
SOFT = np.diag([20.0, -1.0, 50.0])
MIRROR = np.diag([1.0, 1.0, -1.0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": 0.0}, "the mass of the flexible part 'points'"),
        ({"first_moment": np.zeros((1, 3))}, "no modes"),
        ({"first_moment": np.zeros((4, 2))}, "first_moment .* must be any x 3, got 4 x 2"),
        ({"second_moment": np.zeros((3, 3, 3, 3))}, "second_moment .* must be 4 x 4 x 3 x 3"),
        ({"modal_mass": SKEW}, r"modal_mass .* symmetric; at \[0, 1\] the two entries are 1 and 0"),
        ({"modal_mass": np.diag([1.0, 0.0, 1.0])}, "a mode without mass"),
        ({"stiffness": SOFT}, "stiffness .* negative eigenvalue"),
        ({"damping": SOFT}, "damping .* negative eigenvalue"),
        ({"stiffness": np.full((3, 3), np.nan)}, "finite"),
        ({"stiffness": "stiff"}, "array of numbers"),
        ({"inertia": np.eye(3) * 1e-6}, "same units and about the same origin"),
        ({"frequencies": [1.0, -2.0, 3.0]}, "frequencies .* got -2 Hz"),
        ({"frame": "chord"}, "frame"),
        (
            {"interfaces": {"first": Interface([0, 0, 0], np.zeros((3, 2)), np.zeros((3, 3)))}},
            "translation of interface",
        ),
        ({"interfaces": {"first": Interface([0, 0, 0], SKEW, SKEW, MIRROR)}}, "rotation matrix"),
        ({"interfaces": {"first": [0, 0, 0]}}, "interface 'first'"),
        ({"surface": None}, "stress"),
        ({"surface": Surface(POINTS, SHAPES.transpose(1, 2, 0), [[0, 1, NODES]])}, "indices from 0 to 8"),
        ({"surface": Surface(POINTS, SHAPES.transpose(1, 2, 0), [[0.0, 1.0, 2.0]])}, "triangles"),
        ({"stiffening": (np.zeros((3, 3, 3)),)}, "two arrays"),
        ({"stiffening": (rng.normal(size=(3, 3, 3)), np.zeros((3, 3, 3, 3)))}, "G_S .* symmetric"),
    ],
)
def test_wrong_data_is_rejected(change: dict[str, object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        replace(point_masses(), **change)
