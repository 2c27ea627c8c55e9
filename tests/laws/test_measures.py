"""Laws of every measure: jac, rate and bias are the derivatives of its value, and two-body measures are objective."""

import math
from itertools import product

import numpy as np
import pytest

from cardan.model.space import position_pass, velocity_pass
from cardan.planar import (
    Body,
    CamPair,
    CamRoller,
    Circle,
    Curve,
    CurveThrough,
    Model,
    Polar,
    PolarTable,
    angle,
    bearing,
    component,
    dot,
    length,
    x,
    y,
)
from cardan.planar.body import ContactMarker
from cardan.planar.measures import contact
from cardan.system.compile import columns_of, compile, grouped
from catalogue import TURN, egg, lobed

AROUND = np.linspace(0.0, TURN, 25)[:-1]


class Scene:
    """Three bodies, markers on them, and contact coordinates on outlines of every kind."""

    def __init__(self):
        self.model = model = Model("scene")
        self.a = model.add(Body(position=(0.3, 0.2), angle=0.4), name="a")
        self.b = model.add(Body(position=(-0.5, 0.6), angle=-0.9), name="b")
        self.c = model.add(Body(position=(0.1, -0.8), angle=2.0), name="c")
        curves = [
            Circle(0.3, center=(0.05, -0.02)),
            Polar(lobed),
            PolarTable(AROUND, [lobed(u) for u in AROUND], degree=5),
            Curve(egg, (0.0, TURN)),
            CurveThrough([egg(u) for u in AROUND], degree=5),
        ]
        rollers = [
            model.add(CamRoller(self.a.profile(curve, 0.1, 0.2, 0.3), self.b.at(0.0, 0.0), 0.1)) for curve in curves
        ]
        pair = model.add(CamPair(self.b.profile(curves[1], 0.2), self.c.profile(curves[3], 0.0, 0.1, -0.5)))
        self.contacts = [r.own()[0] for r in rollers] + list(pair.own())
        self.system = compile(model)
        self.fixed = [self.a.at(0.2, -0.1, 0.5), self.b.at(-0.3, 0.4, -1.0), model.ground.at(0.1, 0.3, 0.7)]

    def evaluate(self, measures, q, v, reference=None):
        """z (value, rate, bias) and the dense jac of measures, in the order given."""
        system, model = self.system, self.model
        base = system.width * (1 + len(system.bodies))
        ordered = grouped(model.space, measures)
        geometry = model.space.geometry(system.number, ordered, system.own, base)
        columns = columns_of(model.space, system.number, ordered, system.own, base)
        z, jac = np.zeros((len(ordered), 3)), np.zeros((len(ordered), 8))
        frames = np.zeros((geometry.body.size, model.space.marker_columns))
        memory = np.full(len(ordered), np.nan)
        if reference is not None:
            memory[:] = [reference[measures.index(m)] for m in ordered]
        assert position_pass(geometry, q, memory, frames, z, jac) == 0
        velocity_pass(geometry, v, frames, z, jac)
        dense = np.zeros((len(ordered), v.size))
        has_own = np.array([[m.a is not None and m.a.own is not None, m.b.own is not None] for m in ordered])
        for k in range(len(ordered)):
            one_point = ordered[k].a is None
            for column in range(8):
                if (column < 3 and one_point) or (column >= 6 and not has_own[k, column - 6]):
                    continue
                dense[k, columns[k, column]] += jac[k, column]
        order = [ordered.index(m) for m in measures]
        return z[order], dense[order]


SCENE = Scene()
MARKERS = {"a": SCENE.fixed[0], "b": SCENE.fixed[1], "ground": SCENE.fixed[2]}
TOUCHES = {f"contact {k}": ContactMarker(c) for k, c in enumerate(SCENE.contacts)}


def _all_measures():
    """Every kind, between fixed markers, between a fixed and a running one either way, and between two running ones."""
    pairs = [("a", "b"), ("b", "ground"), ("ground", "a")]
    pairs += [(t, "b") for t in list(TOUCHES)[:5]] + [("b", t) for t in list(TOUCHES)[:5]]
    pairs.append(("contact 5", "contact 6"))
    every = MARKERS | TOUCHES
    for name, point in every.items():
        if name != "ground":
            yield f"x({name})", x(point)
            yield f"y({name})", y(point)
    for one, two in pairs:
        a, b = every[one], every[two]
        ends = f"{one}, {two}"
        if not isinstance(a, ContactMarker) and not isinstance(b, ContactMarker):
            yield f"angle({ends})", angle(a, b)
        yield f"length({ends})", length(a, b)
        yield f"bearing({ends})", bearing(a, b)
        for axis in "xy":
            yield f"component({ends}, {axis})", component(a, b, axis)
        for axes in product("xy", "xy"):
            yield f"dot({ends}, {''.join(axes)})", dot(a, b, *axes)
    for name, touch in TOUCHES.items():
        yield f"contact({name})", contact(touch.contact)


NAMED = dict(_all_measures())
MEASURES = list(NAMED.values())
BETWEEN = [k for k, m in enumerate(MEASURES) if m.a is not None]
SEEDS = range(6)


def _state(seed):
    """A random position and velocity of the scene; ground stands still."""
    random = np.random.default_rng(seed)
    q = SCENE.system.start + 0.1 * random.standard_normal(SCENE.system.start.size)
    v = random.standard_normal(SCENE.system.speeds().size)
    q[:3], v[:3] = 0.0, 0.0
    q[12:] = random.uniform(0.1, 1.5, q.size - 12)
    return q, v


def _values(q, reference):
    return SCENE.evaluate(MEASURES, q, np.zeros(q.size), reference)[0][:, 0]


def _names(errors, tolerance):
    return {name: float(e) for name, e in zip(NAMED, errors, strict=True) if not e <= tolerance}


def test_all_kinds_are_here():
    assert {m.kind for m in MEASURES} == set(SCENE.model.space.kinds)


@pytest.mark.parametrize("seed", SEEDS)
def test_jac_is_the_derivative_of_the_value(seed):
    """Central differences with h and h/2, extrapolated: the error is about h^4 z^(5) + 1e-16/h, so 1e-10 at h = 1e-3;
    running markers on splines have z^(5) of some hundreds."""
    q, v = _state(seed)
    z, jac = SCENE.evaluate(MEASURES, q, v)
    h = 1e-3
    differences = np.zeros_like(jac)
    for i in range(q.size):
        e = np.zeros(q.size)
        e[i] = 1.0
        coarse, fine = ((_values(q + s * e, z[:, 0]) - _values(q - s * e, z[:, 0])) / (2.0 * s) for s in (h, 0.5 * h))
        differences[:, i] = (4.0 * fine - coarse) / 3.0
    size = 1.0 + np.abs(jac).max(axis=1)
    assert not _names(np.abs(differences - jac).max(axis=1) / size, 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_is_jac_times_v(seed):
    """The same products in another order: rounding only."""
    q, v = _state(seed)
    z, jac = SCENE.evaluate(MEASURES, q, v)
    scale = 1.0 + np.abs(jac) @ np.abs(v)
    assert not _names(np.abs(jac @ v - z[:, 1]) / scale, 1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_bias_is_the_second_derivative_without_accelerations(seed):
    """Along q + v t. Differences of the rate, extrapolated: h^4 z^(5) + 1e-15/h, so 1e-9 at h = 3e-4; z^(5) reaches
    thousands where points come near each other."""
    q, v = _state(seed)
    z, _ = SCENE.evaluate(MEASURES, q, v)
    h = 3e-4

    def rate(s):
        return SCENE.evaluate(MEASURES, q + s * v, v, z[:, 0])[0][:, 1]

    coarse, fine = ((rate(s) - rate(-s)) / (2.0 * s) for s in (h, 0.5 * h))
    bias = (4.0 * fine - coarse) / 3.0
    assert not _names(np.abs(bias - z[:, 2]) / (1.0 + np.abs(z[:, 2])), 1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_measures_between_bodies_are_objective(seed):
    """A rigid motion of everything, ground included, changes no value, and costs no work: one wrench, equal and
    opposite on a and b."""
    q, v = _state(seed)
    z, jac = SCENE.evaluate(MEASURES, q, v)
    for motion in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        rigid = np.zeros(v.size)
        for k in range(4):
            px, py = q[3 * k : 3 * k + 2]
            rigid[3 * k : 3 * k + 3] = (motion[0] - motion[2] * py, motion[1] + motion[2] * px, motion[2])
        scale = 1.0 + np.abs(jac[BETWEEN]).max(axis=1)
        assert (np.abs(jac[BETWEEN] @ rigid) / scale).max() < 1e-13
    random = np.random.default_rng(seed + 100)
    dx, dy, phi = random.uniform(-2.0, 2.0, 3)
    c, s = math.cos(phi), math.sin(phi)
    moved, faster = q.copy(), v.copy()
    for k in range(4):
        px, py = q[3 * k : 3 * k + 2]
        ux, uy = v[3 * k : 3 * k + 2]
        moved[3 * k : 3 * k + 3] = (dx + c * px - s * py, dy + s * px + c * py, q[3 * k + 2] + phi)
        faster[3 * k : 3 * k + 2] = (c * ux - s * uy, s * ux + c * uy)
    again, _ = SCENE.evaluate(MEASURES, moved, faster, z[:, 0])
    error = np.abs(again - z)[BETWEEN] / (1.0 + np.abs(z[BETWEEN]))
    assert error.max() < 1e-12  # cosines of other angles: rounding, amplified by 1/distance in biases


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ends", [("a", "b"), ("b", "ground"), ("contact 1", "b"), ("contact 5", "contact 6")])
def test_swapping_a_and_b(ends, seed):
    every = MARKERS | TOUCHES
    a, b = every[ends[0]], every[ends[1]]
    q, v = _state(seed)

    def z(*measures):
        return [SCENE.evaluate([m], q, v)[0][0] for m in measures]

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
    a, b = SCENE.model.ground.at(), SCENE.a.at()
    q, v = SCENE.system.start.copy(), SCENE.system.speeds()
    previous, total = 0.0, []
    for turned in np.linspace(0.0, 6.0 * math.pi, 61):
        q[3:5] = math.cos(turned), math.sin(turned)
        previous = SCENE.evaluate([bearing(a, b)], q, v, [previous])[0][0, 0]
        total.append(previous)
    assert np.allclose(total, np.linspace(0.0, 6.0 * math.pi, 61), atol=1e-13)
