"""steady_cornering(model, body, ...): steady turns of a vehicle from gentle to fast, as in ISO 4138."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.analysis.linear.linearize import linearize
from cardan.analysis.steady.steady_motion import steady_motion
from cardan.errors import Interrupted, ModelError, SimulationError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint, Element
from cardan.model.model import Model
from cardan.results.steady.cornering import Cornering
from cardan.results.steady.steady_motion import SteadyMotion

INTERRUPTED = "interrupted"
TURN_HALVINGS = 4  # of a step between two turns
Search = Callable[[float, float, SteadyMotion | None], SteadyMotion]  # of speed, radius and start
SYMMETRY_DISTANCE = 1e-5  # distance of an eigenvalue of symmetry from its exact value, relative to the largest one


def steady_cornering(
    model: Model,
    body: RigidBody,
    *,
    steering: Element,
    drive: Element,
    spinning: Sequence[Constraint] = (),
    speed: ArrayLike,
    lateral_acceleration: ArrayLike | None = None,
    radius: float | None = None,
    wheelbase: float,
    steering_ratio: float = 1.0,
) -> Cornering:
    """Find the steady turns of a vehicle at growing lateral accelerations, and whether they are stable.

    With one `speed` and several values of `lateral_acceleration` (m/s2, positive to the left, growing), the radius
    varies; with several speeds and one `radius`, the speed does (ISO 4138, constant speed and constant radius). The
    model must be stated at about the first speed, straight ahead. `steering` is the hold, driver or force whose value
    is the steering input, `drive` the one that keeps the speed, `spinning` the hinges of the wheels. Each turn is a
    `steady_motion` that starts from the turn before; the test ends, with a warning, where no further one is found: at
    the limit of the tires. `steering_ratio` is the steering value per steering angle of the wheels; with the
    `wheelbase` it leads to the understeer gradient. Use tires with `transient=False`: relaxation does not change a
    steady turn.

    A single-track car in the plane with linear tires, whose understeer gradient is m (b C_r - a C_f) / (l C_f C_r):

    >>> from cardan import steady_cornering
    >>> from cardan.planar import Body, Hold, Load, Model, Revolute, Spring, velocity_along
    >>> model = Model("car")
    >>> car = model.add(Body(mass=1500.0, inertia=2500.0, velocity=(20.0, 0.0)), name="car")
    >>> knuckle = model.add(Body(mass=0.0, inertia=0.0, position=(1.2, 0.0), velocity=(20.0, 0.0)), name="knuckle")
    >>> steer = model.add(Revolute(car.at(1.2, 0.0), knuckle.at()), name="steer")
    >>> angle = model.add(Hold(steer.angle, 0.0), name="steering")
    >>> for name, wheel, C in (("front", knuckle.at(), 80e3), ("rear", car.at(-1.4, 0.0), 100e3)):
    ...     _ = model.add(Spring(velocity_along(model.ground.at(), wheel, "y"), damping=C / 20.0), name=name)
    >>> push = model.add(Load(car.at(-1.4, 0.0), (1.0, 0.0), "body"), name="push")
    >>> test = steady_cornering(model, car, steering=angle, drive=push, speed=20.0,
    ...     lateral_acceleration=[0.1, 0.2, 0.3], wheelbase=2.6)
    >>> f"{test.understeer_gradient[0]:.5f} rad s2/m", test.stable.tolist()
    ('0.00317 rad s2/m', [True, True, True])
    """
    check.instance(model, Model, "the model of steady_cornering()")
    turns = _turns(speed, lateral_acceleration, radius)
    base, ratio = check.positive(wheelbase, "the wheelbase"), check.number(steering_ratio, "the steering_ratio")
    if ratio == 0.0:
        raise ModelError("the steering_ratio of steady_cornering() must not be zero")

    def found(v: float, r: float, start: SteadyMotion | None) -> SteadyMotion:
        return steady_motion(
            model, body=body, speed=v, radius=r, spinning=spinning, free=[steering, drive], start=start, progress=False
        )

    motions, reason = _sequence(found, turns)
    if not motions:
        raise SimulationError(f"no steady turn of '{model.name}' was found at {turns[0][0]:g} m/s: {reason}")
    modes = [_without_symmetry(linearize(model, motion).eigenvalues(), motion, len(spinning)) for motion in motions]
    if reason != INTERRUPTED:
        _warn(model, turns, reason, [known.size for _, known in modes], len(spinning))
    done = np.array(turns[: len(motions)])
    states = np.array([_attitude(motion, body) for motion in motions])
    result = Cornering(
        speed=done[:, 0],
        radius=done[:, 1],
        lateral_acceleration=done[:, 0] ** 2 / done[:, 1],
        steering=np.array([motion.values[steering] for motion in motions]),
        side_slip=states[:, 0],
        roll=states[:, 1],
        motions=tuple(motions),
        eigenvalues=tuple(others for others, _ in modes),
        symmetry=tuple(known for _, known in modes),
        wheelbase=base,
        steering_ratio=ratio,
        reason=reason,
    )
    if reason == INTERRUPTED:
        raise Interrupted(f"interrupted after {len(motions)} of {len(turns)} turns: .partial has these", partial=result)
    return result


def _warn(model: Model, turns: list[tuple[float, float]], reason: str, symmetries: list[int], wheels: int) -> None:
    """Warns if the test ends before the last turn, or if a turn has fewer eigenvalues of symmetry than expected."""
    found = len(symmetries)
    if reason:
        v, r = turns[found]
        warn(
            f"steady_cornering() of '{model.name}' ends at {_side(turns[found - 1]):.4g} m/s2: no turn was "
            f"found at {v:g} m/s and a radius of {r:g} m ({reason})"
        )
    if min(symmetries) < 3 + wheels:
        warn(
            f"'{model.name}' has fewer eigenvalues of symmetry than a vehicle on a flat road with {wheels} "
            "spinning wheels: something holds it in its place, or a spinning hinge does not turn freely; `stable` then "
            "includes what remains of them"
        )


def _side(turn: tuple[float, float]) -> float:
    return turn[0] ** 2 / turn[1]


def _turns(speed: ArrayLike, lateral: ArrayLike | None, radius: float | None) -> list[tuple[float, float]]:
    speeds = _numbers(speed, "the speeds")
    if (lateral is None) == (radius is None):
        raise ModelError("steady_cornering() takes either lateral_acceleration=[...] or radius=...")
    if np.any(speeds <= 0.0):
        raise ModelError("the speeds of steady_cornering() must be positive")
    if radius is not None:
        value = check.number(radius, "the radius of steady_cornering()")
        if value == 0.0 or np.any(np.diff(speeds) <= 0.0):
            raise ModelError("with a radius, which must not be zero, the speeds of steady_cornering() must grow")
        return [(float(v), value) for v in speeds]
    sides = _numbers(lateral, "the values of lateral_acceleration")
    growing = bool(np.all(np.diff(np.abs(sides)) > 0.0))
    if speeds.size != 1 or np.any(sides == 0.0) or not growing:
        raise ModelError("with one speed, the values of lateral_acceleration must not be zero, and must grow")
    return [(float(speeds[0]), float(speeds[0] ** 2 / side)) for side in sides]


def _numbers(stated: Any, what: str) -> np.ndarray:
    """One number or a list of numbers, as an array."""
    listed = stated.tolist() if isinstance(stated, np.ndarray | np.number) else stated
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        listed = [listed]
    if not listed:
        raise ModelError(f"{what} of steady_cornering() must be one number or more, got an empty list")
    return np.array([check.number(value, f"each of {what} of steady_cornering()") for value in listed])


def _sequence(found: Search, turns: list[tuple[float, float]]) -> tuple[list[SteadyMotion], str]:
    """The turns up to the first that is not found, and the reason why it is not."""
    motions: list[SteadyMotion] = []
    before = None
    for turn in turns:
        try:
            motions.append(_approach(found, before, turn, motions[-1] if motions else None, TURN_HALVINGS))
        except KeyboardInterrupt:
            if not motions:
                raise
            return motions, INTERRUPTED
        except SimulationError as error:
            return motions, str(error).partition(";")[0]
        before = turn
    return motions, ""


def _approach(
    found: Search,
    before: tuple[float, float] | None,
    turn: tuple[float, float],
    start: SteadyMotion | None,
    halvings: int,
) -> SteadyMotion:
    """The turn, by way of turns in between if it is too far from the one before."""
    try:
        return found(*turn, start)
    except SimulationError:
        if halvings == 0 or before is None:
            raise
    middle = math.sqrt(before[0] * turn[0]), 2.0 / (1.0 / before[1] + 1.0 / turn[1])
    half = _approach(found, before, middle, start, halvings - 1)
    return _approach(found, middle, turn, half, halvings - 1)


def _attitude(motion: SteadyMotion, body: RigidBody) -> tuple[float, float]:
    """Side slip and roll: directions relative to the body's x axis, and the tilt of its y axis."""
    state = motion[body]
    vx, vy = float(state.velocity[0]), float(state.velocity[1])
    heading, roll = 0.0, 0.0
    if len(state.position) == 2:
        heading = float(state.angle)
    else:
        ahead, left = state.matrix[:, 0], state.matrix[:, 1]
        heading, roll = math.atan2(float(ahead[1]), float(ahead[0])), math.asin(max(-1.0, min(1.0, float(left[2]))))
    return math.remainder(math.atan2(vy, vx) - heading, math.tau), roll


def _without_symmetry(
    values: NDArray[np.complex128], motion: SteadyMotion, wheels: int
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """The eigenvalues without those of symmetry, and these: zero for the place along the circle and for the angle of
    each wheel, and a pair at the rate of the turn, as which a shift of the whole appears in axes that turn with it."""
    scale, known = float(np.abs(values).max(initial=1.0)), []
    left = list(values)
    for target in (0.0, 1j * motion.spin, -1j * motion.spin, *[0.0] * wheels):
        nearest = min(range(len(left)), key=lambda k: abs(left[k] - target))
        if abs(left[nearest] - target) <= SYMMETRY_DISTANCE * scale:
            known.append(left.pop(nearest))
    return np.array(left), np.array(known)
