"""Spatial mass properties: mass, mass center and inertia tensor of bodies, from shape and density (Haug 11.2).

    >>> from cardan.spatial import matter
    >>> bar = matter.box(0.4, 0.1, 0.06, density=7850)
    >>> hole = matter.cylinder(0.03, 0.4, density=7850).turned(z=(1, 0, 0))
    >>> (bar - hole).mass
    9.96...

| module   | contents                                                                                           |
|---|---|
| `spread` | `SpatialMatter`: the properties, moved, turned, added, cut out, about other points, principal axes   |
| `inertia`| checks of inertia tensors: symmetry, no negative moment, the triangle inequality                    |
| `solid`  | boxes, cylinders, spheres, cones, tori                                                              |
| `thin`   | rods, plates, disks, rings, shells                                                                  |
| `flat`   | polygons with holes, as plates and extruded                                                         |
| `mesh`   | closed surfaces of triangles, from arrays or from STL, OBJ, PLY, GLB files                          |
"""

from cardan.spatial.matter.flat import extrusion, polygon
from cardan.spatial.matter.mass_properties import SpatialMatter
from cardan.spatial.matter.mesh import from_mesh, from_triangles
from cardan.spatial.matter.solid import (
    box,
    cone,
    cube,
    cylinder,
    ellipsoid,
    hemisphere,
    hollow_cylinder,
    hollow_sphere,
    sphere,
    torus,
)
from cardan.spatial.matter.thin import disk, plate, ring, rod, rod_between

__all__ = [
    "SpatialMatter",
    "box",
    "cone",
    "cube",
    "cylinder",
    "disk",
    "ellipsoid",
    "extrusion",
    "from_mesh",
    "from_triangles",
    "hemisphere",
    "hollow_cylinder",
    "hollow_sphere",
    "plate",
    "polygon",
    "ring",
    "rod",
    "rod_between",
    "sphere",
    "torus",
]
