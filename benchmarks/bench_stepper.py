"""Steps of a six-axis arm with PID controllers, set point by set point, in steps of 1 ms.

python benchmarks/bench_stepper.py [STEPS] [cpu]         cpu: CPU time, on a machine that also does other work

`bare` is the same compiled step called from a compiled loop: the difference is what Python adds to each step.
"""

from __future__ import annotations

import sys
from time import perf_counter, thread_time

import numpy as np

from cardan import stepper
from cardan.analysis.stepping.kernels import take_steps
from cardan.integrators.stepper import FINISHED
from cardan.spatial import PID, Actuator, Body, Model, Revolute

LENGTHS = (0.4, 0.5, 0.2, 0.3, 0.1, 0.1)
MASSES = (12.0, 9.0, 6.0, 3.0, 1.5, 0.8)
AXES = ("z", "y", "y", "z", "y", "z")
KP = (900.0, 1500.0, 600.0, 80.0, 60.0, 10.0)
KI = (300.0, 500.0, 200.0, 20.0, 20.0, 3.0)
KD = (120.0, 200.0, 60.0, 4.0, 3.0, 0.3)
STEP = 1e-3


def arm() -> Model:
    """Six links, each 0.1 to 0.5 m long, on hinges about z, y, y, z, y, z, each with a PID controller."""
    model = Model("six-axis arm", gravity=(0.0, 0.0, -9.81))
    below, top = model.ground, 0.0
    for k, (length, mass, axis) in enumerate(zip(LENGTHS, MASSES, AXES, strict=True)):
        sideways = mass * length**2 / 12.0 + 2e-3 * mass
        place = (0.0, 0.0, sum(LENGTHS[:k]) + 0.5 * length)
        link = model.add(
            Body(mass=mass, inertia=(sideways, sideways, 2e-3 * mass), position=place), name=f"link{k + 1}"
        )
        along = (0.0, 1.0, 0.0) if axis == "y" else (0.0, 0.0, 1.0)
        lower, upper = (body.at(0.0, 0.0, z, z=along, x=(1, 0, 0)) for body, z in ((below, top), (link, -0.5 * length)))
        hinge = model.add(Revolute(lower, upper), name=f"axis{k + 1}")
        pid = model.add(PID(hinge.angle, setpoint=0.0, kp=KP[k], ki=KI[k], kd=KD[k]), name=f"pid{k + 1}")
        model.add(Actuator(hinge.angle, pid), name=f"motor{k + 1}")
        below, top = link, 0.5 * length
    return model


def set_points(steps: int) -> np.ndarray:
    """Slow sines, one row per step."""
    times = STEP * np.arange(steps)[:, None]
    speeds = np.array([0.7, 0.5, 0.9, 1.1, 1.3, 1.7])
    return 0.4 * np.sin(times * speeds)


def main() -> None:
    clock = thread_time if "cpu" in sys.argv[1:] else perf_counter
    steps = next((int(word) for word in sys.argv[1:] if word != "cpu"), 20_000)
    for coordinates in ("joint", "cartesian"):
        model = arm()
        inputs = [f"pid{k}.setpoint" for k in range(1, 7)]
        outputs = [f"axis{k}.angle" for k in range(1, 7)]
        sim = stepper(model, inputs, outputs, coordinates=coordinates, rtol=1e-6)
        rows = set_points(steps)
        found = np.zeros((steps, 6))
        take_steps(sim.station, STEP, rows[:10], found[:10])
        sim.step(STEP)
        sim.reset()
        begun = clock()
        status, done = take_steps(sim.station, STEP, rows, found)
        assert status == FINISHED, f"step {done} returned {status}"
        bare = (clock() - begun) / done
        inner = int(sim._run.stepper.counters.steps) / done
        sim.reset()
        durations = np.zeros(steps)
        last = clock()
        for k in range(steps):
            sim.inputs[:] = rows[k]
            sim.step(STEP)
            now = clock()
            durations[k], last = now - last, now
        same = np.array_equal(sim.outputs, found[-1])
        print(
            f"{coordinates:9s}  bare {1e6 * bare:6.1f} us   from Python {1e6 * durations.mean():6.1f} us   ratio "
            f"{durations.mean() / bare:.3f}   overhead {1e6 * (durations.mean() - bare):5.1f} us   worst "
            f"{1e6 * durations.max():7.1f} us   99.99 % {1e6 * np.quantile(durations, 0.9999):6.1f} us   "
            f"{inner:.2f} steps inside   {'same bits' if same else 'OTHER BITS'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
