"""The reduced data of a flexible part: modes, their inertia integrals, stiffness, damping and interfaces.

    y = x + psi eta                          position of a point in the axes of the part, eta: n modal coordinates
    psi_0 = x,  eta_0 = 1                    the undeformed shape is the field 0

    S_a = int psi_a dm                       D_ab = int psi_a psi_b^T dm                          a, b = 0 .. n
    C_k = int psi_k dm                       H_k = int x cross psi_k dm                           k = 1 .. n
    J_0 = int (x.x I - x x^T) dm             Mbar_kl = int psi_k . psi_l dm

A model with translations at its nodes has C, H, J_0 and Mbar in S and D. A model with rotations at its nodes (beams,
shells) does not: then C, H, J_0 and Mbar come from its mass matrix, and D from the masses lumped at its nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.stated import Stated

SYMMETRY_ERROR = 1e-8  # asymmetry, and negative eigenvalues, relative to the largest entry


@dataclass(frozen=True, eq=False)
class Interface(metaclass=Stated):
    """A point of a part with axes that turn with the material: a node, or the rigid or mean motion of several.

    translation (3 x n) and rotation (3 x n) are the modes of the point and of its axes; `orientation` (3 x 3) has the
    axes of the undeformed part in its columns.
    """

    position: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    orientation: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True, eq=False)
class Surface(metaclass=Stated):
    """The skin of a part: points (p x 3), their modes (p x 3 x n) and triangles (t x 3) of indices of points."""

    points: np.ndarray
    modes: np.ndarray
    triangles: np.ndarray


@dataclass(frozen=True, eq=False)
class FlexiblePart(metaclass=Stated):
    """Mass, stiffness and damping of a flexible part in its n modes, and the interfaces at which others are attached.

    `first_moment` (n + 1, 3), `second_moment` (n + 1, n + 1, 3, 3), `modal_mass` (n, n), `coupling` (3, n),
    `rotation_coupling` (3, n) and `inertia` (3, 3) about the origin are the integrals above; `stiffness` and `damping`
    are (n, n); `frequencies` (n) in Hz. `frame` is "mean" if the modes are orthogonal to rigid motions, "tangent" if
    they vanish at an interface. `stiffening` are the integrals G_S (n, n, 3) and G_D (n, n, 3, 3) of second-order
    displacements, `stress` the modes of the six stress components at the points of the surface (p, 6, n).

    >>> rod = FlexiblePart(
    ...     "rod", mass=2.0, first_moment=[[1.0, 0, 0], [0, 0, 0]], second_moment=np.zeros((2, 2, 3, 3)),
    ...     modal_mass=[[1.0]], coupling=[[0], [0], [0]], rotation_coupling=[[0], [0], [0]],
    ...     inertia=np.diag([0.01, 0.7, 0.7]), stiffness=[[400.0]], damping=[[0.0]],
    ...     interfaces={"tip": Interface([1, 0, 0], [[0], [1.5], [0]], [[0], [0], [2.0]])}, frequencies=[3.18],
    ... )
    >>> rod.modes, rod.interfaces["tip"].translation.shape
    (1, (3, 1))
    """

    name: str
    mass: float
    first_moment: np.ndarray
    second_moment: np.ndarray
    modal_mass: np.ndarray
    coupling: np.ndarray
    rotation_coupling: np.ndarray
    inertia: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    interfaces: Mapping[str, Interface]
    frequencies: np.ndarray
    stiffening: tuple[np.ndarray, np.ndarray] | None = None
    frame: str = "mean"
    surface: Surface | None = None
    stress: np.ndarray | None = None

    def __post_init__(self) -> None:
        check.text(self.name, "the name of a flexible part")
        check.choice(self.frame, ("mean", "tangent"), f"frame of {self.title}")
        _keep(self, "mass", check.positive(self.mass, f"the mass of {self.title}"))
        first = self._array("first_moment", (None, 3))
        n = len(first) - 1
        if n < 1:
            raise ModelError(f"{self.title} has no modes; a part without modes is a Body")
        sizes: dict[str, tuple[int | None, ...]] = {
            "second_moment": (n + 1, n + 1, 3, 3),
            "modal_mass": (n, n),
            "coupling": (3, n),
            "rotation_coupling": (3, n),
            "inertia": (3, 3),
            "stiffness": (n, n),
            "damping": (n, n),
            "frequencies": (n,),
        }
        for name, size in sizes.items():
            self._array(name, size)
        self._check_symmetry()
        self._check_signs()
        self._check_interfaces(n)
        self._check_skin(n)
        self._check_stiffening(n)

    @property
    def title(self) -> str:
        """What messages call it.

        >>> FlexiblePart.title.fget(type("", (), {"name": "rod"}))
        "the flexible part 'rod'"
        """
        return f"the flexible part '{self.name}'"

    @property
    def modes(self) -> int:
        """The number of modes."""
        return len(self.first_moment) - 1

    @property
    def center(self) -> np.ndarray:
        """The mass center of the undeformed part."""
        return np.asarray(self.first_moment[0] / self.mass)

    def with_modes(self, keep: Sequence[int]) -> FlexiblePart:
        """The part with only some of its modes, by index from 0.

        Modes that are left out do not deform: what they carried is then rigid.
        """
        pick = np.asarray(keep, dtype=int)
        if pick.ndim != 1 or not len(pick) or len(set(pick.tolist())) < len(pick):
            raise ModelError(f"modes to keep of {self.title} must be a list of different indices, got {keep!r}")
        if pick.min() < 0 or pick.max() >= self.modes:
            raise ModelError(f"{self.title} has the modes 0 to {self.modes - 1}, got {keep!r}")
        fields_ = np.concatenate([[0], pick + 1])
        square = np.ix_(pick, pick)
        surface = self.surface
        return replace(
            self,
            first_moment=self.first_moment[fields_],
            second_moment=self.second_moment[np.ix_(fields_, fields_)],
            modal_mass=self.modal_mass[square],
            coupling=self.coupling[:, pick],
            rotation_coupling=self.rotation_coupling[:, pick],
            stiffness=self.stiffness[square],
            damping=self.damping[square],
            frequencies=self.frequencies[pick],
            interfaces={
                name: replace(at, translation=at.translation[:, pick], rotation=at.rotation[:, pick])
                for name, at in self.interfaces.items()
            },
            stiffening=None if self.stiffening is None else tuple(part[square] for part in self.stiffening),
            surface=None if surface is None else replace(surface, modes=surface.modes[:, :, pick]),
            stress=None if self.stress is None else self.stress[:, :, pick],
        )

    def mass_matrix(self) -> np.ndarray:
        """The mass matrix (6 + n) of the undeformed part: translation, rotation about the origin, modes."""
        n, (x, y, z) = self.modes, self.first_moment[0]
        result = np.zeros((6 + n, 6 + n))
        result[:3, :3] = self.mass * np.eye(3)
        result[:3, 3:6] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        result[:3, 6:], result[3:6, 6:] = self.coupling, self.rotation_coupling
        result[3:6, 3:6], result[6:, 6:] = self.inertia, self.modal_mass
        upper = np.triu(result)
        return upper + np.triu(result, 1).T

    def _array(self, name: str, size: tuple[int | None, ...]) -> np.ndarray:
        value = _array(getattr(self, name), size, f"{name} of {self.title}")
        _keep(self, name, value)
        return value

    def _check_symmetry(self) -> None:
        moments = self.second_moment
        pairs = {"second_moment": (moments, moments.transpose(1, 0, 3, 2))}
        for name in ("modal_mass", "inertia", "stiffness", "damping"):
            pairs[name] = (getattr(self, name), getattr(self, name).T)
        for name, (matrix, mirror) in pairs.items():
            _check_equal(matrix, mirror, f"{name} of {self.title} must be symmetric")

    def _check_signs(self) -> None:
        for name in ("stiffness", "damping"):
            least = _least_eigenvalue(getattr(self, name))
            if least < -SYMMETRY_ERROR:
                raise ModelError(
                    f"{name} of {self.title} has a negative eigenvalue, {least:.3g} of its largest entry: "
                    "it must be positive semidefinite"
                )
        if _least_eigenvalue(self.modal_mass) <= 0.0:
            raise ModelError(f"modal_mass of {self.title} must be positive definite: a mode without mass cannot move")
        least = _least_eigenvalue(self.mass_matrix())
        if least < -SYMMETRY_ERROR:
            raise ModelError(
                f"the mass matrix of {self.title} (mass, first_moment, inertia, coupling, rotation_coupling and "
                f"modal_mass) has a negative eigenvalue, {least:.3g} after scaling: check that all are in the same "
                "units and about the same origin"
            )
        if (self.frequencies < 0.0).any():
            raise ModelError(f"frequencies of {self.title} must not be negative, got {self.frequencies.min():g} Hz")

    def _check_interfaces(self, n: int) -> None:
        check.instance(self.interfaces, Mapping, f"interfaces of {self.title}", "state name: Interface(...)")
        checked = {}
        for name, at in self.interfaces.items():
            what = f"interface '{name}' of {self.title}"
            check.text(name, f"the name of an interface of {self.title}")
            check.instance(at, Interface, what)
            axes = _array(at.orientation, (3, 3), f"orientation of {what}")
            if np.abs(axes.T @ axes - np.eye(3)).max() > SYMMETRY_ERROR or np.linalg.det(axes) < 0.0:
                raise ModelError(f"orientation of {what} must be a rotation matrix: orthonormal and right-handed")
            checked[name] = Interface(
                _array(at.position, (3,), f"position of {what}"),
                _array(at.translation, (3, n), f"translation of {what}"),
                _array(at.rotation, (3, n), f"rotation of {what}"),
                axes,
            )
        _keep(self, "interfaces", checked)

    def _check_skin(self, n: int) -> None:
        if self.surface is None:
            if self.stress is not None:
                raise ModelError(f"stress of {self.title} is at the points of its surface: state surface= as well")
            return
        what = f"surface of {self.title}"
        check.instance(self.surface, Surface, what)
        points = _array(self.surface.points, (None, 3), f"points of the {what}")
        modes = _array(self.surface.modes, (len(points), 3, n), f"modes of the {what}")
        triangles = np.asarray(self.surface.triangles)
        if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
            raise ModelError(
                f"triangles of the {what} must be (t, 3) indices of points, got {check.describe(triangles)}"
            )
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(points):
            raise ModelError(
                f"triangles of the {what} must have indices from 0 to {len(points) - 1}, "
                f"got {triangles.min()} to {triangles.max()}"
            )
        _keep(self, "surface", Surface(points, modes, triangles.astype(np.int64)))
        if self.stress is not None:
            self._array("stress", (len(points), 6, n))

    def _check_stiffening(self, n: int) -> None:
        if self.stiffening is None:
            return
        what = f"stiffening of {self.title}"
        if not isinstance(self.stiffening, Sequence) or len(self.stiffening) != 2:
            raise ModelError(f"{what} must be two arrays, G_S (n, n, 3) and G_D (n, n, 3, 3)")
        first = _array(self.stiffening[0], (n, n, 3), f"G_S in {what}")
        second = _array(self.stiffening[1], (n, n, 3, 3), f"G_D in {what}")
        for name, part in (("G_S", first), ("G_D", second)):
            _check_equal(part, part.swapaxes(0, 1), f"{name} in {what} must be symmetric in its first two indices")
        _keep(self, "stiffening", (first, second))

    def __repr__(self) -> str:
        names = ", ".join(self.interfaces)
        return f"FlexiblePart('{self.name}', {self.modes} modes, interfaces: {names or 'none'})"


def _array(value: object, size: tuple[int | None, ...], what: str) -> np.ndarray:
    """A read-only array of finite numbers of that shape."""
    try:
        result = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be an array of numbers, got {check.short_repr(value)}") from None
    expected = tuple(got if want is None else want for got, want in zip(result.shape, size, strict=False))
    if len(result.shape) != len(size) or result.shape != expected:
        wanted = " x ".join("any" if part is None else str(part) for part in size)
        raise ModelError(f"{what} must be {wanted}, got {' x '.join(str(part) for part in result.shape) or 'a number'}")
    if not np.isfinite(result).all():
        raise ModelError(f"{what} must have finite entries, got {result[~np.isfinite(result)][0]}")
    result.setflags(write=False)
    return result


def _check_equal(matrix: np.ndarray, mirror: np.ndarray, what: str) -> None:
    apart = np.abs(matrix - mirror)
    if apart.max(initial=0.0) > SYMMETRY_ERROR * np.abs(matrix).max(initial=0.0):
        place = np.unravel_index(int(apart.argmax()), matrix.shape)
        entries = f"{matrix[place]:.6g} and {mirror[place]:.6g}"
        raise ModelError(f"{what}; at {[int(index) for index in place]} the two entries are {entries}")


def _least_eigenvalue(matrix: np.ndarray) -> float:
    """Of the matrix scaled to a unit diagonal, independent of units; a zero row may only have zeros."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    least = np.sqrt(np.finfo(float).eps) * size.max(initial=0.0)
    scale = np.where(size > least, size, np.maximum(least, np.finfo(float).tiny ** 0.5))
    return float(np.linalg.eigvalsh(matrix / np.outer(scale, scale)).min())


def _keep(owner: Any, name: str, value: object) -> None:
    assert name in {part.name for part in fields(owner)}
    object.__setattr__(owner, name, value)
