"""Pinocchio's calls for one state: run by `bench_robots.py` in an environment of their own."""

from __future__ import annotations

import sys
import time

import numpy as np
import pinocchio as pin
from tree_rivals import inertia_at_center


def main(given: str, answer: str) -> None:
    tree = np.load(given)
    model, ids = pin.Model(), []
    model.gravity.linear = tree["gravity"]
    for k, before in enumerate(tree["parent"].tolist()):
        place = pin.SE3(tree["place"][k, :9].reshape(3, 3).T.copy(), tree["place"][k, 9:].copy())
        ids.append(model.addJoint(0 if before < 0 else ids[before], pin.JointModelRZ(), place, f"j{k}"))
        m, c, J = inertia_at_center(tree["inertia"][k])
        model.appendBodyToJoint(ids[-1], pin.Inertia(m, c, J), pin.SE3.Identity())
    data, random = model.createData(), np.random.default_rng(1)
    q, v, a = random.uniform(-3.0, 3.0, model.nv), *random.standard_normal((2, model.nv))

    def tasks():
        J = pin.computeJointJacobian(model, data, q, ids[-1])
        over = pin.computeMinverse(model, data, q)
        over = np.triu(over) + np.triu(over, 1).T
        return np.linalg.inv(J @ over @ J.T)

    calls = (
        lambda: pin.crba(model, data, q),
        lambda: pin.computeGeneralizedGravity(model, data, q),
        lambda: pin.rnea(model, data, q, v, a),
        lambda: pin.aba(model, data, q, v, a),
        lambda: pin.computeJointJacobian(model, data, q, ids[-1]),
        tasks,
    )
    np.savez(answer, seconds=np.array([least(call) for call in calls]))


def least(call, count=2000):
    """The least CPU time of a call in five rounds."""
    call()
    best = np.inf
    for _ in range(5):
        begun = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - begun) / count)
    return best


if __name__ == "__main__":
    main(*sys.argv[1:])
