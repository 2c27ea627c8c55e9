"""Pinocchio and MuJoCo on machines from files: run by `bench_import.py` in an environment of their own.

Reads the path of a file, states by joint, and writes the mass matrix, the forces of gravity, and the joint forces of
given accelerations, in the order and in the speeds of Cardan: world velocity and body-fixed spin of what is free.
"""

from __future__ import annotations

import json
import sys

import mujoco
import numpy as np
import pinocchio as pin


def main(given: str, answer: str) -> None:
    data = json.loads(open(given).read())
    side = pinocchio_side if data["path"].endswith(".urdf") else mujoco_side
    np.savez(answer, **side(data))


def pinocchio_side(data):
    """States of joints into those of Pinocchio: v = T v_cardan."""
    root = [pin.JointModelFreeFlyer()] if data["free"] else []
    model = pin.buildModelFromUrdf(data["path"], *root, mimic=data["mimic"])
    model.gravity.linear = np.array(data["gravity"])
    work = model.createData()
    masses, gravities, torques = [], [], []
    for state in data["states"]:
        q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        T = np.zeros((model.nv, data["size"]))
        for joint in data["joints"]:
            number = model.getJointId("root_joint" if joint["kind"] == "free" else joint["name"])
            iq, iv, nq = model.joints[number].idx_q, model.joints[number].idx_v, model.joints[number].nq
            jq, jv = joint["q"], joint["v"]
            mine, speed, rate = (np.array(state[key]) for key in ("q", "v", "a"))
            if joint["kind"] == "free":
                x, e = mine[jq : jq + 3], mine[jq + 3 : jq + 7]
                q[iq : iq + 7] = [*x, *e[1:], e[0]]
                R = pin.Quaternion(e[0], *e[1:]).toRotationMatrix()
                w = speed[jv + 3 : jv + 6]
                T[iv : iv + 3, jv : jv + 3], T[iv + 3 : iv + 6, jv + 3 : jv + 6] = R.T, np.eye(3)
                a[iv : iv + 3] -= np.cross(w, R.T @ speed[jv : jv + 3])
            elif joint["kind"] == "plane":
                x, y, angle = mine[jq : jq + 3]
                q[iq : iq + 4] = [x, y, np.cos(angle), np.sin(angle)]
                R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
                T[iv : iv + 2, jv : jv + 2], T[iv + 2, jv + 2] = R.T, 1.0
                u, w = R.T @ speed[jv : jv + 2], speed[jv + 2]
                a[iv : iv + 2] -= w * np.array([-u[1], u[0]])
            else:
                q[iq : iq + nq] = mine[jq] if nq == 1 else [np.cos(mine[jq]), np.sin(mine[jq])]
                T[iv, jv] = 1.0
        v += T @ speed
        a += T @ rate
        M = pin.crba(model, work, q)
        M = np.triu(M) + np.triu(M, 1).T
        masses.append(T.T @ M @ T)
        gravities.append(T.T @ pin.computeGeneralizedGravity(model, work, q))
        torques.append(T.T @ pin.rnea(model, work, q, v, a))
    found = {"mass": masses, "gravity": gravities, "torques": torques}
    return {name: np.array(value) for name, value in found.items()}


def mujoco_side(data):
    """MuJoCo counts speeds as Cardan does; the forces of springs and dampers are among those of a joint."""
    model = mujoco.MjModel.from_xml_path(data["path"])
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    work = mujoco.MjData(model)
    masses, gravities, torques, rows, accelerations = [], [], [], [], []
    for state in data["states"]:
        place, speed = {}, {}
        for joint in data["joints"]:
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint["name"])
            nq, nv = {"free": (7, 6), "ball": (4, 3)}.get(joint["kind"], (1, 1))
            place |= {model.jnt_qposadr[number] + k: joint["q"] + k for k in range(nq)}
            speed |= {model.jnt_dofadr[number] + k: joint["v"] + k for k in range(nv)}
        mine = [place[k] for k in range(model.nq)], [speed[k] for k in range(model.nv)]
        back = np.argsort(mine[1])
        work.qpos = np.array(state["q"])[mine[0]]
        work.qvel, work.qacc = (np.array(state[key])[mine[1]] for key in ("v", "a"))
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_fwdPosition(model, work)
        J = np.array(work.efc_J).reshape(-1, model.nv)[:, back] if work.nefc else np.zeros((0, model.nv))
        kinds = np.array(work.efc_type[: work.nefc])
        rows.append(J[kinds == mujoco.mjtConstraint.mjCNSTR_EQUALITY])
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        mujoco.mj_forward(model, work)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, work, M)
        work.qacc = np.array(state["a"])[mine[1]]
        mujoco.mj_inverse(model, work)
        masses.append(M[np.ix_(back, back)])
        torques.append(np.array(work.qfrc_inverse)[back])
        work.qfrc_applied = np.array(state["a"])[mine[1]]
        mujoco.mj_forward(model, work)
        accelerations.append(np.array(work.qacc)[back])
        work.qfrc_applied[:] = 0.0
        work.qvel[:] = 0.0
        mujoco.mj_forward(model, work)
        gravities.append(np.array(work.qfrc_bias)[back])
    found = {"mass": masses, "gravity": gravities, "torques": torques, "rows": rows, "accelerations": accelerations}
    return {name: np.array(value) for name, value in found.items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
