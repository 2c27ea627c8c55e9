"""Spatial beams, and rods made of them."""
