"""Linearized vehicles: the bicycle benchmark and a truck in its turn.

*Bicycle*: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and
steer of a bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007). *Trom*: his truck is lost; one of plausible
data, stated here, is compared with simulations.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import cardan.spatial as deep
from cardan import linearize, simulate, steady_motion
from verification import bicycle
from verification.manual import Within, digits, rounding

G = 9.81
BENCHMARK = "Meijaard et al."
BALANCE = [0, 1, 7, 8]  # lean, steer and their rates among ten states
LEVEL = {"z": (0, 1, 0), "x": (1, 0, 0)}  # axes of an axle

# M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), printed with 14 decimals
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


@pytest.mark.parametrize("speed", [0.5, 5.0, 8.0])
def test_bicycle(record, speed):
    """Whipple's bicycle with the benchmark's data: two wheels that roll, a frame with its rider, a fork.

    Seven displacements, three rates. In lean and steer (to the left, where the source counts to the right) the
    equations are those printed, coefficient by coefficient. Between 4.292 and 6.024 m/s all of it is stable.
    """
    linear = _lean_and_steer(speed)
    counts = (linear.displacements, linear.rates)
    record.fact("displacements and rates", counts, (7, 3), BENCHMARK, "statement")
    left = np.diag([1.0, -1.0])
    ours = linear.A[7:9][:, BALANCE]
    at_rest, moving = G * K0 + speed**2 * K2, speed * C1
    theirs = [-left @ np.linalg.solve(M, part) @ left for part in (at_rest, moving)]
    what = f"coefficients of lean and steer at {speed:g} m/s"
    record(what, ours, np.hstack(theirs), rounding(1000), BENCHMARK)
    found = linear.eigenvalues()
    expected = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], theirs]))
    expected = np.sort_complex(expected)
    nearest = np.array([found[np.argmin(np.abs(found - s))] for s in expected])
    record(f"real parts at {speed:g} m/s", nearest.real, expected.real, rounding(100), BENCHMARK)
    record(f"imaginary parts at {speed:g} m/s", nearest.imag, expected.imag, rounding(100), BENCHMARK)
    if speed == 5.0:
        printed = [-14.07838969279822, -0.77534188219585, -0.77534188219585, -0.32286642900409]
        record("real parts, table 2, 5 m/s", nearest.real, printed, digits(8), BENCHMARK)
        record("weave, table 2, 5 m/s", abs(nearest[1].imag), 4.46486771378823, digits(8), BENCHMARK)


def test_speeds_between_which_a_bicycle_is_stable(record):
    """The weave speed, where an oscillation begins to decay, and the capsize speed, above which it falls slowly."""
    for speed, name in ((4.29238253634111, "weave"), (6.02426201538837, "capsize")):
        roots = np.linalg.eigvals(_lean_and_steer(speed).A[np.ix_(BALANCE, BALANCE)])
        critical = roots[np.abs(roots.imag) > 1.0] if name == "weave" else roots[np.abs(roots.imag) < 1e-6]
        what = f"real part nearest to zero at {speed:.8f} m/s, the {name} speed"
        record(what, np.abs(critical.real).min(), 0.0, rounding(10), BENCHMARK)


@pytest.mark.parametrize("coordinates", ["cartesian", "joint"])
@pytest.mark.parametrize("speed", [3.5, 5.0])
def test_bicycle_pushed(record, speed, coordinates):
    """Set leaning with nobody to steer it, it follows exp(A t) of the printed matrices: at 5 m/s the weave decays, at
    3.5 m/s it grows. All equations are in force: the road holds both wheels, though one frame joins them."""
    push = 1e-4
    run = simulate(bicycle.build(speed, push), 2.0, output=0.1, coordinates=coordinates, rtol=1e-11)
    record.fact(f"set aside at {speed:g} m/s", run.set_aside, (), "mobility", "recomputed")
    lean, steer = run["rear road"].lean.value, -run["head"].angle.value
    stiff, damped = (np.linalg.solve(M, part) for part in (G * K0 + speed**2 * K2, speed * C1))
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiff, -damped]])
    start = np.array([0.0, 0.0, push * np.sign(lean[1]), 0.0])
    theirs = np.array([scipy.linalg.expm(A * t) @ start for t in run.times]).T[:2]
    small = Within(1e-6 * np.abs(theirs).max(), "squares of angles of 1e-4 rad, and the error of the run at rtol 1e-11")
    what = f"lean and steer after a push at {speed:g} m/s, {coordinates} coordinates, 21 instants"
    record(what, np.array([lean, steer]), theirs, small, BENCHMARK)


def _lean_and_steer(speed):
    """The bicycle straight ahead, with lean, steer and the turn of the rear wheel as its first degrees of freedom."""
    model = bicycle.build(speed)
    road, hub = model["rear road"], model["frame"].at(-0.3, 0, -0.6)
    first = [road.lean, model["head"].angle, model["rear axle"].angle]
    place = [deep.x(hub), deep.y(hub), road.heading, model["front axle"].angle]
    return linearize(model, bicycle.straight(model, speed), degrees_of_freedom=[*first, *place])


TIRE = 0.53  # m, its free radius; axles are stated 0.03 m lower
AXLES = (  # place along x, kg, N/m of each spring, N/m and N/rad of each pair of tires
    ("front", 0.0, 500.0, 2.0e5, 6.5e5, 1.8e5),
    ("drive 1", -3.6, 1000.0, 5e5, 1.6e6, 3.2e5),
    ("drive 2", -4.9, 1000.0, 5e5, 1.6e6, 3.2e5),
    ("rear 1", -13.2, 800.0, 8e5, 1.6e6, 3.2e5),
    ("rear 2", -14.5, 800.0, 8e5, 1.6e6, 3.2e5),
)


def test_truck_in_a_turn(record):
    """Trom: a tractor with a semi-trailer on five axles, 19 degrees of freedom, in a steady turn of 0.25 g at 50 mph.

    Data of our own, as those of the source are lost. The place of the circle and the way along it are free: one zero,
    and a pair at the rate of the turn, as a shift of the whole is seen from axes that turn. A push in all rates at
    once, to one side and to the other, is simulated for 2 s: half the difference follows exp(A t).
    """
    speed = 50 * 0.44704
    model, steering, drive = _truck(speed)
    radius = speed**2 / (0.25 * G)
    motion = steady_motion(model, body=model["tractor"], speed=speed, radius=radius, free=[steering, drive])
    model, *_ = _truck(speed, motion.values[steering], motion.values[drive])
    seen = _seen(model)
    linear = linearize(model, motion, outputs=seen)
    found = linear.eigenvalues()
    record.fact("eigenvalues", found.size, 38, "Trom, section 5.4")
    whole = [np.abs(found - s).min() for s in (0.0, 1j * motion.spin, -1j * motion.spin)]
    record("0 and +-i W among them", whole, np.zeros(3), rounding(1e3), "symmetry", "closed form")
    record.fact("the others decay", bool(np.sort(found.real)[-4] < 0.0), True, "Trom, section 5.4", "recomputed")
    x = np.zeros(38)
    x[19:] = 1e-4 * np.cos(np.arange(19.0))
    runs = [simulate(model, 2.0, output=0.1, start=_pushed(motion, linear, sign * x), rtol=1e-9) for sign in (1, -1)]
    ours = np.array([(runs[0][m].value - runs[1][m].value) / 2 for m in seen])
    theirs = np.array([linear.C @ scipy.linalg.expm(linear.A * t) @ x for t in runs[0].times]).T
    small = Within(1e-4 * np.abs(theirs).max(), "cubes of deviations, and errors of two runs over small differences")
    record("20 deflections and 3 angles, 21 instants", ours, theirs, small, "simulation", "recomputed")


def _pushed(motion, linear, x):
    """The steady motion with other speeds."""
    start = linear.modes().snapshot(0, size=0.0)
    start.v, start.moves = motion.v.copy(), True
    start.v[linear.motions.system.width :] += linear.motions.dv @ x
    return start


def _seen(model):
    """What does not depend on the truck's place in its circle: springs, roll and pitch of the tractor, articulation."""
    springs = [element.measure for element in model if isinstance(element, deep.Spring)]
    tractor, trailer = model["tractor"].at(), model["trailer"].at()
    level = [deep.dot(model.ground.at(), tractor, "z", axis) for axis in "xy"]
    return [*springs, *level, deep.dot(tractor, trailer, "x", "y")]


def _truck(speed, angle=0.02, push=3000.0):
    """Axles may rise and roll on their frames; the front wheels turn alike on knuckles without mass."""
    model = deep.Model("truck", gravity=(0, 0, -G))
    go = {"velocity": (speed, 0, 0)}
    tractor = deep.Body(mass=6000.0, inertia=(3.5e3, 20e3, 20e3), position=(-1.6, 0, 1.0), **go)
    trailer = deep.Body(mass=20000.0, inertia=(18e3, 200e3, 200e3), position=(-10.2, 0, 1.5), **go)
    tractor, trailer = model.add(tractor, name="tractor"), model.add(trailer, name="trailer")
    model.add(deep.Spherical.between(tractor, trailer, at=(-4.3, 0, 1.1)), name="fifth wheel")
    pins = []
    for name, x, mass, k, k_tire, cornering in AXLES:
        frame, place = (trailer if "rear" in name else tractor), np.array((x, 0, TIRE - 0.03))
        axle = deep.Body(mass=mass, inertia=(0.7 * mass, 50.0, 0.7 * mass), position=tuple(place), **go)
        axle, on = model.add(axle, name=f"{name} axle"), place - frame.position
        model.add(deep.Parallel(frame.at(*on, z=(1, 0, 0)), axle.at(z=(1, 0, 0))), name=f"{name} rods")
        model.add(deep.PointOnLine(frame.at(*on), axle.at()), name=f"{name} guide")
        for side, y in (("left", 1.0), ("right", -1.0)):
            travel = deep.component(frame.at(*(on + (0, y / 2, 0))), axle.at(0, y / 2, 0), "z")
            model.add(deep.Spring(travel, k, damping=0.05 * k, rest_length=-0.1), name=f"{name} {side} spring")
            wheel = axle.at(0, y, 0, **LEVEL)
            if name == "front":
                knuckle = model.add(deep.Body(position=(x, y, place[2]), **go), name=f"{side} knuckle")
                pins.append(model.add(deep.Revolute(axle.at(0, y, 0), knuckle.at()), name=f"{side} kingpin"))
                wheel = knuckle.at(**LEVEL)
            tire = {"radius": TIRE, "stiffness": k_tire, "damping": 2e3, "cornering": cornering}
            model.add(deep.BookTire(model.ground.at(), wheel, **tire), name=f"{name} {side} tire")
    steering = model.add(deep.Hold(pins[0].angle, angle), name="steering")
    model.add(deep.Coupler(pins[0].angle - pins[1].angle, 0.0), name="tie rod")
    drive = model.add(deep.Load(tractor.at(-3.0, 0, -0.4), (push, 0, 0), "body"), name="drive")
    return model, steering, drive
