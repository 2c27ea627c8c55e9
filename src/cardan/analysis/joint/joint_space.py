"""joint_space(model): the equations of a mechanism in joint coordinates, for analysis and control.

    M(q) v' + b(q, v) + g(q) + Phi^T lambda = tau + B^T f(q, v),        Phi v' = gamma               (De Sapio 5.86)

q are the coordinates of the joints of a spanning tree; cut joints, and all other constraints, are the rows of Phi.
Without them, the cost of a state is proportional to the number of bodies: torques by the recursive Newton-Euler
algorithm, accelerations by articulated bodies. All functions take one state, or several as rows of an array.

The order of joint coordinates is that of the spanning tree: joints with few coordinates come first, among them those
that were added first. Names identify the coordinates of a joint: 'elbow.angle', 'neck.e0', 'trunk.x'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.coordinates import require_joints
from cardan.analysis.joint.equations import JointEquations, one
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.numerics.linalg.rank import ROW_NOISE, null_space
from cardan.results.energy import potential_of
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile
from cardan.system.tree.recursion.kernels import BALL, FREE
from cardan.system.tree.recursion.modal import MODAL
from cardan.system.tree.recursion.momenta import momenta_of
from cardan.system.tree.tables import JointTables


def joint_space(
    model: Model,
    *,
    start: Snapshot | None = None,
    cut: Sequence[Constraint] = (),
    tree: Sequence[Constraint] = (),
    drivers: bool = False,
) -> JointSpace:
    """The mechanism in joint coordinates, from an assembled position.

    From the ground outward, each body is connected by the joint with the fewest coordinates. Joints in `tree` are
    always part of the tree, joints in `cut` never.

    >>> import numpy as np
    >>> from cardan import joint_space
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("arm", gravity=(0, -9.81))
    >>> arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
    >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    >>> space = joint_space(model)
    >>> space.coordinates, space.mass_matrix([0.3]).round(9).tolist(), space.gravity([0.0]).round(9).tolist()
    (('hinge.angle',), [[0.6]], [9.81])
    """
    check.instance(model, Model, "the model of joint_space()")
    if start is not None:
        check.instance(start, Snapshot, "start", hint="assemble() gives one")
    check.flag(drivers, "drivers of joint_space()")
    for name, joints in (("cut", cut), ("tree", tree)):
        require_joints(joints, name, f"a joint in {name} of joint_space()")
    positions = start.as_start(model) if start is not None else None
    system = compile(model, drivers=drivers, forces=True, start=positions)
    for element in system.elements:
        if element.contact_coordinates():
            raise ModelError(
                f"{element.title} has a contact coordinate, which has no inertia: joint_space() does not support it; "
                "simulate() and kinematics() do, with coordinates='joint'"
            )
    q, reference = assembled(system, 0.0) if start is None else (system.start, system.reference)
    every = range(system.row_count)  # drivers, if included, are constraints like others
    return JointSpace(JointTables(system, q, reference, 0.0, cut=cut, kept=every, tree=tree))


class JointSpace(JointEquations):
    """A mechanism in joint coordinates: `coordinates` and `speeds` name the numbers of q and v, `q` is where it is.

    `carried` are the joints of the tree, `cut` all other constraints. Threads may share an object: each computes
    in arrays of its own.
    """

    def __repr__(self) -> str:
        counts = f"{len(self.coordinates)} coordinates, {len(self.speeds)} speeds, {self._rows.size} equations"
        return f"<joint space of '{self.system.model.name}': {counts}>"

    # Names

    def places(self, *names: str) -> np.ndarray:
        """The indices of joints in q: `q[space.places("elbow", "wrist")]`. A ball has four, a floating body, by its
        name, seven; "ball.e0" selects a single one."""
        return places_of(names, self.coordinates, self.system.model.name)

    def speed_places(self, *names: str) -> np.ndarray:
        """The same in v, forces and the mass matrix: a ball has three, a floating body six."""
        return places_of(names, self.speeds, self.system.model.name)

    def with_values(self, values: Mapping[str, Any], q: ArrayLike | None = None) -> np.ndarray:
        """q, by default the current one, with the values of some joints replaced: {"elbow": 0.5}."""
        (start,), _ = self._states(q=self.q if q is None else q)
        return changed(start[0], values, self.coordinates, self.system.model.name)

    # Energy

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float | np.ndarray:
        """T = v^T M v / 2."""
        (q, v), alone = self._states(q=q, v=v)
        return one(0.5 * np.einsum("si,sij,sj->s", v, self.mass_matrix(q), v), alone)

    def potential_energy(self, q: ArrayLike) -> float | np.ndarray:
        """V of weight and linear springs."""
        (q,), alone = self._states(q=q)
        return one(potential_of(self._motion(q, *np.zeros((2, q.shape[0], len(self.speeds))))), alone)

    def lagrangian(self, q: ArrayLike, v: ArrayLike) -> float | np.ndarray:
        """L = T - V."""
        return self.kinetic_energy(q, v) - self.potential_energy(q)

    def momenta(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """p = M v, by recursion; for balls and free bodies angular momenta are about body axes."""
        (q, v), alone = self._states(q=q, v=v)
        return one(self._momenta(q, v)[0], alone)

    def lagrangian_slope(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """dL/dq of masses and weights, exact, along displacements numbered like the speeds; dH/dq is -dL/dq.

        dL/dq = v^T (dM/dq) v / 2 - g. Springs are forces of the model and not included.
        """
        (q, v), alone = self._states(q=q, v=v)
        return one(self._momenta(q, v)[1], alone)

    def _momenta(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p and dL/dq of rows of states."""
        for body in self.system.bodies:
            if body.modal_coordinates:
                raise ModelError(
                    f"{body.title} is flexible: momenta() and lagrangian_slope() support rigid bodies; use "
                    "mass_matrix(q) @ v for momenta, and torques() for the equations of motion"
                )
        p, slope = np.zeros((2, *v.shape))
        momenta_of(self._tree, np.zeros((self._tree.kind.size, 6)), q, v, p, slope)
        return p, slope

    def hamiltonian(self, q: ArrayLike, p: ArrayLike) -> float | np.ndarray:
        """H = p^T M^-1 p / 2 + V."""
        (q, p), alone = self._states(q=q, p=p)
        v = np.linalg.solve(self.mass_matrix(q), p[..., None])[..., 0]
        return one(0.5 * np.einsum("si,si->s", p, v) + self.potential_energy(q), alone)

    # Constraints

    def constraint_mass(self, q: ArrayLike) -> np.ndarray:
        """H = (Phi M^-1 Phi^T)^-1, the mass matrix in constraint space (De Sapio 5.90); the pseudo-inverse for
        dependent equations."""
        (q,), alone = self._states(q=q)
        found = []
        for state in q:
            Phi, lengths = self._truncated(self.constraint_jacobian(state))
            mass = np.linalg.pinv(Phi @ self._over_mass(state, Phi), rcond=ROW_NOISE, hermitian=True)
            found.append(mass / np.outer(lengths, lengths))
        return one(np.stack(found), alone)

    def constraint_inverse(self, q: ArrayLike) -> np.ndarray:
        """Phibar = M^-1 Phi^T H, the inverse of Phi in the metric of the masses: Phi Phibar = 1 (De Sapio 5.91)."""
        return self._over_mass(q, self.constraint_jacobian(q)) @ self.constraint_mass(q)

    def motion_projector(self, q: ArrayLike) -> np.ndarray:
        """Theta = 1 - Phibar Phi: projects speeds on those that constraints allow, in the mass metric (De Sapio
        5.95)."""
        return np.eye(len(self.speeds)) - self.constraint_inverse(q) @ self.constraint_jacobian(q)

    def kinematic_projector(self, q: ArrayLike) -> np.ndarray:
        """P = W W^T = 1 - Phi^+ Phi: the same projection independent of masses (De Sapio 5.94)."""
        W = self.null_space(q)
        return W @ W.T

    def null_space(self, q: ArrayLike) -> np.ndarray:
        """W: an orthonormal basis of the speeds that constraints allow, Phi W = 0; W W^T projects on them."""
        (q,), alone = self._states(q=q)
        if not alone:
            raise ModelError("a basis of speeds needs a single state: bases of several may have different sizes")
        Phi = self.constraint_jacobian(q[0])
        if not Phi.size:
            return np.eye(len(self.speeds))
        return null_space(Phi, self.column_scale, self.row_sizes())

    def constraint_forces(self, q: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """alpha = Phibar^T b + H gamma and rho = Phibar^T g: constraint forces due to velocities and gravity, in

            Theta^T tau = M a + b + g - Phi^T (alpha + rho)                                    (De Sapio 5.152 to 5.154)

        with gamma = -Phi' v. The signs of alpha and rho are his; multipliers of this program have the opposite sign."""
        back = np.swapaxes(self.constraint_inverse(q), -1, -2)
        pressed = np.einsum("...ij,...j->...i", self.constraint_mass(q), self.constraint_bias(q, v))
        alpha = np.einsum("...ij,...j->...i", back, self.bias(q, v)) + pressed
        return alpha, np.einsum("...ij,...j->...i", back, self.gravity(q))

    def eliminated(self, q: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M_p = W^T M W, b_p = W^T (b + M a_0) and g_p = W^T g, without multipliers: M_p u' + b_p + g_p = W^T tau.

        Accelerations are a = W u' + a_0, with the least a_0 that satisfies Phi a_0 = gamma. It is W' u for any basis
        W(q) that stays orthonormal, up to a motion within the basis (De Sapio 5.302 to 5.306).
        """
        W, M = self.null_space(q), self.mass_matrix(q)
        Phi = self.constraint_jacobian(q)
        least = self._least(Phi, self.constraint_bias(q, v)) if Phi.size else np.zeros(len(self.speeds))
        return W.T @ M @ W, W.T @ (self.bias(q, v) + M @ least), W.T @ self.gravity(q)

    def inertia_ellipsoid(self, marker: Any, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The effective masses at a point, and their axes as columns of a matrix: eigenvalues and eigenvectors of
        (J M^-1 J^T)^-1, infinite where the point cannot move, with constraints included.
        """
        (q,), alone = self._states(q=q)
        if not alone:
            raise ModelError("an ellipsoid needs a single state")
        J = self.jacobian(marker, q[0]) @ (self.motion_projector(q[0]) if self._rows.size else np.eye(len(self.speeds)))
        mobility, axes = np.linalg.eigh(J @ np.linalg.solve(self.mass_matrix(q[0]), J.T))
        still = mobility <= 1e-12 * max(float(mobility[-1]), 1e-300)
        return np.where(still, np.inf, 1.0 / np.where(still, 1.0, mobility)), axes

    def canonical_rates(
        self, q: ArrayLike, p: ArrayLike, tau: ArrayLike | None = None, *, pull: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """v, p' and the multipliers of Hamilton's equations with constraints: v = M^-1 p on Phi v + pull phi = 0,

            p' = tau + B^T f - dH/dq - Phi^T lambda                                           (De Sapio 5.282 to 5.286)

        `pull`, in 1/s, pulls positions back to phi = 0: errors decay as exp(-pull t); speeds need no correction. For
        balls, p' also contains p x w, because the axes of the momenta rotate."""
        (q, p), alone = self._states(q=q, p=p)
        if not alone:
            raise ModelError("canonical_rates() takes a single state")
        here: np.ndarray = q[0]
        Phi = self.constraint_jacobian(here)
        v, multipliers = np.linalg.solve(self.mass_matrix(here), np.asarray(p[0])), np.zeros(self._rows.size)
        if Phi.size:
            over = self._over_mass(here, Phi)
            v = v - over @ (self.constraint_mass(here) @ (Phi @ v + pull * self.residual(here)))
        free = np.zeros(len(self.speeds)) if tau is None else np.asarray(tau, float)
        a = self.accelerations(here, v, free, beta=pull)
        if Phi.size:
            unit, lengths = self._truncated(self.constraint_jacobian(here))
            multipliers = np.linalg.lstsq(unit.T, free - self.torques(here, v, a), rcond=ROW_NOISE)[0] / lengths
        return v, self.mass_matrix(here) @ a + self._mass_rate_times(here, v), multipliers

    def _mass_rate_times(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """M' v along the motion: dL/dq + b + g, and p x w for balls."""
        momenta, slope = (part[0] for part in self._momenta(q[None], v[None]))
        found: np.ndarray = slope + self.bias(q, v) + self.gravity(q)
        for kind, first, count in zip(self._tree.kind, self._tree.first_v, self._tree.count_v, strict=True):
            if kind in (BALL, FREE):
                turning = slice(first + count - 3, first + count)
                found[turning] += np.cross(momenta[turning], v[turning])
        return found

    def moved(self, q: ArrayLike, step: ArrayLike) -> np.ndarray:
        """q after a displacement, a vector numbered like the speeds: added for joints with one axis, a rotation for
        balls."""
        (q, step), alone = self._states(q=q, v=step)
        out = q.copy()
        for k, kind in enumerate(self._tree.kind):
            i, j = int(self._tree.first_q[k]), int(self._tree.first_v[k])
            if kind == FREE:
                out[:, i : i + 3] += step[:, j : j + 3]
                i, j = i + 3, j + 3
            if kind == MODAL:
                continue
            if kind in (BALL, FREE):
                out[:, i : i + 4] = _turned(q[:, i : i + 4], step[:, j : j + 3])
            else:
                out[:, i] += step[:, j]
        return one(out, alone)

    def _least(self, Phi: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The least x with Phi x = right, with Phi of the last evaluation."""
        unit, lengths = self._truncated(Phi)
        return np.asarray(np.linalg.lstsq(unit, right / lengths, rcond=ROW_NOISE)[0])

    def _over_mass(self, q: ArrayLike, Phi: np.ndarray) -> np.ndarray:
        """M^-1 Phi^T."""
        found: np.ndarray = np.linalg.solve(self.mass_matrix(q), np.swapaxes(Phi, -1, -2))
        return found


def _turned(e: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Euler parameters after rotation by rotation vectors in body axes."""
    half = 0.5 * np.linalg.norm(theta, axis=1)
    c, s = np.cos(half), 0.5 * np.sinc(half / np.pi)
    w, v = c, s[:, None] * theta
    scalar = e[:, 0] * w - np.einsum("si,si->s", e[:, 1:], v)
    return np.column_stack([scalar, e[:, :1] * v + w[:, None] * e[:, 1:] + np.cross(e[:, 1:], v)])


def places_of(wanted: Sequence[str], names: Sequence[str], owner: str) -> np.ndarray:
    """The indices of all numbers of a joint or floating body, or of the one that is fully named."""
    found: list[int] = []
    for word in wanted:
        own = [k for k, name in enumerate(names) if word == name or word == name.rpartition(".")[0]]
        if not own:
            near = get_close_matches(str(word), [*names, *(name.rpartition(".")[0] for name in names)], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise ModelError(f"no coordinate of '{owner}' belongs to {check.short_repr(word)}{hint}")
        found += own
    return np.array(found, int)


def changed(q: np.ndarray, values: Mapping[str, Any], names: Sequence[str], owner: str) -> np.ndarray:
    """A copy of q with the numbers of some joints replaced."""
    if not isinstance(values, Mapping):
        raise ModelError(f"values of joints must be a dictionary, got {check.describe(values)}")
    found = q.copy()
    for word, value in values.items():
        places = places_of((word,), names, owner)
        what = f"the value of '{word}'"
        found[places] = check.number(value, what) if places.size == 1 else check.vector(value, places.size, what)
    return found
