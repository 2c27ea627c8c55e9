"""Compiled kernels of spatial markers and measures."""
