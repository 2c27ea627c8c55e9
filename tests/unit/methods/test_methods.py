"""Methods are values: validated options, shorthands, old arguments of simulate()."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest

import cardan
from cardan import HHT, GeneralizedAlpha, ModelError, Radau, RungeKutta, Symplectic, simulate
from cardan.integrators.scheme import SCHEMES
from cardan.methods import SHORTHANDS, Auto, Bdf, Dop853, SampledAdams, method_of
from cardan.methods.historical import HIGHEST_ORDER, Baumgarte, Direct, Hybrid, Partitioning
from cardan.planar import Body, Model, Revolute

EVERY = [*SHORTHANDS.values(), Symplectic(step=0.01)]


def pendulum() -> Model:
    model = Model("pendulum", gravity=(0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=(1.0, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    return model


def test_methods_are_the_schemes_that_exist() -> None:
    names = {method.name for method in EVERY}
    assert names == {*SCHEMES, "auto", "bdf"}
    assert all(method.scheme in SCHEMES for method in EVERY)


def test_defaults_are_those_of_the_integrators() -> None:
    from cardan.integrators.historical import adams
    from cardan.integrators.symplectic import HALVES

    assert HIGHEST_ORDER == adams.HIGHEST_ORDER
    for order in HALVES:
        assert Symplectic(step=0.1, order=order).order == order
    assert Partitioning().highest_order == 12 and Partitioning(step=0.1).highest_order == 4


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_values(method) -> None:
    assert pickle.loads(pickle.dumps(method)) == method == eval(repr(method))
    assert hash(method) == hash(eval(repr(method)))
    with pytest.raises(AttributeError):
        method.max_step = 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GeneralizedAlpha(rho=1.5), "rho of GeneralizedAlpha must lie between 0 and 1, got 1.5"),
        (lambda: HHT(alpha=0.1), "alpha of HHT must lie between -0.3333 and 0, got 0.1"),
        (lambda: HHT(step=0.1, max_step=0.2), "HHT takes step, the length of all steps, or max_step, not both"),
        (lambda: Symplectic(step=0.1, order=3), "order of Symplectic must be 2, 4, 6 or 8, got 3"),
        (lambda: Symplectic(step=0.1, max_step=1.0), "has no max_step"),
        (lambda: RungeKutta(order=4), "order of RungeKutta must be 3 or 5, got 4"),
        (lambda: Baumgarte(alpha=0.0), "alpha of Baumgarte must be positive, got 0"),
        (lambda: Direct(order=13), "order of Direct must be 12 at most, got 13"),
        (lambda: Radau(max_step=-1.0), "max_step of Radau must be positive, got -1"),
        (lambda: Radau(maxstep=1.0), "Radau has no argument 'maxstep'; did you mean 'max_step'?"),
        (lambda: method_of(Radau, "method"), "method must be an object, got the class Radau"),
        (lambda: method_of("symplectic", "method"), "needs the length of its steps"),
        (lambda: method_of("rk4", "method"), "method must be 'auto', "),
        (lambda: method_of(3, "method"), "method must be a method such as Radau.., or a text, got int 3"),
    ],
)
def test_bad_options(make, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_shorthands_say_the_same() -> None:
    one, two = (simulate(pendulum(), 0.5, method=method) for method in ("radau", Radau()))
    assert np.array_equal(one.q, two.q) and one.options["method"] == Radau()


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("hht", {"step": 0.01, "alpha": -0.2}, HHT(step=0.01, alpha=-0.2)),
        ("generalized-alpha", {"step": 0.01, "rho": 0.5}, GeneralizedAlpha(step=0.01, rho=0.5)),
        ("symplectic", {"step": 0.01, "order": 2}, Symplectic(step=0.01, order=2)),
        ("auto", {"step": 0.01}, Auto(max_step=0.01)),
        ("baumgarte", {"alpha": 2.0, "beta": 3.0}, Baumgarte(alpha=2.0, beta=3.0)),
        ("hybrid", {"step": 0.01}, Hybrid(max_step=0.01)),
        ("direct", {"step": 0.01, "fixed": True, "order": 3}, Direct(step=0.01, order=3)),
    ],
)
def test_old_arguments_work_with_a_warning(method: str, old: dict, new) -> None:
    with pytest.warns(DeprecationWarning, match="write method="):
        before = simulate(pendulum(), 0.1, method=method, **old)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        after = simulate(pendulum(), 0.1, method=new)
    assert np.array_equal(before.q, after.q) and before.options["method"] == new


def test_an_option_beside_an_object() -> None:
    with pytest.raises(ModelError, match="is HHT.step=0.1.: state alpha there"):
        simulate(pendulum(), 1.0, method=HHT(step=0.1), alpha=-0.1)


def test_simulate_has_one_meaning_per_argument() -> None:
    taken = inspect.signature(simulate).parameters
    assert not {"step", "fixed", "order", "rho", "alpha", "beta"} & set(taken)


def test_names_of_the_package() -> None:
    for kind in (Auto, Bdf, Dop853, RungeKutta, SampledAdams, Radau, GeneralizedAlpha, HHT, Symplectic):
        assert getattr(cardan, kind.__name__) is kind and kind.__name__ in cardan.__all__
