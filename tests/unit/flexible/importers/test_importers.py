"""Matrices of other programs: files written here in their formats are read back; faults name the file."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix, triu

from bricks import bricks
from cardan.errors import ModelError
from cardan.flexible import FiniteElementModel, beam, box, read_abaqus, read_calculix, read_nastran, solid
from cardan.flexible.importers.nastran import _number, read_grids

M, K, NODES = bricks((1.0, 0.1, 0.1), (3, 1, 1), 210e9, 0.3, 7850.0)
LABELS = 10 * (np.arange(len(NODES)) + 1)  # not from 1, not in steps of one


def coordinates(matrix: csr_matrix) -> str:
    entries = csr_matrix(matrix).tocoo()
    return "".join(
        f"{i + 1} {j + 1} {v:.15e}\n" for i, j, v in zip(entries.row, entries.col, entries.data, strict=True)
    )


def labeled(matrix: csr_matrix) -> str:
    entries = csr_matrix(matrix).tocoo()
    rows = zip(entries.row, entries.col, entries.data, strict=True)
    return "".join(f"{LABELS[i // 3]},{i % 3 + 1}, {LABELS[j // 3]},{j % 3 + 1}, {v:.15e}\n" for i, j, v in rows)


def deck() -> str:
    nodes = "\n".join(f"{n}, {x:.9g}, {y:.9g}, {z:.9g}" for n, (x, y, z) in zip(LABELS, NODES, strict=True))
    root = ", ".join(str(n) for n in LABELS[NODES[:, 0] == 0])
    return (
        f"*Heading\n** a bar\n*Node\n{nodes}\n*Nset, nset=ROOT\n{root},\n*NSET, NSET=SOME, GENERATE\n10, 50, 20\n"
        "*NSET, nset=BOTH\nROOT, 30\n*Step\n*End Step\n"
    )


@pytest.mark.parametrize("form", ["both triangles", "one triangle", "labels"])
def test_abaqus(form: str, tmp_path: Path) -> None:
    (tmp_path / "bar.inp").write_text(deck())
    for name, matrix in (("K", K), ("M", M)):
        text = {
            "both triangles": coordinates(matrix),
            "one triangle": coordinates(triu(matrix)),
            "labels": labeled(matrix),
        }
        (tmp_path / f"{name}.mtx").write_text(text[form])
    bar = read_abaqus(tmp_path / "K.mtx", tmp_path / "M.mtx", tmp_path / "bar.inp")
    assert abs(bar.K - K).max() < 1e-12 * abs(K).max() and abs(bar.M - M).max() < 1e-12 * abs(M).max()
    assert np.allclose(bar.nodes, NODES) and (bar.labels == LABELS).all()
    assert (NODES[bar.sets["ROOT"], 0] == 0).all() and len(bar.sets["ROOT"]) == 4
    assert bar.sets["SOME"].tolist() == [0, 2, 4]
    assert set(bar.sets["BOTH"]) == set(bar.sets["ROOT"]) | {2}
    assert bar.reduce({"root": "ROOT"}, modes=2).mass == pytest.approx(78.5)


def abaqus(tmp_path: Path, stiffness: str, mass: str, text: str) -> FiniteElementModel:
    for name, content in (("K.mtx", stiffness), ("M.mtx", mass), ("bar.inp", text)):
        (tmp_path / name).write_text(content)
    return read_abaqus(tmp_path / "K.mtx", tmp_path / "M.mtx", tmp_path / "bar.inp")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda k, m, d: (k, m, "*Heading\n"), "no *NODE block"),
        (lambda k, m, d: (k, m, d.replace("30, ", "30, x", 1)), "a node must be a number"),
        (lambda k, m, d: (k, m, d.replace("10, 50, 20", "10, 5000000000, 1")), "at most 16 nodes"),
        (lambda k, m, d: (k, m, "*INCLUDE, INPUT=a\n" + d), "*INCLUDE is not followed"),
        (lambda k, m, d: ("1 1 4.0\n2 2 x\n", m, d), "not numbers"),
        (lambda k, m, d: ("1 2\n", m, d), "must have 3 or 5 numbers"),
        (lambda k, m, d: (k + "1 1\n", m, d), "finite numbers in each line"),
        (lambda k, m, d: ("1 1 5.0\n", m, d), "has 1 rows, but the 16 nodes"),
        (lambda k, m, d: (k + "900 900 1.0\n", m, d), "has 900 rows"),
        (lambda k, m, d: (k + "0 1 1.0\n", m, d), "whole numbers from 1 to 48"),
        (lambda k, m, d: (k + "1 2 1e11\n", m, d), "not symmetric"),
        (lambda k, m, d: ("10,1,10,1,5.0\n11,1,10,1,3.0\n", m, d), "refers to node 11"),
    ],
)
def test_faults_of_abaqus_files(
    change: Callable[[str, str, str], tuple[str, str, str]], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError) as caught:
        abaqus(tmp_path, *change(coordinates(K), coordinates(M), deck()))
    assert words in str(caught.value)


def calculix(folder: Path, free: np.ndarray | None = None) -> Path:
    """The files of a job whose unknowns are in reverse order of the nodes."""
    order = np.arange(K.shape[0]).reshape(-1, 3)[::-1].ravel()
    order = order if free is None else order[np.isin(order, free)]
    (folder / "bar.inp").write_text(deck())
    (folder / "bar.sti").write_text(coordinates(triu(K[order][:, order])))
    (folder / "bar.mas").write_text(coordinates(triu(M[order][:, order])))
    (folder / "bar.dof").write_text("".join(f"{LABELS[i // 3]}.{i % 3 + 1}\n" for i in order))
    return folder / "bar.sti"


def test_calculix(tmp_path: Path) -> None:
    bar = read_calculix(calculix(tmp_path))
    assert abs(bar.K - K).max() < 1e-12 * abs(K).max() and abs(bar.M - M).max() < 1e-12 * abs(M).max()
    assert np.allclose(bar.nodes, NODES) and bar.name == "bar" and len(bar.sets["ROOT"]) == 4


def test_faults_of_calculix_files(tmp_path: Path) -> None:
    job = calculix(tmp_path, np.arange(3, K.shape[0] - 1))  # one node is supported, another in part
    with pytest.raises(ModelError, match="node 160 of 'bar' lacks unknowns: the model has supports"):
        read_calculix(job)
    (tmp_path / "bar.dof").write_text("one.x\n")
    with pytest.raises(ModelError, match="lines such as 17.2"):
        read_calculix(job)
    (tmp_path / "bar.dof").write_text("7.1\n7.2\n7.3\n")
    with pytest.raises(ModelError, match="refers to node 7"):
        read_calculix(job)
    (tmp_path / "bar.dof").unlink()
    with pytest.raises(ModelError, match="the list of unknowns of .* is missing"):
        read_calculix(job)


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_calculix_itself(tmp_path: Path) -> None:
    """S13: matrices that CalculiX writes have the frequencies that it prints, and equal ours of the same elements."""
    pytest.importorskip("skfem")
    from cardan.flexible.load_cases import _mesh

    bar = solid(box(1.0, 0.1, 0.1, elements=(10, 1, 1)))
    lines = _mesh(bar.elements, np.arange(1, len(bar.nodes) + 1))
    step = ["*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "10", "*END STEP"]
    (tmp_path / "bar.inp").write_text("\n".join([*lines, *step]) + "\n")
    subprocess.run(["ccx", "bar"], cwd=tmp_path, capture_output=True, timeout=120, check=True)
    theirs = read_calculix(tmp_path / "bar.inp")
    assert np.allclose(
        theirs.reduce(modes=6).frequencies[:6], [515.0216] * 2 + [1349.476] * 2 + [1603.840, 2485.660], rtol=1e-6
    )
    assert abs(theirs.K - bar.K).max() < 1e-9 * abs(bar.K).max()
    assert abs(theirs.M - bar.M).max() < 1e-9 * abs(bar.M).max()


def dmig(name: str, matrix: csr_matrix) -> str:
    """Six directions at each node, columns with the rows from the diagonal on."""
    lines = [f"{'DMIG':8}{name:8}{0:8}{6:8}{2:8}{0:8}"]
    lower = triu(matrix).T.tocsc()
    dofs = matrix.shape[0] // len(LABELS) if matrix.shape[0] % len(LABELS) == 0 else 6
    for j in range(matrix.shape[0]):
        rows = lower.indices[lower.indptr[j] : lower.indptr[j + 1]]
        lines.append(f"{'DMIG*':8}{name:16}{_label(j // dofs):16d}{j % dofs + 1:16d}")
        for i, value in sorted(zip(rows, lower.data[lower.indptr[j] : lower.indptr[j + 1]], strict=True)):
            word = f"{value:.9E}".replace("E", "D")
            lines.append(f"{'*':8}{_label(i // dofs):16d}{i % dofs + 1:16d}{word:>16}")
    return "\n".join(lines) + "\n"


def _label(k: int) -> int:
    return 10 * (int(k) + 1)


def bulk(nodes: np.ndarray, form: str) -> str:
    lines = ["$ nodes", "BEGIN BULK"]
    for k, (x, y, z) in enumerate(nodes):
        n = _label(k)
        if form == "free":
            lines.append(f"GRID,{n},,{x:.7g},{y:.7g},{z:.7g}")
        elif form == "small":
            lines.append(f"{'GRID':8}{n:8d}{'':8}{x:8.6f}{y:8.6f}{z:8.6f}")
        else:
            lines.append(f"{'GRID*':8}{n:16d}{'':16}{x:16.9f}{y:16.9f}*")
            lines.append(f"{'*':8}{z:16.9f}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", ["free", "small", "large"])
def test_nastran_punch_file_of_solids(form: str, tmp_path: Path) -> None:
    """Solids have no rotations: their directions 4 to 6 are absent, and the modes are those of three unknowns."""
    (tmp_path / "bar.pch").write_text(dmig("KAAX", K) + dmig("MAAX", M))
    (tmp_path / "bar.bdf").write_text(bulk(NODES, form))
    bar = read_nastran(tmp_path / "bar.pch", tmp_path / "bar.bdf")
    assert bar.dofs == 6
    three = FiniteElementModel("bar", NODES, M, K)
    root = {"root": three.select(x=0.0)}
    six, plain = bar.reduce(root, modes=4), three.reduce(root, modes=4)
    assert np.allclose(six.frequencies, plain.frequencies, rtol=1e-6)  # ten digits in the file, six of the positions
    assert np.allclose(six.inertia, plain.inertia, rtol=1e-3)


def test_nastran_beam_with_rotations(tmp_path: Path) -> None:
    rod = beam(1.0, 0.02, elements=5)
    (tmp_path / "rod.pch").write_text(dmig("KAAX", rod.K) + dmig("MAAX", rod.M))
    (tmp_path / "rod.bdf").write_text(bulk(rod.nodes, "large"))
    again = read_nastran(tmp_path / "rod.pch", tmp_path / "rod.bdf")
    assert np.allclose(again.reduce(modes=4).frequencies, rod.reduce({}, modes=4).frequencies, rtol=1e-6)


def op4(name: str, matrix: csr_matrix, sparse: bool) -> str:
    """Text: dense from the first to the last row of a column, or strings with packed headers."""
    n = matrix.shape[0]
    lines = [f"{n:8d}{n:8d}{6:8d}{2:8d}{name:8}1P,3E23.16"]
    dense = matrix.toarray()

    def values(numbers: np.ndarray) -> None:
        for k in range(0, len(numbers), 3):
            lines.append("".join(f"{v:23.16E}" for v in numbers[k : k + 3]))

    for j in range(n):
        rows = np.flatnonzero(dense[:, j])
        first, last = rows[0], rows[-1] + 1
        count = last - first
        if sparse:
            lines.append(f"{j + 1:8d}{0:8d}{2 * count + 1:8d}")
            lines.append(f"{int(first) + 1 + 65536 * (2 * count + 1):12d}")
        else:
            lines.append(f"{j + 1:8d}{first + 1:8d}{count:8d}")
        values(dense[first:last, j])
    return "\n".join([*lines, f"{n + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]) + "\n"


@pytest.mark.parametrize("sparse", [False, True])
def test_nastran_op4(sparse: bool, tmp_path: Path) -> None:
    rod = beam(1.0, 0.02, elements=5)
    (tmp_path / "rod.op4").write_text(op4("MGG", rod.M, sparse) + op4("KGG", rod.K, sparse))
    (tmp_path / "rod.bdf").write_text(bulk(rod.nodes, "free"))
    again = read_nastran(tmp_path / "rod.op4", tmp_path / "rod.bdf", stiffness="KGG", mass="MGG")
    assert abs(again.K - rod.K).max() < 1e-12 * abs(rod.K).max()
    with pytest.raises(ModelError, match="has no matrix KAAX; it has MGG, KGG"):
        read_nastran(tmp_path / "rod.op4", tmp_path / "rod.bdf", mass="MGG")


def test_numbers_of_nastran() -> None:
    found = [_number(word) for word in ("1.5", "1.5-3", "-2.+4", "1.5D-3", "7E2", "", "-.5", "+1.")]
    assert found == [1.5, 1.5e-3, -2e4, 1.5e-3, 700.0, 0.0, -0.5, 1.0]


def test_faults_of_nastran_files(tmp_path: Path) -> None:
    pch, bdf = tmp_path / "bar.pch", tmp_path / "bar.bdf"
    pch.write_text(dmig("KAAX", K))
    bdf.write_text(bulk(NODES, "free"))
    with pytest.raises(ModelError, match="has no matrix MAAX; it has KAAX"):
        read_nastran(pch, bdf)
    pch.write_text(dmig("KAAX", K) + dmig("MAAX", M).replace("D+", "Q+", 1))
    with pytest.raises(ModelError, match="DMIG entry cannot be read"):
        read_nastran(pch, bdf)
    bdf.write_text(bulk(NODES[:-1], "free"))
    pch.write_text(dmig("KAAX", K) + dmig("MAAX", M))
    with pytest.raises(ModelError, match="refers to node 160"):
        read_nastran(pch, bdf)
    bdf.write_text("GRID,1,5,0.,0.,0.\n")
    with pytest.raises(ModelError, match="coordinate system 5"):
        read_grids(bdf)
    bdf.write_text("GRID,one,,0.,0.,0.\n")
    with pytest.raises(ModelError, match="GRID entry cannot be read"):
        read_grids(bdf)
    bdf.write_text("CEND\n")
    with pytest.raises(ModelError, match="no GRID entries"):
        read_grids(bdf)


@pytest.mark.parametrize("seed", range(40))
def test_changed_files_raise_nothing_but_model_errors(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    texts = {"K.mtx": coordinates(triu(K)), "M.mtx": coordinates(M), "bar.inp": deck()}
    name = list(texts)[seed % 3]
    data = bytearray(texts[name].encode())
    for place in rng.integers(len(data), size=4):
        data[place] = int(rng.integers(256))
    texts[name] = data.decode("latin-1")
    try:
        abaqus(tmp_path, texts["K.mtx"], texts["M.mtx"], texts["bar.inp"])
    except ModelError:
        pass
