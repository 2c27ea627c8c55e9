"""Exudyn's side of `bench_rotor.py`: runs in Exudyn's environment, reads a request and prints the answer as JSON.

The model is that of Exudyn's own test objectFFRFreducedOrder: a reduced rotor in supports, unbalanced.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np


def main() -> None:
    request = json.load(sys.stdin)
    sys.path.append(request["packages"])  # SciPy, which Exudyn's import of finite elements needs
    answers = [run(request, modes, h) for modes, h in request["runs"]]
    print(json.dumps(answers))


def run(request: dict[str, Any], modes: int, h: float) -> dict[str, Any]:
    """CPU seconds of the loop, and the displacement of the center at the end, in m."""
    import exudyn as exu
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface
    from exudyn.itemInterface import (
        CartesianSpringDamper,
        MarkerBodyPosition,
        MarkerSuperElementPosition,
        ObjectGround,
        SensorSuperElement,
    )

    mbs, fem = exu.SystemContainer().AddSystem(), FEMinterface()
    fem.ImportFromAbaqusInputFile(request["files"] + ".inp", typeName="Instance", name="rotor-1")
    fem.ReadMassMatrixFromAbaqus(request["files"] + "MASS1.mtx")
    fem.ReadStiffnessMatrixFromAbaqus(request["files"] + "STIF1.mtx")
    fem.ScaleStiffnessMatrix(request["soft"])
    fem.AddNodeMass(fem.GetNodeAtPoint(np.array(request["unbalance"])), 0.1)
    fem.ComputeEigenmodes(modes, excludeRigidBodyModes=6, useSparseSolver=True)
    interface = ObjectFFRFreducedOrderInterface(fem)
    spin = [0.0, 0.0, request["spin"]]
    added = interface.AddObjectFFRFreducedOrder(
        mbs, positionRef=[0.0] * 3, initialVelocity=[0.0] * 3, initialAngularVelocity=spin, gravity=[0.0] * 3
    )
    body, ground = added["oFFRFreducedOrder"], mbs.AddObject(ObjectGround())
    for z, shares in ((0.0, [1.0, 1.0, 1.0]), (0.5, [1.0, 1.0, 0.0])):
        nodes = np.array(fem.GetNodesInPlane([0, 0, z], [0, 0, 1]))
        mean = MarkerSuperElementPosition(
            bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=np.full(nodes.size, 1.0 / nodes.size)
        )
        fixed = MarkerBodyPosition(bodyNumber=ground, localPosition=[0.0, 0.0, z])
        markers = [mbs.AddMarker(fixed), mbs.AddMarker(mean)]
        stiffness, damping = ([size * share for share in shares] for size in (2e8, 2e6))
        mbs.AddObject(CartesianSpringDamper(markerNumbers=markers, stiffness=stiffness, damping=damping))
    sensor = mbs.AddSensor(
        SensorSuperElement(
            bodyNumber=body,
            meshNodeNumber=fem.GetNodeAtPoint(np.array(request["center"])),
            outputVariableType=exu.OutputVariableType.Displacement,
            writeToFile=False,
        )
    )
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(request["until"] / h)
    settings.timeIntegration.endTime = request["until"]
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.5
    settings.solutionSettings.writeSolutionToFile = False
    begun = time.process_time()
    mbs.SolveDynamic(settings)
    return {"cpu": time.process_time() - begun, "displacement": np.array(mbs.GetSensorValues(sensor)).tolist()}


if __name__ == "__main__":
    main()
