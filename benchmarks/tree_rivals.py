"""Pinocchio and MuJoCo on a tree of hinges: run by `bench_tree.py` in an environment of their own.

Reads a file of arrays (the tree, states) and writes one: accelerations, torques and the CPU time of each, per state.
"""

from __future__ import annotations

import sys
import time

import mujoco
import numpy as np
import pinocchio as pin


def main(given: str, answer: str) -> None:
    data = np.load(given)
    found = {}
    for name, side in (("pin", pinocchio_side), ("mujoco", mujoco_side)):
        if name in data["rivals"].tolist():
            for key, value in side(data).items():
                found[f"{name}_{key}"] = value
    np.savez(answer, **found)


def inertia_at_center(own):
    m, c = own[0], own[1:4] / own[0]
    J = np.array([[own[4], own[7], own[8]], [own[7], own[5], own[9]], [own[8], own[9], own[6]]])
    return m, c, J - m * (c @ c * np.eye(3) - np.outer(c, c))


def pinocchio_side(data):
    model = pin.Model()
    model.gravity.linear = data["gravity"]
    ids = []
    for k in range(len(data["parent"])):
        parent = 0 if data["parent"][k] < 0 else ids[data["parent"][k]]
        place = pin.SE3(data["place"][k, :9].reshape(3, 3).T.copy(), data["place"][k, 9:].copy())
        ids.append(model.addJoint(parent, pin.JointModelRZ(), place, f"j{k}"))
        m, c, J = inertia_at_center(data["inertia"][k])
        model.appendBodyToJoint(ids[-1], pin.Inertia(m, c, J), pin.SE3.Identity())
    work = model.createData()
    q, v, tau = data["q"], data["v"], data["tau"]
    order = [model.joints[i].idx_v for i in ids]
    Q, V, T = (np.ascontiguousarray(_sorted(x, order)) for x in (q, v, tau))
    a, back = np.zeros_like(Q), np.zeros_like(Q)

    def accelerations():
        for s in range(Q.shape[0]):
            a[s] = pin.aba(model, work, Q[s], V[s], T[s])

    def torques():
        for s in range(Q.shape[0]):
            back[s] = pin.rnea(model, work, Q[s], V[s], T[s])

    times = timed(accelerations, torques)
    return {"a": a[:, order], "tau": back[:, order], "seconds": times}


def _sorted(x, order):
    out = np.empty_like(x)
    out[:, order] = x
    return out


def mujoco_side(data):
    spec = mujoco.MjSpec()  # not XML, which is not read where bodies are nested as deeply as in a long chain
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.option.gravity = data["gravity"]
    disabled = mujoco.mjtDisableBit
    spec.option.disableflags = disabled.mjDSBL_CONTACT | disabled.mjDSBL_CONSTRAINT
    bodies = []
    for k, parent in enumerate(data["parent"]):
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, data["place"][k, :9].reshape(3, 3).T.copy().ravel())
        m, c, J = inertia_at_center(data["inertia"][k])
        carrier = spec.worldbody if parent < 0 else bodies[parent]
        body = carrier.add_body(name=f"b{k}", pos=data["place"][k, 9:], quat=quat)
        body.mass, body.ipos, body.explicitinertial = float(m), c, True
        body.fullinertia = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0.0, 0.0, 1.0))
        bodies.append(body)
    model = spec.compile()
    work = mujoco.MjData(model)
    order = [model.jnt_dofadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, f"j{k}")] for k in range(model.nv)]
    Q, V, T = (np.ascontiguousarray(_sorted(data[x], order)) for x in ("q", "v", "tau"))
    a, back = np.zeros_like(Q), np.zeros_like(Q)

    def accelerations():
        for s in range(Q.shape[0]):
            work.qpos, work.qvel, work.qfrc_applied = Q[s], V[s], T[s]
            mujoco.mj_forward(model, work)
            a[s] = work.qacc

    def torques():
        for s in range(Q.shape[0]):
            work.qpos, work.qvel, work.qacc = Q[s], V[s], T[s]
            mujoco.mj_inverse(model, work)
            back[s] = work.qfrc_inverse

    times = timed(accelerations, torques)
    return {"a": a[:, order], "tau": back[:, order], "seconds": times}


def timed(*tasks):
    """The least CPU time of three runs of each."""
    found = []
    for task in tasks:
        best = np.inf
        for _ in range(3):
            begun = time.process_time()
            task()
            best = min(best, time.process_time() - begun)
        found.append(best)
    return np.array(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
