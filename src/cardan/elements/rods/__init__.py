"""Slender elastic parts of any deflection: beams, and rods made of them."""
