"""Models from files of other programs: URDF, SDF and MJCF.

    from cardan import from_urdf, from_sdf, from_mjcf
    arm = from_urdf("arm.urdf", q={"elbow": 0.5})        a Model; arm.joints["elbow"].upper, arm.frames["tool"]

| module                 | content                                                                                  |
|---|---|
| `document`             | XML with the line of every element; no document type, no entities                        |
| `urdf`                 | links and joints of a URDF                                                                |
| `sdf.sdf`              | links of an SDF                                                                           |
| `sdf.frames`           | its frames, and the text of elements                                                      |
| `sdf.joints`           | its joints                                                                                |
| `mjcf`                 | sections and bodies of an MJCF                                                            |
| `mjcf.defaults`        | its settings and classes                                                                  |
| `mjcf.parts`           | its joints, geoms, meshes and inertias                                                    |
| `mjcf.relations`       | its equalities, actuators and key frames                                                  |
| `parts`                | links, joints, closures, ties of both formats, as plain data                             |
| `pose`, `placement`    | frames, and the frames of links for given joint coordinates                              |
| `solids`, `surface`    | boxes, cylinders, meshes: their mass properties and their lines                          |
| `meshes`, `inertia`    | paths of meshes; checks of inertia                                                        |
| `building`, `closures` | the model built from the parts                                                            |
| `imported`             | joints, frames, solids and actuators by the names of the file                             |
"""

from cardan.io.imported import FileModel, ImportedActuator, ImportedJoint
from cardan.io.mjcf.mjcf import from_mjcf
from cardan.io.sdf.sdf import from_sdf
from cardan.io.urdf import from_urdf

__all__ = ["FileModel", "ImportedActuator", "ImportedJoint", "from_mjcf", "from_sdf", "from_urdf"]
