"""A model that is simulated again starts from kept tables: with the same bits, unless anything has changed."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from cardan import simulate
from cardan.analysis.forward import simulate as module
from cardan.numerics.compiled.jit import COMPILED
from cardan.planar import Body, Load, Model, Revolute
from falling_linkages import four_bar, slider_crank, spatial_slider_crank

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compilation nothing is kept")


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The models of runs that were prepared from scratch."""
    found: list[Any] = []

    def counted(model: Any, *arguments: Any, **named: Any) -> Any:
        found.append(model)
        return original(model, *arguments, **named)

    original = module.prepared_run
    monkeypatch.setattr(module, "prepared_run", counted)
    return found


def _numbers(run: Any) -> dict[str, np.ndarray]:
    found = {name: getattr(run, name) for name in ("times", "q", "v", "a", "work", "turns", "steps")}
    found |= {f"checkpoint {name}": numbers for name, numbers in run.checkpoint.numbers.items()}
    return found | {"energy": run.energy.total, "multipliers": run.loads.multipliers}


@pytest.mark.parametrize("make", [four_bar, slider_crank, spatial_slider_crank])
@pytest.mark.parametrize("method", ["auto", "radau"])
def test_the_third_run_has_the_bits_of_the_first_and_prepares_nothing(
    make: Any, method: str, prepared: list[Any]
) -> None:
    model = make()
    runs = [simulate(model, 0.2, output=0.02, method=method, progress=False) for _ in range(4)]
    assert len(prepared) == 2
    first = _numbers(runs[0])
    for run in runs[1:]:
        for name, numbers in _numbers(run).items():
            assert numbers.tobytes() == first[name].tobytes(), name
        assert run.model is model
        assert run.stats.evaluations == runs[0].stats.evaluations
        assert run.stats.notes == runs[0].stats.notes
    assert len({id(run.system.geometry) for run in runs}) == 4
    longer = simulate(model, 0.3, method=method, progress=False)
    assert len(prepared) == 2
    assert longer.times[-1] == 0.3
    assert _numbers(runs[3])["q"].tobytes() == first["q"].tobytes()


def test_further_runs_continue_and_read_like_the_first() -> None:
    model = four_bar()
    runs = [simulate(model, 0.2, progress=False) for _ in range(3)]
    later = [simulate(model, 0.4, start=run.checkpoint, progress=False).q[-1] for run in runs]
    assert later[0].tobytes() == later[2].tobytes()
    assert runs[0].at(0.15).q.tobytes() == runs[2].at(0.15).q.tobytes()


def test_a_changed_model_and_other_settings_start_anew(prepared: list[Any]) -> None:
    model = four_bar()
    for _ in range(3):
        before = simulate(model, 0.1, output=0.1, progress=False)
    assert len(prepared) == 2
    simulate(model, 0.1, output=0.1, rtol=1e-6, progress=False)
    assert len(prepared) == 3
    model.gravity = (0.0, -1.62)
    on_the_moon = simulate(model, 0.1, output=0.1, progress=False)
    assert len(prepared) == 4
    fresh = four_bar()
    fresh.gravity = (0.0, -1.62)
    assert on_the_moon.q.tobytes() == simulate(fresh, 0.1, output=0.1, progress=False).q.tobytes()
    assert not np.array_equal(on_the_moon.q, before.q)


def test_functions_of_the_user_are_not_kept(prepared: list[Any]) -> None:
    model = four_bar()
    strength = [1.0]
    model.add(Load(model["coupler"].at(), (lambda t: strength[0], 0.0)), name="load")
    for _ in range(3):
        simulate(model, 0.05, output=0.05, progress=False)
    assert len(prepared) == 3


def test_each_run_warns() -> None:
    model = Model("far away", gravity=(0.0, -9.81))
    bob = model.add(Body(mass=1.0, inertia=0.1, position=(1e7, 0.0)), name="bob")
    model.add(Revolute(model.ground.at(1e7 - 1.0, 0.0), bob.at(-1.0, 0.0)), name="pin")
    for _ in range(4):
        with pytest.warns(UserWarning, match="from the origin"):
            simulate(model, 0.01, output=0.01, progress=False)


def test_a_model_is_freed() -> None:
    model = four_bar()
    for _ in range(3):
        simulate(model, 0.05, output=0.05, progress=False)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_threads_share_nothing() -> None:
    model = four_bar()
    found: list[bytes] = []

    def run() -> None:
        found.extend(simulate(model, 0.2, output=0.05, progress=False).q.tobytes() for _ in range(5))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert len(set(found)) == 1
