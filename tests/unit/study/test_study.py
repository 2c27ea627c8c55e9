"""Studies: labeled results, failures as rows, all kinds of outputs and analyses, threads, and what is rejected."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan
from cardan import ModelError, parameter, study, tied
from cardan.examples import load
from cardan.planar import Body, Model, Spring, Translational
from cardan.study import designs, grid, random_samples
from cardan.study.result import Study
from folding import folded

TIMES = np.linspace(0.0, 0.6, 31)


def slider_crank() -> tuple[Model, Any, Any]:
    """With half its rod and half its crank as parameters."""
    model = load("slider-crank").build()
    rod = tied("rod", parameter(model, "C.a.x"), (-1.0, parameter(model, "B.b.x")))
    crank = tied("crank", parameter(model, "B.a.x"), (-1.0, parameter(model, "A.b.x")))
    return model, rod, crank


def scale() -> Model:
    model = Model("scale", gravity=(-9.81, 0.0))
    pan = model.add(Body(mass=2.0, inertia=1.0), name="pan")
    guide = model.add(Translational(model.ground.at(), pan.at()), name="guide")
    model.add(Spring(guide.travel, 100.0, rest_length=0.0), name="spring")
    return model


def test_a_grid_of_slider_cranks() -> None:
    """a = -w^2 (r + r^2/l) at the outer dead point, stroke 2 r; a rod shorter than the crank locks."""
    model, rod, crank = slider_crank()
    found = study(
        model,
        grid({rod: [0.05, 0.2, 0.3], crank: [0.08, 0.1]}),
        "kinematics",
        ["slider.ax:min", "slider.x"],
        times=TIMES,
    )
    assert len(found) == 6 and found.complete
    assert [*found.failures] == [0, 1]
    assert "locks up" in found.failures[0]
    assert np.isnan(found["slider.ax:min"][:2]).all()
    r, length = 2.0 * found["crank"][2:], 2.0 * found["rod"][2:]
    np.testing.assert_allclose(found["slider.ax:min"][2:], -100.0 * (r + r**2 / length), rtol=1e-10)
    assert "2 failed, the first because" in repr(found)
    data = found.to_xarray()
    assert data["slider.x"].dims == ("sample", "time")
    assert data.failure[5] == "" and data.failure[0] == found.failures[0]
    whole = found.to_xarray(as_grid=True)
    value = whole["slider.ax:min"].sel(rod=0.3, crank=0.1).item()
    assert value == pytest.approx(-100.0 * (0.2 + 0.04 / 0.6), rel=1e-10)
    assert found.best("slider.ax:min", largest=True)["crank"] == 0.08


def test_the_model_stays_as_it_was_stated() -> None:
    model, rod, crank = slider_crank()
    study(model, {rod: [0.2, 0.3]}, "kinematics", ["slider.x:max"], times=TIMES)
    assert rod.value == 0.25 and crank.value == 0.1


def test_outputs_of_all_kinds() -> None:
    model, rod, _ = slider_crank()
    outputs = {
        "travel": model["guide"].travel,  # type: ignore[attr-defined]
        "both": 2.0 * model["guide"].travel,  # type: ignore[attr-defined]
        "peak": ("slider.vx", "peak"),
        "drift": lambda run: run.violations().max(),
        "last": "slider.x:last",
    }
    found = study(model, {rod: [0.25, 0.3]}, "kinematics", outputs, times=TIMES)
    np.testing.assert_allclose(found["both"], 2.0 * found["travel"], rtol=1e-12)
    np.testing.assert_allclose(found["last"], found["travel"][:, -1], rtol=1e-12)
    assert (found["drift"] < 1e-10).all()
    native = study(model, {rod: [0.25, 0.3]}, "kinematics", {k: outputs[k] for k in ("both", "peak")}, times=TIMES)
    np.testing.assert_allclose(native["both"], found["both"], rtol=1e-13)
    np.testing.assert_allclose(native["peak"], found["peak"], rtol=1e-13)


def test_other_analyses_and_functions() -> None:
    """A rest at -m g/k; a function of the model in place of an analysis; a function that builds the model."""
    model = scale()
    found = study(model, {"spring.stiffness": [50.0, 100.0]}, "equilibrium", ["pan.x"])
    np.testing.assert_allclose(found["pan.x"], [-2.0 * 9.81 / 50.0, -2.0 * 9.81 / 100.0], rtol=1e-9)

    def total(model: Any) -> float:
        return float(model["pan"].mass * 2.0)

    assert study(model, {"pan.mass": [1.0, 3.0]}, total, {"twice": lambda value: value})["twice"].tolist() == [2.0, 6.0]

    def build(crank: float = 0.2, rod: float = 0.5) -> Model:
        return load("slider-crank").build(crank=crank, rod=rod)  # type: ignore[no-any-return]

    reach = study(build, {"crank": [0.1, 0.2], "C.b.x": [0.0]}, "kinematics", ["slider.x:max"], times=TIMES)
    np.testing.assert_allclose(reach["slider.x:max"], [0.6, 0.7], rtol=1e-9)
    run = study(model, {"spring.stiffness": [200.0]}, "simulate", ["pan.x"], until=0.5, output=0.1)
    assert run["pan.x"].shape == (1, 6)


def test_threads_change_no_digit() -> None:
    """Neither those of the compiled loop nor those that run ordinary analyses."""
    model, rod, crank = slider_crank()
    plan = random_samples({rod: (0.06, 0.3), crank: (0.05, 0.1)}, 300, seed=8)
    one, two = (
        study(model, plan, "kinematics", ["slider.x", "slider.ax:peak"], times=TIMES, threads=n, chunk=c)
        for n, c in ((1, 300), (2, 17))
    )
    for name in one.outputs:
        np.testing.assert_array_equal(one[name], two[name])
    assert one.failures == two.failures and one.failures
    model = scale()
    stiffness = random_samples({"spring.stiffness": (50.0, 200.0)}, 6, seed=1)
    runs = [study(model, stiffness, "equilibrium", ["pan.x"], threads=n)["pan.x"] for n in (1, 2)]
    np.testing.assert_array_equal(*runs)


def test_a_study_can_be_watched_and_interrupted() -> None:
    model, rod, _ = slider_crank()
    seen: list[int] = []
    study(model, {rod: [0.2, 0.3]}, "kinematics", ["slider.x:max"], times=TIMES, watch=lambda so_far: seen.append(1))
    assert seen == [1]
    calls = threading.Event()

    def impatient(run: Any) -> float:
        if run["slider"].position[0, 0] > 0.75:
            calls.set()
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(cardan.Interrupted, match="interrupted after 1 of 3 samples") as stop:
        study(model, {rod: [0.25, 0.3, 0.2]}, "kinematics", {"one": impatient}, times=TIMES, threads=1, chunk=1)
    assert calls.is_set() and stop.value.partial["one"][0] == 1.0
    assert stop.value.partial.failures[2] == "not computed"


def test_whatever_a_function_raises_is_a_row() -> None:
    def picky(run: Any) -> float:
        if run["slider"].position[0, 0] > 0.75:
            raise LookupError("not this one")
        return 1.0

    model, rod, _ = slider_crank()
    found = study(model, {rod: [0.25, 0.3]}, "kinematics", {"one": picky}, times=TIMES)
    assert found.failures == {1: "LookupError: not this one"} and found["one"][0] == 1.0


def test_the_package_can_be_called_like_its_function() -> None:
    import cardan.study

    model, rod, _ = slider_crank()
    found = cardan.study(model, {rod: [0.2]}, "kinematics", ["slider.x:max"], times=TIMES)  # type: ignore[operator]
    assert isinstance(found, Study)


def test_a_study_is_saved(tmp_path: Path) -> None:
    model, rod, _ = slider_crank()
    found = study(model, {rod: [0.05, 0.3]}, "kinematics", ["slider.x:max", "slider.x"], times=TIMES)
    found.save(tmp_path / "found.csv")
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert lines[0] == "sample,rod,slider.x:max,failure"
    assert "locks up" in lines[1] and float(lines[2].split(",")[2]) == pytest.approx(0.8)
    with pytest.raises(ModelError, match="found.csv' already exists"):
        found.save(tmp_path / "found.csv", overwrite=False)
    found.save(tmp_path / "found.csv")
    found.save(tmp_path / "found.nc")
    xarray = pytest.importorskip("xarray")
    assert xarray.open_dataset(tmp_path / "found.nc", engine="h5netcdf")["slider.x"].shape == (2, 31)
    with pytest.raises(ModelError, match=r"ends in \.csv"):
        found.save(tmp_path / "found.txt")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"parameters": {"rod.lenght": [1.0]}}, "no parameter"),
    ({"parameters": {"spring.stiffness": [1.0]}}, "has no parameter called 'spring.stiffness'"),
    ({"parameters": {}}, "is given no parameters"),
    ({"parameters": {"B.a.x": []}}, "the range of 'B.a.x' is empty"),
    ({"parameters": {"B.a.x": [0.1], "A.b.y": [0.1], "B.a.y": "no"}}, "must be a list of numbers"),
    ({"outputs": []}, "needs outputs"),
    ({"outputs": ["slider.q"]}, "has no column 'slider.q'; did you mean"),
    ({"outputs": ["slider.x:most"]}, "the reduction of output 'slider.x' must be"),
    ({"outputs": 3.0}, "the outputs of study"),
    ({"outputs": ["slider.x", "slider.x"]}, "two outputs of study"),
    ({"outputs": {"B.a.x": "slider.x"}}, "is a parameter and an output"),
    ({"outputs": [lambda: 1.0]}, "cannot be called with 1 arguments"),
    ({"analysis": "kinematic"}, "the analysis of study"),
    ({"times": None}, "needs output times"),
    ({"threads": 0}, "the threads of study"),
    ({"chunk": 0.5}, "the chunk of study"),
    ({"model": "slider-crank"}, "needs a model, or a function that builds one"),
    ({"model": lambda rod: None, "parameters": {"crank": [1.0]}}, "has no argument 'crank'; it has: rod"),
    ({"resume": True}, "resume=True needs the folder"),
    ({"client": "here"}, "client must be a dask.distributed.Client"),
    ({"store": 3}, "the store of study"),
    ({"watch": "slider.q"}, "cannot watch 'slider.q', which is none of its outputs: slider.x"),
    ({"outputs": {"n": lambda run: None}}, "output 'n' must be a number or an array of numbers, got None"),
    ({"outputs": {"n": lambda run: "much"}}, "output 'n' must be a number or an array of numbers, got str 'much'"),
    ({"parameters": {"B.a.x": (0.0, 1.0, 10**5), "A.b.y": (0.0, 1.0, 10**5)}}, "keep them on disk by store="),
    ({"analysis": "simulate", "times": None, "until": 0.1}, "'slider.x' has one output time per step"),
]


@folded(("change", "message"), BAD)
def test_bad_input_is_rejected(change: dict[str, Any], message: str) -> None:
    stated = {"model": load("slider-crank").build(), "parameters": {"B.a.x": [0.1]}, "outputs": ["slider.x"]}
    arguments = {**stated, "analysis": "kinematics", "times": TIMES, **change}
    if arguments["times"] is None:
        del arguments["times"]
    with pytest.raises(ModelError, match=message):
        study(arguments.pop("model"), arguments.pop("parameters"), **arguments)


def test_where_no_sample_works_the_reason_is_that_of_a_sample() -> None:
    def build(rod: float) -> Any:
        return load("slider-crank").build(rod=rod)

    with pytest.raises(cardan.SimulationError, match="none of the first 2 samples has a result: .* locks up"):
        study(build, {"rod": [0.05, 0.1]}, "kinematics", ["slider.x"], times=TIMES)


def test_a_simulated_study_has_output_times_and_units() -> None:
    found = study(scale(), {"spring.stiffness": [50.0]}, "simulate", ["pan.x", "pan.vx:max"], until=0.5, output=0.2)
    data = found.to_xarray()
    assert data.time.values.tolist() == [0.0, 0.2, 0.4, 0.5] and data["pan.x"].dims == ("sample", "time")
    assert found.units == {"pan.x": "m", "pan.vx:max": "m/s"} and data["pan.x"].attrs["units"] == "m"


def test_samples_that_elements_reject_or_that_cannot_assemble_are_rows() -> None:
    model = load("four-bar").build()
    found = study(model, designs({"A.a.x": [0.0, 50.0]}), "kinematics", ["crank.angle:last"], times=[0.0, 0.1])
    assert [*found.failures] == [1] and "does not close" in found.failures[1]
    heavy = study(scale(), {"pan.mass": [2.0, -1.0]}, "equilibrium", ["pan.x"])
    assert [*heavy.failures] == [1] and "mass" in heavy.failures[1]
