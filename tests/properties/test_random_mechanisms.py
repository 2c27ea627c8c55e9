"""Random linkages grown dyad by dyad: each closes by construction, has one freedom, and stays closed as it moves.

  o C                 a dyad: two links B-C and C-D between a point B of an earlier link and a new pivot D
 / \\                  (or a second earlier link); it adds two bodies and three pins, so no degree of freedom
B   D
"""

import math

import numpy as np
from hypothesis import given, settings, strategies as st

from cardan import LockUp, assemble, kinematics, mobility
from cardan.planar import Body, Distance, Driver, Model, Ramp, Revolute, RevoluteTranslational, Translational

KINDS = ("rocker", "slider", "rod", "slot")


class Growing:
    """A linkage under construction; `exact` are its closed positions, the model is stated with estimates."""

    def __init__(self, seed: int, error: float) -> None:
        self.random = np.random.default_rng(seed)
        self.error = error
        self.model = Model(f"random {seed}")
        self.exact: dict[str, tuple[float, float, float]] = {}
        phi = self.random.uniform(0.0, 2.0 * math.pi)
        self.links = [(self.body("crank", (0.0, 0.0), phi), (0.3 * math.cos(phi), 0.3 * math.sin(phi)))]
        hinge = self.model.add(Revolute(self.model.ground.at(), self.links[0][0].at()), name="crank pivot")
        self.model.add(Driver(hinge.angle, Ramp(1.0, start=phi)), name="motor")
        self.gruebler = 3 - 2  # degrees of freedom by count, drivers aside

    def body(self, name, place, phi):
        wrong = self.error * self.random.uniform(-1.0, 1.0, 3)
        if name == "crank":
            wrong[:] = 0.0
        self.exact[name] = (*place, phi)
        return self.model.add(
            Body(position=(place[0] + wrong[0], place[1] + wrong[1]), angle=phi + wrong[2]), name=name
        )

    def on(self, body, point):
        """A point of the world as a marker of a body in its exact place."""
        x, y, phi = self.exact[body.name]
        dx, dy = point[0] - x, point[1] - y
        return body.at(math.cos(phi) * dx + math.sin(phi) * dy, -math.sin(phi) * dx + math.cos(phi) * dy)

    def attach(self, kind: str) -> None:
        """A dyad from the outer end of the last link to ground. Its apex lies well off the line B-D."""
        k = len(self.links)
        before, B = self.links[-1]
        base = self.random.uniform(0.0, 2.0 * math.pi)
        D = (B[0] + 1.5 * math.cos(base), B[1] + 1.5 * math.sin(base))
        apex = base + self.random.choice([-1.0, 1.0]) * self.random.uniform(0.5, 0.9)
        C = (B[0] + 1.1 * math.cos(apex), B[1] + 1.1 * math.sin(apex))
        lean = math.atan2(C[1] - D[1], C[0] - D[0])
        ground, add = self.model.ground, self.model.add
        if kind == "rod":
            link = self.body(f"rocker {k}", D, lean)
            add(Revolute(ground.at(*D), link.at()), name=f"pivot {k}")
            add(Distance(self.on(before, B), self.on(link, C), math.dist(B, C)), name=f"rod {k}")
            self.gruebler += 3 - 2 - 1
        elif kind == "slot":
            link = self.body(f"rocker {k}", D, math.atan2(B[1] - D[1], B[0] - D[0]))
            add(Revolute(ground.at(*D), link.at()), name=f"pivot {k}")
            add(RevoluteTranslational(link.at(), self.on(before, B)), name=f"slot {k}")
            C = (D[0] + 0.4 * math.cos(lean), D[1] + 0.4 * math.sin(lean))
            self.gruebler += 3 - 2 - 1
        else:
            bar = self.body(f"bar {k}", B, apex)
            add(Revolute(self.on(before, B), bar.at()), name=f"B{k}")
            link = self.body(f"{kind} {k}", D if kind == "rocker" else C, lean)
            add(Revolute(self.on(bar, C), self.on(link, C)), name=f"C{k}")
            if kind == "rocker":
                add(Revolute(ground.at(*D), link.at()), name=f"D{k}")
            else:  # a guide through C across the bar would lock; along the base it moves well
                add(Translational(ground.at(*C, base), link.at(0.0, 0.0, base - lean)), name=f"guide {k}")
            self.gruebler += 6 - 6
        self.links.append((link, C))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
def test_random_linkage(seed, kinds):
    grown = Growing(seed, error=0.02)
    for kind in kinds:
        grown.attach(kind)
    model = grown.model
    snapshot = assemble(model)
    assert snapshot.violation < 1e-11 * max(snapshot.system.length, 1.0) * 1.01
    report = mobility(model)
    assert report.degrees_of_freedom == grown.gruebler == 1
    assert report.undriven == 0 and report.redundant == () == report.redundant_drivers
    for body in model.bodies:  # estimates 2 cm and 0.02 rad beside dyads of 1 m: the branch of the construction
        assert np.abs(snapshot.q[3 * snapshot.system.number[id(body)] :][:3] - grown.exact[body.name]).max() < 0.2
    times = np.linspace(0.0, 2.0 * math.pi, 61)
    try:
        run = kinematics(model, times)
        assert len(run) == times.size
    except LockUp as stop:  # a long chain may well lock: what was computed until then must be clean
        run = stop.partial
        assert stop.time > run.times[-1] - 1e-9 and len(run) >= 1
        assert np.count_nonzero(times < stop.time - 1e-8) <= len(run)
    assert run.violations().max() < 1e-10


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=5))
def test_coarse_and_fine_grids_agree(seed, kinds):
    """Same branch, same lock-up: whatever the grid."""
    grown = Growing(seed, error=0.0)
    for kind in kinds:
        grown.attach(kind)
    ends = []
    for count in (13, 181):
        times = np.linspace(0.0, 2.0 * math.pi, count)
        try:
            run, end = kinematics(grown.model, times), None
        except LockUp as stop:
            run, end = stop.partial, stop.time
        ends.append((run.q[:: (count - 1) // 12], end))
    (coarse, end), (fine, end_fine) = ends
    assert (end is None) == (end_fine is None)
    if end is not None:
        assert abs(end - end_fine) < 2e-9 * 2.0 * math.pi
    common = min(len(coarse), len(fine))
    # near a dead point positions depend on time like a square root: 1e-11 / sqrt(1e-9)
    assert np.abs(coarse[:common] - fine[:common]).max() < 1e-6
