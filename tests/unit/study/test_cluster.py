"""Studies on a dask cluster of two workers: the same numbers, and a worker that is killed loses nothing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardan import parameter, study, tied
from cardan.examples import load
from cardan.study import open_study, random_samples

distributed = pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).parent))
from growing import SAMPLES, grow  # noqa: E402
from test_store import assert_whole  # noqa: E402

TIMES = np.linspace(0.0, 0.6, 21)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers in processes of their own, which find what these tests find."""
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **options) as cluster, distributed.Client(cluster) as found:
        yield found


def test_numbers_do_not_depend_on_where_they_are_computed(client: Any) -> None:
    model = load("slider-crank").build()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    plan = random_samples({rod: (0.08, 0.3), "motor.motion.rate": (5.0, 20.0)}, 90, seed=6)
    slider = model["slider"]
    outputs = {"x": "slider.x", "peak": "slider.ax:peak"}
    here, there = (study(model, plan, "kinematics", outputs, times=TIMES, chunk=20, client=c) for c in (None, client))
    for name in outputs:
        np.testing.assert_array_equal(here[name], there[name])
    assert here.failures == there.failures and here.failures
    # a function of the result goes along with what it refers to
    few = random_samples({rod: (0.2, 0.3)}, 4, seed=6)
    far = study(
        model, few, "kinematics", {"far": lambda run: run[slider].position[:, 0].max()}, times=TIMES, client=client
    )
    np.testing.assert_allclose(far["far"], 0.2 + 2.0 * far["rod"], rtol=1e-10)


def test_equilibria_linearizations_and_forces_on_workers(client: Any) -> None:
    lamp = load("lamp-equilibrium").build()
    weights = random_samples({"gravity.y": (-10.0, -9.0)}, 40, seed=2)
    crank = load("slider-crank-forces").build()
    rates = random_samples({"gravity.y": (-10.0, -9.0)}, 40, seed=2)
    asked: list[tuple[Any, Any, str, str, dict[str, Any]]] = [
        (lamp, weights, "equilibrium", f"{lamp.bodies[0].name}.angle", {}),
        (lamp, weights, "linearize", "frequencies", {"at": "equilibrium"}),
        (crank, rates, "inverse_dynamics", f"{crank.bodies[0].name}.ax", {"times": TIMES}),
    ]
    for model, plan, analysis, output, options in asked:
        here, there = (study(model, plan, analysis, output, chunk=10, client=c, **options) for c in (None, client))
        np.testing.assert_array_equal(here[output], there[output])
        assert not here.failures and not there.failures


def test_a_worker_that_is_killed_loses_nothing(client: Any, tmp_path: Path) -> None:
    store = tmp_path / "arms"
    killed: list[int] = []

    def kill() -> None:
        while len([*store.glob("part-*.nc")]) < 3:
            time.sleep(0.01)
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        killed.append(len([*store.glob("part-*.nc")]))

    hunter = threading.Thread(target=kill)
    hunter.start()
    grow(store, pause=0.1, client=client)
    hunter.join()
    assert killed and killed[0] < SAMPLES // 3
    assert_whole(store)


def test_a_client_that_is_gone_leaves_a_study_that_goes_on(client: Any, tmp_path: Path) -> None:
    """It ends in the middle; the study is resumed on threads, without the cluster."""
    store = tmp_path / "arms"

    class Gone(Exception):
        pass

    def leave(so_far: Any) -> None:
        raise Gone

    with pytest.raises(Gone):
        grow(store, pause=0.2, client=client, watch=leave)
    assert 0 < len([*open_study(store).chunks()]) < SAMPLES // 3
    grow(store, pause=0.0, resume=True)
    assert_whole(store)
