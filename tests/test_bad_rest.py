"""Equilibria and initial states that do not exist or cannot be found: refused in one sentence that names the reason."""

from __future__ import annotations

import math

import pytest

from bad_input import one_sentence
from cardan import AssemblyError, CardanError, ModelError, SimulationError, assemble, equilibrium, equilibrium_path
from cardan.planar import Action, Body, Distance, Load, Model, Revolute, Spring, Torque, Translational, length, y
from cardan.spatial import Body as Body3, Model as Model3, Revolute as Revolute3, Torque as Torque3
from folding import folded

G = 9.81


class Bench:
    """A pendulum of 1 kg in gravity."""

    def __init__(self) -> None:
        self.model = Model("bench", gravity=(0, -G))
        self.arm = self.model.add(Body(mass=1.0, inertia=0.1, center=(0.5, 0), angle=-1.0), name="arm")
        self.hinge = self.model.add(Revolute(self.model.ground.at(), self.arm.at()), name="hinge")

    def loose(self, **stated):
        return self.model.add(Body(mass=1.0, inertia=0.1, **stated), name="loose")


def spatial_torque(_):
    model = Model3("shaft")
    shaft = model.add(Body3(mass=1.0, inertia=(1, 1, 1)), name="shaft")
    model.add(Revolute3(model.ground.at(), shaft.at()), name="hinge")
    model.add(Torque3(shaft.at(), (0, 0, 1.0)), name="culprit")
    return equilibrium(model, "energy")


def swept(b):
    """Nothing holds it against a force that has no potential: method='energy' would reject it."""
    loose = b.model.add(Body(1.0, 1.0), name="loose")
    b.model.add(Load(loose.at(1.0, 0.0), (0.0, 3.0), frame="body"), name="jet")
    equilibrium(b.model, "newton")


def sliding(b):
    block = b.loose(position=(0, 1))
    b.model.add(Translational(b.model.ground.at(0, 1, angle=0.3), block.at(0, 0, angle=0.3)), name="slope")
    return equilibrium(b.model)


def falling(b, method="energy"):
    b.loose(position=(1, 1))
    return equilibrium(b.model, method)


def spinning(b):
    b.model.gravity = (0.0, 0.0)
    b.model.add(Torque(b.arm.at(), 2.0), name="motor")
    return equilibrium(b.model)


def pushed(b, function, of=(), method="energy"):
    b.model.add(Action(b.hinge.angle, function, of=of), name="culprit")
    return equilibrium(b.model, method)


def nan(z):
    return math.nan * z


def raises(z):
    return math.sqrt(-1.0 - z * z)


def open_joint(b):
    b.model.add(Distance(b.model.ground.at(5, 0), b.arm.at(1, 0), 1.0), name="rod")
    return equilibrium(b.model)


def other_start(b):
    model = Model("other")
    model.add(Body(mass=1.0, inertia=1.0), name="wheel")
    return equilibrium(b.model, start=assemble(model))


def path(b, load, *factors, **options):
    b.model.add(Load(b.arm.at(1, 0), (1.0, 0.0)), name="pull")
    load = b.model["pull"] if load is None else load
    return equilibrium_path(b.model, load, *factors, **options)


CASES = [
    (lambda b: equilibrium("bench"), ModelError, ("model", "equilibrium()", "bench")),
    (lambda b: equilibrium(b.model, "minimum"), ModelError, ("method", "'energy'", "'newton'", "minimum")),
    (lambda b: equilibrium(b.model, None), ModelError, ("method", "None")),
    (lambda b: equilibrium(b.model, starts=0), ModelError, ("starts", "0")),
    (lambda b: equilibrium(b.model, starts=2.5), ModelError, ("starts", "2.5")),
    (lambda b: equilibrium(b.model, seed=-1), ModelError, ("seed", "-1")),
    (lambda b: equilibrium(b.model, seed="x"), ModelError, ("seed", "'x'")),
    (lambda b: equilibrium(b.model, tolerance=0.0), ModelError, ("tolerance", "0")),
    (lambda b: equilibrium(b.model, time=math.nan), ModelError, ("time", "nan")),
    (lambda b: equilibrium(b.model, start=b.arm), ModelError, ("start", "Snapshot", "arm")),
    (lambda b: equilibrium(Model("empty")), ModelError, ("'empty'", "no body")),
    (other_start, ModelError, ("another model", "'other'", "'bench'")),
    (falling, SimulationError, ("'bench'", "no equilibrium", "'loose'", "falls away", "holds it")),
    (sliding, SimulationError, ("'bench'", "no equilibrium", "'loose'", "falls away")),
    (lambda b: swept(b), SimulationError, ("Newton", "'bench'", "method='settle'")),
    (lambda b: falling(b, "newton"), SimulationError, ("Newton", "'bench'", "y of 'loose'", "method='energy'")),
    (spinning, SimulationError, ("'bench'", "no equilibrium", "'arm'", "rotates without end")),
    (open_joint, AssemblyError, ("does not close", "'rod'")),
    (lambda b: pushed(b, nan), SimulationError, ("Action 'culprit'", "no finite force", "'bench'", "t = 0 s")),
    (lambda b: pushed(b, raises), SimulationError, ("Action 'culprit'", "raised", "'bench'")),
    (lambda b: pushed(b, nan, method="newton"), SimulationError, ("Action 'culprit'", "no finite force")),
    (
        lambda b: pushed(b, lambda u: u, (y(b.arm.at(1, 0)),)),
        ModelError,
        ("'culprit'", "no potential", "other measures"),
    ),
    (lambda b: path(b, b.hinge), ModelError, ("load", "Force", "'gravity'")),
    (lambda b: path(b, "weight"), ModelError, ("load", "'weight'", "'gravity'")),
    (lambda b: path(b, None, (1.0, 1.0)), ModelError, ("factors", "differ", "1")),
    (lambda b: path(b, None, (1.0,)), ModelError, ("factors", "2 numbers")),
    (lambda b: path(b, None, (0.0, 1.0), step=0.0), ModelError, ("step", "0")),
    (lambda b: path(b, None, (0.0, 1.0), points=0), ModelError, ("points", "0")),
    (lambda b: path(b, Spring(b.hinge.angle, 1.0, rest_angle=0.0)), ModelError, ("Spring", "not part of model")),
    (spatial_torque, ModelError, ("Torque 'culprit'", "no potential", "method='newton'")),
]


@folded("number", range(len(CASES)))
def test_rejected(number):
    state, kind, words = CASES[number]
    with pytest.raises(kind) as caught:
        state(Bench())
    message = str(caught.value)
    one_sentence(message)
    assert not [word for word in words if word not in message], message


def test_follower_load_has_no_potential():
    bench = Bench()
    bench.model.add(Load(bench.arm.at(1, 0), (0, 1.0), frame="body"), name="jet")
    with pytest.raises(ModelError, match="Load 'jet' has no potential energy: its direction rotates") as caught:
        equilibrium(bench.model, "energy")
    assert caught.value.elements == ("jet",)


def test_gravity_that_is_not_there():
    bench = Bench()
    bench.model.gravity = (0.0, 0.0)
    with pytest.raises(ModelError, match="'bench' has none"):
        equilibrium_path(bench.model, "gravity")


def test_what_is_wrong_has_a_name_and_a_time():
    bench = Bench()
    bench.model.add(Spring(length(bench.model.ground.at(1, 1), bench.arm.at(1, 0)), law=nan), name="culprit")
    with pytest.raises(CardanError) as caught:
        equilibrium(bench.model, time=0.25)
    assert caught.value.elements == ("culprit",) and caught.value.time == 0.25
