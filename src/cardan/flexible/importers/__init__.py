"""Matrices, nodes and node sets of other finite element programs: Abaqus, CalculiX, Nastran."""
