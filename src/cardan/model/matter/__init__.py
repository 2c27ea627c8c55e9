"""Mass properties: mass, mass center and inertia of bodies, from their shape and density (Haug 6.1 and 11.2).

| module    | contents                                                                                |
|---|---|
| `planar`  | `PlanarMatter`: the properties of a planar body, moved, rotated, added, cut out            |
| `plane`   | plane shapes: rods, rectangles, disks, polygons with holes                                 |
| `amount`  | mass from `mass=` or `density=`, exactly one of them                                       |
| `outline` | outlines with holes, checked                                                               |
| `moments` | exact integrals over enclosed regions: polygons and closed surfaces                        |

Spatial bodies are in `cardan.spatial.matter`, because they need spatial rotations.
"""

from cardan.model.matter.planar import PlanarMatter

__all__ = ["PlanarMatter"]
