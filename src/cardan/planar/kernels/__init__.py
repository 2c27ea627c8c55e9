"""Compiled kernels of planar measures and surfaces."""
