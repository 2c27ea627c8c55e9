"""Matter: mass, mass center and inertia of bodies, from their shape and density (Haug 6.1 and 11.2).

| module    | what                                                                                    |
|---|---|
| `planar`  | `PlanarMatter`: the properties of a body of the plane, moved, turned, added, cut out       |
| `plane`   | shapes of the plane: rods, rectangles, disks, polygons with holes                          |
| `amount`  | mass from `mass=` or `density=`, exactly one of them                                       |
| `outline` | outlines with holes, checked                                                               |
| `moments` | exact integrals over what a boundary encloses: polygons and closed surfaces alike          |

Bodies of space are in `cardan.spatial.matter`, because they turn as everything of space does.
"""

from cardan.model.matter.planar import PlanarMatter

__all__ = ["PlanarMatter"]
