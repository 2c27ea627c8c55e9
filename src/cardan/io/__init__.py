"""Models from files of other programs: URDF and MJCF.

    from cardan import from_urdf, from_mjcf
    arm = from_urdf("arm.urdf", q={"elbow": 0.5})        a Model; arm.joints["elbow"].upper, arm.frames["tool"]

| module                 | what                                                                                     |
|---|---|
| `document`             | XML with the line of every element; no document type, no entities                        |
| `urdf`                 | links and joints of a URDF                                                                |
| `mjcf`                 | sections and bodies of an MJCF                                                            |
| `mjcf_default`         | its settings and classes                                                                  |
| `mjcf_parts`           | its joints, geoms, meshes and inertias                                                    |
| `mjcf_relations`       | its equalities, actuators and key frames                                                  |
| `parts`                | what both say: links, joints, closures, ties; plain data                                 |
| `pose`, `placing`      | frames, and where links are at given values of joints                                    |
| `solids`, `surface`    | boxes, cylinders, meshes: their matter and how they are drawn                            |
| `meshes`, `weight`     | where meshes are; inertia judged                                                          |
| `building`, `closing`  | the model made of the parts                                                               |
| `imported`             | what it tells beyond its elements                                                         |
"""

from cardan.io.imported import FileModel, ImportedActuator, ImportedJoint
from cardan.io.mjcf.mjcf import from_mjcf
from cardan.io.urdf import from_urdf

__all__ = ["FileModel", "ImportedActuator", "ImportedJoint", "from_mjcf", "from_urdf"]
