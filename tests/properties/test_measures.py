"""Laws of every measure: jac, rate and bias are the derivatives of its value, and two-body measures are objective.

The positions are random, far from any that a mechanism would allow: derivatives must be exact off the constraints too.
"""

import math
from itertools import product

import numpy as np
import pytest

from cardan.model.measure import Measure
from cardan.model.space import advance
from cardan.model.surfaces.contact_coordinate import ContactMarker
from cardan.planar import angle, bearing, component, dot, length
from catalog import TURN
from scenes import PLANE, SCENES

SEEDS = range(6)
both = pytest.mark.parametrize("scene", SCENES, ids=str)
seeds = pytest.mark.parametrize("seed", SEEDS)


def _names(scene, errors, tolerance):
    return {name: float(e) for name, e in zip(scene.measures, errors, strict=True) if not e <= tolerance}


def _between(scene):
    return [k for k, m in enumerate(scene.measures.values()) if m.a is not None]


@both
def test_all_kinds_are_here(scene):
    """Others have tests of their own: modal coordinates need flexible bodies, and a helix ends at 150 degrees."""
    known = set(scene.model.space.kinds) - Measure.RATES - Measure.TOUCHES - {"modal", "helix"}
    assert {m.kind for m in scene.measures.values()} == known


@both
@seeds
def test_velocities_that_are_the_rate_of_nothing(scene, seed):
    """slide: the velocity of the point along the axis of its marker; turn, spin: the angular velocity along an axis of
    the world, of the marker. Rate = jac v, and the bias is the change of the rate at constant speeds, by differences:
    h^2 times its third derivatives, of some hundreds, and 1e-16 / h."""
    q, v = scene.state(seed)
    axes = "xyz"[: scene.model.space.dimensions]
    stated = [("slide", k) for k in axes]
    stated += [(kind, k) for kind in ("turn", "spin") for k in ("z" if len(axes) == 2 else axes)]
    for marker in scene.markers.values():
        if marker.body is scene.model.ground:
            continue
        table = scene.table([Measure(kind, None, marker, axis) for kind, axis in stated])
        z, jac = table.evaluate(q, v)
        assert np.abs(jac @ v - z[:, 1]).max() < 1e-12 * (1.0 + np.abs(z[:, 1]).max())
        h = 1e-5
        rates = []
        for sign in (-1.0, 1.0):
            there = q.copy()
            advance(scene.system.geometry, there, sign * h * v)
            rates.append(table.evaluate(there, v)[0][:, 1])
        slope = (rates[1] - rates[0]) / (2.0 * h)
        assert np.abs(slope - z[:, 2]).max() < 1e-5 * (1.0 + np.abs(z[:, 2]).max())
        point = scene.table([Measure("coordinate", None, marker, axis) for axis in axes]).evaluate(q, v)[0][:, 1]
        assert np.linalg.norm(z[: len(axes), 1]) == pytest.approx(np.linalg.norm(point), rel=1e-12)


@both
@seeds
def test_jac_is_the_derivative_of_the_value(scene, seed):
    """Central differences with h and h/2, extrapolated: the error is about h^4 z^(5) + 1e-16/h, so 1e-11 at h = 3e-4;
    running markers on splines have z^(5) of some hundreds, angles near where they have no direction that of jac^5."""
    q, v = scene.state(seed)
    z, jac = scene.whole.evaluate(q, v)
    h, still = 3e-4, 0.0 * v
    differences = np.zeros_like(jac)

    def values(step):
        return scene.whole.evaluate(scene.stepped(q, step), still, z[:, 0])[0][:, 0]

    for i, e in enumerate(np.eye(v.size)):
        coarse, fine = ((values(s * e) - values(-s * e)) / (2.0 * s) for s in (h, 0.5 * h))
        differences[:, i] = (4.0 * fine - coarse) / 3.0
    size = 1.0 + np.abs(jac).max(axis=1)
    assert not _names(scene, np.abs(differences - jac).max(axis=1) / size**2, 1e-8)


@both
@seeds
def test_rate_is_jac_times_v(scene, seed):
    """The same products in another order: rounding only."""
    q, v = scene.state(seed)
    z, jac = scene.whole.evaluate(q, v)
    scale = 1.0 + np.abs(jac) @ np.abs(v)
    assert not _names(scene, np.abs(jac @ v - z[:, 1]) / scale, 1e-13)


@both
@seeds
def test_bias_is_the_second_derivative_without_accelerations(scene, seed):
    """Along the step v t, on which r' and omega' stay as they are. Differences of the rate, extrapolated: h^4 z^(5) +
    1e-15/h, so 1e-9 at h = 3e-4; z^(5) reaches thousands where points come near each other."""
    q, v = scene.state(seed)
    z, jac = scene.whole.evaluate(q, v)
    h = 3e-4

    def rate(s):
        return scene.whole.evaluate(scene.stepped(q, s * v), v, z[:, 0])[0][:, 1]

    coarse, fine = ((rate(s) - rate(-s)) / (2.0 * s) for s in (h, 0.5 * h))
    bias = (4.0 * fine - coarse) / 3.0
    size = 1.0 + np.abs(z[:, 2]) + np.abs(jac).max(axis=1) ** 4
    assert not _names(scene, np.abs(bias - z[:, 2]) / size, 1e-7)


@both
@seeds
def test_measures_between_bodies_are_objective(scene, seed):
    """A rigid motion of everything, ground included, changes no value, and costs no work: one wrench, equal and
    opposite on a and b about a common point."""
    between = _between(scene)
    q, v = scene.state(seed)
    z, jac = scene.whole.evaluate(q, v)
    scale = 1.0 + np.abs(jac[between]).max(axis=1)
    for rigid in scene.rigid_motions(q):
        assert (np.abs(jac[between] @ rigid) / scale).max() < 1e-13
    again, _ = scene.whole.evaluate(*scene.moved(q, v, np.random.default_rng(seed + 100)), z[:, 0])
    # cosines of other angles: rounding, amplified in biases where there is nearly no direction
    error = np.abs(again - z)[between] / (1.0 + np.abs(z[between])) / scale[:, None] ** 2
    assert error.max() < 1e-12


@seeds
@pytest.mark.parametrize("ends", [("a", "b"), ("b", "ground"), ("contact 1", "b"), ("contact 5", "contact 6")])
def test_swapping_a_and_b_in_the_plane(ends, seed):
    a, b = (PLANE.markers[end] for end in ends)
    q, v = PLANE.state(seed)

    def z(*measures):
        return [PLANE.table([m]).evaluate(q, v)[0][0] for m in measures]

    there, back = z(length(a, b), length(b, a))
    assert there == pytest.approx(back, abs=1e-13, rel=1e-12)
    for axes in product("xy", "xy"):
        there, back = z(dot(a, b, *axes), dot(b, a, *axes[::-1]))
        assert there == pytest.approx(back, abs=1e-13, rel=1e-12)
    cosine, sine = z(dot(a, b, "x", "x"), dot(a, b, "y", "x"))
    ax, ay, bx, by = z(component(a, b, "x"), component(a, b, "y"), component(b, a, "x"), component(b, a, "y"))
    # the vector from b to a, in the axes of b, is minus that from a to b, turned back by the angle between the axes
    assert bx[0] == pytest.approx(-(cosine[0] * ax[0] + sine[0] * ay[0]), abs=1e-13)
    assert by[0] == pytest.approx(-(-sine[0] * ax[0] + cosine[0] * ay[0]), abs=1e-13)
    there, back = z(bearing(a, b), bearing(b, a))
    turn = math.atan2(sine[0], cosine[0])
    assert math.remainder(there[0] - back[0] - turn - math.pi, TURN) == pytest.approx(0.0, abs=1e-12)
    if not isinstance(a, ContactMarker):
        there, back = z(angle(a, b), angle(b, a))
        assert there == pytest.approx(-back, abs=1e-13)


def test_bearing_counts_turns_from_its_reference():
    a, b = PLANE.model.ground.at(), PLANE.model["a"].at()
    q, v = PLANE.system.start.copy(), PLANE.system.speeds()
    previous, total = 0.0, []
    for turned in np.linspace(0.0, 6.0 * math.pi, 61):
        q[3:5] = math.cos(turned), math.sin(turned)
        previous = PLANE.table([bearing(a, b)]).evaluate(q, v, [previous])[0][0, 0]
        total.append(previous)
    assert np.allclose(total, np.linspace(0.0, 6.0 * math.pi, 61), atol=1e-13)
