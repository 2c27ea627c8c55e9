r"""Dragging: a point of a mechanism is pulled toward a target, with all joints closed.

    minimize  1/2 |p(q) - target|^2 + eps/2 |dq|_W^2     subject to     Phi(q) = 0

            . target           A step solves  [ eps W + P^T P   J^T ] [dq]   [ P^T (target - p) ]
          /                                   [      J        -delta] [mu] = [      -Phi        ]
    o----o p                   with P = dp/dq; the rest of Phi is then closed exactly (`nearest`).
   /      \                    Drivers are released: the hand moves their degrees of freedom. The small
  o        o                   delta makes redundant rows harmless.

Stops and contacts act at their ends (`ends`); rolling and friction, which depend on speeds, do not resist dragging.
If the mechanism cannot follow, either the target is off the path of the point, or the mechanism locks: P Z, the
velocities of the point along the free motions Z, loses rank, and both directions of the lost motion move the point
back the same way, for example where two links are aligned.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.assembly.assemble import CLOSED, assembled, quantity
from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.assembly.nearest import Closing
from cardan.analysis.drag.ends import Ends
from cardan.analysis.drag.pins import on_pin
from cardan.errors import AssemblyError, ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import moved
from cardan.model.space import advance
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.results.measure_series import measure_series
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile

LEAST_MOTION = 1e-6  # eps: selects the smallest motion to the target
DRAG_DAMPING = 0.1  # times (distance / length)^2: a point moves with every step, also if the target is far away
REGULARIZATION = 1e-10  # delta, relative to the size of J
MAX_DRAG_STEP = 0.2  # largest step, in model lengths or rad
DRAG_STEPS = 60
MIN_GAIN = 1e-6  # relative to the model's length: the search ends with steps that gain less
ARRIVED = 1e-9  # of the model's length
MAX_TARGET_DISTANCE = 0.01  # relative to the model's length: a target farther away is not reached
STOPPING_SPEED = 0.2  # relative to the speed of the mechanism: a slower point is about to stop
# relative to the model's length, or rad: displacement for the check whether the point turns back
TURN_CHECK_DISTANCE = 0.05
THREADED = 100  # unknowns: BLAS solves more on several threads, which wait for each other on a busy machine
MAX_DENSE_UNKNOWNS = 400  # number of unknowns up to which steps are solved densely and lock-ups are detected
PIVOT_HALVINGS = 5  # smallest fraction of a pivot displacement to try
DIFFERENCE = 1e-6  # relative to the model's length, or rad


@dataclass(frozen=True)
class DragResult:
    """The configuration after dragging.

    `snapshot` is assembled; `distance` is the distance of the point from its target. `locked` is True if the point
    cannot go further, `text` explains why and where, `at` is the position of the point.
    """

    snapshot: Snapshot
    distance: float
    locked: bool
    text: str
    at: np.ndarray


class Grab:
    """A mechanism that can be dragged by its points.

    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum")
    >>> rod = model.add(Body(mass=1.0, inertia=0.1, position=(0.5, 0.0)), name="rod")
    >>> pivot = model.add(Revolute(model.ground.at(0, 0), rod.at(-0.5, 0)), name="pivot")
    >>> hand = Grab(model)
    >>> held = hand.drag(rod, (0.5, 0.0), (0.0, 2.0))  # the tip follows as far as it can: straight up
    >>> (held.snapshot[rod].position.round(3) + 0.0).tolist(), round(held.distance, 6)
    ([0.0, 0.5], 1.0)
    """

    def __init__(self, model: Model, start: Snapshot | None = None) -> None:
        check.instance(model, Model, "the model of Grab()")
        self.model = model
        self.moved_to: dict[str, np.ndarray] = {}  # by names of joints: their new positions on the ground
        self._take(model, start)

    def _take(self, model: Model, start: Snapshot | None) -> None:
        """Close the joints of a model, starting from its given positions or from a snapshot."""
        time = 0.0 if start is None else start.time
        positions = None if start is None else start.as_start(model)
        plain = compile(model, drivers=False, time=time, start=positions)
        q, reference = assembled(plain, time)
        self.plain, self.time, self.ends, self.q, self.reference = plain, time, Ends(model), q, reference
        self.system = system = plain
        if self.ends.ends:
            begun = start_of(plain, q, reference)
            self.system = system = compile(model, self.ends.rows, drivers=False, time=time, start=begun)
            system.rows.offset[: plain.row_count] = plain.rows.offset
            self.reference = system.reference.copy()
        self.active = (~system.on_velocities).astype(np.uint8)  # rows that are closed
        self.active[plain.row_count :] = 0
        self.closing = Closing(system, time, system.weights, self.active.copy())
        self.tolerance = max(CLOSED, system.rounding)
        self.closing.evaluate(self.q, self.reference)
        self.ends.bind(system, self.closing.work.phi)
        place = {measure: k for k, measure in enumerate(system.measures)}
        self._winding = [place[plain.measures[k]] for k in plain.winding]

    def begin(self, snapshot: Snapshot) -> None:
        """Continue from another position, such as one of a result."""
        self.q = snapshot.q[: self.q.size].copy() if snapshot.q.size >= self.q.size else self.q
        self.active[self.plain.row_count :] = 0
        self._close(self.q, self.reference, self.active)

    def drag(self, body: Any, point: Any, target: Any, *, patience: float = math.inf) -> DragResult:
        """Drag a point of a body, given in body-fixed axes, toward a point in global axes.

        After `patience` seconds the position reached is returned; the next call continues.
        """
        axes = self.system.space.dimensions
        body = self.system.model[body if isinstance(body, str) else body.name]  # which may be a copy, see move_pivot
        if body is self.system.model.ground:
            raise ModelError("only moving bodies can be dragged; to move a pivot on the ground, use move_pivot()")
        marker = body.at(*check.vector(point, axes, "the point that is dragged"))
        wanted = np.array(check.vector(target, axes, "the target of drag()"))
        self._approach(marker, wanted, patience)
        at = self._place(marker, self.q)
        far = float(np.linalg.norm(wanted - at))
        text = self._why_not(body, marker, wanted - at) if far > MAX_TARGET_DISTANCE * self.system.length else ""
        return DragResult(self.snapshot(), far, bool(text), text, at)

    def _why_not(self, body: Any, marker: Any, way: np.ndarray) -> str:
        """The reason why a point cannot go further; "" if it is merely next to its target."""
        if stopped := self.ends.words(self.active):
            return f"'{body.name}' cannot go further in this direction: {stopped}"
        ahead = self._ahead(marker, way)
        return "" if ahead is None else self._lock_sentence(body, marker, ahead)

    def move_pivot(self, joint: Any, target: Any) -> DragResult:
        """Move the ground point of a joint, with everything else on that pin; the other bodies move as little as
        possible. Changes a copy of the model."""
        joint = self.model[joint if isinstance(joint, str) else joint.name]  # which may be that of a copy
        marker = self._grounded(joint)
        wanted = np.array(check.vector(target, len(marker.place), "the target of a pivot"))
        start = np.array(self.moved_to.get(joint.name, marker.place))
        reached, missed = (1.0, 1.0) if self._seated(joint, wanted) else (0.0, 1.0)
        for _ in range(PIVOT_HALVINGS if reached < missed else 0):
            share = 0.5 * (reached + missed)
            if self._seated(joint, start + share * (wanted - start)):
                reached = share
            else:
                missed = share
        at = start + reached * (wanted - start)
        left = float(np.linalg.norm(wanted - at))
        stuck = left > ARRIVED * self.system.length
        text = ""
        if stuck:
            text = f"if '{joint.name}' is moved further, the mechanism does not close; it stays at {_text_of(at)} m"
        return DragResult(self.snapshot(), left, stuck, text, at)

    def _seated(self, joint: Any, place: np.ndarray) -> bool:
        """Move a pivot; nothing changes if the mechanism then does not close."""
        places = self.moved_to | {joint.name: place}
        try:
            self._take(self._with(places), self.snapshot())
        except AssemblyError:
            return False
        self.moved_to = places
        return True

    def _with(self, places: Mapping[str, np.ndarray]) -> Model:
        """The model with moved pivots."""
        listed = []
        for name, place in places.items():
            listed += on_pin(self.model, self._grounded(self.model[name]), place)
        return moved(self.model, listed)

    def _grounded(self, joint: Any) -> Any:
        """The marker of a joint on the ground."""
        for marker in (joint.a, joint.b):
            if marker.body is self.model.ground:
                return marker
        raise ModelError(f"{joint.title} is not attached to the ground")

    @property
    def changed(self) -> Model:
        """The model with its pivots in their new positions."""
        return self.system.model

    def snapshot(self) -> Snapshot:
        """The current position of the mechanism."""
        return Snapshot(self.plain, self.time, self.q.copy(), turns=self.reference[self._winding])

    def pivot_shift(self, joint: Any) -> np.ndarray:
        """The displacement of the ground pivot of a joint."""
        marker = self._grounded(self.model[joint.name])
        return np.array(self.moved_to.get(joint.name, marker.place)) - np.array(marker.place)

    # --- steps to the target ---------------------------------------------------------------------------------------

    def _approach(self, marker: Any, wanted: np.ndarray, patience: float) -> None:
        """Step toward the target as long as the distance decreases."""
        system, begun = self.system, clock.perf_counter()
        far = float(np.linalg.norm(wanted - self._place(marker, self.q)))
        for _ in range(DRAG_STEPS):
            if far <= ARRIVED * system.length or clock.perf_counter() - begun > patience:
                return
            step, gain = self._step(marker, wanted, far)
            size = float(np.abs(step * np.sqrt(system.weights)).max(initial=0.0)) / system.length
            nearer = self._searched(marker, wanted, far, step, gain, min(1.0, MAX_DRAG_STEP / max(size, 1e-300)))
            if nearer is None or far - nearer < MIN_GAIN * system.length:
                return
            far = nearer

    def _searched(
        self, marker: Any, wanted: np.ndarray, far: float, step: np.ndarray, gain: float, factor: float
    ) -> float | None:
        """The distance after the best fraction of a step, found by a parabola through |p - target|^2 / 2. None, without
        a motion, if no fraction of the step reduces the distance.
        """
        best = far
        start, turns, engaged = self.q, self.reference, self.active
        for _ in range(6):
            q, reference, active, near = self._moved(marker, wanted, start, turns, factor * step, engaged)
            if near < best:
                self.q, self.reference, self.active = q, reference, active
            bend = 0.5 * (near**2 - far**2) + factor * gain if math.isfinite(near) else math.inf
            better = 0.5 * factor**2 * gain / bend if bend > 0.0 else 2.0 * factor
            done = near < best and abs(better - factor) < 0.3 * factor or best < far
            best = min(best, near)
            if done:
                break
            factor = min(max(better, 0.1 * factor), 2.0 * factor)
        return best if best < far else None

    def _moved(
        self,
        marker: Any,
        wanted: np.ndarray,
        start: np.ndarray,
        turns: np.ndarray,
        step: np.ndarray,
        engaged: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Positions after a step with joints closed, the rows engaged and the new distance, infinite if joints do not
        close."""
        system = self.system
        q, reference, active, move = start.copy(), turns.copy(), engaged.copy(), system.speeds()
        move[system.width :] = step
        advance(system.geometry, q, move)
        if self._close(q, reference, active) > self.tolerance:
            return q, reference, active, math.inf
        return q, reference, active, float(np.linalg.norm(wanted - self._place(marker, q)))

    def _close(self, q: np.ndarray, reference: np.ndarray, active: np.ndarray) -> float:
        """Close joints and the ends that are passed; q, turns and engaged rows change in place. Returns the largest
        error."""
        for _ in range(1 + len(self.ends.ends)):
            self.closing.active[:] = active
            _, error, status = self.closing.close(q, reference, self.tolerance)
            if status:
                return math.inf
            if error > self.tolerance or not self.ends.engage(self.closing.work.phi, active):
                break
        return error

    def _step(self, marker: Any, wanted: np.ndarray, far: float) -> tuple[np.ndarray, float]:
        """A step toward the target, and the initial decrease of |p - target|^2 / 2."""
        way = self._point_jacobian(marker).T @ (wanted - self._place(marker, self.q))
        for _ in range(1 + len(self.ends.ends)):
            step, push = self._solved(marker, way, far)
            if not self.ends.release(push, self.active):
                break
        return step, float(way @ step)

    def _solved(self, marker: Any, way: np.ndarray, far: float) -> tuple[np.ndarray, np.ndarray]:
        """The step, and the force along each row."""
        system, P, J = self.system, self._point_jacobian(marker), self._jacobian()
        n, m = system.coordinates, J.shape[0]
        right = np.concatenate([way, -self.closing.work.phi * self.active])
        W = max(LEAST_MOTION, DRAG_DAMPING * (far / system.length) ** 2) * system.weights
        if n + m <= MAX_DENSE_UNKNOWNS:
            matrix = np.zeros((n + m, n + m))
            matrix[:n, :n] = P.T @ P
            matrix[n:, :n], matrix[:n, n:] = J, J.T
            matrix[np.arange(n + m), np.arange(n + m)] += np.concatenate([W, np.full(m, -REGULARIZATION)])
            one_thread = n + m > THREADED
            found = splu(sp.csc_array(matrix)).solve(right) if one_thread else np.linalg.solve(matrix, right)
        else:
            top = sp.diags_array(W) + sp.csr_array(P).T @ sp.csr_array(P)
            whole = sp.block_array([[top, J.T], [J, sp.diags_array(np.full(m, -REGULARIZATION))]])
            found = splu(sp.csc_array(whole)).solve(right)
        return found[:n], found[n:]

    def _jacobian(self) -> Any:
        """J of the closed rows at the current position; dense, or sparse for large models."""
        self.closing.evaluate(self.q, self.reference)
        system, work = self.system, self.closing.work
        if system.row_count + system.coordinates > MAX_DENSE_UNKNOWNS:
            return sp.csr_array(sp.diags_array(self.active.astype(float)) @ system.jacobian_matrix(work))
        return system.dense_jacobian(work) * self.active[:, None]

    def _point_jacobian(self, marker: Any) -> np.ndarray:
        """P by finite differences: only the coordinates of the point's body matter."""
        system = self.system
        first = system.width * (system.body_number(marker.body) - 1)
        P = np.zeros((system.space.dimensions, system.coordinates))
        steps = DIFFERENCE * system.length / np.sqrt(system.weights[first : first + system.width])
        moved = []
        for k, step in enumerate(steps):
            for sign in (1.0, -1.0):
                q, move = self.q.copy(), system.speeds()
                move[system.width + first + k] = sign * step
                advance(system.geometry, q, move)
                moved.append(q)
        ends = self._places(marker, np.array(moved))
        P[:, first : first + system.width] = (ends[::2] - ends[1::2]).T / (2.0 * steps)
        return P

    def _place(self, marker: Any, q: np.ndarray) -> np.ndarray:
        return np.asarray(self._places(marker, q[None])[0])

    def _places(self, marker: Any, positions: np.ndarray) -> np.ndarray:
        poses = positions[:, self.system.pose_columns(marker.body)]
        return np.asarray(self.system.space.frame(marker, poses)[0])

    # --- lock-up ---------------------------------------------------------------------------------------------------

    def _ahead(self, marker: Any, way: np.ndarray) -> np.ndarray | None:
        """The direction toward a target in which the point is locked; None if it is not locked."""
        system = self.system
        if system.coordinates + system.row_count > MAX_DENSE_UNKNOWNS:
            return None
        scale = 1.0 / np.sqrt(system.weights)
        J = self._jacobian() * scale
        sizes = np.linalg.norm(J, axis=1)
        _, sines, right = np.linalg.svd(J[sizes > 0.0] / sizes[sizes > 0.0, None])
        free = right[int(np.sum(sines > 1e-7)) :]
        _, speeds, motions = np.linalg.svd((self._point_jacobian(marker) * scale) @ free.T)
        for k, motion in enumerate(motions):
            if k < speeds.size and speeds[k] > STOPPING_SPEED:
                continue
            here = self._place(marker, self.q)
            to, fro = (
                self._displaced(marker, sign * TURN_CHECK_DISTANCE * system.length * scale * (motion @ free)) - here
                for sign in (1.0, -1.0)
            )
            back = -(to + fro)
            far = float(np.linalg.norm(back))
            turns_back = float(to @ fro) > 0.5 * float(np.linalg.norm(to) * np.linalg.norm(fro))
            if far > 1e-6 * system.length and turns_back and float(back @ way) > 0.2 * far * float(np.linalg.norm(way)):
                return np.asarray(float(back @ way) * back / far**2)
        return None

    def _displaced(self, marker: Any, step: np.ndarray) -> np.ndarray:
        """The position of a point after a step with joints closed; unchanged if they do not close."""
        here = self._place(marker, self.q)
        q, _, _, near = self._moved(marker, here, self.q, self.reference, step, self.active)
        return self._place(marker, q if math.isfinite(near) else self.q)

    def _lock_sentence(self, body: Any, marker: Any, way: np.ndarray) -> str:
        """The joint coordinates at their limits, and the joints that take a force at the point."""
        system = self.system
        found = []
        for element in system.elements:
            if any(other is body for other in element.bodies()):
                for name, measure in element.coordinates().items():
                    found.append((f"{element.name}.{name}", measure))
        ends = ""
        if found:
            zero = system.speeds()[None]
            values = measure_series(system, [m for _, m in found], np.array([self.time]), self.q[None], zero, zero)
            texts = [_value(name, m, float(v[0, 0])) for (name, m), v in zip(found, values, strict=True)]
            ends = f" at {texts[0]}"
        J, P = self._jacobian(), self._point_jacobian(marker)
        force = np.linalg.lstsq(J.T, P.T @ (way / np.linalg.norm(way)), rcond=ROW_NOISE)[0]
        carried = {e: float(np.linalg.norm(force[system.rows_of(e)])) for e in system.listed}
        names = [repr(e.name) for e in sorted(carried, key=lambda e: -carried[e])[:3] if carried[e] > 0.1]
        into = f"; a force there acts directly on {', '.join(names)}" if names else ""
        return f"'{body.name}' locks{ends}: it cannot go further in this direction{into}"


def _value(name: str, measure: Any, value: float) -> str:
    if measure.unit == "rad":
        return f"{name} = {np.degrees(value):.2f} deg"
    return f"{name} = {quantity(value, measure.unit)}"


def _text_of(place: np.ndarray) -> str:
    return f"({', '.join(f'{x:.4g}' for x in place)})"
