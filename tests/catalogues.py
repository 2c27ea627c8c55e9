"""All mechanisms of the plane and of space, for laws that hold in both."""

import cardan.planar
import cardan.spatial
import catalogue
import catalogue_rolling
import catalogue_spatial

CASES = catalogue.CASES + catalogue_spatial.CASES
ROLLING = catalogue_rolling.PLANAR + catalogue_rolling.SPATIAL  # these are not driven: rolling takes its own way

# What does not move anything, but loads it: put on every mechanism by the laws of forces.
LOADING = ("Action", "Friction", "Impact", "Load", "Spring", "Torque", "matter")
LOADS = tuple(getattr(space, name) for space in (cardan.planar, cardan.spatial) for name in LOADING)
