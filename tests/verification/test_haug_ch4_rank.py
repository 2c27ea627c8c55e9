"""Haug, chapter 4: linear equations, rank and redundant constraints.

Linear systems go through the sparse LDL^T as the program uses it, [[I, A^T], [A, 0]] [x; lambda] = [0; b]; ranks
through the rank report and the mobility report.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import mobility
from cardan.numerics.linalg import ldlt
from cardan.numerics.linalg.rank_report import rank_report
from cardan.planar import (
    Body,
    Distance,
    Hold,
    Model,
    Revolute,
    dot,
    x,
    y,
)
from verification.equations import Equations
from verification.manual import rounding


@pytest.mark.parametrize(
    ("source", "matrix", "right", "solution"),
    [
        ("Example 4.4.1", [[3, 1, -1], [-1, 2, 1], [2, -3, 1]], (2, 6, -1), (1, 2, 3)),
        (
            "Example 4.4.2",
            [[4, -3, 5, 2], [-3, 1, 1, -6], [5, -5, 10, 0], [2, -3, 9, -7]],
            (-1.5, 9, 2.5, 13.5),
            (0.5, -1, -0.5, -2),
        ),
        ("Example 4.4.3", [[2, -1, 1], [-1, 0, 2], [1, 4, -2]], (0, 5, -5), (-1, 0, 2)),
        ("Example 4.4.5", [[2, 1, -2], [-1, 2.5, -5], [3, -4.5, 0]], (1, -9.5, 10.5), (2, -1, 1)),
        ("Problem 4.4.1", [[1, 2, 1], [2, 1, 1], [0, 1, 4]], (1, 0, 2), (-5 / 11, 6 / 11, 4 / 11)),
    ],
)
def test_linear_systems(record, source, matrix, right, solution):
    """Examples 4.4.1 to 4.4.3 and 4.4.5, Problems 4.4.1 to 4.4.3: linear systems.

    The book eliminates with row and full pivoting and by L U; here the matrix is the Jacobian of the program's own
    factorization.
    """
    kind = "recomputed" if source.startswith("Problem") else "printed"
    record(f"x, {source}", _solved(np.array(matrix, float), np.array(right, float)), solution, rounding(), source, kind)


def test_rank_and_consistency(record):
    """Example 4.4.4, Problems 4.4.4 to 4.4.6: rank, consistency, free variables.

    [[1, 0, 2, 1, 4], [1, 1, 2, 0, 3], [3, 1, 6, 2, 11]] with b = (3, 2, 8), and b = (3, 2, 5).
    """
    matrix = np.array([[1, 0, 2, 1, 4], [1, 1, 2, 0, 3], [3, 1, 6, 2, 11]], float)
    report = rank_report(matrix)
    record.fact("rank", report.rank, 2, "Example 4.4.4")
    (redundant,) = report.redundant
    record.fact("redundant row", redundant.row + 1, 3, "Example 4.4.4")
    remainder = [b[2] - redundant.coefficients @ np.array(b)[redundant.rows] for b in ((3, 2, 8), (3, 2, 5))]
    record(
        "remainder of b = (3, 2, 8), (3, 2, 5)",
        remainder,
        [0, -3],
        rounding(),
        "Example 4.4.4, Problem 4.4.4",
        "recomputed",
    )
    free = report.null_space
    rest = free[:2] - [-2 * free[2] - free[3] - 4 * free[4], free[3] + free[4]]
    record(
        "dx1 + 2 dx3 + dx4 + 4 dx5, dx2 - dx4 - dx5 of 3 free motions",
        rest,
        np.zeros((2, 3)),
        rounding(),
        "Example 4.4.4",
    )
    record.fact("free variables", report.independent.size, 3, "Example 4.4.4")
    printed = np.array([[1, 2, 0, 1], [0, 1, 0, 0], [1, 0, 3, 1], [2, 1, 0, 2]], float)
    record.fact("rank of the matrix of Problem 4.4.6", rank_report(printed).rank, 3, "Problem 4.4.6", "recomputed")
    record.erratum("Haug, Problem 4.4.6", "the printed matrix is singular, its columns 1 and 4 are equal.")


def test_redundant_double_pendulum(record):
    """Problem 4.6.1: a redundant equation in the double pendulum of Example 3.6.2.

    Row 4, x2 - x1 - cos phi2, follows from rows 1 and 3.
    """
    model = Model("double pendulum")
    first = model.add(Body(position=(0.5, -0.866), angle=5 * math.pi / 3), name="first")
    second = model.add(Body(position=(1.490985, -1.0), angle=6.14881), name="second")
    ground = model.ground.at()
    model.add(Hold(x(first.at()) - dot(ground, first.at(), "x", "x"), 0.0), name="row 1")
    model.add(Hold(y(first.at()) + dot(ground, first.at(), "x", "y"), 0.0), name="row 2")
    model.add(Hold(x(second.at(-1, 0)) - dot(ground, first.at(), "x", "x"), 0.0), name="row 3")
    model.add(Hold(x(second.at(-1, 0)) - x(first.at()), 0.0), name="row 4")
    model.add(Hold(y(second.at()), -1.0), name="row 5")
    report = mobility(model)
    record.fact("rank of 5 rows", report.rank, 4, "Problem 4.6.1", "recomputed")
    record.fact("redundant", report.redundant[0][0], "row 4", "Problem 4.6.1", "recomputed")
    record.fact("implied by", report.implied_by[report.redundant[0]], ("row 1", "row 3"), "Problem 4.6.1", "recomputed")


@pytest.mark.parametrize("phi", [math.pi / 3, 0.0])
def test_redundancy_and_singular_point(record, phi):
    """Example 4.6.1: a redundant constraint, and an isolated singular point on top of it.

    Parallelogram of unit cranks and unit coupler with a third unit link; at 60 degrees one equation is redundant, at 0
    the rank is lower by one more, but not nearby.
    """
    model = Model("parallelogram")
    one = model.add(Body(angle=phi), name="one")
    two = model.add(Body(position=(1 + math.cos(phi), math.sin(phi))), name="two")
    three = model.add(Body(position=(1.0, 0.0), angle=phi), name="three")
    model.add(Revolute(model.ground.at(), one.at()), name="O")
    model.add(Revolute(model.ground.at(1, 0), three.at()), name="D")
    model.add(Hold(x(two.at(-1, 0)) - x(one.at(1, 0)), 0.0), name="row 1")
    model.add(Hold(y(two.at(-1, 0)) - y(one.at(1, 0)), 0.0), name="row 2")
    model.add(Hold(x(two.at()) - x(three.at(1, 0)), 0.0), name="row 3")
    model.add(Hold(y(two.at()) - y(three.at(1, 0)), 0.0), name="row 4")
    model.add(Distance(model.ground.at(2, 0), two.at(1, 0), 1.0), name="AB")
    q = [0, 0, phi, 1 + math.cos(phi), math.sin(phi), 0, 1, 0, phi]
    here = int(np.linalg.matrix_rank(Equations(model).at(q).J)) - 4  # the four rows of O and D are not the book's
    degrees = round(math.degrees(phi))
    record.fact(f"rank of the 5 rows at {degrees} degrees", here, 4 if phi else 3, "Example 4.6.1")
    report = mobility(model)
    record.fact(f"redundant at {degrees} degrees", [name for name, _ in report.redundant], ["AB"], "Example 4.6.1")
    record.fact(f"singular rows at {degrees} degrees", len(report.singular), 0 if phi else 1, "Example 4.6.1")
    record.erratum("Haug, Example 4.6.1", "q lists phi3 twice; it is [phi1, x2, y2, phi2, phi3].")


def _solved(matrix, right):
    """x of A x = b by the factorization of [[I, A^T], [A, 0]]."""
    n = len(right)
    rows, columns = (index.ravel() for index in np.indices((n, n)))
    diagonal = np.arange(2 * n)
    pattern, slots = ldlt.analyze(
        2 * n, np.concatenate((diagonal, n + rows)), np.concatenate((diagonal, columns)), diagonal
    )
    values = np.zeros(ldlt.values_size(pattern))
    np.add.at(values, slots, np.concatenate((np.ones(n), np.zeros(n), matrix.ravel())))
    L, D = np.zeros(pattern.Li.size), np.zeros(2 * n)
    ldlt.factor(pattern, values, L, D, np.zeros(2 * n))
    solution = np.concatenate((np.zeros(n), right))
    ldlt.solve(pattern, L, D, solution)
    return solution[:n]
