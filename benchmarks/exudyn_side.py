"""One problem in Exudyn: the description on standard input as JSON, the measurements on standard output as JSON.

Runs in the throw-away environment that `exudyn_rival.py` makes, with Exudyn and NumPy and without Cardan. A request is
a problem of `dynamics_problems.py` and a list of runs, each with its step, its number of repetitions and the settings
that are not Exudyn's defaults. CPU time is that of `SolveDynamic` alone: the model is built and assembled before.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

import exudyn as exu
import numpy as np
from exudyn import itemInterface
from exudyn.rigidBodyUtilities import RigidBodyInertia

ROTATIONS = {
    "rotation vector, Lie group": exu.NodeType.RotationRotationVector,
    "Euler parameters": exu.NodeType.RotationEulerParameters,
    "Tait-Bryan angles": exu.NodeType.RotationRxyz,
}


def main() -> None:
    request = json.load(sys.stdin)
    found = [measure(request["problem"], run) for run in request["runs"]]
    print(json.dumps({"versions": {"exudyn": exu.__version__, "numpy": np.__version__}, "runs": found}))


def measure(problem: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Solve as often as asked, each time from the start; the median of the times counts."""
    tries = [_solve(problem, run) for _ in range(run.get("repetitions", 1))]
    cpu, wall = (statistics.median(t[key] for t in tries) for key in ("cpu", "wall"))
    return {**run, **tries[-1], "cpu": cpu, "wall": wall}


def _solve(problem: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    build = _plane if len(problem["gravity"]) == 2 else _space
    sensor = build(mbs, problem, run.get("rotation", "rotation vector, Lie group"))
    mbs.Assemble()
    settings = _settings(run, run.get("until", problem["until"]))
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        finished = bool(mbs.SolveDynamic(settings, solverType=settings.timeIntegration.solverType, storeSolver=True))
    except Exception as error:  # for singular Jacobians and failing steps Exudyn has no class of its own
        return {"cpu": time.process_time() - cpu, "wall": 0.0, "stopped": str(error).strip().splitlines()[0][:120]}
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    steps = mbs.sys["dynamicSolver"].it
    tip = np.array(mbs.GetSensorValues(sensor)).ravel().tolist()
    counts = {"steps": steps.currentStepIndex - 1, "newton": steps.newtonStepsCount}
    return {"cpu": cpu, "wall": wall, "tip": tip, "stopped": None if finished else "not finished", **counts}


def _settings(run: dict[str, Any], until: float) -> Any:
    """Fixed step, nothing written, one thread."""
    settings = exu.SimulationSettings()
    settings.solution.file.write = settings.solution.sensors.writeHeader = False
    settings.parallel.numberOfThreads = 1
    settings.linearSolver.solverType = getattr(exu.LinearSolverType, run.get("linear", "EXUdense"))
    settings.linearSolver.ignoreSingularJacobian = run.get("singular", False)
    settings.linearSolver.reuseAnalyzedPattern = run.get("reuse", False)
    march = settings.timeIntegration
    march.endTime, march.numberOfSteps = until, round(until / run["h"])
    march.adaptiveStep = run.get("adaptive", False)
    march.verboseMode = 0
    march.solverType = getattr(exu.DynamicSolverType, run.get("solver", "GeneralizedAlpha"))
    march.generalizedAlpha.spectralRadius = run.get("rho", 0.9)
    march.generalizedAlpha.useIndex2Constraints = march.generalizedAlpha.useNewmark = run.get("index2", False)
    march.newton.useModifiedNewton = run.get("modified", True)
    march.newton.relativeTolerance = run.get("newton_relative", 1e-8)
    march.newton.absoluteTolerance = run.get("newton_absolute", 1e-10)
    return settings


def _plane(mbs: Any, problem: dict[str, Any], rotation: str) -> int:
    """Rigid bodies with x, y and an angle, joints between points."""
    bodies = {body["name"]: body for body in problem["bodies"]}
    numbers = {"ground": mbs.AddObject(itemInterface.ObjectGround())}
    for body in problem["bodies"]:
        placed = [*body["position"], body["orientation"]]
        node = itemInterface.NodeRigidBody2D(
            referenceCoordinates=placed, initialVelocities=[*body["velocity"], body["spin"]]
        )
        matter = {"mass": body["mass"], "inertia": body["inertia"]}
        numbers[body["name"]] = mbs.AddObject(itemInterface.ObjectRigidBody2D(nodeNumber=mbs.AddNode(node), **matter))
        _weigh(mbs, numbers[body["name"]], [*problem["gravity"], 0.0])

    def local(name: str, point: list[float]) -> list[float]:
        if name == "ground":
            return [*point, 0.0]
        body = bodies[name]
        c, s = np.cos(body["orientation"]), np.sin(body["orientation"])
        dx, dy = np.subtract(point, body["position"])
        return [c * dx + s * dy, c * dy - s * dx, 0.0]

    for joint in problem["joints"]:
        slides = joint["kind"] == "slide"
        kind = itemInterface.MarkerBodyRigid if slides else itemInterface.MarkerBodyPosition
        sides = [joint["a"], joint["b"]]
        markers = [mbs.AddMarker(kind(bodyNumber=numbers[s], localPosition=local(s, joint["point"]))) for s in sides]
        if not slides:
            mbs.AddObject(itemInterface.ObjectJointRevolute2D(markerNumbers=markers))
            continue
        turned = 0.0 if joint["b"] == "ground" else bodies[joint["b"]]["orientation"]
        x, y = joint["axis"]  # fixed in the first side, which is the ground in all problems
        normal = [-y * np.cos(turned) + x * np.sin(turned), y * np.sin(turned) + x * np.cos(turned), 0.0]
        axes = {"axisMarker0": [x, y, 0.0], "normalMarker1": normal}
        mbs.AddObject(itemInterface.ObjectJointPrismatic2D(markerNumbers=markers, **axes))
    name, point = problem["tip"]
    return _sense(mbs, numbers[name], local(name, point))


def _space(mbs: Any, problem: dict[str, Any], rotation: str) -> int:
    """Rigid bodies with the rotation coordinates asked for."""
    bodies = {body["name"]: body for body in problem["bodies"]}
    numbers = {"ground": mbs.AddObject(itemInterface.ObjectGround())}
    for body in problem["bodies"]:
        made = mbs.CreateRigidBody(
            referencePosition=body["position"],
            referenceRotationMatrix=np.array(body["orientation"]),
            initialVelocity=body["velocity"],
            initialAngularVelocity=body["spin"],
            inertia=RigidBodyInertia(mass=body["mass"], inertiaTensor=np.diag(body["inertia"]), com=np.zeros(3)),
            gravity=problem["gravity"],
            nodeType=ROTATIONS[rotation],
        )
        numbers[body["name"]] = made

    def axes(name: str) -> np.ndarray:
        return np.eye(3) if name == "ground" else np.array(bodies[name]["orientation"])

    def marker(name: str, point: list[float]) -> int:
        origin = np.zeros(3) if name == "ground" else bodies[name]["position"]
        place = axes(name).T @ np.subtract(point, origin)
        return mbs.AddMarker(itemInterface.MarkerBodyRigid(bodyNumber=numbers[name], localPosition=place.tolist()))

    for joint in problem["joints"]:
        sides = [joint["a"], joint["b"]]
        slides = joint["kind"] == "slide"
        frame = _frame(joint["axis"], first=slides)
        kind = itemInterface.ObjectJointPrismaticX if slides else itemInterface.ObjectJointRevoluteZ
        turned = {f"rotationMarker{k}": axes(side).T @ frame for k, side in enumerate(sides)}
        mbs.AddObject(kind(markerNumbers=[marker(side, joint["point"]) for side in sides], **turned))
    for spring in problem["springs"]:
        law = {"referenceLength": spring["rest_length"], "stiffness": spring["stiffness"], "damping": spring["damping"]}
        ends = [marker(spring[side], spring[f"point_{side}"]) for side in "ab"]
        mbs.AddObject(itemInterface.ObjectConnectorSpringDamper(markerNumbers=ends, **law))
    name, point = problem["tip"]
    return _sense(mbs, numbers[name], (axes(name).T @ np.subtract(point, bodies[name]["position"])).tolist())


def _frame(axis: list[float], first: bool) -> np.ndarray:
    """A matrix with the axis as its first column, or as its last."""
    along = np.array(axis)
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.linalg.norm(across)
    columns = [along, across, np.cross(along, across)]
    return np.column_stack(columns if first else columns[1:] + columns[:1])


def _weigh(mbs: Any, body: int, gravity: list[float]) -> None:
    marker = mbs.AddMarker(itemInterface.MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(itemInterface.LoadMassProportional(markerNumber=marker, loadVector=gravity))


def _sense(mbs: Any, body: int, place: list[float]) -> int:
    kind = exu.OutputVariableType.Position
    return mbs.AddSensor(
        itemInterface.SensorBody(bodyNumber=body, localPosition=place, outputVariableType=kind, writeToFile=False)
    )


if __name__ == "__main__":
    main()
