"""The equations of motion in Cartesian coordinates, as kernels for integrators."""
