r"""Exact integrals over regions enclosed by polygons or closed surfaces, by the divergence theorem.

            . p2
           / \                 Each facet of the boundary (an edge p1 p2, a triangle p1 p2 p3) spans a simplex
          /   \                with the origin O. Simplices of facets that face away from O are positive,
         /     . p1            the others negative; their sum is the enclosed region. For each of them, in n
        /   .                  dimensions, with s = p1 + ... + pn:
       / .
      O                        V = det[p1 ... pn] / n!,   integral of x dV = V s / (n + 1),
                               integral of x x^T dV = V (s s^T + sum p p^T) / ((n + 1) (n + 2))

For shapes with straight edges or flat faces the results are exact up to rounding. The origin is first moved among the
corners, which keeps all digits for bodies far from the frame's origin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Moments(NamedTuple):
    """Area or volume, its center, and the integral of (x - center) (x - center)^T."""

    size: float
    center: NDArray
    second: NDArray


def enclosed(facets: NDArray) -> Moments:
    """The moments of the region enclosed by facets; `facets[k]` are the n corners of one, in n dimensions.

    The size is negative if the facets face inward. In the plane, edges run counterclockwise:

    >>> square = np.array([[[0, 0], [2, 0]], [[2, 0], [2, 2]], [[2, 2], [0, 2]], [[0, 2], [0, 0]]], float)
    >>> size, center, second = enclosed(square)
    >>> size, center.tolist(), second.round(12).tolist()
    (4.0, [1.0, 1.0], [[1.333333333333, 0.0], [0.0, 1.333333333333]])
    """
    n = facets.shape[-1]
    middle = facets.reshape(-1, n).mean(axis=0)
    corners = facets - middle
    sizes = _determinants(corners) / math.factorial(n)
    sums = corners.sum(axis=1)
    size = math.fsum(sizes)
    if size == 0.0:
        return Moments(0.0, middle, np.zeros((n, n)))
    first = sizes @ sums / (n + 1)
    second = np.einsum("k,ki,kj->ij", sizes, sums, sums) + np.einsum("k,kpi,kpj->ij", sizes, corners, corners)
    second /= (n + 1) * (n + 2)
    offset = first / size
    return Moments(size, middle + offset, second - size * np.outer(offset, offset))


def _determinants(corners: NDArray) -> NDArray:
    """det[p1 ... pn] of every facet, in two or three dimensions, written out to keep integers exact."""
    if corners.shape[-1] == 2:
        p, q = corners[:, 0], corners[:, 1]
        return p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    return np.einsum("ki,ki->k", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
