"""Tables from outside are decided at the boundary: checkpoints from files, arrays of results that users replace."""

import warnings

import numpy as np
import pytest

import cardan
from cardan import CardanError, Checkpoint, ModelError, simulate
from cardan.integrators.dop853 import Tableau
from cardan.methods import Symplectic
from folding import folded
from invariants.every_result import crank, falling, oscillator, pendulum

METHODS = ["dop853", "rk5", "radau", "hht", "sampled", "partition", "symplectic", "baumgarte"]
VALUES = [10**9, -(10**9), 2**62, -1, 3]


def _run(method):
    model = pendulum() if method != "symplectic" else oscillator()
    options = {"method": Symplectic(step=0.01)} if method == "symplectic" else {}
    return model, options, simulate(model, 0.1, **({"method": method} | options))


def _goes_on(model, checkpoint, options):
    """Going on from it works, or is rejected in one sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            simulate(model, 0.12, start=checkpoint, **options)
        except CardanError as refused:
            return str(refused)
    return ""


@pytest.mark.parametrize("method", METHODS)
def test_no_number_of_a_checkpoint_leads_kernels_astray(method, tmp_path):
    """Every whole number of a checkpoint is replaced by others, as whoever writes such a file might."""
    model, options, run = _run(method)
    run.checkpoint.save(tmp_path / "a.npz")
    whole = Checkpoint.load(tmp_path / "a.npz")
    assert _goes_on(model, whole, options) == ""
    for name, array in whole.numbers.items():
        if array.dtype.kind not in "iu" or name in ("fingerprint", "functions"):
            continue
        for place in range(array.size):
            for value in VALUES[: None if array.dtype.kind == "i" else 1]:
                changed = array.copy()
                changed.reshape(-1)[place] = value if array.dtype.kind == "i" else 7
                _goes_on(
                    model, Checkpoint(whole.model, whole.method, whole.time, whole.numbers | {name: changed}), options
                )


@folded(
    "change",
    [
        lambda numbers: numbers | {"stepper.y": numbers["stepper.y"][:-1]},
        lambda numbers: numbers | {"stepper.y": np.full_like(numbers["stepper.y"], np.nan)},
        lambda numbers: numbers | {"stepper.y": numbers["stepper.y"].astype(complex)},
        lambda numbers: numbers | {"stepper.y": numbers["stepper.y"].astype(str)},
        lambda numbers: numbers | {"stepper.clock.now": np.array(np.nan)},
        lambda numbers: numbers | {"choice": np.zeros(1)},
        lambda numbers: numbers | {"functions": 3},
        lambda numbers: numbers | {"functions": np.zeros((2, 2))},
        lambda numbers: numbers | {"fingerprint": None},
        lambda numbers: [],
        lambda numbers: numbers | {"choice": numbers["choice"] * np.nan},
        lambda numbers: {name: value for name, value in numbers.items() if name != "stepper.direction"},
        lambda numbers: {name: value for name, value in numbers.items() if name != "stepper.counters.steps"},
        lambda numbers: {},
    ],
)
def test_tables_that_do_not_fit_are_rejected(change):
    model, _, run = _run("dop853")
    whole = run.checkpoint
    with pytest.raises(ModelError, match="checkpoint"):
        changed = Checkpoint(whole.model, whole.method, whole.time, change(dict(whole.numbers)))
        simulate(model, 0.12, start=changed)


def test_constants_of_a_method_are_no_part_of_a_checkpoint():
    """A file must not change the coefficients with which all later runs are integrated."""
    model, _, run = _run("dop853")
    constants = [f"{path}{name}" for path in ("memory.", "memory.tableau.") for name in Tableau._fields]
    assert not set(constants) & set(run.checkpoint.numbers)
    changed = run.checkpoint.numbers | dict.fromkeys(constants, np.zeros((16, 16)))
    expected = simulate(model, 0.1).q[-1].tolist()
    _goes_on(model, Checkpoint(run.checkpoint.model, run.checkpoint.method, run.checkpoint.time, changed), {})
    assert simulate(model, 0.1).q[-1].tolist() == expected


@pytest.mark.parametrize("build", [pendulum, falling], ids=["plane", "space"])
@pytest.mark.parametrize("name", ["q", "v", "a", "turns", "states"])
def test_arrays_of_results_keep_their_shape(build, name):
    run = simulate(build(), 0.05, output=0.01)
    table = getattr(run, name)
    for other in (table[:, :-1], table[:-1], table[0], np.hstack([table, table[:, :1], table[:, :1]]), "none", None):
        if np.shape(other) == table.shape:
            continue
        with pytest.raises(ModelError, match=f"'{name}' of this Simulation must be numbers of shape"):
            setattr(run, name, other)
    if table.size:
        table.shape = (table.size, 1)  # in place
        with pytest.raises(ModelError, match=f"'{name}' of this Simulation must be numbers of shape"):
            _ = run.violations() if name != "a" else run.a
    moment = simulate(build(), 0.05, output=0.01).at(0.02)
    with pytest.raises(ModelError, match=f"'{name}' of this Snapshot"):
        setattr(moment, name, np.zeros(1000))


def test_arrays_of_forces_keep_their_shape():
    run = cardan.inverse_dynamics(crank(), [0.0, 0.1])
    with pytest.raises(ModelError, match="'multipliers' of this Loads must be"):
        run.loads.multipliers = run.loads.multipliers[:, :1]
    run.times = run.times[:1]
    with pytest.raises(ModelError, match="'q' of this Trajectory must be"):
        run.violations()
