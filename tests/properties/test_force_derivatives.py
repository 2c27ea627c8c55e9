"""Stiffness and damping of every force, device and surface against the complex step, and that none is left out.

linearize() puts slopes of laws, jets of devices and dual numbers of measures together; the complex step runs all of it
as it stands, see `complex_step`. Both are exact but for rounding: 1e-10 of the largest entry.
"""

from __future__ import annotations

import numpy as np
import pytest

import cardan.planar
import cardan.spatial
from cardan.analysis.linear.equations import Equations
from cardan.analysis.linear.point import LinearizationPoint
from cardan.analysis.steady.balance import unbalanced
from cardan.model.device import Device
from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.model.space import position_pass
from cardan.model.surfaces.surface_pair import Surface
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from catalog_forces import FORCE_CASES, pressed
from catalogs import CASES, ROLLING
from complex_step import Mechanics, parts

AGREE, SAME = 1e-10, 1e-11
TIME = 0.3
# linearize() rejects what jumps; test_armature differentiates the inertia of rotors
WITHOUT_CASES = {"Impact", "Armature"}


class BodyLoad:
    """A force on bodies in motion, with accelerations and multipliers at random."""

    def __init__(self, case):
        system = self.system = compile(case.make(), forces=True, time=TIME)
        self.made, random = mechanism_tables(system), np.random.default_rng(5)
        work = system.work()

        def evaluate(q):
            position_pass(system.geometry, q, system.reference, work.frames, work.z, work.jac)
            return work.z[:, 0], work.jac

        self.q, self.v = pressed(system, system.start, evaluate), system.stated_speeds()
        self.reference = evaluate(self.q)[0].copy()
        self.a = system.speeds()
        self.a[system.width :] = random.normal(size=system.coordinates)
        self.states = system.states.start + 0.05 * system.states.scale * random.uniform(size=system.states.start.size)
        self.multipliers = 5.0 * random.normal(size=system.row_count)
        circuit = self.made.forces.circuit
        circuit.states[:], circuit.multipliers[: system.row_count] = self.states, self.multipliers
        self.made.reference[:] = self.reference
        assert unbalanced(self.made, TIME, self.q, self.v, self.a) == 0

    def equations(self):
        point = LinearizationPoint(
            *(self.system, self.made, TIME, self.q, self.v, self.a, self.reference, self.states, self.multipliers),
            *(self.made.strength.copy(), "motion", np.zeros(3), 0.0, 0.0, "", None),
        )
        return Equations(point, ())


@pytest.mark.parametrize("case", FORCE_CASES, ids=str)
def test_force(case):
    acting = BodyLoad(case)
    system, equations = acting.system, acting.equations()
    mechanics = Mechanics(system, TIME, acting.reference)
    state = acting.q, acting.v, acting.a, acting.states, acting.multipliers
    n, width = system.coordinates, system.width

    def left(**changed):
        given = dict(zip(("q", "v", "a", "states", "multipliers"), state, strict=True)) | changed
        return mechanics.balance(**given, matter=acting.made.matter)

    value = parts(left()[0])[0]
    compiled = acting.made.force[width:] - equations.J.T @ acting.multipliers
    assert np.abs(value - compiled).max() < SAME * max(1.0, np.abs(compiled).max(), np.abs(acting.made.strength).max())
    moved = [left(q=mechanics.moved(acting.q, k)) for k in range(n)]
    faster = [left(v=mechanics.faster(acting.v, width + k)) for k in range(n)]
    owned = [k for k, owner in enumerate(system.states.owner) if isinstance(owner, Device)]
    stated = [left(states=mechanics.faster(acting.states, k)) for k in owned]
    loaded = [left(multipliers=mechanics.faster(acting.multipliers, k)) for k in range(system.row_count)]
    reading, columns = equations.reading.state_rates(), equations.reading.columns.parts
    value, gradients = equations.value, equations.slopes.gradients
    by_place = reading[:, columns["value"]] @ value + reading[:, columns["rate"]] @ equations.rate
    by_speed = reading[:, columns["rate"]] @ gradients
    carry = equations.J.T + equations.E
    push = equations.push @ equations.laws[:, columns["state"]]
    near(equations.K.toarray(), moved, 0, -1.0)
    near(equations.C.toarray(), faster, 0, -1.0)
    near(push.toarray()[:, owned], stated, 0, -1.0)
    near(carry.toarray(), loaded, 0, -1.0)
    near(by_place.toarray(), moved, 1)
    near(by_speed.toarray(), faster, 1)
    near(reading[:, columns["state"]].toarray()[:, owned], stated, 1)
    near(reading[:, columns["multiplier"]].toarray(), loaded, 1)


def near(ours, columns, part, sign=1.0):
    """Each column against the complex step."""
    if columns:
        theirs = sign * np.stack([parts(column[part])[1] for column in columns], axis=1)
        size = float(np.abs(theirs).max(initial=0.0))
        assert np.abs(ours - theirs).max(initial=0.0) <= AGREE * max(size, 1e-3)


def _public(kind):
    spaces = cardan.planar, cardan.spatial
    named = {f"{s.__name__}.{n}": getattr(s, n) for s in spaces for n in s.__all__}
    return {n: c for n, c in named.items() if isinstance(c, type) and issubclass(c, kind)}


def _parts_of(model):
    """The classes of all elements, and of all that their fields hold."""
    found, waiting = set(), [*model]
    for thing in waiting:
        found.add(type(thing))
        waiting += [held for held in vars(thing).values() if isinstance(thing, Element) and isinstance(held, Surface)]
    return found


def test_every_force_device_and_surface_is_differentiated():
    """A new class of `cardan.planar` or `cardan.spatial` needs a case in `catalog_forces`, or this fails."""
    seen = set().union(*(_parts_of(case.make()) for case in FORCE_CASES))
    wanted = _public(Force) | _public(Surface)
    missing = sorted(n for n, c in wanted.items() if c not in seen and c.__name__ not in WITHOUT_CASES)
    assert not missing, f"add cases to catalog_forces that differentiate {missing}"
    assert len(wanted) > 40


def test_every_constraint_is_differentiated():
    """test_linear_derivatives runs over these cases: each class of constraint must be in one of their models."""
    seen = {type(element) for case in CASES + ROLLING for element in case.model(1)}
    missing = sorted(n for n, c in _public(Constraint).items() if c not in seen)
    assert not missing, f"add cases to the catalogs that differentiate {missing}"


def test_every_kind_of_measure_is_differentiated():
    """Kernels are selected by kinds of measures; all kinds of a space must be met by some case. Modal coordinates are
    coordinates themselves, and are tested with flexible bodies."""
    models = [case.model(1) for case in CASES + ROLLING] + [case.make() for case in FORCE_CASES]
    systems = [compile(model, forces=True, time=TIME) for model in models]
    for space in {id(s.space): s.space for s in systems}.values():
        met = {m.kind for s in systems if s.space is space for m in s.measures}
        missing = sorted(set(space.kinds) - met - {"modal"})
        assert not missing, f"no {space.name} case has measures of kind {missing}"
