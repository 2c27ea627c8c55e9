"""Finite elements of parts that are stated by a few numbers or a mesh: beams, plates, solids."""
