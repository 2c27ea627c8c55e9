"""A vehicle of 18 bodies on four tires: 10 s of a double lane change at 25 m/s, and what its driver costs.

The model is the example `vehicle`: wishbones, rack, springs, torsion bars, tires with relaxation, and a driver who
looks ahead, a user's Python function. Its lateral error is that against a run at rtol 1e-9, at 101 instants. The price
of the driver is found by a car whose rack is drawn along the same way by a spline over time instead of the function;
a third car has the same driver as an object that Python must call, once in a millisecond.
Times are CPU times of whole calls of simulate(), after a first one that compiles; the kernel's part is stated beside.

All figures are judged on runs at one tolerance, rtol 1e-4: the error is a thousandth of what is asked, 1e-3 would save
a tenth of the plain run's time, and 1e-6 takes four tenths more. A sampled run goes from sample to sample at any of
them, so that its price, as a ratio, is highest where the plain run is hasty, and where its formula fails at last. What
it is at other tolerances is shown, and not judged.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from timing import at_least, at_most, conclude, interleaved, table

from cardan import simulate
from cardan.examples.vehicles import vehicle
from cardan.spatial import Model, Sampled, Servo, Spline, Spring, angle, x, y

UNTIL = 10.0
OUTPUT = np.linspace(0.0, UNTIL, 101)
RTOL = 1e-4  # what the figures are taken at
OTHERS = (1e-3, 1e-6, 1e-8)  # at which the price of samples is shown
LADDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
REPETITIONS, FEW = 9, 5


def main() -> None:
    car = vehicle.build()
    fine = run(car, 1e-9)
    lines = []
    for rtol in LADDER:
        begun = time.process_time()
        coarse = run(car, rtol)
        seconds = time.process_time() - begun
        count = coarse.stats
        lines.append([f"{rtol:g}", count.steps, count.evaluations, seconds, count.seconds, error(coarse, fine)])
    table("double lane change, 10 s", ["rtol", "steps", "evaluations", "CPU s", "kernel s", "error mm"], lines)
    rails = along_a_spline(fine)
    sampled = called_by_python()
    cars = {"driver": car, "spline": rails, "sampled": sampled}
    medians = interleaved({name: partial(run, model, RTOL) for name, model in cars.items()}, REPETITIONS)
    per = {
        name: medians[name] / run(model, RTOL).stats.evaluations for name, model in (("driver", car), ("spline", rails))
    }
    print(f"\nlateral position by the spline is off by {error(run(rails, RTOL), fine):.3g} mm")
    verdicts = [
        at_least(f"times faster than real time, rtol {RTOL:g}", UNTIL / medians["driver"], 20.0),
        at_most("lateral error", error(run(car, RTOL), fine), 1.0, " mm"),
        at_most("run with the driver's function over run with a spline", medians["driver"] / medians["spline"], 1.1),
        at_most("the same for one evaluation", per["driver"] / per["spline"], 1.1),
        at_most(
            "run with a driver in the interpreter at 1 kHz over the first", medians["sampled"] / medians["driver"], 2.0
        ),
        at_most("its lateral error", error(run(sampled, RTOL), run(sampled, 1e-8)), 1.0, " mm"),
    ]
    _at_other_tolerances(car, sampled)
    conclude(verdicts)


def _at_other_tolerances(car: Model, sampled: Model) -> None:
    """The price of a driver in the interpreter, shown."""
    lines = []
    for rtol in OTHERS:
        pair = {"plain": partial(run, car, rtol), "sampled": partial(run, sampled, rtol)}
        medians = interleaved(pair, FEW)
        evaluations = [run(model, rtol).stats.evaluations for model in (car, sampled)]
        lines.append([f"{rtol:g}", *medians.values(), *evaluations, medians["sampled"] / medians["plain"]])
    head = ["rtol", "CPU s, plain", "sampled", "evaluations, plain", "sampled", "ratio"]
    table("a driver in the interpreter at 1 kHz", head, lines)


def run(model: Model, rtol: float) -> Any:
    return simulate(model, UNTIL, output=OUTPUT, rtol=rtol, progress=False)


def error(coarse: Any, fine: Any) -> float:
    """The greatest difference in y of the chassis, in mm."""
    return 1e3 * float(np.abs(coarse["chassis"].position[:, 1] - fine["chassis"].position[:, 1]).max())


def along_a_spline(fine: Any) -> Model:
    """The same car, the wanted travel of its rack stated over time."""
    often = simulate(fine.model, UNTIL, output=0.02, rtol=1e-8, progress=False)
    force = often[often.model["steering"].device].value
    car = vehicle.build(steer=None)
    gear = Spring(car["rack guide"].travel, rest_length=0.0, force=Spline(often.times, force), **vehicle.GEAR)
    car.add(gear, name="steering")
    return car


class Driver:
    """The driver as an object with a memory, which cannot be compiled."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def reset(self) -> None:
        self.seen = []

    def __call__(self, ahead: float, aside: float, yaw: float) -> float:
        self.seen = [ahead, aside, yaw]
        return vehicle.look_ahead(*self.seen)


def called_by_python() -> Model:
    """The same car, its driver asked once in a millisecond."""
    car = vehicle.build(steer=None)
    chassis = car["chassis"].at()
    seen = [x(chassis), y(chassis), angle(car.ground.at(), chassis)]
    driver = car.add(Sampled(Driver(), seen, ["travel"], period=1e-3, compiled=False), name="driver")
    car.add(Servo(car["rack guide"].travel, driver["travel"], **vehicle.GEAR), name="steering")
    return car


if __name__ == "__main__":
    main()
