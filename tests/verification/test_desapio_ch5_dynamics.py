"""De Sapio, chapter 5: mechanisms left to themselves.

The chapter states data and no results. Its own formulation, Lagrange's equations in angles, is written down here by
hand and integrated by SciPy.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from cardan import simulate
from cardan.planar import Body, Model, Revolute
from verification.curves import left_over
from verification.manual import Within

G = 9.81


def test_serial_chain(record):
    """Chapter 5: four links in series fall from rest.

    r = 0.15, 0.125, 0.1, 0.0875 m, l = 0.7, 0.6, 0.5, 0.4 m, m = 2.5, 1.5, 1.0, 0.75 kg, I = m r^2 / 4 + m l^2 / 12;
    each joint at -pi/24. Absolute angles: T = sum of m |v|^2 / 2 + I w^2 / 2.
    """
    radii, lengths, masses = (0.15, 0.125, 0.1, 0.0875), (0.7, 0.6, 0.5, 0.4), (2.5, 1.5, 1.0, 0.75)
    inertias = [m * r * r / 4 + m * L * L / 12 for m, r, L in zip(masses, radii, lengths, strict=True)]
    angles = -math.pi / 24 * np.arange(1, 5)
    model = Model("chain", gravity=(0, -G))
    end, before, links = np.zeros(2), model.ground.at(), []
    for k, (m, L, J, phi) in enumerate(zip(masses, lengths, inertias, angles, strict=True), start=1):
        along = np.array([math.cos(phi), math.sin(phi)])
        place = tuple((end + 0.5 * L * along).tolist())
        link = model.add(Body(mass=m, inertia=J, position=place, angle=float(phi)), name=f"link {k}")
        model.add(Revolute(before, link.at(-0.5 * L, 0)), name=f"joint {k}")
        end, before = end + L * along, link.at(0.5 * L, 0)
        links.append(link)
    run = simulate(model, 1.5, output=0.05, rtol=1e-11)
    arms = np.array(
        [[lengths[j] if j < i else 0.5 * lengths[j] if j == i else 0.0 for j in range(4)] for i in range(4)]
    )

    def rates(t, y):
        """sum_j m a_i a_j (cos(i - j) phi_j'' + sin(i - j) phi_j'^2) + I_i phi_i'' = -g sum m a_i cos phi_i."""
        phi, w = y[:4], y[4:]
        weights = np.einsum("k,ki,kj->ij", masses, arms, arms)
        apart = phi[:, None] - phi[None, :]
        M = weights * np.cos(apart) + np.diag(inertias)
        right = -(weights * np.sin(apart)) @ w**2 - G * (np.array(masses) @ arms) * np.cos(phi)
        return np.concatenate([w, np.linalg.solve(M, right)])

    exact = solve_ivp(
        rates, (0, 1.5), np.concatenate([angles, np.zeros(4)]), "DOP853", run.times, rtol=1e-12, atol=1e-12
    )
    found = np.stack([run[link].angle for link in links], axis=1)
    near = Within(1e-7, "rtol 1e-11 of a motion that is chaotic, over 1.5 s")
    record("angles", found, exact.y[:4].T, near, "chapter 5", "recomputed")
    rate = np.stack([run[link].angular_velocity for link in links], axis=1)
    record("rates", rate, exact.y[4:].T, Within(1e-6, near.reason), "chapter 5", "recomputed")
    drift = Within(1e-9, "100 rtol")
    record("energy left over", left_over(run), 0 * run.times, drift, "T + V is constant", "closed form")
