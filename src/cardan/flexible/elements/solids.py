"""Solids of quadratic tetrahedra or bricks, assembled with scikit-fem.

    K = int lambda div u div v + 2 mu eps(u) : eps(v),     M = int rho u . v = mu (x) I_3

Both are built of the scalar matrices G_ij = int phi_a,i phi_b,j of the shape functions: nodes keep their order, the
three unknowns of a node follow each other. Elements are those that other programs call C3D10 and C3D20 (full
integration). Edges are straight, or curved as in a mesh of second order: then x = sum_a phi_a x_a, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, kron

from cardan.errors import ModelError
from cardan.flexible.elements.material import Material, material as material_of
from cardan.flexible.elements.meshes import EDGES, Mesh, box, facets, optional
from cardan.flexible.fe_model import Elements, FiniteElementModel
from cardan.model import check
from cardan.model.flexible_part import Surface
from cardan.numerics.linalg.multifrontal import Cholesky

if TYPE_CHECKING:
    pass


def solid(mesh: Mesh, material: Any = "steel", *, name: str = "solid") -> FiniteElementModel:
    """A solid from a mesh (`box`, `cylinder`, `read_mesh`, `mesh_stl`); needs scikit-fem (extra `flexible`).

    Its node sets are those of the facets of the mesh, with the nodes on their edges.

        bar = solid(box(1.0, 0.1, 0.1, elements=(10, 1, 1)))
        part = bar.reduce(up_to=2000.0)
    """
    check.instance(mesh, Mesh, "mesh", "such as box(1.0, 0.1, 0.1) or read_mesh('part.msh')")
    matter = material_of(material)
    data = SolidElements(mesh, matter)
    M, K = data.matrices()
    sets = {key: data.nodes_of(faces) for key, faces in mesh.sets.items() if len(faces)}
    return FiniteElementModel(name, data.nodes, M, K, sets, data)


def plate(
    length: float,
    width: float,
    thickness: float,
    material: Any = "steel",
    *,
    elements: tuple[int, int] = (16, 12),
    name: str = "plate",
) -> FiniteElementModel:
    """A rectangular plate in the plane x, y, its middle at z = 0, of one layer of quadratic bricks.

    Thin plates need more elements: bricks longer than about 20 times the thickness become too stiff, and are rejected.
    Node sets are "left" and "right", the ends along x.
    """
    t = check.positive(thickness, "thickness of a plate")
    L, W = check.positive(length, "length of a plate"), check.positive(width, "width of a plate")
    nx, ny = (check.count(n, "elements of a plate") for n in elements)
    if max(L / nx, W / ny) > 20.0 * t:
        raise ModelError(
            f"elements of '{name}' are {max(L / nx, W / ny):.3g} m long and {t:.3g} m thick: they would be too stiff; "
            f"state elements=({int(np.ceil(L / t / 20))}, {int(np.ceil(W / t / 20))}) or more"
        )
    return solid(box(L, W, t, elements=(nx, ny, 1), origin=(0, 0, -0.5 * t)), material, name=name)


class SolidElements(Elements):
    """Nodes and connectivity of a mesh of quadratic elements, with its material."""

    def __init__(self, mesh: Mesh, matter: Material) -> None:
        self.mesh, self.matter = mesh, matter
        corners = mesh.cells.shape[1]
        pairs = np.sort(mesh.cells[:, list(EDGES[corners])].reshape(-1, 2), axis=1)
        self._edges, number = np.unique(pairs, axis=0, return_inverse=True)
        middles = len(mesh.points) + number.reshape(len(mesh.cells), -1)
        self.cells = np.hstack([mesh.cells, middles])  # in the order of C3D10 and C3D20
        places = mesh.points[self._edges].mean(axis=1)
        if mesh.middles is not None:
            places[number.reshape(-1)] = mesh.middles.reshape(-1, 3)
        self.nodes = np.vstack([mesh.points, places])

    @property
    def kind(self) -> str:
        """The name of the element in Abaqus and CalculiX."""
        return "C3D10" if self.cells.shape[1] == 10 else "C3D20"

    def basis(self, order: int | None = None, at_nodes: bool = False, cells: np.ndarray | None = None) -> Any:
        """scikit-fem's basis of scalar functions; its numbering becomes ours through `_numbers`."""
        skfem = optional("skfem")
        points, t = np.ascontiguousarray(self.mesh.points.T), self.mesh.cells.T
        if len(t) == 4:
            mesh, element = skfem.MeshTet(points, np.ascontiguousarray(t)), skfem.ElementTetP2()
        else:
            mesh, element = skfem.MeshHex(points, np.ascontiguousarray(t[_brick_order(skfem)])), skfem.ElementHexS2()
        extra = {} if cells is None else {"elements": cells}
        if self.mesh.middles is not None:
            extra["mapping"] = self._curved(skfem, mesh, element)
        if at_nodes:
            places = np.asarray(element.doflocs).T
            return skfem.Basis(mesh, element, quadrature=(places, np.ones(places.shape[1])), **extra)
        return skfem.Basis(mesh, element, intorder=order, **extra)

    def _curved(self, skfem: Any, mesh: Any, element: Any) -> Any:
        """The isoparametric mapping of curved elements."""
        dofs = skfem.Dofs(mesh, element)
        places = np.zeros((3, dofs.N))
        places[:, dofs.element_dofs] = self.nodes[self._numbers_of(mesh, element)].transpose(2, 0, 1)
        return skfem.MappingIsoparametric(_CurvedMesh(places, dofs), element)

    @property
    def order(self) -> int:
        """The polynomials that are integrated exactly: more where the volume varies within elements."""
        return (4 if self.cells.shape[1] == 10 else 5) + (0 if self.mesh.middles is None else 3)

    def matrices(self) -> tuple[csr_matrix, csr_matrix]:
        """M and K."""
        skfem = optional("skfem")
        basis = self.basis(self.order)
        if self.mesh.middles is not None:
            _check_volumes(basis)
        turn = self._numbers(basis)

        def scalar(form: Any) -> csr_matrix:
            matrix = csr_matrix(skfem.BilinearForm(form).assemble(basis))
            return matrix[turn][:, turn]

        G = {(i, j): scalar(lambda u, v, w, i=i, j=j: v.grad[i] * u.grad[j]) for i in range(3) for j in range(i, 3)}
        G |= {(j, i): G[i, j].T for i, j in list(G) if i != j}
        lam, mu = self.matter.lame
        trace = mu * (G[0, 0] + G[1, 1] + G[2, 2])
        K = kron(trace, np.eye(3), format="csr")
        for i in range(3):
            for j in range(3):
                unit = np.zeros((3, 3))
                unit[i, j] = 1.0
                K = K + kron(lam * G[i, j] + mu * G[j, i], unit, format="csr")
        mass = scalar(lambda u, v, w: self.matter.density * u * v)
        return kron(mass, np.eye(3), format="csr"), csr_matrix(K)

    def nodes_of(self, faces: np.ndarray) -> np.ndarray:
        """The nodes on facets: their corners and the middles of their edges."""
        ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
        return np.unique(np.concatenate([faces.ravel(), self.middle(ends)]))

    def middle(self, ends: np.ndarray) -> np.ndarray:
        """The nodes on edges, by their two corners."""
        many = len(self.mesh.points)
        key = self._edges[:, 0] * many + self._edges[:, 1]
        low, high = np.sort(ends, axis=-1)[..., 0], np.sort(ends, axis=-1)[..., 1]
        return np.asarray(many + np.searchsorted(key, low * many + high))

    def triangles(self) -> np.ndarray:
        """The skin, four or six triangles to a facet."""
        faces = facets(self.mesh.cells)
        mids = self.middle(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1))
        n = faces.shape[1]
        parts = [np.stack([faces[:, k], mids[:, k], mids[:, k - 1]], axis=1) for k in range(n)]
        parts += [mids[:, :3]] if n == 3 else [mids[:, [0, 1, 2]], mids[:, [0, 2, 3]]]
        return np.vstack(parts)

    def surface(self, modes: np.ndarray) -> Surface:
        skin, corner = np.unique(self.triangles(), return_inverse=True)
        return Surface(self.nodes[skin], modes[skin], corner.reshape(-1, 3))

    def stress(self, modes: np.ndarray) -> np.ndarray:
        """Mean of the elements at each node of the skin."""
        return self.nodal_stress(modes, np.unique(self.triangles()))

    def nodal_stress(self, modes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """(wanted nodes, 6, n): xx, yy, zz, xy, yz, zx of displacements (nodes, 3, n)."""
        here = np.zeros(len(self.nodes), dtype=bool)
        here[wanted] = True
        chosen = np.flatnonzero(here[self.cells].any(axis=1))
        basis = self.basis(at_nodes=True, cells=chosen)
        numbers = self._own_numbers(basis)[:, chosen]  # (functions, cells) of our nodes
        slopes = np.stack([function[0].grad for function in basis.basis])  # (functions, 3, cells, places)
        total, times = np.zeros((len(self.nodes), 6, modes.shape[2])), np.zeros(len(self.nodes))
        lam, mu = self.matter.lame
        np.add.at(times, numbers.ravel(), 1.0)
        for k in range(modes.shape[2]):
            grad = np.einsum("fjcp,fci->ijcp", slopes, modes[numbers, :, k], optimize=True)
            strain = 0.5 * (grad + grad.transpose(1, 0, 2, 3))
            stress = 2.0 * mu * strain
            for i in range(3):
                stress[i, i] += lam * np.einsum("jjcp->cp", strain)
            six = np.stack([stress[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))])  # (6, c, p)
            np.add.at(total[:, :, k], numbers.T.ravel(), six.transpose(1, 2, 0).reshape(-1, 6))
        return np.asarray(total[wanted] / times[wanted, None, None])

    def stiffening(self, modes: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From the stress of the loads rho e_a and rho x_b e_a with the root held: -psi_k^T K_g psi_l."""
        skfem = optional("skfem")
        basis = self.basis(self.order)
        turn = self._numbers(basis)
        M, K = self.matrices()
        free = np.setdiff1d(np.arange(K.shape[0]), (3 * held[:, None] + np.arange(3)).ravel())
        factor = Cholesky(K[free][:, free], free // 3, self.nodes)
        fields = np.column_stack([np.ones(len(self.nodes)), self.nodes])  # 1, x, y, z
        n = modes.shape[2]
        first, second = np.zeros((n, n, 3)), np.zeros((n, n, 3, 3))
        lam, mu = self.matter.lame
        back = np.argsort(turn)
        for case in range(12):
            b, a = divmod(case, 3)
            load = np.zeros((len(self.nodes), 3))
            load[:, a] = fields[:, b]
            u = np.zeros(K.shape[0])
            u[free] = factor.solve((M @ load.ravel())[free])
            parts = [basis.interpolate(np.ascontiguousarray(u[i::3][back])).grad for i in range(3)]
            grad = np.stack([np.asarray(part) for part in parts])  # (i, j, cells, points)
            strain = 0.5 * (grad + grad.transpose(1, 0, 2, 3))
            sigma = 2.0 * mu * strain
            for i in range(3):
                sigma[i, i] += lam * np.einsum("jjcp->cp", strain)

            def form(u: Any, v: Any, w: Any, sigma: np.ndarray = sigma) -> Any:
                return sum(sigma[i, j] * u.grad[i] * v.grad[j] for i in range(3) for j in range(3))

            Kg = csr_matrix(skfem.BilinearForm(form).assemble(basis))[turn][:, turn]
            value = -sum(modes[:, i].T @ (Kg @ modes[:, i]) for i in range(3))
            value = 0.5 * (value + value.T)
            if b == 0:
                first[:, :, a] = value
            else:
                second[:, :, b - 1, a] = value
        return first, second

    def _numbers(self, basis: Any) -> np.ndarray:
        """The number in scikit-fem of each of our nodes."""
        ours = self._own_numbers(basis)
        result = np.empty(len(self.nodes), dtype=np.int64)
        result[ours.ravel()] = basis.element_dofs.ravel() if basis.tind is None else basis.dofs.element_dofs.ravel()
        return result

    def _own_numbers(self, basis: Any) -> np.ndarray:
        """(functions, all cells): our node of each local function."""
        return self._numbers_of(basis.mesh, basis.elem)

    def _numbers_of(self, mesh: Any, element: Any) -> np.ndarray:
        places = np.asarray(element.doflocs)
        corners = len(self.mesh.cells[0])
        t = mesh.t  # vertices as scikit-fem orders them; their numbers are ours
        rows = [t[k] for k in range(corners)]
        vertex = places[:corners]
        for place in places[corners:]:
            a, b = _ends(vertex, place)
            rows.append(self.middle(np.stack([t[a], t[b]], axis=-1)))
        return np.stack(rows)


class _CurvedMesh(NamedTuple):
    """What an isoparametric mapping of scikit-fem reads of a mesh."""

    doflocs: np.ndarray
    dofs: Any

    def dim(self) -> int:
        return 3


def _check_volumes(basis: Any) -> None:
    """Reject curved elements that turn inside out."""
    volumes = basis.mapping.detDF(basis.X, basis.tind)
    bad = np.flatnonzero((volumes <= 0.0).any(axis=1))
    if bad.size:
        raise ModelError(
            f"element {int(bad[0])} of the mesh is inverted in part ({bad.size} in all): a node on one of its curved "
            "edges is too far from the middle; refine the mesh there, or write it with straight edges (first order)"
        )


def _ends(vertex: np.ndarray, place: np.ndarray) -> tuple[int, int]:
    """The two vertices whose middle is the place."""
    middles = 0.5 * (vertex[:, None] + vertex)
    a, b = np.unravel_index(int(np.argmin(np.abs(middles - place).sum(axis=2))), middles.shape[:2])
    return int(a), int(b)


def _brick_order(skfem: Any) -> list[int]:
    """Our corner (the order of VTK) for each corner of scikit-fem."""
    ours = np.array(
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], dtype=float
    )
    theirs = np.asarray(skfem.MeshHex.elem.refdom.p).T
    return [int(np.argmin(np.abs(ours - place).sum(axis=1))) for place in theirs]
