"""Kernels compiled in advance: which there are, and how libraries and wheels are made of them."""
